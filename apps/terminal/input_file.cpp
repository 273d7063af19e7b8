// Looks at a named file and its folder.
#include "terminal/input_file.hpp"

#include <algorithm>
#include <filesystem>
#include <unistd.h>
#include <vector>

#include "base/input_file.hpp"
#include "base/suggestion.hpp"
#include "terminal/scene_file.hpp"

namespace cairn::app {
namespace {

namespace fs = std::filesystem;

// "did you mean 'scenes/pile.json'?", or nothing. Names are sorted, so that the answer does not
// depend on the folder's order.
std::string nearest_file(const fs::path& path) {
  std::error_code fault;
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  if (!fs::is_directory(folder, fault)) return "the folder " + folder.string() + " does not exist";
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, fault))
    names.push_back(entry.path().filename().string());
  // A bare name may be that of an installed scene (terminal/scene_file.hpp).
  if (!path.has_parent_path())
    for (std::string& name : installed_scenes()) names.push_back(std::move(name));
  std::sort(names.begin(), names.end());
  const std::vector<std::string_view> known(names.begin(), names.end());
  const std::string nearest = base::nearest_name(path.filename().string(), known);
  if (nearest.empty()) return "check the path";
  return "did you mean '" + (path.parent_path() / nearest).string() + "'?";
}

}  // namespace

Result<void> check_input(const std::string& file, const std::string& kind) {
  const Result<int> opened = base::open_input(file);
  if (opened) {
    ::close(*opened);
    return {};
  }
  Error error = opened.error().front();
  error.what = kind + ": " + error.what;
  if (error.code == ErrorCode::not_found) error.fix = nearest_file(file);
  return fail(std::move(error));
}

}  // namespace cairn::app
