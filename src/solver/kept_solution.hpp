// The last solution, for a problem that comes again bit by bit: what rests poses the same one in
// every step (E445). It is what solve() would find again, so that no result depends on it.
#pragma once

#include "cairn/solver.hpp"

namespace cairn::solver {

class KeptSolution {
 public:
  // Whether problem, start and options are those of the solution that is kept.
  bool answers(const Problem& problem, const SolverOptions& options, const VecX& start) const;
  const Solution& solution() const { return solution_; }
  void forget() { kept_ = false; }
  // Keeps the solution of a problem in which nothing moves.
  void keep(const Problem& problem, const SolverOptions& options, const VecX& start,
            const Solution& solution);

 private:
  bool kept_ = false;
  Problem problem_;
  Auto options_;
  VecX start_;
  Solution solution_;
};

}  // namespace cairn::solver
