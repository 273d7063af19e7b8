// Impacts of scheme `trapezoidal`: everything that touches at one moment, with joints and friction
// (Potra et al. 2006, sections 7.3 and 7.4; E173, E174), and contacts held as joints. What bounces
// how is collision.cpp's matter.
#include <algorithm>
#include <cmath>

#include "constrain/memory.hpp"
#include "dynamics/kinematics.hpp"
#include "linear/blocks.hpp"
#include "problem/mass.hpp"
#include "scheme/common/report.hpp"
#include "scheme/euler/step.hpp"
#include "scheme/trapezoidal/trapezoidal_step.hpp"

namespace cairn::scheme {
namespace {

constexpr double stiff_damper = 16;  // h delta / m from which a damper acts at once (E179) [-]

}  // namespace

double TrapezoidalStep::window() const {
  return window_length(h);
}

// Where prescribed bodies are shortly before and after t.
void TrapezoidalStep::set_window(double t, Side side) {
  set_window_beside(model, d.now.poses, t, h, side, d.search.window);
}

// Relative velocity at the contact that prescribed bodies have at this moment.
Vec3 TrapezoidalStep::motion_of(const Contact& c, std::span<const Pose> poses) {
  return motion_velocity(model, poses, d.search.window, c, h);
}

double TrapezoidalStep::threshold(const Contact& c) {
  if (options.restitution_threshold >= 0) return options.restitution_threshold;
  const double gain = relative_velocity(model, d.now.poses, c, c.n_W, d.smooth.v_free) -
                      relative_velocity(model, d.now.poses, c, c.n_W, d.now.v);
  return std::abs(gain) * h / data.share(h) / d.smooth.free_length;
}

// Every candidate that touches at `now`.
void TrapezoidalStep::gather_touching() {
  d.touching.clear();
  for (const Contact& candidate : d.candidates) {
    Contact c;
    if (!contact_at(candidate.key, d.now.poses, c)) continue;
    const bool holds = std::binary_search(d.holding.begin(), d.holding.end(), c.key);
    if (holds || c.gap <= touching_distance()) d.touching.push_back(c);
  }
  std::sort(d.touching.begin(), d.touching.end(),
            [](const Contact& a, const Contact& b) { return a.key < b.key; });
}

// Joints and everything that touches, at `now`.
void TrapezoidalStep::add_impact_rows(Problem& problem, std::span<const char> held) {
  const double window = window_length(h);
  add_joints(d.now.poses, d.search.window[0], d.search.window[1], window, problem);
  for (std::size_t i = 0; i < problem.constraints.size(); ++i)
    for (int k = 0; k < problem.constraints[i].rows; ++k)
      problem.constraints[i].b[k] = d.smooth.posed.of(problem, i)[k].motion / problem.units.speed();
  for (std::size_t i = 0; i < d.touching.size(); ++i) {
    const Contact& c = d.touching[i];
    const Vec3 motion = motion_of(c);
    const Vec3 b(c.n_W.dot(motion), c.t1_W.dot(motion), c.stretch * c.t2_W.dot(motion));
    constrain::add_contact(model, d.now.poses, d.smooth.layout, c, options.facets, b, problem);
    if (!held.empty() && held[i]) problem.constraints.back().law = Law::equality;
    d.smooth.posed.add_contact(problem);
    for (int k = 0; k < c.rows; ++k) d.smooth.posed.add({.motion = b[k]});
  }
}

// A problem of this moment, from the velocities v.
void TrapezoidalStep::keep_instant(const Problem& problem, const VecX& v, SolveOrigin& origin) {
  keep_beginning(problem, d.now.poses, v, d.now.t, 0, origin);
  keep_rows(problem, d.now.poses, d.now.t, d.touching, origin);
}

// M v+ = M v + J^T lambda, no time passes; contacts `held` as joints.
void TrapezoidalStep::solve_impact(Purpose purpose, const VecX& v, std::span<const char> held) {
  SolveRecord& record = report.solves.push(purpose);
  Problem& problem = record.problem;
  constrain::assemble_bodies(model, v, h, d.smooth.layout, problem);
  add_impact_rows(problem, held);
  keep_instant(problem, v, record.origin);
  finish_solve(record);
  if (held.empty()) {
    constrain::remember(problem, d.touching, {}, record.solution.lambda, d.impulses);
    d.memory_length = 0;
  }
}

// (E179): dampers too stiff for the step have done their work before it begins: one backward Euler
// step of the dampers alone, in which nothing moves.
void TrapezoidalStep::relax_dampers() {
  dynamics::find_spring_rows(model, d.now.poses, d.now.t, h, d.smooth.relaxed);
  std::vector<dynamics::SpringRow>& rows = d.smooth.relaxed.rows;
  std::erase_if(rows, [](const auto& s) { return !(s.viscous * s.inverse > stiff_damper); });
  if (rows.empty()) return;
  d.forces.rows.clear();
  d.forces.middle_rows.clear();
  d.forces.followed.clear();
  d.forces.potential.setZero();
  d.forces.applied.setZero();
  d.forces.viscous.setZero();
  d.forces.middle = d.now.poses;
  for (dynamics::SpringRow& s : rows) {
    s.elastic = 0;
    s.rate = dynamics::spring_rate(model, d.now.poses, s, d.now.v);
    dynamics::add_spring_impulse(model, d.now.poses, s, -s.viscous * (s.rate + s.motion),
                                 d.forces.viscous);
    d.forces.middle_rows.push_back(s);
  }
  d.smooth.v_before = d.now.v;
  SolveRecord& record = report.solves.push(Purpose::hold);
  Problem& problem = record.problem;
  constrain::assemble_bodies(model, d.now.v, h, d.smooth.layout, problem);
  d.half = d.now;
  add_implicit_terms(problem);
  add_impact_rows(problem, {});
  keep_instant(problem, d.now.v, record.origin);
  finish_solve(record);
  constrain::to_model_velocities(model, problem, record.solution.v, d.now.v);
  for (const dynamics::SpringRow& s : d.forces.middle_rows) {
    const double after = dynamics::spring_rate(model, d.now.poses, s, d.now.v);
    const double drag = s.viscous * (after + s.motion);
    report.ledger.passive -= drag * (0.5 * (s.rate + after) + s.motion);
    report.ledger.work_motion += drag * s.motion;
  }
  add_impact_ledger(record, d.smooth.v_before, d.now.v);
}

// Contacts that open are no longer held; those that stay closed are.
void TrapezoidalStep::release_separating() {
  d.holding.clear();
  for (const Contact& c : d.touching)
    if (normal_velocity(c, d.now.v) <= still_speed(c)) d.holding.push_back(c.key);
  std::erase_if(d.impulses, [&](const ImpulseMemory& m) {
    return pushes(m.key.role) &&
           !std::binary_search(d.holding.begin(), d.holding.end(), m.key.contact);
  });
}

void TrapezoidalStep::impact() {
  set_window(d.now.t);
  gather_touching();
  for (const Contact& c : d.touching) {
    const double rate = normal_velocity(c, d.now.v);
    if (rate >= -still_speed(c)) continue;
    report.events.push_back({StepEvent::Kind::collision, d.now.t, c.key, rate});
    ++report.collisions;
  }
  // What touches, as a problem of this moment.
  CollisionData& c = data.impact.collision;
  constrain::assemble_bodies(model, d.now.v, h, d.smooth.layout, c.base);
  add_impact_rows(c.base, {});
  c.t = d.now.t;
  keep_instant(c.base, d.now.v, c.origin);
  c.colliders.clear();
  for (const Contact& contact : d.touching)
    c.colliders.push_back({contact.key, contact.restitution, contact.restitution_law,
                           normal_velocity(contact, d.now.v), threshold(contact)});
  constrain::to_problem_velocities(model, c.base, d.now.v, c.v_before);
  constrain::recall(c.base, d.touching, {}, d.impulses, c.warm);
  resolve_impact({options.restitution_friction, options.propagation,
                  options.energy_guard != EnergyGuard::off, !limited, data.in.meter},
                 solver, data.solver, c, report);
  constrain::to_model_velocities(model, c.base, c.v_after, d.now.v);
  constrain::remember(c.base, d.touching, {}, c.lambda_compression, d.impulses);
  d.memory_length = 0;
  add_flows(c.flows, report.ledger);
  if (options.damp_stiff) relax_dampers();
  release_separating();
}

}  // namespace cairn::scheme
