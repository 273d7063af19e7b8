// The program as a user or a script meets it: exit codes, error lines, files, signals.
#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sstream>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cairn/trace.hpp"

namespace cairn {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

std::string read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

struct Outcome {
  int code = -1;         // exit code; 1000 + signal if it was killed
  std::string out, err;  // what it printed
};

// A folder of its own for each test, removed at the end.
class CommandLine : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::temp_directory_path() /
              ("cairn_cli_" + std::string(test->name()) + "_" + std::to_string(::getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
    return path(name);
  }

  // Starts the program with its output in files: nothing of it is a terminal.
  pid_t start(const std::vector<std::string>& words) const {
    std::vector<std::string> all = {CAIRN_PROGRAM};
    all.insert(all.end(), words.begin(), words.end());
    std::vector<char*> argv;
    for (std::string& word : all) argv.push_back(word.data());
    argv.push_back(nullptr);
    const std::string out = path("stdout"), err = path("stderr");
    const int flags = O_WRONLY | O_CREAT | O_TRUNC;
    const pid_t child = ::fork();
    if (child == 0) {
      ::dup2(::open("/dev/null", O_RDONLY), STDIN_FILENO);
      ::dup2(::open(out.c_str(), flags, 0600), STDOUT_FILENO);
      ::dup2(::open(err.c_str(), flags, 0600), STDERR_FILENO);
      ::execv(argv[0], argv.data());
      ::_exit(127);
    }
    EXPECT_GT(child, 0);
    return child;
  }
  Outcome wait(pid_t child) const {
    int status = 0;
    ::waitpid(child, &status, 0);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status), read(path("stdout")),
            read(path("stderr"))};
  }
  Outcome run(const std::vector<std::string>& words) const { return wait(start(words)); }

  fs::path folder_;
};

// A disc that falls on a plank: 20 steps.
constexpr const char* disc_scene = R"({
  "cairn": 1, "name": "disc", "gravity": [0, -9.81, 0],
  "materials": {"default": {"friction": 0.3}},
  "bodies": [
    {"name": "plank", "fixed": true, "shapes": [{"type": "halfspace", "normal": [0, 1, 0]}]},
    {"name": "disc", "dof": "x y rz", "mass": 1, "position": [0, 0.51, 0],
     "shapes": [{"type": "disc", "radius": 0.5}]}],
  "simulation": {"step": 0.01, "duration": 0.2}
})";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t found = text.find(from);
  EXPECT_NE(found, std::string::npos) << from;
  return text.replace(found, from.size(), to);
}

// One line "error: FILE:LINE..." that holds all of the words, and nothing on stdout.
void expect_error(const Outcome& outcome, int code, const std::vector<std::string>& words) {
  EXPECT_EQ(outcome.code, code) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.err.compare(0, 7, "error: "), 0) << outcome.err;
  for (const std::string& word : words)
    EXPECT_NE(outcome.err.find(word), std::string::npos) << word << " not in\n" << outcome.err;
}

// ---- run

TEST_F(CommandLine, RunSucceedsAndSaysSo) {
  const Outcome outcome = run({"run", write("disc.json", disc_scene)});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out.compare(0, 10, "certified:"), 0) << outcome.out;
  EXPECT_NE(outcome.out.find("20 of 20"), std::string::npos);
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

TEST_F(CommandLine, OutFolderGetsCompleteFilesOnly) {
  const std::string out = path("results");
  const Outcome outcome = run({"run", write("disc.json", disc_scene), "--out", out, "--json"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(out)) names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  const std::vector<std::string> expected = {"report.html", "steps.csv", "summary.json",
                                             "trace.cairn"};
  EXPECT_EQ(names, expected);  // no file of a name that says it is partial
  EXPECT_EQ(read(out + "/summary.json"), outcome.out);
  const std::string table = read(out + "/steps.csv");
  EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 21);  // head and 20 steps
  EXPECT_NE(read(out + "/report.html").find("</html>"), std::string::npos);
  EXPECT_EQ(run({"check", out + "/trace.cairn"}).code, 0);
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

// ---- exit code 4: the run is done, but not good

TEST_F(CommandLine, UncertifiedRunFails) {
  const std::string scene = write("disc.json", disc_scene), out = path("results");
  const Outcome outcome =
      run({"run", scene, "--out", out, "--set", "bodies[1].angular_velocity=[0,0,30]", "--set",
           "bodies[1].velocity=[1,0,0]", "--set", "simulation.solver.type=nsgs", "--set",
           "simulation.solver.max_sweeps=1", "--set", "simulation.solver.tolerance=1e-300"});
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
  EXPECT_NE(outcome.out.find("NOT MET"), std::string::npos) << outcome.out;
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
  EXPECT_NE(outcome.out.find("STOPPED"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("disc"), std::string::npos);
  EXPECT_EQ(read(out + "/summary.json").find("nan"), std::string::npos);
  EXPECT_EQ(run({"check", out + "/trace.cairn"}).code, 0);  // what was recorded is true
}

// ---- exit code 3: bad input

TEST_F(CommandLine, UnknownKeyGetsASuggestion) {
  const std::string scene = write("disc.json", replaced(disc_scene, "\"mass\"", "\"masss\""));
  expect_error(run({"run", scene}), 3, {scene + ":6:", "masss", "did you mean", "mass"});
}

TEST_F(CommandLine, MassZeroGetsARemedy) {
  const std::string scene = write("disc.json", replaced(disc_scene, "\"mass\": 1", "\"mass\": 0"));
  expect_error(run({"run", scene}), 3, {scene + ":6:", "mass", "got 0", "allowed", "fix: "});
}

TEST_F(CommandLine, MissingFileGetsTheNearestName) {
  const std::string scene = write("disc.json", disc_scene);
  expect_error(run({"run", path("dics.json")}), 3, {"dics.json", "No such file", "disc.json"});
  expect_error(run({"run", folder_.string()}), 3, {"is a folder"});
  expect_error(run({"check", path("no.cairn")}), 3, {"no.cairn", "No such file"});
}

TEST_F(CommandLine, BrokenFilesAreTold) {
  expect_error(run({"run", write("a.json", "")}), 3, {"a.json"});
  expect_error(run({"run", write("b.json", "{\"cairn\": 1,\n  \"name\": }")}), 3, {"b.json:2:"});
  expect_error(run({"run", write("c.json", replaced(disc_scene, "0.01", "0"))}), 3,
               {"c.json:8:", "step", "got 0", "allowed"});
  expect_error(
      run({"run", write("d.json", replaced(disc_scene, "\"mass\": 1", "\"mass\": \"1\""))}), 3,
      {"d.json:6:", "mass", "number"});
}

// All faults of a file in one run.
TEST_F(CommandLine, AllFaultsAreToldAtOnce) {
  const std::string text = replaced(replaced(disc_scene, "\"mass\": 1", "\"mass\": -1"),
                                    "\"friction\": 0.3", "\"friction\": -0.3");
  const Outcome outcome = run({"run", write("disc.json", text)});
  expect_error(outcome, 3, {"mass", "friction"});
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 2) << outcome.err;
}

TEST_F(CommandLine, BadSetIsTold) {
  const std::string scene = write("disc.json", disc_scene);
  expect_error(run({"run", scene, "--set", "simulation.stepp=1"}), 2, {"stepp", "step"});
  expect_error(run({"run", scene, "--set", "simulation.step=0"}), 2, {"step", "got 0"});
  expect_error(run({"run", scene, "--set", "simulation.step"}), 2, {"KEY=VALUE"});
}

// ---- exit code 2: usage

TEST_F(CommandLine, WrongUsageIsTold) {
  const std::string scene = write("disc.json", disc_scene);
  expect_error(run({}), 2, {"--help"});
  expect_error(run({"rnu", scene}), 2, {"rnu", "did you mean", "run"});
  expect_error(run({"run"}), 2, {"SCENE"});
  expect_error(run({"run", scene, "--outt", "x"}), 2, {"--outt"});
  expect_error(run({"run", scene, "--out"}), 2, {"--out"});
  expect_error(run({"solve", scene, "--solver", "newtn"}), 2, {"newtn", "newton"});
  expect_error(run({"solve", scene, "--tolerance", "0"}), 2, {"--tolerance", "got 0"});
}

TEST_F(CommandLine, HelpAndVersionSucceed) {
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"--help"}, {"--version"}, {"run", "--help"}}) {
    const Outcome outcome = run(words);
    EXPECT_EQ(outcome.code, 0);
    EXPECT_NE(outcome.out, "");
  }
}

// ---- exit code 5: input and output

TEST_F(CommandLine, OutputFolderProblemsAreToldBeforeTheRun) {
  const std::string scene = write("disc.json", disc_scene);
  expect_error(run({"run", scene, "--out", path("no/such/folder")}), 5, {"no/such", "fix: "});
  expect_error(run({"run", scene, "--out", scene}), 5, {"not a folder", "fix: "});
  if (::geteuid() == 0) return;  // no folder is closed to root
  fs::create_directory(path("closed"));
  fs::permissions(path("closed"), fs::perms::owner_read | fs::perms::owner_exec);
  expect_error(run({"run", scene, "--out", path("closed")}), 5, {"closed", "fix: "});
}

// An empty name is a shell variable that is not set, not the wish to write nothing.
TEST_F(CommandLine, EmptyFolderNamesAreTold) {
  const std::string scene = write("disc.json", disc_scene);
  expect_error(run({"run", scene, "--out", ""}), 2, {"--out", "empty"});
  expect_error(run({"run", "--resume", ""}), 2, {"--resume", "empty"});
}

// Results have fixed names; a scene with one of them in the folder of the results would be lost.
TEST_F(CommandLine, ASceneIsNeverWrittenOver) {
  fs::create_directory(path("out"));
  for (const char* name : {"summary.json", "steps.csv", "trace.cairn", "trace.cairn.part",
                           "report.html", "checkpoint.cairn", "failed_problem_7.json"}) {
    const std::string scene = write(std::string("out/") + name, disc_scene);
    expect_error(run({"run", scene, "--out", path("out")}), 5, {name, "own scene", "fix: "});
    EXPECT_EQ(read(scene), disc_scene);
    fs::remove(scene);
  }
  EXPECT_EQ(run({"run", write("out/disc.json", disc_scene), "--out", path("out")}).code, 0);
}

// A second run started by mistake on the folder of the first takes nothing away from it.
TEST_F(CommandLine, ASecondRunInTheSameFolderIsRefusedAndTheFirstLosesNothing) {
  const std::string scene = write("disc.json", disc_scene), out = path("results");
  const pid_t first = start({"run", scene, "--out", out, "--set", "simulation.duration=1e6"});
  std::error_code none;
  for (int i = 0; i < 6000; ++i) {
    if (fs::exists(out + "/trace.cairn.part", none) &&
        fs::file_size(out + "/trace.cairn.part", none) > 20000)
      break;
    ::usleep(10000);
  }
  // A problem that the first could not solve; a report that it is just writing.
  const std::vector<std::string> files = {"failed_problem_3.json", "report.html.part1",
                                          "checkpoint.cairn"};
  for (const std::string& name : files) write("results/" + name, "precious");
  const std::string command = std::string(CAIRN_PROGRAM) + " run " + scene + " --out " + out +
                              " > " + path("out2") + " 2> " + path("err2");
  EXPECT_EQ(WEXITSTATUS(std::system(command.c_str())), 5);
  EXPECT_NE(read(path("err2")).find("another run is writing"), std::string::npos);
  for (const std::string& name : files) EXPECT_EQ(read(out + "/" + name), "precious") << name;
  ::kill(first, SIGTERM);
  EXPECT_EQ(wait(first).code, 143);
  EXPECT_EQ(run({"check", out + "/trace.cairn"}).code, 0);

  // Once it has ended, a new run has the folder to itself and clears it.
  EXPECT_EQ(run({"run", scene, "--out", out}).code, 0);
  for (const std::string& name : files) EXPECT_FALSE(fs::exists(out + "/" + name)) << name;
}

// Known before anything is read: the files have holes, no bytes.
TEST_F(CommandLine, FilesTooLargeAreRefusedUnread) {
  const std::string file = write("large.json", "");
  fs::resize_file(file, std::uintmax_t{1} << 40);
  for (const char* command : {"run", "info", "solve"})
    expect_error(run({command, file}), 6, {"large", "bytes"});
  expect_error(run({"check", file}), 3, {"is not a trace"});
}

TEST_F(CommandLine, PipesDoNotHoldTheReadersOfBinaryFilesAndProblems) {
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  expect_error(run({"check", path("pipe")}), 3, {"is not a trace"});
  expect_error(run({"solve", path("pipe")}), 3, {"not a regular file"});
}

TEST_F(CommandLine, BodiesInsideEachOtherAreWarnedOf) {
  const std::string scene =
      write("disc.json", replaced(disc_scene, "[0, 0.51, 0]", "[0, 0.25, 0]"));
  const Outcome outcome = run({"run", scene});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  for (const char* word : {"warning: ", "'disc'", "'plank'", "0.25 m", "3.13 m/s"})
    EXPECT_NE(outcome.err.find(word), std::string::npos) << word << " not in " << outcome.err;
  EXPECT_EQ(run({"run", scene, "--quiet"}).err, "");
  EXPECT_NE(run({"info", scene}).out.find("overlap by 0.25 m"), std::string::npos);
}

TEST_F(CommandLine, StepsLongForTheBodiesAreWarnedOf) {
  const std::string scene = write("disc.json", disc_scene);
  const Outcome outcome =
      run({"run", scene, "--set", "simulation.step=10", "--set", "simulation.duration=100"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  for (const char* word : {"warning: ", "'disc'", "981 m", "times its size"})
    EXPECT_NE(outcome.err.find(word), std::string::npos) << word << " not in " << outcome.err;
}

// Marks that turn the direction of writing stay in the data, but not on the terminal.
TEST_F(CommandLine, NamesCannotTurnTheLineAround) {
  const std::string name =
      "a\xE2\x80\xAE"
      "b";
  const Outcome outcome = run(
      {"run",
       write("disc.json", replaced(disc_scene, "\"disc\", \"dof\"", "\"" + name + "\", \"dof\"")),
       "--out", path("results")});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out.find("\xE2\x80\xAE"), std::string::npos);
  EXPECT_NE(outcome.out.find("a\\u202eb"), std::string::npos) << outcome.out;
  EXPECT_TRUE(Json::parse(read(path("results/summary.json")))["bodies"].contains(name));
}

TEST_F(CommandLine, FullDeviceIsAFault) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  const std::string scene = write("disc.json", disc_scene);
  const std::string command =
      std::string(CAIRN_PROGRAM) + " run " + scene + " > /dev/full 2> /dev/null";
  EXPECT_EQ(WEXITSTATUS(std::system(command.c_str())), 5);
}

// A reader that closes early, as `head` does, is no fault.
TEST_F(CommandLine, ClosedPipeIsQuiet) {
  const std::string command =
      std::string(CAIRN_PROGRAM) + " schema 2> " + path("errors") + " | head -c 10 > /dev/null";
  EXPECT_EQ(std::system(command.c_str()), 0);
  EXPECT_EQ(read(path("errors")), "");
}

// ---- check

TEST_F(CommandLine, CheckFindsAFlippedByteAndACutFile) {
  const std::string out = path("results");
  ASSERT_EQ(run({"run", write("disc.json", disc_scene), "--out", out}).code, 0);
  const std::string bytes = read(out + "/trace.cairn");
  const Json good = Json::parse(run({"check", out + "/trace.cairn", "--json"}).out);
  EXPECT_TRUE(good["ok"].get<bool>());
  EXPECT_EQ(good["frames"], 21);
  EXPECT_EQ(good["finding_count"], 0);

  for (const double place : {0.3, 0.5, 0.9}) {
    std::string flipped = bytes;
    const auto at = static_cast<std::size_t>(place * static_cast<double>(bytes.size()));
    flipped[at] = static_cast<char>(flipped[at] ^ 1);
    EXPECT_EQ(run({"check", write("flipped.cairn", flipped)}).code, 4) << place;
  }
  const Outcome cut =
      run({"check", write("cut.cairn", bytes.substr(0, bytes.size() - 500)), "--json"});
  EXPECT_EQ(cut.code, 4);
  const Json json = Json::parse(cut.out);
  EXPECT_FALSE(json["complete"].get<bool>());
  EXPECT_LT(json["frames"].get<int>(), 21);
  expect_error(run({"check", write("text.cairn", "no trace at all")}), 3, {"text.cairn"});
}

// ---- solve, info, schema

TEST_F(CommandLine, SolveReturnsTheVerdict) {
  const std::string problem = CAIRN_SOURCE_DIR "/tests/problems/cannonball66-settling-149.json";
  const Outcome good = run({"solve", problem, "--json"});
  EXPECT_EQ(good.code, 0) << good.err;
  const Json json = Json::parse(good.out);
  EXPECT_EQ(json["status"], "certified");
  EXPECT_LE(json["certificate"]["worst"].get<double>(), 1e-8);
  EXPECT_EQ(json["v"].size(), 198u);  // 66 discs
  const Outcome bad = run({"solve", problem, "--tolerance", "1e-300"});
  EXPECT_EQ(bad.code, 4);
  EXPECT_EQ(bad.out.compare(0, 13, "NOT CERTIFIED"), 0) << bad.out;
  expect_error(run({"solve", write("p.json", "{\"cairn_problem\": 1}")}), 3, {"p.json"});
}

// A beam on three supports, the middle one under the weight: the outer ones carry up to half of it.
TEST_F(CommandLine, SolveTellsWhatIsNotUnique) {
  const std::string beam = write("beam.json", R"({"cairn_problem": 1,
    "units": {"mass": 1, "length": 1, "time": 0.5},
    "bodies": [{"A": [[2, 0], [0, 1]], "k": [-4, 0]}],
    "constraints": [
      {"name": "left", "law": "nonnegative", "bodies": [-1, 0], "J": [[], [[1, -1]]], "b": [0]},
      {"name": "middle", "law": "nonnegative", "bodies": [-1, 0], "J": [[], [[1, 0]]], "b": [0]},
      {"name": "right", "law": "nonnegative", "bodies": [-1, 0], "J": [[], [[1, 1]]], "b": [0]}]})");
  const Outcome done =
      run({"solve", beam, "--rank", "--least-norm", "--intervals", "--jamming", "--json"});
  EXPECT_EQ(done.code, 0) << done.err;
  const Json json = Json::parse(done.out);
  EXPECT_EQ(json["status"], "certified");
  EXPECT_EQ(json["rank"]["rows"], 3);
  EXPECT_EQ(json["rank"]["rank"], 2);
  EXPECT_EQ(json["unique"], false);
  const double largest[] = {2, 4, 2};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(json["intervals"][i]["min"][0].get<double>(), 0, 1e-13);
    EXPECT_NEAR(json["intervals"][i]["max"][0].get<double>(), largest[i], 1e-13);
    EXPECT_NEAR(json["constraints"][i]["lambda"][0].get<double>(), 4.0 / 3, 1e-13);
  }
  EXPECT_EQ(json["least_norm"]["taken"], true);
  EXPECT_NEAR(json["resultants"]["bodies"][0][0].get<double>(), 4, 1e-13);
  EXPECT_EQ(json["jamming"]["pointed"], true);

  const Outcome table = run({"solve", beam, "--intervals", "--jamming"});
  for (const char* words : {"2 of 3 active rows", "degree 1", "middle", "pointed"})
    EXPECT_NE(table.out.find(words), std::string::npos) << words;
  const Outcome plain = run({"solve", beam, "--json"});
  EXPECT_FALSE(Json::parse(plain.out).contains("rank"));
  // Velocities that do not hold say nothing.
  const std::string pile = CAIRN_SOURCE_DIR "/tests/problems/cannonball66-settling-149.json";
  const Outcome bad = run({"solve", pile, "--intervals", "--tolerance", "1e-300"});
  EXPECT_EQ(bad.code, 4);
  EXPECT_NE(bad.out.find("not analysed"), std::string::npos) << bad.out;
  expect_error(run({"solve", beam, "--solver", "all", "--rank"}), 2, {"--solver all", "--rank"});
}

TEST_F(CommandLine, SolveReadsOtherProgramsFilesAndWritesOurs) {
  // M = [2 1; 1 2], q = (-5, -6): z = (4/3, 7/3).
  const std::string lcp = write("lcp.dat", "2\n0\n2\n2\n2 2\n2 1\n1 2\n-5 -6\n");
  const Outcome good = run({"solve", lcp, "--json"});
  EXPECT_EQ(good.code, 0) << good.err;
  const Json json = Json::parse(good.out);
  EXPECT_EQ(json["status"], "certified");
  EXPECT_EQ(json["solver"], "auto");
  EXPECT_GE(json["cpu_ms"].get<double>(), 0);
  for (const char* key : {"natural_map", "complementarity", "cone", "momentum", "equality"})
    EXPECT_LE(json["certificate"][key].get<double>(), 1e-8) << key;
  EXPECT_NEAR(json["constraints"][0]["lambda"][0].get<double>(), 4.0 / 3, 1e-8);

  const Outcome all = run({"solve", lcp, "--solver", "all", "--json"});
  EXPECT_EQ(all.code, 0);
  const Json solvers = Json::parse(all.out)["solvers"];
  EXPECT_GE(solvers.size(), 4u);
  for (const Json& each : solvers) EXPECT_EQ(each["status"], "certified") << each["solver"];
  EXPECT_NE(run({"solve", lcp, "--solver", "all"}).out.find("natural map"), std::string::npos);

  // There and back through both formats that we write.
  const std::string contact =
      write("fc.dat", "3\n1\n0\n3 3\n3 3\n2 0 0\n0 3 0\n0 0 4\n-1 2 0\n0.25\n");
  const std::string fclib = path("fc.hdf5"), text = path("fc.json");
  EXPECT_EQ(run({"solve", contact, "--write", fclib}).code, 0);
  EXPECT_EQ(run({"solve", fclib, "--write", text}).code, 0);
  const Outcome last = run({"solve", text, "--json"});
  EXPECT_EQ(last.code, 0) << last.err;
  EXPECT_NEAR(Json::parse(last.out)["constraints"][0]["lambda"][0].get<double>(), 0.5, 1e-12);
  EXPECT_EQ(run({"info", fclib, "--json"}).code, 0);
  EXPECT_EQ(run({"info", contact}).code, 0);

  // Refusals and faults.
  expect_error(run({"solve", contact, "--solver", "lemke"}), 3, {"lemke", "facets"});
  expect_error(run({"solve", lcp, "--write", fclib}), 3, {"FCLIB", ".json"});
  expect_error(run({"solve", lcp, "--write", path("a.xml")}), 2, {".json", ".hdf5"});
  expect_error(run({"solve", write("cut.dat", "2\n0\n2\n2\n2 2\n2 1\n")}), 3,
               {"cut.dat:5", "cut off"});
  const Outcome none = run({"solve", write("ray.dat", "1 0 1 1 1 1 -1 -1"), "--json"});
  EXPECT_EQ(none.code, 4);
  EXPECT_EQ(Json::parse(none.out)["status"], "ray");
}

TEST_F(CommandLine, InfoTellsScenesTracesAndProblems) {
  const std::string scene = write("disc.json", disc_scene), out = path("results");
  ASSERT_EQ(run({"run", scene, "--out", out}).code, 0);
  for (const std::string& file :
       {scene, out + "/trace.cairn",
        std::string(CAIRN_SOURCE_DIR "/tests/problems/cannonball66-first.json")}) {
    EXPECT_EQ(run({"info", file}).code, 0) << file;
    const Outcome json = run({"info", file, "--json"});
    EXPECT_EQ(json.code, 0);
    EXPECT_TRUE(Json::parse(json.out, nullptr, false).is_object()) << file;
  }
}

// ---- compare

// Every line of the comparison is a run that can be had by itself, to the same bits.
TEST_F(CommandLine, ComparesLawsWithTheFiguresOfSeparateRuns) {
  const std::string scene =
      write("disc.json", replaced(disc_scene, "\"position\": [0, 0.51, 0]",
                                  "\"position\": [0, 0.51, 0], \"velocity\": [2, 0, 0]"));
  const Outcome outcome = run({"compare", scene, "--json", "--out", path("laws.html")});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  const Json json = Json::parse(outcome.out, nullptr, false);
  ASSERT_TRUE(json.is_object()) << outcome.out;
  ASSERT_EQ(json["variants"].size(), 5u);
  for (const Json& variant : json["variants"]) {
    const bool relaxed = variant["law"] == "coulomb_relaxed";
    EXPECT_EQ(relaxed, variant["name"] == "relaxed");
    const std::string scheme = Json{
        {"type", relaxed ? "relaxed" : "euler"},
        {"restitution", "completed"},
        {"facets",
         variant["facets"]}}.dump();
    const Outcome alone = run({"run", scene, "--json", "--set", "simulation.scheme=" + scheme});
    const Json summary = Json::parse(alone.out, nullptr, false);
    ASSERT_TRUE(summary.is_object()) << alone.err;
    EXPECT_EQ(variant["state_hash"], summary["state_hash"]) << variant["name"];
    EXPECT_EQ(variant["certificate"]["worst"], summary["certificate"]["worst"]);
    EXPECT_EQ(variant["penetration"], summary["penetration"]["max"]);
    EXPECT_EQ(variant["energy_final"], summary["energy"]["final"]);
    EXPECT_EQ(variant["solves"], summary["solves"]);
    EXPECT_EQ(summary["friction"]["law"], variant["law"]);
    if (!relaxed) continue;
    EXPECT_EQ(variant["coulomb_residual"], summary["friction"]["coulomb_residual_max"]);
  }
  EXPECT_NE(read(path("laws.html")).find("<svg"), std::string::npos);
}

TEST_F(CommandLine, ComparisonWarnsWhereTheRelaxationIsOff) {
  const std::string scene =
      write("disc.json", replaced(disc_scene, "\"position\": [0, 0.51, 0]",
                                  "\"position\": [0, 0.5, 0], \"velocity\": [2, 0, 0]"));
  const Outcome strict = run({"compare", scene, "--tolerance", "1e-6"});
  EXPECT_EQ(strict.code, 0) << strict.err;
  EXPECT_NE(strict.err.find("warning: relaxed: "), std::string::npos) << strict.err;
  const Outcome lax = run({"compare", scene, "--tolerance", "1e6"});
  EXPECT_EQ(lax.err, "");
  expect_error(run({"compare", path("none.json")}), 3, {"none.json"});
  EXPECT_EQ(run({"compare", scene, "--tolerance", "-1"}).code, 2);
  EXPECT_EQ(run({"compare"}).code, 2);
}

// The law is told wherever the certificate is: nobody takes the relaxation for Coulomb's law.
TEST_F(CommandLine, RelaxedRunNamesItsLaw) {
  const std::string scene = write("disc.json", disc_scene);
  const Outcome outcome =
      run({"run", scene, "--set", "simulation.scheme.type=relaxed", "--out", path("r")});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("coulomb_relaxed, not exact Coulomb"), std::string::npos);
  EXPECT_NE(read(path("r/report.html")).find("not exact Coulomb friction"), std::string::npos);
  EXPECT_EQ(run({"check", path("r/trace.cairn")}).code, 0);
}

// ---- Joints together

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
  EXPECT_NE(run({"info", file}).out.find("rows 10, rank 5, redundant (b 5)"), std::string::npos);

  const Outcome outcome = run({"run", file, "--out", path("out")});
  EXPECT_EQ(outcome.code, 0) << outcome.out << outcome.err;
  EXPECT_NE(outcome.out.find("10 rows, rank 5 (5 redundant: b x5)"), std::string::npos);
  const Json summary = Json::parse(read(path("out") + "/summary.json"));
  EXPECT_EQ(summary["joints"]["rank"], 5);
  EXPECT_EQ(summary["joints"]["redundant"]["b"], 5);
  EXPECT_NE(read(path("out") + "/report.html").find("10 rows, rank 5 (5 redundant: b x5)"),
            std::string::npos);
}

TEST_F(CommandLine, ContradictingJointsAreNamed) {
  const auto at = [](const char* name, const char* height) {
    return replaced(replaced(weld, "NAME", name), "HEIGHT", height);
  };
  // At the start: the description is refused.
  const std::string welds =
      write("welds.json", bar_scene(at("low", "0") + "," + at("high", "0.5")));
  expect_error(run({"run", welds}), 4, {"'low'", "'high'", "0.5 m", "joints[1].anchors"});
  // A rod that does not reach is told by its length.
  const std::string rod = R"({"type": "distance", "name": "NAME", "length": 1,
    "bodies": ["world", "bar"], "anchors": [[PLACE, 0, 0], [0, 0, 0]]})";
  const auto from = [&](const char* name, const char* place) {
    return replaced(replaced(rod, "NAME", name), "PLACE", place);
  };
  const std::string rods =
      write("rods.json", bar_scene(from("left", "0") + "," + from("right", "3")));
  expect_error(run({"run", rods}), 3, {"joints[1].length", "1 m", "leave the length out"});
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
    EXPECT_NE(outcome.out.find("STOPPED after 5 steps: joints contradict each other and stay open: "
                               "'anchor' by 0.005 m, 0 rad; 'tow' by 0.005 m, 0 rad"),
              std::string::npos)
        << outcome.out;
    EXPECT_EQ(Json::parse(read(out + "/summary.json"))["status"], "stopped");
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
  for (const char* words : {"STOPPED", "energy of the step is not finite", "'rocket'"})
    EXPECT_NE(outcome.out.find(words), std::string::npos) << outcome.out;
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
                   "step": 0.01, "duration": 0.05}})json");
  for (const bool wedged : {true, false}) {
    const std::string scene =
        write("where.json", replaced(read(file), "WHERE", wedged ? "0.4" : "4"));
    const std::string out = path(wedged ? "wedged" : "free");
    const Outcome outcome = run({"run", scene, "--out", out, "--quiet"});
    EXPECT_EQ(outcome.code, wedged ? 4 : 0) << outcome.out << outcome.err;
    EXPECT_NE(outcome.out.find("solves to open them"), std::string::npos) << outcome.out;
    const Json verdict = Json::parse(read(out + "/summary.json"))["contact_projection"];
    EXPECT_GE(verdict["solves"], 1);
    EXPECT_EQ(verdict["uncertified"] > 0, wedged);
    EXPECT_EQ(verdict["worst"] > 1e-8, wedged);
    EXPECT_NE(read(out + "/report.html").find("out of overlaps"), std::string::npos);
    const Outcome checked = run({"check", out + "/trace.cairn"});
    EXPECT_EQ(checked.code, 0) << checked.out;
    EXPECT_NE(checked.out.find("taken as recorded"), std::string::npos) << checked.out;
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

TEST_F(CommandLine, SchemaIsJson) {
  const Outcome outcome = run({"schema"});
  EXPECT_EQ(outcome.code, 0);
  const Json schema = Json::parse(outcome.out, nullptr, false);
  ASSERT_TRUE(schema.is_object());
  EXPECT_TRUE(schema.contains("$schema"));
  EXPECT_TRUE(schema["properties"].contains("bodies"));
}

// The list, two experiments with plots, and a misspelt one.
TEST_F(CommandLine, ReproduceListsRunsAndDraws) {
  const Outcome list = run({"reproduce"});
  EXPECT_EQ(list.code, 0);
  EXPECT_NE(list.out.find("hart-infeasibility"), std::string::npos);

  const Outcome result = run(
      {"reproduce", "anitescu-wall", "hart-pendulum", "--fast", "--json", "--out", path("plots")});
  EXPECT_EQ(result.code, 0);
  const Json entries = Json::parse(result.out);
  for (const Json& e : entries) {
    EXPECT_NEAR(e["ours"].get<double>() - e["paper"].get<double>(), e["difference"], 1e-15);
    EXPECT_TRUE(e["verdict"] == "match" || e["verdict"] == "close") << e.dump();
  }
  EXPECT_EQ(entries.front()["id"], "anitescu-wall");
  EXPECT_EQ(entries.back()["id"], "hart-pendulum");
  EXPECT_TRUE(fs::exists(path("plots/hart-pendulum.svg")));

  const Outcome unknown = run({"reproduce", "hart-pendulums"});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_NE(unknown.err.find("did you mean 'hart-pendulum'?"), std::string::npos) << unknown.err;
}

// Every solver takes the problem; what is called certified meets its tolerance.
TEST_F(CommandLine, BenchTellsTimesAndResiduals) {
  const Outcome outcome = run(
      {"bench", "solvers", "--case", "stack10", "--solver", "auto", "--solver", "ipm", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const Json json = Json::parse(outcome.out);
  ASSERT_EQ(json.size(), 1u);
  EXPECT_EQ(json[0]["constraints"], 40);
  for (const auto& [solver, levels] : json[0]["solvers"].items())
    for (const Json& level : levels)
      EXPECT_EQ(level["certified"].get<bool>(),
                level["residual"].get<double>() <= level["tolerance"].get<double>())
          << solver;
  expect_error(run({"bench", "solvers", "--case", "stack11"}), 2, {"stack11", "stack10"});
}

// 125 and 216 spheres, each to two accuracies; the chart has a point for each.
TEST_F(CommandLine, BenchTellsHowPackingsGrow) {
  const std::string chart = path("growth.svg");
  const Outcome outcome = run({"bench", "growth", "--most", "1000", "--out", chart, "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const Json json = Json::parse(outcome.out);
  ASSERT_EQ(json.size(), 4u);
  for (const Json& each : json) {
    EXPECT_TRUE(each["certified"].get<bool>());
    EXPECT_LE(each["residual"].get<double>(), each["tolerance"].get<double>());
    EXPECT_GT(each["contacts"].get<int>(), 2 * each["bodies"].get<int>());
  }
  EXPECT_EQ(json[0]["bodies"], 125);
  EXPECT_EQ(json[3]["bodies"], 216);
  const std::string svg = read(chart);
  std::size_t circles = 0;
  for (std::size_t at = svg.find("<circle"); at != std::string::npos;
       at = svg.find("<circle", at + 1))
    ++circles;
  EXPECT_EQ(circles, json.size());
  expect_error(run({"bench", "growth", "--most", "10"}), 2, {"1000"});
}

// ---- signals

// A run that would take days is interrupted once its first frames are on the disk.
void expect_clean_end(const std::string& trace, const Outcome& outcome, int code) {
  EXPECT_EQ(outcome.code, code) << outcome.err;
  Result<TraceReader> reader = TraceReader::open(trace);
  ASSERT_TRUE(reader);
  TraceFrame frame;
  TraceEvent event = reader->next(frame);
  while (event == TraceEvent::frame) event = reader->next(frame);
  EXPECT_EQ(event, TraceEvent::end);
  EXPECT_GT(reader->frames(), 1);
}

TEST_F(CommandLine, InterruptEndsTheRunCleanly) {
  const std::string scene = write("disc.json", disc_scene);
  for (const int signal : {SIGINT, SIGTERM}) {
    const std::string out = path("results" + std::to_string(signal));
    const pid_t child = start({"run", scene, "--out", out, "--set", "simulation.duration=1e6"});
    std::error_code none;
    // At most a minute of patience; the file grows within milliseconds.
    for (int i = 0; i < 6000; ++i) {
      if (fs::exists(out + "/trace.cairn.part", none) &&
          fs::file_size(out + "/trace.cairn.part", none) > 20000)
        break;
      ::usleep(10000);
    }
    EXPECT_FALSE(fs::exists(out + "/trace.cairn"));  // nothing has its final name yet
    EXPECT_FALSE(fs::exists(out + "/summary.json"));
    ::kill(child, signal);
    expect_clean_end(out + "/trace.cairn", wait(child), 128 + signal);
    EXPECT_EQ(Json::parse(read(out + "/summary.json"))["status"], "stopped");
    EXPECT_EQ(run({"check", out + "/trace.cairn"}).code, 0);
  }
}

// A kill leaves no file under its final name, and every complete frame readable.
TEST_F(CommandLine, KilledRunLeavesAReadableTrace) {
  const std::string out = path("results");
  const pid_t child = start(
      {"run", write("disc.json", disc_scene), "--out", out, "--set", "simulation.duration=1e6"});
  const std::string part = out + "/trace.cairn.part";
  std::error_code none;
  for (int i = 0; i < 6000; ++i) {
    if (fs::exists(part, none) && fs::file_size(part, none) > 20000) break;
    ::usleep(10000);
  }
  ::kill(child, SIGKILL);
  EXPECT_EQ(wait(child).code, 1000 + SIGKILL);
  EXPECT_FALSE(fs::exists(out + "/trace.cairn"));
  EXPECT_FALSE(fs::exists(out + "/summary.json"));
  const Outcome check = run({"check", part, "--json"});
  EXPECT_EQ(check.code, 4);  // incomplete is not ok
  const Json json = Json::parse(check.out);
  EXPECT_GT(json["frames"].get<int>(), 1);
  EXPECT_EQ(json["finding_count"], 0);
}

// ---- view

TEST_F(CommandLine, ViewWritesOnePageBesideTheTrace) {
  ASSERT_EQ(run({"run", write("disc.json", disc_scene), "--out", path("out")}).code, 0);
  const Outcome outcome = run({"view", path("out")});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("21, every step"), std::string::npos) << outcome.out;
  EXPECT_EQ(outcome.err, "");
  const std::string page = read(path("out/view.html"));
  EXPECT_NE(page.find("id=\"cairn-clip\""), std::string::npos);
  const Outcome again = run({"view", path("out/trace.cairn"), "-o", path("a.html"), "--json"});
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(read(path("a.html")), page);
  const Json json = Json::parse(again.out);
  EXPECT_EQ(json["bytes"], page.size());
  EXPECT_EQ(json["frames"], 21);
  EXPECT_TRUE(json["complete"]);
}

TEST_F(CommandLine, ViewSaysWhatItCannotDo) {
  expect_error(run({"view", path("nothing")}), 3, {"nothing", "cannot open the trace"});
  fs::create_directories(path("empty"));
  expect_error(run({"view", path("empty")}), 3, {"empty", "no trace.cairn", "cairn run"});
  expect_error(run({"view", write("disc.json", disc_scene)}), 3, {"disc.json"});
  ASSERT_EQ(run({"run", path("disc.json"), "--out", path("out")}).code, 0);
  const std::string trace = path("out/trace.cairn"), bytes = read(trace);
  expect_error(run({"view", trace, "-o", trace}), 2, {"over the trace", "-o"});
  EXPECT_EQ(read(trace), bytes);
  expect_error(run({"view", trace, "-o", path("none/a.html")}), 5, {"none/a.html"});
  expect_error(run({"view", trace, "-o", ""}), 2, {"empty"});

  // A cut trace is shown as far as it goes, with a warning.
  write("out/trace.cairn", bytes.substr(0, bytes.size() / 2));
  const Outcome cut = run({"view", trace});
  EXPECT_EQ(cut.code, 0);
  EXPECT_NE(cut.err.find("warning"), std::string::npos) << cut.err;
}

}  // namespace
}  // namespace cairn
