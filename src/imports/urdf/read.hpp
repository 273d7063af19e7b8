// URDF: a tree of links and joints.
#pragma once

#include "cairn/scene.hpp"
#include "imports/messages.hpp"
#include "imports/robot.hpp"

namespace cairn::imports {

// Faults go to `messages`; `folder` is that of the file.
Robot read_urdf(const Element& root, const std::string& folder, const ImportOptions& options,
                Messages& messages);

// Fixed-axis rotations about x, y, z in this order [rad].
Quat from_rpy(const Vec3& rpy);

}  // namespace cairn::imports
