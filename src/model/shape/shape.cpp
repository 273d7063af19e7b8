// Questions about the type of a shape.
#include "cairn/shape.hpp"

namespace cairn {
namespace {

const char* name_of(const Point&) {
  return "point";
}
const char* name_of(const Sphere&) {
  return "sphere";
}
const char* name_of(const Box&) {
  return "box";
}
const char* name_of(const Capsule&) {
  return "capsule";
}
const char* name_of(const Ellipsoid&) {
  return "ellipsoid";
}
const char* name_of(const Halfspace&) {
  return "halfspace";
}
const char* name_of(const Disc&) {
  return "disc";
}
const char* name_of(const Ellipse&) {
  return "ellipse";
}
const char* name_of(const Hull&) {
  return "hull";
}
const char* name_of(const Polygon&) {
  return "polygon";
}
const char* name_of(const Frustum& s) {
  return s.is_cylinder() ? "cylinder" : "cone";
}

}  // namespace

bool is_planar(const Geometry& geometry) {
  return std::holds_alternative<Disc>(geometry) || std::holds_alternative<Ellipse>(geometry) ||
         std::holds_alternative<Polygon>(geometry);
}

const char* type_name(const Geometry& geometry) {
  return std::visit([](const auto& shape) { return name_of(shape); }, geometry);
}

}  // namespace cairn
