// Swept test (E302 to E304): a certified bound of the deepest overlap of every pair of shapes along
// the paths that the bodies took. Reads a model and paths, writes what exceeds the limit.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "cairn/model.hpp"
#include "collide/broadphase.hpp"
#include "collide/narrowphase.hpp"
#include "collide/sweep/body_path.hpp"
#include "collide/sweep/fat_pairs.hpp"
#include "collide/sweep/separating_direction.hpp"

namespace cairn::collide {

// A pair whose overlap exceeds the limit, or may do so where no more can be proved.
struct SweepFinding {
  ShapeId a{}, b{};
  double depth = 0;  // certified upper bound of the overlap up to the end of the path [m]
  double limit = 0;  // of the pair [m]
  double tau = 0;    // the path is certified up to here, 0 to 1 [-]
  double easy = 0;   // and with half of the limit up to here [-]
};

struct SweepSummary {
  double worst = 0;  // largest depth over the inner radius of its pair, over all pairs [-]
  int pairs = 0;     // of shapes whose swept volumes can meet
  int searched = 0;  // of them, those that needed more than the bound along one direction
  int looks = 0;     // placements that these searches looked at
};

class Sweeper {
 public:
  explicit Sweeper(const Model& model);  // which must outlive it

  // `model`: that of the constructor. `share`: limit of the overlap of a pair as a share of its
  // smaller inner radius, > 0. Findings are sorted by tau, then by shapes. Pairs are those that the
  // contact finder looks at: of different bodies that may touch, one of them dynamic, with a
  // contact function. Allocates nothing once the buffers have grown.
  SweepSummary check(const Model& model, std::span<const BodyPath> paths, double share,
                     std::vector<SweepFinding>& findings);

  // Pairs of shapes that the last check() does not prove to be apart on the whole path, sorted. No
  // other pair that may touch overlaps at its end.
  std::span<const std::pair<int, int>> touching() const { return touching_; }

 private:
  void follow_paths(const Model& model, std::span<const BodyPath> paths);
  void find_pairs(const Model& model);

  std::vector<char> movable_;       // by shape
  std::vector<int> body_of_shape_;  // by shape
  std::vector<Solid> solids_;       // by shape
  std::vector<SweptShape> shapes_;
  std::vector<Aabb> boxes_;
  std::vector<Vec3> shifts_;  // of the shapes [m]
  std::vector<std::pair<int, int>> pairs_, touching_;
  FatPairs fat_pairs_;
  DirectionFinder directions_;
};

}  // namespace cairn::collide
