#include "solve/island.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "solve/estimate.hpp"

namespace cairn {
namespace {

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

// A = L D L^T without square roots, so that scaling by powers of two changes no bit. L goes below
// the diagonal of `factor`. False if A is not positive.
bool factorise(const ProblemBody& source, IslandBody& body, BodyBlock& factor) {
  return with_size(source.size, [&](auto n) {
    for (int c = 0; c < n; ++c) {
      double pivot = source.A[c][c];
      for (int k = 0; k < c; ++k) pivot -= factor[c][k] * factor[c][k] * body.mass[k];
      if (!(pivot > 0) || !std::isfinite(pivot)) return false;
      body.mass[c] = pivot;
      body.inverse[c] = 1 / pivot;
      for (int r = c + 1; r < n; ++r) {
        double sum = source.A[r][c];
        for (int k = 0; k < c; ++k) sum -= factor[r][k] * factor[c][k] * body.mass[k];
        factor[r][c] = sum * body.inverse[c];
      }
    }
    return true;
  });
}

// Fills J = J L^-T / d, W = J D^-1 J^T and b.
void fill_group(const Island& island, const Constraint& c, Group& g) {
  double trace = 0;
  for (int r = 0; r < max_rows; ++r) std::fill(g.W[r], g.W[r] + max_rows, 0.0);
  for (int side = 0; side < 2; ++side) {
    if (g.body[side] < 0) continue;
    const IslandBody& b = island.bodies[at(g.body[side])];
    const BodyBlock& L = island.factors[at(g.body[side])].A;
    with_sizes(c.rows, b.size, [&](auto rows, auto n) {
      double B[max_rows][max_velocities];
      for (int r = 0; r < rows; ++r)
        for (int k = 0; k < n; ++k) {
          double sum = c.J[side][r][k];
          for (int l = 0; l < k; ++l) sum -= L[k][l] * g.J[side][r][l];
          g.J[side][r][k] = sum;
          B[r][k] = sum * b.inverse[k];
        }
      for (int r = 0; r < rows; ++r)
        for (int q = 0; q < rows; ++q)
          for (int k = 0; k < n; ++k) g.W[r][q] += g.J[side][r][k] * B[q][k];
    });
  }
  for (int r = 0; r < c.rows; ++r) trace += g.W[r][r];
  g.d = power_of_two(1.2 * std::sqrt(trace / c.rows));
  const double scale = 1 / g.d;
  for (int r = 0; r < c.rows; ++r) {
    g.b[r] = c.b[r] * scale;
    for (int q = 0; q < c.rows; ++q) g.W[r][q] *= scale * scale;
    for (int side = 0; side < 2; ++side) {
      if (g.body[side] < 0) continue;
      for (int k = 0; k < island.bodies[at(g.body[side])].size; ++k) g.J[side][r][k] *= scale;
    }
  }
  prepare_local(g);
  g.set.lo *= g.d;
  g.set.hi *= g.d;
}

}  // namespace

void make_island(const Problem& problem, const Islands& islands, int number, Island& island) {
  island.bodies.clear();
  island.groups.clear();
  island.factors.clear();
  island.v_free.clear();
  island.v_source.clear();
  island.rows = 0;
  island.velocities = 0;
  for (int n = islands.first_body[at(number)]; n < islands.first_body[at(number + 1)]; ++n) {
    const std::size_t i = at(islands.bodies[at(n)]);
    const ProblemBody& source = problem.bodies[i];
    IslandBody& b = island.bodies.emplace_back();
    b.first = island.velocities;
    b.size = source.size;
    b.source = static_cast<int>(i);
    BodyBlock& L = island.factors.emplace_back().A;
    CAIRN_CHECK(factorise(source, b, L));
    for (int r = 0; r < b.size; ++r) {  // L^-1 k
      double sum = problem.k[source.first + r];
      for (int c = 0; c < r; ++c) sum -= L[r][c] * (island.v_free[at(b.first + c)] * b.mass[c]);
      island.v_free.push_back(sum * b.inverse[r]);
    }
    island.velocities += b.size;
    island.v_source.resize(at(island.velocities));
    body_velocity(island, island.bodies.size() - 1, island.v_free.data(),
                  &island.v_source[at(b.first)]);
  }
  // Bodies keep the problem's order, so the local index of a body is found by bisection on
  // `source`.
  auto local = [&](int body) {
    if (body < 0) return -1;
    const auto it =
        std::lower_bound(island.bodies.begin(), island.bodies.end(), body,
                         [](const IslandBody& b, int source) { return b.source < source; });
    return static_cast<int>(it - island.bodies.begin());
  };
  island.scale = island.velocity_scale = 0;
  for (int n = islands.first_constraint[at(number)]; n < islands.first_constraint[at(number + 1)];
       ++n) {
    const std::size_t i = at(islands.constraints[at(n)]);
    const Constraint& c = problem.constraints[i];
    Group& g = island.groups.emplace_back();
    g.set = law_set(c);
    g.rows = c.rows;
    g.first = island.rows;
    g.source = static_cast<int>(i);
    g.joint = c.id.kind == ConstraintId::Kind::joint ? c.id.number : -1;
    g.body[0] = local(c.body[0]);
    g.body[1] = local(c.body[1]);
    fill_group(island, c, g);
    island.rows += c.rows;

    double u[max_rows];
    group_velocity(island, g, island.v_free.data(), u);
    const bool unilateral = is_unilateral(c.law);
    if (unilateral && u[0] >= 0) continue;
    double sum = 0, closing = 0;
    for (int r = 0; r < c.rows; ++r) {
      sum += (u[r] - g.b[r]) * (u[r] - g.b[r]);
      closing += u[r] * u[r];
    }
    double size = 0;
    for (int side = 0; side < 2; ++side) {
      if (g.body[side] < 0) continue;
      const IslandBody& body = island.bodies[at(g.body[side])];
      for (int k = 0; k < body.size; ++k)
        size += std::abs(c.J[side][0][k] * island.v_source[at(body.first + k)]);
    }
    const double free = std::max(std::sqrt(sum), 0x1p-20 * size / g.d);  // (E11)
    island.scale = std::max(island.scale, free);
    island.velocity_scale = std::max({island.velocity_scale, free, std::sqrt(closing)});
  }
}

void body_velocity(const Island& island, std::size_t i, const double* v, double* out) {
  const IslandBody& b = island.bodies[i];
  const BodyBlock& L = island.factors[i].A;
  for (int r = b.size - 1; r >= 0; --r) {
    out[r] = v[b.first + r];
    for (int c = r + 1; c < b.size; ++c) out[r] -= L[c][r] * out[c];
  }
}

void velocities_from_impulses(const Island& island, const std::vector<double>& r,
                              std::vector<double>& v) {
  v.assign(island.v_free.begin(), island.v_free.end());
  for (const Group& g : island.groups) apply_impulse(island, g, r.data() + g.first, v.data());
}

double residual(const Island& island, const std::vector<double>& r, const std::vector<double>& v) {
  Estimate estimate;
  for (const Group& g : island.groups) {
    double u[max_rows];
    group_velocity(island, g, v.data(), u);
    estimate.add(g.set, r.data() + g.first, u);
  }
  return estimate.value(island.scale, island.velocity_scale);
}

}  // namespace cairn
