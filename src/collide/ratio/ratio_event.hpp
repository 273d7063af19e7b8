// From the optimum of the linear program to the event that it means (E132): which features meet,
// along which axis and where, chosen by the bodies alone and not by the way the optimum was found.
#pragma once

#include <span>

#include "collide/ratio/ratio_program.hpp"

namespace cairn::collide {

// Faces of one body that hold the optimum to rounding, ascending.
struct ActiveFaces {
  static constexpr int capacity = 32;
  std::array<int, capacity> faces{};
  int count = 0;

  std::span<const int> all() const { return {faces.data(), static_cast<std::size_t>(count)}; }
  bool holds(int face) const;
  void add(int face);
};

struct ActiveFacets {
  ActiveFaces a, b;
};
ActiveFacets active_faces(const RatioPair& pair, const RatioOptimum& optimum);

// The component function of one event (E132).
struct RatioComponent {
  RatioEvent event = RatioEvent::face_of_a;
  std::array<int, 2> of_a{-1, -1}, of_b{-1, -1};  // face, or vertices of an edge
  Vec3 axis = Vec3::UnitX();                      // in A's frame, from A to B [-]
  double along = 0;                               // Y = axis.d [m]
  double height_a = 0, height_b = 0;              // support heights about the centres [m]

  double support() const { return height_a + height_b; }
  // An axis that does not lead from A to B is no event.
  double value() const { return along > 0 && support() > 0 ? along / support() : 0; }
};
RatioComponent best_component(const RatioPair& pair, const RatioOptimum& optimum,
                              const ActiveFacets& active);

// The bodies touch where B's centre is moved along the line of centres to d/r from A's, in A's
// frame [m].
Vec3 touching_shift(const RatioPair& pair, const RatioComponent& component);

// Where they touch then, in A's frame from A's centre [m]. Sets the vertices of the component that
// were left open.
Vec3 touching_point(const RatioPair& pair, const ActiveFacets& active, const RatioOptimum& optimum,
                    RatioComponent& component);

}  // namespace cairn::collide
