// The verdict of a step (docs/equations.md, E300 to E309): whether its motion is right, not only
// the solves in it. Three parts, each with the figure nearest to its limit and a plain sentence.
#pragma once

#include <string>

#include "cairn/ids.hpp"

namespace cairn {

// Limits of the verdict; scene key `simulation.verdict`. A step is accepted if all of them hold.
struct VerdictOptions {
  bool split = true;     // take a step that fails in motion or energy again in parts; false: the
                         // papers' fixed step, judged by the same limits
  int max_parts = 1000;  // of a step of one group of bodies, failed attempts included
  double work = 30000;  // bound on the work of a step, all parts and attempts together, in products
                        // of 6 x 6 blocks a constraint (E314); 0: none [-]
  double overlap = 0.05;  // deepest overlap of two shapes, at the end of a step and on the way, of
                          // the smaller inner radius (half the least thickness) [-]
  double joint = 5e-3;    // largest joint error, of the smaller body, see (E305) [-]
  double joint_angle = 1e-3;  // largest misalignment [rad]
  double momentum = 1e-12;    // change of momentum and angular momentum of an isolated island that
                              // no applied force explains, of its momenta without cancellation [-]
  double energy = 0.01;      // energy of solver residual, projection and imbalance, and unexplained
                             // rises, of the energy that moves in the step (E306) [-]
  double integrator = 0.01;  // the integrator's own term of a step, likewise [-]
};

// Which contact forces are shown (docs/equations.md, E620 to E625); scene key `simulation.forces`.
struct ForceOptions {
  bool least_norm = true;  // false: the solver's impulses, without marks
};

// What a recording of a run holds; scene key `simulation.record`.
enum class RecordLevel : std::uint8_t {
  states,    // figures of every step, rounded poses, and bit-exact states now and then
  contacts,  // everything, packed: numbers that follow from others take no room
  full,      // everything as plain numbers, for other programs (docs/trace-format.md)
};

struct RecordOptions {
  RecordLevel level = RecordLevel::contacts;
  int every = 1;  // steps from one frame of that level to the next; those between are of level
                  // states
  double interval = 0;    // the same as a time; 0: every step counts [s]
  int exact_every = 100;  // level states: steps from one bit-exact state to the next
  double resolution = 0;  // level states: grid of the positions; 0: 2^-20 of the model's length
                          // unit, without a model 2^-20 m [m]
};

// One part of the verdict.
struct VerdictPart {
  bool ok = true;
  double worst = 0;  // the figure nearest to its limit, or farthest beyond it, over that limit [-]
  std::string sentence;  // what failed; empty if ok
};

struct Verdict {
  VerdictPart solve;   // the certificates of all solves against the solver's tolerance
  VerdictPart motion;  // overlaps, swept test, joint errors, momentum
  VerdictPart energy;  // terms of the ledger that should vanish, the integrator's own term

  // Figures behind them.
  double overlap = 0;          // deepest at the end, of the smaller inner radius [-]
  double swept_overlap = 0;    // certified upper bound of the deepest on the way, likewise [-]
  double joint = 0;            // of the smaller radius of the two bodies [-]
  double joint_angle = 0;      // [rad]
  double momentum = 0;         // of islands without springs, under constant loads: judged [-]
  double momentum_others = 0;  // of all other isolated islands, reported alone [-]
  double energy_error = 0;     // largest term that should vanish, of the energy that moves [-]
  double integrator = 0;       // its share [-]
  int parts = 1;               // into which the step was divided, of the group with most
  int attempts = 1;            // advances of groups of bodies in all, failed ones included

  bool accepted() const { return solve.ok && motion.ok && energy.ok; }
};

}  // namespace cairn
