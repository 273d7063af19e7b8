// Reads the materials of a description, writes the table of pairs.
#include "model/materials.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/suggestion.hpp"

namespace cairn {
namespace {

void check_values(const Material& material, const std::string& path, Checks& checks) {
  checks.nonnegative(material.friction, path + ".friction", "");
  if (material.bounce_friction != Material{}.bounce_friction)
    checks.nonnegative(material.bounce_friction, path + ".bounce_friction", "");
  if (!(material.restitution >= 0 && material.restitution <= 1))
    checks.error(path + ".restitution", "restitution is out of range",
                 to_text(material.restitution), "0 to 1", "0 does not bounce, 1 loses no energy");
}

// The index of one of the names of a pair, with an error if there is no such material.
std::optional<std::size_t> member(const MaterialTable& table, std::string_view name,
                                  const std::string& path, Checks& checks) {
  if (const auto id = table.find(name)) return index(*id);
  const std::vector<std::string_view> known(table.names.begin(), table.names.end());
  checks.error(path, "pair names a material that is not declared", quoted(name),
               "declared materials and \"default\"",
               did_you_mean(name, known, "declare it with its own friction and restitution"));
  return std::nullopt;
}

}  // namespace

Material mixed(const Material& a, const Material& b) {
  Material pair;
  pair.friction = std::sqrt(a.friction * b.friction);
  pair.restitution = std::max(a.restitution, b.restitution);
  pair.restitution_law = std::max(a.restitution_law, b.restitution_law);
  if (a.bounce_friction >= 0 || b.bounce_friction >= 0)
    pair.bounce_friction = std::sqrt(a.bounce_mu() * b.bounce_mu());
  return pair;
}

std::optional<std::pair<std::string_view, std::string_view>> pair_names(std::string_view name) {
  const std::size_t bar = name.find('|');
  if (bar == std::string_view::npos) return std::nullopt;
  return std::pair(name.substr(0, bar), name.substr(bar + 1));
}

std::optional<MaterialId> MaterialTable::find(std::string_view name) const {
  const auto found = std::lower_bound(names.begin(), names.end(), name);
  if (found == names.end() || *found != name) return std::nullopt;
  return MaterialId{static_cast<std::int32_t>(found - names.begin())};
}

MaterialTable build_materials(const std::vector<std::pair<std::string, Material>>& materials,
                              Checks& checks) {
  // Single materials first: pairs refer to them.
  std::map<std::string, Material> singles = {{"default", Material{}}};
  std::set<std::string> seen;
  for (const auto& [name, material] : materials) {
    const std::string path = "materials." + name;
    if (!checks.name(name, path)) continue;
    check_values(material, path, checks);
    if (!seen.insert(name).second)
      checks.error(path, "material is declared twice", quoted(name), "", "drop one of them");
    if (!pair_names(name)) singles[name] = material;
  }

  MaterialTable table;
  std::vector<Material> own;
  for (const auto& [name, material] : singles) {
    table.names.push_back(name);
    own.push_back(material);
  }
  const std::size_t n = own.size();
  table.pairs.resize(n * n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      table.pairs[i * n + j] = i == j ? own[i] : mixed(own[i], own[j]);

  std::set<std::pair<std::size_t, std::size_t>> listed;
  for (const auto& [name, material] : materials) {
    const auto pair = pair_names(name);
    if (!pair) continue;
    const std::string path = "materials." + name;
    if (pair->second.find('|') != std::string_view::npos) {
      checks.error(path, "a pair has two names", quoted(name), "\"a|b\"",
                   "list each pair by itself");
      continue;
    }
    const auto i = member(table, pair->first, path, checks),
               j = member(table, pair->second, path, checks);
    if (!i || !j) continue;
    if (!listed.insert(std::minmax(*i, *j)).second)
      checks.error(path, "pair of materials is given twice", quoted(name), "",
                   "drop one of them; the order of the names does not matter");
    table.pairs[*i * n + *j] = table.pairs[*j * n + *i] = material;
  }
  return table;
}

}  // namespace cairn
