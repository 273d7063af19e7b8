// Problem files: one complementarity problem as JSON, so that it can be mailed and solved alone
// (docs/problem-files.md).
#pragma once

#include <span>
#include <string>

#include "cairn/error.hpp"
#include "cairn/problem.hpp"
#include "cairn/solution.hpp"

namespace cairn::problem {

// Checks all that a user can get wrong and reports up to 20 faults at once. The constraints read
// have ids of kind file.
Result<Problem> read_problem(const std::string& file);
Result<Problem> parse_problem(const std::string& text, const std::string& file);

// `names` has one entry per constraint. Numbers are written so that reading gives the same bits.
// `attempts` tells which methods have been tried; readers pass over it. The file appears under its
// name only when it is complete.
Result<void> write_problem(const Problem& problem, std::span<const std::string> names,
                           const std::string& file, std::span<const SolveAttempt> attempts = {});
std::string problem_text(const Problem& problem, std::span<const std::string> names,
                         std::span<const SolveAttempt> attempts = {});

// Whether the text is meant as a problem file: it has the key "cairn_problem" at the top.
bool is_problem_text(const std::string& text);

}  // namespace cairn::problem
