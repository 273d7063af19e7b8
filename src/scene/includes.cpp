// The included scene is read as one of its own, so that its errors have their places in its file;
// its resolved text is then renamed and moved.
#include "scene/includes.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

#include "base/suggestion.hpp"
#include "model/materials.hpp"

namespace cairn::scene {
namespace {

using json::Node;

struct Include {
  std::string file, prefix, base = "file", keyframe;
  Pose X;
};

Vec3 vector_of(const Node& node) {
  Vec3 out = Vec3::Zero();
  for (std::size_t i = 0; i < 3 && i < node.items.size(); ++i)
    out[static_cast<Eigen::Index>(i)] = node.items[i].number;
  return out;
}

Node node_of(const Vec3& v) {
  return Node::array({v.x(), v.y(), v.z()});
}

void set_place(Node& node, const Node& entry) {
  node.line = entry.line;
  node.column = entry.column;
  node.assignment = entry.assignment;
  for (json::Key& key : node.keys) {
    key.line = entry.line;
    key.column = entry.column;
  }
  for (Node& item : node.items) set_place(item, entry);
}

// One included scene.
class Addition {
 public:
  Addition(const Include& include, const Node& entry, const std::string& path, SceneErrors& errors)
      : include_(include), entry_(entry), path_(path), errors_(errors) {
    turned_ = include.X.R.vec() != Vec3::Zero();
  }

  void add(Node& source, Node& root) {
    add_materials(source, root);
    each(source, "bodies", [&](Node& body) { change_body(body); });
    each(source, "joints", [&](Node& joint) { change_joint(joint); });
    each(source, "gears", [&](Node& gear) { change_gear(gear); });
    each(source, "forces", [&](Node& force) { change_force(force); });
    each(source, "no_contact", [&](Node& pair) {
      for (Node& name : pair.items) rename(name);
    });
    for (const char* list : {"bodies", "joints", "gears", "forces", "no_contact"}) {
      Node* from = source.find(list);
      if (!from) continue;
      Node* to = root.find(list);
      if (!to) to = &root.set(list, Node::array());
      for (Node& item : from->items) {
        set_place(item, entry_);
        to->items.push_back(std::move(item));
      }
    }
  }

 private:
  template <class F>
  void each(Node& source, const char* list, F f) {
    if (Node* items = source.find(list))
      for (Node& item : items->items) f(item);
  }

  void unsupported(const std::string& what, const std::string& got) {
    errors_.add(entry_, path_, ErrorCode::unsupported, what, got, "no orientation of the include",
                "turn the included scene itself");
  }

  void rename(Node& name) const {
    if (name.string != "world") name.string = include_.prefix + name.string;
  }

  std::string material_name(const std::string& name) const { return include_.prefix + name; }

  void add_materials(Node& source, Node& root) {
    Node* from = source.find("materials");
    if (!from) return;
    Node* to = root.find("materials");
    if (!to) to = &root.set("materials", Node::object());
    if (!to->is(Node::Kind::object)) return;
    for (std::size_t i = 0; i < from->keys.size(); ++i) {
      const std::string& name = from->keys[i].text;
      materials_.push_back(name);
      const auto pair = model::pair_names(name);
      const std::string own = pair ? material_name(std::string(pair->first)) + "|" +
                                         material_name(std::string(pair->second))
                                   : material_name(name);
      Node& material = from->items[i];
      set_place(material, entry_);
      if (const Node* there = to->find(own)) {
        // The default surface of both is that of the scene itself.
        if (own != "default" && json::to_json(*there) != json::to_json(material))
          errors_.add(entry_, path_, ErrorCode::duplicate_name, "two materials have the same name",
                      own, "names of their own", "give the include a prefix");
        continue;
      }
      to->set(own, std::move(material));
    }
  }

  void move_point(Node& node) const { node = node_of(include_.X * vector_of(node)); }
  void turn(Node& node) const {
    if (turned_) node = node_of(include_.X.R * vector_of(node));
  }

  void change_body(Node& body) {
    rename(*body.find("name"));
    if (Node* dof = body.find("dof"); dof && turned_) {
      const std::string& free = dof->string;
      if (free != "x y z rx ry rz" && free != "x y z")
        unsupported("a body with locked directions is turned", free);
    }
    if (Node* motion = body.find("motion"))
      change_motion(*motion);
    else
      move_point(*body.find("position"));
    Node& R = *body.find("orientation");
    const Quat own(R.items[0].number, R.items[1].number, R.items[2].number, R.items[3].number);
    if (turned_) {
      const Quat q = include_.X.R * own;
      R = Node::array({q.w(), q.x(), q.y(), q.z()});
    }
    for (const char* key : {"velocity", "angular_velocity"})
      if (Node* v = body.find(key)) turn(*v);
    for (const char* list : {"shapes", "visual"})
      if (Node* shapes = body.find(list))
        for (Node& shape : shapes->items)
          // The default surface is that of the scene itself where the file describes none.
          if (Node* material = shape.find("material");
              material &&
              std::find(materials_.begin(), materials_.end(), material->string) != materials_.end())
            material->string = material_name(material->string);
  }

  // Functions of time are moved, not turned.
  void change_motion(Node& motion) {
    if (turned_) return unsupported("a prescribed body is turned", "motion");
    Node& position = *motion.find("position");
    for (std::size_t i = 0; i < position.items.size(); ++i) {
      Node& x = position.items[i];
      const double shift = include_.X.p[static_cast<Eigen::Index>(i)];
      if (shift == 0) continue;
      if (x.is(Node::Kind::number))
        x.number += shift;
      else
        x.string = fmt::format("({}) + ({})", x.string, shift);
    }
  }

  void change_joint(Node& joint) {
    if (Node* name = joint.find("name")) rename(*name);
    change_ends(joint);
  }

  void change_gear(Node& gear) {
    if (Node* name = gear.find("name")) rename(*name);
    if (Node* parts = gear.find("joints"))
      for (Node& part : parts->items)
        if (Node* name = part.find("joint")) rename(*name);
  }

  // Names of the ends, and what is given in the frame of the world.
  void change_ends(Node& link) {
    Node* bodies = link.find("bodies");
    if (!bodies || bodies->items.size() != 2) return;
    const bool on_world = bodies->items[0].string == "world";
    Node* anchors = link.find("anchors");
    for (std::size_t i = 0; i < 2; ++i) {
      if (bodies->items[i].string == "world" && anchors) move_point(anchors->items[i]);
      rename(bodies->items[i]);
    }
    if (!on_world || !turned_) return;
    for (const char* key : {"axis", "second_axis", "normal"})
      if (Node* direction = link.find(key)) turn(*direction);
    // The tangents of a plane do not turn with its normal.
    if (link.find("normal") && (link.find("x") || link.find("y")))
      unsupported("a plane of the world with limits, motors or friction along it is turned",
                  link.find("name") ? link.find("name")->string : "joint");
  }

  void change_force(Node& force) {
    change_ends(force);
    if (Node* body = force.find("body")) rename(*body);
    if (Node* value = force.find("value"); value && turned_) {
      const auto number = [](const Node& x) { return x.is(Node::Kind::number); };
      if (std::all_of(value->items.begin(), value->items.end(), number))
        turn(*value);
      else
        unsupported("a force that is a function of time is turned", "value");
    }
  }

  const Include& include_;
  const Node& entry_;
  const std::string& path_;
  SceneErrors& errors_;
  bool turned_ = false;
  std::vector<std::string> materials_;  // that the file describes
};

Include read_include(const Node& node, const std::string& path, SceneErrors& errors) {
  const Fields fields(node, path, include_fields(), errors);
  Include out;
  fields.read("file", out.file);
  fields.read("prefix", out.prefix);
  fields.read("position", out.X.p);
  fields.read("orientation", out.X.R);
  fields.read("base", out.base);
  fields.read("keyframe", out.keyframe);
  static constexpr std::string_view bases[] = {"file", "free", "fixed"};
  if (std::find(std::begin(bases), std::end(bases), out.base) == std::end(bases))
    errors.add(*fields.find("base"), fields.path("base"), ErrorCode::unknown_choice,
               "unknown choice", "\"" + out.base + "\"", "file, free, fixed",
               base::did_you_mean(out.base, bases, "use one of them"));
  return out;
}

void add_include(const Node& entry, const std::string& path, Node& root, const LoadIncluded& load,
                 SceneErrors& errors, std::vector<std::string>& warnings) {
  const bool was_good = errors.ok();
  const Include include = read_include(entry, path, errors);
  if (was_good != errors.ok() || include.file.empty()) return;
  const std::filesystem::path folder = std::filesystem::path(errors.file()).parent_path();
  const std::string file = (folder / include.file).string();
  ImportOptions options;
  options.base = include.base == "free"    ? ImportBase::free
                 : include.base == "fixed" ? ImportBase::fixed
                                           : ImportBase::as_file;
  options.keyframe = include.keyframe;
  const Result<Scene> scene = load(file, options);
  if (!scene) {
    for (Error error : scene.error()) {
      if (error.path.empty()) error.path = path;
      errors.add_elsewhere(std::move(error));
    }
    return;
  }
  Result<Node> source = json::parse_document(scene->resolved, file);
  if (!source) {
    for (const Error& error : source.error()) errors.add_elsewhere(error);
    return;
  }
  for (const std::string& warning : scene->warnings) warnings.push_back(warning);
  Vec3 gravity = {0, 0, -9.81};
  if (const Node* own = root.find("gravity"); own && own->is(Node::Kind::array))
    gravity = vector_of(*own);
  if (gravity != scene->description.gravity)
    warnings.push_back(path + ": gravity of " + file + " is not taken over: the scene has its own");
  Addition(include, entry, path, errors).add(*source, root);
}

}  // namespace

void expand_includes(Node& root, const LoadIncluded& load, SceneErrors& errors,
                     std::vector<std::string>& warnings) {
  Node* list = root.find("include");
  if (!list) return;
  if (!list->is(Node::Kind::array)) return errors.wrong_type(*list, "include", "an array");
  const Node entries = std::move(*list);
  for (std::size_t i = 0; i < root.keys.size(); ++i)
    if (root.keys[i].text == "include") {
      root.keys.erase(root.keys.begin() + static_cast<std::ptrdiff_t>(i));
      root.items.erase(root.items.begin() + static_cast<std::ptrdiff_t>(i));
      break;
    }
  for (const char* name : {"bodies", "joints", "gears", "forces", "no_contact"})
    if (const Node* there = root.find(name); there && !there->is(Node::Kind::array)) return;
  for (std::size_t i = 0; i < entries.items.size(); ++i)
    add_include(entries.items[i], item_path("include", i), root, load, errors, warnings);
}

}  // namespace cairn::scene
