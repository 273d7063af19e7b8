// Robot quantities for Python: the independent velocities of a mechanism at one state.
#pragma once

#include <pybind11/pybind11.h>

namespace cairn::python {

void bind_robot(pybind11::module_& m);

}  // namespace cairn::python
