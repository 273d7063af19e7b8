// The ratio metric of two convex polyhedra (Hart 2007, E130 to E136): the least factor r by which
// both, scaled about their centres, meet, with the event where they do and its derivatives.
//
// The result is a function of the polyhedra and their poses: r, rho, axis, centre_distance,
// support, separation, kind, features and points come out bit for bit the same whatever basis the
// search starts from. Basis, multipliers, pivots and evaluations tell of the search; where faces or
// edges are parallel several bases are optimal and the start decides which one is told.
#pragma once

#include <array>

#include "cairn/polyhedron.hpp"

namespace cairn::collide {

// Facets that hold the linear program (E131) up: four in space, three in the plane, those of A
// first. A facet -1 stands for a plane outside its body that the search began with and did not need
// to replace.
struct RatioBasis {
  std::array<int, 4> facets{-1, -1, -1, -1};
  int of_a = 0;   // the first so many belong to A (or are -1)
  int count = 0;  // 0: no basis
};

// The events of E132, in the order in which they are preferred where several hold to rounding.
enum class RatioEvent {
  face_of_a,  // a corner of B, or more of it, on a face of A
  face_of_b,
  edges,
};

struct Ratio {
  double r = 0;                // 0 where the centres coincide [-]
  double rho = 0;              // (r - 1)/r, the lowest finite number where that is below it [-]
  Vec3 axis = Vec3::UnitX();   // contact normal in W, from A to B, unit length [-]
  double centre_distance = 0;  // Y = axis.(x2 - x1) [m]
  double support = 0;          // H, the heights of both bodies along the axis: r = Y/H [m]
  double separation = 0;       // Y - H = rho Y: signed distance of the features of the event [m]
  RatioEvent event = RatioEvent::face_of_a;
  // The face of A and the vertex of B, the vertex of A and the face of B, or vertices of both
  // edges; where the contact is more than a point the lowest vertex of it, -1 where there is none.
  std::array<int, 2> of_a{-1, -1}, of_b{-1, -1};
  Vec3 p_W = Vec3::Zero();   // where the scaled bodies meet [m]
  Vec3 p_WA = Vec3::Zero();  // the same point of A unscaled [m]
  Vec3 p_WB = Vec3::Zero();  // p_WB - p_WA = rho (x2 - x1) [m]
  // The same event as a contact: points on the planes or lines of its features with
  // q_WB - q_WA = separation axis; far overlap can move them beyond the features' ends.
  Vec3 q_WA = Vec3::Zero(), q_WB = Vec3::Zero();
  Vec3 x_WA = Vec3::Zero(), x_WB = Vec3::Zero();  // centres [m]

  RatioBasis basis;
  std::array<double, 4> multipliers{};  // y_k b_k of the basis, which sum to one [-]
  int pivots = 0;
  int evaluations = 0;  // facets looked at
};

// How facets are found: by looking at all of them, or by climbing from face to face, which on a
// convex body ends at the best one. `automatic` scans small bodies and climbs large ones.
enum class RatioSearch { automatic, scan, climb };

// Both planar or both not. `start` may be null or any basis, of another pose or of another pair.
// The cost is a few pivots with at most m1 + m2 evaluations each. Allocates nothing.
Ratio ratio_metric(const Polyhedron& a, const Pose& X_WA, const Polyhedron& b, const Pose& X_WB,
                   const RatioBasis* start = nullptr, RatioSearch search = RatioSearch::automatic);

// Derivatives by positions of the centres and by turns about them, in W.
struct RatioGradient {
  Vec3 x1, theta1, x2, theta2;
};
RatioGradient gradient_of_r(const Ratio& ratio);           // (E134) [1/m, 1/rad]
RatioGradient gradient_of_rho(const Ratio& ratio);         // the same over r^2
RatioGradient gradient_of_separation(const Ratio& ratio);  // (E135) [-, m/rad]

// How deep the bodies overlap by this measure, 0 apart: at least Minkowski's penetration depth and
// equal to it where the axis is the same [m].
double depth(const Ratio& ratio);

// From centres and radii alone, not above what ratio_metric and the Euclidean distance give
// (E136).
struct RatioBound {
  double rho = 0;         // [-]
  double separation = 0;  // [m]
  double distance = 0;    // Euclidean; below zero it says nothing [m]
};
RatioBound ratio_bound(const Polyhedron& a, const Pose& X_WA, const Polyhedron& b,
                       const Pose& X_WB);

}  // namespace cairn::collide
