#include "scheme/common/stop.hpp"

#include <cmath>
#include <fmt/format.h>

#include "cairn/joints.hpp"
#include "constrain/joints.hpp"
#include "dynamics/forces.hpp"

namespace cairn::scheme {
namespace {

constexpr std::size_t most_names = 12;  // of joints in one message
constexpr double stiffest = 0x1p45;  // implicit spring over mass, beyond which masses are rounding

// "'a' by 0.5 m, 0 rad; 'b' by ..."
std::string list(const Model& model, const std::vector<OpenJoint>& open) {
  std::string text;
  for (std::size_t i = 0; i < std::min(open.size(), most_names); ++i)
    text += fmt::format("{}'{}' by {:.6g} m, {:.6g} rad", i == 0 ? "" : "; ",
                        model.joints[index(open[i].joint)].name, open[i].distance, open[i].angle);
  if (open.size() > most_names) text += fmt::format("; {} more", open.size() - most_names);
  return text;
}

}  // namespace

Stop not_finite(const Model& model, const VecX& v, const char* what) {
  for (const Body& body : model.bodies)
    for (int k = 0; k < body.velocities; ++k)
      if (!std::isfinite(v[body.first_velocity + k]))
        return {StopReason::not_finite, std::string(what) + " of body '" + body.name +
                                            "' is not finite (component " + std::to_string(k) +
                                            ")"};
  return {StopReason::not_finite, std::string(what) + " is not finite"};
}

Stop lost_body(const Model& model, std::span<const Pose> poses) {
  for (std::size_t i = 0; i < model.bodies.size(); ++i)
    if (!poses[i].p.allFinite() || !poses[i].R.coeffs().allFinite())
      return {StopReason::not_finite,
              "prescribed motion of body '" + model.bodies[i].name + "' is not finite"};
  return {};
}

Stop lost_motor(const Model& model, std::span<const MotorTarget> targets, double t, double h) {
  for (std::size_t i = 0; i < model.joints.size(); ++i) {
    const Joint& joint = model.joints[i];
    if (!joint.motor) continue;
    const JointMotor& motor = *joint.motor;
    double value = motor.what()(motor.keeps() ? t + h : t);
    if (motor.velocity && motor.position) value += (*motor.position)(t + h);
    for (const MotorTarget& target : targets)
      if (index(target.joint) == i) value = target.value;
    if (!std::isfinite(value))
      return {StopReason::not_finite, fmt::format("{} of the motor of joint '{}' is not finite",
                                                  motor.velocity   ? "velocity"
                                                  : motor.position ? "position"
                                                                   : "effort",
                                                  joint.name)};
  }
  return {};
}

Stop missing_contact(const Model& model, std::pair<int, int> shapes) {
  const Shape &a = model.shapes[static_cast<std::size_t>(shapes.first)],
              &b = model.shapes[static_cast<std::size_t>(shapes.second)];
  return {StopReason::missing_contact,
          std::string("no contact between the shapes ") + type_name(a.geometry) + " and " +
              type_name(b.geometry) + " is known, but bodies '" + model.body(a.body).name +
              "' and '" + model.body(b.body).name +
              "' come close; use other shapes, or list the pair in no_contact if it need not "
              "touch"};
}

Stop contradiction(const Model& model, std::span<const Pose> start, std::span<const Pose> end) {
  // Velocities under contradicting joints mean nothing, and where they lead neither: the free
  // bodies begin where the step did, the prescribed ones are where they have to be.
  std::vector<Pose> poses(end.begin(), end.end());
  for (std::size_t i = 0; i < model.bodies.size(); ++i)
    if (model.bodies[i].kind == BodyKind::dynamic) poses[i] = start[i];
  const std::vector<OpenJoint> contradicting = contradicting_joints(model, poses);
  if (contradicting.empty()) return {};
  return {StopReason::contradiction,
          "joints contradict each other and stay open: " + list(model, contradicting)};
}

Stop too_stiff(const Model& model, std::span<const Pose> poses,
               std::span<const dynamics::SpringRow> rows) {
  const auto quoted = [&](BodyId id) {
    return id == BodyId::world ? std::string("world") : model.body(id).name;
  };
  for (const dynamics::SpringRow& row : rows)
    if (!(row.weight() * dynamics::inverse_mass(model, poses, row) <= stiffest))
      return {StopReason::too_stiff,
              fmt::format("a spring or damper between '{}' and '{}' is so stiff that the masses at "
                          "its ends vanish beside it; reduce its stiffness, damping or the step, "
                          "or use a joint",
                          quoted(row.bodies[0]), quoted(row.bodies[1]))};
  return {};
}

Stop energy_overflow(const Model& model, const VecX& v) {
  static constexpr double rest[6] = {};
  const Body* fastest = nullptr;
  double most = -1;
  for (const Body& body : model.bodies) {
    if (body.velocities == 0) continue;
    const double energy = dynamics::mass_norm(body, v.data() + body.first_velocity, rest);
    if (!(energy <= most)) fastest = &body, most = energy;
    if (!std::isfinite(energy)) break;
  }
  if (!fastest) return {StopReason::energy_overflow, "the energy of the step is not finite"};
  double speed = 0;
  for (int k = 0; k < fastest->velocities; ++k)
    speed = std::max(speed, std::abs(v[fastest->first_velocity + k]));
  return {StopReason::energy_overflow,
          fmt::format("the energy of the step is not finite: body '{}' has a velocity of {:.3g} "
                      "m/s or rad/s and {:.3g} J; reduce the velocity or force that drives it, or "
                      "the step",
                      fastest->name, speed, most)};
}

Stop open_joints(const Model& model, std::span<const Pose> start, std::span<const Pose> end) {
  if (Stop why = contradiction(model, start, end); !why.empty()) return why;
  std::vector<OpenJoint> open;
  for (std::size_t i = 0; i < model.joints.size(); ++i) {
    const constrain::JointError error = constrain::joint_error(end, model.joints[i]);
    if (error.distance + error.angle * model.length_unit > 1e-9 * model.length_unit)
      open.push_back({static_cast<JointId>(i), error.distance, error.angle});
  }
  return {StopReason::open_joints,
          "the step leaves joints open that could be closed, the bodies are too fast for it: " +
              list(model, open)};
}

Stop squeezed(const Model& model, const ContactKey& key, double depth) {
  return {
      StopReason::open_joints,
      fmt::format("the joints cannot be closed without pushing body '{}' by {:.6g} m into '{}'; "
                  "take a smaller step, or check whether joints, contacts and prescribed "
                  "motions contradict each other there",
                  model.body(key.body_a).name, depth, model.body(key.body_b).name)};
}

}  // namespace cairn::scheme
