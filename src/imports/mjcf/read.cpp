// Reads the bodies in one pass down the tree, then what refers to them.
#include "imports/mjcf/read.hpp"

#include <algorithm>
#include <filesystem>

#include "base/index.hpp"
#include "base/suggestion.hpp"
#include "imports/inertia.hpp"
#include "imports/mjcf/expand.hpp"
#include "imports/mjcf/geoms.hpp"
#include "imports/mjcf/links.hpp"

namespace cairn::imports {
namespace {

using base::at;

class MjcfReader {
 public:
  MjcfReader(Element& root, const std::string& file, const ImportOptions& options,
             Messages& messages)
      : root_(root),
        options_(options),
        messages_(messages),
        geoms_(settings_, defaults_, std::filesystem::path(file).parent_path().string(), options_,
               robot_, messages) {
    robot_.as_mujoco = true;
    robot_.name = root.get("model", std::filesystem::path(file).stem().string());
    if (robot_.name.empty()) robot_.name = "model";
    robot_.gravity = Vec3(0, 0, -9.81);
    robot_.step = 0.002;
  }

  Robot read() {
    // MuJoCo's own default surface, so that number 0 is that of whoever gives none.
    robot_.surfaces.push_back(
        {.friction = 1, .torsional = 0.005, .rolling = 0.0001, .dimension = 3});
    each("compiler", [&](const Element& e) { read_compiler(e, settings_, messages_); });
    each("default", [&](const Element& e) { defaults_.read(e, messages_); });
    each("option", [&](const Element& e) { read_option(e); });
    each("asset", [&](const Element& e) { geoms_.read_assets(e); });
    each("size", [&](const Element& e) { mark(e); });  // of MuJoCo's memory
    each("worldbody", [&](const Element& e) {
      e.used = true;
      read_children(e, world_body, {}, "");
    });
    if (messages_.ok())
      MjcfLinks(settings_, defaults_, names_, options_, robot_, messages_).read(root_);
    robot_.balance_inertia = settings_.balance_inertia;
    robot_.bound_mass = settings_.bound_mass;
    robot_.bound_inertia = settings_.bound_inertia;
    apply_bounds();
    if (settings_.total_mass > 0) scale_mass();
    choose_base();
    return std::move(robot_);
  }

 private:
  template <class F>
  void each(const char* name, F f) {
    for (const Element& e : root_.children)
      if (e.name == name) f(e);
  }

  static void mark(const Element& e) {
    e.used = true;
    for (const Attribute& a : e.attributes) a.used = true;
    for (const Element& child : e.children) mark(child);
  }

  void read_option(const Element& e) {
    e.used = true;
    if (const auto g = messages_.vector(e, "gravity")) robot_.gravity = *g;
    if (const auto h = messages_.number(e, "timestep")) {
      if (*h > 1e-12 && *h <= 1e3)
        robot_.step = *h;
      else
        messages_.error(e.place, ErrorCode::out_of_range, "option.timestep",
                        "the step is out of range", short_text(*h), "above 1e-12, at most 1000 s",
                        "choose a value in the range");
    }
    if (const Element* flag = e.child("flag"))
      if (flag->get("gravity", "enable") == "disable") robot_.gravity = Vec3::Zero();
  }

  void read_children(const Element& parent, int body, const Pose& X,
                     const std::string& childclass) {
    for (const Element& e : parent.children) {
      if (messages_.full()) return;
      if (e.name == "body")
        read_body(e, body, X, childclass);
      else if (e.name == "frame")
        read_frame(e, body, X, childclass);
      else if (e.name == "geom")
        read_geom(e, body, X, childclass);
      else if (e.name == "site")
        read_site(e, body, X, childclass);
      else if (body != world_body && (e.name == "joint" || e.name == "freejoint"))
        read_joint(e, body, X, childclass);
      else if (body != world_body && e.name == "inertial")
        read_inertial(e, body, X);
      else if (e.name == "camera" || e.name == "light")
        skip(e, "it is for pictures");
      else if (e.name == "joint" || e.name == "freejoint" || e.name == "inertial")
        messages_.error(e.place, ErrorCode::conflict, "worldbody", "the world cannot move",
                        "<" + e.name + ">", "joints and inertias of bodies",
                        "put it into a <body>");
    }
  }

  void skip(const Element& e, const std::string& why) {
    mark(e);
    messages_.note(e.place, e.name, "", "not taken over: " + why);
  }

  // A copy of a replica lies where the ones before it lead.
  Pose copy_pose(const Element& e) {
    const double number = messages_.number(e, "cairn:copy").value_or(0);
    const Vec3 offset = messages_.vector(e, "cairn:offset").value_or(Vec3::Zero());
    const Vec3 euler = messages_.vector(e, "cairn:euler").value_or(Vec3::Zero());
    Pose X;
    for (int i = 0; i < static_cast<int>(number); ++i) {
      Element turn;
      turn.set("euler", std::to_string(i * euler.x()) + " " + std::to_string(i * euler.y()) + " " +
                            std::to_string(i * euler.z()));
      X.p +=
          euler == Vec3::Zero() ? offset : Vec3(read_pose(turn, settings_, messages_).R * offset);
    }
    return X;
  }

  void read_frame(const Element& e, int body, const Pose& X, const std::string& childclass) {
    e.used = true;
    (void)e.find("name");
    Pose own = read_pose(e, settings_, messages_);
    if (e.has("cairn:copy")) own.p += copy_pose(e).p;
    read_children(e, body, X * own, e.get("childclass", childclass));
  }

  void read_body(const Element& e, int parent, const Pose& X, const std::string& childclass) {
    e.used = true;
    const int number = static_cast<int>(robot_.bodies.size());
    TreeBody body;
    body.name = e.get("name");
    body.place = e.place;
    if (body.name.empty()) body.name = "body" + std::to_string(number + 1);
    if (!names_.bodies.try_emplace(body.name, number).second)
      messages_.error(e.place, ErrorCode::duplicate_name, label(e), "two bodies have the same name",
                      body.name, "a name of its own", "rename one of them");
    body.parent = parent;
    body.X_PB = X * read_pose(e, settings_, messages_);
    if (const auto mocap = messages_.boolean(e, "mocap"); mocap && *mocap)
      messages_.note(e.place, "body", "mocap", "the body is fixed");
    if (const auto g = messages_.number(e, "gravcomp"); g && *g != 0)
      messages_.note(e.place, "body", "gravcomp", "not taken over: gravity acts on all bodies");
    robot_.bodies.push_back(std::move(body));
    geom_inertia_.emplace_back();
    read_children(e, number, {}, e.get("childclass", childclass));
    const auto always = settings_.inertia == InertiaFromGeom::always;
    TreeBody& done = robot_.bodies[at(number)];
    if ((always || !done.inertial) && settings_.inertia != InertiaFromGeom::never)
      done.inertial = geom_inertia_[at(number)];
    if (done.free && !done.joints.empty())
      messages_.error(e.place, ErrorCode::conflict, label(e),
                      "a body with a free joint has other joints", done.joints[0].name,
                      "a free joint alone", "remove the others");
    if (done.free && parent != world_body)
      messages_.error(e.place, ErrorCode::conflict, label(e), "a free joint below another body",
                      done.name, "free joints of bodies of the world", "move the body there");
  }

  void read_inertial(const Element& e, int body, const Pose& X) {
    e.used = true;
    Inertial own;
    own.mass = messages_.number(e, "mass").value_or(0);
    if (own.mass < 0)
      messages_.error(e.place, ErrorCode::out_of_range, "inertial.mass", "mass is negative",
                      short_text(own.mass) + " kg", "at least 0", "correct the mass");
    if (const auto d = messages_.vector(e, "diaginertia"))
      own.inertia = d->asDiagonal();
    else if (const auto f = messages_.numbers(e, "fullinertia", 6, 6))
      own.inertia << (*f)[0], (*f)[3], (*f)[4], (*f)[3], (*f)[1], (*f)[5], (*f)[4], (*f)[5],
          (*f)[2];
    robot_.bodies[at(body)].inertial = moved(own, X * read_pose(e, settings_, messages_));
  }

  void read_geom(const Element& e, int body, const Pose& X, const std::string& childclass) {
    std::optional<Geom> geom = geoms_.read(e, childclass);
    if (!geom) return;
    geom->shape.X_BS = X * geom->shape.X_BS;
    if (body == world_body) {
      if (geom->collides)
        robot_.world_shapes.push_back(geom->shape);
      else
        messages_.note(e.place, "geom", "",
                       "not taken over: it is part of the world and only drawn");
      return;
    }
    TreeBody& own = robot_.bodies[at(body)];
    (geom->collides ? own.shapes : own.visuals).push_back(geom->shape);
    if (!geom->inertial) return;
    std::optional<Inertial>& all = geom_inertia_[at(body)];
    const Inertial there = moved(*geom->inertial, X);
    // unit_density knows the pose of the geom, X is that of the frame around it.
    all = all ? sum(*all, there) : there;
  }

  void read_site(const Element& e, int body, const Pose& X, const std::string& childclass) {
    const Merged merged = defaults_.merged(e, childclass, messages_);
    for (const char* key : {"name", "class", "type", "size", "rgba", "group", "material", "user"})
      (void)merged->find(key);
    Pose own = read_pose(*merged, settings_, messages_);
    if (const auto ends = messages_.numbers(*merged, "fromto", 6, 6))
      own.p = 0.5 * Vec3((*ends)[0] + (*ends)[3], (*ends)[1] + (*ends)[4], (*ends)[2] + (*ends)[5]);
    const std::string name = merged->get("name");
    if (!name.empty()) names_.sites[name] = {body, X * own};
  }

  void read_joint(const Element& own, int number, const Pose& X, const std::string& childclass) {
    own.used = true;
    TreeBody& body = robot_.bodies[at(number)];
    std::string name = own.get("name");
    const bool named = !name.empty();
    if (!named)
      name = body.name + "-joint" +
             (body.joints.empty() ? "" : std::to_string(body.joints.size() + 1));
    const auto remember = [&](int joint) {
      names_.order.push_back({number, joint});
      if (!names_.joints.try_emplace(name, JointPlace{number, joint}).second)
        messages_.error(own.place, ErrorCode::duplicate_name, label(own),
                        "two joints have the same name", name, "a name of its own",
                        "rename one of them");
    };
    if (own.name == "freejoint") {
      for (const char* key : {"name", "group", "align"}) (void)own.find(key);
      body.free = true;
      return remember(-1);
    }
    const Merged merged = defaults_.merged(own, childclass, messages_);
    const Element& e = *merged;
    for (const char* key : {"name", "class", "group", "user"}) (void)e.find(key);
    const std::string type = e.get("type", "hinge");
    if (type == "free") {
      body.free = true;
      for (const char* key : {"damping", "frictionloss", "armature", "stiffness"})
        if (const auto x = messages_.number(e, key); x && *x != 0)
          messages_.note(own.place, "joint", key, "not taken over: the joint is free");
      return remember(-1);
    }
    static constexpr std::string_view types[] = {"hinge", "slide", "ball", "free"};
    if (std::find(std::begin(types), std::end(types), type) == std::end(types))
      return messages_.error(own.place, ErrorCode::unknown_choice, label(own) + ".type",
                             "unknown type of joint", "\"" + type + "\"",
                             "hinge, slide, ball, free",
                             base::did_you_mean(type, types, "use one of them"));
    TreeJoint joint;
    joint.name = name;
    joint.place = own.place;
    joint.kind = type == "hinge"   ? TreeJointKind::hinge
                 : type == "slide" ? TreeJointKind::slide
                                   : TreeJointKind::ball;
    joint.anchor = X * messages_.vector(e, "pos").value_or(Vec3::Zero());
    const Vec3 axis = messages_.vector(e, "axis").value_or(Vec3::UnitZ());
    if (!(axis.norm() > 0) && joint.kind != TreeJointKind::ball)
      messages_.error(own.place, ErrorCode::zero_vector, label(own) + ".axis", "is not a direction",
                      "0 0 0", "any vector but zero", "give a vector such as 0 0 1");
    else
      joint.axis = X.R * axis.normalized();
    read_coordinate(e, joint);
    body.joints.push_back(joint);
    remember(static_cast<int>(body.joints.size()) - 1);
  }

  void read_coordinate(const Element& e, TreeJoint& joint) {
    const bool hinge = joint.kind == TreeJointKind::hinge;
    const auto angle = [&](double x) { return hinge ? settings_.angle(x) : x; };
    joint.reference = joint.start = angle(messages_.number(e, "ref").value_or(0));
    joint.rest = angle(messages_.number(e, "springref").value_or(0));
    const auto range = messages_.numbers(e, "range", 2, 2);
    const std::string word = e.get("limited", "auto");
    const bool limited = word == "true" || (word == "auto" && settings_.autolimits && range);
    if (limited && range && joint.kind == TreeJointKind::ball) {
      messages_.note(e.place, "joint", "range", "not taken over: ranges of ball joints");
    } else if (limited && range) {
      joint.lower = angle((*range)[0]);
      joint.upper = angle((*range)[1]);
      if (joint.lower > joint.upper)
        messages_.error(e.place, ErrorCode::out_of_range, label(e) + ".range",
                        "lower is above upper", e.get("range"), "lower <= upper", "exchange them");
    }
    const auto value = [&](const char* key) {
      const auto list = messages_.numbers(e, key, 1, 3);
      if (!list) return 0.0;
      for (std::size_t i = 1; i < list->size(); ++i)
        if ((*list)[i] != 0)
          messages_.note(e.place, "joint", key, "only the linear part is taken over");
      if ((*list)[0] < 0)
        messages_.error(e.place, ErrorCode::out_of_range, label(e) + "." + key, "is negative",
                        short_text((*list)[0]), "at least 0", "correct the sign");
      return (*list)[0];
    };
    joint.damping = value("damping");
    joint.friction = value("frictionloss");
    joint.stiffness = value("stiffness");
    joint.armature = value("armature");
  }

  // As the compiler does: each body by itself, before bodies are joined.
  void apply_bounds() {
    for (TreeBody& body : robot_.bodies) {
      if (!body.inertial) continue;
      Inertial& own = *body.inertial;
      own.mass = std::max(own.mass, settings_.bound_mass);
      const Vec3 diagonal = own.inertia.diagonal();
      const bool is_diagonal = own.inertia == Mat3(diagonal.asDiagonal());
      if (is_diagonal && settings_.bound_inertia > 0)
        own.inertia = diagonal.cwiseMax(settings_.bound_inertia).asDiagonal();
    }
  }

  void scale_mass() {
    double all = 0;
    for (const TreeBody& body : robot_.bodies)
      if (body.inertial) all += body.inertial->mass;
    if (!(all > 0)) return;
    const double factor = settings_.total_mass / all;
    for (TreeBody& body : robot_.bodies)
      if (body.inertial) {
        body.inertial->mass *= factor;
        body.inertial->inertia *= factor;
      }
  }

  void choose_base() {
    int roots = 0, free = 0;
    for (TreeBody& body : robot_.bodies) {
      if (body.parent != world_body) continue;
      ++roots;
      free += body.free;
      const bool welded = body.joints.empty() && !body.free;
      if (options_.base == ImportBase::fixed) body.free = false;
      if (options_.base == ImportBase::free && welded && body.inertial) body.free = true;
    }
    robot_.base = std::to_string(free) + " of " + std::to_string(roots) +
                  " bodies of the world have free joints";
    if (options_.base == ImportBase::fixed) robot_.base = "fixed: --base fixed";
    if (options_.base == ImportBase::free)
      robot_.base = "free: --base free, but for bodies that hang on the world by joints";
  }

  Element& root_;
  const ImportOptions& options_;
  Messages& messages_;
  MjcfSettings settings_;
  MjcfDefaults defaults_;
  MjcfNames names_;
  Robot robot_;
  MjcfGeoms geoms_;
  std::vector<std::optional<Inertial>> geom_inertia_;
};

}  // namespace

Robot read_mjcf(Element& root, const std::string& file, const ImportOptions& options,
                Messages& messages) {
  expand_mjcf(root, file, messages);
  if (!messages.ok()) return {};
  MjcfReader reader(root, file, options, messages);
  return reader.read();
}

}  // namespace cairn::imports
