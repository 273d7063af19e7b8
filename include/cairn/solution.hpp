// The answer to a Problem and the judgement on it.
#pragma once

#include <string>
#include <vector>

#include "cairn/problem.hpp"

namespace cairn {

// How well (v, lambda) meets the laws, computed from the problem alone (docs/equations.md, E10 to
// E16). The scaled residuals are dimensionless; the physical ones stand beside them.
struct Certificate {
  double momentum = 0;         // |A v - k - J^T lambda| [-]
  double equality = 0;         // |w| on equality rows [-]
  double gap_velocity = 0;     // -min(0, w_n) [-]
  double normal_impulse = 0;   // -min(0, lambda_n) [-]
  double complementarity = 0;  // |lambda . w_hat| [-]
  double cone = 0;             // distance of lambda from its cone or box [-]
  double natural_map = 0;      // |lambda - P(lambda - w_hat)| [-]
  double worst = 0;            // the largest of the above [-]
  int worst_constraint = -1;   // where; -1: momentum balance, or no constraint at all

  double momentum_impulse = 0;        // [N s or N m s]
  double equality_velocity = 0;       // [m/s or rad/s]
  double least_gap_velocity = 0;      // min over unilateral rows of w_n [m/s]
  double least_normal_impulse = 0;    // [N s]
  double complementarity_energy = 0;  // [J]

  bool finite = true;  // no NaN or infinity anywhere
  bool within(double tolerance) const { return finite && worst <= tolerance; }
};

// v and lambda in the problem's units. Throws std::invalid_argument where their sizes are not those
// of the problem.
Certificate certify(const Problem& problem, const VecX& v, const VecX& lambda);

enum class SolveStatus : std::uint8_t {
  solved,
  not_certified,
  ray,          // not certified, and complementary pivoting met nothing but rays: often there is no
                // solution
  interrupted,  // not certified, and the caller asked for an end
  internal_error,  // a check of the program failed, a fault of ours: there is no answer
};
const char* name(SolveStatus status);

// One method on one island, as `auto` tries them one after the other.
struct SolveAttempt {
  const char* method = "";
  int island = 0;      // in the order of solving, the smallest first
  int iterations = 0;  // sweeps, Newton steps or pivots
  double before = 0;   // the solvers' estimate of the residual at its start [-]
  double after = 0;    // and of what it left [-]
  double work = 0;     // products of 6 x 6 blocks (E314)
};

struct Solution {
  VecX v;
  VecX lambda;
  SolveStatus status = SolveStatus::not_certified;
  Certificate certificate;
  int iterations = 0;  // sweeps, Newton steps and pivots of all islands together
  int islands = 0;
  int fallbacks = 0;           // islands in which the first method of auto was not enough
  const char* method = "";     // the last method that had to be used
  double work = 0;             // of all islands, in products of 6 x 6 blocks (E314)
  bool out_of_budget = false;  // ended by the work budget of the step
  std::vector<SolveAttempt> attempts;
  int attempts_left_out = 0;  // of islands that one method solved, where there are many of them
  std::string message;        // of status internal_error; empty otherwise
};

}  // namespace cairn
