// Convex hulls, intersections of halfspaces and polygons: closed surfaces, canonical order, exact
// scaling, mass against closed forms.
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <numbers>
#include <random>

#include "cairn/model.hpp"
#include "cairn/polyhedron.hpp"
#include "model/shape/mass_properties.hpp"

namespace cairn::test_hull {
namespace {

using Points = std::vector<Vec3>;
using Points2 = std::vector<Eigen::Vector2d>;
constexpr double eps = std::numeric_limits<double>::epsilon();

Polyhedron hull(const Points& points) {
  Result<Polyhedron> p = hull_polyhedron(points);
  if (p) return *p;
  ADD_FAILURE() << p.error()[0].text();
  return {};
}

Points box_points(const Vec3& size) {
  return box_polyhedron(size).vertices;
}

double uniform(std::mt19937& engine, double lo, double hi) {
  return lo + (hi - lo) * 0x1p-32 * static_cast<double>(engine());
}

Points random_points(unsigned seed, int n, const Vec3& size) {
  std::mt19937 engine(seed);
  Points points;
  for (int i = 0; i < n; ++i)
    points.emplace_back(size.x() * uniform(engine, -1, 1), size.y() * uniform(engine, -1, 1),
                        size.z() * uniform(engine, -1, 1));
  return points;
}

void expect_same(const Polyhedron& a, const Polyhedron& b, double scale = 1) {
  ASSERT_EQ(a.vertices.size(), b.vertices.size());
  ASSERT_EQ(a.faces.size(), b.faces.size());
  for (std::size_t i = 0; i < a.vertices.size(); ++i)
    EXPECT_EQ(Vec3(scale * a.vertices[i]), b.vertices[i]);
  for (std::size_t i = 0; i < a.faces.size(); ++i) {
    EXPECT_EQ(a.faces[i].normal, b.faces[i].normal);
    EXPECT_EQ(scale * a.faces[i].offset, b.faces[i].offset);
  }
  EXPECT_EQ(a.face_vertices, b.face_vertices);
  EXPECT_EQ(Vec3(scale * a.center), b.center);
  EXPECT_EQ(scale * a.inner_radius, b.inner_radius);
  EXPECT_EQ(scale * a.outer_radius, b.outer_radius);
}

// Euler's formula; area vectors add up to zero; every point lies behind every face; a vertex is in
// three faces or more; vertices, loops and faces are in order.
void expect_closed(const Polyhedron& p, const Points& points) {
  EXPECT_EQ(p.vertices.size() + p.faces.size(), p.edges.size() + 2);
  Vec3 area = Vec3::Zero();
  std::vector<int> faces_of(p.vertices.size(), 0);
  std::vector<std::vector<int>> loops;
  for (std::size_t f = 0; f < p.faces.size(); ++f) {
    const auto loop = p.loop(static_cast<int>(f));
    const Polyhedron::Face& face = p.faces[f];
    for (std::size_t i = 0; i < loop.size(); ++i) {
      ++faces_of[static_cast<std::size_t>(loop[i])];
      area += p.vertices[static_cast<std::size_t>(loop[i])].cross(
          p.vertices[static_cast<std::size_t>(loop[(i + 1) % loop.size()])]);
    }
    for (const Vec3& v : points) EXPECT_LE(face.normal.dot(v) - face.offset, 1e-9 * p.outer_radius);
    EXPECT_EQ(*std::min_element(loop.begin(), loop.end()), loop[0]);
    loops.emplace_back(loop.begin(), loop.end());
  }
  EXPECT_LE(area.norm(), 1e-13 * p.outer_radius * p.outer_radius);
  EXPECT_GE(*std::min_element(faces_of.begin(), faces_of.end()), 3);
  EXPECT_TRUE(std::is_sorted(loops.begin(), loops.end()));
  for (std::size_t i = 1; i < p.vertices.size(); ++i)
    EXPECT_TRUE(std::lexicographical_compare(p.vertices[i - 1].data(), p.vertices[i - 1].data() + 3,
                                             p.vertices[i].data(), p.vertices[i].data() + 3));
}

TEST(Hull, BoxHasSixFacesHoweverItIsTurnedAndWhateverLiesInside) {
  std::mt19937 engine(7);
  for (int k = 0; k < 50; ++k) {
    const Quat R =
        exp_rotation(random_points(static_cast<unsigned>(engine()), 1, Vec3::Constant(2))[0]);
    const Vec3 shift =
        random_points(static_cast<unsigned>(engine()), 1, Vec3::Constant(k < 25 ? 0 : 100))[0];
    Points points;
    // 5 x 5 x 5 points: corners, points on edges and faces, and inside.
    for (int i = 0; i < 125; ++i)
      points.push_back(R * Vec3(i % 5 * 0.25 * 1.1, i / 5 % 5 * 0.25 * 0.3, i / 25 * 0.25 * 2.7) +
                       shift);
    const Polyhedron p = hull(points);
    EXPECT_EQ(p.vertices.size(), 8u);
    EXPECT_EQ(p.faces.size(), 6u);
    EXPECT_EQ(p.edges.size(), 12u);
    expect_closed(p, points);
    EXPECT_LE((p.center - (R * Vec3(0.55, 0.15, 1.35) + shift)).norm(), 1e-12);
    EXPECT_NEAR(p.inner_radius, 0.15, 1e-12);
  }
}

TEST(Hull, OrderOfThePointsChangesNoBit) {
  Points points = random_points(3, 200, Vec3(1, 2, 3));
  const Polyhedron p = hull(points);
  expect_closed(p, points);
  std::mt19937 engine(5);
  for (int k = 0; k < 10; ++k) {
    std::shuffle(points.begin(), points.end(), engine);
    points.push_back(points[static_cast<std::size_t>(k)]);  // twice the same point
    expect_same(p, hull(points));
  }
  expect_same(p, hull(p.vertices));
}

TEST(Hull, ScalingByPowersOfTwoIsExact) {
  const Points points = random_points(4, 60, Vec3(1, 0.01, 2));
  for (const double k : {0x1p-80, 0x1p-3, 0x1p70}) {
    Points scaled;
    for (const Vec3& p : points) scaled.push_back(k * p);
    expect_same(hull(points), hull(scaled), k);
  }
}

TEST(Hull, SliversAndNeedles) {
  for (unsigned seed = 0; seed < 40; ++seed)
    for (const Vec3& size : {Vec3(1, 1, 1e-3), Vec3(1, 1e-3, 1e-3), Vec3(1, 1e-3, 1e-6)}) {
      const Points points = random_points(seed, 4 + static_cast<int>(seed), size);
      const Polyhedron p = hull(points);
      expect_closed(p, points);
      EXPECT_GT(p.inner_radius, 0);
    }
  // A plate 1:1000 made of many coplanar points, turned.
  const Quat R = exp_rotation({0.3, 0.2, -0.7});
  Points plate;
  for (int i = 0; i < 11; ++i)
    for (int k = 0; k < 11; ++k)
      for (const double z : {0.0, 0.001}) plate.push_back(R * Vec3(0.1 * i, 0.1 * k, z));
  EXPECT_EQ(hull(plate).faces.size(), 6u);
}

// Points of a sphere are all extreme; F and E follow from triangles.
TEST(Hull, PointsOfASphereAreAllVertices) {
  Points points = random_points(9, 500, Vec3::Ones());
  for (Vec3& p : points) p.normalize();
  const Polyhedron p = hull(points);
  EXPECT_EQ(p.vertices.size(), points.size());
  EXPECT_EQ(p.faces.size(), 2 * points.size() - 4);
  expect_closed(p, points);
}

TEST(Hull, TooManyEdgesAreTold) {
  Points points = random_points(11, 11000, Vec3::Ones());
  for (Vec3& p : points) p.normalize();
  const Result<Polyhedron> p = hull_polyhedron(points);
  ASSERT_FALSE(p.has_value());
  EXPECT_EQ(p.error()[0].code, ErrorCode::too_many);
  EXPECT_NE(p.error()[0].allowed.find("32767"), std::string::npos);
}

TEST(Hull, WhatHasNoVolumeIsTold) {
  const double nan_value = std::numeric_limits<double>::quiet_NaN();
  struct {
    Points points;
    const char* path;
    ErrorCode code;
  } const cases[] = {
      {{}, "", ErrorCode::wrong_size},
      {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, "", ErrorCode::wrong_size},
      {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}}, "", ErrorCode::degenerate},
      {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 1e-12}}, "", ErrorCode::degenerate},
      {{{0, 0, 0}, {1, 1, 1}, {2, 2, 2}, {3, 3, 3}, {5, 5, 5}}, "", ErrorCode::degenerate},
      {{{1, 2, 3}, {1, 2, 3}, {1, 2, 3}, {1, 2, 3}}, "", ErrorCode::degenerate},
      {{{0, 0, 0}, {1, 0, 0}, {0, nan_value, 0}, {0, 0, 1}}, "[2]", ErrorCode::out_of_range},
      {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1e31}}, "[3]", ErrorCode::out_of_range},
  };
  for (const auto& c : cases) {
    const Result<Polyhedron> p = hull_polyhedron(c.points);
    ASSERT_FALSE(p.has_value()) << code_name(c.code);
    EXPECT_EQ(p.error()[0].path, c.path);
    EXPECT_EQ(p.error()[0].code, c.code) << p.error()[0].text();
    EXPECT_FALSE(p.error()[0].fix.empty());
  }
}

// ---- A x <= b

TEST(Intersection, CubeFromItsFacesIsExact) {
  const Points A = {{2, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -4, 0}, {0, 0, 1}, {0, 0, -1}, {1, 1, 1}};
  const std::vector<double> b = {2, 1, 1, 4, 1, 1, 100};  // the last one does not touch
  const auto v = intersection_vertices(A, b);
  ASSERT_TRUE(v.has_value()) << v.error()[0].text();
  ASSERT_EQ(v->size(), 8u);
  for (const Vec3& p : *v) EXPECT_LE((p.cwiseAbs() - Vec3::Ones()).norm(), 4 * eps);
}

// The faces of a random hull give back its vertices, far from the origin and at any scale.
TEST(Intersection, FacesOfAHullGiveItsVertices) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    const Vec3 size = seed % 3 == 0   ? Vec3(1, 1, 1)
                      : seed % 3 == 1 ? Vec3(1, 1, 0.01)
                                      : Vec3(1, 0.01, 0.01);
    Points points = random_points(seed, 5 + static_cast<int>(seed), size);
    const Vec3 shift = random_points(seed + 99, 1, Vec3::Constant(seed % 2 ? 3 : 0))[0];
    for (Vec3& p : points) p += shift;
    const Polyhedron p = hull(points);
    Points A;
    std::vector<double> b;
    for (const Polyhedron::Face& f : p.faces) A.push_back(f.normal), b.push_back(f.offset);
    const auto v = intersection_vertices(A, b);
    ASSERT_TRUE(v.has_value()) << seed << " " << v.error()[0].text();
    // Slivers of random hulls turn rounding into up to 1e5 times as much.
    for (const Vec3& q : p.vertices) {
      double miss = 1;
      for (const Vec3& w : *v) miss = std::min(miss, (w - q).norm());
      EXPECT_LE(miss, 1e-9) << seed;
    }
    for (const Vec3& w : *v)
      for (std::size_t i = 0; i < A.size(); ++i) EXPECT_LE(A[i].dot(w) - b[i], 1e-9);
  }
}

TEST(Intersection, ScalingByPowersOfTwoIsExact) {
  const Points A = {{1, 0.1, 0},  {-1, 0.2, 0}, {0.1, 1, 0.3},
                    {0, -1, 0.1}, {0.2, 0, 1},  {0, 0.3, -1}};
  std::vector<double> b = {1, 2, 1.5, 1, 0.7, 1.1};
  const auto v = intersection_vertices(A, b);
  for (double& x : b) x *= 0x1p30;
  const auto w = intersection_vertices(A, b);
  ASSERT_TRUE(v && w);
  ASSERT_EQ(v->size(), w->size());
  for (std::size_t i = 0; i < v->size(); ++i) EXPECT_EQ(Vec3(0x1p30 * (*v)[i]), (*w)[i]);
}

TEST(Intersection, EmptyFlatAndOpenOnesAreTold) {
  const Points cube = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
  const Points open(cube.begin(), cube.end() - 1), tube(cube.begin(), cube.end() - 2);
  const Points slab(cube.begin(), cube.begin() + 2);
  struct {
    Points A;
    std::vector<double> b;
    const char* path;
    ErrorCode code;
  } const cases[] = {
      {{}, {}, "A", ErrorCode::unbounded},
      {{{0, 0, 1}}, {1}, "A", ErrorCode::unbounded},
      {slab, {1, 1}, "A", ErrorCode::unbounded},
      {slab, {1, -2}, "b", ErrorCode::no_interior},
      {open, {1, 1, 1, 1, 1}, "A", ErrorCode::unbounded},
      {tube, {1, 1, 1, 1}, "A", ErrorCode::unbounded},
      {cube, {1, 1, 1, 1, 1, -2}, "b", ErrorCode::no_interior},
      {cube, {1, 1, 1, 1, 1, -1}, "b", ErrorCode::no_interior},
      {cube, {1, 1, 1, 1, 1}, "b", ErrorCode::wrong_size},
      {{{1, 0, 0}, {0, 0, 0}}, {1, 1}, "A[1]", ErrorCode::zero_vector},
      {slab, {1, std::numeric_limits<double>::infinity()}, "b[1]", ErrorCode::out_of_range},
  };
  for (const auto& c : cases) {
    const auto v = intersection_vertices(c.A, c.b);
    ASSERT_FALSE(v.has_value()) << code_name(c.code);
    EXPECT_EQ(v.error()[0].path, c.path) << v.error()[0].text();
    EXPECT_EQ(v.error()[0].code, c.code) << v.error()[0].text();
  }
}

// ---- Polygons

TEST(Polygon, EitherSenseAndAnyStartGiveOnePolygon) {
  const Points2 given = {{0, 0}, {2, 0}, {2.5, 1}, {2, 2}, {1, 2}, {0, 2}};  // {1, 2} is on a side
  const Polyhedron p = *polygon_polyhedron(given);
  EXPECT_TRUE(p.planar);
  EXPECT_EQ(p.vertices.size(), 5u);
  EXPECT_EQ(p.vertices[0], Vec3::Zero());
  EXPECT_EQ(p.faces[0].normal, Vec3(0, -1, 0));
  EXPECT_TRUE(p.edges.empty());
  for (std::size_t start = 0; start < 6; ++start)
    for (const bool turned : {false, true}) {
      Points2 points = given;
      std::rotate(points.begin(), points.begin() + static_cast<std::ptrdiff_t>(start),
                  points.end());
      if (turned) std::reverse(points.begin(), points.end());
      const Polyhedron q = *polygon_polyhedron(points);
      EXPECT_EQ(q.vertices, p.vertices);
      EXPECT_EQ(q.center, p.center);
      EXPECT_EQ(q.inner_radius, p.inner_radius);
    }
}

TEST(Polygon, FaultsAreNamedAtTheirVertex) {
  struct {
    Points2 points;
    const char* path;
    ErrorCode code;
  } const cases[] = {
      {{{0, 0}, {1, 0}}, "", ErrorCode::wrong_size},
      {{{0, 0}, {2, 0}, {2, 2}, {1, 0.5}, {0, 2}}, "[3]", ErrorCode::not_convex},
      {{{0, 2}, {1, 0.5}, {2, 2}, {2, 0}, {0, 0}}, "[1]", ErrorCode::not_convex},
      {{{0, 0}, {1, 0}, {2, 0}}, "", ErrorCode::degenerate},
      {{{0, 0}, {1, 0}, {1, 1}, {1, 1}, {0, 1}}, "[3]", ErrorCode::degenerate},
      {{{0, 0}, {1, 0}, {1, 1}, {0, 0}}, "[0]", ErrorCode::degenerate},
      {{{0, 0}, {1, 0}, {1, 1}, {0, std::nan("")}}, "[3]", ErrorCode::out_of_range},
      {{{0, 1}, {0.59, -0.81}, {-0.95, 0.31}, {0.95, 0.31}, {-0.59, -0.81}},
       "[4]",
       ErrorCode::not_convex},
  };
  for (const auto& c : cases) {
    const Result<Polyhedron> p = polygon_polyhedron(c.points);
    ASSERT_FALSE(p.has_value()) << code_name(c.code);
    EXPECT_EQ(p.error()[0].path, c.path) << p.error()[0].text();
    EXPECT_EQ(p.error()[0].code, c.code) << p.error()[0].text();
  }
}

// ---- Mass

void expect_near(const model::MassProperties& a, const model::MassProperties& b, double relative) {
  const double length = std::sqrt(b.inertia.norm() / b.mass);
  EXPECT_NEAR(a.mass, b.mass, relative * b.mass);
  EXPECT_LE((a.center - b.center).norm(), relative * (length + b.center.norm()));
  EXPECT_LE((a.inertia - b.inertia).norm(), relative * b.inertia.norm());
}

TEST(HullMass, BoxAsHull) {
  const Vec3 size(1.3, 0.2, 2.1);
  expect_near(model::mass_properties(Hull{box_points(size)}, 3),
              model::mass_properties(Box{size}, 3), 1e-15 * 4);
}

// Regular tetrahedron with edge a: volume a^3 / (6 sqrt 2), inertia m a^2 / 20 about every axis.
TEST(HullMass, RegularTetrahedron) {
  const Hull s{{{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}}};
  const double a = 2 * std::sqrt(2.0), m = 5 * a * a * a / (6 * std::sqrt(2.0));
  expect_near(model::mass_properties(s, 5), {m, Vec3::Zero(), m * a * a / 20 * Mat3::Identity()},
              4 * eps);
}

// A prism over a right triangle with legs a, b: second moments of area about the centroid a^3 b /
// 36 and -a^2 b^2 / 72.
TEST(HullMass, TriangularPrism) {
  const double a = 1.5, b = 0.8, h = 2;
  Hull s;
  for (const double z : {0.0, h})
    for (const Vec3& p : {Vec3(0, 0, z), Vec3(a, 0, z), Vec3(0, b, z)}) s.vertices.push_back(p);
  const double m = 0.5 * a * b * h;
  const double xx = m * a * a / 18, yy = m * b * b / 18, xy = -m * a * b / 36, zz = m * h * h / 12;
  Mat3 I;
  I << yy + zz, -xy, 0, -xy, xx + zz, 0, 0, 0, xx + yy;
  expect_near(model::mass_properties(s, 1), {m, Vec3(a / 3, b / 3, h / 2), I}, 16 * eps);
}

// The n-prism inscribed in a cylinder tends to it with second order: area n/2 sin(2 pi/n) r^2 is
// 1 - (2 pi/n)^2 / 6 of the disc's, inertia per mass 1 - (2 pi/n)^2 / 6 ... of r^2 / 2.
TEST(HullMass, PrismTendsToTheCylinder) {
  const double r = 0.7, h = 1.9, pi = std::numbers::pi;
  const double m = pi * r * r * h, across = m * (r * r / 4 + h * h / 12);
  const model::MassProperties cylinder{m, Vec3::Zero(),
                                       Vec3(across, across, 0.5 * m * r * r).asDiagonal()};
  std::array<double, 2> miss{};
  for (const int n : {32, 64}) {
    Hull s;
    for (int i = 0; i < n; ++i)
      for (const double z : {-h / 2, h / 2})
        s.vertices.emplace_back(r * std::cos(2 * pi * i / n), r * std::sin(2 * pi * i / n), z);
    const model::MassProperties p = model::mass_properties(s, 1);
    miss[n == 64] = std::abs(p.inertia(2, 2) - cylinder.inertia(2, 2));
    EXPECT_NEAR(p.mass, 0.5 * n * std::sin(2 * pi / n) * r * r * h, 1e-14 * m);
    // Mass and moment per mass each lose at most (2 pi / n)^2 / 6.
    expect_near(p, cylinder, 2.1 * (2 * pi / n) * (2 * pi / n) / 6);
    EXPECT_EQ(hull(s.vertices).faces.size(), static_cast<std::size_t>(n + 2));
  }
  EXPECT_NEAR(miss[0] / miss[1], 4, 0.1);
}

TEST(HullMass, RotationAndTranslation) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const Points points = random_points(seed, 30, Vec3(1, 0.5, 0.2));
    const Pose X{Vec3(3, -2, 1), exp_rotation({0.4, -1.1, 0.2 * seed})};
    Hull moved;
    for (const Vec3& p : points) moved.vertices.push_back(X * p);
    expect_near(model::mass_properties(moved, 2),
                model::transformed(model::mass_properties(Hull{points}, 2), X), 1e-12);
  }
}

TEST(PolygonMass, SquareIsTheBoxInThePlane) {
  const double a = 1.7, b = 0.4;
  const Polygon s{{{3, 1}, {3 + a, 1}, {3 + a, 1 + b}, {3, 1 + b}}};
  const double m = 2 * a * b;
  const Vec3 I = m / 12 * Vec3(b * b, a * a, a * a + b * b);
  expect_near(model::mass_properties(s, 2), {m, Vec3(3 + a / 2, 1 + b / 2, 0), I.asDiagonal()},
              16 * eps);
}

// ---- In a model

BodyDescription body(const std::string& name, const Geometry& geometry, const char* dof) {
  BodyDescription d;
  d.name = name;
  d.density = 1;
  d.dof = dof;
  d.shapes = {{geometry, {}, "default"}};
  return d;
}

TEST(HullModel, EqualHullsShareOnePolyhedron) {
  const Points points = random_points(1, 20, Vec3::Ones());
  Points other(points.rbegin(), points.rend());
  other.emplace_back(0, 0, 0);  // inside
  const Points2 square = {{0, 0}, {1, 0}, {1, 1}, {0, 1}},
                turned = {{1, 1}, {1, 0}, {0, 0}, {0, 1}};
  ModelDescription d;
  d.bodies = {
      body("a", Hull{points}, "x y z rx ry rz"), body("b", Hull{other}, "x y z rx ry rz"),
      body("c", Polygon{square}, "x y rz"),      body("d", Polygon{turned}, "x y rz"),
      body("e", Box{Vec3::Ones()}, "x y z"),     body("f", Hull{box_points(Vec3::Ones())}, "x")};
  const Result<BuiltModel> built = build(d);
  ASSERT_TRUE(built.has_value()) << built.error()[0].text();
  const Model& model = *built->model;
  ASSERT_EQ(model.polyhedra.size(), 4u);
  const std::vector<int> expected = {0, 0, 1, 1, 2, 3};
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(model.shapes[i].polyhedron, expected[i]);
  EXPECT_EQ(std::get<Hull>(model.shapes[0].geometry).vertices, model.polyhedra[0].vertices);
  EXPECT_EQ(std::get<Hull>(model.shapes[1].geometry).vertices, model.polyhedra[0].vertices);
  EXPECT_EQ(model.bodies[0].inertia_B, model.bodies[1].inertia_B);
  // The largest distance of a vertex from the centre of mass.
  EXPECT_NEAR(model.bodies[0].radius, model.polyhedra[0].outer_radius, 4 * eps);
  EXPECT_NEAR(model.bodies[2].radius, std::sqrt(0.5), 2 * eps);
}

TEST(HullModel, FaultsNameTheirField) {
  ModelDescription d;
  d.bodies = {body("a", Hull{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}}}, "x y z"),
              body("b", Polygon{{{0, 0}, {2, 0}, {2, 2}, {1, 0.5}, {0, 2}}}, "x y rz"),
              body("c", Polygon{{{0, 0}, {1, 0}, {0, 1}}}, "x y z rx ry rz")};
  const Result<BuiltModel> built = build(d);
  ASSERT_FALSE(built.has_value());
  ASSERT_EQ(built.error().size(), 3u);
  EXPECT_EQ(built.error()[0].path, "bodies[0].shapes[0].vertices");
  EXPECT_EQ(built.error()[1].path, "bodies[1].shapes[0].vertices[3]");
  EXPECT_EQ(built.error()[2].path, "bodies[2].shapes[0]");
}

}  // namespace
}  // namespace cairn::test_hull
