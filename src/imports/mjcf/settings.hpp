// What <compiler> sets, and poses as it says that they are written.
#pragma once

#include "imports/mjcf/defaults.hpp"
#include "imports/robot.hpp"

namespace cairn::imports {

enum class InertiaFromGeom { automatic, always, never };

struct MjcfSettings {
  bool degrees = true, autolimits = true, balance_inertia = false;
  std::string euler_sequence = "xyz", mesh_folder;
  InertiaFromGeom inertia = InertiaFromGeom::automatic;
  double bound_mass = 0, bound_inertia = 0, total_mass = -1;
  int first_group = 0, last_group = 5;  // of geoms that have mass

  double angle(double x) const;  // in radians
};

void read_compiler(const Element& compiler, MjcfSettings& settings, Messages& messages);

// pos with quat, axisangle, xyaxes, zaxis or euler.
Pose read_pose(const Element& element, const MjcfSettings& settings, Messages& messages);

}  // namespace cairn::imports
