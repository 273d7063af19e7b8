// The linear program of the ratio metric (E131) and its solution by a dual simplex method over the
// facets of both bodies.
#pragma once

#include "collide/ratio/ratio.hpp"

namespace cairn::collide {

// Two bodies in the frame of A, about A's centre, lengths in `unit`, the centres moved along their
// line until they are one unit apart: r is proportional to their distance, so that only the
// direction matters and no distance is too small. For planar bodies z is the direction across.
struct RatioPair {
  const Polyhedron& a;
  const Polyhedron& b;
  Mat3 R_WA, R_AB;
  Vec3 x_WA, x_WB;            // centres [m]
  Vec3 d_A;                   // x2 - x1, in the plane for planar bodies [m]
  Vec3 u;                     // d_A / |d_A| [-]
  double distance = 0;        // |d_A| [m]
  double out_of_plane = 0;    // of x2 - x1 along z of A, for planar bodies [m]
  double unit = 1, size = 0;  // a power of two near the sum `size` of the outer radii [m]
};

RatioPair ratio_pair(const Polyhedron& a, const Pose& X_WA, const Polyhedron& b, const Pose& X_WB);

// The optimum: facets of A hold p.x <= t, those of B q.(x - u) <= t, p and q the corners of the
// polar bodies.
struct RatioOptimum {
  Vec3 x = Vec3::Zero();  // in units of the pair [-]
  double t = 0;           // r = t distance / unit [-]
  RatioBasis basis;
  std::array<double, 4> multipliers{};  // sum to one over the polar corners [-]
  int pivots = 0, evaluations = 0;
};

RatioOptimum solve_ratio_program(const RatioPair& pair, const RatioBasis* start,
                                 RatioSearch search);

}  // namespace cairn::collide
