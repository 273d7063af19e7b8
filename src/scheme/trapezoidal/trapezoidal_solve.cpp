// The smooth problem of scheme `trapezoidal` (E160 to E169): from the phase `now` to `next`.
#include <algorithm>
#include <limits>

#include "constrain/memory.hpp"
#include "constrain/springs.hpp"
#include "dynamics/flight.hpp"
#include "dynamics/forces.hpp"
#include "dynamics/kinematics.hpp"
#include "dynamics/middle_rows.hpp"
#include "linear/blocks.hpp"
#include "model/conventions.hpp"
#include "problem/mass.hpp"
#include "scheme/common/report.hpp"
#include "scheme/common/separation.hpp"
#include "scheme/euler/step.hpp"
#include "scheme/trapezoidal/trapezoidal_step.hpp"
#include "solver/unguarded.hpp"

namespace cairn::scheme {
namespace {

constexpr double work_of_problem = 50;  // a body, in products of 6 x 6 blocks (E314)
constexpr double no_kick = 0x1p-44;     // change of an angular momentum that is rounding [-]
constexpr double shallow = 0x1p-20;     // overlap of the scheme's own making, of the radius [-]

int linear_velocities(const Body& body) {
  return body.velocities - (body.rotation == RotationKind::none  ? 0
                            : body.rotation == RotationKind::one ? 1
                                                                 : 3);
}

// Generalised velocities and impulses in the problem's units.
void scale(const Model& model, const VecX& x, double linear, double angular, VecX& out) {
  out.resize(x.size());
  for (const Body& body : model.bodies)
    for (int k = 0; k < body.velocities; ++k)
      out[body.first_velocity + k] =
          x[body.first_velocity + k] * (k < linear_velocities(body) ? linear : angular);
}

bool moves_by_hand(const Model& model, const Joint& joint) {
  for (const BodyId id : joint.bodies)
    if (id != BodyId::world && model.body(id).kind == BodyKind::prescribed) return true;
  return false;
}

}  // namespace

// A = M - h/2 k_v - h^2/4 k_q (E160, E163), and k = A v + impulses of the forces, v the velocities
// after half of the drift (E423).
void TrapezoidalStep::add_implicit_terms(Problem& problem) {
  CAIRN_DCHECK(d.half.v.size() == model.velocities, d.half.v.size());
  constrain::add_spring_rows(model, d.now.poses, d.forces.rows, d.smooth.layout, problem);
  constrain::add_spring_rows(model, d.forces.middle, d.forces.middle_rows, d.smooth.layout,
                             problem);
  set_momentum(problem);
}

void TrapezoidalStep::set_momentum(Problem& problem) {
  const Units& u = problem.units;
  scale(model, d.half.v, 1 / u.speed(), u.time, d.smooth.v_unit);
  problem.k.setZero(model.velocities);
  problem::add_mass_product(problem, d.smooth.v_unit.data(), problem.k.data());
  d.smooth.mean = d.forces.sum();
  scale(model, d.smooth.mean, 1 / u.impulse(), 1 / (u.impulse() * u.length), d.smooth.mean);
  problem.k += d.smooth.mean;
}

// Rows of the joints at `poses`. The motion of prescribed bodies over `window` is measured from
// `poses` backwards and forwards (E167).
void TrapezoidalStep::add_joints(std::span<const Pose> poses, std::span<const Pose> before,
                                 std::span<const Pose> after, double window, Problem& problem) {
  d.smooth.joint_terms.clear();
  d.smooth.joint_terms_start.clear();
  d.smooth.posed.begin(problem);
  bool by_hand = false;
  for (std::size_t i = 0; i < model.joints.size(); ++i) {
    by_hand = by_hand || moves_by_hand(model, model.joints[i]);
    constrain::add_joint(model, poses, after, d.smooth.layout, static_cast<JointId>(i), 0, window,
                         problem, d.smooth.joint_terms, constrain::JointPoints::common);
  }
  if (by_hand) {
    d.search.probe.units = problem.units;
    d.search.probe.constraints.clear();
    d.search.probe.first_row.assign(1, 0);
    for (std::size_t i = 0; i < model.joints.size(); ++i)
      constrain::add_joint(model, poses, before, d.smooth.layout, static_cast<JointId>(i), 0,
                           window, d.search.probe, d.smooth.joint_terms_start,
                           constrain::JointPoints::common);
  } else {
    d.smooth.joint_terms_start.assign(d.smooth.joint_terms.size(), constrain::JointRowTerms{});
  }
  for (std::size_t i = 0; i < d.smooth.joint_terms.size(); ++i)
    d.smooth.posed.add(
        {.motion = d.smooth.joint_terms[i].motion - d.smooth.joint_terms_start[i].motion});
}

// (E166): a gap closes within this part of the step at the earliest, an overlap opens over a whole
// one. One as shallow as the scheme itself leaves them waits until the motion can pay for it
// (E169).
double TrapezoidalStep::gap_correction(const Contact& c, double gap, double length) {
  if (gap > 0) return gap / length;
  const double whole = h / data.share(h);
  const double correction =
      std::max(options.gamma * gap / whole, -separation_speed(model, c, options, whole));
  const double radius = model.smaller_radius(c.key.body_a, c.key.body_b);
  if (-gap > shallow * (radius > 0 ? radius : model.length_unit)) return correction;
  const ImpulseMemory* last = d.memory_length > 0 ? last_impulse(c.key) : nullptr;
  if (!last) return 0;
  double kinetic = 0;
  static constexpr double rest[6] = {};
  for (const BodyId id : {c.key.body_a, c.key.body_b})
    if (const Body& body = model.body(id); body.velocities > 0)
      kinetic += dynamics::mass_norm(body, d.now.v.data() + body.first_velocity, rest);
  const double work = -correction * h * c.n_W.dot(last->impulse) / d.memory_length;
  return work <= payable / 4 * kinetic ? correction : 0;
}

// (E187): J v of all joint rows at the end of the step, where the drift leads without impulses, in
// the problem's units.
void TrapezoidalStep::turning_joints(const Problem& problem) {
  d.search.turning.clear();
  scale(model, d.next.v, 1 / problem.units.speed(), problem.units.time, d.smooth.v_ahead);
  d.smooth.joint_terms_start.clear();
  d.search.probe.units = problem.units;
  d.search.probe.constraints.clear();
  d.search.probe.first_row.assign(1, 0);
  for (std::size_t i = 0; i < model.joints.size(); ++i)
    constrain::add_joint(model, d.next.poses, d.next.poses, d.smooth.layout,
                         static_cast<JointId>(i), 0, h, d.search.probe, d.smooth.joint_terms_start,
                         constrain::JointPoints::common);
  for (const Constraint& row : d.search.probe.constraints) {
    double w[max_rows] = {};
    linear::constraint_velocity(problem, row, d.smooth.v_ahead.data(), false, w);
    d.search.turning.insert(d.search.turning.end(), w, w + row.rows);
  }
}

// (E165, E166): J at half the step; b = J v + 2 (motion + gamma gap/h) in the mean form, which
// doubles w; in the other the motion at the end and what J changes by until then.
void TrapezoidalStep::add_smooth_rows(double length, Problem& problem) {
  const double speed = problem.units.speed();
  const bool turn = !mean_form() && !limited;
  if (turn) turning_joints(problem);
  add_joints(d.half.poses, d.now.poses, d.next.poses, length, problem);
  d.smooth.posed.begin(problem, mean_form() ? 2 : 1);
  for (std::size_t i = 0; i < problem.constraints.size(); ++i) {
    Constraint& row = problem.constraints[i];
    double w[max_rows] = {};
    linear::constraint_velocity(problem, row, d.smooth.v_unit.data(), false, w);
    for (int k = 0; k < row.rows; ++k) {
      const auto at = static_cast<std::size_t>(problem.first_row[i] + k);
      RowTerms& terms = d.smooth.posed.terms(at);
      const double late = d.smooth.joint_terms[at].motion,
                   early = d.smooth.joint_terms_start[at].motion;
      row.b[k] = mean_form() ? w[k] + 2 * terms.motion / speed : (3 * late + early) / speed;
      terms.carried = mean_form() ? w[k] * speed : 2 * (late + early);
      if (!turn) continue;
      row.b[k] += d.search.turning[at] - w[k];
      terms.carried += (d.search.turning[at] - w[k]) * speed;
    }
  }
  d.touching.clear();
  CAIRN_DCHECK(d.active.size() == d.candidates.size(), d.active.size(), d.candidates.size());
  for (std::size_t i = 0; i < d.candidates.size(); ++i) {
    if (!d.active[i]) continue;
    Contact c;
    if (!contact_at(d.candidates[i].key, d.half.poses, c)) c = d.candidates[i];
    const double correction = gap_correction(c, d.candidates[i].gap, length);
    const Vec3 late = constrain::prescribed_velocity(model, d.half.poses, d.next.poses, c, length),
               early = constrain::prescribed_velocity(model, d.half.poses, d.now.poses, c, length);
    const Vec3 mean = late - early, end = limited ? mean : Vec3(3 * late + early);
    constrain::add_contact(model, d.half.poses, d.smooth.layout, c, options.facets, Vec3::Zero(),
                           problem);
    Constraint& row = problem.constraints.back();
    double w[max_rows] = {};
    linear::constraint_velocity(problem, row, d.smooth.v_unit.data(), false, w);
    const std::array<const Vec3*, 3> along = {&c.n_W, &c.t1_W, &c.t2_W};
    for (int k = 0; k < row.rows; ++k) {
      const Vec3 direction = (k == 2 ? c.stretch : 1) * *along[static_cast<std::size_t>(k)];
      const double push = k == 0 ? correction : 0;
      row.b[k] = mean_form() ? w[k] + 2 * (direction.dot(mean) + push) / speed
                             : (direction.dot(end) + push) / speed;
      d.smooth.posed.add({.motion = direction.dot(mean),
                          .correction = push,
                          .carried = mean_form() ? w[k] * speed : direction.dot(end - mean)});
    }
    d.smooth.posed.add_contact(problem);
    if (turn) {
      // (E187)
      Contact last;
      if (!contact_at(c.key, d.next.poses, last) || last.rows != c.rows) last = c;
      const std::array<const Vec3*, 3> then = {&last.n_W, &last.t1_W, &last.t2_W};
      RowTerms* terms = d.smooth.posed.of(problem, problem.constraints.size() - 1);
      for (int k = 0; k < row.rows; ++k) {
        const double change = relative_velocity(model, d.next.poses, last,
                                                *then[static_cast<std::size_t>(k)], d.next.v) /
                                  speed -
                              w[k];
        row.b[k] += change;
        terms[k].carried += change * speed;
      }
    }
    d.touching.push_back(c);
  }
}

void TrapezoidalStep::finish_solve(SolveRecord& record) {
  CAIRN_DCHECK(d.smooth.posed.contacts() == d.touching.size(), d.smooth.posed.contacts(),
               d.touching.size());
  d.smooth.posed.dcheck(record.problem);
  model::dcheck_contacts(model, d.touching);
  constrain::recall(record.problem, d.touching, {}, d.impulses, record.solution.lambda);
  solver::solve_unguarded(record.problem, solver, data.solver, record.solution);
}

void TrapezoidalStep::solve_smooth(double length, SolveRecord& record) {
  CAIRN_DCHECK(length > 0, length);
  CAIRN_DCHECK(length <= 2 * h, length, h);
  record.length = record.taken = length;
  data.book(work_of_problem * static_cast<double>(1 + model.bodies.size()));
  dynamics::evaluate_impulses(model, d.now.poses, d.now.v, d.now.t, length, data.forces.external,
                              options.damp_stiff, d.forces);
  drift_bodies(model, d.now, limited ? 0 : length / 2, d.half);  // (E423, E177)
  drift_bodies(model, d.now, length, d.next);
  constrain::assemble_bodies(model, d.now.v, length, d.smooth.layout, record.problem);
  add_implicit_terms(record.problem);
  keep_beginning(record.problem, d.now.poses, d.now.v, d.now.t, length, record.origin);
  add_smooth_rows(length, record.problem);
  keep_rows(record.problem, d.half.poses, d.half.t, d.touching, record.origin);
  record.origin.before.clear();
  for (std::size_t i = 0; i < d.candidates.size(); ++i)
    if (d.active[i]) record.origin.before.push_back(d.candidates[i]);
  finish_solve(record);
  move_on(length, record);
  if (!limited && !d.forces.followed.empty()) follow_springs(length, record);
}

// Whether a joint holds a body of a spring with a difference quotient (E746).
bool TrapezoidalStep::beside_joints() const {
  const auto holds = [&](BodyId id) {
    return id != BodyId::world && model.body(id).velocities > 0 &&
           std::any_of(model.joints.begin(), model.joints.end(), [&](const Joint& joint) {
             return joint.bodies[0] == id || joint.bodies[1] == id;
           });
  };
  return std::any_of(d.forces.followed.begin(), d.forces.followed.end(),
                     [&](const dynamics::FollowedRow& f) {
                       const auto& ids = model.springs[f.spring].bodies;
                       return f.elastic && (holds(ids[0]) || holds(ids[1]));
                     });
}

// (E461, E746): linearises springs and dampers where the solution leads until they are there. Where
// that does not contract the first solution is kept.
void TrapezoidalStep::follow_springs(double length, SolveRecord& record) {
  constexpr int most = 60, patience = 6;            // solves; of them without progress
  constexpr double rounding = 4, stalled = 0x1p14;  // errors that are left, in roundings [-]
  const dynamics::MiddleMoment moment{model, d.now.poses, d.now.v, d.now.t, length};
  double least = std::numeric_limits<double>::infinity(), last = least;
  const bool closes = options.projection && beside_joints();
  for (int i = 0, worse = 0; i < most && worse < patience; ++i) {
    if (closes) {
      d.smooth.closed = d.next.poses;
      if (!constrain::project_onto_joints(model, data.positions.projection, d.smooth.closed)) break;
    }
    const double error = dynamics::find_impulses(moment, closes ? d.smooth.closed : d.next.poses,
                                                 d.smooth.v_solved, d.forces);
    if (error <= rounding || (error <= stalled && error >= 0.5 * last)) return;
    if (std::isnan(error)) break;
    worse = error < least ? 0 : worse + 1;
    least = std::min(least, error);
    last = error;
    dynamics::linearise_again(moment, d.smooth.v_solved, d.forces);
    set_momentum(record.problem);
    finish_solve(record);
    move_on(length, record);
  }
  dynamics::evaluate_impulses(model, d.now.poses, d.now.v, d.now.t, length, data.forces.external,
                              options.damp_stiff, d.forces);
  set_momentum(record.problem);
  finish_solve(record);
  move_on(length, record);
}

// Velocities of the solution, and the bodies where they lead.
void TrapezoidalStep::move_on(double length, const SolveRecord& record) {
  constrain::to_model_velocities(model, record.problem, record.solution.v, d.smooth.v_solved);
  drift_on(length);
}

// (E161, E423): to the end of the step with the velocities of the solve.
void TrapezoidalStep::drift_on(double length) {
  if (limited)
    d.smooth.mean = d.smooth.v_solved;  // (E177)
  else
    d.smooth.mean = 0.5 * (d.half.v + d.smooth.v_solved);
  move_bodies(model, d.now, d.smooth.mean, length, d.next);
  d.next.v = d.smooth.v_solved;
  d.smooth.no_torque.assign(model.bodies.size(), 0);
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body& body = model.bodies[i];
    if (body.velocities == 0 || body.rotation != RotationKind::three) continue;
    const int first = body.first_velocity, k = first + linear_velocities(body);
    const bool free = d.half.v.segment<3>(k) == d.smooth.v_solved.segment<3>(k);
    const bool whole = limited || free;
    const Pose& from = whole ? d.now.poses[i] : d.half.poses[i];
    const VecX& v = free && !limited ? d.now.v : d.smooth.v_solved;
    double end[6];
    d.next.poses[i].R =
        dynamics::drift(body, from, v.data() + first, whole ? length : length / 2, end).R;
    d.next.v.segment<3>(k) = Vec3(end[k - first], end[k - first + 1], end[k - first + 2]);
    // As angular momenta: the spin of a thin rod about its axis rounds with all of them.
    const Vec3 kick = body.inertia_B * (d.smooth.v_solved.segment<3>(k) - d.half.v.segment<3>(k));
    const bool still = kick.norm() <= no_kick * (body.inertia_B * d.half.v.segment<3>(k)).norm();
    d.smooth.no_torque[i] = still && !dynamics::turns_evenly(body) ? 1 : 0;
  }
}

}  // namespace cairn::scheme
