// Recordings as Python sees them.
#pragma once

#include <pybind11/pybind11.h>

namespace cairn::python {

void bind_trace(pybind11::module_& m);
void bind_rollout(pybind11::module_& m);

}  // namespace cairn::python
