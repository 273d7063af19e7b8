// Paths such as bodies[2].shapes[0].radius or bodies.plank.mass into a document.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/json/document.hpp"

namespace cairn::scene {

// One step of a path that starts with a key, an element's name or [i].
struct PathStep {
  std::string_view rest;  // behind the step, without a leading point
  std::string_view word;  // the key or name, or the text between the brackets
  bool is_index = false;
  std::optional<std::size_t> child;  // number in Node::items; none: not there
};

// An object is entered by key, an array by [i] or by the "name" of one of its elements. Keys and
// names may hold points and brackets: the longest one that fits is taken. Nothing if the path
// cannot be read at all.
std::optional<PathStep> first_step(const json::Node& node, std::string_view path);

// The node at the path, or the deepest one on the way to it that is there.
const json::Node& deepest(const json::Node& root, std::string_view path);

}  // namespace cairn::scene
