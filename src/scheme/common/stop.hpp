// Why a step cannot be taken, in words that name the culprits.
#pragma once

#include <span>
#include <string>
#include <utility>

#include "cairn/model.hpp"
#include "cairn/problem.hpp"
#include "cairn/simulator.hpp"
#include "dynamics/springs.hpp"

namespace cairn::scheme {

// Why a step is not taken; empty: it is.
struct Stop {
  StopReason reason = StopReason::none;
  std::string message = {};

  bool empty() const { return reason == StopReason::none; }
};

// Names the first body whose velocity is not finite.
Stop not_finite(const Model& model, const VecX& v, const char* what);

// The first body that its prescribed motion sends nowhere; empty: none.
Stop lost_body(const Model& model, std::span<const Pose> poses);

// The motor of a joint has no finite effort or velocity in the step of length h from t.
Stop lost_motor(const Model& model, std::span<const MotorTarget> targets, double t, double h);

// Two shapes that met for which there is no contact function.
Stop missing_contact(const Model& model, std::pair<int, int> shapes);

// Joints that no motion of the free bodies from `start` can close where the prescribed ones are at
// `end` (E81); empty: none.
Stop contradiction(const Model& model, std::span<const Pose> start, std::span<const Pose> end);

// A spring or damper beside whose implicit term the masses at its ends are rounding; empty: none.
Stop too_stiff(const Model& model, std::span<const Pose> poses,
               std::span<const dynamics::SpringRow> rows);

// Names the body with the largest energy.
Stop energy_overflow(const Model& model, const VecX& v);

// The joints that the projection could not close, and whether any motion could: `start` at the
// beginning of the step, `end` where the projection gave up.
Stop open_joints(const Model& model, std::span<const Pose> start, std::span<const Pose> end);

// Two bodies that the joints push into each other by `depth` [m].
Stop squeezed(const Model& model, const ContactKey& key, double depth);

}  // namespace cairn::scheme
