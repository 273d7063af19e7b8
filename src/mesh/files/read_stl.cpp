// Reads STL, ASCII and binary. The format repeats a point for every facet: equal ones become one.
// The facets' normals are not used; their corners turn counterclockwise seen from outside.
#include <algorithm>
#include <bit>
#include <cstring>

#include "mesh/files/read_mesh.hpp"
#include "mesh/files/text.hpp"

namespace cairn::mesh {
namespace {

constexpr std::size_t header_bytes = 84, facet_bytes = 50;

std::uint32_t number_at(std::string_view bytes, std::size_t at) {
  std::uint32_t x = 0;
  for (std::size_t i = 0; i < 4; ++i)
    x |= static_cast<std::uint32_t>(static_cast<std::uint8_t>(bytes[at + i])) << (8 * i);
  return x;
}

// Corners in threes to points and triangles.
void weld(std::vector<Vec3>& corners, TriangleMesh& mesh) {
  const std::vector<std::int32_t> ids = first_equal(corners);
  std::vector<std::int32_t> number(corners.size(), -1);
  mesh.triangles.resize(corners.size() / 3);
  for (std::size_t i = 0; i < corners.size(); ++i) {
    std::int32_t& n = number[static_cast<std::size_t>(ids[i])];
    if (n < 0) {
      n = static_cast<std::int32_t>(mesh.points.size());
      mesh.points.push_back(corners[i]);
    }
    mesh.triangles[i / 3][i % 3] = n;
  }
}

Error too_many(const std::string& file, const std::string& got) {
  Error error =
      mesh_error(file, 0, ErrorCode::too_many, "mesh is too large", got,
                 fmt::format("at most {} triangles", most_triangles), "simplify the mesh");
  error.kind = ErrorKind::limit;
  return error;
}

tl::unexpected<Errors> no_facets(const std::string& file) {
  return fail(mesh_error(file, 0, ErrorCode::empty, "file has no facets", "", "",
                         "name an STL file with triangles"));
}

Result<MeshFile> parse_binary(std::string_view bytes, const std::string& file) {
  const std::size_t count = (bytes.size() - header_bytes) / facet_bytes;
  if (count > most_triangles) return fail(too_many(file, std::to_string(count)));
  if (count == 0) return no_facets(file);
  std::vector<Vec3> corners(3 * count);
  for (std::size_t f = 0; f < count; ++f)
    for (std::size_t c = 0; c < 3; ++c)
      for (std::size_t k = 0; k < 3; ++k) {
        const std::size_t at = header_bytes + f * facet_bytes + 12 + 4 * (3 * c + k);
        const auto x = std::bit_cast<float>(number_at(bytes, at));
        if (!(std::abs(x) <= static_cast<float>(largest_coordinate)))
          return fail(mesh_error(file, 0, ErrorCode::not_finite,
                                 fmt::format("corner {} of facet {}, byte {}, is not finite or too "
                                             "large",
                                             c + 1, f + 1, at),
                                 fmt::format("{}", x), "finite numbers up to 1e30",
                                 "export the mesh again"));
        corners[3 * f + c][static_cast<Eigen::Index>(k)] = x;
      }
  MeshFile out;
  out.format = "STL, binary";
  weld(corners, out.mesh);
  return out;
}

bool same_word(std::string_view word, std::string_view lower) {
  return word.size() == lower.size() &&
         std::equal(word.begin(), word.end(), lower.begin(), [](char a, char b) {
           return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b;
         });
}

// The words of the file with the number of their line.
class StlText {
 public:
  StlText(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  Result<MeshFile> read() {
    MeshFile out;
    out.format = "STL, ASCII";
    std::vector<Vec3> corners;
    while (next()) {
      if (!expect("solid")) return failure();
      out.mesh.groups.push_back(
          {std::string(line_rest()), static_cast<std::int32_t>(corners.size() / 3)});
      while (next() && same_word(word_, "facet"))
        if (!facet(corners)) return failure();
      if (!expect("endsolid")) return failure();
      line_rest();
      if (out.mesh.groups.back().first == static_cast<std::int32_t>(corners.size() / 3))
        out.mesh.groups.pop_back();
    }
    if (corners.empty()) return no_facets(file_);
    if (out.mesh.groups.size() == 1) out.mesh.groups.clear();
    weld(corners, out.mesh);
    return out;
  }

 private:
  bool next() {
    std::size_t i = 0;
    for (; i < text_.size() && is_blank(text_[i]); ++i) line_ += text_[i] == '\n';
    std::size_t k = i;
    while (k < text_.size() && !is_blank(text_[k])) ++k;
    word_ = text_.substr(i, k - i);
    text_.remove_prefix(k);
    return !word_.empty();
  }
  static bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

  // What is left of the line: a name.
  std::string_view line_rest() {
    const std::size_t end = std::min(text_.find('\n'), text_.size());
    std::string_view rest = text_.substr(0, end);
    text_.remove_prefix(end);
    while (!rest.empty() && is_blank(rest.front())) rest.remove_prefix(1);
    while (!rest.empty() && is_blank(rest.back())) rest.remove_suffix(1);
    return rest;
  }

  bool expect(std::string_view wanted) {
    if (same_word(word_, wanted)) return true;
    error_ = mesh_error(file_, line_, word_.empty() ? ErrorCode::damaged : ErrorCode::syntax,
                        word_.empty() ? "file ends within a solid" : "unexpected word",
                        word_.empty() ? "" : shown(word_), shown(wanted), "export the mesh again");
    return false;
  }
  bool take(std::string_view wanted) {
    next();
    return expect(wanted);
  }

  bool number(double& x) {
    next();
    if (read_finite(word_, x) && std::abs(x) <= largest_coordinate) return true;
    error_ = mesh_error(file_, line_, word_.empty() ? ErrorCode::damaged : ErrorCode::syntax,
                        word_.empty() ? "file ends within a facet" : "not a finite number",
                        word_.empty() ? "" : shown(word_), "finite numbers up to 1e30",
                        "export the mesh again");
    return false;
  }

  // Behind the word "facet".
  bool facet(std::vector<Vec3>& corners) {
    if (corners.size() >= 3 * most_triangles) {
      error_ = too_many(file_, "more");
      return false;
    }
    if (!take("normal")) return false;
    // Some programs write NaN as the normal of a facet without area; it is not used.
    for (int k = 0; k < 3; ++k)
      if (!next()) return expect("a number");
    if (!take("outer") || !take("loop")) return false;
    for (int c = 0; c < 3; ++c) {
      Vec3& p = corners.emplace_back();
      if (!take("vertex")) return false;
      for (int k = 0; k < 3; ++k)
        if (!number(p[k])) return false;
    }
    return take("endloop") && take("endfacet");
  }

  tl::unexpected<Errors> failure() { return fail(std::move(error_)); }

  std::string_view text_, word_;
  const std::string& file_;
  int line_ = 1;
  Error error_;
};

}  // namespace

Result<MeshFile> parse_stl(std::string_view bytes, const std::string& file) {
  // Binary headers may begin with "solid" as well: the size decides.
  const bool has_header = bytes.size() >= header_bytes;
  const std::size_t declared = has_header ? number_at(bytes, header_bytes - 4) : 0;
  if (has_header && bytes.size() == header_bytes + declared * facet_bytes)
    return parse_binary(bytes, file);
  Words words(bytes.substr(0, 256));
  const bool text =
      same_word(words.next(), "solid") && bytes.substr(0, 512).find('\0') == std::string_view::npos;
  if (text) return StlText(bytes, file).read();
  if (!has_header)
    return fail(mesh_error(file, 0, ErrorCode::damaged, "file is too short for an STL file",
                           fmt::format("{} bytes", bytes.size()),
                           "\"solid ...\", or a header of 84 bytes", "export the mesh again"));
  return fail(mesh_error(file, 0, ErrorCode::damaged,
                         fmt::format("header, byte 80, declares {} facets, which take {} bytes",
                                     declared, header_bytes + declared * facet_bytes),
                         fmt::format("{} bytes", bytes.size()),
                         "the size that the number of facets requires",
                         "export the mesh again, or copy the whole file"));
}

}  // namespace cairn::mesh
