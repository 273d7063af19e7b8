#include "accept/driver.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>
#include <variant>

#include "accept/merge.hpp"
#include "accept/submodel.hpp"
#include "base/index.hpp"
#include "scheme/common/report.hpp"

namespace cairn::accept {
namespace {

// A group of bodies with all that a step of it needs.
struct Group {
  Group(const Setting& s, std::span<const char> member, const scheme::StepData& whole)
      : sub(s.model, member),
        setting{sub.model(), s.scheme,      s.solver,    s.limits,
                s.clock,     s.interrupted, s.interrupt, s.meter},
        stepper(sub.model(), s.solver, s.limits),
        data(sub.model()) {
    data.forces.external = sub.extract(whole.forces.external);
    data.in.motors = sub.extract(whole.in.motors);
    data.solver.set_interrupt(s.interrupt);
    data.positions.contact_projection.solver.set_interrupt(s.interrupt);
    data.solver.set_meter(s.meter);
    data.positions.contact_projection.solver.set_meter(s.meter);
    data.positions.contact_projection.meter = data.positions.projection.meter = s.meter;
    data.in.meter = s.meter;
  }

  // From the state `whole`. False: it was stopped or interrupted.
  bool step(double h, const State& whole) {
    const State begin = sub.extract(whole);
    state = begin;
    const Judgement first = stepper.advance(setting, setting.scheme, h, h, data, state, report);
    if (setting.interrupted) return false;
    if (stands(setting, first, report))
      make_one_part(sub.model(), begin.t, state, report);
    else
      stepper.divide(setting, h, begin, first, data, state, report);
    return taken();
  }

  // The same where the step as a whole, in which the group moved alike, has failed as `first` says.
  bool step_in_parts(double h, const State& whole, const Judgement& first) {
    const State begin = sub.extract(whole);
    state = begin;
    stepper.divide(setting, h, begin, first, data, state, report);
    return taken();
  }

  bool taken() const { return !report.failed() && !setting.interrupted; }

  SubModel sub;
  Setting setting;
  Stepper stepper;
  scheme::StepData data;
  State state;
  StepReport report;
};

// A ball that holds all a body passed through, about where it began.
double reach_of(const Model& model, const State& begin, const StepReport& report,
                std::size_t body) {
  double far = 0;
  for (const StepPart& part : report.divided) {
    const auto at =
        std::lower_bound(part.bodies.begin(), part.bodies.end(), static_cast<BodyId>(body));
    if (at == part.bodies.end() || index(*at) != body) continue;
    const Pose& pose = part.poses[static_cast<std::size_t>(at - part.bodies.begin())];
    far = std::max(far, (pose.p - begin.poses[body].p).norm());
  }
  return far + model.bodies[body].radius;
}

// Can bodies of the group meet others on the paths that they took?
bool can_meet(const Model& model, const State& begin, const StepReport& report,
              std::span<const char> member) {
  std::vector<double> reach(model.bodies.size(), 0);
  for (std::size_t i = 0; i < model.bodies.size(); ++i)
    if (model.bodies[i].velocities > 0) reach[i] = reach_of(model, begin, report, i);
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    if (model.bodies[i].velocities == 0 || !member[i]) continue;
    for (std::size_t k = 0; k < model.bodies.size(); ++k)
      if (model.bodies[k].velocities > 0 && !member[k] &&
          (begin.poses[i].p - begin.poses[k].p).norm() <= reach[i] + reach[k])
        return true;
  }
  return false;
}

void merge_memory(const Group (&groups)[2], State& state);

// (E665): a requested accuracy that min_step, or an event, keeps the step from.
void judge_accuracy(const SchemeOptions& scheme, StepReport& report) {
  const auto* asked = std::get_if<Trapezoidal>(&scheme);
  if (!asked || !(asked->accuracy > 0) || report.failed()) return;
  const double ratio = report.error_estimate / asked->accuracy;
  if (ratio <= 1 + 0x1p-20) return;
  VerdictPart& motion = report.verdict.motion;
  motion.worst = std::max(motion.worst, ratio);
  if (!motion.ok) return;
  motion.ok = false;
  motion.sentence = fmt::format(
      "the accuracy of {:.3g} m is not reached: estimated error {:.3g} m; reduce min_step, or ask "
      "for less where bodies collide",
      asked->accuracy, report.error_estimate);
}

}  // namespace

void Driver::step(const Setting& s, double h, scheme::StepData& data, State& state,
                  StepReport& report) {
  auto now = [&] { return s.clock ? s.clock() : 0.0; };
  const double start = now();
  begin_ = state;
  const Judgement first = stepper_.advance(s, s.scheme, h, h, data, state, report);
  const bool divides = s.limits.split && s.limits.max_parts > 1;
  if (!s.interrupted && divides && !s.out_of_budget() && !stands(s, first, report)) {
    const bool apart =
        find_group(s.model, report, first, state) && step_apart(s, h, first, data, state, report);
    if (!apart && !s.interrupted) stepper_.divide(s, h, begin_, first, data, state, report);
  }
  judge_accuracy(s.scheme, report);
  if (!report.failed() && !report.verdict.accepted()) report.status = StepStatus::uncertified;
  report.seconds.total = now() - start;
}

// The bodies that fail in motion and all that joints, springs and possible contacts connect with
// them. False: these are all bodies, or it is not known which fail.
bool Driver::find_group(const Model& model, const StepReport& report, const Judgement& judgement,
                        const State& after) {
  if (report.failed() || !judgement.verdict.energy.ok || judgement.culprits.empty()) return false;
  auto free = [&](BodyId id) { return id != BodyId::world && model.body(id).velocities > 0; };
  auto join = [&](BodyId a, BodyId b) {
    if (free(a) && free(b)) sets_.join(static_cast<int>(a), static_cast<int>(b));
  };
  sets_.reset(model.bodies.size());
  for (const Joint& joint : model.joints) join(joint.bodies[0], joint.bodies[1]);
  for (const Gear& gear : model.gears)
    for (const BodyId id : gear.bodies) join(gear.bodies[0], id);
  for (const Spring& spring : model.springs) join(spring.bodies[0], spring.bodies[1]);
  for (const SolveRecord& solve : report.solved())
    for (const Constraint& c : solve.problem.constraints)
      if (is_of_contact(c.key.role)) join(c.key.contact.body_a, c.key.contact.body_b);
  for (const auto& [a, b] : judgement.culprits) join(a, b);
  fails_.assign(model.bodies.size(), 0);
  for (const auto& [a, b] : judgement.culprits)
    for (const BodyId id : {a, b})
      if (free(id)) fails_[base::at(sets_.root(static_cast<int>(id)))] = 1;
  for (std::size_t i = 0; i < model.bodies.size(); ++i)
    if (model.bodies[i].velocities > 0)
      fails_[i] = fails_[base::at(sets_.root(static_cast<int>(i)))];
  join_near(model, after);
  for (std::size_t i = 0; i < model.bodies.size(); ++i)
    if (model.bodies[i].velocities > 0 && !fails_[i]) return true;
  return false;
}

// Bodies that those of the group can meet on the way to `after`, with all that is connected with
// them: apart from them its parts would be taken for nothing.
void Driver::join_near(const Model& model, const State& after) {
  const auto free = [&](std::size_t i) { return model.bodies[i].velocities > 0; };
  const auto root = [&](std::size_t i) { return sets_.root(static_cast<int>(i)); };
  const auto reach = [&](std::size_t i) {
    return (after.poses[i].p - begin_.poses[i].p).norm() + model.bodies[i].radius;
  };
  std::vector<std::size_t> group;
  for (std::size_t i = 0; i < model.bodies.size(); ++i)
    if (free(i) && fails_[i]) group.push_back(i);
  for (std::size_t next = 0; next < group.size(); ++next) {
    const std::size_t i = group[next];
    const double reach_i = reach(i);
    for (std::size_t k = 0; k < model.bodies.size(); ++k) {
      if (!free(k) || fails_[k]) continue;
      if ((begin_.poses[i].p - begin_.poses[k].p).norm() > reach_i + reach(k)) continue;
      for (std::size_t j = 0; j < model.bodies.size(); ++j) {
        if (!free(j) || fails_[j] || root(j) != root(k)) continue;
        fails_[j] = 1;
        group.push_back(j);
      }
    }
  }
}

// Both groups take the step by themselves. False: they meet, or one of them cannot; nothing is
// changed then.
bool Driver::step_apart(const Setting& s, double h, const Judgement& first,
                        const scheme::StepData& data, State& state, StepReport& report) {
  std::vector<char> rest(fails_.size());
  for (std::size_t i = 0; i < rest.size(); ++i) rest[i] = fails_[i] ? 0 : 1;
  Group groups[2] = {{s, fails_, data}, {s, rest, data}};
  // Events of other bodies restart a scheme that looks for them: alone the group may pass.
  const bool alike = euler_options(s.scheme) != nullptr || s.events_spent();
  if (!(alike ? groups[0].step_in_parts(h, begin_, first) : groups[0].step(h, begin_)))
    return false;
  if (!groups[1].step(h, begin_)) return false;

  StepReport whole;
  scheme::clear(whole, begin_, h);
  for (Group& group : groups) {
    group.sub.rename(group.report);
    group.sub.rename(group.state);
    append_group(group.report, whole);
  }
  if (can_meet(s.model, begin_, whole, fails_)) return false;
  whole.seconds.detect += report.seconds.detect;
  whole.seconds.solve += report.seconds.solve;
  whole.seconds.checks += report.seconds.checks;
  whole.discarded_solves += report.solves.size();
  Verdict verdict = groups[0].report.verdict;
  add_part(groups[1].report.verdict, verdict);
  verdict.overlap = std::max(verdict.overlap, groups[0].report.verdict.overlap);
  verdict.joint = std::max(verdict.joint, groups[0].report.verdict.joint);
  verdict.joint_angle = std::max(verdict.joint_angle, groups[0].report.verdict.joint_angle);
  verdict.parts = std::max(groups[0].report.verdict.parts, groups[1].report.verdict.parts);
  verdict.attempts =
      (alike ? 0 : 1) + groups[0].report.verdict.attempts + groups[1].report.verdict.attempts;
  std::swap(report, whole);
  report.verdict = std::move(verdict);
  state = begin_;
  for (Group& group : groups) group.sub.put_back(group.state, state);
  merge_memory(groups, state);
  scheme::count_step(h, state, report);
  close_report(report);
  stepper_.judge_energy(s, h, begin_, state, data.forces.external, report);
  return true;
}

namespace {

// Impulses carried over, sorted as in any state.
void merge_memory(const Group (&groups)[2], State& state) {
  auto merged = [&](auto member, auto less) {
    auto list = groups[0].state.*member;
    const auto& other = groups[1].state.*member;
    list.insert(list.end(), other.begin(), other.end());
    std::sort(list.begin(), list.end(), less);
    return list;
  };
  const auto by_key = [](const auto& a, const auto& b) { return a.key < b.key; };
  state.impulses = merged(&State::impulses, by_key);
  state.contact_anchors = merged(&State::contact_anchors, by_key);
  state.pending = merged(&State::pending, std::less<>());
}

}  // namespace

}  // namespace cairn::accept
