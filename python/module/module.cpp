// The module cairn._cairn; the package cairn beside it is what users import.
#include <pybind11/pybind11.h>
#include <thread>

#include "module/errors.hpp"
#include "module/problem.hpp"
#include "module/scene.hpp"
#include "module/signals.hpp"
#include "module/simulator.hpp"
#include "module/state.hpp"
#include "module/trace.hpp"

namespace {

// Threads that compute are asked to end, and given some time to.
void end_computations() {
  using cairn::python::Computation;
  const pybind11::gil_scoped_release released;
  Computation::ending = true;
  for (int i = 0; i < 5000 && Computation::running > 0; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

}  // namespace

PYBIND11_MODULE(_cairn, m) {
  namespace python = cairn::python;
  m.doc() = "Compiled part of the package cairn.";
  m.attr("__version__") = CAIRN_VERSION;
  python::bind_errors(m);
  python::bind_model(m);
  python::bind_state(m);
  python::bind_scene(m);
  python::bind_options(m);
  python::bind_solution(m);
  python::bind_reduced(m);
  python::bind_problem(m);
  python::bind_report(m);
  python::bind_simulator(m);
  python::bind_distance(m);
  python::bind_trace(m);
  python::bind_rollout(m);
  pybind11::module_::import("atexit").attr("register")(pybind11::cpp_function(end_computations));
}
