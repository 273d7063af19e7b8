#include "problem/conventions.hpp"

namespace cairn::problem {

#ifdef CAIRN_DCHECKS

namespace {

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

// Of constraints of both kinds of problems.
template <class Row>
void dcheck_law(const Row& c) {
  CAIRN_DCHECK(c.rows >= 1 && c.rows <= max_rows, c.rows);
  CAIRN_DCHECK(c.law != Law::nonnegative || c.rows == 1, c.rows);
  CAIRN_DCHECK(c.law != Law::box || c.rows == 1, c.rows);
  CAIRN_DCHECK(c.law != Law::box || c.lo <= c.hi, c.lo, c.hi);
  CAIRN_DCHECK(c.law != Law::disc || c.rows <= 2, c.rows);
  CAIRN_DCHECK(c.mu >= 0, c.mu);
  CAIRN_DCHECK(c.facets == 0 || (c.facets >= 3 && c.facets <= max_corners), c.facets);
  CAIRN_DCHECK(!c.section || has_cone(c.law));
  CAIRN_DCHECK(!c.section || c.section->size() >= 3);
}

void dcheck_first_rows(std::span<const int> first_row, std::size_t constraints) {
  CAIRN_DCHECK(first_row.size() == constraints + 1 || (first_row.empty() && constraints == 0),
               first_row.size(), constraints);
  CAIRN_DCHECK(first_row.empty() || first_row[0] == 0);
}

// Ascending lists one after the other that have every number once.
void dcheck_lists(std::span<const int> members, std::span<const int> first, int count,
                  std::span<const int> island_of) {
  CAIRN_DCHECK(first.size() == at(count + 1), first.size(), count);
  CAIRN_DCHECK(first.front() == 0, first.front());
  CAIRN_DCHECK(at(first.back()) == members.size(), first.back(), members.size());
  for (int i = 0; i < count; ++i) {
    CAIRN_DCHECK(first[at(i)] <= first[at(i + 1)], i);
    for (int k = first[at(i)]; k < first[at(i + 1)]; ++k) {
      CAIRN_DCHECK(base::is_index(members[at(k)], island_of.size()), k, members[at(k)]);
      CAIRN_DCHECK(island_of[at(members[at(k)])] == i, i, members[at(k)]);
      CAIRN_DCHECK(k == first[at(i)] || members[at(k - 1)] < members[at(k)], k);
    }
  }
}

}  // namespace

void dcheck_keys(const Problem& problem) {
  CAIRN_DCHECK(base::is_strictly_sorted(
      problem.constraints, [](const Constraint& c) -> const ConstraintKey& { return c.key; }));
}

// Bodies that differ, in the entries that are used; compliance without a cone.
static void dcheck_sides(const Problem& problem, const Constraint& c) {
  CAIRN_DCHECK(c.sides >= 2 && c.sides <= max_sides, c.sides);
  CAIRN_DCHECK(c.sides == 2 || !(has_cone(c.law) || c.law == Law::disc), c.sides);
  for (int i = 0; i < max_sides; ++i) {
    CAIRN_DCHECK(base::is_index_or_none(c.body[at(i)], problem.bodies.size()), c.body[at(i)]);
    CAIRN_DCHECK(i < c.sides || c.body[at(i)] == -1, i, c.body[at(i)]);
    for (int j = 0; j < i; ++j)
      CAIRN_DCHECK(c.body[at(i)] != c.body[at(j)] || c.body[at(i)] == -1, i, c.body[at(i)]);
  }
  for (const double C : c.compliance) CAIRN_DCHECK(C >= 0 && std::isfinite(C), C);
  CAIRN_DCHECK(!c.compliant() || !(has_cone(c.law) || c.law == Law::disc), c.sides);
}

void dcheck_problem(const Problem& problem) {
  CAIRN_DCHECK(problem.units.mass > 0, problem.units.mass);
  CAIRN_DCHECK(problem.units.length > 0, problem.units.length);
  CAIRN_DCHECK(problem.units.time > 0, problem.units.time);
  int end = 0;
  for (const ProblemBody& b : problem.bodies) {
    CAIRN_DCHECK(b.size >= 1 && b.size <= max_velocities, b.size);
    CAIRN_DCHECK(b.first >= end, b.first, end);
    end = b.first + b.size;
    for (int k = 0; k < b.size; ++k) CAIRN_DCHECK(!(b.A[k][k] <= 0), k, b.A[k][k]);
  }
  CAIRN_DCHECK(end <= problem.velocities(), end, problem.velocities());
  for (const BodyCoupling& c : problem.couplings) {
    CAIRN_DCHECK(base::is_index(c.body[0], problem.bodies.size()), c.body[0]);
    CAIRN_DCHECK(base::is_index(c.body[1], problem.bodies.size()), c.body[1]);
    CAIRN_DCHECK(c.body[0] != c.body[1], c.body[0]);
  }
  dcheck_first_rows(problem.first_row, problem.constraints.size());
  for (std::size_t i = 0; i < problem.constraints.size(); ++i) {
    const Constraint& c = problem.constraints[i];
    dcheck_law(c);
    CAIRN_DCHECK(problem.first_row[i] + c.rows == problem.first_row[i + 1], i, c.rows);
    dcheck_sides(problem, c);
    if (c.law != Law::disc) continue;
    CAIRN_DCHECK(c.tie >= 0 || c.hi >= 0, i, c.hi);
    if (c.tie < 0) continue;
    CAIRN_DCHECK(base::is_index(c.tie, problem.constraints.size()), i, c.tie);
    CAIRN_DCHECK(is_unilateral(problem.constraints[at(c.tie)].law), i, c.tie);
  }
}

void dcheck_reduced(const ReducedProblem& problem) {
  const std::size_t n = problem.constraints.size();
  dcheck_first_rows(problem.first_row, n);
  CAIRN_DCHECK(problem.q.size() == problem.rows(), problem.q.size(), problem.rows());
  CAIRN_DCHECK(problem.first_block.size() == n + 1, problem.first_block.size(), n);
  CAIRN_DCHECK(at(problem.first_block.back()) == problem.blocks.size(), problem.blocks.size());
  CAIRN_DCHECK(problem.names.empty() || problem.names.size() == n, problem.names.size(), n);
  for (std::size_t i = 0; i < n; ++i) {
    const ReducedConstraint& c = problem.constraints[i];
    dcheck_law(c);
    CAIRN_DCHECK(problem.first_row[i] + c.rows == problem.first_row[i + 1], i, c.rows);
    CAIRN_DCHECK(problem.first_block[i] <= problem.first_block[i + 1], i);
    for (int k = problem.first_block[i]; k < problem.first_block[i + 1]; ++k) {
      CAIRN_DCHECK(base::is_index(problem.blocks[at(k)].column, n), k);
      CAIRN_DCHECK(k == problem.first_block[i] ||
                       problem.blocks[at(k - 1)].column < problem.blocks[at(k)].column,
                   i, k);
    }
  }
}

void dcheck_islands(const Problem& problem, const Islands& islands) {
  CAIRN_DCHECK(islands.count >= 0, islands.count);
  CAIRN_DCHECK(islands.of_body.size() == problem.bodies.size());
  CAIRN_DCHECK(islands.of_constraint.size() == problem.constraints.size());
  for (const int island : islands.of_body)
    CAIRN_DCHECK(base::is_index(island, at(islands.count)), island, islands.count);
  for (std::size_t i = 0; i < problem.constraints.size(); ++i) {
    const int island = islands.of_constraint[i];
    CAIRN_DCHECK(base::is_index_or_none(island, at(islands.count)), i, island);
    bool moves = false;
    for (const int body : problem.constraints[i].body) {
      if (body < 0) continue;
      moves = true;
      CAIRN_DCHECK(islands.of_body[at(body)] == island, i, body, island);
    }
    CAIRN_DCHECK(moves == (island >= 0), i, island);
  }
  for (const BodyCoupling& c : problem.couplings)
    CAIRN_DCHECK(islands.of_body[at(c.body[0])] == islands.of_body[at(c.body[1])]);
  dcheck_lists(islands.bodies, islands.first_body, islands.count, islands.of_body);
  dcheck_lists(islands.constraints, islands.first_constraint, islands.count, islands.of_constraint);
  CAIRN_DCHECK(islands.bodies.size() == problem.bodies.size());
}

void dcheck_solution(const Problem& problem, const Solution& solution, double tolerance) {
  const Certificate& c = solution.certificate;
  CAIRN_DCHECK(solution.v.size() == problem.velocities(), solution.v.size());
  CAIRN_DCHECK(solution.lambda.size() == problem.rows(), solution.lambda.size());
  CAIRN_DCHECK(solution.method != nullptr);
  CAIRN_DCHECK(solution.iterations >= 0, solution.iterations);
  CAIRN_DCHECK(solution.fallbacks >= 0 && solution.fallbacks <= solution.islands,
               solution.fallbacks, solution.islands);
  CAIRN_DCHECK(base::is_index_or_none(c.worst_constraint, problem.constraints.size()),
               c.worst_constraint);
  CAIRN_DCHECK((solution.status == SolveStatus::solved) == c.within(tolerance), c.worst, tolerance);
  if (!c.finite) return;
  CAIRN_DCHECK(solution.v.allFinite() && solution.lambda.allFinite());
  for (const double part : {c.momentum, c.equality, c.gap_velocity, c.normal_impulse,
                            c.complementarity, c.cone, c.natural_map})
    CAIRN_DCHECK(part >= 0 && part <= c.worst, part, c.worst);
  // Impulses lie in their cones as far as the certificate says: no contact pulls by more.
  for (std::size_t i = 0; i < problem.constraints.size(); ++i)
    if (is_unilateral(problem.constraints[i].law))
      CAIRN_DCHECK(
          solution.lambda[problem.first_row[i]] * problem.units.impulse() >= c.least_normal_impulse,
          i, solution.lambda[problem.first_row[i]], c.least_normal_impulse);
}

#endif

}  // namespace cairn::problem
