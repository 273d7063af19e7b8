// Reads links and joints in one pass each, then puts them into the order of the tree.
#include "imports/urdf/read.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/suggestion.hpp"
#include "imports/urdf/shapes.hpp"

namespace cairn::imports {
namespace {

constexpr const char* joint_types =
    "fixed, revolute, continuous, prismatic, floating, planar, spherical";

struct UrdfJoint {
  std::string name, type, parent, child;
  Pose X_PJ;
  TreeJoint joint;
  Place place;
};

struct UrdfLink {
  TreeBody body;
  const UrdfJoint* above = nullptr;
  std::vector<const UrdfJoint*> below;
  double friction = -1, rolling = 0, torsional = 0, restitution = 0;
};

class UrdfReader {
 public:
  UrdfReader(const Element& root, const std::string& folder, const ImportOptions& options,
             Messages& messages)
      : root_(root),
        options_(options),
        messages_(messages),
        shapes_(root, folder, options, messages) {}

  Robot read() {
    (void)root_.find("version");
    robot_.name = root_.get("name", "robot");
    if (robot_.name.empty()) robot_.name = "robot";
    robot_.surfaces.push_back({.friction = options_.friction});
    for (const Element& e : root_.children)
      if (e.name == "link") read_link(e);
    for (const Element& e : root_.children)
      if (e.name == "joint") read_joint(e);
    read_others();
    if (messages_.ok()) connect();
    return std::move(robot_);
  }

 private:
  void missing(const Element& e, const std::string& what, const std::string& fix) {
    messages_.error(e.place, ErrorCode::missing_key, label(e), what + " is missing", "", "", fix);
  }

  double value_of(const Element& parent, const char* name) {
    const Element* e = parent.child(name);
    return e ? messages_.number(*e, "value").value_or(0) : 0;
  }

  void read_link(const Element& e) {
    e.used = true;
    const std::string name = e.get("name");
    if (name.empty()) return missing(e, "the name of the link", "add name");
    if (!numbers_.try_emplace(name, links_.size()).second)
      return messages_.error(e.place, ErrorCode::duplicate_name, label(e),
                             "two links have the same name", name, "a name of its own",
                             "rename one of them");
    UrdfLink& link = links_.emplace_back();
    link.body.name = name;
    link.body.place = e.place;
    if (const Element* inertial = e.child("inertial")) read_inertial(*inertial, link.body);
    if (const Element* contact = e.child("contact")) {
      if (const Element* mu = contact->child("lateral_friction"))
        link.friction = messages_.number(*mu, "value").value_or(-1);
      link.rolling = value_of(*contact, "rolling_friction");
      link.torsional = value_of(*contact, "spinning_friction");
      link.restitution = value_of(*contact, "restitution");
    }
    for (const Element& child : e.children) {
      const bool visual = child.name == "visual";
      if (!visual && child.name != "collision") continue;
      child.used = true;
      read_drake_friction(child, link);
      if (auto shape = shapes_.read(child, visual))
        (visual ? link.body.visuals : link.body.shapes).push_back(std::move(*shape));
    }
  }

  void read_drake_friction(const Element& collision, UrdfLink& link) {
    const Element* properties = collision.child("drake:proximity_properties");
    const Element* mu = properties ? properties->child("drake:mu_dynamic") : nullptr;
    if (mu) link.friction = messages_.number(*mu, "value").value_or(-1);
  }

  void read_inertial(const Element& e, TreeBody& body) {
    const Pose X = shapes_.origin(e);
    Inertial own;
    if (const Element* mass = e.child("mass"))
      own.mass = messages_.number(*mass, "value").value_or(0);
    if (own.mass < 0)
      messages_.error(e.place, ErrorCode::out_of_range, "inertial.mass", "mass is negative",
                      short_text(own.mass) + " kg", "at least 0", "correct the mass");
    if (const Element* inertia = e.child("inertia")) {
      const auto get = [&](const char* key) { return messages_.number(*inertia, key).value_or(0); };
      const double xx = get("ixx"), xy = get("ixy"), xz = get("ixz"), yy = get("iyy"),
                   yz = get("iyz"), zz = get("izz");
      own.inertia << xx, xy, xz, xy, yy, yz, xz, yz, zz;
    }
    const Mat3 R = X.R.toRotationMatrix();
    own.com = X.p;
    if (X.R.vec() != Vec3::Zero()) own.inertia = Mat3(R * own.inertia * R.transpose());
    if (own.mass > 0 || own.inertia != Mat3::Zero()) body.inertial = own;
  }

  void read_joint(const Element& e) {
    e.used = true;
    UrdfJoint& joint = joints_.emplace_back();
    joint.place = e.place;
    joint.name = e.get("name");
    joint.type = e.get("type");
    if (joint.name.empty()) missing(e, "the name of the joint", "add name");
    static constexpr std::string_view known[] = {"fixed",    "revolute", "continuous", "prismatic",
                                                 "floating", "planar",   "spherical"};
    if (std::find(std::begin(known), std::end(known), joint.type) == std::end(known))
      messages_.error(e.place, ErrorCode::unknown_choice, label(e) + ".type",
                      "unknown type of joint", "\"" + joint.type + "\"", joint_types,
                      base::did_you_mean(joint.type, known, "use one of them"));
    if (!joint_numbers_.try_emplace(joint.name, joints_.size() - 1).second)
      messages_.error(e.place, ErrorCode::duplicate_name, label(e), "two joints have the same name",
                      joint.name, "a name of its own", "rename one of them");
    const Element *parent = e.child("parent"), *child = e.child("child");
    if (parent) joint.parent = parent->get("link");
    if (child) joint.child = child->get("link");
    if (joint.parent.empty()) missing(e, "the parent link", "add <parent link=\"...\"/>");
    if (joint.child.empty()) missing(e, "the child link", "add <child link=\"...\"/>");
    joint.X_PJ = shapes_.origin(e);
    read_axis(e, joint);
    read_motion(e, joint);
  }

  void read_axis(const Element& e, UrdfJoint& joint) {
    TreeJoint& own = joint.joint;
    own.name = joint.name;
    own.place = e.place;
    own.kind = joint.type == "prismatic"   ? TreeJointKind::slide
               : joint.type == "spherical" ? TreeJointKind::ball
                                           : TreeJointKind::hinge;
    const Element* axis = e.child("axis");
    const auto xyz = axis ? messages_.vector(*axis, "xyz") : std::nullopt;
    if (!xyz) return;
    if (!(xyz->norm() > 0)) {
      if (joint.type != "fixed" && joint.type != "floating")
        messages_.error(axis->place, ErrorCode::zero_vector, label(e) + ".axis",
                        "is not a direction", "0 0 0", "any vector but zero",
                        "give a vector such as 0 0 1");
      return;
    }
    own.axis = xyz->normalized();
  }

  void read_motion(const Element& e, UrdfJoint& joint) {
    TreeJoint& own = joint.joint;
    const bool bounded = joint.type == "revolute" || joint.type == "prismatic";
    if (const Element* limit = e.child("limit")) {
      const auto lower = messages_.number(*limit, "lower"),
                 upper = messages_.number(*limit, "upper");
      double all = std::abs(lower.value_or(0)) + std::abs(upper.value_or(0));
      for (const char* key : {"effort", "velocity"})
        if (const auto value = messages_.number(*limit, key)) {
          all += std::abs(*value);
          messages_.note(limit->place, "limit", key,
                         "not taken over: a bound for motors, and the joint has none");
        }
      // Exporters write zeros where nothing was set.
      const bool unset = all == 0 && limit->has("effort") && limit->has("velocity");
      if (bounded && (lower || upper) && unset) {
        messages_.note(limit->place, "limit", "", "all zero, which means unset: no limits");
      } else if (bounded && (lower || upper)) {
        own.lower = lower.value_or(0);
        own.upper = upper.value_or(0);
        if (own.lower > own.upper) {
          messages_.note(limit->place, "limit", "", "lower is above upper, which means no limits");
          own.lower = -unbounded;
          own.upper = unbounded;
        }
      } else if (bounded) {
        messages_.note(limit->place, "limit", "",
                       "neither lower nor upper is given: the joint has no limits");
      } else if (lower || upper) {
        messages_.note(limit->place, "limit", "",
                       "lower and upper do not belong to a joint of this type");
      }
    }
    if (const Element* dynamics = e.child("dynamics")) {
      own.damping = messages_.number(*dynamics, "damping").value_or(0);
      own.friction = messages_.number(*dynamics, "friction").value_or(0);
      if (own.damping < 0 || own.friction < 0)
        messages_.error(dynamics->place, ErrorCode::out_of_range, label(e) + ".dynamics",
                        "damping or friction is negative",
                        short_text(std::min(own.damping, own.friction)), "at least 0",
                        "correct the sign");
    }
    if (const Element* mimic = e.child("mimic")) {
      Gear gear;
      gear.name = joint.name + "-mimic";
      gear.place = mimic->place;
      const double factor = messages_.number(*mimic, "multiplier").value_or(1);
      gear.offset = messages_.number(*mimic, "offset").value_or(0);
      gear.joints = {joint.name, mimic->get("joint")};
      gear.ratios = {1, -factor};
      robot_.gears.push_back(gear);
    }
    for (const char* part : {"safety_controller", "calibration"})
      if (const Element* other = e.child(part))
        messages_.note(other->place, part, "", "not taken over: it is for controllers");
  }

  // Elements of the robot beside links and joints.
  void read_others() {
    for (const Element& e : root_.children) {
      if (e.name == "transmission") {
        e.used = true;
        messages_.note(e.place, "transmission", "",
                       "not taken over: '" + e.get("name") + "' is for controllers");
        // What is inside is part of it.
        mark_used(e);
      } else if (e.name == "gazebo") {
        e.used = true;
        mark_used(e);
        const auto link = numbers_.find(e.get("reference"));
        const Element* mu = e.child("mu1");
        const bool taken = link != numbers_.end() && mu && !mu->text.empty();
        if (taken) {
          Element value;
          value.name = "mu1";
          value.place = mu->place;
          value.attributes.push_back({"value", mu->text, mu->place});
          if (const auto number = messages_.number(value, "value"))
            links_[link->second].friction = *number;
        }
        messages_.note(e.place, "gazebo", "",
                       taken ? "only mu1 is taken over" : "not taken over: it is for Gazebo");
      }
    }
  }

  // The links in the order of the tree.
  void connect() {
    if (links_.empty())
      return messages_.error(root_.place, ErrorCode::empty, "robot", "the robot has no links", "",
                             "at least one", "add a <link>");
    // A link that only joints know is the fixed frame if it is called world.
    bool implicit_world = false;
    for (UrdfJoint& joint : joints_) {
      const auto child = numbers_.find(joint.child);
      if (child == numbers_.end()) {
        unknown_link(joint, joint.child);
        continue;
      }
      UrdfLink& link = links_[child->second];
      if (link.above) {
        messages_.error(joint.place, ErrorCode::conflict, "joint[" + joint.name + "]",
                        "the link has two parents",
                        joint.child + " below '" + link.above->name + "' and '" + joint.name + "'",
                        "one", "close loops by joints of the scene; URDF is a tree");
        continue;
      }
      link.above = &joint;
      const auto parent = numbers_.find(joint.parent);
      if (parent != numbers_.end())
        links_[parent->second].below.push_back(&joint);
      else if (joint.parent == "world")
        implicit_world = true;
      else
        unknown_link(joint, joint.parent);
    }
    if (!messages_.ok()) return;
    add_roots(implicit_world);
    for (const Gear& gear : robot_.gears) {
      const auto leader = joint_numbers_.find(gear.joints[1]);
      if (leader == joint_numbers_.end() || gear.joints[0] == gear.joints[1])
        messages_.error(gear.place, ErrorCode::unknown_name, "mimic.joint",
                        "no other joint has this name", "\"" + gear.joints[1] + "\"", "",
                        "name another joint of the robot");
    }
  }

  void unknown_link(const UrdfJoint& joint, const std::string& name) {
    std::vector<std::string_view> known;
    for (const UrdfLink& link : links_) {
      known.push_back(link.body.name);
      if (known.size() == 1000) break;
    }
    messages_.error(joint.place, ErrorCode::unknown_name, "joint[" + joint.name + "]",
                    "no link has this name", "\"" + name + "\"", "",
                    base::did_you_mean(name, known, "add the link, or correct the name"));
  }

  void add_roots(bool implicit_world) {
    std::vector<std::size_t> roots;
    for (std::size_t i = 0; i < links_.size(); ++i)
      if (!links_[i].above) roots.push_back(i);
    if (implicit_world && !roots.empty()) return two_roots("world", links_[roots[0]]);
    if (roots.size() > 1) return two_roots(links_[roots[0]].body.name, links_[roots[1]]);
    if (implicit_world) {
      note_base("fixed: the joints of its base hang on the world");
      bool freed = false;
      for (const UrdfJoint& joint : joints_)
        if (joint.parent == "world") {
          freed |= joint.type == "fixed";
          add_below(joint, world_body);
        }
      if (options_.base == ImportBase::free && !freed)
        robot_.base = "as the file says, in spite of --base free: it moves against the world";
    } else if (!roots.empty()) {
      add_root(links_[roots[0]]);
    }
    std::size_t placed = robot_.bodies.size() + (world_link_ ? 1 : 0);
    if (placed < links_.size()) {
      // Whoever was not reached is in or below a cycle.
      const UrdfLink* lost = nullptr;
      for (const UrdfLink& link : links_)
        if (!reached_.contains(link.body.name)) {
          lost = &link;
          break;
        }
      messages_.error(lost->body.place, ErrorCode::conflict, "link[" + lost->body.name + "]",
                      "the joints above the link form a cycle", lost->body.name, "a tree of links",
                      "close loops by joints of the scene");
    }
  }

  void two_roots(const std::string& first, const UrdfLink& second) {
    messages_.error(second.body.place, ErrorCode::conflict, "link[" + second.body.name + "]",
                    "the robot has two roots", first + " and " + second.body.name, "one",
                    "connect the link by a joint, or put it into a file of its own");
  }

  void note_base(std::string text) {
    if (options_.base == ImportBase::fixed) text = "fixed: --base fixed";
    if (options_.base == ImportBase::free) text = "free: --base free";
    robot_.base = text;
  }

  // Whether the root and what is joined to it rigidly have a mass.
  bool has_mass(const UrdfLink& root) const {
    std::vector<const UrdfLink*> open{&root};
    while (!open.empty()) {
      const UrdfLink& link = *open.back();
      open.pop_back();
      if (link.body.inertial && link.body.inertial->mass > 0) return true;
      for (const UrdfJoint* joint : link.below)
        if (joint->type == "fixed") open.push_back(&links_[numbers_.at(joint->child)]);
    }
    return false;
  }

  void add_root(UrdfLink& root) {
    const std::string& name = root.body.name;
    if (name == "world") {
      note_base("fixed: its root is the link world");
      world_link_ = true;
      reached_.insert({name, 0});
      set_surface(root);
      robot_.world_shapes = root.body.shapes;
      for (const ImportedShape& shape : root.body.visuals)
        messages_.note(shape.place, "visual", "", "not taken over: the world is not drawn");
      for (const UrdfJoint* joint : root.below) add_below(*joint, world_body);
      return;
    }
    const bool massive = has_mass(root);
    note_base(massive ? "free: its root has a mass and is not called world"
                      : "fixed: its root has no mass");
    const bool free =
        options_.base == ImportBase::free || (options_.base == ImportBase::as_file && massive);
    TreeBody body = take(root);
    body.free = free;
    push(std::move(body), root);
  }

  // A link below the world or below an earlier body of the tree, and all below it.
  void add_below(const UrdfJoint& joint, int parent) {
    UrdfLink& link = links_[numbers_.at(joint.child)];
    TreeBody body = take(link);
    body.parent = parent;
    set_joint(joint, body);
    if (parent == world_body && options_.base == ImportBase::free && joint.type == "fixed") {
      body.free = true;
      body.start = joint.X_PJ;
    }
    push(std::move(body), link);
  }

  void set_joint(const UrdfJoint& joint, TreeBody& body) {
    body.X_PB = joint.X_PJ;
    if (joint.type == "fixed") return;
    if (joint.type == "floating") {
      body.free = true;
      return;
    }
    if (joint.type != "planar") {
      body.joints.push_back(joint.joint);
      return;
    }
    // Motion in the plane across the axis.
    const Tangents t = tangents(joint.joint.axis);
    for (int k = 0; k < 3; ++k) {
      TreeJoint part;
      part.place = joint.place;
      part.name = joint.name + (k == 0 ? "" : k == 1 ? "-y" : "-rotation");
      part.kind = k < 2 ? TreeJointKind::slide : TreeJointKind::hinge;
      part.axis = k == 0 ? t.t1 : k == 1 ? t.t2 : joint.joint.axis;
      body.joints.push_back(part);
    }
  }

  TreeBody take(UrdfLink& link) {
    set_surface(link);
    return link.body;
  }

  void set_surface(UrdfLink& link) {
    Surface surface{.friction = link.friction < 0 ? options_.friction : link.friction,
                    .torsional = link.torsional,
                    .rolling = link.rolling,
                    .restitution = link.restitution};
    const auto found = std::find(robot_.surfaces.begin(), robot_.surfaces.end(), surface);
    const auto number = static_cast<int>(found - robot_.surfaces.begin());
    if (found == robot_.surfaces.end()) robot_.surfaces.push_back(surface);
    for (ImportedShape& shape : link.body.shapes) shape.surface = number;
  }

  // Depth first without recursion: chains may be as long as files are.
  void push(TreeBody first, UrdfLink& link) {
    struct Open {
      const UrdfLink* link;
      std::size_t next;
      int number;
    };
    std::vector<Open> open;
    const auto enter = [&](TreeBody body, const UrdfLink& source) {
      reached_.insert({body.name, 0});
      robot_.bodies.push_back(std::move(body));
      const int number = static_cast<int>(robot_.bodies.size()) - 1;
      if (robot_.bodies.back().free && robot_.bodies.back().parent != world_body)
        start_free(robot_.bodies.back());
      open.push_back({&source, 0, number});
    };
    enter(std::move(first), link);
    while (!open.empty()) {
      Open& top = open.back();
      if (top.next == top.link->below.size()) {
        open.pop_back();
        continue;
      }
      const UrdfJoint& joint = *top.link->below[top.next++];
      UrdfLink& child = links_[numbers_.at(joint.child)];
      TreeBody body = take(child);
      body.parent = top.number;
      set_joint(joint, body);
      enter(std::move(body), child);
    }
  }

  // A floating joint: the body starts where its joint is.
  void start_free(TreeBody& body) {
    Pose X = body.X_PB;
    for (int up = body.parent; up != world_body;) {
      const TreeBody& parent = robot_.bodies[static_cast<std::size_t>(up)];
      Pose X_ref = parent.X_PB;
      if (parent.start) X_ref = *parent.start;
      X = X_ref * X;
      up = parent.start ? world_body : parent.parent;
    }
    body.start = X;
  }

  const Element& root_;
  const ImportOptions& options_;
  Messages& messages_;
  UrdfShapes shapes_;
  Robot robot_;
  std::vector<UrdfLink> links_;
  std::vector<UrdfJoint> joints_;
  std::map<std::string, std::size_t> numbers_, joint_numbers_;
  std::map<std::string, int> reached_;
  bool world_link_ = false;
};

}  // namespace

Quat from_rpy(const Vec3& rpy) {
  return Quat(Eigen::AngleAxisd(rpy.z(), Vec3::UnitZ()) *
              Eigen::AngleAxisd(rpy.y(), Vec3::UnitY()) *
              Eigen::AngleAxisd(rpy.x(), Vec3::UnitX()));
}

Robot read_urdf(const Element& root, const std::string& folder, const ImportOptions& options,
                Messages& messages) {
  return UrdfReader(root, folder, options, messages).read();
}

}  // namespace cairn::imports
