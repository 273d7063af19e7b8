// Efforts of motors at joints: a torque about the axis of a revolute joint, a force along that of a
// prismatic one, on the second body, and its opposite on the first.
#pragma once

#include <span>
#include <vector>

#include "cairn/simulator.hpp"

namespace cairn::python {

// Appends the forces of all joints whose effort is not zero, at the poses of the state. `efforts`:
// beside Model::joints [N m], [N]. Throws py::value_error for an effort that is not finite, or of a
// joint without a coordinate.
void add_efforts(const Model& model, const State& state, std::span<const double> efforts,
                 std::vector<ExternalForce>& forces);

}  // namespace cairn::python
