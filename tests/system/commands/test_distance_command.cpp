// cairn distance as a user meets it: numbers, shapes by number, errors and exit codes.
#include "system/commands/command_line.hpp"

namespace cairn::test_distance_command {
namespace {

constexpr const char* distance_scene = R"({
  "cairn": 1, "name": "pairs", "gravity": [0, 0, -10],
  "bodies": [
    {"name": "floor", "fixed": true, "shapes": [{"type": "halfspace", "normal": [0, 0, 1]}]},
    {"name": "lower", "mass": 1, "position": [0, 0, 0.5], "shapes": [{"type": "box", "size": [2, 2, 1]}]},
    {"name": "upper", "mass": 1, "position": [0, 0, 1.75], "shapes": [{"type": "box", "size": [1, 1, 1]},
      {"type": "sphere", "radius": 0.1, "position": [0, 0, 2]}]},
    {"name": "disc", "dof": "x y rz", "mass": 1, "position": [9, 0, 1], "shapes": [{"type": "disc", "radius": 0.5}]}
  ],
  "no_contact": [["disc", "lower"], ["disc", "upper"]],
  "simulation": {"step": 0.01, "duration": 1}
})";

class DistanceCommandLine : public CommandLine {
 protected:
  Outcome ask(std::vector<std::string> words) {
    words.insert(words.begin(), {"distance", write("pairs.json", distance_scene)});
    return run(words);
  }
  std::string code(std::vector<std::string> words, int exit) {
    const Outcome outcome = ask(std::move(words));
    EXPECT_EQ(outcome.code, exit) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    return outcome.err.substr(outcome.err.rfind('[') + 1);
  }
};

// Boxes 0.25 m apart with heights 1/2: r = 1.25, rho = 1/5; the rows of the gradients are those of
// a translation along z.
TEST_F(DistanceCommandLine, GivesTheNumbersOfStackedBoxes) {
  const Outcome outcome = ask({"lower", "upper", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const Json json = Json::parse(outcome.out);
  EXPECT_NEAR(json["gap"].get<double>(), 0.25, 1e-14);
  EXPECT_NEAR(json["distance"].get<double>(), 0.25, 1e-14);
  EXPECT_EQ(json["depth"], 0.0);
  EXPECT_EQ(json["a"]["body"], "lower");
  EXPECT_EQ(json["b"]["shape"], 0);
  EXPECT_NEAR(json["b"]["point"][2].get<double>(), 1.25, 1e-14);
  EXPECT_NEAR(json["normal"][2].get<double>(), 1, 1e-14);
  ASSERT_EQ(json["gradient"]["a"].size(), 6u);
  EXPECT_NEAR(json["gradient"]["b"][2].get<double>(), 1, 1e-14);
  EXPECT_NEAR(json["ratio"]["r"].get<double>(), 1.25, 1e-14);
  EXPECT_NEAR(json["ratio"]["rho"].get<double>(), 0.2, 1e-14);
  EXPECT_EQ(json["ratio"]["events"].size(), 4u);
  EXPECT_EQ(json["ratio"]["events"][0]["kind"], "face-vertex");
  EXPECT_NEAR(json["ratio"]["gradient"]["r"]["b"][2].get<double>(), 1, 1e-13);
}

TEST_F(DistanceCommandLine, TakesShapesAssignmentsAndTimes) {
  Json json = Json::parse(ask({"lower", "upper[1]", "--json"}).out);
  EXPECT_NEAR(json["gap"].get<double>(), 2.65, 1e-14);
  EXPECT_TRUE(json["ratio"].is_null());
  json = Json::parse(
      ask({"lower", "upper", "--json", "--set", "bodies.upper.position=[0,0,1.25]"}).out);
  EXPECT_NEAR(json["depth"].get<double>(), 0.25, 1e-14);
  EXPECT_NEAR(json["ratio"]["r"].get<double>(), 0.75, 1e-14);
  // Free fall of Euler steps: h^2 g (1 + 2 + ... + n) after n.
  json = Json::parse(ask({"upper", "floor", "--json", "--at", "0.05"}).out);
  EXPECT_NEAR(json["time"].get<double>(), 0.05, 1e-12);
  EXPECT_NEAR(json["gap"].get<double>(), 1.25 - 1e-3 * 15, 1e-12);
  const std::string text = ask({"lower", "upper"}).out;
  for (const char* word : {"distance", "r = 1.25", "rho = 0.2", "face-vertex", "rotation"})
    EXPECT_NE(text.find(word), std::string::npos) << word;
}

TEST_F(DistanceCommandLine, RefusesWhatHasNoDistance) {
  EXPECT_EQ(code({"lower", "uper"}, 2), "unknown_name]\n");
  EXPECT_NE(ask({"lower", "uper"}).err.find("'upper'"), std::string::npos);
  EXPECT_EQ(code({"lower", "upper[2]"}, 2), "unknown_name]\n");
  EXPECT_EQ(code({"lower", "lower"}, 2), "conflict]\n");
  EXPECT_EQ(code({"lower", "disc"}, 3), "wrong_dimension]\n");
  EXPECT_EQ(run({"distance", path("none.json"), "a", "b"}).code, 3);
  EXPECT_EQ(ask({"lower"}).code, 2);
}

}  // namespace
}  // namespace cairn::test_distance_command
