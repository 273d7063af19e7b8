// check, overlaps: how deep the shapes of a scene are inside each other, over all pairs.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <numbers>

#include "collide/narrowphase.hpp"
#include "collide/pairs/poly_pair.hpp"
#include "record/check/check_parts.hpp"
#include "record/check/rebuild/mechanics.hpp"
#include "record/check/verdict_figures.hpp"

namespace cairn::record {
namespace {

template <class Vertices>
double farthest(const Vertices& vertices) {
  double most = 0;
  for (const auto& v : vertices) most = std::max(most, v.norm());
  return most;
}

// Radius of a ball about the shape's origin that holds its cross-section.
double bounding_radius(const Geometry& geometry) {
  struct {
    double operator()(const Point&) const { return 0; }
    double operator()(const Sphere& s) const { return s.radius; }
    double operator()(const Box& s) const { return 0.5 * s.size.norm(); }
    double operator()(const Capsule& s) const { return s.radius + 0.5 * s.length; }
    double operator()(const Frustum& s) const {
      return std::hypot(std::max(s.radius, s.top_radius), 0.5 * s.length);
    }
    double operator()(const Ellipsoid& s) const { return s.radii.maxCoeff(); }
    double operator()(const Halfspace&) const { return std::numeric_limits<double>::infinity(); }
    double operator()(const Disc& s) const { return s.radius; }
    double operator()(const Ellipse& s) const { return s.radii.maxCoeff(); }
    double operator()(const Hull& s) const { return farthest(s.vertices); }
    double operator()(const Polygon& s) const { return farthest(s.vertices); }
  } visitor;
  return std::visit(visitor, geometry);
}

// Farther apart than the margin, by their bounding balls; a planar shape is a cylinder without end
// along its z axis.
bool far_apart(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB, double margin) {
  Vec3 d = X_WB.p - X_WA.p;
  if (is_planar(a.geometry) || is_planar(b.geometry)) {
    const Vec3 axis = (is_planar(a.geometry) ? X_WA : X_WB).R * Vec3::UnitZ();
    d -= axis.dot(d) * axis;
  }
  const double reach = bounding_radius(a.geometry) + bounding_radius(b.geometry);
  return d.norm() > reach * (1 + 1e-9) + margin;
}

const Polyhedron* polyhedron(const Model& model, const Shape& shape) {
  return shape.polyhedron < 0 ? nullptr
                              : &model.polyhedra[static_cast<std::size_t>(shape.polyhedron)];
}

// Two polyhedra, or two polygons.
bool both_flat_faced(const Model& model, const Shape& a, const Shape& b) {
  const Polyhedron *p = polyhedron(model, a), *q = polyhedron(model, b);
  return p && q && p->planar == q->planar;
}

bool may_touch(const Model& model, const Shape& a, const Shape& b) {
  if (a.body == b.body) return false;
  if (!both_flat_faced(model, a, b) && !collide::can_collide(a.geometry, b.geometry)) return false;
  if (model.body(a.body).kind != BodyKind::dynamic && model.body(b.body).kind != BodyKind::dynamic)
    return false;
  const std::array<BodyId, 2> pair = {std::min(a.body, b.body), std::max(a.body, b.body)};
  return !std::binary_search(model.no_contact.begin(), model.no_contact.end(), pair);
}

using Note = std::function<void(std::size_t, std::size_t, double)>;

// Calls note(a, b, depth) for shapes that overlap, or are nearer than the margin; several times
// where they have several contacts. Returns the largest coordinate, which depths round with [m].
double each_overlap(const Model& model, const std::vector<Pose>& poses, const Note& note,
                    double margin = 0) {
  std::vector<Pose> X_W;
  double far = model.length_unit;
  for (const Shape& shape : model.shapes) {
    X_W.push_back(poses[index(shape.body)] * shape.X_CS);
    far = std::max(far, X_W.back().p.norm());
  }
  const auto take = [&](std::size_t a, std::size_t b, double depth) {
    if (depth > -margin) note(a, b, depth);
  };
  std::vector<collide::ShapeContact> contacts;
  for (std::size_t a = 0; a < model.shapes.size(); ++a)
    for (std::size_t b = a + 1; b < model.shapes.size(); ++b) {
      if (!may_touch(model, model.shapes[a], model.shapes[b])) continue;
      if (far_apart(model.shapes[a], X_W[a], model.shapes[b], X_W[b], margin)) continue;
      if (both_flat_faced(model, model.shapes[a], model.shapes[b])) {
        auto placed = [&](std::size_t i) {
          return collide::Placed(
              model.polyhedra[static_cast<std::size_t>(model.shapes[i].polyhedron)], X_W[i]);
        };
        collide::RatioBasis cold;
        take(a, b, -collide::overlap_or_gap(placed(a), placed(b), 0, cold));
        continue;
      }
      contacts.clear();
      collide::collide_shapes(model.shapes[a].geometry, X_W[a], model.shapes[b].geometry, X_W[b],
                              contacts, polyhedron(model, model.shapes[a]),
                              polyhedron(model, model.shapes[b]));
      for (const collide::ShapeContact& contact : contacts) take(a, b, -contact.gap);
    }
  return far;
}

// The smaller inner radius; that of the other one where one is a point, and between a point and a
// halfspace the unit of length (E301).
double radius_of_pair(const Model& model, std::size_t a, std::size_t b) {
  double least = std::numeric_limits<double>::infinity();
  for (const std::size_t i : {a, b})
    if (model.shapes[i].inner_radius > 0) least = std::min(least, model.shapes[i].inner_radius);
  return std::isfinite(least) ? least : model.length_unit;
}

// Where the bodies are at tau, 0 to 1, of a step whose path is its chord (E302).
std::vector<Pose> on_chord(const Model& model, const State& before, const State& after,
                           double tau) {
  std::vector<Pose> poses = after.poses;
  const double h = after.t - before.t;
  for (std::size_t i = 0; i < poses.size(); ++i) {
    const Body& body = model.bodies[i];
    if (body.kind == BodyKind::prescribed) poses[i] = prescribed_at(body, before.t + tau * h);
    if (body.kind != BodyKind::dynamic) continue;
    const Pose& from = before.poses[i];
    Quat q = from.R.conjugate() * after.poses[i].R;
    if (q.w() < 0) q.coeffs() = -q.coeffs();
    const double sine = q.vec().norm();
    const Vec3 axis = sine > 0 ? Vec3(q.vec() / sine) : Vec3::UnitX();
    const double angle = 2 * std::atan2(sine, q.w()), full = 2 * std::numbers::pi;
    const double along = h * axis.dot(twist(body, after).angular_B);
    const double turn = angle + full * std::round((along - angle) / full);
    poses[i] = {from.p + tau * (after.poses[i].p - from.p),
                from.R * exp_rotation(tau * turn * axis)};
  }
  return poses;
}

}  // namespace

std::vector<std::array<BodyId, 2>> near_bodies(const Model& model, const std::vector<Pose>& poses,
                                               double margin) {
  std::vector<std::array<BodyId, 2>> pairs;
  each_overlap(
      model, poses,
      [&](std::size_t a, std::size_t b, double) {
        pairs.push_back({model.shapes[a].body, model.shapes[b].body});
      },
      margin);
  return pairs;
}

Overlaps check_penetration(const Model& model, const TraceFrame& frame, const Complain& complain) {
  Overlaps overlaps;
  double penetration = 0;
  const double far =
      each_overlap(model, frame.state.poses, [&](std::size_t a, std::size_t b, double depth) {
        penetration = std::max(penetration, depth);
        double& known = overlaps[{model.shapes[a].body, model.shapes[b].body}];
        known = std::max(known, depth);
      });
  if (!(std::abs(penetration - frame.report.penetration) <= motion_relative * far))
    complain(FindingCode::penetration,
             fmt::format("penetration recorded as {:.6g} m, recomputed {:.6g} m",
                         frame.report.penetration, penetration));
  return overlaps;
}

void measure_overlaps(const Model& model, const SchemeOptions& scheme, const State& before,
                      const TraceFrame& frame, MotionFigures& out) {
  double least = model.length_unit;
  for (const Shape& shape : model.shapes)
    if (shape.inner_radius > 0) least = std::min(least, shape.inner_radius);
  double far = 0;
  const auto deepest = [&](const std::vector<Pose>& poses) {
    double share = 0;
    far = std::max(far, each_overlap(model, poses, [&](std::size_t a, std::size_t b, double depth) {
                     share = std::max(share, depth / radius_of_pair(model, a, b));
                   }));
    return share;
  };
  out.moved = before.poses != frame.state.poses;
  out.overlap = deepest(frame.state.poses);
  // The path of a projection, and those of parts and of other schemes, are not in the recording.
  const StepReport& r = frame.report;
  if (out.moved && euler_options(scheme) && r.divided.empty() && r.projection == 0 &&
      r.projection_angle == 0 && r.contact_projections == 0)
    for (const double tau : {0.25, 0.5, 0.75})
      out.on_the_way = std::max(out.on_the_way, deepest(on_chord(model, before, frame.state, tau)));
  out.overlap_rounding = motion_relative * far / least;
}

}  // namespace cairn::record
