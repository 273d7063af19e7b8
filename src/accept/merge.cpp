#include "accept/merge.hpp"

#include <algorithm>
#include <utility>

#include "base/conventions.hpp"
#include "scheme/common/report.hpp"

namespace cairn::accept {
namespace {

// The contacts of a part are not those that the whole step reports.
void keep_contacts(StepReport& part) {
  for (SolveRecord& solve : part.solves) {
    SolveOrigin& origin = solve.origin;
    if (!origin.start.empty() || !origin.contacts.empty()) continue;
    for (const ContactReport& report : part.contacts) origin.contacts.push_back(report.contact);
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

// All but what is measured at one end of the time alone.
void append_flows(StepReport& part, StepReport& whole) {
  whole.solves.take(part.solves);
  append_impacts(part, whole);
  scheme::add_flows(part.ledger, whole.ledger);
  add_counts(part, whole);
  whole.events.insert(whole.events.end(), part.events.begin(), part.events.end());
  for (const ContactReport& contact : part.contacts) scheme::add_contact(contact, whole.contacts);
}

StepPart part_of(const Model& model, double t, const State& state, double length, int first_solve,
                 int solves) {
  StepPart part;
  part.t = t;
  part.length = length;
  part.first_solve = first_solve;
  part.solves = solves;
  part.v = state.v;
  for (std::size_t i = 0; i < model.bodies.size(); ++i)
    if (model.bodies[i].velocities > 0) {
      part.bodies.push_back(static_cast<BodyId>(i));
      part.poses.push_back(state.poses[i]);
    }
  return part;
}

}  // namespace

void begin_whole(const State& state, double h, StepReport& whole) {
  const StepReport::Seconds spent = whole.seconds;
  const int discarded = whole.discarded_solves + whole.solves.size();
  scheme::clear(whole, state, h);
  whole.seconds = spent;
  whole.discarded_solves = discarded;
}

void append_part(const Model& model, double t, const State& state, StepReport& part,
                 StepReport& whole) {
  const bool first = whole.divided.empty();
  keep_contacts(part);
  whole.divided.push_back(
      part_of(model, t, state, part.h, whole.solves.size(), part.solves.size()));
  if (first) {
    whole.ledger.kinetic_start = part.ledger.kinetic_start;
    whole.ledger.potential_start = part.ledger.potential_start;
  }
  whole.ledger.kinetic_end = part.ledger.kinetic_end;
  whole.ledger.potential_end = part.ledger.potential_end;
  append_flows(part, whole);
  whole.penetration = part.penetration;
  whole.joint_error = part.joint_error;
  whole.joint_error_angle = part.joint_error_angle;
}

void make_one_part(const Model& model, double t, const State& state, StepReport& report) {
  keep_contacts(report);
  report.divided.assign({part_of(model, t, state, report.h, 0, report.solves.size())});
}

void append_group(StepReport& group, StepReport& whole) {
  const int offset = whole.solves.size();
  for (StepPart& part : group.divided) {
    part.first_solve += offset;
    whole.divided.push_back(std::move(part));
  }
  whole.ledger.kinetic_start += group.ledger.kinetic_start;
  whole.ledger.potential_start += group.ledger.potential_start;
  whole.ledger.kinetic_end += group.ledger.kinetic_end;
  whole.ledger.potential_end += group.ledger.potential_end;
  append_flows(group, whole);
  whole.penetration = std::max(whole.penetration, group.penetration);
  whole.joint_error = std::max(whole.joint_error, group.joint_error);
  whole.joint_error_angle = std::max(whole.joint_error_angle, group.joint_error_angle);
  whole.seconds.detect += group.seconds.detect;
  whole.seconds.solve += group.seconds.solve;
  whole.seconds.checks += group.seconds.checks;
}

}  // namespace cairn::accept
