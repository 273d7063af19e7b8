// The figures of an impact, packed as differences from those of the one before it and, where they
// are known, from those that follow from the last solve.
#pragma once

#include "cairn/simulator.hpp"

namespace cairn::record {

template <class Pack, class Impact>
void impact_figures(Pack& p, Impact& i, const ImpactReport& like,
                    const ImpactReport* solved = nullptr) {
  p.integer(i.law, static_cast<std::int64_t>(like.law));
  if (i.law > RestitutionLaw::stronge) p.reject();
  p.integer(i.group, like.group);
  p.number(i.t, like.t);
  p.number(i.approach, solved ? solved->approach : like.approach);
  p.number(i.restitution, like.restitution);
  p.number(i.rebound, solved ? solved->rebound : -i.restitution * i.approach);
  p.number(i.lost_restitution, solved ? solved->lost_restitution : like.lost_restitution);
  p.number(i.lost_friction, solved ? solved->lost_friction : 0);
  p.number(i.put_in, solved ? solved->put_in : 0);
  p.number(i.kinetic_before, like.kinetic_before);
  p.number(i.kinetic_after, like.kinetic_after);
  p.number(i.other, like.other);
  p.number(i.guard, like.guard);
}

}  // namespace cairn::record
