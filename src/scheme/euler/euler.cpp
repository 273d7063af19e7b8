#include "scheme/euler/euler.hpp"

#include <algorithm>
#include <cmath>

#include "constrain/memory.hpp"
#include "dynamics/flight.hpp"
#include "dynamics/kinematics.hpp"
#include "linear/blocks.hpp"
#include "model/conventions.hpp"
#include "scheme/common/report.hpp"
#include "scheme/common/stop.hpp"
#include "scheme/euler/step.hpp"
#include "solver/unguarded.hpp"

namespace cairn {

const char* name(const SchemeOptions& options) {
  static constexpr const char* names[] = {"euler", "relaxed", "trapezoidal", "hybrid", "penalty"};
  return names[options.index()];
}

const Euler* euler_options(const SchemeOptions& options) {
  if (const auto* relaxed = std::get_if<Relaxed>(&options)) return &relaxed->step;
  return std::get_if<Euler>(&options);
}

}  // namespace cairn

namespace cairn::scheme {

// (E30): v_free = v + h M^-1 k(t, q); prescribed bodies at the end of the step.
void Step::predict() {
  CAIRN_DCHECK(h > 0 && std::isfinite(h), h);
  model::dcheck_state(model, state);
  dynamics::evaluate_forces(model, state, h, data.forces);
  find_free_velocities(model, state, h, data.forces, data.free, data.v.free);
  data.v.free_plain = data.v.free;
  data.v.explicit_plain = data.free.v_explicit;
  data.poses.end.assign(state.poses.begin(), state.poses.end());
  for (std::size_t i = 0; i < model.bodies.size(); ++i)
    if (model.bodies[i].kind == BodyKind::prescribed)
      data.poses.end[i] = dynamics::prescribed_pose(model.bodies[i], state.t + h);
}

// Poses and solves the problem in which impacts return the share theta of their restitution, with
// its corrections.
void Step::solve(Purpose purpose, double theta, bool follow) {
  CAIRN_DCHECK(theta >= 0 && theta <= 1, theta);
  SolveRecord& record = report.solves.push(purpose);
  Problem& problem = record.problem;
  follow = follow && data.forces.springs.followed;
  assemble_step(model, state.poses, data.forces, data.free.v_explicit, h, data.rows.layout, problem,
                follow);
  data.rows.posed.begin(problem);
  add_joints(problem);
  add_drives(problem);
  CAIRN_DCHECK(data.rows.terms.size() == data.contacts.size(), data.rows.terms.size(),
               data.contacts.size());
  for (std::size_t i = 0; i < data.contacts.size(); ++i) {
    const Contact& c = data.contacts[i];
    ContactTerms& terms = data.rows.terms[i];
    use_gap(terms);
    if (theta > 0 && terms.impact) {
      // n.v+ >= -e n.v(l) in place of the gap row, (E33); an overlap that opens faster keeps its
      // row.
      const double bounce = -theta * guard_share(i) * terms.rebound;
      if (bounce < std::min(0.0, terms.gap)) {
        terms.gap = terms.closing = 0;
        terms.bounce = bounce;
      }
    }
    Vec3 b = terms.motion;
    b[0] += terms.gap + terms.bounce + terms.slip;
    constrain::add_contact(model, row_poses(c), data.rows.layout, c, options.facets, b, problem);
    if (c.rows > 1) problem.constraints.back().law = friction.law;
    data.rows.posed.add_contact(problem);
    for (int k = 0; k < c.rows; ++k) data.rows.posed.add(contact_terms(i, k));
  }
  add_spins(problem);
  data.rows.posed.dcheck(problem);
  constrain::recall(problem, data.contacts, data.rows.spins, data.impulses, record.solution.lambda);
  if (data.nonlinear.again) {
    keep_rows(problem, data.poses.linear, state.t + h, data.nonlinear.contacts, record.origin);
    record.origin.before = data.contacts_start;
  } else if (options.nonlinear) {
    record.origin.contacts = data.contacts;
  }
  if (!follow)
    solver::solve_unguarded(problem, solver, data.solver, record.solution);
  else if (!follow_springs(record)) {
    report.solves.roll_back(report.solves.size() - 1);
    return solve(purpose, theta, false);
  }
  if (!follow && data.forces.springs.followed) {
    constrain::to_model_velocities(model, problem, record.solution.v, data.v.end);
    measure_springs(data.v.end, true);
  }
  keep_impulses(record);
  if (friction.corrections > 0 && purpose != Purpose::correction) correct(theta);
}

// For the warm start of the next solve.
void Step::keep_impulses(const SolveRecord& record) {
  constrain::remember(record.problem, data.contacts, data.rows.spins, record.solution.lambda,
                      data.impulses);
}

void Step::move_bodies(const SolveRecord& record) {
  CAIRN_DCHECK(record.problem.velocities() == model.velocities, record.problem.velocities());
  CAIRN_DCHECK(data.poses.end.size() == model.bodies.size(), data.poses.end.size());
  constrain::to_model_velocities(model, record.problem, record.solution.v, data.v.end);
  data.v.moved = data.v.end;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body& body = model.bodies[i];
    if (body.velocities > 0)
      data.poses.end[i] =
          dynamics::drift(body, state.poses[i], data.v.end.data() + body.first_velocity, h,
                          data.v.moved.data() + body.first_velocity);
  }
}

// The velocities of the step, in v_end, with the bodies where they lead. With `nonlinear` every
// solution is followed to the end of the step; where that does not contract the linearised one is
// taken, and the report says so.
void Step::find_velocities() {
  for (bool nonlinear = options.nonlinear;; nonlinear = false) {
    report.solves.clear();
    report.guard_corrections = report.corrections = 0;
    report.sequential_impacts = report.unfinished_sequences = 0;
    report.impacts.clear();
    report.guard_factor = 1;
    data.impact.guard.share.clear();
    data.impact.at_once = false;
    data.v.free = data.v.free_plain;
    data.free.v_explicit = data.v.explicit_plain;
    data.v.start = state.v;
    measure_contacts();
    solve(Purpose::step, 0);
    bool settled = !nonlinear || settle(0);
    if (settled && mark_impacts() && options.restitution == Restitution::completed) {
      const double theta = impacts_at_once() ? collide_at_once() : restitute();
      settled = !nonlinear || settle(theta);
      if (settled && nonlinear) settled = guard_settled(theta);
    }
    if (settled) break;
    report.nonlinear_fallback = 1;
    data.contacts = data.contacts_start;
  }
  move_bodies(last());
}

// Contacts that were missed go into contacts_start; true: there were some.
bool Step::add_missed_contacts() {
  CAIRN_DCHECK(data.rows.posed.contacts() == data.contacts.size(), data.rows.posed.contacts());
  std::vector<double>& impulses = data.active.impulses;
  impulses.clear();
  for (std::size_t i = 0; i < data.contacts.size(); ++i)
    impulses.push_back(last().solution.lambda[data.rows.posed.first_row_of(last().problem, i)]);
  const int revised =
      revise_polyhedra(model, state, data.poses.end, impulses, data.active, data.contacts_start);
  const int added = add_missed(model, state, data.active, data.contacts_start);
  report.revised_pairs += revised;
  report.added_pairs += added;
  return revised + added > 0;
}

// Everything the report says of the contacts, from the solve that gave the velocities.
void Step::report_contacts() {
  const SolveRecord& record = last();
  CAIRN_DCHECK(data.rows.terms.size() == data.contacts.size(), data.rows.terms.size(),
               data.contacts.size());
  model::dcheck_contacts(model, data.contacts);
  const Units& units = record.problem.units;
  report.contacts.clear();
  report.active_contacts = report.collisions = 0;
  for (std::size_t i = 0; i < data.contacts.size(); ++i) {
    const std::size_t constraint = data.rows.posed.constraint_of(i);
    const Constraint& row = record.problem.constraints[constraint];
    CAIRN_DCHECK(row.key.contact == data.contacts[i].key, i);
    CAIRN_DCHECK(row.rows == data.contacts[i].rows, i, row.rows);
    ContactReport& out = report.contacts.emplace_back();
    out.contact = data.contacts[i];
    double w[max_rows] = {};
    linear::constraint_velocity(record.problem, row, record.solution.v.data(), false, w);
    for (int k = 0; k < row.rows; ++k) {
      out.impulse[k] =
          record.solution.lambda[record.problem.first_row[constraint] + k] * units.impulse() +
          data.rows.terms[i].impulse[k];
      out.velocity[k] = w[k] * units.speed() + data.rows.terms[i].motion[k];
    }
    const double tangential = out.impulse.tail<2>().norm(), slip = out.velocity.tail<2>().norm();
    // The row along t2 is stretched (E245).
    out.impulse[2] *= out.contact.stretch;
    out.velocity[2] /= out.contact.stretch;
    const bool on_cone = tangential >= (1 - 1e-9) * row.mu * out.impulse[0];
    if (out.impulse[0] > 0)
      out.mode = on_cone && slip > 1e-12 * units.speed() ? ContactMode::slip : ContactMode::stick;
    out.colliding =
        (data.rows.terms[i].bounce < 0 && out.impulse[0] > 0) || data.rows.terms[i].impulse[0] > 0;
    report.active_contacts += out.impulse[0] > 0 ? 1 : 0;
    report.collisions += out.colliding ? 1 : 0;
  }
  for (const ImpulseMemory& m : data.impulses) {
    if (m.key.role != Role::torsion && m.key.role != Role::rolling) continue;
    const auto out = std::lower_bound(
        report.contacts.begin(), report.contacts.end(), m.key.contact,
        [](const ContactReport& r, const ContactKey& key) { return r.contact.key < key; });
    CAIRN_DCHECK(out != report.contacts.end() && out->contact.key == m.key.contact);
    const Contact& c = out->contact;
    if (m.key.role == Role::torsion)
      out->torque[0] = c.n_W.dot(m.impulse);
    else
      out->torque.tail<2>() << c.t1_W.dot(m.impulse), c.t2_W.dot(m.impulse);
  }
}

// From the velocities of the solve by the drift (E420), then the projection.
void Step::record_path(const VecX& v_first) const {
  data.poses.path = data.poses.moved;
  const bool held = data.poses.moved != data.poses.end && !data.sticking.anchors.empty();
  data.v.path = v_first;
  if (held) follow_anchors(data.v.path, data.poses.path);
  data.path.add(state.t, state.poses, data.v.path);
  data.v.path = data.v.moved;
  if (held) follow_anchors(data.v.path, data.poses.path);
  data.path.add(state.t + h, data.poses.path, data.v.path);
  if (data.poses.path != data.poses.end) data.path.add(state.t + h, data.poses.end, data.v.end);
}

namespace {

void commit(const Step& step, State& state) {
  CAIRN_DCHECK(step.data.v.end.allFinite());
  CAIRN_DCHECK(step.data.v.end.size() == step.model.velocities, step.data.v.end.size());
  CAIRN_DCHECK(step.data.poses.end.size() == step.model.bodies.size(), step.data.poses.end.size());
  CAIRN_DCHECK(
      base::is_strictly_sorted(step.data.impulses, [](const ImpulseMemory& m) { return m.key; }));
  StepData& data = step.data;
  if (step.options.restitution != Restitution::completed) {
    // Contacts that collided now and were not already colliding bounce in the next step, (E34).
    std::swap(state.v_before, state.v);
    data.impact.pending.clear();
    for (std::size_t i = 0; i < data.contacts.size(); ++i)
      if (data.rows.terms[i].impact &&
          !std::binary_search(state.pending.begin(), state.pending.end(), data.contacts[i].key))
        data.impact.pending.push_back(data.contacts[i].key);
    state.pending = data.impact.pending;
  }
  state.v = data.v.end;
  // What decays without end, as under a stiff damper, ends before its squares underflow (E872).
  const double vanished = 0x1p-400 * step.last().problem.units.speed();
  for (double& v : state.v)
    if (std::abs(v) < vanished) v = 0;
  state.poses = data.poses.end;
  state.impulses = data.impulses;
  state.contact_anchors = data.sticking.anchors;
  count_step(step.h, state, step.report);
}

}  // namespace

FirstOrder::FirstOrder(const Relaxed& o)
    : step(o.step), friction{Law::coulomb_relaxed, o.corrections, o.correction_tolerance} {}

void advance(const Model& model, const FirstOrder& scheme, const SolverOptions& solver, double h,
             double (*clock)(), StepData& data, State& state, StepReport& report) {
  const Euler& options = scheme.step;
  Step step{model, options, scheme.friction, solver, h, data, state, report};
  auto now = [clock] { return clock ? clock() : 0.0; };
  const double start = now();
  clear(report, state, h);
  data.path.clear();

  // Predict without constraints; find every contact that can close.
  step.predict();
  if (Stop stiff = too_stiff(model, state.poses, data.forces.springs.rows); !stiff.empty())
    return stop(report, stiff);
  if (!data.v.free.allFinite())
    return stop(report, not_finite(model, data.v.free, "force or velocity"));
  if (Stop lost = lost_body(model, data.poses.end); !lost.empty()) return stop(report, lost);
  if (Stop lost = lost_motor(model, data.in.motors, state.t, h); !lost.empty())
    return stop(report, lost);
  find_candidates(model, state, data.v.free, data.poses.end, options, h, data.active,
                  data.contacts);
  if (data.active.finder.missing().first >= 0)
    return stop(report, missing_contact(model, data.active.finder.missing()));
  report.filtered_contacts = data.active.finder.filtered();
  data.contacts_start = data.contacts;
  data.impulses = state.impulses;
  report.seconds.detect = now() - start;

  // Find the velocities; verify that no other pair meets with them, else add it and begin again.
  for (int round = 0;; ++round) {
    const double solve_start = now();
    step.find_velocities();
    report.seconds.solve += now() - solve_start;
    if (!data.v.end.allFinite()) return stop(report, not_finite(model, data.v.end, "new velocity"));
    if (!step.close_joints(data.contacts_start))
      return stop(report, open_joints(model, state.poses, data.poses.end));
    if (const Squeeze squeeze = step.keep_gaps(); squeeze.depth > 0)
      return stop(report, squeezed(model, squeeze.key, squeeze.depth));
    if (step.joints_give_way())
      if (Stop why = contradiction(model, state.poses, data.poses.end); !why.empty())
        return stop(report, std::move(why));

    const double detect_start = now();
    report.penetration = find_overlaps(model, data.poses.end, data.active);
    const bool verify = options.active_set == ActiveSet::complete && round < max_rounds;
    const bool again = verify && step.add_missed_contacts();
    report.seconds.detect += now() - detect_start;
    if (!again) break;
    report.discarded_solves += report.solves.size();
    data.contacts = data.contacts_start;
  }
  step.open_overlaps();
  step.account_for_projection();

  judge(report);
  step.report_contacts();
  step.audit_impacts();
  report.coulomb_residual = step.friction.law == Law::coulomb_relaxed ? step.coulomb_residual() : 0;
  report.ledger = make_ledger(model, state, h, data, step.last());
  if (!step.finite_energy()) return stop(report, energy_overflow(model, data.v.end));
  measure_joints(model, data.poses.end, report);
  step.record_path(data.v.solved);
  commit(step, state);
  report.seconds.total = now() - start;
}

}  // namespace cairn::scheme
