// Mass properties against quadrature that is exact for the polynomials at hand, and their laws.
#include <array>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <numbers>
#include <vector>

#include "model/shape/mass_properties.hpp"

namespace cairn::test_mass_properties {
namespace {

using std::numbers::pi;

struct Node {
  Vec3 p;
  double weight;
};
using Nodes = std::vector<Node>;

// Gauss-Legendre with five nodes: exact for polynomials up to degree 9 on [lo, hi].
std::array<std::pair<double, double>, 5> gauss(double lo, double hi) {
  const double inner = std::sqrt(5 - 2 * std::sqrt(10.0 / 7)) / 3;
  const double outer = std::sqrt(5 + 2 * std::sqrt(10.0 / 7)) / 3;
  const double wi = (322 + 13 * std::sqrt(70.0)) / 900, wo = (322 - 13 * std::sqrt(70.0)) / 900;
  std::array<std::pair<double, double>, 5> rule = {
      {{-outer, wo}, {-inner, wi}, {0, 128.0 / 225}, {inner, wi}, {outer, wo}}};
  for (auto& [x, w] : rule) x = 0.5 * (lo + hi + (hi - lo) * x), w *= 0.5 * (hi - lo);
  return rule;
}

// The trapezoidal rule with eight nodes: exact for trigonometric polynomials up to degree 7.
constexpr int turns = 8;
double turn(int k) {
  return 2 * pi * k / turns;
}

Nodes quadrature(const Box& s) {
  const Vec3 h = 0.5 * s.size;
  Nodes nodes;
  for (auto [x, wx] : gauss(-h.x(), h.x()))
    for (auto [y, wy] : gauss(-h.y(), h.y()))
      for (auto [z, wz] : gauss(-h.z(), h.z())) nodes.push_back({{x, y, z}, wx * wy * wz});
  return nodes;
}

// Spherical coordinates (r, u = cos of the polar angle, phi), stretched to the semi-axes.
Nodes quadrature(const Ellipsoid& s) {
  Nodes nodes;
  for (auto [r, wr] : gauss(0, 1))
    for (auto [u, wu] : gauss(-1, 1))
      for (int k = 0; k < turns; ++k) {
        const double across = std::sqrt(1 - u * u);
        const Vec3 e(across * std::cos(turn(k)), across * std::sin(turn(k)), u);
        nodes.push_back(
            {r * s.radii.cwiseProduct(e), s.radii.prod() * r * r * wr * wu * 2 * pi / turns});
      }
  return nodes;
}

// Slices across the axis, whose radius is linear in z.
Nodes quadrature(const Frustum& s) {
  Nodes nodes;
  for (auto [z, wz] : gauss(-0.5 * s.length, 0.5 * s.length)) {
    const double R = s.radius + (z / s.length + 0.5) * (s.top_radius - s.radius);
    for (auto [t, wt] : gauss(0, 1))
      for (int k = 0; k < turns; ++k)
        nodes.push_back({{R * t * std::cos(turn(k)), R * t * std::sin(turn(k)), z},
                         R * R * t * wz * wt * 2 * pi / turns});
  }
  return nodes;
}

// Slices across the axis: circles of radius R(z) with R^2 a polynomial on each of the three parts.
Nodes quadrature(const Capsule& s) {
  const double h = 0.5 * s.length, r = s.radius;
  Nodes nodes;
  for (auto [lo, hi] : {std::pair{-h - r, -h}, {-h, h}, {h, h + r}})
    for (auto [z, wz] : gauss(lo, hi)) {
      const double d = std::max(std::abs(z) - h, 0.0), R2 = r * r - d * d;
      for (auto [t, wt] : gauss(0, 1))
        for (int k = 0; k < turns; ++k) {
          const double q = std::sqrt(R2) * t;
          nodes.push_back({{q * std::cos(turn(k)), q * std::sin(turn(k)), z},
                           R2 * t * wz * wt * 2 * pi / turns});
        }
    }
  return nodes;
}

Nodes quadrature(const Ellipse& s) {
  Nodes nodes;
  for (auto [r, wr] : gauss(0, 1))
    for (int k = 0; k < turns; ++k) {
      const Vec3 p(s.radii.x() * r * std::cos(turn(k)), s.radii.y() * r * std::sin(turn(k)), 0);
      nodes.push_back({p, s.radii.prod() * r * wr * 2 * pi / turns});
    }
  return nodes;
}

Nodes quadrature(const Sphere& s) {
  return quadrature(Ellipsoid{Vec3::Constant(s.radius)});
}
Nodes quadrature(const Disc& s) {
  return quadrature(Ellipse{{s.radius, s.radius}});
}

// Definitions of mass, centre and inertia, summed over the nodes as seen through X.
model::MassProperties sum(const Nodes& nodes, double density, const Pose& X = {}) {
  model::MassProperties all;
  for (const Node& node : nodes) {
    all.mass += density * node.weight;
    all.center += density * node.weight * (X * node.p);
  }
  all.center /= all.mass;
  for (const Node& node : nodes) {
    const Mat3 c = cross(X * node.p - all.center);
    all.inertia -= density * node.weight * c * c;
  }
  return all;
}

// Rounding of a few hundred terms of one sign stays below 1e-13 relative.
void expect_same(const model::MassProperties& got, const model::MassProperties& want, double size) {
  const double relative = 1e-13;
  EXPECT_NEAR(got.mass, want.mass, relative * want.mass);
  EXPECT_LE((got.center - want.center).norm(), relative * size);
  EXPECT_LE((got.inertia - want.inertia).norm(), relative * want.mass * size * size);
}

const Pose tilted{Vec3(0.3, -1.2, 0.7), exp_rotation(Vec3(0.4, -0.9, 1.3))};

template <class S>
void expect_quadrature(const S& shape) {
  const Geometry geometry = shape;
  const double size = model::bounding_radius(geometry), density = 1.7;
  const Nodes nodes = quadrature(shape);
  const model::MassProperties own = model::mass_properties(geometry, density);
  expect_same(own, sum(nodes, density), size);
  expect_same(model::transformed(own, tilted), sum(nodes, density, tilted), size + tilted.p.norm());
  for (const Node& node : nodes) EXPECT_LE(node.p.norm(), size * (1 + 1e-15));
}

TEST(MassProperties, AgreeWithExactQuadrature) {
  expect_quadrature(Sphere{0.7});
  expect_quadrature(Box{{0.3, 1.1, 2.5}});
  expect_quadrature(Ellipsoid{{0.4, 1.5, 0.9}});
  expect_quadrature(Capsule{0.6, 1.7});
  expect_quadrature(Capsule{0.6, 0});
  expect_quadrature(Frustum{0.6, 0.6, 1.7});
  expect_quadrature(Frustum{0.6, 0, 1.7});
  expect_quadrature(Frustum{0.1, 0.9, 0.4});
  expect_quadrature(Disc{1.3});
  expect_quadrature(Ellipse{{1.9, 0.2}});
}

TEST(MassProperties, PointAndHalfspaceHaveNone) {
  for (const Geometry& g : {Geometry(Point{}), Geometry(Halfspace{})}) {
    EXPECT_EQ(model::mass_properties(g, 3).mass, 0);
    EXPECT_EQ(model::mass_properties(g, 3).inertia.norm(), 0);
  }
}

TEST(MassProperties, FlatPlateHasPlanarInertia) {
  const double a = 1.9, b = 0.2;
  const model::MassProperties m = model::mass_properties(Ellipse{{a, b}}, 2);
  EXPECT_DOUBLE_EQ(m.inertia(2, 2), m.mass * (a * a + b * b) / 4);
  EXPECT_DOUBLE_EQ(m.inertia(0, 0) + m.inertia(1, 1), m.inertia(2, 2));
}

// A box cut into eight unequal boxes, seen from a tilted frame, is the box again.
TEST(MassProperties, PartsOfABoxMakeTheBox) {
  const Vec3 size(1, 2, 3);
  std::vector<model::MassProperties> parts;
  for (int k = 0; k < 8; ++k) {
    Vec3 edge, middle;
    for (int i = 0; i < 3; ++i) {
      const double cut = 0.25 * (i + 1) * size[i];  // of the lower part
      const bool upper = (k >> i) & 1;
      edge[i] = upper ? size[i] - cut : cut;
      middle[i] = 0.5 * (upper ? cut : cut - size[i]);
    }
    parts.push_back(model::transformed(model::mass_properties(Box{edge}, 5),
                                       tilted * Pose{middle, Quat::Identity()}));
  }
  expect_same(model::combine(parts),
              model::transformed(model::mass_properties(Box{size}, 5), tilted), 4);
}

TEST(MassProperties, CombinationOfOneOrNone) {
  const model::MassProperties one =
      model::transformed(model::mass_properties(Box{{1, 2, 3}}, 7), tilted);
  const std::array parts = {model::MassProperties{}, one, model::MassProperties{}};
  const model::MassProperties all = model::combine(parts);
  EXPECT_EQ(all.mass, one.mass);
  EXPECT_EQ(all.center, one.center);
  EXPECT_EQ(all.inertia, one.inertia);
  EXPECT_EQ(model::combine({}).mass, 0);
  EXPECT_EQ(model::combine(std::array{model::MassProperties{}, model::MassProperties{}}).inertia,
            Mat3(Mat3::Zero()));
}

// The farthest point of each shape, known by hand.
TEST(BoundingRadius, IsTheDistanceOfTheFarthestPoint) {
  EXPECT_EQ(model::bounding_radius(Point{}), 0);
  EXPECT_EQ(model::bounding_radius(Sphere{2}), 2);
  EXPECT_DOUBLE_EQ(model::bounding_radius(Box{{2, 4, 4}}), 3);
  EXPECT_EQ(model::bounding_radius(Capsule{1, 4}), 3);
  EXPECT_EQ(model::bounding_radius(Ellipsoid{{1, 5, 2}}), 5);
  EXPECT_DOUBLE_EQ(model::bounding_radius(Frustum{3, 1, 8}), 5);
  EXPECT_EQ(model::bounding_radius(Disc{2}), 2);
  EXPECT_EQ(model::bounding_radius(Ellipse{{1, 3}}), 3);
  EXPECT_EQ(model::bounding_radius(Halfspace{}), std::numeric_limits<double>::infinity());
}

TEST(Shape, TypesHaveTheNamesOfTheSceneFormat) {
  EXPECT_STREQ(type_name(Point{}), "point");
  EXPECT_STREQ(type_name(Sphere{}), "sphere");
  EXPECT_STREQ(type_name(Box{}), "box");
  EXPECT_STREQ(type_name(Capsule{}), "capsule");
  EXPECT_STREQ(type_name(Ellipsoid{}), "ellipsoid");
  EXPECT_STREQ(type_name(Halfspace{}), "halfspace");
  EXPECT_STREQ(type_name(Disc{}), "disc");
  EXPECT_STREQ(type_name(Ellipse{}), "ellipse");
  EXPECT_STREQ(type_name(Frustum{1, 1, 2}), "cylinder");
  EXPECT_STREQ(type_name(Frustum{1, 0, 2}), "cone");
  EXPECT_FALSE(is_planar(Frustum{}));
  EXPECT_TRUE(is_planar(Disc{}));
  EXPECT_TRUE(is_planar(Ellipse{}));
  EXPECT_FALSE(is_planar(Capsule{}));
  EXPECT_FALSE(is_planar(Halfspace{}));
}

}  // namespace
}  // namespace cairn::test_mass_properties
