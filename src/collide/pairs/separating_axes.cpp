#include "collide/pairs/separating_axes.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/infinity.hpp"

namespace cairn::collide {
namespace {

constexpr double no_cross = 0x1p-40;      // sine below which two edges span no plane [-]
constexpr double edge_preference = 1e-9;  // of the radius: what an edge axis must be better [-]

bool is_box(const Polyhedron& shape) {
  return shape.box_half.x() > 0;
}

// max over the shape of d.x, x from the shape's origin, d in its frame.
double extent_along(const Polyhedron& shape, const Vec3& d) {
  if (is_box(shape)) return shape.box_half.dot(d.cwiseAbs());
  double most = -base::infinity;
  for (const Vec3& v : shape.vertices) most = std::max(most, d.dot(v));
  return most;
}

// B's placement in A's frame.
struct Relative {
  Mat3 R_AB;
  Vec3 p_AB;
  Relative(const Placed& a, const Placed& b)
      : R_AB(a.R_WS.transpose() * b.R_WS), p_AB(a.R_WS.transpose() * (b.pose.p - a.pose.p)) {}
};

double along_face_a(const Polyhedron& a, int face, const Polyhedron& b, const Relative& X) {
  const Polyhedron::Face& f = a.faces[static_cast<std::size_t>(face)];
  const Vec3 d = -(X.R_AB.transpose() * f.normal);
  return f.normal.dot(X.p_AB) - extent_along(b, d) - f.offset;
}

double along_face_b(const Polyhedron& a, const Polyhedron& b, int face, const Relative& X) {
  const Polyhedron::Face& f = b.faces[static_cast<std::size_t>(face)];
  const Vec3 d = -(X.R_AB * f.normal);  // towards B, in A's frame
  return d.dot(X.p_AB) - f.offset - extent_along(a, d);
}

Vec3 along(const Polyhedron& p, int edge) {
  const Polyhedron::Edge& e = p.edges[static_cast<std::size_t>(edge)];
  return p.vertices[static_cast<std::size_t>(e.head)] -
         p.vertices[static_cast<std::size_t>(e.tail)];
}

// In A's frame; zero if parallel.
Vec3 cross_of(const Polyhedron& a, int ea, const Polyhedron& b, int eb, const Relative& X) {
  const Vec3 da = along(a, ea), db = X.R_AB * along(b, eb);
  const Vec3 c = da.cross(db);
  const double size = c.norm();
  if (!(size > no_cross * da.norm() * db.norm())) return Vec3::Zero();
  return c / size;
}

// The edges of a box along axis k, by the corner at their lower end (see box_polyhedron), in the
// order of (tail, head).
constexpr auto box_edges = [] {
  std::array<std::array<int, 8>, 3> index{};
  int next = 0;
  for (int tail = 0; tail < 8; ++tail)
    for (int k = 0; k < 3; ++k)
      if (!(tail >> k & 1))
        index[static_cast<std::size_t>(k)][static_cast<std::size_t>(tail)] = next++;
  return index;
}();

// The edge of the box along axis k that is farthest along d.
int farthest_edge(int k, const Vec3& d) {
  int tail = 0;
  for (int i = 0; i < 3; ++i)
    if (i != k && d[i] > 0) tail |= 1 << i;
  return box_edges[static_cast<std::size_t>(k)][static_cast<std::size_t>(tail)];
}

// Two boxes have nine directions, each with the edges that lie farthest along it.
template <class Visit>
void visit_box_edges(const Polyhedron& a, const Polyhedron& b, const Relative& X, Visit visit) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      Vec3 n = Vec3::Unit(i).cross(X.R_AB.col(j));
      const double size = n.norm();
      if (!(size > no_cross)) continue;
      n /= n.dot(X.p_AB) < 0 ? -size : size;
      const Vec3 n_B = X.R_AB.transpose() * n;
      visit(farthest_edge(i, n), farthest_edge(j, -n_B), n,
            n.dot(X.p_AB) - a.box_half.dot(n.cwiseAbs()) - b.box_half.dot(n_B.cwiseAbs()));
    }
}

int edge_between(const Polyhedron& p, const std::array<int, 2>& vertices) {
  const std::pair wanted = std::minmax(vertices[0], vertices[1]);
  const auto edge =
      std::lower_bound(p.edges.begin(), p.edges.end(), wanted, [](const auto& e, const auto& key) {
        return std::pair(e.tail, e.head) < std::pair<int, int>(key);
      });
  if (edge == p.edges.end() || edge->tail != wanted.first || edge->head != wanted.second) return -1;
  return static_cast<int>(edge - p.edges.begin());
}

// Calls visit(edge of A, edge of B, unit axis in A's frame from A to B, separation).
template <class Visit>
void visit_edges(const Placed& a, const Placed& b, const Relative& X, RatioBasis& basis,
                 Visit visit) {
  if (is_box(*a.shape) && is_box(*b.shape)) return visit_box_edges(*a.shape, *b.shape, X, visit);
  const Ratio ratio = ratio_metric(*a.shape, a.pose, *b.shape, b.pose, &basis);
  basis = ratio.basis;
  if (ratio.event != RatioEvent::edges) return;
  const int ea = edge_between(*a.shape, ratio.of_a), eb = edge_between(*b.shape, ratio.of_b);
  if (ea < 0 || eb < 0) return;
  visit(ea, eb, Vec3(a.R_WS.transpose() * ratio.axis), ratio.separation);
}

// No support of B reaches beyond its inner ball: a bound from above of the separation along a face.
double bound_along_face(const Polyhedron& a, int face, const Polyhedron& b, const Vec3& center_b) {
  const Polyhedron::Face& f = a.faces[static_cast<std::size_t>(face)];
  return f.normal.dot(center_b) - f.offset - b.inner_radius;
}

// Calls visit(kind, face, separation) for the faces of A, then those of B, that may separate by
// more than wanted().
template <class Wanted, class Visit>
void visit_faces(const Placed& a, const Placed& b, const Relative& X, Wanted wanted, Visit visit) {
  const Polyhedron &A = *a.shape, &B = *b.shape;
  const Vec3 b_in_a = X.p_AB + X.R_AB * B.center, a_in_b = X.R_AB.transpose() * (A.center - X.p_AB);
  for (int f = 0; f < static_cast<int>(A.faces.size()); ++f)
    if (bound_along_face(A, f, B, b_in_a) >= wanted())
      visit(SeparatingAxis::Kind::face_a, f, along_face_a(A, f, B, X));
  for (int g = 0; g < static_cast<int>(B.faces.size()); ++g)
    if (bound_along_face(B, g, A, a_in_b) >= wanted())
      visit(SeparatingAxis::Kind::face_b, g, along_face_b(A, B, g, X));
}

}  // namespace

Vec3 direction(const SeparatingAxis& axis, const Placed& a, const Placed& b) {
  if (axis.kind == SeparatingAxis::Kind::face_a) return a.normal(axis.a);
  if (axis.kind == SeparatingAxis::Kind::face_b) return -b.normal(axis.b);
  const Relative X(a, b);
  return axis.sign * a.direction(cross_of(*a.shape, axis.a, *b.shape, axis.b, X));
}

double separation(const SeparatingAxis& axis, const Placed& a, const Placed& b) {
  const Relative X(a, b);
  if (axis.kind == SeparatingAxis::Kind::face_a) return along_face_a(*a.shape, axis.a, *b.shape, X);
  if (axis.kind == SeparatingAxis::Kind::face_b) return along_face_b(*a.shape, *b.shape, axis.b, X);
  const Vec3 n = axis.sign * cross_of(*a.shape, axis.a, *b.shape, axis.b, X);
  if (n == Vec3::Zero()) return -base::infinity;
  return n.dot(X.p_AB) - extent_along(*b.shape, -(X.R_AB.transpose() * n)) -
         extent_along(*a.shape, n);
}

void list_axes(const Placed& a, const Placed& b, double least, double far, AxisList& out) {
  out.axes.clear();
  out.separation.clear();
  const Polyhedron &A = *a.shape, &B = *b.shape;
  const Relative X(a, b);
  double best = -base::infinity;
  SeparatingAxis best_axis;
  const double handicap = edge_preference * std::min(A.outer_radius, B.outer_radius);
  auto meet = [&](const SeparatingAxis& axis, double s) {
    if (s >= least) {
      out.axes.push_back(axis);
      out.separation.push_back(s);
    }
    if (s > best + (axis.kind == SeparatingAxis::Kind::face_a ? 0 : handicap)) {
      best = s;
      best_axis = axis;
    }
  };
  visit_faces(
      a, b, X, [&] { return std::min(best, least); },
      [&](SeparatingAxis::Kind kind, int face, double s) {
        const bool of_a = kind == SeparatingAxis::Kind::face_a;
        meet({kind, of_a ? face : -1, of_a ? -1 : face, 1}, s);
      });
  if (!A.planar && !(best > far))
    visit_edges(a, b, X, out.basis, [&](int ea, int eb, const Vec3& n, double s) {
      const double sign = n.dot(along(A, ea).cross(X.R_AB * along(B, eb))) < 0 ? -1 : 1;
      meet({SeparatingAxis::Kind::edges, ea, eb, sign}, s);
    });
  const auto found = std::find(out.axes.begin(), out.axes.end(), best_axis);
  out.best = static_cast<std::size_t>(found - out.axes.begin());
  if (found != out.axes.end()) return;
  out.axes.push_back(best_axis);
  out.separation.push_back(best);
}

double overlap_or_gap(const Placed& a, const Placed& b, double rounding, RatioBasis& basis) {
  const Relative X(a, b);
  double best = -base::infinity;
  visit_faces(
      a, b, X, [&] { return best > 0 ? base::infinity : best; },
      [&](SeparatingAxis::Kind, int, double s) { best = std::max(best, s); });
  if (!a.shape->planar && !(best >= -rounding))
    visit_edges(a, b, X, basis, [&](int, int, const Vec3&, double s) { best = std::max(best, s); });
  return best;
}

}  // namespace cairn::collide
