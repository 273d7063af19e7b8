// Bodies on which only gravity acts (E208): parabolas, conserved momenta, and the closed form of a
// symmetric top.
#include <cmath>
#include <gtest/gtest.h>

#include "dynamics/flight.hpp"

namespace cairn::test_flight {
namespace {

Body free_body(const Vec3& inertia) {
  Body body;
  body.velocities = 6;
  body.mass = 2;
  body.inertia_B = inertia.asDiagonal();
  return body;
}

TEST(Flight, CentreOfMassFollowsItsParabola) {
  const Body ball = free_body({1, 1, 1});
  const double v[6] = {3, -1, 2, 1, 2, 3};
  double end[6];
  const Pose pose =
      dynamics::fly(ball, {0, 0, -10}, {Vec3(1, 2, 3), Quat::Identity()}, v, 0.5, end);
  EXPECT_EQ(pose.p, Vec3(2.5, 1.5, 3 + 0.5 * (2 - 2.5)));
  EXPECT_EQ(end[2], -3);
  const Quat turn = exp_rotation(0.5 * Vec3(1, 2, 3));
  EXPECT_LT(pose.R.angularDistance(turn), 1e-15);
  EXPECT_EQ(end[5], 3);
}

// Any body: angular momentum in the world and energy stay; a long flight is that in pieces.
TEST(Flight, TumblingBodyKeepsEnergyAndAngularMomentum) {
  const Vec3 I(1, 2, 2.9);
  const Body body = free_body(I);
  const double v[6] = {0, 0, 0, 0.01, 7, 0.02};  // near the unstable axis
  const Pose start{Vec3::Zero(), exp_rotation({0.3, 0.2, 0.1})};
  const Vec3 w0(v[3], v[4], v[5]), L = start.R * (I.asDiagonal() * w0);
  Pose pieces = start;
  double now[6] = {v[0], v[1], v[2], v[3], v[4], v[5]};
  for (int i = 1; i <= 20; ++i) {
    double end[6];
    const Pose pose = dynamics::fly(body, Vec3::Zero(), start, v, 0.25 * i, end);
    const Vec3 w(end[3], end[4], end[5]);
    EXPECT_LT((pose.R * (I.asDiagonal() * w) - L).norm(), 2e-13 * L.norm()) << i;
    EXPECT_NEAR(w.dot(I.asDiagonal() * w), w0.dot(I.asDiagonal() * w0), 1e-12) << i;
    double next[6];
    pieces = dynamics::fly(body, Vec3::Zero(), pieces, now, 0.25, next);
    std::copy(next, next + 6, now);
    // Neighbours part like exp(3.9 t), w2 sqrt((I3 - I2)(I2 - I1)/(I1 I3)).
    EXPECT_LT(pieces.R.angularDistance(pose.R), 1e-15 * std::exp(3.9 * 0.25 * i) + 1e-14) << i;
  }
}

// A symmetric top: the spin turns about the axis of symmetry at (I3 - I1)/I1 w3.
TEST(Flight, SymmetricTopPrecesses) {
  const Body body = free_body({1, 1, 1.8});
  const double v[6] = {0, 0, 0, 0.5, 0, 4}, t = 3;
  double end[6];
  dynamics::fly(body, Vec3::Zero(), {}, v, t, end);
  const double angle = 0.8 * 4 * t;
  EXPECT_NEAR(end[3], 0.5 * std::cos(angle), 1e-13);
  EXPECT_NEAR(end[4], 0.5 * std::sin(angle), 1e-13);
  EXPECT_NEAR(end[5], 4, 1e-14);
}

TEST(Flight, FixedDirectionsStayAndScalesDoNotRound) {
  Body body = free_body({1, 2, 3});
  body.translations = {true, false, true};
  body.velocities = 5;
  const double v[5] = {1, 2, 0.3, 0.4, 5};
  double end[5], fast[5];
  const Pose a = dynamics::fly(body, {0, -10, -10}, {}, v, 0.7, end);
  EXPECT_EQ(a.p[1], 0);
  double quick[5];
  for (int i = 0; i < 5; ++i) quick[i] = v[i] * 0x1p20;
  const Pose b = dynamics::fly(body, Vec3(0, -10, -10) * 0x1p40, {}, quick, 0.7 * 0x1p-20, fast);
  EXPECT_EQ(a.R.coeffs(), b.R.coeffs());
  EXPECT_EQ(a.p, b.p);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(end[i] * 0x1p20, fast[i]);
}

}  // namespace
}  // namespace cairn::test_flight
