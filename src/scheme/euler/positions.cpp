// Positions after the solve: joints are closed (E38) without pushing bodies into each other (E320),
// overlaps opened (E84).
#include <algorithm>
#include <cmath>
#include <utility>

#include "dynamics/kinematics.hpp"
#include "model/joint/joint_coordinate.hpp"
#include "scheme/euler/step.hpp"

namespace cairn::scheme {
namespace {

constexpr double given_way = 0x1p-7;  // of the model's size [-]

}  // namespace

// (E764): coordinates whose motor or dry friction carries less than its largest effort.
void Step::find_kept_coordinates() {
  constexpr double inside = 1 - 0x1p-20;
  const SolveRecord& record = last();
  data.positions.projection.coordinates.clear();
  for (std::size_t number = 0; number < record.problem.constraints.size(); ++number) {
    const Constraint& c = record.problem.constraints[number];
    if (!acts_on_coordinate(c.key.role)) continue;
    const double impulse = record.solution.lambda[record.problem.first_row[number]];
    if (!(std::abs(impulse) < inside * c.hi) || !(c.lo < c.hi) || c.compliant()) continue;
    const auto id = static_cast<JointId>(c.key.element);
    const Joint& joint = model.joints[index(id)];
    const double lever = model::is_angle(joint) ? model.length_unit : 1;
    if (!std::any_of(data.positions.projection.coordinates.begin(),
                     data.positions.projection.coordinates.end(),
                     [&](const constrain::KeptCoordinate& k) { return k.joint == id; }))
      data.positions.projection.coordinates.push_back(
          {id, model::joint_coordinate(state.poses, joint).value +
                   h * data.rows.posed.of(record.problem, number)->target / lever});
  }
}

// (E38), with the anchors of contacts that stick (E442) and coordinates that are kept. Both give
// way to joints. False if the joints cannot be closed.
bool Step::close_joints(std::span<const Contact> beginning) {
  data.poses.moved = data.poses.end;
  data.positions.spared = false;
  data.sticking.anchors.clear();
  data.sticking.anchor_rows.clear();
  if (!options.projection) return true;
  find_anchors(beginning);
  select_anchors();
  find_kept_coordinates();
  for (;;) {
    if (model.joints.empty() && data.positions.projection.anchors.empty()) return true;
    const bool closed =
        constrain::project_onto_joints(model, data.positions.projection, data.poses.end);
    if (!closed && !data.positions.projection.coordinates.empty()) {
      data.positions.projection.coordinates.clear();
      data.poses.end = data.poses.moved;
      continue;
    }
    if (data.positions.projection.anchors.empty()) return closed;
    if (closed && (!presses_others(beginning) || (may_spare() && spare_others()))) return true;
    if (!closed)
      give_up_anchors();
    else if (!release_anchors(beginning))
      return true;
    data.poses.end = data.poses.moved;
  }
}

// (E602): the work of a projection with inequalities grows with this product, and more than
// linearly. Larger piles give up the anchors of the groups that press others.
bool Step::may_spare() const {
  constexpr std::size_t most = std::size_t{1} << 18;
  return data.positions.projection.anchors.size() * data.contacts.size() <= most;
}

// (E602): contacts without an anchor that the projection has pushed together are opened, with
// joints and anchors closed. False if that leaves more than rounding.
bool Step::spare_others() {
  const Squeeze squeeze =
      spare_contacts(model, state.poses, data.poses.moved, 0, options.events,
                     of_role(data.impulses, Role::contact), data.positions.projection,
                     data.positions.joint_projection, data.poses.end);
  data.positions.spared = data.positions.spared || squeeze.moved;
  return !(squeeze.depth > pressed_noise());
}

// (E320): where that pushed bodies into each other, joints and contacts are met together. Returns
// what cannot be met.
Squeeze Step::keep_gaps() {
  if (!options.projection || model.joints.empty()) return {};
  if (!(find_overlaps(model, data.poses.end, data.active) > 0)) return {};
  const Squeeze squeeze =
      spare_contacts(model, state.poses, data.poses.moved, data.in.allowed_overlap, options.events,
                     of_role(data.impulses, Role::contact), data.positions.projection,
                     data.positions.joint_projection, data.poses.end);
  data.positions.spared = data.positions.spared || squeeze.moved;
  return squeeze;
}

// Without projection nothing notices by itself that joints cannot be met (E101): their rows miss
// the tolerance, or the step opens them by more than the share of the model's size that bodies too
// fast for the step leave. Both are only a reason to look closer.
bool Step::joints_give_way() const {
  if (options.projection || model.joints.empty()) return false;
  for (const SolveRecord& record : report.solved())
    if (!(record.solution.certificate.equality <= tolerance(solver))) return true;
  const double limit = given_way * model.length_unit;
  return constrain::open_error(model, state.poses) <= limit &&
         constrain::open_error(model, data.poses.end) > limit;
}

bool Step::finite_energy() const {
  const Ledger& l = report.ledger;
  return std::isfinite(l.kinetic_end) && std::isfinite(l.potential_end) &&
         std::isfinite(l.imbalance());
}

// (E84). Where joints and contacts contradict each other the joints win, and the report shows the
// penetration.
void Step::open_overlaps() {
  if (!options.project_contacts || !(report.penetration > 0)) return;
  const ContactProjection projected =
      project_out_of_overlaps(model, solver, options.projection, data.active,
                              data.positions.contact_projection, data.poses.end);
  report.contact_projections = projected.solves;
  report.uncertified_projections = projected.uncertified;
  report.contact_projection_certificate = projected.certificate;
  if (projected.solves > 0 && options.projection && !model.joints.empty())
    constrain::project_onto_joints(model, data.positions.projection, data.poses.end);
  report.penetration = find_overlaps(model, data.poses.end, data.active);
}

// What both have done to the bodies and to the energy.
void Step::account_for_projection() {
  drop_open_anchors();
  report.projection = report.projection_angle = 0;
  report.projection_slowing = 1;
  data.v.solved = data.v.end;
  data.v.end = data.v.moved;
  data.positions.potential_solved =
      dynamics::potential_energy(model, data.poses.moved) + energy_of_closing();
  data.positions.projection_work = 0;
  const bool moved = data.poses.moved != data.poses.end;
  data.positions.spring_gains.clear();
  const bool springs = data.forces.springs.followed && pay_for_springs();
  if (!moved && !springs) return;
  const double slowed = std::exchange(report.projection_slowing, 1);
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Pose &from = data.poses.moved[i], &to = data.poses.end[i];
    report.projection = std::max(report.projection, (to.p - from.p).norm());
    report.projection_angle = std::max(report.projection_angle, to.R.angularDistance(from.R));
  }
  const bool within =
      std::any_of(data.positions.spring_gains.begin(), data.positions.spring_gains.end(),
                  [](double gain) { return gain > 0; });
  if (moved || within) {
    data.v.before = data.v.end;
    keep_spins(model, data.poses.moved, data.poses.end, data.v.end);
    find_free_groups();
    if (moved) pay_for_projection();
    keep_momentum();
  }
  report.projection_slowing *= slowed;
  data.positions.projection_work =
      dynamics::potential_energy(model, data.poses.end) - data.positions.potential_solved +
      dynamics::kinetic_energy(model, data.v.end) - dynamics::kinetic_energy(model, data.v.moved);
  report.projection_work = data.positions.projection_work;
}

// Islands of joints, springs and the impulses of the step.
void Step::find_free_groups() {
  const SolveRecord& record = last();
  data.nonlinear.isolated.begin(model);
  for (std::size_t i = 0; i < record.problem.constraints.size(); ++i) {
    const Constraint& c = record.problem.constraints[i];
    if (!is_of_contact(c.key.role)) continue;
    if (!record.solution.lambda.segment(record.problem.first_row[i], c.rows).isZero(0))
      data.nonlinear.isolated.join(model, c.key.contact.body_a, c.key.contact.body_b);
  }
  data.nonlinear.isolated.spread();
}

// (E425, E426), with the gains of springs beside joints (E744).
void Step::keep_momentum() {
  const double slowing = data.positions.free_groups.keep_momentum(
      model, data.nonlinear.isolated, data.poses.moved, data.v.before, data.poses.end,
      GroupPayment::gains, data.v.end, data.positions.spring_gains);
  report.projection_slowing = std::min(report.projection_slowing, slowing);
}

}  // namespace cairn::scheme
