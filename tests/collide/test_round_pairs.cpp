// Signed distances of round shapes against a slow search, and the facts that define witness points
// and normals.
#include <gtest/gtest.h>
#include <string>

#include "collide/random_shapes.hpp"

namespace cairn::test_round_pairs {
namespace {

using namespace testing;

enum class Kind { point, sphere, capsule, ellipsoid, flat, disc, ellipse };

Geometry make(Kind kind, Random& random) {
  switch (kind) {
    case Kind::point:
      return Point{};
    case Kind::sphere:
      return Sphere{random.logarithmic(0.1, 10)};
    case Kind::capsule:
      return Capsule{random.logarithmic(0.1, 3), random.logarithmic(0.1, 10)};
    case Kind::ellipsoid:
      return Ellipsoid{
          {random.logarithmic(0.3, 3), random.logarithmic(0.3, 3), random.logarithmic(0.3, 3)}};
    case Kind::flat: {
      Vec3 radii = Vec3::Constant(1);
      const int thin = static_cast<int>(random.uniform(0, 3));
      radii[thin] = 0.01;
      if (random.uniform(0, 1) < 0.5) radii[(thin + 1) % 3] = random.logarithmic(0.01, 1);
      return Ellipsoid{radii};
    }
    case Kind::disc:
      return Disc{random.logarithmic(0.1, 10)};
    case Kind::ellipse:
      return Ellipse{{random.logarithmic(0.01, 1), random.logarithmic(0.1, 3)}};
  }
  return {};
}

bool planar_kind(Kind kind) {
  return kind == Kind::disc || kind == Kind::ellipse;
}

// Size of the shape and smallest half width, the scale of shallow overlap.
double size_of(const Geometry& g) {
  return std::max({support_height(g, {}, Vec3::UnitX()), support_height(g, {}, Vec3::UnitY()),
                   is_planar(g) ? 0 : support_height(g, {}, Vec3::UnitZ())});
}

struct Case {
  Geometry a, b;
  Pose A, B;
  double size;
};

// A pair whose gap is far, near, touching or shallow, by turns, or with random deep overlap.
Case draw(Kind ka, Kind kb, Random& random, int k) {
  const bool flat = planar_kind(ka) || planar_kind(kb);
  const auto pose = [&](Kind kind) {
    if (!flat) return Pose{Vec3::Zero(), random.rotation()};
    // A capsule in the plane: its axis z goes to x, then turns in the plane.
    const Quat lie(std::sqrt(0.5), 0, std::sqrt(0.5), 0);
    return Pose{Vec3::Zero(), kind == Kind::capsule ? random.turn() * lie : random.turn()};
  };
  Case c{make(ka, random), make(kb, random), pose(ka), pose(kb), 0};
  c.size = size_of(c.a) + size_of(c.b);
  Vec3 n = random.unit();
  if (flat) n = Vec3(n.x(), n.y(), 0).normalized();
  // With n the direction of the centres the gap is at least distance - h_A - h_B.
  const double reach = support_height(c.a, c.A, n) + support_height(c.b, c.B, n);
  const std::array factor = {10.0, 1.5, 1.05, 0.97, 0.5};
  c.B.p = n * reach * (factor[static_cast<std::size_t>(k % 5)]);
  const Vec3 shift =
      flat ? Vec3(random.uniform(-2, 2), random.uniform(-2, 2), 0) : 2 * random.unit();
  c.A.p += shift;
  c.B.p += shift;
  return c;
}

// Distance of p from the surface of the shape along its own scale, zero on it.
double off_surface(const Geometry& g, const Pose& X, const Vec3& p_W) {
  const Vec3 p = X.inverse() * p_W;
  if (const auto* s = std::get_if<Sphere>(&g)) return p.norm() - s->radius;
  if (const auto* s = std::get_if<Capsule>(&g)) {
    const double z = std::clamp(p.z(), -0.5 * s->length, 0.5 * s->length);
    return (p - Vec3(0, 0, z)).norm() - s->radius;
  }
  if (const auto* s = std::get_if<Ellipsoid>(&g))
    return (p.cwiseQuotient(s->radii).norm() - 1) * s->radii.minCoeff();
  if (const auto* s = std::get_if<Disc>(&g)) return p.head<2>().norm() - s->radius;
  if (const auto* s = std::get_if<Ellipse>(&g))
    return (p.head<2>().cwiseQuotient(s->radii).norm() - 1) * s->radii.minCoeff();
  return p.norm();
}

// The facts that hold to rounding for every contact: unit normal, points on the surfaces, points
// apart by the gap along n.
void expect_witnesses(const Case& c, const collide::ShapeContact& found) {
  const double tolerance = 1e-13 * (c.size + c.A.p.norm() + c.B.p.norm());
  EXPECT_NEAR(found.n_W.norm(), 1, 1e-15);
  EXPECT_NEAR(off_surface(c.a, c.A, found.p_WA), 0, tolerance);
  EXPECT_NEAR(off_surface(c.b, c.B, found.p_WB), 0, tolerance);
  EXPECT_LE((found.p_WB - found.p_WA - found.gap * found.n_W).norm(), tolerance);
}

double gap_of(const Geometry& a, const Pose& A, const Geometry& b, const Pose& B) {
  return only_contact(a, A, b, B).gap;
}

class RoundPair : public ::testing::TestWithParam<std::pair<Kind, Kind>> {};

TEST_P(RoundPair, DistanceIsTheLargestOverAllNormals) {
  const auto [ka, kb] = GetParam();
  const bool flat = planar_kind(ka) || planar_kind(kb);
  Random random(1234 + 16 * static_cast<unsigned>(ka) + static_cast<unsigned>(kb));
  SlowDistance slow(flat);
  for (int k = 0; k < 2000; ++k) {
    const Case c = draw(ka, kb, random, k);
    const collide::ShapeContact found = only_contact(c.a, c.A, c.b, c.B);
    SCOPED_TRACE("case " + std::to_string(k) + " gap " + std::to_string(found.gap));
    expect_witnesses(c, found);
    // The gap is attained by its own normal, and no normal that the search finds has a larger one.
    // f is flat at its maximum, so that a search with steps of 1e-9 would find it to rounding.
    const double tolerance = 1e-13 * (c.size + std::abs(found.gap));
    EXPECT_NEAR(found.gap, separation(c.a, c.A, c.b, c.B, found.n_W), tolerance);
    EXPECT_GE(found.gap, slow(c.a, c.A, c.b, c.B) - tolerance);
  }
}

// Moving B by u changes the gap by n.u, turning B about its centre by w changes it by w.(r x n)
// with r from the centre to p_WB. Shapes are drawn until the normal turns slowly enough for
// differences.
TEST_P(RoundPair, GapHasTheNormalAsGradient) {
  const auto [ka, kb] = GetParam();
  const bool flat = planar_kind(ka) || planar_kind(kb);
  Random random(99 + 16 * static_cast<unsigned>(ka) + static_cast<unsigned>(kb));
  int checked = 0;
  for (int k = 0; k < 300; ++k) {
    const Case c = draw(ka, kb, random, k);
    const collide::ShapeContact found = only_contact(c.a, c.A, c.b, c.B);
    // Deep inside the normal jumps, and the gap has no gradient there.
    if (found.gap < 0) continue;
    ++checked;
    // Third derivatives are at most 1 / rho^2 with rho = gap + least radius of curvature: the
    // difference is off by (step / rho)^2 and by the rounding 1e-15 / step.
    const double rho = std::min(found.gap, 1.0), step = 3e-5 * rho;
    const double scale = c.size + c.B.p.norm() + c.A.p.norm();
    const double error = 1e-7 + 4e-15 * scale / step;
    const auto slope = [&](const Pose& plus, const Pose& minus) {
      return (gap_of(c.a, c.A, c.b, plus) - gap_of(c.a, c.A, c.b, minus)) / (2 * step);
    };
    for (int i = 0; i < (flat ? 2 : 3); ++i) {
      Pose plus = c.B, minus = c.B;
      plus.p[i] += step;
      minus.p[i] -= step;
      EXPECT_NEAR(slope(plus, minus), found.n_W[i], error) << k;
    }
    const Vec3 moment = (found.p_WB - c.B.p).cross(found.n_W);
    for (int i = flat ? 2 : 0; i < 3; ++i) {
      const Vec3 w = step / c.size * Vec3::Unit(i);
      const Pose plus{c.B.p, exp_rotation(w) * c.B.R}, minus{c.B.p, exp_rotation(-w) * c.B.R};
      EXPECT_NEAR(slope(plus, minus), moment[i] / c.size, error) << k;
    }
  }
  EXPECT_GE(checked, 50);
}

std::string name_of(const ::testing::TestParamInfo<std::pair<Kind, Kind>>& info) {
  const std::array names = {"Point", "Sphere", "Capsule", "Ellipsoid", "Flat", "Disc", "Ellipse"};
  return std::string(names[static_cast<std::size_t>(info.param.first)]) +
         names[static_cast<std::size_t>(info.param.second)];
}

using K = Kind;
INSTANTIATE_TEST_SUITE_P(
    Spatial, RoundPair,
    ::testing::Values(std::pair{K::point, K::sphere}, std::pair{K::point, K::capsule},
                      std::pair{K::point, K::ellipsoid}, std::pair{K::point, K::flat},
                      std::pair{K::sphere, K::sphere}, std::pair{K::sphere, K::capsule},
                      std::pair{K::sphere, K::ellipsoid}, std::pair{K::flat, K::sphere},
                      std::pair{K::capsule, K::capsule}, std::pair{K::capsule, K::ellipsoid},
                      std::pair{K::flat, K::capsule}, std::pair{K::ellipsoid, K::ellipsoid},
                      std::pair{K::ellipsoid, K::flat}, std::pair{K::flat, K::flat}),
    name_of);
INSTANTIATE_TEST_SUITE_P(
    Planar, RoundPair,
    ::testing::Values(std::pair{K::point, K::disc}, std::pair{K::point, K::ellipse},
                      std::pair{K::sphere, K::disc}, std::pair{K::sphere, K::ellipse},
                      std::pair{K::disc, K::disc}, std::pair{K::disc, K::ellipse},
                      std::pair{K::ellipse, K::ellipse}, std::pair{K::disc, K::capsule},
                      std::pair{K::ellipse, K::capsule}),
    name_of);

}  // namespace
}  // namespace cairn::test_round_pairs
