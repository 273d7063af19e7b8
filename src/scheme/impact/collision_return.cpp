// The problems of an impact at one moment: compression, and what restitution returns (E174, E223 to
// E225, E680).
#include <algorithm>
#include <cmath>

#include "base/conventions.hpp"
#include "base/index.hpp"
#include "linear/blocks.hpp"
#include "problem/cone.hpp"
#include "scheme/impact/collision.hpp"
#include "solver/unguarded.hpp"

namespace cairn::scheme {
namespace {

constexpr double balanced = 1e-14;     // of the work that is to be returned [-]
constexpr double near_balance = 1e-6;  // the same, where rounds no longer gain [-]
constexpr double jammed = 0x1p-72;     // of the kinetic energy before: rounding of a solve [-]
constexpr int most_stalls = 3;         // rounds that do not halve the error

// `lambda` along the normal of a contact.
void add_push(const Constraint& c, double lambda, Problem& problem) {
  for (std::size_t side = 0; side < 2; ++side) {
    if (c.body[side] < 0) continue;
    const ProblemBody& body = problem.bodies[base::at(c.body[side])];
    for (int k = 0; k < body.size; ++k) problem.k[body.first + k] += c.J[side][0][k] * lambda;
  }
}

// Sections that are sums of segments: wedges, circles, polygons with a centre.
bool has_centre(const Constraint& c) {
  const std::span<const Corner> corners = problem::corners_of(c.rows, c.facets, c.section.get());
  const std::size_t half = corners.size() / 2;
  if (corners.size() % 2 != 0) return false;
  for (std::size_t i = 0; i < half; ++i)
    for (std::size_t k = 0; k < 2; ++k)
      if (std::abs(corners[i][k] + corners[i + half][k]) > 0x1p-44) return false;
  return true;
}

// A row along x t1 + y t2 of contact `i`, with an impulse of up to `most` either way.
void add_friction_row(std::size_t i, double x, double y, double most, Problem& problem) {
  Constraint row;
  const Constraint& c = problem.constraints[i];
  row.law = Law::box;
  row.body = c.body;
  row.key = c.key;
  row.lo = -most;
  row.hi = most;
  for (std::size_t side = 0; side < 2; ++side)
    for (int k = 0; k < max_velocities; ++k)
      row.J[side][0][k] = x * c.J[side][1][k] + (c.rows > 2 ? y * c.J[side][2][k] : 0);
  row.b[0] = x * c.b[1] + (c.rows > 2 ? y * c.b[2] : 0);
  problem.constraints.push_back(row);
  problem.first_row.push_back(problem.first_row.back() + 1);
}

// Friction of contact `i` of up to mu times `normal`, beside its own (E680).
void add_friction(std::size_t i, double normal, Problem& problem) {
  const double most = problem.constraints[i].mu * normal;
  if (problem.constraints[i].rows == 2) return add_friction_row(i, 1, 0, most, problem);
  const std::span<const Corner> corners =
      problem::corners_of(3, problem.constraints[i].facets, problem.constraints[i].section.get());
  if (!corners.empty()) {
    for (std::size_t k = 0; k < corners.size() / 2; ++k) {
      const Corner &a = corners[k], &b = corners[k + 1];
      add_friction_row(i, b[0] - a[0], b[1] - a[1], 0.5 * most, problem);
    }
    return;
  }
  Constraint row = problem.constraints[i];
  row.law = Law::disc;
  row.rows = 2;
  row.mu = 0;
  row.hi = most;
  for (int r = 0; r < 2; ++r) {
    row.b[r] = row.b[r + 1];
    for (auto& J : row.J) std::copy_n(J[r + 1], max_velocities, J[r]);
  }
  problem.constraints.push_back(row);
  problem.first_row.push_back(problem.first_row.back() + 2);
}

}  // namespace

// M v+ = M v_from + J^T (push + lambda); contacts open with `speed` at least.
void Collision::pose(Purpose purpose, Problem& problem) const {
  CAIRN_DCHECK(d.search.speed.size() == d.colliders.size(), d.search.speed.size());
  CAIRN_DCHECK(d.search.push.size() == d.colliders.size(), d.search.push.size());
  CAIRN_DCHECK(d.v_from.size() == d.base.velocities(), d.v_from.size());
  problem = d.base;
  problem.k.setZero();
  problem::add_mass_product(problem, d.v_from.data(), problem.k.data());
  for (std::size_t i = 0; i < d.colliders.size(); ++i) {
    Constraint& c = problem.constraints[d.constraint_of[i]];
    c.b[0] -= d.search.speed[i];
    // A path has exact friction: the relaxed law would lift what slides after it.
    if (purpose != Purpose::compression && mode_of(i) == Mode::sequence &&
        c.law == Law::coulomb_relaxed)
      c.law = Law::coulomb;
    if (d.search.push[i] != 0) add_push(c, d.search.push[i], problem);
  }
}

// The record of a problem that is posed.
SolveRecord& Collision::record(Purpose purpose) {
  SolveRecord& record = report.solves.push(purpose);
  record.origin = d.origin;
  pose(purpose, record.problem);
  return record;
}

void Collision::solve_from(Purpose purpose) {
  SolveRecord& at = record(purpose);
  if (purpose == Purpose::compression)
    at.solution.lambda = d.warm;
  else
    at.solution.lambda.setZero(at.problem.rows());
  solver::solve_unguarded(at.problem, solver, workspace, at.solution);
}

// What each contact returns: a speed by Newton's law, an impulse by the others (E223, E224).
void Collision::set_wanted() {
  for (std::size_t i = 0; i < d.colliders.size(); ++i) {
    const Collider& c = d.colliders[i];
    d.search.wanted[i] = 0;
    const Mode mode = mode_of(i);
    if (mode != Mode::newton && mode != Mode::returned) continue;
    const std::size_t island = base::at(island_of(i));
    const double e = d.of_island.theta[island] * c.restitution;
    if (c.law == RestitutionLaw::newton) {
      d.search.speed[i] = collides(i) ? -e * c.approach / d.base.units.speed() : 0;
      continue;
    }
    d.search.wanted[i] = e * std::max(0.0, d.lambda_compression[row(i)]);
    if (c.law == RestitutionLaw::stronge) d.search.wanted[i] *= d.of_island.factor[island];
  }
}

// Returned by an impulse that counts for friction.
bool Collision::returns_fully(std::size_t contact) const {
  return mode_of(contact) == Mode::returned && d.colliders[contact].law != RestitutionLaw::newton &&
         d.of_island.rubs[base::at(island_of(contact))] &&
         rules.friction != RestitutionFriction::extra;
}

// (E680): the wanted impulses as pushes with a friction of their own beside that of the contacts.
// The answer has the speeds of (E174), and is recorded as that of the problem with these.
bool Collision::return_impulses(int first) {
  const std::size_t n = d.colliders.size();
  Problem& problem = d.search.returning;
  for (std::size_t i = 0; i < n; ++i)
    if (returns_fully(i)) d.search.push[i] = d.search.wanted[i], d.search.speed[i] = 0;
  pose(Purpose::decompression, problem);
  const int rows = problem.rows();
  d.search.friction_of.clear();
  for (std::size_t i = 0; i < n; ++i) {
    const Constraint& c = constraint(i);
    if (!returns_fully(i) || c.rows < 2 || c.mu == 0 || d.search.wanted[i] == 0) continue;
    add_friction(d.constraint_of[i], d.search.wanted[i], problem);
    d.search.friction_of.resize(problem.constraints.size() - d.base.constraints.size(), i);
  }
  Solution& answer = d.search.returning_answer;
  if (answer.lambda.size() != problem.rows() || !d.search.speeds_known)
    answer.lambda.setZero(problem.rows());
  solver::solve_unguarded(problem, solver, workspace, answer);
  d.search.speeds_known = true;

  rest_jammed(answer.v);
  d.search.total = answer.lambda.head(rows);
  add_returned_friction(d.search.total);
  for (std::size_t i = 0; i < n; ++i) {
    if (!returns_fully(i)) continue;
    double w[max_rows] = {};
    linear::constraint_velocity(d.base, constraint(i), answer.v.data(), true, w);
    const double opens = problem::opening_speed(problem::law_set(constraint(i)), w);
    d.search.speed[i] = opens > d.search.slope[i] * answer.lambda[row(i)] ? opens : 0;
    d.search.total[row(i)] += d.search.push[i];
    d.search.push[i] = 0;
  }
  report.solves.roll_back(first);
  SolveRecord& at = record(Purpose::decompression);
  at.solution = answer;
  at.solution.lambda = d.search.total;
  at.solution.certificate = solver::certify(workspace, at.problem, answer.v, d.search.total);
  if (at.solution.certificate.within(tolerance(solver)))
    at.solution.status = SolveStatus::solved;
  else
    solver::solve_unguarded(at.problem, solver, workspace, at.solution);
  return at.solution.status == SolveStatus::solved;
}

// (E722): islands that the contacts hold, whose velocities are what the solve leaves of zero.
void Collision::rest_jammed(VecX& v) const {
  for (int island = 0; island < d.islands.count; ++island) {
    const std::size_t i = base::at(island);
    if (d.of_island.mode[i] != Mode::returned ||
        !(kinetic_of(island, v) <= jammed * d.of_island.kinetic[i]))
      continue;
    for (int k = d.islands.first_body[i]; k < d.islands.first_body[i + 1]; ++k) {
      const ProblemBody& b = d.base.bodies[base::at(d.islands.bodies[base::at(k)])];
      v.segment(b.first, b.size).setZero();
    }
  }
}

// Impulses of the rows that add_friction() made, for the rows of their contacts.
void Collision::add_returned_friction(VecX& lambda) const {
  std::size_t corner = 0;
  for (std::size_t k = 0; k < d.search.friction_of.size(); ++k) {
    const Constraint& own = constraint(d.search.friction_of[k]);
    const std::size_t i = d.base.constraints.size() + k;
    const double* impulse =
        d.search.returning_answer.lambda.data() + d.search.returning.first_row[i];
    double* to = lambda.data() + row(d.search.friction_of[k]);
    const std::span<const Corner> corners =
        problem::corners_of(own.rows, own.facets, own.section.get());
    if (corners.empty()) {
      for (int r = 1; r < own.rows; ++r) to[r] += impulse[r - 1];
      continue;
    }
    for (std::size_t r = 0; r < 2; ++r)
      to[r + 1] += impulse[0] * (corners[corner + 1][r] - corners[corner][r]);
    corner = (corner + 1) % (corners.size() / 2);
  }
}

// One decompression with the impulses wanted: by speeds where friction counts with all of them, as
// pushes along the normals elsewhere and where the speeds are not found.
bool Collision::decompress(int first) {
  bool search = false, centred = true;
  for (std::size_t i = 0; i < d.colliders.size(); ++i) {
    if (mode_of(i) != Mode::returned || d.colliders[i].law == RestitutionLaw::newton) continue;
    const bool by_speed = returns_fully(i);
    d.search.push[i] = by_speed ? 0 : d.search.wanted[i];
    search = search || by_speed;
    if (by_speed) centred = centred && has_centre(constraint(i));
  }
  // Where one search has failed those with other shares of the impulses would, at the same cost.
  if (search && d.search.speeds_found && (centred ? return_impulses(first) : search_speeds(first)))
    return true;
  d.search.speeds_found = d.search.speeds_found && !search;
  if (search)
    for (std::size_t i = 0; i < d.colliders.size(); ++i)
      if (mode_of(i) == Mode::returned && d.colliders[i].law != RestitutionLaw::newton)
        d.search.speed[i] = 0, d.search.push[i] = d.search.wanted[i];
  report.solves.roll_back(first);
  solve_from(Purpose::decompression);
  return !search;
}

// Stronge's law (E225): one factor per island, until the works that its contacts return are e^2 of
// those of the compression. True: they are.
bool Collision::balance_works() {
  const Solution& solution = report.solves.back().solution;
  d.of_island.returned.assign(base::at(d.islands.count), 0.0);
  d.of_island.target.assign(base::at(d.islands.count), 0.0);
  for (std::size_t i = 0; i < d.colliders.size(); ++i) {
    const Collider& c = d.colliders[i];
    if (mode_of(i) != Mode::returned || c.law != RestitutionLaw::stronge) continue;
    const std::size_t island = base::at(island_of(i));
    double from[max_rows] = {}, to[max_rows] = {};
    linear::constraint_velocity(d.base, constraint(i), d.search.v_compressed.data(), true, from);
    linear::constraint_velocity(d.base, constraint(i), solution.v.data(), true, to);
    const double e = d.of_island.theta[island] * c.restitution;
    d.of_island.returned[island] +=
        (solution.lambda[row(i)] + d.search.push[i]) * 0.5 * (from[0] + to[0]);
    d.of_island.target[island] += e * e * std::max(0.0, -d.search.compression_work[i]);
  }
  bool done = true;
  for (std::size_t i = 0; i < base::at(d.islands.count); ++i) {
    if (d.of_island.mode[i] != Mode::returned || !(d.of_island.target[i] > 0)) continue;
    const double work = d.of_island.returned[i], target = d.of_island.target[i],
                 factor = d.of_island.factor[i];
    const double error = std::abs(work - target) / target;
    // The solves are known to their tolerance only: the search ends where it no longer gains.
    d.of_island.stalls[i] =
        error < 0.5 * d.of_island.least_error[i] ? 0 : d.of_island.stalls[i] + 1;
    d.of_island.least_error[i] = std::min(d.of_island.least_error[i], error);
    if (error <= balanced || !(work > 0) ||
        (error < near_balance && d.of_island.stalls[i] > most_stalls))
      continue;
    done = false;
    (work < target ? d.of_island.factor_below[i] : d.of_island.factor_above[i]) = factor;
    // The work grows with the square of the factor while nothing changes its mode.
    const double root = std::sqrt(work), last = std::sqrt(d.of_island.last_work[i]);
    double next = factor * std::sqrt(target) / root;
    if (d.of_island.last_work[i] > 0 && std::abs(root - last) > 1e-13 * root) {
      const double secant = factor + (std::sqrt(target) - root) *
                                         (factor - d.of_island.last_factor[i]) / (root - last);
      if (secant > 0.1 * factor && secant < 10 * factor) next = secant;
    }
    // A contact that changes its mode bends the curve.
    if (!(next > d.of_island.factor_below[i] && next < d.of_island.factor_above[i]))
      next = std::isfinite(d.of_island.factor_above[i])
                 ? 0.5 * (d.of_island.factor_below[i] + d.of_island.factor_above[i])
                 : 2 * d.of_island.factor_below[i];
    d.of_island.last_factor[i] = factor;
    d.of_island.last_work[i] = work;
    if (next == factor) continue;
    d.of_island.factor[i] = next;
  }
  return done;
}

}  // namespace cairn::scheme
