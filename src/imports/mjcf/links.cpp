#include "imports/mjcf/links.hpp"

#include <algorithm>
#include <cmath>

#include "base/index.hpp"

namespace cairn::imports {
namespace {

using base::at;

void mark(const Element& e) {
  e.used = true;
  for (const Attribute& a : e.attributes) a.used = true;
  for (const Element& child : e.children) mark(child);
}

}  // namespace

MjcfLinks::MjcfLinks(const MjcfSettings& settings, const MjcfDefaults& defaults,
                     const MjcfNames& names, const ImportOptions& options, Robot& robot,
                     Messages& messages)
    : settings_(settings),
      defaults_(defaults),
      names_(names),
      options_(options),
      robot_(robot),
      messages_(messages) {}

void MjcfLinks::read(const Element& root) {
  const auto each = [&](const char* name, auto f) {
    for (const Element& section : root.children)
      if (section.name == name) {
        section.used = true;
        f(section);
      }
  };
  each("keyframe", [&](const Element& e) { read_keyframes(e); });
  if (!options_.keyframe.empty() && !keyframe_used_)
    messages_.error(root.place, ErrorCode::unknown_name, "keyframe",
                    "no keyframe has this name or number", "\"" + options_.keyframe + "\"", "",
                    "correct --keyframe");
  each("tendon", [&](const Element& e) { read_tendons(e); });
  each("equality", [&](const Element& e) { read_equalities(e); });
  each("contact", [&](const Element& e) { read_contacts(e); });
  each("actuator", [&](const Element& e) { read_actuators(e); });
}

void MjcfLinks::not_taken(const Element& e, const std::string& why) {
  mark(e);
  messages_.note(e.place, e.name, "", "not taken over: " + why);
}

void MjcfLinks::unknown(const Element& e, const char* key, const char* what) {
  const Attribute* a = e.find(key);
  messages_.error(a ? a->place : e.place, ErrorCode::unknown_name, label(e) + "." + key,
                  std::string("no ") + what + " has this name", "\"" + e.get(key) + "\"", "",
                  "correct the name");
}

TreeJoint* MjcfLinks::find_joint(const std::string& name) {
  const auto found = names_.joints.find(name);
  if (found == names_.joints.end() || found->second.joint < 0) return nullptr;
  return &robot_.bodies[at(found->second.body)].joints[at(found->second.joint)];
}

// The body that an attribute names; the world without it.
const int* MjcfLinks::find_body(const Element& e, const char* key) {
  static const int world = world_body;
  const std::string name = e.get(key);
  if (name.empty() || name == "world") return &world;
  const auto found = names_.bodies.find(name);
  if (found != names_.bodies.end()) return &found->second;
  unknown(e, key, "body");
  return nullptr;
}

// ---- Tendons

void MjcfLinks::read_tendons(const Element& section) {
  int number = 0;
  for (const Element& own : section.children) {
    if (own.name == "fixed") {
      own.used = true;
      auto& parts = fixed_tendons_[own.get("name")];
      for (const Element& j : own.children) {
        if (j.name != "joint") continue;
        j.used = true;
        parts.emplace_back(j.get("joint"), messages_.number(j, "coef").value_or(1));
        if (!names_.joints.contains(parts.back().first)) unknown(j, "joint", "joint");
      }
    } else if (own.name == "spatial") {
      read_spatial(own, number++);
    }
  }
}

void MjcfLinks::read_spatial(const Element& own, int number) {
  // Defaults of both kinds are those of <tendon>.
  Element named = own;
  named.name = "tendon";
  const Merged merged = defaults_.merged(named, "", messages_);
  const Element& e = *merged;
  const std::string name = e.get("name", "tendon" + std::to_string(number));
  std::vector<Attachment> ends;
  for (const Element& part : own.children) {
    if (part.name != "site") return not_taken(own, "tendons around geoms and pulleys");
    const auto found = names_.sites.find(part.get("site"));
    if (found == names_.sites.end()) return unknown(part, "site", "site");
    ends.push_back(found->second);
  }
  if (ends.size() != 2) return not_taken(own, "tendons over more than two sites");
  for (const char* key : {"limited", "range", "stiffness", "damping", "springlength"})
    (void)own.find(key);
  for (const char* key : {"name", "class", "width", "rgba", "material", "group"}) {
    (void)own.find(key);
    (void)e.find(key);
  }
  for (const Element& part : own.children) mark(part);
  own.used = true;
  const auto range = messages_.numbers(e, "range", 2, 2);
  const std::string word = e.get("limited", "auto");
  const bool limited = word == "true" || (word == "auto" && settings_.autolimits && range);
  Loop loop;
  loop.name = name;
  loop.a = ends[0];
  loop.b = ends[1];
  loop.place = own.place;
  if (limited && range) {
    if ((*range)[0] > 0)
      messages_.note(own.place, "spatial", "range", "the least length is not taken over");
    loop.kind = LoopKind::rope;
    loop.length = (*range)[1];
    robot_.loops.push_back(loop);
  }
  const double stiffness = messages_.number(e, "stiffness").value_or(0);
  const double damping = messages_.number(e, "damping").value_or(0);
  if (stiffness > 0 || damping > 0) {
    const auto length = messages_.numbers(e, "springlength", 1, 2);
    loop.kind = LoopKind::spring;
    loop.stiffness = stiffness;
    loop.damping = damping;
    loop.at_start = !length || (*length)[0] < 0;
    loop.length = length ? (*length)[0] : 0;
    if (length && length->size() == 2 && (*length)[1] != (*length)[0])
      messages_.note(own.place, "spatial", "springlength",
                     "a spring has one rest length: the first one");
    robot_.loops.push_back(loop);
  } else if (!limited) {
    messages_.note(own.place, "spatial", "", "not taken over: it has neither a range nor a spring");
  }
}

// ---- Equality

void MjcfLinks::read_equalities(const Element& section) {
  int number = 0;
  for (const Element& own : section.children) read_equality(own, number++);
}

void MjcfLinks::read_equality(const Element& own, int number) {
  Element named = own;
  named.name = "equality";
  const Merged merged = defaults_.merged(named, "", messages_);
  if (own.name != "connect" && own.name != "weld" && own.name != "joint" && own.name != "tendon")
    return not_taken(own, "constraints of this kind");
  for (const Attribute& a : own.attributes) a.used = true;
  own.used = true;
  for (const char* key : {"solref", "solimp"})
    if (own.has(key)) messages_.note(own.place, own.name, key, "not taken over: joints are rigid");
  const std::string name = own.get("name", own.name + std::to_string(number));
  if (const auto active = messages_.boolean(*merged, "active"); active && !*active)
    return messages_.note(own.place, own.name, "", "not taken over: it is not active");
  if (own.name == "joint" || own.name == "tendon")
    return read_coupling(own, name, own.name == "tendon");
  Loop loop;
  loop.kind = own.name == "connect" ? LoopKind::ball : LoopKind::fixed;
  loop.name = name;
  loop.place = own.place;
  if (const auto pose = messages_.numbers(own, "relpose", 7, 7))
    if (Eigen::Vector4d((*pose)[3], (*pose)[4], (*pose)[5], (*pose)[6]).norm() > 0)
      messages_.note(own.place, "weld", "relpose",
                     "not taken over: the bodies are joined as they are at the start");
  if (own.has("torquescale"))
    messages_.note(own.place, "weld", "torquescale", "not taken over: joints are rigid");
  read_ends(own, loop);
}

void MjcfLinks::read_ends(const Element& e, Loop& loop) {
  if (e.has("site1") || e.has("site2")) {
    const auto a = names_.sites.find(e.get("site1")), b = names_.sites.find(e.get("site2"));
    if (a == names_.sites.end()) return unknown(e, "site1", "site");
    if (b == names_.sites.end()) return unknown(e, "site2", "site");
    loop.a = a->second;
    loop.b = b->second;
    robot_.loops.push_back(loop);
    return;
  }
  const int *a = find_body(e, "body1"), *b = find_body(e, "body2");
  if (!a || !b) return;
  loop.a.body = *a;
  loop.b.body = *b;
  const Vec3 anchor = messages_.vector(e, "anchor").value_or(Vec3::Zero());
  // Where both meet in the pose that the file gives: the anchor is in the first body, for a weld
  // in the second one.
  const auto pose_of = [&](int body) {
    Pose X;
    for (int i = body; i != world_body; i = robot_.bodies[at(i)].parent)
      X = robot_.bodies[at(i)].X_PB * X;
    return X;
  };
  const Pose X_Wa = pose_of(*a), X_Wb = pose_of(*b);
  const Vec3 point = loop.kind == LoopKind::ball ? X_Wa * anchor : X_Wb * anchor;
  loop.a.X_BF.p = X_Wa.inverse() * point;
  loop.b.X_BF.p = X_Wb.inverse() * point;
  robot_.loops.push_back(loop);
}

// joint1 - reference = c0 + c1 (joint2 - reference), or the same of fixed tendons over one joint.
void MjcfLinks::read_coupling(const Element& e, const std::string& name, bool tendons) {
  Gear gear;
  gear.name = name;
  gear.place = e.place;
  std::array<double, 2> factor = {1, 1}, reference = {0, 0};
  const std::array<const char*, 2> keys =
      tendons ? std::array{"tendon1", "tendon2"} : std::array{"joint1", "joint2"};
  for (std::size_t k = 0; k < 2; ++k) {
    std::string joint = e.get(keys[k]);
    if (joint.empty())
      return messages_.note(e.place, e.name, "", "not taken over: it couples one coordinate alone");
    if (tendons) {
      const auto found = fixed_tendons_.find(joint);
      if (found == fixed_tendons_.end() || found->second.size() != 1)
        return messages_.note(e.place, e.name, "",
                              "not taken over: it couples tendons over several joints");
      joint = found->second[0].first;
      factor[k] = found->second[0].second;
    }
    TreeJoint* own = find_joint(joint);
    if (!own) return unknown(e, keys[k], "hinge or slide");
    reference[k] = own->reference;
    gear.joints[k] = joint;
  }
  const auto c = messages_.numbers(e, "polycoef", 1, 5).value_or(std::vector<double>{0, 1});
  for (std::size_t i = 2; i < c.size(); ++i)
    if (c[i] != 0)
      return messages_.note(e.place, e.name, "polycoef",
                            "not taken over: the coupling is not linear");
  const double slope = c.size() > 1 ? c[1] : 0;
  if (slope == 0)
    return messages_.note(e.place, e.name, "", "not taken over: it fixes one coordinate");
  gear.ratios = {factor[0], -slope * factor[1]};
  gear.offset = c[0] + factor[0] * reference[0] - slope * factor[1] * reference[1];
  robot_.gears.push_back(gear);
}

// ---- Contact

void MjcfLinks::read_contacts(const Element& section) {
  for (const Element& e : section.children) {
    if (e.name == "exclude") {
      e.used = true;
      (void)e.find("name");
      const int *a = find_body(e, "body1"), *b = find_body(e, "body2");
      if (!a || !b) continue;
      if (*a == world_body || *b == world_body)
        messages_.note(e.place, "exclude", "",
                       "not taken over: shapes of the world exclude nothing");
      else
        robot_.no_contact.push_back({*a, *b});
    } else {
      not_taken(e, "properties of single pairs; the pair touches as its surfaces say");
    }
  }
}

// ---- Actuators

void MjcfLinks::read_actuators(const Element& section) {
  std::size_t number = 0;
  for (const Element& own : section.children) {
    read_actuator(own, number < controls_.size() ? controls_[number] : 0);
    ++number;
  }
}

void MjcfLinks::read_actuator(const Element& own, double control) {
  const bool known = own.name == "motor" || own.name == "position" || own.name == "velocity" ||
                     own.name == "general";
  if (!known) return not_taken(own, "actuators of this kind");
  const Merged merged = defaults_.merged(own, "", messages_);
  const Element& e = *merged;
  for (const char* key : {"name", "class", "group"}) (void)e.find(key);
  const std::string name = e.has("joint") ? e.get("joint") : e.get("jointinparent");
  if (name.empty()) return not_taken(own, "actuators that act on something else than a joint");
  if (!names_.joints.contains(name)) return unknown(e, "joint", "joint");
  TreeJoint* joint = find_joint(name);
  if (!joint || joint->kind == TreeJointKind::ball)
    return not_taken(own, "actuators of ball and free joints");
  if (joint->motor) return not_taken(own, "the joint has a motor already");
  if (const std::string dynamics = e.get("dyntype", "none"); dynamics != "none")
    return not_taken(own, "actuators with dynamics");
  const double gear = [&] {
    const auto list = messages_.numbers(e, "gear", 1, 6);
    return list ? list->front() : 1.0;
  }();
  if (gear == 0) return not_taken(own, "its gear is zero");
  ImportedMotor motor;
  motor.place = own.place;
  double gain = 1, stiffness = 0, damping = 0;
  const auto prm = [&](const char* key, std::size_t i, double standard) {
    const auto list = messages_.numbers(e, key, 1, 20);
    return list && list->size() > i ? (*list)[i] : standard;
  };
  if (own.name == "position") {
    motor.kind = MotorKind::position;
    gain = stiffness = messages_.number(e, "kp").value_or(1);
    damping = messages_.number(e, "kv").value_or(0);
  } else if (own.name == "velocity") {
    motor.kind = MotorKind::velocity;
    gain = damping = messages_.number(e, "kv").value_or(1);
  } else if (own.name == "general") {
    const std::string gains = e.get("gaintype", "fixed"), bias = e.get("biastype", "none");
    gain = prm("gainprm", 0, 1);
    if (gains != "fixed" || (bias != "none" && bias != "affine"))
      return not_taken(own, "gains that are not constant");
    if (bias == "affine") {
      stiffness = -prm("biasprm", 1, 0);
      damping = -prm("biasprm", 2, 0);
      if (prm("biasprm", 0, 0) != 0) return not_taken(own, "a constant bias");
      const bool position = stiffness == gain && gain > 0;
      const bool velocity = stiffness == 0 && damping == gain && gain > 0;
      if (!position && !velocity) return not_taken(own, "a bias that is no servo");
      motor.kind = position ? MotorKind::position : MotorKind::velocity;
    }
  }
  (void)e.find("ctrllimited");
  if (e.has("ctrlrange"))
    messages_.note(own.place, own.name, "ctrlrange", "not taken over: controls are not bounded");
  if (motor.kind == MotorKind::effort && e.has("forcerange"))
    messages_.note(own.place, own.name, "forcerange", "not taken over: a motor gives its effort");
  motor.target = motor.kind == MotorKind::effort ? gain * gear * control : control / gear;
  motor.stiffness = gear * gear * stiffness;
  motor.damping = gear * gear * damping;
  const auto force = messages_.numbers(e, "forcerange", 2, 2);
  const std::string limited = e.get("forcelimited", "auto");
  if (force && limited != "false" && motor.kind != MotorKind::effort)
    motor.max_effort = std::abs(gear) * std::max(std::abs((*force)[0]), std::abs((*force)[1]));
  joint->motor = motor;
}

// ---- Keyframes

// A joint that the pose of the bodies as written puts beyond its range.
const TreeJoint* MjcfLinks::outside_of_range() const {
  for (const TreeBody& body : robot_.bodies)
    for (const TreeJoint& joint : body.joints)
      if (joint.kind != TreeJointKind::ball && joint.lower <= joint.upper &&
          (joint.start < joint.lower || joint.start > joint.upper))
        return &joint;
  return nullptr;
}

void MjcfLinks::read_keyframes(const Element& section) {
  const TreeJoint* outside = options_.keyframe.empty() ? outside_of_range() : nullptr;
  int number = 0;
  for (const Element& key : section.children) {
    if (key.name != "key") continue;
    const std::string name = key.get("name"), digits = std::to_string(number++);
    const std::string word = name.empty() ? digits : name;
    const bool wanted =
        !options_.keyframe.empty() && (name == options_.keyframe || digits == options_.keyframe);
    if (!keyframe_used_ && (wanted || (outside && key.has("qpos")))) {
      key.used = true;
      keyframe_used_ = true;
      if (outside)
        messages_.note(key.place, "key", "",
                       "starts from keyframe " + word + ": without it joint '" + outside->name +
                           "' would be beyond its range");
      use_keyframe(key);
      continue;
    }
    mark(key);
    messages_.note(key.place, "key", "", "not used: --keyframe " + word + " starts from it");
  }
}

void MjcfLinks::use_keyframe(const Element& key) {
  std::size_t positions = 0, velocities = 0;
  const auto joint_of = [&](const JointPlace& p) -> TreeJoint& {
    return robot_.bodies[at(p.body)].joints[at(p.joint)];
  };
  for (const JointPlace& p : names_.order) {
    const bool free = p.joint < 0, ball = !free && joint_of(p).kind == TreeJointKind::ball;
    positions += free ? 7 : ball ? 4 : 1;
    velocities += free ? 6 : ball ? 3 : 1;
  }
  for (const char* ignored : {"name", "time"}) (void)key.find(ignored);
  const auto q = messages_.numbers(key, "qpos", positions, positions);
  const auto v = messages_.numbers(key, "qvel", velocities, velocities);
  if (const auto c = messages_.numbers(key, "ctrl", 0, 100'000)) controls_ = *c;
  const auto rotation = [&](std::size_t i) {
    const Quat R((*q)[i], (*q)[i + 1], (*q)[i + 2], (*q)[i + 3]);
    return R.norm() > 0 ? R.normalized() : Quat::Identity();
  };
  std::size_t i = 0, k = 0;
  for (const JointPlace& p : names_.order) {
    if (p.joint < 0) {
      TreeBody& body = robot_.bodies[at(p.body)];
      if (q) body.start = Pose{{(*q)[i], (*q)[i + 1], (*q)[i + 2]}, rotation(i + 3)};
      if (v) {
        const Quat R = body.start ? body.start->R : body.X_PB.R;
        body.velocity = {(*v)[k], (*v)[k + 1], (*v)[k + 2]};
        body.angular_velocity = R * Vec3((*v)[k + 3], (*v)[k + 4], (*v)[k + 5]);
      }
      i += 7;
      k += 6;
      continue;
    }
    TreeJoint& joint = joint_of(p);
    const bool ball = joint.kind == TreeJointKind::ball;
    if (q && ball) joint.turned = rotation(i);
    if (q && !ball) joint.start = (*q)[i];
    if (v && !ball) joint.velocity = (*v)[k];
    if (v && ball && Vec3((*v)[k], (*v)[k + 1], (*v)[k + 2]) != Vec3::Zero())
      messages_.note(key.place, "key", "qvel", "velocities of ball joints are not taken over");
    i += ball ? 4 : 1;
    k += ball ? 3 : 1;
  }
}

}  // namespace cairn::imports
