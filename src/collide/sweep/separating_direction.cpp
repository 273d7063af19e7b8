#include "collide/sweep/separating_direction.hpp"

#include <algorithm>
#include <cmath>

#include "base/conventions.hpp"
#include "base/infinity.hpp"

namespace cairn::collide {
namespace {

constexpr double parallel_edges = 0x1p-40;        // sine below which two edges span no plane [-]
constexpr std::size_t most_edge_pairs = 1 << 16;  // that are looked at one by one

bool both_flat(const Solid& a, const Solid& b) {
  return a.polyhedron && b.polyhedron && a.planar == b.planar;
}

// The faces of P against Q whose centre is at c in P's frame: calls visit(face) for those that can
// separate by more than best(), the most promising one first.
template <class Best, class Visit>
void visit_promising_faces(const Polyhedron& p, const Polyhedron& q, const Vec3& c, Best best,
                           Visit visit) {
  // No support reaches less far than the inner ball.
  const auto bound = [&](const Polyhedron::Face& f) {
    return f.normal.dot(c) - f.offset - q.inner_radius;
  };
  const auto first = std::max_element(
      p.faces.begin(), p.faces.end(),
      [&](const Polyhedron::Face& f, const Polyhedron::Face& g) { return bound(f) < bound(g); });
  visit(*first);
  for (auto f = p.faces.begin(); f != p.faces.end(); ++f)
    if (f != first && bound(*f) > best()) visit(*f);
}

}  // namespace

bool can_separate(const Solid& a, const Solid& b) {
  return both_flat(a, b) || can_collide(*a.geometry, *b.geometry);
}

void DirectionFinder::consider(const PairPath& pair, const Moment& at, const Vec3& n) {
  const double s = pair.separation(n, at);
  if (s > best_.separation) best_ = {n, s};
}

namespace {

// Two boxes: the best of the six face normals, or of these and the nine cross products of edges.
struct BoxAxes {
  const Vec3 &half_a, &half_b;
  const Mat3 &A, &B;
  Vec3 d_A;  // from the middle of A to that of B, in A's frame
  Mat3 C;    // A^T B
  Mat3 abs_C;
  double best = -base::infinity;
  Vec3 n = Vec3::UnitZ();

  BoxAxes(const PairPath& pair, const Moment& at)
      : half_a(pair.a.solid.size), half_b(pair.b.solid.size), A(at.a->R_WS), B(at.b->R_WS) {
    d_A = A.transpose() * (at.b->X_WS.p - at.a->X_WS.p);
    C = A.transpose() * B;
    abs_C = C.cwiseAbs();
  }

  void faces() {
    const Vec3 d_B = C.transpose() * d_A;
    const Vec3 s_A = d_A.cwiseAbs() - half_a - abs_C * half_b;
    const Vec3 s_B = d_B.cwiseAbs() - half_b - abs_C.transpose() * half_a;
    int i = 0, k = 0;
    s_A.maxCoeff(&i);
    s_B.maxCoeff(&k);
    if (s_A[i] >= s_B[k]) {
      best = s_A[i];
      n = (d_A[i] < 0 ? -1 : 1) * A.col(i);
    } else {
      best = s_B[k];
      n = (d_B[k] < 0 ? -1 : 1) * B.col(k);
    }
  }

  void edges() {
    for (int i = 0; i < 3; ++i)
      for (int k = 0; k < 3; ++k) {
        Vec3 m = Vec3::Unit(i).cross(C.col(k));
        const double size = m.norm();
        if (!(size > parallel_edges)) continue;
        m /= m.dot(d_A) < 0 ? -size : size;
        const double s =
            m.dot(d_A) - half_a.dot(m.cwiseAbs()) - half_b.dot((C.transpose() * m).cwiseAbs());
        if (s > best) best = s, n = A * m;
      }
  }
};

}  // namespace

struct DirectionFinder::Relative {
  Mat3 R_AB;
  Vec3 p_AB;
  explicit Relative(const Moment& at)
      : R_AB(at.a->R_WS.transpose() * at.b->R_WS),
        p_AB(at.a->R_WS.transpose() * (at.b->X_WS.p - at.a->X_WS.p)) {}
};

// Pairs of edges whose cross product is a face of the Minkowski difference: those that have a
// normal in common (E340). Edges that cannot separate better than what is known are left out.
void DirectionFinder::meet_all_edges(const PairPath& pair, const Moment& at) {
  const Relative X(at);
  const Polyhedron &p = *pair.a.solid.polyhedron, &q = *pair.b.solid.polyhedron;
  const double wanted = best_.separation + pair.bend();
  // Largest n.v for n on the arc between the unit vectors a and b.
  const auto along_arc = [](const Vec3& a, const Vec3& b, const Vec3& v) {
    const double at_ends = std::max(a.dot(v), b.dot(v)), cosine = a.dot(b);
    const Vec3 middle = a + b;
    const double size = middle.norm();
    if (!(cosine > -0.99)) return v.norm();
    // In the plane of the arc: the part of v there, if it points between the ends.
    const Vec3 pole = a.cross(b);
    const double sine = pole.norm();
    if (!(sine > parallel_edges)) return std::max(at_ends, middle.dot(v) / size);
    const Vec3 flat = v - (pole.dot(v) / (sine * sine)) * pole;
    const double length = flat.norm();
    return middle.dot(flat) >= length * std::sqrt(0.5 + 0.5 * cosine) * size ? length : at_ends;
  };
  const auto list = [&](const Polyhedron& shape, const Mat3& R, const Vec3& origin, double sign,
                        const Vec3& other, double other_inner, std::vector<Edge>& out) {
    out.clear();
    for (const Polyhedron::Edge& e : shape.edges) {
      const auto vertex = [&](int i) { return shape.vertices[static_cast<std::size_t>(i)]; };
      const auto normal = [&](int f) {
        return Vec3(sign * (R * shape.faces[static_cast<std::size_t>(f)].normal));
      };
      Edge edge;
      edge.a = normal(e.left);
      edge.b = normal(e.right);
      edge.point = origin + R * vertex(e.tail);
      // n points from A to B: along outward normals of A, inward ones of B.
      if (along_arc(edge.a, edge.b, sign * (other - edge.point)) - other_inner <= wanted) continue;
      edge.pole = edge.b.cross(edge.a);
      edge.along = R * (vertex(e.head) - vertex(e.tail));
      out.push_back(edge);
    }
  };
  list(p, Mat3::Identity(), Vec3::Zero(), 1, X.p_AB + X.R_AB * q.center, q.inner_radius, edges_a_);
  list(q, X.R_AB, X.p_AB, -1, p.center, p.inner_radius, edges_b_);
  if (edges_a_.size() * edges_b_.size() > most_edge_pairs) return;
  for (const Edge& e : edges_a_)
    for (const Edge& f : edges_b_) {
      const double fa = f.a.dot(e.pole), fb = f.b.dot(e.pole);
      if (!(fa * fb < 0)) continue;
      const double ea = e.a.dot(f.pole), eb = e.b.dot(f.pole);
      if (!(ea * eb < 0 && fa * eb > 0)) continue;
      Vec3 n = e.along.cross(f.along);
      const double size = n.norm();
      if (!(size > parallel_edges * e.along.norm() * f.along.norm())) continue;
      n /= n.dot(e.a + e.b) < 0 ? -size : size;
      if (n.dot(f.point - e.point) > best_.separation + pair.bend())
        consider(pair, at, at.a->R_WS * n);
    }
}

void DirectionFinder::meet_polyhedra(const PairPath& pair, const Moment& at, const Effort& effort) {
  CAIRN_DCHECK(effort.least <= effort.enough, effort.least, effort.enough);
  const Solid &a = pair.a.solid, &b = pair.b.solid;
  if (a.kind == Solid::Kind::box && b.kind == Solid::Kind::box) {
    BoxAxes axes(pair, at);
    axes.faces();
    if (!(axes.best - pair.bend() > effort.enough)) axes.edges();
    best_ = {axes.n, axes.best - pair.bend()};
    return;
  }
  const Polyhedron &p = *a.polyhedron, &q = *b.polyhedron;
  const auto known = [&] { return best_.separation + pair.bend(); };
  const Vec3 c_W = at.b->X_WS.p + at.b->R_WS * q.center - (at.a->X_WS.p + at.a->R_WS * p.center);
  visit_promising_faces(p, q, p.center + at.a->R_WS.transpose() * c_W, known,
                        [&](const auto& f) { consider(pair, at, at.a->R_WS * f.normal); });
  visit_promising_faces(q, p, q.center - at.b->R_WS.transpose() * c_W, known,
                        [&](const auto& f) { consider(pair, at, -(at.b->R_WS * f.normal)); });
  if (a.planar || best_.separation > effort.enough) return;
  const Ratio ratio = ratio_metric(p, at.a->X_WS, q, at.b->X_WS, &basis_);
  basis_ = ratio.basis;
  if (ratio.event == RatioEvent::edges) consider(pair, at, ratio.axis);
  if (!(best_.separation > effort.least)) meet_all_edges(pair, at);
}

Direction DirectionFinder::find(const PairPath& pair, const Moment& at, const Effort& effort) {
  best_ = {Vec3::UnitZ(), -base::infinity};
  const Solid &a = pair.a.solid, &b = pair.b.solid;
  if (a.kind == Solid::Kind::wall) {
    consider(pair, at, at.a->R_WS * a.size);
  } else if (both_flat(a, b)) {
    meet_polyhedra(pair, at, effort);
  } else {
    contacts_.clear();
    collide_shapes(*a.geometry, at.a->X_WS, *b.geometry, at.b->X_WS, contacts_, a.polyhedron,
                   b.polyhedron);
    for (const ShapeContact& c : contacts_) consider(pair, at, c.n_W);
  }
  CAIRN_DCHECK(base::is_direction(best_.n));
  return best_;
}

}  // namespace cairn::collide
