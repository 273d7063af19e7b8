// Anitescu and Hart (2004) prove stabilisation for e = 0 and leaves e > 0 open: the largest
// infeasibility of thrown polyhedra against the step, for several e, and the energy (E512).
#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

#include "cairn/simulator.hpp"
#include "reproduce/experiment.hpp"

namespace cairn::reproduce {
namespace {

struct BounceFigures {
  double maximum = 0;   // mean over phases of the largest penetration [m]
  double rise = 0;      // largest of the energy in a step, over that at the start [-]
  double unbound = 0;   // the same beyond what gravity explains (E630) [-]
  double highest = -1;  // energy at any time over that at the start, less one [-]
  int uncertified = 0, steps = 0;
};

// What gravity can make of a step whose impacts do not raise the kinetic energy (E630) [J].
class GravityBound {
 public:
  explicit GravityBound(const Simulator& sim) : before_(velocities(sim)) {}

  double after(const Simulator& sim, double h) const {
    const std::vector<Vec3> now = velocities(sim);
    const Vec3& g = sim.model().gravity;
    double bound = 0;
    for (std::size_t i = 0; i < now.size(); ++i)
      if (const Body& body = sim.model().bodies[i]; body.kind == BodyKind::dynamic)
        bound += body.mass * (h * g.dot(before_[i] - now[i]) + 0.5 * h * h * g.squaredNorm());
    return std::max(0.0, bound);
  }

 private:
  static std::vector<Vec3> velocities(const Simulator& sim) {
    std::vector<Vec3> all;
    for (std::size_t i = 0; i < sim.model().bodies.size(); ++i)
      all.push_back(body_motion(sim.model(), sim.state(), static_cast<BodyId>(i)).velocity);
    return all;
  }
  std::vector<Vec3> before_;  // of the bodies' origins, here their centres of mass
};

BounceFigures bounce(const char* scene, double e, double h, double duration,
                     const ReproduceSetting& setting) {
  const int phases = setting.fast ? 4 : 16;
  const Scene s = built_in_scene(scene, {fmt::format("materials.default.restitution={}", e)});
  BounceFigures figures;
  for (int phase = 0; phase < phases && !setting.stopped(); ++phase) {
    Simulator sim(s.model, *s.initial, s.simulation.scheme, s.simulation.solver, fixed_step);
    const double start = sim.kinetic_energy() + sim.potential_energy();
    double largest = 0;
    for (int i = 0; sim.state().t < duration; ++i) {
      const GravityBound gravity(sim);
      const StepReport& report = sim.step(i == 0 ? h * (phase + 0.5) / phases : h);
      ++figures.steps;
      figures.uncertified += report.failed() || !report.verdict.solve.ok;
      if (report.failed()) break;
      largest = std::max(largest, report.penetration);
      const Ledger& l = report.ledger;
      figures.rise = std::max(figures.rise, l.rise() / start);
      figures.unbound =
          std::max(figures.unbound, (l.rise() - gravity.after(sim, report.h)) / start);
      figures.highest = std::max(figures.highest, (l.kinetic_end + l.potential_end) / start - 1);
    }
    figures.maximum += largest / phases;
  }
  return figures;
}

struct BounceTrial {
  const char* scene;
  double step, duration;  // the longest [s]
  bool fast;              // part of the fast setting
};
constexpr std::array bounce_trials = {BounceTrial{"balance2", 0.004, 0.78, true},
                                      BounceTrial{"setup6", 0.008, 0.7, false}};

// Where no step is infeasible there is no order.
void judge_bounces(const BounceTrial& trial, double e, const std::vector<double>& steps,
                   const std::vector<double>& maxima, Reproduction& r) {
  const std::string what = fmt::format("{}, e = {:g}", trial.scene, e);
  const double largest = *std::max_element(maxima.begin(), maxima.end());
  const double order = fitted_slope(steps, maxima);
  if (!(largest > 1e-12) || std::isnan(order))
    r.at_most(what + ": largest infeasibility at any h [m]", 1e-12, largest, 1e-9);
  else if (e == 0)
    r.printed_at_least("004, consequences of the theorem: O(h^2)",
                       what + ": order of the largest infeasibility [-]", 2, order);
  else
    r.at_least(what + ": order of the largest infeasibility [-]", 2, order, 0.6,
               "that of e = 0, unproven");
}

}  // namespace

Reproduction hart_restitution(const ReproduceSetting& setting) {
  Reproduction r;
  int uncertified = 0, steps = 0;
  double unbound = 0, highest = -1;
  for (const BounceTrial& trial : bounce_trials) {
    if (setting.fast && !trial.fast) continue;
    std::vector<page::Curve> curves;
    for (const double e : {0.0, 0.3, 0.6, 0.9}) {
      if (setting.fast && e != 0 && e != 0.3) continue;
      std::vector<double> hs, maxima;
      page::Curve curve{fmt::format("e = {:g}", e), {}};
      std::string rises;
      for (int k = 0; k < (setting.fast ? 3 : 4); ++k) {
        const double h = std::ldexp(trial.step, -k);
        const BounceFigures f = bounce(trial.scene, e, h, trial.duration, setting);
        hs.push_back(h);
        maxima.push_back(f.maximum);
        uncertified += f.uncertified;
        steps += f.steps;
        unbound = std::max(unbound, f.unbound);
        highest = std::max(highest, f.highest);
        rises += fmt::format(" {:.1e}", f.rise);
        if (f.maximum > 0) curve.points.emplace_back(h, f.maximum);
      }
      if (setting.stopped()) return r;
      judge_bounces(trial, e, hs, maxima, r);
      curves.push_back(curve);
      r.notes.push_back(
          fmt::format("{}, e = {:g}: largest rise of energy in a step, of that at the start, h = "
                      "{:g} s and its halves:{}",
                      trial.scene, e, trial.step, rises));
    }
    r.draw(fmt::format("hart-restitution-{}.svg", trial.scene),
           {.title = fmt::format("{}: largest infeasibility by restitution", trial.scene),
            .x = "h [s]",
            .y = "[m]",
            .log_x = true,
            .log_y = true,
            .dots = true},
           curves);
  }
  r.at_most("energy at any time over that at the start, less one [-]", 1e-9, highest, 1e-6);
  r.at_most("rise of energy in a step beyond E630, of that at the start [-]", 1e-9, unbound, 1e-6);
  r.at_most("share of steps not certified at 1e-8 [-]", 0,
            static_cast<double>(uncertified) / std::max(steps, 1), 1e-2);
  r.notes.push_back(
      "The proof of Anitescu and Hart 2004 needs e = 0; these are measurements with the energy "
      "guard of "
      "impacts, "
      "in fixed steps, which leaves a rise of first order in h (E630).");
  return r;
}

}  // namespace cairn::reproduce
