// Bodies that move together hold on to each other in any number, on prescribed bodies and on free
// ones (E440 to E442, E600 to E603); what rolls, slides or tips is not held.
#include <complex>
#include <cstdlib>

#include "system/schemes/sticking_worlds.hpp"

namespace cairn::test_sticking_groups {
namespace {

using namespace testing;

constexpr double h = 0.01;
constexpr double promised = 1e-9;  // [m]

const SchemeOptions schemes[] = {Euler{}, Relaxed{}, Hybrid{}};

// 3 s of three seeds; with CAIRN_SOAK=1 10 minutes of 20.
void expect_no_creep(ModelDescription (*make)(std::uint64_t), const SchemeOptions& scheme) {
  const bool soak = std::getenv("CAIRN_SOAK") != nullptr;
  for (std::uint64_t seed = 1; seed <= (soak ? 20u : 2u); ++seed) {
    Simulator sim = simulator_of(make(seed), scheme);
    EXPECT_LE(creep(sim, h, soak ? 60000 : 150), promised) << name(scheme) << " seed " << seed;
  }
}

TEST(StickingGroups, GrippersHoldTheirObjects) {
  for (const SchemeOptions& scheme : schemes) expect_no_creep(gripper, scheme);
}

// The wedge has no principal axis along that of the table (E721).
TEST(StickingGroups, BodiesThatTouchStayOnTiltedTables) {
  for (const SchemeOptions& scheme : schemes) expect_no_creep(mixed_on_turntable, scheme);
}

TEST(StickingGroups, BoxesStayOnSwingingTrays) {
  for (const SchemeOptions& scheme : schemes) expect_no_creep(swinging_tray, scheme);
}

// Impulses between neighbours are not unique, those found may be on their cones (E720).
TEST(StickingGroups, BoxesThatTouchStayOnSwingingTrays) {
  for (const SchemeOptions& scheme : schemes) expect_no_creep(crowded_tray, scheme);
}

// Steps from 1 to 10 ms, masses from 0.01 to 100 kg.
TEST(StickingGroups, RowsOnTraysHoldAtAnyStep) {
  for (const SchemeOptions& scheme : schemes)
    for (const double step : {0.001, 0.005, 0.01})
      for (std::uint64_t seed = 1; seed <= 2; ++seed) {
        Simulator sim = simulator_of(row_on_tray(seed), scheme);
        EXPECT_LE(creep(sim, step, 60), promised) << name(scheme) << ' ' << seed << ' ' << step;
      }
}

TEST(StickingGroups, TowersStayOnTurntables) {
  for (const SchemeOptions& scheme : schemes) expect_no_creep(tower_on_turntable, scheme);
}

TEST(StickingGroups, BoxesStayOnHingedTrays) {
  for (const SchemeOptions& scheme : schemes) expect_no_creep(hinged_tray, scheme);
}

TEST(StickingGroups, DrumsAndConveyorsCarryTheirLoads) {
  for (const SchemeOptions& scheme : schemes) expect_no_creep(drum_and_conveyor, scheme);
}

// An hour of a gripper.
TEST(StickingGroups, AGripperHoldsForAnHour) {
  if (!std::getenv("CAIRN_SOAK")) GTEST_SKIP() << "set CAIRN_SOAK=1 to run it";
  for (const SchemeOptions& scheme : schemes) {
    Simulator sim = simulator_of(gripper(1), scheme);
    EXPECT_LE(creep(sim, h, 360000), promised) << name(scheme);
  }
}

// A ball rolls on: no anchor holds it, no row slows it.
TEST(StickingGroups, ARollingBallKeepsItsSpeedToTheLastBit) {
  const double radius = 0.25, speed = 1.5;
  ModelDescription d = world(Vec3(0, 0, -g), 0.4, 0);
  d.bodies = {fixed_halfspace("floor", Vec3::UnitZ()),
              moving("ball", Sphere{radius}, 2, Vec3(0, 0, radius), Vec3(speed, 0, 0),
                     Vec3(0, speed / radius, 0))};
  Simulator sim = simulator(d);
  for (int i = 0; i < 10000; ++i) {
    if (!certified_step(sim, h)) return;
    ASSERT_EQ(motion(sim, "ball").velocity, Vec3(speed, 0, 0)) << "step " << i;
    ASSERT_TRUE(sim.state().contact_anchors.empty());
  }
}

// Earnshaw: a ball that rolls on a table turning with W goes around a circle with a = 2 W/7,
// v = a z x (p - c). Friction is horizontal and acts at the contact: I w' = -r n x F, m v' = F,
// with the velocity W z x p of the table at the contact point v' = (2/7) W z x p'. In steps: p+ = p
// + h v+, v+ - v = (2/7) W z x (p - p-), so that p_n - c = (1 + i a h)^n (p_0 - c).
TEST(StickingGroups, ABallOnATurntableFollowsEarnshawsCircle) {
  const double rate = 2, radius = 0.1, a = 2 * rate / 7;
  ModelDescription d = world(Vec3(0, 0, -g), 0.8, 0);
  d.bodies = {carrier("a table", Halfspace{Vec3::UnitZ()}, Vec3::UnitZ(), "2*t")};
  const Vec3 place(0.6, 0.1, radius), centre(0.2, 0.3, radius);
  const Vec3 velocity = a * Vec3::UnitZ().cross(place - centre);
  // v - r w x z = W z x p: the slip vanishes; w has no part along z.
  const Vec3 spin = Vec3::UnitZ().cross(velocity - rate * Vec3::UnitZ().cross(place)) / radius;
  d.bodies.push_back(moving("ball", Sphere{radius}, 1, place, velocity, spin));
  Simulator sim = simulator(d);
  std::complex<double> z(place.x() - centre.x(), place.y() - centre.y());
  const int steps = static_cast<int>(std::lround(2 * std::numbers::pi / a / h));
  for (int i = 0; i < steps; ++i) {
    if (!certified_step(sim, h)) return;
    z *= std::complex<double>(1, a * h);
    const Vec3 p = motion(sim, "ball").position;
    ASSERT_NEAR(p.x() - centre.x(), z.real(), 1e-10) << "step " << i;
    ASSERT_NEAR(p.y() - centre.y(), z.imag(), 1e-10) << "step " << i;
  }
  // Once around: |1 + i a h|^n is exp(a^2 h T/2) up to O(h^2).
  EXPECT_NEAR(std::abs(z), (place - centre).norm() * std::exp(std::numbers::pi * a * h), 1e-4);
}

// A ladder of length L at an angle phi from a smooth wall holds on a floor with mu > tan(phi)/2.
// Below that, with N = m g - m (L/2) sin(phi) phi'',
// (1/3 - mu sin(phi) cos(phi)/2) L phi'' = g cos(phi) (tan(phi)/2 - mu).
TEST(StickingGroups, LaddersFlipAtTheirLimit) {
  const double phi = 0.5, length = 2, limit = std::tan(phi) / 2, time = 1;
  for (const double off : {1e-9, -1e-9}) {
    ModelDescription d = world(Vec3(0, -g, 0), limit * (1 + off), 0);
    d.materials.emplace_back("wall", Material{});
    BodyDescription ladder;
    ladder.name = "ladder";
    ladder.dof = "x y rz";
    ladder.mass = 3;
    ladder.inertia = 3 * length * length / 12 * Mat3::Identity();
    ladder.position = length / 2 * Vec3(std::sin(phi), std::cos(phi), 0);
    const Vec3 half = length / 2 * Vec3(std::sin(phi), -std::cos(phi), 0);
    ladder.shapes = {{Point{}, Pose{half, Quat::Identity()}, "default"},
                     {Point{}, Pose{-half, Quat::Identity()}, "default"}};
    BodyDescription wall = fixed_halfspace("wall", Vec3::UnitX());
    wall.shapes[0].material = "wall";
    d.bodies = {fixed_halfspace("floor", Vec3::UnitY()), wall, ladder};
    Simulator sim = simulator(d);
    certified_run(sim, h, time);
    const double mu = limit * (1 + off);
    const double rate = g * std::cos(phi) * (limit - mu) / length /
                        (1.0 / 3 - mu * std::sin(phi) * std::cos(phi) / 2) * time;
    const double spin = motion(sim, "ladder").angular_velocity.z();
    if (off > 0)
      EXPECT_LE(std::abs(spin), 1e-3 * std::abs(rate));
    else  // it tips by exp(k t), k^2 near g/L: more than rate, by less than cosh(sqrt(g/L) t)
      EXPECT_TRUE(std::abs(spin) > 0.9 * rate && std::abs(spin) < 10 * rate) << spin << ' ' << rate;
  }
}

}  // namespace
}  // namespace cairn::test_sticking_groups
