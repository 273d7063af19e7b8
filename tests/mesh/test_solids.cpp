// Mass, faults and repair of meshes against closed forms.
#include <gtest/gtest.h>

#include "cairn/polyhedron.hpp"
#include "mesh/convexity.hpp"
#include "mesh/diagnosis.hpp"
#include "mesh/sample_meshes.hpp"
#include "mesh/surface_tree.hpp"
#include "mesh/topology.hpp"

namespace cairn::test_solids {
namespace {

using namespace mesh_samples;
using mesh::Crossings;
using mesh::Diagnosis;

Mat3 box_inertia(const Vec3& size, double mass) {
  const Vec3 e = size.cwiseAbs2();
  return (mass / 12 * Vec3(e.y() + e.z(), e.z() + e.x(), e.x() + e.y())).asDiagonal();
}

// Rounding of a sum over few triangles: some tens of units of the last place.
TEST(MeshMass, BoxesHaveTheirClosedForms) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 200; ++i) {
    const Vec3 size = random_vector(random, 1).cwiseAbs() + Vec3::Constant(0.05);
    const Quat R = random_rotation(random);
    const Vec3 shift = random_vector(random, 3);
    const auto m = mesh::mass_of(moved(box(-size / 2, size / 2), R, shift), 3);
    const double mass = 3 * size.prod();
    EXPECT_NEAR(m.mass, mass, 1e-13 * 3 * size.maxCoeff() * size.maxCoeff() * 4);
    EXPECT_LT((m.center - shift).norm(), 1e-13 * 10 / size.minCoeff());
    const Mat3 I =
        R.toRotationMatrix() * box_inertia(size, mass) * R.toRotationMatrix().transpose();
    EXPECT_LT((m.inertia - I).norm(), 1e-12 * 3 / size.minCoeff());
    // Scaling by a power of two scales the bits.
    const TriangleMesh one = moved(box(-size / 2, size / 2), R, shift);
    const auto big = mesh::mass_of(mesh::scaled(one, Vec3::Constant(8)), 1),
               own = mesh::mass_of(one, 1);
    EXPECT_EQ(big.mass, 512 * own.mass);
    EXPECT_EQ(big.center, 8 * own.center);
    EXPECT_EQ(big.inertia, 32768 * own.inertia);
  }
}

TEST(MeshMass, ToriHaveTheirClosedForms) {
  for (const auto& [n, m] : {std::pair(3, 3), {8, 5}, {40, 20}, {300, 100}}) {
    const double V = torus_volume(1, 0.3, n, m);
    const auto solid = mesh::mass_of(torus(1, 0.3, n, m), 1);
    EXPECT_NEAR(solid.mass, V, 1e-12 * V);
    EXPECT_LT(solid.center.norm(), 1e-13);
  }
  // Of the smooth torus I_zz = m (R^2 + 3/4 r^2), I_xx = m (R^2/2 + 5/8 r^2); the polygons miss it
  // by about (2 pi / n)^2 / 6 + (2 pi / m)^2 / 6 in the volume and a few times that in the moments.
  const int n = 400, m = 200;
  const auto solid = mesh::mass_of(torus(1, 0.3, n, m), 1);
  const double miss =
      4 * (std::pow(2 * std::numbers::pi / n, 2) + std::pow(2 * std::numbers::pi / m, 2)) / 6;
  EXPECT_NEAR(solid.inertia(2, 2) / solid.mass, 1 + 0.75 * 0.09, miss);
  EXPECT_NEAR(solid.inertia(0, 0) / solid.mass, 0.5 + 0.625 * 0.09, miss);
}

TEST(MeshMass, HullsWeighWhatTheirPolyhedraDo) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 100; ++i) {
    std::vector<Vec3> points;
    for (int k = 0; k < 20; ++k) points.push_back(random_vector(random, 1));
    const Polyhedron hull = hull_polyhedron(points).value();
    TriangleMesh m;
    m.points = hull.vertices;
    for (std::size_t f = 0; f < hull.faces.size(); ++f) {
      const auto loop = hull.loop(static_cast<int>(f));
      for (std::size_t k = 1; k + 1 < loop.size(); ++k)
        m.triangles.push_back({loop[0], loop[k], loop[k + 1]});
    }
    const auto own = mesh::mass_of(m, 2), known = model::mass_properties(hull, 2);
    EXPECT_NEAR(own.mass, known.mass, 1e-13 * known.mass);
    EXPECT_LT((own.center - known.center).norm(), 1e-13);
    EXPECT_LT((own.inertia - known.inertia).norm(), 1e-12 * known.inertia.norm());
    EXPECT_FALSE(mesh::difference_from_hull(m, hull).has_value());
    EXPECT_TRUE(mesh::diagnose(m, Crossings::find).sound());
    // A corner pushed inwards by a tenth: not convex any more.
    m.points[0] = 0.9 * m.points[0] + 0.1 * hull.center;
    const auto dented = mesh::difference_from_hull(m, hull);
    ASSERT_TRUE(dented.has_value());
    EXPECT_EQ(dented->code, ErrorCode::not_convex);
  }
}

TEST(MeshDiagnosis, CountsAndPlaces) {
  const TriangleMesh cube = box(Vec3::Zero(), Vec3::Ones());
  EXPECT_TRUE(mesh::diagnose(cube, Crossings::find).sound());

  TriangleMesh open = cube;
  open.triangles.erase(open.triangles.begin() + 2, open.triangles.begin() + 4);  // the top
  Diagnosis d = mesh::diagnose(open, Crossings::find);
  EXPECT_EQ(d.open_edges.count, 4u);
  EXPECT_FALSE(d.closed());
  for (const Vec3& p : d.open_edges.places) EXPECT_EQ(p.z(), 1);

  TriangleMesh flipped = cube;
  std::swap(flipped.triangles[5][0], flipped.triangles[5][1]);
  d = mesh::diagnose(flipped, Crossings::find);
  EXPECT_EQ(d.flipped_edges.count, 3u);
  EXPECT_EQ(d.faults(), "3 flipped edges");

  TriangleMesh inverted = cube;
  turn_over(inverted);
  d = mesh::diagnose(inverted, Crossings::find);
  EXPECT_TRUE(d.inverted());
  EXPECT_EQ(d.inverted_components.count, 1u);
  EXPECT_EQ(d.solid.mass, -1);

  // Two cubes that share an edge.
  TriangleMesh pair = cube;
  append(pair, box(Vec3(1, 1, 0), Vec3(2, 2, 1)));
  d = mesh::diagnose(pair, Crossings::find);
  EXPECT_EQ(d.nonmanifold_edges.count, 1u);
  EXPECT_EQ(d.nonmanifold_edges.places[0], Vec3(1, 1, 0.5));
  EXPECT_EQ(d.duplicate_points.count, 2u);

  // A cavity is sound; the same turned over is matter within matter.
  TriangleMesh hollow = cube, core = box(Vec3::Constant(0.25), Vec3::Constant(0.75));
  turn_over(core);
  append(hollow, core);
  d = mesh::diagnose(hollow, Crossings::find);
  EXPECT_TRUE(d.sound()) << d.faults();
  EXPECT_EQ(d.components, 2);
  EXPECT_DOUBLE_EQ(d.solid.mass, 1 - 0.125);
  TriangleMesh nested = cube;
  append(nested, box(Vec3::Constant(0.25), Vec3::Constant(0.75)));
  EXPECT_EQ(mesh::diagnose(nested, Crossings::find).nested_components.count, 1u);

  // Two cubes that reach into each other.
  TriangleMesh crossing = cube;
  append(crossing, box(Vec3(0.5, 0.3, 0.2), Vec3(1.5, 0.9, 0.8)));
  d = mesh::diagnose(crossing, Crossings::find);
  EXPECT_GT(d.crossings.count, 0u);
  for (const Vec3& p : d.crossings.places) EXPECT_GT(p.x(), 0.4);

  TriangleMesh bad = cube;
  bad.points.emplace_back(5, 5, 5);
  bad.triangles.push_back({0, 0, 1});
  d = mesh::diagnose(bad, Crossings::find);
  EXPECT_EQ(d.unused_points.count, 1u);
  EXPECT_EQ(d.collapsed_triangles.count, 1u);
  bad.triangles.back() = {0, 8, 0};
  bad.points[8] = Vec3(2, 0, 0);
  bad.triangles.back() = {0, 1, 8};  // three points on a line
  EXPECT_EQ(mesh::diagnose(bad, Crossings::skip).flat_triangles.count, 1u);
}

// Random damage that repair() promises to undo: points of their own for each triangle, moved within
// the tolerance; triangles turned at random, doubled, collapsed.
TEST(MeshRepair, RestoresClosedSurfaces) {
  std::mt19937_64 random(5);
  for (int i = 0; i < 200; ++i) {
    TriangleMesh whole = torus(1, 0.3, 5 + i % 7, 3 + i % 5);
    TriangleMesh core = box(Vec3(3, 3, 3), Vec3(4, 4, 4)),
                 cavity = box(Vec3::Constant(3.2), Vec3::Constant(3.5));
    turn_over(cavity);
    append(whole, core);
    append(whole, cavity);
    whole = moved(whole, random_rotation(random), random_vector(random, 1));
    const auto solid = mesh::mass_of(whole, 1);
    TriangleMesh m;
    for (const Triangle& t : whole.triangles) {
      Triangle own{};
      for (std::size_t k = 0; k < 3; ++k) {
        own[k] = static_cast<std::int32_t>(m.points.size());
        m.points.push_back(whole.corners(t)[k] + random_vector(random, 1e-10));
      }
      if (random() % 2) std::swap(own[0], own[1]);
      m.triangles.push_back(own);
      if (random() % 10 == 0) m.triangles.push_back({own[2], own[1], own[0]});
      if (random() % 10 == 0) m.triangles.push_back({own[0], own[0], own[1]});
    }
    EXPECT_FALSE(mesh::diagnose(m, Crossings::skip).sound());
    const mesh::Repairs done = mesh::repair(m);
    EXPECT_EQ(m.points.size(), whole.points.size());
    EXPECT_EQ(m.triangles.size(), whole.triangles.size());
    EXPECT_GT(done.welded_points, 0u);
    const Diagnosis d = mesh::diagnose(m, Crossings::find);
    EXPECT_TRUE(d.sound()) << d.faults();
    EXPECT_NEAR(d.solid.mass, solid.mass, 1e-8);  // points moved by 1e-10, areas of some m^2
    EXPECT_LT((d.solid.inertia - solid.inertia).norm(), 1e-7);
    // A sound mesh is left alone.
    EXPECT_EQ(mesh::repair(m).text(), "nothing to repair");
  }
}

// Against all triangles in turn, and the winding number for the sign.
TEST(MeshTree, DistancesAreThoseOfAllTriangles) {
  std::mt19937_64 random(6);
  for (int i = 0; i < 20; ++i) {
    const TriangleMesh m = moved(torus(1, 0.35, 4 + i % 9, 3 + i % 4), random_rotation(random),
                                 random_vector(random, 1));
    const mesh::SurfaceTree tree(m);
    const mesh::Topology topology = mesh::topology_of(m);
    for (int k = 0; k < 200; ++k) {
      const Vec3 p = random_vector(random, 2);
      double least = 1e30;
      for (const Triangle& t : m.triangles) {
        // By bisection over the triangle: a third way to a nearest point.
        const auto [a, b, c] = m.corners(t);
        const auto along = [&](double u) {
          double lo = 0, hi = 1;
          const Vec3 from = a + u * (b - a), to = a + u * (b - a) + (1 - u) * (c - a);
          const Vec3 d = to - from;
          const double s =
              d.squaredNorm() > 0 ? std::clamp((p - from).dot(d) / d.squaredNorm(), lo, hi) : 0;
          return (from + s * d - p).norm();
        };
        double lo = 0, hi = 1;
        for (int step = 0; step < 80; ++step) {
          const double x = lo + (hi - lo) / 3, y = hi - (hi - lo) / 3;
          (along(x) < along(y) ? hi : lo) = along(x) < along(y) ? y : x;
        }
        least = std::min(least, along(lo));
      }
      EXPECT_NEAR(tree.distance(p), least, 1e-7);
      const bool inside = mesh::winding(m, topology, 0, p) > 0.5;
      if (least > 1e-9) {
        EXPECT_EQ(tree.signed_distance(p) < 0, inside) << p.transpose();
      }
    }
  }
}

}  // namespace
}  // namespace cairn::test_solids
