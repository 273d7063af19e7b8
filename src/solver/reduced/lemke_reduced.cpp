#include "solver/reduced/lemke_reduced.hpp"

#include <algorithm>

#include "base/index.hpp"

namespace cairn::solver {
namespace {

void build_dense(const ReducedIsland& island, DenseProblem& dense) {
  dense.clear();
  for (std::size_t i = 0; i < island.groups.size(); ++i)
    dense.add(island.groups[i], static_cast<int>(i));
  dense.resize();
  dense.q = island.q;
  for (std::size_t i = 0; i < island.groups.size(); ++i)
    for (int k = island.first_block[i]; k < island.first_block[i + 1]; ++k) {
      const ReducedProblem::Block& block = island.blocks[base::at(k)];
      const ReducedGroup& other = island.groups[base::at(block.column)];
      for (int r = 0; r < island.groups[i].rows; ++r)
        for (int c = 0; c < other.rows; ++c)
          dense.w(island.groups[i].first + r, other.first + c) = block.value[r][c];
    }
}

int lcp_size(const ReducedIsland& island) {
  int count = 0;
  for (const ReducedGroup& g : island.groups) count += variables(g, Form::full);
  return count;
}

}  // namespace

IterationResult lemke(const ReducedIsland& island, const LemkeLimits& limits,
                      ReducedLemkeBuffers& buffers, std::vector<double>& r,
                      std::vector<double>& u) {
  velocities_from_impulses(island, r, u);
  IterationResult result{0, residual(island, r, u)};
  if (lcp_size(island) > limits.variables) return result;
  std::uint64_t random = limits.seed;
  bool rays_only = true, any = false;
  for (int draw = 0; draw < limits.draws && !(result.residual <= limits.tolerance); ++draw) {
    if (island.interrupted()) break;
    build_dense(island, buffers.dense);
    buffers.dense.eliminate_bilateral();
    // The first draws start from w = q, the form that theory speaks of; the others from anywhere.
    buffers.tableau.fill(buffers.dense, draw % 4 < 2 ? Form::compact : Form::full);
    if (draw > 3 && draw % 2 == 1) buffers.tableau.scatter(random);
    const Tableau::End end =
        buffers.tableau.run(std::min(limits.pivots, 50 + 4 * buffers.tableau.size()), island,
                            random, result.iterations);
    rays_only = rays_only && end == Tableau::End::ray;
    any = true;
    buffers.tableau.impulses(buffers.dense, buffers.trial);
    velocities_from_impulses(island, buffers.trial, u);
    const double now = residual(island, buffers.trial, u);
    if (now < result.residual) {
      result.residual = now;
      r = buffers.trial;
    }
  }
  result.ray = any && rays_only && !(result.residual <= limits.tolerance);
  velocities_from_impulses(island, r, u);
  return result;
}

}  // namespace cairn::solver
