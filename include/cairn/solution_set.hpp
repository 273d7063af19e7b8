// What a solved problem says about its impulses beyond the ones a solver returns
// (docs/equations.md, E105 to E111): all impulses that go with the same velocities, how many of
// their rows are independent, the shortest of them, the range of each, and whether friction can
// hold a stress that nothing has put in (jamming).
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "cairn/error.hpp"
#include "cairn/reduced.hpp"
#include "cairn/simulator.hpp"
#include "cairn/solution.hpp"

namespace cairn {

// What the velocities leave to the impulse of a constraint.
enum class Activity : std::uint8_t {
  open,      // none
  touches,   // a push along the normal: no friction
  slides,    // one direction, or one facet of a pyramid; its size
  sticks,    // all that the law allows
  held,      // everything: an equality
  at_bound,  // nothing: the bound of a box
};
const char* name(Activity activity);

// The largest group of constraints that impulses connect may have so many active rows; beyond it
// the functions below return an error of kind limit.
constexpr int max_active_rows = 1000;

// (E106)
struct ActiveRank {
  std::vector<Activity> activity;  // of each constraint
  int rows = 0;                    // directions in which active constraints can push
  int rank = 0;                    // independent ones among them
  // Degree of static indeterminacy. Zero: the impulses are unique. Else the laws may still pin them
  // down, which the intervals tell.
  int degree() const { return rows - rank; }
};
Result<ActiveRank> active_rank(const Problem& problem, const VecX& v, const VecX& lambda);
Result<ActiveRank> active_rank(const ReducedProblem& problem, const VecX& lambda);

// (E107): the shortest impulses that give the same velocities; every row has weight one in the
// problem's units.
struct LeastNorm {
  VecX lambda;
  double norm = 0, norm_before = 0;  // [units of the problem]
  Certificate certificate;           // of the same velocities with these impulses
  int iterations = 0;
  bool reached = false;  // their resultants are those of the solution, to rounding
};
Result<LeastNorm> least_norm(const Problem& problem, const VecX& v, const VecX& lambda);
Result<LeastNorm> least_norm(const ReducedProblem& problem, const VecX& lambda);

// Of a number over the set of solutions. Both ends are attained unless infinite; on exact cones the
// true ends may lie farther out by at most `gap` (E109), which is infinite where it is not known.
struct Interval {
  double lo = 0, hi = 0;
  double gap = 0;
  bool unique = true;  // lo and hi are the same but for rounding
};

// Sum of the impulses of all constraints between two bodies, on the second one; on the first where
// the second cannot move.
struct PairResultant {
  std::array<int, 2> body = {-1, -1};               // of the problem; body[0] < body[1]
  int constraints = 0;                              // between them
  std::array<double, max_velocities> impulse = {};  // J^T lambda [units of the problem]
  bool unique = true;
};

// (E108)
struct ImpulseIntervals {
  ActiveRank rank;
  std::vector<Interval> rows;        // of each impulse row, in the problem's units
  bool unique = true;                // all of them
  VecX resultant;                    // J^T lambda, body by body: the same for all solutions (E110);
                                     // empty for a reduced problem, which has no bodies
  std::vector<PairResultant> pairs;  // of bodies between which something acts; none if reduced
  int pivots = 0;
};
struct IntervalOptions {
  bool friction = true;  // false: the first row of contacts alone, a third of the work in space;
                         // the others have the solution's value and an infinite gap
};
Result<ImpulseIntervals> impulse_intervals(const Problem& problem, const VecX& v,
                                           const VecX& lambda, const IntervalOptions& options = {});
Result<ImpulseIntervals> impulse_intervals(const ReducedProblem& problem, const VecX& lambda,
                                           const IntervalOptions& options = {});

// Impulses with no resultant on any body that the laws allow in any size: bodies wedged by
// friction.
struct SelfStress {
  std::vector<int> constraints;  // that carry it
  std::vector<int> bodies;       // of the problem, on which they act; none if it is reduced
  VecX lambda;                   // all rows; normal impulses add up to one in scaled units (E10)
};

// (E111), Anitescu and Hart 2004: the friction cone of the contacts that touch is pointed if there
// is none.
struct Jamming {
  std::vector<SelfStress> stresses;  // at most one per group of connected constraints
  int redundant_rows = 0;            // of equalities: joints alone that hold a stress
  double margin = 0;  // least |J^T lambda| of impulses whose normal parts add up to one, scaled; of
                      // the groups without a stress [-]
  bool pointed() const { return stresses.empty() && redundant_rows == 0; }
};
Result<Jamming> find_jamming(const Problem& problem, const VecX& v, const VecX& lambda);
Result<Jamming> find_jamming(const ReducedProblem& problem, const VecX& lambda);

// ---- Contact impulses of a step as exports, plots and player show them (E620 to E625): where they
// are not unique, the shortest ones with the same motion. Computed from the report of a step, for
// frames that are recorded or shown; the report keeps the solver's impulses.

enum class ForceKind : std::uint8_t {
  unique,         // motion and laws leave no other impulse
  least_norm,     // not unique: of the shortest impulses of its island
  not_minimised,  // not unique, or not examined (E625): as reported
};
const char* name(ForceKind kind);

// An island of a solve in the units of its problem. With `y` anyone can verify that the impulses
// are the shortest (E622).
struct ShortestIsland {
  int solve = 0;                 // of the report
  std::vector<int> constraints;  // of the problem: all that act on the island, ascending
  VecX lambda;                   // their impulses, constraint by constraint
  std::vector<int> bodies;       // of the problem, ascending
  VecX y;                        // beside their velocities
};

struct ShownForces {
  bool known = false;                   // false: nothing was computed, the reported impulses count
  std::vector<ForceKind> kinds;         // beside StepReport::contacts
  std::vector<Vec3> impulses;           // likewise, along n, t1, t2 on body b [N s]
  std::vector<ShortestIsland> islands;  // of contacts of kind least_norm

  bool empty() const { return !known; }
  ForceKind kind(std::size_t contact) const { return known ? kinds[contact] : ForceKind::unique; }
  const Vec3& impulse(const StepReport& report, std::size_t contact) const {
    return known ? impulses[contact] : report.contacts[contact].impulse;
  }
  int count(ForceKind kind) const;
};

// Islands with more rows of active contacts and joints are not minimised (E625).
constexpr int max_shown_rows = 1500;

// Fills `kinds` and `impulses` from `islands` and the kinds of contacts that no island has; false
// where an island names what the report does not have.
bool spread_islands(const StepReport& report, ShownForces& forces);

// Keeps memory and the last answer: a step that repeats the one before costs a comparison.
class ForceDisplay {
 public:
  explicit ForceDisplay(const ForceOptions& options = {});
  ~ForceDisplay();
  ForceDisplay(ForceDisplay&&) noexcept;
  ForceDisplay& operator=(ForceDisplay&&) noexcept;

  // A function of the report alone; valid until the next call.
  const ShownForces& of(const StepReport& report);

 private:
  struct Memory;
  std::unique_ptr<Memory> memory_;
};

}  // namespace cairn
