// What changes no bit: scaling by powers of two, exchanging A and B, mirrors. And the degenerate
// cases, which must be finite.
#include <array>
#include <gtest/gtest.h>

#include "collide/random_shapes.hpp"

namespace cairn::test_symmetry {
namespace {

using namespace testing;

Geometry scaled(const Geometry& g, double k) {
  if (const auto* s = std::get_if<Sphere>(&g)) return Sphere{k * s->radius};
  if (const auto* s = std::get_if<Box>(&g)) return Box{k * s->size};
  if (const auto* s = std::get_if<Capsule>(&g)) return Capsule{k * s->radius, k * s->length};
  if (const auto* s = std::get_if<Ellipsoid>(&g)) return Ellipsoid{k * s->radii};
  if (const auto* s = std::get_if<Disc>(&g)) return Disc{k * s->radius};
  if (const auto* s = std::get_if<Ellipse>(&g)) return Ellipse{k * s->radii};
  if (const auto* s = std::get_if<Frustum>(&g))
    return Frustum{k * s->radius, k * s->top_radius, k * s->length};
  Geometry out = g;
  if (auto* s = std::get_if<Hull>(&out))
    for (Vec3& v : s->vertices) v *= k;
  if (auto* s = std::get_if<Polygon>(&out))
    for (auto& v : s->vertices) v *= k;
  return out;
}

// The mirror image across x = 0, with the vertices in the order of a model.
Geometry mirrored(const Geometry& g) {
  Geometry out = g;
  if (auto* s = std::get_if<Halfspace>(&out)) s->normal.x() *= -1;
  if (auto* s = std::get_if<Hull>(&out)) {
    for (Vec3& v : s->vertices) v.x() *= -1;
    s->vertices = hull_polyhedron(s->vertices)->vertices;
  }
  if (auto* s = std::get_if<Polygon>(&out)) {
    for (auto& v : s->vertices) v.x() *= -1;
    const Polyhedron p = *polygon_polyhedron(s->vertices);
    for (std::size_t i = 0; i < p.vertices.size(); ++i) s->vertices[i] = p.vertices[i].head<2>();
  }
  return out;
}

struct Pair {
  Geometry a, b;
  Pose A, B;
};

// Every pair that has a function, at random poses and distances from deep overlap to far away.
std::vector<Pair> random_pairs(unsigned seed, int rounds) {
  Random random(seed);
  std::vector<Pair> pairs;
  for (int k = 0; k < rounds; ++k) {
    const auto all = [&]() -> std::array<Geometry, 12> {
      const double radius = random.uniform(0.3, 1);
      return {Point{},
              Sphere{random.uniform(0.5, 1)},
              Box{{random.uniform(0.5, 1), 1, random.uniform(0.5, 1)}},
              Capsule{random.uniform(0.1, 1), random.uniform(0.5, 2)},
              Ellipsoid{{random.logarithmic(0.01, 1), random.uniform(0.2, 1), 1}},
              Halfspace{random.unit()},
              Disc{random.uniform(0.5, 1)},
              Ellipse{{random.logarithmic(0.01, 1), 1}},
              random_hull(random, 10, {1, random.uniform(0.3, 1), random.uniform(0.1, 1)}),
              random_polygon(random, 3),
              Frustum{radius, radius, random.uniform(0.1, 2)},
              Frustum{random.uniform(0.1, 1), random.uniform(0, 0.5), 1}};
    };
    const auto as = all(), bs = all();
    for (const Geometry& a : as)
      for (const Geometry& b : bs) {
        if (!collide::can_collide(a, b)) continue;
        // Planar shapes share one plane, which may lie anywhere in space.
        const bool flat = is_planar(a) || is_planar(b);
        const Quat plane = random.rotation();
        const auto rotation = [&] {
          return flat ? (plane * random.turn()).normalized() : random.rotation();
        };
        const Pose A{random.unit(), rotation()};
        pairs.push_back({a, b, A, {A.p + random.uniform(0, 3) * random.unit(), rotation()}});
      }
  }
  return pairs;
}

std::vector<collide::ShapeContact> contacts(const Pair& p) {
  std::vector<collide::ShapeContact> out;
  collide::collide_shapes(p.a, p.A, p.b, p.B, out);
  return out;
}

TEST(Narrowphase, ScalingByPowersOfTwoChangesNoBit) {
  for (const Pair& p : random_pairs(1, 100)) {
    const auto found = contacts(p);
    for (const double k : {0x1p-30, 0x1p7, 0x1p40}) {
      const auto big =
          contacts({scaled(p.a, k), scaled(p.b, k), {k * p.A.p, p.A.R}, {k * p.B.p, p.B.R}});
      ASSERT_EQ(found.size(), big.size());
      for (std::size_t i = 0; i < found.size(); ++i) {
        EXPECT_EQ(found[i].n_W, big[i].n_W);
        EXPECT_EQ(k * found[i].gap, big[i].gap);
        EXPECT_EQ(k * found[i].p_WA, big[i].p_WA);
        EXPECT_EQ(k * found[i].p_WB, big[i].p_WB);
        EXPECT_EQ(found[i].feature, big[i].feature);
      }
    }
  }
}

TEST(Narrowphase, ExchangingTheShapesTurnsTheNormalBitForBit) {
  for (const Pair& p : random_pairs(2, 200)) {
    const auto found = contacts(p), other = contacts({p.b, p.a, p.B, p.A});
    ASSERT_EQ(found.size(), other.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_EQ(found[i].n_W, Vec3(-other[i].n_W)) << type_name(p.a) << " " << type_name(p.b);
      EXPECT_EQ(found[i].gap, other[i].gap);
      EXPECT_EQ(found[i].p_WA, other[i].p_WB);
      EXPECT_EQ(found[i].p_WB, other[i].p_WA);
      EXPECT_EQ(found[i].feature, (Features{other[i].feature.b, other[i].feature.a}));
    }
  }
}

// A mirror across an axis plane turns signs only. Shapes are their own mirror images (halfspaces:
// turn their normal).
TEST(Narrowphase, MirrorImagesHaveTheMirroredContact) {
  const Vec3 mirror(-1, 1, 1);
  const auto seen = [&](const Pose& X) {
    return Pose{mirror.cwiseProduct(X.p), Quat(X.R.w(), X.R.x(), -X.R.y(), -X.R.z())};
  };
  for (const Pair& p : random_pairs(3, 100)) {
    const Pair image{mirrored(p.a), mirrored(p.b), seen(p.A), seen(p.B)};
    const auto found = contacts(p), other = contacts(image);
    ASSERT_EQ(found.size(), other.size());
    // Corners and caps trade places; compare the sets by the closest point.
    for (const collide::ShapeContact& c : found) {
      double miss = 1e300;
      for (const collide::ShapeContact& o : other)
        miss = std::min(miss, (mirror.cwiseProduct(c.p_WA) - o.p_WA).norm() +
                                  (mirror.cwiseProduct(c.p_WB) - o.p_WB).norm() +
                                  (mirror.cwiseProduct(c.n_W) - o.n_W).norm() +
                                  std::abs(c.gap - o.gap));
      // Same-type pairs may be computed in the other order: rounding, magnified by flatness 100.
      EXPECT_LE(miss, 1e-12) << type_name(p.a) << " " << type_name(p.b);
    }
  }
}

// Equal centres: a unit normal, the depth of the shortest way out, no NaN.
TEST(Narrowphase, CoincidentCentresPartTheShortestWay) {
  struct {
    Geometry a, b;
    double depth;
  } const cases[] = {
      {Sphere{1}, Sphere{2}, 3},
      {Point{}, Sphere{2}, 2},
      {Disc{1}, Disc{2}, 3},
      {Point{}, Disc{2}, 2},
      {Ellipsoid{{3, 0.5, 2}}, Sphere{1}, 1.5},
      {Ellipsoid{{3, 0.5, 2}}, Ellipsoid{{3, 0.5, 2}}, 1},
      {Ellipsoid{{1, 1, 1}}, Point{}, 1},
      {Ellipse{{3, 0.5}}, Disc{1}, 1.5},
      {Ellipse{{3, 0.5}}, Ellipse{{2, 0.25}}, 0.75},
      {Capsule{0.5, 2}, Sphere{1}, 1.5},
      {Capsule{0.5, 2}, Capsule{0.5, 2}, 1},
      {Capsule{0.5, 0}, Capsule{0.5, 2}, 1},
      {Capsule{0.5, 0}, Capsule{0.5, 0}, 1},
      {Capsule{0.5, 0}, Sphere{0.5}, 1},
      {Box{{2, 4, 6}}, Sphere{1}, 2},
      {Box{{2, 4, 6}}, Capsule{1, 8}, 2},
      {Box{{2, 4, 6}}, Ellipsoid{{0.5, 3, 3}}, 1.5},
      {Hull{{{-1, -2, -3},
             {-1, -2, 3},
             {-1, 2, -3},
             {-1, 2, 3},
             {1, -2, -3},
             {1, -2, 3},
             {1, 2, -3},
             {1, 2, 3}}},
       Point{}, 1},
      {Polygon{{{-1, -2}, {1, -2}, {1, 2}, {-1, 2}}}, Disc{1}, 2},
      {Polygon{{{-1, -2}, {1, -2}, {1, 2}, {-1, 2}}}, Ellipse{{0.5, 5}}, 1.5},
  };
  for (const auto& c : cases)
    for (const Pose& X : {Pose{}, Pose{{1, 2, 3}, exp_rotation({0.1, 0.7, -0.4})}}) {
      const collide::ShapeContact found = only_contact(c.a, X, c.b, X);
      EXPECT_NEAR(found.gap, -c.depth, 1e-14) << type_name(c.a) << " " << type_name(c.b);
      EXPECT_NEAR(found.n_W.norm(), 1, 1e-15);
      EXPECT_LE((found.p_WB - found.p_WA - found.gap * found.n_W).norm(), 1e-14);
    }
}

// Points of planar shapes: in the plane of the other body's centre, half-way between two planar
// shapes.
TEST(Planar, OutOfPlaneCoordinates) {
  const auto planar = only_contact(Disc{1}, {{0, 0, 1}, Quat::Identity()}, Ellipse{{1, 2}},
                                   {{5, 0, 2}, Quat::Identity()});
  EXPECT_EQ(planar.p_WA, Vec3(1, 0, 1.5));
  EXPECT_EQ(planar.p_WB, Vec3(4, 0, 1.5));
  EXPECT_EQ(planar.gap, 3);
  const auto mixed = only_contact(Sphere{1}, {{0, 0, 1}, Quat::Identity()}, Disc{1},
                                  {{5, 0, 2}, Quat::Identity()});
  EXPECT_EQ(mixed.p_WA, Vec3(1, 0, 1));
  EXPECT_EQ(mixed.p_WB, Vec3(4, 0, 1));
  EXPECT_EQ(mixed.n_W, Vec3(1, 0, 0));
}

const Quat along_x(std::sqrt(0.5), 0, std::sqrt(0.5), 0);  // turns z to x

//   A  (=========)        overlap from x = 0 to x = 1, gap 3 - 0.5 - 0.25
//   B       (=========)
TEST(Capsules, ParallelOnesTouchAtBothEndsOfTheOverlap) {
  for (const double tilt : {0.0, 1e-8}) {
    for (const bool opposite : {false, true}) {
      const Pose A{{0, 0, 0}, along_x};
      const Quat turn = exp_rotation({0, 0, opposite ? std::numbers::pi + tilt : tilt});
      const Pair p{Capsule{0.5, 2}, Capsule{0.25, 4}, A, {{2, 3, 0}, turn * along_x}};
      const auto found = contacts(p);
      ASSERT_EQ(found.size(), 2u);
      for (std::size_t i = 0; i < 2; ++i) {
        EXPECT_EQ(found[i].feature.a, i + 1);
        EXPECT_NEAR(found[i].gap, 2.25, 1e-7);
        EXPECT_NEAR(found[i].p_WA.x(), i == 0 ? 0 : 1, 1e-7);  // along A's axis
      }
      const auto other = contacts({p.b, p.a, p.B, p.A});
      ASSERT_EQ(other.size(), 2u);
      for (std::size_t i = 0; i < 2; ++i) {
        // Numbered along the axis of the capsule that comes first.
        const collide::ShapeContact& same = found[opposite ? 1 - i : i];
        EXPECT_EQ(other[i].feature.a, i + 1);
        EXPECT_EQ(other[i].gap, same.gap);
        EXPECT_EQ(other[i].p_WA, same.p_WB);
        EXPECT_EQ(other[i].n_W, Vec3(-same.n_W));
      }
    }
  }
}

TEST(Capsules, CollinearAndCrossingOnes) {
  const Pose A{{0, 0, 0}, along_x};
  // End to end: one contact along the axis.
  auto found = contacts({Capsule{0.5, 2}, Capsule{0.5, 2}, A, {{4, 0, 0}, along_x}});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NEAR(found[0].gap, 1, 1e-15 * 4);
  EXPECT_NEAR((found[0].n_W - Vec3::UnitX()).norm(), 0, 1e-15);
  // Axes that cross part across both.
  found = contacts({Capsule{0.5, 2}, Capsule{0.5, 2}, A, {}});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NEAR(found[0].gap, -1, 1e-15 * 4);
  EXPECT_NEAR(std::abs(found[0].n_W.y()), 1, 1e-15);
}

// Nearly parallel axes that cross at a distance of 1: the least distance is 1 at any angle.
TEST(Capsules, DistanceSurvivesSmallAngles) {
  for (double angle = 1; angle > 1e-12; angle *= 0.25) {
    const Quat tilt = exp_rotation({0, 0, angle});
    double least = 1e300;
    for (const collide::ShapeContact& c : contacts({Capsule{0.1, 20},
                                                    Capsule{0.2, 20},
                                                    {{0.1, 0, 0}, along_x},
                                                    {{0, 0, 1}, tilt * along_x}})) {
      least = std::min(least, c.gap);
      EXPECT_LE((c.p_WB - c.p_WA - c.gap * c.n_W).norm(), 1e-14);
    }
    EXPECT_NEAR(least, 0.7, 1e-11) << angle;
  }
}

}  // namespace
}  // namespace cairn::test_symmetry
