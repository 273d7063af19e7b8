// Solvers against each other on the same problems: CPU time to reach each accuracy, judged by the
// certificate.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "cairn/solver.hpp"

namespace cairn::bench {

inline constexpr std::array race_levels = {1e-3, 1e-4, 1e-8, 1e-12};

struct RaceCase {
  std::string name = {};
  Problem problem = {};
  VecX warm = {};      // empty: cold start
  bool dense = false;  // a packing, whose factor is dense: methods that only factor do not run
};

struct RaceSolver {
  std::string name;  // "gs": Gauss-Seidel without acceleration
  SolverOptions options;
  bool factors = false;  // every iteration is a factorisation
};

struct RaceTime {
  bool run = false;     // not run where the level before was missed
  bool solved = false;  // says the certificate
  double ms = 0;        // CPU time of solve(), the certificate included; the best of some repeats
  double residual = 0;  // worst scaled residual
  int iterations = 0;
};
using RaceTimes = std::array<RaceTime, race_levels.size()>;

// Times to aim for: `level` of case `name` within `ms` on one core.
struct RaceTarget {
  std::string name;
  double level, ms;
};

std::vector<std::string> race_case_names();
RaceCase race_case(const std::string& name);
std::vector<RaceSolver> race_solvers();
std::vector<RaceTarget> race_targets();

// `seconds` reads a CPU clock.
RaceTimes race(const RaceCase& contest, const RaceSolver& solver, double (*seconds)());

}  // namespace cairn::bench
