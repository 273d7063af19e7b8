#include "problem/files/problem_formats.hpp"

#include "base/boundary.hpp"
#include "base/input_file.hpp"
#include "problem/files/fclib_file.hpp"
#include "problem/files/json_reader.hpp"
#include "problem/files/problem_file.hpp"
#include "problem/files/reduced_file.hpp"
#include "problem/files/siconos_text.hpp"
#include "problem/files/text_file.hpp"

namespace cairn::problem {
namespace {

const char* const formats = "our JSON, FCLIB (HDF5), or Siconos text: LCP, MLCP, friction contact";

template <class T>
Result<ProblemFile> named(Result<T> problem, const char* format) {
  if (!problem) return tl::unexpected(problem.error());
  return ProblemFile{std::move(*problem), format};
}

bool has_ending(const std::string& file, const char* ending) {
  return std::string_view(file).ends_with(ending);
}

// JSON starts with a brace, or with a comment before it.
bool looks_like_json(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && (text[first] == '{' || text[first] == '/');
}

bool is_reduced_text(const std::string& text) {
  return text.find("\"cairn_reduced\"") != std::string::npos;
}

bool is_scene_text(const std::string& text) {
  const Result<json::Node> document = json::parse_document(text, "", problem_limits);
  return document && document->find("cairn") != nullptr;
}

}  // namespace

bool is_any_problem(const std::string& bytes) {
  if (is_hdf5(bytes)) return true;
  if (looks_like_json(bytes)) return is_reduced_text(bytes) || is_problem_text(bytes);
  return siconos_kind(bytes) != SiconosKind::unknown;
}

Result<ProblemFile> parse_any_problem(const std::string& text, const std::string& file) try {
  if (looks_like_json(text)) {
    if (is_reduced_text(text)) return named(parse_reduced(text, file), "reduced problem, JSON");
    if (!is_problem_text(text) && is_scene_text(text))
      return fail({.code = ErrorCode::wrong_format,
                   .file = file,
                   .line = 1,
                   .what = "is a scene, not a problem",
                   .allowed = formats,
                   .fix = "simulate it with cairn run"});
    return named(parse_problem(text, file), "problem, JSON");
  }
  switch (siconos_kind(text)) {
    case SiconosKind::lcp:
      return named(parse_lcp(text, file), "linear complementarity problem, Siconos text");
    case SiconosKind::mlcp:
      return named(parse_mlcp(text, file), "mixed complementarity problem, Siconos text");
    case SiconosKind::friction:
      return named(parse_friction(text, file), "friction contact problem, Siconos text");
    case SiconosKind::global_friction:
      return named(parse_global_friction(text, file),
                   "global friction contact problem, Siconos text");
    case SiconosKind::unknown:
      break;
  }
  return fail({.code = ErrorCode::wrong_format,
               .file = file,
               .line = 1,
               .what = "is no problem file that Cairn knows",
               .allowed = formats,
               .fix = "see docs/problem-files.md; the file may also be cut off"});
} catch (...) {
  return fail(base::caught_error());
}

Result<ProblemFile> read_any_problem(const std::string& file) try {
  const Result<std::string> text = base::read_input(file, problem_limits.bytes);
  if (!text) return tl::unexpected(text.error());
  if (is_hdf5(*text)) return named(read_fclib(file), "FCLIB, HDF5");
  return parse_any_problem(*text, file);
} catch (...) {
  return fail(base::caught_error());
}

Result<void> write_any_problem(const AnyProblem& problem, const std::string& file) try {
  const auto* full = std::get_if<Problem>(&problem);
  const auto* reduced = std::get_if<ReducedProblem>(&problem);
  if (has_ending(file, ".json"))
    return write_text(full ? problem_text(*full, full->names) : reduced_text(*reduced), file);
  if (has_ending(file, ".hdf5") || has_ending(file, ".h5"))
    return write_fclib(full ? reduce(*full) : *reduced, file);
  return fail({.kind = ErrorKind::usage,
               .code = ErrorCode::unknown_choice,
               .file = file,
               .what = "unknown file extension",
               .allowed = ".json, .hdf5, .h5"});
} catch (...) {
  return fail(base::caught_error());
}

}  // namespace cairn::problem
