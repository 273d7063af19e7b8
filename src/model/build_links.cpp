// Reads the links of a description and the finished bodies, writes the links of the model.
#include "model/build_links.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

#include "base/suggestion.hpp"
#include "base/union_find.hpp"
#include "model/joint/build_gears.hpp"
#include "model/joint/coordinate_checks.hpp"
#include "model/rigid_groups.hpp"

namespace cairn::model {
namespace {

// A given length that is farther off the initial distance than rounding in a scene file deserves a
// word [-].
constexpr double length_warning = 1e-6;

// Beyond this it is another rod: the first step would close the difference at difference / h [-].
constexpr double length_error = 1e-3;

// Relative gap beyond which a joint counts as open at the start [-].
constexpr double gap_error = 1e-6;

class LinkBuilder {
 public:
  LinkBuilder(const std::vector<Pose>& poses, Model& model, Checks& checks)
      : poses_(poses), model_(model), checks_(checks) {
    for (const Body& body : model.bodies) names_.push_back(body.name);
    names_and_world_ = names_;
    names_and_world_.push_back("world");
  }

  void joints(const std::vector<JointDescription>& joints);
  void gears(const std::vector<GearDescription>& gears);
  void forces(const std::vector<ForceDescription>& forces);
  void welds();
  void no_contact(const std::vector<std::array<std::string, 2>>& pairs);
  double longest() const { return longest_; }

 private:
  struct Ends {
    std::array<BodyId, 2> bodies;
    std::array<Vec3, 2> anchors;  // from the centres of mass
    double distance = 0;          // of the anchors at the start [m]
  };

  std::optional<BodyId> body(const std::string& name, const std::string& path, bool world_allowed);
  void measure(const Ends& ends, bool apart);
  std::optional<Ends> ends(const std::array<std::string, 2>& names,
                           const std::array<Vec3, 2>& anchors, const std::string& path,
                           const std::string& what, bool apart);
  void joint(const JointDescription& d, std::size_t number);
  void force(const SpringDescription& d, const std::string& path);
  void force(const AppliedForceDescription& d, const std::string& path);
  bool rod(DistanceJoint& rod, const std::optional<Ends>& found, const std::string& path);
  bool rope(RopeJoint& rope, const Ends& found, const std::string& path);
  JointAxes unit_axes(const JointType& type, const std::string& path);
  bool take_name(const std::string& name, const std::string& path);
  void add(Joint joint, bool collide);
  void thread(const Joint& joint, const ScrewJoint& screw, const std::string& path);
  void coordinates(const Joint& joint, const JointDescription& d, const std::string& path);
  struct Gap {
    std::size_t number;  // of the joint in the description
    Joint joint;
    Vec3 gap = Vec3::Zero();   // between the anchors at the start [m]
    double allowed = 0;        // [m]
    bool contradicts = false;  // is part of a contradiction, which says more than its gap
  };
  Gap gap_of(const Joint& joint, std::size_t number) const;
  Vec3 across(const Joint& joint, const Vec3& gap) const;
  void find_contradictions();
  void find_open_joints();
  Quat rotation(BodyId id) const {
    return id == BodyId::world ? Quat::Identity() : poses_[index(id)].R;
  }
  bool mobile(BodyId id) const {
    return id != BodyId::world && model_.body(id).kind == BodyKind::dynamic;
  }
  Vec3 from_center(BodyId id, const Vec3& p_B) const {
    return id == BodyId::world ? p_B : Vec3(p_B - model_.body(id).p_Bcm);
  }
  Vec3 in_world(BodyId id, const Vec3& p_C) const {
    return id == BodyId::world ? p_C : poses_[index(id)] * p_C;
  }

  const std::vector<Pose>& poses_;
  Model& model_;
  Checks& checks_;
  std::vector<std::string_view> names_, names_and_world_;
  std::set<std::string> joint_names_;
  std::vector<Gap> gaps_;                         // of all joints but rods
  std::vector<std::array<BodyId, 2>> may_touch_;  // on a joint that says so
  std::vector<PlacedGear> threads_;               // of screws
  double longest_ = 0;                            // [m]
};

std::optional<BodyId> LinkBuilder::body(const std::string& name, const std::string& path,
                                        bool world_allowed) {
  if (name == "world" && world_allowed) return BodyId::world;
  if (const auto id = model_.find_body(name)) return id;
  checks_.error(path, ErrorCode::unknown_name,
                name.empty() ? "name of a body is missing" : "unknown body", in_quotes(name),
                world_allowed ? "a body's name, or \"world\"" : "a body's name",
                base::did_you_mean(name, world_allowed ? names_and_world_ : names_,
                                   "name one of the bodies"));
  return std::nullopt;
}

// A link is as long as the distance of its ends, or the lever arms of bodies on a common point,
// whose distance is rounding.
void LinkBuilder::measure(const Ends& ends, bool apart) {
  constexpr double rounding = 0x1p-40;  // of positions [-]
  double place = 0;
  for (std::size_t side = 0; side < 2; ++side) {
    place = std::max(place, in_world(ends.bodies[side], ends.anchors[side]).norm());
    if (!apart && ends.bodies[side] != BodyId::world)
      longest_ = std::max(longest_, ends.anchors[side].norm());
  }
  if (apart || ends.distance > rounding * place) longest_ = std::max(longest_, ends.distance);
}

std::optional<LinkBuilder::Ends> LinkBuilder::ends(const std::array<std::string, 2>& names,
                                                   const std::array<Vec3, 2>& anchors,
                                                   const std::string& path, const std::string& what,
                                                   bool apart) {
  const auto a = body(names[0], path + ".bodies[0]", true),
             b = body(names[1], path + ".bodies[1]", true);
  bool finite = true;
  for (std::size_t i = 0; i < 2; ++i)
    finite &= checks_.magnitude(anchors[i], path + ".anchors[" + std::to_string(i) + "]", "m");
  if (!a || !b || !finite) return std::nullopt;
  const std::string both = "[" + in_quotes(names[0]) + ", " + in_quotes(names[1]) + "]";
  if (*a == *b) {
    checks_.error(path + ".bodies", ErrorCode::conflict, what + " has both ends on one body", both,
                  "two different bodies", "name another body or \"world\"");
    return std::nullopt;
  }
  if (!mobile(*a) && !mobile(*b)) {
    checks_.error(path + ".bodies", ErrorCode::conflict,
                  what + " is between two bodies that cannot move freely", both,
                  "at least one body that is neither fixed nor prescribed",
                  "name a free body, or drop the " + what);
    return std::nullopt;
  }
  Ends result{{*a, *b}, {from_center(*a, anchors[0]), from_center(*b, anchors[1])}, 0};
  result.distance = (in_world(*b, result.anchors[1]) - in_world(*a, result.anchors[0])).norm();
  measure(result, apart);
  if (result.distance > 0 || !apart) return result;
  checks_.error(path + ".anchors", ErrorCode::degenerate,
                "anchors of the " + what + " coincide at the start, so that it has no direction",
                "distance 0 m", "anchors apart from each other", "move an anchor or a body");
  return std::nullopt;
}

// Resolves the length of a rod; false if it has none.
bool LinkBuilder::rod(DistanceJoint& rod, const std::optional<Ends>& found,
                      const std::string& path) {
  if (!(rod.length < 0) && !checks_.positive(rod.length, path + ".length", "m")) return false;
  if (!found) return false;
  if (rod.length < 0) rod.length = found->distance;
  const double off = std::abs(rod.length - found->distance);
  if (off > length_error * rod.length) {
    checks_.error(path + ".length", ErrorCode::open_joint, "joint is open at the start",
                  "a length of " + to_text(rod.length) + " m for anchors " +
                      to_text(found->distance) + " m apart",
                  "lengths that fit to 0.001", "leave the length out, or move a body or an anchor");
    return false;
  }
  if (off > length_warning * rod.length)
    checks_.warn(path + ".length", "length " + to_text(rod.length) + " m, but the anchors start " +
                                       to_text(found->distance) + " m apart");
  longest_ = std::max(longest_, rod.length);
  return true;
}

// The axes of a joint, in the frame of the first body.
JointAxes LinkBuilder::unit_axes(const JointType& type, const std::string& path) {
  JointAxes axes = axes_of(type);
  if (axes.key) axes.first = checks_.direction(axes.first, path + "." + axes.key);
  axes.second = axes.first;
  if (!axes.second_key) return axes;
  constexpr double square = 1e-6;  // cosine of axes that count as perpendicular [-]
  const std::string second = path + "." + axes.second_key;
  axes.second = checks_.direction(axes_of(type).second, second);
  if (const double cosine = axes.first.dot(axes.second); std::abs(cosine) > square)
    checks_.error(second, ErrorCode::conflict,
                  "the axes of a universal joint are not perpendicular",
                  to_text(axes.second) + ", cosine " + to_text(cosine),
                  "an axis perpendicular to " + to_text(axes.first), "turn one of the axes");
  return axes;
}

// The length of a rope; false if the anchors are farther apart.
bool LinkBuilder::rope(RopeJoint& rope, const Ends& found, const std::string& path) {
  if (rope.length < 0) rope.length = found.distance;
  if (!checks_.positive(rope.length, path + ".length", "m")) return false;
  longest_ = std::max(longest_, rope.length);
  if (found.distance <= rope.length * (1 + length_warning)) return true;
  checks_.error(path + ".length", ErrorCode::open_joint, "the rope is too short at the start",
                to_text(rope.length) + " m for anchors " + to_text(found.distance) + " m apart",
                "at least the distance of the anchors",
                "leave the length out, or move a body or an anchor");
  return false;
}

// The part of a gap that the joint has to close.
Vec3 LinkBuilder::across(const Joint& joint, const Vec3& gap) const {
  const HeldPoints held = kind_of(joint.type).points;
  if (held == HeldPoints::all) return gap;
  const Vec3 axis = rotation(joint.bodies[0]) * joint.axes[0], along = axis.dot(gap) * axis;
  if (held == HeldPoints::line) return gap - along;
  return held == HeldPoints::plane ? along : Vec3::Zero();
}

LinkBuilder::Gap LinkBuilder::gap_of(const Joint& joint, std::size_t number) const {
  const Vec3 a = in_world(joint.bodies[0], joint.anchors[0]),
             b = in_world(joint.bodies[1], joint.anchors[1]);
  double size = std::max(a.norm(), b.norm());
  for (std::size_t side = 0; side < 2; ++side) {
    const BodyId id = joint.bodies[side];
    if (id == BodyId::world) continue;
    size = std::max({size, joint.anchors[side].norm(), model_.body(id).radius});
  }
  return {number, joint, across(joint, b - a), gap_error * size};
}

// Between two bodies that fixed joints hold together every other joint is closed for ever or open
// for ever. No motion helps: all joints of the contradiction are named.
void LinkBuilder::find_contradictions() {
  RigidGroups groups(model_);
  for (std::size_t i = 0; i < gaps_.size(); ++i) {
    Gap& last = gaps_[i];
    const auto& [a, b] = last.joint.bodies;
    const auto held = groups.path(a, b);
    if (!held) {
      if (std::holds_alternative<FixedJoint>(last.joint.type)) groups.tie(a, b, i, last.gap);
      continue;
    }
    const Vec3 residual = across(last.joint, last.gap + held->shift);
    if (residual.norm() <= last.allowed) continue;
    last.contradicts = true;
    std::string names;
    for (const std::size_t k : held->joints) {
      gaps_[k].contradicts = true;
      names += "'" + gaps_[k].joint.name + "', ";
    }
    checks_.contradiction("joints[" + std::to_string(last.number) + "].anchors",
                          "joints " + names + "'" + last.joint.name +
                              "' contradict each other: where the others are closed the last one "
                              "stays open",
                          to_text(residual.norm()) + " m", "joints that can be closed together",
                          "drop one of them, or move an anchor by " + to_text(residual));
  }
}

// The anchors have to meet at the start; a gap would be closed with a jerk.
void LinkBuilder::find_open_joints() {
  for (const Gap& g : gaps_) {
    if (g.contradicts || g.gap.norm() <= g.allowed) continue;
    checks_.error("joints[" + std::to_string(g.number) + "].anchors", ErrorCode::open_joint,
                  "joint is open at the start", to_text(g.gap.norm()) + " m",
                  "anchors that meet to " + to_text(gap_error) + " of the mechanism's size",
                  "move a body or an anchor by " + to_text(g.gap));
  }
}

// Adds a joint to the model. Limits act on two bodies: a fixed body stands for the world.
void LinkBuilder::add(Joint joint, bool collide) {
  if (joint.limits.any())
    for (BodyId& id : joint.bodies)
      if (id == BodyId::world) id = *model_.find_body("world");
  const auto [a, b] = std::minmax(joint.bodies[0], joint.bodies[1]);
  model_.joints.push_back(std::move(joint));
  if (a != BodyId::world) (collide ? may_touch_ : model_.no_contact).push_back({a, b});
}

bool LinkBuilder::take_name(const std::string& name, const std::string& path) {
  checks_.name(name, path + ".name");
  if (joint_names_.insert(name).second) return true;
  checks_.error(path + ".name", ErrorCode::duplicate_name, "two joints have the same name",
                in_quotes(name), "unique names", "rename one of them");
  return false;
}

// The coordinates of a joint that has several (E881).
void LinkBuilder::coordinates(const Joint& joint, const JointDescription& d,
                              const std::string& path) {
  const std::vector<CoordinateAxis> axes = coordinate_axes(d.type);
  for (const CoordinateDescription& wanted : d.coordinates) {
    const auto known = [&](const CoordinateAxis& a) { return wanted.name == a.name; };
    if (std::any_of(axes.begin(), axes.end(), known)) continue;
    std::string names;
    for (const CoordinateAxis& a : axes) names += (names.empty() ? "" : ", ") + std::string(a.name);
    checks_.error(
        path + ".coordinates", ErrorCode::unknown_name, "unknown coordinate of a joint",
        in_quotes(wanted.name), names.empty() ? "none for this type" : names,
        "name one of the coordinates of a joint of type " + std::string(type_name(d.type)));
  }
  for (const CoordinateAxis& a : axes) {
    Joint part = joint;
    part.name = joint.name + "." + a.name;
    part.type = a.axis;
    part.limits = {};
    part.friction = 0;
    part.motor.reset();
    part.spring = {};
    part.armature = 0;
    const Vec3 axis = checks_.direction(a.axis.axis, path);
    part.axes = {axis, joint.R_AB.conjugate() * axis};
    if (a.reversed) {
      std::swap(part.bodies[0], part.bodies[1]);
      std::swap(part.anchors[0], part.anchors[1]);
      std::swap(part.axes[0], part.axes[1]);
      part.R_AB = joint.R_AB.conjugate();
    }
    std::get<JointCoordinateAxis>(part.type).axis = part.axes[0];
    const std::string place = path + "." + a.name;
    if (!take_name(part.name, place)) continue;
    for (const CoordinateDescription& wanted : d.coordinates) {
      if (wanted.name != a.name) continue;
      if (!check_carried(carried(wanted), a.axis.kind, 0, place, checks_)) continue;
      part.limits = wanted.limits;
      part.friction = wanted.friction;
      part.motor = wanted.motor;
      part.spring = wanted.spring;
      part.armature = wanted.armature;
    }
    add(std::move(part), true);
  }
}

void LinkBuilder::joint(const JointDescription& d, std::size_t number) {
  const std::string path = "joints[" + std::to_string(number) + "]";
  const JointKind kind = kind_of(d.type);
  Joint joint;
  joint.name = d.name.empty() ? "joint" + std::to_string(number) : d.name;
  take_name(joint.name, path);
  const bool is_rod = kind.points == HeldPoints::distance;
  const auto found = ends(d.bodies, d.anchors, path, "joint", is_rod);
  joint.type = d.type;
  if (is_rod && !rod(std::get<DistanceJoint>(joint.type), found, path)) return;
  const JointAxes axes = unit_axes(d.type, path);
  if (!found) return;
  const double start = kind.coordinate == CoordinateKind::distance ? found->distance : 0;
  if (kind.coordinate ? !check_carried(carried(d), *kind.coordinate, start, path, checks_)
                      : !check_carries_nothing(carried(d), type_name(d.type),
                                               coordinate_axes(d.type).empty()
                                                   ? "drop it"
                                                   : "give them below the names of its coordinates",
                                               path, checks_))
    return;
  joint.limits = d.limits;
  joint.friction = d.friction;
  joint.motor = d.motor;
  joint.spring = d.spring;
  joint.armature = d.armature;
  auto* line = std::get_if<RopeJoint>(&joint.type);
  if (line && !rope(*line, *found, path)) return;
  if (line) joint.limits.upper = line->length;
  if (line) joint.limits.restitution = line->restitution;
  joint.bodies = found->bodies;
  joint.anchors = found->anchors;
  const Quat R_WA = rotation(joint.bodies[0]), R_WB = rotation(joint.bodies[1]);
  joint.R_AB = R_WA.conjugate() * R_WB;
  joint.axes = {axes.first, joint.R_AB.conjugate() * axes.second};
  if (kind.points != HeldPoints::none && !is_rod) gaps_.push_back(gap_of(joint, number));
  add(joint, d.collide || line);
  coordinates(joint, d, path);
  if (const auto* screw = std::get_if<ScrewJoint>(&d.type)) thread(joint, *screw, path);
}

// What couples the coordinates of a screw.
void LinkBuilder::thread(const Joint& joint, const ScrewJoint& screw, const std::string& path) {
  if (!(screw.pitch != 0) || !std::isfinite(screw.pitch))
    return checks_.error(path + ".pitch", ErrorCode::out_of_range, "a screw without a pitch",
                         to_text(screw.pitch) + " m", "a number other than 0",
                         "give its pitch, or use a joint of type revolute");
  GearDescription gear;
  gear.name = joint.name + ".pitch";
  gear.terms = {{joint.name, "translation", 1},
                {joint.name, "rotation", -screw.pitch / (2 * std::numbers::pi)}};
  threads_.push_back({std::move(gear), path});
}

void LinkBuilder::gears(const std::vector<GearDescription>& gears) {
  std::vector<PlacedGear> all;
  for (std::size_t i = 0; i < gears.size(); ++i)
    all.push_back({gears[i], "gears[" + std::to_string(i) + "]"});
  all.insert(all.end(), threads_.begin(), threads_.end());
  build_gears(all, poses_, model_, checks_);
}

void LinkBuilder::joints(const std::vector<JointDescription>& joints) {
  for (std::size_t i = 0; i < joints.size(); ++i) joint(joints[i], i);
  find_contradictions();
  find_open_joints();
  std::sort(model_.joints.begin(), model_.joints.end(),
            [](const Joint& a, const Joint& b) { return a.name < b.name; });
}

void LinkBuilder::force(const SpringDescription& d, const std::string& path) {
  checks_.nonnegative(d.stiffness, path + ".stiffness", "N/m");
  checks_.nonnegative(d.rest_length, path + ".rest_length", "m");
  checks_.nonnegative(d.damping, path + ".damping", "N s/m");
  const auto found = ends(d.bodies, d.anchors, path, "spring", true);
  longest_ = std::max(longest_, d.rest_length);
  if (found)
    model_.springs.push_back(
        {found->bodies, found->anchors, d.stiffness, d.rest_length, d.damping});
}

void LinkBuilder::force(const AppliedForceDescription& d, const std::string& path) {
  bool finite = checks_.magnitude(d.point, path + ".point", "m");
  for (std::size_t i = 0; i < 3; ++i) {
    finite &= checks_.finite_at_start(d.force[i], path + ".force[" + std::to_string(i) + "]");
    finite &= checks_.finite_at_start(d.torque[i], path + ".torque[" + std::to_string(i) + "]");
  }
  const auto id = body(d.body, path + ".body", false);
  if (!id || !finite) return;
  if (!mobile(*id)) {
    checks_.error(path + ".body", ErrorCode::conflict,
                  "a force has no effect on a body that is fixed or prescribed", in_quotes(d.body),
                  "bodies that can move freely", "name a free body, or drop the force");
    return;
  }
  const Vec3 point = d.at_center_of_mass ? Vec3(Vec3::Zero()) : from_center(*id, d.point);
  model_.applied_forces.push_back({*id, d.force, d.torque, point});
}

void LinkBuilder::forces(const std::vector<ForceDescription>& forces) {
  for (std::size_t i = 0; i < forces.size(); ++i)
    std::visit([&](const auto& d) { force(d, "forces[" + std::to_string(i) + "]"); }, forces[i]);
}

// Bodies that fixed joints make one cannot touch: no motion opens or closes a gap between them, and
// impulses at an overlap would grow without bound. A fixed body is one with the world.
void LinkBuilder::welds() {
  base::UnionFind sets;
  sets.reset(model_.bodies.size() + 1);
  const auto moves = [&](BodyId id) {
    return id != BodyId::world && model_.body(id).kind != BodyKind::fixed;
  };
  const auto node = [&](BodyId id) { return moves(id) ? static_cast<int>(id) + 1 : 0; };
  bool any = false;
  for (const Joint& joint : model_.joints)
    if (std::holds_alternative<FixedJoint>(joint.type))
      any = sets.join(node(joint.bodies[0]), node(joint.bodies[1])) || any;
  if (!any) return;
  std::vector<std::pair<int, BodyId>> members;
  for (std::size_t i = 0; i < model_.bodies.size(); ++i)
    members.emplace_back(sets.root(node(static_cast<BodyId>(i))), static_cast<BodyId>(i));
  std::stable_sort(members.begin(), members.end());
  std::sort(may_touch_.begin(), may_touch_.end());
  for (auto a = members.begin(); a != members.end(); ++a)
    for (auto b = a + 1; b != members.end() && b->first == a->first; ++b)
      if ((moves(a->second) || moves(b->second)) &&
          !std::binary_search(may_touch_.begin(), may_touch_.end(),
                              std::array{a->second, b->second}))
        model_.no_contact.push_back({a->second, b->second});
}

void LinkBuilder::no_contact(const std::vector<std::array<std::string, 2>>& pairs) {
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const std::string path = "no_contact[" + std::to_string(i) + "]";
    const auto a = body(pairs[i][0], path + "[0]", false),
               b = body(pairs[i][1], path + "[1]", false);
    if (!a || !b) continue;
    if (*a == *b)
      checks_.error(path, ErrorCode::conflict, "a pair names the same body twice",
                    in_quotes(pairs[i][0]), "two different bodies", "name another body");
    model_.no_contact.push_back({std::min(*a, *b), std::max(*a, *b)});
  }
  auto& all = model_.no_contact;
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
}

}  // namespace

double build_links(const ModelDescription& description, const std::vector<Pose>& poses,
                   Model& model, Checks& checks) {
  LinkBuilder builder(poses, model, checks);
  builder.joints(description.joints);
  builder.gears(description.gears);
  builder.forces(description.forces);
  builder.welds();
  builder.no_contact(description.no_contact);
  return builder.longest();
}

}  // namespace cairn::model
