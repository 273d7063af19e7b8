// A step that is interrupted inside a solve: it is not taken, and the run goes on from where it was
// as if nothing had happened.
#include <gtest/gtest.h>

#include "cairn/scene.hpp"
#include "cairn/simulator.hpp"

namespace cairn::test_interrupt {
namespace {

// Three balls in a heap and one that falls on them, so that contacts come and go.
Scene heap() {
  Result<Scene> scene = parse_scene(R"({"cairn": 1, "gravity": [0, 0, -9.81],
    "materials": {"default": {"friction": 0.4}},
    "bodies": [
      {"name": "floor", "fixed": true, "shapes": [{"type": "halfspace", "normal": [0, 0, 1]}]},
      {"name": "a", "mass": 1, "position": [0, 0, 0.5], "shapes": [{"type": "sphere", "radius": 0.5}]},
      {"name": "b", "mass": 1, "position": [1, 0, 0.5], "shapes": [{"type": "sphere", "radius": 0.5}]},
      {"name": "c", "mass": 1, "position": [0.5, 0.87, 0.5], "shapes": [{"type": "sphere", "radius": 0.5}]},
      {"name": "d", "mass": 2, "position": [0.5, 0.3, 1.4], "shapes": [{"type": "sphere", "radius": 0.5}]}],
    "simulation": {"step": 0.01, "duration": 1}})",
                                    "test.json");
  EXPECT_TRUE(scene) << (scene ? "" : scene.error().front().text());
  return *scene;
}

// Says yes from the n-th time on that it is asked in a step, while it is armed.
struct Countdown {
  bool armed = false;
  int left = 0, asked = 0;
};

bool ask(void* context) {
  auto& countdown = *static_cast<Countdown*>(context);
  ++countdown.asked;
  return countdown.armed && --countdown.left <= 0;
}

TEST(Interrupted, StepLeavesStateAndRunAsTheyWere) {
  const Scene scene = heap();
  const double h = 0.01;
  for (const SchemeOptions& scheme :
       {SchemeOptions(Euler{}), SchemeOptions(Relaxed{}), SchemeOptions(Trapezoidal{}),
        SchemeOptions(Hybrid{}), SchemeOptions(Penalty{})}) {
    if (!accepts(scheme, *scene.model)) continue;
    Simulator plain(scene.model, *scene.initial, scheme),
        interrupted(scene.model, *scene.initial, scheme);
    Countdown countdown;
    interrupted.set_interrupt({.asked = ask, .context = &countdown});
    int cut = 0;
    for (int i = 1; i <= 40; ++i) {
      if (i % 4 == 0) {
        const State before = interrupted.state();
        countdown = {.armed = true, .left = 1 + i % 3};
        const StepReport& report = interrupted.step(h);
        countdown.armed = false;
        // A step that asks less often has ended before.
        if (report.status == StepStatus::interrupted) {
          ++cut;
          EXPECT_TRUE(interrupted.state() == before) << name(scheme) << " step " << i;
          EXPECT_EQ(report.solves.size(), 0);
        } else {
          interrupted.set_state(before);
        }
      }
      interrupted.step(h);
      plain.step(h);
      ASSERT_TRUE(interrupted.state() == plain.state()) << name(scheme) << " step " << i;
    }
    EXPECT_GT(cut, 3) << name(scheme);
    EXPECT_GT(countdown.asked, 0) << name(scheme);
  }
}

}  // namespace
}  // namespace cairn::test_interrupt
