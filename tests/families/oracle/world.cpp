// Solids of a scene, overlaps of all pairs of bodies, paths through a step.
#include "families/oracle/world.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <stdexcept>

#include "families/limits.hpp"

namespace cairn::families {
namespace {

using Names = std::pair<std::string, std::string>;

Names sorted(const std::string& a, const std::string& b) {
  return a < b ? Names{a, b} : Names{b, a};
}

std::set<Names> exclusions(const ModelDescription& description) {
  std::set<Names> excluded;
  for (const auto& pair : description.no_contact) excluded.insert(sorted(pair[0], pair[1]));
  for (const JointDescription& joint : description.joints)
    if (!joint.collide) excluded.insert(sorted(joint.bodies[0], joint.bodies[1]));
  return excluded;
}

// The rotation vector from R0 to R1: that of `guess` with its full turns if it leads there, else
// the shortest one.
Vec3 turn_between(const Quat& R0, const Quat& R1, const Vec3& guess) {
  const Quat along = exp_rotation(guess) * R0;
  if (along.angularDistance(R1) < 1e-6) return guess;
  const Eigen::AngleAxisd shortest(R1 * R0.conjugate());
  return shortest.angle() * shortest.axis();
}

Pose prescribed_pose(const Body& body, double t) {
  const Motion& m = *body.motion;
  const Vec3 origin(m.position[0](t), m.position[1](t), m.position[2](t));
  const Quat R = exp_rotation(m.angle(t) * m.axis) * body.R_WB0;
  return {origin + R * body.p_Bcm, R};
}

}  // namespace

std::size_t World::body(const std::string& name) const {
  const std::optional<BodyId> id = model().find_body(name);
  if (!id) throw std::runtime_error("no body " + name);
  return index(*id);
}

Pose World::frame(std::size_t body, const Pose& X_WC) const {
  return {X_WC.p - X_WC.R * model().bodies[body].p_Bcm, X_WC.R};
}

double World::inner_ball(std::size_t body) const {
  double least = std::numeric_limits<double>::infinity();
  const Vec3& c = model().bodies[body].p_Bcm;
  for (const Solid& s : solids[body]) {
    if (s.kind == Solid::Kind::ellipsoid || s.radius > 0)
      least = std::min(least, s.inner);
    else
      for (const Vec3& n : s.normals)
        for (const double sign : {-1.0, 1.0})
          least = std::min(least, sign * n.dot(support(s, Pose{}, sign * n) - c));
  }
  return least;
}

World make_world(Scene scene) {
  World world;
  world.scene = std::move(scene);
  const Model& model = world.model();
  world.solids.resize(model.bodies.size());
  world.outer.resize(model.bodies.size());
  for (const BodyDescription& body : world.scene.description.bodies) {
    const std::size_t i = world.body(body.name);
    for (const ShapeDescription& shape : body.shapes) {
      const Solid& s = world.solids[i].emplace_back(make_solid(shape));
      const bool bounded = s.kind != Solid::Kind::halfspace;
      world.outer[i] =
          bounded ? std::max(world.outer[i], (s.center - model.bodies[i].p_Bcm).norm() + s.outer)
                  : std::numeric_limits<double>::infinity();
    }
  }
  const std::set<Names> excluded = exclusions(world.scene.description);
  for (std::size_t a = 0; a < model.bodies.size(); ++a)
    for (std::size_t b = a + 1; b < model.bodies.size(); ++b) {
      const bool free =
          model.bodies[a].kind == BodyKind::dynamic || model.bodies[b].kind == BodyKind::dynamic;
      if (!free || excluded.count(sorted(model.bodies[a].name, model.bodies[b].name))) continue;
      const std::size_t n = world.solids[a].size() * world.solids[b].size();
      if (n > 0) world.pairs.push_back({a, b, std::vector<Vec3>(n, Vec3::Zero())});
    }
  return world;
}

Deepest pair_overlap(World& world, CollidingPair& pair, const Pose& X_WA, const Pose& X_WB,
                     double enough) {
  Deepest worst{.a = pair.a, .b = pair.b};
  worst.apart = (X_WA.p - X_WB.p).norm() - world.outer[pair.a] - world.outer[pair.b];
  if (worst.apart > 0) return worst;
  worst.apart = std::numeric_limits<double>::infinity();
  const Pose A = world.frame(pair.a, X_WA), B = world.frame(pair.b, X_WB);
  std::size_t k = 0;
  for (const Solid& a : world.solids[pair.a])
    for (const Solid& b : world.solids[pair.b]) {
      const double inner = std::min(a.inner, b.inner);
      Vec3& n = pair.normals[k++];
      double d = depth(a, A, b, B, enough * inner, n);
      if (d > overlap_limit * inner) d = depth_by_scan(a, A, b, B, enough * inner, n);
      worst.apart = std::min(worst.apart, -d);
      if (d / inner > worst.ratio) worst.ratio = d / inner, worst.depth = d;
    }
  return worst;
}

Deepest deepest_overlap(World& world, const std::vector<Pose>& X_WC, double enough) {
  Deepest worst;
  for (CollidingPair& pair : world.pairs) {
    const Deepest here = pair_overlap(world, pair, X_WC[pair.a], X_WC[pair.b], enough);
    if (here.ratio > worst.ratio) worst = here;
  }
  return worst;
}

Rates rates_of(const Body& body, const Quat& R_WB, const double* v) {
  Rates rates;
  int k = 0;
  for (int i = 0; i < 3; ++i)
    if (body.translations[static_cast<std::size_t>(i)]) rates.v[i] = v[k++];
  if (body.rotation == RotationKind::one) rates.w = v[k] * body.axis_W;
  if (body.rotation == RotationKind::three) rates.w = R_WB * Vec3(v[k], v[k + 1], v[k + 2]);
  return rates;
}

Path path_of(const World& world, std::size_t i, const State& before, const State& after,
             const StepReport& report) {
  const Body& body = world.model().bodies[i];
  Path path;
  path.nodes.push_back({before.t, before.poses[i], Vec3::Zero()});
  if (body.kind == BodyKind::prescribed) path.prescribed = &body;
  const auto add = [&](double t, const Pose& X, const double* v) {
    const Path::Node& last = path.nodes.back();
    Vec3 turn = Vec3::Zero();
    if (body.kind == BodyKind::dynamic)
      turn = turn_between(last.X_WC.R, X.R, (t - last.t) * rates_of(body, X.R, v).w);
    path.nodes.push_back({t, X, turn});
  };
  for (const StepPart& part : report.divided) {
    int k = 0;
    for (std::size_t n = 0; n < part.bodies.size(); ++n) {
      if (index(part.bodies[n]) == i && part.t + part.length < after.t)
        add(part.t + part.length, part.poses[n], part.v.data() + k);
      k += world.model().body(part.bodies[n]).velocities;
    }
  }
  const double* v = body.kind == BodyKind::dynamic ? after.v.data() + body.first_velocity : nullptr;
  add(after.t, after.poses[i], v);
  return path;
}

Pose Path::at(double t) const {
  if (prescribed) return prescribed_pose(*prescribed, t);
  std::size_t k = 1;
  while (k + 1 < nodes.size() && nodes[k].t < t) ++k;
  const Node &a = nodes[k - 1], &b = nodes[k];
  const double tau = b.t > a.t ? std::clamp((t - a.t) / (b.t - a.t), 0.0, 1.0) : 1.0;
  return {a.X_WC.p + tau * (b.X_WC.p - a.X_WC.p), exp_rotation(tau * b.turn) * a.X_WC.R};
}

double Path::turned() const {
  double sum = 0;
  for (const Node& node : nodes) sum += node.turn.norm();
  if (!prescribed) return sum;
  constexpr int samples = 256;
  const double t0 = nodes.front().t, t1 = nodes.back().t;
  for (int k = 0; k < samples; ++k)
    sum += std::abs(prescribed->motion->angle(t0 + (t1 - t0) * (k + 1) / samples) -
                    prescribed->motion->angle(t0 + (t1 - t0) * k / samples));
  return sum;
}

double Path::length() const {
  double sum = 0;
  constexpr int samples = 256;
  const double t0 = nodes.front().t, t1 = nodes.back().t;
  if (prescribed)
    for (int k = 0; k < samples; ++k)
      sum += (at(t0 + (t1 - t0) * (k + 1) / samples).p - at(t0 + (t1 - t0) * k / samples).p).norm();
  else
    for (std::size_t k = 1; k < nodes.size(); ++k)
      sum += (nodes[k].X_WC.p - nodes[k - 1].X_WC.p).norm();
  return sum;
}

}  // namespace cairn::families
