#include "imports/scene/assembly.hpp"

#include <algorithm>

#include "base/index.hpp"

namespace cairn::imports {
namespace {

using base::at;

void move_into_range(TreeJoint& joint, Messages& messages) {
  if (joint.kind == TreeJointKind::ball || !(joint.lower <= joint.upper)) return;
  const double inside = std::clamp(joint.start, joint.lower, joint.upper);
  if (inside == joint.start) return;
  messages.note(joint.place, "joint", "",
                "starts at the nearest end of its range: '" + joint.name + "' at " +
                    short_text(inside) + ", as " + short_text(joint.start) + " is outside");
  joint.start = inside;
}

// Velocity and frames behind the joints of a body whose parent moves as given.
void add_joints(const TreeBody& body, const Pose& start, Assembled& out) {
  struct Turn {
    Vec3 axis, anchor;
    double rate;
  };
  std::vector<Turn> turns;
  Pose frame = start;
  Vec3 sliding = Vec3::Zero();
  for (const TreeJoint& joint : body.joints) {
    const Vec3 axis = frame.R * joint.axis;
    if (joint.kind == TreeJointKind::slide) sliding += axis * joint.velocity;
    frame = frame * displacement(joint, joint.start - joint.reference);
    if (joint.kind == TreeJointKind::hinge)
      turns.push_back({axis, frame * joint.anchor, joint.velocity});
    out.behind.push_back(frame);
  }
  out.X_WB = frame;
  out.velocity += sliding + out.angular_velocity.cross(frame.p - start.p);
  for (const Turn& turn : turns) {
    out.angular_velocity += turn.rate * turn.axis;
    out.velocity += (turn.rate * turn.axis).cross(frame.p - turn.anchor);
  }
}

}  // namespace

Pose displacement(const TreeJoint& joint, double q) {
  if (joint.kind == TreeJointKind::slide) return {joint.axis * q, Quat::Identity()};
  const Quat R = joint.kind == TreeJointKind::ball ? joint.turned : exp_rotation(joint.axis * q);
  return {joint.anchor - R * joint.anchor, R};
}

std::vector<Assembled> assemble(Robot& robot, Messages& messages) {
  std::vector<Assembled> out(robot.bodies.size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    TreeBody& body = robot.bodies[i];
    Assembled& mine = out[i];
    for (TreeJoint& joint : body.joints) move_into_range(joint, messages);
    const bool grounded = body.parent == world_body;
    const Assembled* parent = grounded ? nullptr : &out[at(body.parent)];
    const Pose X_WP = parent ? parent->X_WB : Pose{};
    const Pose X_WB = X_WP * body.X_PB;
    mine.host = static_cast<int>(i);
    mine.X_WB = X_WB;
    if (body.free) {
      if (body.start) mine.X_WB = *body.start;
      mine.velocity = body.velocity;
      mine.angular_velocity = body.angular_velocity;
      continue;
    }
    if (parent) {
      mine.angular_velocity = parent->angular_velocity;
      mine.velocity = parent->velocity + parent->angular_velocity.cross(X_WB.p - X_WP.p);
    }
    if (!body.joints.empty()) {
      add_joints(body, X_WB, mine);
      continue;
    }
    mine.is_static = !parent || parent->is_static;
    const bool own = mine.is_static && (robot.as_mujoco || !parent);
    if (own) continue;
    mine.host = parent->host;
    mine.X_HB = parent->X_HB * body.X_PB;
  }
  return out;
}

}  // namespace cairn::imports
