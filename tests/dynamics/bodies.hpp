// Models of single bodies of every kind of freedom, in random poses: shared by the tests of
// dynamics and constrain.
#pragma once

#include <gtest/gtest.h>
#include <random>

#include "cairn/model.hpp"
#include "cairn/state.hpp"

namespace cairn::bodies {

using Random = std::mt19937_64;

inline double uniform(Random& random, double lo, double hi) {
  return lo + (hi - lo) * static_cast<double>(random() >> 11) * 0x1p-53;
}

inline Vec3 vector(Random& random) {
  return {uniform(random, -1, 1), uniform(random, -1, 1), uniform(random, -1, 1)};
}

inline const std::vector<std::string>& freedoms() {
  static const std::vector<std::string> all = {
      "x y z rx ry rz", "x y rz", "y z rx",  "x z ry", "x y z", "x y", "y",
      "rx ry rz",       "rz",     "x y z rz"};
  return all;
}

// A box with three different moments of inertia, its centre of mass away from its origin.
inline BodyDescription box(Random& random, const std::string& name, const std::string& dof) {
  BodyDescription body;
  body.name = name;
  body.dof = dof;
  body.mass = uniform(random, 0.5, 3);
  body.inertia = Vec3(0.3, 0.5, 0.7).asDiagonal();
  body.center_of_mass = dof.find('r') != std::string::npos ? Vec3(0.1, -0.2, 0.05) : Vec3::Zero();
  body.position = vector(random);
  body.shapes = {{.geometry = Sphere{.radius = 0.5}, .X_BS = {}}};
  return body;
}

inline BuiltModel built(const ModelDescription& description) {
  const Result<BuiltModel> result = build(description);
  EXPECT_TRUE(result) << (result ? "" : result.error().front().text());
  return result.value_or(BuiltModel{});
}

// Random velocities, and a random orientation where the body may turn that way.
inline State random_state(Random& random, const BuiltModel& model) {
  State state = *model.initial;
  for (double& v : state.v) v = uniform(random, -1, 1);
  for (std::size_t i = 0; i < state.poses.size(); ++i) {
    const Body& body = model.model->bodies[i];
    if (body.kind != BodyKind::dynamic) continue;
    if (body.rotation == RotationKind::three)
      state.poses[i].R = exp_rotation(3 * vector(random)) * state.poses[i].R;
    if (body.rotation == RotationKind::one)
      state.poses[i].R = exp_rotation(uniform(random, -3, 3) * body.axis_W) * state.poses[i].R;
    state.poses[i].p += vector(random);
  }
  return state;
}

}  // namespace cairn::bodies
