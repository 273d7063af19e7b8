// The module cairn._cairn; the package cairn beside it is what users import.
#include <pybind11/pybind11.h>
#include <thread>

#include "module/errors.hpp"
#include "module/live.hpp"
#include "module/problems/problem.hpp"
#include "module/robot/robot.hpp"
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

// An object whose __init__ was left out, as T.__new__(T) makes it, has no value: pybind11 would
// take fresh memory for one when it is first used.
void refuse_objects_without_value(const pybind11::module_& m) {
  for (const auto& [name, member] : m.attr("__dict__").cast<pybind11::dict>())
    if (PyType_Check(member.ptr()))
      if (auto* type =
              pybind11::detail::get_type_info(reinterpret_cast<PyTypeObject*>(member.ptr())))
        type->operator_new = [](std::size_t) -> void* {
          throw pybind11::type_error("this object was never initialised: __init__ was not called");
        };
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
  python::bind_robot(m);
  python::bind_live(m);
  python::bind_distance(m);
  python::bind_trace(m);
  python::bind_rollout(m);
  refuse_objects_without_value(m);
  pybind11::module_::import("atexit").attr("register")(pybind11::cpp_function(end_computations));
}
