// Contact impulses of a step as exports, plots and player show them (docs/equations.md, E620 to
// E625): where they are not unique, the shortest ones with the same motion. Computed from the
// report of a step, for frames that are recorded or shown; the report keeps the solver's impulses.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "cairn/force_options.hpp"
#include "cairn/simulator.hpp"

namespace cairn {

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
