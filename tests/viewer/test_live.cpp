// The live view in a real browser: a box of a stack is dragged and moves; pause, step, friction,
// reset, saving; names as text; no complaint in the console.
#include <cmath>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

#include "live_program.hpp"
#include "viewer/browser.hpp"
#include "viewer/driver.hpp"

namespace cairn::test_live {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr const char* stack = R"json({
  "cairn": 1, "name": "<img src=x onerror=alert(1)>", "gravity": [0, 0, -9.81],
  "materials": {"default": {"friction": 0.5}, "<i>ice</i>": {"friction": 0.01}},
  "bodies": [
    {"name": "ground", "fixed": true, "shapes": [{"type": "halfspace", "normal": [0, 0, 1]}]},
    {"name": "a", "mass": 1, "position": [0, 0, 0.5], "shapes": [{"type": "box", "size": [1, 1, 1]}]},
    {"name": "b", "mass": 1, "position": [0, 0, 1.5], "shapes": [{"type": "box", "size": [1, 1, 1]}]},
    {"name": "<img src=x onerror=alert(2)>", "mass": 1, "position": [0, 0, 2.5],
     "shapes": [{"type": "box", "size": [1, 1, 1]}]}],
  "simulation": {"step": 0.01, "duration": 1}
})json";

class Live : public ::testing::Test {
 protected:
  void SetUp() override {
    browser_ = find_browser();
    if (browser_.empty())
      GTEST_SKIP() << "no Chromium here: ./test --viewer installs it, CAIRN_BROWSER names another";
    scene_ = fs::temp_directory_path() / ("cairn_live_" + std::to_string(::getpid()) + ".json");
    std::ofstream(scene_) << stack;
  }
  void TearDown() override {
    std::error_code ignored;
    fs::remove(scene_, ignored);
  }

  std::string browser_;
  fs::path scene_;
};

// Where the middle of the top box is seen, and where it is.
constexpr const char* top = R"js((() => {
  const { stage, world, canvas } = cairnLive;
  const p = stage.poses.position(world.bodies.find((body) => body.name.includes('alert(2)')));
  const box = canvas.getBoundingClientRect();
  const [x, y] = stage.camera.project(p, box.width, box.height);
  return { x: box.left + x, y: box.top + y, place: p.toArray() };
})())js";

double distance(const Json& a, const Json& b) {
  double sum = 0;
  for (std::size_t k = 0; k < 3; ++k) sum += std::pow(a[k].get<double>() - b[k].get<double>(), 2);
  return std::sqrt(sum);
}

TEST_F(Live, ABoxIsDraggedAndTheRunIsPausedSteppedChangedAndReset) {
  LiveProgram program(scene_.string());
  ASSERT_NE(program.address(), "");
  Driver page(browser_, 900, 640);
  page.open(program.address());
  ASSERT_TRUE(page.becomes("window.cairnLive && cairnLive.clip.frames > 0"));
  EXPECT_EQ(page.ask("document.title"), "<img src=x onerror=alert(1)>");
  EXPECT_EQ(page.ask("cairnLive.line.textContent"), "connected");
  const Json first = page.ask(top);

  // Start with the keyboard.
  page.press(" ");
  ASSERT_TRUE(page.becomes("cairnLive.status.running && cairnLive.clip.newest.steps > 10"));
  EXPECT_TRUE(page.becomes("cairnLive.verdict.textContent.includes('steps accepted')"));

  // Drag the top box to the side with the mouse; it follows, well beyond its own rounding.
  const Json from = page.ask(top);
  const double x = from["x"], y = from["y"];
  page.mouse("mouseMoved", x, y, false);
  page.mouse("mousePressed", x, y, true);
  for (int i = 1; i <= 10; ++i) page.mouse("mouseMoved", x + 15 * i, y - 2 * i, true);
  EXPECT_TRUE(page.becomes("cairnLive.hand.held && cairnLive.hand.held.pulls"));
  EXPECT_TRUE(page.becomes("cairnLive.hand.layer.group.visible"));
  bool moved = false;
  for (int i = 0; i < 600 && !moved; ++i) {
    moved = distance(page.ask(top)["place"], from["place"]) > 0.3;
    ::usleep(50'000);
  }
  EXPECT_TRUE(moved);
  page.mouse("mouseReleased", x + 150, y - 20, true);
  EXPECT_TRUE(page.becomes("!cairnLive.hand.held"));
  EXPECT_EQ(page.ask("cairnLive.clip.newest.rejected"), 0);

  // Pause; single steps; looking back does not step.
  page.press(" ");
  ASSERT_TRUE(page.becomes("!cairnLive.status.running"));
  const Json paused = page.ask("cairnLive.clip.newest.steps");
  page.press("ArrowRight");
  EXPECT_TRUE(page.becomes("cairnLive.clip.newest.steps === " + paused.dump() + " + 1"));
  page.press("ArrowLeft");
  EXPECT_EQ(page.ask("cairnLive.playback.following"), false);
  page.press("End");
  EXPECT_EQ(page.ask("cairnLive.playback.following"), true);
  EXPECT_EQ(page.ask("cairnLive.clip.newest.steps"), paused.get<double>() + 1);

  // Friction of one material, by its slider; a wish that cannot be is told.
  page.ask(
      "(() => { const s = cairnLive.settings; s.material.value = '0'; s.friction.slider.value = "
      "'0.9'; s.friction.slider.dispatchEvent(new Event('input')); "
      "s.friction.slider.dispatchEvent(new Event('change')); })()");
  EXPECT_TRUE(page.becomes("cairnLive.status.settings.materials[0].friction === 0.9"));
  EXPECT_EQ(page.ask("cairnLive.status.settings.materials[1].friction"), 0.01);
  page.ask("cairnLive.clip.send({ do: 'friction', material: 0, value: -1 })");
  EXPECT_TRUE(page.becomes("cairnLive.settings.note.textContent.includes('out of range')"));
  EXPECT_EQ(page.ask("cairnLive.settings.material.options[2].textContent"), "<i>ice</i>");

  // Save: the scene comes as a file with the settings of now.
  const Json saved = page.ask(
      "new Promise((done) => { const make = URL.createObjectURL; URL.createObjectURL = (blob) => { "
      "URL.createObjectURL = make; blob.text().then(done); return make.call(URL, blob); }; "
      "cairnLive.clip.send({ do: 'save' }); })");
  const Json scene = Json::parse(saved.get<std::string>(), nullptr, false);
  ASSERT_TRUE(scene.is_object());
  EXPECT_EQ(scene["materials"]["default"]["friction"], 0.9);

  // Reset, with the button.
  page.ask("document.querySelector('#cairn-player [title^=Reset]').click()");
  EXPECT_TRUE(
      page.becomes("cairnLive.clip.newest.run === 1 && cairnLive.clip.frames === 1 && "
                   "!cairnLive.stale"));
  EXPECT_LT(distance(page.ask(top)["place"], first["place"]), 1e-6);
  EXPECT_EQ(page.ask("cairnLive.status.settings.materials[0].friction"), 0.9);

  // Names are text; nothing came from elsewhere; the console is silent.
  page.ask("cairnLive.select(cairnLive.world.bodies.findIndex((b) => b.name.includes('alert')))");
  EXPECT_EQ(page.ask("cairnLive.panel.title.textContent"), "<img src=x onerror=alert(2)>");
  EXPECT_EQ(page.ask("document.querySelectorAll('#cairn-player img, #cairn-player i').length"), 0);
  EXPECT_EQ(page.ask("performance.getEntriesByType('resource').filter((e) => "
                     "!e.name.startsWith(location.origin)).length"),
            0);
  EXPECT_EQ(page.complaints(), std::vector<std::string>());

  // Ctrl-C ends the program cleanly; the page says so.
  EXPECT_EQ(program.end(SIGINT), 130);
  EXPECT_TRUE(page.becomes("cairnLive.line.textContent.includes('lost')"));
}

}  // namespace
}  // namespace cairn::test_live
