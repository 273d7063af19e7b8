// What the commands do with folders, files, pipes and signals: nothing is lost, nothing is half
// written.
#include <algorithm>
#include <csignal>
#include <sys/stat.h>

#include "cairn/trace.hpp"
#include "system/commands/command_line.hpp"

namespace cairn::test_command_files {
namespace {

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

TEST_F(CommandLine, OutputFolderProblemsAreToldBeforeTheRun) {
  const std::string scene = write("disc.json", disc_scene);
  expect_error(run({"run", scene, "--out", path("no/such/folder")}), 5, ErrorCode::not_found,
               {"no/such"});
  expect_error(run({"run", scene, "--out", scene}), 5, ErrorCode::not_a_file, {scene});
  if (::geteuid() == 0) return;  // no folder is closed to root
  fs::create_directory(path("closed"));
  fs::permissions(path("closed"), fs::perms::owner_read | fs::perms::owner_exec);
  expect_error(run({"run", scene, "--out", path("closed")}), 5, ErrorCode::cannot_write,
               {"closed"});
}

// An empty name is a shell variable that is not set, not the wish to write nothing.
TEST_F(CommandLine, EmptyFolderNamesAreTold) {
  const std::string scene = write("disc.json", disc_scene);
  expect_error(run({"run", scene, "--out", ""}), 2, ErrorCode::invalid_argument, {"--out"});
  expect_error(run({"run", "--resume", ""}), 2, ErrorCode::invalid_argument, {"--resume"});
}

// Results have fixed names; a scene with one of them in the folder of the results would be lost.
TEST_F(CommandLine, ASceneIsNeverWrittenOver) {
  fs::create_directory(path("out"));
  for (const char* name : {"summary.json", "steps.csv", "trace.cairn", "trace.cairn.part",
                           "report.html", "checkpoint.cairn", "failed_problem_7.json"}) {
    const std::string scene = write(std::string("out/") + name, disc_scene);
    expect_error(run({"run", scene, "--out", path("out")}), 5, ErrorCode::overwrites_input, {name});
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
  EXPECT_NE(read(path("err2")).find("[in_use]"), std::string::npos);
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
    expect_error(run({command, file}), 6, ErrorCode::too_large, {"large.json", "bytes"});
  expect_error(run({"check", file}), 3, ErrorCode::wrong_format, {file});
}

// Every command that reads a file: a pipe without a writer does not block it, a device is not read.
TEST_F(CommandLine, OnlyRegularFilesAreRead) {
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  for (const std::string& file : {path("pipe"), std::string("/dev/zero")})
    for (const char* command : {"run", "info", "check", "solve", "view", "compare", "order"})
      expect_error(run({command, file}), 3, ErrorCode::not_a_file, {file});
  fs::create_directories(path("out"));
  ASSERT_EQ(::mkfifo(path("out/checkpoint.cairn").c_str(), 0600), 0);
  expect_error(run({"run", "--resume", path("out")}), 3, ErrorCode::not_a_file,
               {"checkpoint.cairn"});
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
  expect_error(run({"check", write("text.cairn", "no trace at all")}), 3, ErrorCode::wrong_format,
               {"text.cairn"});
}

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

// A step that would never end: the run keeps what it had before it.
TEST_F(CommandLine, InterruptEndsAStepThatWouldNotEnd) {
  const std::string scene =
      write("disc.json",
            replaced(replaced(disc_scene, "\"bodies\": [",
                              "\"bodies\": [{\"name\": \"press\", \"motion\": {\"position\": [0, "
                              "\"1.01 - 10*t\", 0]}, \"shapes\": [{\"type\": \"halfspace\", "
                              "\"normal\": [0, -1, 0]}]},"),
                     "\"duration\": 0.2",
                     "\"duration\": 0.2, \"solver\": {\"type\": \"nsgs\", \"accelerate\": false, "
                     "\"tolerance\": 1e-300, \"max_sweeps\": 100000000}"));
  // Too early a signal ends the program before it looks for one.
  int code = 1000 + SIGINT;
  std::string out;
  for (int wait_ms = 50; code == 1000 + SIGINT && wait_ms < 20000; wait_ms *= 4) {
    out = path("results" + std::to_string(wait_ms));
    const pid_t child = start({"run", scene, "--out", out});
    ::usleep(static_cast<useconds_t>(1000 * wait_ms));
    ::kill(child, SIGINT);
    code = wait(child).code;
  }
  EXPECT_EQ(code, 128 + SIGINT);
  const Json summary = Json::parse(read(out + "/summary.json"));
  EXPECT_EQ(summary["status"], "stopped");
  EXPECT_EQ(summary["steps"], 0);
  EXPECT_EQ(run({"check", out + "/trace.cairn"}).code, 0);
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

}  // namespace
}  // namespace cairn::test_command_files
