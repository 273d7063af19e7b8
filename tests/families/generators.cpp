// The list of families.
#include "families/generators.hpp"

#include "families/limits.hpp"

namespace cairn::families {

const std::vector<Family>& all_families() {
  static const std::vector<std::string> schemes = {"euler", "relaxed", "hybrid", "trapezoidal"};
  static const std::vector<Family> families = {
      {"shots", schemes, {1.0 / 60, 0.01, 0.001}, 10000, {}, accepted_shots, make_shot},
      {"bridges",
       {"euler"},
       {0.01},
       24,
       {"gain", "gain J", "joint"},
       accepted_mechanisms,
       make_bridge},
      {"ratios", {"euler"}, {0.01}, 24, {"drift"}, 0, make_ratio},
      {"flights",
       schemes,
       {0.01},
       320,
       {"centre m", "centre", "L", "joint"},
       accepted_flights,
       make_flight},
      {"piles",
       {"euler", "relaxed", "hybrid"},
       {0.01},
       12,
       {"gain", "gain J"},
       accepted_piles,
       make_pile},
      {"drums", {"euler"}, {0.005}, 12, {"gain", "gain J"}, accepted_piles, make_drums},
      {"bouncers",
       {"euler", "trapezoidal", "hybrid", "relaxed"},
       {0.01},
       144,
       {"gain", "gain J"},
       accepted_bouncers,
       make_box_of_bouncers},
      {"rebounds", {"euler", "trapezoidal", "hybrid"}, {0.005}, 324, {"height"}, 1, make_rebound},
  };
  return families;
}

Turn turn_of(const Family& family, const Settings& settings, std::int64_t number) {
  const auto pick = [&number](const auto& list) {
    const auto n = static_cast<std::int64_t>(list.size());
    const auto k = static_cast<std::size_t>(number % n);
    number /= n;
    return list[k];
  };
  Turn turn;
  turn.scheme = settings.scheme.empty() ? pick(family.schemes) : settings.scheme;
  turn.h = settings.h > 0 ? settings.h : pick(family.steps);
  turn.round = number;
  return turn;
}

}  // namespace cairn::families
