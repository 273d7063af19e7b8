#include "record/check/rebuild/missing.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <set>

namespace cairn::record {
namespace {

// Collision times are found to 2^-30 of the model's size; below it nothing has to touch [-].
constexpr double touching = 0x1p-27;

// Two bodies that can hardly move may have no row along their normal.
bool can_part(const Model& model, const std::array<BodyId, 2>& pair) {
  int translations = 0;
  for (const BodyId id : pair) {
    const Body& body = model.body(id);
    if (body.kind != BodyKind::dynamic) continue;
    translations = std::max(translations, body.velocities);
  }
  return translations > 2;
}

// The smaller one of the thinnest shapes of two bodies (E301).
double inner_radius_of(const Model& model, const std::array<BodyId, 2>& pair) {
  double least = std::numeric_limits<double>::infinity();
  for (const BodyId id : pair) {
    const Body& body = model.body(id);
    for (int k = 0; k < body.shapes; ++k) {
      const double r = model.shapes[static_cast<std::size_t>(body.first_shape + k)].inner_radius;
      if (r > 0) least = std::min(least, r);
    }
  }
  return std::isfinite(least) ? least : model.length_unit;
}

}  // namespace

void check_missing(const Scene& scene, const Overlaps& before, const Overlaps& after,
                   const TraceFrame& frame, const Complain& complain, Unverified& unverified) {
  const Model& model = *scene.model;
  const SchemeOptions& scheme = scene.simulation.scheme;
  const Euler* euler = euler_options(scheme);
  const auto* penalty = std::get_if<Penalty>(&scheme);
  if (penalty && penalty->form == PenaltyForm::explicit_) return;  // sees the beginning alone
  std::set<std::array<BodyId, 2>> rows;
  for (const SolveRecord& record : frame.report.solved()) {
    for (const Constraint& c : record.problem.constraints)
      if (is_of_contact(c.key.role)) rows.insert({c.key.contact.body_a, c.key.contact.body_b});
    // Springs of scheme penalty that do not press have no row.
    for (const Contact& c : record.origin.contacts) rows.insert({c.key.body_a, c.key.body_b});
  }
  for (const ContactReport& c : frame.report.contacts)
    rows.insert({c.contact.key.body_a, c.contact.key.body_b});
  const double limit = touching * model.length_unit;
  const auto name = [&](const std::array<BodyId, 2>& pair) {
    return fmt::format("{} and {}", model.body(pair[0]).name, model.body(pair[1]).name);
  };
  const auto depth = [](const Overlaps& overlaps, const std::array<BodyId, 2>& pair) {
    const auto at = overlaps.find(pair);
    return at == overlaps.end() ? 0.0 : at->second;
  };
  // What a projection out of overlaps pushes into others, and pairs that a given distance leaves
  // out, are reported as penetration.
  const bool complete =
      !euler || (euler->active_set == ActiveSet::complete && !euler->project_contacts);
  // Schemes with events watch gaps that open and close again from zero on: what overlaps and parts
  // slowly when a step begins may come back in it.
  const bool events =
      std::holds_alternative<Trapezoidal>(scheme) || std::holds_alternative<Hybrid>(scheme);
  for (const auto& [pair, end] : after)
    if (complete && end > depth(before, pair) + limit && !(events && depth(before, pair) > 0) &&
        !rows.contains(pair) && can_part(model, pair)) {
      // Schemes with events follow the features of polyhedra that were near when the step began;
      // others may meet first, within what the verdict allows.
      if (events && end <= scene.simulation.verdict.overlap * inner_radius_of(model, pair)) {
        unverified.insert(
            "bodies that come to overlap within the limit without a contact, under schemes with "
            "events");
        continue;
      }
      complain(FindingCode::missing,
               fmt::format("{} overlap by {:.3g} m at the end without a contact in the step",
                           name(pair), end));
    }
  if (!euler || !frame.report.divided.empty()) return;
  for (const auto& [pair, start] : before)
    if (start > limit && !rows.contains(pair) && can_part(model, pair))
      complain(FindingCode::missing,
               fmt::format("{} overlap by {:.3g} m at the beginning without a contact in the step",
                           name(pair), start));
}

}  // namespace cairn::record
