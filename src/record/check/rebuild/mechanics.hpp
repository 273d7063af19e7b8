// check, rebuilding problems (E381): the mechanics of one body in formulas of the judge. Shares
// none with the assembly of the schemes.
#pragma once

#include "cairn/model.hpp"
#include "cairn/problem.hpp"

namespace cairn::record {

using Row6 = Eigen::Matrix<double, 6, 1>;  // beside the free velocities of a body, then zeros
using Block6 = Eigen::Matrix<double, 6, 6>;

// Free translations of a body; they come first.
int translations_of(const Body& body);

// A generalised force, or the row of a Jacobian, SI: of a force at the centre of mass and a torque.
Row6 generalised(const Body& body, const Pose& X, const Vec3& force, const Vec3& torque);

// Velocity of a point along a direction, and of the rotation about an axis, as rows, SI.
Row6 point_row_of(const Body& body, const Pose& X, const Vec3& point, const Vec3& along);
Row6 turn_row_of(const Body& body, const Pose& X, const Vec3& axis);

// Newton-Euler mass matrix [kg, kg m, kg m^2].
Block6 mass_of(const Body& body);

// Velocities of a body out of those of the model.
Row6 velocities_of_body(const Body& body, const VecX& v);

// What the model's velocities become in the units of a problem, and the other factors.
struct UnitFactors {
  Row6 velocity;  // SI over the problem's [m/s, rad/s]
  Row6 momentum;  // [N s, N m s]
};
UnitFactors unit_factors(const Body& body, const Units& units);

// Where a prescribed body is.
Pose prescribed_at(const Body& body, double t);
// At t + dt, where its velocity may jump at t with the one that it has after t (E661); h: length of
// the step.
Pose prescribed_after(const Body& body, double t, double dt, double h);

// Where a body goes in the time h without forces, with the velocities v, SI (E420); `v_end`, where
// it is not null, takes its velocities then.
Pose moved_by(const Body& body, const Pose& X, const Row6& v, double h, Row6* v_end = nullptr);

// Velocity of the material point of a prescribed body over the time h, from X to X_end.
Vec3 mean_velocity(const Pose& X, const Pose& X_end, const Vec3& point, double h);
Vec3 mean_spin(const Pose& X, const Pose& X_end, double h);

}  // namespace cairn::record
