#include "solver/gradient/packed_contacts.hpp"

#include <algorithm>
#include <cmath>

#include "base/index.hpp"
#include "solver/estimate.hpp"

namespace cairn::solver {
namespace {

// Contacts taken together, so that what is made of them goes to a place that the compiler knows to
// be apart from what it is made of.
constexpr std::size_t block = 64;

void add_pair(const linear::NumberPair& pair, double* to) {
  linear::store_pair(linear::load_pair(to) + pair, to);
}

// The point of a round cone next to z, shrink = 1 / (1 + mu^2), without branches: which contacts
// stick and which slide no processor can foresee.
struct ConePoint {
  double normal, share;  // of z_T
};
inline ConePoint next_to(double mu, double shrink, double z_n, double t) {
  const double slid = (z_n + mu * t) * shrink, ratio = mu * slid / t;
  const double n = t <= mu * z_n ? z_n : slid, share = t <= mu * z_n ? 1.0 : ratio;
  return {mu * t <= -z_n ? 0.0 : n, mu * t <= -z_n ? 0.0 : share};
}

}  // namespace

bool PackedContacts::pack(const Island& island, const Group& g) {
  if (!problem::is_round_cone(g.set) || !(g.W[0][0] > 0) || !(g.W[1][1] + g.W[2][2] > 0))
    return false;
  PackedRows& rows = rows_.emplace_back();
  for (int side = 0; side < 2; ++side) {
    const int body = g.body[side];
    rows.velocity[side] = body < 0 ? island.velocities : island.bodies[base::at(body)].first;
    if (body >= 0 && island.bodies[base::at(body)].size != max_velocities) return false;
  }
  const double normal = std::sqrt(g.W[0][0]), tangential = std::sqrt(0.5 * (g.W[1][1] + g.W[2][2]));
  for (int r = 0; r < 3; ++r) {
    const double e = 1 / (r == 0 ? normal : tangential);
    double l[3], m[2][3];
    for (int k = 0; k < 3; ++k) {
      if (g.body[0] >= 0 && g.body[1] >= 0 && g.J[0][r][k] != -g.J[1][r][k]) return false;
      l[k] = e * (g.body[0] >= 0 ? g.J[0][r][k] : -g.J[1][r][k]);
      for (int side = 0; side < 2; ++side)
        m[side][k] = g.body[side] < 0 ? 0 : e * g.J[side][r][3 + k];
    }
    const double pairs[5][2] = {
        {l[0], l[1]}, {l[2], m[0][0]}, {m[0][1], m[0][2]}, {-l[2], m[1][0]}, {m[1][1], m[1][2]}};
    for (int k = 0; k < 5; ++k) rows.J[r][k] = linear::load_pair(pairs[k]);
    rows.b[r] = e * g.b[r];
  }
  mu_.push_back(g.set.mu * tangential / normal);
  shrink_.push_back(1 / (1 + mu_.back() * mu_.back()));
  slip_.push_back(g.set.law == Law::coulomb ? mu_.back() : 0);
  normal_.push_back(normal);
  tangential_.push_back(tangential);
  kappa_.push_back(g.gauge.kappa);
  hidden_.push_back(g.gauge.hidden);
  return true;
}

bool PackedContacts::attach(const Island& island) {
  if (!island.inertia.rest.empty()) return false;
  stop = island.stop;
  rows_.clear();
  for (auto* each : {&mu_, &shrink_, &slip_, &normal_, &tangential_, &inverse_, &kappa_, &hidden_})
    each->clear();
  for (const Group& g : island.groups)
    if (!pack(island, g)) return false;
  for (auto* each : {&mu_, &shrink_, &slip_, &normal_, &tangential_, &kappa_, &hidden_})
    each->resize(rows_.size() + rows_.size() % 2, 1.0);
  for (const IslandBody& body : island.bodies)
    inverse_.insert(inverse_.end(), body.inverse, body.inverse + max_velocities);
  inverse_.resize(inverse_.size() + max_velocities, 0.0);
  v_free_ = island.v_free;
  v_free_.resize(v_free_.size() + max_velocities, 0.0);
  v_.resize(v_free_.size());
  speed_ = island.speed;
  tolerance_ = island.tolerance;
  return true;
}

void PackedContacts::load(const std::vector<double>& r, PackedVector& x) const {
  x.resize(size());
  for (std::size_t i = 0; i < rows_.size(); ++i)
    for (std::size_t k = 0; k < 3; ++k)
      x.row[k][i] = r[3 * i + k] * (k == 0 ? normal_[i] : tangential_[i]);
  for (std::size_t i = rows_.size(); i < size(); ++i)
    for (auto& row : x.row) row[i] = 0;
}

void PackedContacts::store(const PackedVector& x, std::vector<double>& r) const {
  for (std::size_t i = 0; i < rows_.size(); ++i)
    for (std::size_t k = 0; k < 3; ++k)
      r[3 * i + k] = x.row[k][i] / (k == 0 ? normal_[i] : tangential_[i]);
}

void PackedContacts::multiply(const PackedVector& x, PackedVector& g) {
  g.resize(size());
  double *v = v_.data(), *g0 = g.row[0].data(), *g1 = g.row[1].data(), *g2 = g.row[2].data();
  const double *x0 = x.row[0].data(), *x1 = x.row[1].data(), *x2 = x.row[2].data();
  std::fill(v_.begin(), v_.end(), 0.0);
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const PackedRows& c = rows_[i];
    const linear::NumberPair n = {x0[i], x0[i]}, t = {x1[i], x1[i]}, s = {x2[i], x2[i]};
    linear::NumberPair f[5];
    for (int k = 0; k < 5; ++k) f[k] = c.J[0][k] * n + c.J[1][k] * t + c.J[2][k] * s;
    double *first = v + c.velocity[0], *second = v + c.velocity[1];
    for (int k = 0; k < 3; ++k) add_pair(f[k], first + 2 * k);
    add_pair(-f[0], second);
    add_pair(f[3], second + 2);
    add_pair(f[4], second + 4);
  }
  for (std::size_t k = 0; k < v_.size(); ++k) v[k] = v_free_[k] + inverse_[k] * v[k];
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const PackedRows& c = rows_[i];
    const double *first = v + c.velocity[0], *second = v + c.velocity[1];
    const linear::NumberPair w[5] = {linear::load_pair(first) - linear::load_pair(second),
                                     linear::load_pair(first + 2), linear::load_pair(first + 4),
                                     linear::load_pair(second + 2), linear::load_pair(second + 4)};
    linear::NumberPair u[3];
    for (int r = 0; r < 3; ++r)
      u[r] = (c.J[r][0] * w[0] + (c.J[r][1] * w[1] + c.J[r][3] * w[3])) +
             (c.J[r][2] * w[2] + c.J[r][4] * w[4]);
    g0[i] = c.b[0] + (u[0][0] + u[0][1]);
    g1[i] = c.b[1] + (u[1][0] + u[1][1]);
    g2[i] = c.b[2] + (u[2][0] + u[2][1]);
  }
  for (std::size_t i = rows_.size(); i < size(); ++i) g0[i] = g1[i] = g2[i] = 0;
}

void PackedContacts::slip_bounds(const PackedVector& g, std::vector<double>& sigma) const {
  sigma.resize(size());
  const double *g1 = g.row[1].data(), *g2 = g.row[2].data(), *slip = slip_.data();
  double* out = sigma.data();
  for (std::size_t i = 0, n = size(); i < n; ++i)
    out[i] = slip[i] * std::sqrt(g1[i] * g1[i] + g2[i] * g2[i]);
}

void PackedContacts::project(const PackedVector& y, const PackedVector& g,
                             const std::vector<double>& sigma, double step, PackedVector& x) const {
  x.resize(size());
  for (std::size_t from = 0; from < size(); from += block) {
    const std::size_t n = std::min(block, size() - from);
    const double *y0 = &y.row[0][from], *y1 = &y.row[1][from], *y2 = &y.row[2][from],
                 *g0 = &g.row[0][from], *g1 = &g.row[1][from], *g2 = &g.row[2][from],
                 *mu = &mu_[from], *shrink = &shrink_[from], *bound = &sigma[from];
    double p[3][block];
    for (std::size_t i = 0; i < n; ++i) {
      const double z0 = y0[i] - step * (g0[i] + bound[i]), z1 = y1[i] - step * g1[i],
                   z2 = y2[i] - step * g2[i];
      const ConePoint next = next_to(mu[i], shrink[i], z0, std::sqrt(z1 * z1 + z2 * z2));
      p[0][i] = next.normal;
      p[1][i] = next.share * z1;
      p[2][i] = next.share * z2;
    }
    for (std::size_t k = 0; k < 3; ++k) std::copy_n(p[k], n, &x.row[k][from]);
  }
}

double PackedContacts::residual(const PackedVector& x, const PackedVector& g) const {
  double natural[block], impulse[block], along[block];
  Estimate estimate(speed_, tolerance_);
  for (std::size_t from = 0; from < size(); from += block) {
    const std::size_t n = std::min(block, size() - from);
    const double *x0 = &x.row[0][from], *x1 = &x.row[1][from], *x2 = &x.row[2][from],
                 *g0 = &g.row[0][from], *g1 = &g.row[1][from], *g2 = &g.row[2][from],
                 *mu = &mu_[from], *slip = &slip_[from], *e_n = &normal_[from],
                 *e_t = &tangential_[from];
    for (std::size_t i = 0; i < n; ++i) {
      const double r0 = x0[i] / e_n[i], r1 = x1[i] / e_t[i], r2 = x2[i] / e_t[i];
      const double push = g0[i] + slip[i] * std::sqrt(g1[i] * g1[i] + g2[i] * g2[i]);
      const double z0 = r0 - e_n[i] * push, z1 = r1 - e_t[i] * g1[i], z2 = r2 - e_t[i] * g2[i];
      const double cone = mu[i] * e_n[i] / e_t[i];
      const ConePoint p = next_to(cone, 1 / (1 + cone * cone), z0, std::sqrt(z1 * z1 + z2 * z2));
      const double d0 = p.normal - r0, d1 = p.share * z1 - r1, d2 = p.share * z2 - r2;
      natural[i] = d0 * d0 + d1 * d1 + d2 * d2;
      impulse[i] = r0 * r0 + r1 * r1 + r2 * r2;
      along[i] = x0[i] * push + x1[i] * g1[i] + x2[i] * g2[i];
    }
    for (std::size_t i = 0; i < n; ++i)
      estimate.add({natural[i], impulse[i], along[i], -e_n[i] * g0[i]}, kappa_[from + i],
                   hidden_[from + i], [&] { return std::sqrt(impulse[i]); });
  }
  return estimate.value();
}

}  // namespace cairn::solver
