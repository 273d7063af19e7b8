#include "scheme/trapezoidal/trapezoidal.hpp"

#include <algorithm>
#include <cmath>

#include "base/conventions.hpp"
#include "constrain/memory.hpp"
#include "dynamics/kinematics.hpp"
#include "linear/blocks.hpp"
#include "problem/cone.hpp"
#include "scheme/common/report.hpp"
#include "scheme/common/stop.hpp"
#include "scheme/trapezoidal/trapezoidal_step.hpp"

namespace cairn::scheme {
namespace {

constexpr double no_time_left = 0x1p-46;  // of a part: rounding [-]

}  // namespace

// The solve's end becomes the beginning of what follows.
void TrapezoidalStep::accept(const SolveRecord& record) {
  CAIRN_DCHECK(d.smooth.posed.contacts() == d.touching.size(), d.smooth.posed.contacts());
  add_smooth_ledger(record, 1);
  constrain::remember(record.problem, d.touching, {}, record.solution.lambda, d.impulses);
  d.memory_length = d.next.t - d.now.t;
  d.holding.clear();
  for (std::size_t i = 0; i < d.touching.size(); ++i)
    if (record.solution.lambda[d.smooth.posed.first_row_of(record.problem, i)] > 0)
      d.holding.push_back(d.touching[i].key);
  data.path.add(d.now.t, d.now.poses, d.now.v);
  data.path.add(d.next.t, d.next.poses, d.next.v);
  std::swap(d.now, d.next);
  project(d.now, record, 1);
}

// Potra et al. 2006, section 8: from `now` over `length`, with restarts at events.
void TrapezoidalStep::integrate(double length) {
  CAIRN_DCHECK(length > 0, length);
  CAIRN_DCHECK(base::are_rotations(d.now.poses));
  const double end = d.now.t + length;
  double left = length;
  int events = 0;
  // What an event near the end leaves is rounding, or does not change the time at all.
  while (left > no_time_left * length && d.now.t + left > d.now.t && stopped.empty()) {
    find_contacts(left);
    if (data.active.finder.missing().first >= 0) {
      stopped = missing_contact(model, data.active.finder.missing());
      return;
    }
    if (!limited && (events_spent() || ++events > options.max_events)) {
      limit_events();
      continue;
    }
    if (approaches_now()) {
      impact();
      continue;
    }
    SolveRecord& record = report.solves.push(limited ? Purpose::limited : Purpose::step);
    solve_smooth(left, record);
    if (!d.next.v.allFinite()) {
      stopped = not_finite(model, d.next.v, "new velocity");
      return;
    }
    if (!limited) {
      double tau = first_collision(left);
      const bool modes = options.events == EventDetection::all && !events_spent();
      if (modes && restart_at_release(std::min(tau, left), left)) continue;
      if (tau < left) {
        collide(tau, left);
        left -= tau;
        continue;
      }
      if (modes && restart_at_stick(left)) continue;
    }
    // The search for events may have moved the records.
    accept(report.solves.back());
    left = 0;
  }
  d.now.t = end;
}

void TrapezoidalStep::report_contacts(const SolveRecord& record) {
  CAIRN_DCHECK(d.touching.empty() || d.smooth.posed.contacts() == d.touching.size(),
               d.smooth.posed.contacts());
  const Units& units = record.problem.units;
  report.contacts.clear();
  report.active_contacts = 0;
  for (std::size_t i = 0; i < d.touching.size(); ++i) {
    const std::size_t at = d.smooth.posed.constraint_of(i);
    const Constraint& row = record.problem.constraints[at];
    ContactReport& out = report.contacts.emplace_back();
    out.contact = d.touching[i];
    double w[max_rows] = {};
    linear::constraint_velocity(record.problem, row, record.solution.v.data(), false, w);
    for (int k = 0; k < row.rows; ++k) {
      const int r = record.problem.first_row[at] + k;
      out.impulse[k] = record.solution.lambda[r] * units.impulse();
      out.velocity[k] =
          w[k] * units.speed() + d.smooth.posed.terms(static_cast<std::size_t>(r)).motion;
    }
    const double slip = out.velocity.tail<2>().norm();
    const bool on_cone = problem::friction_gauge(problem::law_set(row), out.impulse.data()) >=
                         (1 - 1e-9) * row.mu * out.impulse[0];
    out.impulse[2] *= out.contact.stretch;  // (E245)
    out.velocity[2] /= out.contact.stretch;
    if (out.impulse[0] > 0)
      out.mode = on_cone && slip > 1e-12 * units.speed() ? ContactMode::slip : ContactMode::stick;
    out.colliding = std::any_of(report.events.begin(), report.events.end(), [&](const auto& e) {
      return e.kind == StepEvent::Kind::collision && e.contact == out.contact.key;
    });
    if (out.impulse[0] > 0) ++report.active_contacts;
  }
}

// The impulses of the last part as they would be over a whole step: what the next one starts from.
void TrapezoidalStep::scale_memory() {
  if (!(d.memory_length > 0) || d.memory_length == h) return;
  const double factor = h / d.memory_length;
  for (ImpulseMemory& m : d.impulses) m.impulse *= factor;
}

namespace {

void load(const State& state, double h, TrapezoidalData& d) {
  d.now.t = state.t;
  d.now.poses = state.poses;
  d.now.v = state.v;
  d.impulses = state.impulses;
  d.holding.clear();
  for (const ImpulseMemory& m : of_role(d.impulses, Role::contact))
    d.holding.push_back(m.key.contact);
  d.memory_length = d.holding.empty() ? 0 : h;
}

}  // namespace

void advance(const Model& model, const Trapezoidal& options, const SolverOptions& solver, double h,
             double (*clock)(), StepData& data, State& state, StepReport& report) {
  auto now = [clock] { return clock ? clock() : 0.0; };
  const double start = now();
  TrapezoidalData& d = data.memory<TrapezoidalMemory>().step;
  TrapezoidalStep step{model, options, solver, h, data, report, d};
  clear(report, state, h);
  data.path.clear();
  load(state, h, d);
  d.begin = d.now;
  Phase& end = d.next;
  move_bodies(model, d.now, d.now.v, h, end);
  if (Stop lost = lost_body(model, end.poses); !lost.empty()) return stop(report, lost);
  dynamics::evaluate_impulses(model, d.now.poses, d.now.v, d.now.t, h, data.forces.external, false,
                              d.forces);
  d.smooth.mean = d.now.v + d.forces.sum();
  if (!d.smooth.mean.allFinite())
    return stop(report, not_finite(model, d.smooth.mean, "force or velocity"));

  // The true weights of rows that are in A with less (E464).
  for (const dynamics::FollowedRow& f : d.forces.followed)
    d.forces.middle_rows[f.row].elastic = f.weight;
  for (const auto& [poses, rows] : {std::pair{&d.now.poses, &d.forces.rows},
                                    std::pair{&d.forces.middle, &d.forces.middle_rows}})
    if (Stop stiff = too_stiff(model, *poses, *rows); !stiff.empty()) return stop(report, stiff);
  step.run(state.step == 0);
  if (!step.stopped.empty()) return stop(report, step.stopped);

  if (!close_ledger(model, state, d.now.poses, d.now.v, report.ledger))
    return stop(report, energy_overflow(model, d.now.v));
  judge(report);
  if (!report.solves.empty()) step.report_contacts(report.solves.back());
  // Where the step was one problem its end has been looked at already.
  const bool known = report.solves.size() == 1 && report.parts == 1 && report.projection == 0 &&
                     report.projection_angle == 0 && !step.limited;
  report.penetration = known ? d.search.deepest : find_overlaps(model, d.now.poses, data.active);
  measure_joints(model, d.now.poses, report);
  data.path.add(d.now.t, d.now.poses, d.now.v);
  step.scale_memory();
  state.poses = d.now.poses;
  state.v = d.now.v;
  state.impulses = d.impulses;
  count_step(h, state, report);
  report.seconds.total = now() - start;
}

}  // namespace cairn::scheme
