// After warm-up a step allocates nothing. Counts for the whole test program; other tests do not
// care.

#include "counted_allocations.hpp"
#include "system/worlds.hpp"

namespace cairn::test_allocation {
namespace {

using namespace testing;

// Runs a scene twice on one simulator: the second run needs no more memory than the first one got.
std::size_t allocations_of_second_run(const Scene& s, int steps) {
  Simulator sim = simulator(s);
  for (int i = 0; i < steps; ++i) sim.step(s.simulation.step);
  sim.set_state(*s.initial);
  const std::size_t before = allocations;
  for (int i = 0; i < steps; ++i) sim.step(s.simulation.step);
  return allocations - before;
}

TEST(Allocation, CounterCounts) {
  const std::size_t before = allocations;
  const auto number = std::make_unique<int>(1);
  EXPECT_EQ(*number, 1);
  EXPECT_GT(allocations, before);
}

class Allocation : public ::testing::TestWithParam<const char*> {};

TEST_P(Allocation, NoneAfterWarmUp) {
  EXPECT_EQ(allocations_of_second_run(scene(GetParam()), 200), 0u);
}

TEST(AllocationOfOptions, NoneAfterWarmUp) {
  for (const char* option : {"nonlinear", "project_contacts"})
    for (const char* name : {"ellipse", "pendulum", "tumbling_box", "slider_crank"})
      EXPECT_EQ(allocations_of_second_run(
                    scene(name, {"simulation.scheme." + std::string(option) + "=true"}), 200),
                0u)
          << option << ' ' << name;
}

TEST(AllocationOfFriction, NoneAfterWarmUp) {
  for (const char* name :
       {"rolling_ball", "spinning_ball", "grained_slope", "fur_feeder", "rolling_pile"})
    EXPECT_EQ(allocations_of_second_run(scene(name), 150), 0u) << name;
}

// Three bodies on two rods, a spring along one and one across both.
TEST(AllocationOfSpringsBesideJoints, NoneAfterWarmUp) {
  for (const char* scheme : {"euler", "relaxed", "hybrid", "trapezoidal"}) {
    const Result<Scene> s = parse_scene(R"({
      "cairn": 1,
      "bodies": [
        {"name": "a", "mass": 1, "position": [0, 0, 0], "velocity": [0, 1, 0],
         "shapes": [{"type": "sphere", "radius": 0.1}]},
        {"name": "b", "mass": 1, "position": [0.5, 0.3, 0],
         "shapes": [{"type": "sphere", "radius": 0.1}]},
        {"name": "c", "mass": 2, "position": [1, 0, 0], "velocity": [0, 0, 1],
         "shapes": [{"type": "sphere", "radius": 0.1}]}],
      "joints": [{"type": "distance", "bodies": ["a", "b"]},
                 {"type": "distance", "bodies": ["b", "c"]}],
      "forces": [{"type": "spring", "bodies": ["a", "b"], "stiffness": 1e5, "rest_length": 0.5},
                 {"type": "spring", "bodies": ["a", "c"], "stiffness": 1e5, "rest_length": 0.99}],
      "simulation": {"scheme": {"type": ")" +
                                            std::string(scheme) + R"("}, "step": 0.005}})",
                                        "springs.json", {});
    ASSERT_TRUE(s);
    EXPECT_EQ(allocations_of_second_run(*s, 100), 0u) << scheme;
  }
}

TEST(AllocationOfPenalty, NoneAfterWarmUp) {
  for (const char* name : {"penalty_ball", "penalty_discs", "penalty_ellipse"})
    EXPECT_EQ(allocations_of_second_run(scene(name), 40), 0u) << name;
}

TEST(AllocationOfRelaxed, NoneAfterWarmUp) {
  for (const char* scheme :
       {R"({"type": "relaxed"})",
        R"({"type": "relaxed", "corrections": 4, "restitution": "completed"})"})
    for (const char* name : {"cannonball21", "shaker", "tumbling_box"})
      EXPECT_EQ(
          allocations_of_second_run(scene(name, {"simulation.scheme=" + std::string(scheme)}), 100),
          0u)
          << scheme << ' ' << name;
}

TEST(AllocationOfTrapezoidal, NoneAfterWarmUp) {
  for (const char* name :
       {"pendulum_wall", "rough_table", "carts", "slider_crank", "heavy_top", "tumbling_box"})
    // Half of the turn up to which a top is followed (E644).
    EXPECT_EQ(allocations_of_second_run(scene(name, {R"(simulation.scheme={"type": "trapezoidal"})",
                                                     "simulation.step=0.004"}),
                                        200),
              0u)
        << name;
}

TEST(AllocationOfHybrid, NoneAfterWarmUp) {
  for (const char* name :
       {"son_ball", "cradle_hybrid", "pendulum_wall", "slider_crank", "tumbling_box",
        "bouncing_ball", "son_ball_rolling", "rolling_ball", "grained_slope"})
    EXPECT_EQ(
        allocations_of_second_run(
            scene(name, {R"(simulation.scheme={"type": "hybrid"})", "simulation.step=0.01"}), 200),
        0u)
        << name;
}

INSTANTIATE_TEST_SUITE_P(All, Allocation,
                         ::testing::Values("cannonball21", "shaker", "pendulum", "tumbling_box",
                                           "rocking_ellipsoid", "bouncing_ball", "spring_mass",
                                           "tower10", "polygons"),
                         [](const auto& tested) { return std::string(tested.param); });

}  // namespace
}  // namespace cairn::test_allocation
