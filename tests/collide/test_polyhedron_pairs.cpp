// Boxes, hulls and polygons against round shapes. A contact proves itself: the planes with its
// normal that support both shapes lie `gap` apart, so the pair is no closer; its points lie in the
// shapes `gap` apart, so it is no farther. Where they overlap no direction of a sweep may part them
// sooner.
#include <gtest/gtest.h>
#include <string>

#include "collide/random_shapes.hpp"

namespace cairn::test_polyhedron_pairs {
namespace {

using namespace testing;

struct Case {
  Geometry a, b;
  Pose A, B;
  double size = 1;
};

std::vector<collide::ShapeContact> contacts(const Case& c) {
  std::vector<collide::ShapeContact> out;
  collide::collide_shapes(c.a, c.A, c.b, c.B, out);
  return out;
}

// The contact with the least gap; of equals the one whose normal parts the pair best.
collide::ShapeContact deepest(const Case& c) {
  const auto found = contacts(c);
  return *std::min_element(found.begin(), found.end(), [&](const auto& x, const auto& y) {
    return x.gap != y.gap
               ? x.gap < y.gap
               : separation(c.a, c.A, c.b, c.B, x.n_W) > separation(c.a, c.A, c.b, c.B, y.n_W);
  });
}

Geometry flat_faced(int kind, Random& random) {
  switch (kind) {
    case 0:
      return Box{{random.logarithmic(0.1, 1), random.logarithmic(0.1, 1), 1}};
    case 1:
      return random_hull(random, 4 + static_cast<int>(random.uniform(0, 30)), {1, 0.8, 0.6});
    case 2:  // sliver
      return random_hull(random, 12, {1, 0.5, 1e-3});
    default:
      return random_polygon(random, static_cast<int>(random.uniform(0, 6)));
  }
}

Geometry round_shape(const std::string& kind, Random& random) {
  if (kind == "point") return Point{};
  if (kind == "sphere") return Sphere{random.logarithmic(0.1, 1)};
  if (kind == "capsule") return Capsule{random.logarithmic(0.05, 0.5), random.logarithmic(0.2, 3)};
  if (kind == "disc") return Disc{random.logarithmic(0.1, 1)};
  if (kind == "ellipse") return Ellipse{{random.logarithmic(0.1, 1), random.logarithmic(0.1, 1)}};
  return Ellipsoid{
      {random.logarithmic(0.1, 1), random.logarithmic(0.1, 1), random.logarithmic(0.1, 1)}};
}

Case draw(int flat, const std::string& kind, Random& random) {
  Case c{flat_faced(flat, random), round_shape(kind, random), {}, {}};
  const bool planar = flat == 3;
  // A capsule in the plane: its axis z goes to x, then turns in the plane.
  const Quat lie(std::sqrt(0.5), 0, std::sqrt(0.5), 0);
  c.A.R = planar ? random.turn() : random.rotation();
  c.B.R =
      planar ? (kind == "capsule" ? Quat(random.turn() * lie) : random.turn()) : random.rotation();
  Vec3 n = random.unit();
  if (planar) n = Vec3(n.x(), n.y(), 0).normalized();
  c.B.p = random.uniform(0, 2) * n;
  return c;
}

// Is the point in the shape, to rounding?
double outside(const Geometry& g, const Pose& X, const Vec3& p_W) {
  const Vec3 p = X.inverse() * p_W;
  double most = -1e300;
  const auto behind = [&](const Polyhedron& q) {
    for (const auto& f : q.faces) most = std::max(most, f.normal.dot(p) - f.offset);
    return most;
  };
  if (const auto* s = std::get_if<Box>(&g)) return behind(box_polyhedron(s->size));
  if (const auto* s = std::get_if<Hull>(&g)) return behind(*hull_polyhedron(s->vertices));
  if (const auto* s = std::get_if<Polygon>(&g)) return behind(*polygon_polyhedron(s->vertices));
  if (const auto* s = std::get_if<Sphere>(&g)) return p.norm() - s->radius;
  if (const auto* s = std::get_if<Disc>(&g)) return p.head<2>().norm() - s->radius;
  if (const auto* s = std::get_if<Capsule>(&g)) {
    const double z = std::clamp(p.z(), -0.5 * s->length, 0.5 * s->length);
    return (p - Vec3(0, 0, z)).norm() - s->radius;
  }
  if (const auto* s = std::get_if<Ellipsoid>(&g))
    return (p.cwiseQuotient(s->radii).norm() - 1) * s->radii.minCoeff();
  if (const auto* s = std::get_if<Ellipse>(&g))
    return (p.head<2>().cwiseQuotient(s->radii).norm() - 1) * s->radii.minCoeff();
  return p.norm();
}

void expect_proof(const Case& c, const collide::ShapeContact& found, SlowDistance& sweep) {
  EXPECT_NEAR(found.n_W.norm(), 1, 1e-14);
  EXPECT_LE((found.p_WB - found.p_WA - found.gap * found.n_W).norm(), 1e-14 * 8);
  // No closer.
  EXPECT_NEAR(separation(c.a, c.A, c.b, c.B, found.n_W), found.gap, 1e-14 * 16);
  EXPECT_LE(outside(c.b, c.B, found.p_WB), 1e-13);
  if (found.gap > 0) {
    // No farther. Face normals of slivers know the vertices to rounding only: 1e-16 / 1e-3.
    EXPECT_LE(outside(c.a, c.A, found.p_WA), 1e-12);
  }
  // No direction parts them sooner.
  EXPECT_LE(sweep(c.a, c.A, c.b, c.B), found.gap + 1e-13);
}

class Polyhedra : public ::testing::TestWithParam<std::pair<int, const char*>> {};

TEST_P(Polyhedra, ContactsProveThemselves) {
  const auto [flat, kind] = GetParam();
  Random random(static_cast<unsigned>(flat) * 100 + 7);
  SlowDistance sweep(flat == 3);
  int apart = 0, overlapping = 0;
  for (int k = 0; k < 150; ++k) {
    const Case c = draw(flat, kind, random);
    const collide::ShapeContact found = deepest(c);
    expect_proof(c, found, sweep);
    ++(found.gap > 0 ? apart : overlapping);
  }
  EXPECT_GT(apart, 20);
  if (flat != 2 || std::string(kind) != "point") {  // few points fall into a sliver
    EXPECT_GT(overlapping, 5);
  }
}

// The same on both sides of the least radius of curvature, up to which the search may end early
// (E400).
TEST_P(Polyhedra, ShallowOverlapsProveThemselves) {
  const auto [flat, kind] = GetParam();
  Random random(static_cast<unsigned>(flat) * 100 + 9);
  SlowDistance sweep(flat == 3);
  for (int k = 0; k < 100; ++k) {
    Case c = draw(flat, kind, random);
    const collide::ShapeContact before = deepest(c);
    c.B.p -= (before.gap + random.logarithmic(1e-9, 0.1)) * before.n_W;
    expect_proof(c, deepest(c), sweep);
  }
}

// Moving B by u changes the gap by n.u. Where two ways out are equally short the gap has a kink:
// one side of it differs from the other there.
TEST_P(Polyhedra, GapGradientIsTheNormal) {
  const auto [flat, kind] = GetParam();
  Random random(static_cast<unsigned>(flat) * 100 + 8);
  int smooth = 0;
  for (int k = 0; k < 100; ++k) {
    Case c = draw(flat, kind, random);
    const collide::ShapeContact found = deepest(c);
    if (std::abs(found.gap) < 0.02) continue;
    const Vec3 start = c.B.p;
    const double h = 1e-6;
    Vec3 forward = Vec3::Zero(), backward = Vec3::Zero();
    for (int i = 0; i < (flat == 3 ? 2 : 3); ++i) {
      c.B.p = start + h * Vec3::Unit(i);
      forward[i] = (deepest(c).gap - found.gap) / h;
      c.B.p = start - h * Vec3::Unit(i);
      backward[i] = (found.gap - deepest(c).gap) / h;
    }
    // With the curvature q the two differ by h q (at least 1/sqrt(3) of it in one direction), their
    // mean is off by h^2 q^2 / 2 in each direction; rounding of the gap adds 1e-15 / h.
    if ((forward - backward).norm() > 1e-3) continue;
    ++smooth;
    const double bend = (forward - backward).norm();
    EXPECT_LE((0.5 * (forward + backward) - found.n_W).norm(), 3 * bend * bend + 1e-9) << k;
  }
  EXPECT_GT(smooth, 50);
}

std::vector<std::pair<int, const char*>> all_pairs() {
  std::vector<std::pair<int, const char*>> pairs;
  for (const int flat : {0, 1, 2})
    for (const char* kind : {"point", "sphere", "capsule", "ellipsoid"})
      pairs.push_back({flat, kind});
  for (const char* kind : {"point", "sphere", "capsule", "disc", "ellipse"})
    pairs.push_back({3, kind});
  return pairs;
}

std::string name_of(const ::testing::TestParamInfo<std::pair<int, const char*>>& test) {
  constexpr std::array names = {"Box", "Hull", "Sliver", "Polygon"};
  std::string kind = test.param.second;
  kind[0] = static_cast<char>(std::toupper(kind[0]));
  return names[static_cast<std::size_t>(test.param.first)] + kind;
}

INSTANTIATE_TEST_SUITE_P(Pairs, Polyhedra, ::testing::ValuesIn(all_pairs()), name_of);

// The closed form of the box and the search over its hull are independent of each other.
TEST(HullPairs, BoxAsHullMeetsBallsAsTheBoxDoes) {
  Random random(21);
  for (int k = 0; k < 500; ++k) {
    const Box box{{random.logarithmic(0.01, 1), random.uniform(0.1, 1), 1}};
    const Hull hull{hull_polyhedron(box_polyhedron(box.size).vertices)->vertices};
    const Pose A{random.unit(), random.rotation()};
    const Pose B{A.p + random.uniform(0, 1.5) * random.unit(), random.rotation()};
    const auto one = only_contact(box, A, Sphere{0.1}, B),
               other = only_contact(hull, A, Sphere{0.1}, B);
    EXPECT_NEAR(one.gap, other.gap, 1e-14);
    EXPECT_LE((one.n_W - other.n_W).norm(), 1e-12);
    EXPECT_LE((one.p_WA - other.p_WA).norm(), 1e-12);
  }
}

// The gap falls through zero without a jump: pushing B along -n from touch by d makes the gap -d,
// over faces, edges and corners.
TEST(HullPairs, ShallowOverlapContinuesTheDistance) {
  Random random(22);
  for (const int flat : {0, 1, 3})
    for (const char* kind : {"sphere", "capsule", "ellipsoid", "ellipse", "disc"}) {
      if ((flat == 3) != (std::string(kind) == "ellipse" || std::string(kind) == "disc") &&
          std::string(kind) != "capsule")
        continue;
      for (int k = 0; k < 200; ++k) {
        Case c = draw(flat, kind, random);
        const collide::ShapeContact found = deepest(c);
        if (found.gap <= 0) continue;
        for (const double depth : {0.0, 1e-12, 1e-6, 1e-3}) {
          Case moved = c;
          moved.B.p -= (found.gap + depth) * found.n_W;
          EXPECT_NEAR(deepest(moved).gap, -depth, 1e-14 * 8) << flat << kind << k;
        }
      }
    }
}

TEST(HullPairs, EveryVertexMeetsAHalfspace) {
  Random random(23);
  const Hull hull = random_hull(random, 20, {1, 2, 3});
  const Pose A{{0, 0, 1}, random.rotation()}, B{{3, 0, 4}, random.rotation()};
  const Vec3 n = A.R * Vec3::UnitZ();
  std::vector<collide::ShapeContact> found;
  collide::collide_shapes(Halfspace{}, A, hull, B, found);
  ASSERT_EQ(found.size(), hull.vertices.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].feature, (Features{0, static_cast<std::uint32_t>(i)}));
    EXPECT_NEAR(found[i].gap, n.dot(B * hull.vertices[i] - A.p), 1e-14);
  }
}

TEST(HullPairs, PolygonOnALineMeetsItWithEveryCorner) {
  const Polygon square{{{-1, -1}, {1, -1}, {1, 1}, {-1, 1}}};
  std::vector<collide::ShapeContact> found;
  collide::collide_shapes(square, {{0, 3, 7}, exp_rotation({0, 0, 0.3})}, Halfspace{Vec3::UnitY()},
                          {}, found);
  ASSERT_EQ(found.size(), 4u);
  for (const collide::ShapeContact& c : found) {
    const double angle = std::atan2(square.vertices[static_cast<std::size_t>(c.feature.a)].y(),
                                    square.vertices[static_cast<std::size_t>(c.feature.a)].x());
    EXPECT_NEAR(c.gap, 3 + std::sqrt(2.0) * std::sin(angle + 0.3), 1e-14);
    EXPECT_EQ(c.n_W, Vec3(0, -1, 0));
    EXPECT_EQ(c.p_WA.z(), 7);
  }
}

//     (=====+===)        capsule along x over the top of a box, from x = -0.5 to 2.5; the box ends
//     at 1
//   +-------+
TEST(CapsuleOnFace, TouchesAtBothEndsOfThePartOverTheFace) {
  const Quat along_x(std::sqrt(0.5), 0, std::sqrt(0.5), 0);
  const Box box{{2, 2, 2}};
  for (const double tilt : {0.0, 1e-9, -1e-9, 1e-4, -1e-4, 0.1, -0.1})
    for (const bool opposite : {false, true}) {
      const Quat turn =
          exp_rotation({0, -tilt, 0}) * exp_rotation({0, 0, opposite ? std::numbers::pi : 0});
      const Case c{box, Capsule{0.25, 3}, {}, {{1, 0, 2}, turn * along_x}};
      const auto found = contacts(c);
      ASSERT_EQ(found.size(), 2u) << tilt;
      for (const collide::ShapeContact& f : found) {
        const bool inner = (f.feature.b == 1) != opposite;
        EXPECT_NEAR(f.p_WB.x(), inner ? 1 - 1.5 * std::cos(tilt) : 1, std::abs(tilt) + 1e-12);
        // Height of the axis' end over the face; at the edge over the face or across the axis.
        const double at_edge = (tilt < 0 ? std::cos(tilt) : 1) - 0.25;
        EXPECT_NEAR(f.gap, inner ? 0.75 - 1.5 * std::sin(tilt) : at_edge, 1e-14);
        EXPECT_GT(f.n_W.z(), 0.99);
      }
    }
}

TEST(CapsuleOnFace, OneContactWhereItStandsOrCrossesAnEdge) {
  const Quat along_x(std::sqrt(0.5), 0, std::sqrt(0.5), 0);
  const Box box{{2, 2, 2}};
  EXPECT_EQ(contacts({box, Capsule{0.25, 3}, {}, {{0, 0, 4}, Quat::Identity()}}).size(), 1u);
  // Across the edge x = z = 1 at 45 degrees to both faces.
  const auto found =
      contacts({box,
                Capsule{0.25, 3},
                {},
                {{1.5, 0, 1.5}, exp_rotation({0, std::numbers::pi / 4, 0}) * along_x}});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].feature, Features{});
  EXPECT_NEAR(found[0].gap, std::sqrt(0.5) - 0.25, 1e-15 * 4);
}

// In the plane: a capsule on a side of a polygon.
TEST(CapsuleOnFace, InThePlane) {
  const Quat along_x(std::sqrt(0.5), 0, std::sqrt(0.5), 0);
  const Polygon square{{{-1, -1}, {1, -1}, {1, 1}, {-1, 1}}};
  const auto found =
      contacts({square, Capsule{0.25, 1}, {{0, 0, 5}, Quat::Identity()}, {{0.8, 2, 3}, along_x}});
  ASSERT_EQ(found.size(), 2u);
  for (const collide::ShapeContact& f : found) {
    EXPECT_NEAR(f.gap, 0.75, 1e-15);
    EXPECT_NEAR(f.p_WA.x(), f.feature.b == 1 ? 0.3 : 1, 1e-15);
    EXPECT_EQ(f.p_WA.z(), 3);  // where the capsule is
    EXPECT_LE((f.n_W - Vec3::UnitY()).norm(), 1e-15);
  }
}

// Two planar shapes: half-way between their planes.
TEST(HullPairs, PlanesOfPolygonAndDisc) {
  const Polygon square{{{-1, -1}, {1, -1}, {1, 1}, {-1, 1}}};
  const auto c =
      only_contact(square, {{0, 0, 1}, Quat::Identity()}, Disc{1}, {{4, 0, 2}, Quat::Identity()});
  EXPECT_EQ(c.p_WA, Vec3(1, 0, 1.5));
  EXPECT_EQ(c.p_WB, Vec3(3, 0, 1.5));
  EXPECT_EQ(c.gap, 2);
}

}  // namespace
}  // namespace cairn::test_polyhedron_pairs
