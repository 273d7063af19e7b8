// Every problem file that Cairn reads or writes, told apart by its content (docs/problem-files.md).
#pragma once

#include <string>
#include <variant>

#include "cairn/error.hpp"
#include "cairn/reduced.hpp"

namespace cairn::problem {

using AnyProblem = std::variant<Problem, ReducedProblem>;

struct ProblemFile {
  AnyProblem problem;
  const char* format = "";  // in words
};

// Whether the bytes are meant as a problem file of some format.
bool is_any_problem(const std::string& bytes);

Result<ProblemFile> read_any_problem(const std::string& file);
Result<ProblemFile> parse_any_problem(const std::string& text, const std::string& file);

// The ending of the name decides: .json, or .hdf5 and .h5 for FCLIB, which holds contacts only.
Result<void> write_any_problem(const AnyProblem& problem, const std::string& file);

}  // namespace cairn::problem
