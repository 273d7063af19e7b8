// Anitescu and Hart 2004: a point mass on a massless rod falls from the horizontal; how far Theta =
// |x|^2 - 1 strays without stabilisation, with it, and with projection.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "cairn/simulator.hpp"
#include "reproduce/experiment.hpp"

namespace cairn::reproduce {
namespace {

struct Drift {
  double max = 0, mean = 0, end = 0;  // of |Theta| [m^2]
  page::Curve curve;
};

Drift run_pendulum(const char* label, double h, int gamma, bool projection) {
  const Scene s =
      built_in_scene("pendulum", {fmt::format("simulation.scheme.gamma={}", gamma),
                                  fmt::format("simulation.scheme.projection={}", projection)});
  Simulator sim(s.model, *s.initial, s.simulation.scheme, s.simulation.solver, fixed_step);
  const auto steps = std::llround(s.simulation.duration / h);
  Drift d;
  d.curve.label = label;
  for (long long i = 0; i < steps; ++i) {
    sim.step(h);
    const Vec3 x = body_motion(*s.model, sim.state(), s.model->find_body("bob").value()).position;
    d.end = std::abs(x.squaredNorm() - 1);
    d.max = std::max(d.max, d.end);
    d.mean += d.end / static_cast<double>(steps);
    if (i % 4 == 0 && d.end > 1e-9) d.curve.points.emplace_back(sim.state().t, d.end);
  }
  return d;
}

}  // namespace

Reproduction hart_pendulum(const ReproduceSetting& setting) {
  Reproduction r;
  const double h = 0.01;
  const Drift original = run_pendulum("gamma = 0", h, 0, false),
              corrected = run_pendulum("gamma = 1", h, 1, false),
              projected = run_pendulum("projected", h, 1, true);
  // The paper draws the curves and prints their ratio.
  r.reference("independent program", "largest |Theta|, unstabilised, h = 0.01 [m^2]", 7.52e-1,
              original.max, 5e-4, 0.05);
  r.reference("independent program", "largest |Theta|, stabilised, h = 0.01 [m^2]", 1.96e-3,
              corrected.max, 5e-6, 1e-4);
  r.printed_about("001, example of drift: ratio \"gets to about 10^3\"",
                  "unstabilised at the end over the stabilised mean [-]", 1e3,
                  original.end / corrected.mean);
  r.closed_form("projection closes joints", "largest |Theta|, projected after each step [m^2]", 0,
                projected.max, 2e-15, 1e-14);

  // Orders of the two: drift O(h T), corrected O(h^2).
  std::vector<double> steps, drift, kept;
  for (int k = 0; k < (setting.fast ? 3 : 5); ++k) {
    steps.push_back(h / (1 << k));
    drift.push_back(run_pendulum("", steps.back(), 0, false).max);
    kept.push_back(run_pendulum("", steps.back(), 1, false).max);
  }
  r.closed_form("O(h T)", "order in h, unstabilised [-]", 1, fitted_slope(steps, drift), 0.1, 0.3);
  r.closed_form("O(h^2)", "order in h, stabilised [-]", 2, fitted_slope(steps, kept), 0.1, 0.3);
  r.draw("hart-pendulum.svg",
         {.title = "Pendulum, h = 0.01: |x^2 + y^2 - 1|", .y = "[m^2]", .log_y = true},
         {original.curve, corrected.curve});
  r.play("Without correction the rod grows", "pendulum",
         {"simulation.scheme.gamma=0", "simulation.scheme.projection=false"}, 10);
  r.play("With it", "pendulum", {"simulation.scheme.gamma=1", "simulation.scheme.projection=false"},
         10);
  return r;
}

}  // namespace cairn::reproduce
