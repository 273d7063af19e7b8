// The best separating normal of a polyhedron or polygon and a round shape, from a short list.
#include "collide/pairs/polyhedron_normals.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/infinity.hpp"
#include "collide/ratio/peak.hpp"

namespace cairn::collide {
namespace {

// A segment p + t half, |t| <= 1.
struct Segment {
  Vec3 p, half;

  Vec3 at(double t) const { return p + t * half; }
  double closest(const Vec3& x) const {
    const double size2 = half.squaredNorm();
    return size2 > 0 ? std::clamp((x - p).dot(half) / size2, -1.0, 1.0) : 0;
  }
};

// Closest points of an edge and B's axis.
struct Approach {
  Vec3 offset = Vec3::Zero();  // from the edge to the axis [m]
  double distance2 = base::infinity;
  double t = 0;         // place on the axis
  bool inside = false;  // between the ends of the edge
};

// Ends of either one with their closest points on the other, and the common perpendicular.
Approach approach(const Segment& edge, const Segment& axis) {
  Approach best;
  const auto consider = [&](double s, double t) {
    const Vec3 offset = axis.at(t) - edge.at(s);
    const double distance2 = offset.squaredNorm();
    if (distance2 < best.distance2) best = {offset, distance2, t, std::abs(s) < 1};
  };
  const bool is_point = (axis.half.array() == 0).all();
  if (is_point) {
    consider(edge.closest(axis.p), 0);
    return best;
  }
  for (const double end : {-1.0, 1.0}) {
    consider(edge.closest(axis.at(end)), end);
    consider(end, axis.closest(edge.at(end)));
  }
  const Vec3 across = axis.half.cross(edge.half);
  const double size2 = across.squaredNorm();
  // 2^-46: nearly parallel ones are no closer in between than rounding tells.
  if (size2 > 0x1p-46 * (axis.half.squaredNorm() * edge.half.squaredNorm())) {
    const double t = std::clamp((edge.p - axis.p).cross(edge.half).dot(across) / size2, -1.0, 1.0);
    const double s = edge.closest(axis.at(t));
    consider(s, axis.closest(edge.at(s)));
  }
  return best;
}

// The list of normals and the best of them.
class Search {
 public:
  Search(const Polyhedron& polyhedron, const Round<3>& round, const Vec3& center)
      : a(polyhedron), b(round), c(center) {
    faces();
    if (b.has_ellipsoid) {
      if (is_proved()) return;
      if (a.planar)
        corners_of_ellipse();
      else
        edges_of_ellipsoid();
      if (gap < 0 && !is_proved()) arcs();
    } else {
      closest_edge();
      if (b.has_segment()) crossings();
    }
  }

  BestNormal best() const { return {n, gap, t, face}; }

 private:
  const Polyhedron& a;
  const Round<3>& b;  // along A's axes; of planar shapes everything lies at z = 0
  const Vec3& c;
  Vec3 n = Vec3::UnitZ();
  double gap = -base::infinity;
  double t = 0;   // where on B's axis the contact is
  int face = -1;  // whose normal n is; -1: none

  double height_b(const Vec3& d) const {
    double h = b.radius + std::abs(b.half.dot(d));
    if (b.has_ellipsoid) h += (b.L.transpose() * d).norm();
    return h;
  }

  // `bound` >= F(d), the gap to one feature alone. `slack`: by how much F may fall short of it.
  // Whether d is the best so far.
  bool consider(const Vec3& d, double place, double bound, double slack = base::infinity) {
    if (!(bound > gap)) return false;
    double height_a = -base::infinity;
    for (const Vec3& v : a.vertices) height_a = std::max(height_a, d.dot(v));
    const double F = d.dot(c) - height_a - height_b(d);
    if (!(F > gap) || F < bound - slack) return false;
    n = d, gap = F, t = place, face = -1;
    return true;
  }

  void faces() {
    for (std::size_t f = 0; f < a.faces.size(); ++f) {
      const Polyhedron::Face& side = a.faces[f];
      const double F = side.normal.dot(c) - side.offset - height_b(side.normal);
      if (!(F > gap)) continue;
      n = side.normal;
      gap = F;
      t = b.has_segment() ? (n.dot(b.half) > 0 ? -1 : 1) : 0;
      face = static_cast<int>(f);
    }
  }

  const Vec3& vertex(int i) const { return a.vertices[static_cast<std::size_t>(i)]; }

  const Vec3& normal(int f) const { return a.faces[static_cast<std::size_t>(f)].normal; }
  Segment segment(int tail, int head) const {
    return {0.5 * (vertex(tail) + vertex(head)), 0.5 * (vertex(head) - vertex(tail))};
  }

  // Edges; of a polygon its sides.
  template <class F>
  void each_edge(F f) const {
    if (a.planar)
      for (std::size_t i = 0; i < a.faces.size(); ++i)
        f(segment(a.loop(static_cast<int>(i))[0], a.loop(static_cast<int>(i))[1]));
    else
      for (const Polyhedron::Edge& edge : a.edges) f(segment(edge.tail, edge.head));
  }

  void closest_edge() {
    Approach best;
    Vec3 along = Vec3::Zero();  // half of the best edge
    each_edge([&](const Segment& edge) {
      const Approach found = approach(edge, {c, b.half});
      if (found.distance2 < best.distance2) best = found, along = edge.half;
    });
    // Between the ends of an edge the normal is across it. Close to it the offset is so to rounding
    // of the positions only, by which an end of the edge would stand out.
    if (best.inside) best.offset -= (best.offset.dot(along) / along.squaredNorm()) * along;
    const double distance = best.offset.norm();
    if (distance > 0) consider(best.offset / distance, best.t, base::infinity);
  }

  // Normals across the axis and an edge, or, in the plane, across the axis.
  void crossings() {
    // Other edges may share the normal; the place on the axis is that of the one that supports A.
    const double slack = 0x1p-40 * (a.outer_radius + c.norm() + b.half.norm());
    const auto cross = [&](const Vec3& d, const Segment& edge) {
      if (consider(d, 0, d.dot(c - edge.p) - b.radius, slack)) t = approach(edge, {c, b.half}).t;
    };
    if (a.planar) {
      const Vec3 across(-b.half.y(), b.half.x(), 0);
      const double size = across.norm();
      if (!(size > 0)) return;
      for (const Vec3& v : a.vertices)
        for (const Vec3& d : {Vec3(across / size), Vec3(-across / size)})
          cross(d, {v, Vec3::Zero()});
      return;
    }
    for (const Polyhedron::Edge& e : a.edges) {
      const Segment edge = segment(e.tail, e.head);
      const Vec3 across = edge.half.cross(b.half);
      const double size = across.norm();
      if (!(size > 0)) continue;
      // Into the two faces, away from the edge: where one of them rises the edge is not the
      // highest.
      const double rise = 0x1p-30 * edge.half.norm();
      const Vec3 into_left = normal(e.left).cross(edge.half),
                 into_right = edge.half.cross(normal(e.right));
      for (const Vec3& d : {Vec3(across / size), Vec3(-across / size)})
        if (d.dot(into_left) <= rise && d.dot(into_right) <= rise) cross(d, edge);
    }
  }

  // The gap to one edge or corner alone is at least that of the pair. So the one that decides has a
  // gap no larger than any other's, which bounds the distance of those worth a look. The closest
  // edge comes first: mostly it proves itself.
  void edges_of_ellipsoid() {
    const auto distance = [&](const Segment& edge) {
      return (edge.at(edge.closest(c)) - c).norm();
    };
    const auto look = [&](const Segment& edge) {
      Round<3> segment;
      segment.half = edge.half;
      const Touch<3> found = touch<3>(b, segment, edge.p - c);
      return consider(-found.n, 0, found.gap) && is_proved();
    };
    const Vec3 radii = b.L.colwise().norm().transpose();
    double closest = base::infinity;
    std::size_t first = 0;
    for (std::size_t i = 0; i < a.edges.size(); ++i)
      if (const double d = distance(segment(a.edges[i].tail, a.edges[i].head)); d < closest)
        closest = d, first = i;
    if (look(segment(a.edges[first].tail, a.edges[first].head))) return;
    const double limit = closest - radii.minCoeff() + radii.maxCoeff();
    for (std::size_t i = 0; i < a.edges.size(); ++i) {
      const Segment edge = segment(a.edges[i].tail, a.edges[i].head);
      if (i != first && distance(edge) <= limit && look(edge)) return;
    }
  }

  // (E400): the point of A across from B's lowest one belongs to A, and an overlap is shallow. Then
  // no other normal is better.
  bool is_proved() const {
    if (!(-gap <= b.least_curvature_radius)) return false;
    const Vec3 p_A = c + lowest_point(b, best()) - gap * n;
    const double slack = 0x1p-44 * (a.outer_radius + a.center.norm() + c.norm());
    for (const Polyhedron::Face& f : a.faces)
      if (f.normal.dot(p_A) - f.offset > slack) return false;
    return true;
  }

  // Deep overlap: the gap to a feature alone may have its best normal where another feature
  // supports A. So the best one is sought among the normals of each edge, between those of its two
  // faces (in the plane: of each corner, between its sides), and for corners from the direction of
  // the centre.
  void arcs() {
    const double radius = b.L.colwise().norm().maxCoeff();
    const auto is_far = [&](const Vec3& p) { return (p - c).norm() > radius - gap; };  // (E401)
    if (a.planar) {
      const int count = static_cast<int>(a.vertices.size());
      for (int i = 0; i < count; ++i)
        if (!is_far(vertex(i))) arc(vertex(i), normal((i + count - 1) % count), normal(i), radius);
      return;
    }
    for (const Polyhedron::Edge& e : a.edges) {
      const Segment edge = segment(e.tail, e.head);
      if (!is_far(edge.at(edge.closest(c))))
        arc(vertex(e.tail), normal(e.left), normal(e.right), radius);
    }
    for (std::size_t first = 0; first < a.vertices.size(); first += batch) corners(first, radius);
  }

  // Climbs from the mean normal and from the direction of each near corner of a batch: one pass
  // over the edges collects the normals of all of them.
  static constexpr std::size_t batch = 64;
  void corners(std::size_t first, double radius) {
    const std::size_t end = std::min(first + batch, a.vertices.size());
    std::array<Vec3, batch> outward;
    outward.fill(Vec3::Zero());
    for (const Polyhedron::Edge& e : a.edges)
      for (const int i : {e.tail, e.head})
        if (const auto k = static_cast<std::size_t>(i); k >= first && k < end)
          outward[k - first] += normal(e.left) + normal(e.right);
    for (std::size_t i = first; i < end; ++i) {
      const Vec3& v = a.vertices[i];
      if ((v - c).norm() > radius - gap) continue;
      for (const Vec3& start : {outward[i - first], Vec3(v - a.center)}) {
        const Probe<3> top = climb<3>(b, {}, v - c, -start.normalized());
        consider(-top.n, 0, top.f);
      }
    }
  }

  // Best of nine normals, then the zero of the slope between its neighbours by halving the angle.
  // `radius`: largest of B.
  void arc(const Vec3& v, const Vec3& from, const Vec3& to, double radius) {
    // Unit tangent at `from`; slivers have arcs of nearly half a turn.
    const double cosine = from.dot(to);
    const Vec3 aside = to - cosine * from;
    const double sine = aside.norm(), angle = std::atan2(sine, cosine);
    if (!(sine > 0)) return;
    const Vec3 tangent = aside / sine, axis = from.cross(tangent), d_v = c - v;
    std::array<Vec3, 9> normals;
    std::size_t best = 0;
    double most = -base::infinity;
    for (std::size_t i = 0; i < normals.size(); ++i) {
      const double s = static_cast<double>(i) / 8 * angle;
      normals[i] = std::cos(s) * from + std::sin(s) * tangent;
      const double f = normals[i].dot(d_v) - height_b(normals[i]);
      if (f > most) most = f, best = i;
    }
    // No slope is steeper than the distance of v from the points of B.
    if (most + (d_v.norm() + radius) * (angle / 16) <= gap) return;
    Vec3 lo = normals[best > 0 ? best - 1 : 0], hi = normals[std::min<std::size_t>(best + 1, 8)];
    for (int i = 0; i < 50; ++i) {
      const Vec3 middle = (lo + hi).normalized();
      const Vec3 lowest_of_b = b.L * (b.L.transpose() * middle).normalized();
      (axis.cross(middle).dot(d_v - lowest_of_b) > 0 ? lo : hi) = middle;
    }
    consider(lo, 0, lo.dot(d_v) - height_b(lo));
  }

  void corners_of_ellipse() {
    Round<2> ellipse;
    ellipse.L = b.L.topLeftCorner<2, 2>();
    ellipse.least_curvature_radius = b.least_curvature_radius;
    ellipse.has_ellipsoid = true;
    const Vec<2> radii = ellipse.L.colwise().norm().transpose();
    double closest = base::infinity;
    for (const Vec3& v : a.vertices) closest = std::min(closest, (v - c).norm());
    const double limit = closest - radii.minCoeff() + radii.maxCoeff();
    for (const Vec3& v : a.vertices) {
      if ((v - c).norm() > limit) continue;
      const Touch<2> found = touch<2>(ellipse, {}, Vec<2>((v - c).head<2>()));
      consider(Vec3(-found.n.x(), -found.n.y(), 0), 0, found.gap);
    }
  }
};

}  // namespace

BestNormal best_normal(const Polyhedron& a, const Round<3>& b, const Vec3& c) {
  return Search(a, b, c).best();
}

Vec3 lowest_point(const Round<3>& b, const BestNormal& best) {
  Vec3 point = best.t * b.half - b.radius * best.n;
  if (b.has_ellipsoid) point -= b.L * (b.L.transpose() * best.n).normalized();
  return point;
}

}  // namespace cairn::collide
