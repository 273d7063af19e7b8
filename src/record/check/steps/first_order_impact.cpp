// check, rebuilding problems (E523): an impact before the forces of a step as a whole, from the
// velocities at both ends of it and the impulses that the step reports.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "record/check/steps/first_order_step.hpp"

namespace cairn::record {
namespace {

constexpr double balanced = 1e-9;  // of the momenta that the sum is made of [-]

double kinetic(const Segment& s, const Problem& problem, const VecX& v) {
  double sum = 0;
  for (const ProblemBody& b : problem.bodies) {
    const Body& body = s.model.bodies[static_cast<std::size_t>(b.model_body)];
    const Row6 of = velocities_of_body(body, v);
    sum += 0.5 * of.dot(mass_of(body) * of);
  }
  return sum;
}

const ContactReport* report_of(const StepReport& report, const ContactKey& key) {
  const auto at = std::find_if(report.contacts.begin(), report.contacts.end(),
                               [&](const ContactReport& c) { return c.contact.key == key; });
  return at == report.contacts.end() ? nullptr : &*at;
}

// Impulse of a contact in a solve along its rows [N s]; zero where it has none.
Vec3 solved_impulse(const SolveRecord& record, const ContactKey& key) {
  const auto& list = record.problem.constraints;
  for (std::size_t i = 0; i < list.size(); ++i)
    if (pushes(list[i].key.role) && list[i].key.contact == key)
      return physical_row_of(record, i).impulse;
  return Vec3::Zero();
}

}  // namespace

bool StepCheck::add_impact_losses(SegmentOutcome& out) const {
  if (std::any_of(s.model.bodies.begin(), s.model.bodies.end(),
                  [](const Body& b) { return b.kind == BodyKind::prescribed; }))
    return false;
  const Problem& problem = s.solves.back().problem;
  out.flows.impact += kinetic(s, problem, beginning.v) - kinetic(s, problem, v_start);
  out.friction_known = false;
  return true;
}

// M (v' - v) = J^T p of every body without joints, p what is reported less the impulses of the last
// solve, inside the friction cones. False: it cannot be decided.
bool StepCheck::impact_balances() const {
  if (!s.model.joints.empty() || s.length != s.nominal || !s.report.divided.empty()) return false;
  std::size_t last = s.solves.size();
  for (std::size_t i = 0; i < s.solves.size(); ++i)
    if (is_collision(s.solves[i].purpose)) last = i;
  if (last == s.solves.size() || collided_at.again || place_of(s, s.solves.back()).again)
    return false;
  const SolveRecord& record = s.solves[last];
  const Problem& problem = record.problem;
  std::vector<Row6> left(problem.bodies.size()), size(problem.bodies.size());
  for (std::size_t i = 0; i < problem.bodies.size(); ++i) {
    const Body& body = s.model.bodies[static_cast<std::size_t>(problem.bodies[i].model_body)];
    const Block6 M = mass_of(body);
    const Row6 from = velocities_of_body(body, beginning.v), to = velocities_of_body(body, v_start);
    left[i] = M * (to - from);
    size[i] = M.cwiseAbs() * (to.cwiseAbs() + from.cwiseAbs());
  }
  for (const Constraint& c : problem.constraints) {
    if (!pushes(c.key.role)) return false;
    const ContactReport* reported = report_of(s.report, c.key.contact);
    if (!reported) return false;
    Vec3 p = reported->impulse;
    p[2] /= reported->contact.stretch;
    p -= solved_impulse(s.solves.back(), c.key.contact);
    const double slack = balanced * (reported->impulse.norm() + p.norm());
    if (p[0] < -slack || p.tail<2>().norm() > c.mu * p[0] + (1 + c.mu) * slack)
      s.say(last, FindingCode::reported,
            fmt::format("impulse of contact {}-{} in the impact is outside its friction cone",
                        s.model.body(c.key.contact.body_a).name,
                        s.model.body(c.key.contact.body_b).name));
    for (std::size_t side = 0; side < 2; ++side) {
      if (c.body[side] < 0) continue;
      const auto at = static_cast<std::size_t>(c.body[side]);
      const ProblemBody& b = problem.bodies[at];
      const UnitFactors f =
          unit_factors(s.model.bodies[static_cast<std::size_t>(b.model_body)], problem.units);
      for (int k = 0; k < c.rows; ++k)
        for (int n = 0; n < b.size; ++n) {
          const double term = c.J[side][k][n] * p[k] / problem.units.impulse() * f.momentum[n];
          left[at][n] -= term;
          size[at][n] += std::abs(term);
        }
    }
  }
  for (std::size_t i = 0; i < problem.bodies.size(); ++i)
    if (!(left[i].cwiseAbs().maxCoeff() <= balanced * size[i].maxCoeff()))
      s.say(
          last, FindingCode::reported,
          fmt::format("velocities of body {} after the impact are not those that the reported "
                      "impulses give",
                      s.model.bodies[static_cast<std::size_t>(problem.bodies[i].model_body)].name));
  return true;
}

}  // namespace cairn::record
