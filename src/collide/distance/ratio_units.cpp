#include "collide/distance/ratio_units.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace cairn::collide {
namespace {

constexpr double same_share = 1e-9;  // of r, and of the bodies' sizes, that counts as rounding [-]

// Both bodies scaled about their centres; of polygons, moved into one plane.
struct Scaled {
  const Placed &a, &b;
  Vec3 x_A, x_B;  // centres [m]
  double r = 0;
  double size = 0;  // of both [m]

  Scaled(const Placed& first, const Placed& second, const Ratio& ratio)
      : a(first), b(second), x_A(ratio.x_WA), x_B(ratio.x_WB), r(ratio.r) {
    size = a.shape->outer_radius + b.shape->outer_radius;
    if (!a.shape->planar) return;
    const Vec3 z = a.R_WS.col(2), across = 0.5 * z * z.dot(x_B - x_A);
    x_A += across, x_B -= across;
  }

  Vec3 arm_a(int vertex) const { return a.R_WS * (corner(a, vertex) - a.shape->center); }
  Vec3 arm_b(int vertex) const { return b.R_WS * (corner(b, vertex) - b.shape->center); }
  static const Vec3& corner(const Placed& p, int i) {
    return p.shape->vertices[static_cast<std::size_t>(i)];
  }
  // Is the point of the scaled world inside the body scaled by r, to rounding?
  bool inside(const Placed& p, const Vec3& x, const Vec3& point) const {
    const Vec3 local = p.R_WS.transpose() * (point - x);
    for (const Vec3& polar : p.shape->polar)
      if (polar.dot(local) > r + same_share * (r + size * polar.norm())) return false;
    return true;
  }
};

// With Y the distance of the centres along n and H the heights of both features: r = Y/H (E132).
RatioUnit unit_of(const Scaled& s, RatioUnit::Kind kind, int a, int b, const Vec3& n,
                  const Vec3& arm_a, const Vec3& arm_b) {
  RatioUnit unit{.kind = kind, .a = a, .b = b, .normal_W = n};
  const double Y = n.dot(s.x_B - s.x_A), H = n.dot(arm_a) - n.dot(arm_b);
  unit.r = H > 0 ? Y / H : 0;
  unit.rho = std::max((unit.r - 1) / unit.r, std::numeric_limits<double>::lowest());
  unit.separation = Y - H;
  return unit;
}

void add_corners(const Scaled& s, bool faces_of_a, std::vector<RatioUnit>& units) {
  const Placed &owner = faces_of_a ? s.a : s.b, &other = faces_of_a ? s.b : s.a;
  for (int f = 0; f < static_cast<int>(owner.shape->faces.size()); ++f) {
    const Vec3 n = owner.normal(f) * (faces_of_a ? 1 : -1);
    const int on = owner.shape->loop(f)[0];
    for (int v = 0; v < static_cast<int>(other.shape->vertices.size()); ++v) {
      const int i = faces_of_a ? on : v, k = faces_of_a ? v : on;
      RatioUnit unit =
          unit_of(s, faces_of_a ? RatioUnit::Kind::face_vertex : RatioUnit::Kind::vertex_face,
                  faces_of_a ? f : v, faces_of_a ? v : f, n, s.arm_a(i), s.arm_b(k));
      if (!(std::abs(unit.r - s.r) <= same_share * s.r)) continue;
      unit.point_W = faces_of_a ? Vec3(s.x_B + s.r * s.arm_b(v)) : Vec3(s.x_A + s.r * s.arm_a(v));
      if (s.inside(owner, faces_of_a ? s.x_A : s.x_B, unit.point_W)) units.push_back(unit);
    }
  }
}

// Edges that lie in the supporting planes of the metric's axis.
std::vector<int> edges_along(const Placed& p, const Vec3& n, double slack) {
  double top = -std::numeric_limits<double>::infinity();
  const Vec3 n_S = p.R_WS.transpose() * n;
  for (const Vec3& v : p.shape->vertices) top = std::max(top, n_S.dot(v));
  std::vector<int> found;
  for (std::size_t e = 0; e < p.shape->edges.size(); ++e) {
    const Polyhedron::Edge& edge = p.shape->edges[e];
    const double low =
        std::min(n_S.dot(Scaled::corner(p, edge.tail)), n_S.dot(Scaled::corner(p, edge.head)));
    if (low >= top - slack) found.push_back(static_cast<int>(e));
  }
  return found;
}

void add_edges(const Scaled& s, const Vec3& axis, std::vector<RatioUnit>& units) {
  for (const int i : edges_along(s.a, axis, same_share * s.size))
    for (const int k : edges_along(s.b, -axis, same_share * s.size)) {
      const Polyhedron::Edge &e = s.a.shape->edges[static_cast<std::size_t>(i)],
                             &f = s.b.shape->edges[static_cast<std::size_t>(k)];
      const Vec3 along_a = s.arm_a(e.head) - s.arm_a(e.tail),
                 along_b = s.arm_b(f.head) - s.arm_b(f.tail);
      Vec3 n = along_a.cross(along_b);
      const double area = n.norm();
      if (!(area > 1e-6 * along_a.norm() * along_b.norm())) continue;
      n /= n.dot(axis) < 0 ? -area : area;
      RatioUnit unit =
          unit_of(s, RatioUnit::Kind::edge_edge, i, k, n, s.arm_a(e.tail), s.arm_b(f.tail));
      if (!(std::abs(unit.r - s.r) <= same_share * s.r)) continue;
      // Where the scaled lines cross: places 0 at the tails, 1 at the heads.
      const Vec3 tail_a = s.x_A + s.r * s.arm_a(e.tail), tail_b = s.x_B + s.r * s.arm_b(f.tail);
      const Vec3 over = along_a.cross(along_b) / (area * area * s.r);
      const double at_a = (tail_b - tail_a).cross(along_b).dot(over),
                   at_b = (tail_b - tail_a).cross(along_a).dot(over);
      if (std::min(at_a, at_b) < -1e-6 || std::max(at_a, at_b) > 1 + 1e-6) continue;
      unit.point_W = tail_a + at_a * s.r * along_a;
      units.push_back(unit);
    }
}

}  // namespace

std::vector<RatioUnit> ratio_units(const Placed& a, const Placed& b, const Ratio& ratio) {
  std::vector<RatioUnit> units;
  if (!(ratio.r > 0)) return units;
  const Scaled s(a, b, ratio);
  add_corners(s, true, units);
  add_corners(s, false, units);
  if (!a.shape->planar) add_edges(s, ratio.axis, units);
  return units;
}

}  // namespace cairn::collide
