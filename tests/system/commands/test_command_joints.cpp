// What `cairn run` and `cairn info` say of joints, projections and energies.
#include "system/commands/command_line.hpp"

namespace cairn::test_command_joints {
namespace {

// A bar on a hinge, said once or twice; welds as asked.
std::string bar_scene(const std::string& joints) {
  return R"({
  "cairn": 1, "name": "bar", "gravity": [0, 0, -9.81],
  "bodies": [{"name": "bar", "mass": 1, "inertia": [0.1, 0.1, 0.1], "position": [1, 0, 0]}],
  "joints": [)" +
         joints + R"(],
  "simulation": {"step": 0.01, "duration": 0.2}
})";
}

constexpr const char* hinge = R"({"type": "revolute", "name": "NAME", "axis": [0, 1, 0],
  "bodies": ["world", "bar"], "anchors": [[0, 0, 0], [-1, 0, 0]]})";
constexpr const char* weld = R"({"type": "fixed", "name": "NAME", "bodies": ["world", "bar"],
  "anchors": [[1, 0, HEIGHT], [0, 0, 0]]})";

TEST_F(CommandLine, RankOfTheJointsIsReported) {
  const std::string file = write(
      "twice.json", bar_scene(replaced(hinge, "NAME", "a") + "," + replaced(hinge, "NAME", "b")));
  const Json info = Json::parse(run({"info", file, "--json"}).out);
  EXPECT_EQ(info["joint_rank"]["rows"], 10);
  EXPECT_EQ(info["joint_rank"]["rank"], 5);
  EXPECT_EQ(info["joint_rank"]["redundant"], (Json{{"b", 5}}));
  EXPECT_EQ(run({"info", file}).code, 0);

  const Outcome outcome = run({"run", file, "--out", path("out")});
  EXPECT_EQ(outcome.code, 0) << outcome.out << outcome.err;
  const Json summary = Json::parse(read(path("out") + "/summary.json"));
  EXPECT_EQ(summary["joints"]["rank"], 5);
  EXPECT_EQ(summary["joints"]["redundant"]["b"], 5);
}

TEST_F(CommandLine, ContradictingJointsAreNamed) {
  const auto at = [](const char* name, const char* height) {
    return replaced(replaced(weld, "NAME", name), "HEIGHT", height);
  };
  // At the start: the description is refused.
  const std::string welds =
      write("welds.json", bar_scene(at("low", "0") + "," + at("high", "0.5")));
  expect_error(run({"run", welds}), 4, ErrorCode::contradiction,
               {"'low'", "'high'", "0.5 m", "joints[1].anchors"});
  // A rod that does not reach is told by its length.
  const std::string rod = R"({"type": "distance", "name": "NAME", "length": 1,
    "bodies": ["world", "bar"], "anchors": [[PLACE, 0, 0], [0, 0, 0]]})";
  const auto from = [&](const char* name, const char* place) {
    return replaced(replaced(rod, "NAME", name), "PLACE", place);
  };
  const std::string rods =
      write("rods.json", bar_scene(from("left", "0") + "," + from("right", "3")));
  expect_error(run({"run", rods}), 3, ErrorCode::open_joint, {"joints[1].length", "1 m"});
}

// A contradiction that only comes in the run stops it, with and without projection, and the record
// is complete.
TEST_F(CommandLine, JointsThatComeToContradictEachOtherAreNamed) {
  const std::string file = write("sledge.json", R"json({"cairn": 1, "bodies": [
    {"name": "block", "mass": 1, "inertia": [1, 1, 1]},
    {"name": "sledge", "motion": {"position": ["max(0, t - 0.05)", 0, 0]}}],
    "joints": [{"type": "fixed", "name": "anchor", "bodies": ["world", "block"]},
               {"type": "fixed", "name": "tow", "bodies": ["sledge", "block"]}],
    "simulation": {"step": 0.01, "duration": 1}})json");
  for (const char* projection : {"true", "false"}) {
    const std::string out = path(std::string("sledge_") + projection);
    const Outcome outcome = run({"run", file, "--out", out, "--set",
                                 "simulation.scheme.projection=" + std::string(projection)});
    EXPECT_EQ(outcome.code, 4) << outcome.out << outcome.err;
    for (const char* name : {"'anchor'", "'tow'", "0.005 m"})
      EXPECT_NE(outcome.out.find(name), std::string::npos) << outcome.out;
    const Json summary = Json::parse(read(out + "/summary.json"));
    EXPECT_EQ(summary["status"], "stopped");
    EXPECT_EQ(summary["reason"], "contradiction");
    EXPECT_EQ(summary["steps"], 5);
    EXPECT_EQ(run({"check", out + "/trace.cairn"}).code, 0);
  }
}

// Velocities that are numbers with an energy that is none.
TEST_F(CommandLine, EnergyBeyondAllNumbersStopsTheRun) {
  const std::string file = write("rocket.json", R"json({"cairn": 1, "bodies": [
    {"name": "rocket", "mass": 1, "shapes": [{"type": "sphere", "radius": 1}]}],
    "forces": [{"type": "force", "body": "rocket", "value": ["exp(1000*t)", 0, 0]}],
    "simulation": {"step": 0.01, "duration": 1}})json");
  const std::string out = path("rocket");
  const Outcome outcome = run({"run", file, "--out", out, "--quiet"});
  EXPECT_EQ(outcome.code, 4) << outcome.out << outcome.err;
  EXPECT_NE(outcome.out.find("'rocket'"), std::string::npos) << outcome.out;
  EXPECT_EQ(Json::parse(read(out + "/summary.json"))["reason"], "energy_overflow");
  for (const char* name : {"/summary.json", "/steps.csv", "/report.html"}) {
    const std::string text = read(out + name);
    for (const char* word : {"inf,", ",inf", "nan,", ": null"})
      EXPECT_EQ(text.find(word), std::string::npos) << name;
  }
  EXPECT_EQ(run({"check", out + "/trace.cairn"}).code, 0);
}

// The verdict on the projection of contacts: in the text, the summary, the report, and in what
// `check` says it has to believe.
TEST_F(CommandLine, ProjectionsOfContactsAreJudged) {
  const std::string file = write("wedged.json", R"json({"cairn": 1, "bodies": [
    {"name": "left", "fixed": true, "position": [-0.4, 0, 0], "shapes": [{"type": "halfspace", "normal": [1, 0, 0]}]},
    {"name": "right", "fixed": true, "position": [WHERE, 0, 0], "shapes": [{"type": "halfspace", "normal": [-1, 0, 0]}]},
    {"name": "disc", "dof": "x y rz", "mass": 1, "shapes": [{"type": "disc", "radius": 0.5}]}],
    "simulation": {"scheme": {"type": "euler", "gamma": 0, "project_contacts": true},
                   "verdict": {"overlap": 1}, "step": 0.01, "duration": 0.05}})json");
  for (const bool wedged : {true, false}) {
    const std::string scene =
        write("where.json", replaced(read(file), "WHERE", wedged ? "0.4" : "4"));
    const std::string out = path(wedged ? "wedged" : "free");
    const Outcome outcome = run({"run", scene, "--out", out, "--quiet"});
    EXPECT_EQ(outcome.code, wedged ? 4 : 0) << outcome.out << outcome.err;
    const Json verdict = Json::parse(read(out + "/summary.json"))["contact_projection"];
    EXPECT_GE(verdict["solves"], 1);
    EXPECT_EQ(verdict["uncertified"] > 0, wedged);
    EXPECT_EQ(verdict["worst"] > 1e-8, wedged);
    const Outcome checked = run({"check", out + "/trace.cairn", "--json"});
    EXPECT_EQ(checked.code, 0) << checked.out;
    EXPECT_GE(Json::parse(checked.out)["unjudged_projections"], 1);
  }
}

// What the new options do to states and reports is what `check` expects of a trace.
TEST_F(CommandLine, CheckAgreesWithNonlinearAndProjectedRuns) {
  for (const char* option : {"nonlinear", "project_contacts"})
    for (const char* scene : {"ellipse", "tumbling_box", "slider_crank"}) {
      const std::string out = path(std::string(option) + scene);
      const Outcome outcome =
          run({"run", CAIRN_SOURCE_DIR "/scenes/" + std::string(scene) + ".json", "--set",
               "simulation.scheme." + std::string(option) + "=true", "--set",
               "simulation.duration=1", "--set", "expect=[]", "--out", out});
      EXPECT_EQ(outcome.code, 0) << option << ' ' << scene << '\n' << outcome.out << outcome.err;
      const Outcome checked = run({"check", out + "/trace.cairn"});
      EXPECT_EQ(checked.code, 0) << option << ' ' << scene << '\n' << checked.out;
    }
}

}  // namespace
}  // namespace cairn::test_command_joints
