// Implicit terms of springs and dampers in the left-hand side of a problem (E163, E360).
#pragma once

#include "constrain/rows.hpp"
#include "dynamics/springs.hpp"

namespace cairn::constrain {

// A += weight j^T j for every row at `poses`; between two free bodies with a coupling. k stays.
void add_spring_rows(const Model& model, std::span<const Pose> poses,
                     std::span<const dynamics::SpringRow> rows, const ProblemLayout& layout,
                     Problem& problem);

}  // namespace cairn::constrain
