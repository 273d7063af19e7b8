#include "solver/sweep/nsgs.hpp"

#include <algorithm>
#include <cmath>

#include "solver/sweep/strides.hpp"

namespace cairn::solver {
namespace {

// J . v of six velocities in two independent sums: a chain of six additions waits for each of them.
inline double dot6(const double* J, const double* v) {
  return (J[0] * v[0] + J[2] * v[2] + J[4] * v[4]) + (J[1] * v[1] + J[3] * v[3] + J[5] * v[5]);
}

// A contact between bodies in space, most of what sweeps see: straight-line code.
bool is_spatial(const Island& island, const Group& g) {
  if (g.rows != 3 || g.sides != 2) return false;
  for (const int body : g.body)
    if (body >= 0 && island.bodies[static_cast<std::size_t>(body)].size != max_velocities)
      return false;
  return g.rows == 3;
}

void visit_spatial(const Island& island, const Group& g, double* r, double* v) {
  double s[3], r_new[3] = {r[0], r[1], r[2]};
  for (int k = 0; k < 3; ++k)
    s[k] = g.b[k] - (g.W[k][0] * r[0] + g.W[k][1] * r[1] + g.W[k][2] * r[2]);
  const IslandBody* bodies[2];
  for (int side = 0; side < 2; ++side) {
    bodies[side] =
        g.body[side] < 0 ? nullptr : &island.bodies[static_cast<std::size_t>(g.body[side])];
    if (!bodies[side]) continue;
    const double* v_side = v + bodies[side]->first;
    for (int k = 0; k < 3; ++k) s[k] += dot6(g.J[side][k], v_side);
  }
  solve_local(g, s, r_new);
  const double c0 = r_new[0] - r[0], c1 = r_new[1] - r[1], c2 = r_new[2] - r[2];
  if (c0 == 0 && c1 == 0 && c2 == 0) return;
  std::copy(r_new, r_new + 3, r);
  for (int side = 0; side < 2; ++side) {
    if (!bodies[side]) continue;
    double* v_side = v + bodies[side]->first;
    for (int c = 0; c < max_velocities; ++c)
      v_side[c] += bodies[side]->inverse[c] *
                   (g.J[side][0][c] * c0 + g.J[side][1][c] * c1 + g.J[side][2][c] * c2);
  }
}

void visit(const Island& island, const Group& g, double* r, double* v) {
  double s[max_rows], change[max_rows], r_new[max_rows];
  group_velocity(island, g, v, s);
  for (int k = 0; k < g.rows; ++k) {
    r_new[k] = r[k];
    for (int l = 0; l < g.rows; ++l) s[k] -= g.W[k][l] * r[l];
  }
  solve_local(g, s, r_new);
  bool moved = false;
  for (int k = 0; k < g.rows; ++k) {
    change[k] = r_new[k] - r[k];
    moved = moved || change[k] != 0;
    r[k] = r_new[k];
  }
  if (moved) apply_impulse(island, g, change, v);
}

void sweep(const Island& island, std::vector<double>& r, std::vector<double>& v) {
  for (const Group& g : island.groups) {
    double* r_i = r.data() + g.first;
    if (is_spatial(island, g))
      visit_spatial(island, g, r_i, v.data());
    else
      visit(island, g, r_i, v.data());
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

// (E41): g = r_before - r_after of a sweep plays the gradient; beta = |g|^2 / |g_last|^2, restart
// when beta > 1. The velocities follow linearly, so p_v = A^-1 J^T p needs no product with J.
template <class AnyIsland>
IterationResult sweeps(const AnyIsland& island, const NsgsLimits& limits, NsgsBuffers& buffers,
                       std::vector<double>& r, std::vector<double>& v) {
  auto &r_before = buffers.r_before, &p = buffers.p, &v_before = buffers.v_before,
       &p_v = buffers.p_v, &best = buffers.best;
  velocities_from_impulses(island, r, v);
  p.assign(r.size(), 0.0);
  p_v.assign(v.size(), 0.0);
  IterationResult result{0, residual(island, r, v)};
  best = r;
  double last = 0, watched = result.residual;
  bool at_best = true;  // r and v are those of the best iterate
  for (int i = 1; i <= limits.sweeps && !(result.residual <= limits.tolerance); ++i) {
    if (island.interrupted(cost::sweep * static_cast<double>(island.groups.size()))) break;
    r_before = r;
    v_before = v;
    sweep(island, r, v);
    result.iterations = i;
    at_best = false;

    // Evaluating the residual costs half a sweep, so it is done every tenth time.
    if (i % 10 == 0 || i == limits.sweeps) {
      velocities_from_impulses(island, r, v);
      const double now = residual(island, r, v);
      if (now < result.residual) {
        result.residual = now;
        best = r;
        at_best = now <= limits.tolerance;
        if (at_best) break;
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
  if (at_best) return result;
  r = best;
  velocities_from_impulses(island, r, v);
  return result;
}

template <class AnyIsland>
IterationResult stride(const AnyIsland& island, const NsgsLimits& limits, NsgsBuffers& buffers,
                       std::vector<double>& r, std::vector<double>& v) {
  constexpr int before = 3, after = 40, most = 12;
  auto &r_before = buffers.r_before, &best = buffers.best;
  const double work = cost::sweep * static_cast<double>(island.groups.size());
  velocities_from_impulses(island, r, v);
  IterationResult result{0, residual(island, r, v)};
  best = r;
  for (int i = 0; i < most && !(result.residual <= limits.tolerance); ++i) {
    if (island.interrupted((before + after) * work)) break;
    for (int k = 0; k < before; ++k) {
      r_before = r;
      sweep(island, r, v);
    }
    for (std::size_t k = 0; k < r.size(); ++k) r_before[k] = r[k] - r_before[k];
    const double share = share_to_cones(island.groups, r, r_before, Bounds::cones);
    if (!std::isfinite(share)) break;
    for (std::size_t k = 0; k < r.size(); ++k) r[k] += share * r_before[k];
    velocities_from_impulses(island, r, v);
    for (int k = 0; k < after; ++k) sweep(island, r, v);
    result.iterations += before + after;
    velocities_from_impulses(island, r, v);
    const double now = residual(island, r, v);
    if (!(now < result.residual)) continue;
    result.residual = now;
    best = r;
  }
  r = best;
  velocities_from_impulses(island, r, v);
  return result;
}

// Runs `method` on the island, or on its reduced form where the mass is not block diagonal.
template <class Method>
IterationResult on_any_mass(const Island& island, NsgsBuffers& buffers, std::vector<double>& r,
                            std::vector<double>& v, const Method& method) {
  if (island.inertia.rest.empty()) return method(island, v);
  velocities_from_impulses(island, r, v);
  if (island.inertia.coupled && island.rows > most_dense_rows) return {0, residual(island, r, v)};
  reduce(island, buffers.reduced);
  IterationResult result = method(buffers.reduced, buffers.u);
  velocities_from_impulses(island, r, v);
  result.residual = residual(island, r, v);
  return result;
}

}  // namespace

template <>
IterationResult nsgs(const Island& island, const NsgsLimits& limits, NsgsBuffers& buffers,
                     std::vector<double>& r, std::vector<double>& v) {
  return on_any_mass(island, buffers, r, v, [&](const auto& form, std::vector<double>& u) {
    return sweeps(form, limits, buffers, r, u);
  });
}

template <>
IterationResult nsgs(const ReducedIsland& island, const NsgsLimits& limits, NsgsBuffers& buffers,
                     std::vector<double>& r, std::vector<double>& u) {
  return sweeps(island, limits, buffers, r, u);
}

IterationResult strides(const Island& island, const NsgsLimits& limits, NsgsBuffers& buffers,
                        std::vector<double>& r, std::vector<double>& v) {
  return on_any_mass(island, buffers, r, v, [&](const auto& form, std::vector<double>& u) {
    return stride(form, limits, buffers, r, u);
  });
}

}  // namespace cairn::solver
