// Small mechanisms for the tests of joints.
#pragma once

#include <gtest/gtest.h>
#include <string>

#include "cairn/model.hpp"
#include "cairn/state.hpp"

namespace cairn::mechanisms {

inline BodyDescription bar(const std::string& name, const Vec3& position, bool planar = false) {
  BodyDescription body;
  body.name = name;
  body.mass = 1;
  body.inertia = Mat3(Vec3(0.1, 0.2, 0.3).asDiagonal());
  body.position = position;
  if (planar) body.dof = "x y rz";
  return body;
}

inline JointDescription joint(const std::string& name, const JointType& type, const std::string& a,
                              const Vec3& anchor_a, const std::string& b, const Vec3& anchor_b) {
  JointDescription d;
  d.name = name;
  d.type = type;
  d.bodies = {a, b};
  d.anchors = {anchor_a, anchor_b};
  return d;
}

// Bars of length 1 along x, each hinged to the one before, the first to the world, `copies` times.
inline ModelDescription chain(int links, int copies, const JointType& type = RevoluteJoint{}) {
  ModelDescription d;
  for (int i = 0; i < links; ++i) {
    d.bodies.push_back(bar("bar" + std::to_string(10000 + i), Vec3(i + 0.5, 0, 0)));
    for (int k = 0; k < copies; ++k)
      d.joints.push_back(joint("hinge" + std::to_string(10000 + i) + "abc"[k], type,
                               i == 0 ? "world" : "bar" + std::to_string(9999 + i),
                               Vec3(i == 0 ? 0 : 0.5, 0, 0), "bar" + std::to_string(10000 + i),
                               Vec3(-0.5, 0, 0)));
  }
  return d;
}

// A square of four bars, A to D, hinged about z at its corners; the first stands on the world. Bar
// i has its centre at the middle of side i.
inline ModelDescription loop(bool planar) {
  ModelDescription d;
  const Vec3 corner[4] = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(1.2, 1, 0), Vec3(0, 1.1, 0)};
  for (std::size_t i = 1; i < 4; ++i)
    d.bodies.push_back(bar(std::string(1, static_cast<char>('A' + i)),
                           (corner[i] + corner[(i + 1) % 4]) / 2, planar));
  const auto arm = [&](std::size_t body, std::size_t at) {
    return body == 0 ? corner[at] : Vec3(corner[at] - d.bodies[body - 1].position);
  };
  for (std::size_t i = 0; i < 4; ++i) {
    const std::size_t a = i, b = (i + 1) % 4;
    const auto name = [](std::size_t body) {
      return body == 0 ? std::string("world") : std::string(1, static_cast<char>('A' + body));
    };
    d.joints.push_back(joint("corner" + std::to_string(b), RevoluteJoint{}, name(a), arm(a, b),
                             name(b), arm(b, b)));
  }
  return d;
}

inline BuiltModel built(const ModelDescription& d) {
  const Result<BuiltModel> result = build(d);
  EXPECT_TRUE(result) << (result ? "" : result.error().front().text());
  return result.value_or(BuiltModel{});
}

}  // namespace cairn::mechanisms
