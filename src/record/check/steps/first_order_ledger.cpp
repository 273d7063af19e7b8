#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "record/check/coordinates/drive_rows.hpp"
#include "record/check/steps/first_order.hpp"

namespace cairn::record {
namespace {

double kinetic_of(const Body& body, const Row6& v) {
  return 0.5 * v.dot(mass_of(body) * v);
}

double potential_of(const Model& model, const std::vector<Pose>& poses) {
  State state;
  state.poses = poses;
  state.v.setZero(model.velocities);
  return energies(model, state).potential;
}

void add_contact_flows(const Constraint& c, const PhysicalRow& row, const NormalTerms& t,
                       Ledger& out) {
  const bool relaxed = c.law == Law::coulomb_relaxed;
  const double n = row.impulse[0], opening = relaxed ? slip_support(c, row.w) : 0;
  const double lift = opening - t.slip;
  const double closing = relaxed && lift > 0 ? std::max(0.0, t.closing - lift) : t.closing;
  out.solver += n * (row.w[0] - opening);
  out.friction -= row.impulse.tail<2>().dot(row.w.tail<2>());
  out.work_motion -= row.impulse.dot(t.motion);
  out.impact += n * (closing + t.bounce);
  out.stabilisation -= n * (t.gap - lift - closing);
}

}  // namespace

PhysicalRow physical_row_of(const SolveRecord& record, std::size_t i) {
  const Problem& p = record.problem;
  const Constraint& c = p.constraints[i];
  PhysicalRow out;
  for (int k = 0; k < c.rows; ++k) {
    double w = c.b[k];
    for (std::size_t side = 0; side < max_sides; ++side) {
      if (c.body[side] < 0) continue;
      const ProblemBody& b = p.bodies[static_cast<std::size_t>(c.body[side])];
      for (int n = 0; n < b.size; ++n) w += c.J[side][k][n] * record.solution.v[b.first + n];
    }
    out.w[k] = w * p.units.speed();
    out.impulse[k] = record.solution.lambda[p.first_row[i] + k] * p.units.impulse();
  }
  return out;
}

double slip_support(const Constraint& c, const Vec3& w) {
  if (c.rows < 2) return 0;
  if (c.rows == 2) return c.mu * std::abs(w[1]);
  if (!c.section && c.facets == 0) return c.mu * w.tail<2>().norm();
  double most = 0;
  const int corners = c.section ? static_cast<int>(c.section->size()) : c.facets;
  for (int k = 0; k < corners; ++k) {
    const double angle = 2 * std::numbers::pi * k / corners;
    const double x = c.section ? (*c.section)[static_cast<std::size_t>(k)][0] : std::cos(angle),
                 y = c.section ? (*c.section)[static_cast<std::size_t>(k)][1] : std::sin(angle);
    most = std::max(most, -x * w[1] - y * w[2]);
  }
  return c.mu * most;
}

std::vector<int> islands_of(const Problem& problem) {
  std::vector<int> root(problem.bodies.size());
  std::iota(root.begin(), root.end(), 0);
  const auto find = [&](int i) {
    while (root[static_cast<std::size_t>(i)] != i) i = root[static_cast<std::size_t>(i)];
    return i;
  };
  const auto join = [&](const auto& bodies) {
    int first = -1;
    for (const int body : bodies) {
      if (body < 0) continue;
      if (first < 0) first = body;
      const int a = find(first), b = find(body);
      root[static_cast<std::size_t>(std::max(a, b))] = std::min(a, b);
    }
  };
  for (const Constraint& c : problem.constraints) join(c.body);
  for (const BodyCoupling& c : problem.couplings) join(c.body);
  std::vector<int> island;
  for (std::size_t i = 0; i < root.size(); ++i) {
    root[i] = find(static_cast<int>(i));
    island.push_back(root[i]);
  }
  return island;
}

Ledger first_order_ledger(const Segment& s, const SolveRecord& record, const Place& place,
                          const Balance& balance, const MatchedRows& rows,
                          std::span<const NormalTerms> terms, const VecX& v_start,
                          const std::vector<Pose>& moved) {
  const Model& model = s.model;
  const Problem& problem = record.problem;
  const double h = place.length, length = problem.units.length;
  const VecX v = solved_velocities(model, record, place.v);
  Ledger out;
  VecX inside = VecX::Zero(model.velocities);  // velocities of the problem's bodies alone
  for (const ProblemBody& b : problem.bodies) {
    const Body& body = model.bodies[static_cast<std::size_t>(b.model_body)];
    inside.segment(body.first_velocity, b.size) = v.segment(body.first_velocity, b.size);
  }
  out.work_applied = balance.applied.dot(inside);
  double implicit = 0, stored = 0;
  for (const ElementRow& row : balance.springs) {
    const double free = row.rate(model, inside), rate = free + row.motion;
    if (row.follows) {
      const double taken = row.drag * row.drag_rate;
      out.passive -= taken;
      implicit += (h * row.tension - row.law) * free - row.drag * row.motion + taken;
      stored += (row.law - row.drag) * row.motion;
      out.work_motion += row.law * row.motion;
      continue;
    }
    const double pull = h * row.tension + row.elastic * rate, drag = row.viscous * rate;
    out.passive -= drag * rate;
    implicit -= row.elastic * rate * free;
    stored += pull * row.motion;
    out.work_motion += (pull + drag) * row.motion;
  }
  for (const JointRow& j : rows.joints) {
    const double impulse =
        record.solution.lambda[problem.first_row[j.constraint] + j.row] * problem.units.impulse();
    const double b = problem.constraints[j.constraint].b[j.row] * problem.units.speed();
    double motion = 0;
    if (place.again && !j.beginning) {
      motion = -joint_motion(model, j, place.rows, place.start, h);
    } else {
      std::vector<Pose> end = place.start;
      for (std::size_t i = 0; i < end.size(); ++i)
        if (model.bodies[i].kind == BodyKind::prescribed)
          end[i] = prescribed_at(model.bodies[i], place.t + h);
      motion = joint_motion(model, j, place.start, end, h, projects(s));
    }
    out.solver += impulse * physical_row_of(record, j.constraint).w[j.row];
    out.stabilisation -= impulse * (b - motion);
    out.work_motion -= impulse * motion;
  }
  for (const GearRow& gear : rows.gears) {
    const PhysicalRow row = physical_row_of(record, gear.constraint);
    const double b = problem.constraints[gear.constraint].b[0] * problem.units.speed();
    std::vector<Pose> end = place.start;
    for (std::size_t i = 0; i < end.size(); ++i)
      if (model.bodies[i].kind == BodyKind::prescribed)
        end[i] = prescribed_at(model.bodies[i], place.t + h);
    const double motion =
        place.again ? -gear_motion(model, model.gears[gear.gear], place.rows, place.start, h)
                    : gear_motion(model, model.gears[gear.gear], place.start, end, h, projects(s));
    out.solver += row.impulse[0] * row.w[0];
    out.stabilisation -= row.impulse[0] * (b - motion);
    out.work_motion -= row.impulse[0] * motion;
  }
  bool turning = false;
  for (const DriveRow& drive : rows.drives) {
    const PhysicalRow row = physical_row_of(record, drive.constraint);
    const double rate = row.w[0] + drive.target, work = row.impulse[0] * rate;
    out.work_motion -= row.impulse[0] * drive.motion;
    switch (problem.constraints[drive.constraint].key.role) {
      case Role::drive:
        out.work_applied += work;
        break;
      case Role::friction:
        out.friction -= work;
        break;
      case Role::spring:
        out.passive -= drive.drag * rate * rate;
        out.integrator += work + drive.drag * rate * rate;
        break;
      default:
        out.integrator += work;
        turning = true;
    }
  }
  if (turning) {
    State before, after;
    before.poses = place.start;
    before.v = place.v;
    after.poses = s.end;
    after.v = s.v_end;
    out.integrator +=
        coordinate_energies(model, after).turning - coordinate_energies(model, before).turning;
  }
  const std::vector<int> island = islands_of(problem);
  std::vector<char> hit(problem.bodies.size(), 0);
  for (std::size_t i = 0; i < rows.contacts.size(); ++i) {
    const Constraint& c = problem.constraints[rows.contacts[i].constraint];
    add_contact_flows(c, physical_row_of(record, rows.contacts[i].constraint), terms[i], out);
    for (const int body : c.body)
      if (terms[i].impact && body >= 0)
        hit[static_cast<std::size_t>(island[static_cast<std::size_t>(body)])] = 1;
  }
  for (const std::size_t i : rows.discs) {
    const PhysicalRow row = physical_row_of(record, i);
    out.friction -= row.impulse.dot(row.w);
    for (int k = 0; k < problem.constraints[i].rows; ++k)
      out.work_motion -= row.impulse[k] * problem.constraints[i].b[k] / problem.units.time * length;
  }
  for (std::size_t i = 0; i < problem.bodies.size(); ++i) {
    const Body& body = model.bodies[static_cast<std::size_t>(problem.bodies[i].model_body)];
    const double jump =
        kinetic_of(body, velocities_of_body(body, v) - velocities_of_body(body, v_start));
    (hit[static_cast<std::size_t>(island[i])] ? out.impact : out.integrator) +=
        hit[static_cast<std::size_t>(island[i])] ? jump : -jump;
  }
  out.integrator += balance.potential.dot(inside) + implicit - stored +
                    balance.gyroscopic.dot(inside) + potential_of(model, moved) -
                    potential_of(model, place.start);
  return out;
}

}  // namespace cairn::record
