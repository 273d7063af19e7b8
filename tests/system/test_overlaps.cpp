// Bodies that start inside each other: they part in a direction that is always the same, no faster
// than the limit of (E31), whatever the step, and nothing explodes.
#include "cairn/simulator.hpp"
#include "system/worlds.hpp"

namespace cairn::test_overlaps {
namespace {

using namespace testing;

constexpr double radius = 0.5, mass = 2;

ModelDescription two_balls(double apart, const Vec3& gravity) {
  ModelDescription d = world(gravity, 0.3, 0);
  d.bodies = {moving("a", Sphere{radius}, mass, Vec3::Zero()),
              moving("b", Sphere{radius}, mass, Vec3(apart, 0, 0))};
  return d;
}

double parting_speed(const Simulator& sim) {
  return (motion(sim, "b").velocity - motion(sim, "a").velocity).norm();
}

//    ( a ( ) b )     half a diameter deep; the limit is that of a fall over the radius
TEST(Overlap, HalfAnOverlapOpensAtTheLimitWhateverTheStep) {
  const double limit = std::sqrt(2 * g * radius);
  for (const double h : {1e-2, 1e-3, 1e-4}) {
    Simulator sim = simulator(two_balls(radius, Vec3(0, 0, -g)));
    for (int i = 0; i < std::ceil(radius / (limit * h)); ++i) {
      ASSERT_TRUE(certified_step(sim, h));
      EXPECT_NEAR(parting_speed(sim), limit, 1e-12) << "h = " << h << ", step " << i;
    }
    EXPECT_EQ(sim.penetration(), 0);
    // They go on with what they have: no contact pushes any more.
    certified_steps(sim, h, 10);
    EXPECT_NEAR(parting_speed(sim), limit, 1e-12);
    // The ledger knows where the energy comes from.
    EXPECT_NEAR(sim.report().ledger.imbalance(), 0, 1e-9);
  }
}

TEST(Overlap, TheLimitIsAnOption) {
  Simulator sim = simulator(two_balls(radius, Vec3(0, 0, -g)), {.separation_speed = 0.25});
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(certified_step(sim, 0.01));
    EXPECT_NEAR(parting_speed(sim), 0.25, 1e-12);
  }
  EXPECT_NEAR(sim.penetration(), 0.25, 1e-12);

  // No separation at all is a choice, too: the overlap stays, but does not grow.
  Simulator still = simulator(two_balls(radius, Vec3(0, 0, -g)), {.separation_speed = 0});
  certified_steps(still, 0.01, 10);
  EXPECT_EQ(parting_speed(still), 0);
  EXPECT_NEAR(still.penetration(), radius, 1e-12);
}

// Without gravity the limit is 1/128 of the radius per step.
TEST(Overlap, WithoutGravityItOpensByAShareOfTheRadiusPerStep) {
  Simulator sim = simulator(two_balls(radius, Vec3::Zero()));
  certified_steps(sim, 0.01, 1);
  EXPECT_NEAR(parting_speed(sim), radius / 128 / 0.01, 1e-12);
  certified_steps(sim, 0.01, 128);
  EXPECT_EQ(sim.penetration(), 0);
}

// What a step leaves behind is closed as it always was: at once.
TEST(Overlap, ShallowOverlapsCloseInOneStep) {
  const double h = 0.01, depth = 1e-3;
  Simulator sim = simulator(two_balls(2 * radius - depth, Vec3(0, 0, -g)));
  certified_steps(sim, h, 1);
  EXPECT_NEAR(parting_speed(sim), depth / h, 1e-12);
  EXPECT_LE(sim.penetration(), 1e-15);
}

//   ________
//     (  )       a ball with its centre in the floor hops by its radius at the most
//   ~~(~~)~~~
TEST(Overlap, BallInTheFloorHopsByNoMoreThanItsRadius) {
  for (const double depth : {0.5 * radius, radius, 2 * radius}) {
    ModelDescription d = world(Vec3(0, 0, -g), 0.3, 0.8);
    d.bodies = {fixed_halfspace("floor", Vec3::UnitZ()),
                moving("ball", Sphere{radius}, mass, Vec3(0, 0, radius - depth))};
    Simulator sim = simulator(d);
    const double h = 1e-3;
    double highest = 0;
    for (int i = 0; i < 2000; ++i) {
      ASSERT_TRUE(certified_step(sim, h));
      highest = std::max(highest, motion(sim, "ball").position.z());
    }
    // At the surface it may be one step's way ahead, h v.
    EXPECT_LE(highest, 2 * radius + h * std::sqrt(2 * g * radius)) << depth;
    EXPECT_LE(sim.penetration(), 1e-12);
  }
}

// ---- Coincident bodies

struct Twins {
  const char* name;
  Geometry geometry;
};

const std::vector<Twins> twins = {
    {"sphere", Sphere{0.5}},
    {"capsule", Capsule{0.2, 1}},
    {"ellipsoid", Ellipsoid{Vec3(0.3, 0.4, 0.5)}},
    {"disc", Disc{0.5}},
    {"ellipse", Ellipse{Eigen::Vector2d(0.3, 0.4)}},
};

// The same place, the same orientation, the same shape: no direction is preferred, one is taken.
TEST(Overlap, CoincidentBodiesPartTheSameWayEachTime) {
  for (const Twins& each : twins) {
    ModelDescription d = world(Vec3(0, -g, 0), 0.3, 0.5);
    d.bodies = {moving("a", each.geometry, mass, Vec3(1, 2, 0)),
                moving("b", each.geometry, mass, Vec3(1, 2, 0))};
    std::uint64_t first = 0;
    for (int repeat = 0; repeat < 2; ++repeat) {
      Simulator sim = simulator(d);
      const double energy = sim.kinetic_energy() + sim.potential_energy();
      for (int i = 0; i < 100; ++i) {
        ASSERT_TRUE(certified_step(sim, 0.01)) << each.name;
        ASSERT_TRUE(sim.state().v.allFinite()) << each.name;
      }
      EXPECT_EQ(sim.penetration(), 0) << each.name;
      // No explosion: at the limit s each body gets half of it, m s^2 / 4 in all; s^2 = 2 g R.
      const double gained = sim.kinetic_energy() + sim.potential_energy() - energy;
      EXPECT_LE(gained, 4 * mass * g * sim.model().bodies[0].radius) << each.name;
      if (repeat == 0) first = hash(sim.state());
      EXPECT_EQ(hash(sim.state()), first) << each.name;
    }
  }
}

// ---- What is told of it

TEST(Overlap, DeepOnesAreListedDeepestFirst) {
  ModelDescription d = two_balls(radius, Vec3(0, 0, -g));
  d.bodies.push_back(moving("c", Sphere{radius}, mass, Vec3(0, 2 * radius - 0.1, 0)));
  d.bodies.push_back(moving("d", Sphere{radius}, mass, Vec3(0, 0, 2 * radius - 1e-4)));
  const Simulator sim = simulator(d);
  const std::vector<Overlap> found = deep_overlaps(sim.model(), sim.state(), Euler{}, 0.01);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(sim.model().body(found[0].body_a).name, "a");
  EXPECT_EQ(sim.model().body(found[0].body_b).name, "b");
  EXPECT_NEAR(found[0].depth, radius, 1e-15);
  EXPECT_NEAR(found[0].speed, std::sqrt(2 * g * radius), 1e-15);
  EXPECT_EQ(sim.model().body(found[1].body_b).name, "c");
  EXPECT_NEAR(found[1].depth, 0.1, 1e-15);
}

}  // namespace
}  // namespace cairn::test_overlaps
