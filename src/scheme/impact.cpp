// Impacts of scheme `trapezoidal`: compression and decompression (Poisson) of everything that
// touches, with joints and friction (paper 003, sections 7.3 and 7.4; E173, E174).
#include <algorithm>
#include <cmath>

#include "constrain/memory.hpp"
#include "dynamics/kinematics.hpp"
#include "problem/blocks.hpp"
#include "problem/mass.hpp"
#include "scheme/step.hpp"
#include "scheme/trapezoidal_step.hpp"

namespace cairn {
namespace {

constexpr double window_share = 0x1p-12;  // of the step, over which prescribed velocities are taken
constexpr int max_rounds = 100;           // of the search for the speeds of restitution

}  // namespace

// Where prescribed bodies are shortly before and after t.
void TrapezoidalStep::set_window(double t) {
  const double half = window_share * h;
  for (std::size_t k = 0; k < 2; ++k) {
    d.window[k] = d.now.poses;
    for (std::size_t i = 0; i < model.bodies.size(); ++i)
      if (model.bodies[i].kind == BodyKind::prescribed)
        d.window[k][i] = prescribed_pose(model.bodies[i], k == 0 ? t - half : t + half);
  }
}

// Relative velocity at the contact that prescribed bodies have at this moment.
Vec3 TrapezoidalStep::motion_of(const Contact& c, std::span<const Pose> poses) {
  const double window = 2 * window_share * h;
  return prescribed_velocity(model, poses, d.window[1], c, window) -
         prescribed_velocity(model, poses, d.window[0], c, window);
}

double TrapezoidalStep::threshold(const Contact& c) {
  if (options.restitution_threshold >= 0) return options.restitution_threshold;
  const double gain = relative_velocity(model, d.now.poses, c, c.n_W, d.v_free) -
                      relative_velocity(model, d.now.poses, c, c.n_W, d.now.v);
  return std::abs(gain) * h / d.free_length;
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
void TrapezoidalStep::add_impact_rows(Problem& problem, std::span<const double> push,
                                      std::span<const double> speed, std::span<const char> held) {
  const double window = 2 * window_share * h;
  add_joints(d.now.poses, d.window[0], d.window[1], window, problem);
  for (std::size_t i = 0; i < d.joint_constraints; ++i)
    for (int k = 0; k < problem.constraints[i].rows; ++k)
      problem.constraints[i].b[k] =
          d.terms[static_cast<std::size_t>(problem.first_row[i] + k)].motion /
          problem.units.speed();
  for (std::size_t i = 0; i < d.touching.size(); ++i) {
    const Contact& c = d.touching[i];
    const Vec3 motion = motion_of(c);
    Vec3 b(c.n_W.dot(motion), c.t1_W.dot(motion), c.stretch * c.t2_W.dot(motion));
    for (int k = 0; k < c.rows; ++k) d.terms.push_back({b[k], 0});
    if (!speed.empty()) b[0] -= speed[i];
    add_contact(model, d.now.poses, d.layout, c, options.facets, b, problem);
    Constraint& row = problem.constraints.back();
    if (!held.empty() && held[i]) row.law = Law::equality;
    if (push.empty() || push[i] == 0) continue;
    const double impulse = push[i] / problem.units.impulse();
    for (std::size_t side = 0; side < 2; ++side) {
      if (row.body[side] < 0) continue;
      const ProblemBody& body = problem.bodies[static_cast<std::size_t>(row.body[side])];
      for (int k = 0; k < body.size; ++k) problem.k[body.first + k] += row.J[side][0][k] * impulse;
    }
  }
}

// M v+ = M v + J^T (push + lambda), no time passes. `speed` is what contacts open with at least.
void TrapezoidalStep::solve_impact(Purpose purpose, const VecX& v, std::span<const double> push,
                                   std::span<const double> speed, std::span<const char> held) {
  SolveRecord& record = new_record(purpose);
  Problem& problem = record.problem;
  assemble_bodies(model, v, h, d.layout, problem);
  add_impact_rows(problem, push, speed, held);
  finish_solve(record);
  if (held.empty())
    remember(problem, d.touching, record.solution.lambda, d.memory, d.joint_impulses);
}

// (78): restitution acts along the normals alone, friction is bounded by the further impulse.
void TrapezoidalStep::decompress_extra() {
  solve_impact(Purpose::decompression, d.v_compressed, d.compression, {});
  const SolveRecord& record = report.solves[static_cast<std::size_t>(report.solve_count - 1)];
  to_model_velocities(model, record.problem, record.solution.v, d.now.v);
  add_impact_ledger(record, d.v_compressed, d.now.v, d.compression);
}

// (E174): speeds of restitution for which the normal impulse of the decompression is e times that
// of the compression, or more where the contact stays closed. A secant step for each contact.
bool TrapezoidalStep::decompress_total() {
  const std::size_t n = d.touching.size();
  std::vector<double>& speed = d.restitution_speed;
  std::vector<double>&slope = d.search_slope, &last_speed = d.search_speed,
  &last_impulse = d.search_impulse;
  speed.assign(n, 0.0);
  slope.assign(n, 0.0);
  last_speed.assign(n, 0.0);
  last_impulse.assign(n, 0.0);
  const int first = report.solve_count;
  double scale = 0;
  for (const double c : d.compression) scale = std::max(scale, c);
  for (int round = 0; round < max_rounds; ++round) {
    report.solve_count = first;  // of the search only the last solve counts
    solve_impact(Purpose::decompression, d.v_compressed, {}, speed);
    const SolveRecord& record = report.solves[static_cast<std::size_t>(report.solve_count - 1)];
    const Problem& problem = record.problem;
    double worst = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t at = d.joint_constraints + i;
      const double impulse =
          record.solution.lambda[problem.first_row[at]] * problem.units.impulse();
      const double missing = d.compression[i] - impulse;
      const bool met = speed[i] > 0 ? std::abs(missing) <= 1e-14 * scale : missing <= 1e-14 * scale;
      if (!met) worst = std::max(worst, std::abs(missing));
      if (round == 0) {
        double W[max_rows][max_rows] = {};
        d.mass.factor(problem);
        own_response(problem, d.mass, problem.constraints[at], W);
        slope[i] = W[0][0] / problem.units.mass;
      } else if (std::abs(impulse - last_impulse[i]) > 1e-12 * scale) {
        const double secant = (speed[i] - last_speed[i]) / (impulse - last_impulse[i]);
        if (secant > 0) slope[i] = std::clamp(secant, slope[i] / 8, slope[i] * 8);
      }
      last_speed[i] = speed[i];
      last_impulse[i] = impulse;
      speed[i] = std::max(0.0, speed[i] + slope[i] * missing);
    }
    if (worst == 0) {
      to_model_velocities(model, problem, record.solution.v, d.now.v);
      add_impact_ledger(record, d.v_compressed, d.now.v, {});
      return true;
    }
    if (worst <= 1e-12 * scale && round > max_rounds / 2) {
      to_model_velocities(model, problem, record.solution.v, d.now.v);
      add_impact_ledger(record, d.v_compressed, d.now.v, {});
      return true;
    }
  }
  report.solve_count = first;
  return false;
}

// (E179): dampers too stiff for the step have done their work before it begins: one backward Euler
// step of the dampers alone, in which nothing moves.
void TrapezoidalStep::relax_dampers() {
  evaluate_impulses(model, d.now.poses, d.now.v, d.now.t, h, true, d.forces);
  std::erase_if(d.forces.rows, [&](const SpringRow& s) { return !(s.viscous > 0) || !s.stiff; });
  if (d.forces.rows.empty()) return;
  for (SpringRow& s : d.forces.rows) s.elastic = 0, s.viscous = h * s.damping;
  d.forces.potential.setZero();
  d.forces.applied.setZero();
  d.forces.gyroscopic.setZero();
  for (const SpringRow& s : d.forces.rows)
    add_spring_impulse(model, d.now.poses, s, -s.viscous * s.rate, d.forces.applied);
  d.v_before = d.now.v;
  SolveRecord& record = new_record(Purpose::hold);
  Problem& problem = record.problem;
  assemble_bodies(model, d.now.v, h, d.layout, problem);
  add_implicit_terms(0, problem);
  add_impact_rows(problem, {}, {}, {});
  finish_solve(record);
  to_model_velocities(model, problem, record.solution.v, d.now.v);
  for (const SpringRow& s : d.forces.rows) {
    const double before = spring_rate(model, d.now.poses, s, d.v_before),
                 after = spring_rate(model, d.now.poses, s, d.now.v);
    const double motion = s.rate - before;
    report.ledger.work_applied -= s.viscous * (after + motion) * 0.5 * (before + after);
  }
  add_impact_ledger(record, d.v_before, d.now.v, {});
}

// Contacts that open are no longer held; those that stay closed are.
void TrapezoidalStep::release_separating() {
  d.holding.clear();
  for (const Contact& c : d.touching)
    if (normal_velocity(c, d.now.v) <= still_speed(c)) d.holding.push_back(c.key);
  std::erase_if(d.memory, [&](const ContactMemory& m) {
    return !std::binary_search(d.holding.begin(), d.holding.end(), m.key);
  });
}

void TrapezoidalStep::impact() {
  set_window(d.now.t);
  gather_touching();
  double fastest = 0, slowest = 0;
  for (const Contact& c : d.touching) {
    const double rate = normal_velocity(c, d.now.v);
    if (rate < -still_speed(c)) {
      report.events.push_back({StepEvent::Kind::collision, d.now.t, c.key, rate});
      ++report.collisions;
    }
    if (rate < fastest) fastest = rate, slowest = threshold(c);
  }
  d.v_before = d.now.v;
  solve_impact(Purpose::compression, d.now.v, {}, {});
  const SolveRecord& record = report.solves[static_cast<std::size_t>(report.solve_count - 1)];
  to_model_velocities(model, record.problem, record.solution.v, d.v_compressed);
  add_impact_ledger(record, d.v_before, d.v_compressed, {});

  // What is returned of each impulse; nothing where the impact is slower than what bounces.
  bool bounces = false, rubs = false;
  d.compression.clear();
  for (std::size_t i = 0; i < d.touching.size(); ++i) {
    const Contact& c = d.touching[i];
    const double normal =
        record.solution.lambda[record.problem.first_row[d.joint_constraints + i]] *
        record.problem.units.impulse();
    const double returned = limited || !(-fastest > slowest) ? 0 : c.restitution * normal;
    d.compression.push_back(std::max(0.0, returned));
    bounces = bounces || returned > 0;
    rubs = rubs || c.rows > 1;
  }
  if (!bounces)
    d.now.v = d.v_compressed;
  else if (!rubs || options.restitution_friction == RestitutionFriction::extra ||
           !decompress_total())
    decompress_extra();
  if (options.damp_stiff) relax_dampers();
  release_separating();
}

}  // namespace cairn
