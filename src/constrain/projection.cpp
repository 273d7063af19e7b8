#include "constrain/projection.hpp"

#include <algorithm>
#include <cmath>

#include "base/conventions.hpp"
#include "base/index.hpp"
#include "dynamics/kinematics.hpp"
#include "linear/blocks.hpp"

namespace cairn::constrain {
namespace {

constexpr int max_newton_steps = 40;
constexpr double redundant_pivot = 1e-10;  // carries joints that say the same thing twice [-]

// J_i A^-1 J_j^T of two constraints on one body, added to `block`.
void add_coupling(const ProblemBody& body, const linear::BodyBlock& inverse, const Constraint& i,
                  std::size_t side_i, const Constraint& j, std::size_t side_j,
                  linear::BodyBlock& block) {
  for (int c = 0; c < j.rows; ++c) {
    double response[max_velocities];
    for (int k = 0; k < body.size; ++k)
      response[k] = linear::row_product(inverse[k], body.size, j.J[side_j][c]);
    for (int r = 0; r < i.rows; ++r)
      block[r][c] += linear::row_product(i.J[side_i][r], body.size, response);
  }
}

// The constraints on each body and the inverse of its mass matrix; false if it has none.
bool list_constraints(ProjectionBuffers& b) {
  b.on_body.resize(b.problem.bodies.size());
  for (auto& list : b.on_body) list.clear();
  for (std::size_t i = 0; i < b.problem.constraints.size(); ++i)
    for (std::size_t side = 0; side < 2; ++side)
      if (const int body = b.problem.constraints[i].body[side]; body >= 0)
        b.on_body[base::at(body)].push_back({static_cast<int>(i), side});
  b.inverse.resize(b.problem.bodies.size());
  for (std::size_t i = 0; i < b.problem.bodies.size(); ++i)
    if (!linear::invert(b.problem.bodies[i].A, b.problem.bodies[i].size, b.inverse[i].value))
      return false;
  return true;
}

// One Newton step of (E38): M d = J^T mu, J d = -Theta. d is left in v. The bodies are eliminated
// before any joint, (J M^-1 J^T) mu = -Theta, and d = M^-1 J^T mu: orthogonal to every motion of
// the mechanism, and the centre of mass of what floats stays, whatever the error of mu.
// (Eliminating a joint while one of its bodies is still there may meet a pivot of rounding where
// its other body is held by more joints than it has velocities; M d = J^T mu is lost then.)
bool newton_step(const Model& model, ProjectionBuffers& b, std::span<const Pose> poses) {
  b.zero.setZero(model.velocities);
  assemble_bodies(model, b.zero, 1, b.layout, b.problem);
  b.terms.clear();
  for (std::size_t i = 0; i < model.joints.size(); ++i)
    add_joint(model, poses, poses, b.layout, static_cast<JointId>(i), 1, 1, b.problem, b.terms);
  const std::vector<Constraint>& constraints = b.problem.constraints;
  if (!list_constraints(b)) return false;

  b.sizes.clear();
  for (const Constraint& c : constraints) b.sizes.push_back(c.rows);
  b.late.assign(constraints.size(), 0);
  b.lu.begin(b.sizes, b.late);
  for (const auto& list : b.on_body)
    for (const auto& [i, side_i] : list)
      for (const auto& [j, side_j] : list)
        if (i < j) b.lu.connect(i, j);
  b.lu.analyze();
  b.lu.zero();
  for (std::size_t k = 0; k < b.on_body.size(); ++k)
    for (const auto& [i, side_i] : b.on_body[k])
      for (const auto& [j, side_j] : b.on_body[k])
        add_coupling(b.problem.bodies[k], b.inverse[k].value, constraints[base::at(i)], side_i,
                     constraints[base::at(j)], side_j,
                     i == j ? b.lu.diagonal(i) : b.lu.block(i, j));
  b.mu.assign(base::at(b.problem.rows()), 0.0);
  for (std::size_t i = 0; i < constraints.size(); ++i)
    for (int r = 0; r < constraints[i].rows; ++r) {
      b.lu.diagonal(static_cast<int>(i))[r][r] *= 1 + redundant_pivot;
      b.mu[base::at(b.problem.first_row[i] + r)] = -constraints[i].b[r];
    }
  if (!b.lu.factorize()) return false;
  b.lu.solve(b.problem.first_row, b.mu.data());

  b.v.setZero(model.velocities);
  for (std::size_t k = 0; k < b.on_body.size(); ++k) {
    const ProblemBody& body = b.problem.bodies[k];
    double push[max_velocities] = {};
    for (const auto& [i, side] : b.on_body[k])
      linear::add_transposed(constraints[base::at(i)].J[side], constraints[base::at(i)].rows,
                             body.size, &b.mu[base::at(b.problem.first_row[base::at(i)])], push);
    for (int r = 0; r < body.size; ++r)
      b.v[body.first + r] = linear::row_product(b.inverse[k].value[r], body.size, push);
  }
  return b.v.allFinite();
}

}  // namespace

double open_error(const Model& model, std::span<const Pose> poses) {
  double largest = 0;
  for (const Joint& joint : model.joints) {
    const JointError error = joint_error(poses, joint);
    largest = std::max({largest, error.distance, error.angle * model.length_unit});
  }
  return largest;
}

bool project_onto_joints(const Model& model, ProjectionBuffers& b, std::vector<Pose>& poses) {
  CAIRN_DCHECK(poses.size() == model.bodies.size(), poses.size());
  CAIRN_DCHECK(base::are_rotations(poses));
  // Positions carry rounding of their own size; below that nothing can be gained.
  double size = model.length_unit;
  for (const Pose& pose : poses) size = std::max(size, pose.p.cwiseAbs().maxCoeff());
  const double enough = 4e-16 * size;
  double error = open_error(model, poses);
  for (int i = 0; error > enough && i < max_newton_steps; ++i) {
    if (!newton_step(model, b, poses)) break;
    to_model_velocities(model, b.problem, b.v, b.shift);
    b.trial = poses;
    double next = 0;
    // A full step as a rule; half of it where the joints are far open and the step overshoots.
    for (double t = 1; t > 0.01; t *= 0.5) {
      for (std::size_t k = 0; k < model.bodies.size(); ++k) {
        const Body& body = model.bodies[k];
        if (body.velocities > 0)
          b.trial[k] = dynamics::advanced(body, poses[k], b.shift.data() + body.first_velocity, t);
      }
      next = open_error(model, b.trial);
      if (next < error) break;
    }
    if (!(next < error)) break;
    poses.swap(b.trial);
    error = next;
  }
  return error <= 1e-9 * size;
}

}  // namespace cairn::constrain
