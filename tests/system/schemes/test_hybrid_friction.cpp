// Scheme `hybrid` with rolling, torsional and anisotropic friction (E260 to E263): a thrown ball
// against the recursion of its closed forms, blows one by one, and what energy does.
#include "system/scaling.hpp"
#include "system/schemes/hybrid_worlds.hpp"

namespace cairn::testing::test_hybrid_friction {
namespace {

constexpr double radius = 0.5, inertia = 0.4 * radius * radius, drop = 1;

// Son, Trinkle and Amato 2004, section 5: a solid ball of 1 kg thrown along a plane, with friction
// about its contact.
ModelDescription ball(double mu, double e, double rolling, double torsional, const Vec3& velocity,
                      const Vec3& spin) {
  ModelDescription d = world(Vec3(0, 0, -g), mu, e);
  d.materials[0].second.rolling_friction = rolling;
  d.materials[0].second.torsional_friction = torsional;
  d.bodies = {fixed_halfspace("floor", Vec3::UnitZ()),
              moving("ball", Sphere{radius}, 1, Vec3(0, 0, radius + drop), velocity, spin)};
  return d;
}

// The ball by itself: x, v and the spin w about y, w >= 0.
struct ThrownBall {
  double mu, rho;
  double x = 0, v = 0, w = 0;
  double settles = 0;  // when its contact becomes steady [s]

  // A blow with the normal impulse p, along its path (E260): it slides until v = w r, then rolls,
  // then rests.
  void blow(double p) {
    const double dw = std::max(0.0, mu * radius - rho) / inertia;
    const double slides = std::min(p, (v - radius * w) / (mu + radius * dw));
    v -= mu * slides;
    w += dw * slides;
    if (slides == p) return;
    v = std::max(0.0, v - (p - slides) * rho / (1.4 * radius));
    w = v / radius;
  }
  // A step of steady contact, implicit: p = g dt.
  void steady(double dt) {
    const double p = g * dt;
    const double slid = v - mu * p, turned = w + std::max(0.0, mu * radius - rho) * p / inertia;
    if (slid >= radius * turned) {
      v = slid;
      w = turned;
    } else {
      v = std::max(0.0, (v + 0.4 * radius * w - rho * p / radius) / 1.4);
      w = v / radius;
    }
    x += dt * v;
  }
};

// Flights of 2 e^i u/g, blows of (1 + e) times their approach, the last of them without rebound,
// the rest of that step, whole steps to the end.
ThrownBall thrown(double mu, double e, double rho, double v0, double h, int steps, double s) {
  ThrownBall b{.mu = mu, .rho = rho, .v = v0};
  double speed = std::sqrt(2 * g * drop), t = speed / g;
  b.x = b.v * t;
  for (; e * speed > s; speed *= e) {
    b.blow((1 + e) * speed);
    b.x += b.v * 2 * e * speed / g;
    t += 2 * e * speed / g;
  }
  b.blow(speed);
  b.settles = t;
  const int next = static_cast<int>(std::ceil(t / h));
  b.steady(next * h - t);
  for (int i = next; i < steps; ++i) b.steady(h);
  return b;
}

TEST(HybridFriction, ThrownBallStopsWhereTheClosedFormSays) {
  const double h = 0.01, v0 = 7;
  for (const double mu : {0.1, 0.4})
    for (const double e : {0.8, 0.5, 0.0})
      for (const double rho : {0.02, 0.005}) {
        Simulator sim =
            hybrid(ball(mu, e, rho, 0, Vec3(v0, 0, 0), Vec3::Zero()), {.switch_speed = 0.05});
        int taken = 0;
        // While it bounces, slides, rolls; and when it rests.
        for (const int steps : {150, 400, 1200, rho == 0.02 ? 2200 : 2000}) {
          for (; taken < steps; ++taken) {
            ASSERT_TRUE(certified_step(sim, h));
            ASSERT_NEAR(sim.report().ledger.imbalance(), 0, 1e-12 * 35);
            ASSERT_GE(sim.report().ledger.friction, -1e-14);
          }
          const ThrownBall b = thrown(mu, e, rho, v0, h, steps, 0.05);
          if (steps * h < b.settles) continue;
          const BodyMotion m = motion(sim, "ball");
          EXPECT_NEAR(m.position.x(), b.x, 1e-9) << mu << ' ' << e << ' ' << rho << ' ' << steps;
          EXPECT_NEAR(m.velocity.x(), b.v, 1e-10);
          EXPECT_NEAR(m.angular_velocity.y(), b.w, 1e-10);
        }
        if (rho == 0.02) {
          EXPECT_LE(motion(sim, "ball").velocity.norm(), 1e-12);
          EXPECT_LE(motion(sim, "ball").angular_velocity.norm(), 1e-12);
        }
      }
}

// What rolling friction takes of 5/7 v0: about the contact the angular momentum m r v + I w falls
// by rho times the normal impulse, m g t in all once the ball does not bounce any more.
TEST(HybridFriction, RollsAtFiveSeventhsLessWhatRollingFrictionTook) {
  const double rho = 0.005, v0 = 7, e = 0.5;
  Simulator sim =
      hybrid(ball(0.1, e, rho, 0, Vec3(v0, 0, 0), Vec3::Zero()), {.switch_speed = 0.05});
  certified_steps(sim, 0.01, 400);
  // Until the ball is steady its weight has had the impulse of the falls and of the flights.
  const double expected = (v0 - rho / radius * g * 4) / 1.4;
  EXPECT_NEAR(motion(sim, "ball").velocity.x(), expected, 1e-10);
  EXPECT_NEAR(motion(sim, "ball").angular_velocity.y(), expected / radius, 1e-10);
}

// I w' = -rho_t N in blows and after: w0 less rho_t/I times the normal impulses, then at rest.
TEST(HybridFriction, SpinningBallStopsInTheTimeOfTheClosedForm) {
  const double rho = 0.01, w0 = 6;
  Simulator sim = hybrid(ball(0.3, 0.6, 0, rho, Vec3::Zero(), Vec3(0, 0, w0)));
  double impulse = 0;
  bool stopped = false;
  for (int i = 0; i < 900; ++i) {
    ASSERT_TRUE(certified_step(sim, 0.01));
    for (const ContactReport& c : sim.report().contacts) {
      impulse += c.impulse[0];
      EXPECT_LE(std::abs(c.torque[0]), rho * c.impulse[0] * (1 + 1e-12));
    }
    const double w = w0 - rho * impulse / inertia;
    EXPECT_NEAR(motion(sim, "ball").angular_velocity.z(), std::max(0.0, w), 1e-10) << i;
    stopped = w < 0;
  }
  EXPECT_TRUE(stopped);
  EXPECT_NEAR(impulse, g * 9, 1e-10);
  EXPECT_NEAR(motion(sim, "ball").angular_velocity.norm(), 0, 1e-12);
  EXPECT_FALSE(of_role(sim.state().impulses, Role::torsion).empty() &&
               of_role(sim.state().impulses, Role::contact).empty());
}

// A turning table spins the ball up, in the blow and after; the motion's work is in the books.
TEST(HybridFriction, TurningGround) {
  const double rho = 0.02;
  ModelDescription d = ball(0.5, 0.5, 0, rho, Vec3::Zero(), Vec3::Zero());
  BodyDescription table;
  table.name = "floor";
  table.shapes = {{Box{Vec3(4, 4, 1)}, Pose{}, "default"}};
  Motion turn;
  turn.position = {function("0"), function("0"), function("-0.5")};
  turn.angle = function("20*t");
  table.motion = turn;
  d.bodies[0] = table;
  Simulator sim = hybrid(d);
  double impulse = 0, work = 0;
  for (int i = 0; i < 200; ++i) {
    ASSERT_TRUE(certified_step(sim, 0.01));
    for (const ContactReport& c : sim.report().contacts) impulse += c.impulse[0];
    EXPECT_NEAR(motion(sim, "ball").angular_velocity.z(), rho * impulse / inertia, 1e-9);
    EXPECT_NEAR(sim.report().ledger.imbalance(), 0, 1e-11);
    work += sim.report().ledger.work_motion;
  }
  EXPECT_NEAR(work, 20 * rho * impulse, 1e-8);  // all of it through the torque
}

// One blow on a grained floor: du/dp = -(mu_1^2 u_1, mu_2^2 u_2)/|(mu_1 u_1, mu_2 u_2)| of a body
// that does not turn, integrated here by small steps of fourth order.
TEST(HybridFriction, BlowOnAGrainedFloor) {
  for (const double bounce : {-1.0, 0.3}) {
    ModelDescription d = world(Vec3::Zero(), 1, 0.5);
    Material wood;
    wood.friction = 0.6;
    wood.friction_across = 0.2;
    wood.friction_direction = Vec3(1, 1, 0);
    wood.bounce_friction = bounce;
    d.materials.emplace_back("wood", wood);
    Material pair = wood;
    pair.restitution = 0.5;
    d.materials.emplace_back("wood|default", pair);
    d.bodies = {fixed_halfspace("floor", Vec3::UnitZ()),
                moving("block", Sphere{0.1}, 2, Vec3(0, 0, 0.2), Vec3(1, 2, -2))};
    d.bodies[0].shapes[0].material = "wood";
    d.bodies[1].dof = "x y z";
    Simulator sim = hybrid(d);
    certified_step(sim, 0.1);
    const double mu_1 = bounce < 0 ? 0.6 : bounce, mu_2 = mu_1 / 3, p = 1.5 * 2;
    const Eigen::Vector2d along = Eigen::Vector2d(1, 1).normalized(), across(-along[1], along[0]);
    Eigen::Vector2d u(along.dot(Eigen::Vector2d(1, 2)), across.dot(Eigen::Vector2d(1, 2)));
    const auto rate = [&](const Eigen::Vector2d& at) {
      const double size = std::hypot(mu_1 * at[0], mu_2 * at[1]);
      return Eigen::Vector2d(-mu_1 * mu_1 * at[0] / size, -mu_2 * mu_2 * at[1] / size);
    };
    const int n = 2000;
    for (int i = 0; i < n && u.norm() > 1e-3; ++i) {
      const double dp = p / n;
      const Eigen::Vector2d a = rate(u), b = rate(u + dp / 2 * a), c = rate(u + dp / 2 * b),
                            e = rate(u + dp * c);
      u += dp / 6 * (a + 2 * b + 2 * c + e);
    }
    const Vec3 v = motion(sim, "block").velocity;
    EXPECT_NEAR(along.dot(v.head<2>()), u[0], 1e-11) << bounce;
    EXPECT_NEAR(across.dot(v.head<2>()), u[1], 1e-11);
    EXPECT_NEAR(v.z(), 1, 1e-14);
    // The report has the impulse along the axes, not that of the stretched row; the floor is b.
    const ContactReport& c = sim.report().contacts.front();
    const Vec3 change = v - Vec3(1, 2, -2);
    EXPECT_NEAR((c.impulse[0] * c.contact.n_W + c.impulse[1] * c.contact.t1_W +
                 c.impulse[2] * c.contact.t2_W + 2 * change)
                    .norm(),
                0, 1e-13);
    EXPECT_NEAR(sim.report().ledger.imbalance(), 0, 1e-13);
  }
}

// Bodies of any shape thrown on a grained floor and on each other, with friction about their
// contacts: certified, balanced, never more energy, and each blow accounted for.
TEST(HybridFriction, ThrownBodiesBalanceTheirEnergy) {
  for (int seed = 0; seed < 3; ++seed) {
    Random random(static_cast<std::uint64_t>(seed));
    ModelDescription d = world(Vec3(0, 0, -g), 0.4, 0.6);
    Material& material = d.materials[0].second;
    material.restitution_law = RestitutionLaw::stronge;
    material.rolling_friction = 0.02;
    material.torsional_friction = 0.01;
    Material wood = material;
    wood.friction_across = 0.1;
    d.materials.emplace_back("wood", wood);
    d.bodies = {fixed_halfspace("floor", Vec3::UnitZ())};
    d.bodies[0].shapes[0].material = "wood";
    throw_bodies(random,
                 {Box{{0.5, 0.4, 0.3}}, Sphere{0.3}, Capsule{0.2, 0.5}, Ellipsoid{{0.2, 0.3, 0.4}}},
                 d);
    Simulator sim = simulator_of(d, Hybrid{});
    double last = energy(sim);
    int blows = 0;
    for (int i = 0; i < 300; ++i) {
      ASSERT_TRUE(certified_step(sim, 0.01)) << seed;
      const StepReport& r = sim.report();
      ASSERT_NEAR(r.ledger.imbalance(), 0, 1e-9) << seed << ' ' << i;
      EXPECT_GE(r.ledger.friction, -1e-12);
      EXPECT_LE(energy(sim), last + 1e-9 + std::max(0.0, r.ledger.stabilisation))
          << seed << ' ' << i;
      last = energy(sim);
      for (const ImpactReport& blow : r.impacts) {
        EXPECT_NEAR(blow.kinetic_after - blow.kinetic_before,
                    blow.put_in - blow.lost_restitution - blow.lost_friction, 1e-10);
        EXPECT_LE(blow.put_in, 1e-10);
        ++blows;
      }
    }
    EXPECT_GT(blows, 10);
  }
}

// A disc on an arm: its blow turns the mechanism, its torque is part of it (E206 with more rows).
TEST(HybridFriction, LinkedBodiesBalance) {
  ModelDescription d = world(Vec3(0, -g, 0), 0.4, 0.5);
  d.materials[0].second.rolling_friction = 0.05;
  d.bodies = {fixed_halfspace("floor", Vec3::UnitY()),
              moving("wheel", Disc{0.2}, 1, Vec3(1, 0.5, 0), Vec3::Zero(), Vec3(0, 0, 8)),
              moving("arm", Disc{0.1}, 2, Vec3(0.3, 0.8, 0))};
  d.joints = {{"axle", RevoluteJoint{}, {"wheel", "arm"}, {Vec3::Zero(), Vec3(0.7, -0.3, 0)}}};
  Simulator sim = hybrid(d);
  double last = energy(sim);
  int blows = 0;
  for (int i = 0; i < 300; ++i) {
    ASSERT_TRUE(certified_step(sim, 0.005));
    EXPECT_NEAR(sim.report().ledger.imbalance(), 0, 1e-9);
    EXPECT_LE(energy(sim), last + 1e-9 + std::max(0.0, sim.report().ledger.stabilisation));
    last = energy(sim);
    blows += sim.report().collisions;
    for (const ContactReport& c : sim.report().contacts)
      EXPECT_LE(c.torque.norm(), 0.05 * c.impulse[0] * (1 + 1e-9));
  }
  EXPECT_GT(blows, 2);
}

// Scaling by powers of two changes no bit; a copy of the state goes on with the same bits.
TEST(HybridFriction, UnitsAndRestart) {
  const auto make = [](double length, double mass, double time) {
    ModelDescription d = world(Vec3(0, 0, -g) * (length / (time * time)), 0.3, 0.5);
    d.materials[0].second.rolling_friction = 0.02 * length;
    d.materials[0].second.torsional_friction = 0.01 * length;
    const double r = radius * length, speed = length / time;
    d.bodies = {
        fixed_halfspace("table", Vec3::UnitZ()),
        moving("ball", Sphere{r}, 2 * mass, Vec3(0, 0, 2 * r), Vec3(1, 0.25, 0) * speed,
               Vec3(1, 2, 7) / time),
        moving("egg", Ellipsoid{Vec3(0.25, 0.5, 0.375) * length}, mass, Vec3(1.25, 0, 1.5) * length,
               Vec3(-1, 0.25, 0) * speed, Vec3(1, 0, 3) / time)};
    return hybrid(d);
  };
  expect_same_bits_in_other_units_and_from_a_state(make, 120);
}

}  // namespace
}  // namespace cairn::testing::test_hybrid_friction
