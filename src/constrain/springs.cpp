#include "constrain/springs.hpp"

namespace cairn::constrain {

void add_spring_rows(const Model& model, std::span<const Pose> poses,
                     std::span<const dynamics::SpringRow> rows, const ProblemLayout& layout,
                     Problem& problem, bool soften) {
  CAIRN_DCHECK(rows.empty() || poses.size() == model.bodies.size(), poses.size());
  CAIRN_DCHECK(layout.body.size() == model.bodies.size(), layout.body.size());
  for (const dynamics::SpringRow& s : rows) {
    const double share = soften && s.follow.on ? s.follow.soft : 1;
    const double weight = share * s.weight() / problem.units.mass;
    if (weight == 0) continue;
    double row[2][max_velocities] = {};
    std::array<int, 2> at = {-1, -1};
    for (std::size_t side = 0; side < 2; ++side) {
      if (s.bodies[side] == BodyId::world) continue;
      at[side] = layout.body[index(s.bodies[side])];
      if (at[side] < 0) continue;
      unit_row(model, model.body(s.bodies[side]), poses[index(s.bodies[side])], s.points[side],
               s.direction, side == 0 ? -1 : 1, row[side]);
      ProblemBody& b = problem.bodies[static_cast<std::size_t>(at[side])];
      for (int r = 0; r < b.size; ++r)
        for (int c = 0; c < b.size; ++c) b.A[r][c] += weight * row[side][r] * row[side][c];
    }
    if (at[0] < 0 || at[1] < 0 || at[0] == at[1]) continue;
    BodyCoupling& coupling = problem.couplings.emplace_back();
    coupling.body = at;
    for (int r = 0; r < max_velocities; ++r)
      for (int c = 0; c < max_velocities; ++c) {
        coupling.A[0][r][c] = weight * row[0][r] * row[1][c];
        coupling.A[1][r][c] = weight * row[1][r] * row[0][c];
      }
  }
}

void add_spring_pushes(const Model& model, std::span<const Pose> poses,
                       std::span<const dynamics::SpringRow> rows, double h,
                       const ProblemLayout& layout, Problem& problem) {
  for (const dynamics::SpringRow& s : rows) {
    if (!s.follow.on) continue;
    const double push = dynamics::following_push(s, h) / problem.units.impulse();
    for (std::size_t side = 0; side < 2; ++side) {
      if (s.bodies[side] == BodyId::world) continue;
      const int at = layout.body[index(s.bodies[side])];
      if (at < 0) continue;
      double row[max_velocities] = {};
      unit_row(model, model.body(s.bodies[side]), poses[index(s.bodies[side])], s.points[side],
               s.direction, side == 0 ? -1 : 1, row);
      const ProblemBody& b = problem.bodies[static_cast<std::size_t>(at)];
      for (int r = 0; r < b.size; ++r) problem.k[b.first + r] += push * row[r];
    }
  }
}

}  // namespace cairn::constrain
