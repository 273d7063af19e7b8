// A contact between two shapes: where, along which normal, how far apart.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include "cairn/ids.hpp"
#include "cairn/math.hpp"

namespace cairn {

enum class RestitutionLaw : std::uint8_t;  // of cairn/model.hpp

// What touches of each of two shapes: a corner, cap or end in the shape's own numbering, of
// polyhedra also an edge or a face (collide/ratio/events.hpp).
struct Features {
  std::uint32_t a = 0, b = 0;
  auto operator<=>(const Features&) const = default;
};

// Names a contact for good: the same features of the same shapes have the same key in every step.
// Order of contacts = order of keys. The limit of a joint is a contact of its two bodies without
// shapes; limits come first.
struct ContactKey {
  BodyId body_a{}, body_b{};  // a < b
  ShapeId shape_a{}, shape_b{};
  Features feature;

  bool operator==(const ContactKey&) const = default;
  constexpr std::strong_ordering operator<=>(const ContactKey& other) const {
    const bool limit = shape_a == ShapeId::none, other_limit = other.shape_a == ShapeId::none;
    if (limit != other_limit)
      return limit ? std::strong_ordering::less : std::strong_ordering::greater;
    if (const auto order = body_a <=> other.body_a; order != 0) return order;
    if (const auto order = body_b <=> other.body_b; order != 0) return order;
    if (const auto order = shape_a <=> other.shape_a; order != 0) return order;
    if (const auto order = shape_b <=> other.shape_b; order != 0) return order;
    return feature <=> other.feature;
  }
};

// The two ends of the range of a joint's coordinate.
enum class LimitSide : std::uint8_t { lower, upper };

constexpr ContactKey limit_key(BodyId a, BodyId b, JointId joint, LimitSide side) {
  return {a,
          b,
          ShapeId::none,
          ShapeId::none,
          {static_cast<std::uint32_t>(joint), static_cast<std::uint32_t>(side)}};
}
constexpr bool is_limit(const ContactKey& key) {
  return key.shape_a == ShapeId::none;
}
// Of the key of a limit.
constexpr JointId limited_joint(const ContactKey& key) {
  return static_cast<JointId>(key.feature.a);
}
constexpr LimitSide limit_side(const ContactKey& key) {
  return static_cast<LimitSide>(key.feature.b);
}

struct Contact {
  ContactKey key;
  Vec3 p_WC = Vec3::Zero();  // common contact point, midpoint of the witness points [m]
  Vec3 n_W = Vec3::UnitZ();  // unit normal, from body a to body b [-]
  Vec3 t1_W = Vec3::UnitX(),
       t2_W = Vec3::UnitY();  // tangents; t1 in the plane of motion of planar pairs [-]
  int rows = 3;               // 1 frictionless, 2 planar, 3 spatial
  double gap = 0;             // signed distance, > 0 apart [m]
  double friction = 0;        // mu, of anisotropic friction that along t1 [-]
  double stretch = 1;         // mu along t2 over mu along t1 (E244) [-]
  double torsion = 0;         // torsional friction, torque about the normal per normal force [m]
  double rolling = 0;         // rolling friction, torque about the tangents per normal force [m]
  double restitution = 0;     // e [-]
  RestitutionLaw restitution_law{};
  double lever = 0;  // of the limit of an angle: gap and velocity are an angle about n_W and its
                     // rate, times this length [m]; 0: those of the points at p_WC
};

// The section of a friction cone that is no circle and no ellipse: a convex polygon (E247).
using Corner = std::array<double, 2>;  // along t1 and t2

// Corners counter-clockwise, with the origin inside.
using FrictionPolygon = std::vector<Corner>;

constexpr int max_corners = 64;

// Sorts the corners counter-clockwise. Says what is wrong with the polygon: too few or too many
// corners, one that is none, or an edge that has the origin on its outer side or (nearly) on it;
// empty: nothing.
std::string make_convex(FrictionPolygon& polygon);

// Distance of the farthest corner from the origin.
double largest(const FrictionPolygon& polygon);

}  // namespace cairn
