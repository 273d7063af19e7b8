// One island of a problem in the solvers' form: rows scaled so that W_ii is near the identity, and
// velocities in which the mass is diagonal.
//
// Scaled impulse r = d lambda, scaled velocity u = (J v + b) / d with d a power of two near
// sqrt(trace(W_ii)/rows), (E10): isotropic per constraint, so cones are unchanged and masses,
// inertias and units vanish from all step sizes. With A = L D L^T, L unit lower triangular, the
// velocities here are L^T v, their Jacobian J L^-T and their mass D (E51): an impulse then needs
// J alone, not A^-1 J^T as well, which halves what a sweep reads.
//
// Where A couples bodies or is unsymmetric, L and D are those of the symmetric parts of its
// diagonal blocks and the mass here is D + R; R, the rest, is zero elsewhere and not stored (E53).
#pragma once

#include <algorithm>
#include <vector>

#include "linear/block_lu.hpp"
#include "problem/islands.hpp"
#include "solver/estimate.hpp"
#include "solver/interruptible.hpp"
#include "solver/island/local_law.hpp"

namespace cairn::solver {

// A compliant row (E870) gets a body of its own: one velocity per compliant row, mass 1/C.
constexpr int group_sides = max_sides + 1;

struct IslandBody {
  int first = 0;  // velocities of the island: v[first .. first + size)
  int size = 0;
  int source = 0;                                        // body of the problem; -1: of a compliance
  bool diagonal = false;                                 // L is the identity
  double mass[max_velocities], inverse[max_velocities];  // D and 1/D
  double light = 1;                                      // 1 / sqrt(m_j), (E310)
  double free_terms = 0;                                 // |v_free|_A, (E311)
};

struct Group : LocalConstraint {
  Group() {}         // a defaulted one would clear J and W first, in every step
  int first = 0;     // impulses of the island: r[first .. first + rows)
  int source = 0;    // constraint of the problem
  int joint = -1;    // number of the joint it is a part of; -1: none
  int tie = -1;      // of a disc: the group whose normal impulse bounds it (E240)
  double share = 0;  // of a disc: its radius over that impulse, both scaled
  int sides = 2;     // entries of body and J that are used
  int body[group_sides] = {-1, -1, -1, -1, -1};
  double d = 1;  // scale
  RowGauge gauge;
  double b[max_rows] = {};
  double J[group_sides][max_rows][max_velocities];
};

// A block of R: rows of one body, columns of another or the same one.
struct RestBlock {
  int row = 0, column = 0;
  linear::BodyBlock value = {};
};

// Mass beyond the diagonal: D + R.
struct IslandInertia {
  std::vector<RestBlock> rest;  // R; empty: the mass is D
  bool coupled = false;         // R has blocks between bodies
  linear::BlockLU whole;        // of D + R, where there is a rest
  std::vector<int> offsets;     // of its nodes
  std::vector<char> late;       // the same, all zero
};

struct Island : Interruptible {
  std::vector<IslandBody> bodies;
  std::vector<ProblemBody> factors;  // of the same bodies; A holds L below its diagonal
  IslandInertia inertia;
  std::vector<Group> groups;
  std::vector<double> v_free;
  std::vector<double> u_free;    // of the groups, J v_free + b
  std::vector<double> v_source;  // the same in the problem's velocities
  int velocities = 0;
  int rows = 0;
  bool tied = false;          // there are discs
  double tolerance = 1e-8;    // of the certificate, for the estimate (E312)
  double speed = 0;           // V of (E11)
  double lightest = 0;        // largest 1 / sqrt(m_j), (E310)
  double mass = 0;            // sum of m_j
  double velocity_scale = 0;  // largest scaled J v_free + b over closing rows
  double scale = 0;           // largest scaled J v_free over closing rows: size of a usual impulse
  mutable std::vector<double> terms;  // scratch of residual()
};

// Calls f(i, j) for each pair of bodies that a group acts on.
template <class F>
inline void for_pairs(const Group& g, const F& f) {
  for (int i = 0; i < g.sides; ++i)
    for (int j = i + 1; j < g.sides; ++j)
      if (g.body[i] >= 0 && g.body[j] >= 0) f(g.body[i], g.body[j]);
}

// Copies island `number` of the problem. A disc with one row becomes a box. Radii of discs are zero
// until follow_ties().
void make_island(const Problem& problem, const problem::Islands& islands, int number,
                 Island& island);

// Sets the radii of discs to what the normal impulses allow (E240) and moves their impulses into
// them.
void follow_ties(Island& island, std::vector<double>& r);
void set_radius(double radius, Group& g);

// u = J v + b of a group (scaled).
inline void group_velocity(const Island& island, const Group& g, const double* v, double* u) {
  double sum[max_rows] = {g.b[0], g.b[1], g.b[2]};
  for (int side = 0; side < g.sides; ++side) {
    if (g.body[side] < 0) continue;
    const IslandBody& b = island.bodies[static_cast<std::size_t>(g.body[side])];
    linear::add_product(g.J[side], g.rows, b.size, v + b.first, sum);
  }
  if (g.rows == 3)
    std::copy_n(sum, 3, u);
  else
    std::copy_n(sum, g.rows, u);
}

// Adds R to a matrix whose first nodes are the bodies.
void add_rest(const Island& island, linear::BlockLU& lu);

// f += R v.
void add_rest_product(const Island& island, const double* v, double* f);

// v += D^-1 J^T change of a group, where there is no rest.
inline void apply_impulse(const Island& island, const Group& g, const double* change, double* v) {
  for (int side = 0; side < g.sides; ++side) {
    if (g.body[side] < 0) continue;
    const IslandBody& b = island.bodies[static_cast<std::size_t>(g.body[side])];
    double* target = v + b.first;
    if (g.rows == 3 && b.size == 6) {
      const linear::NumberPair x = linear::both(change[0]), y = linear::both(change[1]),
                               z = linear::both(change[2]);
      for (int c = 0; c < 6; c += 2)
        linear::store_pair(
            linear::load_pair(target + c) +
                linear::load_pair(b.inverse + c) * (linear::load_pair(g.J[side][0] + c) * x +
                                                    linear::load_pair(g.J[side][1] + c) * y +
                                                    linear::load_pair(g.J[side][2] + c) * z),
            target + c);
      continue;
    }
    linear::with_sizes(g.rows, b.size, [&](auto rows, auto n) {
      for (int c = 0; c < n; ++c) {
        double sum = g.J[side][0][c] * change[0];
        for (int r = 1; r < rows; ++r) sum += g.J[side][r][c] * change[r];
        target[c] += b.inverse[c] * sum;
      }
    });
  }
}

// The problem's velocities of body i from the island's.
void body_velocity(const Island& island, std::size_t i, const double* v, double* out);

// v = v_free + (D + R)^-1 J^T r: removes the drift of incremental updates.
void velocities_from_impulses(const Island& island, const std::vector<double>& r,
                              std::vector<double>& v);

// tau_j of every body at the impulses r (E311), into island.terms; and what the velocity of a group
// is then added up from, scaled.
void add_up_terms(const Island& island, const std::vector<double>& r);
inline double terms_of(const Island& island, const Group& g) {
  double sum = g.gauge.gap;
  for (int side = 0; side < g.sides; ++side)
    if (g.body[side] >= 0)
      sum += g.gauge.reach[side] * island.terms[static_cast<std::size_t>(g.body[side])];
  return sum;
}

// |g| in the metric of A^-1, or |u|, that a residual of one stands for: speed V of the lightest
// body.
inline double unit_residual(const Island& island, double) {
  return island.speed / island.lightest;
}

// kappa |r| / (64 V) of a group, at least one: how many times more than its own bodies it may hold
// up (E313).
double load_of(const Island& island, const Group& g, const std::vector<double>& r);

// The solvers' own estimate of the certificate (E312).
double residual(const Island& island, const std::vector<double>& r, const std::vector<double>& v);

}  // namespace cairn::solver
