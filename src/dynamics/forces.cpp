#include "dynamics/forces.hpp"

#include <Eigen/LU>

#include "base/conventions.hpp"
#include "dynamics/kinematics.hpp"
#include "model/dof.hpp"
#include "model/joint/joint_coordinate.hpp"

namespace cairn::dynamics {
namespace {

const double* velocities_of(const Body& body, const VecX& v) {
  return v.data() + body.first_velocity;
}

}  // namespace

void evaluate_loads(const Model& model, const State& state, Forces& forces) {
  CAIRN_DCHECK(state.poses.size() == model.bodies.size(), state.poses.size());
  CAIRN_DCHECK(state.v.size() == model.velocities, state.v.size());
  for (const ExternalForce& external : forces.external)
    CAIRN_DCHECK(base::is_index(static_cast<int>(external.body), model.bodies.size()),
                 external.body);
  forces.springs.rows.clear();
  forces.springs.stiffest = 0;
  forces.drive.resize(0);
  forces.potential.setZero(model.velocities);
  forces.applied.setZero(model.velocities);
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body& body = model.bodies[i];
    add_generalised_force(body, state.poses[i], body.mass * model.gravity, Vec3::Zero(),
                          forces.potential.data() + body.first_velocity);
  }
  for (const AppliedForce& applied : model.applied_forces) {
    const Pose& X_WC = state.poses[index(applied.body)];
    const Body& body = model.body(applied.body);
    const Vec3 force = evaluate(applied.force, state.t);
    const Vec3 torque = evaluate(applied.torque, state.t) + (X_WC.R * applied.point).cross(force);
    add_generalised_force(body, X_WC, force, torque, forces.applied.data() + body.first_velocity);
  }
  for (const ExternalForce& external : forces.external) {
    const Pose& X_WC = state.poses[index(external.body)];
    const Body& body = model.body(external.body);
    const Vec3 torque = external.torque + (X_WC.R * external.point).cross(external.force);
    add_generalised_force(body, X_WC, external.force, torque,
                          forces.applied.data() + body.first_velocity);
  }
}

void add_springs(const Model& model, const State& state, double h, Forces& forces) {
  CAIRN_DCHECK(h > 0, h);
  if (model.springs.empty()) return;
  find_spring_rows(model, state.poses, state.t, h, forces.springs);
  bool driven = false;
  for (const SpringRow& row : forces.springs.rows) {
    add_spring_impulse(model, state.poses, row, -row.tension, forces.potential);
    driven = driven || (row.motion != 0 && row.weight() > 0);
  }
  if (!driven) return;
  forces.drive.setZero(model.velocities);
  for (const SpringRow& row : forces.springs.rows)
    add_spring_impulse(model, state.poses, row, -row.weight() * row.motion, forces.drive);
}

void evaluate_forces(const Model& model, const State& state, double h, Forces& forces) {
  evaluate_loads(model, state, forces);
  add_springs(model, state, h, forces);
}

void free_velocities(const Model& model, const State& state, const Forces& forces, double h,
                     VecX& v_free) {
  CAIRN_DCHECK(h > 0, h);
  CAIRN_DCHECK(forces.potential.size() == model.velocities, forces.potential.size());
  CAIRN_DCHECK(forces.applied.size() == model.velocities, forces.applied.size());
  const bool driven = forces.drive.size() > 0;
  const auto impulse = [&](int i) {
    const double of_forces = h * (forces.potential[i] + forces.applied[i]);
    return driven ? of_forces + forces.drive[i] : of_forces;
  };
  v_free.resize(model.velocities);
  for (const Body& body : model.bodies) {
    if (body.velocities == 0) continue;
    const int first = body.first_velocity;
    int k = 0;
    for (const bool free : body.translations) {
      if (!free) continue;
      v_free[first + k] = state.v[first + k] + impulse(first + k) / body.mass;
      ++k;
    }
    const int at = first + k;
    if (body.rotation == RotationKind::one) {
      double A[6][6];
      mass_matrix(body, A);
      v_free[at] = state.v[at] + impulse(at) / A[k][k];
    } else if (body.rotation == RotationKind::three) {
      const Vec3 torque(impulse(at), impulse(at + 1), impulse(at + 2));
      v_free.segment<3>(at) = state.v.segment<3>(at);
      if (torque != Vec3::Zero()) v_free.segment<3>(at) += body.inertia_B.inverse() * torque;
    }
  }
}

void add_impulse(const Model& model, const VecX& impulse, VecX& v) {
  for (const Body& body : model.bodies) {
    if (body.velocities == 0) continue;
    int at = body.first_velocity;
    for (const bool free : body.translations)
      if (free) v[at] += impulse[at] / body.mass, ++at;
    if (body.rotation == RotationKind::one) {
      double A[6][6];
      mass_matrix(body, A);
      v[at] += impulse[at] / A[body.velocities - 1][body.velocities - 1];
    } else if (body.rotation == RotationKind::three) {
      v.segment<3>(at) += body.inertia_B.ldlt().solve(Vec3(impulse.segment<3>(at)));
    }
  }
}

double mass_norm(const Body& body, const double* a, const double* b) {
  double d[6], sum = 0;
  for (int i = 0; i < body.velocities; ++i) d[i] = a[i] - b[i];
  const int moves = body.velocities > 0 ? model::translation_count(body) : 0;
  for (int i = 0; i < moves; ++i) sum += d[i] * body.mass * d[i];
  if (body.velocities > 0 && body.rotation == RotationKind::three) {
    const double* w = d + moves;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) sum += w[i] * body.inertia_B(i, j) * w[j];
  } else if (body.velocities > 0 && body.rotation == RotationKind::one) {
    double A[6][6];
    mass_matrix(body, A);
    sum += d[moves] * A[moves][moves] * d[moves];
  }
  CAIRN_DCHECK(!(sum < 0), body.name, sum);
  return 0.5 * sum;
}

double kinetic_energy(const Model& model, const VecX& v) {
  CAIRN_DCHECK(v.size() == model.velocities, v.size(), model.velocities);
  static constexpr double rest[6] = {};
  double sum = 0;
  for (const Body& body : model.bodies)
    if (body.velocities > 0) sum += mass_norm(body, velocities_of(body, v), rest);
  return sum;
}

double potential_energy(const Model& model, const std::vector<Pose>& poses) {
  CAIRN_DCHECK(poses.size() == model.bodies.size(), poses.size(), model.bodies.size());
  double sum = 0;
  for (std::size_t i = 0; i < model.bodies.size(); ++i)
    if (model.bodies[i].velocities > 0) sum -= model.bodies[i].mass * model.gravity.dot(poses[i].p);
  for (const Spring& spring : model.springs) sum += spring_energy(spring, poses);
  return sum + model::joint_spring_energy(model, poses);
}

}  // namespace cairn::dynamics
