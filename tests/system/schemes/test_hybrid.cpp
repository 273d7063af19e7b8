// Scheme `hybrid` (Son, Trinkle and Amato 2004), one body on the ground: bounces and the switch to
// steady contact, against closed forms.
#include "system/schemes/hybrid_worlds.hpp"

namespace cairn::testing::test_hybrid {
namespace {

// Apexes are heights that the parabola between two impacts reaches.
TEST(Hybrid, BallReachesTheHeightsOfItsRestitution) {
  for (const double e : {0.9, 0.7, 0.5, 0.3, 0.1}) {
    for (const double h : {0.01, 0.037}) {
      Simulator sim = hybrid(ball(0.1, e), {.switch_speed = 0.05});
      const double landing = std::sqrt(2 * g);
      int bounces = 0;
      for (double height = e * e, speed = e * landing; speed > 0.05; height *= e * e, speed *= e)
        ++bounces;
      int seen = 0;
      double apex = 1;
      for (int i = 0; sim.state().t < 12; ++i) {
        ASSERT_TRUE(certified_step(sim, h));
        const StepReport& r = sim.report();
        ASSERT_NEAR(r.ledger.imbalance(), 0, 1e-12 * energy(sim)) << i;
        const auto events = r.events.size();
        for (const StepEvent& event : r.events)
          seen += event.kind == StepEvent::Kind::collision ? 1 : 0;
        const BodyMotion m = motion(sim, "ball");
        if (events > 0 || seen > bounces) continue;
        apex = m.position.z() - 0.5 + m.velocity.z() * m.velocity.z() / (2 * g);
        EXPECT_NEAR(apex, std::pow(e, 2 * seen), 1e-12) << "bounce " << seen << " e " << e;
      }
      EXPECT_EQ(seen, bounces + 1) << e;  // the last one does not bounce
    }
  }
}

// t0 + sum of 2 e^i v/g over the bounces whose rebound is above the threshold.
TEST(Hybrid, SwitchesToSteadyContactWhenTheClosedFormSays) {
  for (const double e : {0.9, 0.7, 0.5, 0.3, 0.1, 0.0}) {
    for (const double threshold : {0.3, 0.05}) {
      Simulator sim = hybrid(ball(0.1, e), {.switch_speed = threshold});
      const double landing = std::sqrt(2 * g);
      double expected = landing / g;
      for (double rebound = e * landing; rebound > threshold; rebound *= e)
        expected += 2 * rebound / g;
      double found = 0;
      int switches = 0;
      for (int i = 0; i < 2000; ++i) {
        ASSERT_TRUE(certified_step(sim, 0.01));
        for (const StepEvent& event : sim.report().events)
          if (event.kind == StepEvent::Kind::steady) found = event.t, ++switches;
        if (switches > 0 && sim.state().t > expected + 0.5) break;
      }
      EXPECT_EQ(switches, 1);
      EXPECT_NEAR(found, expected, 1e-11) << e << ' ' << threshold;
      EXPECT_NEAR(motion(sim, "ball").position.z(), 0.5, 1e-14);
    }
  }
}

// Friction acts at the contact point, about which the angular momentum stays: 5/7 v0 for any h, mu
// and e. It slides until friction has taken 2/7 v0, mu times the normal impulses on the way.
TEST(Hybrid, BallRollsAtFiveSeventhsOfItsSpeed) {
  const double h = 0.01, mu = 0.1;
  for (const double e : {0.9, 0.7, 0.5, 0.3, 0.1}) {
    Simulator sim = hybrid(ball(mu, e), {.switch_speed = 0.05});
    double onset = -1;
    while (sim.state().t < 16) {
      ASSERT_TRUE(certified_step(sim, h));
      const BodyMotion m = motion(sim, "ball");
      const double slip = m.velocity.x() - 0.5 * m.angular_velocity.y();
      if (onset < 0 && std::abs(slip) < 1e-12) onset = sim.state().t;
    }
    const BodyMotion end = motion(sim, "ball");
    EXPECT_NEAR(end.velocity.x(), 5, 1e-11) << e;
    EXPECT_NEAR(end.angular_velocity.y(), 10, 1e-11) << e;
    // Impacts take mu (1 + e) of their approach, until the ball rolls.
    const double landing = std::sqrt(2 * g);
    double t = landing / g, taken = mu * (1 + e) * landing, speed = e * landing;
    for (; speed > 0.05 && taken < 2; speed *= e) {
      t += 2 * speed / g;
      taken += mu * (e * speed > 0.05 ? 1 + e : 1) * speed;
    }
    if (taken < 2) t += (2 - taken) / (mu * g);
    EXPECT_NEAR(onset, t, 3 * h) << e;
  }
}

// Material field bounce_friction: m = R = 1, v = (3, -2), e 0.8, mu 0.2 gives 2.28 and 1.8.
TEST(Hybrid, BouncesWithItsOwnFriction) {
  ModelDescription d = world(Vec3::Zero(), 5, 0.8);
  d.materials[0].second.bounce_friction = 0.2;
  d.bodies = {fixed_halfspace("floor", Vec3::UnitZ()),
              moving("ball", Sphere{1}, 1, Vec3(0, 0, 1.5), Vec3(3, 0, -2))};
  Simulator sim = hybrid(d);
  certified_steps(sim, 0.5, 1);
  EXPECT_NEAR(motion(sim, "ball").velocity.x(), 2.28, 1e-14);
  EXPECT_NEAR(motion(sim, "ball").velocity.z(), 1.6, 1e-14);
  EXPECT_NEAR(motion(sim, "ball").angular_velocity.y(), 1.8, 1e-14);
}

TEST(Hybrid, BallComesBackFromAWallForEveryStep) {
  Random random(4);
  for (int i = 0; i < 1000; ++i) {
    const double e = random.uniform(0.05, 1), speed = random.uniform(0.1, 10),
                 h = std::exp(random.uniform(std::log(1e-4), std::log(0.5)));
    ModelDescription d = world(Vec3::Zero(), 0.3, e);
    d.bodies = {fixed_halfspace("wall", -Vec3::UnitX()),
                moving("ball", Sphere{0.1}, 2,
                       Vec3(-0.1 - random.uniform(0.1, 1) * h * speed, 0, 0), Vec3(speed, 0, 0))};
    Simulator sim = hybrid(d);
    certified_steps(sim, h, 2);
    EXPECT_NEAR(motion(sim, "ball").velocity.x(), -e * speed, 1e-12 * speed);
    EXPECT_LE(sim.penetration(), 1e-14);
  }
}

// RELIABILITY.md 2.3: 49 balls of 10 kg from 5 m, e = 1, 20 s: the mean squared error of the energy
// of 24034.5 J, and no drift.
TEST(Hybrid, FortyNineBouncingBallsKeepTheirEnergy) {
  ModelDescription d = world(Vec3(0, 0, -g), 0, 1);
  d.bodies = {fixed_halfspace("floor", Vec3::UnitZ())};
  for (int i = 0; i < 49; ++i)
    d.bodies.push_back(moving("ball" + std::to_string(100 + i), Sphere{0.1}, 10,
                              Vec3(2 * (i % 7), 2 * (i / 7), 5)));
  Simulator sim = hybrid(d);
  const double h = 0.004, start = energy(sim);
  EXPECT_NEAR(start, 24034.5, 1e-9);
  double sum = 0;
  int steps = 0;
  for (; sim.state().t < 20; ++steps) {
    ASSERT_TRUE(certified_step(sim, h));
    sum += (energy(sim) - start) * (energy(sim) - start);
  }
  EXPECT_LE(sum / steps, 1e-12);
}

// A face that lands flat comes back flat.
TEST(Hybrid, BoxDroppedFlatBouncesAHundredTimes) {
  ModelDescription d = world(Vec3(0, 0, -g), 0.5, 1);
  d.bodies = {fixed_halfspace("floor", Vec3::UnitZ()),
              moving("box", Box{{0.4, 0.3, 0.2}}, 2, Vec3(0, 0, 0.3))};
  Simulator sim = hybrid(d);
  const double start = energy(sim);
  int bounces = 0;
  while (bounces < 100) {
    ASSERT_TRUE(certified_step(sim, 0.02));
    for (const StepEvent& event : sim.report().events)
      bounces += event.kind == StepEvent::Kind::collision ? 1 : 0;
    const BodyMotion m = motion(sim, "box");
    EXPECT_LE(m.position.z() + m.velocity.z() * m.velocity.z() / (2 * g), 0.3 + 1e-12);
    EXPECT_LE(m.angular_velocity.norm(), 1e-10);
    EXPECT_NEAR(energy(sim), start, 1e-12 * start);
    if (sim.state().t > 60) FAIL();
  }
}

// A run that is taken up from a saved state goes on bit for bit.
TEST(Hybrid, RestartsFromItsState) {
  Simulator whole = hybrid(ball(0.1, 0.5)), first = hybrid(ball(0.1, 0.5));
  for (int i = 0; i < 300; ++i) whole.step(0.01);
  for (int i = 0; i < 150; ++i) first.step(0.01);
  Simulator second = hybrid(ball(0.1, 0.5));
  second.set_state(first.state());
  for (int i = 0; i < 150; ++i) second.step(0.01);
  EXPECT_EQ(hash(whole.state()), hash(second.state()));
}

}  // namespace
}  // namespace cairn::testing::test_hybrid
