// The conventions of problems, islands and answers, checked where CAIRN_DCHECKS is on.
#pragma once

#include "base/conventions.hpp"
#include "cairn/reduced.hpp"
#include "cairn/solution.hpp"
#include "problem/islands.hpp"

namespace cairn::problem {

#ifdef CAIRN_DCHECKS
void dcheck_problem(const Problem& problem);
// Constraints of a step stand in the order of their keys, and no two have the same.
void dcheck_keys(const Problem& problem);
void dcheck_reduced(const ReducedProblem& problem);
// Every body is in one island, every constraint in that of its bodies.
void dcheck_islands(const Problem& problem, const Islands& islands);
// Sizes, and a verdict that fits its figures.
void dcheck_solution(const Problem& problem, const Solution& solution, double tolerance);
#else
inline void dcheck_problem(const Problem&) {}
inline void dcheck_keys(const Problem&) {}
inline void dcheck_reduced(const ReducedProblem&) {}
inline void dcheck_islands(const Problem&, const Islands&) {}
inline void dcheck_solution(const Problem&, const Solution&, double) {}
#endif

}  // namespace cairn::problem
