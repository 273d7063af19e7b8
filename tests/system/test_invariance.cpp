// What must not change: momentum; the bits under permutation, scaling by powers of two, repetition
// and restart.
#include <algorithm>
#include <bit>
#include <cmath>

#include "system/worlds.hpp"

namespace cairn::test_invariance {
namespace {

using namespace testing;

// ---- Momentum

struct Momentum {
  Vec3 linear = Vec3::Zero(), angular = Vec3::Zero();  // about the origin
  double linear_scale = 0, angular_scale = 0;          // sums of the sizes of the terms
};

Momentum momentum(const Simulator& sim) {
  Momentum sum;
  for (std::size_t i = 0; i < sim.model().bodies.size(); ++i) {
    const Body& body = sim.model().bodies[i];
    const BodyMotion m = body_motion(sim.model(), sim.state(), static_cast<BodyId>(i));
    const Mat3 R = m.orientation.toRotationMatrix();
    const Vec3 p = body.mass * m.velocity, orbit = m.position.cross(p),
               spin = R * body.inertia_B * R.transpose() * m.angular_velocity;
    sum.linear += p;
    sum.angular += orbit + spin;
    sum.linear_scale += p.norm();
    sum.angular_scale += orbit.norm() + spin.norm();
  }
  return sum;
}

// Bodies of different size and mass fly to the origin and collide there with friction.
ModelDescription swarm(const Geometry& geometry, double e, std::uint64_t seed) {
  Random random(seed);
  const bool planar = is_planar(geometry);
  ModelDescription d = world(Vec3::Zero(), 0.4, e);
  for (int i = 0; i < 16; ++i) {
    const double size = random.uniform(0.3, 0.6);
    Geometry scaled = geometry;
    if (planar) scaled = Disc{size};
    if (!planar) scaled = Sphere{size};
    Vec3 place(1.5 * (i % 4) - 2.25, 1.5 * (i / 4) - 2.25, random.uniform(-0.3, 0.3));
    Vec3 velocity = -0.5 * place + random.vector(0.3), spin = random.vector(3);
    if (planar) {
      place.z() = velocity.z() = 0;
      spin.x() = spin.y() = 0;
    }
    d.bodies.push_back(moving("body" + std::to_string(100 + i), scaled, random.uniform(0.5, 4),
                              place, velocity, spin));
  }
  return d;
}

// Impulses act in pairs at one common point, and x+ x v+ = x x v+: both momenta are kept but for
// the rounding of 2000 steps, which grows like a random walk, 45 * 1e-16.
TEST(Momentum, KeptByCollisionsOfRoundBodies) {
  for (const Geometry& geometry : {Geometry(Sphere{}), Geometry(Disc{})})
    for (const double e : {0.0, 0.7, 1.0}) {
      Simulator sim = simulator(swarm(geometry, e, 7));
      const Momentum start = momentum(sim);
      int touches = 0;
      double linear_scale = 0, angular_scale = 0;
      for (int i = 0; i < 2000; ++i) {
        if (!certified_step(sim, 0.01)) break;
        touches += sim.report().active_contacts;
        const Momentum now = momentum(sim);
        linear_scale = std::max(linear_scale, now.linear_scale);
        angular_scale = std::max(angular_scale, now.angular_scale);
      }
      const Momentum end = momentum(sim);
      EXPECT_GT(touches, 20);
      EXPECT_LE((end.linear - start.linear).norm(), 1e-12 * linear_scale);
      EXPECT_LE((end.angular - start.angular).norm(), 1e-12 * angular_scale);
      RecordProperty(
          std::string(type_name(geometry)) + "_e" + std::to_string(std::lround(10 * e)),
          std::to_string((end.linear - start.linear).norm() / linear_scale * 1e15) +
              "e-15 linear, " +
              std::to_string((end.angular - start.angular).norm() / angular_scale * 1e15) +
              "e-15 angular");
    }
}

// Linear momentum is kept by bodies of any shape, springs and joints included.
TEST(Momentum, LinearKeptWithJointsSpringsAndEllipsoids) {
  Random random(11);
  ModelDescription d = world(Vec3::Zero(), 0.5, 0.3);
  for (int i = 0; i < 8; ++i) {
    const Geometry geometry =
        i % 2 ? Geometry(Ellipsoid{Vec3(0.5, 0.4, 0.3)}) : Geometry(Capsule{0.2, 0.5});
    const Vec3 place(1.5 * (i % 2), 1.5 * (i / 2 % 2), 1.5 * (i / 4));
    d.bodies.push_back(moving("body" + std::to_string(i), geometry, random.uniform(0.5, 4), place,
                              -place + random.vector(0.5), random.vector(3)));
  }
  JointDescription rod;
  rod.bodies = {"body0", "body1"};
  rod.anchors = {Vec3(0.1, 0, 0), Vec3(0, 0.2, 0)};
  d.joints = {rod};
  SpringDescription spring;
  spring.bodies = {"body2", "body5"};
  spring.anchors = {Vec3(0, 0, 0.2), Vec3(0.1, 0, 0)};
  spring.stiffness = 20;
  spring.rest_length = 1;
  spring.damping = 0.5;
  d.forces = {spring};
  Simulator sim = simulator(d);
  const Momentum start = momentum(sim);
  int touches = 0;
  for (int i = 0; i < 1000; ++i) {
    if (!certified_step(sim, 0.01)) break;
    touches += sim.report().active_contacts;
  }
  EXPECT_GT(touches, 10);
  EXPECT_LE((momentum(sim).linear - start.linear).norm(), 1e-12 * start.linear_scale);
}

// ---- Bits

// Discs in a trough with friction and restitution, two of them joined by a rod, one on a spring,
// one pushed, all measured in units of length 2^a m, mass 2^b kg and time 2^c s.
struct Units {
  int a = 0, b = 0, c = 0;
  double length() const { return std::ldexp(1.0, a); }
  double mass() const { return std::ldexp(1.0, b); }
  double time() const { return std::ldexp(1.0, c); }
  double speed() const { return std::ldexp(1.0, a - c); }
  double acceleration() const { return std::ldexp(1.0, a - 2 * c); }
  double force() const { return std::ldexp(1.0, a + b - 2 * c); }
};

ModelDescription trough(const Units& u) {
  Random random(5);
  ModelDescription d = world(Vec3(0, -g * u.acceleration(), 0), 0.3, 0.4);
  d.bodies = {fixed_halfspace("left", Vec3(1, 2, 0), Vec3(-4, 0, 0) * u.length()),
              fixed_halfspace("right", Vec3(-1, 1, 0), Vec3(4, 0, 0) * u.length())};
  for (int i = 0; i < 14; ++i) {
    const double radius = random.uniform(0.35, 0.6), mass = random.uniform(0.5, 3);
    const Vec3 place(1.3 * (i % 5) - 2.6 + random.uniform(-0.05, 0.05), 3 + 1.3 * (i / 5), 0);
    const Vec3 velocity(random.uniform(-1, 1), random.uniform(-1, 0), 0);
    d.bodies.push_back(moving("disc" + std::to_string(10 + i), Disc{radius * u.length()},
                              mass * u.mass(), place * u.length(), velocity * u.speed(),
                              Vec3(0, 0, random.uniform(-2, 2) / u.time())));
  }
  JointDescription rod;
  rod.name = "rod";
  rod.bodies = {"disc10", "disc11"};
  rod.anchors = {Vec3(0.1, 0, 0) * u.length(), Vec3(0, 0.2, 0) * u.length()};
  rod.collide = true;
  JointDescription second = rod;
  second.name = "second";
  second.bodies = {"disc20", "disc21"};
  d.joints = {rod, second};
  SpringDescription spring;
  spring.bodies = {"world", "disc13"};
  spring.anchors = {Vec3(0, 6, 0) * u.length(), Vec3(0.2, 0, 0) * u.length()};
  spring.stiffness = 7 * u.force() / u.length();
  spring.rest_length = 2 * u.length();
  spring.damping = 0.3 * u.force() / u.speed();
  AppliedForceDescription push;
  push.body = "disc15";
  push.force = {TimeFunction(3.0 * u.force()), TimeFunction(0), TimeFunction(0)};
  d.forces = {spring, push};
  return d;
}

// Poses and velocities of the bodies by name, in the given units.
std::vector<double> numbers(const Simulator& sim, const Units& u = {}) {
  std::vector<std::string> names;
  for (const Body& body : sim.model().bodies) names.push_back(body.name);
  std::sort(names.begin(), names.end());
  std::vector<double> values;
  for (const std::string& name : names) {
    const BodyMotion m = motion(sim, name);
    for (int k = 0; k < 3; ++k) {
      values.push_back(m.position[k] / u.length());
      values.push_back(m.velocity[k] / u.speed());
      values.push_back(m.angular_velocity[k] * u.time());
    }
    for (int k = 0; k < 4; ++k) values.push_back(m.orientation.coeffs()[k]);
  }
  return values;
}

int different_bits(const std::vector<double>& a, const std::vector<double>& b) {
  int count = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    // -0 and 0 are the same number
    if (std::bit_cast<std::uint64_t>(a[i] + 0.0) != std::bit_cast<std::uint64_t>(b.at(i) + 0.0))
      ++count;
  return count;
}

constexpr int bit_steps = 200;
constexpr double bit_h = 0.0123;

std::vector<double> reference_run() {
  Simulator sim = simulator(trough({}));
  int touches = 0, collisions = 0;
  for (int i = 0; i < bit_steps; ++i) {
    if (!certified_step(sim, bit_h)) break;
    touches += sim.report().active_contacts;
    collisions += sim.report().collisions;
  }
  EXPECT_GT(touches, 1000);
  EXPECT_GT(collisions, 10);
  return numbers(sim);
}

TEST(Bits, ScalingByPowersOfTwoChangesNone) {
  const std::vector<double> reference = reference_run();
  for (const Units& u :
       {Units{1, 0, 0}, Units{0, 1, 0}, Units{0, 0, 1}, Units{-3, 5, 2}, Units{10, -7, -5},
        Units{-20, 20, 3}, Units{20, -19, -11}, Units{-7, 0, -4}}) {
    Simulator sim = simulator(trough(u));
    for (int i = 0; i < bit_steps; ++i) {
      sim.step(bit_h * u.time());
      ASSERT_NE(sim.report().status, StepStatus::stopped);
    }
    EXPECT_EQ(different_bits(numbers(sim, u), reference), 0)
        << "lengths 2^" << u.a << ", masses 2^" << u.b << ", times 2^" << u.c;
  }
}

// Also under the relaxed law with its corrections, and from a state in the middle of the run.
TEST(Bits, ScalingAndRestartChangeNoneOfRelaxed) {
  const auto start = [](const Units& u) {
    const Result<BuiltModel> built = build(trough(u));
    return Simulator(built.value().model, *built.value().initial, Relaxed{.corrections = 3});
  };
  Simulator reference = start({});
  State middle;
  int corrections = 0;
  for (int i = 0; i < bit_steps; ++i) {
    if (i == bit_steps / 2) middle = reference.state();
    ASSERT_TRUE(certified_step(reference, bit_h));
    corrections += reference.report().corrections;
  }
  EXPECT_GT(corrections, 100);
  Simulator restarted = start({});
  restarted.set_state(middle);
  while (restarted.state().step < bit_steps) restarted.step(bit_h);
  EXPECT_EQ(hash(restarted.state()), hash(reference.state()));
  for (const Units& u : {Units{1, 0, 0}, Units{-3, 5, 2}, Units{10, -7, -5}}) {
    Simulator sim = start(u);
    for (int i = 0; i < bit_steps; ++i) sim.step(bit_h * u.time());
    EXPECT_EQ(different_bits(numbers(sim, u), numbers(reference)), 0)
        << "lengths 2^" << u.a << ", masses 2^" << u.b << ", times 2^" << u.c;
  }
}

TEST(Bits, OrderInTheDescriptionChangesNone) {
  const std::vector<double> reference = reference_run();
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    Random random(seed);
    ModelDescription d = trough({});
    for (std::size_t i = d.bodies.size() - 1; i > 0; --i)
      std::swap(d.bodies[i],
                d.bodies[static_cast<std::size_t>(random.below(static_cast<int>(i) + 1))]);
    if (seed % 2) std::swap(d.joints[0], d.joints[1]);
    Simulator sim = simulator(d);
    certified_steps(sim, bit_h, bit_steps);
    EXPECT_EQ(different_bits(numbers(sim), reference), 0) << "seed " << seed;
  }
}

TEST(Bits, RepetitionChangesNone) {
  Simulator first = simulator(trough({})), second = simulator(trough({}));
  for (int i = 0; i < bit_steps; ++i) {
    first.step(bit_h);
    second.step(bit_h);
    ASSERT_EQ(hash(first.state()), hash(second.state())) << "step " << i;
  }
  // The workspace of a used simulator holds nothing that changes a run.
  first.set_state(simulator(trough({})).state());
  for (int i = 0; i < bit_steps; ++i) first.step(bit_h);
  EXPECT_EQ(hash(first.state()), hash(second.state()));
}

TEST(Bits, RestartFromAnyStateChangesNone) {
  Simulator whole = simulator(trough({}));
  std::vector<State> states;
  for (int i = 0; i < bit_steps; ++i) {
    if (i % 40 == 17) states.push_back(whole.state());
    whole.step(bit_h);
  }
  for (const State& state : states) {
    Simulator restarted = simulator(trough({}));
    restarted.set_state(state);
    while (restarted.state().step < bit_steps) restarted.step(bit_h);
    EXPECT_EQ(hash(restarted.state()), hash(whole.state())) << "from step " << state.step;
  }
}

}  // namespace
}  // namespace cairn::test_invariance
