// A second judge for reduced problems, written for the tests from the definitions (E5, E10 to E17)
// with plain dense matrices: it shares no code with certify().
#pragma once

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <numbers>
#include <utility>
#include <vector>

#include "cairn/reduced.hpp"

namespace cairn::make {

inline Eigen::MatrixXd dense_W(const ReducedProblem& p) {
  Eigen::MatrixXd W = Eigen::MatrixXd::Zero(p.rows(), p.rows());
  for (std::size_t i = 0; i < p.constraints.size(); ++i)
    for (int k = p.first_block[i]; k < p.first_block[i + 1]; ++k) {
      const auto& block = p.blocks[static_cast<std::size_t>(k)];
      const auto j = static_cast<std::size_t>(block.column);
      for (int r = 0; r < p.constraints[i].rows; ++r)
        for (int c = 0; c < p.constraints[j].rows; ++c)
          W(p.first_row[i] + r, p.first_row[j] + c) = block.value[r][c];
    }
  return W;
}

// The point of the cone over a polygon (or circle: no corners) next to z, by scanning its boundary:
// the cone is the union of the wedges over neighbouring vertices, each projected on by hand.
inline VecX nearest_in_cone(double mu, const FrictionPolygon& corners, const VecX& z) {
  const VecX z_t = z.tail(z.size() - 1);
  if (corners.empty()) {
    const double t = z_t.norm();
    if (t <= mu * z[0]) return z;
    VecX ray(z.size());
    ray << 1, (t > 0 ? VecX(mu / t * z_t) : VecX::Zero(z_t.size()));
    return std::max(0.0, ray.dot(z) / ray.squaredNorm()) * ray;
  }
  VecX best = VecX::Zero(3);
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const Corner &a = corners[i], &b = corners[(i + 1) % corners.size()];
    VecX g(3), h(3);
    g << 1, mu * a[0], mu * a[1];
    h << 1, mu * b[0], mu * b[1];
    const auto solve = [](double m11, double m12, double m21, double m22, double y1, double y2) {
      const double det = m11 * m22 - m12 * m21;
      return std::pair((m22 * y1 - m12 * y2) / det, (m11 * y2 - m21 * y1) / det);
    };
    if (mu > 0) {
      // Inside: z_T = x g_T + y h_T with x, y >= 0 and x + y <= z_n.
      const auto [x, y] = solve(g[1], h[1], g[2], h[2], z[1], z[2]);
      if (x >= 0 && y >= 0 && x + y <= z[0]) return z;
      // The foot point on the plane of the two rays.
      const double gh = g.dot(h);
      const auto [s, t] = solve(g.dot(g), gh, gh, h.dot(h), g.dot(z), h.dot(z));
      const VecX foot = s * g + t * h;
      if (s >= 0 && t >= 0 && (foot - z).norm() < (best - z).norm()) best = foot;
    }
    const VecX p = std::max(0.0, g.dot(z) / g.squaredNorm()) * g;
    if ((p - z).norm() < (best - z).norm()) best = p;
  }
  return best;
}

// Corners over mu; none: a circle, or one direction.
inline FrictionPolygon section_of(const ReducedConstraint& c) {
  if (c.rows < 3) return {};
  if (c.section) return *c.section;
  FrictionPolygon corners;
  for (int i = 0; i < c.facets; ++i) {
    const double a = 2 * std::numbers::pi * i / c.facets;
    corners.push_back({std::cos(a), std::sin(a)});
  }
  return corners;
}

inline VecX nearest(const ReducedConstraint& c, double d, const VecX& z) {
  switch (c.law) {
    case Law::equality:
      return z;
    case Law::nonnegative:
      return z.cwiseMax(0.0);
    case Law::box:
      return VecX::Constant(1, std::min(std::max(z[0], d * c.lo), d * c.hi));
    case Law::coulomb:
    case Law::coulomb_relaxed:
      return nearest_in_cone(c.mu, section_of(c), z);
    case Law::disc:
      ADD_FAILURE() << "reduced problems have no discs";
  }
  return z;
}

inline double slip(const ReducedConstraint& c, const VecX& w) {
  if (c.law != Law::coulomb) return 0;
  const FrictionPolygon corners = section_of(c);
  if (corners.empty()) return c.mu * w.tail(c.rows - 1).norm();
  double most = 0;
  for (const Corner& a : corners) most = std::max(most, -c.mu * (a[0] * w[1] + a[1] * w[2]));
  return most;
}

struct Judgement {
  double natural_map = 0, complementarity = 0, cone = 0, equality = 0, gap = 0, pull = 0;
  double worst() const {
    return std::max({natural_map, complementarity, cone, equality, gap, pull});
  }
};

inline Judgement judge(const ReducedProblem& p, const VecX& lambda) {
  const Eigen::MatrixXd W = dense_W(p);
  const VecX w = W * lambda + p.q;
  const std::size_t n = p.constraints.size();
  const auto first = [&](std::size_t i) { return p.first_row[i]; };
  const auto unilateral = [&](std::size_t i) {
    return p.constraints[i].law != Law::equality && p.constraints[i].law != Law::box;
  };
  // Islands: label propagation over nonzero blocks.
  std::vector<std::size_t> island(n);
  for (std::size_t i = 0; i < n; ++i) island[i] = i;
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) {
        const auto block =
            W.block(first(i), first(j), p.constraints[i].rows, p.constraints[j].rows);
        if (island[i] == island[j] || block.isZero(0)) continue;
        island[i] = island[j] = std::min(island[i], island[j]);
        changed = true;
      }
  }
  std::vector<double> d(n), s(n, 0.0), s_v(n, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    const int rows = p.constraints[i].rows;
    const double mean = W.block(first(i), first(i), rows, rows).trace() / rows;
    const double largest = W.middleRows(first(i), rows).cwiseAbs().maxCoeff();
    const double size = 1.2 * std::sqrt(mean > std::ldexp(largest, -40) ? mean : largest);
    d[i] = size > 0 ? std::exp2(std::floor(std::log2(size))) : 1;
  }
  for (std::size_t i = 0; i < n; ++i) {
    const int rows = p.constraints[i].rows;
    const double impulse = lambda.segment(first(i), rows).norm();
    if (unilateral(i) && impulse == 0 && p.q[first(i)] >= 0) continue;
    const double free = p.q.segment(first(i), rows).norm() / d[i];
    s[island[i]] = std::max({s[island[i]], d[i] * impulse, free});
    s_v[island[i]] = std::max(s_v[island[i]], free);
  }
  Judgement result;
  const auto over = [](double x, double scale) { return x == 0 ? 0 : x / scale; };
  for (std::size_t i = 0; i < n; ++i) {
    const ReducedConstraint& c = p.constraints[i];
    const double scale = s[island[i]];
    const double speed =
        s_v[island[i]] > 0 ? std::min(scale, 1024 * s_v[island[i]]) : std::ldexp(scale, -40);
    const VecX r = d[i] * lambda.segment(first(i), c.rows);
    VecX u = w.segment(first(i), c.rows) / d[i];
    const double u_n = u[0];
    u[0] += slip(c, u);
    const auto grow = [&](double& field, double x, double by) {
      field = std::max(field, over(x, by));
    };
    grow(result.natural_map, (r - nearest(c, d[i], r - u)).norm(), scale);
    grow(result.cone, (r - nearest(c, d[i], r)).norm(), scale);
    if (c.law == Law::equality) grow(result.equality, u.norm(), speed);
    if (!unilateral(i)) continue;
    grow(result.complementarity, std::abs(r.dot(u)), scale * scale);
    grow(result.gap, std::max(0.0, -u_n), speed);
    grow(result.pull, std::max(0.0, -r[0]), scale);
  }
  return result;
}

}  // namespace cairn::make
