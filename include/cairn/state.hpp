// All that a bit-exact restart needs, and nothing else: a value to copy, compare, hash and save.
#pragma once

#include <cstdint>
#include <vector>

#include "cairn/contact.hpp"
#include "cairn/math.hpp"

namespace cairn {

struct ContactMemory {
  ContactKey key;
  Vec3 impulse_W = Vec3::Zero();  // on body b, in the world [N s]
  bool operator==(const ContactMemory&) const = default;
};

// A contact that sticks holds these two material points together (E441).
struct ContactAnchor {
  ContactKey key;
  Vec3 p_A = Vec3::Zero(), p_B = Vec3::Zero();  // in the frames of the two bodies [m]
  bool operator==(const ContactAnchor&) const = default;
};

struct State {
  double t = 0;                                // [s]
  std::int64_t step = 0;                       // steps taken
  std::vector<Pose> poses;                     // of the centre-of-mass frames of all bodies
  VecX v;                                      // free velocities of all dynamic bodies [m/s, rad/s]
  std::vector<ContactMemory> contacts;         // last impulses, sorted by key: warm start
  std::vector<ContactMemory> contact_torques;  // the same of rolling and torsional friction,
                                               // without contacts that have none [N m s]
  std::vector<double>
      joint_impulses;  // last impulses of the joint rows, in the order of joints [N s]
  std::vector<ContactAnchor> contact_anchors;  // of contacts that stick, sorted by key
  VecX v_before;                    // delayed restitution: velocities one step ago; else empty
  std::vector<ContactKey> pending;  // delayed restitution: contacts that collided in the last step;
                                    // scheme hybrid: steady contacts; sorted

  bool operator==(const State& other) const;
};

// 64-bit hash of every bit of the state.
std::uint64_t hash(const State& state);

}  // namespace cairn
