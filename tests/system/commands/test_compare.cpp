// Comparisons of friction laws: their figures are those of runs of their own.
#include <cmath>

#include "page/compare_page.hpp"
#include "record/run/run.hpp"
#include "system/worlds.hpp"

namespace cairn::test_compare {
namespace {

using namespace testing;

void run_all(const Scene& s, int steps, record::FrictionComparison& comparison) {
  for (record::FrictionVariant& variant : comparison.variants) {
    Simulator sim(s.model, *s.initial, variant.scheme, s.simulation.solver);
    for (int i = 0; i < steps; ++i) {
      sim.step(s.simulation.step);
      record::add_step(s, sim.report(), sim.state(), variant);
    }
  }
  record::finish_comparison(comparison);
}

const record::FrictionVariant& variant(const record::FrictionComparison& comparison,
                                       const std::string& name) {
  for (const record::FrictionVariant& v : comparison.variants)
    if (v.name == name) return v;
  ADD_FAILURE() << name;
  return comparison.variants.front();
}

// A block that starts to slide at 3 m/s with mu = 0.3: v(t) = v0 - mu g t, N = m g, F = mu N.
TEST(Comparison, SlidingBlockHasTheFiguresOfTheClosedForm) {
  const Scene s = scene("sliding_block");
  const double h = s.simulation.step, mu = 0.3;
  const int steps = 50;
  Result<record::FrictionComparison> comparison = record::begin_comparison(s, 0.01);
  ASSERT_TRUE(comparison);
  ASSERT_EQ(comparison->variants.size(), 5u);
  run_all(s, steps, *comparison);

  // Euler takes the speed at the end of each step.
  double way = 0;
  for (int i = 1; i <= steps; ++i) way += h * (3 - mu * g * h * i);
  const record::FrictionVariant& exact = variant(*comparison, "exact");
  EXPECT_NEAR(exact.normal_force(), g, 1e-9);
  EXPECT_NEAR(exact.friction_force(), mu * g, 1e-9);
  EXPECT_NEAR(exact.slip, way, 1e-9);
  EXPECT_NEAR(exact.totals.ledger.friction, mu * g * way, 1e-9);
  EXPECT_LE(exact.lift_gap, 1e-12);
  EXPECT_LE(exact.hover_gap, 1e-12);
  EXPECT_EQ(exact.position, 0);
  EXPECT_EQ(exact.dissipation_off, 0);
  // Along t1 or a vertex a pyramid is exact; the block slides along x.
  for (const char* k : {"k=4", "k=8", "k=16"}) {
    EXPECT_LE(variant(*comparison, k).lift_gap, 1e-12);
    EXPECT_NEAR(variant(*comparison, k).slip, way, 1e-9) << k;
  }
  // The first step presses with all it has: thrown up at mu v_T with v_T (1 + mu^2) = v0 - mu g h.
  const record::FrictionVariant& relaxed = variant(*comparison, "relaxed");
  const double thrown = mu * (3 - mu * g * h) / (1 + mu * mu);
  EXPECT_NEAR(relaxed.hover_gap, h * thrown, 1e-9);
  // It then flies without any force, and higher: a parabola of Euler steps.
  double height = 0, highest = 0;
  for (double v = thrown; height >= 0 && v > -thrown; v -= g * h) {
    height += h * v;
    highest = std::max(highest, height);
  }
  EXPECT_GT(highest, 3 * h * thrown);
  EXPECT_NEAR(relaxed.lift_gap, highest, 1e-9);
  EXPECT_GT(relaxed.totals.figures.largest.coulomb_residual, 1e-3);
  EXPECT_FALSE(comparison->warnings.empty());
}

// What holds is the same under every law, and no warning is due.
TEST(Comparison, SticksTheSameUnderEveryLaw) {
  const Scene s = scene("incline_hold");
  Result<record::FrictionComparison> comparison = record::begin_comparison(s, 1e-6);
  ASSERT_TRUE(comparison);
  run_all(s, 50, *comparison);
  for (const record::FrictionVariant& v : comparison->variants) {
    EXPECT_LE(v.position, 1e-12) << v.name;
    EXPECT_LE(v.lift_gap, 1e-12) << v.name;
    EXPECT_LE(v.hover_gap, 1e-12) << v.name;
  }
}

// Corrections close the gap that the relaxation leaves.
TEST(Comparison, ShowsTheCorrectedRelaxationWhereAskedFor) {
  const Scene s =
      scene("sliding_block", {R"(simulation.scheme={"type": "relaxed", "corrections": 20})"});
  Result<record::FrictionComparison> comparison = record::begin_comparison(s, 0.01);
  ASSERT_TRUE(comparison);
  ASSERT_EQ(comparison->variants.size(), 6u);
  run_all(s, 50, *comparison);
  const record::FrictionVariant &relaxed = variant(*comparison, "relaxed"),
                                &corrected = variant(*comparison, "corrected");
  EXPECT_LE(corrected.lift_gap, 1e-6 * relaxed.lift_gap);
  EXPECT_LE(corrected.hover_gap, 1e-6 * relaxed.hover_gap);
  EXPECT_LE(corrected.totals.figures.largest.coulomb_residual, 1e-8);
  EXPECT_LE(corrected.position_off, 1e-6);
  const std::string page = page::comparison_html(*comparison);
  for (const char* word : {"corrected", "k=16", "<svg", "The relaxation is off"})
    EXPECT_NE(page.find(word), std::string::npos) << word;
}

}  // namespace
}  // namespace cairn::test_compare
