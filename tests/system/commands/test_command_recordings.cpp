// cairn plot and cairn export from the command line: files, exit codes, errors with remedies.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <unistd.h>
#include <zlib.h>

namespace cairn::test_command_recordings {
namespace {

namespace fs = std::filesystem;

class RecordingCommands : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::temp_directory_path() /
              ("cairn_recordings_" + std::string(test->name()) + "_" + std::to_string(::getpid()));
    fs::create_directories(folder_);
    std::ofstream(path("scene.json")) << R"json({
      "cairn": 1, "name": "pendulum", "gravity": [0, -9.81, 0],
      "bodies": [{"name": "bob", "dof": "x y", "mass": 1, "position": [1, 0, 0]}],
      "joints": [{"name": "rod", "type": "distance", "bodies": ["world", "bob"]}],
      "simulation": {"step": 0.01, "duration": 0.5}})json";
    ASSERT_EQ(cairn("run " + path("scene.json") + " --quiet --out " + path("run")), 0) << said();
  }
  void TearDown() override {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  int cairn(const std::string& words) const {
    const std::string command =
        std::string(CAIRN_PROGRAM) + " " + words + " >" + path("said") + " 2>&1";
    const int status = std::system(command.c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string said() const { return read("said"); }
  std::string read(const std::string& name) const {
    std::ifstream in(path(name), std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
  }
  fs::path folder_;
};

#ifdef CAIRN_HAS_CAIRO
// The rows of a PNG file of 8-bit RGB, with their filters undone (PNG specification, section 9).
std::vector<std::vector<int>> png_rows(const std::string& png) {
  const auto number = [&](std::size_t at) {
    std::uint32_t x = 0;
    for (std::size_t i = 0; i < 4; ++i) x = x << 8 | static_cast<unsigned char>(png.at(at + i));
    return x;
  };
  EXPECT_EQ(png.substr(0, 8), "\x89PNG\r\n\x1a\n");
  EXPECT_EQ(png.substr(24, 2), "\x08\x02");  // 8 bits, RGB
  const std::size_t size = 3 * number(16);
  std::string data;
  for (std::size_t at = 8; at < png.size(); at += 12 + number(at))
    if (png.substr(at + 4, 4) == "IDAT") data += png.substr(at + 8, number(at));
  std::vector<unsigned char> raw(number(20) * (1 + size));
  uLongf length = raw.size();
  EXPECT_EQ(
      ::uncompress(raw.data(), &length, reinterpret_cast<const Bytef*>(data.data()), data.size()),
      Z_OK);
  EXPECT_EQ(length, raw.size());
  std::vector<std::vector<int>> rows(number(20), std::vector<int>(size));
  for (std::size_t y = 0; y < rows.size(); ++y)
    for (std::size_t i = 0; i < size; ++i) {
      const int a = i < 3 ? 0 : rows[y][i - 3], b = y == 0 ? 0 : rows[y - 1][i];
      const int c = i < 3 || y == 0 ? 0 : rows[y - 1][i - 3], p = a + b - c;
      const int nearest = std::abs(p - a) <= std::abs(p - b) && std::abs(p - a) <= std::abs(p - c)
                              ? a
                          : std::abs(p - b) <= std::abs(p - c) ? b
                                                               : c;
      const int predicted[] = {0, a, b, (a + b) / 2, nearest};
      rows[y][i] = (raw[y * (1 + size) + 1 + i] + predicted[raw[y * (1 + size)]]) & 0xFF;
    }
  return rows;
}

// Twice as many pixels as --size, white with ink of the first curve, axis and letters: text above
// the plot, and as many coloured columns as the curve is long.
TEST_F(RecordingCommands, PlotDrawsPngWithCairo) {
  ASSERT_EQ(cairn("plot " + path("run") + " energy --size 300x200 -o " + path("a.png")), 0)
      << said();
  const std::vector<std::vector<int>> rows = png_rows(read("a.png"));
  ASSERT_EQ(rows.size(), 400u);
  ASSERT_EQ(rows[0].size(), 3 * 600u);
  std::set<std::size_t> blue;  // columns with the colour of the first curve
  int letters = 0;             // dark pixels of the title
  for (std::size_t y = 0; y < rows.size(); ++y)
    for (std::size_t x = 0; x < 600; ++x) {
      const int r = rows[y][3 * x], g = rows[y][3 * x + 1], b = rows[y][3 * x + 2];
      if (r == 0x24 && g == 0x68 && b == 0xb8) blue.insert(x);
      if (y < 40 && r < 0x80 && g < 0x80 && b < 0x80) ++letters;
    }
  EXPECT_EQ(rows[399][0], 0xFF);
  EXPECT_GT(letters, 20);
  EXPECT_GE(blue.size(), 400u);  // of 2 (300 - 58 - 12), less where another curve lies above it
}
#else
TEST_F(RecordingCommands, PngWithoutCairoNamesBothRemedies) {
  EXPECT_EQ(cairn("plot " + path("run") + " energy -o " + path("a.png")), 2);
  for (const char* word : {".svg", "-DCAIRN_CAIRO=ON", "libcairo2-dev"})
    EXPECT_NE(said().find(word), std::string::npos) << word;
  EXPECT_FALSE(fs::exists(path("a.png")));
}
#endif

TEST_F(RecordingCommands, PlotWritesSvgAndRefusesTheRest) {
  EXPECT_EQ(cairn("plot " + path("run") + " energy joint_error -o " + path("a.svg") + " --json"),
            0);
  const nlohmann::json told = nlohmann::json::parse(said());
  EXPECT_EQ(told["plots"], 2);
  EXPECT_EQ(told["curves"].size(), 4u);
  EXPECT_EQ(told["frames"], 51);
  EXPECT_TRUE(read("a.svg").starts_with("<svg "));
  EXPECT_EQ(cairn("plot " + path("run/trace.cairn") + " energy --size 300x200 -o " + path("b.SVG")),
            2);
  EXPECT_EQ(cairn("plot " + path("run") + " enery -o " + path("b.svg")), 2);
  EXPECT_NE(said().find("'energy'"), std::string::npos);
  EXPECT_NE(said().find("[unknown_name]"), std::string::npos);
  EXPECT_EQ(cairn("plot " + path("run") + " energy -o " + path("b.bmp")), 2);
  EXPECT_EQ(cairn("plot " + path("run") + " energy --size 3 -o " + path("b.svg")), 2);
  EXPECT_EQ(cairn("plot " + path("none") + " energy -o " + path("b.svg")), 3);
  EXPECT_EQ(cairn("plot " + path("run") + " energy -o " + path("none/b.svg")), 5);
  EXPECT_FALSE(fs::exists(path("b.svg")));
}

TEST_F(RecordingCommands, ExportWritesBesideTheTraceAndNeverOverIt) {
  for (const auto& [format, file] : {std::pair{"csv", "run/csv/bodies.csv"},
                                     {"gltf", "run/run.glb"},
                                     {"vtk", "run/vtk/bodies.pvd"},
                                     {"hdf5", "run/run.h5"}}) {
    EXPECT_EQ(cairn("export " + path("run") + " --to " + format + " --json"), 0) << said();
    EXPECT_EQ(nlohmann::json::parse(said())["frames"], 51);
    EXPECT_TRUE(fs::exists(path(file))) << file;
    EXPECT_FALSE(fs::exists(path(file) + ".part")) << file;
  }
  EXPECT_EQ(cairn("export " + path("run") + " --to gtlf"), 2);
  EXPECT_NE(said().find("'gltf'"), std::string::npos);
  EXPECT_NE(said().find("[unknown_choice]"), std::string::npos);
  EXPECT_EQ(cairn("export " + path("run") + " --to hdf5 -o " + path("run/trace.cairn")), 2);
  EXPECT_EQ(cairn("check " + path("run/trace.cairn")), 0);
  EXPECT_EQ(cairn("export " + path("run") + " --to csv --every 0"), 2);
}

// Half a trace gives the frames that are whole, with a warning; a damaged one too, with an error.
TEST_F(RecordingCommands, TruncatedAndDamagedTraces) {
  const std::string trace = read("run/trace.cairn");
  std::ofstream(path("half.cairn"), std::ios::binary) << trace.substr(0, trace.size() / 2);
  EXPECT_EQ(cairn("plot " + path("half.cairn") + " energy -o " + path("a.svg")), 0);
  EXPECT_TRUE(said().starts_with("warning: " + path("half.cairn"))) << said();
  std::string damaged = trace;
  damaged[damaged.size() / 2] = static_cast<char>(damaged[damaged.size() / 2] ^ 0x55);
  std::ofstream(path("damaged.cairn"), std::ios::binary) << damaged;
  EXPECT_EQ(cairn("export " + path("damaged.cairn") + " --to csv -o " + path("csv")), 3);
  EXPECT_NE(said().find(path("damaged.cairn")), std::string::npos);
  EXPECT_TRUE(fs::exists(path("csv/bodies.csv")));
}

}  // namespace
}  // namespace cairn::test_command_recordings
