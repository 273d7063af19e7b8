// The energy guard of `euler` and `relaxed` (E35): restitution is reduced, group by group, until no
// group of bodies has gained energy by it.
#include "scheme/euler/energy_guard.hpp"

#include <algorithm>

#include "base/conventions.hpp"
#include "base/index.hpp"
#include "dynamics/forces.hpp"
#include "dynamics/kinematics.hpp"
#include "linear/blocks.hpp"
#include "scheme/euler/step.hpp"

namespace cairn::scheme {
namespace {

constexpr double largest_share = 1 - 0x1p-20;  // after the first reduction [-]

}  // namespace

double island_kinetic(const Problem& problem, const problem::Islands& islands, int island,
                      const VecX& v) {
  CAIRN_DCHECK(base::is_index(island, base::at(islands.count)), island);
  CAIRN_DCHECK(v.size() == problem.velocities(), v.size());
  double sum = 0;
  for (int i = islands.first_body[base::at(island)]; i < islands.first_body[base::at(island + 1)];
       ++i) {
    const ProblemBody& b = problem.bodies[base::at(islands.bodies[base::at(i)])];
    for (int k = 0; k < b.size; ++k)
      sum += 0.5 * v[b.first + k] * linear::row_product(b.A[k], b.size, v.data() + b.first);
  }
  return sum;
}

double island_energy(const Problem& problem, const problem::Islands& islands, int island,
                     const VecX& v) {
  return island_kinetic(problem, islands, island, v) * problem.units.energy();
}

namespace {

// 1/2 |v|_A^2 of all islands [J]: kinetic energies, and with implicit springs what these take on
// the way, so that the gain over v_free is the work of the constraints alone.
void island_energies(const Problem& problem, const problem::Islands& islands, const VecX& v,
                     std::vector<double>& energies) {
  energies.resize(base::at(islands.count));
  for (int i = 0; i < islands.count; ++i)
    energies[base::at(i)] = island_energy(problem, islands, i, v);
  for (const BodyCoupling& c : problem.couplings) {
    const ProblemBody &a = problem.bodies[base::at(c.body[0])],
                      &b = problem.bodies[base::at(c.body[1])];
    double sum = 0;
    for (int k = 0; k < a.size; ++k)
      sum += v[a.first + k] * linear::row_product(c.A[0][k], b.size, v.data() + b.first);
    energies[base::at(islands.of_body[base::at(c.body[0])])] += sum * problem.units.energy();
  }
}

}  // namespace

// Of all bodies together: potential energies belong to no group alone.
double Step::step_excess(const SolveRecord& record) {
  move_bodies(record);
  const dynamics::SpringWork springs =
      dynamics::spring_work(model, state.poses, data.forces.springs.rows, h, data.v.end);
  return dynamics::kinetic_energy(model, data.v.end) - dynamics::kinetic_energy(model, state.v) +
         dynamics::potential_energy(model, data.poses.end) -
         dynamics::potential_energy(model, state.poses) - h * data.forces.applied.dot(data.v.end) -
         springs.passive - springs.motion - work_of_motion(data, record);
}

// By how much the groups of a solution break the rule: islands, or all bodies as one with
// `step` [J].
void Step::find_excess(const SolveRecord& record, std::vector<double>& excess) {
  if (options.energy_guard == EnergyGuard::step) {
    excess.assign(1, step_excess(record));
    return;
  }
  const Problem& problem = record.problem;
  problem::find_islands(problem, data.islands);
  work_of_motion(data, record, data.islands, excess);
  find_energies(problem, data.v.free, data.impact.guard.kinetic);
  island_energies(problem, data.islands, record.solution.v, data.impact.guard.reached);
  for (std::size_t i = 0; i < excess.size(); ++i)
    excess[i] = data.impact.guard.reached[i] - data.impact.guard.kinetic[i] - excess[i];
}

// Kinetic energies of the groups.
void Step::find_energies(const Problem& problem, const VecX& v, std::vector<double>& energies) {
  if (options.energy_guard == EnergyGuard::step) {
    energies.assign(1, dynamics::kinetic_energy(model, v));
    return;
  }
  constrain::to_problem_velocities(model, problem, v, data.v.audit);
  island_energies(problem, data.islands, data.v.audit, energies);
}

// The plastic solution sets what a group may gain; from here on all have their full restitution.
void Step::begin_guard() {
  EnergyGuardData& guard = data.impact.guard;
  if (options.energy_guard == EnergyGuard::off) return;
  guard.plastic_solved = last().solution.status == SolveStatus::solved;
  find_excess(last(), guard.plastic);
  find_energies(last().problem, data.v.free, guard.kinetic);
  guard.allowed.resize(guard.plastic.size());
  for (std::size_t i = 0; i < guard.plastic.size(); ++i)
    guard.allowed[i] = std::max(0.0, guard.plastic[i]) + no_gain * guard.kinetic[i];
  guard.share.assign(guard.plastic.size(), 1);
  guard.of_contact.assign(data.contacts.size(), 0);
  for (std::size_t i = 0; i < data.contacts.size(); ++i)
    if (options.energy_guard == EnergyGuard::impact)
      guard.of_contact[i] =
          std::max(0, data.islands.of_constraint[data.rows.posed.constraint_of(i)]);
}

// Of the restitution that a contact asks for.
double Step::guard_share(std::size_t contact) const {
  CAIRN_DCHECK(data.impact.guard.share.empty() || contact < data.impact.guard.of_contact.size(),
               contact);
  return data.impact.guard.share.empty()
             ? 1
             : data.impact.guard.share[base::at(data.impact.guard.of_contact[contact])];
}

// The group in which the last solve has no answer while the plastic one has (E521); -1: none.
int Step::unsolved_group() const {
  const Solution& solution = last().solution;
  const int worst = solution.certificate.worst_constraint;
  if (!data.impact.guard.plastic_solved || solution.status == SolveStatus::solved || worst < 0)
    return -1;
  return options.energy_guard == EnergyGuard::step ? 0
                                                   : data.islands.of_constraint[base::at(worst)];
}

// Less restitution where the last solution gains too much or is none; `factor` 0: none. False:
// nothing to reduce.
bool Step::reduce_restitution(double factor) {
  CAIRN_DCHECK(factor >= 0 && factor <= 1, factor);
  EnergyGuardData& guard = data.impact.guard;
  find_excess(last(), guard.excess);
  const int without = unsolved_group();
  CAIRN_DCHECK(guard.excess.size() == guard.allowed.size(), guard.excess.size());
  CAIRN_DCHECK(guard.share.size() == guard.allowed.size(), guard.share.size());
  bool any = false;
  for (std::size_t i = 0; i < guard.excess.size(); ++i) {
    const bool gains = guard.excess[i] > guard.allowed[i];
    if (!gains && static_cast<int>(i) != without) continue;
    any = true;
    const double chord =
        gains ? (guard.allowed[i] - guard.plastic[i]) / (guard.excess[i] - guard.plastic[i])
              : guard_reduction;
    reduce_share(guard.share[i] == 1, factor > 0 ? std::clamp(chord, 0.0, largest_share) : 0,
                 factor, guard.share[i], report);
    CAIRN_DCHECK(!(guard.share[i] < 0 || guard.share[i] > 1), i, guard.share[i]);
  }
  return any;
}

// (E33) with (E35). Leaves the answer in the last record and returns whether anything bounces.
double Step::restitute() {
  begin_guard();
  const int plastic = report.solves.size() - 1;
  save_slips(data.relaxed.slips);
  save_springs(data.relaxed.plastic_springs);
  int kept = report.solves.size();  // solves before the last one
  solve(Purpose::restitution, 1);
  if (options.energy_guard == EnergyGuard::off) return 1;
  for (int i = 0; i <= max_guard_rounds; ++i) {
    if (!reduce_restitution(i < max_guard_rounds ? guard_reduction : 0)) return 1;
    if (!anything_bounces()) break;
    // A problem without an answer is no part of the step (E521).
    if (unsolved_group() >= 0) report.solves.roll_back(kept);
    kept = report.solves.size();
    solve(Purpose::guard, 1);
  }
  if (!reduce_restitution(0)) return 1;
  // What still gains has no restitution left: nobody has.
  report.guard_factor = 0;
  for (ContactTerms& terms : data.rows.terms) use_gap(terms);
  restore_slips(data.relaxed.slips);
  if (unsolved_group() >= 0) report.solves.roll_back(kept);
  go_back_to(plastic, data.relaxed.plastic_springs);
  return 0;
}

bool Step::anything_bounces() const {
  for (std::size_t i = 0; i < data.contacts.size(); ++i)
    if (data.rows.terms[i].impact && data.rows.terms[i].rebound > 0 && guard_share(i) > 0)
      return true;
  return false;
}

// The rule once more for velocities that were linearised again after the guard had looked at them:
// what breaks it now becomes plastic. False if that does not settle either.
bool Step::guard_settled(double theta) {
  if (options.energy_guard == EnergyGuard::off || theta == 0) return true;
  if (!reduce_restitution(0)) return true;
  const double rest = anything_bounces() ? theta : 0;
  solve(Purpose::guard, rest);
  return settle(rest);
}

}  // namespace cairn::scheme
