// Scenes that are part of the program: cmake/embed_scenes.cmake writes the definition from the
// folder scenes.
#pragma once

#include <span>
#include <string_view>

namespace cairn::reproduce {

struct BuiltInScene {
  std::string_view name;
  std::string_view text;
};

std::span<const BuiltInScene> built_in_scenes();

}  // namespace cairn::reproduce
