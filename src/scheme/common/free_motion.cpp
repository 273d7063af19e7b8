#include "scheme/common/free_motion.hpp"

#include <algorithm>

#include "base/conventions.hpp"
#include "model/dof.hpp"

namespace cairn::scheme {
namespace {

void mark_coupled(const Model& model, const dynamics::Forces& forces, std::vector<char>& coupled) {
  coupled.assign(model.bodies.size(), 0);
  for (const dynamics::SpringRow& row : forces.springs.rows)
    for (const BodyId id : row.bodies)
      if (id != BodyId::world && row.weight() > 0) coupled[index(id)] = 1;
}

// Index of the first of the three angular velocities of a body; -1: it does not turn freely or has
// no implicit terms.
int turning(const Model& model, const FreeMotion& free, std::size_t body) {
  const Body& b = model.bodies[body];
  if (!free.coupled[body] || b.velocities == 0 || b.rotation != RotationKind::three) return -1;
  return b.first_velocity + model::translation_count(b);
}

// A step of the gyroscopic torque from the velocities that the implicit terms leave: the explicit
// torque of a stiff spring alone would turn the body far beyond them (E363).
void add_gyroscopic_torque(const Model& model, const State& state, const dynamics::Forces& forces,
                           double h, FreeMotion& free, VecX& v_free) {
  bool any = false;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const int at = turning(model, free, i);
    if (at < 0) continue;
    any = true;
    Vec3 impulse = h * (forces.potential.segment<3>(at) + forces.applied.segment<3>(at));
    if (forces.drive.size() > 0) impulse += forces.drive.segment<3>(at);
    free.v_explicit.segment<3>(at) =
        state.v.segment<3>(at) + model.bodies[i].inertia_B.ldlt().solve(impulse);
  }
  if (!any) return;
  apply_implicit_springs(model, forces, free, v_free);
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const int at = turning(model, free, i);
    if (at < 0) continue;
    const Mat3& I = model.bodies[i].inertia_B;
    const Vec3 w = state.v.segment<3>(at), plain = v_free.segment<3>(at);
    free.v_explicit.segment<3>(at) +=
        dynamics::gyroscopic_velocity(I, w, I * (plain - w), h) - plain;
  }
}

void solve_free_velocities(const Model& model, const State& state, const dynamics::Forces& forces,
                           double h, FreeMotion& free, VecX& v_free) {
  dynamics::free_velocities(model, state, forces, h, free.v_explicit);
  v_free = free.v_explicit;
  if (!forces.springs.implicit() || !v_free.allFinite()) return;
  assemble_step(model, state.poses, forces, free.v_explicit, h, free.layout, free.problem);
  free.mass.factor(free.problem);
  mark_coupled(model, forces, free.coupled);
  add_gyroscopic_torque(model, state, forces, h, free, v_free);
  apply_implicit_springs(model, forces, free, v_free);
}

}  // namespace

void find_free_velocities(const Model& model, const State& state, double h,
                          dynamics::Forces& forces, FreeMotion& free, VecX& v_free) {
  CAIRN_DCHECK(h > 0, h);
  const bool across = dynamics::clear_rows_across(forces.springs);
  solve_free_velocities(model, state, forces, h, free, v_free);
  if (!across || !v_free.allFinite()) return;
  dynamics::set_tensions(model, state.poses, h, v_free, forces.springs);
  solve_free_velocities(model, state, forces, h, free, v_free);
}

void apply_implicit_springs(const Model& model, const dynamics::Forces& forces, FreeMotion& free,
                            VecX& v_free) {
  v_free = free.v_explicit;
  if (!forces.springs.implicit()) return;
  constrain::assemble_bodies(model, free.v_explicit, free.problem.units.time, free.layout,
                             free.plain);
  free.unit = free.plain.k;
  free.mass.solve(free.unit.data());
  constrain::to_model_velocities(model, free.plain, free.unit, v_free);
}

void assemble_step(const Model& model, std::span<const Pose> poses, const dynamics::Forces& forces,
                   const VecX& v_explicit, double h, constrain::ProblemLayout& layout,
                   Problem& problem, bool soften) {
  constrain::assemble_bodies(model, v_explicit, h, layout, problem);
  if (forces.springs.implicit())
    constrain::add_spring_rows(model, poses, forces.springs.rows, layout, problem, soften);
}

}  // namespace cairn::scheme
