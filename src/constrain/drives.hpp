// Motors and dry friction of joints as rows of bounded impulse along their coordinates (E763).
#pragma once

#include <span>
#include <vector>

#include "constrain/joints.hpp"

namespace cairn::constrain {

// What a row brings into the problem beside the motion of free bodies; angles are multiplied by the
// model's length unit.
struct DriveRow {
  double motion = 0;  // rate of the coordinate by prescribed motion [m/s]
  double target = 0;  // rate that a motor keeps [m/s]
};

// One row along the coordinate of a joint, without law, bounds and b. False: it moves no body.
bool coordinate_row(const Model& model, std::span<const Pose> poses, const ProblemLayout& layout,
                    JointId id, Constraint& row);

// Appends the rows of a step of length h from time t: of all motors, then of all friction. Rows
// that move no body are left out. `targets` stand in place of functions of time.
void add_drives(const Model& model, std::span<const Pose> poses, std::span<const Pose> poses_end,
                const ProblemLayout& layout, double t, double h, PrescribedMotion motion,
                std::span<const MotorTarget> targets, Problem& problem,
                std::vector<DriveRow>& drives);

}  // namespace cairn::constrain
