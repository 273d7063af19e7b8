// check, the motion of a step that restarted within itself. Formulas of the judge, not of the
// engine. Reads the solves of a frame, writes where they take the bodies.
#pragma once

#include <array>

#include "model/dof.hpp"
#include "record/check/check.hpp"

namespace cairn::record {

inline constexpr double motion_relative = 1e-12;  // a few additions in double precision [-]
inline constexpr double slow_slip =
    1e-6;  // of a contact that sticks, of the unit of speed (E720) [-]

// Velocity of the centre of mass in the world and angular velocity in the body frame.
struct Twist {
  Vec3 linear_W = Vec3::Zero(), angular_B = Vec3::Zero();
};
Twist twist(const Body& body, const State& state);

// How much more than a few additions the spin of a body rounds: along its axis of least inertia it
// is the difference of angular momenta about the others.
double spin_rounding(const Body& body);

// Energy that is stored in a spring [J].
double stored_energy(const Spring& spring, const State& state);

// The velocities that a solve gave, in its own units and translations first in each body.
void set_solved_velocities(const Model& model, const SolveRecord& solve, State& state);

// Where the parts of a step of scheme `trapezoidal` lead.
struct StepPath {
  State end;
  int parts = 0;  // solves over which time passed
  // Of each body over the parts that it may have begun slower than the solve before them says,
  // since it paid for a projection [m], [rad].
  std::vector<double> way, turn;
  std::vector<char> slowed;  // it may be so now
};
StepPath follow_parts(const Model& model, const State& before, const TraceFrame& frame,
                      const Complain& complain);

// The velocities at the end follow from those of the last solve by the drift (E420, E423), and
// where a projection moved the bodies by what keeps momenta and pays for it (E39, E425, E426).
void check_velocities(const Model& model, const SchemeOptions& scheme, const State& before,
                      const TraceFrame& frame, const Complain& complain);

// Velocities with which the bodies follow prescribed ones in the part of the last solve (E322), of
// groups that pressing contacts connect, and of groups that all contacts do: bodies that only the
// projection pushed may belong to either. Zero where nothing is prescribed.
std::array<VecX, 2> carried_velocities(const Model& model, const SchemeOptions& scheme,
                                       const State& before, const TraceFrame& frame);

// Scheme hybrid: bodies of islands that nothing holds, in a part with this problem (E408). How far
// each is from the straight path after the time h, -h^2 g/2, zero for the others.
std::vector<Vec3> falls_of(const Model& model, const Problem& problem, double h);

// Pairs of bodies that are nearer than the margin [m].
std::vector<std::array<BodyId, 2>> near_bodies(const Model& model, const std::vector<Pose>& poses,
                                               double margin);

// Scheme hybrid: nothing but gravity acts on the body, which moves on a parabola (E208).
bool in_flight(const Model& model, const TraceFrame& frame, std::size_t body);

}  // namespace cairn::record
