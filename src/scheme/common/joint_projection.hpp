// Joints are closed without pushing bodies into each other (E320, E321). Reads contacts, writes
// poses.
#pragma once

#include <optional>

#include "base/union_find.hpp"
#include "cairn/state.hpp"
#include "collide/finder.hpp"
#include "constrain/projection.hpp"

namespace cairn::scheme {

struct JointProjectionBuffers {
  std::optional<collide::ContactFinder> finder;  // made when it is needed first
  std::vector<Contact> at_start, before, after;  // overlaps
  std::vector<Contact> found;
  std::vector<constrain::GapBound> bounds;
  struct Points {
    Vec3 a, b;  // in the frames of the two bodies [m]
  };
  std::vector<Points> points;  // that touch, beside bounds
  std::vector<char> pushed;    // beside bounds: the contact pushed its bodies apart
  std::vector<collide::Reach> reach;
  std::vector<Pose> poses;
  base::UnionFind links, groups;
  std::vector<char> jointed;  // by body: root of links with a joint
  std::vector<char> touched;  // by body: root of a group in which a pair is pushed together

  // Of the last call that moved bodies: is the body in such a group?
  bool takes_part(std::size_t body) {
    return touched[base::at(groups.root(static_cast<int>(body)))] != 0;
  }
};

// The bodies that the joints push into each other most, beyond what they overlapped before.
struct Squeeze {
  ContactKey key = {};
  double depth = 0;    // [m]; 0: none
  bool moved = false;  // bodies were moved to spare contacts
};

// `start`: where the bodies are at the beginning of the step, `moved`: before any projection.
// `poses`: where the projection onto the joints alone puts them; where bodies that joints hold are
// deeper in each other there than before, joints and contacts are met together. Returns what is
// left of that, if it is more than `allowed_overlap` of the inner radius.
Squeeze spare_contacts(const Model& model, std::span<const Pose> start, std::span<const Pose> moved,
                       double allowed_overlap, const EventOptions& events,
                       std::span<const ImpulseMemory> memory,
                       constrain::ProjectionBuffers& projection, JointProjectionBuffers& buffers,
                       std::vector<Pose>& poses);

}  // namespace cairn::scheme
