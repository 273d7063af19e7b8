// Two bodies on random paths, and the depth of their overlap by dense sampling.
#pragma once

#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <vector>

#include "cairn/model.hpp"
#include "collide/random_shapes.hpp"
#include "collide/ratio_oracle.hpp"
#include "collide/sweep/sweep.hpp"
#include "model/shape/inner_radius.hpp"

namespace cairn::testing {

// Body "a" has shape 0, body "b" shape 1.
struct SweptPair {
  std::shared_ptr<const Model> model;
  std::array<collide::BodyPath, 2> paths;

  const Shape& shape(std::size_t i) const { return model->shapes[i]; }
  const Polyhedron* polyhedron(std::size_t i) const {
    const int k = shape(i).polyhedron;
    return k < 0 ? nullptr : &model->polyhedra[static_cast<std::size_t>(k)];
  }
  bool flat() const {
    return polyhedron(0) && polyhedron(1) && polyhedron(0)->planar == polyhedron(1)->planar;
  }
  double inner_radius() const { return model::pair_inner_radius(*model, shape(0), shape(1)); }
};

// A body whose frame is its centre of mass. Halfspaces need a body with a motion.
inline BodyDescription body_with(const std::string& name, const Geometry& geometry,
                                 const Pose& X_BS) {
  BodyDescription body;
  body.name = name;
  body.shapes = {{geometry, X_BS, "default"}};
  if (std::holds_alternative<Halfspace>(geometry)) {
    body.motion = Motion{};
    return body;
  }
  body.mass = 1;
  body.inertia = Mat3::Identity();
  body.center_of_mass = Vec3::Zero();
  if (is_planar(geometry)) body.dof = "x y rz";
  return body;
}

inline SweptPair swept_pair(const Geometry& a, const Pose& X_a, const Geometry& b,
                            const Pose& X_b) {
  ModelDescription d;
  d.bodies = {body_with("a", a, X_a), body_with("b", b, X_b)};
  const Result<BuiltModel> built = build(d);
  EXPECT_TRUE(built) << (built ? "" : built.error().front().text());
  return {built->model, {}};
}

struct Gap {
  double gap = std::numeric_limits<double>::infinity();
  Vec3 n = Vec3::UnitZ();  // from a to b
};

// Of polyhedra minus the depth where they overlap, else some positive number.
inline Gap gap_at(const SweptPair& pair, double tau) {
  const Pose A = collide::pose_at(pair.paths[0], tau) * pair.shape(0).X_CS;
  const Pose B = collide::pose_at(pair.paths[1], tau) * pair.shape(1).X_CS;
  if (pair.flat()) {
    const Polyhedron &p = *pair.polyhedron(0), &q = *pair.polyhedron(1);
    Vec3 d = B * q.center - A * p.center;
    if (p.planar) d.z() = 0;
    const double apart = d.norm() - p.outer_radius - q.outer_radius;
    if (apart > 0) return {apart, d.normalized()};
    const SlowRatio slow({p, q, A, B});
    return {slow.signed_depth(), slow.axis()};
  }
  std::vector<collide::ShapeContact> contacts;
  collide::collide_shapes(pair.shape(0).geometry, A, pair.shape(1).geometry, B, contacts,
                          pair.polyhedron(0), pair.polyhedron(1));
  Gap least;
  for (const auto& c : contacts)
    if (c.gap < least.gap) least = {c.gap, c.n_W};
  return least;
}

struct Sampled {
  double depth = 0;  // deepest overlap found [m]
  double tau = 0;    // where
  Vec3 n = Vec3::UnitZ();
  double first = 2;  // the first sample beyond the limit
};

// Equidistant samples, then finer ones about the deepest.
inline Sampled sample(const SweptPair& pair, double limit, int samples) {
  Sampled found;
  double deepest = std::numeric_limits<double>::infinity();
  const auto look = [&](double tau) {
    const Gap g = gap_at(pair, tau);
    if (g.gap < deepest) deepest = g.gap, found.tau = tau, found.n = g.n;
    if (-g.gap > limit) found.first = std::min(found.first, tau);
  };
  for (int i = 0; i <= samples; ++i) look(static_cast<double>(i) / samples);
  for (double step = 0.5 / samples; step > 1e-7; step *= 0.5) {
    const double middle = found.tau;
    for (const double tau : {middle - step, middle + step})
      if (tau >= 0 && tau <= 1) look(tau);
  }
  found.depth = std::max(0.0, -deepest);
  return found;
}

constexpr int shape_kinds = 12;

inline Geometry random_shape(Random& random, int kind) {
  switch (kind) {
    case 0:
      return Point{};
    case 1:
      return Sphere{random.logarithmic(0.1, 1)};
    case 2:
      return Box{{random.logarithmic(0.05, 1), random.logarithmic(0.05, 1), 1}};
    case 3:
      return Capsule{random.logarithmic(0.02, 0.5), random.logarithmic(0.1, 2)};
    case 4:
      return Ellipsoid{{random.logarithmic(0.05, 1), random.logarithmic(0.05, 1), 1}};
    case 5:
      return Halfspace{random.unit()};
    case 6:
      return Disc{random.logarithmic(0.1, 1)};
    case 7:
      return Ellipse{{random.logarithmic(0.05, 1), 1}};
    case 8:
      return random_hull(random, 6, {1, random.logarithmic(0.1, 1), random.logarithmic(0.1, 1)});
    case 9:
      return random_polygon(random, 3);
    case 10: {
      const double radius = random.logarithmic(0.05, 1);
      return Frustum{radius, radius, random.logarithmic(0.05, 2)};
    }
    default:
      return Frustum{random.logarithmic(0.05, 1), 0, random.logarithmic(0.05, 2)};
  }
}

struct Range {
  double shift = 20;  // of the relative path [m]
  double turn = 20;   // of each body [rad]
};

// Paths on which the bodies come near each other: at some moment their centres are not much farther
// apart than their sizes.
inline SweptPair random_swept_pair(Random& random, int kind_a, int kind_b, const Range& range) {
  const Geometry a = random_shape(random, kind_a), b = random_shape(random, kind_b);
  const auto offset = [&](const Geometry& g) {
    if (random.uniform(0, 1) < 0.5) return Pose{};
    return is_planar(g)
               ? Pose{Vec3(random.uniform(-0.3, 0.3), random.uniform(-0.3, 0.3), 0), random.turn()}
               : Pose{random.uniform(0, 0.3) * random.unit(), random.rotation()};
  };
  SweptPair pair = swept_pair(a, offset(a), b, offset(b));
  const bool any_planar = is_planar(a) || is_planar(b);
  const auto flatten = [&](Vec3 v) { return any_planar ? Vec3(v.x(), v.y(), 0) : v; };
  const auto length = [&](double most) {
    return random.uniform(0, 1) < 0.2 ? 0 : random.logarithmic(1e-3 * most, most);
  };
  for (std::size_t i = 0; i < 2; ++i) {
    collide::BodyPath& path = pair.paths[i];
    const bool planar = is_planar(i == 0 ? a : b);
    path.start.R = planar ? random.turn() : random.rotation();
    if (any_planar && std::holds_alternative<Halfspace>(i == 0 ? a : b))
      path.start.R = Quat::FromTwoVectors(
          pair.shape(i).X_CS.R * std::get<Halfspace>(pair.shape(i).geometry).normal,
          flatten(random.unit()).normalized());
    path.turn_B = length(range.turn) * random.unit();
    if (any_planar) path.turn_B = path.start.R.conjugate() * Vec3(0, 0, path.turn_B.norm());
    path.shift_W = 0.5 * length(range.shift) * flatten(random.unit());
  }
  // Near each other at a random moment.
  const double tau = random.uniform(0, 1);
  const Vec3 apart = random.uniform(0, 2.5) * flatten(random.unit());
  pair.paths[0].start.p = flatten(random.unit());
  pair.paths[1].start.p =
      pair.paths[0].start.p + apart + tau * (pair.paths[0].shift_W - pair.paths[1].shift_W);
  return pair;
}

inline std::vector<collide::SweepFinding> sweep(const SweptPair& pair, double share,
                                                collide::SweepSummary* summary = nullptr) {
  std::vector<collide::SweepFinding> findings;
  collide::Sweeper sweeper(*pair.model);
  const collide::SweepSummary s = sweeper.check(*pair.model, pair.paths, share, findings);
  if (summary) *summary = s;
  return findings;
}

}  // namespace cairn::testing
