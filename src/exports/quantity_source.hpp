// Which quantity of a recording a name means, such as "body:ball.x", and its unit.
#pragma once

#include "cairn/model.hpp"
#include "exports/quantities.hpp"

namespace cairn::exports {

// What a curve shows: a quantity of the scene, of a body, of a joint, or of the contacts between
// two bodies.
struct Source {
  enum class Kind { scene, body, joint, contact } kind = Kind::scene;
  std::size_t which = 0;  // in the list of its kind
  BodyId body{}, other{};
  JointId joint{};
};

Result<Source> find_source(const Model& model, const std::string& text);

const QuantityName& quantity_of(const Source& source);

// Units of coordinates depend on the joint: "rad or m".
std::string unit_of(const Model& model, const Source& source);

Error plot_refused(ErrorCode code, const char* what, const std::string& got, std::string allowed,
                   std::string fix);

}  // namespace cairn::exports
