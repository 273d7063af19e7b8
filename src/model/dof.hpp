// The free directions of a body, from their text such as "x y rz".
#pragma once

#include <array>
#include <optional>
#include <string>

#include "cairn/model.hpp"
#include "model/checks.hpp"

namespace cairn::model {

inline int translation_count(const std::array<bool, 3>& free) {
  return static_cast<int>(free[0]) + static_cast<int>(free[1]) + static_cast<int>(free[2]);
}
// How many of a body's free velocities are translations; they come first.
inline int translation_count(const Body& body) {
  return translation_count(body.translations);
}

struct FreeDirections {
  std::array<bool, 3> translations = {true, true, true};  // along world x, y, z
  RotationKind rotation = RotationKind::three;
  int axis = 2;  // rotation one: index of the world axis

  int count() const;
};

// Nothing after an error.
std::optional<FreeDirections> parse_dof(const std::string& text, const std::string& path,
                                        Checks& checks);

}  // namespace cairn::model
