// Rows along the coordinates of joints: motors and dry friction of bounded impulse (E763), motors
// with gains, springs, dampers and rotors as compliant rows (E872 to E874).
#pragma once

#include <span>
#include <vector>

#include "constrain/joints.hpp"

namespace cairn::constrain {

// What a row brings into the problem beside the motion of free bodies; angles are multiplied by the
// model's length unit.
struct DriveRow {
  double motion = 0;  // rate of the coordinate by prescribed motion [m/s]
  double target = 0;  // b = motion - target [m/s]
  double drag = 0;    // of a damper: impulse per rate [kg]
};

// One row along the coordinate of a joint, without law, bounds and b. False: it moves no body.
bool coordinate_row(const Model& model, std::span<const Pose> poses, const ProblemLayout& layout,
                    JointId id, Constraint& row);

// Rate of a coordinate by the motion of prescribed bodies [m/s, angles as lengths].
double prescribed_coordinate_rate(const Model& model, std::span<const Pose> poses,
                                  std::span<const Pose> poses_end, const Joint& joint, double h,
                                  PrescribedMotion motion);

struct DriveInputs {
  double t = 0, h = 0;  // of the step [s]
  PrescribedMotion motion = PrescribedMotion::chord;
  std::span<const MotorTarget> targets;  // in place of functions of time
  const VecX* v = nullptr;               // at the beginning of the step: what rotors turn with
};

// Appends the rows of a step: of all motors, then of all friction, springs and rotors. Rows that
// move no body are left out.
void add_drives(const Model& model, std::span<const Pose> poses, std::span<const Pose> poses_end,
                const ProblemLayout& layout, const DriveInputs& in, Problem& problem,
                std::vector<DriveRow>& drives);

// Energy of the rotors [J].
double rotor_energy(const Model& model, std::span<const Pose> poses, const VecX& v);

}  // namespace cairn::constrain
