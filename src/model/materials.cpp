// Reads the materials of a description, writes the table of pairs.
#include "model/materials.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/suggestion.hpp"

namespace cairn::model {
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
      checks.error(path + ".friction_polygon", ErrorCode::invalid_polygon,
                   "no section of a friction cone", fault,
                   "3 to 64 corners of a convex polygon with the origin inside",
                   "a direction without friction has a small one");
    material.friction = largest(material.friction_polygon);
    material.friction_across = -1;
    return;
  }
  checks.nonnegative(material.friction_across, path + ".friction_across", "");
  if (!(material.friction > 0 && material.friction_across > 0))
    checks.error(path + ".friction_across", ErrorCode::out_of_range,
                 "anisotropic friction needs both coefficients",
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
    checks.error(path + ".restitution", ErrorCode::out_of_range, "restitution is out of range",
                 to_text(material.restitution), "0 to 1", "0 does not bounce, 1 loses no energy");
}

// The index of one of the names of a pair, with an error if there is no such material.
std::optional<std::size_t> member(const MaterialTable& table, std::string_view name,
                                  const std::string& path, Checks& checks) {
  if (const auto id = table.find(name)) return index(*id);
  const std::vector<std::string_view> known(table.names.begin(), table.names.end());
  checks.error(path, ErrorCode::unknown_name, "pair names a material that is not declared",
               in_quotes(name), "declared materials and \"default\"",
               base::did_you_mean(name, known, "declare it with its own friction and restitution"));
  return std::nullopt;
}

}  // namespace

ContactLaw mixed_law(const Material& a, const Material& b) {
  ContactLaw pair;
  pair.friction = std::sqrt(a.friction * b.friction);
  pair.restitution = std::max(a.restitution, b.restitution);
  pair.restitution_law = std::max(a.restitution_law, b.restitution_law);
  if (a.bounce_friction >= 0 || b.bounce_friction >= 0)
    pair.bounce_friction = std::sqrt(a.bounce_mu() * b.bounce_mu());
  pair.rolling_friction = std::max(a.rolling_friction, b.rolling_friction);
  pair.torsional_friction = std::max(a.torsional_friction, b.torsional_friction);
  if (!a.anisotropic() && !b.anisotropic()) return pair;
  const auto across = [](const Material& m) {
    return m.elliptic() ? m.friction_across : m.friction;
  };
  if (a.friction_polygon.empty() && b.friction_polygon.empty())
    pair.friction_across = std::sqrt(across(a) * across(b));
  pair.friction_direction = a.anisotropic() ? a.friction_direction : b.friction_direction;
  pair.direction_of = a.anisotropic() && b.anisotropic() ? -1 : a.anisotropic() ? 0 : 1;
  return pair;
}

Material mixed(const Material& a, const Material& b) {
  const ContactLaw law = mixed_law(a, b);
  Material pair;
  pair.friction = law.friction;
  pair.restitution = law.restitution;
  pair.restitution_law = law.restitution_law;
  pair.bounce_friction = law.bounce_friction;
  pair.rolling_friction = law.rolling_friction;
  pair.torsional_friction = law.torsional_friction;
  pair.friction_across = law.friction_across;
  pair.friction_direction = law.friction_direction;
  pair.direction_of = law.direction_of;
  // A polygon keeps its shape.
  pair.friction_polygon = a.friction_polygon.empty() ? b.friction_polygon : a.friction_polygon;
  const double size = largest(pair.friction_polygon);
  for (Corner& corner : pair.friction_polygon)
    for (double& x : corner) x *= pair.friction / size;
  return pair;
}

// The same pair with its materials in the other order.
static Material swapped(Material pair) {
  if (pair.anisotropic() && pair.direction_of >= 0) pair.direction_of = 1 - pair.direction_of;
  return pair;
}

// The corners over the friction, seen along the normal of a contact from a to b (E247).
static std::shared_ptr<const FrictionPolygon> make_section(const Material& pair) {
  if (pair.friction_polygon.empty()) return nullptr;
  // Of the second body it bounds the force on the first, and its own normal is the other way.
  const double side = pair.direction_of == 1 ? -1 : 1;
  FrictionPolygon corners;
  for (const Corner& c : pair.friction_polygon)
    corners.push_back({side * c[0] / pair.friction, c[1] / pair.friction});
  if (side < 0) std::reverse(corners.begin(), corners.end());
  return std::make_shared<const FrictionPolygon>(std::move(corners));
}

static MaterialPair make_pair(std::size_t a, std::size_t b, const Material& material) {
  MaterialPair pair{MaterialId{static_cast<std::int32_t>(a)},
                    MaterialId{static_cast<std::int32_t>(b)}, ContactLaw(material),
                    make_section(material)};
  pair.law.section = pair.section.get();
  return pair;
}

// Both materials are one: nothing tells whose direction counts.
static Material with_itself(Material material) {
  if (material.anisotropic()) material.direction_of = -1;
  return material;
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

using ListedPairs = std::map<std::pair<std::size_t, std::size_t>, const Material*>;

// Pairs with a polygon that are not listed: their sections are made once.
static void add_polygon_pairs(const std::vector<Material>& own, const ListedPairs& listed,
                              std::vector<MaterialPair>& pairs, Checks& checks) {
  std::vector<std::size_t> polygons;
  for (std::size_t i = 0; i < own.size(); ++i)
    if (!own[i].friction_polygon.empty()) polygons.push_back(i);
  const std::size_t count = polygons.size() * own.size();
  if (count > most_polygon_pairs)
    return checks.limit("materials", ErrorCode::too_many,
                        "too many pairs of materials have a friction polygon",
                        std::to_string(count), "at most " + std::to_string(most_polygon_pairs),
                        "use fewer materials, or friction_across in place of friction_polygon");
  const auto add = [&](std::size_t i, std::size_t j) {
    if (listed.contains({i, j}) || listed.contains({j, i})) return;
    pairs.push_back(make_pair(i, j, i == j ? with_itself(own[i]) : mixed(own[i], own[j])));
  };
  for (const std::size_t p : polygons)
    for (std::size_t k = 0; k < own.size(); ++k) {
      add(p, k);
      if (own[k].friction_polygon.empty()) add(k, p);
    }
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
      checks.error(path, ErrorCode::duplicate_name, "material is declared twice", in_quotes(name),
                   "", "drop one of them");
    if (!pair_names(name)) singles[name] = material;
  }

  MaterialTable table;
  for (auto& [name, material] : singles) {
    table.names.push_back(name);
    table.materials.push_back(std::move(material));
  }
  const std::vector<Material>& own = table.materials;

  ListedPairs listed;
  for (const auto& [name, material] : materials) {
    const auto pair = pair_names(name);
    if (!pair) continue;
    const std::string path = "materials." + name;
    if (pair->second.find('|') != std::string_view::npos) {
      checks.error(path, ErrorCode::invalid_name, "a pair has two names", in_quotes(name),
                   "\"a|b\"", "list each pair by itself");
      continue;
    }
    const auto i = member(table, pair->first, path, checks),
               j = member(table, pair->second, path, checks);
    if (!i || !j) continue;
    if (listed.contains({*i, *j}) || listed.contains({*j, *i}))
      checks.error(path, ErrorCode::duplicate_name, "pair of materials is given twice",
                   in_quotes(name), "", "drop one of them; the order of the names does not matter");
    listed[{*i, *j}] = &material;
  }
  std::vector<MaterialPair>& pairs = table.pairs;
  for (const auto& [ids, material] : listed) {
    const auto [i, j] = ids;
    pairs.push_back(make_pair(i, j, i == j ? with_itself(*material) : *material));
    if (i != j) pairs.push_back(make_pair(j, i, swapped(*material)));
  }
  add_polygon_pairs(own, listed, pairs, checks);
  std::sort(pairs.begin(), pairs.end(), [](const MaterialPair& x, const MaterialPair& y) {
    return std::pair(x.a, x.b) < std::pair(y.a, y.b);
  });
  return table;
}

}  // namespace cairn::model

namespace cairn {

ContactLaw::ContactLaw(const Material& m)
    : friction(m.friction),
      restitution(m.restitution),
      restitution_law(m.restitution_law),
      bounce_friction(m.bounce_friction),
      rolling_friction(m.rolling_friction),
      torsional_friction(m.torsional_friction),
      friction_across(m.friction_across),
      friction_direction(m.friction_direction),
      direction_of(m.direction_of) {}

bool ContactLaw::operator==(const ContactLaw& other) const {
  const bool same_section =
      section && other.section ? *section == *other.section : section == other.section;
  return friction == other.friction && restitution == other.restitution &&
         restitution_law == other.restitution_law && bounce_friction == other.bounce_friction &&
         rolling_friction == other.rolling_friction &&
         torsional_friction == other.torsional_friction &&
         friction_across == other.friction_across &&
         friction_direction == other.friction_direction && direction_of == other.direction_of &&
         same_section;
}

}  // namespace cairn

namespace cairn::model {

static const MaterialPair* find_pair(const std::vector<MaterialPair>& pairs, MaterialId a,
                                     MaterialId b) {
  const auto found = std::lower_bound(
      pairs.begin(), pairs.end(), std::pair(a, b),
      [](const MaterialPair& p, const auto& key) { return std::pair(p.a, p.b) < key; });
  return found != pairs.end() && found->a == a && found->b == b ? &*found : nullptr;
}

}  // namespace cairn::model

namespace cairn {

ContactLaw Model::pair(MaterialId a, MaterialId b) const {
  if (const MaterialPair* stored = model::find_pair(pairs, a, b)) return stored->law;
  const Material &first = materials[index(a)], &second = materials[index(b)];
  if (a != b) return model::mixed_law(first, second);
  ContactLaw law(first);
  if (law.anisotropic()) law.direction_of = -1;
  return law;
}

const std::shared_ptr<const FrictionPolygon>& Model::section(const ContactKey& contact) const {
  static const std::shared_ptr<const FrictionPolygon> none;
  if (is_limit(contact)) return none;
  const MaterialPair* stored = model::find_pair(pairs, shapes[index(contact.shape_a)].material,
                                                shapes[index(contact.shape_b)].material);
  return stored ? stored->section : none;
}

}  // namespace cairn

namespace cairn::model {

void Meetings::Two::add(int b) {
  if (body[0] < 0)
    body[0] = b;
  else if (body[0] != b)
    body[1] = b;
}

Meetings::Meetings(const Model& model, std::size_t materials) {
  for (auto& group : groups_) group.resize(materials);
  for (const Shape& shape : model.shapes) {
    const Body& body = model.body(shape.body);
    for (std::size_t group = 0; group < groups_.size(); ++group) {
      if (group > 0 && body.velocities > 0 && body.translations[group - 1]) continue;
      Bodies& bodies = groups_[group][index(shape.material)];
      const int number = static_cast<int>(index(shape.body));
      bodies.all.add(number);
      if (body.velocities > 0) bodies.movable.add(number);
    }
  }
}

bool Meetings::meet(std::size_t group, std::size_t i, std::size_t j) const {
  const Bodies &first = groups_[group][i], &second = groups_[group][j];
  const auto touches = [](const Two& movable, const Two& all) {
    return std::any_of(movable.body.begin(), movable.body.end(),
                       [&](int b) { return b >= 0 && all.other_than(b); });
  };
  return touches(first.movable, second.all) || touches(second.movable, first.all);
}

void check_directions(const Model& model, Checks& checks) {
  const std::size_t n = model.material_names.size();
  const Meetings meetings(model, n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = i; j < n; ++j) {
      if (!meetings.can_meet(i, j)) continue;
      const ContactLaw pair = model.pair(MaterialId(i), MaterialId(j));
      const std::vector<std::string>& names = model.material_names;
      if (pair.section && pair.direction_of >= 0 && meetings.can_meet_in_plane(i, j))
        checks.error("materials." + names[pair.direction_of == 0 ? i : j] + ".friction_polygon",
                     ErrorCode::wrong_dimension,
                     "bodies that meet cannot slip in every direction of space", "a polygon",
                     "bodies that are free along x, y and z",
                     "use friction, and friction_across, here");
      if (!pair.anisotropic() || pair.direction_of >= 0) continue;
      const std::string name = names[i] + "|" + names[j];
      checks.error("materials." + name, ErrorCode::conflict,
                   "both bodies have a direction of friction of their own", in_quotes(name),
                   "a material pair that defines their friction",
                   i == j ? "list the pair with its friction alone"
                          : "list the pair with its friction, and with friction_across or "
                            "friction_polygon and friction_direction, in the frame of " +
                                in_quotes(names[i]) + ", if it has a direction");
    }
}

}  // namespace cairn::model
