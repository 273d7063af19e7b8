#include "solver/island/settle.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/index.hpp"

namespace cairn::solver {
namespace {

// Half of the floor of the momentum in the certificate (E311).
constexpr double roundings = 8 * std::numeric_limits<double>::epsilon();

// Of a body in the metric of the mass, after add_up_terms().
bool is_rounding(const Island& island, std::size_t i, const std::vector<double>& v) {
  const IslandBody& body = island.bodies[i];
  const double* of_body = &v[base::at(body.first)];
  double square = 0;
  for (int k = 0; k < body.size; ++k) square += of_body[k] * body.mass[k] * of_body[k];
  // The certificate hides no more than this share of the speed of the island (E311).
  const double hidden = std::min(0x1p-11, 0x1p-39 * island.mass * body.light * body.light);
  const double floor = std::min(roundings * island.terms[i], hidden * island.speed / body.light);
  return std::isfinite(square) && square <= floor * floor;
}

}  // namespace

void settle(const Island& island, const std::vector<double>& r, std::vector<double>& v) {
  if (!island.inertia.rest.empty()) return;
  add_up_terms(island, r);
  for (std::size_t i = 0; i < island.bodies.size(); ++i) {
    const IslandBody& body = island.bodies[i];
    if (body.source < 0 || !is_rounding(island, i, v)) continue;
    std::fill_n(&v[base::at(body.first)], body.size, 0.0);
  }
}

bool settles(const Island& island, const std::vector<double>& r, const std::vector<double>& v) {
  if (!island.inertia.rest.empty()) return false;
  add_up_terms(island, r);
  for (std::size_t i = 0; i < island.bodies.size(); ++i)
    if (island.bodies[i].source >= 0 && !is_rounding(island, i, v)) return false;
  return true;
}

}  // namespace cairn::solver
