// Looks at the folder with the eyes of the operating system; writes failed problems into it.
#include "runs/run_folder.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <unistd.h>

#include "problem/files/problem_file.hpp"

namespace cairn::app {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view failed_prefix = "failed_problem_";
constexpr std::string_view result_names[] = {
    "trace.cairn",      "steps.csv",        "summary.json",  "report.html",
    "checkpoint.cairn", "trace.cairn.part", "steps.csv.part"};

bool is_failed_problem(const std::string& name) {
  return name.starts_with(failed_prefix) && name.ends_with(".json");
}

tl::unexpected<Errors> folder_error(const std::string& folder, ErrorCode code,
                                    const std::string& what, const std::string& fix) {
  Error error;
  error.kind = ErrorKind::io;
  error.code = code;
  error.file = folder;
  error.what = what;
  error.fix = fix;
  return fail(error);
}

}  // namespace

Result<void> check_folder(const std::string& folder) {
  std::error_code fault;
  const fs::path path(folder);
  if (fs::exists(path, fault) && !fs::is_directory(path, fault))
    return folder_error(folder, ErrorCode::not_a_file, "--out names a file, not a folder",
                        "choose another name");
  const bool there = fs::is_directory(path, fault);
  const fs::path parent = fs::absolute(path, fault).lexically_normal().parent_path();
  if (!there && !fs::is_directory(parent, fault))
    return folder_error(folder, ErrorCode::not_found, "the folder above --out does not exist",
                        "mkdir -p " + parent.string());
  if (::access(there ? folder.c_str() : parent.c_str(), W_OK | X_OK) == 0) return {};
  return folder_error(folder, ErrorCode::cannot_write,
                      std::string(there ? "cannot write into" : "cannot make") +
                          " the folder of --out: " + std::strerror(errno),
                      "choose another place or change its permissions");
}

Result<void> check_scene_is_kept(const std::string& scene, const std::string& folder) {
  const auto refused = [&] {
    return folder_error(scene, ErrorCode::overwrites_input,
                        "the run would write over its own scene",
                        "choose another folder with --out, or another name for the scene");
  };
  // Behind all links: a file of the results may be the scene under another name.
  std::error_code fault;
  for (const std::string_view name : result_names)
    if (fs::equivalent(scene, fs::path(folder) / name, fault)) return refused();
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, fault))
    if (is_failed_problem(entry.path().filename().string()) &&
        fs::equivalent(scene, entry.path(), fault))
      return refused();
  return {};
}

void remove_failed_problems(const std::string& folder) {
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored))
    if (is_failed_problem(entry.path().filename().string())) fs::remove(entry.path(), ignored);
}

Result<std::string> save_failed_problem(const Model& model, const StepReport& report,
                                        const std::string& folder) {
  if (report.solves.empty()) return std::string();
  const auto worst = static_cast<std::size_t>(report.worst_solve);
  const Problem& problem = report.solved()[worst].problem;
  const Solution& solution = report.solved()[worst].solution;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < problem.constraints.size(); ++i)
    names.push_back(constraint_name(model, problem, static_cast<int>(i)));
  if (!problem::parse_problem(problem::problem_text(problem, names), "")) return std::string();
  const std::string file = fmt::format("{}/{}{}.json", folder, failed_prefix, report.step);
  const Result<void> written = problem::write_problem(problem, names, file, solution.attempts);
  if (!written) return tl::unexpected(written.error());
  return file;
}

}  // namespace cairn::app
