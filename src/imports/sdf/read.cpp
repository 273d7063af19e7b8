// Declares all frames first, since they name each other in any order; then reads links and joints.
#include "imports/sdf/read.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "imports/inertia.hpp"
#include "imports/sdf/frames.hpp"
#include "imports/sdf/includes.hpp"
#include "imports/sdf/joints.hpp"
#include "imports/sdf/shapes.hpp"
#include "imports/sdf/tree.hpp"
#include "imports/sdf/values.hpp"

namespace cairn::imports {
namespace {

using Kind = SdfFrames::Kind;

constexpr double density_of_water = 1000;

// 1.7 is 107; what is no version counts as the newest.
int version_number(const std::string& text) {
  const std::size_t dot = text.find('.');
  int major = 0, minor = 0;
  const char* end = text.data() + text.size();
  if (dot == std::string::npos || std::from_chars(text.data(), end, major).ec != std::errc() ||
      std::from_chars(text.data() + dot + 1, end, minor).ec != std::errc() || major > 9 ||
      minor > 99)
    return 1000;
  return 100 * major + minor;
}

struct JointElement {
  const Element* element;
  int scope;
};

class SdfReader {
 public:
  SdfReader(Element& root, const std::string& file, const ImportOptions& options,
            Messages& messages)
      : root_(root),
        file_(file),
        options_(options),
        messages_(messages),
        values_(messages),
        frames_(messages),
        shapes_(options, messages) {}

  Robot read() {
    for (const Attribute& a : root_.attributes)
      if (a.name.starts_with("xmlns")) a.used = true;
    robot_.surfaces.push_back({.friction = options_.friction});
    const std::map<int, std::string> included = include_models(root_, file_, options_, messages_);
    if (!messages_.ok()) return std::move(robot_);
    find_models();
    if (messages_.ok()) frames_.check();
    for (std::size_t i = 0; messages_.ok() && i < links_.size(); ++i)
      X_WL_.push_back(frames_.pose_in_world(links_[i].scope, links_[i].element->get("name"),
                                            links_[i].element->place));
    if (!messages_.ok()) return std::move(robot_);
    for (std::size_t i = 0; i < links_.size(); ++i) read_link(i);
    std::map<int, int> versions;
    versions[root_.place.file] = version_number(root_.get("version"));
    for (const auto& [number, version] : included) versions[number] = version_number(version);
    SdfJoints reader(frames_, messages_, std::move(versions));
    for (const JointElement& j : joint_elements_)
      if (messages_.ok()) joints_.push_back(reader.read(*j.element, j.scope, X_WL_));
    if (!messages_.ok()) return std::move(robot_);
    robot_.gears = reader.gears(joints_, X_WL_);
    add_tree({alone_ ? SdfNames::without_model : SdfNames::whole, frames_, X_WL_, options_}, links_,
             joints_, robot_, messages_);
    return std::move(robot_);
  }

 private:
  // The first world, or the models beside each other in the file.
  void find_models() {
    const Element* world = root_.child("world");
    const Element& holder = world ? *world : root_;
    robot_.name = world ? world->get("name", "world") : "";
    if (world) read_world(*world);
    std::size_t models = 0;
    for (const Element& e : holder.children) models += e.name == "model";
    if (models == 0)
      return messages_.error(holder.place, ErrorCode::empty, holder.name, "the file has no model",
                             "", "at least one", "add a <model>");
    read_scope(holder, SdfFrames::world, false);
    alone_ = models == 1;
    if (robot_.name.empty()) robot_.name = holder.child("model")->get("name", "model");
  }

  void read_world(const Element& world) {
    if (const auto gravity = values_.vector(world, "gravity")) robot_.gravity = *gravity;
    if (const Element* physics = world.child("physics")) {
      for (const char* key : {"name", "type", "default"}) (void)physics->find(key);
      if (const auto step = values_.number(*physics, "max_step_size")) robot_.step = *step;
      if (robot_.step && !(*robot_.step > 0))
        messages_.error(physics->place, ErrorCode::out_of_range, "physics.max_step_size",
                        "the step is not positive", short_text(*robot_.step),
                        "a positive number [s]", "correct the value");
    }
  }

  SdfFrames::Frame frame_of(const Element& e, Kind kind) {
    e.used = true;
    const SdfValues::PlacedPose pose = values_.pose(e);
    SdfFrames::Frame frame;
    frame.kind = kind;
    frame.name = e.get("name");
    frame.relative_to = pose.relative_to;
    frame.X_RF = pose.X;
    frame.place = e.place;
    if (kind == Kind::frame) frame.attached_to = e.get("attached_to");
    if (kind == Kind::joint) frame.attached_to = values_.word(e, "child");
    return frame;
  }

  // Links, joints, frames and models of a model or of the world.
  void read_scope(const Element& holder, int scope, bool is_static) {
    const bool touches_own = values_.boolean(holder, "self_collide").value_or(false);
    for (const Element& e : holder.children) {
      if (!messages_.ok()) return;
      if (e.name == "link" && scope != SdfFrames::world) {
        SdfFrames::Frame frame = frame_of(e, Kind::link);
        frame.link = static_cast<int>(links_.size());
        SdfLink& link = links_.emplace_back();
        link.element = &e;
        link.scope = scope;
        link.is_static = is_static;
        link.touches_own = values_.boolean(e, "self_collide").value_or(touches_own);
        frames_.add(scope, std::move(frame));
      } else if (e.name == "joint") {
        frames_.add(scope, frame_of(e, Kind::joint));
        joint_elements_.push_back({&e, scope});
      } else if (e.name == "frame") {
        frames_.add(scope, frame_of(e, Kind::frame));
      } else if (e.name == "model") {
        const int inner = frames_.add_model(scope, frame_of(e, Kind::model),
                                            e.get("placement_frame"), e.get("canonical_link"));
        read_scope(e, inner, is_static || values_.boolean(e, "static").value_or(false));
      } else if (e.name == "plugin") {
        e.used = true;
        mark_used(e);
        messages_.note(e.place, "plugin", "", "not taken over: it is for Gazebo");
      }
    }
  }

  void read_link(std::size_t i) {
    SdfLink& link = links_[i];
    const Element& e = *link.element;
    TreeBody& body = link.body;
    body.place = e.place;
    std::vector<double> densities;  // of the shapes, 0: that of the link [kg/m^3]
    for (const Element& child : e.children) {
      const bool visual = child.name == "visual";
      if (!visual && child.name != "collision") continue;
      child.used = true;
      const std::filesystem::path file = messages_.file(child.place.file);
      auto shape = shapes_.read(child, visual, file.parent_path().string());
      if (!shape) continue;
      shape->X_BS = pose_in_link(i, child) * shape->X_BS;
      if (!visual) {
        set_surface(shapes_.surface(child, *shape), *shape);
        densities.push_back(values_.number(child, "density").value_or(0));
      }
      (visual ? body.visuals : body.shapes).push_back(std::move(*shape));
    }
    read_inertial(link, densities);
    if (values_.boolean(e, "gravity") == false)
      messages_.note(e.place, "gravity", "",
                     "not taken over: gravity acts on all bodies of a scene");
  }

  // What is in a link may be given relative to any frame of its model.
  Pose pose_in_link(std::size_t i, const Element& e) {
    const SdfValues::PlacedPose pose = values_.pose(e);
    if (pose.relative_to.empty()) return pose.X;
    return X_WL_[i].inverse() *
           frames_.pose_in_world(links_[i].scope, pose.relative_to, pose.place) * pose.X;
  }

  void set_surface(const Surface& surface, ImportedShape& shape) {
    const auto found = std::find(robot_.surfaces.begin(), robot_.surfaces.end(), surface);
    shape.surface = static_cast<int>(found - robot_.surfaces.begin());
    if (found == robot_.surfaces.end()) robot_.surfaces.push_back(surface);
  }

  void read_inertial(SdfLink& link, const std::vector<double>& densities) {
    TreeBody& body = link.body;
    const Element* e = link.element->child("inertial");
    Inertial own{.mass = 1, .inertia = Mat3::Identity()};
    if (!e) {
      body.inertial = own;
      if (!link.is_static)
        messages_.note(link.element->place, "link", "inertial",
                       "absent: 1 kg and 1 kg m^2 about each axis, as SDFormat defines");
      return;
    }
    if (messages_.boolean(*e, "auto").value_or(false)) return compute_inertial(*e, densities, body);
    const Pose X = values_.pose(*e).X;
    own.mass = values_.number(*e, "mass").value_or(1);
    if (!(own.mass > 0))
      messages_.error(e->place, ErrorCode::out_of_range, label(*link.element) + ".inertial.mass",
                      "mass is not positive", short_text(own.mass), "a positive number [kg]",
                      "correct the mass");
    if (const Element* inertia = e->child("inertia")) {
      const auto get = [&](const char* key, double otherwise) {
        return values_.number(*inertia, key).value_or(otherwise);
      };
      const double xx = get("ixx", 1), yy = get("iyy", 1), zz = get("izz", 1), xy = get("ixy", 0),
                   xz = get("ixz", 0), yz = get("iyz", 0);
      own.inertia << xx, xy, xz, xy, yy, yz, xz, yz, zz;
    }
    const Mat3 R = X.R.toRotationMatrix();
    own.com = X.p;
    if (X.R.vec() != Vec3::Zero()) own.inertia = Mat3(R * own.inertia * R.transpose());
    body.inertial = own;
  }

  // Of the shapes that collide, with their densities; scaled to the mass if one is given.
  void compute_inertial(const Element& e, const std::vector<double>& densities, TreeBody& body) {
    const double density = values_.number(e, "density").value_or(density_of_water);
    Inertial all;
    for (std::size_t k = 0; k < body.shapes.size(); ++k) {
      if (body.shapes[k].kind == ShapeKind::halfspace) continue;
      Inertial part = unit_density(body.shapes[k]);
      const double own = densities[k] > 0 ? densities[k] : density;
      part.mass *= own;
      part.inertia *= own;
      all = all.mass > 0 ? sum(all, part) : part;
    }
    const auto mass = values_.number(e, "mass");
    if (mass && *mass > 0 && all.mass > 0) {
      all.inertia *= *mass / all.mass;
      all.mass = *mass;
    }
    if (!(all.mass > 0))
      messages_.error(e.place, ErrorCode::conflict, "inertial.auto",
                      "the link has no collision with a volume", "", "a link with collisions",
                      "give mass and inertia");
    body.inertial = all;
  }

  Element& root_;
  const std::string& file_;
  const ImportOptions& options_;
  Messages& messages_;
  SdfValues values_;
  SdfFrames frames_;
  SdfShapes shapes_;
  Robot robot_;
  bool alone_ = false;  // one model in the file
  std::vector<SdfLink> links_;
  std::vector<Pose> X_WL_;
  std::vector<JointElement> joint_elements_;
  std::vector<SdfJoint> joints_;
};

}  // namespace

Robot read_sdf(Element& root, const std::string& file, const ImportOptions& options,
               Messages& messages) {
  return SdfReader(root, file, options, messages).read();
}

}  // namespace cairn::imports
