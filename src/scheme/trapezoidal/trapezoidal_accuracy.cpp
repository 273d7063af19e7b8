// A step of `trapezoidal` in parts of varying length, to a requested accuracy (E182).
#include <algorithm>
#include <cmath>

#include "scheme/trapezoidal/trapezoidal_step.hpp"

namespace cairn::scheme {
namespace {

constexpr double safety = 0.9;         // of the length that the estimate allows [-]
constexpr double shrink = 0.2;         // least factor from one part to the next [-]
constexpr double grow = 4;             // largest one [-]
constexpr double whole = 1 - 0x1p-10;  // share of what is left that is all of it [-]

// Largest distance between the bodies of two phases, turned ones at their radius [m].
double distance(const Model& model, const Phase& a, const Phase& b) {
  double most = 0;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const double radius = model.bodies[i].radius > 0 ? model.bodies[i].radius : model.length_unit;
    const double turn = model.bodies[i].rotation == RotationKind::none
                            ? 0
                            : radius * a.poses[i].R.angularDistance(b.poses[i].R);
    most = std::max(most, (a.poses[i].p - b.poses[i].p).norm() + turn);
  }
  return most;
}

}  // namespace

void TrapezoidalStep::save_part() {
  PartStart& s = d.saved;
  s.now = d.now;
  s.impulses = d.impulses;
  s.holding = d.holding;
  s.memory_length = d.memory_length;
  s.ledger = report.ledger;
  s.events = report.events.size();
  s.solves = report.solves.size();
  s.knots = data.path.size();
  s.impacts = report.impacts.size();
  s.sequential_impacts = report.sequential_impacts;
  s.unfinished_sequences = report.unfinished_sequences;
  s.guard_corrections = report.guard_corrections;
  s.guard_factor = report.guard_factor;
  s.collisions = report.collisions;
  s.added_pairs = report.added_pairs;
  s.projection = report.projection;
  s.projection_angle = report.projection_angle;
  s.projection_slowing = report.projection_slowing;
}

void TrapezoidalStep::restore_part() {
  const PartStart& s = d.saved;
  report.discarded_solves += report.solves.size() - s.solves;
  d.now = s.now;
  d.impulses = s.impulses;
  d.holding = s.holding;
  d.memory_length = s.memory_length;
  report.ledger = s.ledger;
  report.events.resize(s.events);
  report.solves.roll_back(s.solves);
  data.path.resize(s.knots);
  report.impacts.resize(s.impacts);
  report.sequential_impacts = s.sequential_impacts;
  report.unfinished_sequences = s.unfinished_sequences;
  report.guard_corrections = s.guard_corrections;
  report.guard_factor = s.guard_factor;
  report.collisions = s.collisions;
  report.added_pairs = s.added_pairs;
  report.projection = s.projection;
  report.projection_angle = s.projection_angle;
  report.projection_slowing = s.projection_slowing;
  limited = false;
}

// (E182, E664): each pair of parts in one piece and in two. The error of a pair is of third order,
// so that of all together is kept by a share of the accuracy in proportion to the length. No part
// is shorter than min_step, nor than what is left.
void TrapezoidalStep::integrate_accurately(double whole_length) {
  const double step = h / data.share(h);  // of which this may be a part
  const double shortest = options.min_step < 0 ? 0x1p-12 * step : options.min_step,
               pair = 2 * shortest,
               longest = std::max(pair, options.max_step < 0 ? h : options.max_step);
  double left = whole_length, length = std::min(whole_length, longest);
  while (left > 0 && stopped.empty()) {
    const bool rest = length >= whole * left;
    // What would be left is not too short for a pair.
    if (!rest && left - length < pair * whole) length = left / 2;
    const bool last = rest || left < 2 * pair * whole;
    if (last) length = left;
    const bool divides = length >= pair * whole;
    save_part();
    limited = false;
    integrate(length);
    if (!stopped.empty()) return;
    std::swap(d.coarse, d.now);
    restore_part();
    for (int half = 0; half < 2 && stopped.empty(); ++half) {
      limited = false;
      integrate(length / 2);
    }
    if (!stopped.empty()) return;
    // In one piece the error is four times that of two.
    const double two = distance(model, d.coarse, d.now) / 3, error = divides ? two : 4 * two,
                 allowed = options.accuracy * length / step;
    const double best = error > 0 ? safety * std::sqrt(allowed / error) : grow;
    const bool good = error <= allowed;
    if (!divides) {
      restore_part();
      limited = false;
      integrate(length);
    }
    const bool least = whole * length <= pair || left < 2 * pair * whole;
    if (good || least) {
      report.error_estimate += error;
      report.parts += divides ? 2 : 1;
      left = last ? 0 : left - length;
    } else {
      restore_part();
    }
    length = std::clamp(length * std::clamp(best, shrink, good ? grow : safety), pair, longest);
  }
}

}  // namespace cairn::scheme
