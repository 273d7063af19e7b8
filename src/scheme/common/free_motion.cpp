#include "scheme/common/free_motion.hpp"

#include <algorithm>

#include "base/conventions.hpp"

namespace cairn::scheme {
namespace {

void solve_free_velocities(const Model& model, const State& state, const dynamics::Forces& forces,
                           double h, FreeMotion& free, VecX& v_free) {
  dynamics::free_velocities(model, state, forces, h, free.v_explicit);
  v_free = free.v_explicit;
  if (!v_free.allFinite()) return;
  if (forces.springs.implicit()) {
    assemble_step(model, state.poses, forces, free.v_explicit, h, free.layout, free.problem);
    free.mass.factor(free.problem);
  }
  apply_free_springs(model, state.poses, h, forces, free, v_free);
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

void apply_free_springs(const Model& model, std::span<const Pose> poses, double h,
                        const dynamics::Forces& forces, FreeMotion& free, VecX& v_free) {
  const std::vector<dynamics::SpringRow>& rows = forces.springs.rows;
  if (std::none_of(rows.begin(), rows.end(), [](const auto& row) { return row.held; }))
    return apply_implicit_springs(model, forces, free, v_free);
  free.held.setZero(model.velocities);
  for (const dynamics::SpringRow& row : rows)
    if (row.held) dynamics::add_spring_impulse(model, poses, row, h * row.tension, free.held);
  v_free = free.v_explicit;
  dynamics::add_impulse(model, free.held, v_free);
  free.v_explicit.swap(v_free);
  free.held = v_free;  // v_explicit
  apply_implicit_springs(model, forces, free, v_free);
  free.v_explicit.swap(free.held);
}

void assemble_step(const Model& model, std::span<const Pose> poses, const dynamics::Forces& forces,
                   const VecX& v_explicit, double h, constrain::ProblemLayout& layout,
                   Problem& problem, bool soften) {
  constrain::assemble_bodies(model, v_explicit, h, layout, problem);
  if (forces.springs.implicit())
    constrain::add_spring_rows(model, poses, forces.springs.rows, layout, problem, soften);
}

}  // namespace cairn::scheme
