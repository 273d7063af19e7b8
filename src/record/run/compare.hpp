// One scene under several laws of friction: what each run adds up to, and how far it is from exact
// Coulomb friction (E95, E96, E505).
#pragma once

#include <string>
#include <vector>

#include "record/run/totals.hpp"

namespace cairn::record {

// Two bodies of which one slides on the other, from the step in which a contact of theirs slips
// under force until one sticks or bounces; they may hover without any force in between.
struct SlidingPair {
  BodyId a{}, b{};
  auto operator<=>(const SlidingPair&) const = default;
};

// A run of the scene with its own scheme.
struct FrictionVariant {
  std::string name;  // relaxed, corrected, k=4, k=8, k=16, exact
  SchemeOptions scheme;
  RunTotals totals;
  State state;                       // the last one
  std::vector<SlidingPair> sliding;  // at the end of the last step, sorted
  double lift_gap = 0;   // largest distance of a sliding pair at the end of a step (E505) [m]
  double hover_gap = 0;  // largest gap that a contact with force and without bounce ends at [m]
  double slip = 0;       // way at the speed of the fastest contact with force [m]
  double normal_impulse = 0;    // resultant of each pair of bodies and step, summed [N s]
  double friction_impulse = 0;  // likewise of friction [N s]
  double time = 0;              // of all steps [s]
  double way = 0;               // farthest that a body was from its beginning [m]
  Series lift, kinetic, dissipated;

  // Differences to the exact law, filled by finish().
  double position = 0;     // largest, of a body at the end [m]
  double orientation = 0;  // [rad]
  // The same without units (E96) [-].
  double position_off = 0, dissipation_off = 0, lift_off = 0;

  double normal_force() const { return time > 0 ? normal_impulse / time : 0; }  // mean [N]
  double friction_force() const { return time > 0 ? friction_impulse / time : 0; }
};

struct FrictionComparison {
  const Scene& scene;
  std::vector<FrictionVariant> variants;  // the exact one is the last
  double tolerance = 0;                   // how far relaxed laws may be off without a warning [-]
  std::vector<std::string> warnings;      // filled by finish_comparison()
};

// The runs to take, with the options of the scene's scheme but for the law. Fails for a scheme
// that has no law of friction to exchange.
Result<FrictionComparison> begin_comparison(const Scene& scene, double tolerance);

void add_step(const Scene& scene, const StepReport& report, const State& after,
              FrictionVariant& variant);

// After all steps: differences and warnings.
void finish_comparison(FrictionComparison& comparison);

}  // namespace cairn::record
