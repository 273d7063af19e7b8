// The solvers on problems with known answers: stacks, mass ratios, joints, motors; and against each
// other where there is none.
#include <Eigen/Dense>
#include <gtest/gtest.h>

#include "cairn/solver.hpp"
#include "problem/make_problem.hpp"

namespace cairn::test_solvers {
namespace {

using make::Random;

Solution solved(const Problem& problem, const SolverOptions& options) {
  SolverWorkspace workspace;
  Solution solution;
  solve(problem, options, workspace, solution);
  return solution;
}

// ---- Stacks of boxes in the plane
//
//   +----+  box i has the half width a and the half height a, v = (x, y, rotation);
//   +----+  two contacts below each box, n up, t along x.

constexpr double gravity_step = 9.81 * 0.01;  // speed gained in the step [m/s]

Problem stack(const std::vector<double>& masses, double mu) {
  Problem problem;
  const double a = 0.5;
  for (const double m : masses)
    make::add_body(problem, {m, m, m * 2 * a * a / 3}, Vec3(0, -gravity_step, 0));
  for (int i = 0; i < static_cast<int>(masses.size()); ++i)
    for (const double side : {-1.0, 1.0}) {
      Constraint& c = make::add(problem, Law::coulomb, 2, i - 1, i);
      c.mu = mu;
      // Velocity of the point (side a, -a) of the upper box minus that of (side a, a) of the lower.
      const double upper[2][3] = {{0, 1, side * a}, {1, 0, a}};
      const double lower[2][3] = {{0, -1, -side * a}, {-1, 0, a}};
      for (int r = 0; r < 2; ++r)
        for (int k = 0; k < 3; ++k) {
          c.J[1][r][k] = upper[r][k];
          if (i > 0) c.J[0][r][k] = lower[r][k];
        }
    }
  return problem;
}

// At rest: v = 0, and the contacts below box i carry the weight of all above. A residual eps allows
// each contact the velocity eps d s, d^2 = trace(W_ii) / 2 and s = the largest d lambda; box j
// stands on j + 1 contacts and moves with their sum, and what it moves with is missing in the
// impulses below.
void expect_at_rest(const Problem& problem, const std::vector<double>& masses,
                    const Solution& solution, double tolerance) {
  EXPECT_EQ(solution.status, SolveStatus::solved);
  EXPECT_LE(certify(problem, solution.v, solution.lambda).worst, tolerance);
  const make::Dense dense = make::dense(problem);
  std::vector<double> d;
  double scale = gravity_step;
  for (std::size_t i = 0; i < problem.constraints.size(); ++i) {
    const int row = problem.first_row[i];
    d.push_back(2 * std::sqrt(0.5 * (dense.W(row, row) + dense.W(row + 1, row + 1))));
    scale = std::max(scale, d.back() * solution.lambda.segment(row, 2).norm());
  }
  std::vector<double> speed;  // allowed to box i
  for (std::size_t i = 0; i < masses.size(); ++i)
    speed.push_back((i > 0 ? speed.back() : 0) + 2 * tolerance * d[2 * i] * scale);
  double above = 0, missing = 0;
  for (int i = static_cast<int>(masses.size()) - 1; i >= 0; --i) {
    above += masses[base::at(i)] * gravity_step;
    missing += masses[base::at(i)] * speed[base::at(i)] + tolerance * above;
    const int row = problem.first_row[base::at(2 * i)];
    EXPECT_NEAR(solution.lambda[row] + solution.lambda[row + 2], above, missing) << i;
    EXPECT_LE(std::abs(solution.v[3 * i + 1]), speed[base::at(i)]) << i;
  }
}

TEST(Stack, OfTenToTwelveDigits) {
  const std::vector<double> masses(10, 1.0);
  const Problem problem = stack(masses, 0.5);
  for (const SolverOptions& options :
       {SolverOptions(Newton{.tolerance = 1e-12}), SolverOptions(Auto{.tolerance = 1e-12}),
        SolverOptions(Lemke{.tolerance = 1e-12})}) {
    SCOPED_TRACE(name(options));
    const Solution solution = solved(problem, options);
    expect_at_rest(problem, masses, solution, 1e-12);
    EXPECT_LE(solution.v.norm(), 1e-11 * gravity_step * 10);
  }
}

// One kilogram under a thousand tons, and the other way round, and all magnitudes in one stack.
TEST(Stack, WithMassRatioOfAMillion) {
  for (const std::vector<double>& masses : {std::vector<double>{1, 1e6},
                                            {1e6, 1},
                                            {1, 10, 100, 1e3, 1e4, 1e5, 1e6},
                                            {1e6, 1e5, 1e4, 1e3, 100, 10, 1},
                                            {1, 1e6, 1, 1e6, 1}}) {
    const Problem problem = stack(masses, 0.5);
    for (const SolverOptions& options :
         {SolverOptions(Newton{.tolerance = 1e-10}), SolverOptions(Auto{.tolerance = 1e-10})}) {
      SCOPED_TRACE(name(options));
      expect_at_rest(problem, masses, solved(problem, options), 1e-10);
    }
  }
}

// ---- Joints

// The velocity nearest to v_free in the mass metric with J v + b = 0, by a complete orthogonal
// decomposition that does not mind redundant rows.
VecX projected_velocity(const Problem& problem) {
  const make::Dense d = make::dense(problem);
  const Eigen::LLT<Eigen::MatrixXd> mass(d.A);
  const Eigen::MatrixXd J = mass.matrixL().solve(d.J.transpose()).transpose();  // J L^-T
  const VecX y = J.completeOrthogonalDecomposition().solve(-d.q);
  return d.v_free + VecX(mass.matrixU().solve(y));
}

Problem joint_chain(Random& random, int bodies, bool twice) {
  Problem problem;
  for (int i = 0; i < bodies; ++i)
    make::add_body(problem, make::random_spd(random, 6), make::random_vector(random, 6));
  for (int i = 0; i < bodies; ++i) {
    Constraint& c = make::add(problem, Law::equality, 1 + make::pick(random, 3), i - 1, i);
    make::fill_random(random, problem, c);
    for (int r = 0; r < c.rows; ++r) c.b[r] = 0.1 * make::normal(random);
    if (!twice) continue;
    const Constraint copy = c;
    make::add(problem, Law::equality, copy.rows, i - 1, i) = copy;
  }
  return problem;
}

// The velocity of a linear problem is as exact as its residual; 1e-9 leaves room for the condition.
void expect_joint_velocities(bool twice, std::uint64_t seed) {
  Random random(seed);
  for (int trial = 0; trial < 30; ++trial) {
    const Problem problem = joint_chain(random, 1 + make::pick(random, 8), twice);
    const VecX exact = projected_velocity(problem);
    for (const SolverOptions& options :
         {SolverOptions(Auto{.tolerance = 1e-11}), SolverOptions(Newton{.tolerance = 1e-11})}) {
      const Solution solution = solved(problem, options);
      EXPECT_EQ(solution.status, SolveStatus::solved)
          << name(options) << " " << solution.certificate.worst;
      EXPECT_LE((solution.v - exact).norm(), 1e-9 * exact.norm()) << name(options);
    }
  }
}

TEST(Joints, VelocityIsTheProjection) {
  expect_joint_velocities(false, 1);
}

TEST(Joints, TheSameJointTwiceGivesTheSameVelocity) {
  expect_joint_velocities(true, 2);
}

// ---- Box laws

// A cart of mass m that should run at the speed u, driven by a motor of at most L: the impulse is m
// (u - v_free), clamped.
TEST(Box, MotorWithLimit) {
  for (const double wanted : {0.0, 0.5, 3.0, -7.0})
    for (const double limit : {0.0, 1.0, 100.0}) {
      Problem problem;
      const double m = 2, v_free = 0.25;
      make::add_body(problem, {m}, VecX::Constant(1, v_free));
      Constraint& motor = make::add(problem, Law::box, 1, 0);
      motor.J[0][0][0] = 1;
      motor.b[0] = -wanted;
      motor.lo = -limit;
      motor.hi = limit;
      const double impulse = std::clamp(m * (wanted - v_free), -limit, limit);
      for (const SolverOptions& options : {SolverOptions(Auto{}), SolverOptions(Nsgs{}),
                                           SolverOptions(Newton{}), SolverOptions(Lemke{})}) {
        const Solution solution = solved(problem, options);
        EXPECT_EQ(solution.status, SolveStatus::solved) << name(options);
        EXPECT_NEAR(solution.lambda[0], impulse, 1e-8 * (1 + std::abs(impulse))) << name(options);
        EXPECT_NEAR(solution.v[0], v_free + impulse / m, 1e-8 * 8) << name(options);
      }
    }
}

// Two carts tied by a rod; dry friction of at most L holds the first, a push of P acts on the
// second: they stand still while P <= L, then move on with (P - L) / (m1 + m2).
TEST(Box, JointFrictionBehindAJoint) {
  const double m1 = 1, m2 = 3, limit = 2;
  for (const double push : {0.5, 1.999, 2.5, 10.0}) {
    Problem problem;
    make::add_body(problem, {m1}, VecX::Zero(1));
    make::add_body(problem, {m2}, VecX::Constant(1, push / m2));
    Constraint& rod = make::add(problem, Law::equality, 1, 0, 1);
    rod.J[0][0][0] = -1;
    rod.J[1][0][0] = 1;
    Constraint& friction = make::add(problem, Law::box, 1, 0);
    friction.J[0][0][0] = 1;
    friction.lo = -limit;
    friction.hi = limit;
    const double v = std::max(0.0, push - limit) / (m1 + m2);
    for (const SolverOptions& options : {SolverOptions(Auto{}), SolverOptions(Nsgs{}),
                                         SolverOptions(Newton{}), SolverOptions(Lemke{})}) {
      const Solution solution = solved(problem, options);
      EXPECT_EQ(solution.status, SolveStatus::solved) << name(options);
      EXPECT_NEAR(solution.v[0], v, 1e-8 * push) << name(options) << " push " << push;
      EXPECT_NEAR(solution.v[1], v, 1e-8 * push) << name(options) << " push " << push;
      EXPECT_NEAR(solution.lambda[1], -std::min(push, limit), 1e-7 * push) << name(options);
    }
  }
}

// ---- Piles

// Discs of random size and mass, each resting on two others or on the floor; contacts between them
// with normals along the line of centres.
Problem pile(Random& random, int discs, double mu) {
  Problem problem;
  std::vector<Eigen::Vector2d> centre;
  for (int i = 0; i < discs; ++i) {
    const double m = std::exp2(make::uniform(random, -3, 3));
    make::add_body(problem, {m, m, 0.5 * m},
                   Vec3(0.3 * make::normal(random), -1, make::normal(random)));
    centre.emplace_back(make::uniform(random, -2, 2), i);
  }
  const auto touch = [&](int a, int b, const Eigen::Vector2d& n, double gap) {
    Constraint& c =
        make::add(problem, mu > 0 ? Law::coulomb : Law::nonnegative, mu > 0 ? 2 : 1, a, b);
    c.mu = mu;
    c.b[0] = gap;
    const Eigen::Vector2d t(n.y(), -n.x());
    for (int r = 0; r < c.rows; ++r) {
      const Eigen::Vector2d& e = r == 0 ? n : t;
      for (int k = 0; k < 2; ++k) {
        if (a >= 0) c.J[0][r][k] = -e[k];
        c.J[1][r][k] = e[k];
      }
      // Arms -n of the upper and +n of the lower disc (unit radius): n x n = 0, n x t = -1.
      if (a >= 0) c.J[0][r][2] = r == 0 ? 0 : 1;
      c.J[1][r][2] = r == 0 ? 0 : 1;
    }
  };
  for (int i = 0; i < discs; ++i)
    for (int k = 0; k < 2; ++k) {
      const int below = i == 0 ? -1 : make::pick(random, i + 1) - 1;
      const Eigen::Vector2d n = below < 0
                                    ? Eigen::Vector2d::UnitY()
                                    : (centre[base::at(i)] - centre[base::at(below)]).normalized();
      touch(below, i, n, make::pick(random, 3) == 0 ? make::uniform(random, 0, 0.2) : 0);
    }
  return problem;
}

const std::vector<SolverOptions>& all_solvers() {
  static const std::vector<SolverOptions> all = {
      Auto{.tolerance = 1e-11}, Nsgs{.tolerance = 1e-11, .max_sweeps = 5000},
      Newton{.tolerance = 1e-11}, Lemke{.tolerance = 1e-11}};
  return all;
}

// Without friction the velocity is the unique minimum of a convex function: all must find the same.
// A residual of 1e-11 becomes an error of v through the condition of the active rows.
TEST(Pile, AllSolversFindTheSameVelocityWithoutFriction) {
  Random random(5);
  std::array<int, 4> count = {};
  for (int trial = 0; trial < 100; ++trial) {
    const Problem problem = pile(random, 2 + make::pick(random, 14), 0);
    VecX first;
    for (std::size_t i = 0; i < all_solvers().size(); ++i) {
      const Solution solution = solved(problem, all_solvers()[i]);
      if (solution.status != SolveStatus::solved) continue;
      ++count[i];
      if (first.size() == 0) first = solution.v;
      EXPECT_LE((solution.v - first).norm(), 1e-8 * first.norm()) << name(all_solvers()[i]);
    }
  }
  EXPECT_EQ(count[0], 100) << "auto";
  EXPECT_GE(count[3], 100) << "lemke";
  EXPECT_GE(count[2], 95) << "newton";
}

// With friction each answer has to meet Coulomb's law; velocities need not be unique.
TEST(Pile, AutoSolvesFrictionalPiles) {
  Random random(6);
  for (int trial = 0; trial < 100; ++trial) {
    const Problem problem =
        pile(random, 2 + make::pick(random, 14), make::uniform(random, 0.05, 1.5));
    const Solution solution = solved(problem, Auto{});
    EXPECT_EQ(solution.status, SolveStatus::solved) << trial << " " << solution.certificate.worst;
    EXPECT_LE(certify(problem, solution.v, solution.lambda).worst, 1e-8);
  }
}

// Exact cones in space: fewer rows than velocities and little friction make the answer unique.
TEST(Cones, GaussSeidelAndNewtonAgreeInSpace) {
  Random random(7);
  int compared = 0;
  for (int trial = 0; trial < 200; ++trial) {
    Problem problem;
    const int bodies = 2 + make::pick(random, 3);
    for (int i = 0; i < bodies; ++i)
      make::add_body(problem, make::random_spd(random, 6), make::random_vector(random, 6));
    for (int i = 0; i < bodies; ++i) {
      Constraint& c = make::add(problem, Law::coulomb, 3, i - 1, i);
      make::fill_random(random, problem, c);
      c.mu = make::uniform(random, 0, 0.3);
    }
    const Solution a = solved(problem, Nsgs{.tolerance = 1e-11});
    const Solution b = solved(problem, Newton{.tolerance = 1e-11});
    const Solution c = solved(problem, Auto{.tolerance = 1e-11});
    EXPECT_EQ(c.status, SolveStatus::solved) << trial;
    if (a.status != SolveStatus::solved || b.status != SolveStatus::solved) continue;
    ++compared;
    EXPECT_LE((a.v - b.v).norm(), 1e-8 * a.v.norm()) << trial;
    EXPECT_LE((a.v - c.v).norm(), 1e-8 * a.v.norm()) << trial;
  }
  EXPECT_GE(compared, 190);
}

// A pyramid of k facets is inscribed in the cone: the answers approach each other with k. The
// section differs by 1 - cos(pi/64) = 1.2e-3 of the friction impulse.
TEST(Cones, FinePyramidsApproachTheCone) {
  Random random(8);
  for (int trial = 0; trial < 50; ++trial) {
    Problem problem;
    make::add_body(problem, make::random_spd(random, 6), make::random_vector(random, 6));
    Constraint& c = make::add(problem, Law::coulomb, 3, 0);
    make::fill_random(random, problem, c);
    c.mu = make::uniform(random, 0, 0.5);
    const Solution exact = solved(problem, Auto{});
    problem.constraints[0].facets = 64;
    for (const SolverOptions& options : {SolverOptions(Auto{}), SolverOptions(Nsgs{}),
                                         SolverOptions(Newton{}), SolverOptions(Lemke{})}) {
      const Solution pyramid = solved(problem, options);
      EXPECT_EQ(pyramid.status, SolveStatus::solved) << name(options);
      EXPECT_LE((pyramid.v - exact.v).norm(), 0.05 * (1e-3 + exact.lambda.norm())) << name(options);
    }
  }
}

// ---- Rules of solve()

TEST(Solve, LemkeRefusesExactConesInSpace) {
  Problem problem;
  make::add_body(problem, {1, 1, 1}, Vec3(0, 0, -1));
  make::add(problem, Law::equality, 1, 0).J[0][0][0] = 1;
  Constraint& c = make::add(problem, Law::coulomb, 3, 0);
  c.mu = 0.5;
  for (int i = 0; i < 3; ++i) c.J[0][i][i] = 1;
  const Result<void> refused = accepts(Lemke{}, problem);
  ASSERT_FALSE(refused);
  const Error& error = refused.error().front();
  EXPECT_EQ(error.code, ErrorCode::unsupported);
  EXPECT_EQ(error.path, "constraints[1]");
  EXPECT_FALSE(error.fix.empty());
  EXPECT_TRUE(accepts(Auto{}, problem) && accepts(Nsgs{}, problem) && accepts(Newton{}, problem));
  problem.constraints[1].facets = 8;
  EXPECT_TRUE(accepts(Lemke{}, problem));
  problem.constraints[1].facets = 0;
  problem.constraints[1].mu = 0;
  EXPECT_TRUE(accepts(Lemke{}, problem));
}

TEST(Solve, FreeBodiesKeepTheirVelocity) {
  Random random(9);
  Problem problem;
  for (int i = 0; i < 3; ++i)
    make::add_body(problem, make::random_spd(random, 6), make::random_vector(random, 6));
  const Solution solution = solved(problem, Auto{});
  EXPECT_EQ(solution.status, SolveStatus::solved);
  EXPECT_EQ(solution.islands, 3);
  EXPECT_LE((solution.v - make::dense(problem).v_free).norm(), 1e-13 * solution.v.norm());
}

// Islands do not know of each other: together they give the bits that each gives alone.
TEST(Solve, IslandsAreIndependentBitForBit) {
  Random random(10);
  for (int trial = 0; trial < 20; ++trial) {
    const Problem a = pile(random, 6, 0.4), b = pile(random, 5, 0.4);
    Problem both = a;
    const int bodies = static_cast<int>(a.bodies.size());
    both.k.conservativeResize(a.k.size() + b.k.size());
    both.k.tail(b.k.size()) = b.k;
    for (ProblemBody body : b.bodies) {
      body.first += a.velocities();
      both.bodies.push_back(body);
    }
    for (Constraint c : b.constraints) {
      for (int& body : c.body) body = body < 0 ? -1 : body + bodies;
      both.constraints.push_back(c);
      both.first_row.push_back(both.first_row.back() + c.rows);
    }
    const Solution x = solved(a, Auto{}), y = solved(b, Auto{}), z = solved(both, Auto{});
    EXPECT_TRUE(z.v.head(x.v.size()) == x.v);
    EXPECT_TRUE(z.v.tail(y.v.size()) == y.v);
    EXPECT_TRUE(z.lambda.head(x.lambda.size()) == x.lambda);
    EXPECT_TRUE(z.lambda.tail(y.lambda.size()) == y.lambda);
  }
}

// A workspace holds nothing that a fresh one would not compute again.
TEST(Solve, UsedWorkspaceGivesTheSameBits) {
  Random random(11);
  SolverWorkspace used;
  for (int trial = 0; trial < 40; ++trial) {
    const Problem problem = pile(random, 2 + make::pick(random, 12), trial % 2 == 0 ? 0.3 : 0);
    const SolverOptions& options = all_solvers()[base::at(trial % 4)];
    Solution a;
    solve(problem, options, used, a);
    const Solution b = solved(problem, options);
    EXPECT_TRUE(a.v == b.v && a.lambda == b.lambda) << name(options);
    EXPECT_EQ(a.iterations, b.iterations);
  }
}

// The answer as a warm start is recognised: nothing moves beyond the tolerance.
TEST(Solve, WarmStartFromTheAnswerStaysThere) {
  Random random(12);
  for (int trial = 0; trial < 20; ++trial) {
    const Problem problem = pile(random, 8, 0);
    SolverWorkspace workspace;
    Solution solution;
    solve(problem, Auto{.tolerance = 1e-11}, workspace, solution);
    ASSERT_EQ(solution.status, SolveStatus::solved);
    const VecX before = solution.v;
    solve(problem, Auto{.tolerance = 1e-11}, workspace, solution);
    EXPECT_EQ(solution.status, SolveStatus::solved);
    EXPECT_LE((solution.v - before).norm(), 1e-8 * before.norm());
  }
}

// An answer that misses its tolerance is never called solved.
TEST(Solve, TooFewSweepsAreReported) {
  const Problem problem = stack(std::vector<double>(30, 1.0), 0.5);
  const Solution solution = solved(problem, Nsgs{.tolerance = 1e-10, .max_sweeps = 3});
  EXPECT_EQ(solution.status, SolveStatus::not_certified);
  EXPECT_GT(solution.certificate.worst, 1e-10);
  EXPECT_TRUE(solution.v.allFinite());
}

}  // namespace
}  // namespace cairn::test_solvers
