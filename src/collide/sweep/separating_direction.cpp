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

bool both_balls(const Solid& a, const Solid& b) {
  return a.kind == Solid::Kind::ball && b.kind == Solid::Kind::ball && !a.planar && !b.planar;
}

// The faces of P against a shape about c, in P's frame, that contains a ball of radius `inner`:
// calls visit(face) for those that can separate by more than best(), the most promising one first.
template <class Best, class Visit>
void visit_promising_faces(const Polyhedron& p, const Vec3& c, double inner, Best best,
                           Visit visit) {
  const auto bound = [&](const Polyhedron::Face& f) { return f.normal.dot(c) - f.offset - inner; };
  const Polyhedron::Face* first = nullptr;
  double most = -base::infinity;
  for (const Polyhedron::Face& f : p.faces)
    if (const double b = bound(f); b > most) most = b, first = &f;
  if (!first) return;
  visit(*first);
  for (const Polyhedron::Face& f : p.faces)
    if (&f != first && bound(f) > best()) visit(f);
}

// Radius of a ball about the middle inside the shape; in the plane for planar ones [m].
double inner_ball(const Solid& s) {
  return s.polyhedron ? s.polyhedron->inner_radius : s.inner;
}

// Middle of the shape [m].
Vec3 middle(const Solid& s, const Placement& p) {
  return p.X_WS.p + p.R_WS * s.middle_S;
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

// Normals of the faces of both, as far as they have any.
void DirectionFinder::meet_faces(const PairPath& pair, const Moment& at) {
  const Solid &a = pair.a.solid, &b = pair.b.solid;
  const auto known = [&] { return best_.separation + pair.bend(); };
  const Vec3 d = middle(b, *at.b) - middle(a, *at.a);
  if (a.polyhedron)
    visit_promising_faces(*a.polyhedron, a.middle_S + at.a->R_WS.transpose() * d, inner_ball(b),
                          known, [&](const auto& f) { consider(pair, at, at.a->R_WS * f.normal); });
  if (b.polyhedron)
    visit_promising_faces(*b.polyhedron, b.middle_S - at.b->R_WS.transpose() * d, inner_ball(a),
                          known,
                          [&](const auto& f) { consider(pair, at, -(at.b->R_WS * f.normal)); });
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
  meet_faces(pair, at);
  if (a.planar || best_.separation > effort.enough) return;
  const Ratio ratio = ratio_metric(p, at.a->X_WS, q, at.b->X_WS, &basis_);
  basis_ = ratio.basis;
  if (ratio.event == RatioEvent::edges) consider(pair, at, ratio.axis);
  if (!(best_.separation > effort.least)) meet_all_edges(pair, at);
}

// A polyhedron and an ellipsoid: in coordinates in which the ellipsoid is a unit ball about the
// origin, the normal at the point of the edges closest to it. That is the contact normal where the
// two touch, and close to it where they overlap little. False: the pair is another one.
bool DirectionFinder::meet_ellipsoid(const PairPath& pair, const Moment& at) {
  const Solid &a = pair.a.solid, &b = pair.b.solid;
  const bool first = a.kind == Solid::Kind::ellipsoid && !a.planar && b.polyhedron;
  const bool second = b.kind == Solid::Kind::ellipsoid && !b.planar && a.polyhedron;
  if (!first && !second) return false;
  const Solid &round = first ? a : b, &flat = first ? b : a;
  const Placement &of_round = first ? *at.a : *at.b, &of_flat = first ? *at.b : *at.a;
  const Mat3 to_ball = round.size.cwiseInverse().asDiagonal() * of_round.R_WS.transpose();
  const Mat3 R = to_ball * of_flat.R_WS;
  const Vec3 p = to_ball * (of_flat.X_WS.p - of_round.X_WS.p);
  scaled_.clear();
  for (const Vec3& v : flat.polyhedron->vertices) scaled_.push_back(p + R * v);
  Vec3 closest = Vec3::Zero();
  double least = base::infinity;
  for (const Polyhedron::Edge& e : flat.polyhedron->edges) {
    const Vec3& tail = scaled_[static_cast<std::size_t>(e.tail)];
    const Vec3 along = scaled_[static_cast<std::size_t>(e.head)] - tail;
    const double t = std::clamp(-tail.dot(along) / along.squaredNorm(), 0.0, 1.0);
    const Vec3 y = tail + t * along;
    if (const double distance2 = y.squaredNorm(); distance2 < least) least = distance2, closest = y;
  }
  const Vec3 n = to_ball.transpose() * closest;  // from the ellipsoid to the polyhedron
  if (const double size = n.norm(); size > 0) consider(pair, at, n / (first ? size : -size));
  return true;
}

Direction DirectionFinder::find(const PairPath& pair, const Moment& at, const Effort& effort) {
  best_ = {Vec3::UnitZ(), -base::infinity};
  const Solid &a = pair.a.solid, &b = pair.b.solid;
  if (a.kind == Solid::Kind::wall) {
    consider(pair, at, at.a->R_WS * a.size);
  } else if (both_flat(a, b)) {
    meet_polyhedra(pair, at, effort);
  } else if (const Vec3 d = at.b->X_WS.p - at.a->X_WS.p; both_balls(a, b) && !d.isZero(0)) {
    consider(pair, at, d.normalized());
  } else {
    meet_faces(pair, at);
    if (best_.separation > effort.enough) return best_;
    if (meet_ellipsoid(pair, at) && best_.separation > effort.least) return best_;
    contacts_.clear();
    collide_shapes(*a.geometry, at.a->X_WS, *b.geometry, at.b->X_WS, contacts_, a.polyhedron,
                   b.polyhedron);
    for (const ShapeContact& c : contacts_) consider(pair, at, c.n_W);
  }
  CAIRN_DCHECK(base::is_direction(best_.n));
  return best_;
}

}  // namespace cairn::collide
