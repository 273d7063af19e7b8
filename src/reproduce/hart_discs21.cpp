// Anitescu and Hart 2004: 21 discs in a cannonball arrangement, stabilised, with a complete active
// set.
#include <algorithm>
#include <cmath>

#include "cairn/simulator.hpp"
#include "reproduce/experiment.hpp"

namespace cairn::reproduce {

Reproduction hart_discs21(const ReproduceSetting& setting) {
  Reproduction r;
  const Scene s = built_in_scene("cannonball21");
  Simulator sim(s.model, *s.initial, s.simulation.scheme, s.simulation.solver, fixed_step);
  const double start = sim.kinetic_energy() + sim.potential_energy();
  int touching = 0, uncertified = 0;
  double penetration = 0, rise = 0;
  page::Curve energy{"kinetic plus potential", {}};
  for (int i = 0; i < (setting.fast ? 60 : 200) && !setting.stopped(); ++i) {
    const StepReport& report = sim.step(s.simulation.step);
    if (i == 0)
      for (const ContactReport& c : report.contacts) touching += std::abs(c.contact.gap) <= 1e-13;
    uncertified += report.failed() || !report.verdict.solve.ok;
    penetration = std::max(penetration, report.penetration);
    rise = std::max(rise, report.ledger.rise() / start);
    energy.points.emplace_back(report.t, report.ledger.kinetic_end + report.ledger.potential_end);
  }
  r.closed_form("6 + 15 + 30", "contacts at the start", 51, touching, 0, 0);
  r.closed_form("gaps of discs are convex", "largest penetration [m]", 0, penetration, 1e-7, 1e-6);
  r.at_most("steps that were not certified at 1e-8", 0, uncertified, 0);
  r.at_most("largest rise of energy in a step, of that at the start [-]", 1e-9, rise, 1e-6);
  r.draw("hart-discs21.svg", {.title = "21 discs: energy", .y = "[J]", .log_y = true}, {energy});
  r.play("21 discs collapse", "cannonball21", {}, 10);
  return r;
}

}  // namespace cairn::reproduce
