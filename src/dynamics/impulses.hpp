// Impulses of the forces over a step of the trapezoidal rule, with exact derivatives (E160 to
// E163). Reads model, poses and velocities, writes generalised impulses and implicit rows.
#pragma once

#include <span>

#include "cairn/model.hpp"
#include "cairn/state.hpp"

namespace cairn::dynamics {

// A spring along one direction: what it adds to the left-hand side is implicit row^T row (E163).
struct SpringRow {
  std::array<BodyId, 2> bodies = {BodyId::world, BodyId::world};
  std::array<Vec3, 2> points = {Vec3::Zero(), Vec3::Zero()};  // of the anchors [m]
  Vec3 direction = Vec3::Zero();                              // [-]
  double rate = 0;     // velocity along the direction, moving anchors included [m/s]
  double damping = 0;  // of the spring [N s/m]
  bool stiff = false;  // its damping acts faster than the step can show (E179)
  double elastic = 0;  // implicit stiffness, h^2 gamma / 4 as a rule [kg]
  double viscous = 0;  // implicit damping, h delta / 2 as a rule [kg]
};

struct ForceImpulses {
  VecX potential;          // of gravity and springs: (h/2) [k(t) + k(t+h) + h k_q v] [N s, N m s]
  VecX applied;            // of dampers and forces given in time, likewise
  VecX gyroscopic;         // h f(w), f = -w x I w
  double work_motion = 0;  // of bodies with prescribed motion through springs and dampers [J]
  std::vector<SpringRow> rows;
  double stiffest = 0;  // largest implicit term over the mass it acts on [-]
};

// `poses` at the time t; prescribed bodies move to their poses at t + h. `damp_stiff`: (E178).
void evaluate_impulses(const Model& model, std::span<const Pose> poses, const VecX& v, double t,
                       double h, bool damp_stiff, ForceImpulses& out);

// row . v of the free bodies.
double spring_rate(const Model& model, std::span<const Pose> poses, const SpringRow& row,
                   const VecX& v);

// Adds the generalised impulse of `push` along the row, which drives its ends apart [N s].
void add_spring_impulse(const Model& model, std::span<const Pose> poses, const SpringRow& row,
                        double push, VecX& f);

// The derivative f'(w) of the gyroscopic torque -w x I w.
Mat3 gyroscopic_derivative(const Mat3& inertia, const Vec3& w);

}  // namespace cairn::dynamics
