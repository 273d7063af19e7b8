// Stiff springs and dampers of a step (E465 to E468): impulses along the springs as they were at
// its beginning, from their lengths at its end; and who pays for what they add to the energy.
#include <algorithm>
#include <cmath>
#include <limits>

#include "dynamics/flight.hpp"
#include "dynamics/kinematics.hpp"
#include "scheme/euler/step.hpp"
#include "solver/unguarded.hpp"

namespace cairn::scheme {

// (E740): where v leads, with the joints closed. False: they cannot be.
bool Step::close_ends(const VecX& v) {
  data.poses.closed = data.poses.end;  // prescribed bodies are there already
  for (std::size_t i = 0; i < model.bodies.size(); ++i)
    if (const Body& body = model.bodies[i]; body.velocities > 0)
      data.poses.closed[i] =
          dynamics::drift(body, state.poses[i], v.data() + body.first_velocity, h, nullptr);
  // Anchors and kept coordinates are known after the last solve only.
  constrain::ProjectionBuffers& projection = data.positions.projection;
  std::vector<constrain::AnchorRows> anchors;
  std::vector<constrain::KeptCoordinate> coordinates;
  anchors.swap(projection.anchors);
  coordinates.swap(projection.coordinates);
  const bool closed = constrain::project_onto_joints(model, projection, data.poses.closed);
  anchors.swap(projection.anchors);
  coordinates.swap(projection.coordinates);
  return closed;
}

// The springs if the step ends with v. Where joints beside them cannot be closed the error is not a
// number.
dynamics::FollowingError Step::measure_springs(const VecX& v, bool linear) {
  dynamics::SpringRows& springs = data.forces.springs;
  if (!springs.closed || !options.projection)
    return dynamics::follow_springs(model, state.poses, h, v, {}, linear, springs);
  if (close_ends(v))
    return dynamics::follow_springs(model, state.poses, h, v, data.poses.closed, linear, springs);
  dynamics::follow_springs(model, state.poses, h, v, {}, linear, springs);
  const double unknown = std::numeric_limits<double>::quiet_NaN();
  return {unknown, unknown};
}

// (E743): of springs, by the projection [J].
double Step::energy_of_closing() const {
  if (!options.projection || model.joints.empty() || model.springs.empty()) return 0;
  return dynamics::spring_energy(model, data.poses.end) -
         dynamics::spring_energy(model, data.poses.moved);
}

// (E467). False: it does not contract.
bool Step::follow_springs(SolveRecord& record) {
  constexpr int most = 60, patience = 6;            // solves; of them without progress
  constexpr double rounding = 4, stalled = 0x1p14;  // errors that are left, in roundings [-]
  dynamics::SpringRows& springs = data.forces.springs;
  data.v.k_plain = record.problem.k;
  dynamics::follow_springs(model, state.poses, h, data.v.free, {}, false, springs);
  dynamics::linearise_springs(h, true, springs);
  double least = std::numeric_limits<double>::infinity(), last = least;
  for (int i = 0, worse = 0; i < most && worse < patience; ++i) {
    record.problem.k = data.v.k_plain;
    constrain::add_spring_pushes(model, state.poses, springs.rows, h, data.rows.layout,
                                 record.problem);
    solver::solve_unguarded(record.problem, solver, data.solver, record.solution);
    constrain::to_model_velocities(model, record.problem, record.solution.v, data.v.end);
    if (!data.v.end.allFinite()) return false;
    const dynamics::FollowingError error = measure_springs(data.v.end, false);
    if (error.tight <= rounding) return true;
    if (error.loose <= stalled && error.tight >= 0.5 * last) return true;
    if (std::isnan(error.tight)) return false;
    worse = error.tight < least ? 0 : worse + 1;
    least = std::min(least, error.tight);
    last = error.tight;
    dynamics::linearise_springs(h, false, springs);
  }
  return false;
}

// Springs that are followed know the velocities of the solve that found them.
void Step::save_springs(std::vector<dynamics::SpringRow>& rows) const {
  if (data.forces.springs.followed) rows = data.forces.springs.rows;
}

// An earlier solve is the last one again, with its impulses and the springs as it left them.
void Step::go_back_to(int solve, std::span<const dynamics::SpringRow> rows) {
  report.solves.make_last(solve);
  if (data.forces.springs.followed) data.forces.springs.rows.assign(rows.begin(), rows.end());
  renew_contact_terms();
  keep_impulses(last());
}

// Groups of bodies that joints, springs and contacts that press connect, and what holds them.
void Step::find_spring_frames() {
  PaymentData& pay = data.positions.payment;
  const std::size_t bodies = model.bodies.size();
  pay.groups.reset(bodies);
  auto free = [&](BodyId id) { return id != BodyId::world && model.body(id).velocities > 0; };
  auto each_link = [&](const auto& link) {
    for (const Joint& joint : model.joints) link(joint.bodies[0], joint.bodies[1]);
    for (const Spring& spring : model.springs) link(spring.bodies[0], spring.bodies[1]);
    for (std::size_t i = 0; i < data.contacts.size(); ++i)
      if (problem_row_presses(data.rows.posed.constraint_of(i)))
        link(data.contacts[i].key.body_a, data.contacts[i].key.body_b);
  };
  each_link([&](BodyId a, BodyId b) {
    if (free(a) && free(b)) pay.groups.join(static_cast<int>(a), static_cast<int>(b));
  });
  pay.frame.assign(bodies, PaymentData::none);
  each_link([&](BodyId a, BodyId b) {
    if (free(a) == free(b)) return;
    const BodyId held = free(a) ? a : b, by = free(a) ? b : a;
    const int what =
        dynamics::is_prescribed(model, by) ? static_cast<int>(by) : PaymentData::ground;
    int& frame = pay.frame[pay.root(index(held))];
    frame = frame == PaymentData::none || frame == what ? what : PaymentData::several;
  });
  pay.jointed.assign(bodies, 0);
  for (const Joint& joint : model.joints)
    for (const BodyId id : joint.bodies)
      if (free(id)) pay.jointed[pay.root(index(id))] = 1;
}

// (E468): what stiff springs and dampers have added to the energy of each group, less what the
// impulses of the step have lost; and the share of it that is paid, none where springs become
// explicit.
void Step::find_spring_gains() {
  PaymentData& pay = data.positions.payment;
  pay.work.assign(model.bodies.size(), 0.0);
  pay.relative.assign(model.bodies.size(), 0.0);
  for (const dynamics::SpringRow& row : data.forces.springs.rows) {
    const dynamics::SpringFollowing& f = row.follow;
    if (!f.on || !(row.elastic > 0 || f.share > 0)) continue;
    for (const BodyId id : row.bodies) {
      if (id == BodyId::world || model.body(id).velocities == 0) continue;
      pay.work[pay.root(index(id))] += f.stretch * (row.tension + 0.5 * row.stiffness * f.stretch) -
                                       f.impulse * f.rate + f.drag * f.drag_rate;
      double& share = pay.relative[pay.root(index(id))];
      share = std::max({share, 2 * row.elastic / (h * h * row.stiffness), 2 * f.share});
      break;
    }
  }
  for (std::size_t i = 0; i < model.bodies.size(); ++i)
    if (const Body& body = model.bodies[i]; body.velocities > 0)
      pay.work[pay.root(i)] -= dynamics::mass_norm(body, data.v.solved.data() + body.first_velocity,
                                                   data.v.start.data() + body.first_velocity);
}

// True: velocities have changed, or will with the momenta of free groups (E744).
bool Step::pay_for_springs() {
  PaymentData& pay = data.positions.payment;
  find_spring_frames();
  data.positions.spring_gains.assign(model.bodies.size(), 0.0);
  find_spring_gains();
  bool any = false;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    if (model.bodies[i].velocities == 0 || pay.root(i) != i) continue;
    if (!(pay.work[i] > 0) || pay.frame[i] == PaymentData::several) continue;
    pay.work[i] *= std::min(1.0, pay.relative[i]);
    if (!(pay.work[i] > 0)) continue;
    any = true;
    if (pay.frame[i] == PaymentData::none && pay.jointed[i])
      data.positions.spring_gains[i] = pay.work[i];
    else if (pay.frame[i] == PaymentData::none)
      pay_along_springs(i);
    else
      slow_down(i);
  }
  return any;
}

// A group that is held pays with its motion relative to what holds it.
void Step::slow_down(std::size_t group) {
  PaymentData& pay = data.positions.payment;
  data.v.carried.setZero(model.velocities);
  double kinetic = 0;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body& body = model.bodies[i];
    if (body.velocities == 0 || pay.root(i) != group) continue;
    double* u = data.v.carried.data() + body.first_velocity;
    if (pay.frame[group] >= 0) carry(i, static_cast<std::size_t>(pay.frame[group]), u);
    kinetic += dynamics::mass_norm(body, data.v.end.data() + body.first_velocity, u);
  }
  if (!(kinetic > 0)) return;
  const double factor = std::sqrt(std::max(0.0, 1 - pay.work[group] / kinetic));
  report.projection_slowing = std::min(report.projection_slowing, factor);
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body& body = model.bodies[i];
    if (body.velocities == 0 || pay.root(i) != group) continue;
    auto v = data.v.end.segment(body.first_velocity, body.velocities);
    const auto u = data.v.carried.segment(body.first_velocity, body.velocities);
    v = u + factor * (v - u);
  }
}

// One that nothing holds keeps its momenta: impulses along its stiff springs, as they are after the
// drift and before the projection (E425), take what there is to take of the rates of their lengths.
void Step::pay_along_springs(std::size_t group) {
  PaymentData& pay = data.positions.payment;
  double left = pay.work[group];
  for (const dynamics::SpringRow& start : data.forces.springs.rows) {
    if (!start.follow.on || !(start.elastic > 0 || start.follow.share > 0) || !(left > 0)) continue;
    const bool here = std::any_of(start.bodies.begin(), start.bodies.end(), [&](BodyId id) {
      return id != BodyId::world && model.body(id).velocities > 0 && pay.root(index(id)) == group;
    });
    if (!here) continue;
    dynamics::SpringRow row;
    row.bodies = start.bodies;
    for (std::size_t side = 0; side < 2; ++side)
      row.points[side] = data.poses.moved[index(row.bodies[side])] *
                         (state.poses[index(row.bodies[side])].inverse() * start.points[side]);
    const double length = (row.points[1] - row.points[0]).norm();
    if (!(length > 0)) continue;
    row.direction = (row.points[1] - row.points[0]) / length;
    const double rate = dynamics::spring_rate(model, data.poses.moved, row, data.v.end),
                 inverse = dynamics::inverse_mass(model, data.poses.moved, row);
    if (!(inverse > 0) || rate == 0) continue;
    const double there = rate * rate / (2 * inverse), taken = std::min(left, there);
    const double change = std::abs(rate) * (1 - std::sqrt(1 - taken / there));
    data.v.turn.setZero(model.velocities);
    dynamics::add_spring_impulse(model, data.poses.moved, row,
                                 -std::copysign(change, rate) / inverse, data.v.turn);
    dynamics::add_impulse(model, data.v.turn, data.v.end);
    left -= taken;
  }
}

}  // namespace cairn::scheme
