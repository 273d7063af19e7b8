// Initial states that do not fit the joints (E323).
#include <algorithm>
#include <fmt/format.h>

#include "cairn/joints.hpp"
#include "constrain/projection.hpp"

namespace cairn {
namespace {

constexpr double fits = 1e-9;            // error of joints, of the size of positions [-]
constexpr double stays = 1e-14;          // motion that is rounding, likewise [-]
constexpr std::size_t most_bodies = 12;  // in one message

}  // namespace

StartProjection close_joints_at_start(const Model& model, State& state) {
  StartProjection result;
  if (model.joints.empty()) return result;
  const double size = constrain::extent(model, state.poses);
  result.open = constrain::open_error(model, state.poses);
  if (!(result.open > fits * size)) return result;
  std::vector<Pose> poses = state.poses;
  constrain::ProjectionBuffers buffers;
  if (!constrain::project_onto_joints(model, buffers, poses)) {
    result.stuck = contradicting_joints(model, state.poses);
    return result;
  }
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const double distance = (poses[i].p - state.poses[i].p).norm(),
                 angle = poses[i].R.angularDistance(state.poses[i].R);
    if (std::max(distance, angle * model.length_unit) > stays * size)
      result.moved.push_back({static_cast<BodyId>(i), distance, angle});
  }
  state.poses = std::move(poses);
  return result;
}

StartProjection start_projection(const Model& model, const ModelDescription& description,
                                 const State& initial) {
  State described = initial;
  for (const BodyDescription& d : description.bodies) {
    const std::optional<BodyId> id = model.find_body(d.name);
    if (!id || model.body(*id).kind != BodyKind::dynamic) continue;
    const Pose X_WB{d.position, d.orientation.normalized()};
    described.poses[index(*id)] = {X_WB * model.body(*id).p_Bcm, X_WB.R};
  }
  return close_joints_at_start(model, described);
}

std::string to_text(const Model& model, const StartProjection& start) {
  std::string text = fmt::format("joints are open by up to {:.3g} m at the start", start.open);
  const auto body = [&](BodyId id) {
    return id == BodyId::world ? std::string("world") : "'" + model.body(id).name + "'";
  };
  for (std::size_t i = 0; i < std::min(start.stuck.size(), most_bodies); ++i) {
    const OpenJoint& open = start.stuck[i];
    const Joint& joint = model.joints[index(open.joint)];
    text +=
        fmt::format("{}'{}' between {} and {} by {:.3g} m, {:.3g} rad",
                    i == 0 ? " and cannot be closed: at best stays open joint " : "; ", joint.name,
                    body(joint.bodies[0]), body(joint.bodies[1]), open.distance, open.angle);
  }
  if (start.stuck.size() > most_bodies)
    text += fmt::format("; {} more", start.stuck.size() - most_bodies);
  for (std::size_t i = 0; i < std::min(start.moved.size(), most_bodies); ++i)
    text += fmt::format("{}'{}' was moved by {:.3g} m, {:.3g} rad", i == 0 ? ": body " : "; ",
                        model.body(start.moved[i].body).name, start.moved[i].distance,
                        start.moved[i].angle);
  if (start.moved.size() > most_bodies)
    text += fmt::format("; {} more", start.moved.size() - most_bodies);
  return text;
}

}  // namespace cairn
