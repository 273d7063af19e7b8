// Compression and restitution of one impact (E203): what the normal impulse has done so far and
// what is left of it.
#pragma once

#include "cairn/model.hpp"
#include "scheme/common/root.hpp"

namespace cairn::scheme {

struct ImpactPhases {
  RestitutionLaw law;
  double e;                 // [-]
  double approach;          // normal velocity before the impact, < 0
  double p_c = 0, p_d = 0;  // normal impulse while the bodies approach, and while they part
  double w_c = 0, w_d = 0;  // its work
  bool compressing = true;

  // What is given back beyond the law, < 0 before the end.
  double beyond(double u_n, double p, double w) const;

  // Impulse that completes the phase from the normal velocity u_n, which grows by k per impulse.
  double left(double u_n, double k) const;

  void add(double p, double w) {
    (compressing ? p_c : p_d) += p;
    (compressing ? w_c : w_d) += w;
  }
};

}  // namespace cairn::scheme
