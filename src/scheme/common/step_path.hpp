// The path that the bodies took in a step, as the swept test reads it (E302): poses and velocities
// at the ends of its stretches. Written by schemes.
#pragma once

#include <vector>

#include "cairn/math.hpp"

namespace cairn::scheme {

// Two knots of different times are the ends of a stretch. Knots of the same time and other poses
// are a projection; those of other velocities an impact.
struct PathKnot {
  double t = 0;             // [s]
  std::vector<Pose> poses;  // of all bodies
  VecX v;                   // velocities with which the path arrives or leaves [m/s, rad/s]
};

class StepPath {
 public:
  void clear() { count_ = 0; }
  void add(double t, const std::vector<Pose>& poses, const VecX& v) {
    if (count_ == knots_.size()) knots_.emplace_back();
    PathKnot& knot = knots_[count_++];
    knot.t = t;
    knot.poses = poses;
    knot.v = v;
  }
  std::size_t size() const { return count_; }
  const PathKnot& operator[](std::size_t i) const { return knots_[i]; }
  void resize(std::size_t count) { count_ = count; }  // count <= size(): forgets the last knots

 private:
  std::vector<PathKnot> knots_;  // memory is kept
  std::size_t count_ = 0;
};

}  // namespace cairn::scheme
