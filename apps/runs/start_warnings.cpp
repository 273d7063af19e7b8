// Words for what the initial state shows.
#include "runs/start_warnings.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "cairn/simulator.hpp"

namespace cairn::app {
namespace {

constexpr std::size_t most_pairs = 5;

// Of bodies that are inside each other by more than a radius, or of any in far greater number than
// the six pairs that an equal sphere can have, the sizes or the places are wrong: a step would be a
// problem of the square of the bodies.
Result<void> check_crowd(const Scene& scene, const std::vector<Overlap>& overlaps) {
  const Model& model = *scene.model;
  const std::size_t n = model.bodies.size(), most = std::max<std::size_t>(5000, 20 * n),
                    most_inside = std::max<std::size_t>(100, n);
  const auto inside = static_cast<std::size_t>(std::count_if(
      overlaps.begin(), overlaps.end(),
      [&](const Overlap& o) { return o.depth > model.smaller_radius(o.body_a, o.body_b); }));
  if (overlaps.size() <= most && inside <= most_inside) return {};
  const Overlap& deepest = overlaps.front();
  return fail({.code = ErrorCode::overlap,
               .file = scene.file,
               .path = "bodies",
               .what = "bodies start inside each other everywhere",
               .got = fmt::format("{} pairs that overlap, {} by more than the smaller radius, such "
                                  "as '{}' and '{}' by {:.3g} m",
                                  overlaps.size(), inside, model.body(deepest.body_a).name,
                                  model.body(deepest.body_b).name, deepest.depth),
               .allowed = fmt::format("{} and {} pairs of {} bodies", most, most_inside, n),
               .fix = "check sizes, positions and the spacing of lattices"});
}

// Which two bodies, how deep, how fast they will part; the deepest first.
Result<void> warn_of_overlaps(Scene& scene) {
  const Model& model = *scene.model;
  const std::vector<Overlap> overlaps =
      deep_overlaps(model, *scene.initial, scene.simulation.scheme, scene.simulation.step);
  if (const Result<void> crowd = check_crowd(scene, overlaps); !crowd) return crowd;
  for (std::size_t i = 0; i < std::min(overlaps.size(), most_pairs); ++i) {
    const Overlap& o = overlaps[i];
    scene.warnings.push_back(fmt::format(
        "bodies '{}' and '{}' overlap by {:.3g} m at the start; they part with at most {:.3g} m/s "
        "(simulation.scheme.separation_speed)",
        model.body(o.body_a).name, model.body(o.body_b).name, o.depth, o.speed));
  }
  if (overlaps.size() > most_pairs)
    scene.warnings.push_back(
        fmt::format("{} more pairs of bodies overlap at the start", overlaps.size() - most_pairs));
  return {};
}

// A body that moves by more than its own size in the first step is hardly simulated.
void warn_of_long_step(Scene& scene) {
  const Model& model = *scene.model;
  const double h = std::min(scene.simulation.step, scene.simulation.duration);
  const Body* worst = nullptr;
  double travel = 0, ratio = 1;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body& body = model.bodies[i];
    if (body.kind != BodyKind::dynamic || !(body.radius > 0)) continue;
    const BodyMotion motion = body_motion(model, *scene.initial, static_cast<BodyId>(i));
    const double way = h * (motion.velocity.norm() + h * model.gravity.norm());
    if (!(way > ratio * 2 * body.radius)) continue;
    worst = &body;
    travel = way;
    ratio = way / (2 * body.radius);
  }
  if (worst)
    scene.warnings.push_back(
        fmt::format("simulation.step: {:.3g} s is long: in the first step body '{}' may move by "
                    "{:.3g} m, {:.3g} "
                    "times its size",
                    scene.simulation.step, worst->name, travel, ratio));
}

}  // namespace

Result<void> add_start_warnings(Scene& scene) {
  warn_of_long_step(scene);
  return warn_of_overlaps(scene);
}

}  // namespace cairn::app
