#include "constrain/gears.hpp"

#include <algorithm>
#include <cmath>

#include "base/conventions.hpp"
#include "model/joint/joint_coordinate.hpp"

namespace cairn::constrain {
namespace {

// row += factor term, body by body; both have the bodies of `layout`.
void add_term(const Constraint& term, double factor, Constraint& row) {
  for (std::size_t side = 0; side < 2; ++side) {
    if (term.body[side] < 0) continue;
    const auto at = std::find(row.body.begin(), row.body.end(), term.body[side]);
    CAIRN_DCHECK(at != row.body.end(), term.body[side]);
    double* J = row.J[at - row.body.begin()][0];
    for (int k = 0; k < max_velocities; ++k) J[k] += factor * term.J[side][0][k];
  }
}

}  // namespace

void add_gear(const Model& model, std::span<const Pose> poses, std::span<const Pose> poses_end,
              const ProblemLayout& layout, std::size_t number, double gamma, double h,
              Problem& problem, std::vector<JointRowTerms>& terms, PrescribedMotion motion) {
  CAIRN_DCHECK(base::is_index(static_cast<int>(number), model.gears.size()), number);
  const Gear& gear = model.gears[number];
  Constraint row;
  row.law = Law::equality;
  row.key = gear_key(number);
  row.sides = 0;
  for (const BodyId id : gear.bodies)
    if (id != BodyId::world && layout.body[index(id)] >= 0)
      row.body[static_cast<std::size_t>(row.sides++)] = layout.body[index(id)];
  if (row.sides == 0) return;
  row.sides = std::max(2, row.sides);
  JointRowTerms term;
  const double lever = gear.angle ? model.length_unit : 1;
  bool moves = false;
  for (const GearTerm& part : gear.terms) {
    const Joint& joint = model.joints[index(part.joint)];
    const double factor = part.ratio * lever / (model::is_angle(joint) ? model.length_unit : 1);
    Constraint own;
    moves = coordinate_row(model, poses, layout, part.joint, own) || moves;
    add_term(own, factor, row);
    term.motion += factor * prescribed_coordinate_rate(model, poses, poses_end, joint, h, motion);
  }
  if (!moves) return;
  term.error = lever * model::gear_error(model, poses, gear);
  term.rate = gamma * term.error / h;
  row.b[0] = (term.rate + term.motion) / problem.units.speed();
  terms.push_back(term);
  problem.constraints.push_back(row);
  problem.first_row.push_back(problem.first_row.back() + 1);
}

}  // namespace cairn::constrain
