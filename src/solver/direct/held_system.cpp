#include "solver/direct/held_system.hpp"

#include <algorithm>
#include <cmath>

#include "base/index.hpp"

namespace cairn::solver {

HeldSystem::HeldSystem(const Island& island, HeldBuffers& buffers) : island_(island), h_(buffers) {
  unknowns_ = lay_out(island, h_);
  symmetric_ = is_symmetric(island, h_);
  h_.u.resize(base::at(island.rows));
  h_.held.assign(island.groups.size(), 0);
}

double* HeldSystem::border(std::size_t i, std::vector<double>& x) const {
  return &x[base::at(h_.offsets[base::at(h_.node_of_group[i])])];
}

void HeldSystem::take_hold(std::size_t i) {
  const Group& g = island_.groups[i];
  h_.held[i] = has_cone(g.set.law) && g.set.mu == 0 ? 1 : g.rows;
}

void HeldSystem::analyze() {
  h_.lu.begin(h_.sizes, h_.late);
  for (const auto& [i, j] : h_.edges) h_.lu.connect(i, j);
  for (std::size_t i = 0; i < island_.groups.size(); ++i) {
    const Group& g = island_.groups[i];
    if (h_.held[i] > 0 && !is_joint(g)) for_pairs(g, [&](int a, int b) { h_.lu.connect(a, b); });
  }
  h_.lu.analyze();
}

void HeldSystem::begin_matrix(double inertia) {
  h_.lu.zero();
  add_masses(island_, h_.lu);
  if (inertia != 1)
    for (std::size_t i = 0; i < island_.bodies.size(); ++i)
      for (int k = 0; k < island_.bodies[i].size; ++k)
        h_.lu.diagonal(static_cast<int>(i))[k][k] *= inertia;
}

bool HeldSystem::stiffen() {
  return factorize(1, [&](std::size_t i, double N[max_rows][max_rows]) {
    for (int k = 0; k < h_.held[i]; ++k) N[k][k] = h_.stiffness[i];
  });
}

double HeldSystem::judge(const std::vector<double>& r) const {
  add_up_terms(island_, r);
  Estimate estimate(island_.speed, island_.tolerance);
  for (const Group& g : island_.groups) {
    double u[max_rows];
    std::copy_n(&h_.u[base::at(g.first)], g.rows, u);
    estimate.add(row_errors(g.set, &r[base::at(g.first)], u), g.gauge.kappa, g.gauge.hidden,
                 [&] { return terms_of(island_, g); });
  }
  return estimate.value();
}

double HeldSystem::solve_held() {
  double worst = 0;
  h_.x.assign(base::at(unknowns_), 0.0);
  for (std::size_t i = 0; i < island_.groups.size(); ++i) {
    const Group& g = island_.groups[i];
    const double* u = &h_.u[base::at(g.first)];
    double most = 0;  // of the group first: one long chain of comparisons would wait
    for (int k = 0; k < h_.held[i]; ++k) most = std::max(most, std::abs(u[k]));
    worst = std::max(worst, most);
    if (is_joint(g)) {
      for (int k = 0; k < g.rows; ++k) border(i, h_.x)[k] = -u[k];
      continue;
    }
    double push[max_rows] = {};
    for (int k = 0; k < h_.held[i]; ++k) push[k] = -h_.stiffness[i] * u[k];
    add_force(g, push, h_.x);
  }
  h_.lu.solve(h_.offsets, h_.x.data());
  return worst;
}

double HeldSystem::refine(std::vector<double>& r, std::vector<double>& v) {
  const double worst = solve_held();
  for (std::size_t i = 0; i < island_.groups.size(); ++i) {
    const Group& g = island_.groups[i];
    double *u = &h_.u[base::at(g.first)], *r_i = &r[base::at(g.first)];
    if (is_joint(g)) {
      for (int k = 0; k < g.rows; ++k) r_i[k] += border(i, h_.x)[k];
      continue;
    }
    add_velocity(g, h_.x, u);
    for (int k = 0; k < h_.held[i]; ++k) r_i[k] -= h_.stiffness[i] * u[k];
  }
  velocities_from_impulses(island_, r, v);
  measure(v);
  return worst;
}

void HeldSystem::measure(const std::vector<double>& v) {
  for (const Group& g : island_.groups)
    group_velocity(island_, g, v.data(), &h_.u[base::at(g.first)]);
}

void HeldSystem::add_force(const Group& g, const double* r, std::vector<double>& f) const {
  for (int side = 0; side < g.sides; ++side) {
    if (g.body[side] < 0) continue;
    const IslandBody& body = island_.bodies[base::at(g.body[side])];
    linear::add_transposed(g.J[side], g.rows, body.size, r, &f[base::at(body.first)]);
  }
}

void HeldSystem::add_velocity(const Group& g, const std::vector<double>& v, double* u) const {
  for (int side = 0; side < g.sides; ++side) {
    if (g.body[side] < 0) continue;
    const IslandBody& body = island_.bodies[base::at(g.body[side])];
    linear::add_product(g.J[side], g.rows, body.size, &v[base::at(body.first)], u);
  }
}

}  // namespace cairn::solver
