#include "scheme/hybrid/hybrid.hpp"

#include <algorithm>
#include <cmath>

#include "base/conventions.hpp"
#include "dynamics/kinematics.hpp"
#include "scheme/common/report.hpp"
#include "scheme/common/stop.hpp"
#include "scheme/hybrid/hybrid_step.hpp"

namespace cairn::scheme {
namespace {

constexpr double no_time = 0x1p-50;  // of the step [-]

// Of the work of a step (E314): beyond this share steady contacts are solved for once a part.
constexpr double share_for_curves = 0.125;

// A pass over all bodies, in products of 6 x 6 blocks a body: the contacts of a moment, or forces
// and rows of a part.
constexpr double work_of_pass = 250;

}  // namespace

void HybridStep::event(StepEvent::Kind kind, double t, const ContactKey& key, double speed) {
  report.events.push_back({kind, t, key, speed});
}

// Adds to the work of the step (E314).
void HybridStep::book(double work) const {
  if (data.in.meter) data.in.meter->spent += work;
}

void HybridStep::book_pass() const {
  book(work_of_pass * static_cast<double>(1 + model.bodies.size()));
}

// (E217): from here on every pair is kept apart as it comes, without restitution.
void HybridStep::limit_events() {
  limited = true;
  event(StepEvent::Kind::limit, d.now.t,
        report.events.empty() ? ContactKey{} : report.events.back().contact, 0);
}

// Son, Trinkle and Amato 2004, Figure 2, contact by contact: flight and impacts, or the steady
// problem.
void HybridStep::integrate() {
  CAIRN_DCHECK(h > 0, h);
  CAIRN_DCHECK(base::is_strictly_sorted(d.steady));
  CAIRN_DCHECK(base::are_rotations(d.now.poses));
  const double end = d.now.t + h;
  double left = h;
  const auto moving = std::count_if(model.bodies.begin(), model.bodies.end(),
                                    [](const Body& body) { return body.velocities > 0; });
  const auto most = static_cast<std::int64_t>(options.max_events) * (1 + moving);
  std::int64_t moments = 0;
  d.marks.moments_of.assign(model.bodies.size(), 0);
  d.due.clear();
  find_bound_bodies();
  while (left > no_time * h && stopped.empty()) {
    find_contacts(left);
    report.filtered_contacts = data.active.finder.filtered();
    if (data.active.finder.missing().first >= 0) {
      stopped = missing_contact(model, data.active.finder.missing());
      return;
    }
    if (!d.ahead.v.allFinite()) {
      stopped = not_finite(model, d.ahead.v, "force or velocity");
      return;
    }
    book_pass();
    const bool spent = data.in.meter && data.in.meter->beyond(share_for_events);
    if (!limited && (worn_out || spent || ++moments > most)) limit_events();
    if (data.in.meter && data.in.meter->beyond(share_for_curves)) d.euler.nonlinear = false;
    if (choose_steady()) {
      impact();
      continue;
    }
    take_part(left);
    for (int round = 0; stopped.empty() && round < max_rounds && verify_part(); ++round)
      take_part(left);
    if (!stopped.empty()) return;
    double length = left;
    if (!limited) {
      const double tau = first_collision(left);
      if (hold_closed(tau)) continue;
      if (tau <= no_time * h) continue;  // bodies that touch: the choice is made again
      if (tau < left) length = meet(tau, left);
      if (!stopped.empty()) return;
    }
    accept(length);
    left -= length;
  }
  d.now.t = end;
}

void advance(const Model& model, const Hybrid& options, const SolverOptions& solver, double h,
             double (*clock)(), StepData& data, State& state, StepReport& report) {
  auto now = [clock] { return clock ? clock() : 0.0; };
  const double start = now();
  HybridData& d = data.memory<HybridData>();
  HybridStep step{model, options, solver, h, data, report, d};
  clear(report, state, h);
  data.path.clear();
  d.now = state;
  d.now.pending.clear();
  d.ahead.forces.external = data.forces.external;
  d.now.v_before.resize(0);
  d.steady = state.pending;
  d.brief = false;
  d.euler = Euler{.projection = options.projection,
                  .gamma = options.gamma,
                  .nonlinear = options.nonlinear,
                  .facets = options.facets,
                  .restitution = Restitution::delayed};
  step.evaluate(h);
  if (Stop stiff = too_stiff(model, state.poses, d.ahead.forces.springs.rows); !stiff.empty())
    return stop(report, stiff);
  if (!d.ahead.v.allFinite())
    return stop(report, not_finite(model, d.ahead.v, "force or velocity"));
  if (Stop lost = lost_body(model, d.ahead.poses); !lost.empty()) return stop(report, lost);
  step.integrate();
  if (!step.stopped.empty()) return stop(report, step.stopped);

  if (!close_ledger(model, state, d.now.poses, d.now.v, report.ledger))
    return stop(report, energy_overflow(model, d.now.v));
  judge(report);
  report.active_contacts =
      static_cast<int>(std::count_if(report.contacts.begin(), report.contacts.end(),
                                     [](const ContactReport& c) { return c.impulse[0] > 0; }));
  report.penetration = find_overlaps(model, d.now.poses, data.active);
  measure_joints(model, d.now.poses, report);
  state.poses = d.now.poses;
  state.v = d.now.v;
  state.impulses = d.now.impulses;
  state.contact_anchors = d.now.contact_anchors;
  state.pending = d.steady;
  count_step(h, state, report);
  report.seconds.total = now() - start;
}

}  // namespace cairn::scheme
