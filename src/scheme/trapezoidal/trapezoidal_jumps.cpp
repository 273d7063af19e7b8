// Where forces and the velocities of prescribed bodies jump (E660 to E663): a part of the step ends
// there, and what touches or is jointed meets the new velocities by an impact.
#include <algorithm>
#include <cmath>

#include "constrain/joints.hpp"
#include "dynamics/kinematics.hpp"
#include "scheme/trapezoidal/trapezoidal_step.hpp"

namespace cairn::scheme {
namespace {

constexpr double contradicts = 0x1p-33;  // rate of a joint, of the speeds at hand [-]
constexpr double bends_only = 0x1p-20;   // difference of two limits that is none, of them [-]
constexpr int most_jumps = 256;          // that are looked for in one step

bool differ(double a, double b) {
  return std::abs(a - b) > bends_only * (std::abs(a) + std::abs(b));
}

bool value_jumps(const TimeFunction& f, double t, double within) {
  using Side = TimeFunction::Side;
  return f.has_kinks() &&
         differ(f.limit(t, Side::left, within).value, f.limit(t, Side::right, within).value);
}

bool slope_jumps(const TimeFunction& f, double t, double within) {
  using Side = TimeFunction::Side;
  return f.has_kinks() &&
         differ(f.limit(t, Side::left, within).slope, f.limit(t, Side::right, within).slope);
}

// Calls visit(function, jumps) for every function of time that forces and motions have.
template <class Visit>
void visit_functions(const Model& model, Visit&& visit) {
  for (const AppliedForce& f : model.applied_forces)
    for (const auto* three : {&f.force, &f.torque})
      for (const TimeFunction& one : *three) visit(one, value_jumps);
  for (const Body& body : model.bodies) {
    if (body.kind != BodyKind::prescribed) continue;
    for (const TimeFunction& one : body.motion->position) visit(one, slope_jumps);
    visit(body.motion->angle, slope_jumps);
  }
}

}  // namespace

// Some force, or the velocity of some prescribed body, jumps at t.
bool TrapezoidalStep::jumps_at(double t, double length) const {
  bool any = false;
  visit_functions(model, [&](const TimeFunction& f, auto jumps) {
    any = any || jumps(f, t, dynamics::limit_share * length);
  });
  return any;
}

bool TrapezoidalStep::motion_jumps_now() const {
  return std::any_of(model.bodies.begin(), model.bodies.end(), [&](const Body& body) {
    return body.kind == BodyKind::prescribed && dynamics::velocity_jumps(*body.motion, d.now.t, h);
  });
}

// (E663): how long it takes to the first jump, at most `left`.
double TrapezoidalStep::until_jump(double left) const {
  const double end = d.now.t + left;
  double first = end;
  visit_functions(model, [&](const TimeFunction& f, auto jumps) {
    double t = d.now.t;
    for (int i = 0; i < most_jumps; ++i) {
      t = f.first_kink(t, first);
      if (!(t < first)) return;
      if (jumps(f, t, dynamics::limit_share * (first - d.now.t))) {
        first = t;
        return;
      }
    }
  });
  const double length = first - d.now.t, rounding = dynamics::limit_share * left;
  return length > rounding && left - length > rounding ? length : left;
}

// (E662): the velocities of the state do not fit the joints.
bool TrapezoidalStep::joints_contradict() {
  if (model.joints.empty()) return false;
  joint_rates(d.now, Side::right, d.search.rates_now);
  const Problem& problem = d.search.trial_record.problem;
  for (std::size_t i = 0; i < problem.constraints.size(); ++i) {
    const Constraint& c = problem.constraints[i];
    const Joint& joint = model.joints[static_cast<std::size_t>(c.key.element)];
    double speed = 0;
    for (std::size_t side = 0; side < 2; ++side) {
      if (joint.bodies[side] == BodyId::world) continue;
      const Body& body = model.body(joint.bodies[side]);
      if (body.velocities == 0) continue;
      const double* v = d.now.v.data() + body.first_velocity;
      const double turning =
          dynamics::angular_velocity(body, d.now.poses[index(joint.bodies[side])], v).norm();
      speed += dynamics::linear_velocity(body, v).norm() +
               turning * (joint.anchors[side].norm() + problem.units.length);
    }
    for (int k = 0; k < c.rows; ++k) {
      const auto row = static_cast<std::size_t>(problem.first_row[i] + k);
      if (std::abs(d.search.rates_now[row]) * problem.units.speed() >
          contradicts * (speed + std::abs(d.smooth.posed.terms(row).motion)))
        return true;
    }
  }
  return false;
}

// Velocities that do not fit joints and touching bodies are an impact: the mean form would turn
// them round in every step.
void TrapezoidalStep::meet_jump(bool first_of_run) {
  if (!motion_jumps_now() && !(first_of_run && joints_contradict())) return;
  find_contacts(h);
  if (data.active.finder.missing().first >= 0) {
    stopped = missing_contact(model, data.active.finder.missing());
    return;
  }
  impact();
}

// The whole step, in pieces between jumps.
void TrapezoidalStep::run(bool first_of_run) {
  const double end = d.now.t + h;
  double left = h;
  report.parts = options.accuracy > 0 ? 0 : 1;
  while (left > 0 && stopped.empty()) {
    meet_jump(first_of_run);
    first_of_run = false;
    const double length = until_jump(left);
    if (!stopped.empty()) return;
    if (options.accuracy > 0)
      integrate_accurately(length);
    else
      integrate(length);
    left = length < left ? left - length : 0;
  }
  d.now.t = end;
}

}  // namespace cairn::scheme
