// Looks up bodies and joints by name, both are sorted by it; compares bodies.
#include "cairn/model.hpp"

#include <algorithm>

#include "base/conventions.hpp"

namespace cairn {
namespace {

template <class Id, class Item>
std::optional<Id> find_name(const std::vector<Item>& items, const std::string& name) {
  const auto found =
      std::lower_bound(items.begin(), items.end(), name,
                       [](const Item& item, const std::string& key) { return item.name < key; });
  if (found == items.end() || found->name != name) return std::nullopt;
  return Id{static_cast<std::int32_t>(found - items.begin())};
}

}  // namespace

std::optional<BodyId> Model::find_body(const std::string& body_name) const {
  return find_name<BodyId>(bodies, body_name);
}

double Model::smaller_radius(BodyId a, BodyId b) const {
  CAIRN_DCHECK(base::is_index(static_cast<int>(a), bodies.size()), a);
  CAIRN_DCHECK(base::is_index(static_cast<int>(b), bodies.size()), b);
  const double ra = body(a).radius, rb = body(b).radius;
  if (ra > 0 && rb > 0) return std::min(ra, rb);
  return ra > 0 || rb > 0 ? std::max(ra, rb) : length_unit;
}

std::optional<JointId> Model::find_joint(const std::string& joint_name) const {
  return find_name<JointId>(joints, joint_name);
}

const char* type_name(const JointType& type) {
  static constexpr const char* names[] = {
      "distance",    "ball",      "revolute",  "prismatic",     "fixed",
      "cylindrical", "universal", "planar",    "point_on_line", "point_on_plane",
      "rope",        "screw",     "coordinate"};
  static_assert(std::size(names) == std::variant_size_v<JointType>);
  return names[type.index()];
}

}  // namespace cairn
