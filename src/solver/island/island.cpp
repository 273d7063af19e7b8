#include "solver/island/island.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/index.hpp"
#include "cairn/error.hpp"
#include "problem/mass.hpp"

namespace cairn::solver {
namespace {

// A = L D L^T without square roots, so that scaling by powers of two changes no bit. L goes below
// the diagonal of `factor`. False if A is not positive.
bool factorise(const ProblemBody& source, IslandBody& body, linear::BodyBlock& factor) {
  body.diagonal = problem::is_diagonal(source.A, source.size);
  if (body.diagonal) {
    for (int k = 0; k < source.size; ++k) {
      body.mass[k] = source.A[k][k];
      body.inverse[k] = 1 / source.A[k][k];
      if (!(body.mass[k] > 0) || !std::isfinite(body.mass[k])) return false;
    }
    return true;
  }
  return linear::with_size(source.size, [&](auto n) {
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

// W = J (D + R)^-1 J^T with the pattern's blocks of the inverse.
void fill_response(const Island& island, Group& g) {
  for (auto& row : g.W) std::fill(row, row + max_rows, 0.0);
  for (int side = 0; side < g.sides; ++side)
    for (int other = 0; other < g.sides; ++other) {
      if (g.body[side] < 0 || g.body[other] < 0) continue;
      const linear::BodyBlock* Z = island.inertia.whole.inverse(g.body[side], g.body[other]);
      if (!Z) continue;
      const int n = island.bodies[base::at(g.body[side])].size,
                m = island.bodies[base::at(g.body[other])].size;
      for (int r = 0; r < g.rows; ++r)
        for (int k = 0; k < n; ++k)
          for (int s = 0; s < g.rows; ++s)
            for (int l = 0; l < m; ++l)
              g.W[r][s] += g.J[side][r][k] * (*Z)[k][l] * g.J[other][s][l];
    }
}

// W += J D^-1 J^T of one side, below the diagonal.
template <class Rows, class Size>
void add_response(const double (&J)[max_rows][max_velocities], const double* inverse, Rows rows,
                  Size n, double (&W)[max_rows][max_rows]) {
  for (int r = 0; r < rows; ++r) {
    double B[max_velocities] = {};
    for (int k = 0; k < n; ++k) B[k] = J[r][k] * inverse[k];
    for (int q = 0; q <= r; ++q) W[r][q] += linear::row_product(B, n, J[q]);
  }
}

// The rows of the body that stands for the compliance of a constraint (E870).
void compliance_rows(const Constraint& c, double (&J)[max_rows][max_velocities]) {
  for (auto& row : J) std::fill(row, row + max_velocities, 0.0);
  int column = 0;
  for (int r = 0; r < c.rows; ++r)
    if (c.compliance[r] > 0) J[r][column++] = 1;
}

// Fills J = J L^-T / d, W = J D^-1 J^T and b.
void fill_group(const Island& island, const Constraint& c, Group& g) {
  double trace = 0, light = 0, gap = 0;
  g.gauge = {};
  for (int r = 0; r < max_rows; ++r) std::fill(g.W[r], g.W[r] + max_rows, 0.0);
  if (g.sides > c.sides) compliance_rows(c, g.J[c.sides]);
  for (int side = 0; side < g.sides; ++side) {
    if (g.body[side] < 0) continue;
    const IslandBody& b = island.bodies[base::at(g.body[side])];
    const linear::BodyBlock& L = island.factors[base::at(g.body[side])].A;
    linear::with_sizes(c.rows, b.size, [&](auto rows, auto n) {
      for (int r = 0; r < rows && side < c.sides; ++r)
        for (int k = 0; k < n; ++k) g.J[side][r][k] = c.J[side][r][k];
      for (int r = 0; r < rows && !b.diagonal; ++r)
        for (int k = 1; k < n; ++k)
          for (int l = 0; l < k; ++l) g.J[side][r][k] -= L[k][l] * g.J[side][r][l];
      add_response(g.J[side], b.inverse, rows, n, g.W);
    });
    double sum = 0;
    for (int r = 0; r < c.rows; ++r) sum += g.W[r][r];
    g.gauge.reach[side] = std::sqrt(std::max(0.0, sum - trace) / c.rows);
    trace = sum;
    light = std::max(light, b.light);
  }
  for (int r = 0; r < c.rows; ++r)
    for (int q = r + 1; q < c.rows; ++q) g.W[r][q] = g.W[q][r];
  if (!island.inertia.rest.empty()) fill_response(island, g);
  trace = 0;
  for (int r = 0; r < c.rows; ++r) trace += g.W[r][r];
  g.d = power_of_two(1.2 * std::sqrt(trace / c.rows));
  const double scale = 1 / g.d;
  for (int r = 0; r < c.rows; ++r) {
    g.b[r] = c.b[r] * scale;
    gap += std::abs(g.b[r]);
    for (int q = 0; q < c.rows; ++q) g.W[r][q] *= scale * scale;
  }
  for (int side = 0; side < g.sides; ++side) {
    if (g.body[side] < 0) continue;
    linear::with_sizes(c.rows, island.bodies[base::at(g.body[side])].size, [&](auto rows, auto n) {
      for (int r = 0; r < rows; ++r)
        for (int k = 0; k < n; ++k) g.J[side][r][k] *= scale;
    });
  }
  g.set.lo *= g.d;
  g.set.hi *= g.d;
  g.gauge.kappa = std::min(g.d, light);
  g.gauge.hidden = problem::floor_bound(island.mass * light * light);
  g.gauge.gap = gap;
  for (double& reach : g.gauge.reach) reach *= scale;
}

// L^-1 B M^-T of a block B between two bodies, L and M their factors.
void transform(const linear::BodyBlock& L, int rows, const linear::BodyBlock& M, int columns,
               linear::BodyBlock& B) {
  for (int r = 0; r < rows; ++r)
    for (int l = 0; l < r; ++l)
      for (int c = 0; c < columns; ++c) B[r][c] -= L[r][l] * B[l][c];
  for (int c = 0; c < columns; ++c)
    for (int l = 0; l < c; ++l)
      for (int r = 0; r < rows; ++r) B[r][c] -= M[c][l] * B[r][l];
}

// Index in the island of a body of the problem. Bodies keep the problem's order; those of
// compliances stand behind them.
int local(const Island& island, int body) {
  if (body < 0) return -1;
  const auto it = std::lower_bound(
      island.bodies.begin(), island.bodies.end(), body,
      [](const IslandBody& b, int source) { return b.source >= 0 && b.source < source; });
  return static_cast<int>(it - island.bodies.begin());
}

// The body that stands for the compliance of a constraint (E870). It has no part in the scales of
// the island: what it moves with is no velocity of a body.
void add_compliance(const Constraint& c, Island& island) {
  IslandBody& b = island.bodies.emplace_back();
  b.first = island.velocities;
  b.source = -1;
  b.diagonal = true;
  b.light = 0;
  for (int r = 0; r < c.rows; ++r) {
    if (!(c.compliance[r] > 0)) continue;
    b.inverse[b.size] = c.compliance[r];
    b.mass[b.size++] = 1 / c.compliance[r];
  }
  island.velocities += b.size;
  island.factors.emplace_back();
}

void add_body(const Problem& problem, std::size_t i, Island& island) {
  const ProblemBody& source = problem.bodies[i];
  IslandBody& b = island.bodies.emplace_back();
  b.first = island.velocities;
  b.size = source.size;
  b.source = static_cast<int>(i);
  island.velocities += b.size;
  double mass = 0;
  for (int k = 0; k < b.size; ++k) mass = std::max(mass, source.A[k][k]);
  b.light = 1 / std::sqrt(mass);
  island.mass += mass;
  island.lightest = std::max(island.lightest, b.light);
  linear::BodyBlock& L = island.factors.emplace_back().A;
  if (problem::is_symmetric(source.A, source.size)) {
    CAIRN_CHECK(factorise(source, b, L));
    return;
  }
  ProblemBody half = source;
  RestBlock& rest = island.inertia.rest.emplace_back();  // zero beyond its size
  rest.row = rest.column = static_cast<int>(island.bodies.size()) - 1;
  for (int r = 0; r < b.size; ++r)
    for (int c = 0; c < b.size; ++c) {
      half.A[r][c] = 0.5 * source.A[r][c] + 0.5 * source.A[c][r];
      rest.value[r][c] = 0.5 * source.A[r][c] - 0.5 * source.A[c][r];
    }
  CAIRN_CHECK(factorise(half, b, L));
  transform(L, b.size, L, b.size, rest.value);
  for (int r = 0; r < b.size; ++r) rest.value[r][r] = 0;  // antisymmetric but for rounding
}

// Blocks in the same place become one.
void merge(std::vector<RestBlock>& rest) {
  const auto before = [](const RestBlock& a, const RestBlock& b) {
    return std::pair(a.row, a.column) < std::pair(b.row, b.column);
  };
  std::sort(rest.begin(), rest.end(), before);
  std::size_t kept = 0;
  for (std::size_t i = 1; i < rest.size(); ++i) {
    if (before(rest[kept], rest[i])) {
      rest[++kept] = rest[i];
      continue;
    }
    for (int r = 0; r < max_velocities; ++r)
      for (int c = 0; c < max_velocities; ++c) rest[kept].value[r][c] += rest[i].value[r][c];
  }
  if (!rest.empty()) rest.resize(kept + 1);
}

// Blocks of A between bodies of the island.
void add_couplings(const Problem& problem, const problem::Islands& islands, int number,
                   Island& island) {
  for (const BodyCoupling& coupling : problem.couplings) {
    if (islands.of_body[base::at(coupling.body[0])] != number) continue;
    island.inertia.coupled = true;
    for (std::size_t side = 0; side < 2; ++side) {
      RestBlock& rest = island.inertia.rest.emplace_back();
      rest.row = local(island, coupling.body[side]);
      rest.column = local(island, coupling.body[1 - side]);
      std::copy(&coupling.A[side][0][0], &coupling.A[side][0][0] + max_velocities * max_velocities,
                &rest.value[0][0]);
      transform(island.factors[base::at(rest.row)].A, island.bodies[base::at(rest.row)].size,
                island.factors[base::at(rest.column)].A, island.bodies[base::at(rest.column)].size,
                rest.value);
    }
  }
  merge(island.inertia.rest);
}

// D + R, and the blocks of its inverse that W_ii needs: those of bodies that constraints join, as
// far as a coupling leads from the one to the other.
void factor_whole(const Problem& problem, const problem::Islands& islands, int number,
                  Island& island) {
  std::vector<int>& sizes = island.inertia.offsets;  // until the end
  sizes.clear();
  for (const IslandBody& b : island.bodies) sizes.push_back(b.size);
  island.inertia.late.assign(sizes.size(), 0);
  island.inertia.whole.begin(sizes, island.inertia.late);
  for (const RestBlock& rest : island.inertia.rest)
    if (rest.row < rest.column) island.inertia.whole.connect(rest.row, rest.column);
  for (int n = islands.first_constraint[base::at(number)];
       island.inertia.coupled && n < islands.first_constraint[base::at(number + 1)]; ++n) {
    const Constraint& c = problem.constraints[base::at(islands.constraints[base::at(n)])];
    for (std::size_t i = 0; i < base::at(c.sides); ++i)
      for (std::size_t j = i + 1; j < base::at(c.sides); ++j)
        if (c.body[i] >= 0 && c.body[j] >= 0)
          island.inertia.whole.connect(local(island, c.body[i]), local(island, c.body[j]));
  }
  island.inertia.whole.analyze();
  island.inertia.whole.zero();
  for (std::size_t i = 0; i < island.bodies.size(); ++i)
    for (int k = 0; k < island.bodies[i].size; ++k)
      island.inertia.whole.diagonal(static_cast<int>(i))[k][k] += island.bodies[i].mass[k];
  add_rest(island, island.inertia.whole);
  CAIRN_CHECK(island.inertia.whole.factorize());
  island.inertia.whole.invert_pattern();
  for (std::size_t i = 0; i < island.bodies.size(); ++i)
    island.inertia.offsets[i] = island.bodies[i].first;
}

// Free velocities, here and in the problem's own coordinates. Those of compliances are zero.
void free_velocities(const Problem& problem, Island& island) {
  for (std::size_t i = 0; i < island.bodies.size(); ++i) {
    const IslandBody& b = island.bodies[i];
    if (b.source < 0) {
      island.v_free.insert(island.v_free.end(), base::at(b.size), 0.0);
      continue;
    }
    const ProblemBody& source = problem.bodies[base::at(b.source)];
    const linear::BodyBlock& L = island.factors[i].A;
    for (int r = 0; r < b.size; ++r) {  // L^-1 k
      double sum = problem.k[source.first + r];
      for (int c = 0; c < r; ++c)
        sum -= L[r][c] * (island.v_free[base::at(b.first + c)] * b.mass[c]);
      island.v_free.push_back(sum * b.inverse[r]);
    }
  }
  if (!island.inertia.rest.empty()) {
    for (const IslandBody& b : island.bodies)
      for (int k = 0; k < b.size; ++k) island.v_free[base::at(b.first + k)] *= b.mass[k];
    island.inertia.whole.solve(island.inertia.offsets, island.v_free.data());
  }
  island.v_source.resize(base::at(island.velocities));
  for (std::size_t i = 0; i < island.bodies.size(); ++i) {
    IslandBody& b = island.bodies[i];
    body_velocity(island, i, island.v_free.data(), &island.v_source[base::at(b.first)]);
    double weighted[max_velocities];
    for (int k = 0; k < b.size; ++k)
      weighted[k] = std::sqrt(b.mass[k]) * island.v_free[base::at(b.first + k)];
    b.free_terms = problem::norm(b.size, weighted);
    island.speed = std::max(island.speed, 0x1p-10 * b.free_terms * b.light);
  }
}

// A group's part in the speed (E11) and the scales.
void take_scale(const Constraint& c, const Group& g, Island& island) {
  const double* u = &island.u_free[base::at(g.first)];
  const bool unilateral = is_unilateral(c.law);
  if (unilateral && problem::opening_speed(g.set, u) >= 0) return;
  double sum = 0, closing = 0;
  for (int r = 0; r < c.rows; ++r) {
    sum += (u[r] - g.b[r]) * (u[r] - g.b[r]);
    closing += u[r] * u[r];
  }
  double size = 0;
  for (int side = 0; side < c.sides; ++side) {
    if (g.body[side] < 0) continue;
    const IslandBody& body = island.bodies[base::at(g.body[side])];
    for (int k = 0; k < body.size; ++k)
      size += std::abs(c.J[side][0][k] * island.v_source[base::at(body.first + k)]);
  }
  const double free = std::max(std::sqrt(sum), 0x1p-20 * size / g.d);
  island.scale = std::max(island.scale, free);
  island.velocity_scale = std::max({island.velocity_scale, free, std::sqrt(closing)});
  island.speed = std::max(island.speed, g.gauge.kappa * std::sqrt(closing));
}

bool is_tied(const Constraint& c) {
  return c.law == Law::disc && c.tie >= 0;
}

// The groups that discs are tied to, and the scales of those that can act (E241). Groups keep the
// problem's order.
void find_ties(const Problem& problem, Island& island) {
  for (Group& g : island.groups) {
    const Constraint& c = problem.constraints[base::at(g.source)];
    if (!is_tied(c)) continue;
    const auto normal =
        std::lower_bound(island.groups.begin(), island.groups.end(), c.tie,
                         [](const Group& other, int source) { return other.source < source; });
    CAIRN_CHECK(normal != island.groups.end() && normal->source == c.tie);
    g.tie = static_cast<int>(normal - island.groups.begin());
    g.share = c.mu * g.d / normal->d;
    if (problem::opening_speed(normal->set, &island.u_free[base::at(normal->first)]) < 0)
      take_scale(c, g, island);
  }
}

}  // namespace

void make_island(const Problem& problem, const problem::Islands& islands, int number,
                 Island& island) {
  island.bodies.clear();
  island.groups.clear();
  island.factors.clear();
  island.inertia.rest.clear();
  island.inertia.coupled = false;
  island.v_free.clear();
  island.u_free.clear();
  island.rows = 0;
  island.velocities = 0;
  island.tied = false;
  island.lightest = island.mass = 0;
  for (int n = islands.first_body[base::at(number)]; n < islands.first_body[base::at(number + 1)];
       ++n)
    add_body(problem, base::at(islands.bodies[base::at(n)]), island);
  for (int n = islands.first_constraint[base::at(number)];
       n < islands.first_constraint[base::at(number + 1)]; ++n) {
    const Constraint& c = problem.constraints[base::at(islands.constraints[base::at(n)])];
    if (c.compliant()) add_compliance(c, island);
  }
  if (!problem.couplings.empty()) add_couplings(problem, islands, number, island);
  if (!island.inertia.rest.empty()) factor_whole(problem, islands, number, island);
  island.speed = island.scale = island.velocity_scale = 0;
  free_velocities(problem, island);
  int compliance = islands.first_body[base::at(number + 1)] - islands.first_body[base::at(number)];

  for (int n = islands.first_constraint[base::at(number)];
       n < islands.first_constraint[base::at(number + 1)]; ++n) {
    const std::size_t i = base::at(islands.constraints[base::at(n)]);
    const Constraint& c = problem.constraints[i];
    Group& g = island.groups.emplace_back();
    g.set = problem::law_set(c);
    g.rows = c.rows;
    g.first = island.rows;
    g.source = static_cast<int>(i);
    g.joint = c.key.role == Role::joint ? c.key.element : -1;
    g.sides = c.sides;
    for (int side = 0; side < c.sides; ++side) g.body[side] = local(island, c.body[base::at(side)]);
    if (c.compliant()) g.body[g.sides++] = compliance++;
    if (c.law == Law::disc && c.rows == 1) g.set.law = Law::box;
    if (is_tied(c)) island.tied = true;
    fill_group(island, c, g);
    if (c.law == Law::disc) set_radius(is_tied(c) ? 0 : g.d * c.hi, g);
    island.rows += c.rows;
    island.u_free.resize(base::at(island.rows));
    group_velocity(island, g, island.v_free.data(), &island.u_free[base::at(g.first)]);
    if (!is_tied(c)) take_scale(c, g, island);
  }
  if (island.tied) find_ties(problem, island);
}

void set_radius(double radius, Group& g) {
  g.set.hi = radius;
  if (g.set.law == Law::box) g.set.lo = -radius;
}

void follow_ties(Island& island, std::vector<double>& r) {
  for (Group& g : island.groups) {
    if (g.tie < 0) continue;
    const double normal = r[base::at(island.groups[base::at(g.tie)].first)];
    set_radius(g.share * std::max(0.0, normal), g);
    double z[max_rows];
    std::copy_n(&r[base::at(g.first)], g.rows, z);
    problem::project(g.set, z, &r[base::at(g.first)]);
  }
}

void add_rest(const Island& island, linear::BlockLU& lu) {
  for (const RestBlock& rest : island.inertia.rest) {
    linear::BodyBlock& target =
        rest.row == rest.column ? lu.diagonal(rest.row) : lu.block(rest.row, rest.column);
    for (int r = 0; r < island.bodies[base::at(rest.row)].size; ++r)
      for (int c = 0; c < island.bodies[base::at(rest.column)].size; ++c)
        target[r][c] += rest.value[r][c];
  }
}

void add_rest_product(const Island& island, const double* v, double* f) {
  for (const RestBlock& rest : island.inertia.rest) {
    const IslandBody &to = island.bodies[base::at(rest.row)],
                     &from = island.bodies[base::at(rest.column)];
    for (int r = 0; r < to.size; ++r)
      for (int c = 0; c < from.size; ++c) f[to.first + r] += rest.value[r][c] * v[from.first + c];
  }
}

void body_velocity(const Island& island, std::size_t i, const double* v, double* out) {
  const IslandBody& b = island.bodies[i];
  const linear::BodyBlock& L = island.factors[i].A;
  if (b.diagonal) {
    std::copy_n(v + b.first, b.size, out);
    return;
  }
  for (int r = b.size - 1; r >= 0; --r) {
    out[r] = v[b.first + r];
    for (int c = r + 1; c < b.size; ++c) out[r] -= L[c][r] * out[c];
  }
}

void velocities_from_impulses(const Island& island, const std::vector<double>& r,
                              std::vector<double>& v) {
  if (island.inertia.rest.empty()) {
    v.assign(island.v_free.begin(), island.v_free.end());
    for (const Group& g : island.groups) {
      const double* r_i = r.data() + g.first;
      if (std::any_of(r_i, r_i + g.rows, [](double x) { return x != 0; }))
        apply_impulse(island, g, r_i, v.data());
    }
    return;
  }
  v.assign(island.v_free.size(), 0.0);
  for (const Group& g : island.groups)
    for (int side = 0; side < g.sides; ++side) {
      if (g.body[side] < 0) continue;
      const IslandBody& b = island.bodies[base::at(g.body[side])];
      linear::add_transposed(g.J[side], g.rows, b.size, r.data() + g.first, v.data() + b.first);
    }
  island.inertia.whole.solve(island.inertia.offsets, v.data());
  for (std::size_t k = 0; k < v.size(); ++k) v[k] += island.v_free[k];
}

void add_up_terms(const Island& island, const std::vector<double>& r) {
  island.terms.resize(island.bodies.size());
  for (std::size_t i = 0; i < island.bodies.size(); ++i)
    island.terms[i] = island.bodies[i].free_terms;
  for (const Group& g : island.groups) {
    double size = 0;
    for (int k = 0; k < g.rows; ++k) size += std::abs(r[base::at(g.first + k)]);
    for (int side = 0; side < g.sides; ++side)
      if (g.body[side] >= 0) island.terms[base::at(g.body[side])] += g.gauge.reach[side] * size;
  }
}

double load_of(const Island& island, const Group& g, const std::vector<double>& r) {
  double size = 0;
  for (int k = 0; k < g.rows; ++k) size = std::max(size, std::abs(r[base::at(g.first + k)]));
  const double load = g.gauge.kappa * size, usual = 64 * island.speed;
  return usual > 0 && load > usual ? load / usual : 1;
}

double residual(const Island& island, const std::vector<double>& r, const std::vector<double>& v) {
  add_up_terms(island, r);
  Estimate estimate(island.speed, island.tolerance);
  for (const Group& g : island.groups) {
    double u[max_rows];
    group_velocity(island, g, v.data(), u);
    estimate.add(row_errors(g.set, r.data() + g.first, u), g.gauge.kappa, g.gauge.hidden,
                 [&] { return terms_of(island, g); });
  }
  return estimate.value();
}

}  // namespace cairn::solver
