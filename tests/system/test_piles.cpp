// The piles of Anitescu 2003; Anitescu and Hart 2004: certified, without penetration, without
// energy gained.
#include "system/worlds.hpp"

namespace cairn::test_piles {
namespace {

using namespace testing;

struct Pile {
  const char* scene;
  double restitution;
  int steps;
};

class Piles : public ::testing::TestWithParam<Pile> {};

TEST_P(Piles, CertifiedNoPenetrationNoEnergyGained) {
  const Pile& pile = GetParam();
  const Scene s =
      scene(pile.scene, {"materials.default.restitution=" + std::to_string(pile.restitution)});
  ASSERT_EQ(std::get<Euler>(s.simulation.scheme).energy_guard, EnergyGuard::step);
  Simulator sim = simulator(s);
  const double start = sim.kinetic_energy() + sim.potential_energy();
  double penetration = 0, rise = 0, certificate = 0;
  int corrections = 0, collisions = 0;
  for (int i = 0; i < pile.steps; ++i) {
    if (!certified_step(sim, s.simulation.step)) break;
    const StepReport& report = sim.report();
    penetration = std::max(penetration, report.penetration);
    certificate = std::max(certificate, report.certificate);
    rise = std::max(rise, report.ledger.rise());
    corrections += report.guard_corrections;
    collisions += report.collisions;
  }
  EXPECT_LE(certificate, 1e-8);
  EXPECT_LE(penetration, 1e-7);
  EXPECT_LE(rise, 1e-9 * start);
  EXPECT_LT(sim.kinetic_energy() + sim.potential_energy(), start);
  // Without restitution nothing collides and there is nothing to guard.
  EXPECT_EQ(collisions > 0, pile.restitution > 0);
  EXPECT_LE(corrections, collisions);
  RecordProperty("penetration", std::to_string(penetration * 1e9) + " nm");
  RecordProperty("rise_over_start", std::to_string(rise / start * 1e9) + "e-9");
  RecordProperty("certificate", std::to_string(certificate * 1e9) + "e-9");
  RecordProperty("guard_corrections", corrections);
}

// A thousand spheres that fall on each other, in space and with exact friction, to eight digits in
// every step; after 22 of them more than a thousand contacts push.
TEST(FallingSpheres, EveryStepToEightDigits) {
  const Scene s = scene("pile1000", {"simulation.solver.tolerance=1e-8"});
  Simulator sim = simulator(s);
  for (int i = 0; i < 22; ++i) {
    ASSERT_TRUE(certified_step(sim, s.simulation.step)) << i;
    EXPECT_LE(sim.report().certificate, 1e-8);
  }
  EXPECT_GT(sim.report().active_contacts, 1000);
}

INSTANTIATE_TEST_SUITE_P(All, Piles,
                         ::testing::Values(Pile{"cannonball21", 0, 200},
                                           Pile{"cannonball21", 0.4, 200},
                                           Pile{"cannonball21", 0.9, 200},
                                           Pile{"cannonball66", 0, 400},
                                           Pile{"cannonball66", 0.4, 120}));

// Rows of n, n-1, ..., 1 discs that just touch: n with the plank, n (n-1)/2 in the rows and n (n-1)
// between them. Distances of 6 m are rounded to 1e-15 m each.
TEST(Piles, AllTouchAtTheStart) {
  for (const auto& [name, touching] :
       {std::pair{"cannonball21", 51}, std::pair{"cannonball66", 176}}) {
    Simulator sim = simulator(scene(name));
    EXPECT_LE(sim.penetration(), 1e-13);
    certified_steps(sim, 1e-3, 1);
    int count = 0;
    for (const ContactReport& c : sim.report().contacts)
      if (std::abs(c.contact.gap) <= 1e-13) ++count;
    EXPECT_EQ(count, touching) << name;
  }
}

// 1000 spheres drop into a box: the fall, the first impacts, all of them in one island. Exact
// friction at 1e-4 in every step; what that leaves of a speed of 4 m/s in a step of 0.01 s is 4e-6
// m a contact, and some of them add up in a column.
TEST(Pile, ThousandSpheresAreCertifiedInEveryStep) {
  const Scene s = scene("pile1000", {"simulation.solver.tolerance=1e-4"});
  Simulator sim = simulator(s);
  EXPECT_EQ(tolerance(s.simulation.solver), 1e-4);
  for (int i = 0; i < 36; ++i) {
    if (!certified_step(sim, s.simulation.step)) break;
    EXPECT_LE(sim.report().penetration, 1e-4);
  }
  EXPECT_GT(sim.report().active_contacts, 1000);
}

// All of the scene at its own tolerance, until nearly everything rests: every step is accepted
// within its budget of work.
TEST(Pile, ThousandSpheresSettle) {
  const Scene s = scene("pile1000");
  Simulator sim = simulator(s);
  const int steps = static_cast<int>(std::lround(s.simulation.duration / s.simulation.step));
  ASSERT_EQ(steps, 200);
  for (int i = 0; i < steps; ++i) {
    if (!certified_step(sim, s.simulation.step)) break;
    ASSERT_LE(sim.report().penetration, 1e-4);
  }
  EXPECT_GT(sim.report().active_contacts, 2000);
}

// The lowest layers of 1000 cubes, turned at random, meet the floor and each other.
TEST(Pile, ThousandCubesAreCertifiedInEveryStep) {
  const Scene s = scene("boxes1000");
  Simulator sim = simulator(s);
  EXPECT_EQ(tolerance(s.simulation.solver), 1e-4);
  EXPECT_EQ(sim.penetration(), 0);
  certified_steps(sim, s.simulation.step, 45);
  EXPECT_GT(sim.report().active_contacts, 100);  // every cube of the lowest layer has come down
}

}  // namespace
}  // namespace cairn::test_piles
