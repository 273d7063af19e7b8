// Joints that contradict each other are named, all of them, with what is left open (E81).
#include <cmath>

#include "cairn/joints.hpp"
#include "scheme/euler/euler.hpp"
#include "scheme/mechanisms.hpp"

namespace cairn::test_contradiction {
namespace {

using namespace mechanisms;

std::vector<std::string> names(const Model& model, const std::vector<OpenJoint>& open) {
  std::vector<std::string> result;
  for (const OpenJoint& o : open) result.push_back(model.joints[index(o.joint)].name);
  return result;
}

using Names = std::vector<std::string>;

TEST(Contradiction, JointsThatCanBeClosedAreNone) {
  const BuiltModel model = built(loop(false));
  EXPECT_TRUE(contradicting_joints(*model.model, model.initial->poses).empty());
  // Nor are they from a place where they are open.
  std::vector<Pose> open = model.initial->poses;
  for (Pose& pose : open) pose.p += Vec3(0.05, -0.02, 0.01);
  EXPECT_TRUE(contradicting_joints(*model.model, open).empty());
}

// Rods of 1, 1 and 3 m in a row between two points of the world 0 m apart: least squares shares the
// metre that is missing, a third for each. The fourth rod, far from it, is closed.
TEST(Contradiction, LoopOfRodsSharesTheGap) {
  ModelDescription d;
  for (const auto& [name, x] : {std::pair{"a", 1.0}, {"b", 2.0}, {"other", 7.0}}) {
    BodyDescription body = bar(name, Vec3(x, 0.1, 0), true);
    d.bodies.push_back(body);
  }
  d.joints = {joint("one", DistanceJoint{}, "world", Vec3::Zero(), "a", Vec3::Zero()),
              joint("two", DistanceJoint{}, "a", Vec3::Zero(), "b", Vec3::Zero()),
              joint("three", DistanceJoint{}, "world", Vec3::Zero(), "b", Vec3::Zero()),
              joint("fine", DistanceJoint{}, "world", Vec3(6, 0, 0), "other", Vec3::Zero())};
  const BuiltModel start = built(d);
  // A description whose rods do not fit is refused; here they change their lengths afterwards.
  Model model = *start.model;
  for (Joint& j : model.joints) std::get<DistanceJoint>(j.type).length = j.name == "three" ? 3 : 1;
  const std::vector<OpenJoint> open = contradicting_joints(model, start.initial->poses);
  EXPECT_EQ(names(model, open), (Names{"one", "three", "two"}));
  for (const OpenJoint& o : open) EXPECT_NEAR(o.distance, 1.0 / 3, 1e-6);
}

// Two welds, to the world and to a sledge that leaves: each is half open, no third joint is named.
TEST(Contradiction, StepNamesBothWelds) {
  ModelDescription d;
  BodyDescription sledge;
  sledge.name = "sledge";
  sledge.motion.emplace();
  sledge.motion->position[0] = TimeFunction::parse("t").value();
  d.bodies = {bar("block", Vec3::Zero()), sledge, bar("pendulum", Vec3(5, 0, 0))};
  d.joints = {joint("anchor", FixedJoint{}, "world", Vec3::Zero(), "block", Vec3::Zero()),
              joint("tow", FixedJoint{}, "sledge", Vec3::Zero(), "block", Vec3::Zero()),
              joint("aside", BallJoint{}, "world", Vec3(4, 0, 0), "pendulum", Vec3(-1, 0, 0))};
  const BuiltModel model = built(d);
  // Without projection, (E101), it is the rows that cannot be met; gamma 0 leaves their motion.
  for (const Euler& scheme :
       {Euler{}, Euler{.projection = false}, Euler{.projection = false, .gamma = 0},
        Euler{.projection = false, .nonlinear = true}}) {
    scheme::StepData data(*model.model);
    State state = *model.initial;
    StepReport report;
    scheme::advance(*model.model, scheme, Auto{}, 0.01, nullptr, data, state, report);
    EXPECT_EQ(report.status, StepStatus::stopped);
    EXPECT_EQ(report.reason, StopReason::contradiction);
    for (const char* datum : {"'anchor'", "'tow'", "0.005 m, 0 rad"})
      EXPECT_NE(report.message.find(datum), std::string::npos) << report.message;
    EXPECT_EQ(report.message.find("'aside'"), std::string::npos) << report.message;
    EXPECT_EQ(hash(state), hash(*model.initial));
  }
}

// Two rods of 1 m whose end is pulled away at 1 m/s, 1.5 m apart at the start: out of reach after
// half a second. Without projection every linear problem on the way has an answer, and the joints
// give way; they are named before they are open by more than 1 % of the size.
TEST(Contradiction, ArmPulledOutOfReachIsNamedWithoutProjection) {
  ModelDescription d;
  BodyDescription hand;
  hand.name = "hand";
  hand.motion.emplace();
  hand.motion->position[0] = TimeFunction::parse("1.5 + t").value();
  BodyDescription elbow = bar("elbow", Vec3(0.75, std::sqrt(1 - 0.75 * 0.75), 0), true);
  d.bodies = {elbow, hand};
  d.joints = {joint("upper", DistanceJoint{}, "world", Vec3::Zero(), "elbow", Vec3::Zero()),
              joint("lower", DistanceJoint{}, "hand", Vec3::Zero(), "elbow", Vec3::Zero())};
  const BuiltModel model = built(d);
  for (const bool projection : {true, false}) {
    scheme::StepData data(*model.model);
    State state = *model.initial;
    StepReport report;
    do
      scheme::advance(*model.model, Euler{.projection = projection}, Auto{}, 0.01, nullptr, data,
                      state, report);
    while (report.status != StepStatus::stopped && state.t < 1);
    EXPECT_EQ(report.status, StepStatus::stopped) << projection;
    EXPECT_GE(state.t, 0.49) << projection;
    EXPECT_LE(state.t, 0.55) << projection;
    EXPECT_EQ(report.reason, StopReason::contradiction);
    for (const char* joint_name : {"'lower'", "'upper'"})
      EXPECT_NE(report.message.find(joint_name), std::string::npos) << report.message;
  }
}

// Joints that start a little open, as rounded numbers in a scene leave them, are closed by the
// first step and contradict nothing; nor does a pair of equal hinges that agree to rounding.
TEST(Contradiction, SmallErrorsAtTheStartAreNone) {
  const BuiltModel model = built(loop(false));
  for (const double error : {1e-9, 1e-6, 1e-3}) {
    scheme::StepData data(*model.model);
    State state = *model.initial;
    state.poses[0].p += Vec3(error, -error, error);
    StepReport report;
    for (int n = 0; n < 10; ++n) {
      scheme::advance(*model.model, Euler{.projection = false}, Auto{}, 0.01, nullptr, data, state,
                      report);
      ASSERT_EQ(report.status, StepStatus::certified) << error << ' ' << n << report.message;
    }
  }
}

// A contradiction that comes later: the sledge stands until t = 0.05 and turns then.
TEST(Contradiction, ThatAppearsInTheRunIsNamedInRadians) {
  ModelDescription d;
  BodyDescription table;
  table.name = "table";
  table.motion.emplace();
  table.motion->angle = TimeFunction::parse("0.2*max(0, t - 0.05)").value();
  d.bodies = {bar("block", Vec3::Zero()), table};
  d.joints = {joint("left", FixedJoint{}, "world", Vec3::Zero(), "block", Vec3::Zero()),
              joint("right", FixedJoint{}, "table", Vec3::Zero(), "block", Vec3::Zero())};
  const BuiltModel model = built(d);
  scheme::StepData data(*model.model);
  State state = *model.initial;
  StepReport report;
  int steps = 0;
  do scheme::advance(*model.model, Euler{}, Auto{}, 0.01, nullptr, data, state, report);
  while (report.status == StepStatus::certified && ++steps < 20);
  EXPECT_EQ(report.status, StepStatus::stopped);
  EXPECT_EQ(steps, 5);
  // 0.002 rad apart, a half for each.
  for (const char* name : {"'left'", "'right'"}) {
    const std::size_t place = report.message.find(name);
    ASSERT_NE(place, std::string::npos) << report.message;
    const std::size_t comma = report.message.find(", ", place);
    EXPECT_NEAR(std::stod(report.message.substr(comma + 2)), 0.001, 1e-8) << report.message;
  }
}

}  // namespace
}  // namespace cairn::test_contradiction
