// How far impulses can go along a change of theirs before a contact reaches the bound of its law
// (E540, E681).
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/infinity.hpp"
#include "problem/cone.hpp"

namespace cairn::solver {

// Which bounds end a stride: sweeps converge by themselves where a contact that slides opens.
enum class Bounds : char { cones, cones_and_openings };

// The share t > 0 of the change d at which a contact inside its cone reaches it, |a_T + t d_T| =
// mu (a_n + t d_n), or one that is at its cone opens, a_n + t d_n = 0; infinite where neither is
// ahead.
inline double share_to_cone(const problem::LawSet& set, const double* a, const double* d,
                            Bounds bounds) {
  if (!is_unilateral(set.law) || !(a[0] > 0)) return base::infinity;
  const bool may_open = bounds == Bounds::cones_and_openings && d[0] < 0;
  const double opens = may_open ? -a[0] / d[0] : base::infinity;
  if (!has_cone(set.law) || set.rows < 2 || !(set.mu > 0)) return opens;
  double aa = -set.mu * set.mu * a[0] * a[0], ad = -set.mu * set.mu * a[0] * d[0],
         dd = -set.mu * set.mu * d[0] * d[0];
  for (int k = 1; k < set.rows; ++k) {
    aa += a[k] * a[k];
    ad += a[k] * d[k];
    dd += d[k] * d[k];
  }
  if (!(aa < 0)) return opens;
  const double root = std::sqrt(std::max(0.0, ad * ad - dd * aa));
  const double below = ad + root;  // aa + 2 ad t + dd t^2 = 0 with aa < 0: t = -aa / (ad + root)
  return below > 0 ? std::min(opens, -aa / below) : opens;
}

// The least of all contacts.
template <class Groups>
double share_to_cones(const Groups& groups, const std::vector<double>& r,
                      const std::vector<double>& change, Bounds bounds) {
  double share = base::infinity;
  for (const auto& g : groups) {
    const auto first = static_cast<std::size_t>(g.first);
    share = std::min(share, share_to_cone(g.set, &r[first], &change[first], bounds));
  }
  return share;
}

}  // namespace cairn::solver
