// Joints and contacts together (E320 to E322): joints are closed without pushing bodies into each
// other, and what that costs is paid without disturbing what sticks.
#include <algorithm>
#include <cmath>

#include "system/worlds.hpp"

namespace cairn::test_joint_projection {
namespace {

using namespace testing;

JointDescription joint(std::string name, const JointType& type, const std::string& a,
                       const Vec3& anchor_a, const std::string& b, const Vec3& anchor_b) {
  JointDescription d;
  d.name = std::move(name);
  d.type = type;
  d.bodies = {a, b};
  d.anchors = {anchor_a, anchor_b};
  return d;
}

constexpr double pitch = 0.3, thickness = 0.04, plank_mass = 3;

// Planks on two ball joints each, the far end on two ropes, a box above the first plank.
//
//            #
//     o----o----o  ` . rope
ModelDescription bridge(int planks, double load) {
  ModelDescription d = world(Vec3(0, 0, -g), 0.6, 0);
  std::string last = "world";
  for (int i = 0; i < planks; ++i) {
    const std::string name = "plank" + std::to_string(10 + i);
    d.bodies.push_back(
        moving(name, Box{Vec3(0.28, 1, thickness)}, plank_mass, Vec3((i + 0.5) * pitch, 0, 0)));
    for (const double y : {-0.4, 0.4})
      d.joints.push_back(joint("hinge" + std::to_string(10 + i) + (y < 0 ? "a" : "b"), BallJoint{},
                               last, Vec3(last == "world" ? 0 : pitch / 2, y, 0), name,
                               Vec3(-pitch / 2, y, 0)));
    last = name;
  }
  for (const double y : {-0.4, 0.4})
    d.joints.push_back(joint(y < 0 ? "ropea" : "ropeb", DistanceJoint{}, "world",
                             Vec3(planks * pitch + 0.5, y, 0.5), last, Vec3(pitch / 2, y, 0)));
  const double z = thickness / 2 + 0.125;
  d.bodies.push_back(
      moving("load", Box{Vec3(0.25, 0.25, 0.25)}, load, Vec3(pitch / 2, 0, z + 0.02)));
  return d;
}

// Every step is accepted, so that no overlap exceeds 5 % of half a plank's thickness and no energy
// comes from nowhere. The load stays on its side: its centre is above the middle of every plank
// that is below it.
void expect_bridge_holds(const ModelDescription& d, const SchemeOptions& scheme, double h,
                         double duration, double tolerance = 1e-8) {
  const BuiltModel built = build(d).value();
  Simulator sim(built.model, *built.initial, scheme, Auto{.tolerance = tolerance}, {});
  for (int i = 0; i * h < duration; ++i) {
    const StepReport& r = sim.step(h);
    ASSERT_TRUE(r.verdict.accepted())
        << "h " << h << ", step " << r.step << ": " << r.message << r.verdict.solve.sentence
        << r.verdict.motion.sentence << r.verdict.energy.sentence;
    ASSERT_LE(r.penetration, 0.05 * thickness / 2);
    for (const Body& body : sim.model().bodies) {
      if (!body.name.starts_with("plank")) continue;
      const BodyMotion plank = motion(sim, body.name);
      const Vec3 at =
          plank.orientation.conjugate() * (motion(sim, "load").position - plank.position);
      if (std::abs(at.x()) < 0.14 && std::abs(at.y()) < 0.5) {
        ASSERT_GT(at.z(), 0) << body.name << ", step " << r.step;
      }
    }
  }
}

TEST(JointProjection, BridgeHoldsItsLoad) {
  for (const double load : {15.0, 500.0, 1500.0})
    for (const double h : {0.005, 0.01, 0.02}) expect_bridge_holds(bridge(2, load), Euler{}, h, 1);
}

TEST(JointProjection, LongBridgeHoldsItsLoad) {
  expect_bridge_holds(bridge(12, 300), Euler{}, 0.01, 1);
}

TEST(JointProjection, BridgeHoldsItsLoadUnderTheRelaxedLaw) {
  expect_bridge_holds(bridge(2, 500), Relaxed{}, 0.01, 1);
}

// The steps of the scheme itself: where a contact was open before the joints were closed it is open
// after that, to the rounding of positions near one metre.
TEST(JointProjection, ClosesJointsWithoutAnOverlap) {
  Simulator sim = simulator(bridge(2, 500));
  double moved = 0;
  for (int i = 0; i < 100; ++i) {
    if (!certified_step(sim, 0.01)) break;
    ASSERT_LE(sim.report().joint_error, 1e-12);
    ASSERT_LE(sim.report().penetration, 0.05 * thickness / 2);
    moved = std::max(moved, sim.report().projection);
  }
  EXPECT_GT(moved, 1e-3);  // the projection has work to do
}

// Two hinged plates fold about a free box, far from everything. The projection pushes along the
// rows of joints and contacts, which are equal and opposite on the two bodies: the centre of mass
// moves straight, within the rounding of 200 steps of positions near one.
TEST(JointProjection, CentreOfMassOfWhatFloatsMovesStraight) {
  ModelDescription d = world(Vec3::Zero(), 0.3, 0);
  d.bodies = {
      moving("left", Box{Vec3(0.9, 1, 0.1)}, 1, Vec3(-0.5, 0, 0), Vec3(0, 0, 0.1), Vec3(0, 3, 0)),
      moving("right", Box{Vec3(0.9, 1, 0.1)}, 2, Vec3(0.5, 0, 0), Vec3(0.1, 0, 0), Vec3(0, -3, 0)),
      moving("box", Box{Vec3(0.3, 0.3, 0.3)}, 20, Vec3(0.05, 0, 0.22))};
  for (const double y : {-0.4, 0.4})
    d.joints.push_back(
        joint(y < 0 ? "a" : "b", BallJoint{}, "left", Vec3(0.5, y, 0), "right", Vec3(-0.5, y, 0)));
  Simulator sim = simulator(d);
  const auto centre = [&] {
    return Vec3((motion(sim, "left").position + 2 * motion(sim, "right").position +
                 20 * motion(sim, "box").position) /
                23);
  };
  const Vec3 start = centre(), velocity = Vec3(0.2, 0, 0.1) / 23;
  double moved = 0;
  for (int i = 1; i <= 200; ++i) {
    if (!certified_step(sim, 0.01)) break;
    moved = std::max(moved, sim.report().projection);
    ASSERT_LE((centre() - start - i * 0.01 * velocity).norm(), 1e-12) << i;
  }
  EXPECT_GT(moved, 1e-5);
}

// A pendulum swings on a sledge that friction holds on a plate. The plate moves at 0 or at 2 m/s:
// seen from the plate the motion is the same (Galileo). Each solve may be off by 1e-8 of its
// largest speed, 3 m/s, and that for the rest of 1 s, in 100 steps: 3e-6 m.
TEST(JointProjection, WhatSticksOnAMovingPlateStaysThere) {
  const auto run = [](double speed) {
    ModelDescription d = world(Vec3(0, 0, -g), 0.8, 0);
    BodyDescription plate;
    plate.name = "plate";
    plate.shapes = {{Box{Vec3(10, 2, 0.2)}, Pose{}, "default"}};
    plate.motion.emplace();
    plate.motion->position = {function(std::to_string(speed) + "*t"), function("0"),
                              function("-0.1")};
    d.bodies = {plate,
                moving("sledge", Box{Vec3(1, 1, 0.2)}, 10, Vec3(0, 0, 0.1), Vec3(speed, 0, 0)),
                moving("bob", Sphere{0.05}, 1, Vec3(0.4, 0, 0.8), Vec3(speed, 0, 0))};
    d.joints = {joint("rod", DistanceJoint{}, "sledge", Vec3(0, 0, 1), "bob", Vec3::Zero())};
    Simulator sim = simulator(d);
    double slowest = 1;
    for (int i = 0; i < 100; ++i) {
      if (!certified_step(sim, 0.01)) break;
      slowest = std::min(slowest, sim.report().projection_slowing);
    }
    EXPECT_LT(slowest, 1 - 1e-6);  // the projection was paid for
    const Vec3 plate_moved(speed * sim.state().t, 0, 0);
    return std::pair(Vec3(motion(sim, "sledge").position - plate_moved),
                     Vec3(motion(sim, "bob").position - plate_moved));
  };
  const auto [sledge, bob] = run(2);
  const auto [sledge_at_rest, bob_at_rest] = run(0);
  EXPECT_LE((sledge - sledge_at_rest).norm(), 3e-6);
  EXPECT_LE((bob - bob_at_rest).norm(), 3e-6);
}

// A plate comes down on a bob that stands on a rod: nothing can give way. The step that would push
// one into the other beyond the limit is not accepted, and both are named.
TEST(JointProjection, WhatCannotGiveWayIsNamed) {
  ModelDescription d = world(Vec3(0, 0, -g), 0, 0);
  BodyDescription plate;
  plate.name = "plate";
  plate.shapes = {{Box{Vec3(1, 1, 0.2)}, Pose{}, "default"}};
  plate.motion.emplace();
  plate.motion->position = {function("0"), function("0"), function("1.205-t")};
  d.bodies = {plate, moving("bob", Sphere{0.1}, 1, Vec3(0, 0, 1))};
  d.joints = {joint("rod", DistanceJoint{}, "world", Vec3::Zero(), "bob", Vec3::Zero())};
  const BuiltModel built = build(d).value();
  Simulator sim(built.model, *built.initial, Euler{}, Auto{}, {});
  std::string why;
  for (int i = 0; i < 10 && why.empty(); ++i) {
    const StepReport& r = sim.step(0.01);
    if (r.failed())
      why = r.message;
    else if (!r.verdict.motion.ok)
      why = r.verdict.motion.sentence;
    if (why.empty()) {
      ASSERT_LE(r.penetration, 0.05 * 0.1) << i;
    }
  }
  EXPECT_NE(why.find("'bob'"), std::string::npos) << why;
  EXPECT_NE(why.find("'plate'"), std::string::npos) << why;
}

}  // namespace
}  // namespace cairn::test_joint_projection
