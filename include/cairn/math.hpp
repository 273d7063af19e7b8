// Vectors, rotations and poses. Frames stand in names: p_WC is C's position in W, R_WB rotates from
// B to W.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>

namespace cairn {

using Vec3 = Eigen::Vector3d;
using Mat3 = Eigen::Matrix3d;
using Quat = Eigen::Quaterniond;
using VecX = Eigen::VectorXd;

// X_AB: position p of B's origin in A [m] and rotation R from B to A [-].
struct Pose {
  Vec3 p = Vec3::Zero();
  Quat R = Quat::Identity();

  Vec3 operator*(const Vec3& point) const { return p + R * point; }
  Pose operator*(const Pose& other) const { return {p + R * other.p, R * other.R}; }
  Pose inverse() const { return {-(R.conjugate() * p), R.conjugate()}; }
  bool operator==(const Pose& o) const { return p == o.p && R.coeffs() == o.R.coeffs(); }
};

// exp of the rotation vector w [rad].
Quat exp_rotation(const Vec3& w);

// The matrix with cross(a) b = a x b.
Mat3 cross(const Vec3& a);

// Two unit vectors that complete the unit vector n to a right-handed frame (n, t1, t2); depends on
// n alone.
struct Tangents {
  Vec3 t1, t2;
};
Tangents tangents(const Vec3& n);

// The power of two next below or equal to |x|; 1 for zero. Scaling by it is exact.
double power_of_two(double x);

}  // namespace cairn
