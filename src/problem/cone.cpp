#include "problem/cone.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace cairn {
namespace {

constexpr int max_facets = 64;

struct Direction {
  double x, y;
};

// The vertices d_i of every regular polygon we offer, made once.
const std::array<std::array<Direction, max_facets>, max_facets + 1>& polygons() {
  static const auto table = [] {
    std::array<std::array<Direction, max_facets>, max_facets + 1> all{};
    for (int k = 3; k <= max_facets; ++k)
      for (int i = 0; i < k; ++i) {
        const double angle = 2 * std::numbers::pi * i / k;
        all[static_cast<std::size_t>(k)][static_cast<std::size_t>(i)] = {std::cos(angle),
                                                                         std::sin(angle)};
      }
    return all;
  }();
  return table;
}

// The vertex with the largest d . (x, y), and its neighbour on the side of (x, y).
struct Sector {
  Direction first, second;
  double support;  // d_first . (x, y)
};

Sector sector(int k, double x, double y) {
  const auto& d = polygons()[static_cast<std::size_t>(k)];
  auto along = [&](int i) {
    const auto& v = d[static_cast<std::size_t>(i)];
    return v.x * x + v.y * y;
  };
  int best = 0;
  for (int i = 1; i < k; ++i)
    if (along(i) > along(best)) best = i;
  const int left = (best + 1) % k, right = (best + k - 1) % k;
  const int next = along(left) >= along(right) ? left : right;
  return {d[static_cast<std::size_t>(best)], d[static_cast<std::size_t>(next)], along(best)};
}

// Where z lies relative to a polyhedral cone: in the polar cone, inside, next to the ray g or the
// facet with normal f.
struct PyramidPlace {
  enum class Kind { polar, inside, ray, facet } kind;
  std::array<double, 3> normal;  // unit vector along the ray, or normal of the facet
};

PyramidPlace pyramid_place(const LawSet& set, const double* z) {
  using Kind = PyramidPlace::Kind;
  const Sector s = sector(set.facets, z[1], z[2]);
  if (z[0] + set.mu * s.support <= 0) return {Kind::polar, {}};
  const std::array<double, 3> g = {1, set.mu * s.first.x, set.mu * s.first.y};
  const double g_norm = std::sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
  if (set.mu == 0) return {Kind::ray, {1, 0, 0}};

  // Outward normal of the facet over the edge first-second: along the edge's midpoint direction m,
  // |m| = cos(pi/k).
  const double mx = 0.5 * (s.first.x + s.second.x), my = 0.5 * (s.first.y + s.second.y);
  const double m = std::sqrt(mx * mx + my * my);
  std::array<double, 3> f = {-set.mu * m, mx / m, my / m};
  const double f_norm = std::sqrt(f[0] * f[0] + f[1] * f[1] + f[2] * f[2]);
  for (double& x : f) x /= f_norm;
  const double over = f[0] * z[0] + f[1] * z[1] + f[2] * z[2];
  if (over <= 0) return {Kind::inside, {}};

  // The foot point on the facet's plane belongs to the facet if it lies between its two rays; since
  // `first` is the nearer vertex only that side can fail.
  const double q[3] = {z[0] - over * f[0], z[1] - over * f[1], z[2] - over * f[2]};
  const double ex = s.first.x - s.second.x, ey = s.first.y - s.second.y;
  const double along_edge =
      (q[1] * ex + q[2] * ey) / (ex * ex + ey * ey);  // = mu q_n (share - 1/2)
  if (q[0] > 0 && along_edge <= 0.5 * set.mu * q[0]) return {Kind::facet, f};
  return {Kind::ray, {g[0] / g_norm, g[1] / g_norm, g[2] / g_norm}};
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
  return set.rows == 3 && set.facets > 0;
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
  if (is_pyramid(set)) return set.mu * sector(set.facets, -w[1], -w[2]).support;
  return set.mu * tangential_norm(set.rows, w);
}

}  // namespace

void project_any(const LawSet& set, const double* z, double* p) {
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

double along_vertex(int k, int i, double x, double y) {
  const Direction& d = polygons()[static_cast<std::size_t>(k)][static_cast<std::size_t>(i)];
  return d.x * x + d.y * y;
}

PolygonPlace polygon_place(int k, double x, double y) {
  PolygonPlace place;
  for (int i = 1; i < k; ++i)
    if (along_vertex(k, i, x, y) > along_vertex(k, place.first, x, y)) place.first = i;
  const int left = (place.first + 1) % k, right = (place.first + k - 1) % k;
  place.second = along_vertex(k, left, x, y) >= along_vertex(k, right, x, y) ? left : right;
  const auto& d = polygons()[static_cast<std::size_t>(k)];
  const Direction &a = d[static_cast<std::size_t>(place.first)],
                  &b = d[static_cast<std::size_t>(place.second)];
  const double det = a.x * b.y - a.y * b.x;
  place.weight_first = (x * b.y - y * b.x) / det;
  place.weight_second = (a.x * y - a.y * x) / det;
  return place;
}

double friction_gauge(const LawSet& set, const double* p) {
  if (set.rows < 2) return 0;
  if (!is_pyramid(set)) return tangential_norm(set.rows, p);
  const PolygonPlace place = polygon_place(set.facets, p[1], p[2]);
  return place.weight_first + place.weight_second;
}

void slip_gradient(const LawSet& set, const double* w, double* tau) {
  std::fill(tau, tau + max_rows, 0.0);
  if (set.law != Law::coulomb || set.rows == 1) return;
  if (is_pyramid(set)) {
    const Sector s = sector(set.facets, -w[1], -w[2]);
    tau[1] = -set.mu * s.first.x;
    tau[2] = -set.mu * s.first.y;
    return;
  }
  const double t = tangential_norm(set.rows, w);
  if (t == 0) return;
  for (int i = 1; i < set.rows; ++i) tau[i] = set.mu * w[i] / t;
}

}  // namespace cairn
