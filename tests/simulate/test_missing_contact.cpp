// Shapes without a contact function never pass through each other in silence: the step stops and
// names them.
#include <gtest/gtest.h>

#include "cairn/simulator.hpp"

namespace cairn::test_missing_contact {
namespace {

ModelDescription box_and_cylinder(double distance) {
  ModelDescription d;
  d.gravity = Vec3::Zero();
  for (const double x : {0.0, distance}) {
    BodyDescription body;
    body.name = x == 0 ? "left" : "right";
    body.mass = 1;
    body.position = Vec3(x, 0, 0);
    body.velocity = Vec3(x == 0 ? 1 : 0, 0, 0);
    if (x == 0) {
      body.shapes.emplace_back().geometry = Box{Vec3(1, 1, 1)};
    } else {  // a disc is a cylinder without end, and moves in its plane
      body.shapes.emplace_back().geometry = Disc{0.5};
      body.dof = "x y rz";
    }
    d.bodies.push_back(body);
  }
  return d;
}

TEST(MissingContact, StopsWhenTheBodiesComeClose) {
  const auto built = build(box_and_cylinder(3));
  ASSERT_TRUE(built);
  Simulator sim(built->model, *built->initial);
  // The faces meet after 2 s; up to one step before nothing is amiss.
  for (int i = 0; i < 18; ++i) ASSERT_EQ(sim.step(0.1).status, StepStatus::certified);
  StepStatus status = StepStatus::certified;
  for (int i = 0; i < 3 && status != StepStatus::stopped; ++i) status = sim.step(0.1).status;
  EXPECT_EQ(status, StepStatus::stopped);
  for (const char* name : {"'left'", "'right'"})
    EXPECT_NE(sim.report().message.find(name), std::string::npos);
  EXPECT_EQ(sim.report().reason, StopReason::missing_contact);
}

TEST(MissingContact, IsNoMatterForPairsThatNeedNotTouch) {
  ModelDescription d = box_and_cylinder(3);
  d.no_contact = {{"left", "right"}};
  const auto built = build(d);
  ASSERT_TRUE(built);
  Simulator sim(built->model, *built->initial);
  for (int i = 0; i < 40; ++i) ASSERT_EQ(sim.step(0.1).status, StepStatus::certified);
}

}  // namespace
}  // namespace cairn::test_missing_contact
