#pragma once

#include <limits>

namespace cairn {

inline constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace cairn
