// Numbers of bodies, shapes, joints and materials, each a type of its own.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cairn {

enum class BodyId : std::int32_t { world = -1 };
enum class ShapeId : std::int32_t { none = -1 };
enum class JointId : std::int32_t {};
enum class MaterialId : std::int32_t {};

constexpr std::size_t index(BodyId id) {
  return static_cast<std::size_t>(id);
}
constexpr std::size_t index(ShapeId id) {
  return static_cast<std::size_t>(id);
}
constexpr std::size_t index(JointId id) {
  return static_cast<std::size_t>(id);
}
constexpr std::size_t index(MaterialId id) {
  return static_cast<std::size_t>(id);
}

}  // namespace cairn
