// All that a bit-exact restart needs, and nothing else: a value to copy, compare, hash and save.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cairn/constraint_key.hpp"
#include "cairn/math.hpp"

namespace cairn {

// The last impulse of a group of rows. Of contacts it acts on body b, in the world [N s], of
// torsional and rolling friction [N m s]; of joints it is that of their rows [N s], those about
// axes with the length unit of the model as lever.
struct ImpulseMemory {
  ConstraintKey key;
  Vec3 impulse = Vec3::Zero();
  bool operator==(const ImpulseMemory&) const = default;
};

// A contact that sticks holds these two material points together (E441).
struct ContactAnchor {
  ContactKey key;
  Vec3 p_A = Vec3::Zero(), p_B = Vec3::Zero();  // in the frames of the two bodies [m]
  bool operator==(const ContactAnchor&) const = default;
};

struct State {
  double t = 0;                         // [s]
  std::int64_t step = 0;                // steps taken
  std::vector<Pose> poses;              // of the centre-of-mass frames of all bodies
  VecX v;                               // free velocities of all dynamic bodies [m/s, rad/s]
  std::vector<ImpulseMemory> impulses;  // sorted by key: warm start; without contacts and friction
                                        // about them that carry none
  std::vector<ContactAnchor> contact_anchors;  // of contacts that stick, sorted by key
  VecX v_before;                    // delayed restitution: velocities one step ago; else empty
  std::vector<ContactKey> pending;  // delayed restitution: contacts that collided in the last step;
                                    // scheme hybrid: steady contacts; sorted

  bool operator==(const State& other) const;
};

// The part of remembered impulses, sorted by key, that is of one role.
std::span<const ImpulseMemory> of_role(std::span<const ImpulseMemory> impulses, Role role);

// The one of that key, or null.
const ImpulseMemory* find(std::span<const ImpulseMemory> impulses, const ConstraintKey& key);

// 64-bit hash of every bit of the state.
std::uint64_t hash(const State& state);

}  // namespace cairn
