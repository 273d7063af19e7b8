// Builds summary.json and evaluates expectations against it; the one place of the recorder that
// knows the JSON library.
#include "record/run/summary.hpp"

#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

namespace cairn::record {
namespace {

using Json = nlohmann::ordered_json;

Json json_list(const Vec3& a) {
  return Json::array({a.x(), a.y(), a.z()});
}

Json certificate_json(const RunTotals& totals) {
  const WorstStep worst = totals.worst.empty() ? WorstStep{} : totals.worst.front();
  return {{"worst", worst.certificate},
          {"step", worst.step},
          {"row", worst.row},
          {"uncertified_steps", totals.uncertified_steps}};
}

Json verdict_part_json(const VerdictPartTotals& part) {
  Json json = {{"ok", part.failed_steps == 0},
               {"worst", part.worst},
               {"step", part.step},
               {"failed_steps", part.failed_steps}};
  if (!part.sentence.empty()) json["sentence"] = part.sentence;
  return json;
}

// `worst` is relative to the limit: a part is ok while it is at most 1.
Json verdict_json(const RunTotals& totals) {
  const VerdictTotals& v = totals.verdict;
  Json solve = verdict_part_json(v.solve), motion = verdict_part_json(v.motion),
       energy = verdict_part_json(v.energy);
  motion.update({{"overlap", v.overlap_max},
                 {"swept_overlap", v.swept_overlap_max},
                 {"joint", v.joint_max},
                 {"momentum", v.momentum_max},
                 {"momentum_others", v.momentum_others_max}});
  energy.update({{"error", v.energy_error_max},
                 {"integrator", v.integrator_max},
                 {"integrator_sum", totals.ledger.integrator}});
  return {{"accepted", !totals.stopped && v.failed_steps == 0},
          {"failed_steps", v.failed_steps},
          {"solve", std::move(solve)},
          {"motion", std::move(motion)},
          {"energy", std::move(energy)},
          {"divided_steps", v.divided_steps},
          {"parts_max", v.parts_max},
          {"attempts", v.attempts}};
}

// Names are unique, so each body is appended without a look at those before it: a search in an
// ordered object would take the square of their number.
Json bodies_json(const Model& model, const State& state) {
  Json bodies = Json::object();
  auto& members = bodies.get_ref<Json::object_t&>();
  members.reserve(model.bodies.size());
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const BodyMotion m = body_motion(model, state, static_cast<BodyId>(i));
    const Quat& R = m.orientation;
    members.emplace_back(model.bodies[i].name,
                         Json{{"position", json_list(m.position)},
                              {"orientation", Json::array({R.w(), R.x(), R.y(), R.z()})},
                              {"velocity", json_list(m.velocity)},
                              {"angular_velocity", json_list(m.angular_velocity)}});
  }
  return bodies;
}

// What was done to the initial state to close its joints (E323).
Json start_json(const Model& model, const StartProjection& start) {
  Json moved = Json::object(), stuck = Json::object();
  for (const MovedBody& m : start.moved)
    moved[model.body(m.body).name] = {{"distance", m.distance}, {"angle", m.angle}};
  for (const OpenJoint& open : start.stuck)
    stuck[model.joints[index(open.joint)].name] = {{"distance", open.distance},
                                                   {"angle", open.angle}};
  return {{"open", start.open}, {"moved", std::move(moved)}, {"stuck", std::move(stuck)}};
}

Json joints_json(const Model& model, const RunTotals& totals) {
  const JointRank& rank = totals.joint_rank;
  Json redundant = Json::object();
  for (const RedundantJoint& r : rank.redundant)
    redundant[model.joints[index(r.joint)].name] = r.rows;
  return {{"rows", rank.rows},
          {"rank", rank.rank},
          {"redundant", std::move(redundant)},
          {"start", start_json(model, totals.start)}};
}

// Every figure of a step, as one over the run.
Json figures_json(const FigureTotals& totals) {
  Json json = Json::object();
  describe(
      [&](const FigureText& text, const auto& last, const auto& largest, const auto& least,
          const auto& sum) {
        Json& figure = json[text.key];
        switch (text.over) {
          case Aggregate::last:
          case Aggregate::largest:
            figure["max"] = largest;
            break;
          case Aggregate::least:
            figure["min"] = least;
            break;
          case Aggregate::sum:
            figure["sum"] = sum;
            break;
        }
        figure["final"] = last;
      },
      totals.last, totals.largest, totals.least, totals.sum);
  return json;
}

Json nonlinear_json(const RunTotals& totals) {
  return {{"iterations", totals.figures.sum.nonlinear_iterations},
          {"fallbacks", totals.figures.sum.nonlinear_fallback},
          {"residual_max", totals.figures.largest.nonlinear_residual}};
}

// Which law the certificates are of; of the relaxed one also how far it is from Coulomb's.
Json friction_json(const SchemeOptions& scheme, const RunTotals& totals) {
  if (std::holds_alternative<Penalty>(scheme)) return {{"law", "none"}};
  if (!std::holds_alternative<Relaxed>(scheme)) return {{"law", name(Law::coulomb)}};
  return {{"law", name(Law::coulomb_relaxed)},
          {"coulomb_residual_max", totals.figures.largest.coulomb_residual},
          {"coulomb_residual_step", totals.coulomb_residual_step},
          {"corrections", totals.figures.sum.corrections}};
}

Json impacts_json(const ImpactTotals& t) {
  return {{"contacts", t.contacts},
          {"groups", t.groups},
          {"laws", {{"newton", t.by_law[0]}, {"poisson", t.by_law[1]}, {"stronge", t.by_law[2]}}},
          {"fastest", t.fastest},
          {"lost_restitution", t.lost_restitution},
          {"lost_friction", t.lost_friction},
          {"put_in", t.put_in},
          {"guard", t.guard},
          {"max_rise", t.max_rise},
          {"sequential", t.sequential},
          {"unfinished_sequences", t.unfinished}};
}

Json contact_projection_json(const RunTotals& totals) {
  return {{"solves", totals.figures.sum.contact_projections},
          {"worst", totals.figures.largest.contact_projection_certificate},
          {"uncertified", totals.figures.sum.uncertified_projections}};
}

Json shown_forces_json(const ForceTotals& totals) {
  return {{"not_unique_steps", totals.not_unique_steps},
          {"not_minimised_steps", totals.not_minimised_steps},
          {"not_unique_contacts_max", totals.not_unique_max},
          {"not_unique_contacts_final", totals.not_unique_final}};
}

// Infinite forces become null.
Json forces_json(const ForceTable& table) {
  Json json = {{"step", table.step}, {"time", table.t}};
  if (!table.refusal.empty()) {
    json["refused"] = table.refusal;
    return json;
  }
  json.update({{"rows", table.rows},
               {"rank", table.rank},
               {"degree", table.rows - table.rank},
               {"unique", table.unique},
               {"contacts", Json::array()},
               {"resultants", Json::object()},
               {"pairs", Json::array()},
               {"jammed", table.jammed}});
  for (const ForceTable::Row& row : table.contacts)
    json["contacts"].push_back({{"name", row.name},
                                {"activity", row.activity},
                                {"min", row.lo},
                                {"here", row.here},
                                {"max", row.hi},
                                {"gap", row.gap}});
  for (const ForceTable::Resultant& body : table.bodies)
    json["resultants"][body.name] = json_list(body.force);
  for (const ForceTable::Resultant& pair : table.pairs)
    json["pairs"].push_back(
        {{"name", pair.name}, {"force", json_list(pair.force)}, {"unique", pair.unique}});
  return json;
}

Json expect_json(std::span<const ExpectationResult> results) {
  Json entries = Json::array();
  for (const ExpectationResult& r : results)
    entries.push_back(
        {{"quantity", r.quantity}, {"value", r.value}, {"bound", r.bound}, {"ok", r.ok}});
  return entries;
}

// ---- Paths
// ------------------------------------------------------------------------------------------------------

// A number, or one that is not finite and has become null.
bool is_value(const Json& node) {
  return node.is_number() || node.is_null();
}

// Follows a path. Names of bodies may hold dots and brackets: the longest key that leads to a
// number wins.
const Json* find(const Json& node, const std::string& path) {
  if (path.empty()) return &node;
  if (node.is_array() && path[0] == '[') {
    const std::size_t close = path.find(']');
    if (close == std::string::npos || close == 1 || close > 6) return nullptr;
    std::size_t i = 0;
    for (std::size_t k = 1; k < close; ++k) {
      if (path[k] < '0' || path[k] > '9') return nullptr;
      i = 10 * i + static_cast<std::size_t>(path[k] - '0');
    }
    if (i >= node.size()) return nullptr;
    const bool dot = close + 1 < path.size() && path[close + 1] == '.';
    return find(node[i], path.substr(close + 1 + (dot ? 1 : 0)));
  }
  if (!node.is_object()) return nullptr;
  const Json* best = nullptr;
  std::size_t longest = 0;
  for (const auto& [key, value] : node.items()) {
    if (path.compare(0, key.size(), key) != 0) continue;
    const char next = key.size() < path.size() ? path[key.size()] : '\0';
    if (next != '\0' && next != '.' && next != '[') continue;
    const std::size_t skip = key.size() + (next == '.' ? 1 : 0);
    const Json* found = find(value, path.substr(skip));
    if (!found) continue;
    const bool better = !best || is_value(*found) > is_value(*best) ||
                        (is_value(*found) == is_value(*best) && key.size() > longest);
    if (better) {
      best = found;
      longest = key.size();
    }
  }
  return best;
}

// Paths of all numbers; bodies stand for themselves once.
void known_paths(const Json& node, const std::string& path, std::vector<std::string>& out) {
  if (is_value(node)) out.push_back(path);
  if (node.is_array() && path != "expect")
    for (std::size_t i = 0; i < node.size(); ++i)
      known_paths(node[i], path + "[" + std::to_string(i) + "]", out);
  if (!node.is_object()) return;
  for (const auto& [key, value] : node.items()) {
    if (path == "bodies") return known_paths(value, "bodies.NAME", out);
    known_paths(value, path.empty() ? key : path + "." + key, out);
  }
}

Error unknown(const Expectation& e, const Json& summary, const std::string& file, ErrorCode code,
              const std::string& what) {
  std::vector<std::string> known;
  known_paths(summary, "", known);
  Error error;
  error.code = code;
  error.file = file;
  error.line = e.line;
  error.path = "expect";
  error.what = what;
  error.got = "\"" + e.quantity + "\"";
  for (const std::string& path : known) error.allowed += (error.allowed.empty() ? "" : ", ") + path;
  error.fix = "name a number of summary.json";
  return error;
}

ExpectationResult compare(const Expectation& e, double value) {
  ExpectationResult result{
      .quantity = e.quantity, .value = value, .bound = {}, .ok = !std::isnan(value)};
  const auto bound = [&](const std::string& text, bool holds) {
    result.bound += (result.bound.empty() ? "" : " and ") + text;
    result.ok = result.ok && holds;
  };
  if (e.at_least) bound(fmt::format(">= {}", *e.at_least), value >= *e.at_least);
  if (e.at_most) bound(fmt::format("<= {}", *e.at_most), value <= *e.at_most);
  if (e.equals)
    bound(e.tolerance > 0 ? fmt::format("= {} +- {}", *e.equals, e.tolerance)
                          : fmt::format("= {}", *e.equals),
          std::abs(value - *e.equals) <= e.tolerance);
  return result;
}

}  // namespace

std::string summary_json(const Scene& scene, const RunTotals& totals, const State& state,
                         std::span<const ExpectationResult> expect) {
  Json json;
  json["cairn"] = CAIRN_VERSION;
  json["scene"] = scene.name;
  json["steps"] = totals.steps;
  json["time"] = state.t;
  json["status"] = name(totals.status());
  if (totals.stopped) {
    json["reason"] = name(totals.reason);
    json["message"] = totals.message;
  }
  json["verdict"] = verdict_json(totals);
  json["certificate"] = certificate_json(totals);
  json["penetration"] = {{"max", totals.figures.largest.penetration},
                         {"final", totals.figures.last.penetration}};
  // Distance joints have no alignment to lose.
  json["joint_error"] = {{"max", totals.figures.largest.joint_error},
                         {"final", totals.figures.last.joint_error},
                         {"max_rad", totals.figures.largest.joint_error_angle}};
  if (!scene.model->joints.empty()) json["joints"] = joints_json(*scene.model, totals);
  if (const Euler* euler = euler_options(scene.simulation.scheme); euler && euler->nonlinear)
    json["nonlinear"] = nonlinear_json(totals);
  json["friction"] = friction_json(scene.simulation.scheme, totals);
  json["impacts"] = impacts_json(totals.impacts);
  if (const Euler* euler = euler_options(scene.simulation.scheme); euler && euler->project_contacts)
    json["contact_projection"] = contact_projection_json(totals);
  if (totals.forces) json["forces"] = forces_json(*totals.forces);
  if (!totals.jammed.empty()) json["jammed"] = totals.jammed;
  json["energy"] = {{"initial", totals.energy_initial},
                    {"final", totals.energy_final},
                    {"max_rise", totals.max_rise}};
  json["contacts"] = {{"max", totals.figures.largest.active_contacts},
                      {"final", totals.figures.last.active_contacts}};
  if (totals.shown.steps > 0) json["shown_forces"] = shown_forces_json(totals.shown);
  json["candidates"] = {{"max", totals.candidates_max}, {"final", totals.candidates_final}};
  json["collisions"] = totals.figures.sum.collisions;
  json["guard_corrections"] = totals.figures.sum.guard_corrections;
  if (std::holds_alternative<Trapezoidal>(scene.simulation.scheme))
    json["events"] = {{"stick", totals.events[1]},
                      {"slip", totals.events[2]},
                      {"take_off", totals.events[3]},
                      {"facet", totals.events[5]},
                      {"limited_steps", totals.events[4]},
                      {"error_estimate_max", totals.figures.largest.error_estimate},
                      {"parts_max", totals.figures.largest.parts}};
  if (std::holds_alternative<Hybrid>(scene.simulation.scheme))
    json["events"] = {{"steady", totals.events[6]},
                      {"take_off", totals.events[3]},
                      {"limited_steps", totals.events[4]}};
  json["contact_filter"] = {{"found_max", totals.found_max}, {"kept_max", totals.candidates_max}};
  json["figures"] = figures_json(totals.figures);
  json["added_pairs"] = totals.figures.sum.added_pairs;
  json["revised_pairs"] = totals.figures.sum.revised_pairs;
  json["solves"] = totals.solves;
  json["discarded_solves"] = totals.figures.sum.discarded_solves;
  json["cpu_ms_per_step"] = totals.cpu_ms_mean();
  json["cpu_ms_median"] = totals.cpu_ms_median();
  json["state_hash"] = fmt::format("{:016x}", hash(state));
  json["bodies"] = bodies_json(*scene.model, state);
  json["expect"] = expect_json(expect);
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<std::vector<ExpectationResult>> evaluate(const std::vector<Expectation>& expectations,
                                                const std::string& summary,
                                                const std::string& scene_file) {
  std::vector<ExpectationResult> results;
  if (expectations.empty()) return results;
  const Json json = Json::parse(summary, nullptr, false);
  CAIRN_CHECK(!json.is_discarded());
  Errors errors;
  for (const Expectation& e : expectations) {
    const Json* found = find(json, e.quantity);
    if (!found)
      errors.push_back(unknown(e, json, scene_file, ErrorCode::unknown_name, "unknown quantity"));
    else if (!is_value(*found))
      errors.push_back(
          unknown(e, json, scene_file, ErrorCode::wrong_type, "the quantity is not a number"));
    else
      results.push_back(compare(
          e, found->is_null() ? std::numeric_limits<double>::quiet_NaN() : found->get<double>()));
  }
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  return results;
}

}  // namespace cairn::record
