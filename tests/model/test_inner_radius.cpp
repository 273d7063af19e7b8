// Half of the least thickness (E301, E340): closed forms, and hulls against all pairs of edges.
#include <cmath>
#include <gtest/gtest.h>
#include <numbers>
#include <random>

#include "model/shape/inner_radius.hpp"
#include "model/shape/polyhedron_table.hpp"

namespace cairn::test_inner_radius {
namespace {

double uniform(std::mt19937& engine, double lo, double hi) {
  return lo + (hi - lo) * 0x1p-32 * static_cast<double>(engine());
}

std::vector<Vec3> random_points(std::mt19937& engine, int n, const Vec3& size) {
  std::vector<Vec3> points;
  for (int i = 0; i < n; ++i)
    points.emplace_back(size.x() * uniform(engine, -1, 1), size.y() * uniform(engine, -1, 1),
                        size.z() * uniform(engine, -1, 1));
  return points;
}

double of_hull(const std::vector<Vec3>& points) {
  const Polyhedron p = *hull_polyhedron(points);
  return model::inner_radius(Hull{p.vertices}, &p);
}

double width(const Polyhedron& p, const Vec3& n) {
  double lo = 1e300, hi = -1e300;
  for (const Vec3& v : p.vertices) lo = std::min(lo, n.dot(v)), hi = std::max(hi, n.dot(v));
  return hi - lo;
}

// Every face and every pair of edges, antipodal or not: a superset of the directions.
double brute_force(const Polyhedron& p) {
  double least = 1e300;
  for (const auto& face : p.faces) least = std::min(least, width(p, face.normal));
  const auto along = [&](const Polyhedron::Edge& e) {
    return Vec3(p.vertices[static_cast<std::size_t>(e.head)] -
                p.vertices[static_cast<std::size_t>(e.tail)])
        .normalized();
  };
  for (const auto& e : p.edges)
    for (const auto& f : p.edges) {
      const Vec3 n = along(e).cross(along(f));
      if (n.norm() > 1e-6) least = std::min(least, width(p, n.normalized()));
    }
  return 0.5 * least;
}

TEST(InnerRadius, RoundShapesAndBoxes) {
  EXPECT_EQ(model::inner_radius(Point{}, nullptr), 0);
  EXPECT_EQ(model::inner_radius(Sphere{0.3}, nullptr), 0.3);
  EXPECT_EQ(model::inner_radius(Box{{3, 0.5, 2}}, nullptr), 0.25);
  EXPECT_EQ(model::inner_radius(Capsule{0.1, 4}, nullptr), 0.1);
  EXPECT_EQ(model::inner_radius(Ellipsoid{{0.5, 0.2, 0.9}}, nullptr), 0.2);
  EXPECT_EQ(model::inner_radius(Frustum{0.1, 0.1, 4}, nullptr), 0.1);
  EXPECT_EQ(model::inner_radius(Frustum{3, 3, 0.5}, nullptr), 0.25);
  EXPECT_EQ(model::inner_radius(Frustum{3, 0, 4}, nullptr), 2);  // half of the height
  // From the rim to the side opposite to it: 2 r L / hypot(L, r) wide.
  EXPECT_DOUBLE_EQ(model::inner_radius(Frustum{3, 0, 12}, nullptr), 3 * 12 / std::hypot(3, 12));
  EXPECT_EQ(model::inner_radius(Frustum{3, 0, 4}, nullptr),
            model::inner_radius(Frustum{0, 3, 4}, nullptr));
  EXPECT_TRUE(std::isinf(model::inner_radius(Halfspace{}, nullptr)));
  EXPECT_EQ(model::inner_radius(Disc{0.7}, nullptr), 0.7);
  EXPECT_EQ(model::inner_radius(Ellipse{{0.5, 0.2}}, nullptr), 0.2);
}

// A regular tetrahedron of edge a is thinnest between opposite edges, a/sqrt(2), an octahedron
// between opposite faces, a sqrt(2/3); an equilateral triangle has the height a sqrt(3)/2.
TEST(InnerRadius, RegularSolids) {
  EXPECT_NEAR(of_hull({{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}}),
              0.5 * std::sqrt(8.0) / std::sqrt(2.0), 1e-15);
  EXPECT_NEAR(of_hull({{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}}),
              0.5 * std::sqrt(2.0) * std::sqrt(2.0 / 3), 1e-15);
  const Geometry triangle = Polygon{{{0, 0}, {2, 0}, {1, std::sqrt(3.0)}}};
  const Polyhedron p = *model::polyhedron_of(triangle);
  EXPECT_NEAR(model::inner_radius(triangle, &p), 0.5 * std::sqrt(3.0), 1e-15);
}

TEST(InnerRadius, RandomHullsAgreeWithAllPairsOfEdges) {
  std::mt19937 engine(1);
  int by_edges = 0;
  for (int i = 0; i < 300; ++i) {
    const Vec3 size(1, std::exp(uniform(engine, -3, 0)), std::exp(uniform(engine, -3, 0)));
    const Polyhedron p =
        *hull_polyhedron(random_points(engine, 4 + static_cast<int>(uniform(engine, 0, 16)), size));
    const double found = model::inner_radius(Hull{p.vertices}, &p), slow = brute_force(p);
    // The brute force rounds directions of nearly parallel edges to 1e-10 rad.
    EXPECT_NEAR(found, slow, 1e-9 * p.outer_radius);
    EXPECT_GE(found, p.inner_radius * (1 - 1e-12));  // a ball that fits is no thicker
    double faces = 1e300;
    for (const auto& face : p.faces) faces = std::min(faces, 0.5 * width(p, face.normal));
    by_edges += found < faces * (1 - 1e-9);
  }
  EXPECT_GT(by_edges, 30);  // the edges do decide
}

// Scaling by a power of two scales the result exactly.
TEST(InnerRadius, ScalesExactly) {
  std::mt19937 engine(2);
  for (int i = 0; i < 50; ++i) {
    std::vector<Vec3> points = random_points(engine, 20, {1, 0.5, 0.2});
    const double r = of_hull(points);
    for (Vec3& v : points) v *= 0x1p-20;
    EXPECT_EQ(of_hull(points), 0x1p-20 * r);
  }
}

// Points on a sphere: as many edges as a hull of a scan has, still thinner than the sphere alone.
TEST(InnerRadius, HullsWithManyEdges) {
  std::vector<Vec3> points;
  const int n = 1500;
  for (int i = 0; i < n; ++i) {
    const double z = (2.0 * i + 1) / n - 1, phi = 2.399963229728653 * i, r = std::sqrt(1 - z * z);
    points.emplace_back(r * std::cos(phi), r * std::sin(phi), z);
  }
  const double r = of_hull(points);
  EXPECT_LT(r, 1);
  // Facets of a triangulation with edges of at most l = 4/sqrt(n) lie at least 1 - l^2/2 deep.
  EXPECT_GT(r, 1 - 8.0 / n);
}

TEST(InnerRadius, PairsTakeTheSmallerOne) {
  ModelDescription d;
  const std::vector<std::pair<std::string, Geometry>> shapes = {
      {"a", Point{}}, {"b", Halfspace{}}, {"c", Sphere{0.25}}, {"d", Box{{1, 2, 3}}}};
  for (const auto& [name, geometry] : shapes) {
    BodyDescription body;
    body.name = name;
    body.fixed = true;
    body.shapes = {{geometry, {}, "default"}};
    d.bodies.push_back(body);
  }
  const BuiltModel built = *build(d);
  const Model& m = *built.model;
  const auto pair = [&](std::size_t i, std::size_t j) {
    return model::pair_inner_radius(m, m.shapes[i], m.shapes[j]);
  };
  EXPECT_EQ(pair(2, 3), 0.25);
  EXPECT_EQ(pair(0, 3), 0.5);
  EXPECT_EQ(pair(1, 2), 0.25);
  EXPECT_EQ(pair(0, 1), m.length_unit);
}

}  // namespace
}  // namespace cairn::test_inner_radius
