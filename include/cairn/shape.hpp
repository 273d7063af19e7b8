// Shapes as the user describes them. Each lives in its own frame S; lengths in metres.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "cairn/math.hpp"

namespace cairn {

struct Point {};  // contact geometry of a point mass, radius zero
struct Sphere {
  double radius = 0;  // [m]
};
struct Box {
  Vec3 size = Vec3::Zero();  // full edge lengths along x, y, z of S [m]
};
struct Capsule {
  double radius = 0;  // [m]
  double length = 0;  // of the segment between the cap centres, along z of S [m]
};
struct Ellipsoid {
  Vec3 radii = Vec3::Zero();  // semi-axes along x, y, z of S [m]
};
// A cylinder, a cone or a truncated cone about z of S, centred between its two ends.
struct Frustum {
  double radius = 0;      // at z = -length / 2 [m]
  double top_radius = 0;  // at z = +length / 2; equal to the other one: a cylinder [m]
  double length = 0;      // along z [m]

  bool is_cylinder() const { return radius == top_radius; }
  double largest_radius() const { return radius > top_radius ? radius : top_radius; }
};
struct Halfspace {
  Vec3 normal = Vec3::UnitZ();  // outward unit normal in S; solid on the other side of the plane
                                // through S's origin [-]
};

// Planar shapes stand for infinite cylinders along z of S; bodies that carry them move in the plane
// across z.
struct Disc {
  double radius = 0;  // [m]
};
struct Ellipse {
  Eigen::Vector2d radii = Eigen::Vector2d::Zero();  // semi-axes along x, y of S [m]
};

// Convex hull of points, and convex polygon, planar as the two above. In a Model the vertices are
// those of its Polyhedron, in the same order: extreme points only, a polygon's counterclockwise.
struct Hull {
  std::vector<Vec3> vertices;  // in S [m]
};
struct Polygon {
  std::vector<Eigen::Vector2d> vertices;  // in the x-y plane of S, in either sense of rotation [m]
};

using Geometry = std::variant<Point, Sphere, Box, Capsule, Ellipsoid, Halfspace, Disc, Ellipse,
                              Hull, Polygon, Frustum>;

bool is_planar(const Geometry& geometry);
const char* type_name(const Geometry& geometry);  // the "type" of the scene format: "sphere",
                                                  // "disc", ...; of a Frustum "cylinder" or "cone"

struct ShapeDescription {
  Geometry geometry;
  Pose X_BS;  // pose in the body frame
  std::string material = "default";
};

}  // namespace cairn
