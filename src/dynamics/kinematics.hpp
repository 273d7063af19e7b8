// Velocities, Jacobian rows and motion of single bodies (docs/equations.md, E30 to E32, E37).
#pragma once

#include "cairn/model.hpp"
#include "cairn/state.hpp"

namespace cairn::dynamics {

// Velocity of the centre of mass and angular velocity, both in the world. v: the body's own free
// velocities.
Vec3 linear_velocity(const Body& body, const double* v);
Vec3 angular_velocity(const Body& body, const Pose& X_WC, const double* v);

// Row of the Jacobian: row . v = direction . (velocity of the material point r_W from the centre of
// mass).
void point_row(const Body& body, const Pose& X_WC, const Vec3& r_W, const Vec3& direction_W,
               double* row);

// Free velocities of a force and a torque about the centre of mass: row^T of them.
void add_generalised_force(const Body& body, const Pose& X_WC, const Vec3& force_W,
                           const Vec3& torque_W, double* f);

// Pose after a time h with the free velocities v: p + h v, R exp(h w), (E37).
Pose advanced(const Body& body, const Pose& X_WC, const double* v, double h);

// Free velocities v of the straight path from one pose to another in the time h; the inverse of
// advanced() for turns below half a revolution.
void mean_velocity(const Body& body, const Pose& from, const Pose& to, double h, double* v);

inline bool is_prescribed(const Model& model, BodyId id) {
  return id != BodyId::world && model.body(id).kind == BodyKind::prescribed;
}

inline Vec3 evaluate(const std::array<TimeFunction, 3>& f, double t) {
  return {f[0](t), f[1](t), f[2](t)};
}

// One-sided limits at an end of a part of length h (E660).
inline constexpr double limit_share = 0x1p-20;  // of the part: how far a jump is from its end [-]
inline Vec3 evaluate(const std::array<TimeFunction, 3>& f, double t, TimeFunction::Side side,
                     double h) {
  Vec3 value = evaluate(f, t);
  for (std::size_t k = 0; k < 3; ++k)
    if (f[k].has_kinks())
      value[static_cast<Eigen::Index>(k)] = f[k].limit(t, side, limit_share * h).value;
  return value;
}

// Pose of the centre-of-mass frame of a body with prescribed motion.
Pose prescribed_pose(const Body& body, double t);
// Its motion has expressions that may bend.
bool may_bend(const Motion& motion);
// Where it would be dt after t with the velocity that it has on one side of t (E661).
Pose prescribed_pose_beside(const Body& body, double t, TimeFunction::Side side, double h,
                            double dt);
// Its velocity jumps at t, at an end of a part of length h.
bool velocity_jumps(const Motion& motion, double t, double h);

// Mass matrix of the free velocities, velocities x velocities, row major with stride 6.
void mass_matrix(const Body& body, double (&A)[6][6]);

}  // namespace cairn::dynamics
