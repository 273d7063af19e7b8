// Reads an OBJ file, writes the points of its "v" lines.
#include "scene/obj_file.hpp"

#include <charconv>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>

#include "base/error_list.hpp"

namespace cairn {
namespace {

constexpr std::uintmax_t most_bytes = std::uintmax_t{256} << 20;

Error file_error(ErrorKind kind, const std::string& file, std::string what, std::string fix) {
  Error error;
  error.kind = kind;
  error.file = file;
  error.what = std::move(what);
  error.fix = std::move(fix);
  return error;
}

// Words of a logical line: parted by blanks, up to "#".
class Words {
 public:
  explicit Words(std::string_view line) : rest_(line.substr(0, line.find('#'))) {}

  // Empty at the end.
  std::string_view next() {
    const std::size_t start = rest_.find_first_not_of(blanks);
    if (start == std::string_view::npos) return {};
    const std::size_t end = std::min(rest_.find_first_of(blanks, start), rest_.size());
    const std::string_view word = rest_.substr(start, end - start);
    rest_.remove_prefix(end);
    return word;
  }

 private:
  static constexpr std::string_view blanks = " \t\r\v\f\\\n";
  std::string_view rest_;
};

// A line with those that it is continued on by a backslash; takes them off the text.
std::string_view take_line(std::string_view& text, int& lines) {
  std::size_t end = 0;
  lines = 0;
  while (true) {
    end = text.find('\n', end);
    ++lines;
    if (end == std::string_view::npos) break;
    std::size_t last = end;
    if (last > 0 && text[last - 1] == '\r') --last;
    if (last == 0 || text[last - 1] != '\\') break;
    ++end;
  }
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

bool read_coordinate(std::string_view word, double& out) {
  if (word.starts_with('+')) word.remove_prefix(1);
  const char* end = word.data() + word.size();
  const auto [stop, status] = std::from_chars(word.data(), end, out);
  return status == std::errc() && stop == end && std::isfinite(out);
}

}  // namespace

Result<std::vector<Vec3>> parse_obj_points(std::string_view text, const std::string& file) {
  std::vector<Vec3> points;
  ErrorList errors;
  int number = 1, lines = 0;
  for (; !text.empty() && !errors.full(); number += lines) {
    Words words(take_line(text, lines));
    if (words.next() != "v") continue;
    Vec3& p = points.emplace_back();
    for (int k = 0; k < 3; ++k) {
      const std::string_view word = words.next();
      if (read_coordinate(word, p[k])) continue;
      Error error = file_error(ErrorKind::input, file,
                               word.empty() ? "vertex has fewer than three coordinates"
                                            : "coordinate of a vertex is not a finite number",
                               "write \"v x y z\"");
      error.line = number;
      error.got =
          word.empty() ? fmt::format("{}", k) : "\"" + std::string(word.substr(0, 60)) + "\"";
      error.allowed = "three finite numbers";
      errors.add(std::move(error));
      break;
    }
  }
  if (!errors.empty()) return tl::unexpected<Errors>(errors.take());
  if (points.empty())
    return fail(file_error(ErrorKind::input, file, "file has no vertices",
                           "name an OBJ file with lines \"v x y z\""));
  return points;
}

Result<std::vector<Vec3>> read_obj_points(const std::string& file) {
  std::error_code status;
  const std::filesystem::path path(file);
  if (!std::filesystem::exists(path, status))
    return fail(file_error(ErrorKind::io, file, "file does not exist",
                           "check the path; it is relative to the folder of the scene"));
  if (!std::filesystem::is_regular_file(path, status))
    return fail(file_error(ErrorKind::io, file, "is not a file", "name an OBJ file"));
  if (const std::uintmax_t size = std::filesystem::file_size(path, status);
      !status && size > most_bytes) {
    Error error = file_error(ErrorKind::limit, file, "file is too large", "use a coarser mesh");
    error.got = fmt::format("{} bytes", size);
    error.allowed = fmt::format("at most {} bytes", most_bytes);
    return fail(std::move(error));
  }
  std::ifstream stream(path, std::ios::binary);
  if (!stream)
    return fail(file_error(ErrorKind::io, file, "file cannot be read", "check its permissions"));
  const std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  return parse_obj_points(text, file);
}

}  // namespace cairn
