#include "scheme/euler/euler.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "constrain/carried.hpp"
#include "constrain/memory.hpp"
#include "dynamics/flight.hpp"
#include "dynamics/kinematics.hpp"
#include "linear/blocks.hpp"
#include "model/conventions.hpp"
#include "model/shape/inner_radius.hpp"
#include "scheme/common/report.hpp"
#include "scheme/common/separation.hpp"
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
  find_free_velocities(model, state, h, data.forces, data.free, data.v_free);
  data.v_free_plain = data.v_free;
  data.v_explicit_plain = data.free.v_explicit;
  data.poses_end.assign(state.poses.begin(), state.poses.end());
  for (std::size_t i = 0; i < model.bodies.size(); ++i)
    if (model.bodies[i].kind == BodyKind::prescribed)
      data.poses_end[i] = dynamics::prescribed_pose(model.bodies[i], state.t + h);
}

// (E309): in a part of a step an overlap opens within the part, but for what is well within the
// limit, as fast as a small share of the speed of the bodies. Overlaps of several parts would add
// up to the limit otherwise.
double Step::part_gap_rate(const Contact& c, const Vec3& motion) const {
  constexpr double of_speed = 1.0 / 32, of_limit = 0.25;
  const double allowed = of_limit * data.allowed_overlap *
                         model::pair_inner_radius(model, model.shapes[index(c.key.shape_a)],
                                                  model.shapes[index(c.key.shape_b)]);
  if (!(-c.gap > allowed)) return 0;
  // Of the centres of mass, or of the points that touch.
  Vec3 centres = Vec3::Zero(), points = motion;
  for (const Vec3& along : {c.n_W, c.t1_W, c.t2_W})
    points += relative_velocity(model, state.poses, c, along, state.v) * along;
  for (const auto& [id, sign] : {std::pair(c.key.body_a, -1.0), std::pair(c.key.body_b, 1.0)})
    if (const Body& body = model.body(id); body.velocities > 0)
      centres += sign * dynamics::linear_velocity(body, state.v.data() + body.first_velocity);
  const double speed = std::max(centres.norm(), points.norm());
  return std::max(options.gamma * (c.gap + allowed) / h, -of_speed * speed);
}

// (E443): gaps up to this are rounding of the positions that they are differences of [m].
static double noise_of_gap(const Model& model, std::span<const Pose> poses, const Contact& c) {
  const double size = c.p_WC.cwiseAbs().maxCoeff() +
                      poses[index(c.key.body_a)].p.cwiseAbs().maxCoeff() +
                      poses[index(c.key.body_b)].p.cwiseAbs().maxCoeff() +
                      model.smaller_radius(c.key.body_a, c.key.body_b);
  return 4 * std::numeric_limits<double>::epsilon() * size;
}

// (E600): motion of prescribed bodies at a contact. All bodies that move with one can share the
// velocities of its screw motion, and the projection brings anchors to where it leads (E442). Where
// nothing sticks yet the end of the step is met along the normal (E440).
Vec3 Step::motion_of(const Contact& c) const {
  const Vec3 chord = constrain::carried_velocity(model, state.poses, data.poses_end, c, h);
  if (!options.projection) return chord;
  const Vec3 screw = constrain::screw_velocity(model, state.poses, data.poses_end, c, h);
  return rides(c.key) ? screw : Vec3(screw + c.n_W.dot(chord - screw) * c.n_W);
}

// Terms of (E31) that do not depend on the solution; Lambda of the delayed forms (E34).
void Step::measure_contacts() {
  data.linearised_again = false;
  find_riders();
  data.poses_linear = data.poses_rows = state.poses;
  if (options.nonlinear) {
    data.contacts_linear = data.contacts;
    data.isolated.clear(model);
  }
  data.terms.assign(data.contacts.size(), ContactTerms{});
  for (std::size_t i = 0; i < data.contacts.size(); ++i) {
    const Contact& c = data.contacts[i];
    ContactTerms& terms = data.terms[i];
    const Vec3 motion = motion_of(c);
    terms.motion = Vec3(c.n_W.dot(motion), c.rows > 1 ? c.t1_W.dot(motion) : 0,
                        c.rows > 2 ? c.stretch * c.t2_W.dot(motion) : 0);
    terms.spin = constrain::prescribed_spin(model, state.poses, data.poses_end, c, h);
    terms.approach = relative_velocity(model, state.poses, c, c.n_W, state.v) + terms.motion[0];
    terms.threshold = threshold(c);
    // A gap may close within a part of a step, an overlap opens over a whole one.
    const double gap = std::abs(c.gap) > noise_of_gap(model, state.poses, c) ? c.gap : 0;
    terms.gap_rate = (gap > 0 ? 1 : options.gamma * data.share(h)) * gap / h;
    if (gap < 0) {
      terms.gap_rate =
          std::max(terms.gap_rate, -separation_speed(model, c, options, h / data.share(h)));
      if (data.share(h) < 1) terms.gap_rate = std::min(terms.gap_rate, part_gap_rate(c, motion));
    }
    terms.start_gap_rate = std::max(0.0, gap) / h;
    terms.target = std::min(0.0, gap - h * terms.gap_rate);
    if (options.restitution == Restitution::completed || c.restitution == 0 ||
        state.v_before.size() == 0)
      continue;
    if (!std::binary_search(state.pending.begin(), state.pending.end(), c.key)) continue;
    const bool corrected = options.restitution == Restitution::delayed;
    const double before =
        relative_velocity(model, state.poses, c, c.n_W, corrected ? state.v_before : state.v) +
        terms.motion[0];
    if (before < -terms.threshold) terms.delayed = c.restitution * before;
  }
}

// Joints come first in every problem; (E32), or (E82) where they are linearised again.
void Step::add_joints(Problem& problem) {
  data.joint_terms.clear();
  const std::vector<Pose>& others = data.linearised_again ? state.poses : data.poses_end;
  for (std::size_t i = 0; i < model.joints.size(); ++i) {
    const auto id = static_cast<JointId>(i);
    const bool kept = keeps_rows(model.joints[i]), closed = kept && options.projection;
    if (kept && !closed)
      constrain::add_joint_ahead(model, state.poses, data.poses_linear, data.layout, id, h, problem,
                                 data.joint_terms);
    else
      constrain::add_joint(model, kept ? state.poses : data.poses_linear,
                           kept ? data.poses_end : others, data.layout, id,
                           data.linearised_again && !kept ? 1 : options.gamma * data.share(h), h,
                           problem, data.joint_terms, constrain::JointPoints::common,
                           options.projection && (kept || !data.linearised_again)
                               ? constrain::PrescribedMotion::screw
                               : constrain::PrescribedMotion::chord);
  }
  data.joint_constraints = problem.constraints.size();
  CAIRN_DCHECK(data.joint_terms.size() == static_cast<std::size_t>(problem.rows()),
               data.joint_terms.size(), problem.rows());
  if (data.linearised_again) {
    turn_columns(problem);
    shift_joint_rows(problem);
    return;
  }
  data.joint_targets.clear();
  for (const constrain::JointRowTerms& term : data.joint_terms)
    data.joint_targets.push_back((1 - options.gamma * data.share(h)) * term.error);
}

// Solves the problem in which impacts return the share theta of their restitution, with its
// corrections.
void Step::solve_with(Purpose purpose, double theta) {
  solve_once(purpose, theta);
  if (friction.corrections > 0) correct(theta);
}

void Step::solve_once(Purpose purpose, double theta, bool follow) {
  CAIRN_DCHECK(theta >= 0 && theta <= 1, theta);
  CAIRN_DCHECK(static_cast<std::size_t>(report.solve_count) <= report.solves.size(),
               report.solve_count);
  if (static_cast<std::size_t>(report.solve_count) == report.solves.size())
    report.solves.emplace_back();
  SolveRecord& record = report.solves[static_cast<std::size_t>(report.solve_count++)];
  Problem& problem = record.problem;
  record.purpose = purpose;
  record.origin.clear();
  follow = follow && data.forces.springs.followed;
  assemble_step(model, state.poses, data.forces, data.free.v_explicit, h, data.layout, problem,
                follow);
  add_joints(problem);
  CAIRN_DCHECK(data.terms.size() == data.contacts.size(), data.terms.size(), data.contacts.size());
  for (std::size_t i = 0; i < data.contacts.size(); ++i) {
    const Contact& c = data.contacts[i];
    ContactTerms& terms = data.terms[i];
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
    constrain::add_contact(model, row_poses(c), data.layout, c, options.facets, b, problem);
    if (c.rows > 1) problem.constraints.back().law = friction.law;
  }
  add_spins(problem);
  CAIRN_DCHECK(
      problem.constraints.size() == data.joints() + data.contacts.size() + data.spins.size(),
      problem.constraints.size(), data.joints(), data.contacts.size());
  constrain::recall(problem, data.contacts, data.memory, data.joint_impulses,
                    record.solution.lambda, data.spins, data.torques);
  if (data.linearised_again) {
    keep_rows(problem, data.poses_linear, state.t + h, data.contacts_linear, record.origin);
    record.origin.before = data.contacts_start;
  } else if (options.nonlinear) {
    record.origin.contacts = data.contacts;
  }
  if (!follow)
    solver::solve_unguarded(problem, solver, data.solver, record.solution);
  else if (!follow_springs(record)) {
    --report.solve_count;
    return solve_once(purpose, theta, false);
  }
  if (!follow && data.forces.springs.followed) {
    constrain::to_model_velocities(model, problem, record.solution.v, data.v_end);
    dynamics::follow_springs(model, state.poses, h, data.v_end, true, data.forces.springs);
  }
  keep_impulses(record);
}

// Torsional and rolling friction, (E242), after all contacts.
void Step::add_spins(Problem& problem) {
  data.spins.clear();
  for (std::size_t i = 0; i < data.contacts.size(); ++i) {
    const Contact& c = data.contacts[i];
    if (c.torsion > 0 || c.rolling > 0)
      constrain::add_spin_friction(model, data.poses_rows, data.layout, c, i,
                                   static_cast<int>(data.joints() + i), data.terms[i].spin, problem,
                                   data.spins);
  }
}

// For the warm start of the next solve.
void Step::keep_impulses(const SolveRecord& record) {
  constrain::remember(record.problem, data.contacts, record.solution.lambda, data.memory,
                      data.joint_impulses, data.spins.size());
  constrain::remember_torques(record.problem, data.contacts, data.spins, record.solution.lambda,
                              data.torques);
}

void Step::move_bodies(const SolveRecord& record) {
  CAIRN_DCHECK(record.problem.velocities() == model.velocities, record.problem.velocities());
  CAIRN_DCHECK(data.poses_end.size() == model.bodies.size(), data.poses_end.size());
  constrain::to_model_velocities(model, record.problem, record.solution.v, data.v_end);
  data.v_moved = data.v_end;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body& body = model.bodies[i];
    if (body.velocities > 0)
      data.poses_end[i] =
          dynamics::drift(body, state.poses[i], data.v_end.data() + body.first_velocity, h,
                          data.v_moved.data() + body.first_velocity);
  }
}

// The velocities of the step, in v_end, with the bodies where they lead. With `nonlinear` every
// solution is followed to the end of the step; where that does not contract the linearised one is
// taken, and the report says so.
void Step::find_velocities() {
  for (bool nonlinear = options.nonlinear;; nonlinear = false) {
    report.solve_count = report.guard_corrections = report.corrections = 0;
    report.sequential_impacts = report.unfinished_sequences = 0;
    report.impacts.clear();
    report.guard_factor = 1;
    data.guard.share.clear();
    data.at_once = false;
    data.v_free = data.v_free_plain;
    data.free.v_explicit = data.v_explicit_plain;
    data.v_start = state.v;
    measure_contacts();
    solve_with(Purpose::step, 0);
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
  CAIRN_DCHECK(last().problem.constraints.size() >= data.joints() + data.contacts.size(),
               data.joints(), data.contacts.size());
  std::vector<double>& impulses = data.active.impulses;
  impulses.clear();
  for (std::size_t i = 0; i < data.contacts.size(); ++i)
    impulses.push_back(last().solution.lambda[last().problem.first_row[data.joints() + i]]);
  const int revised =
      revise_polyhedra(model, state, data.poses_end, impulses, data.active, data.contacts_start);
  const int added = add_missed(model, state, data.active, data.contacts_start);
  report.revised_pairs += revised;
  report.added_pairs += added;
  return revised + added > 0;
}

// Everything the report says of the contacts, from the solve that gave the velocities.
void Step::report_contacts() {
  const SolveRecord& record = last();
  CAIRN_DCHECK(data.terms.size() == data.contacts.size(), data.terms.size(), data.contacts.size());
  model::dcheck_contacts(model, data.contacts);
  const Units& units = record.problem.units;
  report.contacts.clear();
  report.active_contacts = report.collisions = 0;
  for (std::size_t i = 0; i < data.contacts.size(); ++i) {
    const std::size_t constraint = data.joints() + i;
    const Constraint& row = record.problem.constraints[constraint];
    CAIRN_DCHECK(row.id.contact == data.contacts[i].key, i);
    CAIRN_DCHECK(row.rows == data.contacts[i].rows, i, row.rows);
    ContactReport& out = report.contacts.emplace_back();
    out.contact = data.contacts[i];
    double w[max_rows] = {};
    linear::constraint_velocity(record.problem, row, record.solution.v.data(), false, w);
    for (int k = 0; k < row.rows; ++k) {
      out.impulse[k] =
          record.solution.lambda[record.problem.first_row[constraint] + k] * units.impulse() +
          data.terms[i].impulse[k];
      out.velocity[k] = w[k] * units.speed() + data.terms[i].motion[k];
    }
    const double tangential = out.impulse.tail<2>().norm(), slip = out.velocity.tail<2>().norm();
    // The row along t2 is stretched (E245).
    out.impulse[2] *= out.contact.stretch;
    out.velocity[2] /= out.contact.stretch;
    const bool on_cone = tangential >= (1 - 1e-9) * row.mu * out.impulse[0];
    if (out.impulse[0] > 0)
      out.mode = on_cone && slip > 1e-12 * units.speed() ? ContactMode::slip : ContactMode::stick;
    out.colliding =
        (data.terms[i].bounce < 0 && out.impulse[0] > 0) || data.terms[i].impulse[0] > 0;
    report.active_contacts += out.impulse[0] > 0 ? 1 : 0;
    report.collisions += out.colliding ? 1 : 0;
  }
  for (const ContactMemory& m : data.torques) {
    const auto out = std::lower_bound(
        report.contacts.begin(), report.contacts.end(), m.key,
        [](const ContactReport& r, const ContactKey& key) { return r.contact.key < key; });
    CAIRN_DCHECK(out != report.contacts.end() && out->contact.key == m.key);
    const Contact& c = out->contact;
    out->torque = Vec3(c.n_W.dot(m.impulse_W), c.t1_W.dot(m.impulse_W), c.t2_W.dot(m.impulse_W));
  }
}

// From the velocities of the solve by the drift (E420), then the projection.
void Step::record_path(const VecX& v_first) const {
  data.poses_path = data.poses_moved;
  const bool held = data.poses_moved != data.poses_end && !data.anchors.empty();
  data.v_path = v_first;
  if (held) follow_anchors(data.v_path, data.poses_path);
  data.path.add(state.t, state.poses, data.v_path);
  data.v_path = data.v_moved;
  if (held) follow_anchors(data.v_path, data.poses_path);
  data.path.add(state.t + h, data.poses_path, data.v_path);
  if (data.poses_path != data.poses_end) data.path.add(state.t + h, data.poses_end, data.v_end);
}

namespace {

void commit(const Step& step, State& state) {
  CAIRN_DCHECK(step.data.v_end.allFinite());
  CAIRN_DCHECK(step.data.v_end.size() == step.model.velocities, step.data.v_end.size());
  CAIRN_DCHECK(step.data.poses_end.size() == step.model.bodies.size(), step.data.poses_end.size());
  CAIRN_DCHECK(
      base::is_strictly_sorted(step.data.memory, [](const ContactMemory& m) { return m.key; }));
  StepData& data = step.data;
  if (step.options.restitution != Restitution::completed) {
    // Contacts that collided now and were not already colliding bounce in the next step, (E34).
    std::swap(state.v_before, state.v);
    data.pending.clear();
    for (std::size_t i = 0; i < data.contacts.size(); ++i)
      if (data.terms[i].impact &&
          !std::binary_search(state.pending.begin(), state.pending.end(), data.contacts[i].key))
        data.pending.push_back(data.contacts[i].key);
    state.pending = data.pending;
  }
  state.v = data.v_end;
  state.poses = data.poses_end;
  state.contacts = data.memory;
  state.contact_torques = data.torques;
  state.contact_anchors = data.anchors;
  state.joint_impulses = data.joint_impulses;
  count_step(step.h, state, step.report);
}

}  // namespace

void advance(const Model& model, const Euler& options, const SolverOptions& solver, double h,
             double (*clock)(), StepData& data, State& state, StepReport& report) {
  Step step{model, options, {}, solver, h, data, state, report};
  take(step, clock, state);
}

void take(Step& step, double (*clock)(), State& state) {
  const Model& model = step.model;
  const Euler& options = step.options;
  const double h = step.h;
  StepData& data = step.data;
  StepReport& report = step.report;
  auto now = [clock] { return clock ? clock() : 0.0; };
  const double start = now();
  clear(report, state, h);
  data.path.clear();

  // Predict without constraints; find every contact that can close.
  step.predict();
  if (Stop stiff = too_stiff(model, state.poses, data.forces.springs.rows); !stiff.empty())
    return stop(report, stiff);
  if (!data.v_free.allFinite())
    return stop(report, not_finite(model, data.v_free, "force or velocity"));
  if (Stop lost = lost_body(model, data.poses_end); !lost.empty()) return stop(report, lost);
  find_candidates(model, state, data.v_free, data.poses_end, options, h, data.active,
                  data.contacts);
  if (data.active.finder.missing().first >= 0)
    return stop(report, missing_contact(model, data.active.finder.missing()));
  report.filtered_contacts = data.active.finder.filtered();
  data.contacts_start = data.contacts;
  data.memory = state.contacts;
  data.torques = state.contact_torques;
  data.joint_impulses = state.joint_impulses;
  report.seconds.detect = now() - start;

  // Find the velocities; verify that no other pair meets with them, else add it and begin again.
  for (int round = 0;; ++round) {
    const double solve_start = now();
    step.find_velocities();
    report.seconds.solve += now() - solve_start;
    if (!data.v_end.allFinite()) return stop(report, not_finite(model, data.v_end, "new velocity"));
    if (!step.close_joints(data.contacts_start))
      return stop(report, open_joints(model, state.poses, data.poses_end));
    if (const Squeeze squeeze = step.keep_gaps(); squeeze.depth > 0)
      return stop(report, squeezed(model, squeeze.key, squeeze.depth));
    if (step.joints_give_way())
      if (Stop why = contradiction(model, state.poses, data.poses_end); !why.empty())
        return stop(report, std::move(why));

    const double detect_start = now();
    report.penetration = find_overlaps(model, data.poses_end, data.active);
    const bool verify = options.active_set == ActiveSet::complete && round < max_rounds;
    const bool again = verify && step.add_missed_contacts();
    report.seconds.detect += now() - detect_start;
    if (!again) break;
    report.discarded_solves += report.solve_count;
    data.contacts = data.contacts_start;
  }
  step.open_overlaps();
  step.account_for_projection();

  judge(report);
  step.report_contacts();
  step.audit_impacts();
  report.coulomb_residual = step.friction.law == Law::coulomb_relaxed ? step.coulomb_residual() : 0;
  report.ledger = make_ledger(model, state, h, data, step.last());
  if (!step.finite_energy()) return stop(report, energy_overflow(model, data.v_end));
  measure_joints(model, data.poses_end, report);
  step.record_path(data.v_solved);
  commit(step, state);
  report.seconds.total = now() - start;
}

}  // namespace cairn::scheme
