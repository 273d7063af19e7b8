// Every scene that ships runs to its end, certified in every step, and the facts it expects hold;
// but for those that take long.
#include <algorithm>
#include <cmath>
#include <filesystem>

#include "record/run/run.hpp"
#include "system/worlds.hpp"

namespace cairn::test_scenes {
namespace {

using namespace testing;

// Half a minute each; test_brazil_nut.cpp and test_piles.cpp take their beginnings, `cairn run`
// all of them.
bool is_long(const std::string& name) {
  return name.starts_with("brazil_nut") || name == "pile1000" || name == "boxes1000";
}

std::vector<std::string> scene_names() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(CAIRN_SOURCE_DIR "/scenes"))
    if (entry.path().extension() == ".json" && !is_long(entry.path().stem().string()))
      names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

class Scenes : public ::testing::TestWithParam<std::string> {};

TEST_P(Scenes, ExpectedFactsHold) {
  const Scene s = scene(GetParam());
  EXPECT_FALSE(s.expect.empty());
  Simulator sim(s.model, *s.initial, s.simulation.scheme, s.simulation.solver,
                s.simulation.verdict);
  Result<record::RunRecorder> recorder = record::RunRecorder::create(s);
  ASSERT_TRUE(recorder) << recorder.error().front().text();
  const auto steps = std::llround(s.simulation.duration / s.simulation.step);
  ASSERT_NEAR(static_cast<double>(steps) * s.simulation.step, s.simulation.duration, 1e-9);
  for (int i = 0; i < steps; ++i) {
    if (!certified_step(sim, s.simulation.step)) break;
    ASSERT_TRUE(recorder->record(sim.report(), sim.state()));
  }
  const Result<record::RunOutcome> outcome = recorder->finish();
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->status, record::RunStatus::ok);
  for (const record::ExpectationResult& e : outcome->expect)
    EXPECT_TRUE(e.ok) << e.quantity << " is " << e.value << ", expected " << e.bound;
}

INSTANTIATE_TEST_SUITE_P(All, Scenes, ::testing::ValuesIn(scene_names()),
                         [](const auto& tested) { return tested.param; });

}  // namespace
}  // namespace cairn::test_scenes
