// Looks at the folder with the eyes of the operating system; writes failed problems into it.
#include "run_folder.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <unistd.h>

#include "problem/problem_file.hpp"

namespace cairn::app {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view failed_prefix = "failed_problem_";

tl::unexpected<Errors> folder_error(const std::string& folder, const std::string& what,
                                    const std::string& fix) {
  Error error;
  error.kind = ErrorKind::io;
  error.file = folder;
  error.what = what;
  error.fix = fix;
  return fail(error);
}

}  // namespace

Result<void> prepare_folder(const std::string& folder) {
  std::error_code fault;
  const fs::path path(folder);
  if (fs::exists(path, fault) && !fs::is_directory(path, fault))
    return folder_error(folder, "--out names a file, not a folder", "choose another name");
  if (!fs::is_directory(path, fault)) {
    const fs::path parent = fs::absolute(path, fault).lexically_normal().parent_path();
    if (!fs::is_directory(parent, fault))
      return folder_error(folder, "the folder above --out does not exist",
                          "mkdir -p " + parent.string());
    fs::create_directory(path, fault);
    if (fault)
      return folder_error(folder, "cannot make the folder of --out: " + fault.message(),
                          "choose another place or change its permissions");
  }
  if (::access(folder.c_str(), W_OK | X_OK) != 0)
    return folder_error(
        folder, std::string("cannot write into the folder of --out: ") + std::strerror(errno),
        "choose another place or change its permissions");
  for (const fs::directory_entry& entry : fs::directory_iterator(path, fault)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(failed_prefix) && name.ends_with(".json")) fs::remove(entry.path(), fault);
  }
  return {};
}

Result<std::string> save_failed_problem(const Model& model, const StepReport& report,
                                        const std::string& folder) {
  if (report.solve_count == 0) return std::string();
  const auto worst = static_cast<std::size_t>(report.worst_solve);
  const Problem& problem = report.solved()[worst].problem;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < problem.constraints.size(); ++i)
    names.push_back(constraint_name(model, problem, static_cast<int>(i)));
  if (!parse_problem(problem_text(problem, names), "")) return std::string();
  const std::string file = fmt::format("{}/{}{}.json", folder, failed_prefix, report.step);
  const Result<void> written = write_problem(problem, names, file);
  if (!written) return tl::unexpected(written.error());
  return file;
}

}  // namespace cairn::app
