#include "solve/nsgs.hpp"

#include <cmath>

#include "solve/reduced_island.hpp"

namespace cairn {
namespace {

void sweep(const Island& island, std::vector<double>& r, std::vector<double>& v) {
  for (const Group& g : island.groups) {
    double* r_i = r.data() + g.first;
    double s[max_rows], change[max_rows], r_new[max_rows];
    group_velocity(island, g, v.data(), s);
    for (int k = 0; k < g.rows; ++k) {
      r_new[k] = r_i[k];
      for (int l = 0; l < g.rows; ++l) s[k] -= g.W[k][l] * r_i[l];
    }
    solve_local(g, s, r_new);
    bool moved = false;
    for (int k = 0; k < g.rows; ++k) {
      change[k] = r_new[k] - r_i[k];
      moved = moved || change[k] != 0;
      r_i[k] = r_new[k];
    }
    if (moved) apply_impulse(island, g, change, v.data());
  }
}

// Here the rows of W give the velocities; u is brought up to date where the residual is taken.
void sweep(const ReducedIsland& island, std::vector<double>& r, std::vector<double>&) {
  for (std::size_t i = 0; i < island.groups.size(); ++i) {
    const ReducedGroup& g = island.groups[i];
    double* r_i = r.data() + g.first;
    double s[max_rows];
    row_product(island, i, r.data(), &island.q[static_cast<std::size_t>(g.first)], s);
    for (int k = 0; k < g.rows; ++k)
      for (int l = 0; l < g.rows; ++l) s[k] -= g.W[k][l] * r_i[l];
    solve_local(g, s, r_i);
  }
}

}  // namespace

// (E41): g = r_before - r_after of a sweep plays the gradient; beta = |g|^2 / |g_last|^2, restart
// when beta > 1. The velocities follow linearly, so p_v = A^-1 J^T p needs no product with J.
template <class AnyIsland>
IterationResult nsgs(const AnyIsland& island, const NsgsLimits& limits, NsgsBuffers& buffers,
                     std::vector<double>& r, std::vector<double>& v) {
  auto& [r_before, p, v_before, p_v, best] = buffers;
  velocities_from_impulses(island, r, v);
  p.assign(r.size(), 0.0);
  p_v.assign(v.size(), 0.0);
  IterationResult result{0, residual(island, r, v)};
  best = r;
  double last = 0, watched = result.residual;
  for (int i = 1; i <= limits.sweeps && !(result.residual <= limits.tolerance); ++i) {
    r_before = r;
    v_before = v;
    sweep(island, r, v);
    result.iterations = i;

    // Evaluating the residual costs half a sweep, so it is done every tenth time.
    if (i % 10 == 0 || i == limits.sweeps) {
      velocities_from_impulses(island, r, v);
      const double now = residual(island, r, v);
      if (now < result.residual) {
        result.residual = now;
        best = r;
        if (now <= limits.tolerance) break;
      }
    }
    if (limits.stop_on_stagnation && i % 60 == 0) {
      if (result.residual > 0.5 * watched) break;
      watched = result.residual;
    }
    if (!limits.accelerate) continue;

    double size = 0;
    for (std::size_t k = 0; k < r.size(); ++k) {
      const double g = r_before[k] - r[k];
      size += g * g;
    }
    // A growing change means that the direction was wrong: forget it.
    const double beta = i == 1 ? 0 : size / last;
    last = size;
    const bool forget = !(beta <= 1);
    for (std::size_t k = 0; k < r.size(); ++k) {
      const double g = r_before[k] - r[k];
      r[k] += forget ? 0 : beta * p[k];
      p[k] = forget ? 0 : beta * p[k] - g;
    }
    for (std::size_t k = 0; k < v.size(); ++k) {
      const double g = v_before[k] - v[k];
      v[k] += forget ? 0 : beta * p_v[k];
      p_v[k] = forget ? 0 : beta * p_v[k] - g;
    }
  }
  r = best;
  velocities_from_impulses(island, r, v);
  return result;
}

template IterationResult nsgs(const Island&, const NsgsLimits&, NsgsBuffers&, std::vector<double>&,
                              std::vector<double>&);
template IterationResult nsgs(const ReducedIsland&, const NsgsLimits&, NsgsBuffers&,
                              std::vector<double>&, std::vector<double>&);

}  // namespace cairn
