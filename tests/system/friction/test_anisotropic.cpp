// Anisotropic friction (E244, E245): limits of rest and directions of sliding against their closed
// forms.
#include <cmath>

#include "system/worlds.hpp"

namespace cairn::test_anisotropic {
namespace {

using namespace testing;

constexpr double mu_1 = 0.6, mu_2 = 0.2;

// A plane tilted about the y axis whose grain lies at `grain` from the line of steepest descent.
// The block's own coefficient is one, so that the geometric mean is that of the ellipse.
ModelDescription grained(double tilt, double grain) {
  ModelDescription d = world(Vec3(std::sin(tilt), 0, -std::cos(tilt)) * g, 1, 0);
  Material wood;
  wood.friction = mu_1 * mu_1;
  wood.friction_across = mu_2 * mu_2;
  wood.friction_direction = Vec3(std::cos(grain), std::sin(grain), 0);
  d.materials.emplace_back("wood", wood);
  d.bodies = {fixed_halfspace("slope", Vec3::UnitZ()),
              moving("block", Box{Vec3(1, 1, 0.2)}, 2, Vec3(0, 0, 0.1))};
  d.bodies[0].shapes[0].material = "wood";
  return d;
}

std::vector<SchemeOptions> schemes() {
  return {Euler{}, Euler{.nonlinear = true}, Relaxed{.corrections = 50}, Trapezoidal{}, Hybrid{}};
}

// Rests while the pull (cos, sin) g sin(tilt) lies in the ellipse with the axes mu_1, mu_2 times
// g cos(tilt).
TEST(AnisotropicFriction, LimitAngleDependsOnTheDirection) {
  for (const double grain : {0.0, 0.5, 1.0, 1.5707963267948966}) {
    const double limit = std::atan(1 / std::hypot(std::cos(grain) / mu_1, std::sin(grain) / mu_2));
    for (const double factor : {0.99, 1.01})
      for (const SchemeOptions& scheme : schemes()) {
        Simulator sim = simulator_of(grained(factor * limit, grain), scheme);
        certified_steps(sim, 0.01, 50);
        const double speed = motion(sim, "block").velocity.norm();
        if (factor < 1)
          EXPECT_LE(speed, 1e-10) << grain << ' ' << name(scheme);
        else
          EXPECT_GT(speed, 1e-4) << grain << ' ' << name(scheme);
      }
  }
}

// From rest it slides along a fixed direction u with a u = pull - g cos(tilt) (mu_1^2 u_1, mu_2^2
// u_2) / |(mu_1 u_1, mu_2 u_2)|: friction is the point of the ellipse that takes most. Found here
// by bisection on the angle of u, in the frame of the grain.
TEST(AnisotropicFriction, SlidesOffTheLineOfForceAsTheClosedFormSays) {
  const double tilt = 0.7;
  for (const double grain : {0.3, 0.8, 1.2}) {
    const Eigen::Vector2d pull =
        g * std::sin(tilt) * Eigen::Vector2d(std::cos(grain), -std::sin(grain));
    const auto acceleration = [&](double angle) {
      const Eigen::Vector2d u(std::cos(angle), std::sin(angle));
      const double size = std::hypot(mu_1 * u.x(), mu_2 * u.y());
      return Eigen::Vector2d(pull - g * std::cos(tilt) / size *
                                        Eigen::Vector2d(mu_1 * mu_1 * u.x(), mu_2 * mu_2 * u.y()));
    };
    const auto off = [&](double angle) {
      const Eigen::Vector2d a = acceleration(angle);
      return a.y() * std::cos(angle) - a.x() * std::sin(angle);
    };
    double lo = -1.5707963267948966, hi = 0;  // the pull is between
    ASSERT_LT(off(hi), 0);
    ASSERT_GT(off(lo), 0);
    for (int i = 0; i < 100; ++i) (off(0.5 * (lo + hi)) > 0 ? lo : hi) = 0.5 * (lo + hi);
    const Eigen::Vector2d a = acceleration(lo);
    const Vec3 expected(a.x() * std::cos(grain) - a.y() * std::sin(grain),
                        a.x() * std::sin(grain) + a.y() * std::cos(grain), 0);
    EXPECT_GT(std::abs(expected.y() / expected.x()), 0.05);  // off the line of force
    for (const SchemeOptions& scheme :
         {SchemeOptions(Euler{}), SchemeOptions(Euler{.nonlinear = true})}) {
      Simulator sim = simulator_of(grained(tilt, grain), scheme);
      const double h = 0.01;
      certified_steps(sim, h, 100);
      EXPECT_LE((motion(sim, "block").velocity - 100 * h * expected).norm(), 1e-9)
          << grain << ' ' << name(scheme);
      // Friction is on the ellipse, and what the report says is in newtons along its axes.
      Vec3 force = Vec3::Zero();  // on the block, which is the first body of its contacts
      for (const ContactReport& c : sim.report().contacts)
        force -= (c.impulse[0] * c.contact.n_W + c.impulse[1] * c.contact.t1_W +
                  c.impulse[2] * c.contact.t2_W) /
                 h;
      EXPECT_NEAR((force - 2 * (expected - sim.model().gravity)).norm(), 0, 1e-8);
    }
  }
}

// The grain is fixed in the body: a block with a grain of its own, turned by 90 degrees.
TEST(AnisotropicFriction, DirectionTurnsWithTheBody) {
  for (const bool turned : {false, true}) {
    ModelDescription d = grained(0.4, 0);
    d.bodies[0].shapes[0].material = "default";
    d.bodies[1].shapes[0].material = "wood";
    if (turned)
      d.bodies[1].orientation = Quat(Eigen::AngleAxisd(1.5707963267948966, Vec3::UnitZ()));
    Simulator sim = simulator(d);
    certified_steps(sim, 0.01, 100);
    const double mu = turned ? mu_2 : mu_1;
    const double a = g * (std::sin(0.4) - mu * std::cos(0.4));
    EXPECT_NEAR(motion(sim, "block").velocity.x(), std::max(0.0, a), 1e-9) << turned;
  }
}

// Where the grain stands on the surface friction is mu_2 in all directions; between, the section of
// the ellipsoid.
TEST(AnisotropicFriction, TiltedGrain) {
  for (const double lean : {0.0, 0.4, 1.2, 1.5707963267948966}) {
    ModelDescription d = grained(0.9, 0);
    d.materials.back().second.friction_direction = Vec3(std::cos(lean), 0, std::sin(lean));
    Simulator sim = simulator(d);
    certified_steps(sim, 0.01, 100);
    const double mu = 1 / std::hypot(std::cos(lean) / mu_1, std::sin(lean) / mu_2);
    EXPECT_NEAR(motion(sim, "block").velocity.x(), g * (std::sin(0.9) - mu * std::cos(0.9)), 1e-9)
        << lean;
  }
}

// A body that moves along a line only feels the support of the ellipse there.
TEST(AnisotropicFriction, OnARail) {
  for (const double grain : {0.0, 0.6, 1.3}) {
    ModelDescription d = grained(0.9, grain);
    d.bodies[1].dof = "x z";
    Simulator sim = simulator(d);
    certified_steps(sim, 0.01, 100);
    const double mu = std::hypot(mu_1 * std::cos(grain), mu_2 * std::sin(grain));
    EXPECT_NEAR(motion(sim, "block").velocity.x(), g * (std::sin(0.9) - mu * std::cos(0.9)), 1e-9)
        << grain;
  }
}

// Equal coefficients are isotropic friction, bit for bit.
TEST(AnisotropicFriction, EqualCoefficientsChangeNoBit) {
  ModelDescription plain = grained(0.7, 0.3), same = grained(0.7, 0.3);
  plain.materials.back().second.friction_across = -1;
  same.materials.back().second.friction_across = same.materials.back().second.friction;
  Simulator a = simulator(plain), b = simulator(same);
  certified_steps(a, 0.01, 50);
  certified_steps(b, 0.01, 50);
  EXPECT_EQ(hash(a.state()), hash(b.state()));
}

// Two bodies with a grain each: somebody has to say what holds.
TEST(AnisotropicFriction, TwoGrainsNeedAPair) {
  ModelDescription d = grained(0.4, 0);
  for (auto& body : d.bodies) body.shapes[0].material = "wood";
  const Result<BuiltModel> built = build(d);
  ASSERT_FALSE(built);
  EXPECT_EQ(built.error()[0].code, ErrorCode::conflict);
  EXPECT_EQ(built.error()[0].path, "materials.wood|wood");
  Material pair;
  pair.friction = 0.3;
  d.materials.emplace_back("wood|wood", pair);
  Simulator sim = simulator(d);
  certified_steps(sim, 0.01, 100);
  EXPECT_NEAR(motion(sim, "block").velocity.x(), g * (std::sin(0.4) - 0.3 * std::cos(0.4)), 1e-9);
}

// A listed pair that says nothing of friction keeps the grain of the material that has one, also
// when the resolved scene is read again; one with a direction of its own has it in the first body.
TEST(AnisotropicFriction, PairsInScenes) {
  const auto model = [](const std::string& pair) {
    const std::string text = R"({"cairn": 1, "materials": {"default": {"friction": 1}, )"
                             R"("wood": {"friction": 0.36, "friction_across": 0.04, )"
                             R"("friction_direction": [0, 2, 0]}, )" +
                             pair +
                             R"(}, "bodies": [{"name": "a", "mass": 1, "shapes": [)"
                             R"({"type": "sphere", "radius": 1, "material": "wood"}]}]})";
    const Result<Scene> scene = parse_scene(text, "x.json");
    EXPECT_TRUE(scene) << scene.error()[0].text();
    const Result<Scene> again = parse_scene(scene->resolved, "y.json");
    EXPECT_TRUE(again) << again.error()[0].text();
    EXPECT_EQ(scene->model->pairs, again->model->pairs);
    return scene->model;
  };
  const MaterialId plain{0}, wood{1};
  const ContactLaw kept = model(R"("default|wood": {"restitution": 0.5})")->pair(plain, wood);
  EXPECT_NEAR(kept.friction, 0.6, 1e-15);
  EXPECT_NEAR(kept.friction_across, 0.2, 1e-15);
  EXPECT_EQ(kept.friction_direction, Vec3(0, 1, 0));
  EXPECT_EQ(kept.direction_of, 1);
  EXPECT_EQ(model(R"("default|wood": {"restitution": 0.5})")->pair(wood, plain).direction_of, 0);
  const ContactLaw own =
      model(R"("default|wood": {"friction_direction": [1, 0, 0]})")->pair(plain, wood);
  EXPECT_EQ(own.direction_of, 0);
  EXPECT_EQ(own.friction_direction, Vec3(1, 0, 0));
  EXPECT_FALSE(model(R"("default|wood": {"friction": 0.3})")->pair(plain, wood).anisotropic());
}

// A belt under a block that is held: friction works against it, and the books balance.
TEST(AnisotropicFriction, MovingGroundAndLedger) {
  ModelDescription d = world(Vec3(0, 0, -g), 1, 0);
  Material wood;
  wood.friction = mu_1;
  wood.friction_across = mu_2;
  wood.friction_direction = Vec3(1, 1, 0);
  d.materials.emplace_back("wood", wood);
  BodyDescription belt;
  belt.name = "belt";
  belt.shapes = {{Box{Vec3(100, 100, 1)}, Pose{}, "wood"}};
  Motion drive;
  drive.position = {function("2*t"), function("0"), function("-0.5")};
  belt.motion = drive;
  d.bodies = {belt, moving("block", Box{Vec3(1, 1, 0.2)}, 2, Vec3(0, 0, 0.1))};
  Simulator sim = simulator(d);
  for (int i = 0; i < 20; ++i) {
    certified_step(sim, 0.01);
    EXPECT_NEAR(sim.report().ledger.imbalance(), 0, 1e-12);
    EXPECT_GE(sim.report().ledger.friction, 0);
    EXPECT_GT(sim.report().ledger.work_motion, 0);
  }
  EXPECT_GT(motion(sim, "block").velocity.x(), 0);
  EXPECT_NE(motion(sim, "block").velocity.y(), 0);
}

}  // namespace
}  // namespace cairn::test_anisotropic
