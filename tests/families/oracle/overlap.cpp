// Depth of two solids: directions of faces and pairs of edges, the normal between the cores where
// they are apart (Gilbert, Johnson and Keerthi 1988), and a climb from the best of these.
#include "families/oracle/overlap.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>
#include <span>

namespace cairn::families {
namespace {

struct Pair {
  const Solid& a;
  const Pose& X_WA;
  const Solid& b;
  const Pose& X_WB;
  bool planar = false;

  double bound(const Vec3& n) const { return n.dot(support(a, X_WA, n) - support(b, X_WB, -n)); }
  // Of the cores' difference B - A the point least along n.
  Vec3 core_difference(const Vec3& n) const {
    Vec3 w = core_support(b, X_WB, -n, shrink) - core_support(a, X_WA, n, shrink);
    if (planar) w.z() = 0;
    return w;
  }
  static constexpr double shrink = 0.5;
};

struct Best {
  double depth = std::numeric_limits<double>::infinity();
  Vec3 n = Vec3::UnitX();
  void take(double bound, const Vec3& direction) {
    if (bound < depth) depth = bound, n = direction;
  }
};

// Tries n and -n in the plane of the pair.
void try_both(const Pair& pair, Vec3 n, Best& best) {
  if (pair.planar) n.z() = 0;
  const double length = n.norm();
  if (!(length > 1e-12)) return;
  n /= length;
  best.take(pair.bound(n), n);
  best.take(pair.bound(-n), -n);
}

// Of the affine hull of `corners` the point nearest to the origin, if it lies between them.
std::optional<Vec3> nearest_between(std::span<const Vec3> corners) {
  const auto n = static_cast<Eigen::Index>(corners.size());
  Eigen::MatrixXd K = Eigen::MatrixXd::Zero(n + 1, n + 1);  // |sum c_i w_i| least, sum c_i = 1
  double scale = 0;
  for (const Vec3& w : corners) scale = std::max(scale, w.squaredNorm());
  for (Eigen::Index i = 0; i < n; ++i) {
    for (Eigen::Index j = 0; j < n; ++j)
      K(i, j) =
          corners[static_cast<std::size_t>(i)].dot(corners[static_cast<std::size_t>(j)]) / scale;
    K(i, n) = K(n, i) = 1;
  }
  const Eigen::FullPivLU<Eigen::MatrixXd> lu(K);
  if (!lu.isInvertible()) return std::nullopt;
  const VecX c = lu.solve(VecX::Unit(n + 1, n));
  Vec3 p = Vec3::Zero();
  for (Eigen::Index i = 0; i < n; ++i) {
    if (!(c[i] >= 0)) return std::nullopt;
    p += c[i] * corners[static_cast<std::size_t>(i)];
  }
  return p;
}

// The point of a simplex nearest to the origin; keeps the corners that carry it.
Vec3 nearest(std::vector<Vec3>& simplex) {
  Vec3 found = simplex.back();
  std::vector<Vec3> kept = {found};
  for (unsigned set = 1; set < (1u << simplex.size()); ++set) {
    std::vector<Vec3> corners;
    for (std::size_t i = 0; i < simplex.size(); ++i)
      if (set >> i & 1) corners.push_back(simplex[i]);
    const std::optional<Vec3> p = nearest_between(corners);
    if (p && p->norm() < found.norm()) {
      found = *p;
      kept = corners;
    }
  }
  simplex = kept;
  return found;
}

// The normal between the cores, where they are apart.
void try_core_normal(const Pair& pair, const Vec3& start, Best& best) {
  std::vector<Vec3> simplex = {pair.core_difference(start)};
  Vec3 v = simplex[0];
  for (int i = 0; i < 60 && v.norm() > 0 && simplex.size() < 4; ++i) {
    const Vec3 n = v.normalized();
    const Vec3 next = pair.core_difference(n);
    if (v.norm() - n.dot(next) <= 1e-12 * v.norm()) break;
    simplex.push_back(next);
    v = nearest(simplex);
  }
  if (simplex.size() < 4) try_both(pair, v, best);
}

// Ascends from the best direction by ever smaller turns.
void climb(const Pair& pair, double enough, Best& best) {
  constexpr double golden = 2.399963229728653;
  double offset = 0;
  for (double turn = 0.2; turn > 1e-8 && best.depth > enough;) {
    const Vec3 n = best.n;
    const double before = best.depth;
    if (pair.planar) {
      const Vec3 t(-n.y(), n.x(), 0);
      for (const double sign : {-1.0, 1.0}) {
        const Vec3 m = (n + sign * turn * t).normalized();
        best.take(pair.bound(m), m);
      }
    } else {
      const Tangents t = tangents(n);
      for (int k = 0; k < 8; ++k) {
        const double phi = offset + k * (std::numbers::pi / 4);
        const Vec3 m = (n + turn * (std::cos(phi) * t.t1 + std::sin(phi) * t.t2)).normalized();
        best.take(pair.bound(m), m);
      }
      offset += golden;
    }
    if (!(best.depth < before)) turn /= 2;
  }
}

double depth_in_halfspace(const Solid& half, const Pose& X_WH, const Solid& other, const Pose& X_WO,
                          Vec3& n) {
  n = X_WH.R * half.normal;
  if (other.planar) n = Vec3(n.x(), n.y(), 0).normalized();
  return n.dot(X_WH * half.X_BS.p - support(other, X_WO, -n));
}

bool smooth(const Solid& s) {
  return s.kind == Solid::Kind::ellipsoid || s.radius > 0;
}

}  // namespace

// The depth along n has several local minima where round bodies overlap: directions all over the
// sphere, and a climb from the best of each part of it.
double depth_by_scan(const Solid& a, const Pose& X_WA, const Solid& b, const Pose& X_WB,
                     double enough, Vec3& n) {
  if (a.kind == Solid::Kind::halfspace || b.kind == Solid::Kind::halfspace)
    return depth(a, X_WA, b, X_WB, enough, n);
  const Pair pair{a, X_WA, b, X_WB, a.planar || b.planar};
  Best best;
  if (n.squaredNorm() > 0.5) best.take(pair.bound(n), n);
  constexpr int parts = 32, of_part = 16;
  constexpr double golden = 2.399963229728653;
  for (int part = 0; part < parts && best.depth > enough; ++part) {
    Best here;
    for (int k = 0; k < of_part; ++k) {
      const int i = part * of_part + k;
      const double z = 1 - (2.0 * i + 1) / (parts * of_part), r = std::sqrt(1 - z * z);
      Vec3 m(r * std::cos(golden * i), r * std::sin(golden * i), pair.planar ? 0 : z);
      m.normalize();
      here.take(pair.bound(m), m);
    }
    climb(pair, enough, here);
    best.take(here.depth, here.n);
  }
  n = best.n;
  return best.depth;
}

double depth(const Solid& a, const Pose& X_WA, const Solid& b, const Pose& X_WB, double enough,
             Vec3& n) {
  if (a.kind == Solid::Kind::halfspace) return depth_in_halfspace(a, X_WA, b, X_WB, n);
  if (b.kind == Solid::Kind::halfspace) {
    const double d = depth_in_halfspace(b, X_WB, a, X_WA, n);
    n = -n;
    return d;
  }
  const Pair pair{a, X_WA, b, X_WB, a.planar || b.planar};
  Best best;
  const auto done = [&] {
    n = best.n;
    return best.depth <= enough;
  };
  if (n.squaredNorm() > 0.5) best.take(pair.bound(n), n);
  if (done()) return best.depth;
  try_both(pair, X_WB * b.center - X_WA * a.center, best);
  for (const Vec3& m : a.normals) try_both(pair, X_WA.R * m, best);
  for (const Vec3& m : b.normals) try_both(pair, X_WB.R * m, best);
  if (done()) return best.depth;
  if (smooth(a) || smooth(b)) {
    try_core_normal(pair, best.n, best);
    if (done()) return best.depth;
  }
  for (const Vec3& e : a.edges)
    for (const Vec3& f : b.edges)
      if (!pair.planar) try_both(pair, (X_WA.R * e).cross(X_WB.R * f), best);
  if (done()) return best.depth;
  if (smooth(a) || smooth(b)) climb(pair, enough, best);
  n = best.n;
  return best.depth;
}

}  // namespace cairn::families
