#pragma once

#include <limits>

namespace cairn::base {

inline constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace cairn::base
