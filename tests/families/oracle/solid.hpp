// Shapes as the oracle sees them: support points and a list of directions worth trying. Made from
// the description of the scene, not from what the collision detection of the library makes of it.
#pragma once

#include <optional>
#include <vector>

#include "cairn/model.hpp"

namespace cairn::families {

// The set of points of a core, polytope or ellipsoid, and of a ball about each of them. Planar
// shapes are their section at z = 0 of the world.
struct Solid {
  enum class Kind { points, ellipsoid, halfspace } kind = Kind::points;
  std::vector<Vec3> points;     // of the core, in the body frame [m]
  Pose X_BS;                    // ellipsoid, halfspace: of its frame
  Vec3 radii = Vec3::Zero();    // ellipsoid: semi-axes [m]
  Vec3 normal = Vec3::UnitZ();  // halfspace: outward, in the body frame [-]
  double radius = 0;            // of the ball [m]
  bool planar = false;          // directions lie in the x-y plane
  std::vector<Vec3> normals;    // of faces of the core, in the body frame [-]
  std::vector<Vec3> edges;      // directions of its edges [-]
  Vec3 center = Vec3::Zero();   // a point inside, in the body frame [m]
  double outer = 0;             // of the ball about `center` that holds it [m]; halfspace: 0
  double inner = 0;             // half of its least width (E301) [m]; halfspace: infinite
};

Solid make_solid(const ShapeDescription& shape);

// The point of the solid farthest along n, in the world; `shrink` in (0, 1]: of its core alone, an
// ellipsoid smaller by that factor.
Vec3 support(const Solid& s, const Pose& X_WB, const Vec3& n_W);
Vec3 core_support(const Solid& s, const Pose& X_WB, const Vec3& n_W, double shrink);

}  // namespace cairn::families
