// How a contact of scheme `hybrid` answers to impulses, joints included (E206), and impulses on the
// bodies. Numbers are in the units of the impact's problem.
#include "linear/blocks.hpp"
#include "scheme/hybrid/hybrid_step.hpp"
#include "solver/unguarded.hpp"

namespace cairn::scheme {
namespace {

const SolverOptions direct = Auto{};  // joints alone: one direct solve

}  // namespace

Vec3 HybridStep::velocity(const Touch& touch, const Problem& problem) const {
  double w[max_rows] = {};
  linear::constraint_velocity(problem, touch.row, d.impact.v.data(), false, w);
  Vec3 u = Vec3::Zero();
  for (int r = 0; r < touch.row.rows; ++r) u[r] = w[r];
  return u + touch.motion;
}

Vec3 HybridStep::turning(const Touch& touch, const Problem& problem) const {
  Vec3 spin = Vec3::Zero();
  for (std::size_t i = 0; i < touch.spin_count; ++i) {
    double w[max_rows] = {};
    linear::constraint_velocity(problem, touch.spins[i].row, d.impact.v.data(), true, w);
    for (int r = 0; r < touch.spins[i].row.rows; ++r) spin[touch.spins[i].first() + r] = w[r];
  }
  return spin;
}

namespace {

// Writes what the bodies' velocities v give along the rows of the touch: a column of its W.
void add_column(const Touch& touch, const Problem& problem, const double* v, Vec3& along,
                Vec3& turning) {
  double w[max_rows] = {};
  linear::constraint_velocity(problem, touch.row, v, false, w);
  for (int r = 0; r < touch.row.rows; ++r) along[r] = w[r];
  for (std::size_t i = 0; i < touch.spin_count; ++i) {
    linear::constraint_velocity(problem, touch.spins[i].row, v, false, w);
    for (int r = 0; r < touch.spins[i].row.rows; ++r) turning[touch.spins[i].first() + r] = w[r];
  }
}

}  // namespace

// Velocities v += M^-1 J^T impulse of the two bodies of a row.
void HybridStep::push(const Constraint& row, const double* impulse, const Problem& problem,
                      double* v) const {
  for (std::size_t side = 0; side < max_sides; ++side) {
    if (row.body[side] < 0) continue;
    const ProblemBody& body = problem.bodies[static_cast<std::size_t>(row.body[side])];
    double f[max_velocities] = {};
    linear::add_transposed(row.J[side], row.rows, body.size, impulse, f);
    const linear::BodyBlock& inverse = d.impact.mass.block(row.body[side]);
    for (int i = 0; i < body.size; ++i)
      for (int k = 0; k < body.size; ++k) v[body.first + i] += inverse[i][k] * f[k];
  }
}

// Velocities of the mechanism per unit impulse along row r, kept with the impulses of its joints.
const VecX& HybridStep::mechanism_response(const Constraint& row, int r, const Problem& problem) {
  const auto at = static_cast<std::size_t>(d.impact.responses++);
  if (d.impact.response.size() <= at) {
    d.impact.response.emplace_back();
    d.impact.response_joints.emplace_back();
  }
  d.impact.joints.k.setZero(problem.k.size());
  for (std::size_t side = 0; side < max_sides; ++side) {
    if (row.body[side] < 0) continue;
    const ProblemBody& body = problem.bodies[static_cast<std::size_t>(row.body[side])];
    for (int k = 0; k < body.size; ++k) d.impact.joints.k[body.first + k] += row.J[side][r][k];
  }
  d.impact.solution.lambda.setZero(d.impact.joints.rows());
  solver::solve_unguarded(d.impact.joints, direct, data.solver, d.impact.solution);
  d.impact.response[at] = d.impact.solution.v;
  d.impact.response_joints[at] = d.impact.solution.lambda;
  return d.impact.response[at];
}

// W = J M^-1 J^T of the contact; where its bodies hang on joints, of the whole mechanism: J x_r
// with the velocities x_r that a unit impulse along row r causes.
void HybridStep::measure(Touch& touch, const Problem& problem) {
  if (touch.measured) return;
  touch.measured = true;
  touch.W.setZero();
  touch.W_spin.setZero();
  touch.W_mixed.setZero();
  const int rows = touch.row.rows;
  const bool jointed = d.marks.jointed[index(touch.contact.key.body_a)] ||
                       d.marks.jointed[index(touch.contact.key.body_b)];
  touch.response = jointed ? d.impact.responses : -1;
  Vec3 unused = Vec3::Zero();
  if (jointed) {
    for (int r = 0; r < rows; ++r) {
      Vec3 along = Vec3::Zero();
      add_column(touch, problem, mechanism_response(touch.row, r, problem).data(), along, unused);
      touch.W.col(r) = along;
    }
    touch.W = 0.5 * (touch.W + touch.W.transpose()).eval();
  } else {
    double W[max_rows][max_rows] = {};
    problem::own_response(problem, d.impact.mass, touch.row, W);
    for (int r = 0; r < rows; ++r)
      for (int c = 0; c < rows; ++c) touch.W(r, c) = W[r][c];
  }
  for (std::size_t i = 0; i < touch.spin_count; ++i)
    for (int r = 0; r < touch.spins[i].row.rows; ++r) {
      const Constraint& row = touch.spins[i].row;
      Vec3 along = Vec3::Zero(), turning = Vec3::Zero();
      if (jointed) {
        add_column(touch, problem, mechanism_response(row, r, problem).data(), along, turning);
      } else {
        d.impact.alone.setZero(problem.velocities());
        double unit[max_rows] = {};
        unit[r] = 1;
        push(row, unit, problem, d.impact.alone.data());
        add_column(touch, problem, d.impact.alone.data(), along, turning);
      }
      touch.W_mixed.col(touch.spins[i].first() + r) = along;
      touch.W_spin.col(touch.spins[i].first() + r) = turning;
    }
  touch.W_spin = 0.5 * (touch.W_spin + touch.W_spin.transpose()).eval();
}

void HybridStep::apply(const Touch& touch, const ImpactOutcome& out, const Problem& problem) {
  auto column = static_cast<std::size_t>(touch.response);
  const auto act = [&](const Constraint& row, const double* impulse) {
    if (touch.response < 0) return push(row, impulse, problem, d.impact.v.data());
    for (int r = 0; r < row.rows; ++r, ++column) {
      d.impact.v += impulse[r] * d.impact.response[column];
      d.impact.joint_impulses += impulse[r] * d.impact.response_joints[column];
    }
  };
  act(touch.row, out.impulse.data());
  for (std::size_t i = 0; i < touch.spin_count; ++i)
    act(touch.spins[i].row, out.torque.data() + touch.spins[i].first());
}

}  // namespace cairn::scheme
