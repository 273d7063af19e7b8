// Mass matrices that couple bodies or are unsymmetric (E52, E53): every solver against the
// enumeration of bases, the certificate against plain matrices, and what must not depend on how A
// is written down.
#include <Eigen/Dense>
#include <gtest/gtest.h>

#include "cairn/solver.hpp"
#include "problem/mass.hpp"
#include "solver/enumeration.hpp"

namespace cairn::test_mass {
namespace {

using make::Random;

// A = S + N: S symmetric positive definite, N antisymmetric with |S^-1/2 N S^-1/2| = share.
Eigen::MatrixXd random_mass(Random& random, int n, double share) {
  const Eigen::MatrixXd S = make::random_spd(random, n);
  if (share == 0 || n == 1) return S;
  Eigen::MatrixXd K(n, n);
  for (double& x : K.reshaped()) x = make::normal(random);
  const Eigen::MatrixXd skew = K - K.transpose();
  const double size = skew.jacobiSvd().singularValues()[0];
  const Eigen::MatrixXd L = S.llt().matrixL();
  return S + share / size * L * skew * L.transpose();
}

// `bodies` bodies of three velocities. Coupled: each with all others.
Problem random_bodies(Random& random, int bodies, double share, bool coupled) {
  Problem problem;
  const Eigen::MatrixXd A = random_mass(random, 3 * bodies, share);
  for (int i = 0; i < bodies; ++i) {
    const Eigen::MatrixXd own =
        coupled ? Eigen::MatrixXd(A.block(3 * i, 3 * i, 3, 3)) : random_mass(random, 3, share);
    make::add_body(problem, own, make::random_vector(random, 3));
  }
  for (int i = 0; coupled && i < bodies; ++i)
    for (int j = 0; j < i; ++j)
      make::add_coupling(problem, i, j, A.block(3 * i, 3 * j, 3, 3), A.block(3 * j, 3 * i, 3, 3));
  return problem;
}

void add_contacts(Random& random, int count, int rows, Problem& problem) {
  const int bodies = static_cast<int>(problem.bodies.size());
  for (int i = 0; i < count; ++i) {
    const int a = make::pick(random, bodies), b = make::pick(random, bodies);
    Constraint& c =
        make::add(problem, rows == 1 ? Law::nonnegative : Law::coulomb, rows, a, a == b ? -1 : b);
    make::fill_random(random, problem, c);
    if (rows > 1) c.mu = make::uniform(random, 0, 1);
    if (make::pick(random, 2) == 0) c.b[0] = make::uniform(random, 0, 0.5);
  }
}

constexpr std::size_t solver_count = std::variant_size_v<SolverOptions>;

std::array<SolverOptions, solver_count> shelf() {
  return {Auto{}, Nsgs{}, Newton{}, Lemke{}, Admm{}, Ipm{}, Apgd{}, Bb{}};
}

struct Tally {
  std::array<int, solver_count> asked = {}, solved = {};
};

// Solves with all that accept. Every success holds when judged again, and is one of the velocities
// that enumeration finds (given there are some).
void compare(const Problem& problem, const std::vector<VecX>& exact, Tally& tally) {
  const auto all = shelf();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!accepts(all[i], problem)) continue;
    ++tally.asked[i];
    SolverWorkspace workspace;
    Solution solution;
    solve(problem, all[i], workspace, solution);
    const bool solved = solution.status == SolveStatus::solved;
    EXPECT_EQ(certify(problem, solution.v, solution.lambda).within(1e-8), solved) << name(all[i]);
    if (!solved) continue;
    ++tally.solved[i];
    // The momentum balance in plain matrices.
    const make::Dense d = make::dense(problem);
    const VecX p = d.A * solution.v - problem.k - d.J.transpose() * solution.lambda;
    const VecX size =
        problem.k.cwiseAbs() + d.J.cwiseAbs().transpose() * solution.lambda.cwiseAbs();
    EXPECT_LE(p.norm(), 1e-7 * size.norm()) << name(all[i]);
    if (exact.empty()) continue;
    double nearest = std::numeric_limits<double>::infinity();
    for (const VecX& v : exact) nearest = std::min(nearest, (v - solution.v).norm());
    // As in test_oracle.cpp: relative to what the velocity is the sum of, a thousand residuals.
    const VecX terms = d.v_free.cwiseAbs() + (make::inverse(d.A) * d.J.transpose()).cwiseAbs() *
                                                 solution.lambda.cwiseAbs();
    EXPECT_LE(nearest, 1e-5 * terms.norm()) << name(all[i]);
  }
}

// auto and Lemke solve all of them; the others nearly all or say so. Projected gradients want a
// symmetric W and get along with what they are given.
void expect_solved(const Tally& tally, double share) {
  const auto all = shelf();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool complete =
        std::holds_alternative<Auto>(all[i]) || std::holds_alternative<Lemke>(all[i]);
    const bool gradients =
        std::holds_alternative<Apgd>(all[i]) || std::holds_alternative<Bb>(all[i]);
    EXPECT_GE(tally.solved[i], (complete    ? 1
                                : gradients ? 0.5
                                            : share) *
                                   tally.asked[i])
        << name(all[i]) << " of " << tally.asked[i];
  }
}

struct Case {
  const char* name;
  double share;
  bool coupled;
};

class Mass : public testing::TestWithParam<Case> {};

TEST_P(Mass, FrictionlessContactsAgreeWithEnumeration) {
  Random random(1);
  Tally tally;
  for (int trial = 0; trial < 100; ++trial) {
    Problem problem =
        random_bodies(random, 1 + make::pick(random, 4), GetParam().share, GetParam().coupled);
    add_contacts(random, 1 + make::pick(random, 9), 1, problem);
    const std::vector<VecX> exact = enumerate_velocities(problem);
    // A is monotone and b lets v = 0 meet every row: there is a solution, and its velocity is
    // unique.
    EXPECT_EQ(exact.size(), 1u);
    compare(problem, exact, tally);
  }
  expect_solved(tally, 0.9);
}

TEST_P(Mass, PlanarFrictionAgreesWithEnumeration) {
  Random random(2);
  Tally tally;
  for (int trial = 0; trial < 100; ++trial) {
    Problem problem =
        random_bodies(random, 1 + make::pick(random, 3), GetParam().share, GetParam().coupled);
    add_contacts(random, 1 + make::pick(random, 4), 2, problem);
    const std::vector<VecX> exact = enumerate_velocities(problem);
    EXPECT_FALSE(exact.empty());
    compare(problem, exact, tally);
  }
  expect_solved(tally, 0.7);
}

TEST_P(Mass, FrictionInSpaceIsCertified) {
  Random random(3);
  Tally tally;
  for (int trial = 0; trial < 60; ++trial) {
    Problem problem =
        random_bodies(random, 2 + make::pick(random, 6), GetParam().share, GetParam().coupled);
    add_contacts(random, 1 + make::pick(random, 5), 3, problem);
    compare(problem, {}, tally);
  }
  expect_solved(tally, 0.7);
}

TEST_P(Mass, TheInverseIsThatOfThePlainMatrix) {
  Random random(4);
  for (int trial = 0; trial < 20; ++trial) {
    Problem problem = random_bodies(random, 5, GetParam().share, GetParam().coupled);
    add_contacts(random, 6, 3, problem);
    const make::Dense d = make::dense(problem);
    problem::MassInverse mass;
    ASSERT_TRUE(mass.factor(problem));
    VecX v = problem.k;
    mass.solve(v.data());
    EXPECT_LE((v - d.v_free).norm(), 1e-11 * d.v_free.norm());
    for (std::size_t i = 0; i < problem.constraints.size(); ++i) {
      double W[max_rows][max_rows];
      problem::own_response(problem, mass, problem.constraints[i], W);
      for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c)
          EXPECT_NEAR(W[r][c], d.W(3 * static_cast<int>(i) + r, 3 * static_cast<int>(i) + c),
                      1e-11 * d.W.norm());
    }
    const ReducedProblem reduced = reduce(problem);
    Eigen::MatrixXd W = Eigen::MatrixXd::Zero(problem.rows(), problem.rows());
    for (std::size_t i = 0; i < problem.constraints.size(); ++i)
      for (int k = reduced.first_block[i]; k < reduced.first_block[i + 1]; ++k)
        for (int r = 0; r < 3; ++r)
          for (int c = 0; c < 3; ++c)
            W(3 * static_cast<int>(i) + r, 3 * reduced.blocks[base::at(k)].column + c) =
                reduced.blocks[base::at(k)].value[r][c];
    EXPECT_LE((W - d.W).norm(), 1e-11 * d.W.norm());
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, Mass,
                         testing::Values(Case{"gyroscopic", 0.5, false}, Case{"spring", 0, true},
                                         Case{"both", 0.5, true}),
                         [](const auto& kind) { return std::string(kind.param.name); });

// Masses in a row, each tied to the next by a spring in an implicit step, on a floor with friction:
//
//   o~~o~~o~~ ... ~~o     A = m + h^2 k (1 -1; -1 1) per spring
//   ----------------
//
// However stiff the springs, all of them together are decelerated by friction: sum of m v.
TEST(Springs, StiffChainOnTheFloorIsSolvedDirectly) {
  for (const double stiffness : {1.0, 1e3, 1e6}) {
    const int n = 200;
    Problem problem;
    for (int i = 0; i < n; ++i) {
      Eigen::Matrix2d A = Eigen::Matrix2d::Identity();
      A(0, 0) += stiffness * (i == 0 || i == n - 1 ? 1 : 2);
      make::add_body(problem, A, Eigen::Vector2d::Zero());
      problem.k.tail(2) << 1 + 0.3 * std::sin(i), -1;  // m v before the step
    }
    const Eigen::Vector2d along(-stiffness, 0);
    for (int i = 0; i + 1 < n; ++i)
      make::add_coupling(problem, i, i + 1, along.asDiagonal(), along.asDiagonal());
    for (int i = 0; i < n; ++i) {
      Constraint& c = make::add(problem, Law::coulomb, 2, i);
      c.mu = 0.1;
      c.J[0][0][1] = c.J[0][1][0] = 1;
    }
    SolverWorkspace workspace;
    Solution solution;
    solve(problem, Auto{}, workspace, solution);
    EXPECT_EQ(solution.status, SolveStatus::solved) << stiffness;
    EXPECT_EQ(solution.islands, 1);
    double momentum = 0, before = 0;
    for (int i = 0; i < n; ++i) {
      momentum += solution.v[2 * i];
      before += problem.k[2 * i];
      EXPECT_GT(solution.v[2 * i], 0);  // all slide: each loses mu times its weight's impulse
    }
    EXPECT_NEAR(momentum, before - 0.1 * n, 1e-6 * before);
  }
}

}  // namespace
}  // namespace cairn::test_mass
