// Scheme `trapezoidal` where bodies meet: collisions, impacts, stick and slip, and what happens
// when events accumulate.
#include "reproduce/double_pendulum.hpp"
#include "system/worlds.hpp"

namespace cairn::testing::test_trapezoidal_events {
namespace {

double pose_distance(const Simulator& a, const Simulator& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.state().poses.size(); ++i) {
    const Pose &x = a.state().poses[i], &y = b.state().poses[i];
    sum += (x.p - y.p).norm() + x.R.angularDistance(y.R);
  }
  return sum;
}

// Order of the positions between h and h/4, against a run with h/64.
double slope(const ModelDescription& d, double h, double duration, const Trapezoidal& o = {}) {
  Simulator coarse = trapezoidal(d, o), fine = trapezoidal(d, o), reference = trapezoidal(d, o);
  certified_run(coarse, h, duration);
  certified_run(fine, h / 4, duration);
  certified_run(reference, h / 64, duration);
  return order(h, pose_distance(coarse, reference), h / 4, pose_distance(fine, reference));
}

ModelDescription ball(double height, double restitution) {
  ModelDescription d = world(Vec3(0, -g, 0), 0, restitution);
  d.bodies = {fixed_halfspace("floor", Vec3::UnitY()),
              moving("ball", Disc{0.5}, 1, Vec3(0, 0.5 + height, 0))};
  return d;
}

TEST(TrapezoidalEvents, PerfectBallKeepsItsEnergy) {
  for (const double h : {0.01, 0.037, 1.0 / 3}) {
    Simulator sim = trapezoidal(ball(1, 1));
    const double start = sim.kinetic_energy() + sim.potential_energy();
    int collisions = 0;
    while (sim.state().t < 20) {
      ASSERT_TRUE(certified_step(sim, h));
      collisions += sim.report().collisions;
      ASSERT_LE(std::abs(sim.kinetic_energy() + sim.potential_energy() - start), 1e-12 * start);
    }
    // A fall takes sqrt(2/g), a bounce twice that.
    EXPECT_EQ(collisions, static_cast<int>((sim.state().t / std::sqrt(2 / g) + 1) / 2));
  }
}

// Free flight is integrated exactly, so every collision is found to rounding; with a bound on the
// speed that bounces the ball comes to rest.
TEST(TrapezoidalEvents, BallBouncesAtTheExactTimes) {
  Simulator sim = trapezoidal(ball(1, 0.7));
  const double fall = std::sqrt(2 / g);
  double expected = fall, flight = 2 * fall * 0.7;
  int checked = 0;
  for (int i = 0; i < 400; ++i) {
    ASSERT_TRUE(certified_step(sim, 0.01));
    for (const StepEvent& e : sim.report().events) {
      if (e.kind != StepEvent::Kind::collision) continue;
      EXPECT_NEAR(e.t, expected, 1e-13 * (checked + 1) / flight) << checked;
      expected += flight;
      flight *= 0.7;
      ++checked;
    }
  }
  EXPECT_GT(checked, 10);
  EXPECT_EQ(motion(sim, "ball").velocity.y(), 0);
  EXPECT_NEAR(motion(sim, "ball").position.y(), 0.5, 1e-15);
}

// Table I of Potra et al. 2006, last digit +-1 and its rounding.
TEST(TrapezoidalEvents, DoublePendulumMeetsTableOne) {
  const reproduce::PendulumReference exact = reproduce::reference_pendulum(2.5);
  ASSERT_EQ(exact.impacts.size(), 5u);
  EXPECT_NEAR(exact.impacts[0].t, 0.5455080514, 1e-10);
  EXPECT_NEAR(exact.impacts[1].t, 0.7079327000, 1e-10);
  const Scene s = scene("pendulum_wall");
  const struct {
    int k;
    double E, theta1, theta2;
  } table[] = {{6, 6.14e-4, 3.14e-4, 8.29e-4}, {8, 3.95e-5, 1.95e-5, 5.48e-5}};
  for (const auto& row : table) {
    Simulator sim(s.model, *s.initial, Trapezoidal{.projection = false, .gamma = 0}, Auto{});
    certified_run(sim, std::ldexp(1, -row.k), 2.5);
    const Vec3 a = motion(sim, "bob1").position, b = motion(sim, "bob2").position;
    const double E = std::hypot(std::hypot(a.x() - exact.position[0], a.y() - exact.position[1]),
                                std::hypot(b.x() - exact.position[2], b.y() - exact.position[3]));
    const double digit = std::pow(10, -row.k == -6 ? -6 : -7);
    EXPECT_NEAR(E, row.E, 1.5 * digit);
    EXPECT_NEAR(a.squaredNorm() - 1, row.theta1, 1.5 * digit);
    EXPECT_NEAR((b - a).squaredNorm() - 1, row.theta2, 1.5 * digit);
  }
}

// With projection the joints close to rounding, order and impact times stay of second order.
TEST(TrapezoidalEvents, DoublePendulumWithProjection) {
  const reproduce::PendulumReference exact = reproduce::reference_pendulum(2.5);
  const Scene s = scene("pendulum_wall");
  double time[2] = {};
  for (int k = 0; k < 2; ++k) {
    Simulator sim(s.model, *s.initial, Trapezoidal{}, Auto{});
    const double h = 0x1p-7 / (1 << 2 * k);
    std::size_t hit = 0;
    while (sim.state().t < 2.5) {
      ASSERT_TRUE(certified_step(sim, h));
      ASSERT_LE(sim.report().joint_error, 1e-15);
      ASSERT_LE(std::abs(sim.report().ledger.imbalance()), 1e-13);
      for (const StepEvent& e : sim.report().events) {
        ASSERT_LT(hit, exact.impacts.size());
        time[k] = std::max(time[k], std::abs(e.t - exact.impacts[hit].t));
        EXPECT_NEAR(e.speed, exact.impacts[hit++].speed, 60 * h * h);
      }
    }
    EXPECT_EQ(hit, 5u);
  }
  EXPECT_GT(order(4, time[0], 1, time[1]), 1.9);
}

// Tables II and III: the plain scheme without restart.
TEST(TrapezoidalEvents, BlockMeetsTablesTwoAndThree) {
  const Scene s = scene("rough_table");
  const struct {
    TrapezoidalForm form;
    int k;
    double printed, digit;
  } table[] = {{TrapezoidalForm::next, 6, 1.025e-5, 1e-8},
               {TrapezoidalForm::next, 9, 1.549e-7, 1e-10},
               {TrapezoidalForm::mean, 6, 2.310e-5, 1e-8},
               {TrapezoidalForm::mean, 10, 8.246e-8, 1e-11}};
  for (const auto& row : table) {
    Simulator sim(s.model, *s.initial,
                  Trapezoidal{.form = row.form, .events = EventDetection::collisions}, Auto{});
    certified_run(sim, std::ldexp(1, -row.k), 2);
    EXPECT_NEAR(std::abs(motion(sim, "block").position.x() - 3.004348569727), row.printed,
                1.5 * row.digit);
  }
}

// With a restart where the block stops the error is 0.0757 h^2 and it stands still.
TEST(TrapezoidalEvents, BlockStopsAndStands) {
  const Scene s = scene("rough_table");
  for (const TrapezoidalForm form : {TrapezoidalForm::next, TrapezoidalForm::mean}) {
    double time[2] = {};
    for (int k = 0; k < 2; ++k) {
      Simulator sim(s.model, *s.initial, Trapezoidal{.form = form}, Auto{});
      const double h = 0x1p-8 / (1 << k);
      while (sim.state().t < 2) {
        ASSERT_TRUE(certified_step(sim, h));
        if (!sim.report().events.empty()) {
          EXPECT_EQ(sim.report().events[0].kind, StepEvent::Kind::stick);
          time[k] = std::abs(sim.report().events[0].t - 0.338608184672);
        }
        if (sim.state().t > 0.35) {
          ASSERT_LE(std::abs(motion(sim, "block").velocity.x()), h * g * 2.3e-16);
        }
      }
      EXPECT_NEAR((3.004348569727 - motion(sim, "block").position.x()) / (h * h), 0.0757, 5e-4);
    }
    EXPECT_GT(order(2, time[0], 1, time[1]), 1.9);
  }
}

// It begins to slide again at 2.946346791224 s and stops at 3.532834608887 s.
TEST(TrapezoidalEvents, BlockSlidesAgain) {
  const Scene s = scene("rough_table");
  const double h = 0x1p-8;
  Simulator sim(s.model, *s.initial, Trapezoidal{}, Auto{});
  std::vector<StepEvent> events;
  while (sim.state().t < 4) {
    ASSERT_TRUE(certified_step(sim, h));
    for (const StepEvent& e : sim.report().events) events.push_back(e);
  }
  ASSERT_EQ(events.size(), 3u);
  EXPECT_EQ(events[1].kind, StepEvent::Kind::slip);
  EXPECT_NEAR(events[1].t, 2.946346791224, h * h);
  EXPECT_EQ(events[2].kind, StepEvent::Kind::stick);
  EXPECT_NEAR(events[2].t, 3.532834608887, h * h);
  EXPECT_NEAR(motion(sim, "block").position.x(), 2.991302833115, h * h);
}

ModelDescription rod(double angle, double height, double friction) {
  ModelDescription d = world(Vec3(0, -g, 0), friction, 0);
  BodyDescription body;
  body.name = "rod";
  body.dof = "x y rz";
  body.mass = 1;
  body.inertia = Mat3(Vec3(1, 1, 1.0 / 3).asDiagonal());
  body.center_of_mass = Vec3::Zero();
  const Vec3 tip(std::cos(angle), std::sin(angle), 0);
  body.position = Vec3(tip.x(), tip.y() + height, 0);
  body.shapes = {{Point{}, Pose{-tip, Quat::Identity()}, "default"},
                 {Point{}, Pose{tip, Quat::Identity()}, "default"}};
  d.bodies = {fixed_halfspace("floor", Vec3::UnitY()), body};
  return d;
}

TEST(TrapezoidalEvents, MotionWithContactsHasSecondOrder) {
  // A block with drag slides and stops; a damper along the way is the drag.
  ModelDescription block = world(Vec3(0, -g, 0), 0.2, 0);
  block.bodies = {fixed_halfspace("floor", Vec3::UnitY()),
                  particle("block", "x y", Vec3::Zero(), Vec3(3, 0, 0))};
  block.forces = {SpringDescription{.bodies = {"world", "block"},
                                    .anchors = {Vec3(-10, 0, 0), Vec3::Zero()},
                                    .stiffness = 0,
                                    .rest_length = 10,
                                    .damping = 0.8}};
  EXPECT_GT(slope(block, 0.04, 2), 1.9);

  // A sphere with drag comes from sliding to rolling.
  ModelDescription sphere = world(Vec3(0, 0, -g), 0.2, 0);
  sphere.bodies = {fixed_halfspace("floor", Vec3::UnitZ()),
                   moving("ball", Sphere{0.5}, 1, Vec3(0, 0, 0.5), Vec3(7, 0, 0))};
  sphere.forces = {SpringDescription{.bodies = {"world", "ball"},
                                     .anchors = {Vec3(-30, 0, 0.5), Vec3::Zero()},
                                     .stiffness = 0,
                                     .rest_length = 10,
                                     .damping = 0.3}};
  EXPECT_GT(slope(sphere, 0.04, 2), 1.9);

  // A ball bounces on a plate that hangs on a spring.
  ModelDescription plate = world(Vec3(0, -g, 0), 0, 0.8);
  plate.bodies = {moving("plate", Sphere{0.5}, 2, Vec3::Zero()),
                  moving("ball", Sphere{0.2}, 1, Vec3(0, 1.2, 0))};
  for (BodyDescription& body : plate.bodies) body.dof = "y";
  plate.forces = {SpringDescription{.bodies = {"world", "plate"},
                                    .anchors = {Vec3(0, -10, 0), Vec3::Zero()},
                                    .stiffness = 400,
                                    .rest_length = 10,
                                    .damping = 1}};
  EXPECT_GT(slope(plate, 0.01, 1), 1.9);

  // A rod falls on a smooth floor and slides down on its tip.
  EXPECT_GT(slope(rod(0.9, 0.2, 0), 0.005, 0.4), 1.9);
}

// Painleve: where sliding on would press the tip into the floor the rod jams. Without correction
// of gaps no step gains energy.
TEST(TrapezoidalEvents, PainleveRodJams) {
  for (const double mu : {1.5, 2.0})
    for (const double angle : {0.9, 1.0, 1.1}) {
      ModelDescription d = rod(angle, 0, mu);
      d.bodies[1].velocity = Vec3(-3, 0, 0);
      Simulator sim = trapezoidal(d, {.gamma = 0});
      const double start = sim.kinetic_energy() + sim.potential_energy();
      int jams = 0;
      for (int i = 0; i < 500; ++i) {
        ASSERT_TRUE(certified_step(sim, 0.002));
        for (const StepEvent& e : sim.report().events)
          jams += e.kind == StepEvent::Kind::stick ? 1 : 0;
        ASSERT_LE(sim.report().ledger.rise(), 1e-13 * start);
      }
      EXPECT_GE(jams, 1);
    }
}

// n equal balls in contact, one hits the row: Poisson's simultaneous impact gives v1 = 2/n - 1 and
// 2/n to the others.
TEST(TrapezoidalEvents, RowOfBallsSharesTheImpact) {
  const int n = 5;
  ModelDescription d = world(Vec3::Zero(), 0, 1);
  for (int i = 0; i < n; ++i)
    d.bodies.push_back(moving("b" + std::to_string(i), Disc{0.5}, 1,
                              Vec3(i == 0 ? -0.0078125 : i, 0, 0), Vec3(i == 0 ? 1 : 0, 0, 0)));
  Simulator sim = trapezoidal(d);
  ASSERT_TRUE(certified_step(sim, 0.01));
  for (int i = 0; i < n; ++i)
    EXPECT_NEAR(motion(sim, "b" + std::to_string(i)).velocity.x(), 2.0 / n - (i == 0 ? 1 : 0),
                1e-14);
}

// A rod at 45 degrees with the tip's velocity (0.4, -1), mu = 0.5, e = 0.7. W_nn = W_tt = 5/2, W_nt
// = -3/2. Compression sticks: lambda = (0.475, 0.125) along (n, t). Decompression has the normal
// impulse 0.7 x 0.475; total: it slips back with the friction mu times that; extra: without any.
TEST(TrapezoidalEvents, ImpactWithFrictionByBothBounds) {
  const double normal = 0.7 * 0.475;
  for (const RestitutionFriction bound : {RestitutionFriction::total, RestitutionFriction::extra}) {
    ModelDescription d = rod(std::atan(1.0), 0.001, 0.5);
    d.gravity = Vec3::Zero();
    d.materials = {
        {"default",
         {.friction = 0.5, .restitution = 0.7, .restitution_law = RestitutionLaw::poisson}}};
    d.bodies[1].velocity = Vec3(0.4, -1, 0);
    Simulator sim = trapezoidal(d, {.restitution_friction = bound});
    ASSERT_TRUE(certified_step(sim, 0.01));
    const double friction = bound == RestitutionFriction::total ? 0.5 * normal : 0;
    const VecX& v = sim.state().v;
    const double s = std::sqrt(0.5);
    // The tip is at (-s, -s) from the centre at the time of the impact.
    const double turn = v[2];
    EXPECT_NEAR(v[0] + turn * s, 2.5 * friction - 1.5 * normal, 1e-12);
    EXPECT_NEAR(v[1] - turn * s, 2.5 * normal - 1.5 * friction, 1e-12);
    EXPECT_LE(std::abs(sim.report().ledger.imbalance()), 1e-14);
  }
}

// Two carts, Figures 6 and 7: the energy never rises in a step of (68).
TEST(TrapezoidalEvents, CartsNeverGainEnergy) {
  for (const char* set : {"forces[1].damping=1e2", "forces[1].damping=1e3", "forces[1].damping=1e6",
                          "forces[0].stiffness=1e4", "forces[0].stiffness=1e6"})
    for (const bool damped : {false, true}) {
      const Scene s = scene("carts", {set});
      Simulator sim(s.model, *s.initial, Trapezoidal{.damp_stiff = damped}, Auto{});
      for (int i = 0; i < 200; ++i) {
        ASSERT_TRUE(certified_step(sim, 0.01));
        const Ledger& l = sim.report().ledger;
        ASSERT_LE(l.kinetic_end + l.potential_end,
                  (l.kinetic_start + l.potential_start) * (1 + 1e-13) + 1e-15)
            << set << damped << i;
      }
    }
}

// The parasitic mode of the trapezoidal rule: at 1e6 the velocity along the spring changes its sign
// every other step until friction holds the cart (0.44 s), damped it does not.
TEST(TrapezoidalEvents, DampedVariantDoesNotAlternate) {
  for (const bool damped : {false, true}) {
    const Scene s = scene("carts", {"forces[0].stiffness=1e6"});
    Simulator sim(s.model, *s.initial, Trapezoidal{.damp_stiff = damped}, Auto{});
    int changes = 0;
    double last = 0;
    for (int i = 0; i < 44; ++i) {
      ASSERT_TRUE(certified_step(sim, 0.01));
      const double v = motion(sim, "left").velocity.x();
      if (std::abs(v) <= 2 * 2.3e-16) continue;  // it stands, but for rounding of its 2 m/s
      changes += v * last < 0 ? 1 : 0;
      last = v;
    }
    if (damped)
      EXPECT_LE(changes, 10);
    else
      EXPECT_GE(changes, 20);
  }
}

// Lengths, times and masses in other powers of two: the same bits, through impacts, friction and
// springs.
TEST(TrapezoidalEvents, ScalingChangesNoBit) {
  auto make = [](double L, double T, double M, TrapezoidalForm form) {
    ModelDescription d = world(Vec3(0, 0, -9.8125 * L / T / T), 0.4, 0.5);
    d.bodies = {
        fixed_halfspace("floor", Vec3::UnitZ()),
        moving("box", Box{Vec3(0.5, 0.3, 0.4) * L}, 1.5 * M, Vec3(0, 0, 0.6) * L,
               Vec3(1, 0.5, 0) * (L / T), Vec3(2, 1, 3) / T),
        moving("ball", Sphere{0.25 * L}, M, Vec3(2, 0, 0.25) * L, Vec3(-3, 0.25, 0) * (L / T))};
    d.forces = {SpringDescription{.bodies = {"box", "ball"},
                                  .anchors = {Vec3(0.125, 0, 0) * L, Vec3::Zero()},
                                  .stiffness = 20 * M / T / T,
                                  .rest_length = 1.5 * L,
                                  .damping = M / T}};
    return trapezoidal(d, {.form = form});
  };
  for (const TrapezoidalForm form : {TrapezoidalForm::mean, TrapezoidalForm::next}) {
    Simulator a = make(1, 1, 1, form), b = make(8, 4, 0.0625, form);
    int collisions = 0;
    for (int i = 0; i < 150; ++i) {
      collisions += a.step(0.01).collisions;
      b.step(0.04);
      for (std::size_t k = 0; k < a.state().poses.size(); ++k) {
        ASSERT_EQ(Vec3(a.state().poses[k].p * 8), b.state().poses[k].p) << i;
        ASSERT_EQ(a.state().poses[k].R.coeffs(), b.state().poses[k].R.coeffs()) << i;
      }
    }
    EXPECT_GT(collisions, 0);
  }
}

// Infinitely many impacts in finite time: bounded work, told, and the ball ends between the walls.
TEST(TrapezoidalEvents, ClosingWallsEnd) {
  const Scene s = scene("closing_walls");
  Simulator sim = simulator(s);
  const int most = 4 * Trapezoidal{}.max_events;
  bool told = false;
  for (int i = 0; i < 150; ++i) {
    ASSERT_TRUE(certified_step(sim, 0.01));
    ASSERT_LE(sim.report().solves.size(), most);
    ASSERT_LE(sim.report().penetration, 1e-13);
    for (const StepEvent& e : sim.report().events) told = told || e.kind == StepEvent::Kind::limit;
  }
  EXPECT_TRUE(told);
  EXPECT_NEAR(motion(sim, "ball").position.x(), 0, 1e-13);
}

}  // namespace
}  // namespace cairn::testing::test_trapezoidal_events
