// Reduced problems as JSON (docs/problem-files.md).
#pragma once

#include <string>

#include "cairn/error.hpp"
#include "cairn/reduced.hpp"

namespace cairn::problem {

// Checks all that a user can get wrong and reports up to 20 faults at once.
Result<ReducedProblem> parse_reduced(const std::string& text, const std::string& file);

// Numbers are written so that reading gives the same bits.
std::string reduced_text(const ReducedProblem& problem);

}  // namespace cairn::problem
