// Whether a body went through another one, from poses alone. A body that goes round an edge, or may
// have, is not counted; each judge says what it relies on.
#pragma once

#include "families/trial.hpp"

namespace cairn::families {

enum class Crossing { none, unclear, through };

// A plate is a box with its thin side along z of the body frame; the body in flight is a point, its
// centre of mass, in the frame of the plate. Without forces, and with contact on one face of a
// plate that does not turn, its height over the plate is a convex function of time: where even the
// chord between two states is on the other side, so is the path.
struct PlateSides {
  std::string plate, body;
  double half_x = 0, half_y = 0;  // [m]
  bool exact_paths = false;       // a turning plate is followed along its path
  double margin = -1;             // of crossings from the edge [m]; negative: radius of the body

  Crossing judge(const Moment& m) const;
};

// A blade is a plate with a prescribed rotation about y of its frame. The polar angle of the body
// relative to the blade, full turns counted, stays between those of its two arms.
struct BladeSides {
  std::string blade, body;
  double half_x = 0, half_y = 0;  // [m]

  Crossing judge(const Moment& m) const;
};

// Two bodies of about the same size: the balls inside them, about their centres of mass, do not
// meet. Impulses push the centres apart, so that the chord is farther out than the path.
struct BallsApart {
  std::string a, b;

  Crossing judge(const Moment& m) const;
};

void note(Crossing crossing, Outcome& out);

}  // namespace cairn::families
