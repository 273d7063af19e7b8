// Joints that cannot be closed at once (E81): least squares over the free bodies, by Levenberg and
// Marquardt. Runs when a step has failed, never in one that holds.
#include <Eigen/SparseCholesky>

#include "cairn/joints.hpp"
#include "constrain/gears.hpp"
#include "dynamics/kinematics.hpp"

namespace cairn {
namespace {

constexpr int max_search_steps = 300;
constexpr double stationary = 1e-9;  // |J^T Theta| / |Theta|: the errors balance each other [-]
constexpr double closed = 1e-9;    // error over size that counts as none, as in the projection [-]
constexpr double involved = 1e-3;  // of the largest error: less is a joint that is only nearby [-]

using Sparse = Eigen::SparseMatrix<double>;

// Theta and J of all joints at a configuration, lengths in units of the model.
struct Residuals {
  Problem problem;
  constrain::ProblemLayout layout;
  std::vector<constrain::JointRowTerms> terms;
  VecX theta;
  Sparse J, A;

  void evaluate(const Model& model, std::span<const Pose> poses) {
    constrain::assemble_bodies(model, VecX::Zero(model.velocities), 1, layout, problem);
    terms.clear();
    for (std::size_t i = 0; i < model.joints.size(); ++i)
      constrain::add_joint(model, poses, poses, layout, static_cast<JointId>(i), 1, 1, problem,
                           terms);
    for (std::size_t i = 0; i < model.gears.size(); ++i)
      constrain::add_gear(model, poses, poses, layout, i, 1, 1, problem, terms);
    theta.resize(problem.rows());
    std::vector<Eigen::Triplet<double>> rows, masses;
    for (std::size_t i = 0; i < problem.constraints.size(); ++i) {
      const Constraint& c = problem.constraints[i];
      for (int r = 0; r < c.rows; ++r) {
        const int row = problem.first_row[i] + r;
        theta[row] = c.b[r];
        for (std::size_t side = 0; side < max_sides; ++side) {
          if (c.body[side] < 0) continue;
          const ProblemBody& body = problem.bodies[static_cast<std::size_t>(c.body[side])];
          for (int k = 0; k < body.size; ++k)
            rows.emplace_back(row, body.first + k, c.J[side][r][k]);
        }
      }
    }
    for (const ProblemBody& body : problem.bodies)
      for (int r = 0; r < body.size; ++r)
        for (int k = 0; k < body.size; ++k)
          masses.emplace_back(body.first + r, body.first + k, body.A[r][k]);
    J.resize(problem.rows(), problem.velocities());
    J.setFromTriplets(rows.begin(), rows.end());
    A.resize(problem.velocities(), problem.velocities());
    A.setFromTriplets(masses.begin(), masses.end());
  }
};

// The free bodies displaced by d.
std::vector<Pose> displaced(const Model& model, const Problem& problem, std::span<const Pose> poses,
                            const VecX& d) {
  VecX shift;
  constrain::to_model_velocities(model, problem, d, shift);
  std::vector<Pose> result(poses.begin(), poses.end());
  for (std::size_t i = 0; i < model.bodies.size(); ++i)
    if (model.bodies[i].velocities > 0)
      result[i] = dynamics::advanced(model.bodies[i], poses[i],
                                     shift.data() + model.bodies[i].first_velocity, 1);
  return result;
}

// Where |Theta| is stationary: J^T Theta = 0, what is left is in the left null space of J.
std::vector<Pose> nearest(const Model& model, std::span<const Pose> poses) {
  std::vector<Pose> best(poses.begin(), poses.end());
  Residuals here, there;
  here.evaluate(model, best);
  double damping = 1e-3, size = model.length_unit;
  for (const Pose& pose : poses) size = std::max(size, pose.p.cwiseAbs().maxCoeff());
  const double enough = 0.1 * closed * size / model.length_unit;
  for (int i = 0; i < max_search_steps && damping < 1e12; ++i) {
    if (here.theta.lpNorm<Eigen::Infinity>() <= enough) break;
    const VecX slope = here.J.transpose() * here.theta;
    if (!(slope.norm() > stationary * here.theta.norm())) break;
    const Sparse matrix = Sparse(here.J.transpose() * here.J) + damping * here.A;
    const Eigen::SimplicialLDLT<Sparse> factor(matrix);
    if (factor.info() != Eigen::Success) break;
    std::vector<Pose> trial = displaced(model, here.problem, best, -factor.solve(slope));
    there.evaluate(model, trial);
    if (there.theta.norm() < here.theta.norm()) {
      best.swap(trial);
      std::swap(here, there);
      damping = std::max(1e-12, damping / 10);
    } else {
      damping *= 10;
    }
  }
  return best;
}

}  // namespace

std::vector<OpenJoint> contradicting_joints(const Model& model, std::span<const Pose> poses) {
  const std::vector<Pose> best = nearest(model, poses);
  double size = model.length_unit, largest = 0;
  for (const Pose& pose : best) size = std::max(size, pose.p.cwiseAbs().maxCoeff());
  auto length = [&](const Joint& joint) {
    const constrain::JointError error = constrain::joint_error(best, joint);
    return std::hypot(error.distance, error.angle * model.length_unit);
  };
  for (const Joint& joint : model.joints) largest = std::max(largest, length(joint));
  std::vector<OpenJoint> open;
  if (largest <= closed * size) return open;
  for (std::size_t i = 0; i < model.joints.size(); ++i) {
    if (length(model.joints[i]) <= involved * largest) continue;
    const constrain::JointError error = constrain::joint_error(best, model.joints[i]);
    open.push_back({static_cast<JointId>(i), error.distance, error.angle});
  }
  return open;
}

}  // namespace cairn
