#include "collide/separating_axes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace cairn {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double no_cross = 0x1p-40;  // sine below which two edges span no plane [-]
constexpr double preference = 1e-9;   // of the radius: what an edge axis must be better [-]

bool is_box(const Polyhedron& shape) {
  return shape.box_half.x() > 0;
}

// max over the shape of d.x, x from the shape's origin, d in its frame.
double support(const Polyhedron& shape, const Vec3& d) {
  if (is_box(shape)) return shape.box_half.dot(d.cwiseAbs());
  double most = -infinity;
  for (const Vec3& v : shape.vertices) most = std::max(most, d.dot(v));
  return most;
}

// B's placement in A's frame.
struct Relative {
  Mat3 R_AB;
  Vec3 p_AB;
  Relative(const Placed& a, const Placed& b)
      : R_AB(a.R_WS.transpose() * b.R_WS), p_AB(a.R_WS.transpose() * (b.p_WS - a.p_WS)) {}
};

double along_face_a(const Polyhedron& a, int face, const Polyhedron& b, const Relative& X) {
  const Polyhedron::Face& f = a.faces[static_cast<std::size_t>(face)];
  const Vec3 d = -(X.R_AB.transpose() * f.normal);
  return f.normal.dot(X.p_AB) - support(b, d) - f.offset;
}

double along_face_b(const Polyhedron& a, const Polyhedron& b, int face, const Relative& X) {
  const Polyhedron::Face& f = b.faces[static_cast<std::size_t>(face)];
  const Vec3 d = -(X.R_AB * f.normal);  // towards B, in A's frame
  return d.dot(X.p_AB) - f.offset - support(a, d);
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

// A's edge and B's edge make a face of the Minkowski difference where the arcs of their normals
// cross on the sphere: l_A, r_A on both sides of B's arc and the reverse, on the same hemisphere.
bool arcs_cross(const Vec3& l_a, const Vec3& r_a, const Vec3& along_a, const Vec3& l_b,
                const Vec3& r_b, const Vec3& along_b) {
  const double cba = l_b.dot(along_a), dba = r_b.dot(along_a);
  if (!(cba * dba < 0)) return false;
  const double adc = l_a.dot(along_b), bdc = r_a.dot(along_b);
  return adc * bdc < 0 && cba * bdc > 0;
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

// Calls visit(edge of A, edge of B, unit axis in A's frame from A to B, separation).
template <class Visit>
void visit_edges(const Polyhedron& a, const Polyhedron& b, const Relative& X, Visit visit) {
  if (is_box(a) && is_box(b)) return visit_box_edges(a, b, X, visit);
  for (int eb = 0; eb < static_cast<int>(b.edges.size()); ++eb) {
    const Polyhedron::Edge& of_b = b.edges[static_cast<std::size_t>(eb)];
    const Vec3 db = X.R_AB * along(b, eb);
    // Normals of -B.
    const Vec3 l_b = -(X.R_AB * b.faces[static_cast<std::size_t>(of_b.left)].normal),
               r_b = -(X.R_AB * b.faces[static_cast<std::size_t>(of_b.right)].normal);
    const Vec3 tail_b = X.p_AB + X.R_AB * b.vertices[static_cast<std::size_t>(of_b.tail)];
    for (int ea = 0; ea < static_cast<int>(a.edges.size()); ++ea) {
      const Polyhedron::Edge& of_a = a.edges[static_cast<std::size_t>(ea)];
      const Vec3 da = along(a, ea);
      const Vec3 &l_a = a.faces[static_cast<std::size_t>(of_a.left)].normal,
                 &r_a = a.faces[static_cast<std::size_t>(of_a.right)].normal;
      if (!arcs_cross(l_a, r_a, da, l_b, r_b, db)) continue;
      Vec3 n = da.cross(db);
      const double size = n.norm();
      if (!(size > no_cross * da.norm() * db.norm())) continue;
      n /= size;
      if (n.dot(l_a + r_a) < 0) n = -n;
      const double gap = n.dot(tail_b - a.vertices[static_cast<std::size_t>(of_a.tail)]);
      visit(ea, eb, n, gap);
    }
  }
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
  if (n == Vec3::Zero()) return -infinity;
  return n.dot(X.p_AB) - support(*b.shape, -(X.R_AB.transpose() * n)) - support(*a.shape, n);
}

void list_axes(const Placed& a, const Placed& b, double least, double far, AxisList& out) {
  out.axes.clear();
  out.separation.clear();
  const Polyhedron &A = *a.shape, &B = *b.shape;
  const Relative X(a, b);
  double best = -infinity;
  SeparatingAxis best_axis;
  auto meet = [&](const SeparatingAxis& axis, double s, double handicap) {
    if (s >= least) {
      out.axes.push_back(axis);
      out.separation.push_back(s);
    }
    if (s > best + handicap) {
      best = s;
      best_axis = axis;
    }
  };
  for (int f = 0; f < static_cast<int>(A.faces.size()); ++f)
    meet({SeparatingAxis::Kind::face_a, f, -1, 1}, along_face_a(A, f, B, X), 0);
  const double handicap = preference * std::min(A.outer_radius, B.outer_radius);
  for (int g = 0; g < static_cast<int>(B.faces.size()); ++g)
    meet({SeparatingAxis::Kind::face_b, -1, g, 1}, along_face_b(A, B, g, X), handicap);
  if (!A.planar && !(best > far))
    visit_edges(A, B, X, [&](int ea, int eb, const Vec3& n, double s) {
      const double sign = n.dot(along(A, ea).cross(X.R_AB * along(B, eb))) < 0 ? -1 : 1;
      meet({SeparatingAxis::Kind::edges, ea, eb, sign}, s, handicap);
    });
  const auto found = std::find(out.axes.begin(), out.axes.end(), best_axis);
  out.best = static_cast<std::size_t>(found - out.axes.begin());
  if (found != out.axes.end()) return;
  out.axes.push_back(best_axis);
  out.separation.push_back(best);
}

double overlap_or_gap(const Placed& a, const Placed& b) {
  const Polyhedron &A = *a.shape, &B = *b.shape;
  const Relative X(a, b);
  double best = -infinity;
  for (int f = 0; f < static_cast<int>(A.faces.size()) && best <= 0; ++f)
    best = std::max(best, along_face_a(A, f, B, X));
  for (int g = 0; g < static_cast<int>(B.faces.size()) && best <= 0; ++g)
    best = std::max(best, along_face_b(A, B, g, X));
  if (!A.planar && best <= 0)
    visit_edges(A, B, X, [&](int, int, const Vec3&, double s) { best = std::max(best, s); });
  return best;
}

}  // namespace cairn
