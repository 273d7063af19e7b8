// Free rotation, groups of bodies on joints in flight, and tops (E420 to E426), in all schemes.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "system/worlds.hpp"

namespace cairn::test_free_rotation {
namespace {

using namespace testing;

struct Named {
  const char* name;
  SchemeOptions scheme;
};

std::vector<Named> schemes() {
  return {{"euler", Euler{}},
          {"relaxed", Relaxed{}},
          {"hybrid", Hybrid{}},
          {"trapezoidal", Trapezoidal{}},
          {"penalty", Penalty{}}};
}

ModelDescription body_with(const Vec3& inertia, const Vec3& spin, const Quat& orientation) {
  ModelDescription d = world(Vec3::Zero(), 0, 0);
  BodyDescription body;
  body.name = "body";
  body.mass = 1;
  body.inertia = inertia.asDiagonal();
  body.orientation = orientation;
  body.angular_velocity = orientation * spin;
  d.bodies = {body};
  return d;
}

Quat random_rotation(Random& random) {
  return Quat(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1),
              random.uniform(-1, 1))
      .normalized();
}

// Moments that obey the triangle inequality, from rods to plates.
Vec3 random_moments(Random& random) {
  const Vec3 a(random.uniform(0.01, 1), random.uniform(0.01, 1), random.uniform(0.01, 1));
  return {a[1] + a[2], a[2] + a[0], a[0] + a[1]};
}

Vec3 spin_momentum(const Simulator& sim) {
  return sim.state().poses[0].R * (sim.model().bodies[0].inertia_B * Vec3(sim.state().v.tail<3>()));
}

// R I w and w . I w stay, for any moments of inertia, also next to the unstable middle axis, and
// for h |w| up to one. A step rounds some 1e-16 of them.
TEST(FreeRotation, KeepsAngularMomentumAndEnergy) {
  constexpr int steps = 2000;
  for (const auto& [name, scheme] : schemes()) {
    Random random(31);
    for (int n = 0; n < 6; ++n) {
      const double h = std::pow(10, random.uniform(-3, -1));
      const Vec3 axis =
          n % 2 == 0 ? Vec3(random.vector(1).normalized()) : Vec3(Vec3(1e-4, 1, 1e-4).normalized());
      const double turn = n == 0 ? 1 : random.uniform(0.01, 1);
      Simulator sim = simulator_of(
          body_with(random_moments(random), turn / h * axis, random_rotation(random)), scheme);
      const Vec3 L = spin_momentum(sim);
      const double energy = sim.kinetic_energy();
      for (int i = 0; i < steps; ++i) {
        ASSERT_FALSE(sim.step(h).failed()) << name << sim.report().message;
        ASSERT_TRUE(sim.report().verdict.accepted()) << name << ' ' << i;
      }
      EXPECT_LE((spin_momentum(sim) - L).norm(), 1e-12 * L.norm()) << name << ' ' << n;
      EXPECT_LE(std::abs(sim.kinetic_energy() - energy), 1e-9 * energy) << name << ' ' << n;
    }
  }
}

// sn, cn, dn of the parameter m by descending Landen transformations.
struct Elliptic {
  double sn, cn, dn;
};
Elliptic elliptic(double u, double m) {
  std::vector<double> a = {1}, c = {std::sqrt(m)};
  double b = std::sqrt(1 - m);
  while (c.back() > 1e-17) {
    c.push_back((a.back() - b) / 2);
    const double next = (a.back() + b) / 2;
    b = std::sqrt(a.back() * b);
    a.push_back(next);
  }
  double phi = std::ldexp(a.back() * u, static_cast<int>(a.size()) - 1), last = phi;
  for (std::size_t i = a.size() - 1; i > 0; --i) {
    last = phi;
    phi = (phi + std::asin(c[i] / a[i] * std::sin(phi))) / 2;
  }
  return {std::sin(phi), std::cos(phi), std::cos(phi) / std::cos(last - phi)};
}

// Jacobi: from w2 = 0, with I1 < I2 < I3 and L^2 > 2 T I2, w = (a cn, b sn, c dn)(p t). The drift
// has no error of phase: what is left grows with rounding times the time.
TEST(FreeRotation, FollowsEllipticFunctions) {
  const Vec3 I(1, 2, 3), w0(1.1, 0, 2);
  const double T2 = w0.dot(I.cwiseProduct(w0)), L2 = I.cwiseProduct(w0).squaredNorm();
  ASSERT_GT(L2, T2 * I[1]);
  const double p = std::sqrt((I[2] - I[1]) * (L2 - T2 * I[0]) / I.prod());
  const double m = (I[1] - I[0]) * (T2 * I[2] - L2) / ((I[2] - I[1]) * (L2 - T2 * I[0]));
  const double b = std::sqrt((T2 * I[2] - L2) / (I[1] * (I[2] - I[1])));
  for (const auto& [name, scheme] : schemes())
    for (const double h : {0.4, 0.1, 0.01}) {
      Simulator sim = simulator_of(body_with(I, w0, Quat::Identity()), scheme);
      for (int i = 1; i * h < 20; ++i) {
        ASSERT_FALSE(sim.step(h).failed()) << name;
        const Elliptic e = elliptic(p * i * h, m);
        const Vec3 w(w0[0] * e.cn, b * e.sn, w0[2] * e.dn);
        ASSERT_LE((Vec3(sim.state().v.tail<3>()) - w).norm(), 1e-11) << name << ' ' << h;
      }
    }
}

// The pose against classical Runge-Kutta steps of 2e-5 rad.
TEST(FreeRotation, PosesFollowAnIndependentIntegration) {
  const Vec3 I(1, 2.5, 3), w0(0.7, 1.5, 0.4);
  Eigen::Vector4d q = Quat::Identity().coeffs();
  Vec3 w = w0;
  const auto rate = [&](const Eigen::Vector4d& x, const Vec3& v) {
    const Vec3 L = I.cwiseProduct(v);
    return std::pair<Eigen::Vector4d, Vec3>(0.5 * (Quat(x) * Quat(0, v[0], v[1], v[2])).coeffs(),
                                            L.cross(v).cwiseQuotient(I));
  };
  const int count = 200000;
  const double dt = 4.0 / count;
  for (int i = 0; i < count; ++i) {
    const auto [a, k1] = rate(q, w);
    const auto [b, k2] = rate(q + dt / 2 * a, w + dt / 2 * k1);
    const auto [c, k3] = rate(q + dt / 2 * b, w + dt / 2 * k2);
    const auto [d, k4] = rate(q + dt * c, w + dt * k3);
    q += dt / 6 * (a + 2 * b + 2 * c + d);
    w += dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
  }
  for (const auto& [name, scheme] : schemes()) {
    Simulator sim = simulator_of(body_with(I, w0, Quat::Identity()), scheme);
    for (int i = 0; i < 10; ++i) ASSERT_FALSE(sim.step(0.4).failed()) << name;
    EXPECT_LE(sim.state().poses[0].R.angularDistance(Quat(q).normalized()), 1e-10) << name;
    EXPECT_LE((Vec3(sim.state().v.tail<3>()) - w).norm(), 1e-10) << name;
  }
}

struct Momenta {
  Vec3 linear = Vec3::Zero(), angular = Vec3::Zero();
  double linear_scale = 0, angular_scale = 0;
};
Momenta momenta(const Simulator& sim) {
  Momenta m;
  Vec3 center = Vec3::Zero();
  double mass = 0;
  const State& s = sim.state();
  for (std::size_t i = 0; i < s.poses.size(); ++i) {
    const Body& body = sim.model().bodies[i];
    mass += body.mass;
    center += body.mass * s.poses[i].p;
    m.linear += body.mass * s.v.segment<3>(body.first_velocity);
    m.linear_scale += body.mass * s.v.segment<3>(body.first_velocity).norm();
  }
  center /= mass;
  for (std::size_t i = 0; i < s.poses.size(); ++i) {
    const Body& body = sim.model().bodies[i];
    const Vec3 orbit = (s.poses[i].p - center)
                           .cross(body.mass *
                                  (Vec3(s.v.segment<3>(body.first_velocity)) - m.linear / mass)),
               spin =
                   s.poses[i].R * (body.inertia_B * Vec3(s.v.segment<3>(body.first_velocity + 3)));
    m.angular += orbit + spin;
    m.angular_scale += orbit.norm() + spin.norm();
  }
  return m;
}

JointType joint_type(int kind, const Vec3& axis) {
  switch (kind) {
    case 0:
      return DistanceJoint{};
    case 1:
      return BallJoint{};
    case 2:
      return RevoluteJoint{axis};
    case 3:
      return PrismaticJoint{axis};
    default:
      return FixedJoint{};
  }
}

// A chain whose links turn as one body and have spins of their own where their joints allow it.
// Links that are not neighbours may touch. It begins at `at`.
ModelDescription thrown_chain(Random& random, bool gravity, Vec3 at) {
  ModelDescription d = world(gravity ? Vec3(0, 0, -g) : Vec3::Zero(), 0.3, 0);
  const int links = 3 + random.below(4), kind = random.below(6);
  const Vec3 drift = random.vector(2), spin = random.vector(random.below(2) == 0 ? 3 : 12);
  const Vec3 start = at;
  for (int i = 0; i < links; ++i) {
    const Vec3 size(random.uniform(0.05, 0.2), random.uniform(0.05, 0.2),
                    random.uniform(0.05, 0.2));
    BodyDescription link =
        moving(fmt::format("link{}", i), Box{size}, std::pow(10, random.uniform(-1, 1)), at,
               drift + spin.cross(at - start), spin);
    link.orientation = random_rotation(random);
    if (kind == 1) link.angular_velocity += random.vector(4);
    if (i > 0) {
      const BodyDescription& last = d.bodies.back();
      const Vec3 middle = 0.5 * (last.position + at);
      const bool rod = kind == 0 || (kind == 5 && i % 2 == 0);
      const Vec3 a = rod ? Vec3(last.position) : middle, b = rod ? at : middle;
      JointDescription joint;
      joint.name = fmt::format("joint{}", i);
      joint.type = joint_type(kind == 5 ? random.below(5) : kind, random.vector(1).normalized());
      if (std::holds_alternative<DistanceJoint>(joint.type) != rod)
        joint.type = rod ? JointType(DistanceJoint{}) : JointType(BallJoint{});
      joint.bodies = {last.name, link.name};
      joint.anchors = {last.orientation.conjugate() * (a - last.position),
                       link.orientation.conjugate() * (b - at)};
      d.joints.push_back(joint);
    }
    d.bodies.push_back(link);
    at += 0.35 * random.vector(1).normalized();
  }
  return d;
}

// Groups in flight keep their momenta over the whole run, projection, contacts and impacts within
// the group included. Far from the origin each step rounds places by half an ulp, and with them
// lever arms of about 0.3 m.
TEST(FreeRotation, GroupsInFlightKeepTheirMomenta) {
  std::vector<Named> all = schemes();
  all.push_back({"euler, nonlinear", Euler{.nonlinear = true}});
  all.push_back({"euler, nonlinear, no projection", Euler{.projection = false, .nonlinear = true}});
  all.push_back({"euler, no projection", Euler{.projection = false}});
  all.push_back({"trapezoidal, new", Trapezoidal{.form = TrapezoidalForm::next}});
  for (const auto& [name, scheme] : all) {
    Random random(41);
    for (int n = 0; n < 12; ++n) {
      const Vec3 at = n % 4 == 3 ? Vec3(600, -700, 400) : Vec3(0, 0, 0);
      ModelDescription d = thrown_chain(random, n % 2 == 0, at);
      if (std::holds_alternative<Penalty>(scheme)) d.materials = {{"default", {0, 0}}};
      Simulator sim = simulator_of(d, scheme);
      const Momenta start = momenta(sim);
      double mass = 0;
      for (const Body& body : sim.model().bodies) mass += body.mass;
      const double h = 0.004;
      int i = 0;
      for (; i < 200; ++i) {
        const StepReport& r = sim.step(h);
        if (r.failed()) break;  // too fast for the step without parts, or an explicit spring
        EXPECT_LE(r.verdict.momentum, 1e-12) << name << ' ' << n << ' ' << i;
      }
      EXPECT_GT(i, 20) << name << ' ' << n << ' ' << sim.report().message;
      const Momenta end = momenta(sim);
      EXPECT_LE((end.linear - start.linear - i * h * mass * sim.model().gravity).norm(),
                1e-12 * (start.linear_scale + end.linear_scale))
          << name << ' ' << n;
      EXPECT_LE((end.angular - start.angular).norm(),
                (1e-12 + i * 0x1p-53 * at.norm() / 0.3) * (start.angular_scale + end.angular_scale))
          << name << ' ' << n;
    }
  }
}

// A heavy symmetric top on a ball joint that starts with the rate of its steady precession: the
// root of I1' W^2 cos a - I3 w3 W + m g l = 0, I1' about the tip.
struct Top {
  double I1 = 0.02, I3 = 0.03, mass = 1, l = 0.1, inclination = 0.5, spin = 100;
  double precession() const {
    const double a = (I1 + mass * l * l) * std::cos(inclination), b = I3 * spin, c = mass * g * l;
    return 2 * c / (b + std::sqrt(b * b - 4 * a * c));
  }
};

ModelDescription top_on_joint(const Top& t) {
  ModelDescription d = world(Vec3(0, 0, -g), 0, 0);
  BodyDescription top;
  top.name = "top";
  top.mass = t.mass;
  top.inertia = Vec3(t.I1, t.I1, t.I3).asDiagonal();
  top.orientation = Quat(Eigen::AngleAxisd(t.inclination, Vec3::UnitX()));
  const Vec3 axis = top.orientation * Vec3::UnitZ(), W = t.precession() * Vec3::UnitZ();
  // Along the axis the whole spin is w3.
  const Vec3 w = W + (t.spin - W.dot(axis)) * axis;
  top.position = t.l * axis;
  top.velocity = w.cross(top.position);
  top.angular_velocity = w;
  d.bodies = {top};
  JointDescription joint;
  joint.name = "tip";
  joint.type = BallJoint{};
  joint.bodies = {"world", "top"};
  joint.anchors = {Vec3::Zero(), Vec3(0, 0, -t.l)};
  d.joints = {joint};
  return d;
}

// Bodies that fixed joints make one do not touch each other, however many joints are between them:
// no impulse opens an overlap between them, and those of the attempt would round by more than the
// momenta.
TEST(FreeRotation, WeldedBodiesThatOverlapFlyAsOne) {
  for (const auto& [name, scheme] : schemes()) {
    ModelDescription d = world(Vec3(0, 0, -g), 0, 0);
    const Vec3 places[] = {{0, 0, 0}, {0.2, 0, 0}, {0.2, 0.2, 0}, {0.05, 0.1, 0.02}};
    const Vec3 spin(1, 2, 3);
    for (const Vec3& at : places) {
      d.bodies.push_back(moving(fmt::format("b{}", d.bodies.size()), Box{{0.15, 0.15, 0.15}}, 1, at,
                                spin.cross(at), spin));
      if (d.bodies.size() == 1) continue;
      JointDescription weld;
      weld.name = d.bodies.back().name;
      weld.type = FixedJoint{};
      weld.bodies = {d.bodies[d.bodies.size() - 2].name, d.bodies.back().name};
      weld.anchors = {Vec3(0.5 * (at - d.bodies[d.bodies.size() - 2].position)),
                      Vec3(-0.5 * (at - d.bodies[d.bodies.size() - 2].position))};
      d.joints.push_back(weld);
    }
    Simulator sim = simulator_of(d, scheme);
    const Momenta start = momenta(sim);
    for (int i = 0; i < 50; ++i) {
      ASSERT_FALSE(sim.step(0.004).failed()) << name << sim.report().message;
      ASSERT_TRUE(sim.report().verdict.accepted()) << name << ' ' << i;
      ASSERT_TRUE(sim.report().contacts.empty()) << name;
    }
    EXPECT_LE((momenta(sim).angular - start.angular).norm(), 1e-12 * start.angular_scale) << name;
  }
}

// Rate of the precession over a fifth of a turn, over that of the closed form; 0: a step failed.
double precession_of(const Top& t, double h, const SchemeOptions& scheme,
                     const VerdictOptions& verdict, int& parts) {
  const Result<BuiltModel> built = build(top_on_joint(t));
  Simulator sim(built.value().model, *built.value().initial, scheme, Auto{}, verdict);
  const double duration = 0.4 * M_PI / t.precession();
  const int steps = static_cast<int>(std::lround(duration / h));
  for (int i = 0; i < steps; ++i) {
    const StepReport& r = sim.step(h);
    if (r.failed() || (verdict.split && !r.verdict.accepted())) {
      ADD_FAILURE() << name(scheme) << ' ' << r.message << r.verdict.motion.sentence;
      return 0;
    }
    parts = r.verdict.parts;
  }
  const Vec3 from = Vec3(0, -std::sin(t.inclination), 0),
             to = sim.state().poses[0].R * Vec3::UnitZ();
  const double angle =
      std::atan2(from.x() * to.y() - from.y() * to.x(), from.x() * to.x() + from.y() * to.y());
  return angle / (steps * h) / t.precession();
}

TEST(FreeRotation, TopsPrecessAtTheRateOfTheClosedForm) {
  for (const auto& [name, scheme] : schemes()) {
    if (std::holds_alternative<Penalty>(scheme)) continue;  // joints open: no projection
    for (const double inclination : {0.2, 0.8, 1.4})
      for (const double turn : {0.01, 0.1, 0.3, 0.5}) {
        // The error of `trapezoidal` is (h w)^2/16 (E428).
        if (turn > 0.3 && std::holds_alternative<Trapezoidal>(scheme)) continue;
        Top t;
        t.inclination = inclination;
        int parts = 1;
        EXPECT_NEAR(precession_of(t, turn / t.spin, scheme, fixed_step, parts), 1, 0.01)
            << name << ' ' << inclination << ' ' << turn;
      }
  }
}

// (E644): a step in which a top turns farther than the scheme follows is taken in parts.
TEST(FreeRotation, TopsThatTurnTooFarAreDivided) {
  for (const auto& [name, scheme] : schemes()) {
    if (std::holds_alternative<Penalty>(scheme)) continue;
    const double limit = std::holds_alternative<Trapezoidal>(scheme) ? 0.4 : 0.5;
    for (const double turn : {0.49, 0.7, 2.5}) {
      Top t;
      t.inclination = 0.8;
      int parts = 0;
      EXPECT_NEAR(precession_of(t, turn / t.spin, scheme, VerdictOptions{}, parts), 1, 0.01)
          << name << ' ' << turn;
      EXPECT_EQ(parts > 1, turn > limit) << name << ' ' << turn;
    }
  }
}

// Where steps are not divided such a step is refused: the sentence has the step that would do.
TEST(FreeRotation, TopsThatTurnTooFarAreRefused) {
  for (const auto& [name, scheme] : schemes()) {
    const Top t;
    Simulator sim = simulator_of(top_on_joint(t), scheme);
    ASSERT_FALSE(sim.step(0.8 / t.spin).failed()) << name;
    const Verdict& verdict = sim.report().verdict;
    EXPECT_FALSE(verdict.motion.ok) << name;
    EXPECT_NE(verdict.motion.sentence.find("body 'top' turns by 0.8"), std::string::npos)
        << verdict.motion.sentence;
    const bool rule = std::holds_alternative<Trapezoidal>(scheme);
    EXPECT_NE(verdict.motion.sentence.find(rule ? "at most 0.004 s" : "at most 0.005 s"),
              std::string::npos)
        << verdict.motion.sentence;
    // A hinge holds the axis: the same spin about it is no top.
    ModelDescription d = top_on_joint(t);
    d.gravity.setZero();
    d.joints[0].type = RevoluteJoint{d.bodies[0].orientation * Vec3::UnitZ()};
    d.bodies[0].angular_velocity = t.spin * (d.bodies[0].orientation * Vec3::UnitZ());
    d.bodies[0].velocity.setZero();
    Simulator wheel = simulator_of(d, scheme);
    ASSERT_FALSE(wheel.step(0.8 / t.spin).failed()) << name;
    EXPECT_TRUE(wheel.report().verdict.motion.ok) << wheel.report().verdict.motion.sentence;
  }
}

}  // namespace
}  // namespace cairn::test_free_rotation
