// Pieces of scene files: writes JSON, reads nothing.
#include "families/scene_text.hpp"

#include <cmath>
#include <fmt/format.h>

namespace cairn::families {

Json to_json(const Vec3& v) {
  return Json::array({v.x(), v.y(), v.z()});
}

Json to_json(const Quat& q) {
  return Json::array({q.w(), q.x(), q.y(), q.z()});
}

std::string linear_in_time(double a, double b) {
  return fmt::format("{:.17g} + ({:.17g})*t", a, b);
}

Json empty_scene(const std::string& name, const Vec3& gravity, double friction,
                 double restitution) {
  return Json{{"cairn", 1},
              {"name", name},
              {"gravity", to_json(gravity)},
              {"materials", {{"default", {{"friction", friction}, {"restitution", restitution}}}}},
              {"bodies", Json::array()}};
}

void set_simulation(Json& scene, const std::string& scheme, double h, int steps) {
  scene["simulation"] = {{"step", h}, {"duration", h * steps}, {"scheme", scheme}};
}

Json box_shape(const Vec3& size) {
  return {{"type", "box"}, {"size", to_json(size)}};
}

Json sphere_shape(double radius) {
  return {{"type", "sphere"}, {"radius", radius}};
}

Json capsule_shape(double radius, double length) {
  return {{"type", "capsule"}, {"radius", radius}, {"length", length}};
}

Json ellipsoid_shape(const Vec3& radii) {
  return {{"type", "ellipsoid"}, {"radii", to_json(radii)}};
}

Json hull_shape(const std::vector<Vec3>& vertices) {
  Json list = Json::array();
  for (const Vec3& v : vertices) list.push_back(to_json(v));
  return {{"type", "hull"}, {"vertices", list}};
}

Json random_shape(const std::string& kind, double size, Random& random) {
  if (kind == "sphere") return sphere_shape(size / 2);
  if (kind == "capsule") {
    const double radius = size * random.between(0.1, 0.4);
    return capsule_shape(radius, size - 2 * radius);
  }
  if (kind == "cylinder" || kind == "cone") {
    const double slope = random.between(0.15, 1.4);  // of the diagonal of its section
    Json shape = {
        {"type", kind}, {"radius", size / 2 * std::cos(slope)}, {"length", size * std::sin(slope)}};
    if (kind == "cone" && random.chance(0.5))
      shape["top_radius"] = size / 2 * std::cos(slope) * random.between(0.2, 0.9);
    return shape;
  }
  if (kind == "rod") {
    const double radius = size * random.log_between(0.005, 0.03);
    return capsule_shape(radius, size - 2 * radius);
  }
  // The other ones fill the ball of diameter `size` up to a factor.
  const double x = random.between(0.3, 1), y = random.between(0.3, 1), z = random.between(0.3, 1);
  const Vec3 half = size / 2 * Vec3(x, y, z).normalized();
  if (kind == "box") return box_shape(2 * half);
  if (kind == "ellipsoid") return ellipsoid_shape(Vec3(x, y, z) * (size / 2));
  std::vector<Vec3> vertices;
  for (int n = random.whole(8, 16); n > 0; --n)
    vertices.push_back(random.direction().cwiseProduct(Vec3(x, y, z) * (size / 2)));
  return hull_shape(vertices);
}

Json fixed_body(const std::string& name, const Json& shape, const Vec3& position,
                const Quat& orientation) {
  return {{"name", name},
          {"fixed", true},
          {"position", to_json(position)},
          {"orientation", to_json(orientation)},
          {"shapes", Json::array({shape})}};
}

Json bin(double half) {
  const auto wall = [](const Vec3& normal, const Vec3& position) {
    return Json{
        {"type", "halfspace"}, {"normal", to_json(normal)}, {"position", to_json(position)}};
  };
  return {
      {"name", "bin"},
      {"fixed", true},
      {"shapes",
       Json::array({wall(Vec3::UnitZ(), Vec3::Zero()), wall(Vec3::UnitX(), Vec3(-half, 0, 0)),
                    wall(-Vec3::UnitX(), Vec3(half, 0, 0)), wall(Vec3::UnitY(), Vec3(0, -half, 0)),
                    wall(-Vec3::UnitY(), Vec3(0, half, 0))})}};
}

Json free_body(const std::string& name, const Json& shape, double mass, const Vec3& position,
               const Quat& orientation) {
  return {{"name", name},
          {"mass", mass},
          {"position", to_json(position)},
          {"orientation", to_json(orientation)},
          {"shapes", Json::array({shape})}};
}

Json joint(const std::string& name, const std::string& type, const Anchor& a, const Anchor& b,
           const Vec3& axis_W) {
  const auto in_body = [](const Anchor& end) { return to_json(end.X_WB.inverse() * end.point_W); };
  Json made = {{"name", name},
               {"type", type},
               {"bodies", Json::array({a.body, b.body})},
               {"anchors", Json::array({in_body(a), in_body(b)})}};
  if (type == "revolute" || type == "prismatic")
    made["axis"] = to_json(Vec3(a.X_WB.R.conjugate() * axis_W));
  return made;
}

}  // namespace cairn::families
