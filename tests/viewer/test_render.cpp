// cairn render: pictures of the size that was asked for, that show different things at different
// times; films; clear errors where a program is missing. Skipped where there is no Chromium.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <set>
#include <sstream>
#include <unistd.h>

#include "viewer/browser.hpp"

namespace cairn::test_render {
namespace {

namespace fs = std::filesystem;

std::uint32_t big_endian(const std::string& bytes, std::size_t at) {
  std::uint32_t x = 0;
  for (std::size_t i = 0; i < 4; ++i) x = x << 8 | static_cast<unsigned char>(bytes.at(at + i));
  return x;
}

class Render : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::temp_directory_path() /
              ("cairn_render_" + std::string(test->name()) + "_" + std::to_string(::getpid()));
    fs::create_directories(folder_);
    std::ofstream(path("scene.json")) << R"json({
      "cairn": 1, "name": "fall", "gravity": [0, 0, -9.81],
      "bodies": [{"name": "floor", "fixed": true, "shapes": [{"type": "halfspace", "normal": [0, 0, 1]}]},
                 {"name": "box", "mass": 1, "position": [0, 0, 2], "shapes": [{"type": "box", "size": [1, 1, 1]}]}],
      "simulation": {"step": 0.01, "duration": 1}})json";
    ASSERT_EQ(shell(CAIRN_PROGRAM " run " + path("scene.json") + " --quiet --out " + path("run") +
                    " >" + path("said")),
              0)
        << read(path("said"));
  }
  void TearDown() override {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  int render(const std::string& words, const std::string& before = "") const {
    return shell(before + CAIRN_PROGRAM " render " + path("run") + " " + words + " >" +
                 path("said") + " 2>&1");
  }
  void expect_picture(const std::string& png, std::uint32_t width, std::uint32_t height) const {
    ASSERT_GT(png.size(), 1000u) << "hardly anything was drawn";
    EXPECT_EQ(png.substr(0, 8), "\x89PNG\r\n\x1a\n");
    EXPECT_EQ(big_endian(png, 16), width);
    EXPECT_EQ(big_endian(png, 20), height);
  }
  fs::path folder_;
};

TEST_F(Render, PicturesOfTheSizeAndTimesAskedFor) {
  if (find_browser().empty()) GTEST_SKIP() << "no Chromium here";
  // From 0 to 0.5 s, real time, 10 pictures a second: six of them.
  ASSERT_EQ(render("-o " + path("frames/") + " --size 320x200 --fps 10 --to 0.5 --camera 20,10"), 0)
      << read(path("said"));
  std::set<std::string> different;
  for (int i = 0; i < 6; ++i) {
    const std::string png = read(path("frames/frame_0000" + std::to_string(i) + ".png"));
    expect_picture(png, 320, 200);
    different.insert(png);
  }
  EXPECT_EQ(different.size(), 6u);  // it falls all the time
  EXPECT_FALSE(fs::exists(path("frames/frame_00006.png")));
}

TEST_F(Render, AFilmHasAllItsPictures) {
  if (find_browser().empty()) GTEST_SKIP() << "no Chromium here";
  if (shell("ffmpeg -version >/dev/null 2>&1 && ffprobe -version >/dev/null 2>&1") != 0)
    GTEST_SKIP() << "no ffmpeg here";
  ASSERT_EQ(render("-o " + path("film.mp4") + " --size 160x120 --fps 5"), 0) << read(path("said"));
  ASSERT_EQ(shell("ffprobe -v error -count_frames -show_entries stream=nb_read_frames,width,height "
                  "-of csv=p=0 " +
                  path("film.mp4") + " >" + path("probe")),
            0);
  EXPECT_EQ(read(path("probe")), "160,120,6\n");
  EXPECT_FALSE(fs::exists(path("film.mp4.part")));
}

TEST_F(Render, SaysWhatIsMissingAndHowToGetIt) {
  EXPECT_EQ(render("-o " + path("x.png"), "CAIRN_BROWSER=/nowhere/chromium "), 5);
  EXPECT_NE(read(path("said")).find("/nowhere/chromium"), std::string::npos);
  EXPECT_EQ(render("-o " + path("x.png"), "PATH=/nowhere "), 5);
  EXPECT_NE(read(path("said")).find("[missing_program]"), std::string::npos);
  EXPECT_EQ(render("-o " + path("x.bmp")), 2);
  EXPECT_NE(read(path("said")).find("[unknown_choice]"), std::string::npos);
  EXPECT_EQ(render("-o " + path("x.png") + " --at 5"), 2);
  EXPECT_NE(read(path("said")).find("[out_of_range]"), std::string::npos);
  EXPECT_NE(read(path("said")).find("0 to 1 s"), std::string::npos);
  EXPECT_EQ(render("-o " + path("x.png") + " --camera up"), 2);
  EXPECT_EQ(render("-o " + path("x.png") + " --size 100"), 2);
  EXPECT_EQ(render("-o " + path("x.png") + " --on 'a&b'"), 2);
  EXPECT_FALSE(fs::exists(path("x.png")));
}

// The gallery and a player in it open from the disk without a word on the console.
TEST_F(Render, TheGalleryOpensInTheBrowser) {
  const std::string browser = find_browser();
  if (browser.empty()) GTEST_SKIP() << "no Chromium here";
  ASSERT_EQ(shell(CAIRN_PROGRAM " reproduce anitescu-wall --fast --html " + path("gallery") + " >" +
                  path("said")),
            0)
      << read(path("said"));
  const Visit gallery = open_page(browser, "file://" + path("gallery/index.html"));
  EXPECT_EQ(gallery.console, "");
  EXPECT_NE(gallery.dom.find("anitescu-wall"), std::string::npos);
  const Visit player =
      open_page(browser, "file://" + path("gallery/play-anitescu-wall-1.html") + "#selftest");
  EXPECT_EQ(player.console, "");
  EXPECT_NE(text_of(player.dom, "selftest-result").find("\"requests\":[]"), std::string::npos);
}

}  // namespace
}  // namespace cairn::test_render
