// How a contact of scheme `hybrid` answers to impulses, joints included (E206), and impulses on the
// bodies. Numbers are in the units of the impact's problem.
#include "problem/blocks.hpp"
#include "scheme/hybrid_step.hpp"

namespace cairn {
namespace {

const SolverOptions direct = Auto{};  // joints alone: one direct solve

}  // namespace

Vec3 HybridStep::velocity(const Touch& touch, const Problem& problem) const {
  double w[max_rows] = {};
  constraint_velocity(problem, touch.row, d.v.data(), false, w);
  Vec3 u = Vec3::Zero();
  for (int r = 0; r < touch.row.rows; ++r) u[r] = w[r];
  return u + touch.motion;
}

// W = J M^-1 J^T of the contact; where its bodies hang on joints, of the whole mechanism: J x_r
// with the velocities x_r that a unit impulse along row r causes.
void HybridStep::measure(Touch& touch, const Problem& problem) {
  if (touch.measured) return;
  touch.measured = true;
  touch.W.setZero();
  const int rows = touch.row.rows;
  const bool jointed =
      d.jointed[index(touch.contact.key.body_a)] || d.jointed[index(touch.contact.key.body_b)];
  if (!jointed) {
    touch.response = -1;
    double W[max_rows][max_rows] = {};
    own_response(problem, d.mass, touch.row, W);
    for (int r = 0; r < rows; ++r)
      for (int c = 0; c < rows; ++c) touch.W(r, c) = W[r][c];
    return;
  }
  touch.response = d.responses;
  for (int r = 0; r < rows; ++r) {
    const auto at = static_cast<std::size_t>(d.responses++);
    if (d.response.size() <= at) {
      d.response.emplace_back();
      d.response_joints.emplace_back();
    }
    d.joints.k.setZero(problem.k.size());
    for (std::size_t side = 0; side < 2; ++side) {
      if (touch.row.body[side] < 0) continue;
      const ProblemBody& body = problem.bodies[static_cast<std::size_t>(touch.row.body[side])];
      for (int k = 0; k < body.size; ++k) d.joints.k[body.first + k] += touch.row.J[side][r][k];
    }
    d.solution.lambda.setZero(d.joints.rows());
    solve(d.joints, direct, data.solver, d.solution);
    d.response[at] = d.solution.v;
    d.response_joints[at] = d.solution.lambda;
    double w[max_rows] = {};
    constraint_velocity(problem, touch.row, d.solution.v.data(), false, w);
    for (int c = 0; c < rows; ++c) touch.W(c, r) = w[c];
  }
  touch.W = 0.5 * (touch.W + touch.W.transpose()).eval();
}

void HybridStep::apply(const Touch& touch, const Vec3& impulse, const Problem& problem) {
  if (touch.response >= 0) {
    for (int r = 0; r < touch.row.rows; ++r) {
      const auto at = static_cast<std::size_t>(touch.response + r);
      d.v += impulse[r] * d.response[at];
      d.joint_impulses += impulse[r] * d.response_joints[at];
    }
    return;
  }
  for (std::size_t side = 0; side < 2; ++side) {
    if (touch.row.body[side] < 0) continue;
    const ProblemBody& body = problem.bodies[static_cast<std::size_t>(touch.row.body[side])];
    double f[max_velocities] = {};
    add_transposed(touch.row.J[side], touch.row.rows, body.size, impulse.data(), f);
    const BodyBlock& inverse = d.mass.block(touch.row.body[side]);
    for (int i = 0; i < body.size; ++i)
      for (int k = 0; k < body.size; ++k) d.v[body.first + i] += inverse[i][k] * f[k];
  }
}

}  // namespace cairn
