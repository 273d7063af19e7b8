// Memory of impulses: warm start of the next solve, by the keys of constraints.
#pragma once

#include <span>

#include "cairn/simulator.hpp"
#include "constrain/rows.hpp"

namespace cairn::constrain {

// lambda of `problem` from remembered impulses; rows that had none start at zero. `contacts` and
// `spins`, friction about them, are those of the problem, in its order.
void recall(const Problem& problem, std::span<const Contact> contacts,
            std::span<const SpinRows> spins, std::span<const ImpulseMemory> memory, VecX& lambda);

// The impulses of a solution, without contacts and friction about them that carry none.
void remember(const Problem& problem, std::span<const Contact> contacts,
              std::span<const SpinRows> spins, const VecX& lambda,
              std::vector<ImpulseMemory>& memory);

}  // namespace cairn::constrain
