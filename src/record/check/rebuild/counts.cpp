// check: the counts of a frame (E393).
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

#include "record/check/rebuild/rebuild.hpp"
#include "record/check/steps/first_order.hpp"

namespace cairn::record {
namespace {

int count_of(const StepReport& report, Purpose purpose) {
  const auto solves = report.solved();
  return static_cast<int>(std::count_if(
      solves.begin(), solves.end(), [&](const SolveRecord& r) { return r.purpose == purpose; }));
}

// Two polyhedra can meet, or shapes with several contacts each.
bool has_polyhedra(const Model& model) {
  return std::count_if(model.shapes.begin(), model.shapes.end(),
                       [](const Shape& s) { return s.polyhedron >= 0; }) > 1;
}
bool has_patches(const Model& model) {
  return std::any_of(model.shapes.begin(), model.shapes.end(),
                     [](const Shape& s) {
                       return s.polyhedron >= 0 || std::holds_alternative<Capsule>(s.geometry) ||
                              std::holds_alternative<Frustum>(s.geometry);
                     }) ||
         std::any_of(model.bodies.begin(), model.bodies.end(),
                     [](const Body& b) { return b.shapes > 1; });
}

}  // namespace

void compare_counts(const Scene& scene, std::span<const Segment> segments,
                    std::span<const SegmentOutcome> outcomes, const TraceFrame& frame,
                    const Complain& complain, Unverified& unverified) {
  const StepReport& r = frame.report;
  const Model& model = *scene.model;
  const auto equal = [&](const char* what, int recorded, int expected) {
    if (recorded != expected)
      complain(FindingCode::count,
               fmt::format("{} recorded as {}, counted {}", what, recorded, expected));
  };
  const auto at_least = [&](const char* what, int recorded, int least) {
    if (recorded < least)
      complain(FindingCode::count,
               fmt::format("{} recorded as {}, at least {} are known", what, recorded, least));
  };
  const auto none_unless = [&](const char* what, int recorded, bool possible, const char* why) {
    if (recorded < 0 || (recorded != 0 && !possible))
      complain(FindingCode::count,
               fmt::format("{} recorded as {}, although {}", what, recorded, why));
  };
  int worst = 0;
  double most = 0;
  for (int i = 0; i < r.solves.size(); ++i)
    if (const double x = r.solves[static_cast<std::size_t>(i)].solution.certificate.worst;
        !(x <= most))
      most = x, worst = i;
  equal("worst solve", r.worst_solve, worst);
  equal("active contacts", r.active_contacts,
        static_cast<int>(std::count_if(r.contacts.begin(), r.contacts.end(),
                                       [](const ContactReport& c) { return c.impulse[0] > 0; })));
  equal("corrections", r.corrections, count_of(r, Purpose::correction));

  const SchemeOptions& scheme = scene.simulation.scheme;
  const Euler* euler = euler_options(scheme);
  const auto* trapezoidal = std::get_if<Trapezoidal>(&scheme);
  const auto* hybrid = std::get_if<Hybrid>(&scheme);
  const auto* penalty = std::get_if<Penalty>(&scheme);
  const bool divided = !r.divided.empty();

  // Parts.
  if (divided) {
    // Of the group of bodies with the most of them.
    std::map<BodyId, int> parts;
    int longest = 0;
    for (const StepPart& part : r.divided)
      if (!part.bodies.empty()) longest = std::max(longest, ++parts[part.bodies.front()]);
    equal("parts", r.parts, longest);
  } else if (trapezoidal && trapezoidal->accuracy > 0) {
    at_least("parts", r.parts, 2);
    none_unless("parts", r.parts % 2, false, "a step is divided to an accuracy in pairs of parts");
  } else {
    equal("parts", r.parts, 1);
  }

  // Collisions: contacts that bounce, or events of schemes that have them.
  const int events =
      static_cast<int>(std::count_if(r.events.begin(), r.events.end(), [](const StepEvent& e) {
        return e.kind == StepEvent::Kind::collision;
      }));
  int bouncing = 0;
  bool known = true, first_order = true;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const bool plain = euler_options(segments[i].scheme) != nullptr;
    first_order = first_order && plain;
    if (!plain) continue;
    known = known && outcomes[i].contacts_known && outcomes[i].impulses_known;
    for (const ContactReport& c : outcomes[i].contacts) bouncing += c.colliding ? 1 : 0;
  }
  if (known)
    equal("collisions", r.collisions, events + bouncing);
  else if (first_order && !divided)
    equal("collisions", r.collisions,
          static_cast<int>(std::count_if(r.contacts.begin(), r.contacts.end(),
                                         [](const ContactReport& c) { return c.colliding; })));

  // The energy guard.
  const bool guarded = (euler && euler->energy_guard != EnergyGuard::off) ||
                       (trapezoidal && trapezoidal->energy_guard != EnergyGuard::off) || hybrid;
  none_unless("guard corrections", r.guard_corrections, guarded, "the scheme has no energy guard");
  if ((r.guard_corrections == 0) != (r.guard_factor == 1) && !hybrid && !(r.guard_factor == 0))
    complain(FindingCode::count,
             fmt::format("{} guard corrections recorded with a factor of {:.9g}",
                         r.guard_corrections, r.guard_factor));
  // A group that has lost all of its restitution may have no such solve left (E521).
  if (euler && !divided && r.guard_factor != 0 &&
      count_of(r, Purpose::restitution) + count_of(r, Purpose::guard) == 0)
    equal("guard corrections", r.guard_corrections, 0);
  if (r.guard_corrections > 0) {
    int groups = 0;
    if (!r.solves.empty()) {
      std::vector<int> islands = islands_of(r.solves[0].problem);
      std::sort(islands.begin(), islands.end());
      groups = static_cast<int>(std::unique(islands.begin(), islands.end()) - islands.begin());
    }
    unverified.insert("how often the energy guard reduced a restitution");
    if (euler && !divided && r.guard_corrections > 2 * groups)
      complain(FindingCode::count, fmt::format("guard corrections recorded as {} for {} islands",
                                               r.guard_corrections, groups));
  }

  // Linearisations.
  const bool nonlinear = (euler && euler->nonlinear) || (hybrid && hybrid->nonlinear);
  const int linearised = count_of(r, Purpose::nonlinear);
  if (euler) {
    none_unless("nonlinear iterations", r.nonlinear_iterations, nonlinear, "the scheme is linear");
    if (r.nonlinear_fallback == 0 && r.discarded_solves == 0)
      equal("nonlinear iterations", r.nonlinear_iterations, linearised);
    else
      at_least("nonlinear iterations", r.nonlinear_iterations, linearised);
    if (nonlinear && (r.nonlinear_fallback != 0 || r.discarded_solves != 0))
      unverified.insert("linearisations of solves that were discarded");
  } else if (penalty && r.solves.size() == 1) {
    if (penalty->form == PenaltyForm::explicit_)
      equal("nonlinear iterations", r.nonlinear_iterations, 0);
    else
      equal("nonlinear iterations", r.nonlinear_iterations, r.solves[0].solution.iterations);
  } else {
    none_unless("nonlinear iterations", r.nonlinear_iterations, nonlinear, "the scheme is linear");
    if (nonlinear)
      unverified.insert("linearisations of scheme hybrid, of which the last one is recorded");
  }
  none_unless("nonlinear fallback", r.nonlinear_fallback, nonlinear && r.nonlinear_fallback == 1,
              "it is 0 or 1");
  if (euler && nonlinear && !divided && r.nonlinear_fallback == 1)
    none_unless("nonlinear fallback", r.nonlinear_fallback, linearised == 0,
                "the step has solves that were linearised again");

  // Verification.
  const bool complete = !euler || euler->active_set == ActiveSet::complete;
  const int changes = r.added_pairs + r.revised_pairs;
  none_unless("revised pairs", r.revised_pairs, has_polyhedra(model) && complete,
              "no two polyhedra can meet");
  none_unless("filtered contacts", r.filtered_contacts, has_patches(model),
              "no two bodies meet in several contacts");
  if (r.filtered_contacts > 0) unverified.insert("number of contacts that others imply");
  none_unless("added pairs", r.added_pairs, complete, "the active set is not verified");
  if (euler && !divided) {
    none_unless("added pairs", r.added_pairs, r.discarded_solves > 0, "no solve was discarded");
    none_unless("revised pairs", r.revised_pairs, r.discarded_solves > 0, "no solve was discarded");
    none_unless("discarded solves", r.discarded_solves, changes > 0,
                "no pair was added or revised");
  }
  if (r.discarded_solves < 0) complain(FindingCode::count, "discarded solves recorded as negative");
  if (penalty)
    none_unless("discarded solves", r.discarded_solves, divided, "the scheme discards none");
  if (r.discarded_solves > 0 || changes > 0)
    unverified.insert("number of solves that were discarded and of pairs added for it");

  none_unless("contact projections", r.contact_projections, euler && euler->project_contacts,
              "the scheme does not project out of overlaps");

  // Sequences of impacts.
  const Propagation propagation = euler         ? euler->propagation
                                  : trapezoidal ? trapezoidal->propagation
                                                : Propagation::simultaneous;
  none_unless("sequential impacts", r.sequential_impacts, propagation == Propagation::sequential,
              "impacts are simultaneous");
  none_unless("sequential impacts", r.sequential_impacts,
              count_of(r, Purpose::compression) + count_of(r, Purpose::impact) > 0,
              "nothing collided");
  none_unless("unfinished sequences", r.unfinished_sequences,
              count_of(r, Purpose::compression) + count_of(r, Purpose::impact) > 0,
              "nothing collided");
  if (r.sequential_impacts > 0) unverified.insert("number of impacts in a sequence");
}

}  // namespace cairn::record
