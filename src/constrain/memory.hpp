// Memory of impulses: warm start of the next solve by contact key, kept in the world frame.
#pragma once

#include <span>

#include "cairn/simulator.hpp"

namespace cairn {

// lambda of `problem` from remembered impulses; new contacts start at zero. `contacts`: those of
// the problem, in order.
void recall(const Problem& problem, std::span<const Contact> contacts,
            std::span<const ContactMemory> memory, std::span<const double> joint_impulses,
            VecX& lambda);

// The impulses of a solution, contacts that carry none left out.
void remember(const Problem& problem, std::span<const Contact> contacts, const VecX& lambda,
              std::vector<ContactMemory>& memory, std::vector<double>& joint_impulses);

}  // namespace cairn
