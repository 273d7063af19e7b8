// Whatever check fails, and wherever: nothing aborts, the state is the one before the step, the
// status says what happened, and the next step is that of a run in which nothing went wrong.
#include <fstream>
#include <set>

#include "cairn/trace.hpp"
#include "system/commands/command_line.hpp"
#include "system/worlds.hpp"

namespace cairn::test_internal_error {
namespace {

using namespace testing;

TEST(InvalidArgument, ChangesNothing) {
  const Scene s = scene("bouncing_ball");
  Simulator sim = simulator(s);
  sim.step(s.simulation.step);
  const State before = sim.state();
  for (const double h : {0.0, -0.01, std::nan(""), std::numeric_limits<double>::infinity()})
    EXPECT_THROW(sim.step(h), std::invalid_argument) << h;
  State small = before;
  small.poses.pop_back();
  EXPECT_THROW(sim.set_state(small), std::invalid_argument);
  small = before;
  small.v.conservativeResize(before.v.size() - 1);
  EXPECT_THROW(sim.set_state(small), std::invalid_argument);
  EXPECT_THROW(Simulator(s.model, small), std::invalid_argument);
  EXPECT_THROW(Simulator(nullptr, before), std::invalid_argument);
  const Controls force{.forces = {{.body = BodyId{99}}}, .motors = {}},
      motor{.forces = {}, .motors = {{JointId{99}, 1}}};
  EXPECT_THROW(sim.step(0.01, force), std::invalid_argument);
  EXPECT_THROW(sim.step(0.01, motor), std::invalid_argument);
  EXPECT_TRUE(sim.state() == before);
  EXPECT_FALSE(sim.step(s.simulation.step).failed());
}

TEST(InvalidArgument, OfCertify) {
  const Scene s = scene("box_on_box");
  Simulator sim = simulator(s);
  const SolveRecord& record = sim.step(s.simulation.step).solves.front();
  EXPECT_THROW(certify(record.problem, VecX(), record.solution.lambda), std::invalid_argument);
  EXPECT_THROW(certify(record.problem, record.solution.v, VecX()), std::invalid_argument);
}

// A thin rod on a ball joint at 30 rad/s: the matrix of the implicit step stays positive (E164).
TEST(TurnsFast, ThinRodsGoOn) {
  ModelDescription d = world(Vec3(0, 0, -g), 0.5, 0);
  BodyDescription rod;
  rod.name = "rod";
  rod.mass = 1;
  rod.inertia = Mat3(Vec3(0.1, 0.1, 0.001).asDiagonal());
  rod.position = Vec3(0, 0, -0.5);
  rod.velocity = Vec3(-15, 0, 0);
  rod.angular_velocity = Vec3(0, 30, 1);
  d.bodies = {rod};
  d.joints = {{.name = "j",
               .type = BallJoint{},
               .bodies = {"world", "rod"},
               .anchors = {Vec3(0, 0, 0), Vec3(0, 0, 0.5)}}};
  Simulator sim = trapezoidal(d);
  for (int i = 0; i < 50; ++i) ASSERT_FALSE(sim.step(0.01).failed()) << i;
}

#ifdef CAIRN_DCHECKS

// Counts the checks of some work.
template <class Work>
std::int64_t checks_of(Work work) {
  check_fault::countdown = -1;
  work();
  return -1 - check_fault::countdown.exchange(0);
}

class FailedCheck : public ::testing::TestWithParam<std::pair<const char*, const char*>> {};

// Every check of a step, one after the other; those of long steps in strides that meet every place.
TEST_P(FailedCheck, LeavesTheStateOfTheStepBefore) {
  const auto [name, scheme] = GetParam();
  const Scene s = scene(name, {std::string("simulation.scheme={\"type\": \"") + scheme + "\"}"});
  Simulator sim = simulator(s);
  for (int i = 0; i < 3; ++i) ASSERT_FALSE(sim.step(s.simulation.step).failed());
  const State before = sim.state();
  ASSERT_FALSE(sim.step(s.simulation.step).failed());
  const std::uint64_t expected = hash(sim.state());
  sim.set_state(before);
  const std::int64_t checks = checks_of([&] { sim.step(s.simulation.step); });
  ASSERT_GT(checks, 20);
  const std::int64_t stride = std::max<std::int64_t>(1, checks / 1500);
  std::set<std::string> messages;
  for (std::int64_t n = 1; n <= checks; n += n < 500 ? 1 : stride) {
    sim.set_state(before);
    check_fault::countdown = n;
    const StepReport& report = sim.step(s.simulation.step);
    check_fault::countdown = 0;
    ASSERT_EQ(report.status, StepStatus::internal_error) << n;
    ASSERT_TRUE(sim.state() == before) << n;
    ASSERT_EQ(report.step, before.step + 1);
    ASSERT_EQ(report.solves.size(), 0);
    ASSERT_TRUE(report.contacts.empty());
    messages.insert(report.message);
    ASSERT_FALSE(sim.step(s.simulation.step).failed()) << n << ' ' << report.message;
    ASSERT_EQ(hash(sim.state()), expected) << n;
  }
  EXPECT_GT(messages.size(), 10u);
}

INSTANTIATE_TEST_SUITE_P(
    Schemes, FailedCheck,
    ::testing::Values(std::pair{"pendulum_wall", "euler"}, std::pair{"bouncing_ball", "euler"},
                      std::pair{"box_on_box", "relaxed"}, std::pair{"pendulum", "trapezoidal"},
                      std::pair{"bouncing_ball", "hybrid"}, std::pair{"penalty_ball", "penalty"}),
    [](const auto& tested) { return std::string(tested.param.first) + "_" + tested.param.second; });

TEST(FailedCheckElsewhere, OfASceneIsAnError) {
  const std::string file = CAIRN_SOURCE_DIR "/scenes/box_on_box.json";
  const std::int64_t checks = checks_of([&] { EXPECT_TRUE(load_scene(file)); });
  ASSERT_GT(checks, 20);
  for (std::int64_t n = 1; n <= checks; ++n) {
    check_fault::countdown = n;
    const Result<Scene> loaded = load_scene(file);
    check_fault::countdown = 0;
    ASSERT_FALSE(loaded) << n;
    ASSERT_EQ(loaded.error().front().kind, ErrorKind::internal) << n;
  }
}

TEST(FailedCheckElsewhere, OfASolveIsAStatus) {
  const Scene s = scene("box_on_box");
  Simulator sim = simulator(s);
  const Problem problem = sim.step(s.simulation.step).solves.front().problem;
  SolverWorkspace workspace;
  Solution expected;
  solve(problem, Auto{}, workspace, expected);
  ASSERT_EQ(expected.status, SolveStatus::solved);
  const std::int64_t checks = checks_of([&] {
    Solution solution;
    solve(problem, Auto{}, workspace, solution);
  });
  ASSERT_GT(checks, 20);
  for (std::int64_t n = 1; n <= checks; ++n) {
    Solution solution;
    check_fault::countdown = n;
    solve(problem, Auto{}, workspace, solution);
    check_fault::countdown = 0;
    ASSERT_EQ(solution.status, SolveStatus::internal_error) << n;
    ASSERT_FALSE(solution.message.empty());
    ASSERT_EQ(solution.lambda.size(), 0) << n;
    solve(problem, Auto{}, workspace, solution);
    ASSERT_EQ(solution.lambda, expected.lambda) << n;
  }
}

// The program: exit code 1, with all that it takes to find the fault; the trace stays valid.
class FailedCheckOfTheProgram : public CommandLine {
 protected:
  Outcome run_with_fault(std::int64_t n, const std::vector<std::string>& words) const {
    ::setenv("CAIRN_FAIL_CHECK", std::to_string(n).c_str(), 1);
    const Outcome outcome = run(words);
    ::unsetenv("CAIRN_FAIL_CHECK");
    return outcome;
  }
};

TEST_F(FailedCheckOfTheProgram, NamesSceneStepPlaceAndCommand) {
  const std::string file = CAIRN_SOURCE_DIR "/scenes/bouncing_ball.json";
  const std::string out = path("out");
  int in_a_step = 0;
  for (std::int64_t n = 1; n < 40000; n = n * 3 / 2 + 1) {
    fs::remove_all(out);
    const Outcome o = run_with_fault(n, {"run", file, "--out", out, "--quiet"});
    ASSERT_EQ(o.code, 1) << n << o.err;
    EXPECT_NE(o.err.find("src/"), std::string::npos) << o.err;
    EXPECT_NE(o.err.find("cairn run " + file + " --out " + out), std::string::npos) << o.err;
    if (o.err.find(": step ") == std::string::npos) continue;
    ++in_a_step;
    EXPECT_NE(o.err.find(file + ": step "), std::string::npos) << o.err;
    const Result<CheckReport> checked = check_trace(out + "/trace.cairn");
    ASSERT_TRUE(checked) << n;
    EXPECT_EQ(checked->finding_count, 0) << n;
    EXPECT_EQ(Json::parse(read(out + "/summary.json"))["status"], "stopped");
  }
  EXPECT_GT(in_a_step, 5);
}

TEST_F(FailedCheckOfTheProgram, EndsEveryCommandWithOne) {
  const std::string file = CAIRN_SOURCE_DIR "/scenes/bouncing_ball.json", out = path("out");
  ASSERT_EQ(run({"run", file, "--out", out, "--quiet"}).code, 0);
  const std::vector<std::vector<std::string>> commands = {
      {"info", file}, {"compare", file}, {"order", file}, {"check", out + "/trace.cairn"}};
  for (const auto& words : commands) {
    const Outcome o = run_with_fault(20, words);
    EXPECT_EQ(o.code, 1) << words[0] << o.err;
    EXPECT_NE(o.err.find("cairn " + words[0]), std::string::npos) << o.err;
  }
}

#endif

}  // namespace
}  // namespace cairn::test_internal_error
