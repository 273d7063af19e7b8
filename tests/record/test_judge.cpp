// The second judge on problems whose residuals are known, and its agreement with certify().
#include <cmath>
#include <numbers>
#include <random>

#include "record/check/judge.hpp"
#include "record/sample.hpp"

namespace cairn::test_judge {
namespace {

// The hand-made contact is solved exactly: v = 0, lambda_n stops the fall.
TEST(Judge, ExactSolutionHasNoResidual) {
  const SolveRecord s = sample::solve();
  const record::Judgement j = record::judge(s.problem, s.solution.v, s.solution.lambda);
  EXPECT_TRUE(j.finite);
  EXPECT_EQ(j.worst(), 0);
}

// W = J A^-1 J^T = diag(1/2, 3/2), so d = power of two below 1.2 sqrt(2/2): unit scaling. The mass
// is 2, kappa = 1/sqrt(2), V = kappa |v_free| = kappa. A normal velocity of -0.01 gives a gap
// velocity residual of 0.01; A dv = (0, -0.02, 0) moves the disc with 0.01, which is 0.01 sqrt(2)
// of V; the product 2 * -0.01 over the impulse 2 a complementarity residual of 0.01.
TEST(Judge, KnownResidualsOfAnApproachingContact) {
  SolveRecord s = sample::solve();
  s.solution.v = Vec3(0, -0.01, 0);
  const record::Judgement j = record::judge(s.problem, s.solution.v, s.solution.lambda);
  // Less the rounding floors, 16 eps times terms of at most 20.
  EXPECT_NEAR(j.gap_velocity, 0.01, 1e-13);
  EXPECT_NEAR(j.momentum, 0.01 * std::sqrt(2.0), 1e-13);
  EXPECT_NEAR(j.complementarity, 0.01, 1e-13);
  EXPECT_NEAR(j.natural_map, 0.01, 1e-13);
  EXPECT_EQ(j.cone, 0);
  EXPECT_EQ(j.normal_impulse, 0);
}

// An impulse (-1, 0) has the distance 1 from the cone; V = kappa |v_free| = kappa.
TEST(Judge, PullingImpulseIsFound) {
  SolveRecord s = sample::solve();
  s.solution.lambda = Eigen::Vector2d(-1, 0);
  const record::Judgement j = record::judge(s.problem, s.solution.v, s.solution.lambda);
  EXPECT_NEAR(j.normal_impulse, 1, 1e-13);
  EXPECT_NEAR(j.cone, 1, 1e-13);
}

// Frictionless: a ball glued to the floor by a negative impulse at rest must not pass (mu = 0 is
// the trap).
TEST(Judge, GluedBallIsFoundWithoutFriction) {
  SolveRecord s = sample::solve();
  s.problem.constraints[0].mu = 0;
  s.problem.k = Vec3(0, 2, 0);
  s.solution.v = Vec3::Zero();
  s.solution.lambda = Eigen::Vector2d(-2, 0);
  EXPECT_GE(record::judge(s.problem, s.solution.v, s.solution.lambda).worst(), 1);
}

// Sliding against friction is Coulomb's law; sliding with it is not.
TEST(Judge, FrictionMustOpposeSliding) {
  SolveRecord s = sample::solve();
  const double mu = 0.5;
  for (const double sign : {1.0, -1.0}) {
    s.solution.lambda = Eigen::Vector2d(2, -sign * mu * 2);
    const Vec3 v(1, 0, 0);  // slides along +t1
    // k such that the momentum balance holds with this v and lambda.
    s.problem.k = Vec3(2 * v.x() - s.solution.lambda[1], -2, -s.solution.lambda[1]);
    const record::Judgement j = record::judge(s.problem, v, s.solution.lambda);
    EXPECT_NEAR(j.momentum, 0, 1e-15);
    if (sign > 0)
      EXPECT_LE(j.worst(), 1e-15);
    else
      EXPECT_GE(j.natural_map, 0.1);
  }
}

TEST(Judge, ScalingByPowersOfTwoChangesNoBit) {
  SolveRecord s = sample::solve();
  s.solution.v = Vec3(0.125, -0.01, 0.3);
  const record::Judgement before = record::judge(s.problem, s.solution.v, s.solution.lambda);
  // Masses by 64: A, k and lambda.
  for (auto& row : s.problem.bodies[0].A)
    for (double& a : row) a *= 64;
  s.problem.k *= 64;
  s.solution.lambda *= 64;
  const record::Judgement after = record::judge(s.problem, s.solution.v, s.solution.lambda);
  EXPECT_EQ(before.natural_map, after.natural_map);
  EXPECT_EQ(before.momentum, after.momentum);
  EXPECT_EQ(before.worst(), after.worst());
}

// Masses and radii are round numbers more often than not. The jumps of the scaling d lie elsewhere,
// so that a relative change of 1e-12, more than rounding does to J A^-1 J^T, changes no residual by
// more than the same order: here by at most 8e-12, for eight operations.
TEST(Judge, RoundNumbersAreFarFromTheJumpsOfTheScaling) {
  for (const double mass : {0.25, 0.5, 1.0, 2.0, 3.0, 4.0, 5.0, 8.0, 10.0, 100.0, 1000.0})
    for (const double inertia_ratio : {0.4, 0.5, 2.0 / 3, 1.0}) {  // sphere, disc, shell, ring
      SolveRecord s = sample::solve();
      s.solution.v = Vec3(0.1, -0.01, 0.3);
      auto& A = s.problem.bodies[0].A;
      A[0][0] = A[1][1] = mass;
      A[2][2] = inertia_ratio * mass;
      const record::Judgement before = record::judge(s.problem, s.solution.v, s.solution.lambda);
      for (const double change : {-1e-12, 1e-12}) {
        SolveRecord t = s;
        for (int i = 0; i < 3; ++i) t.problem.bodies[0].A[i][i] *= 1 + change;
        const record::Judgement after = record::judge(t.problem, t.solution.v, t.solution.lambda);
        EXPECT_NEAR(after.natural_map, before.natural_map, 8e-12 * before.natural_map);
        EXPECT_NEAR(after.gap_velocity, before.gap_velocity, 8e-12 * before.gap_velocity);
        EXPECT_NEAR(after.complementarity, before.complementarity, 8e-12 * before.complementarity);
      }
    }
}

// Two bodies of three velocities on a spring, one of them with a gyroscopic term, and two contacts:
// both judges find the same residuals of any answer.
TEST(Judge, AgreesWithCertifyWhereTheMassIsCoupledOrUnsymmetric) {
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  for (const bool coupled : {false, true})
    for (int trial = 0; trial < 20; ++trial) {
      Problem problem;
      for (int i = 0; i < 2; ++i) {
        ProblemBody& body = problem.bodies.emplace_back();
        body.first = 3 * i;
        body.size = 3;
        for (int k = 0; k < 3; ++k) body.A[k][k] = 4;
        body.A[0][1] = 1 + i;
        body.A[1][0] = -1;
      }
      if (coupled) {
        BodyCoupling& spring = problem.couplings.emplace_back();
        spring.body = {0, 1};
        for (auto& block : spring.A) block[0][0] = block[2][1] = -2;
      }
      problem.k = VecX::NullaryExpr(6, [&] { return normal(random); });
      problem.first_row = {0, 2, 5};
      problem.constraints.resize(2);
      for (std::size_t i = 0; i < 2; ++i) {
        Constraint& c = problem.constraints[i];
        c.law = Law::coulomb;
        c.rows = i == 0 ? 2 : 3;
        c.mu = 0.5;
        c.body = {0, i == 0 ? 1 : -1};
        for (auto& side : c.J)
          for (auto& row : side)
            for (int k = 0; k < 3; ++k) row[k] = normal(random);
      }
      const VecX v = VecX::NullaryExpr(6, [&] { return normal(random); });
      const VecX lambda = VecX::NullaryExpr(5, [&] { return normal(random); });
      const record::Judgement j = record::judge(problem, v, lambda);
      const Certificate c = certify(problem, v, lambda);
      EXPECT_NEAR(j.momentum, c.momentum, 1e-12 * c.momentum);
      EXPECT_NEAR(j.natural_map, c.natural_map, 1e-12 * c.natural_map);
      EXPECT_NEAR(j.worst(), c.worst, 1e-12 * c.worst);
    }
}

TEST(Judge, NotANumberIsNeverGood) {
  SolveRecord s = sample::solve();
  s.solution.v[1] = std::nan("");
  const record::Judgement j = record::judge(s.problem, s.solution.v, s.solution.lambda);
  EXPECT_FALSE(j.finite);
  EXPECT_TRUE(std::isinf(j.worst()));
}

// The nearest point p of a cone is the one with z - p in the polar cone and orthogonal to p
// (Moreau).
TEST(Judge, ProjectionSatisfiesMoreau) {
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  const auto regular = [](int k) {
    FrictionPolygon corners;
    for (int i = 0; i < k; ++i) {
      const double angle = 2 * std::numbers::pi * i / k;
      corners.push_back({std::cos(angle), std::sin(angle)});
    }
    return corners;
  };
  const FrictionPolygon fur = {{-1, 0}, {0, -0.5}, {0.25, 0}, {0, 0.5}},
                        wedge = {{-0.1, -0.4}, {0.9, 0.1}, {-0.05, 0.2}};
  for (const FrictionPolygon& corners :
       {FrictionPolygon{}, regular(3), regular(4), regular(7), fur, wedge}) {
    for (int i = 0; i < 200; ++i) {
      const double mu = std::abs(normal(random));
      const Vec3 z(normal(random), normal(random), normal(random));
      const Vec3 p = record::nearest_in_cone(z, 3, mu, corners);
      EXPECT_NEAR(p.dot(z - p), 0, 1e-13 * z.squaredNorm());
      for (const Corner& c : corners.empty() ? regular(64) : corners) {
        const Vec3 generator(1, mu * c[0], mu * c[1]);
        EXPECT_LE(generator.dot(z - p), 1e-13 * generator.norm() * z.norm());
      }
      EXPECT_LE(p.tail<2>().norm(), mu * p[0] * (1 + 1e-13) + 1e-15);
    }
  }
}

// A heap of random constraints of every law: two judges written apart must say the same.
TEST(Judge, AgreesWithCertifyOnRandomProblems) {
  std::mt19937 random(2);
  std::normal_distribution<double> normal;
  const auto pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  for (int trial = 0; trial < 300; ++trial) {
    Problem problem;
    int velocities = 0;
    for (int b = 0; b < 6; ++b) {
      ProblemBody body;
      body.first = velocities;
      body.size = 1 + pick(6);
      velocities += body.size;
      for (int i = 0; i < body.size; ++i) body.A[i][i] = std::exp(2 * normal(random));
      if (body.size > 1) body.A[0][1] = body.A[1][0] = 0.3 * std::sqrt(body.A[0][0] * body.A[1][1]);
      problem.bodies.push_back(body);
    }
    problem.k = VecX::NullaryExpr(velocities, [&] { return normal(random); });
    problem.first_row = {0};
    for (int i = 0; i < 8; ++i) {
      Constraint c;
      c.law = static_cast<Law>(pick(5));
      // Friction about the constraint before it, if that only pushes.
      const bool tied = i > 0 && pick(2) == 0 && is_unilateral(problem.constraints.back().law);
      if (tied) c.law = Law::disc;
      c.rows = has_cone(c.law) ? 2 + pick(2) : c.law == Law::equality ? 1 + pick(3) : 1;
      c.body = {pick(6), pick(7) - 1};
      if (c.body[1] == c.body[0]) c.body[1] = -1;
      if (tied) {
        c.rows = 1 + pick(2);
        c.tie = i - 1;
        c.body = problem.constraints.back().body;
      }
      c.mu = has_cone(c.law) || tied ? std::abs(normal(random)) : 0;
      c.facets = pick(2) == 0 ? 0 : 3 + pick(6);
      if (c.facets == 0 && c.rows == 3 && has_cone(c.law) && pick(2) == 0)
        c.section = std::make_shared<const FrictionPolygon>(
            FrictionPolygon{{-1, 0}, {0, -0.5}, {0.25, 0}, {0, 0.5}});
      c.lo = -1;
      c.hi = 0.5;
      for (std::size_t side = 0; side < 2; ++side)
        for (int r = 0; r < c.rows; ++r)
          for (int k = 0;
               c.body[side] >= 0 && k < problem.bodies[static_cast<std::size_t>(c.body[side])].size;
               ++k)
            c.J[side][r][k] = normal(random);
      for (int r = 0; r < c.rows; ++r) c.b[r] = normal(random);
      problem.constraints.push_back(c);
      problem.first_row.push_back(problem.first_row.back() + c.rows);
    }
    const VecX v = VecX::NullaryExpr(velocities, [&] { return normal(random); });
    // Some impulses are exactly zero: those rows count for the scale only if they close.
    const VecX lambda =
        VecX::NullaryExpr(problem.rows(), [&] { return pick(3) == 0 ? 0.0 : normal(random); });
    const record::Judgement ours = record::judge(problem, v, lambda);
    const Certificate theirs = certify(problem, v, lambda);
    // An island in which nothing counts for the scale has infinite residuals in both.
    const auto same = [](double a, double b) {
      return a == b || std::abs(a - b) <= 1e-11 * b + 1e-14;
    };
    EXPECT_PRED2(same, ours.momentum, theirs.momentum);
    EXPECT_PRED2(same, ours.equality, theirs.equality);
    EXPECT_PRED2(same, ours.gap_velocity, theirs.gap_velocity);
    EXPECT_PRED2(same, ours.normal_impulse, theirs.normal_impulse);
    EXPECT_PRED2(same, ours.complementarity, theirs.complementarity);
    EXPECT_PRED2(same, ours.cone, theirs.cone);
    EXPECT_PRED2(same, ours.natural_map, theirs.natural_map);
    EXPECT_PRED2(same, ours.worst(), theirs.worst);
  }
}

}  // namespace
}  // namespace cairn::test_judge
