// The operator of the constraints against dense matrices, through bodies and from a stored W.
//
// Legend: D = diag(d_i) scales of E10; scaled W = D^-1 W D^-1, q = D^-1 q.
#include <Eigen/Dense>
#include <gtest/gtest.h>

#include "problem/make_problem.hpp"
#include "solver/island/dual_coupling.hpp"
#include "solver/island/primal_coupling.hpp"

namespace cairn::test_coupling {
namespace {

using make::Random;

// One island: a chain of bodies with contacts and joints, each body tied to the last.
Problem random_island(Random& random) {
  Problem problem;
  const int bodies = 2 + make::pick(random, 6);
  for (int i = 0; i < bodies; ++i) {
    const int size = make::pick(random, 2) == 0 ? 6 : 3;
    make::add_body(problem, make::random_spd(random, size), make::random_vector(random, size));
  }
  for (int i = 0; i < 2 * bodies; ++i) {
    const int b = i % bodies, a = i < bodies ? b - 1 : make::pick(random, bodies);
    const Law law = i % 4 == 1 ? Law::equality : i % 4 == 2 ? Law::nonnegative : Law::coulomb;
    const int rows = law == Law::nonnegative ? 1 : law == Law::equality ? 1 : 3;
    Constraint& c = make::add(problem, law, rows, a == b ? -1 : a, b);
    make::fill_random(random, problem, c);
    c.mu = 0.3;
    for (int r = 0; r < rows; ++r) c.b[r] = make::normal(random);
  }
  return problem;
}

// The constraints' view of a problem, from dense matrices.
ReducedProblem reduced(const Problem& problem, const Eigen::MatrixXd& W, const VecX& q) {
  ReducedProblem result;
  result.first_row = problem.first_row;
  result.q = q;
  result.first_block = {0};
  const int count = static_cast<int>(problem.constraints.size());
  for (int i = 0; i < count; ++i) {
    const Constraint& c = problem.constraints[base::at(i)];
    result.constraints.push_back({c.law, c.rows, c.mu, c.facets, c.lo, c.hi, c.section});
    for (int j = 0; j < count; ++j) {
      const auto part = W.block(problem.first_row[base::at(i)], problem.first_row[base::at(j)],
                                c.rows, problem.constraints[base::at(j)].rows);
      if (part.isZero(0)) continue;
      ReducedProblem::Block block;
      block.column = j;
      for (Eigen::Index r = 0; r < part.rows(); ++r)
        for (Eigen::Index k = 0; k < part.cols(); ++k) block.value[r][k] = part(r, k);
      result.blocks.push_back(block);
    }
    result.first_block.push_back(static_cast<int>(result.blocks.size()));
  }
  return result;
}

// Scaled dense W and q of a coupling with the scale d of each part.
struct Scaled {
  Eigen::MatrixXd W;
  VecX q;
};

Scaled scaled(const solver::Coupling& coupling, const std::vector<double>& d, Eigen::MatrixXd W,
              VecX q) {
  for (std::size_t i = 0; i < d.size(); ++i)
    for (int k = 0; k < coupling.parts()[i].set.rows; ++k) {
      const int row = coupling.parts()[i].first + k;
      W.row(row) /= d[i];
      W.col(row) /= d[i];
      q[row] /= d[i];
    }
  return {W, q};
}

// Products to rounding; solves to rounding times the condition of the matrix.
void expect_operator(Random& random, solver::Coupling& coupling, const Scaled& dense) {
  const auto n = static_cast<int>(coupling.rows());
  const VecX r = make::random_vector(random, n);
  std::vector<double> r_in(r.begin(), r.end()), u;
  coupling.multiply(r_in, u);
  const VecX expected = dense.W * r + dense.q;
  const double size = (dense.W.cwiseAbs() * r.cwiseAbs() + dense.q.cwiseAbs()).maxCoeff();
  EXPECT_LE((VecX::Map(u.data(), n) - expected).cwiseAbs().maxCoeff(), 1e-13 * size);

  // Theta: positive definite and slightly unsymmetric, as the derivative of the slip makes it.
  std::vector<solver::ThetaBlock> theta(coupling.parts().size());
  Eigen::MatrixXd M = dense.W;
  for (std::size_t i = 0; i < theta.size(); ++i) {
    const solver::Coupling::Part& part = coupling.parts()[i];
    const int rows = part.set.rows;
    Eigen::MatrixXd block = 0.1 * make::random_spd(random, rows);
    for (int k = 1; k < rows; ++k) block(0, k) += 0.01;
    if (part.set.law == Law::equality) block = 1e-10 * Eigen::MatrixXd::Identity(rows, rows);
    for (int a = 0; a < rows; ++a)
      for (int b = 0; b < rows; ++b) theta[i].value[a][b] = block(a, b);
    ASSERT_TRUE(solver::invert(theta[i], rows));
    M.block(part.first, part.first, rows, rows) += block;
  }
  ASSERT_TRUE(coupling.factor(theta));
  std::vector<double> x(r.begin(), r.end());
  coupling.solve(x);
  const Eigen::PartialPivLU<Eigen::MatrixXd> exact(M);
  const VecX y = exact.solve(r);
  EXPECT_LE((VecX::Map(x.data(), n) - y).norm(), 1e-13 / exact.rcond() * y.norm());
}

TEST(Coupling, ThroughTheBodies) {
  Random random(1);
  solver::PrimalCoupling coupling;  // reused, as the solvers do
  for (int trial = 0; trial < 100; ++trial) {
    const Problem problem = random_island(random);
    const make::Dense d = make::dense(problem);
    problem::Islands islands;
    solver::Island island;
    problem::find_islands(problem, islands);
    if (islands.count != 1) continue;
    solver::make_island(problem, islands, 0, island);
    coupling.attach(island);
    std::vector<double> scales;
    for (const solver::Group& g : island.groups) scales.push_back(g.d);
    expect_operator(random, coupling, scaled(coupling, scales, d.W, d.q));
  }
}

TEST(Coupling, FromAStoredMatrixSymmetricOrNot) {
  Random random(2);
  solver::DualCoupling coupling;
  for (int trial = 0; trial < 100; ++trial) {
    const Problem problem = random_island(random);
    make::Dense d = make::dense(problem);
    if (trial % 2 == 1)  // unsymmetric in the third digit, on the pattern of W
      for (Eigen::Index r = 0; r < d.W.rows(); ++r)
        for (Eigen::Index c = 0; c < r; ++c) d.W(r, c) *= 1 + 1e-3 * make::normal(random);
    const ReducedProblem stored = reduced(problem, d.W, d.q);
    const problem::ReducedIslands islands = problem::find_islands(stored);
    if (islands.count != 1) continue;
    const std::vector<double> scales = problem::row_scales(stored);
    solver::ReducedIsland island;
    solver::make_island(stored, islands, scales, 0, island);
    coupling.attach(island);
    expect_operator(random, coupling, scaled(coupling, scales, d.W, d.q));
  }
}

}  // namespace
}  // namespace cairn::test_coupling
