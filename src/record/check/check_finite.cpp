// check, before anything is computed with them: every figure of a frame is a finite number.
// Comparisons with infinity would let other lies pass.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "base/conventions.hpp"
#include "record/check/check.hpp"

namespace cairn::record {
namespace {

struct Figure {
  const char* name;
  double value;
};

bool finite(const std::vector<Pose>& poses) {
  return std::all_of(poses.begin(), poses.end(),
                     [](const Pose& X) { return X.p.allFinite() && X.R.coeffs().allFinite(); });
}

bool finite(const Contact& c) {
  return c.p_WC.allFinite() && c.n_W.allFinite() && c.t1_W.allFinite() && c.t2_W.allFinite() &&
         std::isfinite(c.gap) && std::isfinite(c.friction) && std::isfinite(c.stretch) &&
         std::isfinite(c.torsion) && std::isfinite(c.rolling) && std::isfinite(c.restitution);
}

bool finite(const SolveOrigin& o) {
  bool good = std::isfinite(o.t) && std::isfinite(o.length) && std::isfinite(o.t_rows) &&
              o.v.allFinite() && finite(o.start) && finite(o.rows);
  for (const auto* contacts : {&o.contacts, &o.before})
    for (const Contact& c : *contacts) good = good && finite(c);
  return good;
}

// Certificates are compared where they are judged: that of a failed solve may be no number.
std::string of_report(const StepReport& r) {
  const Ledger& l = r.ledger;
  for (const Figure& f : {Figure{"time", r.t},
                          {"length of the step", r.h},
                          {"penetration", r.penetration},
                          {"joint error", r.joint_error},
                          {"joint error angle", r.joint_error_angle},
                          {"projection", r.projection},
                          {"projection angle", r.projection_angle},
                          {"projection slowing", r.projection_slowing},
                          {"guard factor", r.guard_factor},
                          {"nonlinear residual", r.nonlinear_residual},
                          {"CPU time", r.seconds.detect + r.seconds.solve + r.seconds.total},
                          {"kinetic energy at the start", l.kinetic_start},
                          {"potential energy at the start", l.potential_start},
                          {"kinetic energy at the end", l.kinetic_end},
                          {"potential energy at the end", l.potential_end},
                          {"work of applied forces", l.work_applied},
                          {"work of prescribed motion", l.work_motion},
                          {"energy dissipated by friction", l.friction},
                          {"energy lost in impacts", l.impact},
                          {"energy of stabilisation", l.stabilisation},
                          {"energy of the integrator", l.integrator},
                          {"energy of the solver", l.solver},
                          {"work of dampers", l.passive}})
    if (!std::isfinite(f.value)) return f.name;
  for (std::size_t i = 0; i < r.contacts.size(); ++i) {
    const ContactReport& c = r.contacts[i];
    if (!finite(c.contact) || !c.impulse.allFinite() || !c.velocity.allFinite() ||
        !c.torque.allFinite())
      return fmt::format("a figure of contact {}", i);
  }
  for (const StepPart& part : r.divided)
    if (!std::isfinite(part.t) || !std::isfinite(part.length) || !finite(part.poses) ||
        !part.v.allFinite())
      return "a figure of a part";
  for (const StepEvent& e : r.events)
    if (!std::isfinite(e.t) || !std::isfinite(e.speed)) return "time or speed of an event";
  for (const ImpactReport& i : r.impacts)
    for (const double x :
         {i.t, i.approach, i.rebound, i.restitution, i.lost_restitution, i.lost_friction, i.put_in,
          i.kinetic_before, i.kinetic_after, i.other, i.guard})
      if (!std::isfinite(x)) return "a figure of an impact";
  return {};
}

std::string of_state(const State& s) {
  if (!std::isfinite(s.t)) return "time of the state";
  for (std::size_t i = 0; i < s.poses.size(); ++i)
    if (!s.poses[i].p.allFinite() || !s.poses[i].R.coeffs().allFinite())
      return fmt::format("pose of body {}", i);
  if (!s.v.allFinite()) return "a velocity of the state";
  if (!s.v_before.allFinite()) return "a velocity of the step before";
  for (const ImpulseMemory& memory : s.impulses)
    if (!memory.impulse.allFinite())
      return fmt::format("a remembered impulse of role {}", name(memory.key.role));
  for (const ContactAnchor& anchor : s.contact_anchors)
    if (!anchor.p_A.allFinite() || !anchor.p_B.allFinite()) return "an anchor of a contact";
  return {};
}

bool finite(const Problem& problem, const ProblemBody& body) {
  for (int i = 0; i < body.size; ++i)
    for (int j = 0; j < body.size; ++j)
      if (!std::isfinite(body.A[i][j])) return false;
  return problem.k.segment(body.first, body.size).allFinite();
}

bool finite(const BodyCoupling& coupling) {  // what a body has not got is zero
  for (const auto& block : coupling.A)
    for (const auto& row : block)
      for (const double x : row)
        if (!std::isfinite(x)) return false;
  return true;
}

// lo and hi of a box may be infinite.
bool finite(const Problem& problem, const Constraint& c) {
  if (!std::isfinite(c.mu) || std::isnan(c.lo) || std::isnan(c.hi)) return false;
  for (int r = 0; r < c.rows; ++r) {
    if (!std::isfinite(c.b[r])) return false;
    for (std::size_t side = 0; side < max_sides; ++side) {
      if (c.body[side] < 0) continue;
      const int size = problem.bodies[static_cast<std::size_t>(c.body[side])].size;
      for (int k = 0; k < size; ++k)
        if (!std::isfinite(c.J[side][r][k])) return false;
    }
  }
  return true;
}

// The answer may be anything if its certificate says so; the judge compares that.
std::string of_solve(const SolveRecord& record, std::size_t number) {
  const Problem& problem = record.problem;
  const Units& u = problem.units;
  bool good = std::isfinite(u.mass) && std::isfinite(u.length) && std::isfinite(u.time);
  for (const ProblemBody& body : problem.bodies) good = good && finite(problem, body);
  for (const BodyCoupling& c : problem.couplings) good = good && finite(c);
  for (const Constraint& c : problem.constraints) good = good && finite(problem, c);
  if (!good) return fmt::format("a figure of the problem of solve {}", number);
  if (!finite(record.origin)) return fmt::format("where solve {} was posed", number);
  const Certificate& c = record.solution.certificate;
  if (!c.finite) return {};
  for (const double x :
       {c.momentum, c.equality, c.gap_velocity, c.normal_impulse, c.complementarity, c.cone,
        c.natural_map, c.worst, c.momentum_impulse, c.equality_velocity, c.least_gap_velocity,
        c.least_normal_impulse, c.complementarity_energy})
    if (!std::isfinite(x)) return fmt::format("a residual of solve {}", number);
  return {};
}

bool has_unit_directions(const Contact& c) {
  return base::is_direction(c.n_W) && base::is_direction(c.t1_W) && base::is_direction(c.t2_W);
}

}  // namespace

std::string first_bad_unit(const TraceFrame& frame) {
  const StepReport& r = frame.report;
  for (std::size_t i = 0; i < frame.state.poses.size(); ++i)
    if (!base::is_rotation(frame.state.poses[i].R))
      return fmt::format("the orientation of body {}", i);
  for (const StepPart& part : r.divided)
    if (!base::are_rotations(part.poses)) return "an orientation at the end of a part";
  for (const ContactReport& c : r.contacts)
    if (!has_unit_directions(c.contact)) return "a direction of a contact";
  for (const SolveRecord& record : r.solved()) {
    const SolveOrigin& o = record.origin;
    if (!base::are_rotations(o.start) || !base::are_rotations(o.rows))
      return "an orientation where a problem was posed";
    for (const auto* contacts : {&o.contacts, &o.before})
      if (!std::all_of(contacts->begin(), contacts->end(), has_unit_directions))
        return "a direction of a contact where a problem was posed";
  }
  return {};
}

std::string first_not_finite(const TraceFrame& frame) {
  if (std::string what = of_state(frame.state); !what.empty()) return what;
  if (std::string what = of_report(frame.report); !what.empty()) return what;
  std::size_t number = 0;
  for (const SolveRecord& record : frame.report.solved())
    if (std::string what = of_solve(record, number++); !what.empty()) return what;
  return {};
}

}  // namespace cairn::record
