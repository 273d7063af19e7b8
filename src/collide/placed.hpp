// A polyhedron at its place in the world.
#pragma once

#include "cairn/math.hpp"
#include "cairn/polyhedron.hpp"

namespace cairn::collide {

struct Placed {
  Placed(const Polyhedron& polyhedron, const Pose& X_WS)
      : shape(&polyhedron), pose(X_WS), R_WS(X_WS.R.toRotationMatrix()) {}

  Vec3 point(const Vec3& p_S) const { return pose.p + R_WS * p_S; }
  Vec3 direction(const Vec3& d_S) const { return R_WS * d_S; }
  Vec3 local(const Vec3& p_W) const { return R_WS.transpose() * (p_W - pose.p); }
  Vec3 center() const { return point(shape->center); }
  Vec3 vertex(int i) const { return point(shape->vertices[static_cast<std::size_t>(i)]); }
  Vec3 normal(int face) const {
    return direction(shape->faces[static_cast<std::size_t>(face)].normal);
  }

  const Polyhedron* shape;
  Pose pose;
  Mat3 R_WS;                    // that of the pose, as a matrix
  const char* flush = nullptr;  // by edge, 1: the body is flat across it; null: across none
};

struct PlacedPair {
  Placed a, b;
};

}  // namespace cairn::collide
