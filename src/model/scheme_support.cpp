// What a scheme does not take of a model: reads both, writes errors with the paths of the scene.
#include <algorithm>

#include "cairn/scheme.hpp"
#include "model/checks.hpp"
#include "model/joint/joint_coordinate.hpp"
#include "model/materials.hpp"

namespace cairn {
namespace {

// The first pair of materials that can meet and for which `holds`, in the order of names.
template <class Holds>
void at_first_pair(const Model& model, Holds holds) {
  const std::size_t n = model.material_names.size();
  const model::Meetings meetings(model, n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = i; j < n; ++j)
      if (meetings.can_meet(i, j) && holds(i, j, model.pair(MaterialId(i), MaterialId(j)))) return;
}

// Refuses a property of materials, named by the first pair of them that can meet.
void refuse(const Model& model, double ContactLaw::*value, const char* key, const std::string& what,
            const std::string& fix, model::Checks& checks) {
  at_first_pair(model, [&](std::size_t i, std::size_t j, const ContactLaw& pair) {
    if (!(pair.*value > 0)) return false;
    // Of the two the one that brings it.
    const bool second = i != j && !(model.pair(MaterialId(i), MaterialId(i)).*value > 0);
    const std::string name = model.material_names[second ? j : i];
    checks.error("materials." + name + "." + key, ErrorCode::unsupported, what,
                 model::to_text(pair.*value), "0", fix);
    return true;
  });
}

// Names the first material with a polygon that can meet something.
void refuse_polygons(const Model& model, const std::string& what, const std::string& fix,
                     model::Checks& checks) {
  at_first_pair(model, [&](std::size_t i, std::size_t j, const ContactLaw& pair) {
    if (!pair.section) return false;
    const std::string name = model.material_names[pair.direction_of == 1 ? j : i];
    checks.error("materials." + name + ".friction_polygon", ErrorCode::unsupported, what,
                 "a polygon", "an ellipse or a circle", fix);
    return true;
  });
}

// Whether a contact between any two materials, used or not, has another law than Newton's.
bool beyond_newton(const Model& model) {
  const auto bounces = [](const auto& law) {
    return law.restitution > 0 && law.restitution_law != RestitutionLaw::newton;
  };
  const std::size_t n = model.materials.size();
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = i; j < n; ++j)
      if (bounces(model.pair(MaterialId(i), MaterialId(j)))) return true;
  return false;
}

// Rows along the coordinates of joints.
void refuse_limits(const Model& model, const std::string& scheme, model::Checks& checks) {
  for (const Joint& joint : model.joints) {
    if (model::is_driven(joint))
      return checks.error(
          "simulation.scheme.type", ErrorCode::unsupported,
          "scheme " + scheme +
              " takes no motors, friction, springs or rotors of joints, and joint '" + joint.name +
              "' has some",
          scheme, "euler or relaxed",
          "use scheme euler or relaxed, or drop what acts on the joint");
    if (joint.limits.any())
      return checks.error("simulation.scheme.type", ErrorCode::unsupported,
                          "scheme " + scheme + " takes no limits of joints, and joint '" +
                              joint.name + "' has some",
                          scheme, "euler or relaxed",
                          "use scheme euler or relaxed, or drop lower and upper");
  }
  if (!model.gears.empty())
    checks.error(
        "simulation.scheme.type", ErrorCode::unsupported,
        "scheme " + scheme + " takes no gears, and '" + model.gears.front().name + "' is one",
        scheme, "euler or relaxed", "use scheme euler or relaxed, or drop the gear");
}

// Impacts that happen at an instant know joints and contacts alone.
void refuse_rotors_at_once(const Model& model, const Euler& euler, model::Checks& checks) {
  const bool at_once = euler.propagation == Propagation::sequential ||
                       euler.restitution_friction == RestitutionFriction::path ||
                       beyond_newton(model);
  for (const Joint& joint : model.joints)
    if (at_once && joint.armature > 0)
      return checks.error(
          "materials", ErrorCode::unsupported,
          "rotors take impacts by Newton's law alone, and joint '" + joint.name + "' has armature",
          "another law", "newton, simultaneous, without path",
          "use restitution_law newton, or drop armature");
}

void refuse_polygons_along_paths(RestitutionFriction friction, Propagation propagation,
                                 const Model& model, model::Checks& checks) {
  if (friction != RestitutionFriction::path && propagation != Propagation::sequential) return;
  refuse_polygons(model, "impacts along a path know round and elliptic friction alone",
                  "use restitution_friction total or extra with propagation simultaneous", checks);
}

// Restitution one step later knows what Anitescu 2003 has (docs/restitution.md).
void check(const Euler& euler, const Model& model, model::Checks& checks) {
  refuse_rotors_at_once(model, euler, checks);
  refuse_polygons_along_paths(euler.restitution_friction, euler.propagation, model, checks);
  if (euler.restitution == Restitution::completed) return;
  const auto refuse_later = [&](const std::string& what) {
    checks.error("simulation.scheme.restitution", ErrorCode::unsupported,
                 "restitution one step later " + what, "one step later", "completed",
                 "set \"restitution\": \"completed\" in the scheme, or keep newton, total and "
                 "simultaneous");
  };
  if (beyond_newton(model))
    refuse_later("knows Newton's law alone, and a material asks for another");
  if (euler.restitution_friction != RestitutionFriction::total)
    refuse_later("knows the friction bound total alone");
  if (euler.propagation != Propagation::simultaneous) refuse_later("is simultaneous");
}

void check(const Relaxed& relaxed, const Model& model, model::Checks& checks) {
  check(relaxed.step, model, checks);
}

void check(const Trapezoidal& scheme, const Model& model, model::Checks& checks) {
  refuse_limits(model, "trapezoidal", checks);
  refuse_polygons_along_paths(scheme.restitution_friction, scheme.propagation, model, checks);
  const std::string fix = "set it to 0, or use scheme euler or relaxed";
  refuse(model, &ContactLaw::rolling_friction, "rolling_friction",
         "scheme trapezoidal takes no rolling friction", fix, checks);
  refuse(model, &ContactLaw::torsional_friction, "torsional_friction",
         "scheme trapezoidal takes no torsional friction", fix, checks);
}

void check(const Hybrid&, const Model& model, model::Checks& checks) {
  refuse_limits(model, "hybrid", checks);
  refuse_polygons(model, "scheme hybrid takes no general section of friction",
                  "use friction and friction_across, or scheme euler, relaxed or trapezoidal",
                  checks);
}

void check(const Penalty&, const Model& model, model::Checks& checks) {
  refuse_limits(model, "penalty", checks);
  const std::string fix = "set it to 0, or use another scheme";
  refuse(model, &ContactLaw::friction, "friction",
         "scheme penalty is without friction, as section II of Anitescu 2003", fix, checks);
  refuse(model, &ContactLaw::restitution, "restitution",
         "scheme penalty has no restitution: its springs return what they take", fix, checks);
  refuse(model, &ContactLaw::rolling_friction, "rolling_friction",
         "scheme penalty is without friction", fix, checks);
  refuse(model, &ContactLaw::torsional_friction, "torsional_friction",
         "scheme penalty is without friction", fix, checks);
}

}  // namespace

Result<void> accepts(const SchemeOptions& options, const Model& model) {
  model::Checks checks;
  std::visit([&](const auto& scheme) { check(scheme, model, checks); }, options);
  if (checks.ok()) return {};
  return tl::unexpected<Errors>(checks.take_errors());
}

}  // namespace cairn
