// Reactions and coordinates of joints after a step (E762), from its solves. Reads states and
// report, writes one entry a joint.
#pragma once

#include "cairn/simulator.hpp"

namespace cairn::simulate {

// `start`: poses at the beginning of the step; `end`: the state after it. A report whose solves are
// not recorded gives coordinates alone.
void report_joints(const Model& model, std::span<const Pose> start, const State& end,
                   const StepReport& report, std::vector<JointReport>& out);

}  // namespace cairn::simulate
