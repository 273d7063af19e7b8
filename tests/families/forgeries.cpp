#include "families/forgeries.hpp"

#include <filesystem>
#include <fmt/core.h>
#include <map>
#include <optional>
#include <stdexcept>
#include <unistd.h>

#include "cairn/trace.hpp"
#include "families/generators.hpp"
#include "families/limits.hpp"

namespace cairn::families {
namespace {

constexpr int few_steps = 12, many_steps = 48;  // of a recording, one in three is long
constexpr int forgeries_a_case = 10;            // of each recording

struct Step {
  StepReport report;
  State state;
};

struct Recording {
  Scene scene;
  std::vector<Step> steps;
};

// Steps of the scene, up to the first that cannot be taken.
std::optional<Recording> take_steps(const Trial& trial, const Settings& settings, int most) {
  Result<Scene> scene = parse_scene(trial.scene.dump(), trial.name, settings.assignments);
  if (!scene) return std::nullopt;
  Recording out{*scene, {}};
  Simulator simulator(scene->model, *scene->initial, scene->simulation.scheme,
                      scene->simulation.solver, scene->simulation.verdict);
  for (int i = 0; i < std::min(trial.steps, most); ++i) {
    const StepReport& report = simulator.step(scene->simulation.step);
    if (report.failed()) break;
    out.steps.push_back({report, simulator.state()});
  }
  return out;
}

// Writes the recording, with one step replaced, and checks it.
CheckReport check(const Recording& recording, const std::string& file, std::size_t at = 0,
                  const Step* forged = nullptr) {
  Result<TraceWriter> writer = TraceWriter::create(file, recording.scene.resolved);
  if (!writer) throw std::runtime_error(writer.error().front().text());
  bool good = writer->append_initial(*recording.scene.initial).has_value();
  for (std::size_t i = 0; i < recording.steps.size(); ++i) {
    const Step& step = forged && i == at ? *forged : recording.steps[i];
    good = writer->append(step.report, step.state).has_value() && good;
  }
  good = writer->finish().has_value() && good;
  const Result<CheckReport> report = check_trace(file);
  if (!good || !report) throw std::runtime_error("a recording cannot be written or read");
  return *report;
}

struct Tally {
  int tried = 0, missed = 0;
  std::string example;  // of those that were not noticed
};

std::string first_finding(const CheckReport& report) {
  return report.findings.empty() ? "incomplete"
                                 : fmt::format("step {}: {}", report.findings.front().step,
                                               report.findings.front().what);
}

class Forger {
 public:
  explicit Forger(const Settings& settings)
      : settings_(settings),
        file_(
            (std::filesystem::temp_directory_path() / fmt::format("cairn_forgeries_{}", ::getpid()))
                .string()) {}
  ~Forger() {
    std::error_code ignored;
    std::filesystem::remove(file_, ignored);
  }

  void run(const Trial& trial, std::int64_t number) {
    const std::optional<Recording> recording =
        take_steps(trial, settings_, number % 3 == 0 ? many_steps : few_steps);
    if (!recording || recording->steps.empty()) return;
    ++recordings_;
    const CheckReport honest = check(*recording, file_);
    for (const std::string& what : honest.unverified) ++unverified_[what];
    if (!honest.ok) {
      rejected_.push_back(
          fmt::format("{} under {}: {}", trial.name, trial.scheme, first_finding(honest)));
      return;
    }
    Random random(settings_.seed, 77, static_cast<std::uint64_t>(number));
    for (int k = 0; k < forgeries_a_case; ++k) forge(*recording, trial, random);
  }

  ForgeryResult result() const {
    ForgeryResult out;
    int tried = 0, missed = 0;
    out.json = Json{{"family", "forgeries"}, {"recordings", recordings_}};
    fmt::print("| field | forged | not noticed | example |\n|---|---|---|---|\n");
    for (const auto& [field, tally] : tallies_) {
      tried += tally.tried;
      missed += tally.missed;
      out.json["fields"][field] = {tally.tried, tally.missed};
      if (tally.missed > 0)
        fmt::print("| {} | {} | {} | {} |\n", field, tally.tried, tally.missed, tally.example);
    }
    fmt::print("{} recordings, {} confirmed; {} forgeries of {} fields, {} noticed\n", recordings_,
               recordings_ - static_cast<int>(rejected_.size()), tried, tallies_.size(),
               tried - missed);
    for (const auto& [what, count] : unverified_)
      fmt::print("not verified in {} recordings: {}\n", count, what);
    for (const std::string& what : rejected_)
      out.broken.push_back("an honest recording is not confirmed: " + what);
    if (missed > 0) out.broken.push_back(fmt::format("{} forgeries are not noticed", missed));
    return out;
  }

 private:
  void forge(const Recording& recording, const Trial& trial, Random& random) {
    const std::size_t at =
        static_cast<std::size_t>(random.whole(0, static_cast<int>(recording.steps.size()) - 1));
    Step step = recording.steps[at];
    const std::vector<Forgery> list =
        forgeries_of(step.report, step.state, *recording.scene.model, random);
    const Forgery& forgery =
        list[static_cast<std::size_t>(random.whole(0, static_cast<int>(list.size()) - 1))];
    forgery.change(step.report, step.state);
    Tally& tally = tallies_[forgery.field];
    ++tally.tried;
    if (!check(recording, file_, at, &step).ok) return;
    ++tally.missed;

    tally.example = fmt::format("{} {} step {}", trial.name, trial.scheme, at + 1);
  }

  const Settings& settings_;
  std::string file_;
  int recordings_ = 0;
  std::vector<std::string> rejected_;
  std::map<std::string, Tally> tallies_;
  std::map<std::string, int> unverified_;
};

}  // namespace

ForgeryResult run_forgeries(const Settings& settings) {
  Forger forger(settings);
  const std::vector<std::string> names = {"shots",  "bridges",  "flights",
                                          "ratios", "rebounds", "piles"};
  const std::vector<std::string> schemes = {"euler", "relaxed", "trapezoidal", "hybrid"};
  const std::int64_t cases = settings.cases > 0 ? settings.cases : 48;
  for (std::int64_t k = settings.first; k < settings.first + cases; ++k) {
    const auto turn = static_cast<std::size_t>(k);
    Settings own = settings;
    if (own.scheme.empty()) own.scheme = schemes[(turn / names.size()) % schemes.size()];
    for (const Family& family : all_families())
      if (family.name == names[turn % names.size()]) {
        if (family.name == "piles") own.duration = 0.2;
        const std::int64_t number = family.name == "piles" ? 4 * k : k;  // of 20 bodies
        const Trial trial = family.make(family, own, number);
        forger.run(trial, k);
      }
  }
  return forger.result();
}

}  // namespace cairn::families
