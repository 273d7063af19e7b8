// cairn_fuzz: damages scenes, problem files, traces and checkpoints at random and hands them to the
// program. Whatever the file, the program must end in time, with an exit code of the documented
// ones, say what is wrong, and write no number that is not finite; what it records, it must
// confirm.
//
//   cairn_fuzz PROGRAM SOURCES WORK --seed S (--cases N | --minutes M | --case K)
//
// A case depends on nothing but the seed and its number. Inputs that fail are kept in WORK.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <stdexcept>

#include "cairn/scene.hpp"
#include "cairn/trace.hpp"
#include "fuzz/mutate.hpp"
#include "fuzz/program.hpp"
#include "record/trace/checkpoint.hpp"

namespace cairn::fuzz {
namespace {

namespace fs = std::filesystem;

struct Settings {
  std::string program, sources, work;
  std::uint64_t seed = 1;
  std::int64_t first = 0, cases = 300;
  double minutes = 0;  // 0: by number
};

std::string read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

void write(const fs::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

std::vector<std::string> texts_in(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<std::string> texts;
  for (const fs::path& file : files) texts.push_back(read(file));
  return texts;
}

// The number behind the key; npos where there is none.
std::size_t value_of(const std::string& text, const std::string& key) {
  const std::size_t at = text.find("\"" + key + "\":");
  return at == std::string::npos ? at : text.find_first_of("0123456789", at + key.size() + 3);
}

// A dozen steps of the scene.
std::string shortened(std::string scene) {
  const std::size_t step = value_of(scene, "step"), duration = value_of(scene, "duration");
  if (step == std::string::npos || duration == std::string::npos) return scene;
  const double seconds = 12 * std::strtod(scene.c_str() + step, nullptr);
  const std::size_t end = scene.find_first_not_of("0123456789.eE+-", duration);
  return scene.replace(duration, end - duration, std::to_string(seconds));
}

// The folder of a run that was killed some steps after its checkpoint.
void make_unfinished(const Settings& settings, const std::string& scene_text,
                     const fs::path& folder) {
  fs::remove_all(folder);
  const std::string scene_file = settings.work + "/seed.json";
  write(scene_file, scene_text);
  const Outcome run =
      call(settings.program, {"run", scene_file, "--out", folder.string()}, settings.work);
  const Result<Scene> scene = parse_scene(scene_text, scene_file);
  Result<TraceReader> reader = TraceReader::open((folder / "trace.cairn").string());
  if (!scene || !reader) throw std::runtime_error("no seed for traces: " + run.err);
  TraceFrame frame;
  constexpr std::int64_t steps = 5;
  for (std::int64_t n = 0; n <= steps; ++n) reader->next(frame);
  const std::string checkpoint = (folder / "checkpoint.cairn").string();
  if (!save_checkpoint(checkpoint, scene->resolved, frame.state, steps))
    throw std::runtime_error("no seed for checkpoints");
}

class Fuzzer {
 public:
  explicit Fuzzer(Settings settings) : settings_(std::move(settings)) {
    fs::create_directories(settings_.work);
    for (const std::string& text : texts_in(settings_.sources + "/scenes"))
      scenes_.push_back(shortened(text));
    problems_ = texts_in(settings_.sources + "/tests/problems");
    const fs::path folder = fs::path(settings_.work) / "unfinished";
    for (const std::string name : {"tumbling_box", "shaker", "pendulum"}) {
      make_unfinished(settings_, shortened(read(settings_.sources + "/scenes/" + name + ".json")),
                      folder);
      traces_.push_back(read(folder / "trace.cairn"));
      checkpoints_.push_back(read(folder / "checkpoint.cairn"));
    }
    fs::remove_all(folder);
  }

  // Runs one case; false if it failed.
  bool run(std::int64_t number) {
    Random random(settings_.seed, static_cast<std::uint64_t>(number));
    number_ = number;
    failures_ = 0;
    const std::size_t kind = random.below(8);
    if (kind < 4)
      scene_case(random);
    else if (kind < 5)
      problem_case(random);
    else if (kind < 7)
      trace_case(random);
    else
      resume_case(random);
    return failures_ == 0;
  }

  const std::map<int, int>& codes() const { return codes_; }

 private:
  void scene_case(Random& random) {
    const fs::path file = input("scene.json", mutated_text(pick(scenes_, random), random));
    const fs::path out = path("out");
    fs::remove_all(out);
    std::vector<std::string> arguments = {"run", file.string(), "--out", out.string()};
    if (random.chance(3)) arguments.insert(arguments.end(), {"--checkpoint", "3"});
    if (random.chance(4)) call_info(file);
    const Outcome outcome = judged(arguments);
    if (!finished(outcome)) {
      if (outcome.code == 3 && fs::exists(out)) fail("bad input, but a folder was made");
      return;
    }
    expect_finite(read(out / "summary.json"), "summary.json");
    expect_finite(read(out / "steps.csv"), "steps.csv");
    // What was recorded must be what is judged again.
    const Outcome check = judged({"check", (out / "trace.cairn").string()});
    if (check.code == 4) fail("check does not confirm the recording:\n" + check.out);
  }

  void problem_case(Random& random) {
    const fs::path file = input("problem.json", mutated_text(pick(problems_, random), random));
    static constexpr const char* solvers[] = {"auto", "nsgs", "newton", "lemke"};
    if (random.chance(4)) call_info(file);
    const Outcome outcome =
        judged({"solve", file.string(), "--solver", solvers[random.below(4)], "--json"});
    // An answer may overflow if it says so.
    const bool overflows = outcome.out.find("\"finite\": false") != std::string::npos;
    if (overflows && outcome.code != 4) fail("an answer that is not finite counts as solved");
    if (finished(outcome) && !overflows) expect_finite(outcome.out, "the solution");
  }

  void trace_case(Random& random) {
    const fs::path file = input("trace.cairn", mutated_trace(pick(traces_, random), random));
    judged({"check", file.string(), "--json"});
    call_info(file);
    if (random.chance(2)) judged({"view", file.string(), "-o", path("view.html").string()});
  }

  void resume_case(Random& random) {
    const std::size_t which = random.below(traces_.size());
    std::string trace = traces_[which], checkpoint = checkpoints_[which];
    if (random.chance(2))
      trace = mutated_trace(trace, random);
    else
      checkpoint = mutated_chunks(checkpoint, record::checkpoint_head, random);
    const fs::path folder = path("killed");
    fs::remove_all(folder);
    fs::create_directory(folder);
    write(folder / "trace.cairn.part", trace);
    write(folder / "checkpoint.cairn", checkpoint);
    inputs_ = {folder / "trace.cairn.part", folder / "checkpoint.cairn"};
    // Copies, since a run that goes on changes its folder.
    for (fs::path& each : inputs_) {
      const fs::path copy = path(each.filename().string() + ".copy");
      fs::copy_file(each, copy, fs::copy_options::overwrite_existing);
      each = copy;
    }
    const Outcome outcome = judged({"run", "--resume", folder.string()});
    if (!finished(outcome)) return;
    expect_finite(read(folder / "summary.json"), "summary.json");
    expect_finite(read(folder / "steps.csv"), "steps.csv");
  }

  void call_info(const fs::path& file) { judged({"info", file.string()}); }

  // Calls the program and looks at how it ended.
  Outcome judged(const std::vector<std::string>& arguments) {
    const Outcome outcome = call(settings_.program, arguments, settings_.work);
    ++codes_[outcome.code];
    std::string words = "cairn";
    for (const std::string& word : arguments) words += " " + word;
    const bool told = outcome.err.find("error: ") != std::string::npos;
    switch (outcome.code) {
      case 0:
      case 4:
        break;
      case 3:
      case 6:
        if (!told) fail("no error line: " + words);
        break;
      case 143:
      case -SIGTERM:
        if (outcome.asked) break;
        [[fallthrough]];
      default:
        fail((outcome.hung ? "hangs: " : "exit code " + std::to_string(outcome.code) + ": ") +
             words + "\n" + outcome.err);
    }
    return outcome;
  }

  static bool finished(const Outcome& outcome) {
    return outcome.code == 0 || outcome.code == 4 || outcome.code == 143;
  }

  // JSON writes numbers that are not finite as null. The worst residual may be: it then says that
  // the answer is no good.
  void expect_finite(const std::string& text, const std::string& what) {
    if (text.empty()) return fail(what + " is missing");
    const std::string_view worst = "\"worst\": null";
    for (const std::string_view word : {"nan", "inf", "null"})
      for (std::size_t at = text.find(word); at != std::string::npos;
           at = text.find(word, at + 1)) {
        // A word by itself: not part of a name.
        const char before = at == 0 ? ' ' : text[at - 1];
        if (std::string_view(",: [-\n").find(before) == std::string_view::npos) continue;
        const std::size_t start = at + word.size() - std::min(at + word.size(), worst.size());
        if (text.compare(start, worst.size(), worst) == 0) continue;
        const std::size_t from = at - std::min<std::size_t>(at, 60);
        return fail(what + " has a number that is not finite near '" + text.substr(from, 100) +
                    "'");
      }
  }

  void fail(const std::string& why) {
    ++failures_;
    std::cout << "FAILED case " << number_ << " of seed " << settings_.seed << ": " << why << "\n";
    for (const fs::path& file : inputs_) {
      const fs::path kept = path("failed_" + std::to_string(settings_.seed) + "_" +
                                 std::to_string(number_) + "_" + file.filename().string());
      fs::copy_file(file, kept, fs::copy_options::overwrite_existing);
      std::cout << "  kept as " << kept.string() << std::endl;
    }
  }

  fs::path path(const std::string& name) const { return fs::path(settings_.work) / name; }
  fs::path input(const std::string& name, const std::string& text) {
    write(path(name), text);
    inputs_ = {path(name)};
    return path(name);
  }
  static const std::string& pick(const std::vector<std::string>& from, Random& random) {
    return from[random.below(from.size())];
  }

  Settings settings_;
  std::vector<std::string> scenes_, problems_, traces_, checkpoints_;
  std::vector<fs::path> inputs_;  // of the case
  std::map<int, int> codes_;      // how often each exit code was seen
  std::int64_t number_ = 0;
  int failures_ = 0;  // of the case
};

Settings settings_of(int argc, char** argv) {
  if (argc < 4) throw std::runtime_error("cairn_fuzz PROGRAM SOURCES WORK [--seed S] [--cases N]");
  Settings settings{argv[1], argv[2], argv[3]};
  for (int i = 4; i + 1 < argc; i += 2) {
    const std::string key = argv[i], value = argv[i + 1];
    if (key == "--seed")
      settings.seed = std::stoull(value);
    else if (key == "--cases")
      settings.cases = std::stoll(value);
    else if (key == "--minutes")
      settings.minutes = std::stod(value);
    else if (key == "--case")
      settings.first = std::stoll(value), settings.cases = 1;
    else
      throw std::runtime_error("unknown option " + key);
  }
  return settings;
}

int fuzz(const Settings& settings) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  const auto minutes = [&] {
    return std::chrono::duration<double>(Clock::now() - start).count() / 60;
  };
  Fuzzer fuzzer(settings);
  std::int64_t done = 0, failed = 0;
  for (; settings.minutes > 0 ? minutes() < settings.minutes : done < settings.cases; ++done)
    failed += fuzzer.run(settings.first + done) ? 0 : 1;
  std::cout << done << " cases of seed " << settings.seed << " from " << settings.first << ", "
            << failed << " failed; exit codes";
  for (const auto& [code, times] : fuzzer.codes()) std::cout << "  " << code << ": " << times;
  std::cout << std::endl;
  return failed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace cairn::fuzz

int main(int argc, char** argv) {
  try {
    return cairn::fuzz::fuzz(cairn::fuzz::settings_of(argc, argv));
  } catch (const std::exception& fault) {
    std::cerr << "cairn_fuzz: " << fault.what() << "\n";
    return 2;
  }
}
