#include "solver/reduced/reduced_island.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/index.hpp"
#include "solver/estimate.hpp"

namespace cairn::solver {
void make_island(const ReducedProblem& problem, const problem::ReducedIslands& islands,
                 const std::vector<double>& d, int number, ReducedIsland& island) {
  island.groups.clear();
  island.blocks.clear();
  island.first_block.assign(1, 0);
  island.q.clear();
  island.rows = 0;
  island.scale = 0;
  std::vector<int> local(problem.constraints.size(), -1);
  for (std::size_t i = 0; i < problem.constraints.size(); ++i) {
    if (islands.of_constraint[i] != number) continue;
    local[i] = static_cast<int>(island.groups.size());
    const ReducedConstraint& c = problem.constraints[i];
    ReducedGroup& g = island.groups.emplace_back();
    g.set = problem::law_set(c);
    g.set.lo *= d[i];
    g.set.hi *= d[i];
    g.rows = c.rows;
    g.first = island.rows;
    g.source = static_cast<int>(i);
    g.d = d[i];
    island.rows += c.rows;
    double sum = 0;
    for (int k = 0; k < c.rows; ++k) {
      island.q.push_back(problem.q[problem.first_row[i] + k] / d[i]);
      sum += island.q.back() * island.q.back();
    }
    if (!is_unilateral(c.law) || island.q[base::at(g.first)] < 0)
      island.scale = std::max(island.scale, std::sqrt(sum));
  }
  island.has_bodies = false;
  for (ReducedGroup& g : island.groups) {
    for (auto& row : g.W) std::fill(row, row + max_rows, 0.0);
    const std::size_t i = base::at(g.source);
    for (int k = problem.first_block[i]; k < problem.first_block[i + 1]; ++k) {
      ReducedProblem::Block block = problem.blocks[base::at(k)];
      const double scale = 1 / (d[i] * d[base::at(block.column)]);
      const bool diagonal = block.column == g.source;
      block.column = local[base::at(block.column)];
      if (block.column < 0) continue;  // a block of zeros joins no islands
      for (auto& row : block.value)
        for (double& x : row) x *= scale;
      if (diagonal) std::copy(&block.value[0][0], &block.value[0][0] + 9, &g.W[0][0]);
      island.blocks.push_back(block);
    }
    island.first_block.push_back(static_cast<int>(island.blocks.size()));
  }
}

namespace {

// Velocities of the bodies after a unit impulse along row s of group g: one solve with the whole
// mass where bodies are coupled, else with the two blocks that it meets.
void respond(const Island& island, const Group& g, int s, std::vector<double>& v) {
  v.assign(base::at(island.velocities), 0.0);
  for (int side = 0; side < g.sides; ++side) {
    if (g.body[side] < 0) continue;
    const IslandBody& b = island.bodies[base::at(g.body[side])];
    const double* J = g.J[side][s];
    if (island.inertia.coupled) {
      for (int k = 0; k < b.size; ++k) v[base::at(b.first + k)] += J[k];
      continue;
    }
    const linear::BodyBlock& Z = *island.inertia.whole.inverse(g.body[side], g.body[side]);
    for (int k = 0; k < b.size; ++k)
      for (int l = 0; l < b.size; ++l) v[base::at(b.first + k)] += Z[k][l] * J[l];
  }
  if (island.inertia.coupled) island.inertia.whole.solve(island.inertia.offsets, v.data());
}

// Groups that feel one of group j, ascending: all where bodies are coupled, else those that share a
// body with it.
void list_neighbours(const Island& island, const std::vector<std::vector<int>>& on_body,
                     const Group& g, std::vector<int>& list) {
  list.clear();
  if (island.inertia.coupled) {
    for (std::size_t i = 0; i < island.groups.size(); ++i) list.push_back(static_cast<int>(i));
    return;
  }
  for (const int body : g.body)
    if (body >= 0)
      list.insert(list.end(), on_body[base::at(body)].begin(), on_body[base::at(body)].end());
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

}  // namespace

void reduce(const Island& island, ReducedIsland& reduced) {
  reduced.stop = island.stop;
  reduced.groups.clear();
  reduced.q = island.u_free;
  reduced.rows = island.rows;
  reduced.scale = island.scale;
  reduced.has_bodies = true;
  reduced.speed = island.speed;
  reduced.tolerance = island.tolerance;
  auto& [on_body, rows, v, neighbours] = reduced.scratch;
  if (on_body.size() < island.bodies.size()) on_body.resize(island.bodies.size());
  if (rows.size() < island.groups.size()) rows.resize(island.groups.size());
  for (auto& list : on_body) list.clear();
  for (auto& row : rows) row.clear();
  for (std::size_t i = 0; i < island.groups.size(); ++i) {
    const Group& g = island.groups[i];
    ReducedGroup& copy = reduced.groups.emplace_back();
    static_cast<LocalConstraint&>(copy) = g;
    copy.first = g.first;
    copy.source = g.source;
    copy.d = g.d;
    copy.kappa = g.gauge.kappa;
    copy.hidden = g.gauge.hidden;
    for (const int body : g.body)
      if (body >= 0) on_body[base::at(body)].push_back(static_cast<int>(i));
  }
  // Column by column; a column's blocks go to the ends of their rows, which keeps these ascending.
  for (std::size_t j = 0; j < island.groups.size(); ++j) {
    const Group& g = island.groups[j];
    for (int s = 0; s < g.rows; ++s) respond(island, g, s, v[base::at(s)]);
    list_neighbours(island, on_body, g, neighbours);
    for (const int i : neighbours) {
      const Group& other = island.groups[base::at(i)];
      ReducedProblem::Block& block = rows[base::at(i)].emplace_back();
      block.column = static_cast<int>(j);
      for (int s = 0; s < g.rows; ++s) {
        double u[max_rows] = {};
        for (int side = 0; side < other.sides; ++side)
          if (other.body[side] >= 0)
            linear::add_product(
                other.J[side], other.rows, island.bodies[base::at(other.body[side])].size,
                v[base::at(s)].data() + island.bodies[base::at(other.body[side])].first, u);
        for (int r = 0; r < other.rows; ++r) block.value[r][s] = u[r];
      }
    }
  }
  reduced.blocks.clear();
  reduced.first_block.assign(1, 0);
  for (std::size_t i = 0; i < island.groups.size(); ++i) {
    reduced.blocks.insert(reduced.blocks.end(), rows[i].begin(), rows[i].end());
    reduced.first_block.push_back(static_cast<int>(reduced.blocks.size()));
  }
}

void velocities_from_impulses(const ReducedIsland& island, const std::vector<double>& r,
                              std::vector<double>& u) {
  u.resize(base::at(island.rows));
  for (std::size_t i = 0; i < island.groups.size(); ++i) {
    const auto first = base::at(island.groups[i].first);
    row_product(island, i, r.data(), &island.q[first], &u[first]);
  }
}

double residual(const ReducedIsland& island, const std::vector<double>& r,
                const std::vector<double>& u) {
  // Iterates that run away are no answer, though relative to their size all residuals vanish.
  for (const double x : r)
    if (!(std::abs(x) < 1e100)) return std::numeric_limits<double>::infinity();
  ImpulseEstimate by_impulses;
  Estimate by_speed(island.speed, island.tolerance);
  for (const ReducedGroup& g : island.groups) {
    double w[max_rows];
    std::copy(&u[base::at(g.first)], &u[base::at(g.first)] + g.rows, w);
    const RowErrors errors = row_errors(g.set, &r[base::at(g.first)], w);
    if (island.has_bodies)
      by_speed.add(errors, g.kappa, g.hidden, [&] { return std::sqrt(errors.impulse); });
    else
      by_impulses.add(errors);
  }
  const double value = island.has_bodies ? by_speed.value() : by_impulses.value(island.scale);
  return std::isfinite(value) ? value : std::numeric_limits<double>::infinity();
}

}  // namespace cairn::solver
