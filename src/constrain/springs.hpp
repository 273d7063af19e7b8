// Implicit terms of springs and dampers in the left-hand side of a problem (E163, E360).
#pragma once

#include "constrain/rows.hpp"
#include "dynamics/springs.hpp"

namespace cairn::constrain {

// A += weight j^T j for every row at `poses`; between two free bodies with a coupling. k stays.
// `soften`: rows that are followed with the share of their weight that rounding allows (E467).
void add_spring_rows(const Model& model, std::span<const Pose> poses,
                     std::span<const dynamics::SpringRow> rows, const ProblemLayout& layout,
                     Problem& problem, bool soften = false);

// k += the impulses of followed rows beside those of E360, for a step of length h.
void add_spring_pushes(const Model& model, std::span<const Pose> poses,
                       std::span<const dynamics::SpringRow> rows, double h,
                       const ProblemLayout& layout, Problem& problem);

}  // namespace cairn::constrain
