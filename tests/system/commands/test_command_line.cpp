// The program as a user or a script meets it: exit codes, summaries, error lines.
#include <algorithm>

#include "system/commands/command_line.hpp"

namespace cairn::test_command_line {
namespace {

TEST_F(CommandLine, RunSucceedsAndSaysSo) {
  const Outcome outcome = run({"run", write("disc.json", disc_scene)});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out.compare(0, 9, "accepted:"), 0) << outcome.out;
  EXPECT_NE(outcome.out.find("20"), std::string::npos);
  // No progress line, no escape codes: this is no terminal.
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(outcome.out.find('\r'), std::string::npos);
  EXPECT_EQ(outcome.out.find('\x1b'), std::string::npos);
}

TEST_F(CommandLine, RunAsJsonHasTheFieldsOfTheSummary) {
  const Outcome outcome = run({"run", write("disc.json", disc_scene), "--json"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  const Json json = Json::parse(outcome.out, nullptr, false);
  ASSERT_TRUE(json.is_object()) << outcome.out;
  EXPECT_TRUE(json["cairn"].is_string());
  EXPECT_EQ(json["scene"], "disc");
  EXPECT_EQ(json["steps"], 20);
  EXPECT_NEAR(json["time"].get<double>(), 0.2, 1e-14);
  EXPECT_EQ(json["status"], "ok");
  EXPECT_LE(json["certificate"]["worst"].get<double>(), 1e-8);
  EXPECT_EQ(json["certificate"]["uncertified_steps"], 0);
  for (const char* pointer :
       {"/certificate/step", "/certificate/row", "/penetration/max", "/penetration/final",
        "/joint_error/max", "/joint_error/final", "/joint_error/max_rad", "/energy/initial",
        "/energy/final", "/energy/max_rise", "/contacts/max", "/contacts/final", "/cpu_ms_per_step",
        "/state_hash"})
    EXPECT_TRUE(json.contains(Json::json_pointer(pointer))) << pointer;
  for (const char* field : {"position", "velocity", "angular_velocity"})
    EXPECT_EQ(json["bodies"]["disc"][field].size(), 3u) << field;
  EXPECT_EQ(json["bodies"]["disc"]["orientation"].size(), 4u);
}

// The same command twice: the same state to the last bit.
TEST_F(CommandLine, RunsRepeatBitForBit) {
  const std::string scene = write("disc.json", disc_scene);
  const Json a = Json::parse(run({"run", scene, "--json"}).out);
  const Json b = Json::parse(run({"run", scene, "--json"}).out);
  EXPECT_EQ(a["state_hash"], b["state_hash"]);
  EXPECT_EQ(a["bodies"], b["bodies"]);
}

TEST_F(CommandLine, SetChangesTheScene) {
  const std::string scene = write("disc.json", disc_scene);
  const Json json = Json::parse(
      run({"run", scene, "--json", "--set", "simulation.step=0.02", "--set", "gravity=[0,0,0]"})
          .out);
  EXPECT_EQ(json["steps"], 10);
  EXPECT_EQ(json["bodies"]["disc"]["position"][1], 0.51);  // nothing pulls it down
}

TEST_F(CommandLine, UncertifiedRunFails) {
  const std::string out = path("results");
  const Outcome outcome =
      run({"run", CAIRN_SOURCE_DIR "/scenes/tower10.json", "--out", out, "--set",
           "simulation.duration=0.1", "--set", "simulation.solver.type=nsgs", "--set",
           "simulation.solver.max_sweeps=1"});
  EXPECT_EQ(outcome.code, 4) << outcome.out;
  EXPECT_EQ(outcome.out.compare(0, 13, "NOT CERTIFIED"), 0) << outcome.out;
  EXPECT_EQ(Json::parse(read(out + "/summary.json"))["status"], "uncertified");
  // The worst problems are kept for `cairn solve`.
  int kept = 0;
  for (const auto& entry : fs::directory_iterator(out))
    kept += entry.path().filename().string().rfind("failed_problem_", 0) == 0 ? 1 : 0;
  EXPECT_GE(kept, 1);
  EXPECT_LE(kept, 3);
}

TEST_F(CommandLine, UnmetExpectationFails) {
  const std::string scene = write(
      "disc.json", replaced(disc_scene, "\"simulation\"",
                            "\"expect\": [{\"quantity\": \"penetration.max\", \"at_least\": 1}],\n"
                            "  \"simulation\""));
  const Outcome outcome = run({"run", scene});
  EXPECT_EQ(outcome.code, 4);
  EXPECT_NE(outcome.out.find("penetration.max"), std::string::npos);
}

TEST_F(CommandLine, ForceThatIsNotANumberStopsTheRun) {
  const std::string scene =
      write("disc.json", replaced(disc_scene, "\"simulation\"",
                                  "\"forces\": [{\"type\": \"force\", \"body\": \"disc\", "
                                  "\"value\": [\"sqrt(0.105 - t)\", 0, 0]}],\n  \"simulation\""));
  const std::string out = path("results");
  const Outcome outcome = run({"run", scene, "--out", out});
  EXPECT_EQ(outcome.code, 4) << outcome.err;
  const Json summary = Json::parse(read(out + "/summary.json"));
  EXPECT_EQ(summary["status"], "stopped");
  EXPECT_EQ(summary["reason"], "not_finite");
  EXPECT_NE(outcome.out.find("'disc'"), std::string::npos);
  EXPECT_EQ(read(out + "/summary.json").find("nan"), std::string::npos);
  EXPECT_EQ(run({"check", out + "/trace.cairn"}).code, 0);  // what was recorded is true
}

TEST_F(CommandLine, UnknownKeyGetsASuggestion) {
  const std::string scene = write("disc.json", replaced(disc_scene, "\"mass\"", "\"masss\""));
  expect_error(run({"run", scene}), 3, ErrorCode::unknown_key, {scene + ":6:", "masss", "'mass'"});
}

TEST_F(CommandLine, MassZeroGetsARemedy) {
  const std::string scene = write("disc.json", replaced(disc_scene, "\"mass\": 1", "\"mass\": 0"));
  expect_error(run({"run", scene}), 3, ErrorCode::out_of_range,
               {scene + ":6:", "mass", "0 kg", "1e+30 kg"});
}

TEST_F(CommandLine, MissingFileGetsTheNearestName) {
  const std::string scene = write("disc.json", disc_scene);
  expect_error(run({"run", path("dics.json")}), 3, ErrorCode::not_found,
               {"dics.json", "disc.json"});
  expect_error(run({"run", folder_.string()}), 3, ErrorCode::not_a_file, {folder_.string()});
  expect_error(run({"check", path("no.cairn")}), 3, ErrorCode::not_found, {"no.cairn"});
}

TEST_F(CommandLine, BrokenFilesAreTold) {
  expect_error(run({"run", write("a.json", "")}), 3, ErrorCode::empty, {"a.json"});
  expect_error(run({"run", write("b.json", "{\"cairn\": 1,\n  \"name\": }")}), 3, ErrorCode::syntax,
               {"b.json:2:"});
  expect_error(run({"run", write("c.json", replaced(disc_scene, "0.01", "0"))}), 3,
               ErrorCode::out_of_range, {"c.json:8:", "simulation.step", "1e-12 to 1000"});
  expect_error(
      run({"run", write("d.json", replaced(disc_scene, "\"mass\": 1", "\"mass\": \"1\""))}), 3,
      ErrorCode::wrong_type, {"d.json:6:", "mass", "\"1\""});
}

// All faults of a file in one run.
TEST_F(CommandLine, AllFaultsAreToldAtOnce) {
  const std::string text = replaced(replaced(disc_scene, "\"mass\": 1", "\"mass\": -1"),
                                    "\"friction\": 0.3", "\"friction\": -0.3");
  const Outcome outcome = run({"run", write("disc.json", text)});
  expect_error(outcome, 3, ErrorCode::out_of_range, {"mass", "friction"});
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 2) << outcome.err;
}

TEST_F(CommandLine, BadSetIsTold) {
  const std::string scene = write("disc.json", disc_scene);
  expect_error(run({"run", scene, "--set", "simulation.stepp=1"}), 2, ErrorCode::unknown_key,
               {"stepp", "'step'"});
  expect_error(run({"run", scene, "--set", "simulation.step=0"}), 2, ErrorCode::out_of_range,
               {"simulation.step"});
  expect_error(run({"run", scene, "--set", "simulation.step"}), 2, ErrorCode::invalid_argument,
               {"KEY=VALUE"});
}

TEST_F(CommandLine, WrongUsageIsTold) {
  const std::string scene = write("disc.json", disc_scene);
  expect_error(run({}), 2, ErrorCode::invalid_argument, {"--help"});
  expect_error(run({"rnu", scene}), 2, ErrorCode::unknown_choice, {"rnu", "'run'"});
  expect_error(run({"run"}), 2, ErrorCode::incomplete, {"SCENE"});
  expect_error(run({"run", scene, "--outt", "x"}), 2, ErrorCode::invalid_argument, {"--outt"});
  expect_error(run({"run", scene, "--out"}), 2, ErrorCode::invalid_argument, {"--out"});
  expect_error(run({"solve", scene, "--solver", "newtn"}), 2, ErrorCode::unknown_choice,
               {"newtn", "'newton'"});
  expect_error(run({"solve", scene, "--tolerance", "0"}), 2, ErrorCode::out_of_range,
               {"--tolerance"});
}

TEST_F(CommandLine, HelpAndVersionSucceed) {
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"--help"}, {"--version"}, {"run", "--help"}}) {
    const Outcome outcome = run(words);
    EXPECT_EQ(outcome.code, 0);
    EXPECT_NE(outcome.out, "");
  }
}

TEST_F(CommandLine, BodiesInsideEachOtherAreWarnedOf) {
  const std::string scene =
      write("disc.json", replaced(disc_scene, "[0, 0.51, 0]", "[0, 0.25, 0]"));
  const Outcome outcome = run({"run", scene});
  EXPECT_EQ(outcome.code, 4) << outcome.err;  // half of the disc is in the plank
  for (const char* word : {"warning: ", "'disc'", "'plank'", "0.25 m", "3.13 m/s"})
    EXPECT_NE(outcome.err.find(word), std::string::npos) << word << " not in " << outcome.err;
  EXPECT_EQ(run({"run", scene, "--quiet"}).err, "");
  EXPECT_NE(run({"info", scene}).out.find("0.25 m"), std::string::npos);
}

// A lattice whose spacing lost its size: half a million pairs, no step of which would end.
TEST_F(CommandLine, CrowdsInOnePlaceAreRefused) {
  const std::string file = write("crowd.json", R"({
  "cairn": 1, "name": "crowd",
  "bodies": [],
  "generate": [{"type": "lattice", "name": "ball", "count": [10, 10, 10], "spacing": 1e-9,
                  "of": {"mass": 1, "shapes": [{"type": "sphere", "radius": 0.1}]}}],
  "simulation": {"step": 0.01, "duration": 1}
})");
  expect_error(run({"run", file}), 3, ErrorCode::overlap, {"crowd.json", "499500"});
}

TEST_F(CommandLine, StepsLongForTheBodiesAreWarnedOf) {
  const std::string scene = write("disc.json", disc_scene);
  const Outcome outcome =
      run({"run", scene, "--set", "simulation.step=10", "--set", "simulation.duration=100"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  for (const char* word : {"warning: ", "'disc'", "981 m"})
    EXPECT_NE(outcome.err.find(word), std::string::npos) << word << " not in " << outcome.err;
}

// Marks that turn the direction of writing stay in the data, but not on the terminal.
TEST_F(CommandLine, NamesCannotTurnTheLineAround) {
  const std::string name =
      "a\xE2\x80\xAE"
      "b";
  const std::string named = replaced(disc_scene, "\"disc\", \"dof\"", "\"" + name + "\", \"dof\"");
  const std::string scene = replaced(named, "\"simulation\"",
                                     "\"expect\": [{\"quantity\": \"bodies." + name +
                                         ".position[1]\", \"at_least\": 1}],\n  \"simulation\"");
  const Outcome outcome = run({"run", write("disc.json", scene), "--out", path("results")});
  EXPECT_EQ(outcome.out.find("\xE2\x80\xAE"), std::string::npos);
  EXPECT_NE(outcome.out.find("a\\u202eb"), std::string::npos) << outcome.out;
  EXPECT_TRUE(Json::parse(read(path("results/summary.json")))["bodies"].contains(name));
}

// The law is told wherever the certificate is: nobody takes the relaxation for Coulomb's law.
TEST_F(CommandLine, RelaxedRunNamesItsLaw) {
  const std::string scene = write("disc.json", disc_scene);
  const Outcome outcome =
      run({"run", scene, "--set", "simulation.scheme.type=relaxed", "--out", path("r")});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("coulomb_relaxed"), std::string::npos);
  EXPECT_NE(read(path("r/report.html")).find("coulomb_relaxed"), std::string::npos);
  EXPECT_EQ(run({"check", path("r/trace.cairn")}).code, 0);
}

TEST_F(CommandLine, SchemaIsJson) {
  const Outcome outcome = run({"schema"});
  EXPECT_EQ(outcome.code, 0);
  const Json schema = Json::parse(outcome.out, nullptr, false);
  ASSERT_TRUE(schema.is_object());
  EXPECT_TRUE(schema.contains("$schema"));
  EXPECT_TRUE(schema["properties"].contains("bodies"));
}

}  // namespace
}  // namespace cairn::test_command_line
