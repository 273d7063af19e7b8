#include "scheme/euler.hpp"

#include <algorithm>
#include <cmath>

#include "constrain/memory.hpp"
#include "dynamics/kinematics.hpp"
#include "problem/blocks.hpp"
#include "scheme/separation.hpp"

namespace cairn {

const char* name(const SchemeOptions& options) {
  static constexpr const char* names[] = {"euler"};
  return names[options.index()];
}

namespace {

using Purpose = SolveRecord::Purpose;

constexpr int max_rounds = 20;       // of verification; each adds at least one contact
constexpr int max_guard_solves = 6;  // before the guard gives up restitution altogether

// One step in progress: the arguments of advance() under one roof.
struct Step {
  const Model& model;
  const Euler& options;
  const SolverOptions& solver;
  double h;
  StepData& data;
  const State& state;  // at the beginning
  StepReport& report;

  void predict();
  void measure_contacts();
  void solve_with(Purpose purpose, double theta);
  bool mark_impacts();
  void restitute();
  const SolveRecord& last() const {
    return report.solves[static_cast<std::size_t>(report.solve_count - 1)];
  }
  double energy_excess(const SolveRecord& record);
  void move_bodies(const SolveRecord& record);
  bool project();
  void pay_for_projection();
  void report_contacts();
  void judge();
  double threshold(const Contact& c) const;
  double relative_velocity(const Contact& c, const Vec3& direction, const VecX& v) const;
};

// direction . (velocity of b - velocity of a) at the contact point, of the free bodies.
double Step::relative_velocity(const Contact& c, const Vec3& direction, const VecX& v) const {
  double sum = 0;
  for (const auto& [id, sign] : {std::pair{c.key.body_a, -1.0}, std::pair{c.key.body_b, 1.0}}) {
    const Body& body = model.body(id);
    const Pose& X_WC = state.poses[index(id)];
    const double* v_body = v.data() + body.first_velocity;
    const Vec3 velocity =
        linear_velocity(body, v_body) + angular_velocity(body, X_WC, v_body).cross(c.p_WC - X_WC.p);
    sum += sign * direction.dot(velocity);
  }
  return sum;
}

// (E30): v_free = v + h M^-1 k(t, q, v); prescribed bodies at the end of the step.
void Step::predict() {
  evaluate_forces(model, state, h, data.forces);
  free_velocities(model, state, data.forces, h, data.v_free);
  data.poses_end.assign(state.poses.begin(), state.poses.end());
  for (std::size_t i = 0; i < model.bodies.size(); ++i)
    if (model.bodies[i].kind == BodyKind::prescribed)
      data.poses_end[i] = prescribed_pose(model.bodies[i], state.t + h);
}

// TOL of (4.10): given, or 2 h times the free acceleration along the normal; across the forces,
// where that vanishes, a thousandth of their speed gain, so that neighbours at rest do not bounce
// on rounding.
double Step::threshold(const Contact& c) const {
  if (options.restitution_threshold >= 0) return options.restitution_threshold;
  double gain = 0;
  for (const BodyId id : {c.key.body_a, c.key.body_b}) {
    const Body& body = model.body(id);
    const int first = body.first_velocity;
    gain = std::max(gain, (linear_velocity(body, data.v_free.data() + first) -
                           linear_velocity(body, state.v.data() + first))
                              .norm());
  }
  const double along =
      relative_velocity(c, c.n_W, data.v_free) - relative_velocity(c, c.n_W, state.v);
  return std::max(2 * std::abs(along), 1e-3 * gain);
}

// Terms of (E31) that do not depend on the solution; Lambda of the delayed forms (E34).
void Step::measure_contacts() {
  data.terms.assign(data.contacts.size(), ContactTerms{});
  for (std::size_t i = 0; i < data.contacts.size(); ++i) {
    const Contact& c = data.contacts[i];
    ContactTerms& terms = data.terms[i];
    const Vec3 motion = prescribed_velocity(model, state.poses, data.poses_end, c, h);
    terms.motion = Vec3(c.n_W.dot(motion), c.rows > 1 ? c.t1_W.dot(motion) : 0,
                        c.rows > 2 ? c.t2_W.dot(motion) : 0);
    terms.approach = relative_velocity(c, c.n_W, state.v) + terms.motion[0];
    terms.gap_rate = (c.gap > 0 ? 1 : options.gamma) * c.gap / h;
    if (c.gap < 0)
      terms.gap_rate = std::max(terms.gap_rate, -separation_speed(model, c, options, h));
    if (options.restitution == Restitution::completed || c.restitution == 0 ||
        state.v_before.size() == 0)
      continue;
    if (!std::binary_search(state.pending.begin(), state.pending.end(), c.key)) continue;
    const bool corrected = options.restitution == Restitution::delayed;
    const double before =
        relative_velocity(c, c.n_W, corrected ? state.v_before : state.v) + terms.motion[0];
    if (before < -threshold(c)) terms.delayed = c.restitution * before;
  }
}

// Fills and solves the problem in which impacts return the share theta of their restitution.
void Step::solve_with(Purpose purpose, double theta) {
  if (static_cast<std::size_t>(report.solve_count) == report.solves.size())
    report.solves.emplace_back();
  SolveRecord& record = report.solves[static_cast<std::size_t>(report.solve_count++)];
  Problem& problem = record.problem;
  record.purpose = purpose;
  assemble_bodies(model, data.v_free, h, data.layout, problem);
  data.joint_terms.clear();
  for (std::size_t i = 0; i < model.joints.size(); ++i)
    add_joint(model, state.poses, data.poses_end, data.layout, static_cast<JointId>(i),
              options.gamma, h, problem, data.joint_terms);
  data.joint_constraints = problem.constraints.size();
  for (std::size_t i = 0; i < data.contacts.size(); ++i) {
    const Contact& c = data.contacts[i];
    ContactTerms& terms = data.terms[i];
    terms.gap = terms.gap_rate;
    terms.bounce = terms.delayed;
    if (theta > 0 && terms.impact) {
      // n.v+ >= -e n.v(l) in place of the gap row, (E33); an overlap that opens faster keeps its
      // row.
      const double bounce = theta * c.restitution * terms.approach;
      if (bounce < std::min(0.0, terms.gap)) {
        terms.gap = 0;
        terms.bounce = bounce;
      }
    }
    Vec3 b = terms.motion;
    b[0] += terms.gap + terms.bounce;
    add_contact(model, state, data.layout, c, options.facets, b, problem);
  }
  recall(problem, data.contacts, data.memory, data.joint_impulses, record.solution.lambda);
  solve(problem, solver, data.solver, record.solution);
  remember(problem, data.contacts, record.solution.lambda, data.memory, data.joint_impulses);
}

// Impacts: contacts that carry an impulse and approached faster than the threshold. True if one of
// them bounces.
bool Step::mark_impacts() {
  const SolveRecord& plastic = last();
  bool bounces = false;
  for (std::size_t i = 0; i < data.contacts.size(); ++i) {
    const double normal = plastic.solution.lambda[plastic.problem.first_row[data.joints() + i]];
    ContactTerms& terms = data.terms[i];
    terms.impact = normal > 0 && terms.approach < -threshold(data.contacts[i]);
    bounces = bounces || (terms.impact && data.contacts[i].restitution > 0);
  }
  return bounces;
}

// By how much a solution breaks the rule of the energy guard [J], (E35).
double Step::energy_excess(const SolveRecord& record) {
  to_model_velocities(model, record.problem, record.solution.v, data.v_end);
  const double kinetic = kinetic_energy(model, data.v_end), motion = work_of_motion(data, record);
  if (options.energy_guard == EnergyGuard::impact)
    return kinetic - kinetic_energy(model, data.v_free) - motion;
  move_bodies(record);
  return kinetic - kinetic_energy(model, state.v) + potential_energy(model, data.poses_end) -
         potential_energy(model, state.poses) - h * data.forces.applied.dot(data.v_end) -
         data.forces.work_motion - motion;
}

// (E33), and the guard (E35): less restitution until the energy rule holds, none at the last.
// Leaves the answer in the last record.
void Step::restitute() {
  const double plastic_excess = energy_excess(last());
  const std::size_t plastic = static_cast<std::size_t>(report.solve_count - 1);
  solve_with(Purpose::restitution, 1);
  if (options.energy_guard == EnergyGuard::off) return;
  // A perfect bounce keeps the kinetic energy: its rounding is no gain.
  const double rounding = 1e-12 * kinetic_energy(model, data.v_free);
  const double allowed = std::max(0.0, plastic_excess) + rounding, excess = energy_excess(last());
  if (excess <= allowed) return;

  // Energy is convex along the segment from the plastic to the restituted velocities, so the
  // chord's crossing is safe as far as the answer stays near that segment.
  report.guard_corrections = 1;
  double theta = (allowed - plastic_excess) / (excess - plastic_excess);
  for (int i = 0; i < max_guard_solves && theta > 0; ++i, theta *= 0.7) {
    solve_with(Purpose::guard, theta);
    report.guard_factor = theta;
    if (energy_excess(last()) <= allowed) return;
  }
  report.guard_factor = 0;
  for (ContactTerms& terms : data.terms) {
    terms.gap = terms.gap_rate;
    terms.bounce = terms.delayed;
  }
  std::swap(report.solves[plastic],
            report.solves[static_cast<std::size_t>(report.solve_count - 1)]);
}

void Step::move_bodies(const SolveRecord& record) {
  to_model_velocities(model, record.problem, record.solution.v, data.v_end);
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body& body = model.bodies[i];
    if (body.velocities > 0)
      data.poses_end[i] =
          advanced(body, state.poses[i], data.v_end.data() + body.first_velocity, h);
  }
}

// (E38): closes the joints. False if they cannot be closed.
bool Step::project() {
  data.projection_work = report.projection = report.projection_angle = 0;
  report.projection_slowing = 1;
  data.v_solved = data.v_end;
  data.potential_solved = potential_energy(model, data.poses_end);
  if (!options.projection || model.joints.empty()) return true;
  const ProjectionResult result = project_onto_joints(model, data.projection, data.poses_end);
  report.projection = result.farthest;
  report.projection_angle = result.turned;
  pay_for_projection();
  data.projection_work = potential_energy(model, data.poses_end) - data.potential_solved +
                         kinetic_energy(model, data.v_end) - kinetic_energy(model, data.v_solved);
  return result.closed;
}

// (E39): where the projection lifted an island against gravity its velocities are slowed down by as
// much energy, all by one factor, so that what the velocities satisfy stays satisfied. Islands that
// hang on nothing are not lifted, the projection keeps their centre of mass: momentum is safe. An
// island at rest cannot pay; the ledger then shows the rise.
void Step::pay_for_projection() {
  find_islands(last().problem, data.islands);
  data.island_work.assign(static_cast<std::size_t>(data.islands.count), 0.0);
  data.island_kinetic.assign(static_cast<std::size_t>(data.islands.count), 0.0);
  static constexpr double rest[6] = {};
  auto island_of = [&](std::size_t body) {
    const int in_problem = data.layout.body[body];
    return static_cast<std::size_t>(data.islands.of_body[static_cast<std::size_t>(in_problem)]);
  };
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body& body = model.bodies[i];
    if (body.velocities == 0) continue;
    data.island_work[island_of(i)] -=
        body.mass * model.gravity.dot(data.poses_end[i].p - data.projection.start[i].p);
    data.island_kinetic[island_of(i)] +=
        mass_norm(body, data.v_end.data() + body.first_velocity, rest);
  }
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body& body = model.bodies[i];
    if (body.velocities == 0) continue;
    const double work = data.island_work[island_of(i)], kinetic = data.island_kinetic[island_of(i)];
    if (!(work > 0) || !(kinetic > work)) continue;
    const double factor = std::sqrt(1 - work / kinetic);
    report.projection_slowing = std::min(report.projection_slowing, factor);
    data.v_end.segment(body.first_velocity, body.velocities) *= factor;
  }
}

// Everything the report says of the contacts, from the solve that gave the velocities.
void Step::report_contacts() {
  const SolveRecord& record = last();
  const Units& units = record.problem.units;
  report.contacts.clear();
  report.active_contacts = report.collisions = 0;
  for (std::size_t i = 0; i < data.contacts.size(); ++i) {
    const std::size_t constraint = data.joints() + i;
    const Constraint& row = record.problem.constraints[constraint];
    ContactReport& out = report.contacts.emplace_back();
    out.contact = data.contacts[i];
    double w[max_rows] = {};
    constraint_velocity(record.problem, row, record.solution.v.data(), false, w);
    for (int k = 0; k < row.rows; ++k) {
      out.impulse[k] =
          record.solution.lambda[record.problem.first_row[constraint] + k] * units.impulse();
      out.velocity[k] = w[k] * units.speed() + data.terms[i].motion[k];
    }
    const double friction = out.impulse.tail<2>().norm(), slip = out.velocity.tail<2>().norm();
    const bool on_cone = friction >= (1 - 1e-9) * row.mu * out.impulse[0];
    if (out.impulse[0] > 0)
      out.mode = on_cone && slip > 1e-12 * units.speed() ? ContactMode::slip : ContactMode::stick;
    out.colliding = data.terms[i].bounce < 0 && out.impulse[0] > 0;
    report.active_contacts += out.impulse[0] > 0 ? 1 : 0;
    report.collisions += out.colliding ? 1 : 0;
  }
}

// The worst certificate of all solves decides on the step.
void Step::judge() {
  report.certificate = 0;
  report.worst_solve = 0;
  report.status = StepStatus::certified;
  for (int i = 0; i < report.solve_count; ++i) {
    const Solution& s = report.solves[static_cast<std::size_t>(i)].solution;
    if (!(s.certificate.worst <= report.certificate)) {
      report.certificate = s.certificate.worst;
      report.worst_solve = i;
    }
    if (s.status != SolveStatus::solved) report.status = StepStatus::uncertified;
  }
}

// Names the first body whose velocity is not a number.
std::string not_finite(const Model& model, const VecX& v, const char* what) {
  for (const Body& body : model.bodies)
    for (int k = 0; k < body.velocities; ++k)
      if (!std::isfinite(v[body.first_velocity + k]))
        return std::string(what) + " of body '" + body.name + "' is not finite (component " +
               std::to_string(k) + ")";
  return {};
}

// Names the first body that its prescribed motion sends nowhere; empty: none.
std::string lost_body(const Model& model, std::span<const Pose> poses) {
  for (std::size_t i = 0; i < model.bodies.size(); ++i)
    if (!poses[i].p.allFinite() || !poses[i].R.coeffs().allFinite())
      return "prescribed motion of body '" + model.bodies[i].name + "' is not finite";
  return {};
}

// Says which two shapes met for which there is no contact function.
std::string missing_contact(const Model& model, std::pair<int, int> shapes) {
  const Shape &a = model.shapes[static_cast<std::size_t>(shapes.first)],
              &b = model.shapes[static_cast<std::size_t>(shapes.second)];
  return std::string("no contact between the shapes ") + type_name(a.geometry) + " and " +
         type_name(b.geometry) + " is known, but bodies '" + model.body(a.body).name + "' and '" +
         model.body(b.body).name +
         "' come close; use other shapes, or list the pair in no_contact if it need not touch";
}

// Says which joint the projection could not close.
std::string open_joint(const Model& model, std::span<const Pose> poses) {
  const Joint* worst = nullptr;
  JointError largest;
  for (const Joint& joint : model.joints) {
    const JointError error = joint_error(poses, joint);
    if (worst && error.distance + error.angle * model.length_unit <=
                     largest.distance + largest.angle * model.length_unit)
      continue;
    worst = &joint;
    largest = error;
  }
  return "the joints cannot all be closed: joint '" + worst->name + "' stays open by " +
         std::to_string(largest.distance) + " m, " + std::to_string(largest.angle) +
         " rad; joints that contradict each other, or bodies too fast for the step";
}

void commit(const Step& step, State& state) {
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
  state.joint_impulses = data.joint_impulses;
  state.t += step.h;
  ++state.step;
}

}  // namespace

void advance(const Model& model, const Euler& options, const SolverOptions& solver, double h,
             double (*clock)(), StepData& data, State& state, StepReport& report) {
  Step step{model, options, solver, h, data, state, report};
  auto now = [clock] { return clock ? clock() : 0.0; };
  const double start = now();
  report.seconds = {};
  report.step = state.step + 1;
  report.t = state.t;
  report.h = h;
  report.solve_count = report.added_pairs = 0;
  report.message.clear();
  auto stop = [&](std::string why) {
    step.judge();
    report.contacts.clear();
    report.status = StepStatus::stopped;
    report.message = std::move(why);
  };

  // Predict without constraints; find every contact that can close.
  step.predict();
  if (!data.v_free.allFinite()) return stop(not_finite(model, data.v_free, "force or velocity"));
  if (std::string lost = lost_body(model, data.poses_end); !lost.empty()) return stop(lost);
  find_candidates(model, state, data.v_free, data.poses_end, options, h, data.active,
                  data.contacts);
  if (data.active.finder.missing().first >= 0)
    return stop(missing_contact(model, data.active.finder.missing()));
  data.memory = state.contacts;
  data.joint_impulses = state.joint_impulses;
  report.seconds.detect = now() - start;

  // Solve; restitute; verify that no other pair meets with the new velocities, else add it and
  // solve again.
  for (int round = 0;; ++round) {
    report.solve_count = report.guard_corrections = 0;
    report.guard_factor = 1;
    step.measure_contacts();
    const double solve_start = now();
    step.solve_with(Purpose::step, 0);
    if (step.mark_impacts() && options.restitution == Restitution::completed) step.restitute();
    report.seconds.solve += now() - solve_start;
    step.move_bodies(step.last());
    if (!data.v_end.allFinite()) return stop(not_finite(model, data.v_end, "new velocity"));
    if (!step.project()) return stop(open_joint(model, data.poses_end));

    const double detect_start = now();
    report.penetration = find_overlaps(model, data.poses_end, data.active);
    const bool verify = options.active_set == ActiveSet::complete && round < max_rounds;
    const int added = verify ? add_missed(model, state, data.active, data.contacts) : 0;
    report.seconds.detect += now() - detect_start;
    report.added_pairs += added;
    if (added == 0) break;
  }

  step.judge();
  step.report_contacts();
  report.ledger = make_ledger(model, state, options, h, data, step.last());
  report.joint_error = report.joint_error_angle = 0;
  for (const Joint& joint : model.joints) {
    const JointError error = joint_error(data.poses_end, joint);
    report.joint_error = std::max(report.joint_error, error.distance);
    report.joint_error_angle = std::max(report.joint_error_angle, error.angle);
  }
  commit(step, state);
  report.step = state.step;
  report.t = state.t;
  report.seconds.total = now() - start;
}

}  // namespace cairn
