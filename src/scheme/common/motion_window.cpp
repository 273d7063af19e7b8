#include "scheme/common/motion_window.hpp"

#include <algorithm>

#include "constrain/rows.hpp"
#include "dynamics/kinematics.hpp"

namespace cairn::scheme {
namespace {

constexpr double window_share = 0x1p-11;  // of the step [-]

}  // namespace

double window_length(double h) {
  return window_share * h;
}

void set_window(const Model& model, const std::vector<Pose>& poses, double t, double h,
                MotionWindow& window) {
  const double half = window_length(h) / 2;
  for (std::size_t k = 0; k < 2; ++k) {
    window[k] = poses;
    for (std::size_t i = 0; i < model.bodies.size(); ++i)
      if (model.bodies[i].kind == BodyKind::prescribed)
        window[k][i] = dynamics::prescribed_pose(model.bodies[i], k == 0 ? t - half : t + half);
  }
}

void set_window_beside(const Model& model, const std::vector<Pose>& poses, double t, double h,
                       TimeFunction::Side side, MotionWindow& window) {
  set_window(model, poses, t, h, window);
  const double half = window_length(h) / 2;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body& body = model.bodies[i];
    if (body.kind != BodyKind::prescribed || !dynamics::may_bend(*body.motion)) continue;
    for (std::size_t k = 0; k < 2; ++k)
      window[k][i] = dynamics::prescribed_pose_beside(body, t, side, h, k == 0 ? -half : half);
  }
}

Vec3 motion_velocity(const Model& model, std::span<const Pose> poses, const MotionWindow& window,
                     const Contact& c, double h) {
  return constrain::prescribed_velocity(model, poses, window[1], c, window_length(h)) -
         constrain::prescribed_velocity(model, poses, window[0], c, window_length(h));
}

Vec3 motion_spin(const Model& model, std::span<const Pose> poses, const MotionWindow& window,
                 const Contact& c, double h) {
  return constrain::prescribed_spin(model, poses, window[1], c, window_length(h)) -
         constrain::prescribed_spin(model, poses, window[0], c, window_length(h));
}

double speed_at_hand(const Model& model, std::span<const Pose> poses, const Contact& c,
                     std::initializer_list<const VecX*> velocities) {
  double speed = 0;
  for (const BodyId id : {c.key.body_a, c.key.body_b}) {
    const Body& body = model.body(id);
    if (body.velocities == 0) continue;
    for (const VecX* v : velocities) {
      const double* of_body = v->data() + body.first_velocity;
      const double turning = dynamics::angular_velocity(body, poses[index(id)], of_body).norm();
      speed =
          std::max(speed, dynamics::linear_velocity(body, of_body).norm() + turning * body.radius);
    }
  }
  return speed;
}

}  // namespace cairn::scheme
