// Memory of impulses: warm start of the next solve by contact key, kept in the world frame.
#pragma once

#include <span>

#include "cairn/simulator.hpp"
#include "constrain/rows.hpp"

namespace cairn::constrain {

// lambda of `problem` from remembered impulses; new contacts start at zero. `contacts`: those of
// the problem, in order; `spins`: friction about them, after all contacts.
void recall(const Problem& problem, std::span<const Contact> contacts,
            std::span<const ContactMemory> memory, std::span<const double> joint_impulses,
            VecX& lambda, std::span<const SpinRows> spins = {},
            std::span<const ContactMemory> torques = {});

// The impulses of a solution, contacts that carry none left out.
void remember(const Problem& problem, std::span<const Contact> contacts, const VecX& lambda,
              std::vector<ContactMemory>& memory, std::vector<double>& joint_impulses,
              std::size_t spins = 0);
void remember_torques(const Problem& problem, std::span<const Contact> contacts,
                      std::span<const SpinRows> spins, const VecX& lambda,
                      std::vector<ContactMemory>& torques);

}  // namespace cairn::constrain
