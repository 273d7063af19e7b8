// Where a sliding contact comes to rest within a step of `trapezoidal`, and the restart there
// (Potra et al. 2006, section 7.5, with a mode function in place of a basis; E175).
#include <algorithm>
#include <cmath>
#include <utility>

#include "problem/cone.hpp"
#include "scheme/common/root.hpp"
#include "scheme/euler/step.hpp"
#include "scheme/trapezoidal/trapezoidal_step.hpp"

namespace cairn::scheme {
namespace {

constexpr double mode_root_share = 0x1p-40;  // of the step: how well the instant is found [-]
constexpr double at_rest = 0x1p-20;          // of the slip at the beginning [-]
constexpr double inside_cone = 1 - 0x1p-6;   // of the friction that a sticking contact may have [-]

}  // namespace

// Tangential velocity of b relative to a in a phase, in the world [m/s].
Vec3 TrapezoidalStep::slip_at(const ContactKey& key, const Phase& phase, Side side) {
  Contact c;
  if (!contact_at(key, phase.poses, c)) return Vec3::Zero();
  const Vec3 velocity = velocity_at(c, phase, side);
  return velocity - c.n_W.dot(velocity) * c.n_W;
}

// (E175): positive while the contact slides as it did, negative when it has come to rest within
// the step.
double TrapezoidalStep::stick_function(std::size_t contact, const Vec3& slip,
                                       const SolveRecord& record) {
  const double along = slip_at(d.touching[contact].key, d.next, Side::left).dot(slip) / slip.norm();
  const Problem& problem = record.problem;
  const std::size_t at = d.smooth.posed.constraint_of(contact);
  const double* lambda = record.solution.lambda.data() + problem.first_row[at];
  const Constraint& c = problem.constraints[at];
  const double margin = (problem::friction_gauge(problem::law_set(c), lambda) - c.mu * lambda[0]) *
                        problem.units.speed();
  // Inside the cone the contact sticks: in the mean form it has turned round, else it rests. Where
  // stiff springs turn the velocities round by themselves that alone tells (E186).
  if (alternates && margin >= -at_rest * c.mu * lambda[0] * problem.units.speed())
    return slip.norm();
  return margin < -at_rest * c.mu * lambda[0] * problem.units.speed() ? std::min(along, margin)
                                                                      : along;
}

double TrapezoidalStep::stick_time(std::size_t contact, const Vec3& slip, double length,
                                   double end_value) {
  const double start = slip.norm();
  return brent_root(0, start, length, end_value, mode_root_share * length, [&](double tau) {
    if (events_spent()) return 0.0;  // the search ends there
    solve_smooth(tau, d.search.trial_record);
    return stick_function(contact, slip, d.search.trial_record);
  });
}

// A zero-length problem that takes the last rounding from contacts that have come to rest; in the
// mean form it would change its sign in every step. Reads what rests from the smooth solve.
void TrapezoidalStep::hold(double slip) {
  const SolveRecord& smooth = report.solves.back();
  d.smooth.held.clear();
  bool any = false;
  for (std::size_t i = 0; i < d.touching.size(); ++i) {
    const Constraint& c = smooth.problem.constraints[d.smooth.posed.constraint_of(i)];
    const double normal = smooth.solution.lambda[d.smooth.posed.first_row_of(smooth.problem, i)];
    const bool rests =
        c.rows > 1 && normal > 0 && slip_at(d.touching[i].key, d.now).norm() <= at_rest * slip;
    d.smooth.held.push_back(rests ? 1 : 0);
    any = any || rests;
  }
  if (any) solve_hold();
}

// Solves with the contacts `held` as joints, at `now`.
void TrapezoidalStep::solve_hold() {
  set_window(d.now.t);
  for (Contact& c : d.touching) {
    Contact now;
    if (contact_at(c.key, d.now.poses, now) && now.rows == c.rows) c = now;
  }
  d.smooth.v_before = d.now.v;
  solve_impact(Purpose::hold, d.now.v, d.smooth.held);
  const SolveRecord& record = report.solves.back();
  constrain::to_model_velocities(model, record.problem, record.solution.v, d.now.v);
}

// A sliding contact that jams: it stops at once, without a collision, by an impulse inside its cone
// (Painleve's paradox). False if there is no such impulse.
bool TrapezoidalStep::jam(std::size_t contact) {
  d.smooth.held.assign(d.touching.size(), 0);
  d.smooth.held[contact] = 1;
  solve_hold();
  const SolveRecord& record = report.solves.back();
  const std::size_t at = d.smooth.posed.constraint_of(contact);
  const double* lambda = record.solution.lambda.data() + record.problem.first_row[at];
  const Constraint& c = record.problem.constraints[at];
  problem::LawSet cone = problem::law_set(c);
  cone.law = Law::coulomb;
  if (lambda[0] > 0 && problem::friction_gauge(cone, lambda) <= c.mu * lambda[0]) return true;
  d.now.v = d.smooth.v_before;
  report.solves.roll_back(report.solves.size() - 1);
  return false;
}

// After the solve of a step of length `left`: if a contact comes to rest in it, the step ends
// there and `left` is what remains.
bool TrapezoidalStep::restart_at_stick(double& left) {
  const int solve = report.solves.size() - 1;
  double first = never, slip = 0;
  std::size_t which = 0;
  alternates = stiff() && mean_form() && !options.damp_stiff;
  for (std::size_t i = 0; i < d.touching.size() && !events_spent(); ++i) {
    const SolveRecord& record = report.solves[solve];
    const std::size_t at = d.smooth.posed.constraint_of(i);
    if (record.problem.constraints[at].rows < 2) continue;
    if (!(record.solution.lambda[record.problem.first_row[at]] > 0)) continue;
    if (was_sticking(d.touching[i], inside_cone)) continue;
    const Vec3 start = slip_at(d.touching[i].key, d.now);
    if (!(start.norm() > still_speed(d.touching[i]))) continue;
    const double end = stick_function(i, start, record);
    if (end >= 0) continue;
    const double tau = stick_time(i, start, left, end);
    if (tau < first) first = tau, slip = start.norm(), which = i;
    solve_smooth(left, report.solves[solve]);
  }
  if (first == never) return false;
  const ContactKey key = d.touching[which].key;
  if (first > at_rest * left) {
    solve_smooth(first, report.solves[solve]);
    accept(report.solves[solve]);
    left -= first;
    hold(slip);
  } else if (jam(which)) {
    // No time has passed: the smooth solve is not part of the step.
    report.solves.keep_last(solve);
    ++report.discarded_solves;
  } else {
    solve_smooth(left, report.solves[solve]);
    return false;
  }
  const SolveRecord& last = report.solves.back();
  if (last.purpose == Purpose::hold) add_impact_ledger(last, d.smooth.v_before, d.now.v);
  report.events.push_back({StepEvent::Kind::stick, d.now.t, key, 0});
  return true;
}

}  // namespace cairn::scheme
