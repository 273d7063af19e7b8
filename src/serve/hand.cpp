// Reads model and state, writes the force of the next step.
#include "serve/hand.hpp"

#include <Eigen/LU>
#include <cmath>

#include "dynamics/kinematics.hpp"

namespace cairn::serve {
namespace {

// Scales of the pull: acceleration and length that belong to the body.
double acceleration_scale(const Model& model) {
  const double g = model.gravity.norm();
  return g > 0 ? g : model.length_unit;  // without gravity: lengths per s^2
}

// K: how fast the point moves for an impulse on it, J M^-1 J^T [1/kg].
Mat3 mobility(const Body& body, const Pose& X_WC, const Vec3& arm) {
  double A[6][6], row[6];
  dynamics::mass_matrix(body, A);
  const int n = body.velocities;
  Eigen::MatrixXd M(n, n), J(3, n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) M(i, j) = A[i][j];
  for (int k = 0; k < 3; ++k) {
    dynamics::point_row(body, X_WC, arm, Vec3::Unit(k), row);
    for (int j = 0; j < n; ++j) J(k, j) = row[j];
  }
  return J * M.partialPivLu().solve(J.transpose());
}

}  // namespace

Vec3 point_of_hand(const Body& body, const Vec3& p_B) {
  const Vec3 point = p_B - body.p_Bcm;
  const double distance = point.norm();
  if (!(distance > body.radius)) return point;
  return std::isfinite(distance) ? Vec3(point * (body.radius / distance)) : Vec3::Zero();
}

// x point, u its velocity, k and c of critical damping for the body's mass (E190), both at the end
// of the step: f = (1 + (h c + h^2 k) K)^-1 (k (target - x - h u) - c u) (E191). Unlike the forces
// of a model it is implicit, so that no step is too long for it.
ExternalForce pull(const Model& model, const State& state, const Hand& hand, double h) {
  ExternalForce result{.body = hand.body, .point = hand.point};
  const Body& body = model.body(hand.body);
  if (body.velocities == 0) return result;
  const Pose& X_WC = state.poses[index(hand.body)];
  const double* v = state.v.data() + body.first_velocity;
  const double a = acceleration_scale(model);
  const double length = body.radius > 0 ? body.radius : model.length_unit;
  const double k = 4 * body.mass * a / length, c = 2 * std::sqrt(k * body.mass);
  const Vec3 arm = X_WC.R * hand.point;
  const Vec3 u =
      dynamics::linear_velocity(body, v) + dynamics::angular_velocity(body, X_WC, v).cross(arm);
  const Vec3 stretch = hand.target - (X_WC.p + arm) - h * u;
  const Mat3 system = Mat3::Identity() + (h * c + h * h * k) * mobility(body, X_WC, arm);
  const Vec3 force = system.partialPivLu().solve(k * stretch - c * u);
  const double size = force.norm(), most = hand_strength * body.mass * a;
  if (!std::isfinite(size)) return result;
  result.force = size > most ? Vec3(force * (most / size)) : force;
  return result;
}

}  // namespace cairn::serve
