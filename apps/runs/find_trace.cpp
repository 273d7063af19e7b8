#include "runs/find_trace.hpp"

#include <filesystem>

#include "terminal/input_file.hpp"

namespace cairn::app {

namespace fs = std::filesystem;

Result<std::string> find_trace(const std::string& input) {
  std::error_code fault;
  if (!fs::is_directory(input, fault)) {
    const Result<void> readable = check_input(input, "trace");
    if (!readable) return tl::unexpected(readable.error());
    return input;
  }
  for (const char* name : {"trace.cairn", "trace.cairn.part"}) {
    const fs::path path = fs::path(input) / name;
    if (fs::is_regular_file(path, fault)) return path.string();
  }
  Error error;
  error.code = ErrorCode::not_found;
  error.file = input;
  error.what = "no trace.cairn in this folder";
  error.fix = "cairn run SCENE --out " + input;
  return fail(error);
}

}  // namespace cairn::app
