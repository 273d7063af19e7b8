#include "problem/files/json_reader.hpp"

#include "base/infinity.hpp"

namespace cairn::problem {
namespace {

constexpr LawRule law_rules[] = {
    {Law::equality, 1, 3}, {Law::nonnegative, 1, 1},     {Law::box, 1, 1},
    {Law::coulomb, 2, 3},  {Law::coulomb_relaxed, 2, 3}, {Law::disc, 1, 2}};

}  // namespace

std::string joined(std::span<const std::string_view> names) {
  std::string list;
  for (const std::string_view name : names) list += (list.empty() ? "" : ", ") + std::string(name);
  return list;
}

const LawRule* read_law(const json::Node& value, const std::string& path, JsonReader& reader) {
  std::vector<std::string_view> known;
  for (const LawRule& rule : law_rules) {
    known.push_back(name(rule.law));
    if (value.is(json::Node::Kind::string) && value.string == known.back()) return &rule;
  }
  reader.error(value, path, ErrorCode::unknown_choice, "unknown law", json::summary(value),
               joined(known), base::did_you_mean(value.string, known));
  return nullptr;
}

// Corners of a friction section (E247); null with an error.
static std::shared_ptr<const FrictionPolygon> read_polygon(const json::Node& value,
                                                           const std::string& path,
                                                           JsonReader& reader) {
  const int count = reader.array(value, path, 3, max_corners);
  if (count < 0) return nullptr;
  FrictionPolygon polygon(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < polygon.size(); ++i)
    if (!reader.numbers(value.items[i], fmt::format("{}[{}]", path, i), 2, polygon[i].data()))
      return nullptr;
  if (const std::string fault = make_convex(polygon); !fault.empty()) {
    reader.error(value, path, ErrorCode::invalid_polygon, "no section of a friction cone", fault,
                 "a convex polygon with the origin inside");
    return nullptr;
  }
  return std::make_shared<const FrictionPolygon>(std::move(polygon));
}

// Keys that belong to one law only.
void read_law_data(const json::Node& value, const std::string& path, JsonReader& reader,
                   ReducedConstraint& c) {
  const auto only = [&](const char* key, bool allowed, const char* where) -> const json::Node* {
    const json::Node* found = value.find(key);
    if (!found || allowed) return found;
    reader.error(*found, path + "." + key, ErrorCode::conflict, "has no meaning here", "", where,
                 "remove it");
    return nullptr;
  };
  const bool cone = has_cone(c.law), box = c.law == Law::box, disc = c.law == Law::disc;
  if (cone || disc) reader.member(value, path, "mu");
  const json::Node* mu = only("mu", cone || disc, "with law coulomb, coulomb_relaxed or disc");
  if (mu && reader.number(*mu, path + ".mu", c.mu) && !(c.mu >= 0))
    reader.error(*mu, path + ".mu", ErrorCode::out_of_range, "negative friction",
                 json::summary(*mu), "a number >= 0");
  const json::Node* facets =
      only("facets", cone && c.rows == 3, "with a friction cone and three rows");
  if (facets && reader.integer(*facets, path + ".facets", 0, 64, c.facets) &&
      (c.facets == 1 || c.facets == 2))
    reader.error(*facets, path + ".facets", ErrorCode::out_of_range, "facets out of range",
                 json::summary(*facets), "0 (exact cone) or 3 to 64");
  if (const json::Node* polygon =
          only("polygon", cone && c.rows == 3, "with a friction cone and three rows")) {
    if (c.facets > 0)
      reader.error(*polygon, path + ".polygon", ErrorCode::conflict, "two sections",
                   "facets and polygon", "one of them");
    c.section = read_polygon(*polygon, path + ".polygon", reader);
  }
  if (box) c.lo = -base::infinity, c.hi = base::infinity;  // a missing bound does not bind
  const json::Node* lo = only("lo", box, "with law box");
  const json::Node* hi = only("hi", box, "with law box");
  bool good = true;
  if (lo) good &= reader.number(*lo, path + ".lo", c.lo);
  if (hi) good &= reader.number(*hi, path + ".hi", c.hi);
  if (good && c.lo > c.hi)
    reader.error(value, path, ErrorCode::conflict, "empty box",
                 fmt::format("lo {} > hi {}", c.lo, c.hi), "lo <= hi");
}

void read_name(const json::Node& value, const std::string& path, JsonReader& reader,
               std::string& name) {
  const json::Node* found = value.find("name");
  if (!found) return;
  name = found->string;
  if (!found->is(json::Node::Kind::string))
    reader.error(*found, path + ".name", ErrorCode::wrong_type, "expected a string",
                 json::summary(*found));
}

}  // namespace cairn::problem
