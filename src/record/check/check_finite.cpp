// check, before anything is computed with them: every figure of a frame is a finite number.
// Comparisons with infinity would let other lies pass.
#include <cmath>
#include <fmt/format.h>

#include "record/check/check.hpp"

namespace cairn::record {
namespace {

struct Figure {
  const char* name;
  double value;
};

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
    const Contact& c = r.contacts[i].contact;
    const bool finite = c.p_WC.allFinite() && c.n_W.allFinite() && c.t1_W.allFinite() &&
                        c.t2_W.allFinite() && std::isfinite(c.gap) && std::isfinite(c.friction) &&
                        std::isfinite(c.stretch) && std::isfinite(c.torsion) &&
                        std::isfinite(c.rolling) && std::isfinite(c.restitution) &&
                        r.contacts[i].impulse.allFinite() && r.contacts[i].velocity.allFinite() &&
                        r.contacts[i].torque.allFinite();
    if (!finite) return fmt::format("a figure of contact {}", i);
  }
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
  for (const ContactMemory& memory : s.contacts)
    if (!memory.impulse_W.allFinite()) return "a remembered impulse of a contact";
  for (const ContactMemory& memory : s.contact_torques)
    if (!memory.impulse_W.allFinite()) return "a remembered torque of a contact";
  for (const ContactAnchor& anchor : s.contact_anchors)
    if (!anchor.p_A.allFinite() || !anchor.p_B.allFinite()) return "an anchor of a contact";
  for (const double x : s.joint_impulses)
    if (!std::isfinite(x)) return "a remembered impulse of a joint";
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
    for (std::size_t side = 0; side < 2; ++side) {
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
  const Certificate& c = record.solution.certificate;
  if (!c.finite) return {};
  for (const double x :
       {c.momentum, c.equality, c.gap_velocity, c.normal_impulse, c.complementarity, c.cone,
        c.natural_map, c.worst, c.momentum_impulse, c.equality_velocity, c.least_gap_velocity,
        c.least_normal_impulse, c.complementarity_energy})
    if (!std::isfinite(x)) return fmt::format("a residual of solve {}", number);
  return {};
}

}  // namespace

std::string first_not_finite(const TraceFrame& frame) {
  if (std::string what = of_state(frame.state); !what.empty()) return what;
  if (std::string what = of_report(frame.report); !what.empty()) return what;
  std::size_t number = 0;
  for (const SolveRecord& record : frame.report.solved())
    if (std::string what = of_solve(record, number++); !what.empty()) return what;
  return {};
}

}  // namespace cairn::record
