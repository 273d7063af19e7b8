// The table of contact laws between materials.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cairn/model.hpp"
#include "model/checks.hpp"

namespace cairn::model {

// Of a pair that is not listed: geometric mean of the frictions, the larger of all else; of two
// restitution laws the later one, which keeps the energy better.
Material mixed(const Material& a, const Material& b);
ContactLaw mixed_law(const Material& a, const Material& b);  // the same without the polygon

// The two names of a pair "a|b"; nothing if there is no bar in the name.
std::optional<std::pair<std::string_view, std::string_view>> pair_names(std::string_view name);

struct MaterialTable {
  std::vector<std::string> names;   // sorted; "default" is always there
  std::vector<Material> materials;  // beside their names
  std::vector<MaterialPair> pairs;  // as in Model

  std::optional<MaterialId> find(std::string_view name) const;
};

// Pairs of which one material has a polygon; each has a section of its own.
inline constexpr std::size_t most_polygon_pairs = 100'000;

MaterialTable build_materials(std::vector<std::pair<std::string, Material>> materials,
                              Checks& checks);

// Which materials can touch: bodies of the two must differ, and one of them must be free to move.
class Meetings {
 public:
  Meetings(const Model& model, std::size_t materials);

  bool can_meet(std::size_t i, std::size_t j) const { return meet(0, i, j); }
  // Of bodies that together cannot move along all axes.
  bool can_meet_in_plane(std::size_t i, std::size_t j) const {
    return meet(1, i, j) || meet(2, i, j) || meet(3, i, j);
  }

 private:
  // Two different bodies are enough to know whether one differs from a body of another material.
  struct Two {
    std::array<int, 2> body = {-1, -1};
    void add(int b);
    bool other_than(int b) const { return (body[0] >= 0 && body[0] != b) || body[1] >= 0; }
  };
  struct Bodies {
    Two all, movable;
  };
  bool meet(std::size_t group, std::size_t i, std::size_t j) const;

  // Group 0: all bodies of each material; 1 to 3: those that cannot move along x, y, z.
  std::array<std::vector<Bodies>, 4> groups_;
};

// Friction between two bodies that both have a direction of it is defined by neither: an error for
// pairs of materials whose bodies can meet. Polygons need bodies that can slip in every direction.
void check_directions(const Model& model, Checks& checks);

}  // namespace cairn::model
