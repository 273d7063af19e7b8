// Stretches of a path: full turns are counted, curves are enclosed.
#include <gtest/gtest.h>
#include <numbers>
#include <random>

#include "accept/segment.hpp"
#include "cairn/scene.hpp"
#include "dynamics/flight.hpp"
#include "dynamics/kinematics.hpp"

namespace cairn::accept::test_segment {
namespace {

Scene one_box() {
  return *parse_scene(R"({"cairn": 1, "bodies": [{"name": "box", "mass": 1,
      "shapes": [{"type": "box", "size": [0.2, 0.4, 0.6]}]}]})",
                      "box.json");
}

VecX velocities(const Vec3& v, const Vec3& w_B) {
  VecX all(6);
  all << v, w_B;
  return all;
}

// A free body follows Euler's equations: the bound of its deviation from the even turn holds
// (E427).
TEST(Segment, EnclosesATumblingBody) {
  const Scene scene = one_box();
  const Body& body = scene.model->bodies[0];
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> unit(-1, 1);
  for (int i = 0; i < 300; ++i) {
    const Vec3 axis(unit(random), unit(random), unit(random));
    const double h = 0.1, turn = 4 * std::abs(unit(random));
    const VecX v = velocities(Vec3::Zero(), turn / h * axis.normalized());
    VecX v_end = v;
    const Pose start{Vec3::Zero(), Quat(unit(random), unit(random), 1, 0).normalized()};
    const Pose end = dynamics::drift(body, start, v.data(), h, v_end.data());
    collide::PathSegment segment;
    make_segment(*scene.model, {0, {start}, v}, {h, {end}, v_end}, segment);
    for (int k = 1; k < 16; ++k) {
      const Quat R = dynamics::drift(body, start, v.data(), k * h / 16, nullptr).R,
                 even = start.R * exp_rotation(k / 16.0 * segment.bodies[0].turn_B);
      const double chord = 2 * std::sin(0.5 * R.angularDistance(even));
      EXPECT_LE(body.radius * chord, segment.bodies[0].bend + 1e-13) << i << ' ' << turn;
    }
    // It is of second order.
    if (turn < 0.01) EXPECT_LE(segment.bodies[0].bend, body.radius * turn * turn) << i;
  }
}

// x + h v, R exp(h w): the path of a body with equal moments of inertia is straight, however often
// it turns.
TEST(Segment, OfAnEulerStepIsExactForAnyTurn) {
  const Scene scene = *parse_scene(R"({"cairn": 1, "bodies": [{"name": "cube", "mass": 1,
      "shapes": [{"type": "box", "size": [0.4, 0.4, 0.4]}]}]})",
                                   "cube.json");
  const Body& body = scene.model->bodies[0];
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> unit(-1, 1);
  for (int i = 0; i < 1000; ++i) {
    const Vec3 v(unit(random), unit(random), unit(random)),
        axis(unit(random), unit(random), unit(random));
    const double h = 0.1, rate = 300 * unit(random);
    const VecX all = velocities(v, rate * axis.normalized());
    const Pose start{Vec3(unit(random), 0, 0), Quat(unit(random), unit(random), 1, 0).normalized()};
    const scheme::PathKnot from{0, {start}, all};
    const scheme::PathKnot to{h, {dynamics::advanced(body, start, all.data(), h)}, all};
    collide::PathSegment segment;
    make_segment(*scene.model, from, to, segment);
    // The angle is found from a quaternion to some 1e-15 and from the rate for its full turns.
    EXPECT_LE((segment.bodies[0].turn_B - h * rate * axis.normalized()).norm(), 1e-12) << i;
    EXPECT_LE(segment.bodies[0].bend, 1e-12) << i;
  }
}

// A parabola p + t v + t^2 a/2 leaves its chord by |a| h^2 / 8 and no more.
TEST(Segment, EnclosesAFlight) {
  const Scene scene = one_box();
  const double h = 0.3;
  const Vec3 a(0, 0, -9.81), v(1, 2, 3);
  const Pose start, end{v * h + a * h * h / 2, Quat::Identity()};
  const scheme::PathKnot from{0, {start}, velocities(v, Vec3::Zero())},
      to{h, {end}, velocities(v + a * h, Vec3::Zero())};
  collide::PathSegment segment;
  make_segment(*scene.model, from, to, segment);
  EXPECT_NEAR(segment.bodies[0].bend, a.norm() * h * h / 8, 1e-14);
  EXPECT_LE((segment.bodies[0].shift_W - end.p).norm(), 1e-15);
}

}  // namespace
}  // namespace cairn::accept::test_segment
