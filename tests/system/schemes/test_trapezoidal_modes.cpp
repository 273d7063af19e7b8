// Scheme `trapezoidal` where contacts change their mode: when they slide, open, or change the facet
// of their friction pyramid, all to second order.
#include "system/worlds.hpp"

namespace cairn::testing::test_trapezoidal_modes {
namespace {

// The first event of a kind; -1 if there is none before the end.
double first_event(Simulator& sim, StepEvent::Kind kind, double h, double duration) {
  while (sim.state().t < duration - h / 2) {
    EXPECT_TRUE(certified_step(sim, h));
    for (const StepEvent& e : sim.report().events)
      if (e.kind == kind) return e.t;
  }
  return -1;
}

// Order of the error of an event's time over steps whose phases differ; a mean over some of them,
// since where in its step the event falls is chance.
template <class Make>
double event_order(Make make, StepEvent::Kind kind, double exact, double h) {
  double mean[2] = {};
  for (int k = 0; k < 2; ++k)
    for (int phase = 0; phase < 5; ++phase) {
      const double step = h * (1 + 0.11 * phase) / (k == 0 ? 1 : 8);
      Simulator sim = make();
      mean[k] += std::abs(first_event(sim, kind, step, 2 * exact) - exact);
    }
  return order(8, mean[0], 1, mean[1]);
}

SpringDescription spring(const std::string& body, const Vec3& anchor, double stiffness) {
  return {.bodies = {"world", body},
          .anchors = {anchor, Vec3::Zero()},
          .stiffness = stiffness,
          .rest_length = anchor.norm()};
}

// A ball lies on a plate that swings on a spring: with the frequency omega^2 = k/(m + M) and the
// amplitude A about the rest position s below the spring's rest, s = g/omega^2. The plate pulls
// away where the spring has its rest length: A cos(omega t) = -s from the lower end.
TEST(TrapezoidalModes, TakeOffHasSecondOrder) {
  const double k = 300, mass = 3, omega = std::sqrt(k / mass), s = g / omega / omega;
  const double depth = s + 0.17;
  auto make = [&] {
    ModelDescription d = world(Vec3(0, -g, 0), 0.5, 0);
    d.bodies = {moving("plate", Sphere{0.5}, 2, Vec3(0, -depth, 0)),
                moving("ball", Sphere{0.25}, 1, Vec3(0, 0.75 - depth, 0))};
    for (BodyDescription& body : d.bodies) body.dof = "y";
    d.forces = {spring("plate", Vec3(0, -10, 0), k)};
    return trapezoidal(d);
  };
  const double exact = std::acos(-s / (depth - s)) / omega;
  EXPECT_GT(event_order(make, StepEvent::Kind::take_off, exact, 0.016), 1.9);
}

// A block rides on a sled that swings on a spring and slides off where mu g = omega^2 x.
TEST(TrapezoidalModes, SlipHasSecondOrder) {
  for (const TrapezoidalForm form : {TrapezoidalForm::mean, TrapezoidalForm::next}) {
    const double k = 80, mass = 2, omega = std::sqrt(k / mass), v0 = 1.2, mu = 0.4;
    auto make = [&] {
      ModelDescription d = world(Vec3(0, -g, 0), mu, 0);
      d.bodies = {moving("sled", Box{Vec3(8, 1, 1)}, 1, Vec3::Zero(), Vec3(v0, 0, 0)),
                  moving("block", Sphere{0.25}, 1, Vec3(0, 0.75, 0), Vec3(v0, 0, 0))};
      d.bodies[0].dof = "x";
      d.bodies[1].dof = "x y";
      d.forces = {spring("sled", Vec3(-10, 0, 0), k)};
      return trapezoidal(d, {.form = form});
    };
    const double exact = std::asin(mu * g / (omega * v0)) / omega;
    EXPECT_GT(event_order(make, StepEvent::Kind::slip, exact, 0.01), 1.9);
  }
}

// The block of Table II begins to slide at 2.946346791224 s, where 8 cos t = -mu g. Its force does
// not depend on the motion, so the instant is found up to the share of the forces, 1e-8, that
// counts as none: 1e-8 mu g / |8 sin t| = 5e-8 s.
TEST(TrapezoidalModes, BlockSlidesOnTime) {
  const Scene s = scene("rough_table");
  for (const TrapezoidalForm form : {TrapezoidalForm::mean, TrapezoidalForm::next})
    for (const double h : {0x1p-5, 0x1p-7}) {
      Simulator sim(s.model, *s.initial, Trapezoidal{.form = form}, Auto{});
      EXPECT_NEAR(first_event(sim, StepEvent::Kind::slip, h, 3.2), 2.946346791224, 5e-8);
    }
}

// A friction pyramid with four sides under a particle that slides along t1 and is pushed along t2:
// the pyramid opposes the faster component alone, with mu N. When both are equal it opposes both,
// so that they stay equal. All accelerations are constant, so every figure is exact.
TEST(TrapezoidalModes, FacetChangesOnTime) {
  const double mu = 0.5, push = 2, v0 = 3, weight = g;
  ModelDescription d = world(Vec3(0, 0, -g), mu, 0);
  d.bodies = {fixed_halfspace("floor", Vec3::UnitZ()), particle("block", "x y z", Vec3::Zero())};
  Simulator probe = trapezoidal(d, {.facets = 4});
  ASSERT_TRUE(certified_step(probe, 0.01));
  ASSERT_EQ(probe.report().contacts.size(), 1u);
  const Vec3 t1 = probe.report().contacts[0].contact.t1_W,
             t2 = probe.report().contacts[0].contact.t2_W;
  d.bodies[1].velocity = v0 * t1;
  AppliedForceDescription force;
  force.body = "block";
  for (int axis = 0; axis < 3; ++axis)
    force.force[static_cast<std::size_t>(axis)] = function(std::to_string(push * t2[axis]));
  d.forces = {force};
  const double even = v0 / (push + mu * weight);  // both components are equal
  const double speed = push * even;               // and this large
  const double brake = (mu * weight - push) / 2;  // then both slow down
  for (const TrapezoidalForm form : {TrapezoidalForm::mean, TrapezoidalForm::next}) {
    Simulator sim = trapezoidal(d, {.form = form, .facets = 4});
    std::vector<StepEvent> events;
    while (sim.state().t < 0.9) {
      ASSERT_TRUE(certified_step(sim, 0.03));
      for (const StepEvent& e : sim.report().events) events.push_back(e);
    }
    ASSERT_GE(events.size(), 1u);
    EXPECT_EQ(events[0].kind, StepEvent::Kind::facet);
    EXPECT_NEAR(events[0].t, even, 1e-8);
    const double rest = sim.state().t - even;
    const Vec3 v = motion(sim, "block").velocity;
    EXPECT_NEAR(v.dot(t1), speed - brake * rest, 1e-7);
    EXPECT_NEAR(v.dot(t2), speed - brake * rest, 1e-7);
    // One more event: none, until it stops.
    EXPECT_EQ(events.size(), 1u);
  }
}

// (E169): also with the correction of gaps Painleve's rod gains no energy.
TEST(TrapezoidalModes, PainleveRodGainsNoEnergyWithCorrection) {
  for (const double mu : {1.5, 2.0})
    for (const double angle : {0.9, 1.0, 1.1}) {
      ModelDescription d = world(Vec3(0, -g, 0), mu, 0);
      BodyDescription rod;
      rod.name = "rod";
      rod.dof = "x y rz";
      rod.mass = 1;
      rod.inertia = Mat3(Vec3(1, 1, 1.0 / 3).asDiagonal());
      rod.center_of_mass = Vec3::Zero();
      const Vec3 tip(std::cos(angle), std::sin(angle), 0);
      rod.position = tip;
      rod.velocity = Vec3(-3, 0, 0);
      rod.shapes = {{Point{}, Pose{-tip, Quat::Identity()}, "default"},
                    {Point{}, Pose{tip, Quat::Identity()}, "default"}};
      d.bodies = {fixed_halfspace("floor", Vec3::UnitY()), rod};
      Simulator sim = trapezoidal(d);
      const double start = sim.kinetic_energy() + sim.potential_energy();
      for (int i = 0; i < 500; ++i) {
        ASSERT_TRUE(certified_step(sim, 0.002));
        ASSERT_LE(sim.report().ledger.rise(), 1e-13 * start) << mu << ' ' << angle << ' ' << i;
      }
    }
}

}  // namespace
}  // namespace cairn::testing::test_trapezoidal_modes
