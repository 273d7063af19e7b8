// What the families of scenes promise, in one place. A family that breaks one of these fails.
#pragma once

namespace cairn::families {

// Overlaps of accepted steps, of the smaller inner radius (E301). The oracle bounds a depth from
// above and finds it to a fiftieth of the limit.
inline constexpr double overlap_limit = 0.05;
inline constexpr double oracle_error = 1.02;

// Shots. A body size is the diameter of its bounding ball.
inline constexpr double moderate_sizes = 20;        // speed times step, in body sizes
inline constexpr double accepted_moderate = 0.99;   // share of shots up to there
inline constexpr double accepted_shots = 0.90;      // share of all shots
inline constexpr double accepted_mechanisms = 1.0;  // of steps: bridges, ladders, ragdolls
inline constexpr double accepted_flights = 1.0;     // of steps
inline constexpr double accepted_piles = 0.99;      // of steps
inline constexpr double accepted_fixtures = 0.99;   // of steps, scenes of Rigid IPC
inline constexpr double accepted_bouncers = 1.0;    // of steps, boxes of bouncing bodies

// Mechanisms: rise of the energy over the run, of the energy that moves, summed over its steps
// (E306); distance of two anchors, of the smaller radius of the bodies (E305).
inline constexpr double gain_limit = 1e-3;
inline constexpr double joint_limit = 1e-3;

// Groups in flight: change of the angular momentum over the run, of the sum of its terms.
inline constexpr double momentum_limit = 1e-12;

// Two boxes, light below heavy: drift after 100 s.
inline constexpr double drift_up_to_1e6 = 1e-8;  // [m]
inline constexpr double drift_up_to_1e9 = 1e-6;  // [m]
inline constexpr double ratio_refusable = 1e12;  // of a sandwich: may be refused

// Flights: roundings that a step may add to the centre of mass, of the lengths that enter.
inline constexpr double roundings_per_step = 64;

// Rebounds: error of the height of the first bounce over the height of the fall, with events at
// their time; error of velocities over the fastest, without forces.
inline constexpr double rebound_error = 1e-8;

}  // namespace cairn::families
