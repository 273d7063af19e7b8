#include "solver/kept_solution.hpp"

#include <algorithm>
#include <cstring>

namespace cairn::solver {
namespace {

// Bit by bit: zeros of different sign may lead to different results.
template <class T>
bool same_bits(const T& a, const T& b) {
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}
bool same_bits(const VecX& a, const VecX& b) {
  return a.size() == b.size() &&
         std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.size()) * sizeof(double)) == 0;
}

bool same(const ProblemBody& a, const ProblemBody& b) {
  return a.first == b.first && a.size == b.size && same_bits(a.A, b.A);
}

bool same(const BodyCoupling& a, const BodyCoupling& b) {
  return a.body == b.body && same_bits(a.A, b.A);
}

bool same(const Constraint& a, const Constraint& b) {
  return a.law == b.law && a.rows == b.rows && a.body == b.body && same_bits(a.mu, b.mu) &&
         a.facets == b.facets && a.section == b.section && same_bits(a.lo, b.lo) &&
         same_bits(a.hi, b.hi) && a.tie == b.tie && a.id.kind == b.id.kind &&
         a.id.number == b.id.number && same_bits(a.b, b.b) && same_bits(a.J, b.J);
}

template <class T>
bool same(const std::vector<T>& a, const std::vector<T>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const T& x, const T& y) { return same(x, y); });
}

bool same(const Units& a, const Units& b) {
  return a.mass == b.mass && a.length == b.length && a.time == b.time;
}

bool same(const Auto& a, const Auto& b) {
  return a.tolerance == b.tolerance && a.max_sweeps == b.max_sweeps &&
         a.max_iterations == b.max_iterations && a.lemke_rows == b.lemke_rows;
}

}  // namespace

bool KeptSolution::answers(const Problem& problem, const SolverOptions& options,
                           const VecX& start) const {
  const Auto* now = std::get_if<Auto>(&options);
  return kept_ && now && same(*now, options_) && same_bits(start, start_) &&
         same_bits(problem.k, problem_.k) && same(problem.units, problem_.units) &&
         same(problem.bodies, problem_.bodies) && same(problem.couplings, problem_.couplings) &&
         same(problem.constraints, problem_.constraints);
}

void KeptSolution::keep(const Problem& problem, const SolverOptions& options, const VecX& start,
                        const Solution& solution) {
  const Auto* now = std::get_if<Auto>(&options);
  kept_ = now && solution.status == SolveStatus::solved && solution.v.isZero(0);
  if (!kept_) return;
  problem_ = problem;
  options_ = *now;
  start_ = start;
  solution_ = solution;
}

}  // namespace cairn::solver
