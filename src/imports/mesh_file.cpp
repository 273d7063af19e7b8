#include "imports/mesh_file.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <map>

#include "base/input_file.hpp"

namespace cairn::imports {
namespace {

constexpr std::size_t most_bytes = std::size_t{256} << 20;

std::string ending_of(const std::string& file) {
  std::string ending = std::filesystem::path(file).extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return ending;
}

tl::unexpected<Errors> bad_mesh(const std::string& file, int line, ErrorCode code, std::string what,
                                std::string fix) {
  return fail(
      {.code = code, .file = file, .line = line, .what = std::move(what), .fix = std::move(fix)});
}

// The words of a line.
std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> out;
  constexpr std::string_view blanks = " \t\r";
  while (true) {
    const std::size_t first = line.find_first_not_of(blanks);
    if (first == std::string_view::npos) return out;
    line.remove_prefix(first);
    const std::size_t end = std::min(line.find_first_of(blanks), line.size());
    out.push_back(line.substr(0, end));
    line.remove_prefix(end);
  }
}

bool read_number(std::string_view word, double& out) {
  if (word.starts_with('+')) word.remove_prefix(1);
  const char* end = word.data() + word.size();
  return std::from_chars(word.data(), end, out).ptr == end && std::isfinite(out) &&
         std::abs(out) <= 1e30;
}

bool read_point(const std::vector<std::string_view>& words, Vec3& out) {
  return words.size() >= 4 && read_number(words[1], out.x()) && read_number(words[2], out.y()) &&
         read_number(words[3], out.z());
}

template <class F>
void each_line(const std::string& text, F f) {
  int number = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    if (!f(std::string_view(text).substr(at, end - at), ++number)) return;
    at = end + 1;
  }
}

Result<Mesh> read_obj_text(const std::string& text, const std::string& file) {
  Mesh mesh;
  int bad_line = 0;
  std::string what;
  each_line(text, [&](std::string_view line, int number) {
    const auto words = words_of(line);
    if (words.empty()) return true;
    if (words[0] == "v") {
      if (!read_point(words, mesh.points.emplace_back())) {
        bad_line = number;
        what = "a vertex needs three finite numbers";
      }
    } else if (words[0] == "f") {
      std::vector<int> corners;
      for (std::size_t i = 1; i < words.size() && bad_line == 0; ++i) {
        const std::string_view word = words[i].substr(0, words[i].find('/'));
        long corner = 0;
        const char* end = word.data() + word.size();
        const auto n = static_cast<long>(mesh.points.size());
        const bool read = std::from_chars(word.data(), end, corner).ptr == end;
        if (corner < 0) corner += n + 1;
        if (!read || corner < 1 || corner > n) {
          bad_line = number;
          what = "a face names a vertex that is not there";
        } else {
          corners.push_back(static_cast<int>(corner) - 1);
        }
      }
      for (std::size_t i = 2; i < corners.size(); ++i)
        mesh.triangles.push_back({corners[0], corners[i - 1], corners[i]});
    }
    return bad_line == 0;
  });
  if (bad_line > 0) return bad_mesh(file, bad_line, ErrorCode::syntax, what, "repair the file");
  return mesh;
}

// Points that are equal are one.
class PointSet {
 public:
  explicit PointSet(Mesh& mesh) : mesh_(mesh) {}
  int number_of(const Vec3& p) {
    const auto [entry, is_new] =
        known_.try_emplace({p.x(), p.y(), p.z()}, static_cast<int>(mesh_.points.size()));
    if (is_new) mesh_.points.push_back(p);
    return entry->second;
  }

 private:
  Mesh& mesh_;
  std::map<std::array<double, 3>, int> known_;
};

Result<Mesh> read_stl_text(const std::string& text, const std::string& file) {
  Mesh mesh;
  PointSet points(mesh);
  std::vector<int> corners;
  int bad_line = 0;
  each_line(text, [&](std::string_view line, int number) {
    const auto words = words_of(line);
    if (words.empty() || words[0] != "vertex") return true;
    Vec3 p;
    if (!read_point(words, p)) {
      bad_line = number;
      return false;
    }
    corners.push_back(points.number_of(p));
    if (corners.size() == 3) {
      mesh.triangles.push_back({corners[0], corners[1], corners[2]});
      corners.clear();
    }
    return true;
  });
  if (bad_line > 0)
    return bad_mesh(file, bad_line, ErrorCode::syntax, "a vertex needs three finite numbers",
                    "repair the file");
  return mesh;
}

Result<Mesh> read_stl_binary(const std::string& bytes, const std::string& file) {
  constexpr std::size_t header = 84, facet = 50;
  const std::size_t count = (bytes.size() - header) / facet;
  Mesh mesh;
  PointSet points(mesh);
  for (std::size_t i = 0; i < count; ++i) {
    std::array<int, 3> triangle{};
    for (std::size_t corner = 0; corner < 3; ++corner) {
      float xyz[3];
      std::memcpy(xyz, bytes.data() + header + i * facet + 12 + 12 * corner, sizeof xyz);
      const Vec3 p(xyz[0], xyz[1], xyz[2]);
      if (!p.allFinite() || p.cwiseAbs().maxCoeff() > 1e30)
        return bad_mesh(file, 0, ErrorCode::not_finite,
                        "facet " + std::to_string(i + 1) + " has a corner that is not finite",
                        "repair the file");
      triangle[corner] = points.number_of(p);
    }
    mesh.triangles.push_back(triangle);
  }
  return mesh;
}

Result<Mesh> read_stl(const std::string& bytes, const std::string& file) {
  std::uint32_t count = 0;
  if (bytes.size() >= 84) std::memcpy(&count, bytes.data() + 80, sizeof count);
  if (bytes.size() >= 84 && bytes.size() == 84 + std::size_t{50} * count)
    return read_stl_binary(bytes, file);
  if (bytes.starts_with("solid")) return read_stl_text(bytes, file);
  return bad_mesh(file, 0, ErrorCode::damaged,
                  "the size of the file does not fit its number of facets",
                  "copy it again, or write it again");
}

}  // namespace

bool is_known_mesh(const std::string& file) {
  const std::string ending = ending_of(file);
  return ending == ".obj" || ending == ".stl";
}

Result<Mesh> read_mesh(const std::string& file, const Vec3& scale) {
  if (!is_known_mesh(file))
    return fail({.code = ErrorCode::unsupported,
                 .file = file,
                 .what = "meshes of this format are not read",
                 .got = ending_of(file),
                 .allowed = ".obj, .stl",
                 .fix = "convert it to OBJ or STL"});
  const Result<std::string> bytes = base::read_input(file, most_bytes);
  if (!bytes) return tl::unexpected<Errors>(bytes.error());
  Result<Mesh> mesh =
      ending_of(file) == ".obj" ? read_obj_text(*bytes, file) : read_stl(*bytes, file);
  if (!mesh) return mesh;
  if (mesh->points.empty())
    return bad_mesh(file, 0, ErrorCode::empty, "the mesh has no points", "check the file");
  mesh->file = file;
  mesh->scale = scale;
  for (Vec3& p : mesh->points) p = p.cwiseProduct(scale);
  return mesh;
}

}  // namespace cairn::imports
