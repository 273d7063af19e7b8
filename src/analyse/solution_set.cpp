// Rank, intervals and resultants of the impulses that go with the velocities of a solution (E105 to
// E110). Reads a problem and its solution.
#include "cairn/solution_set.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "analyse/intervals.hpp"
#include "base/boundary.hpp"
#include "base/index.hpp"
#include "base/infinity.hpp"
#include "linear/blocks.hpp"

namespace cairn {
namespace {

// Of the largest impulse of a group: a wider interval is one. No less than the velocities are
// worth.
constexpr double width_tolerance = 1e-9;

// Of a unit direction in the null space: a function that changes less along all of them is
// constant.
constexpr double constant = 1e-10;

Result<ActiveRank> rank_of(const analyse::ImpulseView& view) {
  const Result<analyse::ActiveFaces> active = analyse::active_faces(view);
  if (!active) return tl::unexpected(active.error());
  ActiveRank result;
  result.activity = active->activity;
  for (const analyse::FaceGroup& group : active->groups) {
    const analyse::GroupRank rank = analyse::group_rank(group, view.rank_tolerance);
    result.rows += rank.rows;
    result.rank += rank.rank;
  }
  return result;
}

// One group with what has been found out about it.
struct GroupIntervals {
  const analyse::FaceGroup& group;
  analyse::GroupRank rank;
  double size = 0;                     // largest impulse, scaled
  double width = 0;                    // share of it that is more than rounding [-]
  double normal = 0;                   // sum of the largest normal impulses on exact cones, scaled
  double worst = 0;                    // largest excess on the way to them
  std::vector<std::size_t> rows = {};  // of the result that were computed here
  std::vector<double> excess = {}, d = {};  // of each of them

  bool varies(const VecX& c) const {
    return rank.null.cols() > 0 &&
           (c.transpose() * rank.null).cwiseAbs().maxCoeff() > constant * c.cwiseAbs().maxCoeff();
  }
  bool is_wide(double lo, double hi) const { return hi - lo > width * size; }
};

// Each row of the group; directions of the null space at unit length.
void add_rows(const analyse::ImpulseView& view, const IntervalOptions& options,
              analyse::FaceProgram* program, GroupIntervals& g, ImpulseIntervals& result) {
  for (const analyse::Face& face : g.group.faces)
    for (int k = 0; k < face.rows; ++k) {
      VecX c = VecX::Zero(g.group.r.size());
      c[face.first + k] = 1;
      const double d = view.d[base::at(face.constraint)];
      Interval& row = result.rows[base::at(g.group.row[base::at(face.first + k)])];
      row.lo = row.hi = g.group.r[face.first + k] / d;
      const bool asked =
          k == 0 || options.friction || !is_unilateral(view.sets[base::at(face.constraint)].law);
      const bool normal_of_cone = face.kind == analyse::Face::Kind::cone && k == 0;
      if (!program || !g.varies(c)) {
        if (normal_of_cone) g.normal += g.group.r[face.first];
        continue;
      }
      if (!asked) {
        row.gap = base::infinity;
        row.unique = false;
        continue;
      }
      const analyse::FaceProgram::Range range = program->range(c);
      row.lo = range.lo / d;
      row.hi = range.hi / d;
      row.unique = !g.is_wide(range.lo, range.hi) && std::isfinite(range.excess);
      g.rows.push_back(base::at(g.group.row[base::at(face.first + k)]));
      g.excess.push_back(range.excess);
      g.d.push_back(d);
      if (!normal_of_cone) continue;
      g.normal += range.hi;
      g.worst += range.excess;
    }
}

// (E109): what lies beyond is at most the dual's excess times the sum H of the normal impulses on
// exact cones, H <= sum of attained maxima / (1 - sum of their excesses).
void add_gaps(const GroupIntervals& g, ImpulseIntervals& result) {
  const bool any =
      std::any_of(g.group.faces.begin(), g.group.faces.end(),
                  [](const analyse::Face& f) { return f.kind == analyse::Face::Kind::cone; });
  for (std::size_t k = 0; k < g.rows.size(); ++k) {
    Interval& row = result.rows[g.rows[k]];
    const double excess = g.excess[k];
    if (std::isinf(excess))
      row.gap = base::infinity;
    else if (any && excess > 0)
      row.gap = g.worst < 0.5 && std::isfinite(g.normal)
                    ? excess * g.normal / (1 - g.worst) / g.d[k]
                    : base::infinity;
  }
}

// The intervals of all groups; `visit` sees each with its program, which is null where all is
// unique by rank.
template <class Visit>
ImpulseIntervals intervals_of(const analyse::ImpulseView& view, const analyse::ActiveFaces& active,
                              const IntervalOptions& options, const Visit& visit) {
  ImpulseIntervals result;
  result.rank.activity = active.activity;
  result.rows.resize(base::at(static_cast<int>(view.r.size())));
  for (std::size_t i = 0; i < view.constraints(); ++i)
    for (int k = view.first_row[i]; k < view.first_row[i + 1]; ++k)
      result.rows[base::at(k)].lo = result.rows[base::at(k)].hi = active.r[k] / view.d[i];
  for (const analyse::FaceGroup& group : active.groups) {
    GroupIntervals g{.group = group, .rank = analyse::group_rank(group, view.rank_tolerance)};
    result.rank.rows += g.rank.rows;
    result.rank.rank += g.rank.rank;
    g.size = group.r.size() > 0 ? group.r.cwiseAbs().maxCoeff() : 0;
    g.width = std::max(width_tolerance, view.tolerance);
    g.rank.null.colwise().normalize();
    if (g.rank.null.cols() == 0) {
      add_rows(view, options, nullptr, g, result);
      visit(g, nullptr);
      continue;
    }
    analyse::FaceProgram program(group, g.rank);
    add_rows(view, options, &program, g, result);
    add_gaps(g, result);
    visit(g, &program);
    result.pivots += program.pivots();
  }
  result.unique = std::all_of(result.rows.begin(), result.rows.end(),
                              [](const Interval& row) { return row.unique; });
  return result;
}

// ---- Resultants ------------------------------------------------------------------------------

// Which body of a constraint feels its pair's resultant, and which pair it is.
struct Pair {
  std::array<int, 2> body;
  std::size_t side(const Constraint& c) const {
    return c.body[0] == (body[1] >= 0 ? body[1] : body[0]) ? 0 : 1;
  }
  int felt() const { return body[1] >= 0 ? body[1] : body[0]; }
};

Pair pair_of(const Constraint& c) {
  return {{std::min(c.body[0], c.body[1]), std::max(c.body[0], c.body[1])}};
}

// Resultants are sums over constraints of one group, except for those of impulses that are fixed.
class Resultants {
 public:
  Resultants(const Problem& problem, const analyse::ImpulseView& view)
      : problem_(problem), view_(view) {}

  void visit(const GroupIntervals& g, analyse::FaceProgram* program) {
    std::map<std::array<int, 2>, std::vector<const analyse::Face*>> faces;
    for (const analyse::Face& face : g.group.faces)
      faces[pair_of(constraint(face)).body].push_back(&face);
    for (const auto& [body, list] : faces) {
      const Pair pair{body};
      if (pair.felt() < 0) continue;
      bool& unique = unique_.try_emplace(body, true).first->second;
      const int n = problem_.bodies[base::at(pair.felt())].size;
      for (int k = 0; k < n && unique && program; ++k) {
        VecX c = VecX::Zero(g.group.r.size());
        for (const analyse::Face* face : list)
          for (int r = 0; r < face->rows; ++r)
            c[face->first + r] = constraint(*face).J[pair.side(constraint(*face))][r][k] /
                                 view_.d[base::at(face->constraint)];
        if (c.isZero(0) || !g.varies(c)) continue;
        const analyse::FaceProgram::Range range = program->range(c);
        const double unit = c.cwiseAbs().maxCoeff();
        unique = !g.is_wide(range.lo / unit, range.hi / unit) && std::isfinite(range.excess);
      }
    }
  }

  // Sums of the solution's own impulses.
  void finish(const VecX& r, ImpulseIntervals& result) const {
    result.resultant = VecX::Zero(problem_.velocities());
    std::map<std::array<int, 2>, PairResultant> pairs;
    for (std::size_t i = 0; i < problem_.constraints.size(); ++i) {
      const Constraint& c = problem_.constraints[i];
      double lambda[max_rows];
      bool acts = false;
      for (int k = 0; k < c.rows; ++k) {
        lambda[k] = r[problem_.first_row[i] + k] / view_.d[i];
        acts = acts || lambda[k] != 0;
      }
      for (std::size_t side = 0; side < base::at(c.sides); ++side)
        if (c.body[side] >= 0) {
          const ProblemBody& body = problem_.bodies[base::at(c.body[side])];
          linear::add_transposed(c.J[side], c.rows, body.size, lambda,
                                 result.resultant.data() + body.first);
        }
      const Pair pair = pair_of(c);
      const auto known = unique_.find(pair.body);
      if (pair.felt() < 0 || (!acts && known == unique_.end())) continue;
      PairResultant& sum = pairs[pair.body];
      sum.body = pair.body;
      sum.unique = known == unique_.end() || known->second;
      ++sum.constraints;
      linear::add_transposed(c.J[pair.side(c)], c.rows, problem_.bodies[base::at(pair.felt())].size,
                             lambda, sum.impulse.data());
    }
    for (const auto& [body, sum] : pairs) result.pairs.push_back(sum);
  }

 private:
  const Constraint& constraint(const analyse::Face& face) const {
    return problem_.constraints[base::at(face.constraint)];
  }
  const Problem& problem_;
  const analyse::ImpulseView& view_;
  std::map<std::array<int, 2>, bool> unique_;  // by pair, of what is active between them
};

}  // namespace

Result<ActiveRank> active_rank(const Problem& problem, const VecX& v, const VecX& lambda) try {
  return rank_of(analyse::impulse_view(problem, v, lambda));
} catch (...) {
  return fail(base::caught_error());
}
Result<ActiveRank> active_rank(const ReducedProblem& problem, const VecX& lambda) try {
  return rank_of(analyse::impulse_view(problem, lambda));
} catch (...) {
  return fail(base::caught_error());
}

Result<ImpulseIntervals> impulse_intervals(const Problem& problem, const VecX& v,
                                           const VecX& lambda, const IntervalOptions& options) try {
  const analyse::ImpulseView view = analyse::impulse_view(problem, v, lambda);
  const Result<analyse::ActiveFaces> active = analyse::active_faces(view);
  if (!active) return tl::unexpected(active.error());
  Resultants resultants(problem, view);
  ImpulseIntervals result = intervals_of(
      view, *active, options, [&](const GroupIntervals& g, analyse::FaceProgram* program) {
        resultants.visit(g, program);
      });
  resultants.finish(active->r, result);
  return result;
} catch (...) {
  return fail(base::caught_error());
}

Result<ImpulseIntervals> impulse_intervals(const ReducedProblem& problem, const VecX& lambda,
                                           const IntervalOptions& options) try {
  const analyse::ImpulseView view = analyse::impulse_view(problem, lambda);
  const Result<analyse::ActiveFaces> active = analyse::active_faces(view);
  if (!active) return tl::unexpected(active.error());
  return intervals_of(view, *active, options, [](const GroupIntervals&, analyse::FaceProgram*) {});
} catch (...) {
  return fail(base::caught_error());
}

}  // namespace cairn
