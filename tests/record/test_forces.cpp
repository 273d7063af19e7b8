// What a run tells about forces that are not unique, and about bodies that are wedged.
#include <gtest/gtest.h>

#include "cairn/scene.hpp"
#include "page/report.hpp"
#include "record/run/forces.hpp"
#include "record/run/run.hpp"
#include "record/run/totals.hpp"
#include "record/sample.hpp"

namespace cairn::test_forces {
namespace {

Scene scene_of(const std::string& bodies) {
  const Result<Scene> scene = parse_scene(
      R"({"cairn": 1, "gravity": [0, 0, -8], "materials": {"default": {"friction": 0.5, "restitution": 0}}, "bodies": [)" +
          bodies + R"(], "simulation": {"step": 0.0078125, "duration": 1}})",
      "scene.json");
  EXPECT_TRUE(scene) << scene.error().front().text();
  return *scene;
}

constexpr const char* table_on_floor =
    R"({"name": "floor", "fixed": true, "shapes": [{"type": "halfspace", "normal": [0, 0, 1]}]},
       {"name": "block", "mass": 2, "position": [0, 0, 0.25], "shapes": [{"type": "box", "size": [1, 1, 0.5]}]})";

// Friction of all corners acts in one plane and adds up to nothing, so that it takes no part in the
// moments: each corner carries between nothing and half of the weight, as a table's leg does.
TEST(Forces, BlockOnFourCorners) {
  const Scene scene = scene_of(table_on_floor);
  const double weight = 16;
  Simulator simulator(scene.model, *scene.initial);
  const record::ForceTable table = record::force_table(*scene.model, simulator.step(0.0078125));
  EXPECT_EQ(table.refusal, "");
  EXPECT_EQ(table.rows, 12);
  EXPECT_EQ(table.rank, 6);
  EXPECT_FALSE(table.unique);
  ASSERT_EQ(table.contacts.size(), 4U);
  for (const record::ForceTable::Row& row : table.contacts) {
    EXPECT_NEAR(row.lo, 0, 1e-12 * weight + row.gap);
    EXPECT_NEAR(row.hi, weight / 2, 1e-12 * weight + row.gap);
    EXPECT_LE(row.gap, 1e-6 * weight);
    EXPECT_STREQ(row.activity, "sticks");
  }
  ASSERT_EQ(table.bodies.size(), 1U);
  ASSERT_EQ(table.pairs.size(), 1U);
  EXPECT_EQ(table.bodies[0].name, "block");
  EXPECT_TRUE(table.pairs[0].unique);
  for (const auto* resultant : {&table.bodies[0], &table.pairs[0]})
    EXPECT_LT((resultant->force - Vec3(0, 0, weight)).norm(), 1e-12 * weight);
  EXPECT_TRUE(table.jammed.empty());
}

constexpr const char* disc_between_walls =
    R"({"name": "left", "fixed": true, "shapes": [{"type": "halfspace", "normal": [1, 0, 0]}]},
       {"name": "right", "fixed": true, "position": [2, 0, 0], "shapes": [{"type": "halfspace", "normal": [-1, 0, 0]}]},
       {"name": "ball", "mass": 1, "position": [1, 0, 0], "velocity": [1, 0, -1],
        "angular_velocity": [0, 1, 0.5], "shapes": [{"type": "sphere", "radius": 1}]})";

// Two parallel walls can hold any stress; the bodies are named once, however many steps fail.
TEST(Forces, JammingIsNamedWhereStepsFail) {
  const Scene scene = scene_of(disc_between_walls);
  const std::string text = "bodies ball can be wedged by contact ball-left:0, contact ball-right:0";
  Simulator simulator(scene.model, *scene.initial);
  EXPECT_EQ(record::force_table(*scene.model, simulator.step(0.0078125)).jammed, std::vector{text});

  record::RunTotals certified, failed;
  record::add_step(*scene.model, simulator.report(), certified);
  EXPECT_TRUE(certified.jammed.empty());
  Simulator hasty(scene.model, *scene.initial, Euler{}, Nsgs{.tolerance = 1e-300, .max_sweeps = 1});
  for (int n = 0; n < 5; ++n) record::add_step(*scene.model, hasty.step(0.0078125), failed);
  ASSERT_GT(failed.uncertified_steps, 0);
  EXPECT_EQ(failed.jammed, std::vector{text});
}

TEST(Forces, SummaryAndReportShowThemWhenAsked) {
  const Scene scene = scene_of(table_on_floor);
  for (const bool asked : {false, true}) {
    const sample::Folder folder;
    Result<record::RunRecorder> recorder =
        record::RunRecorder::create(scene, {folder.path(), "", page::run_page});
    ASSERT_TRUE(recorder);
    Simulator simulator(scene.model, *scene.initial);
    ASSERT_TRUE(recorder->record(simulator.step(0.0078125), simulator.state()));
    if (asked) recorder->record_forces(simulator.report());
    ASSERT_TRUE(recorder->finish());
    const std::string summary = sample::read(folder.file("summary.json")),
                      report = sample::read(folder.file("report.html"));
    EXPECT_EQ(summary.find("\"degree\": 6") != std::string::npos, asked);
    EXPECT_EQ(report.find("id=\"contact-forces\"") != std::string::npos, asked);
  }
}

TEST(Forces, AStepThatIsNotCertifiedHasNoTable) {
  const Scene scene = scene_of(table_on_floor);
  Simulator hasty(scene.model, *scene.initial, Euler{}, Nsgs{.tolerance = 1e-300, .max_sweeps = 1});
  EXPECT_NE(record::force_table(*scene.model, hasty.step(0.0078125)).refusal, "");
}

}  // namespace
}  // namespace cairn::test_forces
