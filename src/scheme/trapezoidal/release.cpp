// When a contact leaves its mode within a step of `trapezoidal`: a sticking one slides, a pressing
// one opens, a sliding one changes the vertices of its friction polygon (Potra et al. 2006,
// section 7.5; E176, E185), and the restart there.
#include <algorithm>
#include <cmath>

#include "problem/cone.hpp"
#include "scheme/common/root.hpp"
#include "scheme/euler/step.hpp"
#include "scheme/trapezoidal/trapezoidal_step.hpp"

namespace cairn::scheme {
namespace {

using Mode = ContactBasis::Mode;
using Corners = std::span<const Corner>;

constexpr double release_root_share = 0x1p-36;  // of the step: how well the instant is found [-]
constexpr double last_share = 1 - 0x1p-16;  // of the step: later events are left to the next [-]
constexpr double on_cone = 1 - 1e-9;        // of the friction: the contact slides [-]
constexpr double at_vertex = 1e-9;   // weight of the second vertex that is none, of the whole [-]
constexpr double no_motion = 1e-8;   // of the free increment: no motion [-]
constexpr double on_border = 1e-12;  // slack of a vertex that counts as none, of the slip [-]
constexpr double trend = 2;          // changes of the force over a step that are reckoned with [-]

// The impulse of a contact along its own n, t1, t2, as its rows have it (E245).
Vec3 along_frame(const Contact& c, const Vec3& impulse_W) {
  return {c.n_W.dot(impulse_W), c.t1_W.dot(impulse_W),
          c.rows > 2 ? c.t2_W.dot(impulse_W) / c.stretch : 0};
}

// Share of the cone that an impulse uses; 1: on its boundary.
double friction_share(const Contact& c, Corners corners, const Vec3& impulse) {
  const double bound = c.friction * impulse[0];
  const problem::LawSet set = {Law::coulomb, c.rows, corners, c.friction};
  return bound > 0 ? problem::friction_gauge(set, impulse.data()) / bound : 1;
}

Vec3 impulse_of(const SolveRecord& record, std::size_t constraint) {
  Vec3 impulse = Vec3::Zero();
  for (int k = 0; k < record.problem.constraints[constraint].rows; ++k)
    impulse[k] = record.solution.lambda[record.problem.first_row[constraint] + k];
  return impulse;
}

// The vertices that carry a sliding contact's impulse.
ContactBasis polygon_basis(Corners corners, const Vec3& impulse) {
  const problem::PolygonPlace p = problem::polygon_place(corners, impulse[1], impulse[2]);
  const bool edge = p.weight_second > at_vertex * (p.weight_first + p.weight_second);
  return edge ? ContactBasis{Mode::edge, {p.first, p.second}}
              : ContactBasis{Mode::slip, {p.first, -1}};
}

// The largest increment of a velocity that the forces alone would make, in the problem's units.
double instant_scale(const Problem& problem) {
  double most = 0;
  for (const ProblemBody& b : problem.bodies)
    for (int i = 0; i < b.size; ++i)
      most = std::max(most, std::abs(problem.k[b.first + i] / b.A[i][i]));
  return most;
}

// How much less vertex i opposes the velocity w than vertex best: the slack of its variable.
double slack(Corners corners, int best, int i, const double* w) {
  return problem::along(corners[static_cast<std::size_t>(best)], -w[1], -w[2]) -
         problem::along(corners[static_cast<std::size_t>(i)], -w[1], -w[2]);
}

double weight_of(const problem::PolygonPlace& p, int vertex) {
  return p.first == vertex ? p.weight_first : p.second == vertex ? p.weight_second : 0;
}

// A contact that slides at one vertex, or between two: positive as long as these carry its impulse.
double facet_function(Corners corners, const ContactBasis& basis, const Vec3& impulse,
                      const double* w) {
  const problem::PolygonPlace p = problem::polygon_place(corners, impulse[1], impulse[2]);
  const double all = p.weight_first + p.weight_second;
  if (basis.mode == Mode::slip) {
    const int k = basis.vertices[0], count = static_cast<int>(corners.size());
    const double other = all - weight_of(p, k),
                 least = std::min(slack(corners, k, (k + 1) % count, w),
                                  slack(corners, k, (k + count - 1) % count, w));
    // On the border of its sector the velocity may stay there, held by two vertices.
    if (least > on_border * std::hypot(w[1], w[2])) return least;
    return other > at_vertex * all ? -other : std::min(0.0, least);
  }
  double least = all;
  for (std::size_t side = 0; side < 2; ++side) {
    const double weight = weight_of(p, basis.vertices[side]);
    if (!(weight > at_vertex * all))
      return -std::max(0.0, slack(corners, basis.vertices[1 - side], basis.vertices[side], w));
    least = std::min(least, weight);
  }
  return least;
}

}  // namespace

Vec3 edge_direction(std::span<const Corner> corners, const std::array<int, 2>& vertices) {
  const Corner &a = corners[static_cast<std::size_t>(vertices[0])],
               &b = corners[static_cast<std::size_t>(vertices[1])];
  return Vec3(0, b[0] - a[0], b[1] - a[1]).normalized();
}

std::span<const Corner> TrapezoidalStep::corners(const Contact& c) const {
  return problem::corners_of(c.rows, options.facets, model.section(c.key).get());
}

const ImpulseMemory* TrapezoidalStep::last_impulse(const ContactKey& key) const {
  return find(d.impulses, contact_key(key));
}

// Whether the last impulse was inside that share of the cone: the contact stuck already, and what
// its velocity has left is the scheme's own error.
bool TrapezoidalStep::was_sticking(const Contact& c, double share) const {
  const ImpulseMemory* last = last_impulse(c.key);
  if (!last) return false;
  return friction_share(c, corners(c), along_frame(c, last->impulse)) < share;
}

// At the beginning, by its last force, or after an impact by its velocity.
bool TrapezoidalStep::rests_now(const Contact& c) {
  if (d.memory_length > 0 && last_impulse(c.key)) return was_sticking(c, on_cone);
  return slip_at(c.key, d.now).norm() <= still_speed(c);
}

// The modes of all touching contacts at the beginning.
void TrapezoidalStep::find_modes(const SolveRecord& record) {
  d.search.modes.clear();
  for (std::size_t i = 0; i < d.touching.size(); ++i) {
    const Contact& c = d.touching[i];
    ContactBasis& basis = d.search.modes.emplace_back();
    const bool held = std::binary_search(d.holding.begin(), d.holding.end(), c.key);
    const Vec3 now = impulse_of(record, d.smooth.posed.constraint_of(i));
    if (!held && !(now[0] > 0)) continue;
    basis.mode = c.rows == 1 || rests_now(c) ? Mode::stick : Mode::slip;
    if (basis.mode == Mode::stick || corners(c).empty()) continue;
    const ImpulseMemory* last = d.memory_length > 0 ? last_impulse(c.key) : nullptr;
    basis = polygon_basis(corners(c), last ? along_frame(c, last->impulse) : now);
  }
}

// Contacts whose force, changing on as it does, may leave its bound before the end. A force that
// nobody knows from before may do anything.
bool TrapezoidalStep::may_release(const Watched& w, const SolveRecord& record,
                                  double length) const {
  const Contact& c = d.touching[w.contact];
  const Vec3 now = impulse_of(record, d.smooth.posed.constraint_of(w.contact));
  const ImpulseMemory* last = d.memory_length > 0 ? last_impulse(c.key) : nullptr;
  if (!last || !(now[0] > 0) || w.kind == StepEvent::Kind::facet) return true;
  const Vec3 before = along_frame(c, last->impulse);
  if (w.kind == StepEvent::Kind::take_off) {
    const double force = now[0] * record.problem.units.impulse() / length,
                 then = before[0] / d.memory_length;
    return force <= trend * (then - force);
  }
  const double share = friction_share(c, corners(c), now),
               then = friction_share(c, corners(c), before);
  return share + trend * std::max(0.0, share - then) >= on_cone;
}

// What may happen in a step whose solve is `record`.
void TrapezoidalStep::watch(const SolveRecord& record, double length) {
  find_modes(record);
  d.search.watched.clear();
  for (std::size_t i = 0; i < d.touching.size(); ++i) {
    const ContactBasis& basis = d.search.modes[i];
    if (basis.mode == Mode::idle) continue;
    const bool held = std::binary_search(d.holding.begin(), d.holding.end(), d.touching[i].key);
    // One that slides from the start may jam: that is no opening.
    if (held || basis.mode == Mode::stick)
      d.search.watched.push_back({i, StepEvent::Kind::take_off, held, 0});
    if (d.touching[i].rows < 2) continue;
    if (basis.mode == Mode::stick)
      d.search.watched.push_back({i, StepEvent::Kind::slip, held, 0});
    else if (!corners(d.touching[i]).empty())
      d.search.watched.push_back({i, StepEvent::Kind::facet, held, 0});
  }
  if (std::none_of(d.search.watched.begin(), d.search.watched.end(),
                   [&](const Watched& w) { return may_release(w, record, length); }))
    d.search.watched.clear();
}

// (E185): positive while the contact stays in its mode, from the forces at one instant. Beyond the
// bound it is what the contact does instead.
double TrapezoidalStep::mode_function(const Watched& watched, const TrapezoidalStep& instant) {
  const SolveRecord& record = instant.d.search.trial_record_instant;
  const Problem& problem = record.problem;
  const std::size_t at = instant.d.smooth.posed.constraint_of(watched.contact);
  const Constraint& c = problem.constraints[at];
  const Vec3 impulse = impulse_of(record, at);
  double w[max_rows] = {};
  linear::constraint_velocity(problem, c, record.solution.v.data(), true, w);
  // What moves by less is what the solver leaves.
  const double least = no_motion * instant_scale(problem);
  if (watched.kind == StepEvent::Kind::take_off)
    return impulse[0] > 0 ? impulse[0] : w[0] > least ? -w[0] : 0;
  if (watched.kind == StepEvent::Kind::facet) {
    if (!(impulse[0] > 0)) return 0;
    // The velocity at that instant: the problem's own is that of its end.
    const Contact& contact = instant.d.touching[watched.contact];
    const Vec3 slip = slip_at(contact.key, d.trial) / problem.units.speed();
    w[1] = contact.t1_W.dot(slip);
    w[2] = contact.stretch * contact.t2_W.dot(slip);
    return facet_function(corners(contact), d.search.modes[watched.contact], impulse, w);
  }
  if (!(impulse[0] > 0)) return 0;
  const double bound = c.mu * impulse[0],
               gauge = problem::friction_gauge(problem::law_set(c), impulse.data());
  if (bound - gauge > (1 - on_cone) * bound) return bound - gauge;
  const double slip = c.rows > 2 ? std::hypot(w[1], w[2]) : std::abs(w[1]);
  return slip > least ? -slip : 0;
}

// (E185), F of section 7.5: the least function of all watched contacts for the forces at tau.
double TrapezoidalStep::basis_function(double tau) {
  TrapezoidalStep at = probe();
  const double length = instant_length();
  // Not beyond a jump at the end of the part (E660).
  const double middle = std::max(0.0, tau - length / 2),
               begin = part_end < never ? std::min(middle, part_end - d.now.t - length) : middle;
  interpolate(model, d.now, d.next, begin, d.smooth.no_torque, at.d.now);
  at.d.smooth.v_free = d.smooth.v_free;
  at.d.candidates = d.touching;
  at.d.search.modes = d.search.modes;
  at.d.impulses.clear();
  at.solve_instant(length, at.d.search.trial_record_instant);
  interpolate(model, d.now, d.next, tau, d.smooth.no_torque, d.trial);
  double least = std::numeric_limits<double>::infinity();
  for (Watched& w : d.search.watched) {
    w.value = mode_function(w, at);
    least = std::min(least, w.value);
  }
  return least;
}

// Events of all contacts that have left their mode; false if all were known.
bool TrapezoidalStep::report_releases(double t) {
  bool any = false;
  for (const Watched& w : d.search.watched) {
    if (!(w.value < 0)) continue;
    const ContactKey& key = d.touching[w.contact].key;
    const bool known = std::any_of(report.events.begin(), report.events.end(), [&](const auto& e) {
      return e.kind == w.kind && e.contact == key && e.t >= t - 2 * instant_length();
    });
    if (known) continue;
    report.events.push_back({w.kind, t, key, 0});
    any = true;
  }
  return any;
}

// After the solve of a step of length `left`, of which `length` is looked at: if a contact leaves
// its mode in it, the step ends there and `left` is what remains.
bool TrapezoidalStep::restart_at_release(double length, double& left) {
  SolveRecord& smooth = report.solves.back();
  watch(smooth, left);
  if (d.search.watched.empty() || length <= 2 * instant_length()) return false;
  part_end = jumps_at(d.now.t + left, left) ? d.now.t + left : never;
  const double end = basis_function(length);
  if (!(end < 0)) return false;
  const double start = basis_function(instant_length() / 2);
  if (!(start > 0)) {
    // It came before, and is told late, if the step shows it.
    std::erase_if(d.search.watched, [&](const Watched& w) {
      const Vec3 impulse = impulse_of(smooth, d.smooth.posed.constraint_of(w.contact));
      const bool left_mode = w.kind == StepEvent::Kind::take_off
                                 ? !(impulse[0] > 0)
                                 : impulse[0] > 0 && friction_share(d.touching[w.contact],
                                                                    corners(d.touching[w.contact]),
                                                                    impulse) >= on_cone;
      return !w.held || !left_mode;
    });
    report_releases(d.now.t);
    return false;
  }
  // Each length is solved anew: beyond the event the cubic of a step mixes both modes.
  const double tau = brent_root(instant_length() / 2, start, length, end,
                                release_root_share * length, [&](double at) {
                                  if (events_spent()) return 0.0;  // the search ends there
                                  solve_smooth(at, d.search.trial_record);
                                  return basis_function(at);
                                });
  const bool here = tau <= last_share * left;
  if (here) {
    solve_smooth(tau + instant_length(), d.search.trial_record);
    basis_function(tau + instant_length());
  }
  if (!here || !report_releases(d.now.t + tau)) {
    solve_smooth(left, smooth);
    return false;
  }
  solve_smooth(tau, smooth);
  accept(smooth);
  left -= tau;
  return true;
}

}  // namespace cairn::scheme
