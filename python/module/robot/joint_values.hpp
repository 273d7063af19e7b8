// Coordinates of joints and their rates, given by Python, as the poses and velocities of a state.
#pragma once

#include <pybind11/pybind11.h>
#include <vector>

#include "cairn/robot/coordinates.hpp"

namespace cairn::python {

namespace py = pybind11;

// A dict of values by name or number, or an array over all joints, in which what joints without
// coordinate have is ignored.
std::vector<JointValue> joint_values(const Model& model, const py::handle& given, const char* what);

// Moves a mechanism to coordinates and rates. Other coordinates keep their values where the joints
// allow it, what floats keeps the pose of its first body, and rates stay where none are given
// (E965). Throws Failure; the state may be half changed then.
void set_joints(const Model& model, const std::vector<JointValue>& positions,
                const std::vector<JointValue>& velocities, State& state);

// Throws ValueError for states of other models and for numbers that are not finite.
void require_usable(const Model& model, const State& state);

// Throws cairn.Error for models that are too large for dense matrices.
void require_small(const Model& model);

}  // namespace cairn::python
