#include "imports/sdf/joints.hpp"

#include <algorithm>
#include <numbers>

#include "base/index.hpp"
#include "base/suggestion.hpp"

namespace cairn::imports {
namespace {

constexpr std::string_view known_types[] = {"fixed",     "revolute", "continuous",
                                            "prismatic", "ball",     "universal",
                                            "revolute2", "screw",    "gearbox"};

}  // namespace

int SdfJoints::end(const Element& e, const char* key, int scope) {
  const std::string name = values_.word(e, key);
  if (name.empty()) {
    messages_.error(e.place, ErrorCode::missing_key, label(e) + "." + key,
                    "the name of the link is missing", "", "a link or frame",
                    std::string("add <") + key + ">");
    return SdfFrames::lost;
  }
  if (name == "world") return world_body;
  const Element& where = *e.child(key);
  const int link = frames_.link_of(scope, name, where.place);
  if (link == SdfFrames::lost && messages_.ok())
    messages_.error(where.place, ErrorCode::unknown_name, label(e) + "." + key,
                    "the frame is not attached to a link", "\"" + name + "\"", "", "name a link");
  return link;
}

void SdfJoints::add_limits(const Element& axis, bool turns_on, TreeJoint& out) {
  const Element* limit = axis.child("limit");
  if (!limit) return;
  const double lower = values_.bound(*limit, "lower", -unbounded),
               upper = values_.bound(*limit, "upper", unbounded);
  if (!turns_on && lower <= upper) {
    out.lower = lower;
    out.upper = upper;
  } else if (!turns_on) {
    messages_.note(limit->place, "limit", "", "lower is above upper, which means no limits");
  }
  for (const char* key : {"effort", "velocity"}) {
    const double most = values_.bound(*limit, key, unbounded);
    if (most > 0 && most < unbounded)
      messages_.note(limit->place, "limit", key,
                     "not taken over: a bound for motors, and the joint has none");
  }
}

void SdfJoints::add_dynamics(const Element& axis, TreeJoint& out) {
  const Element* dynamics = axis.child("dynamics");
  if (!dynamics) return;
  out.damping = values_.number(*dynamics, "damping").value_or(0);
  out.friction = values_.number(*dynamics, "friction").value_or(0);
  out.stiffness = values_.number(*dynamics, "spring_stiffness").value_or(0);
  out.rest = values_.number(*dynamics, "spring_reference").value_or(0);
  const double least = std::min({out.damping, out.friction, out.stiffness});
  if (least < 0)
    messages_.error(dynamics->place, ErrorCode::out_of_range, label(axis) + ".dynamics",
                    "damping, friction or stiffness is negative", short_text(least), "at least 0",
                    "correct the sign");
}

// One axis of a joint whose child has the pose X_WC.
TreeJoint SdfJoints::axis(const Element& joint, const char* key, const SdfJoint& out,
                          const Pose& X_WC) {
  TreeJoint part;
  part.name = out.name;
  part.place = joint.place;
  part.anchor = X_WC.inverse() * out.X_WJ.p;
  Vec3 direction = Vec3::UnitZ();
  Quat R_WE = out.X_WJ.R;
  if (const Element* axis = joint.child(key)) {
    direction = values_.vector(*axis, "xyz").value_or(direction);
    std::string frame;
    if (const Element* xyz = axis->child("xyz")) frame = xyz->get("expressed_in");
    // Before 1.7 a switch, before 1.5 always.
    const auto in_model = values_.boolean(*axis, "use_parent_model_frame");
    if (frame.empty() && in_model.value_or(versions_[axis->place.file] < 105)) frame = model_frame;
    if (!frame.empty()) R_WE = frames_.pose_in_world(out.scope, frame, axis->place).R;
    if (!(direction.norm() > 0))
      messages_.error(axis->place, ErrorCode::zero_vector, label(joint) + "." + key,
                      "is not a direction", "0 0 0", "any vector but zero",
                      "give a vector such as 0 0 1");
    add_limits(*axis, out.type == "continuous", part);
    add_dynamics(*axis, part);
    if (const Element* mimic = axis->child("mimic")) {
      Gear gear;
      gear.name = out.name + "-mimic";
      gear.place = mimic->place;
      const double factor = values_.number(*mimic, "multiplier").value_or(1);
      gear.joints = {out.name, frames_.prefix(out.scope) + mimic->get("joint")};
      gear.ratios = {1, -factor};
      gear.offset = values_.number(*mimic, "offset").value_or(0) -
                    factor * values_.number(*mimic, "reference").value_or(0);
      if (mimic->get("axis", "axis") == "axis") gears_.push_back(gear);
    }
  }
  if (direction.norm() > 0) part.axis = X_WC.R.conjugate() * (R_WE * direction.normalized());
  return part;
}

// Turns with the coordinate of the file and advances by the pitch.
void SdfJoints::add_screw(const Element& e, SdfJoint& out) {
  double pitch = 1;  // [m] per turn, right-handed
  if (const auto given = values_.number(e, "screw_thread_pitch"))
    pitch = *given;
  else if (const auto old = values_.number(e, "thread_pitch"); old && *old != 0)
    pitch = -2 * std::numbers::pi / *old;
  TreeJoint advance = out.parts[0];
  advance.name = out.name + "-advance";
  advance.kind = TreeJointKind::slide;
  advance.lower = -unbounded;
  advance.upper = unbounded;
  advance.friction = advance.damping = advance.stiffness = 0;
  out.parts.push_back(advance);
  Gear gear;
  gear.name = out.name + "-thread";
  gear.place = e.place;
  gear.joints = {advance.name, out.name};
  gear.ratios = {1, -pitch / (2 * std::numbers::pi)};
  gears_.push_back(gear);
}

SdfJoint SdfJoints::read(const Element& e, int scope, const std::vector<Pose>& X_WL) {
  e.used = true;
  SdfJoint out;
  out.element = &e;
  out.scope = scope;
  out.name = frames_.prefix(scope) + e.get("name");
  out.type = e.get("type");
  if (std::find(std::begin(known_types), std::end(known_types), out.type) ==
      std::end(known_types)) {
    messages_.error(e.place, ErrorCode::unknown_choice, label(e) + ".type", "unknown type of joint",
                    "\"" + out.type + "\"",
                    "fixed, revolute, continuous, prismatic, ball, universal, revolute2, screw, "
                    "gearbox",
                    base::did_you_mean(out.type, known_types, "use one of them"));
    return out;
  }
  out.parent = end(e, "parent", scope);
  out.child = end(e, "child", scope);
  if (!messages_.ok()) return out;
  out.X_WJ = frames_.pose_in_world(scope, e.get("name"), e.place);
  if (out.child == world_body || out.child == out.parent) {
    messages_.error(e.place, ErrorCode::conflict, label(e),
                    out.child == world_body ? "the world cannot be the child of a joint"
                                            : "both ends are on one link",
                    values_.word(e, "child"), "two links", "name another link");
    return out;
  }
  const Pose X_WC = X_WL[base::at(out.child)];
  if (out.type == "fixed" || out.type == "gearbox") return out;
  out.parts.push_back(axis(e, "axis", out, X_WC));
  if (out.type == "prismatic") out.parts[0].kind = TreeJointKind::slide;
  if (out.type == "ball") out.parts[0].kind = TreeJointKind::ball;
  if (out.type == "universal" || out.type == "revolute2") {
    out.parts.push_back(axis(e, "axis2", out, X_WC));
    out.parts[1].name += "-axis2";
  }
  if (out.type == "screw") add_screw(e, out);
  return out;
}

// theta_2 = -ratio theta_1, the angles of the parent and of the child from the reference body.
std::optional<Gear> SdfJoints::gearbox(const SdfJoint& box, const std::vector<SdfJoint>& joints,
                                       const std::vector<Pose>& X_WL) {
  const Element& e = *box.element;
  const Element *first = e.child("axis"), *second = e.child("axis2");
  const std::string reference = values_.word(e, "gearbox_reference_body");
  const int body =
      reference.empty() ? SdfFrames::lost : frames_.link_of(box.scope, reference, e.place);
  Gear gear;
  gear.name = box.name;
  gear.place = e.place;
  const double ratio = values_.number(e, "gearbox_ratio").value_or(1);
  const int ends[] = {box.parent, box.child};
  const Element* axes[] = {first, second};
  for (std::size_t k = 0; k < 2; ++k) {
    const auto found = std::find_if(joints.begin(), joints.end(), [&](const SdfJoint& j) {
      return j.parts.size() == 1 && j.parts[0].kind == TreeJointKind::hinge &&
             std::minmax(j.parent, j.child) == std::minmax(body, ends[k]);
    });
    if (found == joints.end()) {
      messages_.note(e.place, "joint", "gearbox",
                     "not taken over: a hinge between the reference body and each end is needed");
      return {};
    }
    // The sign of the axis of the gearbox along that of the hinge, seen from the reference body.
    const Vec3 own =
        axes[k] ? values_.vector(*axes[k], "xyz").value_or(Vec3::UnitZ()) : Vec3::UnitZ();
    const Quat& R_WC = X_WL[base::at(found->child)].R;
    const double along = (R_WC * found->parts[0].axis).dot(box.X_WJ.R * own);
    const double sign = (along < 0 ? -1 : 1) * (found->parent == body ? 1 : -1);
    gear.joints[k] = found->name;
    gear.ratios[k] = sign * (k == 0 ? ratio : 1);
  }
  return gear;
}

std::vector<Gear> SdfJoints::gears(const std::vector<SdfJoint>& joints,
                                   const std::vector<Pose>& X_WL) {
  for (const SdfJoint& joint : joints)
    if (joint.type == "gearbox")
      if (const auto gear = gearbox(joint, joints, X_WL)) gears_.push_back(*gear);
  return std::move(gears_);
}

}  // namespace cairn::imports
