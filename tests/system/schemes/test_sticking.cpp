// What rests stays where it is to the last bit (E443 to E446), and what friction holds on moving
// bodies does not creep (E440 to E442).
#include <cmath>
#include <limits>

#include "system/schemes/sticking_worlds.hpp"

namespace cairn::test_sticking {
namespace {

using namespace testing;

constexpr double h = 0.01;

// Twelve boxes with masses from 1 g to 1 t.
ModelDescription tower(std::uint64_t seed) {
  Random random(seed);
  ModelDescription d = world(Vec3(0, 0, -g), 0.5, 0);
  d.bodies = {fixed_halfspace("floor", Vec3::UnitZ())};
  double z = 0;
  for (int i = 0; i < 12; ++i) {
    const Vec3 size(random.uniform(0.4, 0.9), random.uniform(0.4, 0.9), random.uniform(0.1, 0.4));
    const Vec3 place(random.uniform(-0.02, 0.02), random.uniform(-0.02, 0.02), z + size.z() / 2);
    d.bodies.push_back(moving(std::string("b") + static_cast<char>('a' + i), Box{size},
                              log_uniform(random, 1e-3, 1e3), place));
    z += size.z();
  }
  return d;
}

ModelDescription table(std::uint64_t seed) {
  Random random(seed);
  ModelDescription d = world(Vec3(0, 0, -g), 0.5, 0);
  d.bodies = {fixed_halfspace("floor", Vec3::UnitZ())};
  for (int i = 0; i < 4; ++i)
    d.bodies.push_back(moving("leg" + std::to_string(i), Box{Vec3(0.1, 0.1, 0.7)},
                              log_uniform(random, 1e-3, 1e3),
                              Vec3(i % 2 ? 0.5 : -0.5, i / 2 ? 0.3 : -0.3, 0.35)));
  d.bodies.push_back(
      moving("top", Box{Vec3(1.2, 0.8, 0.1)}, log_uniform(random, 1e-3, 1e3), Vec3(0, 0, 0.75)));
  d.bodies.push_back(moving("load", Box{Vec3(0.2, 0.2, 0.2)}, log_uniform(random, 1e-3, 1e3),
                            Vec3(random.uniform(-0.2, 0.2), random.uniform(-0.1, 0.1), 0.9)));
  return d;
}

// Poses do not change by a bit, velocities are rounding of the impulses that hold the bodies.
void expect_rest(const ModelDescription& d) {
  constexpr double eps = std::numeric_limits<double>::epsilon();
  Simulator sim = simulator(d);
  certified_steps(sim, h, 10);
  const std::vector<Pose> rest = sim.state().poses;
  for (int i = 0; i < 300; ++i) {
    if (!certified_step(sim, h)) return;
    std::vector<double> load(sim.model().bodies.size(), 0);
    for (const ImpulseMemory& m : of_role(sim.state().impulses, Role::contact))
      for (const BodyId id : {m.key.contact.body_a, m.key.contact.body_b})
        load[index(id)] += m.impulse.norm();
    for (std::size_t k = 0; k < load.size(); ++k) {
      const Body& body = sim.model().bodies[k];
      if (body.velocities == 0) continue;
      ASSERT_LE((sim.state().poses[k].p - rest[k].p).norm(), 1e-12) << body.name << " step " << i;
      ASSERT_LE(sim.state().v.segment(body.first_velocity, 3).norm(),
                1e3 * eps * load[k] / body.mass)
          << body.name << " step " << i;
    }
  }
  EXPECT_EQ(sim.state().poses, rest);
}

TEST(Rest, TowersOfAnyMassesAreExact) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) expect_rest(tower(seed));
}

TEST(Rest, TablesOfAnyMassesAreExact) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) expect_rest(table(seed));
}

// A step that is repeated is what a new simulator finds.
TEST(Rest, RepeatedStepsAreThoseOfAFreshSimulator) {
  Simulator sim = simulator(tower(3));
  certified_steps(sim, h, 20);
  const Result<BuiltModel> built = build(tower(3));
  for (int i = 0; i < 10; ++i) {
    Simulator fresh(built.value().model, sim.state(), Euler{}, Auto{}, fixed_step);
    fresh.step(h);
    sim.step(h);
    ASSERT_EQ(hash(fresh.state()), hash(sim.state()));
    ASSERT_EQ(fresh.report().step, sim.report().step);
    ASSERT_EQ(fresh.report().t, sim.report().t);
    ASSERT_EQ(fresh.report().certificate, sim.report().certificate);
    ASSERT_EQ(fresh.report().ledger.integrator, sim.report().ledger.integrator);
  }
}

// Forces that are set while a tower repeats its steps act at once.
TEST(Rest, ForcesEndTheRepetition) {
  Simulator sim = simulator(tower(4));
  certified_steps(sim, h, 20);
  const BodyId top = sim.model().find_body("bl").value();
  const double mass = sim.model().body(top).mass;
  const ExternalForce push{.body = top, .force = Vec3(0, 0, 3 * mass * g)};
  ASSERT_TRUE(certified_step(sim, h, {.forces = {push}, .motors = {}}));
  EXPECT_NEAR(motion(sim, "bl").velocity.z(), 2 * g * h, 1e-9);
}

const SchemeOptions schemes[] = {Euler{}, Relaxed{}, Hybrid{}};

TEST(Sticking, StacksStayOnATurntable) {
  for (const SchemeOptions& scheme : schemes)
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      Simulator sim = simulator_of(stacks_on_turntable(seed), scheme);
      EXPECT_LE(creep(sim, h, 300), 1e-9) << name(scheme) << " seed " << seed;
    }
}

// A box on a slope holds just below its limit and slides just above it.
TEST(Sticking, SlopesFlipAtTheirLimit) {
  const double angle = 0.4, slope = std::tan(angle);
  for (const double off : {1e-9, -1e-9}) {
    ModelDescription d =
        world(Vec3(g * std::sin(angle), 0, -g * std::cos(angle)), slope * (1 + off), 0);
    d.bodies = {fixed_halfspace("floor", Vec3::UnitZ()),
                moving("box", Box{Vec3(0.4, 0.4, 0.1)}, 2, Vec3(0, 0, 0.05))};
    Simulator sim = simulator(d);
    certified_steps(sim, h, 200);
    const double v = motion(sim, "box").velocity.x(), free = 1e-9 * g * std::sin(angle) * 2;
    if (off > 0)
      EXPECT_LE(std::abs(v), 1e-3 * free);
    else
      EXPECT_NEAR(v, free, 1e-2 * free);
  }
}

}  // namespace
}  // namespace cairn::test_sticking
