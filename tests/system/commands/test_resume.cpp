// Save and restore: a run that is split at any step, in one process or over several, interrupted or
// killed, is bit for bit the run that was left alone.
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "cairn/trace.hpp"
#include "record/plain_frame.hpp"
#include "system/worlds.hpp"

namespace cairn::test_resume {
namespace {

using namespace testing;
namespace fs = std::filesystem;

const std::vector<std::string> scene_names = {"cannonball21", "pendulum", "tumbling_box", "shaker",
                                              "chain50"};

// A folder of its own for each test, removed at the end.
class Folder {
 public:
  Folder() {
    std::string name = ::testing::UnitTest::GetInstance()->current_test_info()->name();
    for (char& c : name)
      if (c == '/') c = '_';
    path_ = fs::temp_directory_path() / ("cairn_resume_" + name + std::to_string(::getpid()));
    fs::create_directories(path_);
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  fs::path path_;
};

std::string read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

// All bits of a step: report and state. CPU times are not part of the promise.
std::string bits(StepReport report, const State& state) {
  report.seconds = {};
  bytes::ByteWriter out;
  record::encode_frame(report, state, hash(state), out);
  return {reinterpret_cast<const char*>(out.bytes().data()), out.size()};
}

// ---- In one process
// ----------------------------------------------------------------------------------------------------

// A scene; "NAME_delayed" is one whose state also remembers velocities and pending collisions;
// other endings set options of the scheme.
Scene scene_of(const std::string& name) {
  for (const auto& [ending, assignment] :
       {std::pair{"_delayed", "simulation.scheme.restitution=delayed"},
        std::pair{"_relaxed", "simulation.scheme={\"type\": \"relaxed\", \"corrections\": 2}"},
        std::pair{"_nonlinear", "simulation.scheme.nonlinear=true"},
        std::pair{"_parted", "simulation.scheme.project_contacts=true"}})
    if (const std::size_t at = name.find(ending); at != std::string::npos)
      return scene(name.substr(0, at), {assignment});
  return scene(name);
}

class SaveAndRestore : public ::testing::TestWithParam<std::string> {};

// After every step the state goes through a file into a new simulator, which knows nothing else.
TEST_P(SaveAndRestore, AfterEveryStepGivesTheSameBits) {
  const Folder folder;
  const Scene s = scene_of(GetParam());
  const std::string path = folder.file("checkpoint.cairn");
  Simulator undisturbed(s.model, *s.initial, s.simulation.scheme, s.simulation.solver,
                        s.simulation.verdict);
  State state = *s.initial;
  for (int n = 1; n <= 300; ++n) {
    Simulator restored(s.model, state, s.simulation.scheme, s.simulation.solver,
                       s.simulation.verdict);
    const StepReport& report = restored.step(s.simulation.step);
    undisturbed.step(s.simulation.step);
    ASSERT_NE(report.status, StepStatus::stopped);
    ASSERT_EQ(bits(report, restored.state()), bits(undisturbed.report(), undisturbed.state()))
        << "step " << n;
    ASSERT_TRUE(save_checkpoint(path, s.resolved, restored.state(), n));
    Result<Checkpoint> loaded = load_checkpoint(path);
    ASSERT_TRUE(loaded) << loaded.error().front().text();
    ASSERT_TRUE(check_scene(*loaded, path, s));
    ASSERT_EQ(loaded->steps, n);
    state = std::move(loaded->state);
  }
  EXPECT_EQ(hash(state), hash(undisturbed.state()));
}

// A simulator that has been elsewhere forgets it: set_state() alone decides what follows.
TEST_P(SaveAndRestore, SetStateGoesBackInTime) {
  const Scene s = scene_of(GetParam());
  Simulator sim = simulator(s);
  for (int n = 0; n < 50; ++n) sim.step(s.simulation.step);
  const State middle = sim.state();
  std::vector<std::string> first;
  for (int n = 0; n < 50; ++n) {
    const StepReport& report = sim.step(s.simulation.step);
    first.push_back(bits(report, sim.state()));
  }
  sim.set_state(middle);
  for (int n = 0; n < 50; ++n) {
    const StepReport& report = sim.step(s.simulation.step);
    ASSERT_EQ(bits(report, sim.state()), first[static_cast<std::size_t>(n)]) << n;
  }
}

// The checkpoint alone is enough: the scene is read from it.
TEST_P(SaveAndRestore, TheResolvedSceneIsTheScene) {
  const Scene s = scene_of(GetParam());
  const Result<Scene> again = parse_scene(s.resolved, "resolved");
  ASSERT_TRUE(again) << again.error().front().text();
  EXPECT_EQ(again->resolved, s.resolved);
  EXPECT_EQ(hash(*again->initial), hash(*s.initial));
}

const auto by_name = [](const auto& tested) { return tested.param; };
INSTANTIATE_TEST_SUITE_P(Scenes, SaveAndRestore, ::testing::ValuesIn(scene_names), by_name);
INSTANTIATE_TEST_SUITE_P(Options, SaveAndRestore,
                         ::testing::Values("shaker_delayed", "shaker_relaxed",
                                           "tumbling_box_nonlinear", "pendulum_nonlinear",
                                           "ellipse_parted"),
                         by_name);

// ---- Over several processes
// ----------------------------------------------------------------------------------------------------

// One step from the checkpoint of environment variable CAIRN_ONE_STEP into it again, beside it the
// bits of the step: what a new process has of the run is that file. Does nothing without it.
TEST(OneStep, FromACheckpoint) {
  const char* path = std::getenv("CAIRN_ONE_STEP");
  if (!path) GTEST_SKIP() << "started by NewProcess.AfterEveryStepGivesTheSameBits";
  Result<Checkpoint> loaded = load_checkpoint(path);
  ASSERT_TRUE(loaded) << loaded.error().front().text();
  const Result<Scene> s = parse_scene(loaded->scene, "checkpoint");
  ASSERT_TRUE(s) << s.error().front().text();
  ASSERT_TRUE(check_scene(*loaded, path, *s));
  Simulator sim(s->model, loaded->state, s->simulation.scheme, s->simulation.solver,
                s->simulation.verdict);
  const StepReport& report = sim.step(s->simulation.step);
  std::ofstream(std::string(path) + ".bits", std::ios::binary) << bits(report, sim.state());
  ASSERT_TRUE(save_checkpoint(path, s->resolved, sim.state(), loaded->steps + 1));
}

// This program again, for one test with one variable set; its exit code, or minus its signal.
int run_one_step(const std::string& path) {
  const std::string variable = "CAIRN_ONE_STEP=" + path;
  const char* const argv[] = {"/proc/self/exe", "--gtest_filter=OneStep.FromACheckpoint",
                              "--gtest_brief=1", nullptr};
  const pid_t id = ::fork();
  EXPECT_GE(id, 0);
  if (id == 0) {
    const int nowhere = ::open("/dev/null", O_WRONLY);
    ::dup2(nowhere, 1);
    const char* const environment[] = {variable.c_str(), nullptr};
    ::execve(argv[0], const_cast<char* const*>(argv), const_cast<char* const*>(environment));
    ::_exit(127);
  }
  int status = 0;
  ::waitpid(id, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

class NewProcess : public ::testing::TestWithParam<std::string> {};

TEST_P(NewProcess, AfterEveryStepGivesTheSameBits) {
  const Folder folder;
  const Scene s = scene_of(GetParam());
  const std::string path = folder.file("checkpoint.cairn");
  ASSERT_TRUE(save_checkpoint(path, s.resolved, *s.initial, 0));
  Simulator undisturbed = simulator(s);
  for (int n = 1; n <= 300; ++n) {
    ASSERT_EQ(run_one_step(path), 0) << "step " << n;
    undisturbed.step(s.simulation.step);
    ASSERT_EQ(read(path + ".bits"), bits(undisturbed.report(), undisturbed.state()))
        << "step " << n;
    fs::remove(path + ".bits");
  }
}

INSTANTIATE_TEST_SUITE_P(Scenes, NewProcess, ::testing::ValuesIn(scene_names), by_name);

class Process {
 public:
  // `output` gets what the program prints.
  Process(const std::vector<std::string>& arguments, const std::string& output) {
    std::vector<std::string> words = {CAIRN_PROGRAM};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    id_ = ::fork();
    EXPECT_GE(id_, 0);
    if (id_ != 0) return;
    const int file = ::open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
    ::dup2(file, 1);
    ::dup2(file, 2);
    ::execv(argv[0], argv.data());
    ::_exit(127);
  }
  ~Process() {
    if (!ended()) send(SIGKILL), wait();
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  void send(int signal) const { ::kill(id_, signal); }
  bool ended() {
    if (id_ > 0 && !ended_) ended_ = ::waitpid(id_, &status_, WNOHANG) == id_;
    return id_ <= 0 || ended_;
  }
  // Exit code, or minus the signal that ended it.
  int wait() {
    if (!ended_ && id_ > 0) ended_ = ::waitpid(id_, &status_, 0) == id_;
    return WIFEXITED(status_) ? WEXITSTATUS(status_) : -WTERMSIG(status_);
  }

 private:
  pid_t id_ = -1;
  bool ended_ = false;
  int status_ = 0;
};

int cairn(const std::vector<std::string>& arguments, const std::string& output) {
  return Process(arguments, output).wait();
}

std::string scene_file(const std::string& name) {
  return CAIRN_SOURCE_DIR "/scenes/" + name + ".json";
}

nlohmann::json summary_without_times(const std::string& folder) {
  nlohmann::json json = nlohmann::json::parse(read(folder + "/summary.json"), nullptr, false);
  EXPECT_FALSE(json.is_discarded());
  json.erase("cpu_ms_per_step");
  json.erase("cpu_ms_median");
  return json;
}

// The columns but the last three, which are CPU times.
std::string table_without_times(const std::string& folder) {
  std::istringstream in(read(folder + "/steps.csv"));
  std::string line, result;
  while (std::getline(in, line)) {
    for (int i = 0; i < 3; ++i) line.erase(std::min(line.size(), line.rfind(',')));
    result += line + "\n";
  }
  return result;
}

// A frame's bits, the methods of its solves included.
std::string frame_bits(TraceFrame& frame) {
  for (std::size_t i = 0; i < frame.methods.size(); ++i)
    frame.report.solves[i].solution.method = frame.methods[i].c_str();
  return bits(frame.report, frame.state);
}

std::vector<std::string> file_names(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder))
    names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

void expect_same_run(const std::string& folder, const std::string& undisturbed) {
  EXPECT_EQ(summary_without_times(folder), summary_without_times(undisturbed));
  EXPECT_EQ(table_without_times(folder), table_without_times(undisturbed));
  Result<TraceReader> a = TraceReader::open(folder + "/trace.cairn");
  Result<TraceReader> b = TraceReader::open(undisturbed + "/trace.cairn");
  ASSERT_TRUE(a && b);
  EXPECT_EQ(a->header().scene, b->header().scene);
  TraceFrame frame_a, frame_b;
  for (;;) {
    const TraceEvent event = a->next(frame_a);
    ASSERT_EQ(event, b->next(frame_b));
    if (event != TraceEvent::frame) {
      EXPECT_EQ(event, TraceEvent::end);
      break;
    }
    ASSERT_EQ(frame_bits(frame_a), frame_bits(frame_b)) << "frame " << a->frames();
  }
  // The same files, and nothing left over; problems that were not solved byte for byte.
  const std::vector<std::string> names = file_names(folder);
  EXPECT_EQ(names, file_names(undisturbed));
  for (const std::string& name : names)
    if (name.starts_with("failed_problem")) {
      EXPECT_EQ(read(folder + "/" + name), read(undisturbed + "/" + name)) << name;
    }
}

// The folder of a run that was killed after a checkpoint of `steps` steps, `extra` bytes later.
void make_killed(const std::string& whole, const Scene& s, std::int64_t steps, std::size_t extra,
                 const std::string& folder) {
  Result<TraceReader> reader = TraceReader::open(whole + "/trace.cairn");
  ASSERT_TRUE(reader);
  TraceFrame frame;
  for (std::int64_t n = 0; n <= steps; ++n) ASSERT_EQ(reader->next(frame), TraceEvent::frame);
  fs::create_directory(folder);
  fs::copy_file(whole + "/trace.cairn", folder + "/trace.cairn.part");
  fs::resize_file(folder + "/trace.cairn.part",
                  std::min<std::uint64_t>(fs::file_size(whole + "/trace.cairn"),
                                          reader->next_offset() + extra));
  ASSERT_TRUE(save_checkpoint(folder + "/checkpoint.cairn", s.resolved, frame.state, steps));
}

class Resume : public ::testing::Test {
 protected:
  void SetUp() override {
    if (std::string(CAIRN_PROGRAM).empty()) GTEST_SKIP() << "built without the program";
  }
};

// At the start, early, in the middle, before the last step and after it; the trace ends with the
// checkpoint, in the next frame, some frames later, or is whole. Returns the files of the run.
std::vector<std::string> split_everywhere(const std::string& name,
                                          const std::vector<std::string>& assignments) {
  const Folder folder;
  const std::string whole = folder.file("whole"), text = folder.file("output");
  const Scene s = scene(name, assignments);
  std::vector<std::string> named = {"run", scene_file(name)};
  for (const std::string& assignment : assignments)
    named.insert(named.end(), {"--set", assignment});
  std::vector<std::string> arguments = named;
  arguments.insert(arguments.end(), {"--out", whole});
  const int code = cairn(arguments, text);
  const std::int64_t all = summary_without_times(whole)["steps"];
  EXPECT_EQ(all, std::llround(std::ceil(s.simulation.duration / s.simulation.step - 1e-6)))
      << read(text);
  const std::size_t extras[] = {0, 100, 20000, std::size_t{1} << 40, 11};
  const std::int64_t splits[] = {0, 1, all / 2 + 1, all - 1, all};
  for (std::size_t i = 0; i < 5; ++i) {
    const std::string out = folder.file("split");
    fs::remove_all(out);
    make_killed(whole, s, splits[i], extras[i], out);
    // The scene may be named again; it must be the same.
    arguments = i % 2 == 1 ? named : std::vector<std::string>{"run"};
    arguments.insert(arguments.end(), {"--resume", out});
    EXPECT_EQ(cairn(arguments, text), code) << name << ' ' << splits[i] << '\n' << read(text);
    expect_same_run(out, whole);
  }
  return file_names(whole);
}

TEST_F(Resume, NewProcessGoesOnFromAnyStep) {
  const std::vector<std::string> four = {"report.html", "steps.csv", "summary.json", "trace.cairn"};
  EXPECT_EQ(split_everywhere("tumbling_box", {"simulation.duration=0.6"}), four);
  EXPECT_EQ(split_everywhere("shaker", {"simulation.duration=0.6"}), four);
  // The last step is shorter than the others.
  split_everywhere("pendulum", {"simulation.duration=0.495"});
}

// Three sweeps do not solve a pile: the first three problems are kept, before and after the split.
TEST_F(Resume, UnsolvedProblemsAreThoseOfTheUndisturbedRun) {
  const std::vector<std::string> names = split_everywhere(
      "cannonball21",
      {"simulation.duration=0.5", "simulation.solver.type=nsgs", "simulation.solver.max_sweeps=3"});
  EXPECT_EQ(names.size(), 4u + 3u);
}

// Waits until the trace of a running program has `frames` frames; false if the program ended first.
bool wait_for_frames(Process& process, const std::string& trace, std::int64_t frames) {
  while (!process.ended()) {
    if (fs::exists(trace)) {
      Result<TraceReader> reader = TraceReader::open(trace);
      TraceFrame frame;
      while (reader && reader->next(frame) == TraceEvent::frame)
        if (reader->frames() >= frames) return true;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

// Ctrl-C leaves complete files and a checkpoint of the very step it ended with.
TEST_F(Resume, InterruptedRunGoesOn) {
  const Folder folder;
  const std::string whole = folder.file("whole"), text = folder.file("output");
  ASSERT_EQ(cairn({"run", scene_file("chain50"), "--out", whole}, text), 0) << read(text);
  const std::pair<int, int> signals[] = {{SIGINT, 130}, {SIGTERM, 143}};
  const std::string out = folder.file("out");
  std::vector<std::string> arguments = {"run", scene_file("chain50"), "--out",
                                        out,   "--checkpoint",        "100000"};
  std::int64_t before = 0;
  for (const auto& [signal, code] : signals) {
    Process process(arguments, text);
    ASSERT_TRUE(wait_for_frames(process, out + "/trace.cairn.part", before + 5)) << read(text);
    process.send(signal);
    ASSERT_EQ(process.wait(), code) << read(text);
    EXPECT_NE(read(text).find("cairn run --resume " + out), std::string::npos) << read(text);
    const Result<Checkpoint> checkpoint = load_checkpoint(out + "/checkpoint.cairn");
    ASSERT_TRUE(checkpoint) << checkpoint.error().front().text();
    EXPECT_GT(checkpoint->steps, before);
    EXPECT_EQ(checkpoint->steps, checkpoint->state.step);
    EXPECT_EQ(checkpoint->run.interval, 100000);
    const nlohmann::json summary = summary_without_times(out);
    EXPECT_EQ(summary["steps"], checkpoint->steps);
    EXPECT_EQ(summary["status"], "stopped");
    before = checkpoint->steps;
    arguments = {"run", "--resume", out};
  }
  ASSERT_EQ(cairn({"run", "--resume", out}, text), 0) << read(text);
  expect_same_run(out, whole);

  // Once more: there is nothing left to do, and nothing is done.
  const std::string trace = read(out + "/trace.cairn");
  ASSERT_EQ(cairn({"run", "--resume", out}, text), 0) << read(text);
  EXPECT_EQ(read(out + "/trace.cairn"), trace);
  ASSERT_EQ(cairn({"run", "--resume", out, "--json"}, text), 0);
  EXPECT_EQ(read(text), read(out + "/summary.json"));
  EXPECT_EQ(read(out + "/trace.cairn"), trace);
}

// Kills a run again and again at seeded moments, whatever it is doing: starting, reading the trace,
// stepping, or writing a frame or a checkpoint. Adds to `killed` until that is `kills`; then lets
// the run end.
void kill_until_finished(const std::string& name, const std::string& out, const std::string& text,
                         int kills, Random& random, int& killed, int& resumed) {
  for (bool finished = false; !finished;) {
    // Killed before its first checkpoint: then it begins again.
    const bool begun = fs::exists(out + "/checkpoint.cairn");
    Process process(begun ? std::vector<std::string>{"run", "--resume", out, "--checkpoint", "5"}
                          : std::vector<std::string>{"run", scene_file(name), "--out", out,
                                                     "--checkpoint", "5"},
                    text);
    if (killed < kills) {
      std::this_thread::sleep_for(std::chrono::microseconds(random.below(120000)));
      process.send(SIGKILL);
    }
    const int end = process.wait();
    finished = end != -SIGKILL;
    ASSERT_TRUE(!finished || end == 0) << end << ' ' << read(text);
    killed += finished ? 0 : 1;
    resumed += !finished && begun ? 1 : 0;
  }
}

// As many runs as it takes to be killed so often; a run ends between two kills sooner or later.
void kill_and_resume(const std::string& name, int kills, std::uint64_t seed) {
  const Folder folder;
  const std::string whole = folder.file("whole"), out = folder.file("out");
  const std::string text = folder.file("output");
  ASSERT_EQ(cairn({"run", scene_file(name), "--out", whole}, text), 0) << read(text);
  Random random(seed);
  int runs = 0, resumed = 0;
  for (int killed = 0; killed < kills; ++runs) {
    fs::remove_all(out);
    kill_until_finished(name, out, text, kills, random, killed, resumed);
    expect_same_run(out, whole);
    if (::testing::Test::HasFailure()) break;
  }
  ::testing::Test::RecordProperty("runs_of_" + name, runs);
  ::testing::Test::RecordProperty("kills_of_resumed_" + name, resumed);
}

TEST_F(Resume, KilledFiftyTimesEndsInTheSameState) {
  kill_and_resume("shaker", 50, 1);
}

// CAIRN_SOAK=1: two hundred kills of each scene.
TEST_F(Resume, SoakOfKills) {
  if (!std::getenv("CAIRN_SOAK")) GTEST_SKIP() << "set CAIRN_SOAK=1 to run it";
  std::uint64_t seed = 100;
  for (const std::string& name : scene_names) kill_and_resume(name, 200, ++seed);
}

TEST_F(Resume, SaysWhatIsWrong) {
  const Folder folder;
  const std::string out = folder.file("out"), text = folder.file("output");
  const auto fails = [&](std::vector<std::string> arguments, int exit_code, ErrorCode code) {
    arguments.insert(arguments.begin(), "run");
    EXPECT_EQ(cairn(arguments, text), exit_code) << code_name(code);
    EXPECT_NE(read(text).find("[" + std::string(code_name(code)) + "]"), std::string::npos)
        << read(text);
  };
  const std::string file = scene_file("pendulum");
  fails({}, 2, ErrorCode::incomplete);
  fails({file, "--checkpoint", "5"}, 2, ErrorCode::incomplete);
  fails({file, "--out", out, "--checkpoint", "0"}, 2, ErrorCode::invalid_argument);
  fails({"--resume", out, "--out", out}, 2, ErrorCode::invalid_argument);
  fails({"--resume", out, "--set", "simulation.step=0.1"}, 2, ErrorCode::incomplete);
  fails({"--resume", out}, 3, ErrorCode::not_found);
  fails({"--resume", file}, 3, ErrorCode::not_a_file);
  fs::create_directory(out);
  fails({"--resume", out}, 3, ErrorCode::not_found);

  ASSERT_EQ(cairn({"run", file, "--out", out, "--checkpoint", "30"}, text), 0) << read(text);
  EXPECT_FALSE(fs::exists(out + "/checkpoint.cairn"));
  fails({"--resume", out, scene_file("shaker")}, 3, ErrorCode::mismatch);
  make_killed(out, scene("pendulum"), 10, 99, folder.file("cut"));
  fails({"--resume", folder.file("cut"), scene_file("shaker")}, 3, ErrorCode::mismatch);
  fails({"--resume", folder.file("cut"), file, "--set", "simulation.step=0.005"}, 3,
        ErrorCode::mismatch);
  fs::resize_file(folder.file("cut/checkpoint.cairn"), 400);
  fails({"--resume", folder.file("cut")}, 3, ErrorCode::damaged);
  fs::remove(folder.file("cut/checkpoint.cairn"));
  fails({"--resume", folder.file("cut")}, 3, ErrorCode::incomplete);
}

}  // namespace
}  // namespace cairn::test_resume
