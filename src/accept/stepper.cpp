#include "accept/stepper.hpp"

#include <algorithm>
#include <optional>
#include <variant>

#include "accept/merge.hpp"
#include "base/conventions.hpp"
#include "scheme/common/report.hpp"
#include "scheme/euler/euler.hpp"
#include "scheme/hybrid/hybrid.hpp"
#include "scheme/penalty/penalty.hpp"
#include "scheme/trapezoidal/trapezoidal.hpp"

namespace cairn::accept {
namespace {

constexpr double shortest = 0x1p-24;            // part, of the step [-]
constexpr double shortest_for_energy = 0x1p-4;  // of parts that fail in energy alone [-]
constexpr double growth = 4;                 // of the length from one part to the next, at most [-]
constexpr double length_rounding = 0x1p-30;  // of lengths that are sums of parts [-]
constexpr double first_order_below = 0.25;  // length of parts that may be taken so, of the step [-]
constexpr double least_cut = 0.0625;  // share of a part at which it is divided, at the least [-]

// What finding contacts and judging the motion take a body, in products of 6 x 6 blocks (E314).
constexpr double work_of_attempt = 250;

// A shorter step may be possible where this one was not.
bool may_help(StopReason reason) {
  switch (reason) {
    case StopReason::not_finite:
    case StopReason::energy_overflow:
    case StopReason::open_joints:
    case StopReason::unstable:
      return true;
    default:
      return false;
  }
}

// Impulses carried over are those of a step of the length before; scaled they are a good guess for
// one of another length.
void scale_memory(double factor, State& state) {
  if (factor == 1) return;
  for (ImpulseMemory& m : state.impulses) m.impulse *= factor;
}

// Contacts may return energy that an earlier step took: as springs, or by delayed restitution.
bool elastic(const Setting& s) {
  const Euler* euler = euler_options(s.scheme);
  return std::holds_alternative<Penalty>(s.scheme) ||
         (euler && euler->restitution != Restitution::completed);
}

// Schemes that look for events take a part in which they find no way by a step of first order, as
// they do where events accumulate (E177, E217).
std::optional<SchemeOptions> first_order(const SchemeOptions& scheme) {
  if (const auto* hybrid = std::get_if<Hybrid>(&scheme))
    return Euler{
        .projection = hybrid->projection, .gamma = hybrid->gamma, .facets = hybrid->facets};
  if (const auto* trapezoidal = std::get_if<Trapezoidal>(&scheme))
    return Euler{.projection = trapezoidal->projection,
                 .gamma = trapezoidal->gamma,
                 .facets = trapezoidal->facets};
  return std::nullopt;
}

// (E644): the error of a top is about (h |w|)^2/16 under the trapezoidal rule.
double most_turn(const SchemeOptions& scheme) {
  return std::holds_alternative<Trapezoidal>(scheme) ? 0.4 : 0.5;
}

// Where a part that failed is cut, as a share of its length.
double cut_of(const Judgement& judgement, const StepReport& report) {
  const double at = judgement.certified;
  return !report.failed() && at < 1 ? std::clamp(at, least_cut, 1 - least_cut) : 0.5;
}

}  // namespace

bool stands(const Setting& setting, const Judgement& judgement, const StepReport& report) {
  if (report.failed()) return !may_help(report.reason);
  if (setting.poses_other_problems() && !judgement.verdict.solve.ok) return false;
  const bool from_before = judgement.started_so && !judgement.fails_anew;
  return from_before || (judgement.verdict.motion.ok && judgement.verdict.energy.ok);
}

void close_report(StepReport& report) {
  scheme::judge(report);
  report.active_contacts =
      static_cast<int>(std::count_if(report.contacts.begin(), report.contacts.end(),
                                     [](const ContactReport& c) { return c.impulse[0] > 0; }));
  report.parts = report.verdict.parts;
}

Judgement Stepper::advance(const Setting& s, const SchemeOptions& with, double length,
                           double nominal, scheme::StepData& data, State& state,
                           StepReport& report) {
  before_ = state;
  if (s.meter) s.meter->spent += work_of_attempt * static_cast<double>(1 + s.model.bodies.size());
  data.in.nominal = nominal;
  data.in.allowed_overlap = s.limits.overlap;
  std::visit(
      [&](const auto& scheme) {
        scheme::advance(s.model, scheme, s.solver, length, s.clock, data, state, report);
      },
      with);
  if (!report.failed() && !s.interrupted) {
    Judgement judgement = judge_({s.model, before_, state, data.path, report, length, nominal,
                                  elastic(s), data.forces.external, s.clock, most_turn(with)});
    report.seconds.checks += judgement.seconds;
    if (s.meter) s.meter->spent += judgement.work;
    report.verdict = judgement.verdict;
    return judgement;
  }
  Judgement stopped;
  stopped.verdict.motion = {false, 0, report.message};
  report.verdict = stopped.verdict;
  return stopped;
}

// The step cannot be taken in however short parts.
void Stepper::stop(const State& begin, double h, const Judgement& judgement, State& state,
                   StepReport& report) {
  scheme::Stop why{part_.reason, part_.message};
  if (!part_.failed())
    why = {StopReason::passes_through, judgement.verdict.motion.sentence +
                                           "; take a smaller step or allow more parts "
                                           "(simulation.verdict.max_parts)"};
  state = begin;
  begin_whole(state, h, report);
  scheme::stop(report, std::move(why));
  report.verdict = judgement.verdict;
}

// Parts are taken in the order of time; one that fails is cut in two.
void Stepper::divide(const Setting& s, double h, const State& begin, const Judgement& first,
                     scheme::StepData& data, State& state, StepReport& report) {
  const double cut = cut_of(first, report);
  state = begin;
  begin_whole(state, h, report);
  Verdict whole;
  int attempts = 1;
  double last = h;       // length that the impulses in the state are for
  double last_good = h;  // length of the part before
  const std::optional<SchemeOptions> fallback = first_order(s.scheme);
  pending_.assign({h - cut * h, cut * h});
  while (!pending_.empty()) {
    double length = pending_.back();
    pending_.pop_back();
    // After a short part the next one is not much longer: what failed before would fail again.
    // What would be left by rounding is no part of its own.
    if (length > growth * last_good * (1 + length_rounding) && !s.out_of_budget()) {
      pending_.push_back(length - growth * last_good);
      length = growth * last_good;
    }
    scale_memory(length / last, state);
    last = length;
    // What looks for events would find no work left for them.
    bool plain = fallback && s.events_spent();  // taken at first order
    Judgement judgement = advance(s, plain ? *fallback : s.scheme, length, h, data, state, part_);
    ++attempts;
    if (fallback && !plain && length < first_order_below * h && !s.interrupted &&
        !stands(s, judgement, part_)) {
      report.discarded_solves += part_.solves.size();
      state = before_;
      judgement = advance(s, *fallback, length, h, data, state, part_);
      ++attempts;
      plain = true;
    }
    // The scheme that goes on makes no anchors, and would leave them where they are.
    if (plain && std::holds_alternative<Trapezoidal>(s.scheme)) state.contact_anchors.clear();
    report.seconds.detect += part_.seconds.detect;
    report.seconds.solve += part_.seconds.solve;
    report.seconds.checks += part_.seconds.checks;
    if (s.interrupted) return;
    const bool energy_alone = judgement.culprits.empty() && !part_.failed();
    const bool last_try = (judgement.passes ? s.far_out_of_budget() : s.out_of_budget()) ||
                          attempts + static_cast<int>(pending_.size()) >= s.limits.max_parts ||
                          length < (energy_alone ? shortest_for_energy : shortest) * h;
    if (!stands(s, judgement, part_) && !last_try) {
      report.discarded_solves += part_.solves.size();
      state = before_;
      const double at = cut_of(judgement, part_);
      pending_.push_back(length - at * length);
      pending_.push_back(at * length);
      continue;
    }
    if (part_.failed() || judgement.passes) return stop(begin, h, judgement, state, report);
    last_good = length;
    append_part(s.model, before_.t, state, part_, report);
    report.divided.back().first_order = plain;
    add_part(judgement.verdict, whole);
  }
  scale_memory(h / last, state);
  state.t = begin.t;
  state.step = begin.step;
  scheme::count_step(h, state, report);
  whole.parts = static_cast<int>(report.divided.size());
  whole.attempts = attempts;
  report.verdict = std::move(whole);
  close_report(report);
  judge_energy(s, h, begin, state, data.forces.external, report);
}

void Stepper::judge_energy(const Setting& s, double h, const State& begin, const State& state,
                           std::span<const ExternalForce> external, StepReport& report) {
  judge_.judge_energy({s.model, begin, state, no_path_, report, h, h, elastic(s), external},
                      report.verdict);
}

}  // namespace cairn::accept
