// One frame for the player from a state and the report of its step.
#pragma once

#include <span>

#include "play/clip.hpp"

namespace cairn::play {

std::vector<BodyId> moving_bodies(const Model& model);  // all that are not fixed

ClipFigures figures_of(const StepReport& report);

// Figures of the steps of `older` and `newer` together, `newer` being the frame that stays.
ClipFigures join(const ClipFigures& older, const ClipFigures& newer);

// Time, step and bodies. `before`: poses of the state a step of length h ago, empty at the start;
// left at those of this state. Prescribed bodies show their mean velocity over the step.
void fill_bodies(const Model& model, const State& state, double h, std::span<const BodyId> moving,
                 std::vector<Pose>& before, ClipFrame& frame);

// The contacts that carry a force, the strongest `limit` of them, with the forces that are shown;
// returns how many were left out. `order` is memory.
std::int64_t take_contacts(const StepReport& report, const ShownForces& forces, std::size_t limit,
                           std::vector<std::int32_t>& order, std::vector<ClipContact>& contacts);

}  // namespace cairn::play
