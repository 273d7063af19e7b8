// check, the mechanics: positions follow from velocities, energies from states, penetrations from
// poses.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "base/index.hpp"
#include "base/union_find.hpp"
#include "model/joint/joint_kind.hpp"
#include "record/check/check_parts.hpp"
#include "record/check/coordinates/drive_rows.hpp"
#include "record/check/rebuild/contact_geometry.hpp"
#include "record/check/rebuild/free_turn.hpp"

namespace cairn::record {
namespace {

constexpr double energy_relative = 1e-9;  // of the largest term [-]

// q and -q are the same rotation.
double distance(const Quat& a, const Quat& b) {
  return std::min((a.coeffs() - b.coeffs()).norm(), (a.coeffs() + b.coeffs()).norm());
}

Pose expected_pose(const Body& body, const Pose& before, const State& state, double h) {
  if (body.kind == BodyKind::fixed) return before;
  if (body.kind == BodyKind::prescribed) {
    const Motion& motion = *body.motion;
    const double t = state.t;
    const Quat R_WB = exp_rotation(motion.angle(t) * motion.axis) * body.R_WB0;
    const Vec3 p_WB(motion.position[0](t), motion.position[1](t), motion.position[2](t));
    return {p_WB + R_WB * body.p_Bcm, R_WB};
  }
  const Twist v = twist(body, state);
  if (body.rotation == RotationKind::three)
    return {before.p + h * v.linear_W, free_turn(body, before.R, v.angular_B, h).R};
  return {before.p + h * v.linear_W, before.R * exp_rotation(h * v.angular_B)};
}

// The state with the velocities of the last solve: they move the bodies, before the projection may
// slow them down.
State with_solved_velocities(const Model& model, const TraceFrame& frame) {
  State state = frame.state;
  if (!frame.report.solves.empty())
    set_solved_velocities(model, frame.report.solved().back(), state);
  return state;
}

// The contact presses, and its impulse is strictly inside its cone or it has no slip (E441, E720).
bool may_stick(const SolveRecord& record, std::size_t constraint) {
  const Constraint& c = record.problem.constraints[constraint];
  if (!has_cone(c.law) || c.rows < 2) return false;
  const double* r = record.solution.lambda.data() + record.problem.first_row[constraint];
  if (!(r[0] > 0)) return false;
  double slip[max_rows] = {};
  for (int k = 1; k < c.rows; ++k) {
    slip[k] = c.b[k];
    for (std::size_t side = 0; side < max_sides; ++side) {
      if (c.body[side] < 0) continue;
      const ProblemBody& body = record.problem.bodies[base::at(c.body[side])];
      for (int i = 0; i < body.size; ++i)
        slip[k] += c.J[side][k][i] * record.solution.v[body.first + i];
    }
  }
  return std::hypot(r[1], c.rows > 2 ? r[2] : 0) < c.mu * r[0] ||
         std::hypot(slip[1], slip[2]) <= slow_slip;
}

// Bodies that a projection may have moved: off their overlaps all that move; onto joints those with
// joints and what contacts of the step, or those `near` them, connect with them (E320, E981); onto
// anchors those with contacts that stick (E442).
std::vector<char> projected_bodies(const Model& model, const SchemeOptions& scheme,
                                   const StepReport& report,
                                   std::span<const std::array<BodyId, 2>> near = {}) {
  const auto* euler = euler_options(scheme);
  std::vector<char> moved(model.bodies.size(), 0);
  base::UnionFind groups;
  groups.reset(model.bodies.size());
  const auto dynamic = [&](int body) {
    return body >= 0 && model.bodies[base::at(body)].kind == BodyKind::dynamic;
  };
  for (const SolveRecord& record : report.solved())
    for (const Constraint& c : record.problem.constraints) {
      const auto model_body = [&](int i) { return record.problem.bodies[base::at(i)].model_body; };
      const int first = *std::max_element(c.body.begin(), c.body.end());
      for (const int body : c.body)
        if (body >= 0) groups.join(model_body(first), model_body(body));
    }
  for (const auto& [a, b] : near)
    if (dynamic(static_cast<int>(a)) && dynamic(static_cast<int>(b)))
      groups.join(static_cast<int>(a), static_cast<int>(b));
  for (const Joint& joint : model.joints)
    for (const BodyId id : joint.bodies)
      if (dynamic(static_cast<int>(id))) moved[base::at(groups.root(static_cast<int>(id)))] = 1;
  const bool anchors = euler || std::holds_alternative<Hybrid>(scheme);
  for (const SolveRecord& record : report.solved())
    for (std::size_t i = 0; anchors && i < record.problem.constraints.size(); ++i)
      if (may_stick(record, i))
        for (const int number : record.problem.constraints[i].body)
          if (number >= 0)
            moved[base::at(groups.root(record.problem.bodies[base::at(number)].model_body))] = 1;
  for (std::size_t i = model.bodies.size(); i-- > 0;) {
    const int body = static_cast<int>(i);
    moved[i] =
        dynamic(body) && ((euler && euler->project_contacts) || moved[base::at(groups.root(body))]);
  }
  return moved;
}

// The way is that of the mean velocity, the angular momentum stays.
void check_flight(const Body& body, const State& before, const Pose& from, const State& after,
                  const Pose& to, double h, const Complain& complain) {
  const Twist v = twist(body, before), w = twist(body, after);
  const Vec3 expected = from.p + 0.5 * h * (v.linear_W + w.linear_W);
  const double size = std::max({from.p.norm(), expected.norm(), body.p_Bcm.norm()});
  if (!((to.p - expected).norm() <= motion_relative * size))
    complain(FindingCode::position, fmt::format("{} is {:.3g} m away from its parabola", body.name,
                                                (to.p - expected).norm()));
  if (body.rotation != RotationKind::three) return;
  const Vec3 L = from.R * (body.inertia_B * v.angular_B),
             L_end = to.R * (body.inertia_B * w.angular_B);
  if (!((L_end - L).norm() <= 4 * motion_relative * L.norm()))
    complain(FindingCode::momentum,
             fmt::format("{} changes its angular momentum in flight by {:.3g} of it", body.name,
                         (L_end - L).norm() / L.norm()));
}

}  // namespace

void check_motion(const Model& model, const SchemeOptions& scheme, const State& before,
                  const TraceFrame& frame, const Complain& complain) {
  const double h = frame.report.h;
  const double t = before.t + h;
  if (!(std::abs(frame.state.t - t) <= motion_relative * std::abs(t)))
    complain(FindingCode::time, fmt::format("time is {:.17g}, expected {:.17g}", frame.state.t, t));
  const bool trapezoidal = std::holds_alternative<Trapezoidal>(scheme);
  check_velocities(model, scheme, before, frame, complain);
  const bool hybrid = std::holds_alternative<Hybrid>(scheme);
  // A step that restarted within itself is followed part by part; that of scheme hybrid has
  // positions in between that are not recorded.
  const StepPath path = trapezoidal ? follow_parts(model, before, frame, complain) : StepPath{};
  if (hybrid && frame.report.solves.size() != 1) return;
  State solved = with_solved_velocities(model, frame);
  std::vector<char> movable = projected_bodies(model, scheme, frame.report);
  bool near_known = false;
  // (E981): what a joint pushes it pushes where the projection ends, whether or not the pair had
  // rows.
  const auto may_be_pushed = [&](std::size_t i) {
    const StepReport& r = frame.report;
    if (!near_known && !model.joints.empty() && (r.projection > 0 || r.projection_angle > 0)) {
      double reach = 0;
      for (const Body& body : model.bodies)
        if (body.kind == BodyKind::dynamic) reach = std::max(reach, body.radius);
      const auto near =
          near_bodies(model, frame.state.poses, 4 * (r.projection + r.projection_angle * reach));
      movable = projected_bodies(model, scheme, r, near);
    }
    near_known = true;
    return movable[i] != 0;
  };
  const std::vector<Vec3> falls =
      hybrid ? falls_of(model, frame.report.solved().back().problem, h) : std::vector<Vec3>();
  // What pays for a projection slows the parts after it.
  auto slowed = [&](const std::vector<double>& length, std::size_t i) {
    return path.parts > 1 ? path.parts * (1 - frame.report.projection_slowing) * length[i] : 0;
  };
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body& body = model.bodies[i];
    const Pose& X = frame.state.poses[i];
    if (hybrid && in_flight(model, frame, i)) {
      check_flight(body, before, before.poses[i], frame.state, X, h, complain);
      continue;
    }
    Pose expected = trapezoidal && body.kind == BodyKind::dynamic
                        ? path.end.poses[i]
                        : expected_pose(body, before.poses[i], solved, h);
    if (hybrid) expected.p += falls[i];
    // A lever arm, or a way, that nearly cancels the position still rounds with its own size.
    double size = std::max({before.poses[i].p.norm(), expected.p.norm(), body.p_Bcm.norm()});
    if (body.kind == BodyKind::dynamic)
      size = std::max({size, h * twist(body, before).linear_W.norm(),
                       h * twist(body, frame.state).linear_W.norm()});
    const double times = std::max(1, path.parts);
    const double rounding = times * motion_relative;
    const double off = (X.p - expected.p).norm(), angle = 2 * distance(X.R, expected.R);
    // A projection may move the body as far as the frame says.
    const bool away = !(off <= rounding * size) || !(angle <= 2 * rounding);
    const bool free = movable[i] != 0 || (away && may_be_pushed(i));
    const double moved = (free ? times * frame.report.projection : 0) + slowed(path.way, i),
                 turned = (free ? times * frame.report.projection_angle : 0) + slowed(path.turn, i);
    if (!(off <= rounding * size + moved))
      complain(FindingCode::position,
               fmt::format("{} is {:.3g} m away from where its velocity takes it", body.name, off));
    if (!(angle <= 2 * rounding + turned))
      complain(FindingCode::orientation,
               fmt::format("{} is turned {:.3g} rad away from where its velocity takes it",
                           body.name, angle));
  }
}

Energies energies(const Model& model, const State& state) {
  Energies e;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body& body = model.bodies[i];
    if (body.kind != BodyKind::dynamic) continue;
    const Twist v = twist(body, state);
    e.kinetic += 0.5 * body.mass * v.linear_W.squaredNorm() +
                 0.5 * v.angular_B.dot(body.inertia_B * v.angular_B);
    e.potential -= body.mass * model.gravity.dot(state.poses[i].p);
    e.size += body.mass * model.gravity.cwiseAbs().dot(state.poses[i].p.cwiseAbs());
  }
  for (const Spring& spring : model.springs) {
    const double stored = stored_energy(spring, state);
    e.potential += stored;
    e.size += stored;
  }
  const CoordinateEnergies joints = coordinate_energies(model, state);
  e.potential += joints.stored;
  e.kinetic += joints.turning;
  e.size += joints.stored + e.kinetic;
  return e;
}

void check_ledger(const Model& model, const State& before, const TraceFrame& frame,
                  const Complain& complain) {
  const Ledger& l = frame.report.ledger;
  const Energies start = energies(model, before), end = energies(model, frame.state);
  double largest = std::max(start.size, end.size);
  for (const double x :
       {l.kinetic_start, l.potential_start, l.kinetic_end, l.potential_end, l.work_applied,
        l.work_motion, l.friction, l.impact, l.stabilisation, l.integrator, l.solver, l.passive})
    largest = std::max(largest, std::abs(x));
  const double allowed = energy_relative * largest;
  // Both are sums over the same states, the kinetic one of terms that do not cancel.
  const auto compare = [&](const char* name, double recorded, double ours, double size) {
    if (std::abs(recorded - ours) <= energy_relative * size) return;
    complain(FindingCode::energy, fmt::format("{} energy recorded as {:.9g} J, recomputed {:.9g} J",
                                              name, recorded, ours));
  };
  compare("kinetic start", l.kinetic_start, start.kinetic, start.kinetic);
  compare("potential start", l.potential_start, start.potential, start.size);
  compare("kinetic end", l.kinetic_end, end.kinetic, end.kinetic);
  compare("potential end", l.potential_end, end.potential, end.size);
  if (!(std::abs(l.imbalance()) <= allowed))
    complain(FindingCode::ledger,
             fmt::format("energy ledger does not add up: {:.3g} J missing", l.imbalance()));
}

// (E228): the energies of every group add up, and under the guard no impact of
// scheme trapezoidal has put energy in.
void check_impacts(const Model& model, const SchemeOptions& scheme, const TraceFrame& frame,
                   const Complain& complain) {
  const auto* trapezoidal = std::get_if<Trapezoidal>(&scheme);
  // Prescribed bodies may put energy in, which is part of `other` beside what joints take.
  const bool driven = std::any_of(model.bodies.begin(), model.bodies.end(), [](const Body& body) {
    return body.kind == BodyKind::prescribed;
  });
  const bool guarded = !driven && trapezoidal && trapezoidal->energy_guard == EnergyGuard::impact;
  const std::vector<ImpactReport>& impacts = frame.report.impacts;
  for (std::size_t i = 0; i < impacts.size(); ++i) {
    const ImpactReport& r = impacts[i];
    if (!(r.lost_restitution >= 0 && r.lost_friction >= 0 && r.put_in >= 0 && r.guard >= 0))
      complain(FindingCode::impact, fmt::format("energies of impact {} are negative", i));
    if (!(r.restitution >= 0 && r.restitution <= 1))
      complain(FindingCode::impact,
               fmt::format("impact {} has a restitution of {}", i, r.restitution));
    const auto same = [&](const ImpactReport& other) { return other.group == r.group; };
    if (std::find_if(impacts.begin(), impacts.end(), same) !=
        impacts.begin() + static_cast<std::ptrdiff_t>(i))
      continue;
    double sum = 0, size = r.kinetic_before + r.kinetic_after + std::abs(r.other);
    for (const ImpactReport& other : impacts)
      if (same(other)) {
        sum += other.put_in - other.lost_restitution - other.lost_friction;
        size += other.put_in + other.lost_restitution + other.lost_friction;
      }
    const double rise = r.kinetic_after - r.kinetic_before - r.other;
    if (!(std::abs(rise - sum) <= energy_relative * size))
      complain(FindingCode::impact,
               fmt::format("energies of impact {} do not add up: {:.3g} J missing", i, rise - sum));
    if (guarded &&
        r.kinetic_after - r.kinetic_before - std::max(0.0, r.other) > energy_relative * size)
      complain(FindingCode::impact, fmt::format("impact {} raised the kinetic energy by {:.3g} J",
                                                i, r.kinetic_after - r.kinetic_before));
  }
}

void check_joints(const Model& model, const TraceFrame& frame, const Complain& complain) {
  double error = 0, size = 0;
  for (const Joint& joint : model.joints) {
    Vec3 ends[2];
    for (std::size_t side = 0; side < 2; ++side) {
      const bool world = joint.bodies[side] == BodyId::world;
      const Pose X = world ? Pose{} : frame.state.poses[index(joint.bodies[side])];
      ends[side] = X * joint.anchors[side];
      size = std::max(size, X.p.norm() + joint.anchors[side].norm());
    }
    const Vec3 between = ends[1] - ends[0];
    const bool world = joint.bodies[0] == BodyId::world;
    const Quat R_WA = world ? Quat::Identity() : frame.state.poses[index(joint.bodies[0])].R;
    double open = open_length(joint, R_WA * joint.axes[0], between);
    const auto kind = model::kind_of(joint.type).coordinate;
    if (joint.limits.any() && kind != CoordinateKind::angle)
      open = std::max(open, beyond_range(joint, frame.state.poses[index(joint.bodies[0])],
                                         frame.state.poses[index(joint.bodies[1])]));
    error = std::max(error, open);
  }
  for (const Gear& gear : model.gears)
    if (!gear.angle)
      error = std::max(error, std::abs(gear_error_of(model, frame.state.poses, gear).error));
  if (!(std::abs(error - frame.report.joint_error) <= motion_relative * size))
    complain(FindingCode::joint_error,
             fmt::format("joint error recorded as {:.6g} m, recomputed {:.6g} m",
                         frame.report.joint_error, error));
}

}  // namespace cairn::record
