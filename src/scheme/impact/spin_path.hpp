// The impact of one contact with rolling or torsional friction (E260 to E262).
#pragma once

#include "scheme/impact/impact_path.hpp"

namespace cairn::scheme {

// As impact_path(), for bodies that approach.
ImpactOutcome spin_path(const ImpactInput& in);

}  // namespace cairn::scheme
