// The distance of two bodies as a question of its own (docs/equations.md, E500 to E505): signed
// Euclidean gap with witness points, the ratio metric of convex polyhedra with its events, and the
// gradients of all of them by the poses of both bodies.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "cairn/error.hpp"
#include "cairn/model.hpp"
#include "cairn/state.hpp"

namespace cairn {

// A body, or one of its shapes.
struct BodyPart {
  BodyId body{};
  int shape = -1;  // number within the body; -1: the one that is closest to the other body
};

// Derivative by the pose of a body: by a translation, and by a rotation about the centre of mass,
// both along the axes of the world.
struct PoseGradient {
  Vec3 translation = Vec3::Zero();
  Vec3 rotation = Vec3::Zero();
};

// Of a pair (a, b).
struct PairGradient {
  PoseGradient a, b;
};

// A basic contact unit: features of both polyhedra that meet when both are scaled by r (E503).
struct RatioUnit {
  enum class Kind { face_vertex, vertex_face, edge_edge };  // feature of A, feature of B
  Kind kind = Kind::face_vertex;
  int a = -1, b = -1;             // numbers of the features in the polyhedra of the shapes
  double r = 0, rho = 0;          // of this unit alone; the largest of all units is the metric [-]
  double separation = 0;          // signed distance of the features along the normal [m]
  Vec3 normal_W = Vec3::UnitX();  // from A to B, unit length [-]
  Vec3 point_W = Vec3::Zero();    // where the features meet when scaled by r [m]
};
const char* name(RatioUnit::Kind kind);

// (E130): the least factor r by which both polyhedra, scaled about their centres, meet.
struct RatioMetric {
  double r = 0;                   // > 1 apart, 1 touching, < 1 overlapping [-]
  double rho = 0;                 // (r - 1)/r; the lowest finite number where r is 0 [-]
  Vec3 normal_W = Vec3::UnitX();  // of the unit that decides, from A to B [-]
  double separation = 0;          // of its features [m]
  Vec3 point_W = Vec3::Zero();    // where the scaled bodies meet [m]
  std::vector<RatioUnit> events;  // units with the same r to rounding that meet within both bodies
  PairGradient r_gradient;        // [1/m, 1/rad]
  PairGradient rho_gradient;      // not finite where r is 0 [1/m, 1/rad]
  PairGradient separation_gradient;  // [-, m/rad]
};

struct Distance {
  BodyId body_a{}, body_b{};
  int shape_a = 0, shape_b = 0;   // that are closest, numbers within their bodies
  double gap = 0;                 // > 0: Euclidean distance; < 0: minus the penetration depth [m]
  Vec3 normal_W = Vec3::UnitX();  // from A to B, unit length [-]
  Vec3 p_WA = Vec3::Zero(), p_WB = Vec3::Zero();  // witness points, p_WB - p_WA = gap normal [m]
  // (E502). At a kink, such as parallel faces, that of the witness points given.
  PairGradient gap_gradient;         // [-, m/rad]
  std::optional<RatioMetric> ratio;  // where both shapes are polyhedra, or both are polygons
};

// Of two bodies at the poses of a state, whether or not they may touch in a simulation. Planar
// shapes count as infinite cylinders along the normal of their plane; a pair with one of them has
// gradients for motions in that plane only.
// Errors: the same body twice (conflict), a body or shape that does not exist (unknown_name), a
// body without shapes (empty), two shapes without a distance function: planar with spatial ones
// (wrong_dimension), two half-spaces (unsupported).
Result<Distance> measure_distance(const Model& model, const State& state, const BodyPart& a,
                                  const BodyPart& b);

}  // namespace cairn
