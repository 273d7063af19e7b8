#include "dynamics/flight.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/conventions.hpp"

namespace cairn::dynamics {
namespace {

constexpr int order = 18;  // of the Taylor series of a turning body

// Euler's equations I w' = -w x I w with R' = R w, by Taylor series: products of series are sums of
// products of coefficients.
class Tumbling {
 public:
  Tumbling(const Mat3& inertia, const Vec3& w, const Quat& R)
      : I_(inertia), inverse_(inertia.inverse()), unit_(power_of_two(w.norm())) {
    w_[0] = w / unit_;
    q_[0] = R.coeffs();
  }

  // Over the time t, in as many steps as the series need.
  void advance(double t) {
    CAIRN_DCHECK(t >= 0, t);
    for (double left = t * unit_; left > 0;) {
      expand();
      const double step = std::min(left, reach());
      Vec3 w = w_[order];
      Eigen::Vector4d q = q_[order];
      for (std::size_t k = order; k-- > 0;) {
        w = w * step + w_[k];
        q = q * step + q_[k];
      }
      w_[0] = w;
      q_[0] = q.normalized();
      left -= step;
    }
  }
  Vec3 spin() const { return unit_ * w_[0]; }
  Quat orientation() const { return Quat(q_[0]); }

 private:
  void expand() {
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
    }
  }
  // The time at which the last terms are below rounding.
  double reach() const {
    double longest = std::numeric_limits<double>::infinity();
    const double speed = w_[0].norm();
    if (speed == 0) return longest;
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
  if (body.rotation == RotationKind::one) {
    end.R = (exp_rotation(t * v[k] * body.axis_W) * start.R).normalized();
    if (v_end) v_end[k] = v[k];
  } else if (body.rotation == RotationKind::three) {
    const Vec3 w(v[k], v[k + 1], v[k + 2]);
    Vec3 w_end = w;
    if (turns_evenly(body)) {
      end.R = (start.R * exp_rotation(t * w)).normalized();
    } else if (w != Vec3::Zero()) {
      Tumbling body_turns(body.inertia_B, w, start.R);
      body_turns.advance(t);
      end.R = body_turns.orientation();
      w_end = body_turns.spin();
    }
    if (v_end)
      for (int i = 0; i < 3; ++i) v_end[k + i] = w_end[i];
  }
  return end;
}

}  // namespace cairn::dynamics
