#include "solver/island/primal_coupling.hpp"

#include <algorithm>

#include "base/index.hpp"

namespace cairn::solver {
namespace {

// f += J^T r, J rows x n stored row by row; contacts of spatial bodies get straight-line code.
template <int rows, int n>
void add_transposed_fixed(const double* J, const double* r, double* f) {
  for (int c = 0; c < n; ++c) {
    double sum = 0;
    for (int k = 0; k < rows; ++k) sum += J[k * n + c] * r[k];
    f[c] += sum;
  }
}

void add_packed_transposed(const double* J, int rows, int n, const double* r, double* f) {
  if (rows == 3 && n == 6) return add_transposed_fixed<3, 6>(J, r, f);
  if (rows == 2 && n == 3) return add_transposed_fixed<2, 3>(J, r, f);
  for (int k = 0; k < rows; ++k)
    for (int c = 0; c < n; ++c) f[c] += J[k * n + c] * r[k];
}

// u += J v. Six columns in three independent sums: a chain of six additions waits for each of them.
void add_packed_product(const double* J, int rows, int n, const double* v, double* u) {
  if (n == 6) {
    for (int k = 0; k < rows; ++k, J += 6)
      u[k] +=
          (J[0] * v[0] + J[3] * v[3]) + (J[1] * v[1] + J[4] * v[4]) + (J[2] * v[2] + J[5] * v[5]);
    return;
  }
  for (int k = 0; k < rows; ++k) u[k] += linear::row_product(J + k * n, n, v);
}

}  // namespace

void PrimalCoupling::attach(const Island& island) {
  island_ = &island;
  stop = island.stop;
  analysed_ = false;
  scale_ = island.scale;
  parts_.clear();
  index_.clear();
  jacobians_.clear();
  b_.resize(base::at(island.rows));
  for (const Group& g : island.groups) {
    parts_.push_back({g.set, g.first});
    Rows& rows = index_.emplace_back();
    rows.first = g.first;
    rows.rows = g.rows;
    rows.sides = g.sides;
    for (int side = 0; side < g.sides; ++side) {
      if (g.body[side] < 0) continue;
      const IslandBody& body = island.bodies[base::at(g.body[side])];
      rows.velocity[side] = body.first;
      rows.size[side] = body.size;
      rows.place[side] = jacobians_.size();
      for (int r = 0; r < g.rows; ++r)
        jacobians_.insert(jacobians_.end(), g.J[side][r], g.J[side][r] + body.size);
    }
    std::copy(g.b, g.b + g.rows, &b_[base::at(g.first)]);
  }
  q_ = island.u_free;
}

// v_ = v_free + (D + R)^-1 J^T r.
void PrimalCoupling::velocities(const std::vector<double>& r) {
  impulse_.assign(base::at(island_->velocities), 0.0);
  for (const Rows& i : index_)
    for (int side = 0; side < i.sides; ++side)
      if (i.size[side] > 0)
        add_packed_transposed(&jacobians_[i.place[side]], i.rows, i.size[side],
                              &r[base::at(i.first)], &impulse_[base::at(i.velocity[side])]);
  v_ = island_->v_free;
  if (!island_->inertia.rest.empty()) {
    island_->inertia.whole.solve(island_->inertia.offsets, impulse_.data());
    for (std::size_t k = 0; k < v_.size(); ++k) v_[k] += impulse_[k];
    return;
  }
  for (const IslandBody& body : island_->bodies)
    for (int k = 0; k < body.size; ++k)
      v_[base::at(body.first + k)] += body.inverse[k] * impulse_[base::at(body.first + k)];
}

void PrimalCoupling::multiply(const std::vector<double>& r, std::vector<double>& u) {
  velocities(r);
  u = b_;
  for (const Rows& i : index_)
    for (int side = 0; side < i.sides; ++side)
      if (i.size[side] > 0)
        add_packed_product(&jacobians_[i.place[side]], i.rows, i.size[side],
                           &v_[base::at(i.velocity[side])], &u[base::at(i.first)]);
}

double PrimalCoupling::residual(const std::vector<double>& r, const std::vector<double>& u) const {
  add_up_terms(*island_, r);
  Estimate estimate(island_->speed, island_->tolerance);
  for (const Group& g : island_->groups) {
    double u_i[max_rows] = {};
    std::copy_n(&u[base::at(g.first)], g.rows, u_i);
    estimate.add(row_errors(g.set, &r[base::at(g.first)], u_i), g.gauge.kappa, g.gauge.hidden,
                 [&] { return terms_of(*island_, g); });
  }
  return estimate.value();
}

bool PrimalCoupling::factor(std::span<const ThetaBlock> theta) {
  theta_ = theta;
  if (!analysed_) {
    unknowns_.resize(base::at(lay_out(*island_, nodes_)));
    for (const Group& g : island_->groups)
      if (g.set.law != Law::equality)
        for_pairs(g, [&](int a, int b) { nodes_.edges.emplace_back(a, b); });
    lu_.begin(nodes_.sizes, nodes_.late);
    for (const auto& [i, j] : nodes_.edges) lu_.connect(i, j);
    lu_.analyze();
    analysed_ = true;
  }
  bool symmetric = is_symmetric(*island_, nodes_);
  for (std::size_t i = 0; i < theta.size() && symmetric; ++i)
    for (int r = 0; r < index_[i].rows; ++r)
      for (int c = 0; c < r; ++c)
        symmetric = symmetric && theta[i].inverse[r][c] == theta[i].inverse[c][r];
  lu_.zero();
  add_masses(*island_, lu_);
  for (std::size_t i = 0; i < island_->groups.size(); ++i) {
    const Group& g = island_->groups[i];
    if (g.set.law == Law::equality)
      add_border(*island_, g, nodes_.node_of_group[i], lu_);
    else
      add_rows(*island_, g, theta[i].inverse, symmetric, lu_);
  }
  return lu_.factorize(symmetric);
}

// (W + Theta) y = x with z = A^-1 J^T y: (A + J_c^T N J_c) z - J_e^T y_e = J_c^T N x_c,
// J_e z + p y_e = x_e, N = Theta^-1; then y_c = N (x_c - J_c z).
void PrimalCoupling::solve(std::vector<double>& x) {
  std::fill(unknowns_.begin(), unknowns_.end(), 0.0);
  auto scaled = [&](std::size_t i, const double* from, double* to) {
    const int rows = index_[i].rows;
    for (int r = 0; r < rows; ++r) {
      to[r] = 0;
      for (int c = 0; c < rows; ++c) to[r] += theta_[i].inverse[r][c] * from[c];
    }
  };
  for (std::size_t i = 0; i < index_.size(); ++i) {
    const Rows& rows = index_[i];
    const double* x_i = &x[base::at(rows.first)];
    if (nodes_.node_of_group[i] >= 0) {
      std::copy_n(x_i, rows.rows,
                  &unknowns_[base::at(nodes_.offsets[base::at(nodes_.node_of_group[i])])]);
      continue;
    }
    double y[max_rows];
    scaled(i, x_i, y);
    for (int side = 0; side < rows.sides; ++side)
      if (rows.size[side] > 0)
        add_packed_transposed(&jacobians_[rows.place[side]], rows.rows, rows.size[side], y,
                              &unknowns_[base::at(rows.velocity[side])]);
  }
  lu_.solve(nodes_.offsets, unknowns_.data());
  for (std::size_t i = 0; i < index_.size(); ++i) {
    const Rows& rows = index_[i];
    double* x_i = &x[base::at(rows.first)];
    if (nodes_.node_of_group[i] >= 0) {
      std::copy_n(&unknowns_[base::at(nodes_.offsets[base::at(nodes_.node_of_group[i])])],
                  rows.rows, x_i);
      continue;
    }
    double Jz[max_rows] = {}, rest[max_rows];
    for (int side = 0; side < rows.sides; ++side)
      if (rows.size[side] > 0)
        add_packed_product(&jacobians_[rows.place[side]], rows.rows, rows.size[side],
                           &unknowns_[base::at(rows.velocity[side])], Jz);
    for (int k = 0; k < rows.rows; ++k) rest[k] = x_i[k] - Jz[k];
    scaled(i, rest, x_i);
  }
}

}  // namespace cairn::solver
