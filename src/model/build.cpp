// The builder: reads a description, checks all of it, writes the model in its canonical order and
// the initial state.
#include <algorithm>
#include <map>
#include <numeric>

#include "base/boundary.hpp"
#include "cairn/joints.hpp"
#include "cairn/model.hpp"
#include "cairn/state.hpp"
#include "model/build_body.hpp"
#include "model/build_links.hpp"
#include "model/checks.hpp"
#include "model/conventions.hpp"
#include "model/materials.hpp"
#include "model/shape/drawing_checks.hpp"
#include "model/shape/inner_radius.hpp"

namespace cairn {
namespace {

std::string body_path(std::size_t i) {
  return "bodies[" + std::to_string(i) + "]";
}

// Indices of the bodies in the order of their names; equal names are errors.
std::vector<std::size_t> order_by_name(const std::vector<BodyDescription>& bodies,
                                       model::Checks& checks) {
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    checks.name(bodies[i].name, body_path(i) + ".name");
    if (bodies[i].name == "world")
      checks.error(body_path(i) + ".name", ErrorCode::invalid_name,
                   "\"world\" is the name of the fixed frame", model::in_quotes(bodies[i].name),
                   "any other name", "rename the body");
  }
  std::vector<std::size_t> order(bodies.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return bodies[a].name < bodies[b].name; });
  for (std::size_t k = 1; k < order.size(); ++k) {
    const std::size_t earlier = order[k - 1], later = order[k];
    if (bodies[earlier].name != bodies[later].name || bodies[later].name.empty()) continue;
    // At both places, so that both lines are told.
    for (const auto& [here, there] : {std::pair(earlier, later), std::pair(later, earlier)})
      checks.error(body_path(here) + ".name", ErrorCode::duplicate_name,
                   "two bodies have the same name", model::in_quotes(bodies[here].name),
                   "unique names; " + body_path(there) + " has it as well", "rename one of them");
  }
  return order;
}

struct Sizes {
  double mass = 0;            // largest of the dynamic bodies [kg]
  double dynamic_extent = 0;  // of the largest bounded shape of dynamic bodies [m]
  double other_extent = 0;    // ... of the other bodies [m]
  double distance = 0;        // largest coordinate of a dynamic body [m]
};

// Appends the bodies in canonical order; `poses` and `v` become the initial state.
Sizes add_bodies(const std::vector<model::BodyParts>& parts, const std::vector<std::size_t>& order,
                 Model& model, State& state) {
  CAIRN_DCHECK(parts.size() == order.size(), parts.size(), order.size());
  Sizes sizes;
  for (const std::size_t i : order) {
    Body body = parts[i].body;
    const BodyId id{static_cast<std::int32_t>(model.bodies.size())};
    body.first_velocity = model.velocities;
    body.first_shape = static_cast<int>(model.shapes.size());
    for (Shape shape : parts[i].shapes) {
      shape.body = id;
      model.shapes.push_back(shape);
    }
    model.velocities += body.velocities;
    if (body.kind == BodyKind::dynamic) {
      sizes.mass = std::max(sizes.mass, body.mass);
      sizes.dynamic_extent = std::max(sizes.dynamic_extent, parts[i].extent);
      sizes.distance = std::max(sizes.distance, parts[i].X_WC.p.cwiseAbs().maxCoeff());
    } else {
      sizes.other_extent = std::max(sizes.other_extent, parts[i].extent);
    }
    model.bodies.push_back(std::move(body));
    state.poses.push_back(parts[i].X_WC);
  }
  state.v = VecX::Zero(model.velocities);
  for (std::size_t k = 0; k < order.size(); ++k)
    if (model.bodies[k].velocities > 0)
      state.v.segment(model.bodies[k].first_velocity, model.bodies[k].velocities) =
          parts[order[k]].v;
  return sizes;
}

// The first length that is there: shapes that move, links, other shapes, positions. Each scales
// with the scene, so that scaling a scene by a power of two scales the unit by the same.
double length_scale(const Sizes& sizes, double longest_link) {
  for (const double length :
       {sizes.dynamic_extent, longest_link, sizes.other_extent, sizes.distance})
    if (length > 0) return length;
  return 1;
}

// Gives every flat-faced shape its polyhedron, in the order of the shapes; equal ones share one.
void add_polyhedra(Model& model, model::PolyhedronTable& table) {
  std::map<const Polyhedron*, int> numbers;
  for (Shape& shape : model.shapes) {
    const auto found = table.find(shape.geometry);
    CAIRN_CHECK(found.has_value());
    if (!*found) continue;
    const auto [known, is_new] =
        numbers.try_emplace(*found, static_cast<int>(model.polyhedra.size()));
    if (is_new) model.polyhedra.push_back(**found);
    shape.polyhedron = known->second;
  }
}

// (E301). Shapes with the same polyhedron share the result.
void add_inner_radii(Model& model) {
  std::vector<double> known(model.polyhedra.size(), -1);
  for (Shape& shape : model.shapes) {
    if (shape.polyhedron < 0) {
      shape.inner_radius = model::inner_radius(shape.geometry, nullptr);
      continue;
    }
    const auto i = static_cast<std::size_t>(shape.polyhedron);
    if (known[i] < 0) known[i] = model::inner_radius(shape.geometry, &model.polyhedra[i]);
    shape.inner_radius = known[i];
  }
}

}  // namespace

// Limits of joints act on two bodies. Where one of these is the world a fixed body "world" stands
// for it.
static bool limits_to_world(const ModelDescription& description) {
  return std::any_of(
      description.joints.begin(), description.joints.end(), [](const JointDescription& joint) {
        bool limited = joint.limits.any() || std::holds_alternative<RopeJoint>(joint.type);
        for (const CoordinateDescription& c : joint.coordinates)
          limited = limited || c.limits.any();
        return limited && std::count(joint.bodies.begin(), joint.bodies.end(), "world") > 0;
      });
}

Result<BuiltModel> build(const ModelDescription& description) try {
  model::Checks checks;
  auto model = std::make_shared<Model>();
  auto state = std::make_shared<State>();
  model->name = description.name;
  model->gravity = description.gravity;
  checks.magnitude(description.gravity, "gravity", "m/s^2", model::largest_gravity);

  model::MaterialTable materials = model::build_materials(description.materials, checks);
  std::vector<std::size_t> order = order_by_name(description.bodies, checks);
  model::PolyhedronTable polyhedra;
  std::vector<model::BodyParts> parts;
  for (std::size_t i = 0; i < description.bodies.size(); ++i)
    parts.push_back(
        model::build_body(description.bodies[i], body_path(i), materials, polyhedra, checks));
  model::PolyhedronTable drawn;
  model::check_drawn_meshes(description, checks);
  for (std::size_t i = 0; i < description.bodies.size(); ++i)
    model::check_drawing(description.bodies[i], description, body_path(i), drawn, checks);
  if (limits_to_world(description)) {
    const std::string world = "world";
    const auto before = [&](std::size_t i, const std::string& name) {
      return description.bodies[i].name < name;
    };
    order.insert(std::lower_bound(order.begin(), order.end(), world, before), parts.size());
    BodyDescription frame;
    frame.name = world;
    frame.fixed = true;
    parts.push_back(model::build_body(frame, "joints", materials, polyhedra, checks));
  }
  // Velocities of a body with errors may be missing; the links only need bodies and poses.
  for (model::BodyParts& p : parts)
    if (p.v.size() != p.body.velocities) p.v = VecX::Zero(p.body.velocities);
  const Sizes sizes = add_bodies(parts, order, *model, *state);
  const double longest_link = model::build_links(description, state->poses, *model, checks);
  model->material_names = std::move(materials.names);
  model->materials = std::move(materials.materials);
  model->pairs = std::move(materials.pairs);
  model::check_directions(*model, checks);
  if (!checks.ok()) return tl::unexpected<Errors>(checks.take_errors());

  add_polyhedra(*model, polyhedra);
  add_inner_radii(*model);
  model->mass_unit = power_of_two(sizes.mass);
  model->length_unit = power_of_two(length_scale(sizes, longest_link));
  model::dcheck_model(*model);
  if (const StartProjection start = close_joints_at_start(*model, *state);
      !start.moved.empty() || !start.stuck.empty())
    checks.warn("joints", to_text(*model, start));
  model::dcheck_state(*model, *state);
  return BuiltModel{std::move(model), std::move(state), checks.take_warnings()};
} catch (...) {
  return fail(base::caught_error());
}

}  // namespace cairn
