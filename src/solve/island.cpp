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

// Fills J, B, W and b of a group, first unscaled, then scaled by d.
void fill_group(const Island& island, const Constraint& c, Group& g) {
  double trace = 0;
  for (int r = 0; r < max_rows; ++r) std::fill(g.W[r], g.W[r] + max_rows, 0.0);
  for (int side = 0; side < 2; ++side) {
    if (g.body[side] < 0) continue;
    const IslandBody& b = island.bodies[at(g.body[side])];
    for (int k = 0; k < b.size; ++k)
      for (int r = 0; r < c.rows; ++r) {
        double sum = 0;
        for (int l = 0; l < b.size; ++l) sum += b.inverse[k][l] * c.J[side][r][l];
        g.B[side][k][r] = sum;
      }
    for (int r = 0; r < c.rows; ++r)
      for (int q = 0; q < c.rows; ++q)
        for (int k = 0; k < b.size; ++k) g.W[r][q] += c.J[side][r][k] * g.B[side][k][q];
  }
  for (int r = 0; r < c.rows; ++r) trace += g.W[r][r];
  g.d = power_of_two(1.2 * std::sqrt(trace / c.rows));
  const double scale = 1 / g.d;
  for (int r = 0; r < c.rows; ++r) {
    g.b[r] = c.b[r] * scale;
    for (int q = 0; q < c.rows; ++q) g.W[r][q] *= scale * scale;
    for (int side = 0; side < 2; ++side) {
      if (g.body[side] < 0) continue;
      for (int k = 0; k < island.bodies[at(g.body[side])].size; ++k) {
        g.J[side][r][k] = c.J[side][r][k] * scale;
        g.B[side][k][r] *= scale;
      }
    }
  }
  // W^-1 for the sticking impulse, where W is regular: a pivot below rounding says that it is not.
  BodyBlock block = {}, inverse;
  double largest = 0, least = std::numeric_limits<double>::infinity();
  for (int r = 0; r < c.rows; ++r)
    for (int q = 0; q < c.rows; ++q) block[r][q] = g.W[r][q];
  g.regular = invert(block, c.rows, inverse);
  for (int r = 0; r < c.rows && g.regular; ++r) {
    for (int q = 0; q < c.rows; ++q) g.stick[r][q] = inverse[r][q];
    largest = std::max(largest, g.W[r][r]);
    least = std::min(least, 1 / inverse[r][r]);
  }
  g.regular = g.regular && least > 1e-12 * largest;
  g.set.lo *= g.d;
  g.set.hi *= g.d;
}

}  // namespace

void make_island(const Problem& problem, const Islands& islands, int number, Island& island) {
  island.bodies.clear();
  island.groups.clear();
  island.v_free.clear();
  island.rows = 0;
  island.velocities = 0;
  for (int n = islands.first_body[at(number)]; n < islands.first_body[at(number + 1)]; ++n) {
    const std::size_t i = at(islands.bodies[at(n)]);
    const ProblemBody& source = problem.bodies[i];
    IslandBody& b = island.bodies.emplace_back();
    b.first = island.velocities;
    b.size = source.size;
    b.source = static_cast<int>(i);
    std::copy(&source.A[0][0], &source.A[0][0] + max_velocities * max_velocities, &b.A[0][0]);
    CAIRN_CHECK(invert(b.A, b.size, b.inverse));
    for (int r = 0; r < b.size; ++r) {
      double sum = 0;
      for (int c = 0; c < b.size; ++c) sum += b.inverse[r][c] * problem.k[source.first + c];
      island.v_free.push_back(sum);
    }
    island.velocities += b.size;
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
        size += std::abs(g.J[side][0][k] * island.v_free[at(body.first + k)]);
    }
    const double free = std::max(std::sqrt(sum), 0x1p-20 * size);  // (E11)
    island.scale = std::max(island.scale, free);
    island.velocity_scale = std::max({island.velocity_scale, free, std::sqrt(closing)});
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
