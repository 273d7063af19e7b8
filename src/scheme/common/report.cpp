#include "scheme/common/report.hpp"

#include <algorithm>
#include <cmath>

#include "base/conventions.hpp"
#include "constrain/joints.hpp"
#include "dynamics/forces.hpp"
#include "dynamics/kinematics.hpp"
#include "model/joint/joint_coordinate.hpp"

namespace cairn {

const char* name(StopReason reason) {
  switch (reason) {
    case StopReason::none:
      return "none";
    case StopReason::not_finite:
      return "not_finite";
    case StopReason::energy_overflow:
      return "energy_overflow";
    case StopReason::missing_contact:
      return "missing_contact";
    case StopReason::contradiction:
      return "contradiction";
    case StopReason::open_joints:
      return "open_joints";
    case StopReason::too_stiff:
      return "too_stiff";
    case StopReason::unstable:
      return "unstable";
    case StopReason::passes_through:
      return "passes_through";
    case StopReason::unsupported:
      return "unsupported";
    case StopReason::out_of_memory:
      return "out_of_memory";
    case StopReason::internal_error:
      return "internal_error";
    case StopReason::interrupted:
      return "interrupted";
  }
  return "";
}

}  // namespace cairn

namespace cairn::scheme {

void clear(StepReport& report, const State& state, double h) {
  CAIRN_DCHECK(h > 0, h);
  report.seconds = {};
  report.step = state.step + 1;
  report.t = state.t;
  report.h = h;
  report.reason = StopReason::none;
  report.message.clear();
  report.events.clear();
  report.impacts.clear();
  report.contacts.clear();
  report.joints.clear();
  report.controls.forces.clear();
  report.controls.motors.clear();
  report.ledger = {};
  static_cast<StepFigures&>(report) = {};
  report.solves.clear();
  report.divided.clear();
  report.verdict = {};
}

void judge(StepReport& report) {
  report.certificate = 0;
  report.worst_solve = 0;
  report.status = StepStatus::certified;
  for (int i = 0; i < report.solves.size(); ++i) {
    const Solution& s = report.solves[i].solution;
    if (!(s.certificate.worst <= report.certificate)) {
      report.certificate = s.certificate.worst;
      report.worst_solve = i;
    }
    if (s.status != SolveStatus::solved) report.status = StepStatus::uncertified;
  }
  if (report.uncertified_projections > 0) report.status = StepStatus::uncertified;
}

void stop(StepReport& report, Stop why) {
  judge(report);
  report.contacts.clear();
  report.events.clear();
  report.impacts.clear();
  report.ledger = {};
  report.status = StepStatus::stopped;
  report.reason = why.reason;
  report.message = std::move(why.message);
}

void interrupt(StepReport& report, const State& state, double h) {
  clear(report, state, h);
  judge(report);
  report.status = StepStatus::interrupted;
  report.reason = StopReason::interrupted;
  report.message = "interrupted";
}

void measure_joints(const Model& model, std::span<const Pose> poses, StepReport& report) {
  report.joint_error = report.joint_error_angle = 0;
  for (const Joint& joint : model.joints) {
    const constrain::JointError error = constrain::joint_error(poses, joint);
    report.joint_error = std::max(report.joint_error, error.distance);
    report.joint_error_angle = std::max(report.joint_error_angle, error.angle);
    double& largest = model::is_angle(joint) ? report.joint_error_angle : report.joint_error;
    largest = std::max(largest, model::limit_excess(poses, joint));
  }
  for (const Gear& gear : model.gears) {
    double& largest = gear.angle ? report.joint_error_angle : report.joint_error;
    largest = std::max(largest, std::abs(model::gear_error(model, poses, gear)));
  }
}

bool close_ledger(const Model& model, const State& start, const std::vector<Pose>& poses,
                  const VecX& v, Ledger& ledger) {
  CAIRN_DCHECK(poses.size() == model.bodies.size(), poses.size());
  CAIRN_DCHECK(v.size() == model.velocities, v.size());
  ledger.kinetic_start = dynamics::kinetic_energy(model, start.v);
  ledger.potential_start = dynamics::potential_energy(model, start.poses);
  ledger.kinetic_end = dynamics::kinetic_energy(model, v);
  ledger.potential_end = dynamics::potential_energy(model, poses);
  return std::isfinite(ledger.kinetic_end) && std::isfinite(ledger.potential_end) &&
         std::isfinite(ledger.imbalance());
}

void add_flows(const Ledger& part, Ledger& sum) {
  sum.work_applied += part.work_applied;
  sum.work_motion += part.work_motion;
  sum.friction += part.friction;
  sum.impact += part.impact;
  sum.stabilisation += part.stabilisation;
  sum.integrator += part.integrator;
  sum.solver += part.solver;
  sum.passive += part.passive;
}

void add_contact(const ContactReport& contact, std::vector<ContactReport>& contacts) {
  const auto at = std::lower_bound(
      contacts.begin(), contacts.end(), contact,
      [](const ContactReport& a, const ContactReport& b) { return a.contact.key < b.contact.key; });
  if (at == contacts.end() || at->contact.key != contact.contact.key) {
    contacts.insert(at, contact);
    return;
  }
  const Contact &old = at->contact, &c = contact.contact;
  auto turned = [&](const Vec3& along) {
    const Vec3 world = along[0] * old.n_W + along[1] * old.t1_W + along[2] * old.t2_W;
    return Vec3(c.n_W.dot(world), c.t1_W.dot(world), c.t2_W.dot(world));
  };
  const Vec3 impulse = turned(at->impulse), torque = turned(at->torque);
  const bool colliding = at->colliding || contact.colliding;
  const ContactMode mode = contact.mode == ContactMode::open ? at->mode : contact.mode;
  *at = contact;
  at->impulse += impulse;
  at->torque += torque;
  at->colliding = colliding;
  at->mode = mode;
}

namespace {

void keep_poses(const Problem& problem, std::span<const Pose> poses, std::vector<Pose>& out) {
  out.clear();
  for (const ProblemBody& b : problem.bodies)
    out.push_back(poses[static_cast<std::size_t>(b.model_body)]);
}

}  // namespace

void keep_rows(const Problem& problem, std::span<const Pose> poses, double t,
               std::span<const Contact> contacts, SolveOrigin& origin) {
  keep_poses(problem, poses, origin.rows);
  origin.t_rows = t;
  origin.contacts.assign(contacts.begin(), contacts.end());
}

void keep_beginning(const Problem& problem, std::span<const Pose> poses, const VecX& v, double t,
                    double length, SolveOrigin& origin) {
  CAIRN_DCHECK(v.size() == problem.velocities(), v.size());
  keep_poses(problem, poses, origin.start);
  origin.v = v;
  origin.t = t;
  origin.length = length;
}

void count_step(double h, State& state, StepReport& report) {
  CAIRN_DCHECK(h > 0, h);
  CAIRN_DCHECK(state.step >= 0, state.step);
  state.t += h;
  ++state.step;
  report.step = state.step;
  report.t = state.t;
}

}  // namespace cairn::scheme
