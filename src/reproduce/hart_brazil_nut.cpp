// Paper 001: the Brazil nut. 269 small discs and a large one in a box that is shaken once a second;
// the large one comes up. The motion is chaotic, so only what all courses share is judged closely
// (docs/brazil-nut.md).
#include <algorithm>
#include <fmt/format.h>

#include "cairn/simulator.hpp"
#include "reproduce/experiment.hpp"

namespace cairn::reproduce {
namespace {

struct Shaking {
  int bodies = 0;  // that are free
  int uncertified = 0;
  int solves = 0;
  double penetration = 0;  // largest [m]
  double height = 0;       // of the large disc's centre over the floor at the end [m]
  double highest = 0;      // and the largest of it, once a shake [m]
  int emerged = 0;         // shakes until it lay in the upper third of the pile; 0: never
  page::Curve above;       // small discs above its centre, once a shake
};

Shaking shake(const char* scene, const char* label, int shakes, const ReproduceSetting& setting) {
  const Scene s = built_in_scene(scene);
  const Model& model = *s.model;
  const BodyId nut = model.find_body("nut").value(), box = model.find_body("box").value();
  Simulator sim(s.model, *s.initial, s.simulation.scheme, s.simulation.solver, fixed_step);
  Shaking shaking;
  shaking.above.label = label;
  for (const Body& body : model.bodies) shaking.bodies += body.kind == BodyKind::dynamic;
  for (int step = 1; step <= 10 * shakes && !setting.stopped(); ++step) {
    const StepReport& report = sim.step(s.simulation.step);
    shaking.uncertified += report.failed() || !report.verdict.solve.ok;
    shaking.solves += report.solve_count;
    shaking.penetration = std::max(shaking.penetration, report.penetration);
    if (step % 10 != 5) continue;  // half a second after the box stands lowest
    const State& state = sim.state();
    const double floor = state.poses[index(box)].p.y(), y = state.poses[index(nut)].p.y();
    int above = 0;
    for (std::size_t i = 0; i < model.bodies.size(); ++i)
      above += model.bodies[i].kind == BodyKind::dynamic && state.poses[i].p.y() > y;
    const int count = step / 10 + 1;
    shaking.above.points.emplace_back(count, std::max(above, 1));
    shaking.height = y - floor;
    shaking.highest = std::max(shaking.highest, shaking.height);
    if (shaking.emerged == 0 && 3 * above <= shaking.bodies) shaking.emerged = count;
  }
  return shaking;
}

}  // namespace

Reproduction hart_brazil_nut(const ReproduceSetting& setting) {
  Reproduction r;
  const int shakes = setting.fast ? 6 : 50;
  const Shaking strong = shake("brazil_nut", "strong", shakes, setting),
                weak = shake("brazil_nut_weak", "weak", shakes, setting);
  r.value("bodies", 270, strong.bodies, 0, 0);
  r.value(fmt::format("quadratic programs in {} steps, one a step", 10 * shakes), 10 * shakes,
          strong.solves, 0, 0);
  r.at_most("steps that were not certified at 1e-8, by the relaxed law", 0,
            strong.uncertified + weak.uncertified, 0);
  if (!setting.fast) {
    // "Large ball emerges after about 40 shakes".
    r.value("shakes until at most a third of the discs is above the large one", 40,
            strong.emerged > 0 ? strong.emerged : 1000, 10, 30);
  }
  // With a small disc, 2 m, under the large one of radius 4 m its centre is above 6 m.
  r.at_least("strong shaking: the large disc's centre gets above small discs at [m]", 6,
             strong.highest, 0);
  r.at_most("weak shaking: it stays below [m]", 6, weak.highest, 0);
  r.notes.push_back(fmt::format(
      "largest penetration {:.1e} m; sizes and shaking are ours, the paper does not give them; the "
      "course is chaotic (docs/brazil-nut.md)",
      std::max(strong.penetration, weak.penetration)));
  r.draw("hart-brazil-nut.svg",
         {.title = "Brazil nut: small discs above the large one",
          .x = "shakes",
          .y = "discs",
          .log_y = true,
          .dots = true},
         {strong.above, weak.above});
  r.play("Strong shaking", "brazil_nut", {}, 50);
  r.play("Weak shaking", "brazil_nut_weak", {}, 20);
  return r;
}

}  // namespace cairn::reproduce
