// Velocities without constraints of a step of first order (E30, E360): with springs and dampers
// whose terms are implicit they come from a linear system over the bodies that these connect.
#pragma once

#include "constrain/springs.hpp"
#include "dynamics/forces.hpp"
#include "problem/mass.hpp"

namespace cairn::scheme {

struct FreeMotion {
  VecX v_explicit;  // A v_free = M v_explicit; without implicit terms v_free itself
  Problem problem;  // bodies and springs
  Problem plain;    // bodies alone: A = M, k = M v_explicit
  constrain::ProblemLayout layout;
  problem::MassInverse mass;
  VecX unit;  // velocities in the problem's units
  VecX held;  // impulses of springs that joints hold, backwards
};

// Where bodies go over a part of the time without contacts and joints.
struct Prediction {
  dynamics::Forces forces;
  FreeMotion free;
  VecX v;                   // free velocities at the end, in SI
  std::vector<Pose> poses;  // of prescribed bodies at the end, of others at the beginning
};

// From the state's poses and velocities, by the forces evaluated there, v_free without the springs
// that joints hold (E741). Springs across whose line
// implicit terms are needed get them for the tension that they end the step with (E410).
void find_free_velocities(const Model& model, const State& state, double h,
                          dynamics::Forces& forces, FreeMotion& free, VecX& v_free);

// v_free with all springs from other velocities v_explicit, after find_free_velocities() for the
// same forces; and without those that joints hold.
void apply_implicit_springs(const Model& model, const dynamics::Forces& forces, FreeMotion& free,
                            VecX& v_free);
void apply_free_springs(const Model& model, std::span<const Pose> poses, double h,
                        const dynamics::Forces& forces, FreeMotion& free, VecX& v_free);

// Bodies of a problem of this step, rows at `poses`: A with the implicit terms, k = M v_explicit.
// `soften`: A for springs and dampers that are followed (E467), k without their pushes.
void assemble_step(const Model& model, std::span<const Pose> poses, const dynamics::Forces& forces,
                   const VecX& v_explicit, double h, constrain::ProblemLayout& layout,
                   Problem& problem, bool soften = false);

}  // namespace cairn::scheme
