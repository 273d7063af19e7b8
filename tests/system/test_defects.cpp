// Scenes that once went wrong, kept beside the project: whatever they do, no check of the program
// fails and nothing is aborted. Scenes that the reader refuses name their fault.
#include <algorithm>
#include <filesystem>

#include "system/worlds.hpp"

namespace cairn::test_defects {
namespace {

namespace fs = std::filesystem;
using namespace testing;

std::vector<fs::path> defects() {
  std::vector<fs::path> files;
  std::error_code absent;
  const fs::path folder = fs::path(CAIRN_SOURCE_DIR).parent_path() / "shared" / "data" / "defects";
  for (const auto& entry : fs::directory_iterator(folder, absent))
    if (entry.path().extension() == ".json" &&
        entry.path().stem().string().find("problem") == std::string::npos)
      files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

// Reads and steps it; whether it could be read.
bool run_defect(const fs::path& file, const std::vector<std::string>& assignments) {
  const Result<Scene> s = load_scene(file.string(), assignments);
  if (!s) {
    for (const Error& error : s.error()) {
      EXPECT_NE(error.kind, ErrorKind::internal) << error.text();
      EXPECT_NE(error.code, ErrorCode::none) << error.text();
    }
    return false;
  }
  Simulator sim = simulator(*s);
  for (int i = 0; i < 10; ++i) {
    const StepReport& report = sim.step(s->simulation.step);
    EXPECT_NE(report.status, StepStatus::internal_error) << file << ' ' << report.message;
    if (report.status == StepStatus::stopped) {
      EXPECT_NE(report.reason, StopReason::none) << file;
      break;
    }
  }
  return true;
}

TEST(Defects, ReachNoInternalError) {
  const std::vector<fs::path> files = defects();
  if (files.empty()) GTEST_SKIP() << "no folder shared/data/defects beside the project";
  std::size_t read = 0;
  for (const fs::path& file : files) read += run_defect(file, {}) ? 1 : 0;
  EXPECT_GE(2 * read, files.size()) << "most of them are valid scenes";
}

TEST(Defects, ReachNoInternalErrorWithoutTheContactFilter) {
  const std::vector<fs::path> files = defects();
  if (files.empty()) GTEST_SKIP() << "no folder shared/data/defects beside the project";
  for (const fs::path& file : files) {
    if (!file.stem().string().starts_with("D02")) continue;
    EXPECT_TRUE(run_defect(file, {"simulation.scheme.contact_filter=false"})) << file;
  }
}

}  // namespace
}  // namespace cairn::test_defects
