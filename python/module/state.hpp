// States as Python sees them: values whose arrays can be looked at and changed in place.
#pragma once

#include <pybind11/pybind11.h>

#include "cairn/simulator.hpp"
#include "cairn/state.hpp"

namespace cairn::python {

namespace py = pybind11;

// A change of one body; what is not set stays. In the world, of the body frame.
struct BodyChange {
  const Vec3* position = nullptr;          // [m]
  const Quat* orientation = nullptr;       // [-]
  const Vec3* velocity = nullptr;          // of the origin [m/s]
  const Vec3* angular_velocity = nullptr;  // [rad/s]
};

// Velocities stay as they are where poses change, and the other way round. What the state remembers
// of contacts of a body that was moved is forgotten. Throws ValueError for what the body cannot do;
// the state may be half changed then.
void change_body(const Model& model, BodyId id, const BodyChange& change, State& state);

// What the state remembers of contacts of a body that was moved, and of impacts that a later step
// would still act on.
void forget_contacts(BodyId id, State& state);
void forget_impacts(const Body& body, BodyId id, State& state);

// Of norm 1 after normalisation; four numbers, the scalar first.
Quat quaternion(const py::handle& value, const std::string& what);

void bind_state(py::module_& m);

}  // namespace cairn::python
