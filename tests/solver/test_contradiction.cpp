// Constraints that contradict each other have no solution; whatever a solver returns must not be
// certified.
#include <gtest/gtest.h>

#include "cairn/solver.hpp"

namespace cairn::test_contradiction {
namespace {

// One unit mass between two walls that close: w1 = v >= 0 and w2 = -v - 1 >= 0 cannot both hold.
Problem closing_walls() {
  Problem p;
  ProblemBody body;
  body.size = 1;
  body.A[0][0] = 1;
  p.bodies = {body};
  p.k = VecX::Constant(1, 0.5);
  p.first_row = {0, 1, 2};
  for (const double sign : {1.0, -1.0}) {
    Constraint c;
    c.law = Law::nonnegative;
    c.body = {-1, 0};
    c.J[1][0][0] = sign;
    c.b[0] = sign > 0 ? 0 : -1;
    c.key.element = sign > 0 ? 0 : 1;
    p.constraints.push_back(c);
  }
  p.names = {"left", "right"};
  return p;
}

// The impulses grow without bound; a residual measured by them alone would vanish.
TEST(Contradiction, IsNeverCertified) {
  const Problem p = closing_walls();
  for (const SolverOptions& solver :
       {SolverOptions(Auto{}), SolverOptions(Nsgs{}), SolverOptions(Newton{}),
        SolverOptions(Lemke{}), SolverOptions(Admm{}), SolverOptions(Ipm{}), SolverOptions(Apgd{}),
        SolverOptions(Bb{})}) {
    SolverWorkspace workspace;
    Solution solution;
    solve(p, solver, workspace, solution);
    EXPECT_EQ(solution.status, SolveStatus::not_certified) << name(solver);
    EXPECT_GT(solution.certificate.worst, 1e-4) << name(solver);
  }
}

}  // namespace
}  // namespace cairn::test_contradiction
