// Springs and dampers whose impulses are found where the step ends (E465 to E467, E740, E742).
#include <algorithm>
#include <cmath>
#include <limits>

#include "dynamics/flight.hpp"
#include "dynamics/kinematics.hpp"
#include "dynamics/springs.hpp"

namespace cairn::dynamics {
namespace {

// Change of the vector between the ends over a drift from the velocities v (E420).
Vec3 change_between(const Model& model, std::span<const Pose> poses, double h, const VecX& v,
                    const SpringRow& row) {
  Vec3 change = row.shift;
  for (std::size_t side = 0; side < 2; ++side) {
    if (row.bodies[side] == BodyId::world) continue;
    const Body& body = model.body(row.bodies[side]);
    if (body.velocities == 0) continue;
    const Pose& X = poses[index(row.bodies[side])];
    const double* v_body = v.data() + body.first_velocity;
    const Vec3 arm = row.points[side] - X.p;
    const Pose end = drift(body, X, v_body, h, nullptr);
    change += (side == 0 ? -1 : 1) *
              (h * linear_velocity(body, v_body) + (end.R * (X.R.conjugate() * arm) - arm));
  }
  return change;
}

// The same from poses to others, and what it rounds with [m].
Vec3 change_between(std::span<const Pose> poses, std::span<const Pose> closed, const SpringRow& row,
                    double& far) {
  Vec3 change = Vec3::Zero();
  for (std::size_t side = 0; side < 2; ++side) {
    if (row.bodies[side] == BodyId::world) continue;
    const Pose &X = poses[index(row.bodies[side])], &end = closed[index(row.bodies[side])];
    const Vec3 arm = row.points[side] - X.p;
    change += (side == 0 ? -1 : 1) * ((end.p - X.p) + (end.R * (X.R.conjugate() * arm) - arm));
    far += end.p.norm();
  }
  return change;
}

double linear_impulse(const SpringRow& row) {
  const SpringFollowing& f = row.follow;
  return f.base + f.soft * row.weight() * (f.rate - f.at);
}

}  // namespace

FollowingError follow_springs(const Model& model, std::span<const Pose> poses, double h,
                              const VecX& v, std::span<const Pose> closed, bool linear,
                              SpringRows& out) {
  constexpr double eps = std::numeric_limits<double>::epsilon();
  FollowingError worst;
  for (SpringRow& row : out.rows) {
    SpringFollowing& f = row.follow;
    if (!f.on) continue;
    f.beside = row.jointed && !closed.empty();
    double far = 0;
    const Vec3 d = row.points[1] - row.points[0],
               change = f.beside ? change_between(poses, closed, row, far)
                                 : change_between(model, poses, h, v, row);
    f.rate = spring_rate(model, poses, row, v) + row.motion;
    f.stretch = change.dot(2 * d + change) / (d.norm() + (d + change).norm());
    const double turning = f.stretch / h - f.rate;  // (E465)
    f.drag_rate = f.rate + f.share * turning;
    f.drag = row.viscous * f.drag_rate;
    f.law = h * row.tension + row.elastic * (f.rate + turning) + f.drag;
    if (linear) {
      f.drag_rate = f.rate;
      f.drag = row.viscous * f.rate;
      f.impulse = h * row.tension + row.weight() * f.rate;
      continue;
    }
    f.impulse = linear_impulse(row);
    const double error = std::abs(f.law - f.impulse) / row.weight();
    // (E640): along the direction at the end the impulse acts with the cosine of the turn.
    const double cosine = d.dot(d + change) / (d.norm() * (d + change).norm());
    if (!f.beside) f.law = f.impulse + (f.law - f.impulse) / std::clamp(cosine, 0.25, 1.0);
    const double size = (change.norm() + d.norm() + far) / h,
                 turns = row.elastic > 0 || f.share > 0 || f.beside ? size : 0;
    const double tight = eps * (std::abs(f.rate) + turns), loose = eps * (std::abs(f.rate) + size);
    if (!(error <= worst.tight * tight)) worst.tight = error / tight;
    if (!(error <= worst.loose * loose)) worst.loose = error / loose;
  }
  return worst;
}

void Response::begin(double weight, double inverse) {
  solved_ = false;
  weight_ = weight;
  inverse_ = inverse;
  mobility_ = inverse;
  slope_ = weight * inverse;
}

void Response::update(double impulse, double law, double rate) {
  constexpr double rounding = 0x1p-30;  // of the impulse [-]
  const double change = impulse - impulse_;
  if (solved_ && weight_ > 0 && std::abs(change) > rounding * std::abs(impulse)) {
    slope_ = std::clamp((law_ - law) / change, 0.0, weight_ * inverse_);
    mobility_ = std::clamp((rate_ - rate) / change, 0.0, std::min(inverse_, 4 * slope_ / weight_));
  }
  solved_ = true;
  impulse_ = impulse;
  law_ = law;
  rate_ = rate;
}

void linearise_springs(double h, bool first, SpringRows& out) {
  for (SpringRow& row : out.rows) {
    SpringFollowing& f = row.follow;
    if (!f.on) continue;
    double share = f.soft;
    if (first) {
      f.impulse = h * row.tension + row.weight() * f.rate;
      f.response.begin(row.weight(), row.inverse);
    } else if (f.beside) {
      f.response.update(f.impulse, f.law, f.rate);
      share = f.response.share(f.soft * row.weight());
    }
    f.base = f.impulse + share * (f.law - f.impulse);
    f.at = f.rate;
  }
}

double following_push(const SpringRow& row, double h) {
  const SpringFollowing& f = row.follow;
  return h * row.tension - f.base + row.weight() * (f.soft * f.at + (1 - f.soft) * row.motion);
}

}  // namespace cairn::dynamics
