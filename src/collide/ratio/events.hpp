// Basic contact units of two polyhedra: a corner on a face, an edge on an edge. Their component
// functions (E140, E141), where they lie, and the numbers that name them.
#pragma once

#include <string>

#include "collide/narrowphase.hpp"
#include "collide/placed.hpp"

namespace cairn::collide {

struct Event {
  enum class Kind { corner_b, corner_a, edges };
  Kind kind = Kind::corner_b;
  int a = 0;  // corner_b: face of A; corner_a: vertex of A; edges: edge of A
  int b = 0;  // corner_b: vertex of B; corner_a: face of B; edges: edge of B

  bool operator==(const Event&) const = default;
};

inline constexpr int max_features = 1 << 30;  // vertices, edges or faces of one shape at the most

// Faces, corners and edges in this order, each by its number: what touches of one shape is in the
// two upper bits.
Features features_of(const Event& event);
Event event_of(Features features);
std::string name(const Event& event);  // such as face5-corner2: A's feature, then B's

// The event with its own component function: gap in metres, n its gradient's direction at the
// common point. `parallel`: sine of the angle below which edges count as parallel (delta_max).
// Finite for every pose; edges that are parallel to rounding and have no crossing give false.
bool evaluate(const Event& event, const Placed& a, const Placed& b, double parallel,
              ShapeContact& contact);

// How far the event lies inside both features, < 0 outside [m]: of a corner the distance of its
// foot from the border of the face, of two edges that of the crossing from the nearest end. At the
// share tau of the way from one placement to the other.
double depth_inside(const Event& event, const PlacedPair& now, const PlacedPair& ahead, double tau);

}  // namespace cairn::collide
