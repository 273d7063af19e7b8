// Contacts of polyhedra and polygons A with round shapes B: the best of a short list of normals.
//
// With c the centre of B and h the support heights, all in A's frame, the gap is the largest
//   F(n) = n.c - h_A(n) - h_B(n)
// over unit normals n from A to B. Apart, the best normal is that of a face or of the closest
// points of B and an edge; where B's axis pierces A, that of a face or one across an edge and the
// axis. Every F(n) is a lower bound of the gap, so the largest of the list is right without asking
// in which region of A the closest point lies, and a poor direction (closest points that coincide)
// does no harm.
#include <cmath>
#include <optional>

#include "base/infinity.hpp"
#include "collide/pairs/pair_functions.hpp"
#include "collide/pairs/round_shapes.hpp"
#include "collide/ratio/peak.hpp"
#include "model/shape/polyhedron_table.hpp"

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
  double t = 0;  // place on the axis
};

// Ends of either one with their closest points on the other, and the common perpendicular.
Approach approach(const Segment& edge, const Segment& axis) {
  Approach best;
  const auto consider = [&](double s, double t) {
    const Vec3 offset = axis.at(t) - edge.at(s);
    const double distance2 = offset.squaredNorm();
    if (distance2 < best.distance2) best = {offset, distance2, t};
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
      if (a.planar)
        corners_of_ellipse();
      else
        edges_of_ellipsoid();
      if (gap < 0) arcs();
    } else {
      closest_edge();
      if (b.has_segment()) crossings();
    }
  }

  const Polyhedron& a;
  const Round<3>& b;  // along A's axes; of planar shapes everything lies at z = 0
  const Vec3& c;
  Vec3 n = Vec3::UnitZ();
  double gap = -base::infinity;
  double t = 0;   // where on B's axis the contact is
  int face = -1;  // whose normal n is; -1: none

  // Support point of B against n, from its centre.
  Vec3 lowest() const {
    Vec3 point = t * b.half - b.radius * n;
    if (b.has_ellipsoid) point -= b.L * (b.L.transpose() * n).normalized();
    return point;
  }

 private:
  double height_b(const Vec3& d) const {
    double h = b.radius + std::abs(b.half.dot(d));
    if (b.has_ellipsoid) h += (b.L.transpose() * d).norm();
    return h;
  }

  // `bound` >= F(d), the gap to one feature alone. `slack`: by how much F may fall short of it.
  void consider(const Vec3& d, double place, double bound, double slack = base::infinity) {
    if (!(bound > gap)) return;
    double height_a = -base::infinity;
    for (const Vec3& v : a.vertices) height_a = std::max(height_a, d.dot(v));
    const double F = d.dot(c) - height_a - height_b(d);
    if (F > gap && !(F < bound - slack)) n = d, gap = F, t = place, face = -1;
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

  // Edges; of a polygon its sides.
  template <class F>
  void each_edge(F f) const {
    const auto segment = [&](int i, int k) {
      f(Segment{0.5 * (vertex(i) + vertex(k)), 0.5 * (vertex(k) - vertex(i))});
    };
    if (a.planar)
      for (std::size_t i = 0; i < a.faces.size(); ++i)
        segment(a.loop(static_cast<int>(i))[0], a.loop(static_cast<int>(i))[1]);
    else
      for (const Polyhedron::Edge& edge : a.edges) segment(edge.tail, edge.head);
  }

  void closest_edge() {
    Approach best;
    each_edge([&](const Segment& edge) {
      const Approach found = approach(edge, {c, b.half});
      if (found.distance2 < best.distance2) best = found;
    });
    const double distance = std::sqrt(best.distance2);
    if (distance > 0) consider(best.offset / distance, best.t, base::infinity);
  }

  // Normals across the axis and an edge, or, in the plane, across the axis.
  void crossings() {
    const auto both_sides = [&](const Vec3& across, const Segment& edge) {
      const double size = across.norm();
      if (!(size > 0)) return;
      // Other edges may share the normal; the place on the axis is that of the one that supports A.
      const double slack = 0x1p-40 * (a.outer_radius + c.norm() + b.half.norm());
      for (const Vec3& d : {Vec3(across / size), Vec3(-across / size)})
        consider(d, approach(edge, {c, b.half}).t, d.dot(c - edge.p) - b.radius, slack);
    };
    if (a.planar) {
      each_edge([&](const Segment& edge) {
        for (const double end : {-1.0, 1.0})
          both_sides(Vec3(-b.half.y(), b.half.x(), 0), {edge.at(end), Vec3::Zero()});
      });
    } else {
      each_edge([&](const Segment& edge) { both_sides(edge.half.cross(b.half), edge); });
    }
  }

  // The gap to one edge or corner alone is at least that of the pair. So the one that decides has a
  // gap no larger than any other's, which bounds the distance of those worth a look.
  template <class Distance, class Each>
  double largest_distance(Distance distance, Each each) const {
    const Vec3 radii = b.L.colwise().norm().transpose();
    const double least = a.planar ? radii.head<2>().minCoeff() : radii.minCoeff();
    double closest = base::infinity;
    each([&](const auto& feature) { closest = std::min(closest, distance(feature)); });
    return closest - least + radii.maxCoeff();
  }

  void edges_of_ellipsoid() {
    const auto distance = [&](const Segment& edge) {
      return (edge.at(edge.closest(c)) - c).norm();
    };
    const double limit = largest_distance(distance, [&](auto f) { each_edge(f); });
    each_edge([&](const Segment& edge) {
      if (distance(edge) > limit) return;
      Round<3> segment;
      segment.half = edge.half;
      const Touch<3> found = touch<3>(b, segment, edge.p - c);
      consider(-found.n, 0, found.gap);
    });
  }

  // Deep overlap: the gap to a feature alone may have its best normal where another feature
  // supports A. So the best one is sought among the normals of each edge, between those of its two
  // faces (in the plane: of each corner, between its sides), and for corners from the direction of
  // the centre.
  void arcs() {
    const auto normal = [&](int f) -> const Vec3& {
      return a.faces[static_cast<std::size_t>(f)].normal;
    };
    if (a.planar) {
      const int count = static_cast<int>(a.vertices.size());
      for (int i = 0; i < count; ++i) arc(vertex(i), normal((i + count - 1) % count), normal(i));
      return;
    }
    for (const Polyhedron::Edge& e : a.edges) arc(vertex(e.tail), normal(e.left), normal(e.right));
    for (std::size_t i = 0; i < a.vertices.size(); ++i) {
      Vec3 outward = Vec3::Zero();
      for (const Polyhedron::Edge& e : a.edges)
        if (e.tail == static_cast<int>(i) || e.head == static_cast<int>(i))
          outward += normal(e.left) + normal(e.right);
      const Vec3& v = a.vertices[i];
      for (const Vec3& start : {outward, Vec3(v - a.center)}) {
        const Probe<3> top = climb<3>(b, {}, v - c, -start.normalized());
        consider(-top.n, 0, top.f);
      }
    }
  }

  // Best of nine normals, then the zero of the slope between its neighbours by halving.
  void arc(const Vec3& v, const Vec3& from, const Vec3& to) {
    // Unit tangent at `from`; slivers have arcs of nearly half a turn.
    const double cosine = from.dot(to);
    const Vec3 aside = to - cosine * from;
    const double sine = aside.norm(), angle = std::atan2(sine, cosine);
    if (!(sine > 0)) return;
    const auto turned = [&](double x, double y) { return Vec3(x * from + (y / sine) * aside); };
    const auto at = [&](double s) { return turned(std::cos(s * angle), std::sin(s * angle)); };
    const auto value = [&](const Vec3& d) { return d.dot(c - v) - height_b(d); };
    const auto rises = [&](double s) {
      const Vec3 forward = turned(-std::sin(s * angle), std::cos(s * angle));
      return forward.dot(c - v - b.L * (b.L.transpose() * at(s)).normalized()) > 0;
    };
    int best = 0;
    double most = -base::infinity;
    for (int i = 0; i <= 8; ++i)
      if (const double f = value(at(i / 8.0)); f > most) most = f, best = i;
    double lo = std::max(0, best - 1) / 8.0, hi = std::min(8, best + 1) / 8.0;
    for (int i = 0; i < 50; ++i) {
      const double middle = 0.5 * (lo + hi);
      (rises(middle) ? lo : hi) = middle;
    }
    const Vec3 d = at(lo).normalized();
    consider(d, 0, value(d));
  }

  void corners_of_ellipse() {
    Round<2> ellipse;
    ellipse.L = b.L.topLeftCorner<2, 2>();
    ellipse.least_curvature_radius = b.least_curvature_radius;
    ellipse.has_ellipsoid = true;
    const auto each = [&](auto f) {
      for (const Vec3& v : a.vertices) f(v);
    };
    const auto distance = [&](const Vec3& v) { return (v - c).norm(); };
    const double limit = largest_distance(distance, each);
    each([&](const Vec3& v) {
      if (distance(v) > limit) return;
      const Touch<2> found = touch<2>(ellipse, {}, Vec<2>((v - c).head<2>()));
      consider(Vec3(-found.n.x(), -found.n.y(), 0), 0, found.gap);
    });
  }
};

// The part of the axis that lies over a face: lo < hi, or nothing.
std::optional<std::pair<double, double>> over_face(const Search& s, int face) {
  double lo = -1, hi = 1;
  // Keeps t with inward.(c + t half - p) >= 0.
  const auto cut = [&](const Vec3& p, const Vec3& inward) {
    const double at_center = inward.dot(s.c - p), slope = inward.dot(s.b.half);
    if (slope > 0)
      lo = std::max(lo, -at_center / slope);
    else if (slope < 0)
      hi = std::min(hi, -at_center / slope);
    else if (at_center < 0)
      hi = lo;
  };
  const std::span<const int> loop = s.a.loop(face);
  const Vec3& normal = s.a.faces[static_cast<std::size_t>(face)].normal;
  for (std::size_t i = 0; i < loop.size(); ++i) {
    const Vec3& p = s.a.vertices[static_cast<std::size_t>(loop[i])];
    const Vec3 along = s.a.vertices[static_cast<std::size_t>(loop[(i + 1) % loop.size()])] - p;
    cut(p, s.a.planar ? along : Vec3(normal.cross(along)));
  }
  if (!(lo < hi)) return std::nullopt;
  return std::pair(lo, hi);
}

// The face whose normal is next to n.
int face_along(const Search& s) {
  if (s.face >= 0) return s.face;
  int best = 0;
  double most = -base::infinity;
  for (std::size_t f = 0; f < s.a.faces.size(); ++f)
    if (const double along = s.a.faces[f].normal.dot(s.n); along > most)
      most = along, best = static_cast<int>(f);
  return best;
}

}  // namespace

void collide_polyhedron_round(const PlacedShape& A, const PlacedShape& B,
                              std::vector<ShapeContact>& out) {
  std::optional<Polyhedron> made;
  if (!A.polyhedron) {
    Result<Polyhedron> result = model::polyhedron_of(A.geometry);
    CAIRN_CHECK(result.has_value());
    made = std::move(*result);
  }
  const Polyhedron& a = made ? *made : *A.polyhedron;

  // B in A's frame; of polygons in their plane.
  const Pose X_AB = A.X_W.inverse() * B.X_W;
  const Vec3 d_W = B.X_W.p - A.X_W.p;
  Vec3 c = A.X_W.R.conjugate() * d_W;
  Round<3> round;
  Vec3 shift_W = Vec3::Zero();  // of the contact points out of the plane, from B's centre
  if (a.planar) {
    const Round<2> flat = planar_round(B.geometry, X_AB, PlaneBasis::Identity());
    round.radius = flat.radius;
    round.half.head<2>() = flat.half;
    round.L.topLeftCorner<2, 2>() = flat.L;
    round.least_curvature_radius = flat.least_curvature_radius;
    round.has_ellipsoid = flat.has_ellipsoid;
    if (is_planar(B.geometry)) shift_W = A.X_W.R * Vec3(0, 0, -0.5 * c.z());
    c.z() = 0;
  } else {
    round = spatial_round(B.geometry, X_AB);
  }

  Search search(a, round, c);
  const auto append = [&](const Vec3& lowest, const Vec3& n, double gap, int feature) {
    const Vec3 n_W = A.X_W.R * n, p_WB = B.X_W.p + A.X_W.R * lowest + shift_W;
    out.push_back({p_WB - gap * n_W, p_WB, n_W, gap, feature});
  };
  if (!round.has_segment()) return append(search.lowest(), search.n, search.gap, 0);

  // A capsule that lies along a face, by the cosine and sine of 14 degrees, touches at both ends of
  // the part over it: the best contact is at one end, the other one gets the face's normal; it is
  // never deeper than the shortest way out.
  const int face = face_along(search);
  const Polyhedron::Face& side = a.faces[static_cast<std::size_t>(face)];
  const auto part = over_face(search, face);
  const bool along = side.normal.dot(search.n) >= 1 - 0x1p-5 &&
                     std::abs(side.normal.dot(round.half)) <= 0.25 * round.half.norm();
  if (part && search.face == face) search.t = std::clamp(search.t, part->first, part->second);
  if (!part || !along) return append(search.lowest(), search.n, search.gap, 0);
  const bool at_upper = search.t > 0.5 * (part->first + part->second);
  for (const bool upper : {false, true}) {
    if (upper == at_upper) {
      append(search.lowest(), search.n, search.gap, upper ? 2 : 1);
    } else {
      const Vec3 lowest =
          (upper ? part->second : part->first) * round.half - round.radius * side.normal;
      const double gap = side.normal.dot(c + lowest) - side.offset;
      append(lowest, side.normal, std::max(gap, search.gap), upper ? 2 : 1);
    }
  }
}

}  // namespace cairn::collide
