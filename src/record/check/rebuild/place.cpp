#include "record/check/rebuild/place.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "record/check/rebuild/mechanics.hpp"

namespace cairn::record {

void Segment::say(std::size_t solve, FindingCode code, const std::string& what) const {
  complain(code, fmt::format("solve {}: {}", first_solve + static_cast<int>(solve), what));
}

Place place_of(const Segment& segment, const SolveRecord& record) {
  const Model& model = segment.model;
  const SolveOrigin& origin = record.origin;
  const Problem& problem = record.problem;
  Place place;
  place.t = origin.start.empty() ? segment.start.t : origin.t;
  place.length = origin.start.empty() ? segment.length : origin.length;
  place.v = segment.start.v;
  place.start = segment.start.poses;
  place.layout.assign(model.bodies.size(), -1);
  for (std::size_t i = 0; i < problem.bodies.size(); ++i) {
    const ProblemBody& b = problem.bodies[i];
    const auto at = static_cast<std::size_t>(b.model_body);
    place.layout[at] = static_cast<int>(i);
    if (origin.start.empty()) continue;
    place.start[at] = origin.start[i];
    place.v.segment(model.bodies[at].first_velocity, b.size) = origin.v.segment(b.first, b.size);
  }
  const auto prescribe = [&](std::vector<Pose>& poses, double t) {
    for (std::size_t i = 0; i < model.bodies.size(); ++i)
      if (model.bodies[i].kind == BodyKind::prescribed)
        poses[i] = prescribed_at(model.bodies[i], t);
  };
  if (!origin.start.empty()) prescribe(place.start, place.t);
  place.again = !origin.rows.empty();
  place.rows = place.start;
  place.t_rows = place.again ? origin.t_rows : place.t;
  if (place.again) {
    for (std::size_t i = 0; i < problem.bodies.size(); ++i)
      place.rows[static_cast<std::size_t>(problem.bodies[i].model_body)] = origin.rows[i];
    prescribe(place.rows, place.t_rows);
  }
  place.contacts = origin.empty() ? std::span<const Contact>(segment.reported)
                                  : std::span<const Contact>(origin.contacts);
  place.before = origin.before.empty() ? place.contacts : std::span<const Contact>(origin.before);
  return place;
}

const Contact* contact_with(std::span<const Contact> contacts, const ContactKey& key) {
  const auto before = [](const Contact& c, const ContactKey& k) { return c.key < k; };
  const auto at = std::lower_bound(contacts.begin(), contacts.end(), key, before);
  if (at != contacts.end() && at->key == key) return &*at;
  // The contacts that were hit at one moment stand in the order of the impacts; they are few.
  const auto found = std::find_if(contacts.begin(), contacts.end(),
                                  [&](const Contact& c) { return c.key == key; });
  return found == contacts.end() ? nullptr : &*found;
}

std::string row_name(const Segment& segment, const Problem& problem, std::size_t constraint) {
  return constraint_name(segment.model, problem, static_cast<int>(constraint));
}

VecX solved_velocities(const Model& model, const SolveRecord& record, const VecX& other) {
  VecX v = other;
  for (const ProblemBody& b : record.problem.bodies) {
    const Body& body = model.bodies[static_cast<std::size_t>(b.model_body)];
    const UnitFactors f = unit_factors(body, record.problem.units);
    for (int k = 0; k < b.size; ++k)
      v[body.first_velocity + k] = record.solution.v[b.first + k] * f.velocity[k];
  }
  return v;
}

}  // namespace cairn::record
