#include "model/joint/build_gears.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

#include "base/suggestion.hpp"
#include "model/joint/joint_coordinate.hpp"

namespace cairn::model {
namespace {

constexpr double whole_turn = 2 * std::numbers::pi;

// Ratios of angles that turn freely have to be multiples of a common one: their greatest common
// divisor is at least this share of the largest, to this accuracy [-].
constexpr double least_divisor = 1e-4, divisor_accuracy = 1e-9;

// Greatest common divisor of two ratios; 0 if there is none above `least`.
double divisor(double a, double b, double least) {
  a = std::abs(a);
  b = std::abs(b);
  const double size = std::max(a, b);
  while (b > divisor_accuracy * size) {
    if (b < least) return 0;
    const double rest = a - b * std::round(a / b);
    a = b;
    b = std::abs(rest);
  }
  return a;
}

class GearBuilder {
 public:
  GearBuilder(const std::vector<Pose>& poses, Model& model, Checks& checks)
      : poses_(poses), model_(model), checks_(checks) {
    for (const Joint& joint : model.joints)
      if (has_coordinate(joint)) names_.push_back(joint.name);
  }

  void add(const PlacedGear& placed, std::size_t number) {
    const GearDescription& d = placed.gear;
    Gear gear;
    gear.name = d.name.empty() ? "gear" + std::to_string(number) : d.name;
    checks_.name(gear.name, placed.path + ".name");
    if (!taken_.insert(gear.name).second)
      return checks_.error(placed.path + ".name", ErrorCode::duplicate_name,
                           "two gears have the same name", in_quotes(gear.name), "unique names",
                           "rename one of them");
    if (d.terms.size() < 2)
      return checks_.error(placed.path + ".joints", ErrorCode::out_of_range,
                           "a gear couples coordinates of joints", std::to_string(d.terms.size()),
                           "at least two", "name another joint");
    for (std::size_t i = 0; i < d.terms.size(); ++i)
      if (!term(d.terms[i], placed.path + ".joints[" + std::to_string(i) + "]", gear)) return;
    if (!bodies(gear, placed.path) || !period(gear, placed.path)) return;
    gear.sum = gear_sum(model_, poses_, gear);
    model_.gears.push_back(std::move(gear));
  }

 private:
  bool term(const GearTermDescription& d, const std::string& path, Gear& gear) {
    const std::string name = d.coordinate.empty() ? d.joint : d.joint + "." + d.coordinate;
    const auto id = model_.find_joint(name);
    if (!id || !has_coordinate(model_.joints[index(*id)])) {
      checks_.error(path + ".joint", ErrorCode::unknown_name,
                    id ? "this joint has no coordinate of its own" : "unknown coordinate",
                    in_quotes(name),
                    "a revolute or prismatic joint, or a joint with the name of its coordinate",
                    base::did_you_mean(name, names_, "name a joint with a coordinate"));
      return false;
    }
    if (!(d.ratio != 0) || !std::isfinite(d.ratio)) {
      checks_.error(path + ".ratio", ErrorCode::out_of_range, "a coordinate without a ratio",
                    to_text(d.ratio), "a number other than 0", "drop the joint, or give its ratio");
      return false;
    }
    for (const GearTerm& other : gear.terms)
      if (other.joint == *id) {
        checks_.error(path + ".joint", ErrorCode::conflict, "a gear names a coordinate twice",
                      in_quotes(name), "each coordinate once", "add the ratios");
        return false;
      }
    const Joint& joint = model_.joints[index(*id)];
    gear.angle = gear.angle && is_angle(joint);
    gear.terms.push_back({*id, d.ratio});
    return true;
  }

  bool bodies(Gear& gear, const std::string& path) {
    std::vector<BodyId> all;
    for (const bool free : {true, false})
      for (const GearTerm& term : gear.terms)
        for (const BodyId id : model_.joints[index(term.joint)].bodies) {
          if (id == BodyId::world || model_.body(id).kind == BodyKind::fixed) continue;
          if ((model_.body(id).kind == BodyKind::dynamic) != free) continue;
          if (std::find(all.begin(), all.end(), id) == all.end()) all.push_back(id);
        }
    if (all.size() > gear.bodies.size()) {
      checks_.error(path + ".joints", ErrorCode::unsupported, "a gear moves too many bodies",
                    std::to_string(all.size()) + " bodies",
                    "at most " + std::to_string(gear.bodies.size()),
                    "couple the joints in several gears");
      return false;
    }
    std::copy(all.begin(), all.end(), gear.bodies.begin());
    return true;
  }

  // Angles without limits are known up to whole turns, so the sum is known up to the common divisor
  // of their ratios times a turn.
  bool period(Gear& gear, const std::string& path) {
    double largest = 0, common = 0;
    for (const GearTerm& term : gear.terms) largest = std::max(largest, std::abs(term.ratio));
    for (const GearTerm& term : gear.terms) {
      const Joint& joint = model_.joints[index(term.joint)];
      if (!is_angle(joint) || joint.limits.any()) continue;
      common = divisor(term.ratio, common, least_divisor * largest);
      if (common > 0) continue;
      checks_.error(path + ".joints", ErrorCode::unsupported,
                    "the ratios of angles that turn freely have no common divisor",
                    to_text(term.ratio), "ratios as of numbers of teeth, such as 1.5 and 2",
                    "round the ratios, or give the joints lower and upper");
      return false;
    }
    gear.period = whole_turn * common;
    return true;
  }

  const std::vector<Pose>& poses_;
  Model& model_;
  Checks& checks_;
  std::vector<std::string_view> names_;
  std::set<std::string> taken_;
};

}  // namespace

void build_gears(const std::vector<PlacedGear>& gears, const std::vector<Pose>& poses, Model& model,
                 Checks& checks) {
  if (gears.empty()) return;
  GearBuilder builder(poses, model, checks);
  for (std::size_t i = 0; i < gears.size(); ++i) builder.add(gears[i], i);
}

}  // namespace cairn::model
