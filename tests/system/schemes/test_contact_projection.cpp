// Option `project_contacts` (E84): overlaps are gone after the step, and what that costs is in the
// ledger.
#include <algorithm>
#include <cmath>

#include "system/worlds.hpp"

namespace cairn::test_contact_projection {
namespace {

using namespace testing;

// Two free discs that overlap by 0.3: each moves by what the other's mass says, their centre of
// mass stays, and nothing starts to move.
//
//      (  (###)  )      d_a = 0.3 m_b / (m_a + m_b),  d_b = 0.3 m_a / (m_a + m_b)
TEST(ProjectContacts, TwoBodiesPartByTheirMasses) {
  ModelDescription d = world(Vec3::Zero(), 0, 0);
  d.bodies = {moving("a", Disc{1}, 1, Vec3(0, 0, 0)), moving("b", Disc{1}, 3, Vec3(1.7, 0, 0))};
  Simulator sim = simulator(d, {.project_contacts = true, .gamma = 0});
  ASSERT_TRUE(certified_step(sim, 0.01));
  EXPECT_NEAR(motion(sim, "a").position.x(), -0.3 * 3 / 4, 1e-13);
  EXPECT_NEAR(motion(sim, "b").position.x(), 1.7 + 0.3 / 4, 1e-13);
  EXPECT_LE(sim.report().penetration, 1e-13);
  EXPECT_NEAR(sim.report().projection, 0.225, 1e-13);
  EXPECT_EQ(sim.kinetic_energy(), 0);
}

// A column of balls that sink into the floor and into each other: the only way is up, ball k rises
// by the overlaps below it. The potential energy that this takes is all the ledger has to explain.
TEST(ProjectContacts, StackIsLiftedOutInOneStep) {
  constexpr int n = 6;
  constexpr double overlap = 0.01;
  ModelDescription d = world(Vec3(0, 0, -g), 0.3, 0);
  d.bodies = {fixed_halfspace("floor", Vec3::UnitZ())};
  for (int k = 0; k < n; ++k)
    d.bodies.push_back(moving("ball" + std::to_string(k), Sphere{0.5}, 1,
                              Vec3(0, 0, 0.5 - overlap + k * (1 - overlap))));
  Simulator sim = simulator(d, {.project_contacts = true, .gamma = 0});
  const double before = sim.potential_energy();
  ASSERT_TRUE(certified_step(sim, 0.01));
  const StepReport& r = sim.report();
  EXPECT_LE(r.penetration, 1e-10);
  double lifted = 0;
  for (int k = 0; k < n; ++k) {
    EXPECT_NEAR(motion(sim, "ball" + std::to_string(k)).position.z(), 0.5 + k, 1e-10);
    lifted += g * overlap * (k + 1);
  }
  EXPECT_NEAR(sim.potential_energy() - before, lifted, 1e-9);
  EXPECT_NEAR(r.ledger.stabilisation, lifted, 1e-9);
  EXPECT_LE(r.ledger.rise(), r.ledger.stabilisation + 1e-12);
  EXPECT_LE(std::abs(r.ledger.imbalance()), 1e-11);
  // And it stays so.
  for (int i = 0; i < 100; ++i) {
    if (!certified_step(sim, 0.01)) break;
    ASSERT_LE(sim.report().penetration, 1e-10);
    ASSERT_LE(sim.report().ledger.rise(), std::max(0.0, sim.report().ledger.stabilisation) + 1e-11);
  }
}

// Discs at random in a pit, half of them deep in each other.
TEST(ProjectContacts, PileIsFreeOfOverlapsAfterTheFirstStep) {
  for (const double gamma : {0.0, 1.0}) {
    Random random(7);
    ModelDescription d = world(Vec3(0, -g, 0), 0.3, 0);
    d.bodies = {fixed_halfspace("floor", Vec3::UnitY()),
                fixed_halfspace("left", Vec3::UnitX(), Vec3(-3, 0, 0)),
                fixed_halfspace("right", -Vec3::UnitX(), Vec3(3, 0, 0))};
    for (int i = 0; i < 36; ++i)
      d.bodies.push_back(moving(
          "disc" + std::to_string(10 + i), Disc{random.uniform(0.3, 0.5)}, random.uniform(0.5, 2),
          Vec3(0.85 * (i % 6) - 2.1 + random.uniform(-0.05, 0.05), 0.4 + 0.8 * (i / 6), 0)));
    Simulator sim = simulator(d, {.project_contacts = true, .gamma = gamma});
    EXPECT_GT(sim.penetration(), 0.05);
    for (int i = 0; i < 50; ++i) {
      if (!certified_step(sim, 0.005)) break;
      const StepReport& r = sim.report();
      ASSERT_LE(r.penetration, 1e-10) << "gamma " << gamma << ", step " << r.step;
      ASSERT_LE(r.ledger.rise(), std::max(0.0, r.ledger.stabilisation) + 1e-9);
      ASSERT_LE(std::abs(r.ledger.imbalance()), 1e-9);
    }
  }
}

// The ellipse of Anitescu and Hart 2004 sinks in by centimetres at h = 0.05; pushed out it does
// not.
TEST(ProjectContacts, EllipseIsPushedOut) {
  ModelDescription d = world(Vec3(0, -g, 0), 0.3, 0);
  d.bodies = {fixed_halfspace("table", Vec3::UnitY()),
              moving("ellipse", Ellipse{Eigen::Vector2d(8, 4)}, 1, Vec3(0, 8, 0), Vec3::Zero(),
                     Vec3(0, 0, 3))};
  Simulator sim = simulator(d, {.project_contacts = true});
  double moved = 0, paid = 1;
  for (int i = 0; i < 400; ++i) {
    if (!certified_step(sim, 0.05)) break;
    const StepReport& r = sim.report();
    ASSERT_LE(r.penetration, 1e-10) << i;
    ASSERT_LE(std::abs(r.ledger.imbalance()), 1e-10);
    moved = std::max(moved, r.projection);
    paid = std::min(paid, r.projection_slowing);
  }
  EXPECT_GT(moved, 1e-3);
  EXPECT_LT(paid, 1);
}

// Joints hold while a pendulum's bob is pushed out of the floor: it goes along its circle.
TEST(ProjectContacts, JointsStayClosed) {
  ModelDescription d = world(Vec3(0, -g, 0), 0, 0);
  d.bodies = {fixed_halfspace("floor", Vec3::UnitY()),
              moving("bob", Disc{0.5}, 1, Vec3(0.6, 0.4, 0))};
  JointDescription rod;
  rod.name = "rod";
  rod.type = DistanceJoint{};
  rod.bodies = {"world", "bob"};
  rod.anchors = {Vec3(0, 2, 0), Vec3::Zero()};
  d.joints = {rod};
  Simulator sim = simulator(d, {.project_contacts = true});
  const double length = (Vec3(0.6, 0.4, 0) - Vec3(0, 2, 0)).norm();
  for (int i = 0; i < 100; ++i) {
    if (!certified_step(sim, 0.01)) break;
    ASSERT_LE(sim.report().penetration, 1e-10);
    ASSERT_NEAR((motion(sim, "bob").position - Vec3(0, 2, 0)).norm(), length, 1e-11);
  }
}

// Every solve of the projection is judged: the report says how many there were and how good.
TEST(ProjectContacts, SolvesAreInTheReport) {
  ModelDescription d = world(Vec3::Zero(), 0, 0);
  d.bodies = {moving("a", Disc{1}, 1, Vec3(0, 0, 0)), moving("b", Disc{1}, 3, Vec3(1.7, 0, 0))};
  Simulator sim = simulator(d, {.project_contacts = true, .gamma = 0});
  ASSERT_TRUE(certified_step(sim, 0.01));
  EXPECT_GE(sim.report().contact_projections, 1);
  EXPECT_EQ(sim.report().uncertified_projections, 0);
  EXPECT_LE(sim.report().contact_projection_certificate, tolerance(sim.solver()));
  ASSERT_TRUE(certified_step(sim, 0.01));  // nothing is left to push apart
  EXPECT_EQ(sim.report().contact_projections, 0);
  EXPECT_EQ(sim.report().contact_projection_certificate, 0);
}

// A disc of 1 m in a gap of 0.8 m cannot get out of both walls. The velocities of the step are
// certified, gamma 0 asks nothing of them; the projection is not, so the step is not.
TEST(ProjectContacts, ThatCannotBeSolvedMakesTheStepUncertified) {
  ModelDescription d = world(Vec3::Zero(), 0, 0);
  d.bodies = {fixed_halfspace("left", Vec3::UnitX(), Vec3(-0.4, 0, 0)),
              fixed_halfspace("right", -Vec3::UnitX(), Vec3(0.4, 0, 0)),
              moving("disc", Disc{0.5}, 1, Vec3::Zero())};
  Simulator sim = simulator(d, {.project_contacts = true, .gamma = 0});
  const StepReport& r = sim.step(0.01);
  EXPECT_EQ(r.status, StepStatus::uncertified);
  EXPECT_LE(r.certificate, tolerance(sim.solver()));
  EXPECT_GE(r.uncertified_projections, 1);
  EXPECT_GT(r.contact_projection_certificate, tolerance(sim.solver()));
  EXPECT_NEAR(r.penetration, 0.1, 1e-12);
}

// Off it is off: no bit differs where nothing overlaps.
TEST(ProjectContacts, ChangesNothingWithoutOverlaps) {
  ModelDescription d = world(Vec3(0, 0, -g), 0.3, 0.5);
  d.bodies = {fixed_halfspace("floor", Vec3::UnitZ()),
              moving("ball", Sphere{0.5}, 1, Vec3(0, 0, 3), Vec3(1, 0, 0), Vec3(0, 3, 1))};
  Simulator off = simulator(d), on = simulator(d, {.project_contacts = true});
  for (int i = 0; i < 50; ++i) {
    if (!certified_step(off, 0.01) || !certified_step(on, 0.01)) break;
    ASSERT_EQ(hash(off.state()), hash(on.state())) << i;
  }
}

}  // namespace
}  // namespace cairn::test_contact_projection
