// Writes the robot of a scene as a tree of links: frames of links lie where their joints are.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

#include "base/boundary.hpp"
#include "cairn/scene.hpp"

namespace cairn {
namespace {

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else
      out += c;
  }
  return out;
}

std::string numbers(const Vec3& v) {
  return fmt::format("{} {} {}", v.x() + 0.0, v.y() + 0.0, v.z() + 0.0);
}

// Angles about fixed x, y, z in this order.
Vec3 rpy_of(const Quat& q) {
  const Mat3 R = q.toRotationMatrix();
  const double pitch = std::atan2(-R(2, 0), std::hypot(R(0, 0), R(1, 0)));
  // Where the first and last axis coincide all of the turn is taken about x.
  if (std::hypot(R(0, 0), R(1, 0)) < 1e-12)
    return {std::atan2(R(2, 0) < 0 ? R(0, 1) : -R(0, 1), R(1, 1)), pitch, 0};
  return {std::atan2(R(2, 1), R(2, 2)), pitch, std::atan2(R(1, 0), R(0, 0))};
}

std::string origin(const Pose& X) {
  return fmt::format("<origin xyz=\"{}\" rpy=\"{}\"/>", numbers(X.p), numbers(rpy_of(X.R)));
}

struct Unwritable {
  Error error;
};

class UrdfWriter {
 public:
  explicit UrdfWriter(const Scene& scene) : scene_(scene), bodies_(scene.description.bodies) {}

  std::string write() {
    for (std::size_t i = 0; i < bodies_.size(); ++i) numbers_[bodies_[i].name] = i;
    frames_.assign(bodies_.size(), Pose{});
    placed_.assign(bodies_.size(), false);
    for (std::size_t i = 0; i < bodies_.size(); ++i)
      if (bodies_[i].motion)
        refuse("bodies", "body moves as prescribed", bodies_[i].name, "free and fixed bodies",
               "leave it out");
    add_tree();
    std::string text = "<?xml version=\"1.0\"?>\n";
    text += fmt::format("<robot name=\"{}\">\n", escaped(scene_.name));
    text += lost();
    text += links_ + joints_ + "</robot>\n";
    return text;
  }

 private:
  [[noreturn]] void refuse(const std::string& path, const std::string& what, const std::string& got,
                           const std::string& allowed, const std::string& fix) const {
    throw Unwritable{{.code = ErrorCode::unsupported,
                      .file = scene_.file,
                      .path = path,
                      .what = "URDF cannot say that: " + what,
                      .got = got,
                      .allowed = allowed,
                      .fix = fix}};
  }

  bool is_ground(const std::string& name) const {
    return name == "world" || bodies_[numbers_.at(name)].fixed;
  }
  Pose world_pose(const std::string& name) const {
    if (name == "world") return {};
    const BodyDescription& body = bodies_[numbers_.at(name)];
    return {body.position, body.orientation};
  }

  // Joints from the ground, else from the first body, outwards.
  void add_tree() {
    const std::vector<JointDescription>& joints = scene_.description.joints;
    const bool grounded = std::any_of(joints.begin(), joints.end(), [&](const auto& j) {
      return is_ground(j.bodies[0]) != is_ground(j.bodies[1]);
    });
    std::vector<std::string> open;
    if (grounded) {
      open.push_back("world");
      add_ground();
    } else {
      const auto first = std::find_if(bodies_.begin(), bodies_.end(),
                                      [](const BodyDescription& b) { return !b.fixed; });
      if (first == bodies_.end())
        refuse("bodies", "no body moves", "none", "a robot", "export a scene with a robot");
      const std::size_t root = numbers_.at(first->name);
      frames_[root] = world_pose(first->name);
      placed_[root] = true;
      add_link(root);
      open.push_back(first->name);
    }
    std::vector<bool> used(joints.size(), false);
    for (std::size_t next = 0; next < open.size(); ++next)
      for (std::size_t k = 0; k < joints.size(); ++k) {
        if (used[k]) continue;
        for (const bool reversed : {false, true}) {
          const std::string& parent = joints[k].bodies[reversed ? 1 : 0];
          const std::string& child = joints[k].bodies[reversed ? 0 : 1];
          const bool here = open[next] == "world" ? is_ground(parent) : parent == open[next];
          if (!here || is_ground(child)) continue;
          used[k] = true;
          if (placed_[numbers_.at(child)])
            refuse(fmt::format("joints[{}]", k), "joints form a loop", joints[k].name, "a tree",
                   "leave the joint out");
          add_joint(joints[k], k, parent, child, reversed);
          open.push_back(child);
          break;
        }
      }
    for (std::size_t i = 0; i < bodies_.size(); ++i)
      if (!placed_[i] && !bodies_[i].fixed)
        refuse("bodies", "the scene has several robots", bodies_[i].name, "one tree of bodies",
               "connect the body by a joint, or export a scene with one robot");
    for (std::size_t k = 0; k < joints.size(); ++k)
      if (!used[k])
        refuse(fmt::format("joints[{}]", k), "joints form a loop", joints[k].name, "a tree",
               "leave the joint out");
  }

  // All that is fixed is the link world.
  void add_ground() {
    links_ += "  <link name=\"world\">\n";
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      if (!bodies_[i].fixed) continue;
      placed_[i] = true;
      for (const ShapeDescription& shape : bodies_[i].shapes)
        if (std::holds_alternative<Halfspace>(shape.geometry))
          lost_.push_back("half-space of " + bodies_[i].name);
        else
          add_shape(shape, world_pose(bodies_[i].name) * shape.X_BS, bodies_[i].name);
    }
    links_ += "  </link>\n";
  }

  void add_link(std::size_t i) {
    const BodyDescription& body = bodies_[i];
    if (body.name == "world") return;
    const auto found = std::find_if(scene_.model->bodies.begin(), scene_.model->bodies.end(),
                                    [&](const Body& b) { return b.name == body.name; });
    if (found->rotation != RotationKind::three ||
        found->translations != std::array{true, true, true})
      refuse("bodies." + body.name + ".dof", "directions are locked", body.dof, "x y z rx ry rz",
             "use joints instead");
    // From the frame of the link to that of the body.
    const Pose X_LB = frames_[i].inverse() * world_pose(body.name);
    const Mat3 I = found->inertia_B;
    links_ += fmt::format("  <link name=\"{}\">\n    <inertial>\n      {}\n", escaped(body.name),
                          origin({X_LB * found->p_Bcm, X_LB.R}));
    links_ += fmt::format("      <mass value=\"{}\"/>\n", found->mass);
    links_ += fmt::format(
        "      <inertia ixx=\"{}\" ixy=\"{}\" ixz=\"{}\" iyy=\"{}\" iyz=\"{}\" izz=\"{}\"/>\n"
        "    </inertial>\n",
        I(0, 0), I(0, 1), I(0, 2), I(1, 1), I(1, 2), I(2, 2));
    for (const ShapeDescription& shape : body.shapes)
      add_shape(shape, X_LB * shape.X_BS, body.name);
    links_ += "  </link>\n";
    if (body.velocity != Vec3::Zero() || body.angular_velocity != Vec3::Zero())
      lost_.push_back("velocity of " + body.name);
  }

  void add_geometry(const Pose& X, const std::string& geometry) {
    for (const char* tag : {"visual", "collision"})
      links_ += fmt::format("    <{}>\n      {}\n      <geometry>{}</geometry>\n    </{}>\n", tag,
                            origin(X), geometry, tag);
  }

  void add_shape(const ShapeDescription& shape, const Pose& X, const std::string& body) {
    std::visit([&](const auto& g) { add(g, shape, X, body); }, shape.geometry);
  }
  void add(const Point&, const ShapeDescription&, const Pose&, const std::string&) {}
  void add(const Sphere& s, const ShapeDescription&, const Pose& X, const std::string&) {
    add_geometry(X, fmt::format("<sphere radius=\"{}\"/>", s.radius));
  }
  void add(const Box& s, const ShapeDescription&, const Pose& X, const std::string&) {
    add_geometry(X, fmt::format("<box size=\"{}\"/>", numbers(s.size)));
  }
  // The same set of points: a cylinder with a ball at each end.
  void add(const Capsule& s, const ShapeDescription&, const Pose& X, const std::string&) {
    add_geometry(X, fmt::format("<cylinder radius=\"{}\" length=\"{}\"/>", s.radius, s.length));
    for (const double end : {-0.5, 0.5})
      add_geometry(X * Pose{{0, 0, end * s.length}, Quat::Identity()},
                   fmt::format("<sphere radius=\"{}\"/>", s.radius));
  }
  void add(const auto& geometry, const ShapeDescription& shape, const Pose& X,
           const std::string& body) {
    if constexpr (requires { geometry.radius + geometry.length; })
      if (std::string_view(type_name(shape.geometry)) == "cylinder")
        return add_geometry(X, fmt::format("<cylinder radius=\"{}\" length=\"{}\"/>",
                                           geometry.radius, geometry.length));
    refuse("bodies." + body + ".shapes", "a shape without words", type_name(shape.geometry),
           "sphere, box, capsule, cylinder", "use one of them");
  }

  void add_joint(const JointDescription& joint, std::size_t k, const std::string& parent,
                 const std::string& child, bool reversed) {
    const std::size_t i = numbers_.at(child);
    const Pose X_WB = world_pose(child);
    frames_[i] = {X_WB * joint.anchors[reversed ? 0 : 1], X_WB.R};
    placed_[i] = true;
    add_link(i);
    const Pose X_WP = is_ground(parent) ? Pose{} : frames_[numbers_.at(parent)];
    const auto* hinge = std::get_if<RevoluteJoint>(&joint.type);
    const auto* slide = std::get_if<PrismaticJoint>(&joint.type);
    const std::string path = fmt::format("joints[{}]", k);
    if (!hinge && !slide && !std::holds_alternative<FixedJoint>(joint.type))
      refuse(path, "a type of joint without a word", type_name(joint.type),
             "revolute, prismatic, fixed", "use one of them");
    const std::string name = joint.name.empty() ? fmt::format("joint{}", k) : joint.name;
    const bool bounded = joint.limits.any();
    if (bounded && !(std::isfinite(joint.limits.lower) && std::isfinite(joint.limits.upper)))
      refuse(path, "a joint with one limit", name, "lower and upper, or none", "give both");
    const char* type = hinge   ? (bounded ? "revolute" : "continuous")
                       : slide ? "prismatic"
                               : "fixed";
    joints_ += fmt::format("  <joint name=\"{}\" type=\"{}\">\n    {}\n", escaped(name), type,
                           origin(X_WP.inverse() * frames_[i]));
    joints_ += fmt::format("    <parent link=\"{}\"/>\n    <child link=\"{}\"/>\n",
                           escaped(is_ground(parent) ? "world" : parent), escaped(child));
    if (hinge || slide) {
      const Vec3 axis = (hinge ? hinge->axis : slide->axis).normalized();
      const Vec3 in_world = world_pose(joint.bodies[0]).R * axis * (reversed ? -1.0 : 1.0);
      joints_ +=
          fmt::format("    <axis xyz=\"{}\"/>\n", numbers(frames_[i].R.conjugate() * in_world));
      // URDF wants limits of every slide.
      const double far = 1e9;
      if (bounded || slide)
        joints_ += fmt::format(
            "    <limit lower=\"{}\" upper=\"{}\" effort=\"{}\" velocity=\"{}\"/>\n",
            bounded ? joint.limits.lower : -far, bounded ? joint.limits.upper : far, far, far);
      if (joint.friction > 0)
        joints_ += fmt::format("    <dynamics friction=\"{}\"/>\n", joint.friction);
    }
    if (joint.motor) lost_.push_back("motor of " + name);
    joints_ += "  </joint>\n";
  }

  // What has no words in URDF, as a comment.
  std::string lost() const {
    std::vector<std::string> list = lost_;
    list.push_back("gravity, materials, simulation");
    if (!scene_.description.forces.empty()) list.push_back("forces");
    if (!scene_.description.no_contact.empty()) list.push_back("no_contact");
    for (std::size_t i = 0; i < bodies_.size(); ++i)
      if (!placed_[i]) list.push_back("fixed body " + bodies_[i].name);
    std::string text = "  <!-- Not in this file:";
    for (std::size_t i = 0; i < list.size(); ++i) text += (i > 0 ? ", " : " ") + list[i];
    // Two hyphens end a comment.
    for (std::size_t at = 6; (at = text.find("--", at)) != std::string::npos;)
      text.replace(at, 2, "- -");
    return text + " -->\n";
  }

  const Scene& scene_;
  const std::vector<BodyDescription>& bodies_;
  std::map<std::string, std::size_t> numbers_;
  std::vector<Pose> frames_;  // of links, in the world
  std::vector<bool> placed_;
  std::string links_, joints_;
  std::vector<std::string> lost_;
};

}  // namespace

Result<std::string> urdf_text(const Scene& scene) try {
  return UrdfWriter(scene).write();
} catch (const Unwritable& fault) {
  return fail(fault.error);
} catch (...) {
  return fail(base::caught_error());
}

}  // namespace cairn
