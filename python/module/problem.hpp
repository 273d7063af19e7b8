// Complementarity problems, their solutions and distances of bodies as Python sees them.
#pragma once

#include <pybind11/pybind11.h>

#include <optional>
#include <string>
#include <vector>

#include "cairn/simulator.hpp"

namespace cairn::python {

namespace py = pybind11;

// A problem that is known as a whole, with the solution that a step found for it.
struct SolvedProblem {
  Problem problem;
  std::optional<Solution> solution;
  std::vector<std::string> names;  // of the constraints

  explicit SolvedProblem(Problem p);
  SolvedProblem(Problem p, Solution s, const Model& model);
};

void bind_problem(py::module_& m);
void bind_distance(py::module_& m);

}  // namespace cairn::python
