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
    const ConstraintId& id = p.constraints[i].id;
    if (id.kind != ConstraintId::Kind::contact || id.part != 0) continue;
    rows.all.push_back(id.contact);
    if (record.solution.lambda[p.first_row[i]] > 0) rows.loaded.push_back(id.contact);
  }
  std::sort(rows.all.begin(), rows.all.end());
  std::sort(rows.loaded.begin(), rows.loaded.end());
  return rows;
}

}  // namespace

void compare_steady(std::span<const Segment> segments, std::span<const SegmentOutcome> outcomes,
                    const State& after, const Complain& complain, Unverified& unverified) {
  const Segment& s = segments.front();
  const bool plain = segments.size() == 1 && !s.solves.empty() &&
                     s.solves.back().purpose != Purpose::impact &&
                     s.solves.back().purpose != Purpose::compression &&
                     place_of(s, s.solves.back()).length > brief * s.length;
  if (!plain) {
    unverified.insert("which contacts of scheme hybrid are steady after some steps");
    return;
  }
  const Rows rows = rows_of(s.solves.back());
  const auto say = [&](const ContactKey& key, const char* what) {
    complain(FindingCode::warm_start,
             fmt::format("contact {}-{}:{} {}", s.model.body(key.body_a).name,
                         s.model.body(key.body_b).name, key.feature, what));
  };
  for (const ContactKey& key : after.pending)
    if (!std::binary_search(rows.all.begin(), rows.all.end(), key))
      say(key, "is recorded as steady without a row in the last part of the step");
  for (const ContactKey& key : rows.loaded)
    if (!std::binary_search(after.pending.begin(), after.pending.end(), key))
      say(key, "carries an impulse at the end of the step and is not recorded as steady");
  for (const ContactKey& key : rows.all) {
    if (std::binary_search(rows.loaded.begin(), rows.loaded.end(), key)) continue;
    const auto& rooms = outcomes.front().rooms;
    const auto room = std::find_if(rooms.begin(), rooms.end(),
                                   [&](const auto& entry) { return entry.first == key; });
    if (of_polyhedra(s.model, key) || room == rooms.end()) {
      unverified.insert(
          "which contacts of two polyhedra without an impulse stay steady under scheme hybrid");
      continue;
    }
    const bool steady = std::binary_search(after.pending.begin(), after.pending.end(), key);
    const std::optional<double> gap = gap_at(s.model, after.poses, key);
    const double limit = std::max(room->second, touch_share * s.model.length_unit);
    if (steady && !(gap && *gap <= (1 + undecided) * limit))
      say(key, "is recorded as steady and has opened");
    if (!steady && gap && *gap <= (1 - undecided) * limit)
      say(key, "has not opened and is not recorded as steady");
  }
}

}  // namespace cairn::record
