// The velocities of a step of `penalty` (E251 to E253): springs where a velocity leads, Newton's
// method on the function that the implicit forms minimise, (2.5) and (2.8), and the problem that is
// recorded and judged: in it the springs are rows whose impulse is given, that of the velocities
// found, so that its momentum residual is that of the nonlinear equation.
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/conventions.hpp"
#include "base/index.hpp"
#include "dynamics/flight.hpp"
#include "dynamics/kinematics.hpp"
#include "model/dof.hpp"
#include "problem/mass.hpp"
#include "scheme/common/report.hpp"
#include "scheme/penalty/penalty_step.hpp"
#include "solver/unguarded.hpp"

namespace cairn::scheme {
namespace {

constexpr int max_halvings = 40;             // of a Newton step
constexpr int patience = 12;                 // Newton steps that do not halve the residual
constexpr double residual_rounding = 1e-15;  // where Newton's method has nothing left to do [-]

// Row of the normal at the poses where the contact was taken, with columns of angular velocities in
// the frames of the beginning (E406).
void fill_row(const Step& step, std::span<const Pose> poses, const Contact& c,
              ContactSpring& spring) {
  const std::array<BodyId, 2> ids = {c.key.body_a, c.key.body_b};
  for (std::size_t side = 0; side < 2; ++side) {
    spring.body[side] = step.data.rows.layout.body[index(ids[side])];
    if (spring.body[side] < 0) continue;
    const Pose place{poses[index(ids[side])].p, step.state.poses[index(ids[side])].R};
    constrain::unit_row(step.model, step.model.body(ids[side]), place, c.p_WC, c.n_W,
                        side == 0 ? -1 : 1, spring.row[side]);
  }
}

}  // namespace

double along(const ContactSpring& spring, const Problem& problem, const VecX& v) {
  CAIRN_DCHECK(v.size() == problem.velocities(), v.size());
  double w = spring.motion;
  for (int side = 0; side < 2; ++side) {
    if (spring.body[side] < 0) continue;
    const ProblemBody& b = problem.bodies[base::at(spring.body[side])];
    for (int k = 0; k < b.size; ++k) w += spring.row[side][k] * v[b.first + k];
  }
  return w;
}

// The springs at the beginning of the step.
void PenaltyStep::lay_springs() {
  const StepData& data = base.data;
  d.contacts = data.contacts;
  d.springs.assign(d.contacts.size(), ContactSpring{});
  for (std::size_t i = 0; i < d.contacts.size(); ++i) {
    const Contact& c = d.contacts[i];
    ContactSpring& spring = d.springs[i];
    fill_row(base, base.state.poses, c, spring);
    spring.gap = c.gap;
    spring.motion = c.n_W.dot(constrain::prescribed_velocity(base.model, base.state.poses,
                                                             data.poses.end, c, base.h)) /
                    d.plain.units.speed();
  }
}

// (2.2): impulse h gamma Phi_-^b, weight h^2 gamma b Phi_-^(b-1).
void PenaltyStep::load(ContactSpring& spring) const {
  CAIRN_DCHECK(options.gamma > 0, options.gamma);
  CAIRN_DCHECK(options.exponent > 0, options.exponent);
  const double overlap = std::max(0.0, -spring.gap), b = options.exponent, h = base.h;
  spring.impulse = spring.weight = 0;
  if (!(overlap > 0)) return;
  spring.impulse = h * options.gamma * std::pow(overlap, b) / d.plain.units.impulse();
  spring.weight = h * h * options.gamma * b * std::pow(overlap, b - 1) / d.plain.units.mass;
}

// Bodies where v leads, for the forms that are not linearised.
void PenaltyStep::follow(const VecX& v) {
  if (options.form == PenaltyForm::linearly_implicit) return;
  const Step& s = base;
  constrain::to_model_velocities(s.model, d.plain, v, d.v_model);
  d.poses = s.data.poses.end;
  for (std::size_t i = 0; i < s.model.bodies.size(); ++i) {
    const Body& body = s.model.bodies[i];
    if (body.velocities > 0)
      d.poses[i] = dynamics::drift(body, s.state.poses[i], d.v_model.data() + body.first_velocity,
                                   s.h, nullptr);
  }
}

// (E407): the springs of an isolated island act along the rows of the beginning. Their gap is that
// of the bodies where v leads, and changes along the row from there.
void PenaltyStep::place(std::size_t i, const VecX& v) {
  const Step& s = base;
  ContactSpring& spring = d.springs[i];
  Contact& there = s.data.nonlinear.contacts[i];
  d.contacts[i] = s.data.contacts[i];
  fill_row(s, s.state.poses, d.contacts[i], spring);
  spring.motion = 0;
  const bool found = s.data.active.finder.find_one(s.model, d.poses, s.data.contacts[i].key, there);
  const double gap = found ? there.gap : std::abs(s.data.contacts[i].gap);
  spring.offset = gap - s.h * along(spring, d.plain, v) * d.plain.units.speed();
}

// The springs where v leads, isolated islands included.
void PenaltyStep::find_springs_at(const VecX& v) {
  follow(v);
  for (std::size_t i = 0; i < d.springs.size(); ++i)
    if (base.data.nonlinear.isolated.both(base.data.contacts[i].key)) place(i, v);
  evaluate(v);
  if (!release_isolated()) return;
  for (std::size_t i = 0; i < d.springs.size(); ++i)
    if (base.data.nonlinear.isolated.both(base.data.contacts[i].key)) place(i, v);
  evaluate(v);
}

// Bodies of islands that nothing holds are marked for the rest of the step. True: there are new
// ones, whose springs have other rows now.
bool PenaltyStep::release_isolated() {
  if (options.form != PenaltyForm::implicit) return false;
  IsolatedBodies& isolated = base.data.nonlinear.isolated;
  isolated.begin(base.model);
  for (std::size_t i = 0; i < d.springs.size(); ++i)
    if (d.springs[i].impulse > 0)
      isolated.join(base.model, d.contacts[i].key.body_a, d.contacts[i].key.body_b);
  isolated.spread();
  return isolated.mark();
}

// The springs where v leads; returns their energy in the problem's units.
double PenaltyStep::evaluate(const VecX& v) {
  const Step& s = base;
  const Problem& problem = d.plain;
  const double h = s.h;
  const bool linear = options.form == PenaltyForm::linearly_implicit;
  follow(v);
  double energy = 0;
  for (std::size_t i = 0; i < d.springs.size(); ++i) {
    ContactSpring& spring = d.springs[i];
    const Contact& start = s.data.contacts[i];
    if (linear) {
      spring.gap = start.gap + h * along(spring, problem, v) * problem.units.speed();
    } else if (s.data.nonlinear.isolated.both(start.key)) {
      spring.gap = spring.offset + h * along(spring, problem, v) * problem.units.speed();
    } else if (Contact c; s.data.active.finder.find_one(s.model, d.poses, start.key, c)) {
      d.contacts[i] = s.data.nonlinear.contacts[i] = c;
      spring.gap = c.gap;
      fill_row(s, d.poses, c, spring);
      // Prescribed bodies are at the end already: their way back is minus their motion.
      spring.motion =
          -c.n_W.dot(constrain::prescribed_velocity(s.model, d.poses, s.state.poses, c, h)) /
          problem.units.speed();
    } else {
      spring.gap = std::abs(start.gap);  // the features do not face each other there
    }
    load(spring);
    const double overlap = std::max(0.0, -spring.gap);
    energy += options.gamma / (options.exponent + 1) * std::pow(overlap, options.exponent + 1);
  }
  return energy / problem.units.energy();
}

// (E253): (A + sum of weight J^T J) v+ = A v_free + sum of J^T (impulse + weight J v), with the
// joints as they are. How the normals turn is left out, as in (E82). Without weights: the explicit
// step.
void PenaltyStep::make_linear(const VecX& v, bool weights) {
  d.linear = d.plain;
  Problem& linear = d.linear;
  for (const ContactSpring& spring : d.springs) {
    if (spring.impulse == 0) continue;
    const double weight = weights ? spring.weight : 0;
    const double push = spring.impulse + weight * (along(spring, linear, v) - spring.motion);
    for (int side = 0; side < 2; ++side) {
      if (spring.body[side] < 0) continue;
      ProblemBody& b = linear.bodies[base::at(spring.body[side])];
      const double* J = spring.row[side];
      for (int r = 0; r < b.size; ++r) {
        linear.k[b.first + r] += push * J[r];
        for (int c = 0; c < b.size; ++c) b.A[r][c] += weight * J[r] * J[c];
      }
    }
    if (weight == 0 || spring.body[0] < 0 || spring.body[1] < 0) continue;
    BodyCoupling& coupling = linear.couplings.emplace_back();
    coupling.body = {spring.body[0], spring.body[1]};
    for (int r = 0; r < max_velocities; ++r)
      for (int c = 0; c < max_velocities; ++c) {
        coupling.A[0][r][c] = weight * spring.row[0][r] * spring.row[1][c];
        coupling.A[1][r][c] = weight * spring.row[1][r] * spring.row[0][c];
      }
  }
  d.step.lambda.setZero(linear.rows());
  solver::solve_unguarded(linear, base.solver, base.data.solver, d.step);
}

// psi of (2.5) and (2.8), in the problem's units: |v - v_free|_A^2 / 2 + energy of the springs;
// leaves A (v - v_free) in d.gradient.
double PenaltyStep::merit(const VecX& v) {
  d.change = v - d.v_free;
  d.gradient.setZero(v.size());
  problem::add_mass_product(d.plain, d.change.data(), d.gradient.data());
  return 0.5 * d.change.dot(d.gradient) + evaluate(v);
}

// From d.v along the Newton step until psi falls; leaves the springs there. `free`: the first step
// of a mechanism, which has to meet its joints.
void PenaltyStep::search(bool free) {
  const double before = merit(d.v);
  d.way = d.step.v - d.v;
  double slope = d.way.dot(d.gradient);
  for (const ContactSpring& spring : d.springs)
    slope -= spring.impulse * (along(spring, d.plain, d.step.v) - along(spring, d.plain, d.v));
  double t = 1;
  for (int i = 0; i <= max_halvings; ++i, t *= 0.5) {
    d.v_trial = d.step.v;
    if (t < 1) d.v_trial = d.v + t * d.way;
    if (free) break;
    if (merit(d.v_trial) <= before + 1e-4 * t * slope) break;
    // Below the rounding of psi it says nothing.
    if (!(std::abs(t * slope) > 1e-13 * std::abs(before))) break;
  }
  d.v = d.v_trial;
  find_springs_at(d.v);
}

// The springs that push as rows whose impulse is given, after the joints; judged.
void PenaltyStep::fill_record(const VecX& v, const VecX& joint_impulses,
                              SolveRecord& record) const {
  Problem& problem = record.problem;
  problem = d.plain;
  StepProblem& posed = base.data.rows.posed;
  posed.begin(d.plain);
  for (std::size_t i = 0; i < d.springs.size(); ++i) {
    const ContactSpring& spring = d.springs[i];
    if (spring.impulse == 0) continue;
    Constraint& row = problem.constraints.emplace_back();
    row.law = Law::box;
    row.body = {spring.body[0], spring.body[1]};
    row.lo = row.hi = spring.impulse;
    row.b[0] = spring.motion;
    row.key = contact_key(d.contacts[i].key);
    for (std::size_t side = 0; side < 2; ++side)
      std::copy(spring.row[side], spring.row[side] + max_velocities, row.J[side][0]);
    problem.first_row.push_back(problem.first_row.back() + 1);
    posed.add_contact(problem);
    posed.add({.motion = spring.motion * problem.units.speed()});
  }
  posed.dcheck(problem);
  Solution& solution = record.solution;
  solution.v = v;
  solution.lambda.resize(problem.rows());
  solution.lambda.head(joint_impulses.size()) = joint_impulses;
  for (std::size_t i = 0; i < posed.contacts(); ++i)
    solution.lambda[posed.first_row_of(problem, i)] =
        problem.constraints[posed.constraint_of(i)].lo;
  solution.certificate = solver::certify(base.data.solver, problem, v, solution.lambda);
  solution.status = solution.certificate.within(tolerance(base.solver))
                        ? SolveStatus::solved
                        : SolveStatus::not_certified;
  if (options.form == PenaltyForm::implicit)
    keep_rows(problem, d.poses, base.state.t + base.h, base.data.nonlinear.contacts, record.origin);
  solution.islands = d.step.islands;
  solution.fallbacks = d.step.fallbacks;
}

void PenaltyStep::iterate(SolveRecord& record) {
  d.v = d.v_free;
  find_springs_at(d.v);
  d.joint_impulses.setZero(d.plain.rows());
  double best = std::numeric_limits<double>::infinity();
  int taken = 0;
  for (int stalled = 0;; ++taken) {
    fill_record(d.v, d.joint_impulses, record);
    const double residual = record.solution.certificate.worst;
    stalled = residual < 0.5 * best ? 0 : stalled + 1;
    if (residual < best || taken == 0) {
      best = residual;
      d.best_v = d.v;
      d.best_joint_impulses = d.joint_impulses;
    }
    if (best <= residual_rounding || taken == options.max_iterations || stalled > patience) break;
    make_linear(d.v, true);
    if (!d.step.v.allFinite()) break;
    search(taken == 0 && d.plain.rows() > 0);
    d.joint_impulses = d.step.lambda;
  }
  d.v = d.best_v;
  find_springs_at(d.v);
  fill_record(d.v, d.best_joint_impulses, record);
  record.solution.iterations = base.report.nonlinear_iterations = taken;
  record.solution.method = "newton";
}

void PenaltyStep::find_velocities(SolveRecord& record) {
  const Model& model = base.model;
  record.purpose = Step::Purpose::step;
  record.origin.clear();
  assemble_step(model, base.state.poses, base.data.forces, base.data.free.v_explicit, base.h,
                base.data.rows.layout, d.plain);
  d.v_free = base.data.v.free;
  for (const ProblemBody& b : d.plain.bodies) {
    const int linear = model::translation_count(model.bodies[base::at(b.model_body)]);
    for (int k = 0; k < b.size; ++k)
      d.v_free[b.first + k] *= k < linear ? 1 / d.plain.units.speed() : d.plain.units.time;
  }
  base.data.poses.linear = base.state.poses;
  base.data.nonlinear.again = false;
  base.data.nonlinear.contacts = base.data.contacts;
  base.data.nonlinear.isolated.clear(base.model);
  base.data.rows.posed.begin(d.plain);
  base.add_joints(d.plain);
  lay_springs();
  if (options.form != PenaltyForm::explicit_) return iterate(record);
  for (ContactSpring& spring : d.springs) load(spring);
  make_linear(d.v_free, false);
  fill_record(d.step.v, d.step.lambda, record);
  record.solution.iterations = d.step.iterations;
  record.solution.method = d.step.method;
}

}  // namespace cairn::scheme
