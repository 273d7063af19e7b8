// The page of a comparison of friction laws.
#pragma once

#include <string>

#include "record/run/compare.hpp"

namespace cairn::page {

// One self-contained page with the table and plots.
std::string comparison_html(const record::FrictionComparison& comparison);

}  // namespace cairn::page
