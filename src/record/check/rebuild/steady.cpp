// check: which contacts of scheme hybrid are steady when a step ends (E524).
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "record/check/rebuild/rebuild.hpp"

namespace cairn::record {
namespace {

// Parts that are shorter release no contact, of the step [-].
constexpr double brief = 0x1p-17;

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

void compare_steady(std::span<const Segment> segments, const State& after, const Complain& complain,
                    Unverified& unverified) {
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
  if (rows.loaded.size() != rows.all.size())
    unverified.insert("which contacts of scheme hybrid without an impulse stay steady");
}

}  // namespace cairn::record
