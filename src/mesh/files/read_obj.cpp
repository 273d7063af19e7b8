// Reads Wavefront OBJ: points, polygons, and the groups that "o" and "g" begin.
#include <vector>

#include "base/error_list.hpp"
#include "mesh/files/read_mesh.hpp"
#include "mesh/files/text.hpp"

namespace cairn::mesh {
namespace {

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

class ObjReader {
 public:
  explicit ObjReader(const std::string& file) : file_(file) {}

  Result<MeshFile> read(std::string_view text) {
    int lines = 0;
    for (; !text.empty() && !errors_.full(); line_ += lines) {
      const std::string_view line = take_line(text, lines);
      Words words(line.substr(0, line.find('#')));
      const std::string_view word = words.next();
      if (word == "v") read_point(words);
      if (word == "f" && errors_.empty()) read_face(words);
      if (word == "o" || word == "g") begin_group(words);
      if (mesh_.triangles.size() > most_triangles || mesh_.points.size() > most_points)
        return too_many();
    }
    if (!errors_.empty()) return tl::unexpected<Errors>(errors_.take());
    if (mesh_.points.empty())
      return fail(mesh_error(file_, 0, ErrorCode::empty, "file has no vertices", "", "",
                             "name an OBJ file with lines \"v x y z\""));
    drop_empty_group();
    return MeshFile{std::move(mesh_), "OBJ", ""};
  }

 private:
  // "v x y z", perhaps with a weight or a colour behind.
  void read_point(Words& words) {
    Vec3& p = mesh_.points.emplace_back();
    for (int k = 0; k < 3; ++k) {
      const std::string_view word = words.next();
      if (read_finite(word, p[k]) && std::abs(p[k]) <= largest_coordinate) continue;
      if (word.empty())
        return add(ErrorCode::wrong_size, "vertex has fewer than three coordinates",
                   std::to_string(k), "three finite numbers", "write \"v x y z\"");
      return add(ErrorCode::syntax, "coordinate of a vertex is not a finite number up to 1e30",
                 shown(word), "three finite numbers", "write \"v x y z\"");
    }
  }

  // "f 1 2 3", "f 1/4/2 ..." or with numbers that count back from the last vertex, "f -1 -2 -3".
  void read_face(Words& words) {
    loop_.clear();
    const auto count = static_cast<long>(mesh_.points.size());
    for (std::string_view word = words.next(); !word.empty(); word = words.next()) {
      long i = 0;
      const bool read = read_index(word.substr(0, word.find('/')), i);
      if (read && i < 0) i += count + 1;
      if (!read || i < 1 || i > count)
        return add(read ? ErrorCode::out_of_range : ErrorCode::syntax, "face names no vertex",
                   shown(word), fmt::format("1 to {}, or -{} to -1", count, count),
                   "write \"f i j k\" behind its vertices");
      loop_.push_back(static_cast<std::int32_t>(i - 1));
    }
    if (loop_.size() < 3)
      return add(ErrorCode::wrong_size, "face has fewer than three vertices",
                 std::to_string(loop_.size()), "3 or more", "write \"f i j k\"");
    if (mesh_.triangles.size() + loop_.size() > most_triangles + 2) return count_only();
    add_polygon(loop_, mesh_.points, mesh_.triangles);
  }

  // Past the limit nothing is triangulated any more.
  void count_only() { mesh_.triangles.resize(most_triangles + 1); }

  void begin_group(Words& words) {
    drop_empty_group();
    mesh_.groups.push_back(
        {std::string(words.next()), static_cast<std::int32_t>(mesh_.triangles.size())});
    if (mesh_.groups.size() == 1 && mesh_.groups[0].first > 0)
      mesh_.groups.insert(mesh_.groups.begin(), {"", 0});  // what came before the first name
  }
  void drop_empty_group() {
    if (!mesh_.groups.empty() &&
        mesh_.groups.back().first == static_cast<std::int32_t>(mesh_.triangles.size()))
      mesh_.groups.pop_back();
  }

  tl::unexpected<Errors> too_many() {
    Error error =
        mesh_error(file_, line_, ErrorCode::too_many, "mesh is too large",
                   mesh_.triangles.size() > most_triangles ? "more triangles" : "more vertices",
                   fmt::format("at most {} triangles and {} vertices", most_triangles, most_points),
                   "simplify the mesh");
    error.kind = ErrorKind::limit;
    return fail(std::move(error));
  }

  void add(ErrorCode code, std::string what, std::string got, std::string allowed,
           std::string fix) {
    errors_.add(mesh_error(file_, line_, code, std::move(what), std::move(got), std::move(allowed),
                           std::move(fix)));
  }

  const std::string& file_;
  TriangleMesh mesh_;
  base::ErrorList errors_;
  std::vector<std::int32_t> loop_;
  int line_ = 1;
};

}  // namespace

Result<MeshFile> parse_obj(std::string_view text, const std::string& file) {
  return ObjReader(file).read(text);
}

}  // namespace cairn::mesh
