#include "record/check/rebuild/rebuild.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "record/check/rebuild/first_order.hpp"

namespace cairn::record {
namespace {

// The state at the beginning of each part of a divided step: its bodies where the part before left
// them.
void follow(const Model& model, const StepPart& part, State& here) {
  Eigen::Index next = 0;
  for (std::size_t i = 0; i < part.bodies.size(); ++i) {
    const Body& body = model.body(part.bodies[i]);
    here.poses[index(part.bodies[i])] = part.poses[i];
    here.v.segment(body.first_velocity, body.velocities) = part.v.segment(next, body.velocities);
    next += body.velocities;
  }
}

void prescribe(const Model& model, double t, State& state) {
  state.t = t;
  for (std::size_t i = 0; i < model.bodies.size(); ++i)
    if (model.bodies[i].kind == BodyKind::prescribed) state.poses[i] = prescribed_at(model.bodies[i], t);
}

std::vector<Contact> contacts_of(const StepReport& report) {
  std::vector<Contact> contacts;
  for (const ContactReport& c : report.contacts) contacts.push_back(c.contact);
  return contacts;
}

void add(const Ledger& part, Ledger& sum) {
  sum.work_applied += part.work_applied;
  sum.work_motion += part.work_motion;
  sum.friction += part.friction;
  sum.impact += part.impact;
  sum.stabilisation += part.stabilisation;
  sum.integrator += part.integrator;
  sum.solver += part.solver;
  sum.passive += part.passive;
}

bool parts_fit(const Model& model, const StepReport& report) {
  return std::all_of(report.divided.begin(), report.divided.end(), [&](const StepPart& part) {
    Eigen::Index velocities = 0;
    for (const BodyId id : part.bodies) {
      if (id < BodyId{0} || index(id) >= model.bodies.size()) return false;
      velocities += model.body(id).velocities;
    }
    return velocities == part.v.size() && part.poses.size() == part.bodies.size();
  });
}

}  // namespace

Euler first_order_options(const SchemeOptions& scheme) {
  if (const auto* hybrid = std::get_if<Hybrid>(&scheme))
    return Euler{.projection = hybrid->projection, .gamma = hybrid->gamma, .facets = hybrid->facets};
  if (const auto* trapezoidal = std::get_if<Trapezoidal>(&scheme))
    return Euler{.projection = trapezoidal->projection, .gamma = trapezoidal->gamma, .facets = trapezoidal->facets};
  if (const Euler* euler = euler_options(scheme)) return *euler;
  return Euler{.projection = false};
}

void check_segment(const Segment& s, SegmentOutcome& out) {
  for (std::size_t i = 0; i < s.solves.size(); ++i) {
    const Units& u = s.solves[i].problem.units;
    if (u.mass != s.model.mass_unit || u.length != s.model.length_unit || !(u.time > 0)) {
      s.say(i, FindingCode::mass, "its units are not those of the scene");
      out.energies_known = false;
      return;
    }
  }
  if (const auto* euler = std::get_if<Euler>(&s.scheme))
    check_first_order(s, *euler, Law::coulomb, out);
  else if (const auto* relaxed = std::get_if<Relaxed>(&s.scheme))
    check_first_order(s, relaxed->step, Law::coulomb_relaxed, out);
  else if (const auto* trapezoidal = std::get_if<Trapezoidal>(&s.scheme))
    check_trapezoidal(s, *trapezoidal, out);
  else if (const auto* hybrid = std::get_if<Hybrid>(&s.scheme))
    check_hybrid(s, *hybrid, out);
  else
    check_penalty(s, std::get<Penalty>(s.scheme), out);
}

void check_rebuilt(const Scene& scene, const State& before, const TraceFrame& frame,
                   const Complain& complain, Unverified& unverified) {
  const Model& model = *scene.model;
  const StepReport& report = frame.report;
  if (!parts_fit(model, report)) return;  // named by check_divided
  const double limit = scene.simulation.verdict.overlap;
  std::vector<State> starts;
  starts.reserve(report.divided.size());
  std::vector<Segment> segments;
  if (report.divided.empty()) {
    segments.push_back({model, scene.simulation.scheme, before, report.h, report.h, limit, report.solved(), 0, report,
                        contacts_of(report), complain, unverified});
  } else {
    State here = before;
    for (const StepPart& part : report.divided) {
      starts.push_back(here);
      prescribe(model, part.t, starts.back());
      follow(model, part, here);
      const SchemeOptions scheme = part.first_order ? SchemeOptions{first_order_options(scene.simulation.scheme)}
                                                    : scene.simulation.scheme;
      segments.push_back({model, scheme, starts.back(), part.length, report.h, limit,
                          report.solved().subspan(static_cast<std::size_t>(part.first_solve),
                                                  static_cast<std::size_t>(part.solves)),
                          part.first_solve, report, {}, complain, unverified});
    }
  }
  std::vector<SegmentOutcome> outcomes(segments.size());
  Ledger flows;
  bool complete = true;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    check_segment(segments[i], outcomes[i]);
    complete = complete && outcomes[i].energies_known;
    add(outcomes[i].flows, flows);
    // What a projection did at the end of the part.
    if (segments[i].solves.empty() || std::holds_alternative<Trapezoidal>(segments[i].scheme) ||
        std::holds_alternative<Hybrid>(segments[i].scheme))
      continue;
    const SolveRecord& last = segments[i].solves.back();
    const Place place = place_of(segments[i], last);
    const VecX v = solved_velocities(model, last, place.v);
    std::vector<Pose> moved = place.start, end = place.start;
    VecX v_end = place.v;
    const double t = place.t + place.length;
    for (std::size_t b = 0; b < model.bodies.size(); ++b) {
      const Body& body = model.bodies[b];
      if (body.kind == BodyKind::prescribed) moved[b] = end[b] = prescribed_at(body, t);
      if (place.layout[b] < 0) continue;
      moved[b] = moved_by(body, moved[b], velocities_of_body(body, v), place.length);
    }
    if (report.divided.empty()) {
      end = frame.state.poses;
      v_end = frame.state.v;
    } else {
      State after;
      after.poses = std::move(end);
      after.v = v_end;
      follow(model, report.divided[i], after);
      end = after.poses;
      v_end = after.v;
    }
    flows.stabilisation += projection_energy(model, moved, v, end, v_end);
  }
  if (complete)
    compare_ledger(model, report.ledger, flows, before, frame, complain);
  else
    unverified.insert("how the energies of some steps are shared out");
  compare_reported(segments, outcomes, frame, complain, unverified);
  compare_memory(segments, outcomes, before, frame, complain, unverified);
  compare_counts(scene, segments, outcomes, before, frame, complain, unverified);
}

void compare_ledger(const Model& model, const Ledger& l, const Ledger& flows, const State& before,
                    const TraceFrame& frame, const Complain& complain) {
  const Energies start = energies(model, before), end = energies(model, frame.state);
  double largest = std::max(start.kinetic, end.kinetic);
  for (const double x : {flows.work_applied, flows.work_motion, flows.friction, flows.impact, flows.stabilisation,
                         flows.integrator, flows.solver, flows.passive})
    largest = std::max(largest, std::abs(x));
  // Terms of the potential cancel: they round with its size.
  const double allowed = 1e-9 * largest + 1e-13 * std::max(start.size, end.size);
  const auto compare = [&](const char* name, double recorded, double ours) {
    if (std::abs(recorded - ours) <= allowed) return;
    complain(FindingCode::ledger,
             fmt::format("{} recorded as {:.9g} J, recomputed {:.9g} J", name, recorded, ours));
  };
  compare("work of applied forces", l.work_applied, flows.work_applied);
  compare("work of prescribed motion", l.work_motion, flows.work_motion);
  compare("energy dissipated by friction", l.friction, flows.friction);
  compare("energy lost in impacts", l.impact, flows.impact);
  compare("energy of stabilisation", l.stabilisation, flows.stabilisation);
  compare("energy of the integrator", l.integrator, flows.integrator);
  compare("energy of the solver", l.solver, flows.solver);
  compare("work of dampers", l.passive, flows.passive);
}

void check_trapezoidal(const Segment& s, const Trapezoidal&, SegmentOutcome& out) {
  s.unverified.insert("problems of scheme trapezoidal");
  out.energies_known = false;
}
void check_hybrid(const Segment& s, const Hybrid&, SegmentOutcome& out) {
  s.unverified.insert("problems of scheme hybrid");
  out.energies_known = false;
}
void check_penalty(const Segment& s, const Penalty&, SegmentOutcome& out) {
  s.unverified.insert("problems of scheme penalty");
  out.energies_known = false;
}

}  // namespace cairn::record
