#include "imports/scene/document.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <map>
#include <set>

#include "base/index.hpp"
#include "imports/inertia.hpp"
#include "imports/scene/assembly.hpp"
#include "imports/scene/joints.hpp"
#include "imports/scene/shapes.hpp"
#include "imports/scene/support.hpp"

namespace cairn::imports {
namespace {

using json::Node;

constexpr std::size_t most_pairs = 200'000;
constexpr double tiny_inertia = 1e-12;  // of mass times the square of the arm

using base::at;

// Everything that one body of the scene consists of.
struct Parts {
  std::vector<std::size_t> bodies;  // of the tree
};

// A body of the scene for masks of contact: its name and its kinds of shapes.
struct Touching {
  std::string name;
  std::set<std::pair<unsigned, unsigned>> masks;
};

bool touch(std::pair<unsigned, unsigned> a, std::pair<unsigned, unsigned> b) {
  return (a.first & b.second) != 0 || (b.first & a.second) != 0;
}

class Writer {
 public:
  Writer(Robot& robot, const ImportOptions& options, Messages& messages)
      : robot_(robot), options_(options), messages_(messages) {}

  Node write() {
    assembled_ = assemble(robot_, messages_);
    for (const TreeBody& body : robot_.bodies) names_.push_back(body.name);
    Node materials = material_nodes(robot_, materials_, messages_);
    std::vector<Parts> parts(robot_.bodies.size());
    for (std::size_t i = 0; i < assembled_.size(); ++i)
      parts[at(assembled_[i].host)].bodies.push_back(i);
    add_ground();
    SceneLinks links;
    for (std::size_t i = 0; i < parts.size(); ++i)
      if (!parts[i].bodies.empty()) add_body(i, parts[i], links);
    add_loops(robot_, assembled_, names_, links, messages_);
    add_gears(robot_, links, messages_);
    for (Node& small : links.bodies.items) bodies_.items.push_back(std::move(small));

    Node root = Node::object();
    root.set("cairn", 1.0);
    root.set("name", robot_.name);
    if (robot_.gravity) root.set("gravity", vector_node(*robot_.gravity, {}));
    root.set("materials", std::move(materials));
    root.set("bodies", std::move(bodies_));
    if (!links.joints.items.empty()) root.set("joints", std::move(links.joints));
    if (!links.gears.items.empty()) root.set("gears", std::move(links.gears));
    if (!links.forces.items.empty()) root.set("forces", std::move(links.forces));
    add_no_contact(root);
    if (robot_.step) {
      Node& simulation = root.set("simulation", Node::object());
      simulation.set("step", *robot_.step);
    }
    return root;
  }

 private:
  // Shapes of one body of the scene, with their masks.
  Node shape_list(const std::vector<ImportedShape>& shapes, const Pose& X_HB, Touching& touching) {
    Node list = Node::array();
    for (const ImportedShape& shape : shapes) {
      list.items.push_back(shape_node(shape, X_HB, materials_, options_.output_folder,
                                      ShapeUse::contact, messages_));
      touching.masks.insert({shape.type_mask, shape.touch_mask});
    }
    return list;
  }

  void add_ground() {
    std::vector<ImportedShape> shapes = robot_.world_shapes;
    if (options_.floor) {
      ImportedShape floor;
      floor.kind = ShapeKind::halfspace;
      floor.X_BS.p.z() = *options_.floor;
      shapes.push_back(floor);
    }
    if (shapes.empty()) return;
    Touching touching{free_name("ground"), {}};
    Node body = Node::object();
    body.set("name", touching.name);
    body.set("fixed", Node::of(true));
    body.set("shapes", shape_list(shapes, {}, touching));
    bodies_.items.push_back(std::move(body));
    static_.push_back(std::move(touching));
  }

  std::string free_name(const std::string& wish) const {
    std::string name = wish;
    for (int k = 2; std::find(names_.begin(), names_.end(), name) != names_.end(); ++k)
      name = wish + std::to_string(k);
    return name;
  }

  std::string path_of(std::size_t i) const {
    return (robot_.as_mujoco ? "body[" : "link[") + robot_.bodies[i].name + "]";
  }

  void add_body(std::size_t i, const Parts& parts, SceneLinks& links) {
    const TreeBody& body = robot_.bodies[i];
    const Assembled& mine = assembled_[i];
    Touching touching{names_[i], {}};
    Node shapes = Node::array(), visuals = Node::array();
    std::optional<Vec3> color;
    for (const std::size_t part : parts.bodies) {
      const TreeBody& other = robot_.bodies[part];
      if (part != i && !mine.is_static)
        messages_.note(other.place, "body", "", "joined rigidly: part of the body it hangs on");
      for (Node& node : shape_list(other.shapes, assembled_[part].X_HB, touching).items)
        shapes.items.push_back(std::move(node));
      for (const std::vector<ImportedShape>* list : {&other.visuals, &other.shapes})
        for (const ImportedShape& shape : *list)
          if (!color) color = shape.color;
      add_visuals(other, assembled_[part].X_HB, visuals);
    }
    // In an MJCF file joints hang on the world itself instead.
    if (mine.is_static && shapes.items.empty() && robot_.as_mujoco) {
      names_[i] = "world";
      return;
    }
    Node node = placed(Node::object(), body.place);
    put(node, "name", names_[i], body.place);
    Inertial inertial;
    if (mine.is_static) {
      put(node, "fixed", Node::of(true), body.place);
    } else {
      bool any = false;
      for (const std::size_t part : parts.bodies)
        if (const auto& own = robot_.bodies[part].inertial) {
          const Inertial there = part == i ? *own : moved(*own, assembled_[part].X_HB);
          inertial = any ? sum(inertial, there) : there;
          any = true;
        }
      if (!make_possible(inertial, options_, body.place, path_of(i), robot_.as_mujoco, messages_))
        return;
      note_point_mass(i, inertial, body.place);
      put(node, "mass", inertial.mass, body.place);
      put(node, "center_of_mass", vector_node(inertial.com, body.place), body.place);
      put(node, "inertia", matrix_node(inertial.inertia, body.place), body.place);
    }
    put_pose(node, mine.X_WB, body.place);
    if (!mine.is_static && mine.velocity != Vec3::Zero())
      put(node, "velocity", vector_node(mine.velocity, body.place), body.place);
    if (!mine.is_static && mine.angular_velocity != Vec3::Zero())
      put(node, "angular_velocity", vector_node(mine.angular_velocity, body.place), body.place);
    if (!shapes.items.empty()) put(node, "shapes", std::move(shapes), body.place);
    if (!visuals.items.empty()) put(node, "visual", std::move(visuals), body.place);
    if (scene_support.color && color)
      put(node, "color", vector_node(*color, body.place), body.place);
    bodies_.items.push_back(std::move(node));
    (mine.is_static ? static_ : moving_).push_back(std::move(touching));
    if (!mine.is_static) add_tree_joints(robot_, assembled_, i, names_, inertial, links, messages_);
  }

  // Files give tiny moments of inertia to bodies that stand for points.
  void note_point_mass(std::size_t i, const Inertial& inertial, const Place& place) {
    const double least =
        Eigen::SelfAdjointEigenSolver<Mat3>(inertial.inertia, Eigen::EigenvaluesOnly)
            .eigenvalues()[0];
    double arm = 0;
    for (const TreeJoint& joint : robot_.bodies[i].joints)
      arm = std::max(arm, (joint.anchor - inertial.com).norm());
    if (least < tiny_inertia * inertial.mass * arm * arm)
      messages_.note(
          place, "inertia", "",
          "less than 1e-12 of mass times the square of the distance to the joint: rounding "
          "turns the body; --bound-inertia " +
              short_text(1e-6 * inertial.mass * arm * arm) + " mends it");
  }

  void add_visuals(const TreeBody& body, const Pose& X_HB, Node& list) {
    for (const ImportedShape& shape : body.visuals) {
      if (scene_support.visual)
        list.items.push_back(shape_node(shape, X_HB, materials_, options_.output_folder,
                                        ShapeUse::drawn, messages_));
      else
        messages_.note(shape.place, "visual", "",
                       "not taken over: bodies are drawn as they collide");
    }
  }

  void add_no_contact(Node& root) {
    Node list = Node::array();
    std::set<std::pair<std::string, std::string>> seen;
    const auto add = [&](const std::string& a, const std::string& b) {
      if (a == b || a == "world" || b == "world") return;
      if (!seen.insert(std::minmax(a, b)).second) return;
      list.items.push_back(Node::array({a, b}));
    };
    for (const auto& [a, b] : robot_.no_contact) {
      const int host_a = assembled_[at(a)].host, host_b = assembled_[at(b)].host;
      if (host_a != host_b) add(names_[at(host_a)], names_[at(host_b)]);
    }
    add_masks(add);
    if (!list.items.empty()) root.set("no_contact", std::move(list));
  }

  // Pairs whose masks keep them apart. Bodies of equal masks are compared once.
  template <class Add>
  void add_masks(Add add) {
    std::map<std::set<std::pair<unsigned, unsigned>>, std::vector<const Touching*>> moving, fixed;
    for (const Touching& t : moving_)
      if (!t.masks.empty()) moving[t.masks].push_back(&t);
    for (const Touching& t : static_) fixed[t.masks].push_back(&t);
    std::size_t count = 0;
    const auto compare = [&](const auto& a, const auto& b) {
      std::size_t apart = 0, all = 0;
      for (const auto& x : a.first)
        for (const auto& y : b.first) {
          ++all;
          apart += !touch(x, y);
        }
      if (apart == 0) return;
      if (apart < all)
        return messages_.note({}, "geom", "contype",
                              "some shapes of two bodies may touch and some not: all may");
      count += a.second.size() * b.second.size();
      if (count > most_pairs)
        return messages_.error({}, ErrorCode::too_many, "contype",
                               "too many pairs of bodies do not touch", std::to_string(count),
                               "at most " + std::to_string(most_pairs), "split the model");
      for (const Touching* x : a.second)
        for (const Touching* y : b.second) add(x->name, y->name);
    };
    for (auto a = moving.begin(); a != moving.end(); ++a) {
      for (auto b = a; b != moving.end(); ++b) compare(*a, *b);
      for (const auto& b : fixed) compare(*a, b);
    }
  }

  Robot& robot_;
  const ImportOptions& options_;
  Messages& messages_;
  std::vector<Assembled> assembled_;
  std::vector<std::string> names_, materials_;
  std::vector<Touching> moving_, static_;
  Node bodies_ = Node::array();
};

}  // namespace

Node scene_document(Robot& robot, const ImportOptions& options, Messages& messages) {
  return Writer(robot, options, messages).write();
}

}  // namespace cairn::imports
