// The observed order of a scene (E183): of euler one, of trapezoidal two.
#include "bench/order.hpp"
#include "system/worlds.hpp"

namespace cairn::testing::test_order {
namespace {

std::vector<bench::OrderRow> rows(const char* name, const std::vector<std::string>& set,
                                  int halvings) {
  const Scene s = scene(name, set);
  std::vector<bench::OrderRun> runs;
  for (int k = 0; k <= halvings; ++k)
    runs.push_back(bench::order_run(s, std::ldexp(s.simulation.step, -k), nullptr));
  return bench::order_table(*s.model, runs);
}

TEST(Order, OfBothSchemes) {
  const auto two =
      rows("slider_crank",
           {R"(simulation.scheme={"type": "trapezoidal"})", "simulation.duration=0.5"}, 3);
  const auto one = rows("slider_crank", {"simulation.duration=0.5"}, 3);
  ASSERT_EQ(two.size(), 3u);
  EXPECT_NEAR(two[1].velocity_order, 2, 0.05);
  EXPECT_NEAR(one[1].velocity_order, 1, 0.05);
  EXPECT_TRUE(std::isnan(two[2].velocity_order));  // nothing finer to compare with
  EXPECT_TRUE(std::isnan(two[0].event));           // no events
  EXPECT_LE(two[0].joint, 1e-14);
}

TEST(Order, OfTheTimesOfEvents) {
  const auto table =
      rows("rough_table", {"simulation.step=0.015625", "simulation.duration=0.5"}, 3);
  EXPECT_NEAR(table[1].event_order, 2, 0.05);
  EXPECT_NEAR(table[1].position_order, 2, 0.05);
}

// A duration that is no multiple of the step ends at the duration.
TEST(Order, RunsToTheEnd) {
  const Scene s = scene("rough_table", {"simulation.duration=0.1"});
  EXPECT_NEAR(bench::order_run(s, 0.03, nullptr).state.t, 0.1, 1e-15);
  EXPECT_NEAR(bench::order_run(s, 0.025, nullptr).state.t, 0.1, 1e-15);
}

}  // namespace
}  // namespace cairn::testing::test_order
