// What the tests of restitution laws share.
#pragma once

#include "system/worlds.hpp"

namespace cairn::testing {

inline constexpr RestitutionLaw laws[] = {RestitutionLaw::newton, RestitutionLaw::poisson,
                                          RestitutionLaw::stronge};

inline SchemeOptions scheme_of(int kind, RestitutionFriction friction,
                               Propagation propagation = Propagation::simultaneous,
                               bool guard = true) {
  const EnergyGuard rule = guard ? EnergyGuard::impact : EnergyGuard::off;
  Euler euler{.energy_guard = rule};
  euler.restitution_friction = friction;
  euler.propagation = propagation;
  if (kind == 0) return euler;
  if (kind == 1) return Relaxed{.step = euler};
  Trapezoidal trapezoidal{.restitution_friction = friction};
  trapezoidal.propagation = propagation;
  trapezoidal.energy_guard = rule;
  return trapezoidal;
}
inline constexpr int schemes = 3;
inline const char* scheme_name(int kind) {
  return kind == 0 ? "euler" : kind == 1 ? "relaxed" : "trapezoidal";
}

inline ModelDescription world_of(RestitutionLaw law, double friction, double restitution,
                                 const Vec3& gravity = Vec3::Zero()) {
  ModelDescription d = world(gravity, friction, restitution);
  d.materials[0].second.restitution_law = law;
  return d;
}

// The energies of every group of contacts add up, and none of them is negative.
inline void expect_balance(const StepReport& report) {
  for (const ImpactReport& r : report.impacts) {
    double sum = r.other, size = r.kinetic_before + r.kinetic_after;
    for (const ImpactReport& k : report.impacts)
      if (k.group == r.group) {
        sum += k.put_in - k.lost_restitution - k.lost_friction;
        size += k.put_in + k.lost_restitution + k.lost_friction;
      }
    EXPECT_NEAR(r.kinetic_after - r.kinetic_before, sum, 1e-12 * size);
    EXPECT_GE(r.lost_restitution, 0);
    EXPECT_GE(r.lost_friction, 0);
    EXPECT_GE(r.put_in, 0);
    EXPECT_LT(r.approach, 0);
  }
  EXPECT_LE(std::abs(report.ledger.imbalance()),
            1e-12 * (report.ledger.kinetic_start + report.ledger.kinetic_end + 1));
}

}  // namespace cairn::testing
