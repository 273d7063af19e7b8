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

// Of a pair that is not listed: geometric mean of the frictions, larger restitution, and the
// later law of newton, poisson, stronge: that which guards the energy better.
Material mixed(const Material& a, const Material& b);

// The two names of a pair "a|b"; nothing if there is no bar in the name.
std::optional<std::pair<std::string_view, std::string_view>> pair_names(std::string_view name);

struct MaterialTable {
  std::vector<std::string> names;  // sorted; "default" is always there
  std::vector<Material> pairs;     // names x names, row major

  std::optional<MaterialId> find(std::string_view name) const;
};

MaterialTable build_materials(const std::vector<std::pair<std::string, Material>>& materials,
                              Checks& checks);

}  // namespace cairn
