#include "scheme/common/free_groups.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "base/index.hpp"
#include "dynamics/forces.hpp"
#include "dynamics/kinematics.hpp"
#include "model/dof.hpp"

namespace cairn::scheme {
namespace {

constexpr double payable = 0x1p-10;  // share of the energy that is paid or returned (E169) [-]
constexpr double rigid = 0x1p-44;    // share of the energy within a group that is rounding [-]

// The axis across the plane in which the body moves, -1: it does not move in a plane.
int plane_normal(const Body& body) {
  if (model::translation_count(body) != 2) return -1;
  const int axis = body.translations[0] ? (body.translations[1] ? 2 : 1) : 0;
  const bool across = body.rotation == RotationKind::one &&
                      std::abs(body.axis_W[axis]) == body.axis_W.cwiseAbs().sum();
  return across || body.rotation == RotationKind::none ? axis : -1;
}

Mat3 inertia_of(const Body& body, const Pose& X_WC) {
  const Mat3 R = X_WC.R.toRotationMatrix();
  return R * body.inertia_B * R.transpose();
}

// The angular velocity with which a rigid body of this inertia has the angular momentum L. What is
// in line has none about its line.
Vec3 rate_of(const Mat3& inertia, const Vec3& L) {
  const Eigen::SelfAdjointEigenSolver<Mat3> axes(inertia);
  const double largest = axes.eigenvalues()[2];
  Vec3 in_axes = axes.eigenvectors().transpose() * L;
  for (int k = 0; k < 3; ++k)
    in_axes[k] = axes.eigenvalues()[k] > 0x1p-40 * largest ? in_axes[k] / axes.eigenvalues()[k] : 0;
  return axes.eigenvectors() * in_axes;
}

}  // namespace

void keep_spins(const Model& model, std::span<const Pose> poses_from,
                std::span<const Pose> poses_to, VecX& v) {
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body& body = model.bodies[i];
    if (body.velocities == 0 || body.rotation != RotationKind::three) continue;
    if (poses_from[i].R.coeffs() == poses_to[i].R.coeffs()) continue;
    auto w = v.segment<3>(body.first_velocity + model::translation_count(body));
    const Vec3 L = poses_from[i].R * (body.inertia_B * w);
    w = body.inertia_B.ldlt().solve(poses_to[i].R.conjugate() * L);
  }
}

void FreeGroups::gather(const Model& model, IsolatedBodies& islands,
                        std::span<const Pose> poses_from, std::span<const Pose> poses_to,
                        const VecX& v) {
  groups_.assign(model.bodies.size(), Group{});
  group_of_.assign(model.bodies.size(), -1);
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body& body = model.bodies[i];
    if (body.velocities == 0 || islands.held(i)) continue;
    group_of_[i] = static_cast<int>(islands.first(i));
    Group& group = groups_[base::at(group_of_[i])];
    if (group.bodies++ == 0) group.origin = poses_to[i].p;
    group.moved = group.moved || !(poses_from[i] == poses_to[i]);
    group.spatial =
        group.spatial && model::translation_count(body) == 3 && body.rotation != RotationKind::one;
    const int normal = plane_normal(body);
    group.planar = group.planar && normal >= 0 && (group.bodies == 1 || normal == group.normal);
    group.normal = normal;
    group.mass += body.mass;
    group.center[0] += body.mass * (poses_from[i].p - group.origin);
    group.center[1] += body.mass * (poses_to[i].p - group.origin);
    group.velocity += body.mass * dynamics::linear_velocity(body, v.data() + body.first_velocity);
    group.lift -= body.mass * model.gravity.dot(poses_to[i].p - poses_from[i].p);
  }
  for (Group& group : groups_) {
    if (group.bodies == 0) continue;
    group.velocity /= group.mass;
    for (Vec3& center : group.center) center /= group.mass;
  }
}

void FreeGroups::add_spins(const Model& model, std::size_t i, std::span<const Pose> poses,
                           std::size_t end, const VecX& v) {
  const Body& body = model.bodies[i];
  Group& group = groups_[base::at(group_of_[i])];
  const double* own = v.data() + body.first_velocity;
  const Vec3 r = group.arm(poses[i], end),
             u = dynamics::linear_velocity(body, own) - group.velocity;
  group.spin[end] += r.cross(body.mass * u);
  if (body.rotation != RotationKind::none) {
    const Mat3 I = inertia_of(body, poses[i]);
    group.spin[end] += I * dynamics::angular_velocity(body, poses[i], own);
    if (end == 1) group.inertia += I;
  }
  if (end == 1)
    group.inertia += body.mass * (r.squaredNorm() * Mat3::Identity() - r * r.transpose());
}

// Adds sign times the velocities of a rigid motion: `velocity` of the body's centre of mass, and
// omega.
void FreeGroups::add_rotation(const Model& model, std::size_t i, const Pose& X_WC,
                              const Vec3& omega, const Vec3& velocity, double sign, VecX& v) const {
  const Body& body = model.bodies[i];
  dynamics::add_generalised_force(body, X_WC, sign * velocity, sign * omega,
                                  v.data() + body.first_velocity);
}

double FreeGroups::keep_momentum(const Model& model, IsolatedBodies& islands,
                                 std::span<const Pose> poses_from, const VecX& v_from,
                                 std::span<const Pose> poses_to, GroupPayment payment, VecX& v,
                                 std::span<const double> work_of_springs) {
  gather(model, islands, poses_from, poses_to, v);
  for (std::size_t i = 0; i < work_of_springs.size(); ++i)
    if (group_of_[i] >= 0 && work_of_springs[i] != 0) {
      Group& group = groups_[base::at(group_of_[i])];
      group.lift += work_of_springs[i];
      group.moved = group.springs = true;
    }
  static constexpr double rest[6] = {};
  auto each = [&](const auto& act) {
    for (std::size_t i = 0; i < model.bodies.size(); ++i) {
      if (group_of_[i] < 0) continue;
      Group& group = groups_[base::at(group_of_[i])];
      if (group.moved && (group.spatial || group.planar)) act(i, group);
    }
  };
  auto kinetic = [&](std::size_t i, const VecX& of) {
    const Body& body = model.bodies[i];
    return dynamics::mass_norm(body, of.data() + body.first_velocity, rest);
  };
  each([&](std::size_t i, Group& group) {
    add_spins(model, i, poses_from, 0, v_from);
    add_spins(model, i, poses_to, 1, v);
    group.kinetic[0] += kinetic(i, v_from);
  });
  for (Group& group : groups_) {
    if (group.bodies == 0 || !group.moved || !(group.spatial || group.planar)) continue;
    if (group.planar) {
      // Bodies in a plane have the angular momentum across it, and only that.
      const Vec3 n = Vec3::Unit(group.normal);
      for (Vec3& spin : group.spin) spin = n.dot(spin) * n;
      group.inertia = n.dot(group.inertia * n) * n * n.transpose();
    }
    group.turn = rate_of(group.inertia, group.spin[0] - group.spin[1]);
    group.rate = rate_of(group.inertia, group.spin[0]);
  }
  each([&](std::size_t i, Group& group) {
    add_rotation(model, i, poses_to[i], group.turn, group.turn.cross(group.arm(poses_to[i], 1)), 1,
                 v);
    group.kinetic[1] += kinetic(i, v);
  });
  double least = 1;
  for (Group& group : groups_) {
    if (payment == GroupPayment::none || group.bodies < 2 || !group.moved ||
        !(group.spatial || group.planar))
      continue;
    const double work = group.lift + group.kinetic[1] - group.kinetic[0];
    const double within = group.kinetic[1] - 0.5 * group.mass * group.velocity.squaredNorm() -
                          0.5 * group.rate.dot(group.spin[0]);
    if (!(within > rigid * group.kinetic[1])) continue;
    const bool gains =
                   (payment == GroupPayment::gains || group.springs) && work > 0 && work < within,
               both = payment == GroupPayment::both && std::abs(work) <= payable * within;
    if (!gains && !both) continue;
    group.factor = std::sqrt(1 - work / within);
    least = std::min(least, std::min(group.factor, 2 - group.factor));
  }
  each([&](std::size_t i, Group& group) {
    if (group.factor == 1) return;
    const Body& body = model.bodies[i];
    const Vec3 along = group.velocity + group.rate.cross(group.arm(poses_to[i], 1));
    add_rotation(model, i, poses_to[i], group.rate, along, -1, v);
    v.segment(body.first_velocity, body.velocities) *= group.factor;
    add_rotation(model, i, poses_to[i], group.rate, along, 1, v);
  });
  return least;
}

}  // namespace cairn::scheme
