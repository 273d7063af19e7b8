// Looks at a named file and its folder.
#include "input_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <unistd.h>
#include <vector>

#include "base/suggestion.hpp"

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
  std::sort(names.begin(), names.end());
  const std::vector<std::string_view> known(names.begin(), names.end());
  const std::string nearest = nearest_name(path.filename().string(), known);
  if (nearest.empty()) return "check the path";
  return "did you mean '" + (path.parent_path() / nearest).string() + "'?";
}

}  // namespace

Result<void> check_input(const std::string& file, const std::string& kind) {
  Error error;
  error.file = file;
  std::error_code fault;
  if (fs::is_directory(file, fault)) {
    error.what = "is a folder, not a " + kind;
    error.fix = "name a file in it";
    return fail(error);
  }
  if (::access(file.c_str(), R_OK) == 0) return {};
  const int reason = errno;
  error.what = "cannot open the " + kind + ": " + std::strerror(reason);
  error.fix = reason == ENOENT ? nearest_file(file) : "check the path and its permissions";
  return fail(error);
}

}  // namespace cairn::app
