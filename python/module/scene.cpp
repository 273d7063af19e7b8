// Scene: read from a file or a text, immutable. Model: what it says about bodies and joints, as
// arrays.
#include "module/scene.hpp"

#include <fmt/format.h>
#include <pybind11/stl.h>
#include <string_view>
#include <utility>

#include "cairn/joints.hpp"
#include "module/arrays.hpp"
#include "module/errors.hpp"

namespace cairn::python {
namespace {

// Errors of what was never a text have no line, those of options no file.
Result<Scene> without_places(Result<Scene> scene) {
  if (!scene)
    for (Error& error : scene.error()) {
      error.line = error.column = 0;
      if (error.file.starts_with("--set ")) error.file = "options";
    }
  return scene;
}

// Remedies name options of the command line; keywords of Scene.load are called as they are.
void name_keywords(Errors& errors) {
  static constexpr std::pair<std::string_view, std::string_view> names[] = {
      {"--allow-path ", "allow_path="},
      {"--bound-mass ", "bound_mass="},
      {"--bound-inertia ", "bound_inertia="},
      {"--balance-inertia", "balance_inertia=True"},
      {"--keyframe", "keyframe="},
      {"--package ", "packages="}};
  for (Error& error : errors)
    for (const auto& [option, keyword] : names)
      if (const auto at = error.fix.find(option); at != std::string::npos)
        error.fix.replace(at, option.size(), keyword);
}

// Keywords of Scene.load for files of other programs; those that are given.
ImportOptions import_options(const py::dict& given) {
  ImportOptions out;
  const auto has = [&](const char* key) { return given.contains(key); };
  const auto value = [&](const char* key) { return number(given[key], key); };
  if (has("base")) {
    const auto base = py::str(given["base"]).cast<std::string>();
    if (base != "file" && base != "free" && base != "fixed")
      throw py::value_error(
          fmt::format("base: expected 'file', 'free' or 'fixed', got '{}'", base));
    out.base = base == "file"   ? ImportBase::as_file
               : base == "free" ? ImportBase::free
                                : ImportBase::fixed;
  }
  if (has("packages"))
    for (const auto& [name, path] : given["packages"].cast<py::dict>())
      out.packages.emplace_back(py::str(name).cast<std::string>(),
                                py::str(path).cast<std::string>());
  if (has("friction")) out.friction = value("friction");
  if (has("floor")) out.floor = value("floor");
  if (has("balance_inertia")) out.balance_inertia = given["balance_inertia"].cast<bool>();
  if (has("bound_mass")) out.bound_mass = value("bound_mass");
  if (has("bound_inertia")) out.bound_inertia = value("bound_inertia");
  if (has("keyframe")) out.keyframe = py::str(given["keyframe"]).cast<std::string>();
  const std::pair<const char*, double> amounts[] = {{"friction", out.friction},
                                                    {"bound_mass", out.bound_mass},
                                                    {"bound_inertia", out.bound_inertia}};
  for (const auto& [key, what] : amounts)
    if (what < 0) throw py::value_error(fmt::format("{} is {}, it cannot be negative", key, what));
  return out;
}

template <class Read>
SharedScene read_scene(Read read) {
  Result<Scene> scene = [&] {
    const py::gil_scoped_release released;
    return read();
  }();
  if (!scene) name_keywords(scene.error());
  return std::make_shared<Scene>(value_of(std::move(scene)));
}

template <class Things>
std::vector<std::string> names_of(const Things& things) {
  std::vector<std::string> names;
  for (const auto& thing : things) names.push_back(thing.name);
  return names;
}

const char* name_of(BodyKind kind) {
  return kind == BodyKind::dynamic ? "dynamic" : kind == BodyKind::fixed ? "fixed" : "prescribed";
}

py::array masses(const Model& model) {
  std::vector<double> out;
  for (const Body& body : model.bodies) out.push_back(body.mass);
  return moved(std::move(out));
}

py::array inertias(const Model& model) {
  std::vector<double> out;
  for (const Body& body : model.bodies)
    for (int i = 0; i < 9; ++i) out.push_back(body.inertia_B(i / 3, i % 3));
  return moved(std::move(out), {static_cast<py::ssize_t>(model.bodies.size()), 3, 3});
}

py::array centers(const Model& model) {
  std::vector<double> out;
  for (const Body& body : model.bodies)
    out.insert(out.end(), body.p_Bcm.data(), body.p_Bcm.data() + 3);
  return moved(std::move(out), {static_cast<py::ssize_t>(model.bodies.size()), 3});
}

// First free velocity of each body and, as the last entry, their number.
py::array velocity_offsets(const Model& model) {
  std::vector<std::int64_t> out;
  int next = 0;
  for (const Body& body : model.bodies) {
    out.push_back(next);
    next += body.velocities;
  }
  out.push_back(next);
  return moved(std::move(out));
}

std::string body_name(const Model& model, BodyId id) {
  return id == BodyId::world ? "world" : model.body(id).name;
}

py::list joints_of(const Model& model) {
  py::list list;
  for (const Joint& joint : model.joints) {
    py::dict d;
    d["name"] = joint.name;
    d["type"] = type_name(joint.type);
    d["bodies"] =
        py::make_tuple(body_name(model, joint.bodies[0]), body_name(model, joint.bodies[1]));
    d["lower"] = joint.limits.lower;
    d["upper"] = joint.limits.upper;
    d["friction"] = joint.friction;
    d["motor"] = !joint.motor            ? py::object(py::none())
                 : joint.motor->velocity ? py::object(py::str("velocity"))
                 : joint.motor->position ? py::object(py::str("position"))
                                         : py::object(py::str("effort"));
    list.append(d);
  }
  return list;
}

py::list shapes_of(const Model& model) {
  py::list list;
  for (const Shape& shape : model.shapes) {
    py::dict d;
    d["body"] = model.body(shape.body).name;
    d["type"] = type_name(shape.geometry);
    d["material"] = model.material_names[index(shape.material)];
    list.append(d);
  }
  return list;
}

// Scenes that say the same.
bool same(const SharedScene& a, const SharedScene& b) {
  return a == b || required(a)->resolved == required(b)->resolved;
}
std::size_t text_hash(const Scene& scene) {
  return std::hash<std::string>{}(scene.resolved);
}

std::string describe_model(const ModelOfScene& m) {
  const Model& model = m.get();
  return fmt::format("<cairn.Model '{}': {} bodies, {} joints, {} velocities>", model.name,
                     model.bodies.size(), model.joints.size(), model.velocities);
}

}  // namespace

void bind_model(py::module_& m) {
  py::class_<ModelOfScene>(m, "Model",
                           "Bodies, shapes, joints and materials of a scene; never changes.")
      .def_property_readonly("scene", [](const ModelOfScene& s) { return s.scene; })
      .def_property_readonly("name", [](const ModelOfScene& s) { return s.get().name; })
      .def_property_readonly(
          "gravity", [](const ModelOfScene& s) { return copied(s.get().gravity); },
          "Acceleration of gravity, (3,) [m/s^2].")
      .def_property_readonly(
          "body_names", [](const ModelOfScene& s) { return names_of(s.get().bodies); },
          "Names of the bodies, sorted: the order of all arrays over bodies.")
      .def_property_readonly(
          "joint_names", [](const ModelOfScene& s) { return names_of(s.get().joints); },
          "Names of the joints, sorted: the order of all arrays over joints.")
      .def_property_readonly("material_names",
                             [](const ModelOfScene& s) { return s.get().material_names; })
      .def_property_readonly(
          "kinds",
          [](const ModelOfScene& s) {
            std::vector<std::string> kinds;
            for (const Body& body : s.get().bodies) kinds.emplace_back(name_of(body.kind));
            return kinds;
          },
          "Of each body: 'dynamic', 'fixed' or 'prescribed'.")
      .def_property_readonly(
          "masses", [](const ModelOfScene& s) { return masses(s.get()); },
          "Of each body, (bodies,) [kg]; 0 of bodies that are not dynamic. A copy.")
      .def_property_readonly(
          "inertias", [](const ModelOfScene& s) { return inertias(s.get()); },
          "About the centres of mass, in the body frames, (bodies, 3, 3) [kg m^2]. A copy.")
      .def_property_readonly(
          "centers_of_mass", [](const ModelOfScene& s) { return centers(s.get()); },
          "In the body frames, (bodies, 3) [m]. A copy.")
      .def_property_readonly(
          "velocity_offsets", [](const ModelOfScene& s) { return velocity_offsets(s.get()); },
          "Free velocities of body i are State.v[offsets[i]:offsets[i + 1]], (bodies + 1,).")
      .def_property_readonly(
          "nv", [](const ModelOfScene& s) { return s.get().velocities; },
          "Number of free velocities of all bodies.")
      .def_property_readonly(
          "joints", [](const ModelOfScene& s) { return joints_of(s.get()); },
          "Of each joint a dict: name, type, bodies, lower and upper limit [rad] or [m], "
          "friction,\n"
          "motor: what it keeps or gives, \"velocity\", \"position\", \"effort\" or None.")
      .def_property_readonly(
          "shapes", [](const ModelOfScene& s) { return shapes_of(s.get()); },
          "Of each shape a dict: body, type, material.")
      .def(
          "body_id",
          [](const ModelOfScene& s, const py::object& name) {
            return static_cast<int>(find_body(s.get(), name));
          },
          py::arg("name"), "Row of a body in all arrays over bodies.")
      .def(
          "joint_id",
          [](const ModelOfScene& s, const py::object& name) {
            return static_cast<int>(find_joint(s.get(), name));
          },
          py::arg("name"), "Row of a joint in all arrays over joints.")
      .def(
          "__eq__",
          [](const ModelOfScene& a, const ModelOfScene& b) { return same(a.scene, b.scene); },
          py::is_operator())
      .def("__hash__", [](const ModelOfScene& s) { return text_hash(*s.scene); })
      .def("__repr__", describe_model);
}

void bind_scene(py::module_& m) {
  py::class_<Scene, SharedScene>(
      m, "Scene", R"(A model, how to simulate it, and the state it starts from; never changes.

Load one with Scene.load(path), or build one as a dict of the scene format and give it to Scene.from_dict.)")
      .def_static("_load",
                  [](const std::string& path, const std::vector<std::string>& assignments,
                     const std::vector<std::string>& folders, const std::string& cache,
                     const py::dict& imports) {
                    const ImportOptions options = import_options(imports);
                    return read_scene([&] {
                      return load_scene(path, assignments, options, {folders, cache});
                    });
                  })
      .def_static("_parse",
                  [](const std::string& text, const std::string& name,
                     const std::vector<std::string>& assignments, bool has_places,
                     const std::vector<std::string>& folders, const std::string& cache) {
                    return read_scene([&] {
                      Result<Scene> scene = parse_scene(text, name, assignments, {folders, cache});
                      return has_places ? std::move(scene) : without_places(std::move(scene));
                    });
                  })
      .def_property_readonly(
          "file", [](const Scene& s) { return s.file; }, "As it was given.")
      .def_property_readonly("name", [](const Scene& s) { return s.name; })
      .def_property_readonly("model",
                             [](const SharedScene& self) {
                               const SharedScene& s = required(self);
                               return ModelOfScene{s};
                             })
      .def_property_readonly(
          "step", [](const Scene& s) { return s.simulation.step; }, "Length of a step [s].")
      .def_property_readonly(
          "duration", [](const Scene& s) { return s.simulation.duration; }, "[s]")
      .def_property_readonly(
          "initial", [](const Scene& s) { return std::make_shared<State>(*s.initial); },
          "The state at the start. A copy.")
      .def_property_readonly(
          "warnings", [](const Scene& s) { return s.warnings; },
          "What is valid and yet suspicious, and what of a file of another program was not taken "
          "over.")
      .def_property_readonly(
          "notes", [](const Scene& s) { return s.notes; },
          "What was made of mesh files, with measured errors.")
      .def(
          "to_json", [](const Scene& s) { return s.resolved; },
          "The scene as text with all options and generators written out; reading it gives this "
          "scene again.")
      .def(
          "__eq__", [](const SharedScene& a, const SharedScene& b) { return same(a, b); },
          py::is_operator())
      .def("__hash__", [](const Scene& s) { return text_hash(s); })
      .def("__copy__", [](const SharedScene& s) { return required(s); })
      .def("__deepcopy__", [](const SharedScene& s, const py::dict&) { return required(s); })
      .def("__repr__",
           [](const Scene& s) {
             return fmt::format("<cairn.Scene '{}': {} bodies, {} joints, {} steps of {} s>",
                                s.name, s.model->bodies.size(), s.model->joints.size(),
                                std::llround(s.simulation.duration / s.simulation.step),
                                s.simulation.step);
           })
      .def(py::pickle([](const Scene& s) { return py::make_tuple(s.resolved, s.file); },
                      [](const py::tuple& t) {
                        if (t.size() != 2) throw py::value_error("not a pickled cairn.Scene");
                        Scene scene = value_of(
                            parse_scene(t[0].cast<std::string>(), t[1].cast<std::string>()));
                        return std::make_shared<Scene>(std::move(scene));
                      }));
  m.def("schema", &scene_schema, "The JSON Schema of the scene format, as text.");
}

}  // namespace cairn::python
