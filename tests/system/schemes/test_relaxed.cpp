// Scheme relaxed: the convex relaxation of Coulomb's law hovers where it slides and nowhere else;
// corrections lead to exact friction.
#include <algorithm>
#include <cmath>

#include "system/worlds.hpp"

namespace cairn::test_relaxed {
namespace {

using namespace testing;

Simulator with_scheme(const ModelDescription& description, const SchemeOptions& scheme) {
  const Result<BuiltModel> built = build(description);
  if (!built)
    for (const Error& error : built.error()) ADD_FAILURE() << error.text();
  return Simulator(built.value().model, *built.value().initial, scheme, Auto{}, fixed_step);
}

ModelDescription sliding(const BodyDescription& body, double mu) {
  ModelDescription d = world(Vec3(0, 0, -g), mu, 0);
  d.bodies = {fixed_halfspace("table", Vec3::UnitZ()), body};
  return d;
}

// `gap` above the table.
ModelDescription sliding_point(double mu, double speed, double gap = 0) {
  return sliding(particle("body", "x y z", Vec3(0, 0, gap), Vec3(speed, 0, 0)), mu);
}

ModelDescription sliding_box(double mu, double speed, double gap = 0) {
  return sliding(moving("body", Box{Vec3(1, 1, 0.2)}, 2, Vec3(0, 0, 0.1 + gap), Vec3(speed, 0, 0)),
                 mu);
}

// w_n = mu |w_T| where a contact presses (E90): what slides at the gap h mu |v_T| stays at it, a
// point and a box that stays flat. Exact friction lets them down and keeps them down.
TEST(Relaxed, SlidingBodyHoversAtHMuV) {
  const double h = 0.01, mu = 0.3, speed = 3;
  for (const bool box : {false, true}) {
    const double gap = h * mu * speed, rest = box ? 0.1 : 0;
    const ModelDescription d = box ? sliding_box(mu, speed, gap) : sliding_point(mu, speed, gap);
    Simulator relaxed = with_scheme(d, Relaxed{}), exact = with_scheme(d, Euler{});
    for (int i = 0; i < 60; ++i) {
      ASSERT_TRUE(certified_step(relaxed, h) && certified_step(exact, h));
      const BodyMotion hovering = motion(relaxed, "body");
      EXPECT_GT(hovering.velocity.x(), 0.5);
      EXPECT_GT(relaxed.report().active_contacts, 0);
      EXPECT_NEAR(hovering.position.z() - rest, h * mu * hovering.velocity.x(), 1e-12);
      if (i < 10) continue;
      EXPECT_NEAR(motion(exact, "body").position.z() - rest, 0, 1e-12);
    }
    // The certificate is of the law that the step claims, and Coulomb's law is off by more.
    for (const Constraint& c : relaxed.report().solves.front().problem.constraints)
      EXPECT_EQ(c.law, Law::coulomb_relaxed);
    EXPECT_GT(relaxed.report().coulomb_residual, 1e-3);
    EXPECT_EQ(exact.report().coulomb_residual, 0);
  }
}

// On the table itself it is thrown up to that gap with mu |v_T| in one step.
TEST(Relaxed, ThrowsUpWhatBeginsToSlide) {
  const double mu = 0.3;
  Simulator sim = with_scheme(sliding_point(mu, 3), Relaxed{});
  ASSERT_TRUE(certified_step(sim, 0.01));
  const Vec3 v = motion(sim, "body").velocity;
  EXPECT_GT(v.x(), 2);
  EXPECT_NEAR(v.z(), mu * v.x(), 1e-12);
}

// Momentum of the hovering point: with q = v_T, r = v_n and p = lambda_n/m, and Phi = h mu q from
// the step before: r+ = mu (q+ - q), p = g h + r+ - r, q+ = q - mu p. So q+ (1 + mu^2) =
// q (1 + mu^2) - mu (g h - r).
TEST(Relaxed, SlidingPointFollowsItsRecurrence) {
  const double h = 0.01, mu = 0.5;
  Simulator sim = with_scheme(sliding_point(mu, 3, h * mu * 3), Relaxed{});
  for (int i = 0; i < 50; ++i) {
    const Vec3 before = motion(sim, "body").velocity;
    ASSERT_TRUE(certified_step(sim, h));
    const double expected = before.x() - mu * (g * h - before.z()) / (1 + mu * mu);
    EXPECT_GT(expected, 0);
    EXPECT_NEAR(motion(sim, "body").velocity.x(), expected, 1e-12);
    EXPECT_NEAR(motion(sim, "body").velocity.z(), mu * (expected - before.x()), 1e-12);
  }
}

// Where nothing slides the relaxation is Coulomb's law: no hover, no creep, no residual.
TEST(Relaxed, HoldsABlockOnAnIncline) {
  const double angle = 20 * 3.14159265358979323846 / 180;
  const Vec3 normal(std::sin(angle), 0, std::cos(angle));
  ModelDescription d = world(Vec3(0, 0, -g), 0.5, 0);
  BodyDescription block = moving("block", Box{Vec3(1, 1, 0.2)}, 2, 0.1 * normal);
  block.orientation = Quat(Eigen::AngleAxisd(angle, Vec3::UnitY()));
  d.bodies = {fixed_halfspace("slope", normal), block};
  Simulator sim = with_scheme(d, Relaxed{});
  const Vec3 start = motion(sim, "block").position;
  for (int i = 0; i < 1000; ++i) {
    ASSERT_TRUE(certified_step(sim, 0.05));
    EXPECT_LE(sim.report().coulomb_residual, 1e-8);
  }
  EXPECT_LE((motion(sim, "block").position - start).norm(), 1e-12);
}

// (E92) for a point on a plane: q(1 + mu^2) = c + mu^2 q_last, so that every correction divides the
// distance to exact friction by 1 + 1/mu^2, whatever mu.
TEST(Correction, ContractsByMuSquaredOverOnePlusMuSquared) {
  const double h = 0.01, speed = 3;
  for (const double mu : {0.1, 0.5, 1.0, 2.0}) {
    Simulator exact = with_scheme(sliding_point(mu, speed), Euler{});
    ASSERT_TRUE(certified_step(exact, h));
    const double aim = motion(exact, "body").velocity.x(), rate = mu * mu / (1 + mu * mu);
    EXPECT_NEAR(aim, speed - mu * g * h, 1e-12);
    double first = 0;
    for (int n = 0; n <= 8; ++n) {
      Simulator sim = with_scheme(sliding_point(mu, speed),
                                  Relaxed{.corrections = n, .correction_tolerance = 1e-14});
      ASSERT_TRUE(certified_step(sim, h));
      const double off = aim - motion(sim, "body").velocity.x();
      if (n == 0) first = off;
      EXPECT_GT(first, 0.5 * rate * speed);
      EXPECT_NEAR(off, first * std::pow(rate, n), 1e-12 * speed);
      EXPECT_LE(sim.report().corrections, n);
      EXPECT_EQ(sim.report().solves.size(), 1 + sim.report().corrections);
    }
  }
}

//   /        a rod on its leading end, 45 degrees: with r = (1, -1)/sqrt(2) from its centre to the
//   end,
//  / -> v    m = 1 and I = 1/3, W_nn = W_tt = 2.5 and W_nt = 1.5
// ----
ModelDescription leaning_rod(double mu, double speed) {
  const double r = std::sqrt(0.5);
  BodyDescription rod = moving("rod", Point{}, 1, Vec3(0, r, 0), Vec3(speed, 0, 0));
  rod.dof = "x y rz";
  rod.inertia = Mat3((1.0 / 3) * Mat3::Identity());
  rod.center_of_mass = Vec3::Zero();
  rod.shapes.front().X_BS.p = Vec3(r, -r, 0);
  ModelDescription d = world(Vec3(0, -g, 0), mu, 0);
  d.bodies = {fixed_halfspace("floor", Vec3::UnitY()), rod};
  return d;
}

// The factor of one planar contact (E92); it is 1 where mu W_nt = W_nn, at mu = 5/3. Near that,
// thirty corrections are not enough: the step is certified by the relaxed law and tells what is
// left.
TEST(Correction, ContractsByTheFactorOfThePlanarContact) {
  const double h = 0.01, speed = 3, W_nn = 2.5, W_tt = 2.5, W_nt = 1.5;
  for (const double mu : {0.5, 1.0, 1.3}) {
    const double rate = mu * (mu * W_tt - W_nt) / (W_nn - 2 * mu * W_nt + mu * mu * W_tt);
    Simulator exact = with_scheme(leaning_rod(mu, speed), Euler{});
    ASSERT_TRUE(certified_step(exact, h));
    double last = 0;
    for (int n = 1; n <= 6; ++n) {
      Simulator sim = with_scheme(leaning_rod(mu, speed),
                                  Relaxed{.corrections = n, .correction_tolerance = 1e-15});
      ASSERT_TRUE(certified_step(sim, h));
      const double off = motion(sim, "rod").velocity.x() - motion(exact, "rod").velocity.x();
      if (n > 1) {
        EXPECT_NEAR(off, rate * last, 1e-12 * speed) << mu << ' ' << n;
      }
      last = off;
    }
  }
  Simulator slow = with_scheme(leaning_rod(1.6, speed), Relaxed{.corrections = 30});
  ASSERT_TRUE(certified_step(slow, h));
  EXPECT_EQ(slow.report().corrections, 30);
  EXPECT_GT(slow.report().coulomb_residual, 1e-4);
}

// With little friction the corrected pile is the exact one in every step: the residual of Coulomb's
// law is below the tolerance asked for, and below that of the pure relaxation by orders.
TEST(Correction, ReachesExactFrictionOfAPileWithLittleFriction) {
  const Scene s =
      scene("cannonball21",
            {"materials.default.friction=0.1", "simulation.scheme.type=relaxed",
             "simulation.scheme.corrections=60", "simulation.scheme.correction_tolerance=1e-8"});
  Simulator sim = simulator(s);
  int corrections = 0;
  for (int i = 0; i < 60; ++i) {
    ASSERT_TRUE(certified_step(sim, s.simulation.step));
    EXPECT_LE(sim.report().coulomb_residual, 1e-8) << sim.report().step;
    corrections += sim.report().corrections;
  }
  EXPECT_GT(corrections, 60);
}

// Corrections that end too early leave a residual, which is told while the step stays certified by
// its own law; more of them never leave more.
TEST(Correction, TellsTheResidualThatIsLeft) {
  double last = 1e300;
  for (const int n : {0, 1, 2, 4}) {
    Simulator sim = with_scheme(sliding_box(0.8, 3), Relaxed{.corrections = n});
    ASSERT_TRUE(certified_step(sim, 0.01));
    EXPECT_GT(sim.report().coulomb_residual, 1e-8);
    EXPECT_LT(sim.report().coulomb_residual, last);
    last = sim.report().coulomb_residual;
  }
}

// One convex problem a step, whether bodies rest, slide or bounce.
TEST(Relaxed, SolvesOneProblemAStep) {
  for (const char* name :
       {"cannonball21", "bouncing_ball", "sliding_block", "sphere_spin_impact"}) {
    const Scene s = scene(name, {"simulation.scheme={\"type\": \"relaxed\"}"});
    Simulator sim = simulator(s);
    for (int i = 0; i < 100; ++i) {
      ASSERT_TRUE(certified_step(sim, s.simulation.step)) << name;
      EXPECT_EQ(sim.report().solves.size(), 1) << name;
    }
  }
}

// Without friction there is nothing to relax: the same bits as with euler.
TEST(Relaxed, IsEulerWithoutFriction) {
  for (const char* form : {"completed", "delayed"}) {
    const std::vector<std::string> common = {"materials.default.friction=0",
                                             "simulation.scheme.restitution=" + std::string(form)};
    std::vector<std::string> other = common;
    other.push_back("simulation.scheme.type=relaxed");
    Simulator euler = simulator(scene("cannonball21", common)),
              relaxed = simulator(scene("cannonball21", other));
    for (int i = 0; i < 50; ++i) {
      euler.step(0.05);
      relaxed.step(0.05);
    }
    EXPECT_EQ(hash(euler.state()), hash(relaxed.state())) << form;
  }
}

// A ball that falls straight returns e times its speed, in the step or one step later; the
// relaxation has nothing to lift.
TEST(Relaxed, RestitutionReturnsTheSpeed) {
  for (const Restitution form : {Restitution::completed, Restitution::delayed}) {
    ModelDescription d = world(Vec3::Zero(), 0.5, 0.5);
    d.bodies = {fixed_halfspace("floor", Vec3::UnitZ()),
                moving("ball", Sphere{1}, 1, Vec3(0, 0, 2.03), Vec3(0, 0, -2))};
    Simulator sim = with_scheme(d, Relaxed{.step = {.restitution = form}});
    certified_steps(sim, 0.1, 10);
    EXPECT_NEAR(motion(sim, "ball").velocity.z(), 1, 1e-12);
  }
}

// Discs thrown at each other without gravity, e = 0: momentum and angular momentum stay, and as
// rest is allowed by every row the kinetic energy falls (E90).
TEST(Relaxed, KeepsMomentumAndNeverAddsEnergy) {
  ModelDescription d = world(Vec3::Zero(), 0.5, 0);
  Random random(11);
  for (int i = 0; i < 16; ++i) {
    const Vec3 place(2.5 * (i % 4) - 4, 2.5 * (i / 4) - 4, 0);
    const Vec3 inwards = -place + Vec3(random.uniform(-1, 1), random.uniform(-1, 1), 0);
    d.bodies.push_back(moving("disc" + std::to_string(10 + i), Disc{1}, random.uniform(1, 3), place,
                              inwards, Vec3(0, 0, random.uniform(-3, 3))));
  }
  const auto momentum = [](const Simulator& sim) {
    Vec3 sum = Vec3::Zero();
    for (std::size_t i = 0; i < sim.model().bodies.size(); ++i) {
      const Body& body = sim.model().bodies[i];
      const BodyMotion m = body_motion(sim.model(), sim.state(), static_cast<BodyId>(i));
      sum += body.mass * Vec3(m.velocity.x(), m.velocity.y(), 0);
      sum.z() += body.mass * m.position.cross(m.velocity).z() +
                 body.inertia_B(2, 2) * m.angular_velocity.z();
    }
    return sum;
  };
  for (const int corrections : {0, 20}) {
    Simulator sim = with_scheme(d, Relaxed{.corrections = corrections});
    const Vec3 start = momentum(sim);
    double energy = sim.kinetic_energy();
    const double first = energy;
    int slid = 0;
    for (int i = 0; i < 60; ++i) {
      ASSERT_TRUE(certified_step(sim, 0.05));
      EXPECT_LE(sim.kinetic_energy(), energy + 1e-12 * first);
      energy = sim.kinetic_energy();
      for (const ContactReport& c : sim.report().contacts) slid += c.mode == ContactMode::slip;
    }
    EXPECT_GT(slid, 10);
    // Angular momentum about the origin moves with the bodies: v+ acts at q, the step ends at q+,
    // which v+ x v+ = 0 does not change.
    EXPECT_NEAR((momentum(sim) - start).norm(), 0, 1e-10);
  }
}

// Every term of the ledger has its own formula; that they add up is a fact. What the solver's
// residual does is far below what friction does.
TEST(Relaxed, LedgerAddsUp) {
  for (const char* scheme :
       {R"({"type": "relaxed"})", R"({"type": "relaxed", "restitution": "completed"})",
        R"({"type": "relaxed", "corrections": 5})",
        R"({"type": "relaxed", "corrections": 3, "restitution": "completed"})"})
    for (const char* name : {"cannonball21", "shaker", "slide_to_roll"}) {
      const Scene s = scene(name, {"simulation.scheme=" + std::string(scheme)});
      Simulator sim = simulator(s);
      double size = sim.kinetic_energy() + std::abs(sim.potential_energy()), friction = 0;
      for (int i = 0; i < 80; ++i) {
        ASSERT_TRUE(certified_step(sim, s.simulation.step)) << name << scheme;
        const Ledger& l = sim.report().ledger;
        size = std::max(size, l.kinetic_end + std::abs(l.potential_end));
        EXPECT_LE(std::abs(l.imbalance()), 1e-11 * size) << name << scheme;
        EXPECT_LE(std::abs(l.solver), 1e-7 * size) << name << scheme;
        EXPECT_GE(l.friction, -1e-9 * size);
        friction += l.friction;
      }
      EXPECT_GT(friction, 1e-6 * size) << name;
    }
}

// A body that hovers gains nothing by stabilisation (E91), and loses beside friction what it sinks
// against the normal force as it gets slower.
TEST(Relaxed, HoveringCostsWhatItSinks) {
  Simulator sim = with_scheme(sliding_point(0.3, 3, 0.01 * 0.3 * 3), Relaxed{});
  for (int i = 0; i < 60; ++i) {
    ASSERT_TRUE(certified_step(sim, 0.01));
    const Ledger& l = sim.report().ledger;
    const double normal = sim.report().contacts.front().impulse[0];
    const double sinking = -motion(sim, "body").velocity.z();
    EXPECT_NEAR(l.impact, normal * sinking, 1e-12);
    EXPECT_NEAR(l.stabilisation, 0, 1e-12);
  }
}

// With `nonlinear` the gap itself is h mu |w_T| at the end, of a disc that slides over a hill: the
// linearised gap is off by the curvature, (h v)^2 / (2 (R + r)).
TEST(Relaxed, NonlinearGapIsTheLift) {
  const double h = 0.01, mu = 0.2;
  ModelDescription d = world(Vec3(0, -g, 0), mu, 0);
  BodyDescription hill = fixed_halfspace("hill", Vec3::UnitY());
  hill.shapes = {{Disc{10}, Pose{}, "default"}};
  d.bodies = {hill, moving("disc", Disc{1}, 1, Vec3(0, 11 + h * mu * 3, 0), Vec3(3, 0, 0))};
  Simulator sim = with_scheme(d, Relaxed{.step = {.nonlinear = true}});
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(certified_step(sim, h));
    ASSERT_EQ(sim.report().nonlinear_fallback, 0);
    const ContactReport& c = sim.report().contacts.front();
    ASSERT_GT(c.impulse[0], 0);
    const double gap = motion(sim, "disc").position.norm() - 11;
    EXPECT_NEAR(gap, h * mu * std::abs(c.velocity[1]), 1e-10);
    EXPECT_GT(std::abs(c.velocity[1]), 0.1);
  }
}

}  // namespace
}  // namespace cairn::test_relaxed
