// Anitescu 2003, section V: 66 discs in a cannonball arrangement collapse. The paper's active set
// missed contacts and penetrated by 8 cm; a complete one does not, since gaps of discs are convex.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "cairn/simulator.hpp"
#include "reproduce/experiment.hpp"

namespace cairn::reproduce {
namespace {

struct Pile {
  int touching = 0;  // contacts at the start
  int uncertified = 0;
  int most_new = 0;        // contacts that begin to carry an impulse in one step
  double penetration = 0;  // [m]
  double rise = 0;         // of the total energy in a step, over that at the start [-]
  double start = 0;        // [J]
  page::Curve energy;
};

Pile run_cannonball(double restitution, int steps) {
  const Scene s = built_in_scene("cannonball66",
                                 {fmt::format("materials.default.restitution={}", restitution)});
  Simulator sim(s.model, *s.initial, s.simulation.scheme, s.simulation.solver, fixed_step);
  Pile p;
  p.start = sim.kinetic_energy() + sim.potential_energy();
  p.energy.label = fmt::format("e = {}", restitution);
  int last = 0;
  for (int i = 0; i < steps; ++i) {
    const StepReport& report = sim.step(s.simulation.step);
    if (i == 0)
      for (const ContactReport& c : report.contacts) p.touching += std::abs(c.contact.gap) <= 1e-13;
    p.uncertified += report.failed() || !report.verdict.solve.ok;
    p.penetration = std::max(p.penetration, report.penetration);
    p.rise = std::max(p.rise, report.ledger.rise() / p.start);
    if (i > 0) p.most_new = std::max(p.most_new, report.active_contacts - last);
    last = report.active_contacts;
    p.energy.points.emplace_back(report.t, report.ledger.kinetic_end + report.ledger.potential_end);
  }
  return p;
}

}  // namespace

Reproduction anitescu_cannonball66(const ReproduceSetting& setting) {
  Reproduction r;
  const int steps = setting.fast ? 60 : 400;
  const Pile paper = run_cannonball(0.4, steps), inelastic = run_cannonball(0, steps);
  r.closed_form("11 + 55 + 110", "contacts at the start", 176, paper.touching, 0, 0);
  r.printed_at_most("000, V: maximum \"about 8 centimeters\"", "largest penetration, e = 0.4 [m]",
                    0.08, paper.penetration);
  r.closed_form("gaps of discs are convex", "the same, complete active set [m]", 0,
                paper.penetration, 1e-7, 1e-6);
  r.at_most("steps that were not certified at 1e-8", 0, paper.uncertified + inelastic.uncertified,
            0);
  r.at_most("largest rise of energy in a step, e = 0, of that at the start [-]", 1e-9,
            inelastic.rise, 1e-6);
  r.at_most("the same, e = 0.4 with the energy guard [-]", 1e-9, paper.rise, 1e-6);
  r.notes.push_back(fmt::format(
      "the paper saw at most 7 new contacts in a step; here the number of contacts that carry an "
      "impulse grew by at most {}: mass, gravity, plank and walls are our choice",
      paper.most_new));
  r.draw("anitescu-cannonball66.svg",
         {.title = "66 discs: kinetic plus potential energy", .y = "[J]", .log_y = true},
         {paper.energy, inelastic.energy});
  r.play("66 discs collapse", "cannonball66", {}, 20);
  return r;
}

}  // namespace cairn::reproduce
