// Damped Newton on the sphere for the best separating normal; several fixed starts where the answer
// may not be unique.
#include "collide/ratio/peak.hpp"

#include <cmath>
#include <limits>

namespace cairn::collide {
namespace {

constexpr double epsilon = 0x1p-52;

Eigen::Matrix<double, 2, 1> tangent_basis(const Vec<2>& n) {
  return {-n.y(), n.x()};
}
Eigen::Matrix<double, 3, 2> tangent_basis(const Vec<3>& n) {
  const Tangents t = tangents(n);
  Eigen::Matrix<double, 3, 2> T;
  T << t.t1, t.t2;
  return T;
}

double least_eigenvalue(const Mat<1>& M) {
  return M(0, 0);
}
double least_eigenvalue(const Mat<2>& M) {
  const double half_difference = 0.5 * (M(0, 0) - M(1, 1));
  return 0.5 * (M(0, 0) + M(1, 1)) -
         std::sqrt(half_difference * half_difference + M(0, 1) * M(0, 1));
}

template <int D>
struct Ascent {
  const Round<D>& a;
  const Round<D>& b;
  const Vec<D>& d;

  Probe<D> probe(const Vec<D>& n) const {
    Probe<D> at;
    at.n = n;
    at.T = tangent_basis(n);
    at.f = n.dot(d);
    at.size = d.norm();
    Vec<D> rest = d;
    for (const Round<D>* body : {&a, &b}) {
      if (!body->has_ellipsoid) continue;
      const Vec<D> q = body->L.transpose() * n;
      const double h = q.norm();
      const Vec<D> e = q / h;
      // T^T H T = W^T W / h with W = (I - e e^T) L^T T: positive semidefinite to the last bit, no
      // cancellation.
      const Eigen::Matrix<double, D, D - 1> P = body->L.transpose() * at.T;
      const Eigen::Matrix<double, D, D - 1> W = P - e * (e.transpose() * P);
      at.f -= h;
      at.size += h;
      rest -= body->L * e;
      at.K += W.transpose() * W / h;
    }
    at.g = at.T.transpose() * rest;
    return at;
  }

  // Newton's direction. Where f < 0 the Hessian may be indefinite; then it is shifted to stay a
  // direction of ascent.
  static Vec<D - 1> step(const Probe<D>& at) {
    Mat<D - 1> M = at.K + at.f * Mat<D - 1>::Identity();
    const double scale = std::abs(at.f) + at.K.trace();
    const double least = least_eigenvalue(M);
    if (least <= 0x1p-40 * scale) M += (0.125 * scale - least) * Mat<D - 1>::Identity();
    Vec<D - 1> p = M.inverse() * at.g;
    const double length = p.norm();
    return length > 1 ? Vec<D - 1>(p / length) : p;
  }

  // A stationary point uphill of n, to rounding.
  Probe<D> climb(const Vec<D>& n) const {
    Probe<D> at = probe(n);
    for (int iteration = 0; iteration < 60; ++iteration) {
      const double steepness = at.g.norm();
      if (steepness <= epsilon * at.size) break;
      const Vec<D - 1> p = step(at);
      const double rise = at.g.dot(p);
      // Close to the top the rise of f drowns in rounding; there the gradient has to fall.
      const bool close = rise <= 0x1p-42 * at.size;
      bool advanced = false;
      double fraction = 1;
      for (int halving = 0; halving < (close ? 3 : 40) && !advanced; ++halving, fraction *= 0.5) {
        const Probe<D> next = probe((at.n + at.T * (fraction * p)).normalized());
        advanced = close ? next.g.norm() < steepness : next.f >= at.f + 1e-4 * fraction * rise;
        if (advanced) at = next;
      }
      if (!advanced) break;
    }
    return at;
  }

  // Normal of the ellipsoid x^T Q^-1 x = const at d; d itself where Q is singular.
  Vec<D> through(const Mat<D>& Q) const {
    const Vec<D> n = Q.inverse() * d;
    const double length = n.norm();
    return std::isfinite(length) && length > 0 ? Vec<D>(n / length) : Vec<D>(d.normalized());
  }

  Probe<D> better(const Probe<D>& best, const Vec<D>& start) const {
    const Probe<D> found = climb(start);
    return found.f > best.f ? found : best;
  }
};

}  // namespace

template <int D>
Probe<D> peak(const Round<D>& a, const Round<D>& b, const Vec<D>& d) {
  const Ascent<D> ascent{a, b, d};
  const bool apart = (d.array() != 0).any();
  const Mat<D> Q_A = a.L * a.L.transpose(), Q_B = b.L * b.L.transpose();
  Probe<D> best;
  if (apart) {
    const Probe<D> middle = ascent.probe(ascent.through(Q_A + Q_B));
    const Probe<D> straight = ascent.probe(d.normalized());
    const bool by_middle = middle.f >= straight.f;
    best = ascent.climb(by_middle ? middle.n : straight.n);
    // f >= 0: the Hessian is definite wherever f > 0 and that region is convex, so this is the
    // maximum. Shallow overlap: a ball of the least radius of curvature of A + B (at least the sum
    // of both) rolls freely inside A + B, so that a stationary depth below it is the distance from
    // the surface.
    if (-best.f <= a.least_curvature_radius + b.least_curvature_radius) return best;
    best = ascent.better(best, by_middle ? straight.n : middle.n);
  }

  // Deep overlap: try the normals of either shape at d and all axes, on the side of d, and keep the
  // first best one.
  if (!apart) best.f = -std::numeric_limits<double>::infinity();
  for (const Round<D>* body : {&a, &b}) {
    if (!body->has_ellipsoid) continue;
    if (apart) best = ascent.better(best, ascent.through(body == &a ? Q_A : Q_B));
    for (int axis = 0; axis < D; ++axis) {
      const Vec<D> n = body->L.col(axis).normalized();
      best = ascent.better(best, n.dot(d) < 0 ? Vec<D>(-n) : n);
    }
  }
  return best;
}

template <int D>
Probe<D> climb(const Round<D>& a, const Round<D>& b, const Vec<D>& d, const Vec<D>& start) {
  return Ascent<D>{a, b, d}.climb(start);
}

template Probe<2> climb(const Round<2>&, const Round<2>&, const Vec<2>&, const Vec<2>&);
template Probe<3> climb(const Round<3>&, const Round<3>&, const Vec<3>&, const Vec<3>&);
template Probe<2> peak(const Round<2>&, const Round<2>&, const Vec<2>&);
template Probe<3> peak(const Round<3>&, const Round<3>&, const Vec<3>&);

}  // namespace cairn::collide
