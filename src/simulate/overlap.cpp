// Finds overlapping pairs with the contact functions of the steps.
#include <algorithm>
#include <cmath>
#include <limits>

#include "cairn/simulator.hpp"
#include "scheme/common/active_set.hpp"
#include "scheme/common/separation.hpp"

namespace cairn {
namespace {

constexpr double deep = 0.01;  // share of the radius [-]

// What the energy of a contact's spring gives to the lighter body.
double spring_speed(const Model& model, const Contact& c, const Penalty& options) {
  double mass = std::numeric_limits<double>::infinity();
  for (const BodyId id : {c.key.body_a, c.key.body_b})
    if (model.body(id).velocities > 0) mass = std::min(mass, model.body(id).mass);
  const double power = options.exponent + 1;
  return std::sqrt(2 * options.gamma * std::pow(std::max(0.0, -c.gap), power) / (power * mass));
}

}  // namespace

std::vector<Overlap> deep_overlaps(const Model& model, const State& state,
                                   const SchemeOptions& scheme, double h) {
  scheme::ActiveSetBuffers buffers(model);
  scheme::find_overlaps(model, state.poses, buffers);
  std::vector<Overlap> found;
  // Contacts are sorted by key, so those of two bodies follow each other.
  for (const Contact& c : buffers.at_end) {
    if (!(-c.gap > deep * model.smaller_radius(c.key.body_a, c.key.body_b))) continue;
    const double speed = std::visit(
        [&](const auto& options) {
          if constexpr (std::is_same_v<std::decay_t<decltype(options)>, Penalty>)
            return spring_speed(model, c, options);
          else
            return scheme::separation_speed(model, c, options, h);
        },
        scheme);
    if (!found.empty() && found.back().body_a == c.key.body_a &&
        found.back().body_b == c.key.body_b)
      found.back().depth = std::max(found.back().depth, -c.gap);
    else
      found.push_back({c.key.body_a, c.key.body_b, -c.gap, speed});
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Overlap& x, const Overlap& y) { return x.depth > y.depth; });
  return found;
}

}  // namespace cairn
