#include "record/check/rebuild/free_turn.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace cairn::record {
namespace {

// (E984): short strides of few columns, because the weights of the extrapolation multiply rounding
// by 26 with six columns and by 256 with nine.
constexpr double turn_of_stride = 0.25;  // [rad]
constexpr double most_turn = 4096;       // beyond it the polhode stands still (E422) [rad]
constexpr int columns = 6;

using Vec7 = Eigen::Matrix<double, 7, 1>;  // angular velocity, quaternion x y z w

struct SpinEquations {
  const Mat3& I;
  Mat3 inverse;

  Vec7 rate(const Vec7& y) const {
    const Vec3 w = y.head<3>();
    Vec7 out;
    out.head<3>() = inverse * (I * w).cross(w);
    out.tail<4>() = 0.5 * (Quat(Eigen::Vector4d(y.tail<4>())) * Quat(0, w[0], w[1], w[2])).coeffs();
    return out;
  }
  // Gragg's modified midpoint rule with n strides.
  Vec7 midpoint(const Vec7& y, double t, int n) const {
    const double h = t / n;
    Vec7 last = y, now = y + h * rate(y);
    for (int i = 1; i < n; ++i) {
      const Vec7 next = last + 2 * h * rate(now);
      last = now;
      now = next;
    }
    return 0.5 * (now + last + h * rate(now));
  }
  // Bulirsch and Stoer: extrapolation in the square of the stride.
  Vec7 advance(const Vec7& y, double t) const {
    std::array<Vec7, columns> row;
    for (int j = 0; j < columns; ++j) {
      Vec7 left = midpoint(y, t, 2 * (j + 1));
      for (int k = 1; k <= j; ++k) {
        const double ratio = static_cast<double>(j + 1) / (j + 1 - k);
        const Vec7 next =
            left + (left - row[static_cast<std::size_t>(k - 1)]) / (ratio * ratio - 1);
        row[static_cast<std::size_t>(k - 1)] = left;
        left = next;
      }
      if (j > 1 && (left - row[static_cast<std::size_t>(j - 1)]).norm() <= 1e-16 * left.norm())
        return left;
      row[static_cast<std::size_t>(j)] = left;
    }
    return row[columns - 1];
  }
};

Vec3 rotation_vector(const Quat& turn, const Vec3& near) {
  Quat q = turn;
  if (q.w() < 0) q.coeffs() = -q.coeffs();
  const double sine = q.vec().norm();
  Vec3 out = (sine > 0 ? 2 * std::atan2(sine, q.w()) / sine : 2) * q.vec();
  if (sine > 1e-8) {
    const Vec3 axis = out.normalized();
    const double full = 2 * std::numbers::pi;
    out += axis * (full * std::round((near.dot(axis) - out.norm()) / full));
  }
  return out;
}

}  // namespace

FreeTurn free_turn(const Body& body, const Quat& R, const Vec3& w, double t) {
  const Mat3& I = body.inertia_B;
  const Vec3 L = I * w;
  const double angle = std::abs(t) * w.norm();
  if (!(L.cross(w).norm() > 1e-16 * L.norm() * w.norm()) || !std::isfinite(angle))
    return {(R * exp_rotation(t * w)).normalized(), w};
  if (angle > most_turn)
    return {(R * exp_rotation(t * w.dot(L) / L.squaredNorm() * L)).normalized(), w};
  const SpinEquations euler{I, I.inverse()};
  const int strides = std::max(1, static_cast<int>(std::ceil(angle / turn_of_stride)));
  // The unit of time makes velocities of order one.
  const double unit = w.norm();
  Vec7 y;
  y.head<3>() = w / unit;
  y.tail<4>() = Quat::Identity().coeffs();
  for (int i = 0; i < strides; ++i) {
    y = euler.advance(y, t * unit / strides);
    y.tail<4>().normalize();
  }
  return {(R * Quat(Eigen::Vector4d(y.tail<4>()))).normalized(), unit * y.head<3>()};
}

Vec3 leading_spin(const Body& body, const Quat& from, const Quat& to, const Vec3& near, double t) {
  Vec3 w = rotation_vector(from.conjugate() * to, t * near) / t;
  for (int i = 0; i < 60; ++i) {
    const Vec3 change =
        rotation_vector(free_turn(body, from, w, t).R.conjugate() * to, Vec3::Zero()) / t;
    w += change;
    if (!(change.norm() > 1e-16 * w.norm())) break;
  }
  return w;
}

KickedTurn kicked_turn(const Body& body, const Quat& R, const Vec3& w, const Vec3& w_solved,
                       double t, bool limited) {
  if (limited) return {w, free_turn(body, R, w_solved, t)};
  const FreeTurn half = free_turn(body, R, w, t / 2);
  return {half.w, free_turn(body, half.R, w_solved, t / 2)};
}

}  // namespace cairn::record
