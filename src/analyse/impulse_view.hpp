// A solved problem as the analysis of its impulses sees it (E105): laws, scaled velocities and
// impulses, and the linear map from scaled impulses to what must not change. One form for problems
// with bodies and for reduced ones.
#pragma once

#include <vector>

#include "cairn/reduced.hpp"
#include "problem/cone.hpp"

namespace cairn::analyse {

struct ImpulseView {
  struct Entry {
    int effect, row;
    double value;
  };
  std::vector<problem::LawSet> sets;  // bounds of boxes unscaled
  std::vector<int> first_row;         // constraints + 1 entries
  std::vector<double> d;              // (E10); r = d lambda
  std::vector<double> scale;   // of the impulses and velocities around each constraint, sqrt(J)
  VecX u, r;                   // scaled velocities and impulses
  std::vector<Entry> entries;  // of the map: effect = E r, so that E r' = E r means the same motion
  int effects = 0;
  double tolerance = 0;       // share of the scale below which a velocity is zero [-]
  double rank_tolerance = 0;  // share of the largest pivot below which a row is dependent [-]

  std::size_t constraints() const { return sets.size(); }
};

// E = L^-1 J^T d^-1, A = L L^T.
ImpulseView impulse_view(const Problem& problem, const VecX& v, const VecX& lambda);

// E = d^-1 W d^-1.
ImpulseView impulse_view(const ReducedProblem& problem, const VecX& lambda);

}  // namespace cairn::analyse
