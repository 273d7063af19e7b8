#include "collide/distance/closest_points.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "cairn/error.hpp"

namespace cairn::collide {
namespace {

constexpr int most_iterations = 1000;  // each removes a vertex for good; a handful in practice

// A vertex of the Minkowski difference B - A.
struct DifferenceCorner {
  std::size_t a = 0, b = 0;
  Vec3 w = Vec3::Zero();  // b - a [m]
};

// A simplex of such vertices with the weights of its point next to the origin.
struct Simplex {
  std::array<DifferenceCorner, 4> corners{};
  std::array<double, 4> weights{};
  int count = 0;
  Vec3 v = Vec3::Zero();  // sum of weights times corners [m]
};

// The point of the affine hull of the chosen corners next to the origin, if it lies inside their
// simplex. False: it does not, or the corners span less than their number says.
template <int edges>
bool nearest_of(const Simplex& from, const std::array<int, 4>& chosen, Simplex& out) {
  const auto corner = [&](int i) -> const DifferenceCorner& {
    return from.corners[static_cast<std::size_t>(chosen[static_cast<std::size_t>(i)])];
  };
  out.count = edges + 1;
  double rest = 1;
  if constexpr (edges > 0) {
    Eigen::Matrix<double, 3, edges> E;
    for (int i = 0; i < edges; ++i) E.col(i) = corner(i + 1).w - corner(0).w;
    Eigen::ColPivHouseholderQR<Eigen::Matrix<double, 3, edges>> qr(E);
    qr.setThreshold(1e-13);
    if (qr.rank() < edges) return false;
    const Eigen::Matrix<double, edges, 1> t = qr.solve(-corner(0).w);
    for (int i = 0; i < edges; ++i) {
      if (!(t[i] >= 0)) return false;
      out.weights[static_cast<std::size_t>(i + 1)] = t[i];
      rest -= t[i];
    }
    if (!(rest >= 0)) return false;
  }
  out.weights[0] = rest;
  out.v = Vec3::Zero();
  for (int i = 0; i <= edges; ++i) {
    out.corners[static_cast<std::size_t>(i)] = corner(i);
    out.v += out.weights[static_cast<std::size_t>(i)] * corner(i).w;
  }
  return true;
}

bool nearest_of(const Simplex& from, const std::array<int, 4>& chosen, int count, Simplex& out) {
  switch (count) {
    case 1:
      return nearest_of<0>(from, chosen, out);
    case 2:
      return nearest_of<1>(from, chosen, out);
    case 3:
      return nearest_of<2>(from, chosen, out);
    default:
      return nearest_of<3>(from, chosen, out);
  }
}

// The smallest sub-simplex that holds the point of the simplex next to the origin: the nearest of
// the candidates of all subsets.
Simplex nearest_part(const Simplex& simplex) {
  Simplex best;
  double least = std::numeric_limits<double>::infinity();
  for (int subset = 1; subset < (1 << simplex.count); ++subset) {
    std::array<int, 4> chosen{};
    int count = 0;
    for (int i = 0; i < simplex.count; ++i)
      if (subset & (1 << i)) chosen[static_cast<std::size_t>(count++)] = i;
    Simplex candidate;
    if (!nearest_of(simplex, chosen, count, candidate)) continue;
    if (const double size = candidate.v.squaredNorm(); size < least) least = size, best = candidate;
  }
  return best;
}

}  // namespace

ClosestPoints closest_points(std::span<const Vec3> a, std::span<const Vec3> b) {
  CAIRN_CHECK(!a.empty() && !b.empty());
  double size = 0;  // of the difference [m]
  for (const Vec3& x : a) size = std::max(size, (x - a[0]).norm());
  for (const Vec3& x : b) size = std::max(size, (x - b[0]).norm());
  Simplex simplex;
  simplex.count = 1;
  simplex.weights[0] = 1;
  simplex.corners[0].w = simplex.v = b[0] - a[0];
  for (int i = 0; i < most_iterations && simplex.count < 4; ++i) {
    DifferenceCorner next;
    double top = -std::numeric_limits<double>::infinity(), low = -top;
    for (std::size_t k = 0; k < a.size(); ++k)
      if (const double along = simplex.v.dot(a[k] - a[0]); along > top) top = along, next.a = k;
    for (std::size_t k = 0; k < b.size(); ++k)
      if (const double along = simplex.v.dot(b[k] - b[0]); along < low) low = along, next.b = k;
    next.w = b[next.b] - a[next.a];
    const bool known =
        std::any_of(simplex.corners.begin(), simplex.corners.begin() + simplex.count,
                    [&](const DifferenceCorner& c) { return c.a == next.a && c.b == next.b; });
    if (known || !(simplex.v.dot(next.w) < simplex.v.squaredNorm())) break;
    Simplex grown = simplex;
    grown.corners[static_cast<std::size_t>(grown.count++)] = next;
    const Simplex reduced = nearest_part(grown);
    if (!(reduced.v.squaredNorm() < simplex.v.squaredNorm())) break;
    simplex = reduced;
  }
  ClosestPoints result;
  for (int i = 0; i < simplex.count; ++i) {
    const auto k = static_cast<std::size_t>(i);
    result.p_A += simplex.weights[k] * (a[simplex.corners[k].a] - a[0]);
    result.p_B += simplex.weights[k] * (b[simplex.corners[k].b] - b[0]);
  }
  result.p_A += a[0];
  result.p_B += b[0];
  result.distance = simplex.count == 4 || simplex.v.norm() <= 1e-15 * size ? 0 : simplex.v.norm();
  return result;
}

namespace {

// An edge on the sphere of normals: the arc between the normals of its faces, from A to B.
struct Arc {
  Vec3 from, to, pole;  // pole = to x from
  Vec3 point, along;    // of the edge [m]
};

std::vector<Arc> arcs(const Placed& p, double sign) {
  std::vector<Arc> all;
  all.reserve(p.shape->edges.size());
  for (const Polyhedron::Edge& e : p.shape->edges) {
    Arc arc;
    arc.from = sign * p.normal(e.left);
    arc.to = sign * p.normal(e.right);
    arc.pole = arc.to.cross(arc.from);
    arc.point = p.vertex(e.tail);
    arc.along = p.vertex(e.head) - arc.point;
    all.push_back(arc);
  }
  return all;
}

}  // namespace

LeastDepth least_depth_axis(const Placed& a, const Placed& b) {
  LeastDepth best;
  best.separation = -std::numeric_limits<double>::infinity();
  const auto look_at_faces = [&](const Placed& owner, const Placed& other, double sign) {
    for (std::size_t f = 0; f < owner.shape->faces.size(); ++f) {
      const Vec3 n = owner.normal(static_cast<int>(f));
      const Vec3 on = owner.vertex(owner.shape->loop(static_cast<int>(f))[0]);
      double low = std::numeric_limits<double>::infinity();
      for (std::size_t v = 0; v < other.shape->vertices.size(); ++v)
        low = std::min(low, n.dot(other.vertex(static_cast<int>(v)) - on));
      if (low > best.separation) best.n_W = sign * n, best.separation = low;
      best.looked_at += static_cast<long long>(other.shape->vertices.size());
    }
  };
  look_at_faces(a, b, 1);
  look_at_faces(b, a, -1);
  if (a.shape->planar) return best;
  const double rounding = 1e-14 * (a.shape->outer_radius + b.shape->outer_radius);
  const std::vector<Arc> of_a = arcs(a, 1), of_b = arcs(b, -1);
  best.looked_at += static_cast<long long>(of_a.size() * of_b.size());
  for (const Arc& e : of_a)
    for (const Arc& f : of_b) {
      const double from = f.from.dot(e.pole), to = f.to.dot(e.pole);
      if (!(from * to < 0)) continue;
      const double left = e.from.dot(f.pole), right = e.to.dot(f.pole);
      if (!(left * right < 0 && from * right > 0)) continue;
      Vec3 n = e.along.cross(f.along);
      const double length = n.norm();
      if (!(length > 1e-12 * e.along.norm() * f.along.norm())) continue;
      n /= n.dot(e.from + e.to) < 0 ? -length : length;
      if (const double s = n.dot(f.point - e.point); s > best.separation + rounding)
        best.n_W = n, best.separation = s;
    }
  return best;
}

}  // namespace cairn::collide
