// Reads an OBJ file, writes the points of its "v" lines and the faces of its "f" lines.
#include "scene/obj_file.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <map>

#include "base/error_list.hpp"
#include "base/input_file.hpp"
#include "model/shape/mass_properties.hpp"

namespace cairn::scene {
namespace {

constexpr std::size_t most_bytes = std::size_t{256} << 20;
constexpr double mesh_tolerance = 1e-6;  // the digits that most programs write [-]

Error file_error(const std::string& file, int line, ErrorCode code, std::string what,
                 std::string fix) {
  return {.code = code, .file = file, .line = line, .what = std::move(what), .fix = std::move(fix)};
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

// "v x y z"
void read_vertex(Words& words, const std::string& file, int line, ObjMesh& mesh,
                 base::ErrorList& errors) {
  Vec3& p = mesh.points.emplace_back();
  for (int k = 0; k < 3; ++k) {
    const std::string_view word = words.next();
    if (read_coordinate(word, p[k])) continue;
    Error error = file_error(file, line, word.empty() ? ErrorCode::wrong_size : ErrorCode::syntax,
                             word.empty() ? "vertex has fewer than three coordinates"
                                          : "coordinate of a vertex is not a finite number",
                             "write \"v x y z\"");
    error.got = word.empty() ? fmt::format("{}", k) : "\"" + std::string(word.substr(0, 60)) + "\"";
    error.allowed = "three finite numbers";
    return errors.add(std::move(error));
  }
}

// "f 1 2 3", "f 1/4/2 ..." or with numbers that count back from the last vertex, "f -1 -2 -3".
void read_face(Words& words, const std::string& file, int line, ObjMesh& mesh,
               base::ErrorList& errors) {
  std::vector<int> face;
  const auto count = static_cast<long>(mesh.points.size());
  for (std::string_view word = words.next(); !word.empty(); word = words.next()) {
    const std::string_view number = word.substr(0, word.find('/'));
    long i = 0;
    const char* end = number.data() + number.size();
    const auto [stop, status] = std::from_chars(number.data(), end, i);
    const bool read = status == std::errc() && stop == end && !number.empty();
    if (read && i < 0) i += count + 1;
    if (read && i >= 1 && i <= count) {
      face.push_back(static_cast<int>(i - 1));
      continue;
    }
    Error error = file_error(file, line, read ? ErrorCode::out_of_range : ErrorCode::syntax,
                             "face names no vertex", "write \"f i j k\" behind its vertices");
    error.got = "\"" + std::string(word.substr(0, 60)) + "\"";
    error.allowed = fmt::format("1 to {}, or -{} to -1", count, count);
    return errors.add(std::move(error));
  }
  if (face.size() >= 3) {
    mesh.faces.push_back(std::move(face));
    return;
  }
  Error error = file_error(file, line, ErrorCode::wrong_size, "face has fewer than three vertices",
                           "write \"f i j k\"");
  error.got = std::to_string(face.size());
  error.allowed = "3 or more";
  errors.add(std::move(error));
}

}  // namespace

Result<ObjMesh> parse_obj(std::string_view text, const std::string& file) {
  ObjMesh mesh;
  base::ErrorList errors;
  int number = 1, lines = 0;
  for (; !text.empty() && !errors.full(); number += lines) {
    Words words(take_line(text, lines));
    const std::string_view word = words.next();
    if (word == "v") read_vertex(words, file, number, mesh, errors);
    if (word == "f" && errors.empty()) read_face(words, file, number, mesh, errors);
  }
  if (!errors.empty()) return tl::unexpected<Errors>(errors.take());
  if (mesh.points.empty())
    return fail(file_error(file, 0, ErrorCode::empty, "file has no vertices",
                           "name an OBJ file with lines \"v x y z\""));
  return mesh;
}

Result<ObjMesh> read_obj(const std::string& file) {
  const Result<std::string> text = base::read_input(file, most_bytes);
  if (!text) return tl::unexpected<Errors>(text.error());
  return parse_obj(*text, file);
}

// ---- Convexity
// ----------------------------------------------------------------------------------------------------

namespace {

struct Before {
  bool operator()(const Vec3& a, const Vec3& b) const {
    return std::lexicographical_compare(a.data(), a.data() + 3, b.data(), b.data() + 3);
  }
};

// Numbers of the points in which equal ones are one: files often repeat a vertex for every face.
std::vector<int> welded(const std::vector<Vec3>& points) {
  std::map<Vec3, int, Before> known;
  std::vector<int> ids;
  for (const Vec3& p : points)
    ids.push_back(known.try_emplace(p, static_cast<int>(known.size())).first->second);
  return ids;
}

// Every edge of a closed surface belongs to two faces, which run along it in opposite senses.
bool is_closed(const ObjMesh& mesh) {
  const std::vector<int> ids = welded(mesh.points);
  std::map<std::pair<int, int>, int> edges;
  for (const std::vector<int>& face : mesh.faces)
    for (std::size_t i = 0; i < face.size(); ++i) {
      const int tail = ids[static_cast<std::size_t>(face[i])],
                head = ids[static_cast<std::size_t>(face[(i + 1) % face.size()])];
      if (tail != head) ++edges[{tail, head}];
    }
  return std::all_of(edges.begin(), edges.end(), [&](const auto& edge) {
    const auto back = edges.find({edge.first.second, edge.first.first});
    return edge.second == 1 && back != edges.end() && back->second == 1;
  });
}

// Of the tetrahedra between the centre and triangles of the faces [m^3].
double volume_of(const ObjMesh& mesh, const Vec3& center) {
  double sum = 0;
  const auto corner = [&](int i) {
    return Vec3(mesh.points[static_cast<std::size_t>(i)] - center);
  };
  for (const std::vector<int>& face : mesh.faces)
    for (std::size_t i = 1; i + 1 < face.size(); ++i)
      sum += corner(face[0]).dot(corner(face[i]).cross(corner(face[i + 1])));
  return std::abs(sum) / 6;
}

// Depth of a point below the surface of the hull; it is inside [m].
double depth_of(const Vec3& p, const Polyhedron& hull) {
  double depth = std::numeric_limits<double>::infinity();
  for (const Polyhedron::Face& face : hull.faces)
    depth = std::min(depth, face.offset - face.normal.dot(p));
  return depth;
}

}  // namespace

std::optional<Error> difference_from_hull(const ObjMesh& mesh, const Polyhedron& hull) {
  const double hull_volume = model::mass_properties(hull, 1).mass;
  Error error;
  error.code = ErrorCode::not_convex;
  error.fix =
      "use several convex meshes, or write \"convex_hull\": true to take the hull in its place";
  std::size_t inner = 0;
  for (const Vec3& p : mesh.points)
    if (depth_of(p, hull) > mesh_tolerance * hull.outer_radius) ++inner;
  if (mesh.faces.empty()) {
    // A cloud of points stands for its hull where each point is a corner of it.
    if (inner == 0) return std::nullopt;
    error.what = "points lie inside their convex hull";
    error.got = fmt::format("{} of {} points, no faces", inner, mesh.points.size());
    error.allowed = "points on their hull, or a convex mesh with faces";
    return error;
  }
  if (!is_closed(mesh)) {
    error.code = ErrorCode::not_closed;
    error.what = "faces of the mesh do not form a closed surface, so that it has no volume";
    error.got = fmt::format("{} faces", mesh.faces.size());
    error.allowed = "every edge in two faces that run along it in opposite senses";
    return error;
  }
  const double volume = volume_of(mesh, hull.center);
  if (inner == 0 && std::abs(volume - hull_volume) <= mesh_tolerance * hull_volume)
    return std::nullopt;
  error.what = "mesh is not convex";
  error.got = fmt::format("a volume of {:.9g} m^3, {} of {} vertices inside the hull", volume,
                          inner, mesh.points.size());
  error.allowed =
      fmt::format("the volume of its convex hull, {:.9g} m^3, to {}", hull_volume, mesh_tolerance);
  return error;
}

}  // namespace cairn::scene
