#include "imports/scene/joints.hpp"

#include <cmath>

#include "base/index.hpp"
#include "imports/scene/support.hpp"

namespace cairn::imports {
namespace {

using json::Node;

// Mass of a body between two joints of one body of the file, as a share of that body's.
constexpr double small_share = 1e-4;
constexpr double small_opening = 0.03;  // of a loop, as a share of its arms
constexpr double least_offset = 1e-9;   // of a coupling [rad], [m]
constexpr double parallel = 1e-9;       // axes closer than this are the same direction

using base::at;

void not_yet(const TreeJoint& joint, const char* attribute, double value, Messages& messages) {
  messages.note(joint.place, "joint", attribute,
                std::string("not taken over: coordinates of a scene have no ") + attribute + "; '" +
                    joint.name + "' has " + short_text(value));
}

bool carries_nothing(const TreeJoint& j) {
  return j.lower == -unbounded && j.upper == unbounded && j.friction == 0 && j.damping == 0 &&
         j.stiffness == 0 && j.armature == 0 && !j.motor;
}

Node motor_node(const TreeJoint& joint, Messages& messages) {
  const ImportedMotor& m = *joint.motor;
  Node node = placed(Node::object(), m.place);
  const auto bounded = [&] {
    if (m.max_effort < unbounded) put(node, "max_effort", m.max_effort, m.place);
  };
  switch (m.kind) {
    case MotorKind::effort:
      put(node, "effort", m.target, m.place);
      return node;
    case MotorKind::velocity:
      if (!scene_support.velocity_gains) break;
      put(node, "velocity", m.target, m.place);
      put(node, "damping", m.damping, m.place);
      bounded();
      return node;
    case MotorKind::position:
      if (!scene_support.position_gains) break;
      put(node, "position", m.target - joint.start, m.place);
      put(node, "stiffness", m.stiffness, m.place);
      put(node, "damping", m.damping, m.place);
      bounded();
      return node;
  }
  messages.note(m.place, m.kind == MotorKind::velocity ? "velocity" : "position", "",
                "not taken over: motors of a scene have no gains; joint '" + joint.name +
                    "' has stiffness " + short_text(m.stiffness) + ", damping " +
                    short_text(m.damping));
  return {};
}

void put_limits(Node& node, const TreeJoint& joint, Messages& messages) {
  const bool angle = joint.kind == TreeJointKind::hinge;
  double lower = joint.lower - joint.start, upper = joint.upper - joint.start;
  if (lower == -unbounded && upper == unbounded) return;
  if (angle && !(upper - lower <= scene_support.widest_angle_range)) {
    messages.note(
        joint.place, "joint", "limits",
        "not taken over: the range of '" + joint.name + "' is a turn or more, or has one end only");
    return;
  }
  // The start is an end: rounding must not put it outside.
  if (lower > -unbounded) put(node, "lower", std::min(lower, 0.0), joint.place);
  if (upper < unbounded) put(node, "upper", std::max(upper, 0.0), joint.place);
}

// What acts along a coordinate.
void put_coordinate(Node& node, const TreeJoint& joint, Messages& messages) {
  const auto number = [&](const char* key, double value, bool supported) {
    if (value == 0) return;
    if (supported)
      put(node, key, value, joint.place);
    else
      not_yet(joint, key, value, messages);
  };
  put_limits(node, joint, messages);
  number("friction", joint.friction, true);
  number("damping", joint.damping, scene_support.damping);
  number("stiffness", joint.stiffness, scene_support.stiffness);
  if (scene_support.stiffness && joint.stiffness != 0 && joint.rest != joint.start)
    put(node, "rest", joint.rest - joint.start, joint.place);
  number("armature", joint.armature, scene_support.armature);
  if (!joint.motor) return;
  if (Node motor = motor_node(joint, messages); motor.is(Node::Kind::object))
    put(node, "motor", std::move(motor), joint.motor->place);
}

// Two ends of a joint in the scene.
struct Ends {
  std::string a, b;
  Pose X_Wa, X_Wb;
};

Node joint_node(const char* type, const std::string& name, const Ends& ends, const Vec3& point_a,
                const Vec3& point_b, const Place& place) {
  Node node = placed(Node::object(), place);
  put(node, "type", type, place);
  put(node, "name", name, place);
  put(node, "bodies", Node::array({placed(ends.a, place), placed(ends.b, place)}), place);
  put(node, "anchors",
      Node::array({vector_node(ends.X_Wa.inverse() * point_a, place),
                   vector_node(ends.X_Wb.inverse() * point_b, place)}),
      place);
  return node;
}

class BodyJoints {
 public:
  BodyJoints(const TreeBody& body, const Assembled& mine, Ends ends, const Inertial& inertial,
             SceneLinks& out, Messages& messages)
      : body_(body),
        mine_(mine),
        ends_(std::move(ends)),
        inertial_(inertial),
        out_(out),
        messages_(messages) {
    start_ = mine.X_WB;
    // The frame before the first joint.
    for (std::size_t k = body.joints.size(); k-- > 0;) {
      const TreeJoint& j = body.joints[k];
      start_ = mine.behind[k] * displacement(j, j.start - j.reference).inverse();
      before_.insert(before_.begin(), start_);
    }
  }

  void add() {
    const std::size_t n = body_.joints.size();
    if (n == 2 && (add_cylindrical() || add_universal())) return;
    if (n == 3 && (add_planar() || add_ball())) return;
    for (std::size_t k = 0; k < n; ++k) {
      Ends ends = ends_;
      if (k > 0) {
        ends.a = between(k - 1);
        ends.X_Wa = mine_.behind[k - 1];
      }
      if (k + 1 < n) {
        ends.b = between(k);
        ends.X_Wb = mine_.behind[k];
        add_small_body(k);
      }
      add_single(k, ends);
    }
  }

 private:
  const TreeJoint& joint(std::size_t k) const { return body_.joints[k]; }
  Vec3 axis(std::size_t k) const { return before_[k].R * joint(k).axis; }
  Vec3 point(std::size_t k) const { return mine_.behind[k] * joint(k).anchor; }
  std::string between(std::size_t k) const { return body_.name + "-" + joint(k).name; }
  Vec3 in_first(const Vec3& direction) const { return ends_.X_Wa.R.conjugate() * direction; }

  void note_coordinate(std::size_t k, const std::string& name, const std::string& key) {
    out_.coordinates[joint(k).name] = {name, key, joint(k).start};
  }

  void add_small_body(std::size_t k) {
    const Place& place = joint(k).place;
    const Pose& X = mine_.behind[k];
    Node node = placed(Node::object(), place);
    put(node, "name", between(k), place);
    put(node, "mass", small_share * inertial_.mass, place);
    // As heavy about every axis as the body about its largest one.
    const double moment = small_share * inertial_.inertia.trace();
    put(node, "inertia", moment, place);
    put(node, "center_of_mass", vector_node(Vec3::Zero(), place), place);
    put_pose(node, X, place);
    out_.bodies.items.push_back(std::move(node));
    messages_.note(place, "joint", "",
                   "several joints on one body: a body with 1e-4 of its mass is put between two of "
                   "them");
  }

  void add_single(std::size_t k, const Ends& ends) {
    const TreeJoint& j = joint(k);
    const bool slides = j.kind == TreeJointKind::slide;
    const bool locked = j.kind != TreeJointKind::ball && j.lower == j.upper;
    const char* type = j.kind == TreeJointKind::ball ? "ball"
                       : locked                      ? "fixed"
                       : slides                      ? "prismatic"
                                                     : "revolute";
    Node node = joint_node(type, j.name, ends, point(k), point(k), j.place);
    if (locked) {
      messages_.note(j.place, "joint", "limits",
                     "the range of '" + j.name + "' is a single value: the joint is fixed");
    } else if (j.kind == TreeJointKind::ball) {
      if (!carries_nothing(j))
        messages_.note(j.place, "joint", "",
                       "limits, friction, damping, stiffness, armature and motors of ball joints "
                       "are not taken over");
    } else {
      put(node, "axis", vector_node(ends.X_Wa.R.conjugate() * axis(k), j.place), j.place);
      put_coordinate(node, j, messages_);
      note_coordinate(k, j.name, "");
    }
    out_.joints.items.push_back(std::move(node));
  }

  void put_named(Node& node, const char* key, std::size_t k, const std::string& joint_name) {
    Node coordinate = placed(Node::object(), joint(k).place);
    put_coordinate(coordinate, joint(k), messages_);
    note_coordinate(k, joint_name, key);
    if (!coordinate.keys.empty()) put(node, key, std::move(coordinate), joint(k).place);
  }

  bool any_locked() const {
    for (const TreeJoint& j : body_.joints)
      if (j.lower == j.upper) return true;
    return false;
  }

  // A slide and a hinge along one line.
  bool add_cylindrical() {
    const bool slide_first = joint(0).kind == TreeJointKind::slide;
    const std::size_t s = slide_first ? 0 : 1, h = 1 - s;
    if (joint(s).kind != TreeJointKind::slide || joint(h).kind != TreeJointKind::hinge)
      return false;
    if ((axis(s) - axis(h)).norm() > parallel || any_locked()) return false;
    Node node = joint_node("cylindrical", joint(0).name, ends_, point(h), point(h), joint(0).place);
    put(node, "axis", vector_node(in_first(axis(s)), joint(0).place), joint(0).place);
    put_named(node, "translation", s, joint(0).name);
    put_named(node, "rotation", h, joint(0).name);
    out_.joints.items.push_back(std::move(node));
    return true;
  }

  // Two hinges that cross at right angles.
  bool add_universal() {
    if (joint(0).kind != TreeJointKind::hinge || joint(1).kind != TreeJointKind::hinge)
      return false;
    if (std::abs(axis(0).dot(axis(1))) > parallel || any_locked()) return false;
    if ((point(0) - point(1)).norm() > parallel) return false;
    Node node = joint_node("universal", joint(0).name, ends_, point(0), point(0), joint(0).place);
    put(node, "axis", vector_node(in_first(axis(0)), joint(0).place), joint(0).place);
    put(node, "second_axis", vector_node(in_first(axis(1)), joint(1).place), joint(1).place);
    put_named(node, "first", 0, joint(0).name);
    put_named(node, "second", 1, joint(0).name);
    out_.joints.items.push_back(std::move(node));
    return true;
  }

  // Two slides at right angles and a hinge across both, along which they do not slide.
  bool add_planar() {
    if (joint(0).kind != TreeJointKind::slide || joint(1).kind != TreeJointKind::slide ||
        joint(2).kind != TreeJointKind::hinge || any_locked())
      return false;
    const Vec3 normal = in_first(axis(2));
    const Vec3 x = in_first(axis(0)), y = in_first(axis(1));
    if (std::abs(x.dot(normal)) > parallel || std::abs(y.dot(normal)) > parallel ||
        std::abs(x.dot(y)) > parallel)
      return false;
    const Tangents t = tangents(normal);
    const bool straight = (x - t.t1).norm() < parallel && (y - t.t2).norm() < parallel;
    const bool swapped = (x - t.t2).norm() < parallel && (y - t.t1).norm() < parallel;
    if (!straight && !swapped && !(carries_nothing(joint(0)) && carries_nothing(joint(1))))
      return false;
    Node node = joint_node("planar", joint(0).name, ends_, point(2), point(2), joint(0).place);
    put(node, "normal", vector_node(normal, joint(2).place), joint(2).place);
    if (straight || swapped) {
      put_named(node, swapped ? "y" : "x", 0, joint(0).name);
      put_named(node, swapped ? "x" : "y", 1, joint(0).name);
    }
    put_named(node, "rotation", 2, joint(0).name);
    out_.joints.items.push_back(std::move(node));
    return true;
  }

  // Three hinges through one point about independent axes, which carry nothing.
  bool add_ball() {
    for (const TreeJoint& j : body_.joints)
      if (j.kind != TreeJointKind::hinge || !carries_nothing(j)) return false;
    if ((point(0) - point(1)).norm() > parallel || (point(0) - point(2)).norm() > parallel)
      return false;
    if (std::abs(axis(0).dot(axis(1).cross(axis(2)))) < 1e-3) return false;
    out_.joints.items.push_back(
        joint_node("ball", joint(0).name, ends_, point(0), point(0), joint(0).place));
    messages_.note(joint(0).place, "joint", "", "three hinges through one point are a ball joint");
    return true;
  }

  const TreeBody& body_;
  const Assembled& mine_;
  Ends ends_;
  const Inertial& inertial_;
  SceneLinks& out_;
  Messages& messages_;
  Pose start_;
  std::vector<Pose> before_;  // frames before each joint at the start
};

const std::string& scene_name(int body, const std::vector<Assembled>& assembled,
                              const std::vector<std::string>& names) {
  static const std::string world = "world";
  if (body == world_body) return world;
  const int host = assembled[at(body)].host;
  return host == world_body ? world : names[at(host)];
}

// A hinge or slide that closes a loop. `a` and `b` are its anchors in the world, R_WB the rotation
// of the second body.
void add_loop_coordinate(const Loop& loop, const Ends& ends, const Vec3& a, const Vec3& b,
                         const Quat& R_WB, SceneLinks& out, Messages& messages) {
  const TreeJoint& joint = loop.joint;
  const bool slides = joint.kind == TreeJointKind::slide;
  Node node = joint_node(slides ? "prismatic" : "revolute", loop.name, ends, a, b, loop.place);
  put(node, "axis", vector_node(ends.X_Wa.R.conjugate() * (R_WB * joint.axis), loop.place),
      loop.place);
  put_coordinate(node, joint, messages);
  out.coordinates[joint.name] = {loop.name, "", joint.start};
  out.joints.items.push_back(std::move(node));
}

}  // namespace

void add_tree_joints(const Robot& robot, const std::vector<Assembled>& assembled, std::size_t i,
                     const std::vector<std::string>& names, const Inertial& inertial,
                     SceneLinks& out, Messages& messages) {
  const TreeBody& body = robot.bodies[i];
  if (body.joints.empty()) return;
  Ends ends;
  const bool on_world =
      body.parent == world_body || (robot.as_mujoco && assembled[at(body.parent)].is_static);
  ends.a = on_world ? "world" : scene_name(body.parent, assembled, names);
  if (ends.a != "world") ends.X_Wa = assembled[at(assembled[at(body.parent)].host)].X_WB;
  ends.b = names[i];
  ends.X_Wb = assembled[i].X_WB;
  BodyJoints(body, assembled[i], ends, inertial, out, messages).add();
}

void add_loops(const Robot& robot, const std::vector<Assembled>& assembled,
               const std::vector<std::string>& names, SceneLinks& out, Messages& messages) {
  for (const Loop& loop : robot.loops) {
    Ends ends;
    const auto place_end = [&](const Attachment& end, std::string& name, Pose& X_WH) {
      name = scene_name(end.body, assembled, names);
      if (end.body == world_body) return end.X_BF.p;
      const Assembled& body = assembled[at(end.body)];
      if (name != "world") X_WH = assembled[at(body.host)].X_WB;
      return body.X_WB * end.X_BF.p;
    };
    const Vec3 a = place_end(loop.a, ends.a, ends.X_Wa);
    Vec3 b = place_end(loop.b, ends.b, ends.X_Wb);
    if (ends.a == ends.b) {
      messages.note(loop.place, loop.name, "", "not taken over: both ends are on one rigid body");
      continue;
    }
    const double distance = (b - a).norm();
    // Soft constraints of the file may be open a little where it starts; joints of a scene are not.
    const double arms = (a - ends.X_Wa.p).norm() + (b - ends.X_Wb.p).norm();
    if (loop.kind == LoopKind::ball && distance > 1e-9 * arms && distance < small_opening * arms) {
      messages.note(loop.place, "connect", "",
                    "open at the start: its point in the second body is moved by " +
                        short_text(distance) + " m");
      b = a;
    }
    if (loop.kind == LoopKind::spring) {
      Node node = joint_node("spring", loop.name, ends, a, b, loop.place);
      for (std::size_t k = 0; k < node.keys.size(); ++k)
        if (node.keys[k].text == "name") {
          node.keys.erase(node.keys.begin() + static_cast<std::ptrdiff_t>(k));
          node.items.erase(node.items.begin() + static_cast<std::ptrdiff_t>(k));
        }
      put(node, "stiffness", loop.stiffness, loop.place);
      put(node, "rest_length", loop.at_start ? distance : loop.length, loop.place);
      if (loop.damping > 0) put(node, "damping", loop.damping, loop.place);
      out.forces.items.push_back(std::move(node));
      continue;
    }
    if (loop.kind == LoopKind::coordinate) {
      add_loop_coordinate(loop, ends, a, b, assembled[at(loop.b.body)].X_WB.R, out, messages);
      continue;
    }
    const char* type = loop.kind == LoopKind::ball    ? "ball"
                       : loop.kind == LoopKind::fixed ? "fixed"
                                                      : "rope";
    Node node =
        joint_node(type, loop.name, ends, a, loop.kind == LoopKind::fixed ? a : b, loop.place);
    if (loop.kind == LoopKind::rope) {
      double length = loop.at_start ? distance : loop.length;
      if (length < distance) {
        messages.note(loop.place, "spatial", "range",
                      "the rope is as long as the distance at the start, which is more than its "
                      "range: " +
                          short_text(distance) + " m");
        length = distance;
      }
      put(node, "length", length, loop.place);
    } else if (loop.kind == LoopKind::ball) {
      put(node, "collide", Node::of(true), loop.place);
    }
    out.joints.items.push_back(std::move(node));
  }
}

void add_gears(const Robot& robot, SceneLinks& out, Messages& messages) {
  for (const Gear& gear : robot.gears) {
    if (!scene_support.gear) {
      messages.note(gear.place, gear.name, "",
                    "not taken over: a scene has no joints that couple the coordinates of '" +
                        gear.joints[0] + "' and '" + gear.joints[1] + "'");
      continue;
    }
    Node list = Node::array();
    double offset = gear.offset;
    for (std::size_t k = 0; k < 2; ++k) {
      const auto found = out.coordinates.find(gear.joints[k]);
      if (found == out.coordinates.end()) break;
      offset -= gear.ratios[k] * found->second.start;
      Node side = placed(Node::object(), gear.place);
      put(side, "joint", found->second.joint, gear.place);
      if (!found->second.coordinate.empty())
        put(side, "coordinate", found->second.coordinate, gear.place);
      put(side, "ratio", gear.ratios[k], gear.place);
      list.items.push_back(std::move(side));
    }
    if (list.items.size() != 2) {
      messages.note(gear.place, gear.name, "",
                    "not taken over: one of the joints has no coordinate in the scene");
      continue;
    }
    Node node = placed(Node::object(), gear.place);
    put(node, "name", gear.name, gear.place);
    put(node, "joints", std::move(list), gear.place);
    if (std::abs(offset) > least_offset)
      messages.note(gear.place, gear.name, "offset",
                    "the pose of the start is off the coupling by " + short_text(offset) +
                        "; the difference stays");
    out.gears.items.push_back(std::move(node));
  }
}

}  // namespace cairn::imports
