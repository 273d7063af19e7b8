// Reads the materials of a description, writes the table of pairs.
#include "model/materials.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/suggestion.hpp"

namespace cairn {
namespace {

// A direction is a unit vector from here on; that of isotropic friction means nothing.
void check_direction(Material& material, const std::string& path, Checks& checks) {
  if (!material.anisotropic()) {
    material.friction_across = -1;
    material.friction_direction = Vec3::UnitX();
    material.direction_of = 0;
    return;
  }
  material.friction_direction =
      checks.direction(material.friction_direction, path + ".friction_direction");
  if (!material.friction_polygon.empty()) {
    const std::string fault = make_convex(material.friction_polygon);
    if (!fault.empty())
      checks.error(path + ".friction_polygon", "no section of a friction cone", fault,
                   "3 to 64 corners of a convex polygon with the origin inside",
                   "a direction without friction has a small one");
    material.friction = largest(material.friction_polygon);
    material.friction_across = -1;
    return;
  }
  checks.nonnegative(material.friction_across, path + ".friction_across", "");
  if (!(material.friction > 0 && material.friction_across > 0))
    checks.error(path + ".friction_across", "anisotropic friction needs both coefficients",
                 "friction " + to_text(material.friction) + ", friction_across " +
                     to_text(material.friction_across),
                 "above 0", "a direction without friction has a small one");
}

void check_values(const Material& material, const std::string& path, Checks& checks) {
  checks.nonnegative(material.rolling_friction, path + ".rolling_friction", "m");
  checks.nonnegative(material.torsional_friction, path + ".torsional_friction", "m");
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
  pair.rolling_friction = std::max(a.rolling_friction, b.rolling_friction);
  pair.torsional_friction = std::max(a.torsional_friction, b.torsional_friction);
  if (!a.anisotropic() && !b.anisotropic()) return pair;
  // A polygon keeps its shape.
  pair.friction_polygon = a.friction_polygon.empty() ? b.friction_polygon : a.friction_polygon;
  const double size = largest(pair.friction_polygon);
  for (Corner& corner : pair.friction_polygon)
    for (double& x : corner) x *= pair.friction / size;
  const auto across = [](const Material& m) {
    return m.elliptic() ? m.friction_across : m.friction;
  };
  if (pair.friction_polygon.empty()) pair.friction_across = std::sqrt(across(a) * across(b));
  pair.friction_direction = a.anisotropic() ? a.friction_direction : b.friction_direction;
  pair.direction_of = a.anisotropic() && b.anisotropic() ? -1 : a.anisotropic() ? 0 : 1;
  return pair;
}

// The same pair with its materials in the other order.
static Material swapped(Material pair) {
  if (pair.anisotropic() && pair.direction_of >= 0) pair.direction_of = 1 - pair.direction_of;
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

MaterialTable build_materials(std::vector<std::pair<std::string, Material>> materials,
                              Checks& checks) {
  // Single materials first: pairs refer to them.
  std::map<std::string, Material> singles = {{"default", Material{}}};
  std::set<std::string> seen;
  for (auto& [name, material] : materials) {
    const std::string path = "materials." + name;
    if (!checks.name(name, path)) continue;
    check_values(material, path, checks);
    check_direction(material, path, checks);
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
  for (std::size_t i = 0; i < n; ++i)
    if (own[i].anisotropic()) table.pairs[i * n + i].direction_of = -1;

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
    table.pairs[*j * n + *i] = swapped(material);
    table.pairs[*i * n + *j] = material;
    if (*i == *j && material.anisotropic()) table.pairs[*i * n + *i].direction_of = -1;
  }
  return table;
}

bool can_meet(const Model& model, std::size_t i, std::size_t j) {
  for (const Shape& a : model.shapes)
    for (const Shape& b : model.shapes)
      if (index(a.material) == i && index(b.material) == j && a.body != b.body &&
          (model.body(a.body).velocities > 0 || model.body(b.body).velocities > 0))
        return true;
  return false;
}

std::vector<std::shared_ptr<const FrictionPolygon>> make_sections(
    const std::vector<Material>& pairs) {
  std::vector<std::shared_ptr<const FrictionPolygon>> sections;
  for (const Material& pair : pairs) {
    std::shared_ptr<const FrictionPolygon>& section = sections.emplace_back();
    if (pair.friction_polygon.empty()) continue;
    // Of the second body it bounds the force on the first, and its own normal is the other way.
    const double side = pair.direction_of == 1 ? -1 : 1;
    FrictionPolygon corners;
    for (const Corner& c : pair.friction_polygon)
      corners.push_back({side * c[0] / pair.friction, c[1] / pair.friction});
    if (side < 0) std::reverse(corners.begin(), corners.end());
    section = std::make_shared<const FrictionPolygon>(std::move(corners));
  }
  return sections;
}

// Two shapes with materials i and j whose bodies together cannot move along all axes.
static bool meet_in_plane(const Model& model, std::size_t i, std::size_t j) {
  for (const Shape& a : model.shapes)
    for (const Shape& b : model.shapes) {
      if (index(a.material) != i || index(b.material) != j || a.body == b.body) continue;
      const Body &first = model.body(a.body), &second = model.body(b.body);
      if (first.velocities + second.velocities == 0) continue;
      for (std::size_t axis = 0; axis < 3; ++axis)
        if (!(first.velocities > 0 && first.translations[axis]) &&
            !(second.velocities > 0 && second.translations[axis]))
          return true;
    }
  return false;
}

void check_directions(const MaterialTable& table, const Model& model, Checks& checks) {
  const std::size_t n = table.names.size();
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = i; j < n; ++j) {
      const Material& pair = table.pairs[i * n + j];
      if (!pair.friction_polygon.empty() && pair.direction_of >= 0 && meet_in_plane(model, i, j))
        checks.error(
            "materials." + table.names[pair.direction_of == 0 ? i : j] + ".friction_polygon",
            "bodies that meet cannot slip in every direction of space", "a polygon",
            "bodies that are free along x, y and z", "use friction, and friction_across, here");
      if (!pair.anisotropic() || pair.direction_of >= 0 || !can_meet(model, i, j)) continue;
      const std::string name = table.names[i] + "|" + table.names[j];
      checks.error("materials." + name, "both bodies have a direction of friction of their own",
                   quoted(name), "a pair that says what holds between them",
                   i == j ? "list the pair with its friction alone"
                          : "list the pair with its friction, and with friction_across or "
                            "friction_polygon and friction_direction, in the frame of " +
                                quoted(table.names[i]) + ", if it has a direction");
    }
}

}  // namespace cairn
