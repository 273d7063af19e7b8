// What every scheme does with its report.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cairn/simulator.hpp"
#include "cairn/state.hpp"
#include "scheme/common/stop.hpp"

namespace cairn::scheme {

// Nothing of the step before is left but memory.
void clear(StepReport& report, const State& state, double h);

// The worst certificate of all solves decides on the step, those of the projections included.
void judge(StepReport& report);

// The step is not taken: says why, and nothing of what it had begun.
void stop(StepReport& report, Stop why);

// The step is not taken, because the caller asked for an end: nothing of it is left.
void interrupt(StepReport& report, const State& state, double h);

// The largest errors of joints at the end of the step.
void measure_joints(const Model& model, std::span<const Pose> poses, StepReport& report);

// Energies at both ends of a step whose other terms were added up part by part; false if they are
// not finite.
bool close_ledger(const Model& model, const State& start, const std::vector<Pose>& poses,
                  const VecX& v, Ledger& ledger);

// What flows in and out in a part of the time, added to that of the whole.
void add_flows(const Ledger& part, Ledger& sum);

// Adds a contact of a part of a step to those of the whole, sorted by key: impulses add up.
void add_contact(const ContactReport& contact, std::vector<ContactReport>& contacts);

// Where the rows of a problem were taken, with prescribed bodies as they are at t (E380).
void keep_rows(const Problem& problem, std::span<const Pose> poses, double t,
               std::span<const Contact> contacts, SolveOrigin& origin);
// The beginning of the part of the step that a problem is for.
void keep_beginning(const Problem& problem, std::span<const Pose> poses, const VecX& v, double t,
                    double length, SolveOrigin& origin);

// The step is taken: time and number go on, and the report has them.
void count_step(double h, State& state, StepReport& report);

}  // namespace cairn::scheme
