// Reads a list of directions, writes which velocities are free.
#include "model/dof.hpp"

#include <algorithm>
#include <sstream>

namespace cairn::model {

int FreeDirections::count() const {
  const int turns = rotation == RotationKind::none ? 0 : (rotation == RotationKind::one ? 1 : 3);
  return translation_count(translations) + turns;
}

std::optional<FreeDirections> parse_dof(const std::string& text, const std::string& path,
                                        Checks& checks) {
  constexpr std::array<const char*, 6> names = {"x", "y", "z", "rx", "ry", "rz"};
  const std::string allowed = "words out of x y z rx ry rz, each once";
  std::array<bool, 6> free{};
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const auto found = std::find(names.begin(), names.end(), word);
    if (found == names.end()) {
      checks.error(path, ErrorCode::unknown_choice, "unknown direction", in_quotes(word), allowed,
                   "separate the words by blanks, as in \"x y rz\"");
      return std::nullopt;
    }
    bool& direction = free[static_cast<std::size_t>(found - names.begin())];
    if (direction) {
      checks.error(path, ErrorCode::duplicate_name, "direction is given twice", in_quotes(word),
                   allowed, "drop one of them");
      return std::nullopt;
    }
    direction = true;
  }

  FreeDirections dof;
  std::copy_n(free.begin(), 3, dof.translations.begin());
  const auto turns = std::count(free.begin() + 3, free.end(), true);
  if (turns == 2) {
    checks.error(path, ErrorCode::unsupported, "two free rotations are not closed under rotation",
                 in_quotes(text), "no rotation, one of rx ry rz, or all three",
                 "free one or all three rotations");
    return std::nullopt;
  }
  dof.rotation =
      turns == 0 ? RotationKind::none : (turns == 1 ? RotationKind::one : RotationKind::three);
  if (turns == 1)
    dof.axis = static_cast<int>(std::find(free.begin() + 3, free.end(), true) - free.begin()) - 3;
  if (dof.count() == 0) {
    checks.error(path, ErrorCode::empty, "no direction is free", in_quotes(text),
                 "at least one direction", "write \"fixed\": true for a body that does not move");
    return std::nullopt;
  }
  return dof;
}

}  // namespace cairn::model
