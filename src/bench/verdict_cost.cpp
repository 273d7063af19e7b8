#include "bench/verdict_cost.hpp"

#include <algorithm>

#include "cairn/simulator.hpp"

namespace cairn::bench {

VerdictCost verdict_cost(const Scene& scene, int skip, int steps, double (*seconds)()) {
  Simulator sim(scene.model, *scene.initial, scene.simulation.scheme, scene.simulation.solver,
                scene.simulation.verdict);
  sim.set_clock(seconds);
  VerdictCost cost;
  cost.scene = scene.name;
  double total = 0, residuals = 0, contacts = 0;
  StepReport::Seconds::Checks checks;
  for (int i = 0; i < skip + steps; ++i) {
    const StepReport& report = sim.step(scene.simulation.step);
    if (report.failed()) break;
    if (i < skip) continue;
    ++cost.steps;
    total += report.seconds.total;
    checks += report.seconds.checks;
    contacts += static_cast<double>(report.contacts.size());
    cost.refused += report.accepted() ? 0 : 1;
    const double start = seconds();
    for (const SolveRecord& solve : report.solved())
      certify(solve.problem, solve.solution.v, solve.solution.lambda);
    residuals += seconds() - start;
  }
  const double n = std::max(1, cost.steps);
  cost.step_ms = 1e3 * total / n;
  cost.contacts = contacts / n;
  cost.refused /= n;
  const auto add = [&](const char* name, double time) {
    cost.checks.push_back({name, 1e3 * time / n, total > 0 ? time / total : 0,
                           contacts > 0 ? 1e6 * time / contacts : 0});
  };
  add("residual of every solve", residuals);
  add("overlap at the end", checks.overlap);
  add("overlap on the way", checks.sweep);
  add("prescribed motion", checks.prescribed);
  add("joints", checks.joints);
  add("momentum", checks.momentum);
  add("energy", checks.energy);
  add("all together", residuals + checks.total());
  return cost;
}

}  // namespace cairn::bench
