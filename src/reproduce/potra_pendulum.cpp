// Potra et al. 2006, 10.1: the double pendulum with a wall, Table I and Figure 2.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "cairn/simulator.hpp"
#include "reproduce/double_pendulum.hpp"
#include "reproduce/experiment.hpp"

namespace cairn::reproduce {
namespace {

struct Row {
  int k;                      // h = 2^-k
  double E, theta1, theta2;   // as printed
  double unit, unit1, unit2;  // of the last digit
};

constexpr Row printed_rows[] = {{5, 2.38e-3, 1.27e-3, 3.18e-3, 1e-5, 1e-5, 1e-5},
                                {6, 6.14e-4, 3.14e-4, 8.29e-4, 1e-6, 1e-6, 1e-6},
                                {7, 1.54e-4, 7.82e-5, 2.14e-4, 1e-6, 1e-7, 1e-6},
                                {8, 3.95e-5, 1.95e-5, 5.48e-5, 1e-7, 1e-7, 1e-7},
                                {9, 1.01e-5, 4.88e-6, 1.37e-5, 1e-7, 1e-8, 1e-7},
                                {10, 2.42e-6, 1.22e-6, 3.44e-6, 1e-8, 1e-8, 1e-8},
                                {11, 6.15e-7, 3.05e-7, 8.60e-7, 1e-9, 1e-9, 1e-9}};

struct PendulumOutcome {
  double E = 0, theta1 = 0, theta2 = 0;  // [m], [m^2]
  std::vector<StepEvent> events;
  page::Curve x1{"x1", {}}, x2{"x2", {}}, energy{"energy", {}};
};

PendulumOutcome run_double_pendulum(int k, bool projection, const PendulumReference& exact) {
  const Scene s = built_in_scene(
      "pendulum_wall",
      {fmt::format("simulation.scheme.projection={}", projection), "simulation.scheme.gamma=0"});
  Simulator sim(s.model, *s.initial, s.simulation.scheme, s.simulation.solver, fixed_step);
  const double h = std::ldexp(1, -k);
  const BodyId bob1 = s.model->find_body("bob1").value(), bob2 = s.model->find_body("bob2").value();
  PendulumOutcome out;
  Vec3 p1 = Vec3::Zero(), p2 = Vec3::Zero();
  const auto steps = std::llround(s.simulation.duration / h);
  for (long long i = 0; i < steps; ++i) {
    const StepReport& report = sim.step(h);
    for (const StepEvent& e : report.events) out.events.push_back(e);
    p1 = body_motion(*s.model, sim.state(), bob1).position;
    p2 = body_motion(*s.model, sim.state(), bob2).position;
    out.x1.points.emplace_back(sim.state().t, p1.x());
    out.x2.points.emplace_back(sim.state().t, p2.x());
    out.energy.points.emplace_back(sim.state().t, sim.kinetic_energy() + sim.potential_energy());
  }
  out.E = std::hypot(std::hypot(p1.x() - exact.position[0], p1.y() - exact.position[1]),
                     std::hypot(p2.x() - exact.position[2], p2.y() - exact.position[3]));
  out.theta1 = std::abs(p1.squaredNorm() - 1);
  out.theta2 = std::abs((p2 - p1).squaredNorm() - 1);
  return out;
}

}  // namespace

Reproduction potra_table1(const ReproduceSetting& setting) {
  Reproduction r;
  const PendulumReference exact = reference_pendulum(2.5);
  std::vector<double> h, first, projected;
  for (const Row& row : printed_rows) {
    if (setting.stopped() || (setting.fast && row.k > 9)) break;
    PendulumOutcome ours = run_double_pendulum(row.k, false, exact);
    const auto label = [&](const char* what) { return fmt::format("{}, h = 2^-{}", what, row.k); };
    const char* place = "003, Table I";
    r.printed(place, label("E_h [m]"), row.E, row.unit, ours.E);
    r.printed(place, label("|Theta1| [m^2]"), row.theta1, row.unit1, ours.theta1);
    r.printed(place, label("|Theta2| [m^2]"), row.theta2, row.unit2, ours.theta2);
    h.push_back(std::ldexp(1, -row.k));
    first.push_back(ours.events.empty() ? 0 : std::abs(ours.events[0].t - exact.impacts[0].t));
    if (row.k == 7) {
      r.reference("solution in angles", "impacts, h = 2^-7",
                  static_cast<double>(exact.impacts.size()),
                  static_cast<double>(ours.events.size()), 0, 0);
      r.draw("potra-table1-positions.svg",
             {.title = "Double pendulum with a wall, Figure 2 (a)", .y = "[m]"},
             {ours.x1, ours.x2});
      r.draw("potra-table1-energy.svg", {.title = "Energy, Figure 2 (b)", .y = "[J]"},
             {ours.energy});
    }
    const PendulumOutcome closed = run_double_pendulum(row.k, true, exact);
    projected.push_back(closed.E);
    r.closed_form("projection closes joints", label("|Theta| with projection [m^2]"), 0,
                  std::max(closed.theta1, closed.theta2), 2e-15, 1e-14);
  }
  r.at_least("order of the first impact's time [-]", 2, fitted_slope(h, first), 0.1);
  r.at_least("order of positions with projection [-]", 2, fitted_slope(h, projected), 0.1);
  r.notes.push_back(
      "E_h is measured against the solution in angles, not against a run with h = 2^-20.");
  return r;
}

}  // namespace cairn::reproduce
