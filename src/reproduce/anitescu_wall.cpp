// Anitescu 2003, section III.D: a ball with v = 1 flies from x = 0 against a wall at x = 1 without
// gravity. Restitution one step later with the velocity of the contact step leaves it with
// -e (1/h - ceil(1/h) + 1); corrected, (4.10), with -e for any step.
#include <cmath>
#include <fmt/format.h>

#include "cairn/simulator.hpp"
#include "reproduce/experiment.hpp"

namespace cairn::reproduce {
namespace {

constexpr double scene_restitution = 0.3;  // of the scene [-]

double final_velocity(const char* restitution, double h) {
  const Scene s =
      built_in_scene("wall", {fmt::format("simulation.scheme.restitution={}", restitution),
                              fmt::format("simulation.step={}", h)});
  Simulator sim(s.model, *s.initial, s.simulation.scheme, s.simulation.solver, fixed_step);
  for (int i = 0; i < static_cast<int>(s.simulation.duration / h); ++i) sim.step(h);
  return body_motion(*s.model, sim.state(), s.model->find_body("ball").value()).velocity.x();
}

}  // namespace

Reproduction anitescu_wall(const ReproduceSetting&) {
  Reproduction r;
  for (const double h : {0.3, 0.07, 0.013, 0.0027}) {
    const double uncorrected = -scene_restitution * (1 / h - std::ceil(1 / h) + 1);
    // Positions and gaps are sums of 1/h terms near 1.
    const double rounding = 1e-15 / h / h;
    r.closed_form("-e (1/h - ceil(1/h) + 1), 000, III.D",
                  fmt::format("final velocity, uncorrected, h = {} [m/s]", h), uncorrected,
                  final_velocity("delayed_uncorrected", h), rounding, 1e-6);
    r.closed_form("-e, 000, III.D",
                  fmt::format("final velocity, corrected (4.10), h = {} [m/s]", h),
                  -scene_restitution, final_velocity("delayed", h), rounding, 1e-6);
    r.closed_form("-e", fmt::format("final velocity, completed in the step, h = {} [m/s]", h),
                  -scene_restitution, final_velocity("completed", h), rounding, 1e-6);
  }
  r.play("A ball and a wall", "wall", {}, 2);
  return r;
}

}  // namespace cairn::reproduce
