#include "record/check/steps/trapezoidal_ledger.hpp"

#include "record/check/steps/first_order.hpp"

namespace cairn::record {

// (E180).
void add_smooth_flows(const Segment& s, const Trapezoidal& o, std::size_t i, const Place& place,
                      const Balance& balance, const std::vector<TrapezoidalTerms>& terms,
                      bool mean_form, bool limited, SegmentOutcome& result) {
  const SolveRecord& record = s.solves[i];
  const Problem& problem = record.problem;
  const Model& model = s.model;
  const double L = place.length;
  const VecX after = solved_velocities(model, record, place.v);
  VecX mean = VecX::Zero(model.velocities), change = mean;
  for (const ProblemBody& b : problem.bodies) {
    const Body& body = model.bodies[static_cast<std::size_t>(b.model_body)];
    mean.segment(body.first_velocity, b.size) =
        0.5 * (after + balance.v_half).segment(body.first_velocity, b.size);
    change.segment(body.first_velocity, b.size) =
        (after - balance.v_half).segment(body.first_velocity, b.size);
  }
  Ledger part;
  double forces = (balance.potential + balance.applied).dot(mean);
  part.work_applied = balance.applied.dot(mean);
  part.work_motion = balance.work_motion;
  for (const ElementRow& row : balance.springs)
    forces -= row.elastic * row.rate(model, mean) * row.rate(model, change);
  for (const ElementRow& row : balance.dampers) {
    const double along = row.rate(model, mean);
    const double rate = row.elastic_law ? row.drag_rate : along + row.motion,
                 drag = L * row.damping * rate;
    forces -= row.weight() * along * row.rate(model, change);
    part.passive -= drag * rate;
    part.work_motion += (row.elastic_law ? row.law : drag) * row.motion;
  }
  const std::vector<Pose> moved = led_by_rule(s, place, after, limited).poses;
  const VecX zero = VecX::Zero(model.velocities);
  part.integrator = forces - part.work_applied - part.passive - part.work_motion +
                    total_energy(model, moved, zero) - total_energy(model, place.start, zero);
  const double factor = mean_form ? 1 : 0.5;
  bool corrects = false;
  for (std::size_t c = 0; c < problem.constraints.size(); ++c) {
    const PhysicalRow row = physical_row_of(record, c);
    const Constraint& constraint = problem.constraints[c];
    for (int k = 0; k < constraint.rows; ++k) {
      double rate = 0;  // J (v + v+)/2
      for (std::size_t side = 0; side < max_sides; ++side) {
        if (constraint.body[side] < 0) continue;
        const ProblemBody& b = problem.bodies[static_cast<std::size_t>(constraint.body[side])];
        const Body& body = model.bodies[static_cast<std::size_t>(b.model_body)];
        const UnitFactors f = unit_factors(body, problem.units);
        for (int n = 0; n < b.size; ++n)
          rate += constraint.J[side][k][n] * mean[body.first_velocity + n] / f.velocity[n];
      }
      const TrapezoidalTerms& t = terms[static_cast<std::size_t>(problem.first_row[c] + k)];
      const double impulse = row.impulse[k],
                   work = impulse * (rate * problem.units.speed() + t.motion);
      corrects = corrects || t.correction != 0;
      part.work_motion -= impulse * t.motion;
      if (k > 0 && has_cone(constraint.law)) {
        part.friction -= work;
        continue;
      }
      const double residual = 0.5 * impulse * row.w[k],
                   correction = factor * impulse * t.correction;
      part.solver += residual;
      part.stabilisation -= correction;
      part.integrator += work - residual + correction;
    }
  }
  const Continuation next = after_solve(s, i);
  const bool whole = record.taken == record.length;
  const double share = whole ? 1 : record.taken / record.length;
  const double flow = part.work_applied + part.work_motion - part.friction + part.stabilisation +
                      part.solver + part.passive;
  Ledger& sum = result.flows;
  sum.work_applied += share * part.work_applied;
  sum.work_motion += share * part.work_motion;
  sum.friction += share * part.friction;
  sum.stabilisation += share * part.stabilisation;
  sum.solver += share * part.solver;
  sum.passive += share * part.passive;
  const double before = total_energy(model, place.start, place.v);
  if (whole) {
    const double closing = energy_of_closing(model, o.projection, moved, next.poses);
    sum.integrator += part.integrator + closing;
    const double projected = energy_of_projection(s, moved, after, next.poses, next.v) - closing;
    sum.stabilisation += projected;
    result.projected += projected;
  } else {
    // Up to the collision on the cubic; a projection there cannot be separated from the integrator.
    sum.integrator += total_energy(model, next.poses, next.v) - before - share * flow;
    const bool projected = (o.projection && !model.joints.empty()) || (corrects && !limited);
    if (projected) {
      s.unverified.insert("what a projection at a collision takes from the term of the integrator");
      result.energies_known = result.projected_known = false;
    }
  }
}

void add_hold_flows(const Segment& s, const SolveRecord& record, const Place& place,
                    const MatchedRows& rows, const std::vector<Vec3>& motions,
                    SegmentOutcome& result) {
  const Problem& p = record.problem;
  const VecX after = solved_velocities(s.model, record, place.v);
  for (std::size_t c = 0; c < p.constraints.size(); ++c) {
    Vec3 motion = Vec3::Zero();
    for (std::size_t r = 0; r < rows.contacts.size(); ++r)
      if (rows.contacts[r].constraint == c) motion = motions[r];
    for (int k = 0; k < p.constraints[c].rows; ++k) {
      if (p.constraints[c].key.role == Role::joint)
        motion[k] = p.constraints[c].b[k] * p.units.speed();
      double rate = 0;
      for (std::size_t side = 0; side < max_sides; ++side) {
        if (p.constraints[c].body[side] < 0) continue;
        const ProblemBody& b = p.bodies[static_cast<std::size_t>(p.constraints[c].body[side])];
        const Body& body = s.model.bodies[static_cast<std::size_t>(b.model_body)];
        const UnitFactors f = unit_factors(body, p.units);
        for (int n = 0; n < b.size; ++n)
          rate += p.constraints[c].J[side][k][n] * 0.5 *
                  (place.v[body.first_velocity + n] + after[body.first_velocity + n]) /
                  f.velocity[n];
      }
      const double impulse = record.solution.lambda[p.first_row[c] + k] * p.units.impulse();
      const double work = impulse * (rate * p.units.speed() + motion[k]);
      result.flows.work_motion -= impulse * motion[k];
      (k > 0 && has_cone(p.constraints[c].law) ? result.flows.friction : result.flows.impact) -=
          work;
    }
  }
}

}  // namespace cairn::record
