// Contacts with flat faces in closed form: a halfspace with every other shape, a box with points
// and spheres.
#include <cmath>

#include "collide/convex/rim.hpp"
#include "collide/pairs/pair_functions.hpp"

namespace cairn::collide {
namespace {

// Halfspace with outward unit normal n through the point p, in W.
struct Wall {
  Vec3 p, n;
  std::vector<ShapeContact>& out;

  // `lowest`: point of the other shape, as offset from its centre, that is deepest along -n.
  void append(const Vec3& center, const Vec3& lowest, std::uint32_t feature) const {
    const double gap = n.dot(center - p) + n.dot(lowest);
    const Vec3 p_WB = center + lowest;
    out.push_back({p_WB - gap * n, p_WB, n, gap, {0, feature}});
  }
};

void against(const Wall& wall, const Point&, const Pose& X) {
  wall.append(X.p, Vec3::Zero(), 0);
}

void against(const Wall& wall, const Sphere& s, const Pose& X) {
  wall.append(X.p, -s.radius * wall.n, 0);
}

void against(const Wall& wall, const Box& s, const Pose& X) {
  const Vec3 half = 0.5 * s.size;
  for (std::uint32_t corner = 0; corner < 8; ++corner) {
    Vec3 p_S = half;
    for (int i = 0; i < 3; ++i)
      if (!(corner >> i & 1)) p_S[i] = -half[i];
    wall.append(X.p, X.R * p_S, corner);
  }
}

void against(const Wall& wall, const Capsule& s, const Pose& X) {
  const Vec3 half = X.R * Vec3(0, 0, 0.5 * s.length);
  wall.append(X.p, -half - s.radius * wall.n, 0);
  wall.append(X.p, half - s.radius * wall.n, 1);
}

// Support point of the ellipsoid with the scaled axes L, against n.
template <class Matrix>
Vec3 lowest(const Matrix& L, const Vec3& n) {
  return -(L * (L.transpose() * n).normalized());
}

void against(const Wall& wall, const Ellipsoid& s, const Pose& X) {
  const Mat3 L = X.R.toRotationMatrix() * s.radii.asDiagonal();
  wall.append(X.p, lowest(L, wall.n), 0);
}

// Both rims: the lowest point and, of an end that faces the wall, points around it (E903).
void against(const Wall& wall, const Frustum& s, const Pose& X) {
  const Mat3 R = X.R.toRotationMatrix();
  for (const int end : {0, 1}) {
    const Rim rim(s, end, R);
    each_rim_point(rim, -wall.n, [&](const Vec3& offset, std::uint32_t feature) {
      wall.append(X.p, offset, feature);
    });
  }
}

// Cuts the wall with the plane of motion through the shape's centre. Walls within 1.5e-8 rad of
// that plane do not bound the motion.
template <class Append>
void in_plane(const Wall& wall, const Pose& X, Append append) {
  const Vec3 z = X.R * Vec3::UnitZ();
  const double out_of_plane = z.dot(wall.n);
  const Vec3 n = wall.n - out_of_plane * z;
  const double size = n.norm();
  if (size <= 0x1p-26) return;
  // Of the line of intersection, a point below the centre: on it wall.n.(x - wall.p) = 0.
  const double height = wall.n.dot(X.p - wall.p) / size;
  append(Wall{X.p - height * (n / size), n / size, wall.out});
}

void against(const Wall& wall, const Disc& s, const Pose& X) {
  in_plane(wall, X, [&](const Wall& cut) { cut.append(X.p, -s.radius * cut.n, 0); });
}

void against(const Wall& wall, const Ellipse& s, const Pose& X) {
  const Eigen::Matrix<double, 3, 2> L = X.R.toRotationMatrix().leftCols<2>() * s.radii.asDiagonal();
  in_plane(wall, X, [&](const Wall& cut) { cut.append(X.p, lowest(L, cut.n), 0); });
}

void against(const Wall& wall, const Hull& s, const Pose& X) {
  for (std::size_t i = 0; i < s.vertices.size(); ++i)
    wall.append(X.p, X.R * s.vertices[i], static_cast<std::uint32_t>(i));
}

void against(const Wall& wall, const Polygon& s, const Pose& X) {
  in_plane(wall, X, [&](const Wall& cut) {
    for (std::size_t i = 0; i < s.vertices.size(); ++i)
      cut.append(X.p, X.R * Vec3(s.vertices[i].x(), s.vertices[i].y(), 0),
                 static_cast<std::uint32_t>(i));
  });
}

void against(const Wall&, const Halfspace&, const Pose&) {}

}  // namespace

void collide_halfspace(const PlacedShape& a, const PlacedShape& b, std::vector<ShapeContact>& out) {
  const Wall wall{a.X_W.p, a.X_W.R * std::get<Halfspace>(a.geometry).normal, out};
  std::visit([&](const auto& shape) { against(wall, shape, b.X_W); }, b.geometry);
}

void collide_box_ball(const PlacedShape& a, const PlacedShape& b, std::vector<ShapeContact>& out) {
  const Pose &X_WA = a.X_W, &X_WB = b.X_W;
  const Vec3 half = 0.5 * std::get<Box>(a.geometry).size;
  const auto* sphere = std::get_if<Sphere>(&b.geometry);
  const double radius = sphere ? sphere->radius : 0;

  // Centre of the ball and the closest point of the box, in the box frame.
  const Vec3 c = X_WA.R.conjugate() * (X_WB.p - X_WA.p);
  Vec3 closest = c.cwiseMax(-half).cwiseMin(half);
  const Vec3 offset = c - closest;
  Vec3 n = offset;
  double distance = offset.norm();
  if (distance > 0) {
    n /= distance;
  } else {
    // Inside: out through the nearest face, the first one of equals.
    int axis = 0;
    const Vec3 depth = half - c.cwiseAbs();
    depth.minCoeff(&axis);
    n = Vec3::Unit(axis) * (c[axis] < 0 ? -1 : 1);
    closest[axis] = n[axis] * half[axis];
    distance = -depth[axis];
  }
  const Vec3 n_W = X_WA.R * n;
  out.push_back({X_WA * closest, X_WB.p - radius * n_W, n_W, distance - radius, 0});
}

}  // namespace cairn::collide
