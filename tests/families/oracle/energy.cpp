// Sums over bodies and joints.
#include "families/oracle/energy.hpp"

#include <algorithm>
#include <cmath>

namespace cairn::families {
namespace {

template <class Visit>
void for_each_dynamic(const World& world, const State& state, Visit visit) {
  for (std::size_t i = 0; i < world.model().bodies.size(); ++i) {
    const Body& body = world.model().bodies[i];
    if (body.kind != BodyKind::dynamic) continue;
    const Pose& X = state.poses[i];
    const Rates rates = rates_of(body, X.R, state.v.data() + body.first_velocity);
    const Vec3 L = X.R * (body.inertia_B * (X.R.conjugate() * rates.w));
    visit(body, X, rates, L);
  }
}

double radius_of(const World& world, BodyId id) {
  return id == BodyId::world ? 0 : world.outer[index(id)];
}

Vec3 anchor_of(const Joint& joint, const std::vector<Pose>& X_WC, std::size_t end) {
  const BodyId id = joint.bodies[end];
  return id == BodyId::world ? joint.anchors[end] : X_WC[index(id)] * joint.anchors[end];
}

double error_of(const Joint& joint, const std::vector<Pose>& X_WC) {
  const Vec3 d = anchor_of(joint, X_WC, 1) - anchor_of(joint, X_WC, 0);
  if (const auto* rod = std::get_if<DistanceJoint>(&joint.type))
    return std::abs(d.norm() - rod->length);
  if (!std::holds_alternative<PrismaticJoint>(joint.type)) return d.norm();
  const BodyId a = joint.bodies[0];
  const Vec3 axis = a == BodyId::world ? joint.axes[0] : Vec3(X_WC[index(a)].R * joint.axes[0]);
  return (d - d.dot(axis) * axis).norm();
}

}  // namespace

Energies energies_of(const World& world, const State& state, double h) {
  Energies sum;
  const Vec3& g = world.model().gravity;
  for_each_dynamic(world, state,
                   [&](const Body& body, const Pose& X, const Rates& r, const Vec3& L) {
                     const double spin = 0.5 * r.w.dot(L), fast = r.v.norm() + h * g.norm();
                     sum.kinetic += 0.5 * body.mass * r.v.squaredNorm() + spin;
                     sum.potential -= body.mass * g.dot(X.p);
                     sum.moving += 0.5 * body.mass * fast * fast + spin;
                   });
  return sum;
}

Momenta momenta_of(const World& world, const State& state) {
  Momenta sum;
  for_each_dynamic(world, state, [&](const Body& body, const Pose& X, const Rates& r, const Vec3&) {
    sum.mass += body.mass;
    sum.center += body.mass * X.p;
    sum.velocity += body.mass * r.v;
  });
  sum.center /= sum.mass;
  sum.velocity /= sum.mass;
  for_each_dynamic(
      world, state, [&](const Body& body, const Pose& X, const Rates& r, const Vec3& L) {
        const Vec3 orbit = (X.p - sum.center).cross(body.mass * (r.v - sum.velocity));
        sum.angular += orbit + L;
        sum.angular_scale += (X.p - sum.center).norm() * body.mass * r.v.norm() + L.norm();
      });
  return sum;
}

double joint_error(const World& world, const std::vector<Pose>& X_WC) {
  double worst = 0;
  for (const Joint& joint : world.model().joints) {
    const double a = radius_of(world, joint.bodies[0]), b = radius_of(world, joint.bodies[1]);
    const double smaller = a > 0 && b > 0 ? std::min(a, b) : std::max(a, b);
    if (smaller > 0) worst = std::max(worst, error_of(joint, X_WC) / smaller);
  }
  return worst;
}

void EnergyWatch::operator()(const Moment& m, Outcome& out) {
  const Energies before = energies_of(m.world, m.before, m.h);
  const Energies after = energies_of(m.world, m.after, m.h);
  if (m.first) least = before.total(), moved = 0;
  moved += std::max(before.moving, after.moving);
  out.raise("gain", (after.total() - least) / moved);
  out.raise("gain J", after.total() - least);
  least = std::min(least, after.total());
}

}  // namespace cairn::families
