// Restitution laws against closed forms and an independent integration, in every scheme that takes
// them.
#include "system/impacts/restitution_worlds.hpp"
#include "system/impacts/routh.hpp"

namespace cairn::testing::test_restitution {
namespace {

//   o -> v0 = 1     |     no gravity: -e behind the wall, whatever the step
TEST(RestitutionLaws, BallLeavesTheWallWithMinusE) {
  Random random(5);
  for (int i = 0; i < 1000; ++i) {
    const double h = std::pow(0.02, random.uniform(0, 1)), ratio = 1 / h;
    if (std::abs(ratio - std::round(ratio)) < 1e-3) continue;
    for (const RestitutionLaw law : laws)
      for (int kind = 0; kind < schemes; ++kind)
        for (const Propagation propagation : {Propagation::simultaneous, Propagation::sequential}) {
          const double e = random.uniform(0, 1);
          ModelDescription d = world_of(law, 0, e);
          d.bodies = {particle("ball", "x", Vec3::Zero(), Vec3::UnitX()),
                      fixed_halfspace("wall", -Vec3::UnitX(), Vec3::UnitX())};
          Simulator sim = simulator_of(d, scheme_of(kind, RestitutionFriction::total, propagation));
          certified_steps(sim, h, static_cast<int>(std::ceil(ratio)) + 1);
          ASSERT_NEAR(motion(sim, "ball").velocity.x(), -e, 1e-12)
              << scheme_name(kind) << " h = " << h;
        }
  }
}

//   /      a rod of half length 1 whose tip touches the floor
//  /  <- contact velocity u
// +----------
struct Rod {
  double angle = 0, friction = 0, restitution = 0;  // angle from the floor
  Vec3 u = Vec3::Zero();                            // of the tip
  double spin = 0;

  Vec3 tip() const { return {-std::cos(angle), -std::sin(angle), 0}; }  // from the centre
  ModelDescription description(RestitutionLaw law) const {
    ModelDescription d = world_of(law, friction, restitution);
    BodyDescription body;
    body.name = "rod";
    body.dof = "x y rz";
    body.mass = 1;
    body.inertia = Mat3(Vec3(1, 1, 1.0 / 3).asDiagonal());
    body.center_of_mass = Vec3::Zero();
    body.position = -tip();
    body.angular_velocity = Vec3(0, 0, spin);
    body.velocity = u - body.angular_velocity.cross(tip());
    body.shapes = {{Point{}, Pose{tip(), Quat::Identity()}, "default"}};
    d.bodies = {fixed_halfspace("floor", Vec3::UnitY()), body};
    return d;
  }
  Routh expected(RestitutionLaw law) const {
    const Vec3 r = tip();
    return routh(1 + 3 * r.x() * r.x(), -3 * r.x() * r.y(), 1 + 3 * r.y() * r.y(), u.y(), u.x(),
                 friction, law, restitution);
  }
  Vec3 tip_velocity(const Simulator& sim) const {
    const BodyMotion m = motion(sim, "rod");
    return m.velocity + m.angular_velocity.cross(tip());
  }
};

// EXPERIMENTS: (-0.175324675325, 0.7), (-0.153506493506, 0.547272727273), (-0.156981081044,
// 0.571594840037), printed to 12 digits.
TEST(RestitutionLaws, RodOfTheExperiments) {
  const Vec3 expected[] = {{-0.175324675325, 0.7, 0},
                           {-0.153506493506, 0.547272727273, 0},
                           {-0.156981081044, 0.571594840037, 0}};
  const Rod rod{M_PI / 4, 0.5, 0.7, Vec3(0.4, -1, 0)};
  for (int kind = 0; kind < schemes; ++kind)
    for (const RestitutionLaw law : laws) {
      const Vec3& after = expected[static_cast<int>(law)];
      const Routh own = rod.expected(law);
      EXPECT_NEAR(own.t, after.x(), 1e-12);
      EXPECT_NEAR(own.n, after.y(), 1e-12);
      Simulator sim = simulator_of(
          rod.description(law),
          scheme_of(kind, RestitutionFriction::path, Propagation::simultaneous, false));
      ASSERT_TRUE(certified_step(sim, 1e-3));
      EXPECT_NEAR((rod.tip_velocity(sim) - after).norm(), 0, 2e-12) << scheme_name(kind);
      ASSERT_EQ(sim.report().impacts.size(), 1u);
      EXPECT_EQ(sim.report().impacts[0].law, law);
      EXPECT_NEAR(sim.report().impacts[0].rebound, after.y(), 2e-12);
      expect_balance(sim.report());
    }
}

// All cases of Routh's diagram: slip that goes on, stops and sticks, reverses, and jams.
TEST(RestitutionLaws, RodsMeetRouthsDiagram) {
  Random random(7);
  int going_on = 0, sticking = 0, reversing = 0, jamming = 0;
  for (int i = 0; i < 600; ++i) {
    const double mu = i % 3 == 0 ? random.uniform(1.4, 4) : random.uniform(0, 1);
    const Rod rod{random.uniform(0.2, 1.5), mu, random.uniform(0, 1),
                  Vec3(random.uniform(-2, 2), -random.uniform(0.2, 2), 0), random.uniform(-2, 2)};
    const RestitutionLaw law = laws[i % 3 == 0 ? random.below(3) : i % 3];
    const Routh expected = rod.expected(law);
    going_on += !expected.stopped;
    sticking += expected.stuck;
    reversing += expected.reversed;
    jamming += expected.jammed;
    for (int kind = 0; kind < schemes; ++kind) {
      Simulator sim = simulator_of(
          rod.description(law),
          scheme_of(kind, RestitutionFriction::path, Propagation::simultaneous, false));
      ASSERT_TRUE(certified_step(sim, 1e-3)) << i << ' ' << scheme_name(kind);
      const Vec3 after = rod.tip_velocity(sim);
      const double size = 1 + std::abs(expected.n) + std::abs(expected.t);
      ASSERT_NEAR(after.y(), expected.n, 1e-10 * size) << i << ' ' << scheme_name(kind);
      ASSERT_NEAR(after.x(), expected.t, 1e-10 * size) << i << ' ' << scheme_name(kind);
      expect_balance(sim.report());
    }
  }
  EXPECT_GT(going_on, 50);
  EXPECT_GT(sticking, 50);
  EXPECT_GT(reversing, 20);
  EXPECT_GT(jamming, 10);
}

// Newton's law gives some rods energy (Kane's paradox); Stronge's never does, and the guard lets no
// law do it.
TEST(RestitutionLaws, GuardKeepsRodsFromGainingEnergy) {
  Random random(11);
  int gains[3] = {}, corrections = 0;
  for (int i = 0; i < 900; ++i) {
    const RestitutionLaw law = laws[i % 3];
    const Rod rod{random.uniform(0.2, 1.5), random.uniform(0, 2), random.uniform(0.5, 1),
                  Vec3(random.uniform(-4, 4), -random.uniform(0.2, 2), 0), 0};
    for (const bool guard : {false, true})
      for (const RestitutionFriction friction :
           {RestitutionFriction::total, RestitutionFriction::extra, RestitutionFriction::path}) {
        Simulator sim = simulator_of(rod.description(law),
                                     scheme_of(2, friction, Propagation::simultaneous, guard));
        const double before = sim.kinetic_energy();
        ASSERT_TRUE(certified_step(sim, 1e-3)) << i;
        const double gain = sim.kinetic_energy() - before;
        expect_balance(sim.report());
        if (!guard && gain > 1e-9 * before) ++gains[i % 3];
        if (!guard) continue;
        ASSERT_LE(gain, 1e-11 * before) << i;
        corrections += sim.report().guard_corrections;
        if (sim.report().guard_corrections > 0) {
          EXPECT_GT(sim.report().impacts.at(0).guard, 0);
        }
      }
  }
  EXPECT_GT(gains[0], 0);
  EXPECT_EQ(gains[2], 0);
  EXPECT_GE(corrections, gains[0]);
}

// Half the sphere's slip lies out of the plane of its normal motion: m = R = 1, v = (3, -2), spin
// that turns the contact sideways. Spheres have W_nt = 0, so that all laws agree, and the slip
// keeps its direction: friction mu (1 + e) 2 along it, no more than stops it (2/7 of the slip).
TEST(RestitutionLaws, SpinningSphereIsTheSameUnderAllLaws) {
  const double mu = 0.2, e = 0.8;
  for (int kind = 0; kind < schemes; ++kind) {
    if (kind == 1) continue;  // relaxed friction lifts what slides
    for (const RestitutionLaw law : laws)
      for (const RestitutionFriction friction :
           {RestitutionFriction::total, RestitutionFriction::path}) {
        ModelDescription d = world_of(law, mu, e);
        d.bodies = {fixed_halfspace("plane", Vec3::UnitY()),
                    moving("sphere", Sphere{1}, 1, Vec3(0, 1, 0), Vec3(3, -2, 0), Vec3(4, 0, 0))};
        Simulator sim = simulator_of(d, scheme_of(kind, friction));
        ASSERT_TRUE(certified_step(sim, 1e-3));
        // r = (0, -1, 0), w x r = (0, 0, -4): slip (3, -4) of speed 5.
        const double push = mu * (1 + e) * 2;
        const Vec3 f = -push * Vec3(0.6, 0, -0.8);
        const Vec3 v = Vec3(3, 1.6, 0) + f, w = Vec3(4, 0, 0) + 2.5 * Vec3(0, -1, 0).cross(f);
        EXPECT_NEAR((motion(sim, "sphere").velocity - v).norm(), 0, 1e-12) << scheme_name(kind);
        EXPECT_NEAR((motion(sim, "sphere").angular_velocity - w).norm(), 0, 1e-12);
        expect_balance(sim.report());
      }
  }
}

// A block with the tip of a corner on the floor, slipping sideways: the slip turns during the
// impact.
TEST(RestitutionLaws, SlipThatTurnsInSpace) {
  const Vec3 r(0.3, -0.7, 0.4), inertia(0.2, 0.5, 0.35);
  const Mat3 I = inertia.asDiagonal();
  Mat3 cross;
  cross << 0, -r.z(), r.y(), r.z(), 0, -r.x(), -r.y(), r.x(), 0;
  const Mat3 W_W = Mat3::Identity() - cross * I.inverse() * cross;  // along x, y, z
  Mat3 axes;                                                        // columns n, t1, t2
  axes.col(0) = Vec3::UnitY();
  axes.col(1) = Vec3::UnitZ();
  axes.col(2) = Vec3::UnitX();
  const double mu = 0.3, e = 0.6;
  const Vec3 v(2.5, -1.5, 1), u = axes.transpose() * v;
  const Mat3 W = axes.transpose() * W_W * axes;
  for (const RestitutionLaw law : laws) {
    const Vec3 expected = slide_in_space(W, u, mu, law, e, 4000),
               coarse = slide_in_space(W, u, mu, law, e, 2000);
    ASSERT_LT((expected - coarse).norm(), 1e-12);  // the reference has converged
    ASSERT_GT(std::abs(expected[1] * u[2] - expected[2] * u[1]), 1e-2);  // the slip has turned
    for (const int kind : {0, 2}) {
      ModelDescription d = world_of(law, mu, e);
      BodyDescription body;
      body.name = "block";
      body.mass = 1;
      body.inertia = I;
      body.center_of_mass = Vec3::Zero();
      body.position = -r;
      body.velocity = v;
      body.shapes = {{Point{}, Pose{r, Quat::Identity()}, "default"}};
      d.bodies = {fixed_halfspace("floor", Vec3::UnitY()), body};
      Simulator sim = simulator_of(d, scheme_of(kind, RestitutionFriction::path));
      // Free rotation follows the impact, so the step is short.
      ASSERT_TRUE(certified_step(sim, 1e-13));
      const BodyMotion m = motion(sim, "block");
      const Vec3 after = axes.transpose() * (m.velocity + m.angular_velocity.cross(r));
      EXPECT_NEAR((after - expected).norm(), 0, 1e-10) << scheme_name(kind);
      expect_balance(sim.report());
    }
  }
}

// A rod on a hinge at height 1 whose tip strikes the floor: one degree of freedom, so that slip and
// approach stop together and both reverse. With k = W_nn -+ mu W_nt before and after, the laws give
// back u_n+ = e |u_n| (newton), e |u_n| k+/k- (poisson), e |u_n| sqrt(k+/k-) (stronge).
TEST(RestitutionLaws, JointsTakePartInTheImpact) {
  const double mu = 0.3, e = 0.6, spin = -1.7, height = 1, reach = 2;
  const Vec3 hinge(0, height, 0), r(reach, -height, 0);  // from the hinge to the tip
  // Inertia about the hinge: the rod's centre is at r/2.
  const double I = 1.0 / 12 * r.squaredNorm() + r.squaredNorm() / 4;
  const double W_nn = r.x() * r.x() / I, W_nt = -r.x() * r.y() / I;
  const double u_n = spin * r.x(), slip = -spin * r.y();
  ASSERT_LT(u_n, 0);
  ASSERT_LT(slip, 0);
  const double before = W_nn + mu * W_nt, after = W_nn - mu * W_nt;  // W_nt > 0 and slip < 0
  const double expected[] = {-e * u_n, -e * u_n * after / before,
                             -e * u_n * std::sqrt(after / before)};
  for (const int kind : {0, 2})
    for (const RestitutionLaw law : laws) {
      ModelDescription d = world_of(law, mu, e);
      BodyDescription body;
      body.name = "rod";
      body.dof = "x y rz";
      body.mass = 1;
      body.inertia = Mat3(Vec3(1, 1, r.squaredNorm() / 12).asDiagonal());
      body.center_of_mass = Vec3::Zero();
      body.position = hinge + r / 2;
      body.angular_velocity = Vec3(0, 0, spin);
      body.velocity = body.angular_velocity.cross(r / 2);
      body.shapes = {{Point{}, Pose{r / 2, Quat::Identity()}, "default"}};
      d.bodies = {fixed_halfspace("floor", Vec3::UnitY()), body};
      JointDescription joint;
      joint.name = "hinge";
      joint.type = RevoluteJoint{};
      joint.bodies = {"world", "rod"};
      joint.anchors = {hinge, -r / 2};
      d.joints = {joint};
      Simulator sim = simulator_of(d, scheme_of(kind, RestitutionFriction::path));
      ASSERT_TRUE(certified_step(sim, 1e-12));
      EXPECT_NEAR(motion(sim, "rod").angular_velocity.z() * r.x(), expected[static_cast<int>(law)],
                  1e-10)
          << scheme_name(kind);
      expect_balance(sim.report());
    }
}

TEST(RestitutionLaws, DelayedRestitutionRefusesOtherLaws) {
  ModelDescription d = world_of(RestitutionLaw::stronge, 0, 0.5);
  d.bodies = {particle("ball", "x", Vec3::Zero(), Vec3::UnitX()),
              fixed_halfspace("wall", -Vec3::UnitX(), Vec3::UnitX())};
  Simulator sim = simulator_of(d, Relaxed{});
  const StepReport& report = sim.step(0.1);
  EXPECT_EQ(report.status, StepStatus::stopped);
  EXPECT_EQ(report.reason, StopReason::unsupported);
  const Result<Scene> scene = parse_scene(R"({"cairn": 1, "materials": {"default":
      {"restitution": 0.5, "restitution_law": "poisson"}}, "simulation": {"scheme": "relaxed"}})",
                                          "scene.json");
  ASSERT_FALSE(scene);
  EXPECT_EQ(scene.error()[0].code, ErrorCode::unsupported);
  EXPECT_EQ(scene.error()[0].allowed, "completed");
}

}  // namespace
}  // namespace cairn::testing::test_restitution
