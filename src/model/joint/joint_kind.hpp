// What each type of joint holds and which coordinate it has (E880), in one table. Rows, errors,
// coordinates and checks follow from it.
#pragma once

#include <optional>

#include "cairn/model.hpp"

namespace cairn::model {

// Of the vector between the anchors.
enum class HeldPoints : std::uint8_t {
  none,
  all,       // the anchors coincide
  line,      // the second one stays on the axis through the first one
  plane,     // the second one stays on the plane through the first one, normal to the axis
  distance,  // of a rod
};

// Of the relative rotation.
enum class HeldTurns : std::uint8_t {
  none,
  all,
  parallel,       // the axes of both bodies stay parallel
  perpendicular,  // the axes of both bodies stay perpendicular
};

struct JointKind {
  HeldPoints points = HeldPoints::none;
  HeldTurns turns = HeldTurns::none;
  std::optional<CoordinateKind> coordinate;  // of the joint itself
};

JointKind kind_of(const JointType& type);

// The axis of the first body and that of the second one, both in the first body's frame; none for
// joints without an axis.
struct JointAxes {
  Vec3 first = Vec3::UnitZ(), second = Vec3::UnitZ();
  const char* key = nullptr;         // of the first in a scene; null: the joint has no axis
  const char* second_key = nullptr;  // likewise
};
JointAxes axes_of(const JointType& type);

// The coordinates of a joint that has several, as joints of their own that hold nothing: names,
// order of bodies, axes.
struct CoordinateAxis {
  const char* name = "";
  JointCoordinateAxis axis;
  bool reversed = false;  // seen from the second body
};
std::vector<CoordinateAxis> coordinate_axes(const JointType& type);

// "angle" and so on.
const char* unit_of(CoordinateKind kind);

}  // namespace cairn::model
