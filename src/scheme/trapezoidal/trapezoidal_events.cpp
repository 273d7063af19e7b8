// Which contacts take part in a step of `trapezoidal`, and when others collide (E170 to E172).
#include <algorithm>
#include <cmath>

#include "dynamics/kinematics.hpp"
#include "dynamics/middle_rows.hpp"
#include "scheme/common/root.hpp"
#include "scheme/euler/step.hpp"
#include "scheme/trapezoidal/trapezoidal_step.hpp"

namespace cairn::scheme {
namespace {

// Of the speeds at hand: neither closing nor opening [-].
constexpr double still_at_event = 0x1p-33;

// Of a part that is tried a body, and of a gap, in products of 6 x 6 blocks (E314).
constexpr double work_of_stretch = 100, work_of_gap = 20;

}  // namespace

// (72): max(eps_a, eps_b h^3).
double TrapezoidalStep::touching_distance() const {
  const double eps_a =
      options.active_distance < 0 ? 0x1p-30 * model.length_unit : options.active_distance;
  return std::max(eps_a, options.active_rate * h * h * h);
}

bool TrapezoidalStep::contact_at(const ContactKey& key, std::span<const Pose> poses, Contact& c) {
  if (!data.active.finder.find_one(model, poses, key, c)) return false;
  constrain::orient(model, poses, c);
  return c.rows > 0;
}

// The speed below which rounding decides whether a contact opens or closes.
double TrapezoidalStep::still_speed(const Contact& c) const {
  return still_at_event * speed_at_hand(model, d.now.poses, c, {&d.now.v, &d.smooth.v_free});
}

// Rate of the gap at `now` with the velocities v, prescribed motion included.
double TrapezoidalStep::normal_velocity(const Contact& c, const VecX& v) {
  return relative_velocity(model, d.now.poses, c, c.n_W, v) + c.n_W.dot(motion_of(c));
}

// (E170): all pairs that can meet within `length`, and which of them hold already: those that
// carried an impulse, and those that touch and neither open nor close.
void TrapezoidalStep::find_contacts(double length) {
  data.book(work_of_stretch * static_cast<double>(1 + model.bodies.size()));
  dynamics::evaluate_impulses(model, d.now.poses, d.now.v, d.now.t, length, data.forces.external,
                              false, d.forces);
  d.smooth.v_free = d.now.v;
  d.smooth.free_length = length;
  d.smooth.mean = d.forces.sum();
  dynamics::leave_out_held(model, d.forces, d.smooth.mean);
  for (const Body& body : model.bodies) {
    if (body.velocities == 0) continue;
    double A[6][6];
    dynamics::mass_matrix(body, A);
    // The diagonal gives a bound on how fast a body may become, which is all that is asked.
    for (int k = 0; k < body.velocities; ++k) {
      const int i = body.first_velocity + k;
      d.smooth.v_free[i] += d.smooth.mean[i] / A[k][k];
    }
  }
  d.start.t = d.now.t;
  d.start.poses = d.now.poses;
  d.start.v = d.now.v;
  d.start.impulses = d.impulses;
  move_bodies(model, d.now, d.now.v, length, d.next);
  // Bodies at rest whose gap is rounding touch: what hits one of them hits the others.
  find_candidates(model, d.start, d.smooth.v_free, d.next.poses,
                  ActiveSetRule{.margin = touching_distance()}, length, data.active, d.candidates);
  set_window(d.now.t);
  d.active.assign(d.candidates.size(), 0);
  for (std::size_t i = 0; i < d.candidates.size(); ++i) {
    const Contact& c = d.candidates[i];
    const bool holds = std::binary_search(d.holding.begin(), d.holding.end(), c.key);
    const bool touches = c.gap <= touching_distance();
    const double rate = touches && !holds ? normal_velocity(c, d.now.v) : 0;
    d.active[i] = limited || holds || (touches && std::abs(rate) <= still_speed(c)) ? 1 : 0;
  }
}

// Contacts that touch and close at the beginning, without holding.
bool TrapezoidalStep::approaches_now() {
  for (std::size_t i = 0; i < d.candidates.size(); ++i) {
    const Contact& c = d.candidates[i];
    if (d.active[i] || c.gap > touching_distance()) continue;
    if (normal_velocity(c, d.now.v) < -still_speed(c)) return true;
  }
  return false;
}

double TrapezoidalStep::gap_at(const ContactKey& key, double tau) {
  data.book(work_of_gap);
  d.trial.poses.resize(model.bodies.size());
  d.trial.v.resize(model.velocities);
  for (const BodyId id : {key.body_a, key.body_b})
    interpolate(model, d.now, d.next, tau, d.smooth.no_torque, index(id), d.trial);
  Contact c;
  return data.active.finder.find_one(model, d.trial.poses, key, c) ? c.gap : never;
}

// (73): when the gap becomes zero between `now` and `next`, which are `length` apart; an overlap,
// when it gets deeper again than it is at `now` (E1000).
double TrapezoidalStep::collision_time(const Contact& c, double length) {
  data.book(work_of_gap);
  Contact end;
  if (!data.active.finder.find_one(model, d.next.poses, c.key, end)) return never;
  const double floor = std::min(0.0, c.gap);
  const auto gap = [&](double tau) { return gap_at(c.key, tau) - floor; };
  double hi = length, gap_hi = end.gap - floor;
  const double rate_lo = normal_velocity(c, d.now.v);
  double rate_hi = relative_velocity(model, d.next.poses, end, end.n_W, d.next.v);
  if (dynamics::is_prescribed(model, c.key.body_a) ||
      dynamics::is_prescribed(model, c.key.body_b)) {
    rate_hi = end.n_W.dot(velocity_at(end, d.next, Side::left));
    set_window(d.now.t);
  }
  if (gap_hi >= 0) {
    // Open at the end: closed in between where the cubic of the gaps and their rates dips below
    // zero.
    if (!(rate_lo < 0 && rate_hi > 0)) return never;
    const double slope = (end.gap - c.gap) / length;
    const double a = 3 * (rate_lo + rate_hi - 2 * slope),
                 b = 2 * (3 * slope - 2 * rate_lo - rate_hi);
    const double root = b * b - 4 * a * rate_lo;
    if (root < 0) return never;
    hi = length * (2 * -rate_lo) / (b + std::sqrt(root));
    if (!(hi > 0 && hi < length)) return never;
    gap_hi = gap(hi);
    if (gap_hi >= 0) return never;
  }
  // A contact that opens from zero closes at the later of its two roots.
  double lo = 0, gap_lo = c.gap - floor;
  for (int i = 0; i < 60 && !(gap_lo > 0); ++i) {
    lo = i == 0 ? hi / 2 : lo / 2;
    gap_lo = gap(lo);
  }
  if (!(gap_lo > 0)) return rate_lo > 0 ? never : 0;
  return brent_root(lo, gap_lo, hi, gap_hi, 0, gap);
}

// (E186): the velocities of what is too stiff for the step change their sign in it, and a cubic
// that meets them is far from the motion. The scheme itself is solved for each length instead.
double TrapezoidalStep::stiff_collision(double length) {
  SolveRecord& record = report.solves.back();
  double first = length;
  bool any = false;
  for (std::size_t i = 0; i < d.candidates.size(); ++i) {
    const ContactKey key = d.candidates[i].key;
    Contact end;
    auto gap = [&] {
      return data.active.finder.find_one(model, d.next.poses, key, end) ? end.gap : never;
    };
    const double start = d.candidates[i].gap;
    if (d.active[i] || !(start > 0)) continue;
    const double last = gap();
    if (!(last < 0)) continue;
    any = true;
    first = brent_root(0, start, first, last, 0, [&](double tau) {
      solve_smooth(tau, d.search.trial_record);
      return gap();
    });
    solve_smooth(first, record);
  }
  if (!any) return never;
  return first;
}

// The earliest collision of a contact that does not hold; `never` if there is none. Pairs that
// overlap at the end although they were no candidates join them.
double TrapezoidalStep::first_collision(double length) {
  d.search.deepest = find_overlaps(model, d.next.poses, data.active);
  const auto known = d.candidates.size();
  for (const Contact& end : data.active.at_end) {
    if (end.key.feature == collide::ContactFinder::along_axis) continue;
    if (std::binary_search(d.candidates.begin(),
                           d.candidates.begin() + static_cast<std::ptrdiff_t>(known), end, by_key))
      continue;
    Contact start;
    if (!contact_at(end.key, d.now.poses, start)) continue;
    d.candidates.push_back(start);
    d.active.push_back(0);
    ++report.added_pairs;
  }
  d.search.by_solves = stiff();
  if (d.search.by_solves) return stiff_collision(length);
  double first = never;
  for (std::size_t i = 0; i < d.candidates.size(); ++i) {
    const double tau = d.active[i] ? never : collision_time(d.candidates[i], length);
    if (!(tau < first)) continue;
    first = tau;
    d.search.due = d.candidates[i].key;
    d.search.floor = std::min(0.0, d.candidates[i].gap);
  }
  return first;
}

// (E177): from here on every pair is kept apart as it comes, without restitution.
void TrapezoidalStep::limit_events() {
  limited = true;
  StepEvent event;
  event.kind = StepEvent::Kind::limit;
  event.t = d.now.t;
  if (!report.events.empty()) event.contact = report.events.back().contact;
  report.events.push_back(event);
}

// Contacts, joints or springs act in an island that nothing holds.
bool TrapezoidalStep::isolated_impulses(const SolveRecord& record) {
  data.nonlinear.isolated.clear(model);
  data.nonlinear.isolated.begin(model);
  for (std::size_t i = 0; i < d.touching.size(); ++i)
    if (record.solution.lambda[d.smooth.posed.first_row_of(record.problem, i)] > 0)
      data.nonlinear.isolated.join(model, d.touching[i].key.body_a, d.touching[i].key.body_b);
  data.nonlinear.isolated.spread();
  return data.nonlinear.isolated.mark();
}

// (E409): the length of the part at whose end, solved for that length, the bodies that are due
// meet.
double TrapezoidalStep::meet(double tau, double length, SolveRecord& record) {
  constexpr int max_meetings = 12;
  double last_tau = 0, last_gap = 0;
  for (int i = 0; i < max_meetings; ++i) {
    solve_smooth(tau, record);
    Contact c;
    if (!data.active.finder.find_one(model, d.next.poses, d.search.due, c)) break;
    const double gap = c.gap - d.search.floor;
    const double rate = i == 0 ? relative_velocity(model, d.next.poses, c, c.n_W, d.next.v)
                               : (gap - last_gap) / (tau - last_tau);
    if (!(rate < 0)) break;
    last_tau = tau;
    last_gap = gap;
    const double next = std::min(std::clamp(tau - gap / rate, 0.5 * tau, 2 * tau), length);
    if (!(std::abs(next - tau) > 0x1p-46 * tau)) break;
    tau = next;
  }
  return tau;
}

// Moves to the collision at tau (74) and lets the bodies bounce.
void TrapezoidalStep::collide(double& tau, double length) {
  SolveRecord& record = report.solves.back();
  // A part that ends earlier may not be stiff any more.
  if (d.search.by_solves || isolated_impulses(record)) {
    if (!d.search.by_solves) tau = meet(tau, length, record);
    solve_smooth(tau, record);
    accept(record);
    impact();
    return;
  }
  record.taken = tau;
  interpolate(model, d.now, d.next, tau, d.smooth.no_torque, d.trial);
  add_smooth_ledger(record, tau / length);
  data.path.add(d.now.t, d.now.poses, d.now.v);
  data.path.add(d.trial.t, d.trial.poses, d.trial.v);
  std::swap(d.now, d.trial);
  project(d.now, record, tau / length);
  impact();
}

}  // namespace cairn::scheme
