// Gears as rows of a problem (E871): one equality over the bodies of all its joints.
#pragma once

#include "constrain/drives.hpp"

namespace cairn::constrain {

// Appends the row of gear `number`, unless it moves no body. b = gamma error / h + motion.
void add_gear(const Model& model, std::span<const Pose> poses, std::span<const Pose> poses_end,
              const ProblemLayout& layout, std::size_t number, double gamma, double h,
              Problem& problem, std::vector<JointRowTerms>& terms,
              PrescribedMotion motion = PrescribedMotion::chord);

}  // namespace cairn::constrain
