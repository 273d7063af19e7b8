// Complementarity problems, their solutions and distances of bodies as Python sees them.
#pragma once

#include <optional>
#include <pybind11/pybind11.h>
#include <string>
#include <vector>

#include "cairn/reduced.hpp"
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

// A row of the structured array of constraints.
struct ConstraintRow {
  std::uint8_t law;
  std::int32_t rows, first_row, body_a, body_b, facets, tie;
  double mu, lo, hi;
};

// The answer to a problem of either kind.
struct Answer {
  VecX v, lambda, w;
  SolveStatus status = SolveStatus::not_certified;
  Certificate certificate;
  int iterations = 0;
  std::string method, message;
  double work = 0, tolerance = 0;
  std::vector<SolveAttempt> attempts;
};

// `tolerance`: of the solver; NaN: not known.
Answer answer_of(const Problem& problem, const Solution& solution, double tolerance);
// `options`: {"solver": {"type": ..., options}} as JSON text. `warm`: impulses to start from, or
// None.
Answer solve_whole(const Problem& problem, const std::string& options, const py::object& warm);
Answer solve_reduced(const ReducedProblem& problem, const std::string& options,
                     const py::object& warm);

py::dict certificate_of(const Certificate& certificate);

void bind_problem(py::module_& m);
void bind_reduced(py::module_& m);
void bind_solution(py::module_& m);
void bind_distance(py::module_& m);

}  // namespace cairn::python
