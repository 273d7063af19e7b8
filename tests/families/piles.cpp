// Piles: bodies of all shapes fall into a bin.
#include <cmath>
#include <fmt/format.h>
#include <span>

#include "families/generators.hpp"
#include "families/limits.hpp"
#include "families/oracle/energy.hpp"

namespace cairn::families {
namespace {

Trial make_pile_of(std::span<const char* const> kinds, const Family& family,
                   const Settings& settings, std::int64_t number) {
  const Turn turn = turn_of(family, settings, number);
  Random random(settings.seed, 5, static_cast<std::uint64_t>(number));
  static constexpr int counts[] = {20, 60, 150, 300};
  const int count = counts[turn.round % 4];
  Trial trial;
  trial.name = fmt::format("{}-{}-{}", family.name, settings.seed, number);
  trial.scheme = turn.scheme;
  trial.h = turn.h;
  trial.shape = fmt::format("{:3} bodies", count);
  const double duration = settings.duration > 0 ? settings.duration : 2;
  trial.steps = static_cast<int>(std::ceil(duration / turn.h));
  trial.scene =
      empty_scene(trial.name, Vec3(0, 0, -9.81), random.between(0.2, 0.8), random.between(0, 0.4));
  const int side = count < 100 ? 3 : 5;
  const double cell = 0.25;
  trial.scene["bodies"].push_back(bin(side * cell / 2));
  for (int i = 0; i < count; ++i) {
    const double size = random.between(0.08, 0.22);
    const Vec3 place((i % side + 0.5) * cell - side * cell / 2,
                     (i / side % side + 0.5) * cell - side * cell / 2,
                     (i / (side * side) + 0.6) * cell);
    Json body = free_body(
        fmt::format("b{:03}", i),
        random_shape(
            kinds[static_cast<std::size_t>(random.whole(0, static_cast<int>(kinds.size()) - 1))],
            size, random),
        1, place, random.orientation());
    body.erase("mass");
    body["density"] = random.log_between(300, 3000);
    body["velocity"] = to_json(Vec3(random.in_box(Vec3::Constant(1))));
    trial.scene["bodies"].push_back(body);
  }
  trial.must_accept = false;  // the share of all steps is judged
  auto watch = std::make_shared<EnergyWatch>();
  trial.judge = [watch](const Moment& m, Outcome& out) { (*watch)(m, out); };
  trial.finish = [](Outcome& out) {
    if (out.figure("gain") > gain_limit) out.fault("gains energy");
  };
  set_simulation(trial.scene, turn.scheme, turn.h, trial.steps);
  return trial;
}

}  // namespace

Trial make_pile(const Family& family, const Settings& settings, std::int64_t number) {
  static constexpr const char* kinds[] = {"box", "hull", "capsule", "ellipsoid", "sphere"};
  return make_pile_of(kinds, family, settings, number);
}

Trial make_drums(const Family& family, const Settings& settings, std::int64_t number) {
  static constexpr const char* kinds[] = {"cylinder", "cone", "box"};
  return make_pile_of(kinds, family, settings, number);
}

}  // namespace cairn::families
