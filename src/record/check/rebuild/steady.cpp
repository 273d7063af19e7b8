// check: which contacts of scheme hybrid are steady when a step ends (E524).
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <optional>

#include "collide/narrowphase.hpp"
#include "record/check/rebuild/rebuild.hpp"

namespace cairn::record {
namespace {

// Parts that are shorter release no contact, of the step [-].
constexpr double brief = 0x1p-17;

// The free velocities of a part that ends with an event are those of the rest of the step: gaps
// this near to the room are not decided [-].
constexpr double undecided = 0.05;

// What touches is steady, of the model's size [-].
constexpr double touch_share = 0x1p-40;

bool of_polyhedra(const Model& model, const ContactKey& key) {
  return model.shapes[index(key.shape_a)].polyhedron >= 0 &&
         model.shapes[index(key.shape_b)].polyhedron >= 0;
}

// Gap of a contact between bodies at `poses`, by the distance of its shapes; none: it is gone.
std::optional<double> gap_at(const Model& model, const std::vector<Pose>& poses,
                             const ContactKey& key) {
  const Shape &a = model.shapes[index(key.shape_a)], &b = model.shapes[index(key.shape_b)];
  const auto polyhedron = [&](const Shape& s) {
    return s.polyhedron < 0 ? nullptr : &model.polyhedra[static_cast<std::size_t>(s.polyhedron)];
  };
  std::vector<collide::ShapeContact> found;
  collide::collide_shapes(a.geometry, poses[index(a.body)] * a.X_CS, b.geometry,
                          poses[index(b.body)] * b.X_CS, found, polyhedron(a), polyhedron(b));
  for (const collide::ShapeContact& c : found)
    if (c.feature == key.feature) return c.gap;
  return std::nullopt;
}

// Contacts of a solve, sorted, and those of them that carry an impulse.
struct Rows {
  std::vector<ContactKey> all, loaded;
};
Rows rows_of(const SolveRecord& record) {
  Rows rows;
  const Problem& p = record.problem;
  for (std::size_t i = 0; i < p.constraints.size(); ++i) {
    const ConstraintKey& id = p.constraints[i].key;
    if (!pushes(id.role)) continue;
    rows.all.push_back(id.contact);
    if (record.solution.lambda[p.first_row[i]] > 0) rows.loaded.push_back(id.contact);
  }
  std::sort(rows.all.begin(), rows.all.end());
  std::sort(rows.loaded.begin(), rows.loaded.end());
  return rows;
}

// A segment and the bodies that it moves.
struct SteadyCheck {
  const Segment& s;
  const SegmentOutcome& outcome;
  std::span<const BodyId> bodies;
  const Complain& complain;
  Unverified& unverified;

  bool inside(const ContactKey& key) const {
    return std::any_of(bodies.begin(), bodies.end(),
                       [&](BodyId id) { return id == key.body_a || id == key.body_b; });
  }

  void say(const ContactKey& key, const char* what) const {
    complain(FindingCode::warm_start,
             fmt::format("contact {} {}", contact_name(s.model, key), what));
  }

  // Parts of first order leave the contacts as they are.
  void unchanged(const State& before, const State& after) const {
    for (const ContactKey& key : after.pending)
      if (inside(key) && !std::binary_search(before.pending.begin(), before.pending.end(), key))
        say(key, "is recorded as steady, and no part of the step made it so");
    for (const ContactKey& key : before.pending)
      if (inside(key) && !std::binary_search(after.pending.begin(), after.pending.end(), key))
        say(key, "is no longer recorded as steady, and no part of the step released it");
  }

  void at_end(const State& after) const {
    const bool plain = !s.solves.empty() && s.solves.back().purpose != Purpose::impact &&
                       s.solves.back().purpose != Purpose::compression &&
                       place_of(s, s.solves.back()).length > brief * s.length;
    if (!plain) {
      unverified.insert("which contacts of scheme hybrid are steady after some steps");
      return;
    }
    const Rows rows = rows_of(s.solves.back());
    for (const ContactKey& key : after.pending)
      if (inside(key) && !std::binary_search(rows.all.begin(), rows.all.end(), key))
        say(key, "is recorded as steady without a row in the last part of the step");
    for (const ContactKey& key : rows.loaded)
      if (!std::binary_search(after.pending.begin(), after.pending.end(), key))
        say(key, "carries an impulse at the end of the step and is not recorded as steady");
    for (const ContactKey& key : rows.all)
      if (!std::binary_search(rows.loaded.begin(), rows.loaded.end(), key)) unloaded(key, after);
  }

  void unloaded(const ContactKey& key, const State& after) const {
    const auto room = std::find_if(outcome.rooms.begin(), outcome.rooms.end(),
                                   [&](const auto& entry) { return entry.first == key; });
    if (of_polyhedra(s.model, key) || room == outcome.rooms.end()) {
      unverified.insert(
          "which contacts of two polyhedra without an impulse stay steady under scheme hybrid");
      return;
    }
    const bool steady = std::binary_search(after.pending.begin(), after.pending.end(), key);
    const std::optional<double> gap = gap_at(s.model, s.end, key);
    const double limit = std::max(room->second, touch_share * s.model.length_unit);
    if (steady && !(gap && *gap <= (1 + undecided) * limit))
      say(key, "is recorded as steady and has opened");
    if (!steady && gap && *gap <= (1 - undecided) * limit)
      say(key, "has not opened and is not recorded as steady");
  }
};

}  // namespace

void compare_steady(std::span<const Segment> segments, std::span<const SegmentOutcome> outcomes,
                    const State& before, const State& after, const Complain& complain,
                    Unverified& unverified) {
  const Model& model = segments.front().model;
  const std::vector<StepPart>& divided = segments.front().report.divided;
  std::vector<BodyId> all;
  for (std::size_t i = 0; i < model.bodies.size(); ++i)
    if (model.bodies[i].velocities > 0) all.push_back(static_cast<BodyId>(i));
  // The last part under hybrid decides for the bodies of a group, parts of which follow each other.
  for (std::size_t i = 0; i < segments.size();) {
    const std::span<const BodyId> bodies = divided.empty() ? all : divided[i].bodies;
    std::size_t last = segments.size(), end = i;
    for (; end < segments.size() && (divided.empty() || divided[end].bodies == divided[i].bodies);
         ++end)
      if (std::holds_alternative<Hybrid>(segments[end].scheme)) last = end;
    const std::size_t at = last < segments.size() ? last : i;
    const SteadyCheck check{segments[at], outcomes[at], bodies, complain, unverified};
    if (last < segments.size())
      check.at_end(after);
    else
      check.unchanged(before, after);
    i = end;
  }
}

}  // namespace cairn::record
