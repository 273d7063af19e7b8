// A second judge of solutions, written apart from certify(): the two must agree on every recorded
// solve.
#pragma once

#include "cairn/solution.hpp"

namespace cairn::record {

struct Residuals {  // scaled [-], as in Certificate
  double momentum = 0, equality = 0, gap_velocity = 0, normal_impulse = 0;
  double complementarity = 0, cone = 0, natural_map = 0;
  double worst() const;
};

struct Judgement : Residuals {
  int worst_constraint = -1;  // -1: momentum balance
  // How far another correct judge may differ by rounding alone: of constraints, of the momentum
  // (E520)
  // [-].
  double rounding = 0, momentum_rounding = 0;
  bool finite = true;
};

// Whether a contact closes in the free motion, and counts for the speed of its island (E11), may be
// for rounding to decide. `doubtful`: such contacts are taken as they are (0), all out (-1) or all
// in (1); correct judges lie between the last two.
Judgement judge(const Problem& problem, const VecX& v, const VecX& lambda, int doubtful = 0);

// Corners of a pyramid's section over mu; none: the section is a circle, or there is one direction.
FrictionPolygon section_of(const Constraint& c);

// Nearest point of the cone of Coulomb's law, of one to three rows. With three rows the section is
// the polygon times mu, or without corners a circle.
Vec3 nearest_in_cone(const Vec3& z, int rows, double mu, const FrictionPolygon& corners);

}  // namespace cairn::record
