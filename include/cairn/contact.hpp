// A contact between two shapes: where, along which normal, how far apart.
#pragma once

#include <compare>
#include <cstdint>

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
// Order of contacts = order of keys.
struct ContactKey {
  BodyId body_a{}, body_b{};  // a < b
  ShapeId shape_a{}, shape_b{};
  Features feature;
  auto operator<=>(const ContactKey&) const = default;
};

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
};

}  // namespace cairn
