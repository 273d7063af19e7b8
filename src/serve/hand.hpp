// A hand that pulls a point of a body towards a target: a damped spring (E190, E191).
#pragma once

#include "cairn/model.hpp"
#include "cairn/state.hpp"

namespace cairn::serve {

struct Hand {
  BodyId body{};
  Vec3 point = Vec3::Zero();   // from the centre of mass, in the body frame [m]
  Vec3 target = Vec3::Zero();  // in the world [m]
};

// Most that a hand pulls with, as a multiple of the body's weight [-].
constexpr double hand_strength = 32;

// A point that is given in the body frame, from its origin; brought back to where the body can be.
Vec3 point_of_hand(const Body& body, const Vec3& p_B);

// The force for the next step of length h.
ExternalForce pull(const Model& model, const State& state, const Hand& hand, double h);

}  // namespace cairn::serve
