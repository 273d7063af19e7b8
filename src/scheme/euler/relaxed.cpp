// Scheme `relaxed`: the step of `euler` under the convex relaxation of Coulomb's law (Anitescu and
// Hart 2004, Hart 2007; E90), and the fixed-point iteration of Anitescu and Hart from it to exact
// friction (E92).
#include "base/conventions.hpp"
#include "linear/blocks.hpp"
#include "problem/cone.hpp"
#include "scheme/euler/euler.hpp"
#include "scheme/euler/step.hpp"
#include "solver/unguarded.hpp"

namespace cairn::scheme {

double slip_speed(const Constraint& c, const double* w) {
  problem::LawSet set = problem::law_set(c);
  if (has_cone(set.law)) set.law = Law::coulomb;
  return problem::slip_bound(set, w);
}

// sigma(w_T) of a relaxed contact in the last solution [m/s].
double Step::slip(std::size_t contact) const {
  CAIRN_DCHECK(contact < data.contacts.size(), contact);
  const SolveRecord& record = last();
  const Constraint& c = record.problem.constraints[data.rows.posed.constraint_of(contact)];
  if (c.law != Law::coulomb_relaxed) return 0;
  double w[max_rows] = {};
  linear::constraint_velocity(record.problem, c, record.solution.v.data(), true, w);
  return slip_speed(c, w) * record.problem.units.speed();
}

// How fast a contact that presses opens (E90) [m/s].
double Step::lift(std::size_t contact) const {
  return slip(contact) - data.rows.terms[contact].slip;
}

void Step::save_slips(std::vector<double>& slips) const {
  slips.clear();
  for (const ContactTerms& terms : data.rows.terms) slips.push_back(terms.slip);
}

void Step::restore_slips(const std::vector<double>& slips) {
  CAIRN_DCHECK(slips.size() == data.rows.terms.size(), slips.size(), data.rows.terms.size());
  for (std::size_t i = 0; i < slips.size(); ++i) data.rows.terms[i].slip = slips[i];
}

// (E93): the last solution judged by Coulomb's law, in the problem without Gamma.
double Step::coulomb_residual() {
  const SolveRecord& record = last();
  data.relaxed.exact = record.problem;
  for (std::size_t i = 0; i < data.contacts.size(); ++i) {
    Constraint& c = data.relaxed.exact.constraints[data.rows.posed.constraint_of(i)];
    if (c.law != Law::coulomb_relaxed) continue;
    c.law = Law::coulomb;
    c.b[0] -= data.rows.terms[i].slip / data.relaxed.exact.units.speed();
  }
  return solver::certify(data.solver, data.relaxed.exact, record.solution.v, record.solution.lambda)
      .worst;
}

// (E92): Gamma from the last solution, until Coulomb's law holds. The iteration contracts for small
// friction only: the best of its solutions is the answer, the residual of which is reported.
void Step::correct(double theta) {
  double best = coulomb_residual();
  int best_solve = report.solves.size() - 1;
  save_slips(data.relaxed.best_slips);
  save_springs(data.relaxed.best_springs);
  for (int i = 0; i < friction.corrections && !(best <= friction.tolerance); ++i) {
    for (std::size_t k = 0; k < data.rows.terms.size(); ++k) data.rows.terms[k].slip = slip(k);
    solve(Purpose::correction, theta);
    ++report.corrections;
    const double residual = coulomb_residual();
    if (!(residual < best)) continue;
    best = residual;
    best_solve = report.solves.size() - 1;
    save_slips(data.relaxed.best_slips);
    save_springs(data.relaxed.best_springs);
  }
  if (best_solve == report.solves.size() - 1) return;
  restore_slips(data.relaxed.best_slips);
  go_back_to(best_solve, data.relaxed.best_springs);
}

}  // namespace cairn::scheme
