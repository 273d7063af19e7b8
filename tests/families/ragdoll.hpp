// A ragdoll of eleven capsules and boxes, and trees of jointed bodies.
#pragma once

#include "families/scene_text.hpp"

namespace cairn::families {

// Lies on its back along x at the pose X_WR: torso, head, two arms and two legs of two parts each,
// on ball joints and hinges. `mass` is that of a limb [kg].
void add_ragdoll(Json& scene, const std::string& prefix, double mass, const Pose& X_WR,
                 Random& random);

}  // namespace cairn::families
