// The table of contact laws between materials.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cairn/model.hpp"
#include "model/checks.hpp"

namespace cairn {

// Of a pair that is not listed: geometric mean of the frictions, the larger of all else; of two
// restitution laws the later one, which keeps the energy better.
Material mixed(const Material& a, const Material& b);

// The two names of a pair "a|b"; nothing if there is no bar in the name.
std::optional<std::pair<std::string_view, std::string_view>> pair_names(std::string_view name);

struct MaterialTable {
  std::vector<std::string> names;  // sorted; "default" is always there
  std::vector<Material> pairs;     // names x names, row major

  std::optional<MaterialId> find(std::string_view name) const;
};

MaterialTable build_materials(std::vector<std::pair<std::string, Material>> materials,
                              Checks& checks);

// Can a body with material i touch another one with material j, at least one of them free to move?
bool can_meet(const Model& model, std::size_t i, std::size_t j);

// Sections of the pairs over their friction, seen along the normal of a contact from a to b (E247).
std::vector<std::shared_ptr<const FrictionPolygon>> make_sections(
    const std::vector<Material>& pairs);

// Friction between two bodies that both have a direction of it is defined by neither: an error for
// pairs of materials whose bodies can meet. Polygons need bodies that can slip in every direction.
void check_directions(const MaterialTable& table, const Model& model, Checks& checks);

}  // namespace cairn
