// The module cairn._cairn; the package cairn beside it is what users import.
#include <pybind11/pybind11.h>

#include "module/errors.hpp"
#include "module/problem.hpp"
#include "module/scene.hpp"
#include "module/simulator.hpp"
#include "module/state.hpp"
#include "module/trace.hpp"

PYBIND11_MODULE(_cairn, m) {
  namespace python = cairn::python;
  m.doc() = "Compiled part of the package cairn.";
  m.attr("__version__") = CAIRN_VERSION;
  python::bind_errors(m);
  python::bind_state(m);
  python::bind_scene(m);
  python::bind_options(m);
  python::bind_problem(m);
  python::bind_report(m);
  python::bind_simulator(m);
  python::bind_distance(m);
  python::bind_trace(m);
  python::bind_rollout(m);
}
