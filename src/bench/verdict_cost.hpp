// What the checks of the verdict cost: CPU time of each of them over steps of a scene.
#pragma once

#include <string>
#include <vector>

#include "cairn/scene.hpp"

namespace cairn::bench {

struct CheckCost {
  std::string name;
  double ms = 0;           // of a step, mean
  double share = 0;        // of the CPU time of a step [-]
  double per_contact = 0;  // [us]
};

struct VerdictCost {
  std::string scene;
  int steps = 0;                  // that were measured
  double contacts = 0;            // of a step, mean
  double step_ms = 0;             // CPU time of a step with its verdict, mean
  double refused = 0;             // share of the steps that were not accepted [-]
  std::vector<CheckCost> checks;  // the last one: all together
};

// Runs `skip` steps, then measures `steps` of them; `seconds` reads a CPU clock. A residual is
// judged once more for each solve of a step, on the problem and the answer in the report.
VerdictCost verdict_cost(const Scene& scene, int skip, int steps, double (*seconds)());

}  // namespace cairn::bench
