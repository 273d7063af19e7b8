#include "problem/cone.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "base/conventions.hpp"

namespace cairn::problem {
namespace {

using Corners = std::span<const Corner>;

double cross(const Corner& a, const Corner& b) {
  return a[0] * b[1] - a[1] * b[0];
}

// The vertex with the largest d . (x, y).
const Corner& farthest(Corners corners, double x, double y) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < corners.size(); ++i)
    if (along(corners[i], x, y) > along(corners[best], x, y)) best = i;
  return corners[best];
}

// Where z lies relative to a polyhedral cone: in the polar cone, inside, next to the ray g or the
// facet with normal f.
struct PyramidPlace {
  enum class Kind { polar, inside, ray, facet } kind;
  std::array<double, 3> normal;  // unit vector along the ray, or normal of the facet
};

std::array<double, 3> unit(const std::array<double, 3>& a) {
  const double size = std::sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
  return {a[0] / size, a[1] / size, a[2] / size};
}

// The foot point of z on the plane of the facet over the edge d-e, with outward normal f, lies
// between its two rays: q_T = mu q_n (m + share (e - d)), m the middle of the edge.
bool foot_in_facet(double mu, const Corner& d, const Corner& e, const std::array<double, 3>& f,
                   double over, const double* z) {
  const double q[3] = {z[0] - over * f[0], z[1] - over * f[1], z[2] - over * f[2]};
  if (!(q[0] > 0)) return false;
  const double x = e[0] - d[0], y = e[1] - d[1], reach = mu * q[0];
  const double share =
      (x * (q[1] - 0.5 * reach * (d[0] + e[0])) + y * (q[2] - 0.5 * reach * (d[1] + e[1]))) /
      (x * x + y * y);
  return std::abs(share) <= 0.5 * reach;
}

PyramidPlace pyramid_place(const LawSet& set, const double* z) {
  using Kind = PyramidPlace::Kind;
  const Corners d = set.corners;
  const Corner& far = farthest(d, z[1], z[2]);
  if (z[0] + set.mu * along(far, z[1], z[2]) <= 0) return {Kind::polar, {}};
  if (set.mu == 0) return {Kind::ray, {1, 0, 0}};
  bool inside = true;
  for (std::size_t i = 0; i < d.size(); ++i) {
    const Corner &a = d[i], &b = d[i + 1 < d.size() ? i + 1 : 0];
    // Outward normal of the facet: across the edge, whose line is cross(a, b)/|b - a| from the
    // origin.
    const std::array<double, 3> f = {-set.mu * cross(a, b), b[1] - a[1], a[0] - b[0]};
    if (f[0] * z[0] + f[1] * z[1] + f[2] * z[2] <= 0) continue;
    inside = false;
    const std::array<double, 3> n = unit(f);
    const double over = n[0] * z[0] + n[1] * z[1] + n[2] * z[2];
    if (foot_in_facet(set.mu, a, b, n, over, z)) return {Kind::facet, n};
  }
  if (inside) return {Kind::inside, {}};
  // No facet: the ray that goes farthest along z.
  PyramidPlace best{Kind::ray, {}};
  double most = -1;
  for (const Corner& a : d) {
    const std::array<double, 3> g = unit({1, set.mu * a[0], set.mu * a[1]});
    const double length = g[0] * z[0] + g[1] * z[1] + g[2] * z[2];
    if (length <= most) continue;
    most = length;
    best.normal = g;
  }
  return best;
}

void project_pyramid(const LawSet& set, const double* z, double* p) {
  const PyramidPlace place = pyramid_place(set, z);
  const auto& n = place.normal;
  const double along = n[0] * z[0] + n[1] * z[1] + n[2] * z[2];
  for (int i = 0; i < 3; ++i) {
    const double n_i = n[static_cast<std::size_t>(i)];
    switch (place.kind) {
      case PyramidPlace::Kind::polar:
        p[i] = 0;
        break;
      case PyramidPlace::Kind::inside:
        p[i] = z[i];
        break;
      case PyramidPlace::Kind::ray:
        p[i] = std::max(0.0, along) * n_i;
        break;
      case PyramidPlace::Kind::facet:
        p[i] = z[i] - along * n_i;
        break;
    }
  }
}

double tangential_norm(int rows, const double* z) {
  return rows == 2 ? std::abs(z[1]) : std::sqrt(z[1] * z[1] + z[2] * z[2]);
}

bool is_pyramid(const LawSet& set) {
  return set.rows == 3 && !set.corners.empty();
}

void project_cone(const LawSet& set, const double* z, double* p) {
  if (is_pyramid(set)) return project_pyramid(set, z, p);
  const double t = tangential_norm(set.rows, z), mu = set.mu;
  if (mu * t <= -z[0]) {  // first, as in project()
    std::fill(p, p + set.rows, 0.0);
  } else if (t <= mu * z[0]) {
    std::copy(z, z + set.rows, p);
  } else {
    p[0] = (z[0] + mu * t) / (1 + mu * mu);
    for (int i = 1; i < set.rows; ++i) p[i] = mu * p[0] * z[i] / t;
  }
}

void cone_derivative(const LawSet& set, const double* z, double D[max_rows][max_rows]) {
  auto outer = [&](const double* a, double factor) {
    for (int i = 0; i < set.rows; ++i)
      for (int j = 0; j < set.rows; ++j) D[i][j] += factor * a[i] * a[j];
  };
  auto identity = [&] {
    for (int i = 0; i < set.rows; ++i) D[i][i] = 1;
  };
  if (is_pyramid(set)) {
    const PyramidPlace place = pyramid_place(set, z);
    if (place.kind == PyramidPlace::Kind::polar) return;
    if (place.kind != PyramidPlace::Kind::ray) identity();
    if (place.kind == PyramidPlace::Kind::facet) outer(place.normal.data(), -1);
    if (place.kind == PyramidPlace::Kind::ray) outer(place.normal.data(), 1);
    return;
  }
  const double t = tangential_norm(set.rows, z), mu = set.mu;
  if (mu * t <= -z[0]) return;
  if (t <= mu * z[0]) return identity();
  // a a^T + (mu p_n / t) c c^T, a along the ray through p, c across it in the tangent plane.
  const double norm = std::sqrt(1 + mu * mu);
  double a[3] = {1 / norm, 0, 0};
  for (int i = 1; i < set.rows; ++i) a[i] = mu * z[i] / t / norm;
  outer(a, 1);
  if (set.rows == 3) {
    const double c[3] = {0, -z[2] / t, z[1] / t};
    outer(c, mu * (z[0] + mu * t) / (1 + mu * mu) / t);
  }
}

double disc_norm(const LawSet& set, const double* z) {
  return set.rows == 1 ? std::abs(z[0]) : std::sqrt(z[0] * z[0] + z[1] * z[1]);
}

void project_disc(const LawSet& set, const double* z, double* p) {
  const double size = disc_norm(set, z);
  const double share = size <= set.hi ? 1 : set.hi / size;
  for (int i = 0; i < set.rows; ++i) p[i] = share * z[i];
}

// On the circle: what is left of a change across the ray through z.
void disc_derivative(const LawSet& set, const double* z, double D[max_rows][max_rows]) {
  const double size = disc_norm(set, z);
  if (size <= set.hi) {
    for (int i = 0; i < set.rows; ++i) D[i][i] = 1;
  } else if (set.rows == 2) {
    const double c[2] = {-z[1] / size, z[0] / size};
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j) D[i][j] = set.hi / size * c[i] * c[j];
  }
}

// max over the friction section of -beta . w_T.
double friction_support(const LawSet& set, const double* w) {
  if (set.rows == 1) return 0;
  if (is_pyramid(set)) return set.mu * along(farthest(set.corners, -w[1], -w[2]), -w[1], -w[2]);
  return set.mu * tangential_norm(set.rows, w);
}

}  // namespace

void project_any(const LawSet& set, const double* z, double* p) {
  CAIRN_DCHECK(set.rows >= 1 && set.rows <= max_rows, set.rows);
  CAIRN_DCHECK(!(set.mu < 0), set.mu);
  switch (set.law) {
    case Law::equality:
      std::copy(z, z + set.rows, p);
      return;
    case Law::nonnegative:
      p[0] = z[0] > 0 ? z[0] : 0;
      return;
    case Law::box:
      p[0] = std::clamp(z[0], set.lo, set.hi);
      return;
    case Law::disc:
      return project_disc(set, z, p);
    case Law::coulomb:
    case Law::coulomb_relaxed:
      if (is_round_cone(set)) return project(set, z, p);
      return project_cone(set, z, p);
  }
}

void project_derivative(const LawSet& set, const double* z, double D[max_rows][max_rows]) {
  CAIRN_DCHECK(set.rows >= 1 && set.rows <= max_rows, set.rows);
  CAIRN_DCHECK(!(set.mu < 0), set.mu);
  for (int i = 0; i < max_rows; ++i) std::fill(D[i], D[i] + max_rows, 0.0);
  switch (set.law) {
    case Law::equality:
      for (int i = 0; i < set.rows; ++i) D[i][i] = 1;
      return;
    case Law::nonnegative:
      D[0][0] = z[0] > 0 ? 1 : 0;
      return;
    case Law::box:
      D[0][0] = z[0] > set.lo && z[0] < set.hi ? 1 : 0;
      return;
    case Law::disc:
      return disc_derivative(set, z, D);
    case Law::coulomb:
    case Law::coulomb_relaxed:
      return cone_derivative(set, z, D);
  }
}

double slip_bound_any(const LawSet& set, const double* w) {
  return set.law == Law::coulomb ? friction_support(set, w) : 0;
}

double opening_speed(const LawSet& set, const double* w) {
  return set.law == Law::coulomb_relaxed ? w[0] - friction_support(set, w) : w[0];
}

std::span<const Corner> regular_polygon(int corners) {
  CAIRN_DCHECK(corners >= 3 && corners <= max_corners, corners);
  static const auto table = [] {
    std::array<FrictionPolygon, max_corners + 1> all;
    for (int k = 3; k <= max_corners; ++k)
      for (int i = 0; i < k; ++i) {
        const double angle = 2 * std::numbers::pi * i / k;
        all[static_cast<std::size_t>(k)].push_back({std::cos(angle), std::sin(angle)});
      }
    return all;
  }();
  return table[static_cast<std::size_t>(corners)];
}

PolygonPlace polygon_place(std::span<const Corner> corners, double x, double y) {
  CAIRN_DCHECK(corners.size() >= 3, corners.size());
  // Of all pairs of neighbours the one without negative weights, up to rounding.
  PolygonPlace place;
  double most = -std::numeric_limits<double>::infinity();
  const int k = static_cast<int>(corners.size());
  for (int i = 0; i < k; ++i) {
    const int j = i + 1 < k ? i + 1 : 0;
    const Corner &a = corners[static_cast<std::size_t>(i)],
                 &b = corners[static_cast<std::size_t>(j)], p = {x, y};
    const double first = cross(p, b) / cross(a, b), second = cross(a, p) / cross(a, b);
    if (std::min(first, second) <= most) continue;
    most = std::min(first, second);
    place = first >= second ? PolygonPlace{i, j, first, second} : PolygonPlace{j, i, second, first};
  }
  return place;
}

double friction_gauge(const LawSet& set, const double* p) {
  if (set.rows < 2) return 0;
  if (!is_pyramid(set)) return tangential_norm(set.rows, p);
  const PolygonPlace place = polygon_place(set.corners, p[1], p[2]);
  return place.weight_first + place.weight_second;
}

void slip_gradient(const LawSet& set, const double* w, double* tau) {
  std::fill(tau, tau + max_rows, 0.0);
  if (set.law != Law::coulomb || set.rows == 1) return;
  if (is_pyramid(set)) {
    const Corner& d = farthest(set.corners, -w[1], -w[2]);
    tau[1] = -set.mu * d[0];
    tau[2] = -set.mu * d[1];
    return;
  }
  const double t = tangential_norm(set.rows, w);
  if (t == 0) return;
  for (int i = 1; i < set.rows; ++i) tau[i] = set.mu * w[i] / t;
}

}  // namespace cairn::problem
