// The judge of reduced problems: the residuals of certify.cpp with W, q and lambda alone, and with
// the scale of the impulses (E17).
#include <algorithm>
#include <limits>
#include <stdexcept>

#include "base/index.hpp"
#include "cairn/error.hpp"
#include "problem/reduced_view.hpp"
#include "problem/verdict.hpp"

namespace cairn {
namespace {

// s and s_v of each island over rows that carry an impulse, close or are not unilateral (E17).
std::vector<problem::RowScale> island_scales(const ReducedProblem& problem,
                                             const problem::ReducedIslands& islands,
                                             const std::vector<double>& d, const VecX& lambda) {
  std::vector<problem::RowScale> scales(base::at(islands.count),
                                        problem::RowScale{.impulse = 0, .velocity = 0});
  for (std::size_t i = 0; i < problem.constraints.size(); ++i) {
    const ReducedConstraint& c = problem.constraints[i];
    const double* q = problem.q.data() + problem.first_row[i];
    const double impulse = problem::norm(c.rows, lambda.data() + problem.first_row[i]);
    const bool unilateral = is_unilateral(c.law);
    if (unilateral && impulse == 0 && q[0] >= 0) continue;
    problem::RowScale& scale = scales[base::at(islands.of_constraint[i])];
    const double free = problem::norm(c.rows, q) / d[i];
    scale.impulse = std::max({scale.impulse, d[i] * impulse, free});
    scale.velocity = std::max(scale.velocity, free);
  }
  for (problem::RowScale& scale : scales)
    scale.velocity = problem::velocity_scale(scale.impulse, scale.velocity);
  return scales;
}

}  // namespace

Certificate certify(const ReducedProblem& problem, const VecX& lambda) {
  if (lambda.size() != problem.rows() || problem.q.size() != problem.rows())
    throw std::invalid_argument("cairn::certify: the answer is not of the problem's size");
  problem::Verdict verdict;
  Certificate& cert = verdict.certificate;
  VecX w;
  problem::constraint_velocities(problem, lambda, w);
  cert.finite = lambda.allFinite() && w.allFinite();
  if (cert.finite) {
    const std::vector<double> d = problem::row_scales(problem);
    const problem::ReducedIslands islands = problem::find_islands(problem);
    const std::vector<problem::RowScale> scales = island_scales(problem, islands, d, lambda);
    for (std::size_t i = 0; i < problem.constraints.size(); ++i) {
      problem::RowScale scale = scales[base::at(islands.of_constraint[i])];
      scale.d = d[i];
      verdict.judge(problem::law_set(problem.constraints[i]), static_cast<int>(i),
                    w.data() + problem.first_row[i], lambda.data() + problem.first_row[i], scale,
                    Units{});
    }
  }
  if (!cert.finite) cert.worst = std::numeric_limits<double>::infinity();
  return cert;
}

}  // namespace cairn
