// One scene of a family: how it is run, what an oracle sees of it, and what came of it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "families/oracle/world.hpp"
#include "families/scene_text.hpp"

namespace cairn::families {

struct Settings {
  std::uint64_t seed = 1;
  std::int64_t first = 0, cases = 0;  // 0: as many as the family has by default
  std::string scheme;                 // empty: all of the family
  double h = 0;                       // [s]; 0: all of the family
  double duration = 0;                // [s]; 0: that of the family
  int fine = 0;                       // parts of a step that a check of the oracle takes; 0: none
  double seconds = 60;                // CPU time of a case before it is interrupted [s]
  std::vector<std::string> assignments;  // --set
  std::string keep;                      // folder for scenes that fail; empty: none
  std::string filter;                    // part of shape and target, or of a fixture's path
};

// What happened; shares are taken of steps.
struct Outcome {
  std::string unreadable;  // the scene was refused when read, with the message
  int steps = 0;           // asked for
  int taken = 0, accepted = 0, divided = 0;
  std::int64_t parts = 0;  // of the divided ones
  int most_parts = 1;
  double cpu = 0, longest = 0;           // [s]
  double work = 0;                       // of all steps, in units of (E314)
  double most_work = 0;                  // of a step, of its bound [-]
  double slowest_unit = 0;               // of a step that took a tenth of its bound [s]
  double deepest = 0;                    // overlap at the end of a step, of the inner radius [-]
  double deepest_accepted = 0;           // of accepted steps, on the way included
  bool passed = false, unclear = false;  // a body went through another one
  std::string refusal;                   // of the first step that was not accepted
  std::vector<std::string> faults;       // promises that were broken
  std::vector<std::pair<std::string, double>> figures;  // of the family

  bool all_accepted() const { return unreadable.empty() && accepted == steps; }
  void fault(const std::string& what);  // once for each text
  double figure(const std::string& name) const;
  void raise(const std::string& name, double value);  // to the largest one
};

// A step as an oracle sees it.
struct Moment {
  World& world;
  const State &before, &after;
  const StepReport& report;
  double h = 0;
  bool accepted = false, first = false;
  bool known_path = true;  // between the two states; false: they are all that is known
};

struct Trial {
  std::string name;  // of the file that keeps it
  std::string scheme, shape, target;
  double h = 0;
  int steps = 0;
  Json scene;
  bool moderate = false;     // a shot of at most `moderate_sizes` body sizes a step
  bool must_accept = true;   // every step; else shares of many are judged
  bool exact_paths = false;  // the path of a step is its chord: overlaps are judged on the way
  std::function<void(World&)> start;
  std::function<void(const Moment&, Outcome&)> judge;  // after each step
  std::function<void(Outcome&)> finish;
};

Outcome run(const Trial& trial, const Settings& settings);

// A check of the judge of sides: takes `fine` short steps for each long one and judges both. What
// the short steps do not cross, the long ones must not either.
struct SideCheck {
  bool fine = false, coarse = false;  // passed through
};
SideCheck check_sides(const Trial& trial, const Settings& settings);

}  // namespace cairn::families
