// The judge on problems small enough to know every residual by hand.
//
//   A disc of mass 2 and moment of inertia 1 on the floor, at one contact (n up, t1 along x):
//   A = diag(2, 2, 1), v = (v_x, v_y, w_z), J_n = (0, 1, 0), J_t = (1, 0, 1).
//   W = J A^-1 J^T = diag(1/2, 3/2), so that d = power of two below 1.2 sqrt(2/2): d = 1.
//   m = 2, so that kappa = 1/sqrt(2) (E310); it cancels where V is kappa times a contact's
//   velocity.
#include <Eigen/Dense>
#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <limits>

#include "cairn/solution.hpp"
#include "problem/make_problem.hpp"

namespace cairn::test_certify {
namespace {

using make::Random;

struct Case {
  Problem problem;
  VecX v, lambda;
  Certificate certificate() const { return certify(problem, v, lambda); }
  // k such that the momentum balance holds with v and lambda.
  void balance() {
    const make::Dense d = make::dense(problem);
    problem.k = d.A * v - d.J.transpose() * lambda;
  }
};

// Falls with speed 1 and is stopped dead by the impulse 2: every law holds exactly.
Case disc_on_floor(double mu = 0.5) {
  Case c;
  const int disc = make::add_body(c.problem, {2, 2, 1}, Vec3(0, -1, 0));
  Constraint& contact = make::add(c.problem, Law::coulomb, 2, disc);
  contact.mu = mu;
  contact.J[0][0][1] = 1;
  contact.J[0][1][0] = contact.J[0][1][2] = 1;
  c.v = Vec3::Zero();
  c.lambda = Eigen::Vector2d(2, 0);
  return c;
}

constexpr double rounding = 1e-15;  // 64 of it: with the floors (E311), whose terms are below 20

TEST(Certify, ExactAnswerHasNoResidual) {
  const Certificate c = disc_on_floor().certificate();
  EXPECT_EQ(c.worst, 0);
  EXPECT_EQ(c.worst_constraint, -1);
  EXPECT_EQ(c.least_gap_velocity, 0);
  EXPECT_EQ(c.least_normal_impulse, 2);
  EXPECT_TRUE(c.finite && c.within(0));
}

// V = kappa |J v_free| = kappa. The momentum error of 1 N s moves the disc with 1/2 = V/sqrt(2).
TEST(Certify, PenetratingVelocity) {
  Case c = disc_on_floor();
  c.v = Vec3(0, -0.5, 0);
  const Certificate x = c.certificate();
  EXPECT_NEAR(x.gap_velocity, 0.5, 64 * rounding);
  EXPECT_NEAR(x.complementarity, 2 * 0.5 / 2, 64 * rounding);
  EXPECT_NEAR(x.natural_map, 0.5, 64 * rounding);
  EXPECT_NEAR(x.momentum, std::sqrt(0.5), 64 * rounding);  // A dv = (0, -1, 0)
  EXPECT_NEAR(x.momentum_impulse, 1, rounding);
  EXPECT_EQ(x.least_gap_velocity, -0.5);
  EXPECT_EQ(x.cone, 0);
  EXPECT_EQ(x.normal_impulse, 0);
  EXPECT_EQ(x.equality, 0);
}

// A ball that wants to leave, glued to the floor: momentum, gap and complementarity are perfect,
// the impulse pulls. Without friction the projection alone would let it pass.
TEST(Certify, GluedBallIsNotCertified) {
  for (const double mu : {0.0, 0.5}) {
    Case c = disc_on_floor(mu);
    c.lambda = Eigen::Vector2d(-2, 0);
    c.balance();
    const Certificate x = c.certificate();
    EXPECT_EQ(x.momentum, 0);
    EXPECT_EQ(x.gap_velocity, 0);
    EXPECT_EQ(x.complementarity, 0);
    EXPECT_GE(x.normal_impulse, 1);
    EXPECT_EQ(x.least_normal_impulse, -2);
    EXPECT_FALSE(x.within(0.5));
  }
  // The same as a frictionless row.
  Problem problem;
  const int ball = make::add_body(problem, {1}, VecX::Constant(1, 1.0));
  make::add(problem, Law::nonnegative, 1, ball).J[0][0][0] = 1;
  const Certificate x = certify(problem, VecX::Zero(1), VecX::Constant(1, -1.0));
  EXPECT_EQ(x.momentum, 0);
  EXPECT_GE(x.normal_impulse, 1);
}

// lambda = (2, 2) with mu = 1/2: distance (2 - mu 2) / sqrt(1 + mu^2) from the cone; the scale is
// |J v_free| = |W lambda| = |(1, 3)|.
TEST(Certify, ImpulseOutsideTheCone) {
  Case c = disc_on_floor();
  c.lambda = Eigen::Vector2d(2, 2);
  c.balance();
  const Certificate x = c.certificate();
  EXPECT_NEAR(x.momentum, 0, rounding);
  EXPECT_NEAR(x.cone, 1 / std::sqrt(1.25) / std::sqrt(10.0), 64 * rounding);
  EXPECT_NEAR(x.natural_map, x.cone, rounding);  // at rest they are the same
  EXPECT_EQ(x.normal_impulse, 0);
  EXPECT_EQ(x.gap_velocity, 0);
}

// Slides along +t1 with speed 1 and full friction. Against the motion all laws hold. Along with it
// the impulse is in its cone and the normal law holds, but lambda . w_hat = lambda_n mu |w_T| +
// lambda_T w_T = 1 + 1 in place of 0.
TEST(Certify, FrictionInTheWrongDirection) {
  Case c = disc_on_floor();
  c.v = Vec3(1, 0, 0);
  c.lambda = Eigen::Vector2d(2, -1);
  c.balance();
  EXPECT_LE(c.certificate().worst, rounding);
  c.lambda = Eigen::Vector2d(2, 1);
  c.balance();
  const Certificate x = c.certificate();
  EXPECT_NEAR(x.momentum, 0, rounding);
  EXPECT_EQ(x.cone, 0);
  EXPECT_EQ(x.gap_velocity, 0);
  // J v_free = (-1, -1/2): the power 2 over |lambda| = sqrt(5) and over V/kappa = sqrt(5)/2.
  EXPECT_NEAR(x.complementarity, 0.8, 64 * rounding);
  EXPECT_GE(x.natural_map, 0.1);
}

// A sliding contact that does not use its friction fully: only Coulomb's law is broken.
TEST(Certify, SlidingWithTooLittleFriction) {
  Case c = disc_on_floor();
  c.v = Vec3(1, 0, 0);
  c.lambda = Eigen::Vector2d(2, -0.5);
  c.balance();
  const Certificate x = c.certificate();
  EXPECT_EQ(x.cone, 0);
  EXPECT_NEAR(x.momentum, 0, rounding);
  EXPECT_GT(x.natural_map, 0.1);
}

// Residual (0, 1, 0) of the momentum moves the disc of mass 2 with 1/2; V = 1/sqrt(2).
TEST(Certify, UnbalancedMomentum) {
  Case c = disc_on_floor();
  c.lambda = Eigen::Vector2d(1, 0);
  const Certificate x = c.certificate();
  EXPECT_NEAR(x.momentum, std::sqrt(0.5), 64 * rounding);
  EXPECT_NEAR(x.momentum_impulse, 1, rounding);
  EXPECT_EQ(x.natural_map, 0);
  EXPECT_EQ(x.worst_constraint, -1);
}

// Two masses on a rod along x that part with the relative velocity 0.3; lambda = 1.
TEST(Certify, OpenJoint) {
  Case c;
  const int a = make::add_body(c.problem, {1}, VecX::Zero(1)),
            b = make::add_body(c.problem, {1}, VecX::Zero(1));
  Constraint& rod = make::add(c.problem, Law::equality, 1, a, b);
  rod.J[0][0][0] = -1;
  rod.J[1][0][0] = 1;
  c.v = Eigen::Vector2d(0, 0.3);
  c.lambda = VecX::Constant(1, 1.0);
  c.balance();
  // W = 2, d = power of two below 1.2 sqrt(2) = 1. J v_free = 0.3 - 2 lambda: scale 1.7.
  const Certificate x = c.certificate();
  EXPECT_NEAR(x.equality, 0.3 / 1.7, 64 * rounding);
  EXPECT_NEAR(x.natural_map, 0.3 / 1.7, 64 * rounding);
  EXPECT_NEAR(x.equality_velocity, 0.3, rounding);
  EXPECT_NEAR(x.momentum, 0, rounding);
  EXPECT_EQ(x.worst_constraint, 0);
}

// A motor of unit mass that may push with at most 1 N s; w = v.
TEST(Certify, Box) {
  Case c;
  const int cart = make::add_body(c.problem, {1}, VecX::Zero(1));
  Constraint& motor = make::add(c.problem, Law::box, 1, cart);
  motor.J[0][0][0] = 1;
  motor.lo = -1;
  motor.hi = 1;
  const auto judged = [&](double v, double lambda) {
    c.v = VecX::Constant(1, v);
    c.lambda = VecX::Constant(1, lambda);
    c.balance();
    return c.certificate();
  };
  EXPECT_LE(judged(0, 0.5).worst, rounding);  // holds the cart
  EXPECT_LE(judged(-2, 1).worst, rounding);   // gives its best, the cart still moves back
  EXPECT_LE(judged(2, -1).worst, rounding);
  EXPECT_GT(judged(2, 1).natural_map, 0.1);    // pushes a cart that runs ahead
  EXPECT_GT(judged(1, 0.5).natural_map, 0.1);  // has strength left and does not use it
  EXPECT_NEAR(judged(0, 3).cone, 2.0 / 3, 64 * rounding);
}

TEST(Certify, NothingIsPerfect) {
  Problem empty;
  empty.first_row = {0};
  EXPECT_EQ(certify(empty, VecX(), VecX()).worst, 0);
  Case c = disc_on_floor();
  c.problem.k.setZero();
  c.lambda.setZero();
  EXPECT_EQ(c.certificate().worst, 0);
  EXPECT_TRUE(c.certificate().within(0));
}

// Two discs side by side at high speed touch and do not press; v is that of free flight up to its
// last digits: that is below the rounding floor.
TEST(Certify, TouchByARoundingCountsAsNone) {
  Case c;
  const int a = make::add_body(c.problem, {2, 2, 1}, Vec3(0, 3, 0)),
            b = make::add_body(c.problem, {2, 2, 1}, Vec3(0, 3, 0));
  Constraint& contact = make::add(c.problem, Law::coulomb, 2, a, b);
  contact.mu = 0.5;
  contact.J[0][0][1] = 1;
  contact.J[1][0][1] = -1;
  contact.J[0][1][0] = contact.J[0][1][2] = 1;
  contact.J[1][1][0] = -1;
  contact.J[1][1][2] = 1;
  c.lambda = VecX::Zero(2);
  c.v = VecX::Zero(6);
  c.v[1] = std::nextafter(3.0, 0.0);
  c.v[4] = 3;
  const Certificate x = c.certificate();
  EXPECT_LT(x.least_gap_velocity, 0);
  EXPECT_EQ(x.worst, 0);
  c.v[1] = 2.9;  // that is no rounding
  EXPECT_GT(c.certificate().gap_velocity, 1);
}

// An island so slow that the square of its speed is no number any more: V = 2^-610, and the contact
// opens with w_n = b_n = 1 although it carries an impulse.
TEST(Certify, ScalesWhoseSquareUnderflowsGiveNoInfinity) {
  Case c = disc_on_floor();
  c.problem.k *= 0x1p-600;
  c.lambda *= 0x1p-600;
  c.problem.constraints[0].b[0] = 1;
  EXPECT_TRUE(std::isfinite(c.certificate().complementarity));
  EXPECT_GT(c.certificate().complementarity, 0x1p600);
}

TEST(Certify, NotANumberIsNotFinite) {
  const std::vector<std::function<void(Case&)>> faults = {
      [](Case& c) { c.v[1] = std::nan(""); },
      [](Case& c) { c.lambda[0] = std::nan(""); },
      [](Case& c) { c.v[0] = std::numeric_limits<double>::infinity(); },
      [](Case& c) { c.problem.bodies[0].A[1][1] = 0; },
      [](Case& c) { c.problem.bodies[0].A[1][1] = std::nan(""); },
      [](Case& c) { c.problem.k[2] = std::nan(""); },
      [](Case& c) { c.problem.constraints[0].J[0][0][1] = std::nan(""); },
      [](Case& c) { c.problem.constraints[0].b[0] = std::nan(""); },
      [](Case& c) { c.problem.constraints[0].mu = std::nan(""); }};
  for (std::size_t i = 0; i < faults.size(); ++i) {
    Case c = disc_on_floor();
    faults[i](c);
    EXPECT_FALSE(c.certificate().within(1e300)) << "fault " << i;
  }
}

// Random answers to random problems of every law: nothing holds, every field is in use.
Case random_case(Random& random) {
  Case c;
  for (int b = 0; b < 4; ++b) {
    const int size = 1 + make::pick(random, 6);
    make::add_body(c.problem, make::random_spd(random, size), make::random_vector(random, size));
  }
  for (int i = 0; i < 6; ++i) {
    const Law law = static_cast<Law>(make::pick(random, 5));
    const int rows = has_cone(law)          ? 2 + make::pick(random, 2)
                     : law == Law::equality ? 1 + make::pick(random, 3)
                                            : 1;
    const int a = make::pick(random, 4), b = (a + 1 + make::pick(random, 3)) % 4;
    Constraint& row = make::add(c.problem, law, rows, a, make::pick(random, 3) == 0 ? -1 : b);
    make::fill_random(random, c.problem, row);
    row.mu = has_cone(law) ? std::abs(make::normal(random)) : 0;
    row.facets = rows == 3 && make::pick(random, 2) == 0 ? 3 + make::pick(random, 9) : 0;
    if (rows == 3 && row.facets == 0 && make::pick(random, 2) == 0)
      row.section = make::random_polygon(random, 3 + make::pick(random, 9));
    row.lo = -0.5;
    row.hi = 0.25;
    for (int r = 0; r < rows; ++r) row.b[r] = make::normal(random);
  }
  c.v = make::random_vector(random, c.problem.velocities());
  c.lambda = make::random_vector(random, c.problem.rows());
  return c;
}

void expect_same_bits(const Certificate& a, const Certificate& b) {
  EXPECT_EQ(a.momentum, b.momentum);
  EXPECT_EQ(a.equality, b.equality);
  EXPECT_EQ(a.gap_velocity, b.gap_velocity);
  EXPECT_EQ(a.normal_impulse, b.normal_impulse);
  EXPECT_EQ(a.complementarity, b.complementarity);
  EXPECT_EQ(a.cone, b.cone);
  EXPECT_EQ(a.natural_map, b.natural_map);
  EXPECT_EQ(a.worst, b.worst);
  EXPECT_EQ(a.worst_constraint, b.worst_constraint);
}

// Masses by 4^a, velocities by 2^c. (The scaling d is the square root of an inverse mass rounded to
// a power of two, so that problems scale with even powers of the mass; assembly takes the others
// out with the problem's mass unit.)
TEST(Certify, ScalingByPowersOfTwoChangesNoBit) {
  Random random(11);
  for (int trial = 0; trial < 100; ++trial) {
    const Case c = random_case(random);
    for (const int a : {-10, -1, 1, 7})
      for (const int e : {-21, 0, 5}) {
        Case scaled = c;
        const double mass = std::ldexp(1, 2 * a), speed = std::ldexp(1, e);
        for (ProblemBody& body : scaled.problem.bodies)
          for (auto& row : body.A)
            for (double& x : row) x *= mass;
        scaled.problem.k *= mass * speed;
        for (Constraint& row : scaled.problem.constraints) {
          for (double& x : row.b) x *= speed;
          row.lo *= mass * speed;
          row.hi *= mass * speed;
        }
        scaled.v *= speed;
        scaled.lambda *= mass * speed;
        expect_same_bits(c.certificate(), scaled.certificate());
      }
  }
}

// The units turn the unscaled figures into SI and leave the scaled ones alone.
TEST(Certify, UnitsScaleThePhysicalFigures) {
  Random random(12);
  for (int trial = 0; trial < 50; ++trial) {
    Case c = random_case(random);
    const Certificate before = c.certificate();
    c.problem.units = {.mass = 8, .length = 0.25, .time = 0.5};
    const Certificate after = c.certificate();
    expect_same_bits(before, after);
    EXPECT_EQ(after.momentum_impulse, 4 * before.momentum_impulse);
    EXPECT_EQ(after.equality_velocity, 0.5 * before.equality_velocity);
    EXPECT_EQ(after.least_gap_velocity, 0.5 * before.least_gap_velocity);
    EXPECT_EQ(after.least_normal_impulse, 4 * before.least_normal_impulse);
    EXPECT_EQ(after.complementarity_energy, 2 * before.complementarity_energy);
  }
}

// A second disc flies past at 500 times the speed of the contact and would need a long time to meet
// the first: it does not close. It may not loosen what is said of the contact. If it did close, its
// relative velocity would be the scale.
TEST(Certify, FarCandidatesLoosenNothing) {
  Case c = disc_on_floor();
  c.v = Vec3(0, -0.01, 0);
  const Certificate before = c.certificate();
  const int flyer = make::add_body(c.problem, {2, 2, 1}, Vec3(0, -500, 0));
  Constraint& far = make::add(c.problem, Law::coulomb, 2, 0, flyer);
  far.mu = 0.5;
  far.J[0][0][1] = -1;
  far.J[1][0][1] = 1;
  far.J[0][1][0] = -1;
  far.J[1][1][0] = 1;
  far.b[0] = 2000;
  c.v.conservativeResize(6);
  c.v.tail<3>() = Vec3(0, -500, 0);
  c.lambda.conservativeResize(4);
  c.lambda.tail<2>().setZero();
  const Certificate open = c.certificate();
  EXPECT_EQ(open.gap_velocity, before.gap_velocity);
  EXPECT_EQ(open.complementarity, before.complementarity);
  EXPECT_EQ(open.natural_map, before.natural_map);
  c.problem.constraints[1].b[0] = 0;  // J v_free + b = -499: closes
  c.v.tail<3>().setZero();
  EXPECT_LT(c.certificate().gap_velocity, 0.01 * before.gap_velocity);
}

// An island with large impulses does not hide the faults of a small one.
TEST(Certify, IslandsAreScaledOnTheirOwn) {
  Case c = disc_on_floor();
  c.v = Vec3(0, -0.01, 0);
  const Certificate before = c.certificate();
  const int heavy = make::add_body(c.problem, {1e9}, VecX::Constant(1, -1.0));
  make::add(c.problem, Law::nonnegative, 1, heavy).J[0][0][0] = 1;
  c.v.conservativeResize(4);
  c.v[3] = 0;
  c.lambda.conservativeResize(3);
  c.lambda[2] = 1e9;
  const Certificate after = c.certificate();
  EXPECT_EQ(before.gap_velocity, after.gap_velocity);
  EXPECT_EQ(before.momentum, after.momentum);
  EXPECT_EQ(before.worst, after.worst);
}

// A row between bodies that cannot move is judged in absolute terms, not forgotten.
TEST(Certify, RowWithoutBodies) {
  Case c = disc_on_floor();
  make::add(c.problem, Law::nonnegative, 1, -1).b[0] = -0.125;
  c.lambda.conservativeResize(3);
  c.lambda[2] = 0;
  EXPECT_NEAR(c.certificate().gap_velocity, 0.125, rounding);
}

}  // namespace
}  // namespace cairn::test_certify
