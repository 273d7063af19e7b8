#include "accept/merge.hpp"

#include <algorithm>
#include <utility>

#include "base/conventions.hpp"
#include "scheme/common/report.hpp"

namespace cairn::accept {
namespace {

void append_solves(StepReport& part, StepReport& whole) {
  for (int i = 0; i < part.solve_count; ++i) {
    if (static_cast<std::size_t>(whole.solve_count) == whole.solves.size())
      whole.solves.emplace_back();
    std::swap(whole.solves[static_cast<std::size_t>(whole.solve_count++)],
              part.solves[static_cast<std::size_t>(i)]);
  }
}

void append_impacts(const StepReport& part, StepReport& whole) {
  int first = 0;
  for (const ImpactReport& impact : whole.impacts) first = std::max(first, impact.group + 1);
  for (ImpactReport impact : part.impacts) {
    impact.group += first;
    whole.impacts.push_back(impact);
  }
}

void append_ledger(const Ledger& part, bool first, Ledger& whole) {
  if (first) {
    whole.kinetic_start = part.kinetic_start;
    whole.potential_start = part.potential_start;
  }
  whole.kinetic_end = part.kinetic_end;
  whole.potential_end = part.potential_end;
  scheme::add_flows(part, whole);
}

void add_counts(const StepReport& part, StepReport& whole) {
  whole.added_pairs += part.added_pairs;
  whole.filtered_contacts = part.filtered_contacts;
  whole.revised_pairs += part.revised_pairs;
  whole.collisions += part.collisions;
  whole.guard_corrections += part.guard_corrections;
  whole.nonlinear_iterations += part.nonlinear_iterations;
  whole.nonlinear_fallback = std::max(whole.nonlinear_fallback, part.nonlinear_fallback);
  whole.discarded_solves += part.discarded_solves;
  whole.corrections += part.corrections;
  whole.contact_projections += part.contact_projections;
  whole.uncertified_projections += part.uncertified_projections;
  whole.sequential_impacts += part.sequential_impacts;
  whole.unfinished_sequences += part.unfinished_sequences;
  whole.guard_factor = std::min(whole.guard_factor, part.guard_factor);
  whole.projection = std::max(whole.projection, part.projection);
  whole.projection_angle = std::max(whole.projection_angle, part.projection_angle);
  whole.projection_slowing = std::min(whole.projection_slowing, part.projection_slowing);
  whole.projection_work += part.projection_work;
  whole.nonlinear_residual = std::max(whole.nonlinear_residual, part.nonlinear_residual);
  whole.coulomb_residual = std::max(whole.coulomb_residual, part.coulomb_residual);
  whole.error_estimate += part.error_estimate;
  whole.contact_projection_certificate =
      std::max(whole.contact_projection_certificate, part.contact_projection_certificate);
}

}  // namespace

void begin_whole(const State& state, double h, StepReport& whole) {
  const StepReport::Seconds spent = whole.seconds;
  const int discarded = whole.discarded_solves + whole.solve_count;
  scheme::clear(whole, state, h);
  whole.seconds = spent;
  whole.discarded_solves = discarded;
}

void append_part(const Model& model, double t, const State& state, StepReport& part,
                 StepReport& whole) {
  const bool first = whole.divided.empty();
  StepPart& entry = whole.divided.emplace_back();
  entry.t = t;
  entry.length = part.h;
  entry.first_solve = whole.solve_count;
  entry.solves = part.solve_count;
  entry.v = state.v;
  for (std::size_t i = 0; i < model.bodies.size(); ++i)
    if (model.bodies[i].velocities > 0) {
      entry.bodies.push_back(static_cast<BodyId>(i));
      entry.poses.push_back(state.poses[i]);
    }
  append_solves(part, whole);
  append_impacts(part, whole);
  append_ledger(part.ledger, first, whole.ledger);
  add_counts(part, whole);
  whole.events.insert(whole.events.end(), part.events.begin(), part.events.end());
  for (const ContactReport& contact : part.contacts) scheme::add_contact(contact, whole.contacts);
  whole.penetration = part.penetration;
  whole.joint_error = part.joint_error;
  whole.joint_error_angle = part.joint_error_angle;
}

}  // namespace cairn::accept
