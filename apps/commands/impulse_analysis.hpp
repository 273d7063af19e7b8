// What --rank, --least-norm, --intervals and --jamming ask about the impulses of a solved problem,
// and how it is told.
#pragma once

#include <optional>
#include <string>

#include "cairn/solution_set.hpp"
#include "commands/commands.hpp"
#include "terminal/attempt.hpp"

namespace cairn::app {

struct ImpulseAnalysis {
  bool skipped = false;  // the solution is not certified: only jamming can be told
  std::optional<ActiveRank> rank;
  std::optional<LeastNorm> least_norm;
  bool taken = false;  // the answer has the impulses of least norm
  std::optional<ImpulseIntervals> intervals;
  std::optional<Jamming> jamming;
  VecX lambda;    // of the answer
  Errors errors;  // a limit that was met
};

bool asks_for_analysis(const SolveOptions& options);

// With --least-norm the answer's impulses and certificate become those of least norm, if that is
// within the solver's tolerance.
ImpulseAnalysis analyse(const problem::AnyProblem& problem, const SolveOptions& options,
                        Attempt& answer);

std::string as_text(const problem::AnyProblem& problem, const ImpulseAnalysis& analysis);
void add_analysis(const problem::AnyProblem& problem, const ImpulseAnalysis& analysis, Json& json);

std::string constraint_name(const problem::AnyProblem& problem, std::size_t constraint);

}  // namespace cairn::app
