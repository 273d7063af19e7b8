#include "record/check/rebuild/rebuild.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "record/check/check_parts.hpp"
#include "record/check/coordinates/drive_rows.hpp"
#include "record/check/steps/first_order.hpp"

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
    if (model.bodies[i].kind == BodyKind::prescribed)
      state.poses[i] = prescribed_at(model.bodies[i], t);
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

// Delayed restitution from one part to the next (E34).
void follow_pending(const Segment& s, const SegmentOutcome& out, State& here) {
  const Euler* euler = euler_options(s.scheme);
  if (!euler || euler->restitution == Restitution::completed || s.solves.empty()) return;
  const auto inside = [&](const ContactKey& key) {
    for (const ProblemBody& b : s.solves.back().problem.bodies)
      if (key.body_a == static_cast<BodyId>(b.model_body) ||
          key.body_b == static_cast<BodyId>(b.model_body))
        return true;
    return false;
  };
  if (here.v_before.size() != s.model.velocities) here.v_before.setZero(s.model.velocities);
  for (const ProblemBody& b : s.solves.back().problem.bodies) {
    const Body& body = s.model.bodies[static_cast<std::size_t>(b.model_body)];
    here.v_before.segment(body.first_velocity, b.size) =
        s.start.v.segment(body.first_velocity, b.size);
  }
  std::erase_if(here.pending, inside);
  for (const ContactKey& key : out.collided)
    if (!std::binary_search(s.start.pending.begin(), s.start.pending.end(), key))
      here.pending.push_back(key);
  std::sort(here.pending.begin(), here.pending.end());
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
    return Euler{
        .projection = hybrid->projection, .gamma = hybrid->gamma, .facets = hybrid->facets};
  if (const auto* trapezoidal = std::get_if<Trapezoidal>(&scheme))
    return Euler{.projection = trapezoidal->projection,
                 .gamma = trapezoidal->gamma,
                 .facets = trapezoidal->facets};
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

std::optional<double> check_rebuilt(const Scene& scene, const State& before,
                                    const TraceFrame& frame, const Complain& complain,
                                    Unverified& unverified) {
  const Model& model = *scene.model;
  const StepReport& report = frame.report;
  if (!parts_fit(model, report)) return {};  // named by check_divided
  const double limit = scene.simulation.verdict.overlap;
  std::vector<State> starts;
  starts.reserve(report.divided.size());
  std::vector<Segment> segments;
  std::vector<SegmentOutcome> outcomes;
  Ledger flows;
  bool complete = true;
  std::optional<double> projected = 0;
  KnownTerms known;
  State here = before;
  const std::size_t count = std::max<std::size_t>(1, report.divided.size());
  segments.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    if (report.divided.empty()) {
      segments.push_back({model, scene.simulation.scheme, before, report.h, report.h, limit,
                          report.solved(), 0, report, contacts_of(report), complain, unverified,
                          frame.state.poses, frame.state.v});
    } else {
      const StepPart& part = report.divided[i];
      starts.push_back(here);
      prescribe(model, part.t, starts.back());
      State end = starts.back();
      follow(model, part, end);
      prescribe(model, part.t + part.length, end);
      const SchemeOptions scheme = part.first_order
                                       ? SchemeOptions{first_order_options(scene.simulation.scheme)}
                                       : scene.simulation.scheme;
      segments.push_back({model,
                          scheme,
                          starts.back(),
                          part.length,
                          report.h,
                          limit,
                          report.solved().subspan(static_cast<std::size_t>(part.first_solve),
                                                  static_cast<std::size_t>(part.solves)),
                          part.first_solve,
                          report,
                          {},
                          complain,
                          unverified,
                          end.poses,
                          end.v});
    }
    const Segment& segment = segments.back();
    SegmentOutcome& outcome = outcomes.emplace_back();
    check_segment(segment, outcome);
    complete = complete && outcome.energies_known;
    known.friction = known.friction && outcome.friction_known;
    known.impacts = known.impacts && outcome.impacts_known;
    add(outcome.flows, flows);
    if (!outcome.projected_known) projected.reset();
    if (projected) *projected += outcome.projected;
    if (!report.divided.empty()) {
      follow(model, report.divided[i], here);
      follow_pending(segment, outcome, here);
    }
  }
  if (complete)
    compare_ledger(model, report.ledger, flows, known, before, frame, complain);
  else
    unverified.insert("how the energies of some steps are shared out");
  compare_impacts(segments, outcomes, report, complain);
  compare_reported(segments, outcomes, frame, complain, unverified);
  compare_memory(segments, outcomes, before, here, frame, complain, unverified);
  compare_counts(scene, segments, outcomes, frame, complain, unverified);
  return projected;
}

// (E983): the sum of |lambda| (|J| |v| + |b|) over the rows of all solves, whose rates cancel [J].
static double size_of_products(const StepReport& report) {
  double sum = 0;
  for (const SolveRecord& record : report.solved()) {
    const Problem& p = record.problem;
    for (std::size_t i = 0; i < p.constraints.size(); ++i) {
      const Constraint& c = p.constraints[i];
      for (int r = 0; r < c.rows; ++r) {
        double rate = std::abs(c.b[r]);
        for (std::size_t side = 0; side < max_sides; ++side) {
          if (c.body[side] < 0) continue;
          const ProblemBody& b = p.bodies[static_cast<std::size_t>(c.body[side])];
          for (int k = 0; k < b.size; ++k)
            rate += std::abs(c.J[side][r][k] * record.solution.v[b.first + k]);
        }
        sum += std::abs(record.solution.lambda[p.first_row[i] + r]) * rate * p.units.energy();
      }
    }
  }
  return sum;
}

void compare_ledger(const Model& model, const Ledger& l, const Ledger& flows, KnownTerms known,
                    const State& before, const TraceFrame& frame, const Complain& complain) {
  const Energies start = energies(model, before), end = energies(model, frame.state);
  double largest = std::max(start.kinetic, end.kinetic);
  for (const double x : {flows.work_applied, flows.work_motion, flows.friction, flows.impact,
                         flows.stabilisation, flows.integrator, flows.solver, flows.passive})
    largest = std::max(largest, std::abs(x));
  // (E983): energies of elements at the ends of the step cancel; those of gravity do so in the
  // integrator's term and in what a projection did, and nowhere else.
  double elastic =
      coordinate_energies(model, before).stored + coordinate_energies(model, frame.state).stored;
  for (const Spring& spring : model.springs)
    elastic += stored_energy(spring, before) + stored_energy(spring, frame.state);
  const double products = 1e-9 * largest + 1e-13 * (elastic + size_of_products(frame.report)),
               differences = products + 1e-13 * std::max(start.size, end.size);
  const StepReport& r = frame.report;
  const bool projected = says_projected(r);
  const auto compare = [&](const char* name, double recorded, double ours, double allowed) {
    if (std::abs(recorded - ours) <= allowed) return;
    complain(FindingCode::ledger,
             fmt::format("{} recorded as {:.9g} J, recomputed {:.9g} J", name, recorded, ours));
  };
  compare("work of applied forces", l.work_applied, flows.work_applied, products);
  compare("work of prescribed motion", l.work_motion, flows.work_motion, products);
  compare("energy of stabilisation", l.stabilisation, flows.stabilisation,
          projected ? differences : products);
  // Losses of impacts, with friction or the integrator's term where these are not known apart.
  const auto losses = [&](const Ledger& x) {
    return x.impact + (known.friction ? 0 : x.friction) - (known.impacts ? 0 : x.integrator);
  };
  if (known.friction)
    compare("energy dissipated by friction", l.friction, flows.friction, products);
  if (known.impacts)
    compare("energy of the integrator", l.integrator, flows.integrator, differences);
  compare(known.friction && known.impacts ? "energy lost in impacts"
                                          : "energy lost in impacts, friction and the integrator",
          losses(l), losses(flows), known.impacts ? products : differences);
  compare("energy of the solver", l.solver, flows.solver, products);
  compare("work of dampers", l.passive, flows.passive, products);
}

}  // namespace cairn::record
