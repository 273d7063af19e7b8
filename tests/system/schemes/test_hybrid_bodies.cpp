// Scheme `hybrid` (Son, Trinkle and Amato 2004), several bodies and contacts: impacts that are
// passed on, linked bodies, the way to steady contact and back, bounds of the work, and energies.
#include "system/schemes/hybrid_worlds.hpp"

namespace cairn::testing::test_hybrid_bodies {
namespace {

// Equal balls in a row: impacts one after the other, until none approaches.
std::vector<double> sequential(std::vector<double> v, double e) {
  for (bool hit = true; hit;) {
    hit = false;
    std::size_t at = 0;
    double fastest = 1e-13;
    for (std::size_t i = 0; i + 1 < v.size(); ++i)
      if (v[i] - v[i + 1] > fastest) fastest = v[i] - v[i + 1], at = i, hit = true;
    if (!hit) break;
    const double mean = (v[at] + v[at + 1]) / 2, half = e * (v[at] - v[at + 1]) / 2;
    v[at] = mean - half;
    v[at + 1] = mean + half;
  }
  return v;
}

TEST(Hybrid, NewtonsCradlePassesTheImpactOn) {
  for (const std::size_t n : {3u, 5u})
    for (const double e : {1.0, 0.5}) {
      ModelDescription d = world(Vec3::Zero(), 0, e);
      for (std::size_t i = 0; i < n; ++i)
        d.bodies.push_back(moving("ball" + std::to_string(i), Sphere{0.5}, 1,
                                  Vec3(static_cast<double>(i) - (i == 0 ? 0.25 : 0), 0, 0),
                                  Vec3(i == 0 ? 1 : 0, 0, 0)));
      Simulator sim = hybrid(d);
      certified_steps(sim, 0.5, 1);
      std::vector<double> v(n, 0.0);
      v[0] = 1;
      v = sequential(v, e);
      if (e == 1) {
        EXPECT_EQ(v.back(), 1);
      }
      for (std::size_t i = 0; i < n; ++i)
        EXPECT_NEAR(motion(sim, "ball" + std::to_string(i)).velocity.x(), v[i], 1e-12) << n << e;
    }
}

// A chain of two rods on a hinge hits the floor with its tip: the joints take part, so that the
// tip comes back with e and the energy that is lost is that of the law: (1 - e^2) u^2 / (2 W).
TEST(Hybrid, LinkedBodiesBounceAsOneMechanism) {
  ModelDescription d = world(Vec3(0, 0, -g), 0, 0.6);
  d.bodies = {fixed_halfspace("floor", Vec3::UnitZ(), Vec3(0, 0, -1.2)),
              moving("upper", Box{{0.1, 0.1, 1}}, 1, Vec3(0.5, 0, 0)),
              moving("lower", Sphere{0.2}, 1, Vec3(1.5, 0, 0))};
  d.bodies[1].orientation = Quat(Eigen::AngleAxisd(M_PI / 2, Vec3::UnitY()));
  d.joints = {
      {"hinge",
       RevoluteJoint{Vec3::UnitY()},
       {"world", "upper"},
       {Vec3::Zero(), Vec3(0, 0, -0.5)},
       false},
      {"ball", BallJoint{}, {"upper", "lower"}, {Vec3(0, 0, 0.5), Vec3(-0.5, 0, 0)}, false}};
  Simulator sim = hybrid(d);
  int hits = 0;
  for (int i = 0; i < 400; ++i) {
    ASSERT_TRUE(certified_step(sim, 0.002));
    ASSERT_NEAR(sim.report().ledger.imbalance(), 0, 1e-11) << i;
    EXPECT_LE(sim.joint_error(), 1e-12);
    EXPECT_LE(sim.penetration(), 1e-9);
    for (const ContactReport& c : sim.report().contacts) {
      if (!c.colliding || sim.report().events.size() != 1) continue;
      ++hits;
      EXPECT_NEAR(c.velocity[0], -0.6 * sim.report().events[0].speed, 1e-10);
      EXPECT_GT(sim.report().ledger.impact, 0);
    }
  }
  EXPECT_GE(hits, 1);
}

// What rests stays where it is, steady from the first step on.
TEST(Hybrid, StackStaysAtRest) {
  ModelDescription d = world(Vec3(0, 0, -g), 0.5, 0.5);
  d.bodies = {fixed_halfspace("floor", Vec3::UnitZ())};
  for (int i = 0; i < 5; ++i)
    d.bodies.push_back(moving("box" + std::to_string(i), Box{{1, 1, 1}}, 1, Vec3(0, 0, i + 0.5)));
  Simulator sim = hybrid(d);
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(certified_step(sim, 0.01));
    EXPECT_EQ(sim.report().collisions, 0);
  }
  for (int i = 0; i < 5; ++i)
    EXPECT_LT((motion(sim, "box" + std::to_string(i)).position - Vec3(0, 0, i + 0.5)).norm(),
              1e-12);
}

// A steady contact opens where the floor falls away, and bounces again where it is hit hard.
TEST(Hybrid, SteadyContactOpensAndBouncesAgain) {
  ModelDescription d = world(Vec3(0, 0, -g), 0, 0.8);
  BodyDescription floor = fixed_halfspace("floor", Vec3::UnitZ());
  floor.fixed = false;
  floor.motion = Motion{};
  floor.motion->position = {function("0"), function("0"), function("-2*sin(4*t)^2")};
  d.bodies = {floor, moving("ball", Sphere{0.5}, 1, Vec3(0, 0, 0.5))};
  Simulator sim = hybrid(d);
  int opened = 0, collisions = 0;
  for (int i = 0; i < 150; ++i) {
    ASSERT_TRUE(certified_step(sim, 0.01));
    for (const StepEvent& event : sim.report().events) {
      opened += event.kind == StepEvent::Kind::take_off ? 1 : 0;
      collisions += event.kind == StepEvent::Kind::collision ? 1 : 0;
    }
    EXPECT_LE(sim.penetration(), 1e-10);
    EXPECT_NEAR(sim.report().ledger.imbalance(), 0, 1e-10);
  }
  EXPECT_GE(opened, 1);
  EXPECT_GE(collisions, 1);
}

// A ball that rests is hit from above: its steady contact with the floor bounces with e as well.
// Momentum along z: 1 falls with u, 2 rests on the floor; then 2 hits the floor and comes back.
TEST(Hybrid, SteadyContactThatIsHitHardBounces) {
  const double e = 0.8, drop = 0.2, u = std::sqrt(2 * g * drop);
  ModelDescription d = world(Vec3(0, 0, -g), 0, e);
  d.bodies = {fixed_halfspace("floor", Vec3::UnitZ()),
              moving("lower", Sphere{0.5}, 1, Vec3(0, 0, 0.5)),
              moving("upper", Sphere{0.5}, 1, Vec3(0, 0, 1.5 + drop))};
  Simulator sim = hybrid(d, {.switch_speed = 1e-3});
  bool hit = false;
  while (!hit) {
    ASSERT_TRUE(certified_step(sim, 0.001));
    ASSERT_LT(sim.state().t, 1);
    hit = sim.report().collisions > 0;
  }
  // Upper and lower, then lower and floor, and again until nothing approaches.
  double a = -u, b = 0;
  for (int i = 0; i < 1000 && (b > a || b < 0); ++i) {
    if (b - a > -b) {
      const double mean = (a + b) / 2, half = e * (b - a) / 2;
      a = mean + half, b = mean - half;
    } else {
      b = -e * b;
    }
  }
  int floor_hits = 0;
  for (const StepEvent& event : sim.report().events)
    floor_hits += event.kind == StepEvent::Kind::collision ? 1 : 0;
  EXPECT_EQ(floor_hits, 2);
  const double late = sim.state().t - std::sqrt(2 * drop / g);
  EXPECT_NEAR(motion(sim, "upper").velocity.z(), a - g * late, 1e-10);
  EXPECT_NEAR(motion(sim, "lower").velocity.z(), b - g * late, 1e-10);
}

// Mirtich alone: what would rest bounces at the switch speed, never faster.
TEST(Hybrid, WithoutSteadyContactTheBallBouncesForEver) {
  const double h = 0.01;
  Simulator sim = hybrid(ball(0.1, 0.5), {.steady = false});
  double highest = 0;
  int late = 0;
  for (int i = 0; i < 1000; ++i) {
    ASSERT_TRUE(certified_step(sim, h));
    EXPECT_NEAR(sim.report().ledger.imbalance(), 0, 1e-12);
    if (i < 500) continue;
    highest = std::max(highest, motion(sim, "ball").position.z() - 0.5);
    late += sim.report().collisions;
  }
  EXPECT_GT(late, 100);
  EXPECT_LE(highest, g * h * h / 2 * (1 + 1e-9));
  EXPECT_GT(highest, 0);
}

// More impacts than allowed: the rest of the step has none, and the report says so.
TEST(Hybrid, ManyImpactsAreBounded) {
  ModelDescription d = world(Vec3(0, 0, -g), 0, 0.99);
  d.bodies = {fixed_halfspace("floor", Vec3::UnitZ()),
              moving("ball", Sphere{0.5}, 1, Vec3(0, 0, 0.5 + 1e-3))};
  Simulator sim = hybrid(d, {.switch_speed = 0, .max_events = 8});
  certified_steps(sim, 1, 3);
  const auto& events = sim.report().events;
  EXPECT_TRUE(std::any_of(events.begin(), events.end(),
                          [](const StepEvent& e) { return e.kind == StepEvent::Kind::limit; }) ||
              sim.report().collisions == 0);
  EXPECT_LE(sim.penetration(), 1e-12);
}

// The bound is one of each body: forty balls that all land in one step, at moments of their own,
// bounce as one alone does.
TEST(Hybrid, BodiesDoNotUseUpEachOthersEvents) {
  ModelDescription d = world(Vec3(0, 0, -g), 0, 0.5);
  d.bodies = {fixed_halfspace("floor", Vec3::UnitZ())};
  for (int i = 0; i < 40; ++i)
    d.bodies.push_back(moving("ball" + std::to_string(i), Sphere{0.1}, 1,
                              Vec3(i, 0, 0.1 + 0.001 * (i + 1)), Vec3(0, 0, -1)));
  Simulator sim = hybrid(d, {.max_events = 8});
  certified_steps(sim, 0.05, 1);
  EXPECT_EQ(sim.report().collisions, 40);
  for (const StepEvent& event : sim.report().events) EXPECT_NE(event.kind, StepEvent::Kind::limit);
}

// A ball falls into a groove and touches both sides at once. After one impact it still approaches
// the other side: what is left is stopped together.
TEST(Hybrid, ImpactsBeyondTheirNumberAreStoppedTogether) {
  ModelDescription d = world(Vec3(0, 0, -g), 0.2, 0.5);
  d.bodies = {fixed_halfspace("left", Vec3(1, 0, 1)), fixed_halfspace("right", Vec3(-1, 0, 1)),
              moving("ball", Sphere{0.5}, 1, Vec3(0, 0, 0.5 * std::sqrt(2) + 0.1))};
  Simulator sim = hybrid(d, {.max_strikes = 1});
  bool limited = false;
  while (!limited) {
    ASSERT_TRUE(certified_step(sim, 0.01));
    ASSERT_LT(sim.state().t, 1);
    EXPECT_NEAR(sim.report().ledger.imbalance(), 0, 1e-13);
    for (const StepEvent& event : sim.report().events)
      limited = limited || event.kind == StepEvent::Kind::limit;
  }
  EXPECT_LE(sim.penetration(), 1e-12);
  certified_steps(sim, 0.01, 200);  // it comes to rest
  EXPECT_LE(motion(sim, "ball").velocity.norm(), 1e-12);
}

// The rod of half length 1 at 45 degrees whose tip hits the floor with (0.4, -1): it slides, stops
// and slides back, and Stronge's law gives the tip these velocities.
TEST(Hybrid, RodSlidesBackDuringItsImpact) {
  ModelDescription d = world(Vec3::Zero(), 0.5, 0.7);
  d.materials.front().second.restitution_law = RestitutionLaw::stronge;
  BodyDescription rod = moving("rod", Point{}, 1, Vec3::Zero(), Vec3(0.4, -1, 0));
  rod.dof = "x y rz";
  rod.inertia = Mat3(Vec3(1, 1, 1.0 / 3).asDiagonal());
  rod.center_of_mass = Vec3(1, 0, 0);
  rod.position = Vec3(0, 0.01, 0);
  rod.orientation = Quat(Eigen::AngleAxisd(M_PI / 4, Vec3::UnitZ()));
  d.bodies = {fixed_halfspace("floor", Vec3::UnitY()), rod};
  Simulator sim = hybrid(d);
  certified_steps(sim, 0.01 + 1e-9, 1);
  const BodyMotion tip = motion(sim, "rod");
  // The centre of mass goes straight on; the tip turns about it by a billionth of a second's worth.
  EXPECT_NEAR(tip.velocity.x(), -0.156981081044, 1e-8);
  EXPECT_NEAR(tip.velocity.y(), 0.571594840037, 1e-8);
  EXPECT_EQ(sim.report().collisions, 1);
}

// Bodies of any shape thrown on a floor and on each other: certified, balanced, never more energy.
TEST(Hybrid, ThrownBodiesBalanceTheirEnergy) {
  for (int seed = 0; seed < 4; ++seed) {
    Random random(static_cast<std::uint64_t>(seed));
    ModelDescription d = world(Vec3(0, 0, -g), 0.4, seed % 2 ? 0.6 : 0);
    d.bodies = {fixed_halfspace("floor", Vec3::UnitZ())};
    throw_bodies(random,
                 {Box{{0.5, 0.4, 0.3}}, Sphere{0.3}, Capsule{0.2, 0.5}, Box{{0.2, 0.6, 0.2}}}, d);
    Simulator sim = hybrid(d);
    double last = energy(sim);
    for (int i = 0; i < 300; ++i) {
      ASSERT_TRUE(certified_step(sim, 0.01)) << seed;
      ASSERT_NEAR(sim.report().ledger.imbalance(), 0, 1e-9) << seed << ' ' << i;
      EXPECT_LE(energy(sim), last + 1e-9 + sim.report().ledger.stabilisation) << seed << ' ' << i;
      last = energy(sim);
      EXPECT_LE(sim.penetration(), 0.01);
    }
  }
}

// Rods that hit the floor at any angle and with any slip: each law bounces as it says, the blow's
// energies add up, and none raises the kinetic energy, though Newton's and Poisson's laws alone
// would: where they would the law of the blow is Stronge's, and the report says so.
TEST(Hybrid, NoLawGainsEnergyAndEachBlowIsAccountedFor) {
  int corrections = 0;
  for (const RestitutionLaw law :
       {RestitutionLaw::newton, RestitutionLaw::poisson, RestitutionLaw::stronge})
    for (int seed = 0; seed < 200; ++seed) {
      Random random(static_cast<std::uint64_t>(seed));
      ModelDescription d = world(Vec3::Zero(), 0.9, 0.9);
      d.materials.front().second.restitution_law = law;
      const double angle = M_PI * (seed + 0.5) / 200;
      BodyDescription rod =
          moving("rod", Point{}, 1, Vec3::Zero(), Vec3(2 * random.vector(1).x(), -1, 0));
      rod.dof = "x y rz";
      rod.inertia = Mat3(Vec3(1, 1, 1.0 / 3).asDiagonal());
      rod.center_of_mass = Vec3(1, 0, 0);
      rod.position = Vec3(0, 0.001, 0);
      rod.orientation = Quat(Eigen::AngleAxisd(angle, Vec3::UnitZ()));
      d.bodies = {fixed_halfspace("floor", Vec3::UnitY()), rod};
      Simulator sim = hybrid(d);
      const double before = energy(sim);
      ASSERT_TRUE(certified_step(sim, 0.0011));
      ASSERT_EQ(sim.report().impacts.size(), 1u);
      const ImpactReport& blow = sim.report().impacts.front();
      EXPECT_NEAR(blow.kinetic_before, before, 1e-13);
      EXPECT_NEAR(blow.kinetic_after - blow.kinetic_before,
                  blow.put_in - blow.lost_restitution - blow.lost_friction, 1e-13);
      EXPECT_LE(energy(sim), before * (1 + 1e-12));
      EXPECT_EQ(blow.law, law);
      const bool guarded = sim.report().guard_corrections > 0;
      EXPECT_EQ(guarded, blow.guard > 0);
      corrections += guarded ? 1 : 0;
      EXPECT_FALSE(guarded && law == RestitutionLaw::stronge);
      if (law == RestitutionLaw::newton && !guarded) {
        EXPECT_NEAR(blow.rebound, 0.9 * -blow.approach, 1e-12);
      }
    }
  EXPECT_GT(corrections, 0);
}

// Units that are powers of two change no bit.
TEST(Hybrid, ScalesWithoutRounding) {
  auto run = [](double length, double time, double mass) {
    const double speed = length / time;
    ModelDescription d = world(Vec3(0, 0, -g) * speed / time, 0.3, 0.6);
    d.bodies = {fixed_halfspace("floor", Vec3::UnitZ()),
                moving("box", Box{Vec3(0.5, 0.4, 0.3) * length}, mass, Vec3(0, 0, 1) * length,
                       Vec3(1, 0.5, 0) * speed, Vec3(1, 2, 3) / time)};
    Simulator sim = hybrid(d);
    for (int i = 0; i < 100; ++i) sim.step(0.02 * time);
    return motion(sim, "box");
  };
  const BodyMotion a = run(1, 1, 1), b = run(0x1p10, 0x1p-5, 0x1p-7);
  EXPECT_EQ(a.position * 0x1p10, b.position);
  EXPECT_EQ(a.velocity * 0x1p15, b.velocity);
  EXPECT_EQ(a.orientation.coeffs(), b.orientation.coeffs());
}

// Six bodies of mixed shapes fall into a narrow shaft. Contacts that open while the solve of a part
// closes them take part in it (E480): no step uses up its events.
TEST(Hybrid, MixedBodiesInAShaftNeverUseUpTheirEvents) {
  for (const unsigned seed : {1u, 2u, 3u, 4u}) {
    std::mt19937 engine(seed);
    const auto between = [&](double a, double b) {
      return a + (b - a) * static_cast<double>(engine() >> 5) * 0x1p-27;
    };
    ModelDescription d = world(Vec3(0, 0, -g), 0.5, 0.5);
    d.bodies = {fixed_halfspace("floor", Vec3::UnitZ()),
                fixed_halfspace("west", Vec3::UnitX(), Vec3(-0.25, 0, 0)),
                fixed_halfspace("east", -Vec3::UnitX(), Vec3(0.25, 0, 0)),
                fixed_halfspace("south", Vec3::UnitY(), Vec3(0, -0.25, 0)),
                fixed_halfspace("north", -Vec3::UnitY(), Vec3(0, 0.25, 0))};
    for (int i = 0; i < 6; ++i) {
      const Vec3 place(i % 2 ? 0.12 : -0.12, i / 2 % 2 ? 0.12 : -0.12, 0.14 + 0.25 * (i / 4));
      const double x = between(-1, 1), y = between(-1, 1), z = between(-1, 1);
      Geometry shape = Capsule{between(0.04, 0.06), between(0.05, 0.1)};
      if (i % 2 == 1) {
        const double a = between(0.05, 0.1), b = between(0.05, 0.1), c = between(0.05, 0.1);
        shape = Ellipsoid{Vec3(a, b, c)};
      }
      d.bodies.push_back(moving("b" + std::to_string(i), shape, between(1, 5), place));
      d.bodies.back().orientation = Quat(1, x, y, z).normalized();
    }
    const BuiltModel built = build(d).value();
    Simulator sim(built.model, *built.initial, Hybrid{}, Auto{}, {});
    for (int i = 0; i < 60; ++i) {
      const StepReport& r = sim.step(0.01);
      ASSERT_TRUE(r.verdict.accepted()) << "seed " << seed << ", step " << r.step;
      for (const StepEvent& event : r.events)
        ASSERT_NE(event.kind, StepEvent::Kind::limit) << "seed " << seed << ", step " << r.step;
    }
  }
}

}  // namespace
}  // namespace cairn::testing::test_hybrid_bodies
