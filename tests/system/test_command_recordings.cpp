// cairn plot and cairn export from the command line: files, exit codes, errors with remedies.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sstream>
#include <unistd.h>

namespace cairn {
namespace {

namespace fs = std::filesystem;

class RecordingCommands : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
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

TEST_F(RecordingCommands, PlotWritesBothKindsAndRefusesTheRest) {
  EXPECT_EQ(cairn("plot " + path("run") + " energy joint_error -o " + path("a.svg") + " --json"),
            0);
  const nlohmann::json told = nlohmann::json::parse(said());
  EXPECT_EQ(told["plots"], 2);
  EXPECT_EQ(told["curves"].size(), 4u);
  EXPECT_EQ(told["frames"], 51);
  EXPECT_TRUE(read("a.svg").starts_with("<svg "));
  EXPECT_EQ(cairn("plot " + path("run/trace.cairn") + " energy --size 300x200 -o " + path("a.png")),
            0);
  EXPECT_EQ(read("a.png").substr(1, 3), "PNG");
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
}  // namespace cairn
