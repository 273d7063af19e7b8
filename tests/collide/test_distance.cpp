// measure_distance against answers of its own: brute force over features, scaling by bisection,
// and difference quotients of the poses.
#include <array>
#include <cmath>
#include <gtest/gtest.h>

#include "cairn/distance.hpp"
#include "cairn/model.hpp"
#include "collide/ratio_oracle.hpp"

namespace cairn::test_distance {
namespace {

using testing::PolyhedronPair;
using testing::Random;
using testing::SlowRatio;

// Two bodies with a shape each, away from their centres of mass.
struct World {
  std::shared_ptr<const Model> model;
  State state;
  BodyId a{}, b{};
};

BodyDescription body(const char* name, const Geometry& geometry, const Pose& X_WB, const Pose& X_BS,
                     bool planar) {
  BodyDescription d;
  d.name = name;
  d.position = X_WB.p;
  d.orientation = X_WB.R;
  d.shapes = {{geometry, X_BS, "default"}};
  d.fixed = std::holds_alternative<Halfspace>(geometry);
  if (d.fixed) return d;
  if (planar) d.dof = "x y rz";
  d.mass = 1;
  d.inertia = Mat3::Identity();
  d.center_of_mass = Vec3(0.3, -0.2, planar ? 0 : 0.1);
  return d;
}

World world(const BodyDescription& a, const BodyDescription& b) {
  ModelDescription d;
  d.materials = {{"default", {}}};
  d.bodies = {a, b};
  const Result<BuiltModel> built = build(d);
  EXPECT_TRUE(built) << (built ? "" : built.error()[0].text());
  World w{built->model, *built->initial, {}, {}};
  w.a = w.model->find_body("a").value();
  w.b = w.model->find_body("b").value();
  return w;
}

Geometry hull_of(const Polyhedron& p) {
  if (!p.planar) return Hull{p.vertices};
  Polygon polygon;
  for (const Vec3& v : p.vertices) polygon.vertices.emplace_back(v.head<2>());
  return polygon;
}

World world(const PolyhedronPair& pair) {
  return world(body("a", hull_of(pair.a), pair.A, {}, pair.a.planar),
               body("b", hull_of(pair.b), pair.B, {}, pair.b.planar));
}

Distance measured(const World& w) {
  const Result<Distance> d = measure_distance(*w.model, w.state, {w.a}, {w.b});
  EXPECT_TRUE(d) << (d ? "" : d.error()[0].text());
  return d ? *d : Distance{};
}

double component(const PairGradient& g, int k) {
  const PoseGradient& side = k < 6 ? g.a : g.b;
  return k % 6 < 3 ? side.translation[k % 3] : side.rotation[k % 3];
}

// The pose number k moved by e: translations, then rotations about the centre of mass, of A, of B.
World moved(World w, int k, double e) {
  Pose& X = w.state.poses[index(k < 6 ? w.a : w.b)];
  if (k % 6 < 3)
    X.p[k % 3] += e;
  else
    X.R = (exp_rotation(e * Vec3::Unit(k % 3)) * X.R).normalized();
  return w;
}

bool in_plane(int k) {
  return k % 6 < 2 || k % 6 == 5;
}

// A central difference; nothing where the one-sided ones differ, at a kink.
template <class Value>
std::optional<double> slope(const World& w, int k, double e, Value value) {
  const double up = value(measured(moved(w, k, e))), down = value(measured(moved(w, k, -e))),
               here = value(measured(w));
  const double forward = (up - here) / e, backward = (here - down) / e;
  if (std::abs(forward - backward) > 1e-3 * (1 + std::abs(forward))) return std::nullopt;
  return (up - down) / (2 * e);
}

// Euclidean distance and depth by all pairs of features, r by all events; witnesses fit the gap.
TEST(Distance, OfRandomPolyhedraIsThatOfTheirFeatures) {
  for (const bool planar : {false, true}) {
    Random random(planar ? 2 : 1);
    for (int i = 0; i < 3000; ++i) {
      const PolyhedronPair pair = testing::random_pair(random, i % 2 ? 3 : 100, planar);
      const World w = world(pair);
      const Distance d = measured(w);
      const SlowRatio slow(pair);
      const double size = pair.a.outer_radius + pair.b.outer_radius;
      const double expected = slow.signed_depth() > 0 ? slow.distance() : slow.signed_depth();
      ASSERT_NEAR(d.gap, expected, 1e-11 * size) << i << " planar " << planar;
      ASSERT_NEAR(d.normal_W.norm(), 1, 1e-14);
      ASSERT_LE((d.p_WB - d.p_WA - d.gap * d.normal_W).norm(), 1e-13 * (size + 4));
      // Witnesses lie in their bodies: on all inner sides of the faces, to rounding.
      const auto outside = [](const Polyhedron& p, const Pose& X, const Vec3& x) {
        double most = -1e300;
        const Vec3 local = X.inverse() * x;
        for (const auto& f : p.faces) most = std::max(most, f.normal.dot(local) - f.offset);
        return most;
      };
      ASSERT_LE(outside(pair.a, pair.A, d.p_WA), 1e-9 * size) << i;
      ASSERT_LE(outside(pair.b, pair.B, d.p_WB), 1e-9 * size) << i;
      ASSERT_TRUE(d.ratio);
      ASSERT_NEAR(d.ratio->r, slow.r(), 1e-12 * (1 + slow.r() * size)) << i;
      ASSERT_EQ(d.ratio->r > 1, d.gap > 0) << i;
    }
  }
}

// Scaled by less than r about their centres the bodies are apart, by more they overlap: r by
// bisection on the sign of the gap.
TEST(Distance, RatioIsTheScaleAtWhichBodiesMeet) {
  Random random(3);
  for (int i = 0; i < 100; ++i) {
    const PolyhedronPair pair = testing::random_pair(random, 3, false);
    const double r = measured(world(pair)).ratio->r;
    const auto apart = [&](double t) {
      const auto scaled = [&](const Polyhedron& p) {
        return model::image(p, t * Mat3::Identity(), (1 - t) * p.center);
      };
      return SlowRatio(PolyhedronPair{scaled(pair.a), scaled(pair.b), pair.A, pair.B})
                 .signed_depth() > 0;
    };
    double low = 0.5 * r, high = 2 * r;
    ASSERT_TRUE(apart(low) && !apart(high)) << i;
    for (int k = 0; k < 40; ++k) {
      const double middle = 0.5 * (low + high);
      (apart(middle) ? low : high) = middle;
    }
    ASSERT_NEAR(low, r, 1e-10 * r) << i;
  }
}

TEST(Distance, GradientsOfPolyhedraAreDifferenceQuotients) {
  int compared = 0, kinks = 0;
  for (const bool planar : {false, true}) {
    Random random(planar ? 5 : 4);
    for (int i = 0; i < 300; ++i) {
      PolyhedronPair pair = testing::random_pair(random, 3, planar);
      if (i % 3 == 0) pair.b = pair.a;  // equal shapes share one polyhedron
      const World w = world(pair);
      const Distance d = measured(w);
      if (d.ratio->r < 0.05) continue;  // rho bends too much
      for (int k = 0; k < 12; ++k) {
        if (planar && !in_plane(k)) continue;
        const auto check = [&](auto value, double gradient) {
          const std::optional<double> s = slope(w, k, 1e-6, value);
          if (!s) return void(++kinks);
          ++compared;
          EXPECT_NEAR(*s, gradient, 1e-4 * (1 + std::abs(gradient))) << i << ' ' << k;
        };
        check([](const Distance& x) { return x.gap; }, component(d.gap_gradient, k));
        check([](const Distance& x) { return x.ratio->r; }, component(d.ratio->r_gradient, k));
        check([](const Distance& x) { return x.ratio->rho; }, component(d.ratio->rho_gradient, k));
      }
    }
  }
  EXPECT_GT(compared, 5000);
  EXPECT_LT(20 * kinks, compared);
}

// Every pair of other shapes: the gap is the best separation over directions, its gradient the
// difference quotient.
TEST(Distance, OfOtherShapesHasItsGradients) {
  Random random(6);
  testing::SlowDistance slow(false);
  const Vec3 size(0.8, 0.5, 0.6);
  const std::vector<Geometry> shapes = {Point{},
                                        Sphere{0.4},
                                        Box{size},
                                        Capsule{0.2, 0.7},
                                        Ellipsoid{Vec3(0.5, 0.3, 0.2)},
                                        Halfspace{Vec3::UnitZ()},
                                        Frustum{0.4, 0.4, 0.6},
                                        Frustum{0.5, 0, 0.7},
                                        testing::random_hull(random, 12, size)};
  int compared = 0;
  for (const Geometry& a : shapes)
    for (const Geometry& b : shapes) {
      const bool walls =
          std::holds_alternative<Halfspace>(a) && std::holds_alternative<Halfspace>(b);
      for (int i = 0; i < 3; ++i) {
        const Pose A{random.unit(), random.rotation()},
            B{A.p + random.uniform(0.9, 2) * random.unit(), random.rotation()};
        const Pose X_BS{0.3 * random.unit(), random.rotation()};
        const World w = world(body("a", a, A, {}, false), body("b", b, B, X_BS, false));
        if (walls) {
          const Result<Distance> none = measure_distance(*w.model, w.state, {w.a}, {w.b});
          ASSERT_FALSE(none);
          EXPECT_EQ(none.error()[0].code, ErrorCode::unsupported);
          continue;
        }
        const Distance d = measured(w);
        EXPECT_LE((d.p_WB - d.p_WA - d.gap * d.normal_W).norm(), 1e-13);
        if (!std::holds_alternative<Halfspace>(a) && !std::holds_alternative<Halfspace>(b)) {
          // Attained along its normal, and along no direction is there more.
          const Pose X_WS = B * X_BS;
          EXPECT_NEAR(d.gap, testing::separation(a, A, b, X_WS, d.normal_W), 1e-8);
          EXPECT_LE(slow(a, A, b, X_WS), d.gap + 1e-8) << a.index() << ' ' << b.index();
        }
        EXPECT_EQ(d.ratio.has_value(),
                  (std::holds_alternative<Box>(a) || std::holds_alternative<Hull>(a)) &&
                      (std::holds_alternative<Box>(b) || std::holds_alternative<Hull>(b)));
        for (int k = 0; k < 12; ++k)
          if (const auto s = slope(w, k, 1e-5, [](const Distance& x) { return x.gap; })) {
            ++compared;
            EXPECT_NEAR(*s, component(d.gap_gradient, k), 1e-4) << a.index() << ' ' << b.index();
          }
      }
    }
  EXPECT_GT(compared, 1000);
}

TEST(Distance, OfPlanarShapesHasItsGradientsInThePlane) {
  Random random(7);
  const std::vector<Geometry> shapes = {Disc{0.4}, Ellipse{Eigen::Vector2d(0.6, 0.3)},
                                        testing::random_polygon(random, 5)};
  for (const Geometry& a : shapes)
    for (const Geometry& b : shapes) {
      const Pose A{Vec3(0, 0, 0.5), random.turn()}, B{Vec3(1.1, 0.7, -0.3), random.turn()};
      const World w = world(body("a", a, A, {}, true), body("b", b, B, {}, true));
      const Distance d = measured(w);
      EXPECT_EQ(d.normal_W.z(), 0);
      for (int k = 0; k < 12; ++k) {
        if (!in_plane(k)) {
          EXPECT_EQ(component(d.gap_gradient, k), 0);
        } else if (const auto s = slope(w, k, 1e-6, [](const Distance& x) { return x.gap; })) {
          EXPECT_NEAR(*s, component(d.gap_gradient, k), 1e-5);
        }
      }
    }
}

// A box flat on a larger one: four corners of the upper on the face of the lower, no edges cross.
// Turned by 45 degrees and as large, eight pairs of edges cross and no corner is inside.
TEST(Distance, EventsOfStackedBoxes) {
  const auto stacked = [](double side, double angle) {
    return measured(world(body("a", Box{Vec3(2, 2, 1)}, {}, {}, false),
                          body("b", Box{Vec3(side, side, 1)},
                               {Vec3(0, 0, 1.25), exp_rotation(Vec3(0, 0, angle))}, {}, false)));
  };
  const auto count = [](const Distance& d, RatioUnit::Kind kind) {
    return std::count_if(d.ratio->events.begin(), d.ratio->events.end(),
                         [&](const RatioUnit& u) { return u.kind == kind; });
  };
  const Distance flat = stacked(1, 0.3);
  EXPECT_NEAR(flat.gap, 0.25, 1e-14);
  EXPECT_NEAR(flat.ratio->r, 1.25, 1e-14);
  EXPECT_NEAR(flat.ratio->rho, 0.2, 1e-14);
  EXPECT_EQ(count(flat, RatioUnit::Kind::face_vertex), 4);
  EXPECT_EQ(flat.ratio->events.size(), 4u);
  const Distance star = stacked(2, std::numbers::pi / 4);
  EXPECT_EQ(count(star, RatioUnit::Kind::edge_edge), 8);
  EXPECT_EQ(star.ratio->events.size(), 8u);
  for (const RatioUnit& u : star.ratio->events) {
    EXPECT_NEAR(u.r, 1.25, 1e-14);
    EXPECT_NEAR(u.separation, 0.25, 1e-14);
    EXPECT_NEAR(u.point_W.z(), 0.625, 1e-12);
  }
}

// The event that decides is one of the list, with its point, its normal and its r.
TEST(Distance, EventsHoldTheOneThatDecides) {
  Random random(8);
  for (int i = 0; i < 500; ++i) {
    PolyhedronPair pair = testing::random_pair(random, 3, i % 2 == 0);
    if (i % 3 == 0) pair.b = pair.a;  // equal shapes share one polyhedron
    const Distance d = measured(world(pair));
    ASSERT_FALSE(d.ratio->events.empty()) << i;
    double nearest = 1e300;
    for (const RatioUnit& u : d.ratio->events) {
      ASSERT_NEAR(u.r, d.ratio->r, 1e-8 * (1 + d.ratio->r));
      if (u.normal_W.dot(d.ratio->normal_W) > 1 - 1e-9)
        nearest = std::min(nearest, (u.point_W - d.ratio->point_W).norm());
    }
    ASSERT_LE(nearest, 1e-6) << i;
  }
}

// Of a body with several shapes the closest one counts; one of them can be named.
TEST(Distance, OfCompoundBodies) {
  BodyDescription a = body("a", Sphere{0.1}, {}, {}, false);
  a.shapes.push_back({Sphere{0.1}, Pose{Vec3(2, 0, 0), Quat::Identity()}, "default"});
  const World w = world(a, body("b", Sphere{0.1}, {Vec3(3, 0, 0), Quat::Identity()}, {}, false));
  EXPECT_NEAR(measured(w).gap, 0.8, 1e-14);
  EXPECT_EQ(measured(w).shape_a, 1);
  EXPECT_NEAR(measure_distance(*w.model, w.state, {w.a, 0}, {w.b})->gap, 2.8, 1e-14);
  const auto code = [&](const BodyPart& x, const BodyPart& y) {
    const Result<Distance> d = measure_distance(*w.model, w.state, x, y);
    return d ? ErrorCode::none : d.error()[0].code;
  };
  EXPECT_EQ(code({w.a, 2}, {w.b}), ErrorCode::unknown_name);
  EXPECT_EQ(code({w.a}, {w.a}), ErrorCode::conflict);
  EXPECT_EQ(code({w.a}, {static_cast<BodyId>(7)}), ErrorCode::unknown_name);
}

TEST(Distance, PlanarAndSpatialShapesHaveNone) {
  const World w =
      world(body("a", Disc{0.4}, {}, {}, true), body("b", Box{Vec3(1, 1, 1)}, {}, {}, false));
  const Result<Distance> d = measure_distance(*w.model, w.state, {w.a}, {w.b});
  ASSERT_FALSE(d);
  EXPECT_EQ(d.error()[0].code, ErrorCode::wrong_dimension);
}

}  // namespace
}  // namespace cairn::test_distance
