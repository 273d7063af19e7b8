// A step that cannot be taken: the state stays as it was, and the report is of that step.
#include <cmath>
#include <gtest/gtest.h>

#include "scheme/euler/euler.hpp"

namespace cairn::test_stop {
namespace {

BuiltModel ball_on_floor(const std::string& force, const std::string& height = "") {
  ModelDescription description;
  description.gravity = Vec3(0, -9.81, 0);
  BodyDescription floor, ball;
  floor.name = "floor";
  floor.fixed = height.empty();
  if (!height.empty()) {
    floor.motion = Motion{};
    floor.motion->position = {0.0, *TimeFunction::parse(height), 0.0};
  }
  floor.shapes = {{.geometry = Halfspace{.normal = Vec3::UnitY()}, .X_BS = {}}};
  ball.name = "ball";
  ball.dof = "x y rz";
  ball.mass = 1;
  ball.position = Vec3(0, 0.5, 0);
  ball.shapes = {{.geometry = Disc{.radius = 0.5}, .X_BS = {}}};
  description.bodies = {floor, ball};
  AppliedForceDescription push;
  push.body = "ball";
  push.force = {*TimeFunction::parse(force), 0.0, 0.0};
  description.forces = {push};
  const Result<BuiltModel> built = build(description);
  EXPECT_TRUE(built) << (built ? "" : built.error().front().text());
  return built.value_or(BuiltModel{});
}

// The force is a number until t = 0.025: the steps from 0, 0.01 and 0.02 pass, the one from 0.03
// cannot.
TEST(Stop, LeavesTheStateAndReportsTheStep) {
  const BuiltModel built = ball_on_floor("sqrt(0.025 - t)");
  scheme::StepData data(*built.model);
  State state = *built.initial;
  StepReport report;
  for (int i = 1; i <= 3; ++i) {
    scheme::advance(*built.model, Euler{}, Auto{}, 0.01, nullptr, data, state, report);
    ASSERT_EQ(report.status, StepStatus::certified) << report.message;
    EXPECT_EQ(report.solves.size(), 1);
    EXPECT_EQ(report.contacts.size(), 1u);
  }
  const State before = state;
  scheme::advance(*built.model, Euler{}, Auto{}, 0.01, nullptr, data, state, report);
  EXPECT_EQ(report.status, StepStatus::stopped);
  EXPECT_EQ(report.reason, StopReason::not_finite);
  EXPECT_NE(report.message.find("'ball'"), std::string::npos) << report.message;
  EXPECT_TRUE(state == before);
  EXPECT_EQ(hash(state), hash(before));
  EXPECT_EQ(report.step, before.step + 1);
  EXPECT_EQ(report.t, before.t);
  // Nothing of the step before is left in the report.
  EXPECT_EQ(report.solves.size(), 0);
  EXPECT_EQ(report.certificate, 0);
  EXPECT_TRUE(report.contacts.empty());
}

// A floor whose height is no longer a number is not a floor that is gone.
TEST(Stop, PrescribedMotionThatIsNotANumber) {
  const BuiltModel built = ball_on_floor("0*t", "0*sqrt(0.025 - t)");
  scheme::StepData data(*built.model);
  State state = *built.initial;
  StepReport report;
  for (int i = 1; i <= 2; ++i) {
    scheme::advance(*built.model, Euler{}, Auto{}, 0.01, nullptr, data, state, report);
    ASSERT_EQ(report.status, StepStatus::certified) << report.message;
  }
  const State before = state;
  scheme::advance(*built.model, Euler{}, Auto{}, 0.01, nullptr, data, state,
                  report);  // to t = 0.03
  EXPECT_EQ(report.status, StepStatus::stopped);
  EXPECT_EQ(report.reason, StopReason::not_finite);
  EXPECT_NE(report.message.find("'floor'"), std::string::npos) << report.message;
  EXPECT_TRUE(state == before);
}

// 1e160 N for 0.01 s give 1e158 m/s, a number, and 5e315 J, none: the step is not taken, and no
// energy of it is reported.
TEST(Stop, EnergyThatIsNotANumber) {
  const BuiltModel built = ball_on_floor("if(t < 0.015, 0, 1e160)");
  scheme::StepData data(*built.model);
  State state = *built.initial;
  StepReport report;
  for (int i = 1; i <= 2; ++i) {
    scheme::advance(*built.model, Euler{}, Auto{}, 0.01, nullptr, data, state, report);
    ASSERT_EQ(report.status, StepStatus::certified) << report.message;
  }
  const State before = state;
  scheme::advance(*built.model, Euler{}, Auto{}, 0.01, nullptr, data, state, report);
  EXPECT_EQ(report.status, StepStatus::stopped);
  EXPECT_EQ(report.reason, StopReason::energy_overflow);
  EXPECT_NE(report.message.find("'ball'"), std::string::npos) << report.message;
  EXPECT_NE(report.message.find("e+158 m/s"), std::string::npos) << report.message;
  EXPECT_EQ(report.ledger.kinetic_end, 0);
  EXPECT_EQ(report.ledger.imbalance(), 0);
  EXPECT_TRUE(state == before);
}

}  // namespace
}  // namespace cairn::test_stop
