// Frames of level `states` (section SLIM): figures of the step, and poses rounded to a grid.
#pragma once

#include <array>

#include "cairn/trace.hpp"
#include "record/trace/packed/pack.hpp"

namespace cairn::record {

// A pose on the grid: position, then the quaternion.
using GridPose = std::array<std::int64_t, 7>;

// The two frames before, from which the next one is extrapolated.
struct SlimMemory {
  std::vector<GridPose> last, before;
};

// The grid of orientations [-]: about 3e-5 rad.
inline constexpr double orientation_grid = 0x1p-15;

// `resolution`: grid of positions [m].
void pack_slim(const StepReport& report, const State& state, std::uint64_t state_hash,
               const ShownForces& forces, double resolution, SlimMemory& memory, PackWriter& pack);
// The other sections of the frame have been read. The state has rounded poses and no velocities,
// the report no contacts, and of each problem the row of the worst residual alone. Of the shown
// forces there are the kinds that are not unique, in any order. False: damaged.
bool unpack_slim(SlimMemory& memory, PackReader& pack, TraceFrame& frame);

}  // namespace cairn::record
