// One solver tried on one problem, and how the answer is told.
#pragma once

#include <string>

#include "cairn/solver.hpp"
#include "problem/files/problem_formats.hpp"
#include "terminal/json.hpp"

namespace cairn::app {

struct Attempt {
  SolverOptions solver;
  std::string refusal;  // why the solver does not take the problem; else empty
  SolveStatus status = SolveStatus::not_certified;
  Certificate certificate;
  std::string worst_row;  // name of the constraint with the largest residual
  const char* method = "";
  int iterations = 0, islands = 0, fallbacks = 0;
  double cpu_ms = 0;                  // processor time of the solve and its certificate
  double work = 0;                    // of the solve, in products of 6 x 6 blocks (E314)
  std::vector<SolveAttempt> methods;  // tried one after the other
  int left_out = 0;                   // of them
  VecX v, lambda, w;                  // v of a full problem, w of a reduced one

  bool certified() const { return refusal.empty() && status == SolveStatus::solved; }
};

Attempt attempt(const problem::AnyProblem& problem, const SolverOptions& solver,
                const Interrupt& interrupt);

// {"status", "solver", "iterations", "cpu_ms", "certificate": {...}, ...}
Json as_json(const Attempt& attempt);

// The certificate's residuals by name.
Json residuals(const Certificate& certificate);

}  // namespace cairn::app
