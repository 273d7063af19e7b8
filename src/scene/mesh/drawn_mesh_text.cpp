// Points in the order of their first use: three columns of zigzag differences of 16 bits. Corners
// of triangles: how far each lies behind the next new point, 32 bits. Planes of bytes, then zlib.
#include "scene/mesh/drawn_mesh_text.hpp"

#include <cmath>
#include <fmt/format.h>

#include "bytes/byte_planes.hpp"
#include "bytes/compress.hpp"
#include "bytes/text_form.hpp"
#include "mesh/files/read_mesh.hpp"

namespace cairn::scene {
namespace {

constexpr double steps = 65535;
constexpr std::size_t piece = 48 << 10;    // characters of a string of the document
constexpr std::size_t most_packed = 1040;  // zlib packs no more bytes into one

std::uint16_t rounded(double x, double lo, double hi) {
  return hi > lo ? static_cast<std::uint16_t>(std::lround((x - lo) / (hi - lo) * steps)) : 0;
}

double restored(std::uint16_t q, double lo, double hi) {
  if (q == 65535) return hi;
  return lo + (hi - lo) * (q / steps);
}

json::Node vector_node(const Vec3& v) {
  return json::Node::array({v.x(), v.y(), v.z()});
}

}  // namespace

json::Node write_drawn_mesh(const DrawnMesh& mesh) {
  mesh::TriangleMesh used;
  used.points = mesh.points;
  used.triangles = mesh.triangles;
  used = mesh::compacted(used);
  const mesh::Bounds box = mesh::bounds_of(used.points);
  std::string raw;
  for (int k = 0; k < 3; ++k) {
    std::vector<std::uint16_t> column;
    std::uint16_t before = 0;
    for (const Vec3& p : used.points) {
      const std::uint16_t now = rounded(p[k], box.lo[k], box.hi[k]);
      column.push_back(bytes::zigzag(now, before));
      before = now;
    }
    bytes::put_planes<std::uint16_t>(raw, column);
  }
  std::vector<std::uint32_t> back;
  std::int32_t next = 0;
  for (const auto& t : used.triangles)
    for (const std::int32_t i : t) {
      back.push_back(static_cast<std::uint32_t>(next - i));
      if (i == next) ++next;
    }
  bytes::put_planes<std::uint32_t>(raw, back);
  const std::string text = bytes::base64(bytes::deflated(raw));
  json::Node node = json::Node::object();
  node.set("points", static_cast<double>(used.points.size()));
  node.set("triangles", static_cast<double>(used.triangles.size()));
  node.set("low", vector_node(box.lo));
  node.set("high", vector_node(box.hi));
  json::Node& data = node.set("data", json::Node::array());
  for (std::size_t at = 0; at < text.size(); at += piece)
    data.items.push_back(text.substr(at, piece));
  return node;
}

std::shared_ptr<const DrawnMesh> read_drawn_mesh(const std::string& name, const json::Node& node,
                                                 const std::string& path, SceneErrors& errors) {
  const Fields fields(node, path, drawn_mesh_fields(), errors);
  std::int64_t points = 0, triangles = 0;
  Vec3 lo = Vec3::Zero(), hi = Vec3::Zero();
  const bool sizes =
      fields.read_integer("points", points, 3, static_cast<std::int64_t>(mesh::most_points)) &&
      fields.read_integer("triangles", triangles, 1,
                          static_cast<std::int64_t>(mesh::most_triangles));
  const bool corners = fields.read("low", lo) && fields.read("high", hi);
  const json::Node* data = fields.find("data");
  if (!sizes || !corners || !data) return nullptr;
  const auto refuse = [&](const std::string& what) {
    errors.add(*data, fields.path("data"), ErrorCode::damaged, what, "", "a mesh that Cairn wrote",
               "name the mesh by \"file\" instead");
    return nullptr;
  };
  if (!(lo.array() <= hi.array()).all() || !((hi - lo).allFinite()))
    return refuse("low exceeds high");
  std::string text;
  if (!data->is(json::Node::Kind::array)) {
    errors.wrong_type(*data, fields.path("data"), "an array of strings");
    return nullptr;
  }
  for (const json::Node& item : data->items) {
    if (!item.is(json::Node::Kind::string)) {
      errors.wrong_type(item, fields.path("data"), "a string");
      return nullptr;
    }
    text += item.string;
  }
  const std::string packed = bytes::from_base64(text);
  const auto n = static_cast<std::size_t>(points), m = static_cast<std::size_t>(triangles);
  const std::size_t size = 6 * n + 12 * m;
  std::vector<std::uint8_t> raw;
  if (size / most_packed > packed.size() ||
      !bytes::decompress({reinterpret_cast<const std::uint8_t*>(packed.data()), packed.size()},
                         size, raw))
    return refuse("data do not hold the points and triangles");
  auto mesh = std::make_shared<DrawnMesh>();
  mesh->name = name;
  mesh->points.resize(n);
  for (std::size_t k = 0; k < 3; ++k) {
    const auto axis = static_cast<Eigen::Index>(k);
    std::uint16_t now = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const auto z = static_cast<std::uint16_t>(raw[2 * n * k + i] | raw[2 * n * k + n + i] << 8);
      now = static_cast<std::uint16_t>(now + ((z >> 1) ^ -(z & 1)));
      mesh->points[i][axis] = restored(now, lo[axis], hi[axis]);
    }
  }
  mesh->triangles.resize(m);
  std::int64_t next = 0;
  for (std::size_t i = 0; i < 3 * m; ++i) {
    std::uint32_t back = 0;
    for (std::size_t b = 0; b < 4; ++b)
      back |= static_cast<std::uint32_t>(raw[6 * n + 3 * m * b + i]) << (8 * b);
    const std::int64_t index = next - static_cast<std::int64_t>(back);
    if (index < 0 || index >= points) return refuse("data name points that are not there");
    if (back == 0) ++next;
    mesh->triangles[i / 3][i % 3] = static_cast<std::int32_t>(index);
  }
  return mesh;
}

}  // namespace cairn::scene
