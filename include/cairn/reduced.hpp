// A problem seen from its constraints alone (docs/equations.md, E5): w = W lambda + q and a law
// between w and lambda for each constraint. Linear complementarity problems, mixed ones and
// contact problems of other programs come in this form; a Problem has W = J A^-1 J^T and
// q = J A^-1 k + b.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "cairn/problem.hpp"
#include "cairn/solution.hpp"

namespace cairn {

struct ReducedConstraint {
  Law law = Law::equality;
  int rows = 1;
  double mu = 0;                                             // coulomb [-]
  int facets = 0;                                            // as in Constraint
  double lo = 0, hi = 0;                                     // box
  std::shared_ptr<const FrictionPolygon> section = nullptr;  // as in Constraint
};

// W in blocks, row by row: the blocks of constraint i are first_block[i] .. first_block[i + 1),
// columns ascending. Unused rows and columns of a block are zero. W need not be symmetric.
struct ReducedProblem {
  struct Block {
    int column = 0;  // constraint
    double value[max_rows][max_rows] = {};
  };
  std::vector<ReducedConstraint> constraints;
  std::vector<int> first_row;  // constraints + 1 entries
  std::vector<int> first_block;
  std::vector<Block> blocks;
  VecX q;
  std::vector<std::string> names;  // of the constraints, or empty

  int rows() const { return first_row.empty() ? 0 : first_row.back(); }
};

// The constraints' view of a problem, by elimination of the velocities.
ReducedProblem reduce(const Problem& problem);

// w = W lambda + q; the fields momentum and momentum_impulse stay zero.
Certificate certify(const ReducedProblem& problem, const VecX& lambda);

struct ReducedSolution {
  VecX lambda;
  VecX w;
  SolveStatus status = SolveStatus::not_certified;
  Certificate certificate;
  int iterations = 0;
  int islands = 0;
  int fallbacks = 0;
  const char* method = "";
  std::string message;  // of status internal_error; empty otherwise
};

}  // namespace cairn
