// How a duration is cut into steps.
#pragma once

#include <cmath>
#include <cstdint>

namespace cairn::app {

struct StepPlan {
  double h = 0;     // length of every step but the last [s]
  double last = 0;  // length of the last step [s]
  std::int64_t steps = 0;

  double length(std::int64_t step) const { return step == steps ? last : h; }  // the first is 1
};

// Steps of h; the last is shorter where the duration is no multiple of h. A remainder below a
// millionth of a step is the rounding of decimal input, not a step of its own.
inline StepPlan plan_steps(double h, double duration) {
  const double ratio = duration / h;
  const double nearest = std::round(ratio);
  if (std::abs(ratio - nearest) <= 1e-6) return {h, h, static_cast<std::int64_t>(nearest)};
  const double whole = std::floor(ratio);
  return {h, duration - whole * h, static_cast<std::int64_t>(whole) + 1};
}

}  // namespace cairn::app
