// The player in a real browser: load, play, scrub, pick, plots, arrows; no error, no request, names
// as text. The page tests itself (viewer/src/selftest.js); here its findings are held against the
// program's own figures. Frame rates decide nothing.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sstream>
#include <unistd.h>

#include "viewer/browser.hpp"

namespace cairn::test_player {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

// Every spatial shape, bodies of several shapes, names that are markup.
constexpr const char* spatial = R"json({
  "cairn": 1, "name": "<img src=x onerror=alert(1)> & \"more\"", "gravity": [0, 0, -9.81],
  "materials": {"default": {"friction": 0.5, "restitution": 0.3}},
  "bodies": [
    {"name": "</script><script>alert(2)</script>", "fixed": true,
     "shapes": [{"type": "halfspace", "normal": [0, 0, 1]},
                {"type": "halfspace", "position": [-3, 0, 0], "normal": [1, 0, 0]}]},
    {"name": "<img src=x onerror=alert(3)>", "mass": 1, "position": [0, 0, 0.6], "velocity": [1, 0, 0],
     "shapes": [{"type": "sphere", "radius": 0.5}]},
    {"name": "two shapes", "mass": 1, "position": [2, 0, 0.3],
     "shapes": [{"type": "box", "size": [0.5, 0.4, 0.3]},
                {"type": "capsule", "radius": 0.1, "length": 0.5, "position": [0, 0, 0.3]}]},
    {"name": "egg", "mass": 1, "position": [0, 2, 0.5], "shapes": [{"type": "ellipsoid", "radii": [0.5, 0.4, 0.3]}]},
    {"name": "point", "mass": 1, "position": [0, -2, 0.5], "inertia": [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
     "shapes": [{"type": "point"}]}],
  "simulation": {"step": 0.01, "duration": 0.5}
})json";

// In the plane: discs, an ellipse, a moving box of walls, joints and a spring.
constexpr const char* planar = R"json({
  "cairn": 1, "name": "planar", "gravity": [0, -9.81, 0],
  "materials": {"default": {"friction": 0.3, "restitution": 0.5}},
  "bodies": [
    {"name": "walls", "motion": {"position": ["0.2*sin(5*t)", 0, 0]},
     "shapes": [{"type": "halfspace", "normal": [0, 1, 0]},
                {"type": "halfspace", "position": [-4, 0, 0], "normal": [1, 0, 0]}]},
    {"name": "disc", "dof": "x y rz", "mass": 1, "position": [0, 1.2, 0], "shapes": [{"type": "disc", "radius": 1}]},
    {"name": "ellipse", "dof": "x y rz", "mass": 1, "position": [-2.5, 1.2, 0],
     "shapes": [{"type": "ellipse", "radii": [1, 0.5]}]},
    {"name": "bob", "dof": "x y", "mass": 1, "position": [4, 3, 0], "shapes": []},
    {"name": "weight", "dof": "x y rz", "mass": 1, "position": [6, 3, 0], "shapes": [{"type": "disc", "radius": 0.3}]}],
  "joints": [{"name": "rod", "type": "distance", "bodies": ["world", "bob"], "anchors": [[3, 4, 0], [0, 0, 0]]}],
  "forces": [{"type": "spring", "bodies": ["world", "weight"], "anchors": [[6, 5, 0], [0, 0, 0]],
              "stiffness": 20, "rest_length": 1, "damping": 0.1}],
  "simulation": {"step": 0.01, "duration": 1}
})json";

class Player : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::temp_directory_path() /
              ("cairn_viewer_" + std::string(test->name()) + "_" + std::to_string(::getpid()));
    fs::create_directories(folder_);
    browser_ = find_browser();
    if (browser_.empty())
      GTEST_SKIP() << "no Chromium here: ./test --viewer installs it, CAIRN_BROWSER names another";
  }
  void TearDown() override {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  // Runs a scene, writes its page.
  void make(const char* scene) const {
    std::ofstream(path("scene.json")) << scene;
    ASSERT_EQ(shell(CAIRN_PROGRAM " run " + path("scene.json") + " --quiet --out " + path("run") +
                    " >" + path("said")),
              0)
        << read(path("said"));
    ASSERT_EQ(shell(CAIRN_PROGRAM " view " + path("run") + " --json >" + path("told.json")), 0);
  }

  // What the page finds when it tests itself.
  Json findings(const std::string& page, int width = 900) const {
    const Visit visit = open_page(browser_, "file://" + page + "#selftest", width);
    EXPECT_TRUE(visit.ended);
    EXPECT_EQ(visit.console, "");
    const Json found = Json::parse(text_of(visit.dom, "selftest-result"), nullptr, false);
    EXPECT_TRUE(found.is_object()) << visit.dom.substr(0, 2000);
    return found;
  }

  void expect_sound(const Json& found) const {
    EXPECT_EQ(found["errors"], Json::array());
    EXPECT_EQ(found["requests"], Json::array());
    EXPECT_EQ(found["markup"], 0);
    EXPECT_TRUE(found["played"]);
    EXPECT_TRUE(found["scrubbed"]);
    EXPECT_TRUE(found["stepped"]);
    EXPECT_TRUE(found["cursor"]);
    EXPECT_GT(found["colors"], 10);  // one colour: nothing was drawn
    EXPECT_EQ(found["contacts"]["points"], found["contacts"]["expected"]);
    EXPECT_TRUE(found["pick"]["ok"]) << found["pick"];
    ASSERT_GE(found["plots"].size(), 5u);
    for (const Json& plot : found["plots"]) {
      EXPECT_GT(plot["ink"], 100) << plot;
      EXPECT_NE(plot["values"], "");
    }
  }

  // The bodies stand where the summary says, within the rounding that is told.
  void expect_places(const Json& found) const {
    const Json summary = Json::parse(read(path("run/summary.json")));
    const double error = Json::parse(read(path("told.json")))["error"]["position"];
    EXPECT_GT(found["last"].size(), 0u);
    for (const auto& [name, position] : found["last"].items()) {
      double distance = 0;
      for (std::size_t k = 0; k < 3; ++k)
        distance += std::pow(
            position[k].get<double>() - summary["bodies"][name]["position"][k].get<double>(), 2);
      // The picture is drawn with 32-bit numbers.
      EXPECT_LE(std::sqrt(distance), error + 1e-6) << name;
    }
  }

  fs::path folder_;
  std::string browser_;
};

TEST_F(Player, ShowsEveryShapeInSpaceAndNamesAsText) {
  make(spatial);
  const Json found = findings(path("run/view.html"));
  expect_sound(found);
  expect_places(found);
  EXPECT_FALSE(found["planar"]);
  EXPECT_EQ(found["frames"], 51);
  EXPECT_EQ(found["title"], "<img src=x onerror=alert(1)> & \"more\"");
  EXPECT_EQ(found["pick"]["shown"], found["pick"]["name"]);
  EXPECT_GT(found["contacts"]["arrows"], 0);
  EXPECT_GT(found["timeline"]["collisions"], 0);
  const std::string impact = found["timeline"]["impact"], quiet = found["timeline"]["quiet"];
  EXPECT_NE(impact.find(" J lost, "), std::string::npos) << impact;
  EXPECT_EQ(quiet.find("Time. Red:"), 0u) << quiet;
  EXPECT_EQ(found["meshes"].size(), 11u);
  for (const auto& [shape, mesh] : found["meshes"].items()) {
    EXPECT_GE(mesh["corners"], 12) << shape;
    EXPECT_LT(mesh["open"], 1e-4) << shape;  // sums of 32-bit numbers
  }
  const Json& names = found["names"];
  for (const char* name : {"</script><script>alert(2)</script>", "<img src=x onerror=alert(3)>"})
    EXPECT_NE(std::find(names.begin(), names.end(), name), names.end());
}

TEST_F(Player, ShowsPlanarScenesInThePlaneInAReport) {
  make(planar);
  const Json found = findings(path("run/report.html"), 500);  // as wide as a phone
  expect_sound(found);
  expect_places(found);
  EXPECT_TRUE(found["planar"]);
  const Json& plots = found["plots"];
  EXPECT_TRUE(std::any_of(plots.begin(), plots.end(),
                          [](const Json& p) { return p["title"] == "Joint error"; }));
}

// Two bodies with one mesh: stored and made once, drawn twice, in the colour of the scene; what
// touches is its two boxes, once for each body.
TEST_F(Player, ShowsMeshesAndOnRequestWhatTouches) {
  // An L about the middle of its corner.
  std::string obj;
  for (const char* y : {"-0.5", "0.5"})
    for (const char* xz : {"-0.5 -0.5", "2.5 -0.5", "2.5 0.5", "0.5 0.5", "0.5 2.5", "-0.5 2.5"}) {
      const std::string both = xz;
      const std::size_t gap = both.find(' ');
      obj += "v " + both.substr(0, gap) + " " + y + both.substr(gap) + "\n";
    }
  std::ofstream(path("l.obj")) << obj
                               << "f 1 2 3 4 5 6\nf 12 11 10 9 8 7\nf 1 7 8 2\nf 2 8 9 3\n"
                                  "f 3 9 10 4\nf 4 10 11 5\nf 5 11 12 6\nf 6 12 7 1\n";
  make(R"json({"cairn": 1, "name": "meshes", "gravity": [0, 0, -9.81],
    "bodies": [{"name": "floor", "fixed": true, "shapes": [{"type": "halfspace"}]},
      {"name": "a", "density": 1, "position": [0, 0, 0.6], "color": [1, 0, 0],
       "shapes": [{"type": "mesh", "file": "l.obj", "as": "decompose"}]},
      {"name": "b", "density": 1, "position": [5, 0, 0.6],
       "shapes": [{"type": "mesh", "file": "l.obj", "as": "decompose", "scale": 0.5}]},
      {"name": "dressed", "mass": 1, "inertia": 1, "position": [0, 5, 1], "shapes": [{"type": "sphere", "radius": 1}],
       "visual": [{"type": "box", "size": [1, 2, 3]}]}],
    "simulation": {"step": 0.01, "duration": 0.5}})json");
  const Json found = findings(path("run/view.html"));
  expect_sound(found);
  expect_places(found);
  const Json &seen = found["looks"]["seen"], &touching = found["looks"]["touching"];
  ASSERT_EQ(seen.size(), 2u) << seen;
  EXPECT_EQ(seen[0]["times"], 2);
  EXPECT_EQ(seen[0]["corners"], 3 * 20);
  EXPECT_EQ(seen[0]["color"], (Json{1.0, 0.0, 0.0}));
  EXPECT_EQ(seen[1]["times"], 1);  // the box; nobody sees the ball
  // Two boxes a body, in sizes of their own, and the ball.
  EXPECT_EQ(touching.size(), 5u) << touching;
}

// A link of the report: #t=T freezes that time.
TEST_F(Player, AnAddressFreezesATime) {
  make(planar);
  const Visit visit = open_page(browser_, "file://" + path("run/report.html") + "#t=0.25");
  EXPECT_EQ(visit.console, "");
  EXPECT_NE(visit.dom.find("0.250 s, step 25<"), std::string::npos);
}

// A page that was tampered with does not run what was put in.
TEST_F(Player, ForeignScriptsDoNotRun) {
  make(planar);
  std::string page = read(path("run/view.html"));
  const std::string mark = "<body class=\"cairn-page\">";
  const std::size_t at = page.find(mark);
  ASSERT_NE(at, std::string::npos);
  page.insert(
      at + mark.size(),
      "<script>document.documentElement.id='foreign'</script>"
      "<img src=\"data:image/png;base64,AA\" onerror=\"document.documentElement.id='foreign'\">");
  std::ofstream(path("foreign.html"), std::ios::binary) << page;
  const Visit visit = open_page(browser_, "file://" + path("foreign.html"));
  EXPECT_NE(visit.dom.find("cp-frame"), std::string::npos);  // the player itself does
  EXPECT_EQ(visit.dom.find("id=\"foreign\""), std::string::npos);
  EXPECT_NE(visit.console.find("Content Security Policy"), std::string::npos);
}

// The committed bundle is what its sources give.
TEST(PlayerBundle, IsBuiltFromItsSources) {
  const std::string viewer = CAIRN_SOURCE_DIR "/viewer";
  if (shell("node --version >/dev/null 2>&1") != 0) GTEST_SKIP() << "no Node here";
  if (!fs::exists(viewer + "/node_modules/three") || !fs::exists(viewer + "/node_modules/esbuild"))
    GTEST_SKIP() << "the packages of viewer/package-lock.json are not here: npm ci in viewer/";
  const fs::path out = fs::temp_directory_path() / ("cairn_bundle_" + std::to_string(::getpid()));
  fs::create_directories(out);
  ASSERT_EQ(shell(viewer + "/build " + out.string() + " >/dev/null"), 0);
  for (const char* name : {"player.js", "player.css"})
    EXPECT_TRUE(read((out / name).string()) == read(viewer + "/dist/" + name))
        << name << " is stale: run viewer/build";
  fs::remove_all(out);
}

}  // namespace
}  // namespace cairn::test_player
