// Names a group of rows for good: by what it does, and for which joint or contact. Rows, remembered
// impulses and reports are found by key; constraints of a problem are in the order of their keys.
#pragma once

#include <compare>
#include <cstdint>

#include "cairn/contact.hpp"
#include "cairn/ids.hpp"

namespace cairn {

// Where a group of rows comes from and what its work is booked as, in the order of constraints.
enum class Role : std::uint8_t {
  joint,     // holds two bodies together
  gear,      // couples coordinates of joints
  drive,     // motor along the coordinate of a joint
  friction,  // dry friction along the coordinate of a joint
  spring,    // spring and damper along the coordinate of a joint
  rotor,     // inertia of the rotor that turns with the coordinate of a joint
  limit,     // keeps the coordinate of a joint in its range
  contact,   // normal and friction of a contact
  torsion,   // torsional friction about a contact
  rolling,   // rolling friction about a contact
  given,     // of a problem that was read or made without a model
};
const char* name(Role role);

// Rows of a contact or a limit, whose first one only pushes.
constexpr bool pushes(Role role) {
  return role == Role::limit || role == Role::contact;
}
// Impulses of a contact or a limit itself and of friction about it: the key names a contact.
constexpr bool is_of_contact(Role role) {
  return role == Role::limit || role == Role::contact || role == Role::torsion ||
         role == Role::rolling;
}

// Rows of effort along the coordinate of a joint.
constexpr bool acts_on_coordinate(Role role) {
  return role == Role::drive || role == Role::friction || role == Role::spring ||
         role == Role::rotor;
}
// Rows of a joint: the key names it.
constexpr bool is_of_joint(Role role) {
  return role == Role::joint || acts_on_coordinate(role);
}

struct ConstraintKey {
  Role role = Role::given;
  std::int32_t element = 0;     // index into Model::joints; gear: Model::gears; given:
                                // Problem::names
  std::uint8_t coordinate = 0;  // joint: 0 along directions, 1 about axes
  ContactKey contact = {};      // limit, contact, torsion, rolling
  auto operator<=>(const ConstraintKey&) const = default;
};

constexpr ConstraintKey joint_key(JointId joint, std::uint8_t coordinate) {
  return {Role::joint, static_cast<std::int32_t>(joint), coordinate, {}};
}
constexpr ConstraintKey coordinate_key(JointId joint, Role role) {
  return {role, static_cast<std::int32_t>(joint), 0, {}};
}
constexpr ConstraintKey gear_key(std::size_t gear) {
  return {Role::gear, static_cast<std::int32_t>(gear), 0, {}};
}
constexpr ConstraintKey contact_key(const ContactKey& contact, Role role = Role::contact) {
  return {is_limit(contact) ? Role::limit : role, 0, 0, contact};
}

}  // namespace cairn
