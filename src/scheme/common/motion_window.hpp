// How fast things move at one moment: prescribed bodies by a short window of time around it, and
// the speeds of two bodies at hand, against which rounding is judged.
#pragma once

#include <array>
#include <initializer_list>
#include <span>
#include <vector>

#include "cairn/contact.hpp"
#include "cairn/model.hpp"
#include "cairn/state.hpp"

namespace cairn::scheme {

// Poses at its beginning and its end; of bodies that are not prescribed those of the moment.
using MotionWindow = std::array<std::vector<Pose>, 2>;

// Its length for steps of length h [s].
double window_length(double h);
void set_window(const Model& model, const std::vector<Pose>& poses, double t, double h,
                MotionWindow& window);
// The same with velocities of one side of t, where they may jump (E661).
void set_window_beside(const Model& model, const std::vector<Pose>& poses, double t, double h,
                       TimeFunction::Side side, MotionWindow& window);

// Relative velocity [m/s] and angular velocity [rad/s] at the contact that prescribed bodies have.
Vec3 motion_velocity(const Model& model, std::span<const Pose> poses, const MotionWindow& window,
                     const Contact& c, double h);
Vec3 motion_spin(const Model& model, std::span<const Pose> poses, const MotionWindow& window,
                 const Contact& c, double h);

// The largest speed of a point of the two bodies with any of the velocities [m/s].
double speed_at_hand(const Model& model, std::span<const Pose> poses, const Contact& c,
                     std::initializer_list<const VecX*> velocities);

}  // namespace cairn::scheme
