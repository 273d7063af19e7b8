// Reads the environment.
#include "runs/file_access.hpp"

#include <cstdlib>

namespace cairn::app {
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

std::string cache_folder() {
  if (std::getenv("CAIRN_CACHE")) {
    const std::string folder = variable("CAIRN_CACHE");
    return folder == "off" ? "" : folder;
  }
  if (const std::string base = variable("XDG_CACHE_HOME"); !base.empty()) return base + "/cairn";
  const std::string home = variable("HOME");
  return home.empty() ? "" : home + "/.cache/cairn";
}

}  // namespace

FileAccess file_access(const std::vector<std::string>& allowed) {
  return {allowed, cache_folder()};
}

}  // namespace cairn::app
