// What a run adds up to: the figures of summary.json and the curves of the report.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "cairn/joints.hpp"
#include "cairn/scene.hpp"
#include "cairn/simulator.hpp"
#include "cairn/solution_set.hpp"
#include "record/run/cpu_times.hpp"
#include "record/run/forces.hpp"
#include "record/run/series.hpp"

namespace cairn::record {

enum class RunStatus : std::uint8_t { ok, uncertified, not_accepted, stopped };
const char* name(RunStatus status);

struct WorstStep {
  std::int64_t step = 0;
  double t = 0;            // [s]
  double certificate = 0;  // [-]
  std::string row;         // the constraint it comes from
  std::string method;      // the solver's last method in that solve
  int iterations = 0;
  std::string attempts;  // methods of the island that was hardest, with the residual each left
  StepStatus status = StepStatus::certified;
};

// The energy audit of all impacts (E228).
struct ImpactTotals {
  std::int64_t contacts = 0, groups = 0;  // that collided
  std::array<std::int64_t, 3> by_law = {};
  double lost_restitution = 0, lost_friction = 0, put_in = 0, guard = 0;  // sums [J]
  double fastest = 0;   // largest speed of approach [m/s]
  double max_rise = 0;  // largest rise of a group's kinetic energy by its contacts [J]
  std::int64_t sequential = 0, unfinished = 0;  // propagation sequential
  std::vector<ImpactReport> largest;            // those that took most, most first

  static constexpr std::size_t max_largest = 8;
};

// One part of the verdict over a run.
struct VerdictPartTotals {
  std::int64_t failed_steps = 0;
  double worst = 0;       // largest figure over its limit [-]
  std::int64_t step = 0;  // in which it occurred
  std::string sentence;   // of the worst step that failed
};

// Contact forces that are not unique (E624, E625).
struct ForceTotals {
  std::int64_t steps = 0;                        // examined
  std::int64_t not_unique_steps = 0;             // with such forces
  std::int64_t not_minimised_steps = 0;          // with forces shown as the solver has them
  int not_unique_max = 0, not_unique_final = 0;  // contacts of a step
};

// The verdicts of all steps (E300 to E308).
struct VerdictTotals {
  VerdictPartTotals solve, motion, energy;
  std::int64_t failed_steps = 0;                     // in any part
  double overlap_max = 0, swept_overlap_max = 0;     // of the smaller inner radius [-]
  double joint_max = 0;                              // of the smaller radius [-]
  double momentum_max = 0, momentum_others_max = 0;  // [-]
  double energy_error_max = 0, integrator_max = 0;   // of the energy that moves [-]
  std::int64_t divided_steps = 0, parts = 0, attempts = 0;
  int parts_max = 1;
};

// The figures of all steps.
struct FigureTotals {
  StepFigures last, largest, least;  // not a number counts as infinite
  BasicStepFigures<std::int64_t> sum = {};
  bool any = false;

  void add(const StepFigures& step);
};

struct RunTotals {
  std::int64_t steps = 0;              // completed
  std::int64_t uncertified_steps = 0;  // whose solves miss the tolerance
  FigureTotals figures;
  VerdictTotals verdict;
  bool stopped = false;
  StopReason reason = StopReason::none;
  std::string message;                                        // why it was stopped
  std::vector<WorstStep> worst;                               // the worst steps, worst first
  double energy_initial = 0, energy_final = 0, max_rise = 0;  // [J]
  std::size_t candidates_max = 0, candidates_final = 0;
  std::size_t found_max = 0;  // before the contact filter
  std::int64_t solves = 0, iterations = 0, fallbacks = 0;
  std::array<std::int64_t, 7> events = {};  // trapezoidal and hybrid, by kind
  ImpactTotals impacts;
  JointRank joint_rank;   // at the start
  StartProjection start;  // likewise (E323)
  std::int64_t coulomb_residual_step = 0;
  Ledger ledger;             // start of the first step, end of the last, sums of the rest [J]
  double imbalance_max = 0;  // [J]
  ForceTotals shown;         // of runs that are recorded
  std::optional<ForceTable> forces;  // of the last step, if asked for
  std::vector<std::string> jammed;   // bodies wedged in steps that were not certified, in words
  int jamming_searches = 0;          // for them, at most max_jamming_searches
  CpuTimes cpu_ms;                   // of the steps
  double cpu_seconds = 0, detect_seconds = 0, solve_seconds = 0;

  Series impact_loss, impact_friction;  // taken so far by restitution and friction of impacts
  Series kinetic, potential, total, penetration, joint_error, candidates, active, certificate, cpu,
      coulomb_residual,
      guard;  // guard: share of restitution taken away, 1 - theta

  static constexpr std::size_t max_worst = 8;
  static constexpr int max_jamming_searches = 3;

  RunStatus status() const {
    return stopped                    ? RunStatus::stopped
           : uncertified_steps > 0    ? RunStatus::uncertified
           : verdict.failed_steps > 0 ? RunStatus::not_accepted
                                      : RunStatus::ok;
  }
  double cpu_ms_mean() const;
  double cpu_ms_median() const;
};

// Adds the contact forces of a step that are shown.
void add_forces(const ShownForces& forces, RunTotals& totals);

// Adds one step. `model` names the worst rows.
void add_step(const Model& model, const StepReport& report, RunTotals& totals);

}  // namespace cairn::record
