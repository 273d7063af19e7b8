#include "dynamics/flight.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/conventions.hpp"
#include "dynamics/kinematics.hpp"
#include "model/dof.hpp"

namespace cairn::dynamics {
namespace {

constexpr int order = 18;           // of the Taylor series of a turning body
constexpr double most_turn = 4096;  // that the series follow, beyond it see E422 [rad]

// Euler's equations I w' = -w x I w with Q' = Q w / 2 from Q = 1, by Taylor series: products of
// series are sums of products of coefficients (E421).
class Tumbling {
 public:
  Tumbling(const Mat3& inertia, const Mat3& inverse, const Vec3& w)
      : I_(inertia), inverse_(inverse), unit_(power_of_two(w.norm())) {
    w_[0] = w / unit_;
    q_[0] = Quat::Identity().coeffs();
  }

  // Over the time t, in as many steps as the series need.
  void advance(double t) {
    CAIRN_DCHECK(t >= 0, t);
    for (double left = t * unit_; left > 0;) {
      double step = left;
      const std::size_t last = expand(step);
      Vec3 w = w_[last];
      Eigen::Vector4d q = q_[last];
      for (std::size_t k = last; k-- > 0;) {
        w = w * step + w_[k];
        q = q * step + q_[k];
      }
      w_[0] = w;
      q_[0] = q.normalized();
      left -= step;
    }
  }
  Quat turn() const { return Quat(q_[0]); }

 private:
  // Coefficients up to the order at which two terms in a row are below rounding after `step`, which
  // is shortened where no order of the series suffices.
  std::size_t expand(double& step) {
    const double speed = w_[0].norm();
    double power = 1;
    bool small = false;
    for (std::size_t k = 0; k < order; ++k) {
      L_[k] = I_ * w_[k];
      Vec3 torque = Vec3::Zero();
      Eigen::Vector4d turn = Eigen::Vector4d::Zero();
      for (std::size_t j = 0; j <= k; ++j) {
        torque += L_[j].cross(w_[k - j]);
        const Quat product = Quat(q_[j]) * Quat(0, w_[k - j][0], w_[k - j][1], w_[k - j][2]);
        turn += product.coeffs();
      }
      const double next = static_cast<double>(k + 1);
      w_[k + 1] = inverse_ * torque / next;
      q_[k + 1] = turn / (2 * next);
      power *= step;
      const bool below =
          std::max(w_[k + 1].norm(), speed * q_[k + 1].norm()) * power <= 0x1p-54 * speed;
      if (below && small) return k + 1;
      small = below;
    }
    step = std::min(step, reach());
    return order;
  }
  // The time at which the last terms are below rounding.
  double reach() const {
    double longest = std::numeric_limits<double>::infinity();
    const double speed = w_[0].norm();
    for (const std::size_t k : {std::size_t{order - 1}, std::size_t{order}}) {
      const double term = std::max(w_[k].norm() / speed, q_[k].norm());
      if (term > 0)
        longest = std::min(longest, std::pow(0x1p-53 / term, 1 / static_cast<double>(k)));
    }
    return longest;
  }

  Mat3 I_, inverse_;
  double unit_;  // of the spin, so that steps do not depend on units [rad/s]
  std::array<Vec3, order + 1> w_, L_;
  std::array<Eigen::Vector4d, order + 1> q_;
};

// The rotation of a body on which no torque acts, over the time t; w: its spin, before and then
// after (E420 to E422).
Quat turn_freely(const Body& body, const Quat& R, double t, Vec3& w) {
  const Mat3& I = body.inertia_B;
  const Vec3 L = I * w;
  const double speed = w.norm();
  if (turns_evenly(body) || L.cross(w) == Vec3::Zero() || !std::isfinite(t * speed) ||
      t * speed == 0)
    return (R * exp_rotation(t * w)).normalized();
  if (t * speed > most_turn) {
    const double length = L.norm();
    return (R * exp_rotation(t * w.dot(L) / (length * length) * L)).normalized();
  }
  const Mat3 inverse = I.inverse();
  Tumbling tumbling(I, inverse, w);
  tumbling.advance(t);
  const Quat turn = tumbling.turn();
  w = inverse * (turn.conjugate() * L);
  return (R * turn).normalized();
}

// Rotation of fly() and drift(); `v` are the velocities of the body, its translations are `k`.
void turn_body(const Body& body, const Pose& start, const double* v, int k, double t, Pose& end,
               double* v_end) {
  if (body.rotation == RotationKind::one) {
    end.R = (exp_rotation(t * v[k] * body.axis_W) * start.R).normalized();
    if (v_end) v_end[k] = v[k];
  } else if (body.rotation == RotationKind::three) {
    Vec3 w(v[k], v[k + 1], v[k + 2]);
    end.R = turn_freely(body, start.R, t, w);
    if (v_end)
      for (int i = 0; i < 3; ++i) v_end[k + i] = w[i];
  }
}

}  // namespace

bool turns_evenly(const Body& body) {
  const Mat3& I = body.inertia_B;
  return body.rotation == RotationKind::three &&
         (I - I(0, 0) * Mat3::Identity()).cwiseAbs().maxCoeff() <=
             4 * std::numeric_limits<double>::epsilon() * I.cwiseAbs().maxCoeff();
}

Pose fly(const Body& body, const Vec3& gravity, const Pose& start, const double* v, double t,
         double* v_end) {
  CAIRN_DCHECK(t >= 0, t);
  CAIRN_DCHECK(base::is_rotation(start.R), body.name);
  CAIRN_DCHECK(body.kind == BodyKind::dynamic, body.name);
  Pose end = start;
  int k = 0;
  for (int axis = 0; axis < 3; ++axis) {
    if (!body.translations[static_cast<std::size_t>(axis)]) continue;
    end.p[axis] += t * (v[k] + 0.5 * t * gravity[axis]);
    if (v_end) v_end[k] = v[k] + t * gravity[axis];
    ++k;
  }
  turn_body(body, start, v, k, t, end, v_end);
  return end;
}

Pose drift(const Body& body, const Pose& start, const double* v, double t, double* v_end) {
  CAIRN_DCHECK(base::is_rotation(start.R), body.name, start.R.norm());
  Pose end = start;
  if (body.velocities == 0) return end;
  end.p += t * linear_velocity(body, v);
  const int k = model::translation_count(body);
  if (v_end) std::copy_n(v, k, v_end);
  turn_body(body, start, v, k, t, end, v_end);
  CAIRN_DCHECK(base::is_rotation(end.R), body.name);
  return end;
}

}  // namespace cairn::dynamics
