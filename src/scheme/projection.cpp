#include "scheme/projection.hpp"

#include <algorithm>
#include <cmath>

#include "dynamics/kinematics.hpp"

namespace cairn {
namespace {

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

constexpr int max_iterations = 40;
constexpr double redundant_pivot = 1e-10;  // carries joints that say the same thing twice

// One Newton step of (E38): M d = J^T mu, J d = -Theta. d is left in x.
bool newton_step(const Model& model, ProjectionBuffers& b, std::span<const Pose> poses) {
  b.zero.setZero(model.velocities);
  assemble_bodies(model, b.zero, 1, b.layout, b.problem);
  b.terms.clear();
  for (std::size_t i = 0; i < model.joints.size(); ++i)
    add_joint(model, poses, poses, b.layout, static_cast<JointId>(i), 1, 1, b.problem, b.terms);

  const int bodies = static_cast<int>(b.problem.bodies.size());
  b.sizes.clear();
  b.offsets.clear();
  b.late.clear();
  for (const ProblemBody& body : b.problem.bodies) {
    b.sizes.push_back(body.size);
    b.offsets.push_back(body.first);
    b.late.push_back(0);
  }
  for (std::size_t i = 0; i < b.problem.constraints.size(); ++i) {
    b.sizes.push_back(b.problem.constraints[i].rows);
    b.offsets.push_back(model.velocities + b.problem.first_row[i]);
    b.late.push_back(1);
  }
  b.lu.begin(b.sizes, b.late);
  for (std::size_t i = 0; i < b.problem.constraints.size(); ++i)
    for (const int body : b.problem.constraints[i].body)
      if (body >= 0) b.lu.connect(body, bodies + static_cast<int>(i));
  b.lu.analyze();
  b.lu.zero();
  b.x.assign(at(model.velocities + b.problem.rows()), 0.0);
  for (int i = 0; i < bodies; ++i)
    std::copy(&b.problem.bodies[at(i)].A[0][0], &b.problem.bodies[at(i)].A[0][0] + 36,
              &b.lu.diagonal(i)[0][0]);
  for (std::size_t i = 0; i < b.problem.constraints.size(); ++i) {
    const Constraint& c = b.problem.constraints[i];
    const int node = bodies + static_cast<int>(i);
    for (int r = 0; r < c.rows; ++r) {
      b.lu.diagonal(node)[r][r] = redundant_pivot;
      b.x[at(b.offsets[at(node)] + r)] = -c.b[r];
    }
    for (std::size_t side = 0; side < 2; ++side) {
      if (c.body[side] < 0) continue;
      BodyBlock &down = b.lu.block(node, c.body[side]), &right = b.lu.block(c.body[side], node);
      for (int r = 0; r < c.rows; ++r)
        for (int k = 0; k < b.problem.bodies[at(c.body[side])].size; ++k) {
          down[r][k] = c.J[side][r][k];
          right[k][r] = -c.J[side][r][k];
        }
    }
  }
  if (!b.lu.factorize()) return false;
  b.lu.solve(b.offsets, b.x.data());
  return std::all_of(b.x.begin(), b.x.end(), [](double x) { return std::isfinite(x); });
}

// Largest error of the joints, angles as lengths [m].
double open_error(const Model& model, std::span<const Pose> poses) {
  double largest = 0;
  for (const Joint& joint : model.joints) {
    const JointError error = joint_error(poses, joint);
    largest = std::max({largest, error.distance, error.angle * model.length_unit});
  }
  return largest;
}

}  // namespace

ProjectionResult project_onto_joints(const Model& model, ProjectionBuffers& b,
                                     std::vector<Pose>& poses) {
  ProjectionResult result;
  if (model.joints.empty()) return result;
  b.start = poses;
  // Positions carry rounding of their own size; below that nothing can be gained.
  double size = model.length_unit;
  for (const Pose& pose : poses) size = std::max(size, pose.p.cwiseAbs().maxCoeff());
  const double enough = 4e-16 * size;
  double error = open_error(model, poses);
  while (error > enough && result.iterations < max_iterations) {
    ++result.iterations;
    if (!newton_step(model, b, poses)) break;
    b.v = Eigen::Map<const VecX>(b.x.data(), model.velocities);
    to_model_velocities(model, b.problem, b.v, b.shift);
    b.trial = poses;
    double next = 0;
    // A full step as a rule; half of it where the joints are far open and the step overshoots.
    for (double t = 1; t > 0.01; t *= 0.5) {
      for (std::size_t i = 0; i < model.bodies.size(); ++i) {
        const Body& body = model.bodies[i];
        if (body.velocities > 0)
          b.trial[i] = advanced(body, poses[i], b.shift.data() + body.first_velocity, t);
      }
      next = open_error(model, b.trial);
      if (next < error) break;
    }
    if (!(next < error)) break;
    poses.swap(b.trial);
    error = next;
  }
  result.closed = error <= 1e-9 * size;
  for (std::size_t i = 0; i < poses.size(); ++i) {
    result.farthest = std::max(result.farthest, (poses[i].p - b.start[i].p).norm());
    result.turned = std::max(result.turned, poses[i].R.angularDistance(b.start[i].R));
  }
  return result;
}

}  // namespace cairn
