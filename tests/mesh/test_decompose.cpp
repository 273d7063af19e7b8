// Convex parts: they cover the mesh, and the reported errors are those that other means measure.
#include <gtest/gtest.h>

#include "cairn/polyhedron.hpp"
#include "mesh/decompose/cut.hpp"
#include "mesh/decompose/decompose.hpp"
#include "mesh/files/read_mesh.hpp"
#include "mesh/sample_meshes.hpp"
#include "mesh/topology.hpp"
#include "model/shape/mass_properties.hpp"

namespace cairn::test_decompose {
namespace {

using namespace mesh_samples;
using mesh::Decomposition;
using mesh::Piece;

std::vector<Polyhedron> hulls(const Decomposition& d) {
  std::vector<Polyhedron> out;
  for (const auto& part : d.parts) out.push_back(hull_polyhedron(part).value());
  return out;
}

bool holds(const Polyhedron& hull, const Vec3& p, double slack) {
  for (const auto& f : hull.faces)
    if (f.normal.dot(p) > f.offset + slack) return false;
  return true;
}

// Distance to all triangles, by the nearest points of their sides and planes.
double brute_distance(const TriangleMesh& m, const Vec3& p) {
  double least = 1e30;
  for (const Triangle& t : m.triangles) {
    const auto c = m.corners(t);
    for (std::size_t k = 0; k < 3; ++k) {
      const Vec3 d = c[(k + 1) % 3] - c[k];
      const double s = std::clamp((p - c[k]).dot(d) / d.squaredNorm(), 0.0, 1.0);
      least = std::min(least, (c[k] + s * d - p).norm());
    }
    const Vec3 n = (c[1] - c[0]).cross(c[2] - c[0]).normalized();
    bool over = true;
    for (std::size_t k = 0; k < 3; ++k) over &= n.cross(c[(k + 1) % 3] - c[k]).dot(p - c[k]) >= 0;
    if (over) least = std::min(least, std::abs(n.dot(p - c[0])));
  }
  return least;
}

// Random points in the box and on the parts, judged by winding numbers and all triangles.
void expect_reported_errors(const TriangleMesh& m, const Decomposition& d,
                            const mesh::DecomposeOptions& options, std::mt19937_64& random) {
  EXPECT_LE(d.volume_error, options.max_volume_error);
  EXPECT_LE(d.distance, options.max_distance);
  const std::vector<Polyhedron> parts = hulls(d);
  const mesh::Topology topology = mesh::topology_of(m);
  const mesh::Bounds box = mesh::bounds_of(m.points);
  const double size = box.diagonal(), volume = mesh::mass_of(m, 1).mass;
  double sum = 0;
  for (const Polyhedron& p : parts) sum += model::mass_properties(p, 1).mass;
  EXPECT_NEAR(d.volume_error, sum / volume - 1, 1e-12);

  std::uniform_real_distribution<double> uniform(0, 1);
  const int samples = 20000;
  int in_mesh = 0, in_parts = 0, lost = 0;
  double overlaps = 0;
  for (int i = 0; i < samples; ++i) {
    const Vec3 p =
        box.lo +
        Vec3(uniform(random), uniform(random), uniform(random)).cwiseProduct(box.hi - box.lo);
    int around = 0, inside = 0;
    for (const Polyhedron& part : parts) {
      around += holds(part, p, 1e-9 * size);
      inside += holds(part, p, 0);
    }
    double wound = 0;
    for (std::int32_t c = 0; c < topology.components; ++c)
      wound += mesh::winding(m, topology, c, p);
    in_mesh += wound > 0.5;
    in_parts += inside > 0;
    overlaps += std::max(0, inside - 1);
    lost += wound > 0.5 && around == 0;
  }
  EXPECT_EQ(lost, 0);  // the parts cover the mesh
  const double box_volume = (box.hi - box.lo).prod();
  const double excess = (in_parts - in_mesh + overlaps) * box_volume / samples / volume;
  // Three standard deviations of a binomial count.
  const double noise =
      3 * std::sqrt(std::max(1.0, in_parts - in_mesh + overlaps)) * box_volume / samples / volume;
  EXPECT_NEAR(d.volume_error, excess, noise + 1e-3);

  double far = 0;
  for (const Polyhedron& part : parts)
    for (std::size_t f = 0; f < part.faces.size(); ++f) {
      const auto loop = part.loop(static_cast<int>(f));
      for (std::size_t k = 1; k + 1 < loop.size(); ++k)
        for (int i = 0; i < 6; ++i) {
          double u = uniform(random), v = uniform(random);
          if (u + v > 1) u = 1 - u, v = 1 - v;
          const auto at = [&](std::size_t j) {
            return part.vertices[static_cast<std::size_t>(loop[j])];
          };
          const Vec3 p = at(0) + u * (at(k) - at(0)) + v * (at(k + 1) - at(0));
          double wound = 0;
          for (std::int32_t c = 0; c < topology.components; ++c)
            wound += mesh::winding(m, topology, c, p);
          if (wound < 0.5) far = std::max(far, brute_distance(m, p));
        }
    }
  EXPECT_LE(far / size, d.distance * (1 + 1e-9) + 1e-9);
  // Random points come within a third of the farthest one; the bound exceeds that by 5 % of the
  // limit.
  EXPECT_GE(far / size, 0.66 * (d.distance - 0.05 * options.max_distance) - 1e-9);
}

TEST(Cut, PartsAddUpAndStayClosed) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 300; ++i) {
    TriangleMesh m = torus(1, 0.3, 5 + i % 11, 3 + i % 6);
    if (i % 3 == 0) {
      m = box(-Vec3::Ones(), Vec3::Ones());  // with a cavity
      TriangleMesh core = box(-Vec3::Constant(0.5), Vec3::Constant(0.5));
      turn_over(core);
      append(m, core);
    }
    m = moved(m, random_rotation(random), random_vector(random, 1));
    std::vector<Piece> pieces = {{m.points, m.triangles}};
    const double volume = mesh::volume_of(pieces[0]);
    for (int k = 0; k < 4; ++k) {
      const Vec3 n = (random_rotation(random) * Vec3::UnitZ()).eval();
      const mesh::Plane plane{n, n.dot(m.points[random() % m.points.size()] * 0.9)};
      std::vector<Piece> next;
      for (const Piece& piece : pieces)
        for (Piece& part : mesh::cut(piece, plane, 1e-9)) next.push_back(std::move(part));
      pieces = std::move(next);
      double sum = 0;
      for (const Piece& piece : pieces) {
        TriangleMesh part;
        part.points = piece.points;
        part.triangles = piece.triangles;
        EXPECT_TRUE(mesh::topology_of(part).closed());
        sum += mesh::volume_of(piece);
      }
      EXPECT_NEAR(sum, volume, 1e-7 * volume);  // of planes within 1e-9 of a point
    }
  }
}

// An L has two parts, a U three; a cross, at most its middle and four arms. All fit exactly.
TEST(Decompose, ReflexEdgesAreCutExactly) {
  const auto extruded = [](const std::vector<Eigen::Vector2d>& outline) {
    TriangleMesh m;
    const auto n = static_cast<std::int32_t>(outline.size());
    for (const double y : {0.0, 0.7})
      for (const auto& p : outline) m.points.emplace_back(p.x(), y, p.y());
    std::vector<std::int32_t> low, high;
    for (std::int32_t k = 0; k < n; ++k) low.push_back(k), high.push_back(2 * n - 1 - k);
    mesh::add_polygon(low, m.points, m.triangles);
    mesh::add_polygon(high, m.points, m.triangles);
    for (std::int32_t k = 0; k < n; ++k) {
      const std::int32_t l = (k + 1) % n;
      m.triangles.push_back({k, k + n, l + n});
      m.triangles.push_back({k, l + n, l});
    }
    return m;
  };
  using V = Eigen::Vector2d;
  const TriangleMesh l = extruded({V(0, 0), V(3, 0), V(3, 1), V(1, 1), V(1, 3), V(0, 3)});
  const TriangleMesh u =
      extruded({V(0, 0), V(5, 0), V(5, 4), V(4, 4), V(4, 1), V(1, 1), V(1, 4), V(0, 4)});
  const TriangleMesh plus = extruded({V(1, 0), V(2, 0), V(2, 1), V(3, 1), V(3, 2), V(2, 2), V(2, 3),
                                      V(1, 3), V(1, 2), V(0, 2), V(0, 1), V(1, 1)});
  std::mt19937_64 random(4);
  for (const auto& [m, count, volume] :
       {std::tuple(l, 2u, 5 * 0.7), {u, 3u, 11 * 0.7}, {plus, 5u, 5 * 0.7}}) {
    EXPECT_NEAR(mesh::mass_of(m, 1).mass, volume, 1e-12);
    for (int i = 0; i < 5; ++i) {
      const TriangleMesh turned =
          i == 0 ? m : moved(m, random_rotation(random), random_vector(random, 1));
      const Result<Decomposition> d = mesh::decompose(turned, {});
      ASSERT_TRUE(d.has_value()) << d.error()[0].text();
      EXPECT_LE(d->parts.size(), count);
      EXPECT_NEAR(d->volume_error, 0, 1e-7);
      EXPECT_LT(d->distance, 1e-7);
    }
  }
}

TEST(Decompose, ReportedErrorsAreThoseOfOtherMeans) {
  std::mt19937_64 random(9);
  for (int i = 0; i < 4; ++i) {
    const TriangleMesh m = moved(torus(1, 0.25 + 0.1 * i, 12 + 4 * i, 6), random_rotation(random),
                                 random_vector(random, 1));
    const mesh::DecomposeOptions options{.max_volume_error = 0.05, .max_distance = 0.02};
    const Result<Decomposition> d = mesh::decompose(m, options);
    ASSERT_TRUE(d.has_value()) << d.error()[0].text();
    expect_reported_errors(m, *d, options, random);
    // Scaling by a power of two scales every part exactly.
    const Result<Decomposition> big = mesh::decompose(mesh::scaled(m, Vec3::Constant(16)), options);
    ASSERT_TRUE(big.has_value());
    EXPECT_EQ(big->volume_error, d->volume_error);
    ASSERT_EQ(big->parts.size(), d->parts.size());
    for (std::size_t k = 0; k < d->parts.size(); ++k)
      for (std::size_t v = 0; v < d->parts[k].size(); ++v)
        EXPECT_EQ(big->parts[k][v], 16 * d->parts[k][v]);
  }
}

TEST(Decompose, FilesOfTheScenesKeepTheLimits) {
  std::mt19937_64 random(10);
  for (const char* name : {"torus.stl", "mug.obj", "bracket.obj"}) {
    const auto file = mesh::read_mesh(std::string(CAIRN_SOURCE_DIR) + "/scenes/meshes/" + name);
    ASSERT_TRUE(file.has_value());
    const Result<Decomposition> d = mesh::decompose(file->mesh, {});
    ASSERT_TRUE(d.has_value()) << d.error()[0].text();
    expect_reported_errors(file->mesh, *d, {}, random);
  }
}

TEST(Decompose, TooFewPartsAreRefusedWithTheFigures) {
  const Result<Decomposition> d = mesh::decompose(
      torus(1, 0.3, 24, 8), {.max_volume_error = 0.02, .max_distance = 0.01, .max_parts = 5});
  ASSERT_FALSE(d.has_value());
  EXPECT_EQ(d.error()[0].code, ErrorCode::too_many);
  EXPECT_NE(d.error()[0].got.find("volume error"), std::string::npos);
}

}  // namespace
}  // namespace cairn::test_decompose
