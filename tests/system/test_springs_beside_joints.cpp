// Springs beside joints (E740 to E747): a spring that a rod holds moves nothing, the rod bears it;
// momenta and order stay; what runs is accepted and confirmed by check.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "record/sample.hpp"
#include "system/worlds.hpp"

namespace cairn::test_springs_beside_joints {
namespace {

using namespace testing;

std::vector<SchemeOptions> schemes() {
  return {Euler{}, Relaxed{}, Hybrid{}, Trapezoidal{}};
}

SpringDescription spring(std::string a, std::string b, double stiffness, double length) {
  SpringDescription s;
  s.bodies = {std::move(a), std::move(b)};
  s.stiffness = stiffness;
  s.rest_length = length;
  return s;
}

JointDescription rod(std::string a, std::string b) {
  return {.name = a + b, .type = DistanceJoint{}, .bodies = {a, b}};
}

//   a o==/\/\/==o b    rod and spring between the centres, b moves across
constexpr double stiffness = 1e5, rest = 0.2, length = 0.4, tension = stiffness * (length - rest);

ModelDescription pair(bool with_spring, const Vec3& gravity, const Vec3& spin) {
  ModelDescription d = world(gravity, 0, 0);
  d.bodies = {moving("a", Box{Vec3(0.1, 0.12, 0.15)}, 1, Vec3::Zero(), Vec3(0.1, 0, 0.2), spin),
              moving("b", Sphere{0.1}, 2, Vec3(length, 0, 0), Vec3(0.1, 1, 0.2), -spin)};
  d.joints = {rod("a", "b")};
  if (with_spring) d.forces = {spring("a", "b", stiffness, rest)};
  return d;
}

// Force on b along the rod: what the spring pulls, less what keeps the pair on its circle,
// m_r v^2/L. The mean over a step, along the direction of one of its moments, differs from that by
// (h w)^2/4 of the tension at most; the first step of the schemes of first order does not turn yet.
TEST(SpringsBesideJoints, RodBearsTheSpring) {
  constexpr double h = 0.01, speed = 1, turn = h * speed / length, mass = 1.0 * 2.0 / 3.0,
                   round = mass * speed * speed / length;
  for (const SchemeOptions& scheme : schemes()) {
    Simulator sim = simulator_of(pair(true, Vec3::Zero(), Vec3::Zero()), scheme);
    for (int i = 0; i < 20; ++i) {
      const StepReport& r = sim.step(h);
      ASSERT_FALSE(r.failed()) << r.message;
      ASSERT_EQ(r.joints.size(), 1u);
      const Vec3 along = motion(sim, "b").position - motion(sim, "a").position;
      EXPECT_GT(r.joints[0].force.dot(along), 0);
      EXPECT_NEAR(r.joints[0].force.norm(), tension - round, 0.25 * turn * turn * tension + round)
          << name(scheme) << ' ' << i;
    }
  }
}

// The impulses of spring and rod cancel to their rounding, eps h k s. It changes velocities by that
// over the mass in each step, and positions by n^2/2 times h times that.
TEST(SpringsBesideJoints, HeldSpringMovesNothing) {
  constexpr double h = 0.01, eps = 0x1p-52;
  constexpr int steps = 60;
  for (const SchemeOptions& scheme : schemes()) {
    Simulator with = simulator_of(pair(true, Vec3(0, 0, -g), Vec3(1, 2, -3)), scheme),
              without = simulator_of(pair(false, Vec3(0, 0, -g), Vec3(1, 2, -3)), scheme);
    for (int i = 0; i < steps; ++i) {
      const StepReport &a = with.step(h), &b = without.step(h);
      ASSERT_FALSE(a.failed()) << a.message;
      EXPECT_TRUE(a.verdict.energy.ok) << a.verdict.energy.sentence;
      // The energy of the spring rounds with k s times the size of positions.
      const double joules = 64 * eps * tension * 2;
      EXPECT_NEAR(a.ledger.integrator, b.ledger.integrator, joules) << name(scheme) << ' ' << i;
      EXPECT_NEAR(a.projection_work, b.projection_work, joules) << name(scheme) << ' ' << i;
      EXPECT_LE(std::abs(a.ledger.imbalance()), joules);
    }
    const double speed = 16 * eps * h * tension * steps;
    for (const char* body : {"a", "b"})
      EXPECT_LE((motion(with, body).position - motion(without, body).position).norm(),
                speed * h * steps)
          << name(scheme);
  }
}

// The pair bounces as it does without the spring. Impacts at gaps that differ by rounding differ by
// the speed over the gap that a step closes at least, here less than 1e3 in three impacts.
TEST(SpringsBesideJoints, HeldSpringBouncesLikeTheRod) {
  constexpr double h = 0.01, eps = 0x1p-52;
  constexpr int steps = 60;
  const auto falling = [](bool with_spring) {
    ModelDescription d = world(Vec3(0, 0, -g), 0.3, 0.8);
    d.bodies = {fixed_halfspace("floor", Vec3::UnitZ()),
                moving("a", Sphere{0.1}, 1, Vec3(0, 0, 0.3), Vec3(0.1, 0, -1)),
                moving("b", Sphere{0.1}, 2, Vec3(length, 0, 0.4), Vec3(0.1, 1, 1))};
    d.joints = {rod("a", "b")};
    if (with_spring) d.forces = {spring("a", "b", stiffness, rest)};
    return d;
  };
  for (const SchemeOptions& scheme : schemes()) {
    Simulator with = simulator_of(falling(true), scheme),
              without = simulator_of(falling(false), scheme);
    int collisions = 0;
    for (int i = 0; i < steps; ++i) {
      ASSERT_FALSE(with.step(h).failed());
      collisions += without.step(h).collisions;
    }
    EXPECT_GE(collisions, 2) << name(scheme);
    for (const char* body : {"a", "b"})
      EXPECT_LE((motion(with, body).position - motion(without, body).position).norm(),
                1e3 * 16 * eps * h * tension * h * steps * steps)
          << name(scheme);
  }
}

//        c
//      /   \       two rods, a stiff spring between their ends
//    a -/\/\- b
ModelDescription frame(double stiffness_ab, double rest_ab) {
  ModelDescription d = world(Vec3::Zero(), 0, 0);
  d.bodies = {moving("a", Sphere{0.05}, 1, Vec3(-0.3, 0, 0), Vec3(0, 0.5, 0.3)),
              moving("b", Sphere{0.05}, 1.5, Vec3(0.3, 0, 0), Vec3(0.2, -0.5, 0)),
              moving("c", Sphere{0.05}, 2, Vec3(0, 0.4, 0), Vec3(0.4, 0, -0.6))};
  d.joints = {rod("a", "c"), rod("b", "c")};
  d.forces = {spring("a", "b", stiffness_ab, rest_ab)};
  return d;
}

struct Momenta {
  Vec3 P = Vec3::Zero(), L = Vec3::Zero();
};

Momenta momenta(const Simulator& sim) {
  Momenta m;
  for (const Body& body : sim.model().bodies) {
    const BodyMotion at = motion(sim, body.name);
    const Vec3 p = body.mass * at.velocity;
    m.P += p;
    m.L += at.position.cross(p) + body.inertia_B(0, 0) * at.angular_velocity;
  }
  return m;
}

// Impulses along lines through two bodies each, projections with E425, payments within the group:
// momenta change by their rounding alone, a few eps of the impulses in a step.
TEST(SpringsBesideJoints, MomentaStay) {
  constexpr int steps = 200;
  for (const SchemeOptions& scheme : schemes()) {
    constexpr double k = 1e6, stretch = 0.005, h = 0.005;
    Simulator sim = simulator_of(frame(k, 0.6 - stretch), scheme);
    const Momenta start = momenta(sim);
    double impulses = 0;
    for (int i = 0; i < steps; ++i) {
      const StepReport& r = sim.step(h);
      ASSERT_FALSE(r.failed()) << r.message;
      impulses += h * (k * stretch + std::sqrt(2 * k * r.ledger.kinetic_end));
    }
    const Momenta end = momenta(sim);
    EXPECT_LE((end.P - start.P).norm(), 16 * 0x1p-52 * impulses) << name(scheme);
    EXPECT_LE((end.L - start.L).norm(), 16 * 0x1p-52 * impulses) << name(scheme);
  }
}

Vec3 end_of(const ModelDescription& d, const SchemeOptions& scheme, double h, double duration) {
  Simulator sim = simulator_of(d, scheme);
  for (int i = 0; i < std::lround(duration / h); ++i) sim.step(h);
  return motion(sim, "a").position;
}

// A spring that the joints do not hold: errors fall with the order of the scheme.
TEST(SpringsBesideJoints, OrderStays) {
  const ModelDescription d = frame(3e3, 0.55);
  const Vec3 exact = end_of(d, Trapezoidal{}, 1.0 / 8192, 0.25);
  const auto error = [&](const SchemeOptions& scheme, double h) {
    return (end_of(d, scheme, h, 0.25) - exact).norm();
  };
  for (const SchemeOptions& scheme : schemes()) {
    const bool second = std::holds_alternative<Trapezoidal>(scheme);
    const double h = 1.0 / 512;
    EXPECT_NEAR(order(h, error(scheme, h), h / 2, error(scheme, h / 2)), second ? 2 : 1, 0.25)
        << name(scheme);
  }
}

// Each part of the trapezoidal rule pays for what it gains and gets back what it loses, with the
// joints closed: what is left is rounding, a few eps of the energy in each step.
TEST(SpringsBesideJoints, TrapezoidalKeepsTheEnergy) {
  Simulator sim = trapezoidal(frame(3e3, 0.55));
  ASSERT_FALSE(sim.step(0.0025).failed());  // takes what opens the rods from the velocities
  const double start = sim.kinetic_energy() + sim.potential_energy();
  double most = 0;
  constexpr int steps = 400;
  for (int i = 0; i < steps; ++i) {
    ASSERT_FALSE(sim.step(0.0025).failed());
    most = std::max(most, std::abs(sim.kinetic_energy() + sim.potential_energy() - start));
  }
  EXPECT_LE(most, 8 * 0x1p-52 * steps * start);
}

// Runs the scene under its scheme. Every step is accepted and check confirms the recording.
void run_and_check(const std::string& text) {
  const Result<Scene> scene = parse_scene(text, "springs.json", {});
  ASSERT_TRUE(scene) << scene.error().front().text();
  const sample::Folder folder;
  const std::string file = folder.file("trace.cairn");
  Simulator simulator(scene->model, *scene->initial, scene->simulation.scheme,
                      scene->simulation.solver, scene->simulation.verdict);
  Result<TraceWriter> writer = TraceWriter::create(file, scene->resolved);
  ASSERT_TRUE(writer && writer->append_initial(*scene->initial));
  for (int i = 0; i < std::lround(scene->simulation.duration / scene->simulation.step); ++i) {
    const StepReport& report = simulator.step(scene->simulation.step);
    ASSERT_FALSE(report.failed()) << report.message;
    EXPECT_TRUE(report.verdict.accepted())
        << "step " << report.step << ' ' << report.verdict.energy.sentence;
    ASSERT_TRUE(writer->append(report, simulator.state()));
  }
  ASSERT_TRUE(writer->finish());
  const Result<CheckReport> checked = check_trace(file);
  EXPECT_TRUE(checked && checked->ok)
      << (checked && !checked->findings.empty() ? checked->findings.front().what : "") << text;
}

std::string vector(const Vec3& x) {
  return fmt::format("[{}, {}, {}]", x[0], x[1], x[2]);
}

// A chain on a wall or in flight, of rods and ball joints, with springs beside one of them and
// across two.
std::string chain(Random& r, const char* scheme) {
  const int bodies = 2 + r.below(2);
  std::string all, joints, forces;
  if (r.below(2) == 0) {
    all = R"({"name": "wall", "fixed": true, "position": [0, 0, 0.5]}, )";
    joints = R"({"type": "distance", "bodies": ["wall", "b0"]}, )";
  }
  std::vector<Vec3> at;
  for (int i = 0; i < bodies; ++i) {
    at.push_back(Vec3(0.4 * i, 0, 0) + r.vector(0.1));
    all += fmt::format(
        R"({}{{"name": "b{}", "mass": {}, "position": {}, "velocity": {}, "angular_velocity": {},
            "shapes": [{{"type": "box", "size": [0.1, 0.08, 0.12]}}]}})",
        i > 0 ? ", " : "", i, std::pow(10, r.uniform(-1, 1)), vector(at.back()),
        vector(r.vector(0.7)), vector(r.vector(3)));
    if (i == 0) continue;
    const Vec3 half = 0.5 * (at[static_cast<std::size_t>(i)] - at[static_cast<std::size_t>(i) - 1]);
    joints +=
        fmt::format(R"({}{{"type": "{}", "bodies": ["b{}", "b{}"]{}}})", i > 1 ? ", " : "",
                    i == 1 ? "distance" : "ball", i - 1, i,
                    i == 1 ? "" : ", \"anchors\": [" + vector(half) + ", " + vector(-half) + "]");
    forces += fmt::format(
        R"({}{{"type": "spring", "bodies": ["b{}", "b{}"], "stiffness": {}, "rest_length": {},
            "damping": {}}})",
        i > 1 ? ", " : "", i > 1 ? i - 2 : 0, i, std::pow(10, r.uniform(2, 5)),
        (at[static_cast<std::size_t>(i)] - at[i > 1 ? static_cast<std::size_t>(i) - 2 : 0]).norm() *
            r.uniform(0.9, 1.1),
        r.below(2));
  }
  return fmt::format(
      R"({{"cairn": 1, "bodies": [{}], "joints": [{}], "forces": [{}],
          "simulation": {{"scheme": {{"type": "{}"}}, "step": {}, "duration": 0.2}}}})",
      all, joints, forces, scheme, r.below(2) == 0 ? 0.005 : 0.01);
}

TEST(SpringsBesideJoints, ChainsAreAcceptedAndConfirmed) {
  for (const char* scheme : {"euler", "relaxed", "hybrid", "trapezoidal"}) {
    Random random(3);
    for (int i = 0; i < 12; ++i) run_and_check(chain(random, scheme));
  }
}

// A pair on rod and spring falls on a floor that shakes: divided steps pay relative to where the
// floor is in each part.
TEST(SpringsBesideJoints, PartsOfAStepOnAShakerAreConfirmed) {
  for (const char* scheme : {"euler", "hybrid"})
    run_and_check(fmt::format(R"json({{
  "cairn": 1, "materials": {{"default": {{"friction": 1, "restitution": 0.8}}}},
  "bodies": [
    {{"name": "floor", "shapes": [{{"type": "box", "size": [8, 8, 0.4], "position": [0, 0, -0.2]}}],
      "motion": {{"position": ["0.211*sin(4.866*t)", 0, "0.0059*sin(14.181*t)"]}}}},
    {{"name": "a", "mass": 11.3, "orientation": [0.705, 0.163, 0.207, 0.658],
      "position": [0.067, 0.21, 0.2], "shapes": [{{"type": "box", "size": [0.2, 0.15, 0.1]}}]}},
    {{"name": "b", "mass": 0.35, "orientation": [0.44, 0.68, -0.34, 0.48],
      "position": [0.28, 0.05, 0.6], "velocity": [-0.75, -0.12, -1.5],
      "angular_velocity": [-3.6, -6.1, -4.8], "shapes": [{{"type": "sphere", "radius": 0.15}}]}}],
  "joints": [{{"type": "distance", "bodies": ["a", "b"]}}],
  "forces": [{{"type": "spring", "bodies": ["b", "a"], "stiffness": 20922, "rest_length": 0.387,
               "damping": 1}}],
  "simulation": {{"scheme": {{"type": "{}"}}, "step": 0.005, "duration": 0.4}}}})json",
                              scheme));
}

// One pair is projected, another one pays along its spring while it falls: each by its own rule.
TEST(SpringsBesideJoints, PairsOnSpringsAlonePayForThemselves) {
  for (const char* scheme : {"euler", "hybrid"})
    run_and_check(fmt::format(R"({{
  "cairn": 1, "bodies": [
    {{"name": "a", "mass": 1, "position": [0, 0, 0], "velocity": [0, 1, 0],
      "shapes": [{{"type": "sphere", "radius": 0.1}}]}},
    {{"name": "b", "mass": 2, "position": [0.5, 0, 0], "shapes": [{{"type": "sphere", "radius": 0.1}}]}},
    {{"name": "c", "mass": 1, "position": [3, 0, 0], "velocity": [0, 2, 0],
      "shapes": [{{"type": "sphere", "radius": 0.1}}]}},
    {{"name": "d", "mass": 2, "position": [3.5, 0, 0], "shapes": [{{"type": "sphere", "radius": 0.1}}]}}],
  "joints": [{{"type": "distance", "bodies": ["a", "b"]}}],
  "forces": [{{"type": "spring", "bodies": ["c", "d"], "stiffness": 1e5, "rest_length": 0.49}}],
  "simulation": {{"scheme": {{"type": "{}"}}, "step": 0.01, "duration": 0.2}}}})",
                              scheme));
}

// Two balls with rolling friction hit the floor at once: each impact has its torques after its
// impulses.
TEST(SpringsBesideJoints, ImpactsWithTorquesAreConfirmed) {
  run_and_check(R"({
  "cairn": 1,
  "materials": {"default": {"friction": 0.5, "restitution": 0.3, "rolling_friction": 0.005}},
  "bodies": [
    {"name": "floor", "fixed": true, "shapes": [{"type": "halfspace", "normal": [0, 0, 1]}]},
    {"name": "a", "mass": 1, "position": [0, 0, 0.15], "velocity": [0.3, 0, -1],
     "shapes": [{"type": "sphere", "radius": 0.1}]},
    {"name": "b", "mass": 2, "position": [0.4, 0, 0.15], "velocity": [0.3, 0.1, -1],
     "shapes": [{"type": "sphere", "radius": 0.1}]}],
  "joints": [{"type": "distance", "bodies": ["a", "b"]}],
  "forces": [{"type": "spring", "bodies": ["a", "b"], "stiffness": 1e4, "rest_length": 0.3}],
  "simulation": {"scheme": {"type": "hybrid"}, "step": 0.01, "duration": 0.2}})");
}

}  // namespace
}  // namespace cairn::test_springs_beside_joints
