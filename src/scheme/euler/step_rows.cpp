// Rows of a step of `euler`: constant terms of its contacts (E31, E34, E309, E600), joints (E32),
// drives (E763) and friction about contacts (E242). Reads the contacts of the beginning, writes
// terms and rows.
#include <algorithm>
#include <cmath>
#include <limits>

#include "constrain/carried.hpp"
#include "constrain/gears.hpp"
#include "dynamics/kinematics.hpp"
#include "model/shape/inner_radius.hpp"
#include "scheme/common/separation.hpp"
#include "scheme/euler/step.hpp"

namespace cairn::scheme {

// (E309): in a part of a step an overlap opens within the part, but for what is well within the
// limit, as fast as a small share of the speed of the bodies. Overlaps of several parts would add
// up to the limit otherwise.
double Step::part_gap_rate(const Contact& c, const Vec3& motion) const {
  constexpr double of_speed = 1.0 / 32, of_limit = 0.25;
  const double allowed =
      of_limit * data.in.allowed_overlap * model::contact_inner_radius(model, c.key);
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
  const Vec3 chord = constrain::carried_velocity(model, state.poses, data.poses.end, c, h);
  if (!options.projection) return chord;
  const Vec3 screw = constrain::screw_velocity(model, state.poses, data.poses.end, c, h);
  return rides(c.key) ? screw : Vec3(screw + c.n_W.dot(chord - screw) * c.n_W);
}

// Terms of (E31) that do not depend on the solution; Lambda of the delayed forms (E34).
void Step::measure_contacts() {
  data.nonlinear.again = false;
  find_riders();
  data.poses.linear = data.poses.rows = state.poses;
  if (options.nonlinear) {
    data.nonlinear.contacts = data.contacts;
    data.nonlinear.isolated.clear(model);
  }
  data.rows.terms.assign(data.contacts.size(), ContactTerms{});
  for (std::size_t i = 0; i < data.contacts.size(); ++i) {
    const Contact& c = data.contacts[i];
    ContactTerms& terms = data.rows.terms[i];
    const Vec3 motion = motion_of(c);
    terms.motion = Vec3(c.n_W.dot(motion), c.rows > 1 ? c.t1_W.dot(motion) : 0,
                        c.rows > 2 ? c.stretch * c.t2_W.dot(motion) : 0);
    terms.spin = constrain::prescribed_spin(model, state.poses, data.poses.end, c, h);
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
  data.rows.joint_terms.clear();
  const std::vector<Pose>& others = data.nonlinear.again ? state.poses : data.poses.end;
  for (std::size_t i = 0; i < model.joints.size(); ++i) {
    const auto id = static_cast<JointId>(i);
    const bool kept = keeps_rows(model.joints[i]), closed = kept && options.projection;
    if (kept && !closed)
      constrain::add_joint_ahead(model, state.poses, data.poses.linear, data.rows.layout, id, h,
                                 problem, data.rows.joint_terms);
    else
      constrain::add_joint(model, kept ? state.poses : data.poses.linear,
                           kept ? data.poses.end : others, data.rows.layout, id,
                           data.nonlinear.again && !kept ? 1 : options.gamma * data.share(h), h,
                           problem, data.rows.joint_terms, constrain::JointPoints::common,
                           options.projection && (kept || !data.nonlinear.again)
                               ? constrain::PrescribedMotion::screw
                               : constrain::PrescribedMotion::chord);
  }
  for (std::size_t i = 0; i < model.gears.size(); ++i)
    constrain::add_gear(
        model, data.poses.linear, others, data.rows.layout, i,
        data.nonlinear.again ? 1 : options.gamma * data.share(h), h, problem, data.rows.joint_terms,
        options.projection && !data.nonlinear.again ? constrain::PrescribedMotion::screw
                                                    : constrain::PrescribedMotion::chord);
  CAIRN_DCHECK(data.rows.joint_terms.size() == static_cast<std::size_t>(problem.rows()),
               data.rows.joint_terms.size(), problem.rows());
  if (data.nonlinear.again) {
    turn_columns(problem);
    shift_joint_rows(problem);
  }
  for (const constrain::JointRowTerms& term : data.rows.joint_terms)
    data.rows.posed.add({.motion = term.motion, .correction = term.rate});
  if (data.nonlinear.again) return;
  data.rows.joint_targets.clear();
  for (const constrain::JointRowTerms& term : data.rows.joint_terms)
    data.rows.joint_targets.push_back((1 - options.gamma * data.share(h)) * term.error);
}

// Motors, friction, springs and rotors of joints follow, (E763, E872). Their rows are those of the
// beginning.
void Step::add_drives(Problem& problem) {
  const auto motion =
      options.projection ? constrain::PrescribedMotion::screw : constrain::PrescribedMotion::chord;
  constrain::add_drives(model, state.poses, data.poses.end, data.rows.layout,
                        {state.t, h, motion, data.in.motors, &data.v.start}, problem,
                        data.rows.drives);
  for (const constrain::DriveRow& row : data.rows.drives)
    data.rows.posed.add({.motion = row.motion, .target = row.target, .drag = row.drag});
}

// Of a row of a contact: what the last problem was given.
RowTerms Step::contact_terms(std::size_t contact, int row) const {
  const ContactTerms& terms = data.rows.terms[contact];
  if (row > 0) return {.motion = terms.motion[row]};
  return {.motion = terms.motion[0],
          .correction = terms.gap - terms.closing,
          .closing = terms.closing,
          .bounce = terms.bounce,
          .slip = terms.slip};
}

// The last solve is an earlier one again, and the terms of the contacts are those that it had.
void Step::renew_contact_terms() {
  const Problem& problem = last().problem;
  for (std::size_t i = 0; i < data.contacts.size(); ++i) {
    const std::size_t constraint = data.rows.posed.constraint_of(i);
    for (int k = 0; k < problem.constraints[constraint].rows; ++k)
      data.rows.posed.of(problem, constraint)[k] = contact_terms(i, k);
  }
  data.rows.posed.dcheck(problem);
}

// Torsional and rolling friction, (E242), after all contacts.
void Step::add_spins(Problem& problem) {
  data.rows.spins.clear();
  for (const Role role : {Role::torsion, Role::rolling})
    for (std::size_t i = 0; i < data.contacts.size(); ++i)
      constrain::add_spin_friction(model, data.poses.rows, data.rows.layout, data.contacts[i], role,
                                   i, static_cast<int>(data.rows.posed.constraint_of(i)),
                                   data.rows.terms[i].spin, problem, data.rows.spins);
  for (const constrain::SpinRows& spin : data.rows.spins)
    for (std::size_t r = 0; r < static_cast<std::size_t>(spin.rows); ++r)
      data.rows.posed.add({.motion = spin.motion[r] * problem.units.length});
}

}  // namespace cairn::scheme
