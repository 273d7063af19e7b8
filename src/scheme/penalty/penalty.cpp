// Scheme `penalty`: a contact is a spring with the force gamma Phi_-^b along its normal (Anitescu
// 2003, section II). `explicit` takes it at the beginning of the step; `implicit` (2.4) and
// `linearly_implicit` (2.8) solve for the velocities at the end (penalty_newton.cpp).
#include "scheme/penalty/penalty.hpp"

#include <algorithm>

#include "base/index.hpp"
#include "linear/blocks.hpp"
#include "scheme/common/report.hpp"
#include "scheme/common/stop.hpp"
#include "scheme/penalty/penalty_step.hpp"

namespace cairn::scheme {
namespace {

constexpr double stability = 4;  // of h^2 theta'/m in the explicit form (E254)

}  // namespace

// (E254): an explicit step over a spring that swings within it puts energy in.
Stop PenaltyStep::unstable() {
  if (options.form != PenaltyForm::explicit_) return {};
  d.mass.factor(d.plain);
  for (std::size_t i = 0; i < d.springs.size(); ++i) {
    const ContactSpring& spring = d.springs[i];
    if (!(spring.weight > 0)) continue;
    double mobility = 0;
    for (int side = 0; side < 2; ++side) {
      if (spring.body[side] < 0) continue;
      const linear::BodyBlock& inverse = d.mass.block(spring.body[side]);
      const int n = d.plain.bodies[base::at(spring.body[side])].size;
      for (int r = 0; r < n; ++r)
        for (int c = 0; c < n; ++c)
          mobility += spring.row[side][r] * inverse[r][c] * spring.row[side][c];
    }
    if (spring.weight * mobility <= stability) continue;
    const ContactKey& key = d.contacts[i].key;
    return {StopReason::unstable,
            "the explicit form is unstable: the spring between " +
                base.model.body(key.body_a).name + " and " + base.model.body(key.body_b).name +
                " has h^2 theta'/m = " + std::to_string(spring.weight * mobility) +
                ", allowed up to 4; use a smaller step or gamma, or an implicit form"};
  }
  return {};
}

void PenaltyStep::report_contacts(const Units& units) {
  StepReport& report = base.report;
  StepData& data = base.data;
  const VecX& v = report.solves.back().solution.v;
  const auto joints = of_role(base.state.impulses, Role::joint);
  data.impulses.assign(joints.begin(), joints.end());
  for (std::size_t i = 0; i < d.springs.size(); ++i) {
    ContactReport& out = report.contacts.emplace_back();
    out.contact = d.contacts[i];
    out.contact.rows = 1;
    out.impulse[0] = d.springs[i].impulse * units.impulse();
    out.velocity[0] = along(d.springs[i], d.plain, v) * units.speed();
    if (!(out.impulse[0] > 0)) continue;
    out.mode = ContactMode::stick;
    ++report.active_contacts;
    data.impulses.push_back({contact_key(out.contact.key), out.impulse[0] * out.contact.n_W});
  }
}

void advance(const Model& model, const Penalty& options, const SolverOptions& solver, double h,
             double (*clock)(), StepData& data, State& state, StepReport& report) {
  const Euler plain{.projection = false};
  Step base{model, plain, {}, solver, h, data, state, report};
  PenaltyStep step{options, base, data.memory<PenaltyData>()};
  auto now = [clock] { return clock ? clock() : 0.0; };
  const double start = now();
  clear(report, state, h);
  data.path.clear();

  base.predict();
  apply_implicit_springs(model, data.forces, data.free, data.v.free);  // all of them
  if (Stop stiff = too_stiff(model, state.poses, data.forces.springs.rows); !stiff.empty())
    return stop(report, stiff);
  data.impact.at_once = false;
  data.v.start = state.v;
  if (!data.v.free.allFinite())
    return stop(report, not_finite(model, data.v.free, "force or velocity"));
  if (Stop lost = lost_body(model, data.poses.end); !lost.empty()) return stop(report, lost);
  find_candidates(model, state, data.v.free, data.poses.end, plain, h, data.active, data.contacts);
  if (data.active.finder.missing().first >= 0)
    return stop(report, missing_contact(model, data.active.finder.missing()));
  data.rows.spins.clear();
  report.seconds.detect = now() - start;
  SolveRecord& record = report.solves.push(Step::Purpose::step);
  for (int round = 0;; ++round) {
    const double solve_start = now();
    step.find_velocities(record);
    report.seconds.solve += now() - solve_start;
    if (!record.solution.v.allFinite())
      return stop(report,
                  {StopReason::not_finite,
                   "the velocities of the step are not finite; use a smaller step or gamma"});
    if (Stop why = step.unstable(); !why.empty()) return stop(report, why);
    base.move_bodies(record);
    report.penetration = find_overlaps(model, data.poses.end, data.active);
    if (options.form == PenaltyForm::explicit_ || round == max_rounds ||
        add_missed(model, state, data.active, data.contacts) == 0)
      break;
  }

  judge(report);
  step.report_contacts(record.problem.units);
  data.v.solved = data.v.end;
  dynamics::follow_springs(model, state.poses, h, data.v.end, {}, true, data.forces.springs);
  data.v.end = data.v.moved;
  data.positions.potential_solved = dynamics::potential_energy(model, data.poses.end);
  data.positions.projection_work = 0;
  data.contacts.clear();  // they are springs, and none of them has an impact
  report.ledger = make_ledger(model, state, h, data, record);
  if (!base.finite_energy()) return stop(report, energy_overflow(model, data.v.end));
  measure_joints(model, data.poses.end, report);
  data.poses.moved = data.poses.end;
  base.record_path(data.v.solved);
  state.v = data.v.end;
  state.poses = data.poses.end;
  state.impulses = data.impulses;
  count_step(h, state, report);
  report.seconds.total = now() - start;
}

}  // namespace cairn::scheme
