// Springs and dampers in all schemes (E360 to E364): a damper never puts energy in, whatever its
// damping, the step and the number of them; stiff springs stay bounded; momenta are conserved.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "system/worlds.hpp"

namespace cairn::test_springs {
namespace {

using namespace testing;

SpringDescription spring(std::string a, std::string b, double stiffness, double damping,
                         double length = 0) {
  SpringDescription s;
  s.bodies = {std::move(a), std::move(b)};
  s.stiffness = stiffness;
  s.rest_length = length;
  s.damping = damping;
  return s;
}

std::vector<SchemeOptions> schemes() {
  return {Euler{},
          Relaxed{},
          Hybrid{},
          Penalty{},
          Trapezoidal{},
          Trapezoidal{.form = TrapezoidalForm::next},
          Trapezoidal{.damp_stiff = true}};
}

double energy_scale(const Ledger& l) {
  return l.kinetic_start + l.kinetic_end + std::abs(l.passive) + std::abs(l.work_applied) +
         std::abs(l.work_motion);
}

// Spheres on dampers, free in space, without gravity: nothing else does work, so that the kinetic
// energy falls by what the dampers take. Dampings over 16 decades, several dampers per body.
ModelDescription damped_cluster(Random& random, double h) {
  ModelDescription d = world(Vec3::Zero(), 0, 0);
  const int bodies = 2 + random.below(4);
  for (int i = 0; i < bodies; ++i)
    d.bodies.push_back(moving(fmt::format("b{}", i), Sphere{0.1},
                              std::pow(10, random.uniform(-3, 3)), random.vector(1) * 3,
                              random.vector(2), random.vector(5)));
  for (int i = 0; i < 2 * bodies; ++i) {
    const int a = random.below(bodies), b = (a + 1 + random.below(bodies - 1)) % bodies;
    const std::string other = random.below(3) == 0 ? "world" : fmt::format("b{}", b);
    SpringDescription s =
        spring(fmt::format("b{}", a), other, 0, std::pow(10, random.uniform(-4, 8)) / h * 0.01);
    s.anchors = {random.vector(0.1), random.vector(0.1)};
    d.forces.push_back(s);
  }
  return d;
}

TEST(Dampers, NeverPutEnergyInWhateverTheirDamping) {
  for (const SchemeOptions& scheme : schemes()) {
    Random random(11);
    double most = 0;
    for (int n = 0; n < 30; ++n) {
      const double h = std::pow(10, random.uniform(-3, -1));
      Simulator sim = simulator_of(damped_cluster(random, h), scheme);
      for (int i = 0; i < 20; ++i) {
        const StepReport& r = sim.step(h);
        ASSERT_FALSE(r.failed()) << r.message;
        const Ledger& l = r.ledger;
        const double size = energy_scale(l);
        ASSERT_LE(l.passive, 0) << name(scheme) << ' ' << n << ' ' << i;
        ASSERT_EQ(l.work_applied, 0);
        ASSERT_LE(std::abs(l.imbalance()), 1e-6 * size) << name(scheme) << ' ' << n << ' ' << i;
        most = std::max(most, l.rise() / std::max(size, 1e-300));
      }
    }
    EXPECT_LE(most, 1e-12) << name(scheme) << scheme.index();
  }
}

// Backward Euler of m v' = -c v: v_n = v_0 / (1 + h c/m)^n, to rounding; and so v_0 exp(-c t/m) to
// first order. A planar wall beside the way has no part in it.
TEST(Dampers, DecayIsBackwardEuler) {
  for (const SchemeOptions& scheme :
       {SchemeOptions(Euler{}), SchemeOptions(Relaxed{}), SchemeOptions(Hybrid{})})
    for (const double c : {0.1, 10.0, 1e4, 1e9}) {
      ModelDescription d = world(Vec3::Zero(), 0, 0);
      d.bodies = {particle("p", "x", Vec3(1, 0, 0), Vec3(3, 0, 0))};
      d.forces = {spring("world", "p", 0, c)};
      Simulator sim = simulator_of(d, scheme);
      const double h = 0.01;
      double v = 3;
      for (int i = 0; i < 30; ++i) {
        if (!certified_step(sim, h)) break;
        v /= 1 + h * c;
        if (v < 0x1p-360) break;  // before it is zero (E872)
        ASSERT_NEAR(motion(sim, "p").velocity.x(), v, 1e-14 * v * (i + 1)) << c << ' ' << i;
      }
    }
}

// The members of a family that exploded: a body on a stiff damper swings like a pendulum on a rod.
// The damper keeps the speed along it below m g/c, so that the energy is that of the pendulum up to
// the order of the scheme.
TEST(Dampers, StiffDamperIsARod) {
  for (const SchemeOptions& scheme : {SchemeOptions(Euler{}), SchemeOptions(Trapezoidal{})})
    for (const double c : {1e4, 1e5, 1e7}) {
      ModelDescription d = world(Vec3(0, 0, -g), 0, 0);
      d.bodies = {particle("p", "x y z", Vec3(1, 0, 0))};
      d.forces = {spring("world", "p", 0, c)};
      const double h = 0.001;
      Simulator sim = simulator_of(d, scheme);
      double worst = 0;
      for (int i = 0; i < 1000; ++i) {
        if (!certified_step(sim, h)) break;
        ASSERT_LE(sim.report().ledger.passive, 0);
        worst = std::max(worst, std::abs(sim.kinetic_energy() + sim.potential_energy()));
      }
      // Speeds up to 4.4 m/s: backward Euler takes (h w^2) K a second at most, w < 4.4 rad/s; the
      // damper itself takes (3 m g)^2/c a second.
      EXPECT_LE(worst, 1.1 * h * 4.43 * 4.43 * g + 9 * g * g / c) << name(scheme) << ' ' << c;
    }
}

// A chain of masses on a line, springs over 18 decades: the rows are constant, and the form H of
// (E362) never rises. H bounds the kinetic energy: M + h^2 (K_theta/2 - K/4) >= 3/4 M.
TEST(Springs, ChainOfAnyStiffnessStaysBounded) {
  Random random(7);
  for (int n = 0; n < 40; ++n) {
    ModelDescription d = world(Vec3::Zero(), 0, 0);
    const int bodies = 1 + random.below(6);
    const double h = 0.01;
    for (int i = 0; i < bodies; ++i) {
      BodyDescription p = particle(fmt::format("b{}", i), "x", Vec3(i + 1, 0, 0),
                                   Vec3(random.uniform(-1, 1), 0, 0) * 1e-3);
      p.mass = std::pow(10, random.uniform(-2, 2));
      d.bodies.push_back(p);
      const double k = std::pow(10, random.uniform(-4, 14));
      d.forces.push_back(
          spring(i == 0 ? "world" : fmt::format("b{}", i - 1), fmt::format("b{}", i), k, 0, 1));
    }
    for (int i = 0; i < bodies; ++i)
      for (int j = 0; j < i; ++j)
        d.no_contact.push_back({fmt::format("b{}", j), fmt::format("b{}", i)});
    Simulator sim = simulator(d);
    double first = 0, most = 0;
    for (int i = 0; i < 300; ++i) {
      const double before = sim.kinetic_energy() + sim.potential_energy();
      const StepReport& r = sim.step(h);
      ASSERT_FALSE(r.failed()) << r.message;
      // H/h^2 is at most twice the energies of both ends, with K_theta <= K.
      if (i == 0) first = 2 * (before + r.ledger.kinetic_end + r.ledger.potential_end);
      most = std::max(most, r.ledger.kinetic_end);
    }
    EXPECT_LE(most, first) << n;
  }
}

// Nets of masses in space on springs of any stiffness, with and without a rest length, that turn as
// they like: whatever the step does not resolve, the energy never exceeds twice that of both ends
// of the first step (E362), of which H is a part.
TEST(Springs, NetOfAnyStiffnessStaysBounded) {
  Random random(17);
  for (int n = 0; n < 60; ++n) {
    ModelDescription d = world(Vec3::Zero(), 0, 0);
    const int bodies = 2 + random.below(5);
    for (int i = 0; i < bodies; ++i) {
      BodyDescription p = particle(fmt::format("b{}", i), "x y z", random.vector(1),
                                   random.vector(1) * std::pow(10, random.uniform(-3, 1)));
      p.mass = std::pow(10, random.uniform(-2, 2));
      d.bodies.push_back(p);
      for (int j = 0; j < i; ++j)
        d.no_contact.push_back({fmt::format("b{}", j), fmt::format("b{}", i)});
      if (i == 0 && n % 2 == 0) continue;
      const int other = i == 0 ? 0 : random.below(i);
      SpringDescription s = spring(i == 0 ? "world" : fmt::format("b{}", other),
                                   fmt::format("b{}", i), std::pow(10, random.uniform(-4, 12)), 0);
      const Vec3 from = i == 0 ? Vec3::Zero() : d.bodies[static_cast<std::size_t>(other)].position;
      if (n % 3 != 0) s.rest_length = (p.position - from).norm() * random.uniform(0.9, 1);
      d.forces.push_back(s);
    }
    Simulator sim = simulator(d);
    double first = 0, most = 0;
    for (int i = 0; i < 300; ++i) {
      const double before = sim.kinetic_energy() + sim.potential_energy();
      const StepReport& r = sim.step(0.01);
      ASSERT_FALSE(r.failed()) << r.message;
      if (i == 0) first = 2 * (before + r.ledger.kinetic_end + r.ledger.potential_end);
      most = std::max(most, r.ledger.kinetic_end);
    }
    EXPECT_LE(most, first) << n;
  }
}

// Angular momentum of all bodies about their common centre, and its scale, from poses and
// velocities. Spheres: the inertia is the same about all axes.
struct Spin {
  Vec3 sum = Vec3::Zero();
  double scale = 0;
};
Spin spin_of(const Simulator& sim) {
  const Model& model = sim.model();
  Vec3 center = Vec3::Zero(), momentum = Vec3::Zero();
  double mass = 0;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    mass += model.bodies[i].mass;
    center += model.bodies[i].mass * sim.state().poses[i].p;
    momentum += model.bodies[i].mass * sim.state().v.segment<3>(model.bodies[i].first_velocity);
  }
  Spin spin;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body& body = model.bodies[i];
    const Vec3 v = sim.state().v.segment<3>(body.first_velocity) - momentum / mass;
    const Vec3 w = sim.state().v.segment<3>(body.first_velocity + 3);
    const Vec3 orbit = (sim.state().poses[i].p - center / mass).cross(body.mass * v);
    const Vec3 own = body.inertia_B(0, 0) * (sim.state().poses[i].R * w);
    spin.sum += orbit + own;
    spin.scale += orbit.norm() + own.norm();
  }
  return spin;
}

// Spheres on springs and dampers, free in space and under gravity, that collide with friction. The
// springs are up to 100 times as stiff as the step resolves, their tension is not (E410): what they
// do is along the line between their anchors.
TEST(Springs, IsolatedGroupKeepsItsAngularMomentum) {
  for (const SchemeOptions& scheme :
       {SchemeOptions(Euler{}), SchemeOptions(Euler{.nonlinear = true}), SchemeOptions(Relaxed{}),
        SchemeOptions(Hybrid{})}) {
    Random random(3);
    int touched = 0;
    for (int n = 0; n < 40; ++n) {
      ModelDescription d = world(n % 2 == 0 ? Vec3::Zero() : Vec3(0, 0, -g), 0.3, 0.5);
      const int bodies = 2 + random.below(4);
      const double h = std::pow(10, random.uniform(-3, -2));
      for (int i = 0; i < bodies; ++i)
        d.bodies.push_back(
            moving(fmt::format("b{}", i), Sphere{0.1}, std::pow(10, random.uniform(-0.5, 0.5)),
                   Vec3(0.23 * i, 0, 0) + random.vector(0.01), random.vector(1), random.vector(5)));
      for (int i = 0; i < 2 * bodies; ++i) {
        const int a = random.below(bodies), b = (a + 1 + random.below(bodies - 1)) % bodies;
        SpringDescription s = spring(fmt::format("b{}", a), fmt::format("b{}", b),
                                     std::pow(10, random.uniform(-5, 2)) / (h * h),
                                     std::pow(10, random.uniform(-2, 2)));
        s.anchors = {random.vector(0.1), random.vector(0.1)};
        const auto at = [&](int body, const Vec3& anchor) {
          return Vec3(d.bodies[static_cast<std::size_t>(body)].position + anchor);
        };
        s.rest_length = (at(a, s.anchors[0]) - at(b, s.anchors[1])).norm();
        d.forces.push_back(s);
      }
      Simulator sim = simulator_of(d, scheme);
      for (int i = 0; i < 30; ++i) {
        const Spin before = spin_of(sim);
        const StepReport& r = sim.step(h);
        ASSERT_FALSE(r.failed()) << r.message;
        const Spin after = spin_of(sim);
        const double error = (after.sum - before.sum).norm() / (before.scale + after.scale);
        ASSERT_LE(error, 1e-12) << name(scheme) << ' ' << n << ' ' << i;
        touched += r.active_contacts;
      }
    }
    EXPECT_GT(touched, 10) << name(scheme);
  }
}

// Springs that a step resolves are those of symplectic Euler, whose energy has no trend; a stiff
// one loses. The bound of Omega = h^2 k/m is one.
TEST(Springs, ResolvedSpringKeepsItsSwing) {
  ModelDescription d = world(Vec3::Zero(), 0, 0);
  d.bodies = {particle("p", "x", Vec3(1.5, 0, 0))};
  d.forces = {spring("world", "p", 100, 0, 1)};
  Simulator sim = simulator(d);
  double most = 0;
  for (int i = 0; i < 10000; ++i) {
    if (!certified_step(sim, 0.01)) break;
    if (i > 9900) most = std::max(most, std::abs(motion(sim, "p").position.x() - 1));
  }
  EXPECT_NEAR(most, 0.5, 0.5 * 0.1);  // the amplitude, up to h w of it
}

}  // namespace
}  // namespace cairn::test_springs
