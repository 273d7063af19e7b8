// Pieces of scene files as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "cairn/math.hpp"
#include "families/random.hpp"

namespace cairn::families {

using Json = nlohmann::json;

Json to_json(const Vec3& v);
Json to_json(const Quat& q);  // [w, x, y, z]

// An expression with all digits of its numbers: "a + b*t".
std::string linear_in_time(double a, double b);

// A scene without bodies.
Json empty_scene(const std::string& name, const Vec3& gravity, double friction, double restitution);
void set_simulation(Json& scene, const std::string& scheme, double h, int steps);

// Shapes in the body frame.
Json box_shape(const Vec3& size);
Json sphere_shape(double radius);
Json capsule_shape(double radius, double length);
Json ellipsoid_shape(const Vec3& radii);
Json hull_shape(const std::vector<Vec3>& vertices);

// A shape of about the diameter `size`. Kinds: box, hull, capsule, ellipsoid, sphere, rod,
// cylinder, cone.
Json random_shape(const std::string& kind, double size, Random& random);

Json fixed_body(const std::string& name, const Json& shape, const Vec3& position,
                const Quat& orientation = Quat::Identity());
// A floor and four walls around a square, from which nothing gets out.
Json bin(double half);
Json free_body(const std::string& name, const Json& shape, double mass, const Vec3& position,
               const Quat& orientation = Quat::Identity());

// A joint of type distance, ball, revolute, prismatic or fixed between points of two bodies given
// by their poses; `axis` is in the world.
struct Anchor {
  std::string body = "world";
  Pose X_WB = {};
  Vec3 point_W = Vec3::Zero();
};
Json joint(const std::string& name, const std::string& type, const Anchor& a, const Anchor& b,
           const Vec3& axis_W = Vec3::UnitZ());

}  // namespace cairn::families
