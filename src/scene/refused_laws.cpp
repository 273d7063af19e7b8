// Which restitution laws and rules a scheme cannot take (docs/restitution.md).
#include <algorithm>

#include "cairn/model.hpp"
#include "cairn/scheme.hpp"

namespace cairn {

std::string refused_laws(const Model& model, const SchemeOptions& options) {
  const auto* relaxed = std::get_if<Relaxed>(&options);
  const Euler* euler = relaxed ? &relaxed->step : std::get_if<Euler>(&options);
  if (!euler || euler->restitution == Restitution::completed) return "";
  const bool other_law = std::any_of(model.pairs.begin(), model.pairs.end(), [](const Material& m) {
    return m.restitution > 0 && m.restitution_law != RestitutionLaw::newton;
  });
  if (other_law)
    return "restitution one step later knows Newton's law alone, and a material asks for another";
  if (euler->restitution_friction != RestitutionFriction::total)
    return "restitution one step later knows the friction bound total alone";
  if (euler->propagation != Propagation::simultaneous)
    return "restitution one step later is simultaneous";
  return "";
}

}  // namespace cairn
