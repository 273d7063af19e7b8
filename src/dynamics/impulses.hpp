// Impulses of the forces over a step of the trapezoidal rule, with exact derivatives (E160 to
// E163). Reads model, poses and velocities, writes generalised impulses and implicit rows.
#pragma once

#include <span>

#include "base/union_find.hpp"
#include "cairn/model.hpp"
#include "cairn/state.hpp"
#include "dynamics/springs.hpp"

namespace cairn::dynamics {

// A spring or damper along its direction in the middle of the step, whose impulse is found where
// the step ends (E460 to E464).
struct FollowedRow {
  std::size_t spring = 0;  // in the model
  std::size_t row = 0;     // in ForceImpulses::middle_rows
  bool elastic = false;    // a spring, with its damper if it has one, else a damper alone
  bool linked = false;     // joints connect its ends (E745)
  bool held = false;       // a joint holds its length (E741)
  double weight = 0;       // by which the impulse grows with the rate [kg]
  double soft = 0;         // of `weight` in A, at most what rounding allows [kg]
  double viscous = 0;      // of `weight`, by the damper [kg]
  double damped = 0;       // share of (E178) of the spring [-]
  double start = 0;        // rate at the beginning [m/s]
  double base = 0;         // impulse of the linearisation at the rate `at` [N s]
  double at = 0;           // [m/s]
  double law = 0;          // impulse by the law with the last velocities [N s]
  double mean = 0;         // mean rate, of a spring that of its length (E463) [m/s]
  Response response;       // of a spring beside joints
};

struct ForceImpulses {
  VecX potential;          // of gravity and springs: (h/2) [k(t) + k(t+h) + h k_q v] [N s, N m s]
  VecX applied;            // of forces given in time and external ones, likewise
  VecX viscous;            // of dampers with the velocities of the beginning (E162)
  double work_motion = 0;  // of bodies with prescribed motion through springs [J]
  std::vector<SpringRow> rows;  // of springs that have no difference quotient, at the beginning
  std::vector<SpringRow> middle_rows;  // the others and dampers; `motion` is that of the whole step
  std::vector<FollowedRow> followed;   // beside middle_rows
  std::vector<char> whole;             // per spring: has a row in `followed`
  base::UnionFind links;               // bodies that joints connect, what is not free as one
  std::vector<Pose> middle;            // where drift and gravity lead in half the step
  VecX v_middle;                       // velocities after half of the drift [m/s, rad/s]
  double stiffest = 0;                 // largest implicit term over the mass it acts on [-]

  // Of all forces, without implicit terms.
  auto sum() const { return potential + applied + viscous; }
};

// `poses` at the time t; prescribed bodies move to their poses at t + h. External forces are
// constant in the step, at a point that moves with the body. `damp_stiff`: (E178).
void evaluate_impulses(const Model& model, std::span<const Pose> poses, const VecX& v, double t,
                       double h, std::span<const ExternalForce> external, bool damp_stiff,
                       ForceImpulses& out);

}  // namespace cairn::dynamics
