// The energy ledger closes, and without restitution and prescribed motion energy never rises.
#include <algorithm>
#include <cmath>

#include "dynamics/forces.hpp"
#include "system/worlds.hpp"

namespace cairn::test_ledger {
namespace {

using namespace testing;

double largest_term(const Ledger& l) {
  return std::max({std::abs(l.kinetic_start), std::abs(l.kinetic_end), std::abs(l.potential_start),
                   std::abs(l.potential_end), std::abs(l.work_applied), std::abs(l.work_motion),
                   std::abs(l.friction), std::abs(l.impact), std::abs(l.stabilisation),
                   std::abs(l.integrator)});
}

Geometry random_geometry(Random& random) {
  switch (random.below(3)) {
    case 0:
      return Sphere{random.uniform(0.2, 0.5)};
    case 1:
      return Capsule{random.uniform(0.1, 0.3), random.uniform(0.2, 0.8)};
    default:
      return Ellipsoid{Vec3(random.uniform(0.2, 0.5), random.uniform(0.2, 0.5), 0.3)};
  }
}

// A spatial scene with every feature: a shaking, swaying floor, joints also to the floor, springs
// and dampers also to it, forces and torques, restitution, all shapes.
ModelDescription everything(std::uint64_t seed) {
  Random random(seed);
  ModelDescription d = world(Vec3(0, 0, -g), random.uniform(0, 1), random.uniform(0, 1));
  BodyDescription floor;
  floor.name = "floor";
  floor.motion = Motion{};
  floor.motion->position = {function("0.1*sin(3*t)"), TimeFunction(0), function("0.05*sin(11*t)")};
  floor.motion->angle = function("0.05*sin(2*t)");
  floor.motion->axis = Vec3(1, 2, 0.5).normalized();
  floor.shapes = {{Halfspace{Vec3::UnitZ()}, Pose{}, "default"}};
  d.bodies = {floor};
  for (int i = 0; i < 9; ++i) {
    const Vec3 place(1.3 * (i % 3) - 1.3, 1.3 * (i / 3) - 1.3, random.uniform(0.9, 1.3));
    d.bodies.push_back(moving("body" + std::to_string(i), random_geometry(random),
                              random.uniform(0.5, 3), place, random.vector(1), random.vector(3)));
  }
  const auto joint = [&](const char* a, const char* b, const Vec3& p_A, const Vec3& p_B) {
    JointDescription rod;
    rod.bodies = {a, b};
    rod.anchors = {p_A, p_B};
    d.joints.push_back(rod);
  };
  joint("body0", "body1", Vec3(0.1, 0, 0), Vec3(0, 0.1, 0));
  joint("world", "body4", Vec3(0, 0, 3), Vec3(0, 0, 0.1));
  joint("floor", "body8", Vec3(1, 1, 2), Vec3(0.1, 0, 0));
  const auto spring = [&](const char* a, const char* b, const Vec3& p_A, double k, double c) {
    SpringDescription s;
    s.bodies = {a, b};
    s.anchors = {p_A, Vec3(0, 0.1, 0.1)};
    s.stiffness = k;
    s.rest_length = 0.7;
    s.damping = c;
    d.forces.emplace_back(s);
  };
  spring("body2", "body3", Vec3(0.1, 0.1, 0), 30, 0.5);
  spring("floor", "body5", Vec3(0, 0, 1), 20, 1);
  spring("world", "body6", Vec3(0, 0, 2), 10, 0);
  AppliedForceDescription push;
  push.body = "body7";
  push.force = {function("4*cos(5*t)"), TimeFunction(1), TimeFunction(0)};
  push.torque = {TimeFunction(0), function("0.3*sin(t)"), TimeFunction(0)};
  push.point = Vec3(0.1, 0, 0.1);
  push.at_center_of_mass = false;
  d.forces.emplace_back(push);
  return d;
}

// Every term has a formula of its own. What is left is rounding: sums of some 1e3 products.
TEST(Ledger, ClosesOnScenesWithEveryFeature) {
  double worst = 0;
  int touches = 0, collisions = 0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed)
    for (const double gamma : {1.0, 0.0}) {
      Simulator sim = simulator(everything(seed), {.gamma = gamma});
      for (int i = 0; i < 150; ++i) {
        sim.step(0.01);
        const StepReport& report = sim.report();
        ASSERT_NE(report.status, StepStatus::stopped) << report.message;
        worst = std::max(worst, std::abs(report.ledger.imbalance()) / largest_term(report.ledger));
        touches += report.active_contacts;
        collisions += report.collisions;
        EXPECT_GE(report.ledger.friction, -1e-9 * largest_term(report.ledger));
      }
    }
  EXPECT_LE(worst, 1e-10);
  EXPECT_GT(touches, 1000);
  EXPECT_GT(collisions, 100);
  RecordProperty("imbalance", std::to_string(worst * 1e15) + "e-15");
}

// Every step of these scenes is certified as well.
TEST(Ledger, ScenesWithEveryFeatureAreCertified) {
  int uncertified = 0;
  double worst = 0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    Simulator sim = simulator(everything(seed));
    for (int i = 0; i < 150; ++i) {
      uncertified += sim.step(0.01).verdict.solve.ok ? 0 : 1;
      worst = std::max(worst, sim.report().certificate);
    }
  }
  EXPECT_EQ(uncertified, 0) << "worst residual " << worst;
}

// Euler without restitution: kinetic energy falls by |v+ - v|^2/2 and by what friction takes;
// gravity is linear, gaps of balls and planes are convex, so nothing has to be pushed apart.
TEST(Ledger, EnergyNeverRisesWithoutRestitution) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    Random random(seed);
    ModelDescription d = world(Vec3(0, 0, -g), random.uniform(0, 1), 0);
    d.bodies = {fixed_halfspace("floor", Vec3(0.1, 0, 1)),
                fixed_halfspace("wall", Vec3(1, 0, 0.2), Vec3(-2, 0, 0))};
    for (int i = 0; i < 18; ++i)
      d.bodies.push_back(moving("ball" + std::to_string(10 + i), Sphere{random.uniform(0.2, 0.5)},
                                random.uniform(0.1, 10),
                                Vec3(1.05 * (i % 3) - 0.5, 1.05 * (i / 3 % 3), 1 + 1.05 * (i / 9)),
                                random.vector(2), random.vector(5)));
    Simulator sim = simulator(d);
    const double start = sim.kinetic_energy() + sim.potential_energy();
    double rise = -1;
    for (int i = 0; i < 200; ++i) {
      if (!certified_step(sim, 0.01)) break;
      const Ledger& l = sim.report().ledger;
      rise = std::max(rise, l.kinetic_end + l.potential_end - l.kinetic_start - l.potential_start);
    }
    EXPECT_LE(rise, 1e-12 * start) << "seed " << seed;
  }
}

// With joints, springs and bodies of any shape the scheme itself can put energy in, but only
// through the two terms that say so: rise <= stabilisation + integrator (+ what the solver left).
TEST(Ledger, RiseIsOnlyStabilisationAndIntegrator) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    ModelDescription d = everything(seed);
    d.materials = {{"default", {0.4, 0}}};
    Simulator sim = simulator(d);
    for (int i = 0; i < 150; ++i) {
      const Ledger& l = sim.step(0.01).ledger;
      EXPECT_GE(l.impact, -1e-12 * largest_term(l));
      EXPECT_LE(l.rise(), l.stabilisation + l.integrator + l.solver + 1e-10 * largest_term(l));
    }
  }
}

// ---- The energy guard

struct Guarded {
  double rise = 0;  // largest of a step, of the energy at the start [-]
  int corrections = 0;
};

// Newton's law with friction can add energy: capsules of random attitude and speed hit a plane.
Guarded thrown_capsules(EnergyGuard guard) {
  Guarded result;
  Random random(3);
  for (int i = 0; i < 100; ++i) {
    ModelDescription d = world(Vec3::Zero(), 1.0, 0.9);
    BodyDescription capsule = moving("capsule", Capsule{0.1, 1}, 1, Vec3(0, 0, 1),
                                     random.vector(2) - Vec3(0, 0, 2), random.vector(3));
    capsule.orientation =
        Quat(Eigen::AngleAxisd(random.uniform(0, 3), random.vector(1).normalized()));
    d.bodies = {fixed_halfspace("plane", Vec3::UnitZ()), capsule};
    Simulator sim = simulator(d, {.energy_guard = guard});
    const double start = sim.kinetic_energy();
    for (int k = 0; k < 100; ++k) {
      if (!certified_step(sim, 0.02)) break;
      result.rise = std::max(result.rise, sim.report().ledger.rise() / start);
      result.corrections += sim.report().guard_corrections;
    }
  }
  return result;
}

TEST(EnergyGuard, ImpactsWithFrictionDoNotGainEnergy) {
  const Guarded off = thrown_capsules(EnergyGuard::off);
  EXPECT_GT(off.rise, 0.01);  // the law alone
  EXPECT_EQ(off.corrections, 0);
  for (const EnergyGuard guard : {EnergyGuard::impact, EnergyGuard::step}) {
    const Guarded on = thrown_capsules(guard);
    EXPECT_LE(on.rise, 1e-9);
    EXPECT_GT(on.corrections, 0);
  }
  RecordProperty("rise_without_guard", std::to_string(off.rise));
}

// Many capsules at once, far from each other: the gain of one does not hide behind the losses of
// the rest. There are no forces, so the energy of each may only fall.
TEST(EnergyGuard, JudgesEachGroupByItself) {
  constexpr int count = 60;
  Random random(5);
  ModelDescription d = world(Vec3::Zero(), 1.0, 0.9);
  d.bodies = {fixed_halfspace("plane", Vec3::UnitZ())};
  for (int i = 0; i < count; ++i) {
    d.bodies.push_back(moving("capsule" + std::to_string(i), Capsule{0.1, 1}, 1, Vec3(50 * i, 0, 1),
                              random.vector(2) - Vec3(0, 0, 2), random.vector(3)));
    d.bodies.back().orientation =
        Quat(Eigen::AngleAxisd(random.uniform(0, 3), random.vector(1).normalized()));
  }
  for (const EnergyGuard guard : {EnergyGuard::off, EnergyGuard::impact}) {
    Simulator sim = simulator(d, {.energy_guard = guard});
    const auto energy = [&](const Body& body) {
      VecX v = VecX::Zero(sim.state().v.size());
      v.segment(body.first_velocity, body.velocities) =
          sim.state().v.segment(body.first_velocity, body.velocities);
      return dynamics::kinetic_energy(sim.model(), v);
    };
    std::vector<double> before(sim.model().bodies.size(), 0);
    int gains = 0, corrections = 0;
    for (int k = 0; k < 100; ++k) {
      for (std::size_t i = 0; i < before.size(); ++i) before[i] = energy(sim.model().bodies[i]);
      ASSERT_TRUE(certified_step(sim, 0.02));
      for (std::size_t i = 0; i < before.size(); ++i)
        gains += energy(sim.model().bodies[i]) > before[i] * (1 + 1e-9);
      corrections += sim.report().guard_corrections;
    }
    if (guard == EnergyGuard::off) {
      EXPECT_GT(gains, 3);
    } else {
      EXPECT_EQ(gains, 0);
      EXPECT_GT(corrections, 3);
    }
  }
}

// A good bounce under gravity ends above its start by up to m g h v/2, which the guard of the
// impact allows and the guard of the step does not.
TEST(EnergyGuard, OfTheStepHoldsUnderGravity) {
  for (const EnergyGuard guard : {EnergyGuard::impact, EnergyGuard::step}) {
    ModelDescription d = world(Vec3(0, 0, -g), 0, 1);
    d.bodies = {fixed_halfspace("floor", Vec3::UnitZ()),
                moving("ball", Sphere{0.5}, 1, Vec3(0, 0, 1.5))};
    Simulator sim = simulator(d, {.energy_guard = guard});
    const double start = sim.kinetic_energy() + sim.potential_energy(), h = 0.01;
    double rise = 0;
    int corrections = 0;
    for (int i = 0; i < 500; ++i) {
      if (!certified_step(sim, h)) break;
      rise = std::max(rise, sim.report().ledger.rise());
      corrections += sim.report().guard_corrections;
    }
    if (guard == EnergyGuard::impact) {
      EXPECT_EQ(corrections, 0);
      EXPECT_GT(rise, 1e-9 * start);
      EXPECT_LE(rise, g * h * std::sqrt(2 * g));  // m g times the way of one step
    } else {
      EXPECT_GT(corrections, 0);
      EXPECT_LE(rise, 1e-9 * start);
    }
  }
}

}  // namespace
}  // namespace cairn::test_ledger
