// The Brazil nut of Anitescu and Hart 2004, its first eight shakes: strong shaking lifts the large
// disc, weak shaking does not. The scenes run to their end with `cairn run`.
#include <algorithm>

#include "system/worlds.hpp"

namespace cairn::test_brazil_nut {
namespace {

using namespace testing;

constexpr int shakes = 8;

// Height of the nut's centre over the floor after the shakes. Every step is certified and one
// convex problem under the relaxed law, and discs, whose gaps are convex, do not overlap beyond
// what the tolerance leaves of speeds of some 20 m/s.
double height_after_shakes(const std::string& name) {
  const Scene s = scene(name);
  const auto dynamic =
      std::count_if(s.model->bodies.begin(), s.model->bodies.end(),
                    [](const Body& body) { return body.kind == BodyKind::dynamic; });
  EXPECT_EQ(dynamic, 270);
  EXPECT_EQ(s.simulation.step, 0.1);
  Simulator sim = simulator(s);
  for (int i = 0; i < 10 * shakes; ++i) {
    if (!certified_step(sim, s.simulation.step)) break;
    EXPECT_EQ(sim.report().solves.size(), 1);
    EXPECT_LE(sim.report().penetration, 1e-5);
    for (const Constraint& c : sim.report().solves.front().problem.constraints)
      EXPECT_EQ(c.law, Law::coulomb_relaxed);
  }
  return motion(sim, "nut").position.y() - motion(sim, "box").position.y();
}

// With a small disc, 2 m, under the nut of radius 4 m its centre is above 6 m.
TEST(BrazilNut, StrongShakingBringsDiscsUnderTheNut) {
  EXPECT_GT(height_after_shakes("brazil_nut"), 6);
}

TEST(BrazilNut, WeakShakingDoesNot) {
  EXPECT_LT(height_after_shakes("brazil_nut_weak"), 6);
}

}  // namespace
}  // namespace cairn::test_brazil_nut
