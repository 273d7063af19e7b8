// What a scheme does not take of a model: reads both, writes errors with the paths of the scene.
#include "cairn/scheme.hpp"
#include "model/checks.hpp"
#include "model/materials.hpp"

namespace cairn {
namespace {

// Refuses a property of materials, named by the first pair of them that can meet.
void refuse(const Model& model, double Material::*value, const char* key, const std::string& what,
            const std::string& fix, Checks& checks) {
  const std::size_t n = model.material_names.size();
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = i; j < n; ++j) {
      const Material& pair = model.pairs[i * n + j];
      if (!(pair.*value > 0) || !can_meet(model, i, j)) continue;
      // Of the two the one that brings it.
      const bool second = i != j && !(model.pairs[i * n + i].*value > 0);
      const std::string name = model.material_names[second ? j : i];
      return checks.error("materials." + name + "." + key, what, to_text(pair.*value), "0", fix);
    }
}

void check(const Euler&, const Model&, Checks&) {}
void check(const Relaxed&, const Model&, Checks&) {}

void check(const Trapezoidal&, const Model& model, Checks& checks) {
  const std::string fix = "set it to 0, or use scheme euler or relaxed";
  refuse(model, &Material::rolling_friction, "rolling_friction",
         "scheme trapezoidal takes no rolling friction", fix, checks);
  refuse(model, &Material::torsional_friction, "torsional_friction",
         "scheme trapezoidal takes no torsional friction", fix, checks);
}

void check(const Hybrid&, const Model&, Checks&) {}

void check(const Penalty&, const Model& model, Checks& checks) {
  const std::string fix = "set it to 0, or use another scheme";
  refuse(model, &Material::friction, "friction",
         "scheme penalty is without friction, as section II of paper 000", fix, checks);
  refuse(model, &Material::restitution, "restitution",
         "scheme penalty has no restitution: its springs return what they take", fix, checks);
  refuse(model, &Material::rolling_friction, "rolling_friction",
         "scheme penalty is without friction", fix, checks);
  refuse(model, &Material::torsional_friction, "torsional_friction",
         "scheme penalty is without friction", fix, checks);
}

}  // namespace

Result<void> accepts(const SchemeOptions& options, const Model& model) {
  Checks checks;
  std::visit([&](const auto& scheme) { check(scheme, model, checks); }, options);
  if (checks.ok()) return {};
  return tl::unexpected<Errors>(checks.take_errors());
}

}  // namespace cairn
