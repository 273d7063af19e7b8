// Impacts of scheme `hybrid` at one moment (E211 to E214): the contact that approaches fastest is
// hit, by integration over its impulse, until none approaches.
#include <algorithm>
#include <cmath>

#include "base/conventions.hpp"
#include "constrain/joints.hpp"
#include "constrain/memory.hpp"
#include "dynamics/kinematics.hpp"
#include "linear/blocks.hpp"
#include "problem/mass.hpp"
#include "scheme/common/report.hpp"
#include "scheme/hybrid/hybrid_step.hpp"
#include "scheme/rows/booking.hpp"
#include "solver/unguarded.hpp"

namespace cairn::scheme {
namespace {

constexpr double approach_rounding = 0x1p-44;  // of the fastest approach: rounding [-]
// Of the impact of one contact, and of the search for it among those that touch, in products of
// 6 x 6 blocks (E314).
constexpr double work_of_strike = 300, work_of_look = 5;
constexpr double nudge = 0x1p-10;  // of the switch speed: a micro-collision from rest [-]

}  // namespace

// (E207, E216): restitution, none where the contact is steady or becomes so.
ImpactOutcome HybridStep::outcome(const Touch& touch, const Vec3& u, const Vec3& spin, bool& steady,
                                  double& guard) {
  ImpactInput in{.W = touch.W,
                 .u = u,
                 .mu = touch.contact.rows > 1 ? touch.contact.friction : 0,
                 .e = touch.contact.restitution,
                 .law = touch.contact.restitution_law,
                 .spin = spin,
                 .W_spin = touch.W_spin,
                 .W_mixed = touch.W_mixed};
  for (std::size_t i = 0; i < touch.spin_count; ++i)
    (touch.spins[i].first() == 0 ? in.torsion : in.rolling) = touch.spins[i].row.mu;
  steady = touch.steady && -u[0] <= options.hysteresis * touch.threshold;
  ImpactOutcome out;
  if (!steady) {
    out = impact_path(in);
    // Newton's and Poisson's laws may raise the energy where the slip stops, Stronge's does not
    // (E212).
    const double gain = out.work_compression + out.work_decompression + out.work_friction;
    if (gain > 1e-12 * -out.work_compression) {
      in.law = RestitutionLaw::stronge;
      const ImpactOutcome guarded = impact_path(in);
      guard =
          gain - (guarded.work_compression + guarded.work_decompression + guarded.work_friction);
      out = guarded;
      report.guard_corrections = 1;
    }
    if (!options.steady && out.u[0] < touch.threshold) {
      // Mirtich's micro-collision: what would come to rest leaves at the switch speed.
      in.law = RestitutionLaw::newton;
      in.e = touch.threshold / -u[0];
      return impact_path(in);
    }
    steady = options.steady && out.u[0] <= touch.threshold;
    if (!steady) return out;
  }
  in.e = 0;
  return impact_path(in);
}

double HybridStep::kinetic(const Problem& problem) {
  d.impact.momentum.assign(static_cast<std::size_t>(problem.velocities()), 0.0);
  problem::add_mass_product(problem, d.impact.v.data(), d.impact.momentum.data());
  double sum = 0;
  for (int i = 0; i < problem.velocities(); ++i)
    sum += 0.5 * d.impact.v[i] * d.impact.momentum[static_cast<std::size_t>(i)];
  return sum * problem.units.energy();
}

// (E228): one entry for each blow, of the whole scene; what joints and prescribed bodies do with it
// is `other`.
void HybridStep::audit(const Touch& touch, double approach, const ImpactOutcome& out, double before,
                       double guard, const Problem& problem) {
  const Units& units = problem.units;
  const double normal = (out.work_compression + out.work_decompression) * units.energy(),
               friction = out.work_friction * units.energy();
  ImpactReport& impact = report.impacts.emplace_back();
  impact.contact = touch.contact.key;
  impact.t = d.now.t;
  impact.approach = approach * units.speed();
  impact.rebound = out.u[0] * units.speed();
  impact.law = touch.contact.restitution_law;
  impact.restitution = touch.contact.restitution;
  impact.lost_restitution = std::max(0.0, -normal);
  impact.lost_friction = std::max(0.0, -friction);
  impact.put_in = std::max(0.0, normal) + std::max(0.0, friction);
  impact.group = static_cast<int>(report.impacts.size()) - 1;
  impact.kinetic_before = before;
  impact.kinetic_after = kinetic(problem);
  impact.other = impact.kinetic_after - before - normal - friction;
  impact.guard = guard * units.energy();
}

// The work of friction is an integral over the path of all its rows. `nudged`: by which the
// approach was increased.
void HybridStep::book_strike(const Touch& touch, const ImpactOutcome& out, double nudged,
                             const Units& units) {
  const double normal = out.work_compression + out.work_decompression + out.impulse[0] * nudged;
  for (int r = 0; r < touch.row.rows; ++r)
    book_impact(touch.row, r,
                {.motion = touch.motion[r] * units.speed(),
                 .impulse = out.impulse[r] * units.impulse(),
                 .work = r == 0 ? normal * units.energy() : 0},
                report.ledger);
  for (std::size_t i = 0; i < touch.spin_count; ++i) {
    const SpinTouch& spin = touch.spins[i];
    for (int r = 0; r < spin.row.rows; ++r)
      book_impact(spin.row, r,
                  {.motion = spin.row.b[r] * units.speed(),
                   .impulse = out.torque[spin.first() + r] * units.impulse()},
                  report.ledger);
  }
  report.ledger.friction -= out.work_friction * units.energy();
}

void HybridStep::strike(const Problem& problem) {
  book(work_of_strike + work_of_look * static_cast<double>(d.impact.touching.size()));
  const Units& units = problem.units;
  Touch& touch = merge(problem);
  Vec3 u = velocity(touch, problem);
  const double rate = u[0];
  if (!options.steady) u[0] = std::min(u[0], -nudge * touch.threshold);
  bool steady = false;
  double guard = 0;
  const ImpactOutcome out = outcome(touch, u, turning(touch, problem), steady, guard);
  const double before = kinetic(problem);
  apply(touch, out, problem);
  audit(touch, rate, out, before, guard, problem);
  book_strike(touch, out, rate - u[0], units);
  for (const std::size_t i : d.impact.struck) {
    Touch& hit = d.impact.touching[i];
    if (hit.approach == 0) {
      hit.approach = u[0];
      event(StepEvent::Kind::collision, d.now.t, hit.contact.key, u[0] * units.speed());
      ++report.collisions;
    }
    if (steady && !hit.steady)
      event(StepEvent::Kind::steady, d.now.t, hit.contact.key, u[0] * units.speed());
    hit.steady = steady;
  }
  // The record and the report know the impulse of a face by its resultant at one of its contacts.
  if (d.impact.struck.size() > 1) {
    d.impact.hits.push_back(touch);
    d.impact.hits.back().impulse = out.impulse;
    d.impact.hits.back().torque = out.torque;
  } else {
    touch.impulse += out.impulse;
    touch.torque += out.torque;
  }
}

// (E214): where impacts one after the other find no end everything that touches is stopped
// together, without restitution, from the velocities that are reached.
void HybridStep::stop_together() {
  SolveRecord& record = report.solves.push(Purpose::compression);
  Problem& problem = record.problem;
  problem = d.impact.joints;
  const Units& units = problem.units;
  problem.k.setZero(model.velocities);
  problem::add_mass_product(problem, d.impact.v.data(), problem.k.data());
  for (Constraint& c : problem.constraints) {
    double w[max_rows] = {};
    linear::constraint_velocity(problem, c, d.impact.v.data(), false, w);
    for (int r = 0; r < c.rows; ++r) c.b[r] = -w[r];
  }
  // Joints keep their velocities: -b is what they had.
  StepProblem posed;
  posed.begin({});
  for (const Constraint& c : problem.constraints)
    for (int r = 0; r < c.rows; ++r) posed.add({.carried = c.b[r] * units.speed()});
  for (const Touch& touch : d.impact.touching) {
    constrain::add_contact(model, d.now.poses, d.impact.layout, touch.contact, options.facets,
                           touch.motion * units.speed(), problem);
    posed.add_contact(problem);
    for (int r = 0; r < touch.contact.rows; ++r)
      posed.add({.motion = touch.motion[r] * units.speed()});
  }
  d.impact.spins.clear();
  for (const Role role : {Role::torsion, Role::rolling})
    for (std::size_t i = 0; i < d.impact.touching.size(); ++i)
      if (const Touch& touch = d.impact.touching[i]; touch.spin_count > 0)
        constrain::add_spin_friction(model, d.now.poses, d.impact.layout, touch.contact, role, i,
                                     static_cast<int>(posed.constraint_of(i)),
                                     spin_of(touch.contact), problem, d.impact.spins);
  for (const constrain::SpinRows& spin : d.impact.spins)
    for (std::size_t r = 0; r < static_cast<std::size_t>(spin.rows); ++r)
      posed.add({.motion = spin.motion[r] * units.length});
  posed.dcheck(problem);
  record.solution.lambda.setZero(problem.rows());
  constrain::to_model_velocities(model, problem, d.impact.v, d.v_path);
  keep_beginning(problem, d.now.poses, d.v_path, d.now.t, 0, record.origin);
  keep_rows(problem, d.now.poses, d.now.t, {}, record.origin);
  for (const Touch& touch : d.impact.touching) record.origin.contacts.push_back(touch.contact);
  solver::solve_unguarded(problem, solver, data.solver, record.solution);
  for (std::size_t i = 0; i < problem.constraints.size(); ++i) {
    const Constraint& c = problem.constraints[i];
    double before[max_rows] = {}, after[max_rows] = {};
    linear::constraint_velocity(problem, c, d.impact.v.data(), false, before);
    linear::constraint_velocity(problem, c, record.solution.v.data(), false, after);
    for (int r = 0; r < c.rows; ++r) {
      const double impulse = record.solution.lambda[problem.first_row[i] + r] * units.impulse();
      const double motion = posed.of(problem, i)[r].motion;
      const double rate = 0.5 * (before[r] + after[r]) * units.speed() + motion;
      book_impact(
          c, r, {.motion = motion, .impulse = impulse, .work = impulse * rate, .joints_keep = true},
          report.ledger);
    }
  }
  d.impact.v = record.solution.v;
  for (Touch& touch : d.impact.touching) touch.steady = true;
  event(StepEvent::Kind::limit, d.now.t, d.impact.touching.front().contact.key, 0);
}

void HybridStep::impact() {
  CAIRN_DCHECK(base::is_strictly_sorted(d.steady));
  CAIRN_DCHECK(base::is_strictly_sorted(d.candidates, [](const Contact& c) { return c.key; }));
  const int at = report.solves.size();
  gather_touching(report.solves.push(Purpose::impact).problem);
  const Problem& problem = report.solves[at].problem;
  d.impact.hits.clear();
  d.impact.still = 0;
  for (const Touch& touch : d.impact.touching)
    d.impact.still = std::max(d.impact.still, -approach_rounding * velocity(touch, problem)[0]);
  // A contact at rest is nudged where all contacts bounce for ever.
  if (!options.steady && !pick(problem))
    for (std::size_t i = 0; i < d.impact.touching.size(); ++i)
      if (velocity(d.impact.touching[i], problem)[0] <=
          still_speed(d.impact.touching[i].contact) / problem.units.speed()) {
        d.impact.struck.assign(1, i);
        strike(problem);
      }
  const auto spent = [&] { return data.in.meter && data.in.meter->beyond(share_for_events); };
  for (int i = 0; pick(problem) && i < options.max_strikes && !(i > 0 && spent()); ++i)
    strike(problem);
  const bool unfinished = !d.impact.struck.empty();
  finish_impact(report.solves[at]);
  if (unfinished) stop_together();
  // Nothing but rounding approached: that is steady.
  for (const Touch& touch : d.impact.touching)
    if (d.impact.hits.empty() && velocity(touch, report.solves[at].problem)[0] < 0)
      make_steady(touch.contact.key);
  share_out(report.solves[at].problem);
  count_moment();
}

// (E217): each body by itself, so that many bodies do not use up each other's events.
void HybridStep::count_moment() {
  CAIRN_DCHECK(d.marks.moments_of.size() == model.bodies.size(), d.marks.moments_of.size());
  d.marks.hit.assign(model.bodies.size(), 0);
  for (const Touch& touch : d.impact.touching)
    for (const BodyId id : {touch.contact.key.body_a, touch.contact.key.body_b}) {
      if (touch.approach == 0 || model.body(id).velocities == 0 || d.marks.hit[index(id)]) continue;
      d.marks.hit[index(id)] = 1;
      if (++d.marks.moments_of[index(id)] >= options.max_events) worn_out = true;
    }
}

// Velocities after the impacts; contacts that were hit, and those that others threw off, change
// sides.
void HybridStep::share_out(const Problem& problem) {
  constrain::to_model_velocities(model, problem, d.impact.v, d.now.v);
  for (const Touch& touch : d.impact.touching) {
    const bool opens = velocity(touch, problem)[0] > std::max(touch.threshold, d.impact.still);
    const ContactKey& key = touch.contact.key;
    if (touch.steady && !opens)
      make_steady(key);
    else if (touch.approach < 0 || opens)
      std::erase(d.steady, key);
  }
}

void HybridStep::report_hit(const Touch& hit, const Problem& problem) {
  const Units& units = problem.units;
  ContactReport out;
  out.contact = hit.contact;
  out.impulse = hit.impulse * units.impulse();
  out.velocity = velocity(hit, problem) * units.speed();
  out.colliding = true;
  out.mode = out.velocity.tail<2>().norm() > 1e-12 * units.speed() ? ContactMode::slip
                                                                   : ContactMode::stick;
  // The row along t2 is stretched (E245).
  out.impulse[2] *= out.contact.stretch;
  out.velocity[2] /= out.contact.stretch;
  Vec3 torque_W = Vec3::Zero();
  for (std::size_t i = 0; i < hit.spin_count; ++i)
    for (int r = 0; r < hit.spins[i].row.rows; ++r)
      torque_W += hit.torque[hit.spins[i].first() + r] * units.impulse() * units.length *
                  hit.spins[i].axes.axis_W[static_cast<std::size_t>(r)];
  const Contact& c = hit.contact;
  out.torque = Vec3(c.n_W.dot(torque_W), c.t1_W.dot(torque_W), c.t2_W.dot(torque_W));
  add_contact(out, report.contacts);
}

// The impulses of the moment as a problem that can be judged (E213): momentum and joints, with
// every contact's impulse as a box of no width.
void HybridStep::finish_impact(SolveRecord& record) {
  Problem& problem = record.problem;
  const Units& units = problem.units;
  for (std::size_t i = 0; i < problem.constraints.size(); ++i) {
    const Constraint& c = problem.constraints[i];
    for (int r = 0; r < c.rows; ++r) {
      // Joints keep their velocities: -b is what they had.
      const double impulse = d.impact.joint_impulses[problem.first_row[i] + r] * units.impulse();
      book_impact(
          c, r,
          {.impulse = impulse, .work = -impulse * c.b[r] * units.speed(), .joints_keep = true},
          report.ledger);
    }
  }
  for (const Touch& touch : d.impact.touching)
    if (touch.impulse != Vec3::Zero()) d.impact.hits.push_back(touch);
  VecX& lambda = record.solution.lambda;
  int rows = problem.rows();
  for (const Touch& hit : d.impact.hits) {
    rows += hit.row.rows;
    for (std::size_t i = 0; i < hit.spin_count; ++i) rows += hit.spins[i].row.rows;
  }
  lambda.resize(rows);
  lambda.head(problem.rows()) = d.impact.joint_impulses;
  const auto add = [&](const Constraint& row, const double* impulse) {
    for (int r = 0; r < row.rows; ++r) {
      Constraint& c = problem.constraints.emplace_back();
      c.law = Law::box;
      c.rows = 1;
      c.sides = row.sides;
      c.body = row.body;
      c.key = row.key;
      c.key.coordinate = static_cast<std::uint8_t>(r);
      c.lo = c.hi = impulse[r];
      for (std::size_t side = 0; side < max_sides; ++side)
        std::copy(row.J[side][r], row.J[side][r] + max_velocities, c.J[side][0]);
      lambda[problem.rows()] = impulse[r];
      problem.first_row.push_back(problem.rows() + 1);
    }
  };
  for (const Touch& hit : d.impact.hits) {
    report_hit(hit, problem);
    add(hit.row, hit.impulse.data());
    for (std::size_t i = 0; i < hit.spin_count; ++i)
      add(hit.spins[i].row, hit.torque.data() + hit.spins[i].first());
  }
  keep_beginning(problem, d.now.poses, d.now.v, d.now.t, 0, record.origin);
  keep_rows(problem, d.now.poses, d.now.t, {}, record.origin);
  for (const Touch& hit : d.impact.hits) record.origin.contacts.push_back(hit.contact);
  record.solution.v = d.impact.v;
  record.solution.certificate = solver::certify(data.solver, problem, d.impact.v, lambda);
  record.solution.status = record.solution.certificate.within(tolerance(solver))
                               ? SolveStatus::solved
                               : SolveStatus::not_certified;
  record.solution.iterations = static_cast<int>(d.impact.hits.size());
  record.solution.islands = record.solution.fallbacks = 0;
  record.solution.method = "impact";
}

}  // namespace cairn::scheme
