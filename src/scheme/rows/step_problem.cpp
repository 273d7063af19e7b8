#include "scheme/rows/step_problem.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cairn/check.hpp"

namespace cairn::scheme {

void StepProblem::begin(const Problem& problem, double weight) {
  CAIRN_DCHECK(terms_.size() >= static_cast<std::size_t>(problem.rows()), terms_.size(),
               problem.rows());
  terms_.resize(static_cast<std::size_t>(problem.rows()));
  contacts_.clear();
  weight_ = weight;
}

bool StepProblem::corrects() const {
  return std::any_of(terms_.begin(), terms_.end(),
                     [](const RowTerms& t) { return t.correction != 0; });
}

#ifdef CAIRN_DCHECKS
void StepProblem::dcheck(const Problem& problem) const {
  constexpr double rounding = 0x1p-44;  // of the largest term [-]
  // Products below have no digits left.
  constexpr double least = std::numeric_limits<double>::min();
  CAIRN_DCHECK(terms_.size() == static_cast<std::size_t>(problem.rows()), terms_.size(),
               problem.rows());
  const double speed = problem.units.speed();
  for (std::size_t i = 0; i < problem.constraints.size(); ++i)
    for (int r = 0; r < problem.constraints[i].rows; ++r) {
      const RowTerms& t = of(problem, i)[r];
      const double b = problem.constraints[i].b[r] * speed;
      const double size =
          std::abs(b) + std::abs(t.carried) +
          weight_ * (std::abs(t.motion) + std::abs(t.correction) + std::abs(t.closing) +
                     std::abs(t.bounce) + std::abs(t.slip) + std::abs(t.target));
      CAIRN_DCHECK(!(std::abs(t.sum(weight_) - b) > rounding * size + least), i, r, t.sum(weight_),
                   b);
    }
  for (const std::size_t i : contacts_)
    CAIRN_DCHECK(i < problem.constraints.size() && pushes(problem.constraints[i].key.role), i);
}
#endif

}  // namespace cairn::scheme
