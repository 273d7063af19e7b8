// What rests stays where it is to the last bit (E443 to E446), and what friction holds on moving
// bodies does not creep (E440 to E442).
#include <algorithm>
#include <cmath>
#include <limits>

#include "system/worlds.hpp"

namespace cairn::test_sticking {
namespace {

using namespace testing;

constexpr double h = 0.01;

double log_uniform(Random& random, double least, double most) {
  return least * std::pow(most / least, random.uniform(0, 1));
}

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
    for (const ContactMemory& m : sim.state().contacts)
      for (const BodyId id : {m.key.body_a, m.key.body_b}) load[index(id)] += m.impulse_W.norm();
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
  sim.set_external_forces(std::span(&push, 1));
  certified_steps(sim, h, 1);
  EXPECT_NEAR(motion(sim, "bl").velocity.z(), 2 * g * h, 1e-9);
}

// Largest change of the relative poses of all bodies that touched at first [m].
double creep(Simulator& sim, int steps) {
  certified_steps(sim, h, 5);
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (const ContactMemory& m : sim.state().contacts)
    pairs.emplace_back(index(m.key.body_a), index(m.key.body_b));
  EXPECT_FALSE(pairs.empty());
  const std::vector<Pose> start = sim.state().poses;
  double largest = 0;
  for (int i = 0; i < steps; ++i) {
    if (!certified_step(sim, h)) return std::numeric_limits<double>::infinity();
    const std::vector<Pose>& now = sim.state().poses;
    for (const auto& [a, b] : pairs) {
      const Pose was = start[a].inverse() * start[b], is = now[a].inverse() * now[b];
      largest = std::max(largest, (is.p - was.p).norm() + is.R.angularDistance(was.R));
    }
  }
  return largest;
}

const SchemeOptions schemes[] = {Euler{}, Relaxed{}, Hybrid{}};

// Stacks of boxes on a table that turns below the limit of friction.
ModelDescription turntable(std::uint64_t seed) {
  Random random(seed);
  ModelDescription d = world(Vec3(0, 0, -g), 0.6, 0);
  const double rate = random.uniform(0.5, 1.3);
  BodyDescription disc;
  disc.name = "a table";
  disc.motion = Motion{};
  disc.motion->angle = function(std::to_string(rate) + "*t");
  disc.shapes = {{Halfspace{Vec3::UnitZ()}, Pose{}, "default"}};
  d.bodies = {disc};
  const double spin = std::stod(std::to_string(rate));
  for (int stack = 0; stack < 2; ++stack) {
    const double angle = 3 * stack + random.uniform(0, 1), r = random.uniform(0.5, 1.2);
    double z = 0;
    for (int i = 0; i < 3; ++i) {
      const Vec3 size(random.uniform(0.2, 0.3), random.uniform(0.2, 0.3),
                      random.uniform(0.05, 0.1));
      const Vec3 place(r * std::cos(angle) + random.uniform(-0.03, 0.03),
                       r * std::sin(angle) + random.uniform(-0.03, 0.03), z + size.z() / 2);
      d.bodies.push_back(moving("s" + std::to_string(stack) + std::to_string(i), Box{size},
                                log_uniform(random, 0.1, 10), place,
                                spin * Vec3::UnitZ().cross(place), Vec3(0, 0, spin)));
      z += size.z();
    }
  }
  return d;
}

TEST(Sticking, StacksStayOnATurntable) {
  for (const SchemeOptions& scheme : schemes)
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      Simulator sim = simulator_of(turntable(seed), scheme);
      EXPECT_LE(creep(sim, 300), 1e-9) << name(scheme) << " seed " << seed;
    }
}

// Boxes, one on another, on a tray that sways and tilts.
TEST(Sticking, BoxesStayOnASwingingTray) {
  for (const SchemeOptions& scheme : schemes)
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      Random random(seed);
      ModelDescription d = world(Vec3(0, 0, -g), 0.8, 0);
      BodyDescription tray;
      tray.name = "tray";
      tray.motion = Motion{};
      tray.motion->axis = Vec3::UnitY();
      tray.motion->angle = function(std::to_string(random.uniform(0.05, 0.2)) + "*(1-cos(3*t))");
      tray.motion->position = {function("0.05*(1-cos(2*t))"), TimeFunction(0), TimeFunction(0)};
      tray.shapes = {{Box{Vec3(2, 1, 0.1)}, Pose{}, "default"}};
      d.bodies = {tray, moving("a", Box{Vec3(0.3, 0.2, 0.1)}, 1, Vec3(0.3, 0.1, 0.1)),
                  moving("b", Box{Vec3(0.2, 0.15, 0.1)}, log_uniform(random, 0.1, 10),
                         Vec3(0.32, 0.1, 0.2)),
                  moving("c", Box{Vec3(0.2, 0.2, 0.1)}, 5, Vec3(-0.5, -0.1, 0.1))};
      Simulator sim = simulator_of(d, scheme);
      EXPECT_LE(creep(sim, 300), 1e-9) << name(scheme) << " seed " << seed;
    }
}

// Jaws on prismatic joints press a box between them; their base turns and shakes.
TEST(Sticking, AGripperHoldsItsObject) {
  for (const SchemeOptions& scheme : schemes) {
    ModelDescription d = world(Vec3(0, 0, -g), 0.8, 0);
    BodyDescription base;
    base.name = "base";
    base.motion = Motion{};
    base.motion->angle = function("0.2*(1-cos(2*t))");
    base.motion->position = {TimeFunction(0), TimeFunction(0), function("0.01*(1-cos(7*t))")};
    base.shapes = {{Box{Vec3(0.1, 0.1, 0.1)}, Pose{Vec3(0, 0, 1), Quat::Identity()}, "default"}};
    d.bodies = {base, moving("jaw0", Box{Vec3(0.05, 0.2, 0.2)}, 0.5, Vec3(-0.125, 0, 0)),
                moving("jaw1", Box{Vec3(0.05, 0.2, 0.2)}, 0.5, Vec3(0.125, 0, 0)),
                moving("object", Box{Vec3(0.2, 0.15, 0.15)}, 1, Vec3(0, 0, 0))};
    for (int side = 0; side < 2; ++side) {
      const std::string jaw = "jaw" + std::to_string(side);
      JointDescription rail;
      rail.type = PrismaticJoint{Vec3::UnitX()};
      rail.bodies = {"base", jaw};
      d.joints.push_back(rail);
      AppliedForceDescription press;
      press.body = jaw;
      const std::string size = side == 0 ? "60" : "-60";
      press.force = {function(size + "*cos(0.2*(1-cos(2*t)))"),
                     function(size + "*sin(0.2*(1-cos(2*t)))"), TimeFunction(0)};
      d.forces.emplace_back(press);
    }
    Simulator sim = simulator_of(d, scheme);
    // Jaws and object turn together up to the third power of the angle of a step (E441): what is
    // left of the creep is of that order.
    EXPECT_LE(creep(sim, 300), 1e-5) << name(scheme);
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
