#include "collide/limits.hpp"

#include <algorithm>
#include <cmath>

#include "base/conventions.hpp"
#include "model/joint/joint_coordinate.hpp"

namespace cairn::collide {

Contact limit_contact(const Model& model, std::span<const Pose> poses, const ContactKey& key) {
  CAIRN_DCHECK(is_limit(key));
  const Joint& joint = model.joints[index(limited_joint(key))];
  CAIRN_DCHECK(joint.limits.any(), joint.name);
  const model::JointCoordinate q = model::joint_coordinate(poses, joint);
  const bool lower = limit_side(key) == LimitSide::lower;
  const double scale = model::is_angle(joint) ? model.length_unit : 1;
  Contact c;
  c.key = key;
  c.p_WC = q.point_W;
  // The coordinate grows where the joint's second body moves along the axis, seen from the first.
  c.n_W = (lower == (joint.bodies[0] == key.body_a) ? 1 : -1) * q.axis_W;
  const Tangents t = tangents(c.n_W);
  c.t1_W = t.t1;
  c.t2_W = t.t2;
  c.rows = 1;
  c.gap = scale * (lower ? q.value - joint.limits.lower : joint.limits.upper - q.value);
  c.restitution = joint.limits.restitution;
  c.restitution_law = RestitutionLaw::newton;
  c.lever = model::is_angle(joint) ? scale : 0;
  return c;
}

void add_limits(const Model& model, std::span<const Pose> poses, std::vector<Contact>& contacts) {
  const std::size_t others = contacts.size();
  for (std::size_t i = 0; i < model.joints.size(); ++i) {
    const Joint& joint = model.joints[i];
    if (!joint.limits.any()) continue;
    const auto [a, b] = std::minmax(joint.bodies[0], joint.bodies[1]);
    const auto id = static_cast<JointId>(i);
    if (std::isfinite(joint.limits.lower))
      contacts.push_back(limit_contact(model, poses, limit_key(a, b, id, LimitSide::lower)));
    if (std::isfinite(joint.limits.upper))
      contacts.push_back(limit_contact(model, poses, limit_key(a, b, id, LimitSide::upper)));
  }
  const auto first = contacts.begin() + static_cast<std::ptrdiff_t>(others);
  std::sort(first, contacts.end(),
            [](const Contact& x, const Contact& y) { return x.key < y.key; });
  std::rotate(contacts.begin(), first, contacts.end());
}

}  // namespace cairn::collide
