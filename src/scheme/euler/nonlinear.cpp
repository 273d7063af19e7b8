// Option `nonlinear`: gaps and joints hold at the end of the step (E82), scheme (2.6) of Anitescu
// 2003, by a sequence of problems linearised where the one before ended.
#include <algorithm>
#include <cmath>

#include "base/conventions.hpp"
#include "constrain/carried.hpp"
#include "constrain/gears.hpp"
#include "linear/blocks.hpp"
#include "model/dof.hpp"
#include "scheme/euler/step.hpp"

namespace cairn::scheme {
namespace {

constexpr int max_linearisations = 40;
constexpr int max_stalls = 3;                // solves in a row that gain less than a tenth
constexpr double position_rounding = 1e-14;  // of positions, relative to their size [-]
constexpr double acceptable = 1e-12;         // likewise, where nothing more is gained [-]

double size_of(const Model& model, std::span<const Pose> poses) {
  double size = model.length_unit;
  for (const Pose& pose : poses) size = std::max(size, pose.p.cwiseAbs().maxCoeff());
  return size;
}

}  // namespace

// Follows the last solution to the end of the step. False if the sequence does not contract. What a
// certified velocity may be off by, tolerance times the way of the step, is no fault of it.
bool Step::settle(double theta) {
  CAIRN_DCHECK(theta >= 0 && theta <= 1, theta);
  CAIRN_DCHECK(data.rows.terms.size() == data.contacts.size(), data.rows.terms.size());
  move_bodies(last());
  const double size = size_of(model, data.poses.end);
  bool released = release_isolated() && data.nonlinear.again;
  double residual = nonlinear_residual();
  const double linear = residual;
  int stalls = 0;
  for (int i = 0; i < max_linearisations && std::isfinite(residual); ++i) {
    if (!released && (residual <= position_rounding * size || stalls == max_stalls)) break;
    if (data.in.meter && data.in.meter->exhausted()) break;
    linearise_again();
    solve(Purpose::nonlinear, theta);
    ++report.nonlinear_iterations;
    move_bodies(last());
    released = release_isolated();
    const double next = nonlinear_residual();
    const bool little = !released && next > 0.5 * residual;
    stalls = !released && next > 0.9 * residual ? stalls + 1 : 0;
    residual = next;
    if (little && residual <= acceptable * size) break;
  }
  double way = 0;
  for (std::size_t i = 0; i < model.bodies.size(); ++i)
    way = std::max(way, (data.poses.end[i].p - state.poses[i].p).norm());
  const bool settled = residual <= acceptable * size + tolerance(solver) * way;
  report.nonlinear_residual = settled ? residual : linear;
  return settled;
}

// Gaps at the configuration that the last solution led to, and rows there (E82), in isolated
// islands those of the beginning (E407): J v+ + Phi(q^k)/h - J v^k >= 0. A feature that is gone
// there keeps the rows it had, in isolated islands those of the beginning.
void Step::linearise_again() {
  data.nonlinear.again = true;
  data.poses.linear = data.poses.rows = data.poses.end;
  for (std::size_t i = 0; i < model.bodies.size(); ++i)
    if (model.bodies[i].velocities > 0) data.poses.rows[i].R = state.poses[i].R;
  data.v.linear = last().solution.v;
  CAIRN_DCHECK(data.contacts_start.size() == data.contacts.size(), data.contacts_start.size());
  for (std::size_t i = 0; i < data.contacts.size(); ++i) {
    Contact c;
    ContactTerms& terms = data.rows.terms[i];
    const Contact& start = data.contacts_start[i];
    const bool isolated = data.nonlinear.isolated.both(start.key);
    bool found = data.active.finder.find_one(model, data.poses.linear, start.key, c);
    if (found) constrain::orient(model, data.poses.linear, c);
    found = found && c.rows > 0;
    if (isolated && !found) {
      data.contacts[i] = start;
      terms.gap_rate = (start.gap - terms.target) / h;
    }
    if (!found) continue;
    data.nonlinear.contacts[i] = c;
    if (keeps_start(start.key)) continue;
    const double gap = c.gap;
    if (isolated) c = start;
    data.contacts[i] = c;
    // Prescribed bodies are at the end already: their way back is minus their motion.
    const Vec3 chord = constrain::carried_velocity(model, data.poses.linear, state.poses, c, h);
    const Vec3 screw = constrain::screw_velocity(model, data.poses.linear, state.poses, c, h);
    const Vec3 motion = -(options.projection ? screw + c.n_W.dot(chord - screw) * c.n_W : chord);
    terms.motion = Vec3(c.n_W.dot(motion), c.rows > 1 ? c.t1_W.dot(motion) : 0,
                        c.rows > 2 ? c.stretch * c.t2_W.dot(motion) : 0);
    terms.gap_rate = (gap - terms.target) / h -
                     relative_velocity(model, row_poses(c), c, c.n_W, data.v.end) - terms.motion[0];
  }
}

// Joints of isolated islands keep the rows of the beginning too (E424). With the projection, which
// closes them, they are not part of the sequence.
bool Step::keeps_rows(const Joint& joint) const {
  return data.nonlinear.again && (keeps_start(joint.bodies[0], joint.bodies[1]) ||
                                  data.nonlinear.isolated.both(joint.bodies[0], joint.bodies[1]));
}

bool Step::keeps_rows(const Constraint& c) const {
  return c.key.role == Role::joint &&
         keeps_rows(model.joints[static_cast<std::size_t>(c.key.element)]);
}

// Where the rows of a contact are taken.
std::span<const Pose> Step::row_poses(const Contact& c) const {
  return data.nonlinear.again && (keeps_start(c.key) || data.nonlinear.isolated.both(c.key))
             ? state.poses
             : data.poses.rows;
}

// Bodies that the last solution leaves in an isolated island stay marked, so that the sequence does
// not go to and fro. True: there are new ones.
bool Step::release_isolated() {
  find_free_groups();
  return data.nonlinear.isolated.mark();
}

// (E406): columns of the angular velocities in the frames that the bodies have at the beginning.
void Step::turn_columns(Problem& problem) const {
  for (Constraint& c : problem.constraints)
    for (std::size_t side = 0; side < max_sides; ++side) {
      if (c.body[side] < 0) continue;
      const auto k = static_cast<std::size_t>(
          problem.bodies[static_cast<std::size_t>(c.body[side])].model_body);
      const Body& body = model.bodies[k];
      if (body.rotation != RotationKind::three) continue;
      if (keeps_rows(c)) continue;
      const Quat turn = state.poses[k].R.conjugate() * data.poses.linear[k].R;
      for (int r = 0; r < c.rows; ++r) {
        Eigen::Map<Vec3> columns(c.J[side][r] + model::translation_count(body));
        columns = turn * Vec3(columns);
      }
    }
}

// b of the joints at q^k: (Theta(q^k) - target)/h - J v^k. As for contacts the motion of prescribed
// bodies is in Theta(q^k); it stands apart for the ledger.
void Step::shift_joint_rows(Problem& problem) {
  CAIRN_DCHECK(data.rows.joint_terms.size() == static_cast<std::size_t>(problem.rows()),
               data.rows.joint_terms.size(), problem.rows());
  CAIRN_DCHECK(data.v.linear.size() == problem.velocities(), data.v.linear.size());
  const double speed = problem.units.speed();
  std::size_t row = 0;
  for (Constraint& c : problem.constraints) {
    if (options.projection && keeps_rows(c)) {
      row += static_cast<std::size_t>(c.rows);
      continue;
    }
    double w[max_rows] = {};
    linear::constraint_velocity(problem, c, data.v.linear.data(), false, w);
    for (int r = 0; r < c.rows; ++r, ++row) {
      constrain::JointRowTerms& term = data.rows.joint_terms[row];
      const double all = (term.error - joint_target(row)) / h - w[r] * speed;
      term.motion = -term.motion;
      term.rate = all - term.motion;
      c.b[r] = all / speed;
    }
  }
}

// |min(Phi - target, h lambda_n / m)|, m the lighter body: the gap where the contact presses, the
// overlap where it does not (E83) [m]; the relaxed law leaves a gap of h times its lift (E90).
// Contacts that bounce are governed by their velocities.
double Step::contact_residual(std::size_t i) {
  CAIRN_DCHECK(i < data.contacts.size(), i);
  if (data.rows.terms[i].bounce < 0 || keeps_start(data.contacts_start[i].key)) return 0;
  Contact c;
  if (!data.active.finder.find_one(model, data.poses.end, data.contacts[i].key, c)) return 0;
  const SolveRecord& record = last();
  const double normal = record.solution.lambda[data.rows.posed.first_row_of(record.problem, i)] *
                        record.problem.units.impulse();
  double mass = std::numeric_limits<double>::infinity();
  for (const BodyId id : {c.key.body_a, c.key.body_b})
    if (model.body(id).velocities > 0) mass = std::min(mass, model.body(id).mass);
  return std::abs(std::min(c.gap - data.rows.terms[i].target - h * lift(i), h * normal / mass));
}

// Largest error of a joint row beyond what gamma leaves [m]. Filled into a problem of its own, so
// that the same rows are left out.
double Step::joint_residual() {
  if (model.joints.empty()) return 0;
  constrain::assemble_bodies(model, data.v.free, h, data.rows.layout, data.nonlinear.probe);
  data.nonlinear.probe_terms.clear();
  for (std::size_t i = 0; i < model.joints.size(); ++i)
    constrain::add_joint(model, data.poses.end, data.poses.end, data.rows.layout,
                         static_cast<JointId>(i), 1, h, data.nonlinear.probe,
                         data.nonlinear.probe_terms);
  for (std::size_t i = 0; i < model.gears.size(); ++i)
    constrain::add_gear(model, data.poses.end, data.poses.end, data.rows.layout, i, 1, h,
                        data.nonlinear.probe, data.nonlinear.probe_terms);
  double largest = 0;
  std::size_t row = 0;
  const auto closed = [&](const Constraint& c) {
    if (!options.projection || c.key.role != Role::joint) return false;
    const auto& bodies = model.joints[static_cast<std::size_t>(c.key.element)].bodies;
    return keeps_start(bodies[0], bodies[1]) || data.nonlinear.isolated.both(bodies[0], bodies[1]);
  };
  for (const Constraint& c : data.nonlinear.probe.constraints)
    for (int r = 0; r < c.rows; ++r, ++row)
      if (!closed(c))
        largest =
            std::max(largest, std::abs(data.nonlinear.probe_terms[row].error - joint_target(row)));
  return largest;
}

// Rows are numbered as at the beginning; one that was left out there has no target.
double Step::joint_target(std::size_t row) const {
  return row < data.rows.joint_targets.size() ? data.rows.joint_targets[row] : 0;
}

// How far the bodies that carry impulses ended from where their rows were taken, turns as lengths
// [m]; rows of the beginning stay where they are (E407). Gaps alone would not do: they close with
// the square of this, long before the impulses have the direction of the end.
double Step::row_distance() {
  const SolveRecord& record = last();
  double largest = 0;
  for (std::size_t i = 0; i < record.problem.constraints.size(); ++i) {
    const Constraint& c = record.problem.constraints[i];
    if (record.solution.lambda.segment(record.problem.first_row[i], c.rows).isZero(0)) continue;
    if (is_of_contact(c.key.role) &&
        (keeps_start(c.key.contact) || data.nonlinear.isolated.both(c.key.contact)))
      continue;
    if (acts_on_coordinate(c.key.role)) continue;
    if (keeps_rows(c)) continue;
    for (const int body : c.body) {
      if (body < 0) continue;
      const auto k = static_cast<std::size_t>(
          record.problem.bodies[static_cast<std::size_t>(body)].model_body);
      const Pose &from = data.poses.linear[k], &to = data.poses.end[k];
      largest = std::max(
          {largest, (to.p - from.p).norm(), to.R.angularDistance(from.R) * model.length_unit});
    }
  }
  return largest;
}

double Step::nonlinear_residual() {
  if (!data.v.end.allFinite()) return std::numeric_limits<double>::quiet_NaN();
  double largest = std::max(joint_residual(), row_distance());
  for (std::size_t i = 0; i < data.contacts.size(); ++i)
    largest = std::max(largest, contact_residual(i));
  return largest;
}

}  // namespace cairn::scheme
