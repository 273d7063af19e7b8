// Potra et al. 2006: two carts and a stopper with ever stiffer dampers and springs (10.3, Figures 6
// and 7), and the ball between closing walls (7.1).
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "cairn/simulator.hpp"
#include "reproduce/experiment.hpp"

namespace cairn::reproduce {
namespace {

constexpr double standing = 1e-15;  // rounding of the carts' speed at the start [m/s]

struct CartsOutcome {
  double variation = 0;  // of x2 - x1, or of x1 [m]
  double rise = 0;       // largest of the energy in a step [J]
  int alternations = 0;  // steps of the last half that change the sign of the stiff velocity, as
                         // the step before them did
  double initial = 0, highest = 0;  // energies [J]
  page::Curve distance, energy;
};

CartsOutcome run_carts(bool damper, double stiff, bool damped, double h = 0.01) {
  std::vector<std::string> set = {fmt::format("simulation.scheme.damp_stiff={}", damped)};
  if (damper) {
    set.push_back(fmt::format("forces[1].damping={}", stiff));
  } else {
    for (const char* text :
         {"bodies[1].position=[0.2,0,0]", "bodies[2].position=[5.2,0,0]",
          "bodies[1].velocity=[-3,0,0]", "bodies[2].velocity=[-3,0,0]", "forces[1].damping=10"})
      set.emplace_back(text);
    set.push_back(fmt::format("forces[0].stiffness={}", stiff));
  }
  const Scene s = built_in_scene("carts", set);
  Simulator sim(s.model, *s.initial, s.simulation.scheme, s.simulation.solver, fixed_step);
  const BodyId left = s.model->find_body("left").value(),
               right = s.model->find_body("right").value();
  CartsOutcome out;
  out.initial = out.highest = sim.kinetic_energy() + sim.potential_energy();
  const auto steps = static_cast<int>(std::lround((damper ? 4 : 2) / h));
  double lo = 1e300, hi = -1e300, last = 0;
  bool turned = false;
  for (int i = 0; i < steps; ++i) {
    const Ledger& l = sim.step(h).ledger;
    const BodyMotion a = body_motion(*s.model, sim.state(), left),
                     b = body_motion(*s.model, sim.state(), right);
    const double energy = l.kinetic_end + l.potential_end;
    out.rise = std::max(out.rise, energy - l.kinetic_start - l.potential_start);
    out.highest = std::max(out.highest, energy);
    const double x = damper ? b.position.x() - a.position.x() : a.position.x() - 0.2;
    const double v = damper ? b.velocity.x() - a.velocity.x() : a.velocity.x();
    lo = std::min(lo, x);
    hi = std::max(hi, x);
    if (std::abs(v) > standing) {
      const bool turns = v * last < 0;
      if (2 * i >= steps && turns && turned) ++out.alternations;
      turned = turns;
      last = v;
    }
    out.distance.points.emplace_back(sim.state().t, x);
    out.energy.points.emplace_back(sim.state().t, energy);
  }
  out.variation = hi - lo;
  return out;
}

}  // namespace

Reproduction potra_carts(const ReproduceSetting& setting) {
  Reproduction r;
  for (const bool damper : {true, false}) {
    const char* name = damper ? "delta" : "gamma";
    std::vector<page::Curve> distances, energies;
    for (const double stiff : {1e2, damper ? 1e3 : 1e4, 1e6}) {
      if (setting.stopped()) return r;
      const CartsOutcome plain = run_carts(damper, stiff, false),
                         damped = run_carts(damper, stiff, true);
      const auto label = [&](const char* what) {
        return fmt::format("{}, {} = {:.0e}", what, name, stiff);
      };
      r.at_most(label("(68): largest rise of the energy in a step [J]"), 1e-14, plain.rise, 1e-12);
      r.at_most(label("damped: largest rise of the energy in a step [J]"), 1e-14, damped.rise,
                1e-12);
      r.at_most(label("(68): highest energy beyond the initial one [J]"), 1e-14,
                plain.highest - plain.initial, 1e-12);
      if (stiff == 1e6)
        r.at_most(label("damped: alternations of the stiff velocity, second half"), 0,
                  damped.alternations, 0);
      if (damper) {
        const double known = stiff == 1e2 ? 3.5e-2 : stiff == 1e3 ? 3.4e-3 : 5e-6;
        r.reference("independent program", label("(68): variation of x2 - x1 [m]"), known,
                    plain.variation, 0.02 * known, 0.5 * known);
        const double exact = run_carts(true, stiff, true, 1e-4).variation;
        r.reference("h = 1e-4", label("damped: variation of x2 - x1 [m]"), exact, damped.variation,
                    0.1 * exact, 0.3 * exact);
      }
      distances.push_back(damped.distance);
      energies.push_back(damped.energy);
      distances.back().label = energies.back().label = fmt::format("{} = {:.0e}", name, stiff);
    }
    r.draw(damper ? "potra-carts-6a.svg" : "potra-carts-7a.svg",
           {.title = damper ? "Two carts, Figure 6: distance" : "Left cart, Figure 7: from rest",
            .y = "[m]"},
           distances);
    r.draw(damper ? "potra-carts-6b.svg" : "potra-carts-7b.svg", {.title = "Energy", .y = "[J]"},
           energies);
  }
  r.notes.push_back(
      "The paper draws these figures and prints no numbers; those of x2 - x1 with (68) are of an "
      "independent computation. A collision, and where a cart stops, is found on the scheme's own "
      "motion where stiffness turns velocities round in every step (E186): on the cubic of such a "
      "step the variation at delta = 1e3 and 1e6 would be 5.0e-3 and 2.2e-3 m. The relative "
      "velocity "
      "of the damped carts changes its sign with the swing of the spring, every 45 steps.");
  return r;
}

Reproduction potra_closing_walls(const ReproduceSetting&) {
  Reproduction r;
  const Scene s = built_in_scene("closing_walls");
  Simulator sim(s.model, *s.initial, s.simulation.scheme, s.simulation.solver, fixed_step);
  const BodyId ball = s.model->find_body("ball").value();
  int collisions = 0, limited = 0, most = 0;
  double penetration = 0;
  page::Curve speed{"|v|", {}};
  const auto steps = std::llround(s.simulation.duration / s.simulation.step);
  for (long long i = 0; i < steps; ++i) {
    const StepReport& report = sim.step(s.simulation.step);
    collisions += report.collisions;
    most = std::max(most, report.solves.size());
    penetration = std::max(penetration, report.penetration);
    for (const StepEvent& e : report.events) limited += e.kind == StepEvent::Kind::limit ? 1 : 0;
    speed.points.emplace_back(report.t,
                              std::abs(body_motion(*s.model, sim.state(), ball).velocity.x()));
  }
  const int bound = 4 * std::get<Trapezoidal>(s.simulation.scheme).max_events;
  r.at_most("problems solved in a step", bound, most, 0);
  r.at_least("steps that say that they gave up events", 1, limited, 0);
  r.closed_form("walls stop at the diameter", "penetration [m]", 0, penetration, 1e-14, 1e-12);
  r.closed_form("walls stop at the diameter", "ball from the middle at the end [m]", 0,
                std::abs(body_motion(*s.model, sim.state(), ball).position.x()), 1e-14, 1e-12);
  r.at_least("impacts that were followed", 40, collisions, 10);
  r.draw("potra-closing-walls-speed.svg", {.title = "Ball between closing walls", .y = "|v| [m/s]"},
         {speed});
  r.notes.push_back(
      "The paper gives no figures: infinitely many impacts, no order. What is given up is "
      "restitution, and second order, in the step in which the walls meet the ball.");
  return r;
}

}  // namespace cairn::reproduce
