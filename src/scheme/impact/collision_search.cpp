// Decompression under friction polygons without a centre (E174): speeds for which the normal
// impulses are the wanted ones.
#include <algorithm>
#include <cmath>

#include "base/index.hpp"
#include "scheme/impact/collision.hpp"

namespace cairn::scheme {
namespace {

constexpr int max_search = 100;  // rounds

}  // namespace

// (E174): speeds for which the normal impulse of the decompression is the wanted one, or more where
// the contact stays closed. A secant step for each contact.
bool Collision::search_speeds(int first) {
  const std::size_t n = d.colliders.size();
  d.search.search_speed.assign(n, 0.0);
  d.search.search_impulse.assign(n, 0.0);
  double scale = 0;
  for (const double x : d.search.wanted) scale = std::max(scale, x);
  for (int round = 0; round < max_search && !(round > 0 && rules.spent()); ++round) {
    report.solves.roll_back(first);  // of the search only the last solve counts
    solve_from(Purpose::decompression);
    const SolveRecord& record = report.solves.back();
    double worst = 0;
    for (std::size_t i = 0; i < n; ++i) {
      if (mode_of(i) != Mode::returned || !d.of_island.rubs[base::at(island_of(i))] ||
          d.colliders[i].law == RestitutionLaw::newton)
        continue;
      const double impulse = record.solution.lambda[row(i)], missing = d.search.wanted[i] - impulse;
      const bool met =
          d.search.speed[i] > 0 ? std::abs(missing) <= 1e-14 * scale : missing <= 1e-14 * scale;
      if (!met) worst = std::max(worst, std::abs(missing));
      if (round > 0 && std::abs(impulse - d.search.search_impulse[i]) > 1e-12 * scale) {
        const double secant =
            (d.search.speed[i] - d.search.search_speed[i]) / (impulse - d.search.search_impulse[i]);
        if (secant > 0)
          d.search.slope[i] = std::clamp(secant, d.search.slope[i] / 8, d.search.slope[i] * 8);
      }
      d.search.search_speed[i] = d.search.speed[i];
      d.search.search_impulse[i] = impulse;
      if (!met) d.search.speed[i] = std::max(0.0, d.search.speed[i] + d.search.slope[i] * missing);
    }
    if (worst == 0 || (worst <= 1e-12 * scale && round > max_search / 2)) {
      d.search.speed.swap(d.search.search_speed);
      return true;
    }
  }
  return false;
}

}  // namespace cairn::scheme
