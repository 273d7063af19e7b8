// The observed order of a scheme on a scene: the same run with h, h/2, h/4, ... (E183).
#pragma once

#include <string>
#include <vector>

#include "cairn/scene.hpp"
#include "cairn/simulator.hpp"

namespace cairn::bench {

// What one run leaves to compare with the next finer one.
struct OrderRun {
  double h = 0;  // [s]
  State state;
  double joint_error = 0;         // largest of all steps, angles as lengths [m]
  std::vector<StepEvent> events;  // but for limits
  std::int64_t uncertified = 0;   // steps
  std::string message;            // why it was stopped; empty: it was not
};

// Differences of a run to the one with half the step, and their orders; NaN where there is none.
struct OrderRow {
  double h = 0;            // of the coarser run [s]
  double position = 0;     // largest, of a body at the end [m]
  double orientation = 0;  // [rad]
  double velocity = 0;     // of all free velocities [m/s, rad/s]
  double place = 0;        // largest, of a point of a body: position and turn at its radius [m]
  double joint = 0;        // error of the coarser run, no difference [m]
  double event = 0;        // largest, of a time [s]; NaN where the runs have other events
  double position_order = 0, orientation_order = 0, velocity_order = 0, joint_order = 0,
         event_order = 0;  // log2 of the ratio of this row to the next; NaN in the last
};

// One run with steps of h over the scene's duration; it ends early where interrupted() is not 0.
OrderRun order_run(const Scene& scene, double h, int (*interrupted)());

// Runs in the order of falling h, each half of the one before.
std::vector<OrderRow> order_table(const Model& model, const std::vector<OrderRun>& runs);

// Order that a scheme has on smooth motion.
int order_of(const SchemeOptions& scheme);

// (E666): estimated error at the end of the finest run of the table, by the difference to the run
// with twice its step and the order that the differences show; NaN with fewer than two rows.
double error_at_end(const std::vector<OrderRow>& rows, int order);

}  // namespace cairn::bench
