// Contacts of two polyhedra within a step: which way they are kept apart, and the nearly active
// events that belong to it (E142 to E144). Reads placements at the beginning and where the motion
// leads, appends contacts.
#pragma once

#include "cairn/scheme.hpp"
#include "collide/pairs/separating_axes.hpp"
#include "collide/ratio/events.hpp"

namespace cairn::collide {

// How a pair is kept apart in a step.
struct PairAxis {
  SeparatingAxis axis;
  double separation = 0;        // along it at the beginning [m]
  double separation_ahead = 0;  // and where the motion leads [m]
  bool ambiguous = false;       // there are others, across it, that separate as well
  bool held = false;            // it carried the pair's impulses in the last step
};

// Of the axes that separate the pair at the beginning the one along which it is farthest apart, or
// overlaps least, where the motion leads (E143). A pair that is farther apart than `room` is not
// looked at closely. `held` is the direction of the impulses of the last step, zero if there were
// none: an axis along it is kept while it separates, so that what leans stays leaning.
PairAxis choose_axis(const PlacedPair& now, const PlacedPair& ahead, double room, const Vec3& held,
                     const EventOptions& options, AxisList& scratch);

// Where the axis along n separates the pair too, or no worse, it is taken: parts of a body that lie
// flush meet corner on corner, and their neighbours know which way the body rests.
void follow_neighbour(const PlacedPair& now, const PlacedPair& ahead, const Vec3& n,
                      const EventOptions& options, AxisList& scratch, PairAxis& chosen);

// One that separates the pair at the beginning and ahead, by more than a touch where the current
// one is held, and is across it; false: none.
bool other_axis(const PlacedPair& now, const PlacedPair& ahead, const PairAxis& current,
                const EventOptions& options, AxisList& scratch, PairAxis& other);

// Appends the events that belong to the axis, may close over a distance of `room` and lie within
// their features when they do.
void collect_events(const PlacedPair& now, const PlacedPair& ahead, const PairAxis& axis,
                    double room, const EventOptions& options, std::vector<ShapeContact>& out);

}  // namespace cairn::collide
