// Mass ratios: two boxes on a floor, light below heavy, and sandwiches of three, at rest.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "families/generators.hpp"
#include "families/limits.hpp"

namespace cairn::families {
namespace {

// Farthest that a point of a body has moved since the start.
double drift_of(const World& world, const State& state) {
  double worst = 0;
  for (std::size_t i = 0; i < world.model().bodies.size(); ++i) {
    if (world.model().bodies[i].kind != BodyKind::dynamic) continue;
    const Pose &a = world.scene.initial->poses[i], &b = state.poses[i];
    // 2 |vec q| is the angle to first order, without the cancellation of acos near 1.
    const double turned = 2 * (b.R * a.R.conjugate()).vec().norm();
    worst = std::max(worst, (b.p - a.p).norm() + world.outer[i] * turned);
  }
  return worst;
}

double allowed_drift(double ratio) {
  if (ratio <= 1e6) return drift_up_to_1e6;
  if (ratio <= 1e9) return drift_up_to_1e9;
  return INFINITY;  // reported
}

}  // namespace

Trial make_ratio(const Family& family, const Settings& settings, std::int64_t number) {
  const Turn turn = turn_of(family, settings, number);
  Random random(settings.seed, 3, static_cast<std::uint64_t>(number));
  static constexpr int decades[] = {0, 2, 4, 6, 9, 12};
  const int decade = decades[turn.round % 6];
  const double ratio = decade == 0 ? 1 : std::pow(10, decade);
  const bool sandwich = (turn.round / 6) % 2 == 1;
  Trial trial;
  trial.name = fmt::format("ratio-{}-{}", settings.seed, number);
  trial.scheme = turn.scheme;
  trial.h = turn.h;
  trial.shape = fmt::format("1e{:02}", decade);
  trial.target = sandwich ? "three boxes" : "two boxes";
  const double duration = settings.duration > 0 ? settings.duration : 100;
  trial.steps = static_cast<int>(std::ceil(duration / turn.h));
  trial.scene = empty_scene(trial.name, Vec3(0, 0, -9.81), random.between(0.2, 0.8), 0);
  trial.scene["bodies"].push_back(
      fixed_body("floor", {{"type", "halfspace"}, {"normal", {0, 0, 1}}}, Vec3::Zero()));
  // Light, heavy; of a sandwich heavy, light, heavy or light, heavy, light.
  const double light = random.log_between(1e-3, 10);
  const bool heavy_below = sandwich && random.chance(0.5);
  double z = 0;
  for (int i = 0; i < (sandwich ? 3 : 2); ++i) {
    const Vec3 size = Vec3(1, 1, 1) * random.between(0.1, 1);
    const bool heavy = (i % 2 == 1) != heavy_below;
    trial.scene["bodies"].push_back(free_body(fmt::format("box{}", i), box_shape(size),
                                              heavy ? light * ratio : light,
                                              Vec3(0, 0, z + size.z() / 2)));
    z += size.z();
  }
  trial.must_accept = !(sandwich && ratio >= ratio_refusable);
  trial.judge = [](const Moment& m, Outcome& out) {
    out.raise("drift", drift_of(m.world, m.after));
  };
  trial.finish = [ratio](Outcome& out) {
    if (!(out.figure("drift") <= allowed_drift(ratio))) out.fault("drifts");
  };
  set_simulation(trial.scene, turn.scheme, turn.h, trial.steps);
  return trial;
}

}  // namespace cairn::families
