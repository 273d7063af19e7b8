// The impact of one contact over its impulse (E200 to E206): closed forms where the slip is
// straight, an independent integration where it turns, and what every impact must obey.
#include <cmath>
#include <gtest/gtest.h>

#include "scheme/impacts.hpp"

namespace cairn::test_impact_path {
namespace {

// Inverse mass of a planar contact with the couplings nn, nt, tt.
Mat3 planar(double nn, double nt, double tt) {
  Mat3 W = Mat3::Zero();
  W(0, 0) = nn;
  W(0, 1) = W(1, 0) = nt;
  W(1, 1) = tt;
  return W;
}

// Of the tip of a rod of unit mass and half length 1 whose centre is at the angle above the tip.
Mat3 rod(double angle) {
  const double x = -std::cos(angle), y = -std::sin(angle);  // tip from the centre
  return planar(1 + 3 * x * x, -3 * x * y, 1 + 3 * y * y);
}

// Of a point of a body with the principal inertias, at p from its centre; n along x.
Mat3 inverse_mass(double mass, const Vec3& inertia, const Vec3& p) {
  const Mat3 P = cross_matrix(p);
  return Mat3::Identity() / mass - P * inertia.cwiseInverse().asDiagonal() * P;
}

struct Random : RandomNumbers {
  // A body with moments of inertia that a body can have, hit anywhere.
  scheme::ImpactInput impact() {
    const Vec3 extent(uniform(0.05, 1), uniform(0.05, 1), uniform(0.05, 1));
    const Vec3 squares = extent.cwiseAbs2();
    const Mat3 W = inverse_mass(uniform(0.5, 2), Vec3::Constant(squares.sum()) - squares, vector());
    const Mat3 R = turn();
    scheme::ImpactInput in;
    in.W = R * W * R.transpose();
    in.u = vector();
    in.u[0] = -std::abs(in.u[0]);
    in.mu = uniform(0, 1.5);
    in.e = uniform(0, 1);
    return in;
  }
};

double kinetic_change(const scheme::ImpactInput& in, const scheme::ImpactOutcome& out) {
  return 0.5 * (in.u + out.u).dot(out.impulse);
}

// ---- The independent integration: Runge and Kutta over the impulse, steps in proportion to the
// slip, ends of phases by bisection of the step. Good to 1e-10.
struct Marching {
  const scheme::ImpactInput& in;
  Vec3 u, pi = Vec3::Zero();
  double w = 0;
  bool stopped = false;
  Vec3 kept = Vec3::Zero();  // direction of the impulse after the slip has stopped
  double stretch = 1;        // friction in an ellipse: mu along t1, stretch mu along t2

  // The point of the ellipse that takes most from the slip.
  Vec3 direction(const Vec3& at) const {
    if (stopped) return kept;
    return Vec3(1, 0, 0) -
           in.mu / std::hypot(at[1], stretch * at[2]) * Vec3(0, at[1], stretch * stretch * at[2]);
  }
  void step(double dp) {
    const Vec3 d1 = direction(u), u2 = u + dp / 2 * in.W * d1, d2 = direction(u2),
               u3 = u + dp / 2 * in.W * d2, d3 = direction(u3), u4 = u + dp * in.W * d3,
               d4 = direction(u4);
    const Vec3 mean = (d1 + 2 * d2 + 2 * d3 + d4) / 6;
    w += dp / 6 * (u[0] + 2 * u2[0] + 2 * u3[0] + u4[0]);
    u += dp * in.W * mean;
    pi += dp * mean;
  }
  // The direction along which a slip from rest stays, by search over all angles.
  Vec3 outward() const {
    auto across = [&](double angle) {
      const Vec3 s(0, std::cos(angle), std::sin(angle));
      const Vec3 rate = in.W * Marching{.in = in, .u = s, .stretch = stretch}.direction(s);
      return std::pair(-s[2] * rate[1] + s[1] * rate[2], s.dot(rate));
    };
    for (int i = 0; i < 720; ++i) {
      double lo = i * M_PI / 360, hi = (i + 1) * M_PI / 360;
      if ((across(lo).first > 0) == (across(hi).first > 0)) continue;
      for (int k = 0; k < 60; ++k) {
        const double mid = (lo + hi) / 2;
        ((across(mid).first > 0) == (across(lo).first > 0) ? lo : hi) = mid;
      }
      const Vec3 s(0, std::cos(lo), std::sin(lo));
      if (across(lo).second > 0) return Marching{.in = in, .u = s, .stretch = stretch}.direction(s);
    }
    return {1, 0, 0};
  }
  void stop() {
    stopped = true;
    u[1] = u[2] = 0;
    const Eigen::Vector2d t =
        in.W.block<2, 2>(1, 1).ldlt().solve(Eigen::Vector2d(in.W.block<2, 1>(1, 0)));
    kept = std::hypot(t[0], t[1] / stretch) <= in.mu ? Vec3(1, -t[0], -t[1]) : outward();
  }
  // Until `done` holds.
  template <class Done>
  void march(Done done) {
    const double fine = 0.004 / in.W.norm() / (1 + in.mu);
    while (true) {
      if (!stopped && u.tail<2>().norm() < 1e-13 * in.u.norm()) stop();
      double dp = fine * (stopped ? in.u.norm() : std::min(in.u.norm(), u.tail<2>().norm()));
      Marching next = *this;
      next.step(dp);
      if (!done(next)) {
        std::tie(u, pi, w) = std::tie(next.u, next.pi, next.w);
        continue;
      }
      double lo = 0;
      for (int k = 0; k < 60; ++k) {
        Marching trial = *this;
        trial.step((lo + dp) / 2);
        (done(trial) ? dp : lo) = (lo + dp) / 2;
      }
      step(dp);
      return;
    }
  }
};

scheme::ImpactOutcome marched(const scheme::ImpactInput& in, double stretch = 1) {
  Marching m{.in = in, .u = in.u, .stretch = stretch};
  double p_c = 0, w_c = 0, p_d = 0, w_d = 0;
  // Phases in which the bodies approach and part, in turn, until the law is met.
  for (int round = 0; round < 10; ++round) {
    const double p0 = m.pi[0], w0 = m.w;
    m.march([](const Marching& at) { return at.u[0] >= 0; });
    p_c += m.pi[0] - p0, w_c += m.w - w0;
    const double p1 = m.pi[0], w1 = m.w;
    auto over = [&](const Marching& at) {
      if (in.law == RestitutionLaw::newton) return at.u[0] >= -in.e * in.u[0];
      if (in.law == RestitutionLaw::poisson) return p_d + at.pi[0] - p1 >= in.e * p_c;
      return w_d + at.w - w1 >= -in.e * in.e * w_c;
    };
    m.march([&](const Marching& at) { return at.u[0] < 0 || over(at); });
    if (over(m)) break;
    p_d += m.pi[0] - p1, w_d += m.w - w1;
  }
  scheme::ImpactOutcome out;
  out.impulse = m.pi;
  out.u = m.u;
  return out;
}

// ---- Closed forms

// The values of EXPERIMENTS.md for the rod at 45 degrees, which are those of Routh's diagram: it
// slides, stops and slides back.
TEST(ImpactPath, RodSlidesBackAsTheClosedFormsSay) {
  const Vec3 expected[] = {{0.7, -0.175324675325, 0},
                           {0.547272727273, -0.153506493506, 0},
                           {0.571594840037, -0.156981081044, 0}};
  for (std::size_t i = 0; i < 3; ++i) {
    const double a = M_PI / 4;
    const scheme::ImpactOutcome out =
        scheme::impact_path({.W = rod(a), .u = {-1, 0.4, 0}, .mu = 0.5, .e = 0.7, .law = laws[i]});
    EXPECT_LT((out.u - expected[i]).norm(), 2e-12) << i;
    EXPECT_TRUE(out.reversed);
    EXPECT_EQ(out.phases, 2);
  }
}

// m = R = 1, mu = 0.2 and 0.8: it slides to the end; vx+ = 3 - mu (1 + e) 2 = 2.28.
TEST(ImpactPath, SphereSlidesThroughout) {
  for (const RestitutionLaw law : laws) {
    const scheme::ImpactOutcome out = scheme::impact_path(
        {.W = planar(1, 0, 3.5), .u = {-2, 3, 0}, .mu = 0.2, .e = 0.8, .law = law});
    EXPECT_NEAR(out.impulse[0], 3.6, 1e-15);
    EXPECT_NEAR(out.impulse[1], -0.72, 1e-15);
    EXPECT_NEAR(out.u[0], 1.6, 1e-15);
    EXPECT_NEAR(out.u[1], 3 - 3.5 * 0.72, 1e-14);
    EXPECT_FALSE(out.stuck || out.reversed || out.jammed);
    EXPECT_EQ(out.phases, 1);
  }
}

// Piecewise linear, all cases of Routh's diagram: an independent account of its breaks.
struct Routh {
  double un, ut, p = 0, w = 0;
  const scheme::ImpactInput& in;
  double k() const {  // normal velocity per impulse
    const double tau = in.W(0, 1) / in.W(1, 1);
    const double s = ut != 0 ? (ut > 0 ? 1 : -1) : (tau > in.mu ? 1 : tau < -in.mu ? -1 : 0);
    return s == 0 ? in.W(0, 0) - in.W(0, 1) * tau : in.W(0, 0) - in.mu * in.W(0, 1) * s;
  }
  double rate() const {  // slip per impulse
    const double tau = in.W(0, 1) / in.W(1, 1);
    const double s = ut != 0 ? (ut > 0 ? 1 : -1) : (tau > in.mu ? 1 : tau < -in.mu ? -1 : 0);
    return s == 0 ? 0 : in.W(0, 1) - in.mu * in.W(1, 1) * s;
  }
  double to_stop() const { return ut * rate() < 0 ? -ut / rate() : HUGE_VAL; }
  void go(double dp) {
    const bool stops = dp == to_stop();
    w += dp * (un + k() * dp / 2);
    const double dn = k() * dp, dt = rate() * dp;
    un += dn, ut = stops ? 0 : ut + dt, p += dp;
  }
};

Routh routh(const scheme::ImpactInput& in) {
  Routh r{in.u[0], in.u[1], 0, 0, in};
  while (r.un < 0) {
    const double end = r.k() > 0 ? -r.un / r.k() : HUGE_VAL;
    if (r.to_stop() < end) {
      r.go(r.to_stop());
      continue;
    }
    r.go(end);
    break;
  }
  r.un = 0;
  const double p_c = r.p, w_c = r.w;
  r.w = 0;  // from here on of the restitution
  for (int i = 0; i < 3; ++i) {
    double end = 0;
    if (in.law == RestitutionLaw::newton) end = (-in.e * in.u[0] - r.un) / r.k();
    if (in.law == RestitutionLaw::poisson) end = (1 + in.e) * p_c - r.p;
    if (in.law == RestitutionLaw::stronge) {
      const double missing = -in.e * in.e * w_c - r.w;
      end = (-r.un + std::sqrt(r.un * r.un + 2 * r.k() * missing)) / r.k();
    }
    if (r.to_stop() < end) {
      r.go(r.to_stop());
      continue;
    }
    r.go(end);
    break;
  }
  return r;
}

TEST(ImpactPath, AllCasesOfRouthsDiagram) {
  Random random{std::mt19937_64(7)};
  int slides = 0, sticks = 0, reverses = 0, jams = 0;
  for (int i = 0; i < 10000; ++i) {
    scheme::ImpactInput in{.W = rod(random.uniform(0, M_PI)),
                           .u = {-random.uniform(0.1, 1), random.uniform(-1, 1), 0},
                           .mu = random.uniform(0, 2),
                           .e = random.uniform(0, 1),
                           .law = laws[i % 3]};
    if (i % 2) in.W(0, 1) = in.W(1, 0) = -in.W(0, 1);
    const scheme::ImpactOutcome out = scheme::impact_path(in);
    const Routh expected = routh(in);
    const double scale = std::max(1.0, expected.p) * in.W.norm();
    EXPECT_NEAR(out.u[0], expected.un, 1e-13 * scale) << i;
    EXPECT_NEAR(out.u[1], expected.ut, 1e-13 * scale) << i;
    EXPECT_NEAR(out.impulse[0], expected.p, 1e-13 * scale) << i;
    EXPECT_EQ(out.u[2], 0);
    sticks += out.stuck, reverses += out.reversed, jams += out.jammed;
    slides += !out.stuck && !out.reversed;
  }
  EXPECT_GT(slides, 100);
  EXPECT_GT(sticks, 100);
  EXPECT_GT(reverses, 100);
  EXPECT_GT(jams, 100);
}

// ---- Out of the plane

TEST(ImpactPath, TurningSlipAgreesWithAnIndependentIntegration) {
  Random random{std::mt19937_64(11)};
  int sticks = 0, reverses = 0, jams = 0;
  for (int i = 0; i < 300; ++i) {
    scheme::ImpactInput in = random.impact();
    in.law = laws[i % 3];
    if (i % 2) in.mu *= 0.3, in.u.tail<2>() *= 0.1;  // these stop early and slide again
    const scheme::ImpactOutcome out = scheme::impact_path(in), expected = marched(in);
    const double scale = 1e-9 * (in.u.norm() + (in.W * expected.impulse).norm());
    EXPECT_LT((out.u - expected.u).norm(), scale) << i;
    EXPECT_LT((in.W * (out.impulse - expected.impulse)).norm(), scale) << i;
    sticks += out.stuck, reverses += out.reversed, jams += out.jammed;
  }
  EXPECT_GT(sticks, 10);
  EXPECT_GT(reverses, 3);
  EXPECT_GT(jams, 3);
}

// (E263): with the row along t2 stretched by k the ellipse is a circle, and the path is that of the
// ellipse. Marched along are rows that are not stretched.
TEST(ImpactPath, FrictionInAnEllipseAgreesWithAnIndependentIntegration) {
  Random random{std::mt19937_64(12)};
  int sticks = 0, slides = 0;
  for (int i = 0; i < 200; ++i) {
    scheme::ImpactInput in = random.impact(), stretched = in;
    const double k = random.uniform(0.2, 4);
    in.law = stretched.law = laws[i % 3];
    if (i % 2) in.u.tail<2>() *= 0.1;
    const Vec3 stretch(1, 1, k);
    stretched.W = stretch.asDiagonal() * in.W * stretch.asDiagonal();
    stretched.u = in.u.cwiseProduct(stretch);
    const scheme::ImpactOutcome out = scheme::impact_path(stretched), expected = marched(in, k);
    const double scale = 1e-9 * (in.u.norm() + (in.W * expected.impulse).norm());
    EXPECT_LT((out.u.cwiseQuotient(stretch) - expected.u).norm(), scale) << i;
    EXPECT_LT((in.W * (out.impulse.cwiseProduct(stretch) - expected.impulse)).norm(), scale) << i;
    EXPECT_LE(out.work_friction, 0);
    sticks += out.stuck, slides += !out.stuck;
  }
  EXPECT_GT(sticks, 10);
  EXPECT_GT(slides, 10);
}

// A path that is straight in a turned frame is the planar one: the answers agree.
TEST(ImpactPath, TurnsWithTheTangents) {
  Random random{std::mt19937_64(3)};
  for (int i = 0; i < 200; ++i) {
    scheme::ImpactInput in = random.impact();
    in.law = laws[i % 3];
    const double angle = random.uniform(0, 2 * M_PI);
    const Mat3 R = Eigen::AngleAxisd(angle, Vec3::UnitX()).toRotationMatrix();
    scheme::ImpactInput turned = in;
    turned.W = R * in.W * R.transpose();
    turned.u = R * in.u;
    const scheme::ImpactOutcome a = scheme::impact_path(in), b = scheme::impact_path(turned);
    EXPECT_LT((R * a.u - b.u).norm(), 1e-12 * (in.u.norm() + (in.W * a.impulse).norm())) << i;
  }
}

// ---- What every impact obeys

// Momentum, the cone, the law, and the audit: normal work plus friction's work is what the kinetic
// energy changes by. Stronge's law never raises it; Newton's and Poisson's may.
TEST(ImpactPath, BalancesHoldOverManyImpacts) {
  Random random{std::mt19937_64(1)};
  int raised = 0;
  for (int i = 0; i < 100000; ++i) {
    scheme::ImpactInput in = random.impact();
    in.law = laws[i % 3];
    const scheme::ImpactOutcome out = scheme::impact_path(in);
    const double size = in.u.norm() + (in.W * out.impulse).norm(),
                 energy = size * out.impulse.norm();
    ASSERT_LT((in.u + in.W * out.impulse - out.u).norm(), 1e-13 * size) << i;
    ASSERT_LE(out.impulse.tail<2>().norm(), in.mu * out.impulse[0] * (1 + 1e-13)) << i;
    ASSERT_GE(out.u[0], 0);
    ASSERT_LE(out.work_compression, 0);
    ASSERT_GE(out.work_decompression, 0);
    ASSERT_LE(out.work_friction, 1e-14 * energy) << i;
    if (in.law == RestitutionLaw::newton) {
      ASSERT_NEAR(out.u[0], -in.e * in.u[0], 1e-14 * size);
    }
    if (in.law == RestitutionLaw::poisson) {
      ASSERT_NEAR(out.impulse[0], (1 + in.e) * out.compression_impulse, 1e-14 * out.impulse[0]);
    }
    if (in.law == RestitutionLaw::stronge) {
      ASSERT_NEAR(out.work_decompression, -in.e * in.e * out.work_compression, 1e-14 * energy);
      ASSERT_LE(kinetic_change(in, out), 1e-15 * energy) << i;
    } else {
      raised += kinetic_change(in, out) > 1e-12 * energy;
    }
    if (out.stuck) {
      ASSERT_EQ(out.u.tail<2>().norm(), 0);
    }
  }
  EXPECT_GT(raised, 0);  // or the guard would have nothing to do
}

TEST(ImpactPath, WithoutFrictionAllLawsAreNewtons) {
  Random random{std::mt19937_64(5)};
  for (int i = 0; i < 300; ++i) {
    scheme::ImpactInput in = random.impact();
    in.mu = 0;
    in.law = laws[i % 3];
    const scheme::ImpactOutcome out = scheme::impact_path(in);
    const double impulse = -(1 + in.e) * in.u[0] / in.W(0, 0);
    EXPECT_NEAR(out.impulse[0], impulse, 1e-14 * impulse);
    EXPECT_EQ(out.impulse.tail<2>().norm(), 0);
  }
}

// Units that are powers of two change no bit.
TEST(ImpactPath, ScalesWithoutRounding) {
  Random random{std::mt19937_64(13)};
  for (int i = 0; i < 200; ++i) {
    scheme::ImpactInput in = random.impact();
    in.law = laws[i % 3];
    scheme::ImpactInput scaled = in;
    scaled.W *= 0x1p40;
    scaled.u *= 0x1p-30;
    const scheme::ImpactOutcome a = scheme::impact_path(in), b = scheme::impact_path(scaled);
    EXPECT_EQ(a.u * 0x1p-30, b.u);
    EXPECT_EQ(a.impulse * 0x1p-70, b.impulse);
  }
}

// A contact that can move along one line only (the tip of a pendulum): friction beyond the slope of
// that line locks it when the compression ends, and no impulse moves it any more.
TEST(ImpactPath, OneDegreeOfFreedomLocksWhereFrictionHoldsIt) {
  const Mat3 W = planar(1, 0.5, 0.25);  // moves along (1, 0.5)
  for (const RestitutionLaw law : laws) {
    const scheme::ImpactOutcome held =
        scheme::impact_path({.W = W, .u = {-1, -0.5, 0}, .mu = 2.5, .e = 0.5, .law = law});
    EXPECT_LT(held.u.norm(), 1e-15);
    EXPECT_TRUE(held.stuck);
    const scheme::ImpactOutcome free =
        scheme::impact_path({.W = W, .u = {-1, -0.5, 0}, .mu = 0.5, .e = 0.5, .law = law});
    EXPECT_NEAR(free.u[1], free.u[0] / 2, 1e-15);
    EXPECT_TRUE(free.reversed);
    if (law == RestitutionLaw::newton) {
      EXPECT_NEAR(free.u[0], 0.5, 1e-15);
    }
  }
}

TEST(ImpactPath, NothingHappensToBodiesThatPart) {
  const scheme::ImpactOutcome out =
      scheme::impact_path({.W = planar(1, 0, 1), .u = {0.5, 1, 0}, .mu = 1, .e = 1});
  EXPECT_EQ(out.impulse, Vec3::Zero());
  EXPECT_EQ(out.u, Vec3(0.5, 1, 0));
}

}  // namespace
}  // namespace cairn::test_impact_path
