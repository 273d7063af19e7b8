#include "model/joint/joint_kind.hpp"

namespace cairn::model {
namespace {

using P = HeldPoints;
using T = HeldTurns;
using C = CoordinateKind;

struct KindOf {
  JointKind operator()(const DistanceJoint&) const { return {P::distance, T::none, {}}; }
  JointKind operator()(const BallJoint&) const { return {P::all, T::none, {}}; }
  JointKind operator()(const RevoluteJoint&) const { return {P::all, T::parallel, C::angle}; }
  JointKind operator()(const PrismaticJoint&) const { return {P::line, T::all, C::displacement}; }
  JointKind operator()(const FixedJoint&) const { return {P::all, T::all, {}}; }
  JointKind operator()(const CylindricalJoint&) const { return {P::line, T::parallel, {}}; }
  JointKind operator()(const ScrewJoint&) const { return {P::line, T::parallel, {}}; }
  JointKind operator()(const UniversalJoint&) const { return {P::all, T::perpendicular, {}}; }
  JointKind operator()(const PlanarJoint&) const { return {P::plane, T::parallel, {}}; }
  JointKind operator()(const PointOnLineJoint&) const { return {P::line, T::none, {}}; }
  JointKind operator()(const PointOnPlaneJoint&) const { return {P::plane, T::none, {}}; }
  JointKind operator()(const RopeJoint&) const { return {P::none, T::none, C::distance}; }
  JointKind operator()(const JointCoordinateAxis& a) const { return {P::none, T::none, a.kind}; }
};

struct AxesOf {
  JointAxes operator()(const RevoluteJoint& j) const { return {j.axis, j.axis, "axis"}; }
  JointAxes operator()(const PrismaticJoint& j) const { return {j.axis, j.axis, "axis"}; }
  JointAxes operator()(const CylindricalJoint& j) const { return {j.axis, j.axis, "axis"}; }
  JointAxes operator()(const ScrewJoint& j) const { return {j.axis, j.axis, "axis"}; }
  JointAxes operator()(const UniversalJoint& j) const {
    return {j.axis, j.second_axis, "axis", "second_axis"};
  }
  JointAxes operator()(const PlanarJoint& j) const { return {j.normal, j.normal, "normal"}; }
  JointAxes operator()(const PointOnLineJoint& j) const { return {j.axis, j.axis, "axis"}; }
  JointAxes operator()(const PointOnPlaneJoint& j) const { return {j.normal, j.normal, "normal"}; }
  JointAxes operator()(const JointCoordinateAxis& j) const { return {j.axis, j.axis, "axis"}; }
  JointAxes operator()(const auto&) const { return {}; }
};

// In a plane: x and y with the normal as third axis.
void add_plane(const Vec3& normal, std::vector<CoordinateAxis>& out) {
  const Tangents t = tangents(normal.normalized());
  out.push_back({"x", {C::displacement, t.t1}, false});
  out.push_back({"y", {C::displacement, t.t2}, false});
}

struct CoordinatesOf {
  std::vector<CoordinateAxis>& out;

  void add_slide(const Vec3& axis) const {
    out.push_back({"translation", {C::displacement, axis}, false});
    out.push_back({"rotation", {C::angle, axis}, false});
  }

  void operator()(const CylindricalJoint& j) const { add_slide(j.axis); }
  void operator()(const ScrewJoint& j) const { add_slide(j.axis); }
  void operator()(const UniversalJoint& j) const {
    out.push_back({"first", {C::angle, j.axis}, false});
    out.push_back({"second", {C::angle, -j.second_axis}, true});
  }
  void operator()(const PlanarJoint& j) const {
    add_plane(j.normal, out);
    out.push_back({"rotation", {C::angle, j.normal}, false});
  }
  void operator()(const PointOnLineJoint& j) const {
    out.push_back({"translation", {C::displacement, j.axis}, false});
  }
  void operator()(const PointOnPlaneJoint& j) const { add_plane(j.normal, out); }
  void operator()(const auto&) const {}
};

}  // namespace

JointKind kind_of(const JointType& type) {
  return std::visit(KindOf{}, type);
}

JointAxes axes_of(const JointType& type) {
  return std::visit(AxesOf{}, type);
}

std::vector<CoordinateAxis> coordinate_axes(const JointType& type) {
  std::vector<CoordinateAxis> out;
  std::visit(CoordinatesOf{out}, type);
  return out;
}

const char* unit_of(CoordinateKind kind) {
  return kind == CoordinateKind::angle ? "rad" : "m";
}

}  // namespace cairn::model

namespace cairn {

std::optional<CoordinateKind> coordinate_kind(const JointType& type) {
  return model::kind_of(type).coordinate;
}

}  // namespace cairn
