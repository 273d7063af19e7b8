// Structures that stand do not drift, whatever the masses in them (E443 to E446): random members of
// families, masses over six decades.
#include <cstdlib>

#include "system/schemes/sticking_worlds.hpp"

namespace cairn::test_rest {
namespace {

using namespace testing;

constexpr double h = 0.01;

std::string numbered(const std::string& name, int i) {
  return name + static_cast<char>('a' + i / 26) + static_cast<char>('a' + i % 26);
}

double any_mass(Random& random) {
  return log_uniform(random, 1e-3, 1e3);
}

ModelDescription on_floor(double friction) {
  ModelDescription d = world(Vec3(0, 0, -g), friction, 0);
  d.bodies = {fixed_halfspace("floor", Vec3::UnitZ())};
  return d;
}

// Boxes on each other, turned about the vertical. Offsets are below a tenth of the smallest half
// width, so that every centre of mass above lies over each face.
ModelDescription tower(Random& random) {
  ModelDescription d = on_floor(0.5);
  const int boxes = 2 + random.below(12);
  double z = 0;
  for (int i = 0; i < boxes; ++i) {
    const Vec3 size(random.uniform(0.4, 0.9), random.uniform(0.4, 0.9), random.uniform(0.1, 0.4));
    const double x = random.uniform(-0.02, 0.02), y = random.uniform(-0.02, 0.02);
    BodyDescription box =
        moving(numbered("b", i), Box{size}, any_mass(random), Vec3(x, y, z + size.z() / 2));
    box.orientation = Eigen::AngleAxisd(random.uniform(-3, 3), Vec3::UnitZ());
    d.bodies.push_back(box);
    z += size.z();
  }
  return d;
}

// Bricks in bond with half bricks at the ends of every other row, joints open by 1 cm.
ModelDescription wall(Random& random) {
  ModelDescription d = on_floor(0.6);
  const int rows = 2 + random.below(4), columns = 2 + random.below(3);
  const double length = 0.4, height = random.uniform(0.1, 0.3);
  int brick = 0;
  for (int row = 0; row < rows; ++row)
    for (int i = 0; i < columns + row % 2; ++i) {
      const bool half = row % 2 == 1 && (i == 0 || i == columns);
      const double x = row % 2 == 0 ? i + 0.5 : half ? (i == 0 ? 0.25 : columns - 0.25) : i;
      d.bodies.push_back(moving(numbered("b", brick++),
                                Box{Vec3((half ? 0.5 : 1) * length - 0.01, 0.2, height)},
                                any_mass(random), Vec3(x * length, 0, (row + 0.5) * height)));
    }
  return d;
}

ModelDescription table(Random& random) {
  ModelDescription d = on_floor(0.5);
  for (int i = 0; i < 4; ++i)
    d.bodies.push_back(moving(numbered("leg", i), Box{Vec3(0.1, 0.1, 0.7)}, any_mass(random),
                              Vec3(i % 2 ? 0.5 : -0.5, i / 2 ? 0.3 : -0.3, 0.35)));
  d.bodies.push_back(moving("top", Box{Vec3(1.2, 0.8, 0.1)}, any_mass(random), Vec3(0, 0, 0.75)));
  const double x = random.uniform(-0.2, 0.2), y = random.uniform(-0.1, 0.1);
  d.bodies.push_back(moving("load", Box{Vec3(0.2, 0.2, 0.2)}, any_mass(random), Vec3(x, y, 0.9)));
  return d;
}

// Voussoirs between fixed abutments. A flat arch, deeper than its span, holds any masses; a round
// one those that differ by a factor of ten, of any size.
ModelDescription arch(Random& random) {
  ModelDescription d = world(Vec3(0, 0, -g), 0.8, 0);
  const bool round = random.uniform(0, 1) < 0.5;
  const int stones = 3 + 2 * random.below(3);
  const double from = round ? 0 : std::numbers::pi / 2 - 0.5, to = std::numbers::pi - from;
  const double outer = round ? 1.9 : 2.2, half = random.uniform(0.15, 0.4),
               size = log_uniform(random, 1e-2, 1e2);
  for (int i = 0; i < stones; ++i) {
    std::vector<Vec3> corners;
    Vec3 centre = Vec3::Zero();
    for (const double angle :
         {from + (to - from) * i / stones, from + (to - from) * (i + 1) / stones})
      for (const double r : {1.0, outer})
        for (const double y : {-half, half}) {
          corners.emplace_back(r * std::cos(angle), y, r * std::sin(angle));
          centre += corners.back() / 8;
        }
    for (Vec3& corner : corners) corner -= centre;
    const double mass = round ? size * log_uniform(random, 0.3, 3) : any_mass(random);
    d.bodies.push_back(moving(numbered("b", i), Hull{corners}, mass, centre));
  }
  for (const auto& [name, angle, sign] :
       {std::tuple("left", to, -1.0), std::tuple("right", from, 1.0)})
    d.bodies.push_back(fixed_halfspace(name, sign * Vec3(-std::sin(angle), 0, std::cos(angle)),
                                       Vec3(1.5 * std::cos(angle), 0, 1.5 * std::sin(angle))));
  return d;
}

// Pairs of cards that lean on each other at their upper edges, under a deck.
ModelDescription cards(Random& random) {
  ModelDescription d = on_floor(0.9);
  const double length = 1, thick = 0.04, lean = random.uniform(0.15, 0.3);
  const int pairs = 1 + random.below(3);
  const double mass = any_mass(random);
  // Half the extent of a card, along x to its inner upper edge and along z.
  const double in = 0.5 * (length * std::sin(lean) + thick * std::cos(lean)),
               up = 0.5 * (length * std::cos(lean) + thick * std::sin(lean));
  for (int pair = 0; pair < pairs; ++pair)
    for (const int side : {-1, 1}) {
      BodyDescription card =
          moving(numbered("c", 2 * pair + (side + 1) / 2), Box{Vec3(thick, 0.6, length)},
                 mass * log_uniform(random, 0.8, 1.25), Vec3(4 * in * pair + side * in, 0, up));
      card.orientation = Eigen::AngleAxisd(-side * lean, Vec3::UnitY());
      d.bodies.push_back(card);
    }
  d.bodies.push_back(moving("deck", Box{Vec3(4 * in * pairs, 0.6, thick)},
                            mass * log_uniform(random, 1e-3, 1),
                            Vec3(2 * in * (pairs - 1), 0, 2 * up + thick / 2)));
  return d;
}

// Drift in all of the run at most 1e-10 m, and after ten steps velocities that are rounding of the
// impulses that hold the bodies, 1e3 eps sum|lambda|/m (E1020). CAIRN_SOAK=1: 100 members, every
// tenth for 100 s.
void expect_rest(ModelDescription (*make)(Random&)) {
  constexpr double eps = std::numeric_limits<double>::epsilon();
  const bool soak = std::getenv("CAIRN_SOAK") != nullptr;
  for (std::uint64_t seed = 1; seed <= (soak ? 100u : 6u); ++seed) {
    Random random(seed);
    Simulator sim = simulator(make(random));
    const std::vector<Pose> start = sim.state().poses;
    const int steps = !soak ? 100 : seed % 10 == 0 ? 10000 : 500;
    for (int i = 0; i < steps; ++i) {
      if (!certified_step(sim, h)) return;
      std::vector<double> load(start.size(), 0);
      for (const ImpulseMemory& m : of_role(sim.state().impulses, Role::contact))
        for (const BodyId id : {m.key.contact.body_a, m.key.contact.body_b})
          load[index(id)] += m.impulse.norm();
      for (std::size_t k = 0; k < load.size(); ++k) {
        const Body& body = sim.model().bodies[k];
        if (body.velocities == 0) continue;
        ASSERT_LE((sim.state().poses[k].p - start[k].p).norm(), 1e-10)
            << body.name << " step " << i << " seed " << seed;
        if (i < 10) continue;
        ASSERT_LE(sim.state().v.segment(body.first_velocity, 3).norm(),
                  1e3 * eps * load[k] / body.mass)
            << body.name << " step " << i << " seed " << seed;
      }
    }
  }
}

// A load that grows and a ball that flies far away: the factor that is kept (E1023) and the
// contacts that are recalled (E1024) are those that a new simulator finds, bit by bit. Nothing
// moves.
void expect_kept(ModelDescription (*make)(Random&)) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    Random random(seed);
    ModelDescription d = make(random);
    d.bodies.push_back(
        moving("zz", Sphere{0.1}, 1, Vec3(50, 0, 1000), Vec3(1, 0, 100), Vec3::Zero()));
    const Result<BuiltModel> built = build(d);
    Simulator sim = simulator(d);
    certified_steps(sim, h, 30);
    const std::vector<Pose> start = sim.state().poses;
    const BodyId pressed = sim.model().find_body(d.bodies[d.bodies.size() - 2].name).value();
    for (int i = 0; i < 20; ++i) {
      const double load = 1e-4 * i * sim.model().body(pressed).mass * g;
      const Controls controls{.forces = {{.body = pressed, .force = Vec3(0, 0, -load)}},
                              .motors = {}};
      Simulator fresh(built.value().model, sim.state(), Euler{}, Auto{}, fixed_step);
      fresh.step(h, controls);
      if (!certified_step(sim, h, controls)) return;
      ASSERT_EQ(hash(fresh.state()), hash(sim.state())) << "seed " << seed << " step " << i;
      for (std::size_t k = 0; k + 1 < start.size(); ++k)
        ASSERT_LE((sim.state().poses[k].p - start[k].p).norm(), 1e-10) << seed << ' ' << i;
    }
  }
}

TEST(RestFamilies, WhatIsKeptIsWhatAFreshSimulatorFinds) {
  expect_kept(tower);
  expect_kept(wall);
  expect_kept(arch);
}

TEST(RestFamilies, TowersAreExact) {
  expect_rest(tower);
}

TEST(RestFamilies, WallsAreExact) {
  expect_rest(wall);
}

TEST(RestFamilies, TablesAreExact) {
  expect_rest(table);
}

TEST(RestFamilies, ArchesAreExact) {
  expect_rest(arch);
}

TEST(RestFamilies, CardHousesAreExact) {
  expect_rest(cards);
}

}  // namespace
}  // namespace cairn::test_rest
