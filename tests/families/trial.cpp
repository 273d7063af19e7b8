// Runs one scene in this process and lets oracles look at every step.
#include "families/trial.hpp"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <fmt/format.h>

#include "families/limits.hpp"

namespace cairn::families {
namespace {

double cpu_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

bool is_accepted(const StepReport& report) {
  return report.status == StepStatus::certified && report.verdict.accepted();
}

std::string sentence_of(const StepReport& report) {
  if (!report.message.empty()) return report.message;
  for (const VerdictPart* part :
       {&report.verdict.solve, &report.verdict.motion, &report.verdict.energy})
    if (!part->sentence.empty()) return part->sentence;
  if (report.status == StepStatus::interrupted) return "out of time";
  return fmt::format("residual {:.1e}", report.certificate);
}

// The deepest overlap of a pair along its paths, by samples no farther apart than a fraction of
// what is allowed, as far as a bounded number of them goes.
double deepest_on_the_way(World& world, CollidingPair& pair, const Path& a, const Path& b) {
  constexpr int most_samples = 2000;
  const double t0 = a.nodes.front().t, t1 = a.nodes.back().t;
  const double reach =
      a.length() + b.length() + world.outer[pair.a] * a.turned() + world.outer[pair.b] * b.turned();
  double inner = std::numeric_limits<double>::infinity(), worst = 0;
  for (const std::size_t body : {pair.a, pair.b})
    for (const Solid& s : world.solids[body]) inner = std::min(inner, s.inner);
  if (!(reach > 0) || !std::isfinite(reach) || !std::isfinite(inner)) return 0;
  for (double tau = 0; tau < 1;) {
    const double t = t0 + tau * (t1 - t0);
    const Deepest here = pair_overlap(world, pair, a.at(t), b.at(t), 0.5 * overlap_limit);
    worst = std::max(worst, here.ratio);
    const double least = std::max(0.25 * overlap_limit * inner / reach, 1.0 / most_samples);
    tau += std::max(here.apart / reach, least);
  }
  return worst;
}

// Pairs near enough to meet in the step.
double deepest_on_the_way(const Moment& m) {
  double worst = 0;
  for (CollidingPair& pair : m.world.pairs) {
    const Path a = path_of(m.world, pair.a, m.before, m.after, m.report);
    const Path b = path_of(m.world, pair.b, m.before, m.after, m.report);
    const double apart = (a.nodes[0].X_WC.p - b.nodes[0].X_WC.p).norm();
    if (apart > m.world.outer[pair.a] + m.world.outer[pair.b] + a.length() + b.length()) continue;
    worst = std::max(worst, deepest_on_the_way(m.world, pair, a, b));
  }
  return worst;
}

void judge_overlap(const Trial& trial, const Moment& m, Outcome& out) {
  const Deepest end = deepest_overlap(m.world, m.after.poses, 0.2 * overlap_limit);
  double worst = end.ratio;
  out.deepest = std::max(out.deepest, worst);
  if (!m.accepted) return;
  if (trial.exact_paths) worst = std::max(worst, deepest_on_the_way(m));
  out.deepest_accepted = std::max(out.deepest_accepted, worst);
  if (worst > overlap_limit * oracle_error) out.fault("accepted above its limit");
}

// (E314). A step without a solve has no bound of its own: that of the smallest problems is meant.
void count_work(const WorkMeter& meter, double seconds, Outcome& out) {
  constexpr double least_constraints = 200, worth_timing = 0.1;
  const double bound = std::max(meter.limit, meter.per_constraint * least_constraints);
  out.work += meter.spent;
  if (!(bound > 0)) return;
  out.most_work = std::max(out.most_work, meter.spent / bound);
  if (meter.spent > worth_timing * bound)
    out.slowest_unit = std::max(out.slowest_unit, seconds / meter.spent);
}

void count(const StepReport& report, double seconds, Outcome& out) {
  out.cpu += seconds;
  out.longest = std::max(out.longest, seconds);
  const int parts = std::max(report.verdict.parts, 1);
  if (!report.divided.empty()) {
    ++out.divided;
    out.parts += parts;
  }
  out.most_parts = std::max(out.most_parts, parts);
}

Simulator simulator_of(const World& world) {
  return Simulator(world.scene.model, *world.scene.initial, world.scene.simulation.scheme,
                   world.scene.simulation.solver, world.scene.simulation.verdict);
}

// Solvers ask once an iteration, which may take less time than the clock.
struct Deadline {
  double end = 0;
  int asked = 0;

  bool is_over() { return ++asked % 256 == 0 && cpu_seconds() > end; }
};

void take_steps(const Trial& trial, World& world, double seconds, Outcome& out) {
  Simulator sim = simulator_of(world);
  Deadline deadline{cpu_seconds() + seconds};
  sim.set_interrupt({[](void* d) { return static_cast<Deadline*>(d)->is_over(); }, &deadline});
  for (int n = 0; n < trial.steps; ++n) {
    const State before = sim.state();
    const double start = cpu_seconds();
    const StepReport& report = sim.step(trial.h);
    const double took = cpu_seconds() - start;
    count(report, took, out);
    count_work(sim.work(), took, out);
    const bool accepted = is_accepted(report);
    if (!accepted && out.refusal.empty())
      out.refusal = fmt::format("step {}: {}", n + 1, sentence_of(report));
    if (report.status == StepStatus::internal_error) out.fault("internal error");
    if (report.status == StepStatus::interrupted) out.fault("out of time");
    if (report.failed() || report.status == StepStatus::interrupted) break;
    ++out.taken;
    out.accepted += accepted ? 1 : 0;
    const Moment moment{world, before, sim.state(), report, trial.h, accepted, n == 0};
    judge_overlap(trial, moment, out);
    if (trial.judge) trial.judge(moment, out);
  }
}

}  // namespace

void Outcome::fault(const std::string& what) {
  if (std::find(faults.begin(), faults.end(), what) == faults.end()) faults.push_back(what);
}

double Outcome::figure(const std::string& name) const {
  for (const auto& [key, value] : figures)
    if (key == name) return value;
  return 0;
}

void Outcome::raise(const std::string& name, double value) {
  for (auto& [key, largest] : figures)
    if (key == name) {
      if (!(value <= largest)) largest = value;
      return;
    }
  figures.emplace_back(name, value);
}

Outcome run(const Trial& trial, const Settings& settings) {
  Outcome out;
  out.steps = trial.steps;
  Result<Scene> scene = parse_scene(trial.scene.dump(), trial.name, settings.assignments);
  if (!scene) {
    out.unreadable = scene.error().front().text();
    out.fault("not read");
    return out;
  }
  World world = make_world(std::move(*scene));
  if (trial.start) trial.start(world);
  take_steps(trial, world, settings.seconds, out);
  if (trial.finish) trial.finish(out);
  if (out.passed) out.fault("passed through");
  if (trial.must_accept && !out.all_accepted()) out.fault("not accepted");
  return out;
}

SideCheck check_sides(const Trial& trial, const Settings& settings) {
  SideCheck found;
  Result<Scene> scene = parse_scene(trial.scene.dump(), trial.name, settings.assignments);
  if (!scene) return found;
  World world = make_world(std::move(*scene));
  Simulator sim = simulator_of(world);
  const StepReport unknown;  // of a long step: its states are all that is known of it
  Outcome fine, coarse;
  for (int n = 0; n < trial.steps; ++n) {
    const State start = sim.state();
    for (int k = 0; k < settings.fine; ++k) {
      const State before = sim.state();
      const StepReport& report = sim.step(trial.h / settings.fine);
      if (report.failed()) return found;
      trial.judge({world, before, sim.state(), report, trial.h / settings.fine, true}, fine);
    }
    trial.judge({world, start, sim.state(), unknown, trial.h, true, false, false}, coarse);
    found = {fine.passed, coarse.passed};
  }
  return found;
}

}  // namespace cairn::families
