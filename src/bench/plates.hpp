// What the contact filter saves: two plates whose faces are cut into coplanar triangles, with and
// without it, on the same motion.
#pragma once

#include <string>
#include <vector>

#include "cairn/model.hpp"

namespace cairn::bench {

// Prisms over the triangles of a grid of cells x cells rectangles; together a plate of this size.
std::vector<ShapeDescription> cut_plate(const Vec3& size, int cells);

// A plate of 2 kg on a larger, fixed one, both cut into 50 triangles; `center` is where it lies
// beside the lower one's [m].
ModelDescription two_plates(const Vec3& center, const Vec3& velocity, double friction);

struct PlateCost {
  std::string motion;
  bool filter = false;
  double contacts = 0;                      // in a step, mean
  double detect = 0, solve = 0, total = 0;  // CPU time of a step, mean [ms]
  double worst = 0;                         // certificate
  Vec3 position = Vec3::Zero();             // of the upper plate at the end [m]
};

// A plate on a fixed one at rest, sliding and tipping over its edge, each without and with the
// filter; `seconds` reads a CPU clock.
std::vector<PlateCost> plate_costs(double (*seconds)());

}  // namespace cairn::bench
