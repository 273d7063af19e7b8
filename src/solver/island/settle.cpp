#include "solver/island/settle.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/index.hpp"

namespace cairn::solver {
namespace {

// Half of the floor of the momentum in the certificate (E311).
constexpr double roundings = 8 * std::numeric_limits<double>::epsilon();

}  // namespace

void settle(const Island& island, const std::vector<double>& r, std::vector<double>& v) {
  if (!island.inertia.rest.empty()) return;
  add_up_terms(island, r);
  for (std::size_t i = 0; i < island.bodies.size(); ++i) {
    const IslandBody& body = island.bodies[i];
    if (body.source < 0) continue;
    double* of_body = &v[base::at(body.first)];
    double square = 0;
    for (int k = 0; k < body.size; ++k) square += of_body[k] * body.mass[k] * of_body[k];
    // The certificate hides no more than this share of the speed of the island (E311).
    const double hidden = std::min(0x1p-11, 0x1p-39 * island.mass * body.light * body.light);
    const double floor = std::min(roundings * island.terms[i], hidden * island.speed / body.light);
    if (std::isfinite(square) && square <= floor * floor)
      std::fill(of_body, of_body + body.size, 0.0);
  }
}

}  // namespace cairn::solver
