// Impacts with rolling and torsional friction (E260 to E262): closed forms of balls, the same path
// by an implicit method, and what every impact must obey.
#include <cmath>
#include <gtest/gtest.h>

#include "scheme/impacts.hpp"

namespace cairn::test_spin_path {
namespace {

using Vec6 = Eigen::Matrix<double, 6, 1>;
using Mat6 = Eigen::Matrix<double, 6, 6>;

Mat6 whole(const scheme::ImpactInput& in) {
  Mat6 W;
  W << in.W, in.W_mixed, in.W_mixed.transpose(), in.W_spin;
  return W;
}
Vec6 before(const scheme::ImpactInput& in) {
  return (Vec6() << in.u, in.spin).finished();
}
Vec6 after(const scheme::ImpactOutcome& out) {
  return (Vec6() << out.u, out.spin).finished();
}
Vec6 impulses(const scheme::ImpactOutcome& out) {
  return (Vec6() << out.impulse, out.torque).finished();
}

// Velocity and turning at the point p of a body with the mass and the principal inertias; n is x.
void set_body(double mass, const Mat3& inverse_inertia, const Vec3& p, scheme::ImpactInput& in) {
  const Mat3 P = cross_matrix(p);
  in.W = Mat3::Identity() / mass - P * inverse_inertia * P;
  in.W_mixed = -P * inverse_inertia;
  in.W_spin = inverse_inertia;
}

// A ball of unit mass and radius r on a plane with the normal x, v along y: it rolls at v = -w r
// with w about z.
constexpr double r = 0.5, inertia = 0.4 * r * r;
scheme::ImpactInput ball(double v_n, double v_t, double w, double mu, double rolling) {
  scheme::ImpactInput in;
  set_body(1, Mat3::Identity() / inertia, Vec3(-r, 0, 0), in);
  in.u = Vec3(v_n, v_t - r * w, 0);
  in.spin = Vec3(0, 0, w);
  in.mu = mu;
  in.rolling = rolling;
  in.e = 0.5;
  return in;
}

// p = (1 + e) |v_n|: v' = -mu, w' = (mu r + ...)/I. Friction on the ball is -mu along y, its torque
// about z is r mu, which turns it towards rolling, w < 0 in this frame being backwards.
TEST(SpinPath, SlidingBall) {
  for (const RestitutionLaw law : laws) {
    scheme::ImpactInput in = ball(-2, 5, 0, 0.1, 0.02);
    in.law = law;
    const double p = 3;
    const scheme::ImpactOutcome out = scheme::impact_path(in);
    const double w = (0.1 * r - 0.02) * p / inertia;
    EXPECT_NEAR(out.impulse[0], p, 1e-15);
    EXPECT_NEAR(out.impulse[1], -0.1 * p, 1e-15);
    EXPECT_NEAR(out.torque[2], -0.02 * p, 1e-15);
    EXPECT_NEAR(out.spin[2], w, 1e-14);
    EXPECT_NEAR(out.u[1], 5 - 0.1 * p - r * w, 1e-14);
    EXPECT_FALSE(out.stuck);
  }
}

// A torque within its bound keeps it from turning: mu r <= rho.
TEST(SpinPath, RollingFrictionHoldsASlidingBall) {
  const scheme::ImpactInput in = ball(-2, 5, 0, 0.1, 0.06);
  const scheme::ImpactOutcome out = scheme::impact_path(in);
  EXPECT_EQ(out.spin[2], 0);
  EXPECT_NEAR(out.torque[2], -0.1 * r * 3, 1e-15);
  EXPECT_NEAR(out.u[1], 5 - 0.3, 1e-15);
}

// It slides until v = w r, then rolls with v' = -rho / (r (1 + I/r^2)), and stops.
TEST(SpinPath, SlidesThenRollsThenStops) {
  const double mu = 0.3, rho = 0.02;
  for (const double v : {1.0, 0.5, 0.02}) {
    const scheme::ImpactInput in = ball(-2, v, 0, mu, rho);
    const double slides = v / (mu + r * (mu * r - rho) / inertia);
    ASSERT_LT(slides, 3);
    const double rolls = std::max(0.0, v - mu * slides - rho / (1.4 * r) * (3 - slides));
    const scheme::ImpactOutcome out = scheme::impact_path(in);
    EXPECT_TRUE(out.stuck);
    EXPECT_EQ(out.u[1], 0);
    EXPECT_NEAR(out.spin[2], rolls / r, 2e-15);
    EXPECT_EQ(out.spin[2] == 0, v == 0.02);
  }
}

// About the normal it is alone: I w' = -rho_t.
TEST(SpinPath, TorsionAboutTheNormal) {
  scheme::ImpactInput in = ball(-2, 0, 0, 0.3, 0);
  in.torsion = 0.01;
  for (const double w : {0.2, -0.9}) {
    in.spin = Vec3(w, 0, 0);
    const scheme::ImpactOutcome out = scheme::impact_path(in);
    const double lost = std::min(std::abs(w), 0.03 / inertia);
    EXPECT_NEAR(out.spin[0], std::copysign(std::abs(w) - lost, w), 1e-15);
    EXPECT_NEAR(std::abs(out.torque[0]), lost * inertia, 1e-16);
  }
}

struct Random : RandomNumbers {
  // A body with moments of inertia that a body can have, hit anywhere, turning as it likes.
  scheme::ImpactInput impact() {
    const Vec3 squares = Vec3(uniform(0.2, 1), uniform(0.2, 1), uniform(0.2, 1)).cwiseAbs2();
    const Mat3 R = turn();
    const Vec3 moments = Vec3::Constant(squares.sum()) - squares;
    scheme::ImpactInput in;
    set_body(uniform(0.5, 2), R * moments.cwiseInverse().asDiagonal() * R.transpose(), vector(),
             in);
    in.u = vector();
    in.u[0] = -std::abs(in.u[0]);
    in.spin = vector();
    in.mu = uniform(0, 1);
    in.torsion = uniform(0, 0.3);
    in.rolling = uniform(0, 0.3);
    in.e = uniform(0, 1);
    return in;
  }
};

// Where friction about the contact does nothing the slip is that of the other integration, by
// Taylor series.
TEST(SpinPath, SlipAgreesWithTheSeries) {
  Random random{std::mt19937_64(5)};
  for (int i = 0; i < 1000; ++i) {
    scheme::ImpactInput in = random.impact();
    in.law = laws[i % 3];
    if (i % 2) in.mu *= 0.3, in.u.tail<2>() *= 0.1;
    in.torsion = in.rolling = 0;
    const scheme::ImpactOutcome series = scheme::impact_path(in);
    in.torsion = 0.1;
    in.W_mixed.setZero();
    in.W_spin.setIdentity();
    const scheme::ImpactOutcome out = scheme::impact_path(in);
    const double size = in.u.norm() + (in.W * out.impulse).norm();
    EXPECT_LT((out.u - series.u).norm(), 1e-12 * size) << i;
    EXPECT_LT((in.W * (out.impulse - series.impulse)).norm(), 1e-12 * size) << i;
  }
}

// ---- The independent integration: implicit steps over the impulse, y+ = y + W (dp, lambda) with
// the lambda in the discs of dp that take most from y+. Of first order, whatever stops or starts.
Vec6 stepped(const scheme::ImpactInput& in, double p, int steps) {
  const Mat6 W = whole(in);
  const double dp = p / steps;
  Vec6 y = before(in), impulse = Vec6::Zero();
  impulse[0] = dp;
  const struct {
    Eigen::Index first, size;
    double bound;
  } discs[] = {{1, 2, in.mu * dp}, {3, 1, in.torsion * dp}, {4, 2, in.rolling * dp}};
  for (int i = 0; i < steps; ++i) {
    for (int sweep = 0; sweep < 3000; ++sweep) {
      double change = 0;
      for (const auto& disc : discs) {
        const auto rows = W.middleRows(disc.first, disc.size);
        const double weight = rows.middleCols(disc.first, disc.size).trace();
        auto part = impulse.segment(disc.first, disc.size);
        const VecX old = part,
                   free = old - (y.segment(disc.first, disc.size) + rows * impulse) / weight;
        part = free.norm() > disc.bound ? VecX(free * (disc.bound / free.norm())) : free;
        change = std::max(change, (part - old).norm());
      }
      if (change <= 1e-11 * dp) break;
    }
    y += W * impulse;
  }
  return y;
}

TEST(SpinPath, AgreesWithAnImplicitIntegration) {
  Random random{std::mt19937_64(8)};
  double coarse = 0, fine = 0;
  int slips_stop = 0, turns_stop = 0;
  for (int i = 0; i < 60; ++i) {
    scheme::ImpactInput in = random.impact();
    in.law = laws[i % 3];
    if (i % 2) in.u.tail<2>() *= 0.2, in.spin *= 0.2;
    const scheme::ImpactOutcome out = scheme::impact_path(in);
    const double size = before(in).norm() + (whole(in) * impulses(out)).norm();
    const double one = (stepped(in, out.impulse[0], 300) - after(out)).norm() / size,
                 two = (stepped(in, out.impulse[0], 600) - after(out)).norm() / size;
    EXPECT_LT(two, 3.0 / 600) << i;
    coarse += one, fine += two;
    slips_stop += out.stuck, turns_stop += out.spin.tail<2>().norm() == 0 || out.spin[0] == 0;
  }
  EXPECT_NEAR(fine / coarse, 0.5, 0.02);  // what is left is the implicit method's own
  EXPECT_GT(slips_stop, 10);
  EXPECT_GT(turns_stop, 10);
}

// Momentum, the discs, the law, and the audit. Friction takes energy, Stronge's law never raises
// it.
TEST(SpinPath, BalancesHoldOverManyImpacts) {
  Random random{std::mt19937_64(2)};
  for (int i = 0; i < 2000; ++i) {
    scheme::ImpactInput in = random.impact();
    in.law = laws[i % 3];
    if (i % 4 == 1) in.u.tail<2>().setZero();
    if (i % 4 == 2) in.spin.setZero();
    const scheme::ImpactOutcome out = scheme::impact_path(in);
    const Vec6 pi = impulses(out), change = whole(in) * pi;
    const double size = before(in).norm() + change.norm(), energy = size * pi.norm();
    ASSERT_LT((before(in) + change - after(out)).norm(), 1e-12 * size) << i;
    ASSERT_LE(out.impulse.tail<2>().norm(), in.mu * out.impulse[0] * (1 + 1e-12)) << i;
    ASSERT_LE(std::abs(out.torque[0]), in.torsion * out.impulse[0] * (1 + 1e-12)) << i;
    ASSERT_LE(out.torque.tail<2>().norm(), in.rolling * out.impulse[0] * (1 + 1e-12)) << i;
    ASSERT_GE(out.u[0], 0);
    ASSERT_LE(out.work_compression, 0);
    ASSERT_GE(out.work_decompression, 0);
    ASSERT_LE(out.work_friction, 1e-13 * energy) << i;
    if (in.law == RestitutionLaw::newton) {
      ASSERT_NEAR(out.u[0], -in.e * in.u[0], 1e-13 * size) << i;
    }
    if (in.law == RestitutionLaw::poisson) {
      ASSERT_NEAR(out.impulse[0], (1 + in.e) * out.compression_impulse, 1e-13 * out.impulse[0]);
    }
    if (in.law == RestitutionLaw::stronge) {
      ASSERT_NEAR(out.work_decompression, -in.e * in.e * out.work_compression, 1e-13 * energy);
      ASSERT_LE(0.5 * (before(in) + after(out)).dot(pi), 1e-14 * energy) << i;
    }
    if (out.stuck) {
      ASSERT_EQ(out.u.tail<2>().norm(), 0);
    }
  }
}

// A turned frame of the tangents gives the turned answer.
TEST(SpinPath, TurnsWithTheTangents) {
  Random random{std::mt19937_64(3)};
  for (int i = 0; i < 300; ++i) {
    scheme::ImpactInput in = random.impact();
    in.law = laws[i % 3];
    const Mat3 R = Eigen::AngleAxisd(random.uniform(0, 2 * M_PI), Vec3::UnitX()).toRotationMatrix();
    scheme::ImpactInput turned = in;
    for (Mat3* m : {&turned.W, &turned.W_mixed, &turned.W_spin}) *m = R * *m * R.transpose();
    turned.u = R * in.u;
    turned.spin = R * in.spin;
    const scheme::ImpactOutcome a = scheme::impact_path(in), b = scheme::impact_path(turned);
    const double size = before(in).norm() + (whole(in) * impulses(a)).norm();
    EXPECT_LT((R * a.u - b.u).norm() + (R * a.spin - b.spin).norm(), 1e-12 * size) << i;
  }
}

TEST(SpinPath, ScalesWithoutRounding) {
  Random random{std::mt19937_64(4)};
  for (int i = 0; i < 300; ++i) {
    scheme::ImpactInput in = random.impact(), scaled = in;
    for (Mat3* m : {&scaled.W, &scaled.W_mixed, &scaled.W_spin}) *m *= 0x1p-7;
    scaled.u *= 0x1p12;
    scaled.spin *= 0x1p12;
    const scheme::ImpactOutcome a = scheme::impact_path(in), b = scheme::impact_path(scaled);
    EXPECT_EQ(a.u * 0x1p12, b.u) << i;
    EXPECT_EQ(a.torque * 0x1p19, b.torque) << i;
  }
}

}  // namespace
}  // namespace cairn::test_spin_path
