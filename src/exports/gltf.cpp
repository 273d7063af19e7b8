// A recording as one binary glTF 2.0 file: a node for each body, meshes of its shapes, one
// animation with the places and rotations of all bodies that move.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <map>

#include "base/json/json_text.hpp"
#include "bytes/byte_planes.hpp"
#include "exports/export.hpp"
#include "exports/looks.hpp"
#include "exports/mesh.hpp"
#include "record/run/files.hpp"

namespace cairn::exports {
namespace {

constexpr int type_float = 5126, type_index = 5125;             // of accessors
constexpr int target_vertices = 34962, target_indices = 34963;  // of buffer views
constexpr double most_bytes = 2e9;  // a file of 4 GB is the format's end, half of it most programs'

float narrow(double x) {
  constexpr double most = std::numeric_limits<float>::max();
  return std::isfinite(x) ? static_cast<float>(std::clamp(x, -most, most)) : 0.0f;
}

// What moves, gathered from the trace: one column of floats for each body.
struct Track {
  std::vector<float> places, turns;  // x y z; x y z w
  Quat last = Quat::Identity();
  bool moves = false, rotates = false;

  void add(const BodyMotion& m) {
    Quat q = m.orientation;
    if (!(q.norm() > 0.5) || !q.coeffs().allFinite()) q = Quat::Identity();
    q.normalize();
    if (q.dot(last) < 0) q.coeffs() = -q.coeffs();  // q and -q are one rotation: no detours
    last = q;
    for (const double x : m.position) places.push_back(narrow(x));
    for (const double x : q.coeffs()) turns.push_back(narrow(x));
    const std::size_t p = places.size() - 3, r = turns.size() - 4;
    moves = moves ||
            !std::equal(places.begin(), places.begin() + 3, places.begin() + static_cast<long>(p));
    rotates = rotates ||
              !std::equal(turns.begin(), turns.begin() + 4, turns.begin() + static_cast<long>(r));
  }
};

// Lists of the document, as JSON, and the bytes they speak of.
struct Document {
  std::string views, accessors, meshes, materials, nodes, samplers, channels;
  std::size_t view_count = 0, accessor_count = 0, mesh_count = 0, material_count = 0,
              node_count = 0, sampler_count = 0;
  std::string bytes;

  static void put(std::string& list, const std::string& item) {
    list += (list.empty() ? "" : ",") + item;
  }

  // A buffer view of its own and an accessor on all of it. `extra` begins with a comma.
  template <class T>
  std::size_t add_accessor(const std::vector<T>& values, int component, const char* type,
                           std::size_t width, int target, const std::string& extra) {
    put(views, fmt::format("{{\"buffer\":0,\"byteOffset\":{},\"byteLength\":{}{}}}", bytes.size(),
                           values.size() * sizeof(T),
                           target ? fmt::format(",\"target\":{}", target) : ""));
    bytes.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
    put(accessors,
        fmt::format("{{\"bufferView\":{},\"componentType\":{},\"count\":{},\"type\":\"{}\"{}}}",
                    view_count++, component, values.size() / width, type, extra));
    return accessor_count++;
  }
};

std::string list(const std::vector<float>& values) {
  std::string text;
  for (const float x : values) Document::put(text, fmt::format("{}", x));
  return "[" + text + "]";
}

struct MeshAccessors {
  std::size_t positions = 0, normals = 0, indices = 0;
};

MeshAccessors add_mesh_data(const Mesh& mesh, Document& d) {
  std::vector<float> p, n, lo(3, std::numeric_limits<float>::max()),
      hi(3, std::numeric_limits<float>::lowest());
  std::vector<std::uint32_t> corners;
  for (const Vec3& x : mesh.points)
    for (std::size_t k = 0; k < 3; ++k) {
      p.push_back(narrow(x[static_cast<Eigen::Index>(k)]));
      lo[k] = std::min(lo[k], p.back());
      hi[k] = std::max(hi[k], p.back());
    }
  for (const Vec3& x : mesh.normals)
    for (const double value : x) n.push_back(narrow(value));
  for (const auto& t : mesh.triangles) corners.insert(corners.end(), t.begin(), t.end());
  return {d.add_accessor(p, type_float, "VEC3", 3, target_vertices,
                         ",\"min\":" + list(lo) + ",\"max\":" + list(hi)),
          d.add_accessor(n, type_float, "VEC3", 3, target_vertices, ""),
          d.add_accessor(corners, type_index, "SCALAR", 1, target_indices, "")};
}

// Colours of the document are linear.
std::string linear(const std::array<double, 3>& rgb) {
  std::string text;
  for (const double c : rgb)
    Document::put(
        text, fmt::format("{:.4f}", c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4)));
  return "[" + text + ",1]";
}

// Meshes and materials that shapes share.
class Parts {
 public:
  Parts(const Looks& looks, Document& document) : looks_(looks), d_(document) {}

  std::size_t mesh(const std::string& key, const std::array<double, 3>& colour) {
    const auto known = meshes_.find({key, colour});
    if (known != meshes_.end()) return known->second;
    if (!data_.contains(key)) data_[key] = add_mesh_data(looks_.mesh(key), d_);
    const MeshAccessors& a = data_[key];
    Document::put(
        d_.meshes,
        fmt::format(
            "{{\"name\":{},\"primitives\":[{{\"attributes\":{{\"POSITION\":{},\"NORMAL\":{}}},"
            "\"indices\":{},\"material\":{}}}]}}",
            json::json_string(key), a.positions, a.normals, a.indices, material(colour)));
    return meshes_[{key, colour}] = d_.mesh_count++;
  }

 private:
  std::size_t material(const std::array<double, 3>& colour) {
    const auto known = materials_.find(colour);
    if (known != materials_.end()) return known->second;
    Document::put(
        d_.materials,
        fmt::format("{{\"pbrMetallicRoughness\":{{\"baseColorFactor\":{},\"metallicFactor\":0,"
                    "\"roughnessFactor\":0.6}},\"doubleSided\":true}}",
                    linear(colour)));
    return materials_[colour] = d_.material_count++;
  }

  const Looks& looks_;
  Document& d_;
  std::map<std::string, MeshAccessors> data_;
  std::map<std::pair<std::string, std::array<double, 3>>, std::size_t> meshes_;
  std::map<std::array<double, 3>, std::size_t> materials_;
};

std::string quaternion(const Quat& q) {
  return list({narrow(q.x()), narrow(q.y()), narrow(q.z()), narrow(q.w())});
}

// The shapes of a body, then the body that holds them; returns its node.
std::size_t add_body(const Model& model, BodyId id, const Track& track, const Looks& looks,
                     Parts& parts, Document& d) {
  const std::vector<float> place(track.places.begin(), track.places.begin() + 3),
      turn(track.turns.begin(), track.turns.begin() + 4);
  const Pose X_WB{Vec3(place[0], place[1], place[2]), Quat(turn[3], turn[0], turn[1], turn[2])};
  std::string children;
  for (const ShapeMesh& shape : looks.parts(id, X_WB)) {
    const Vec3 &p = shape.X_BS.p, &s = shape.scale;
    Document::put(d.nodes,
                  fmt::format("{{\"mesh\":{},\"translation\":{},\"rotation\":{},\"scale\":{}}}",
                              parts.mesh(shape.key, shape.colour.value_or(looks.colour(id))),
                              list({narrow(p.x()), narrow(p.y()), narrow(p.z())}),
                              quaternion(shape.X_BS.R.normalized()),
                              list({narrow(s.x()), narrow(s.y()), narrow(s.z())})));
    Document::put(children, fmt::format("{}", d.node_count++));
  }
  Document::put(d.nodes,
                fmt::format("{{\"name\":{},\"translation\":{},\"rotation\":{}{}}}",
                            json::json_string(model.body(id).name), list(place), list(turn),
                            children.empty() ? "" : ",\"children\":[" + children + "]"));
  return d.node_count++;
}

void add_channel(std::size_t times, std::size_t values, std::size_t node, const char* path,
                 Document& d) {
  Document::put(d.samplers, fmt::format("{{\"input\":{},\"output\":{}}}", times, values));
  Document::put(d.channels,
                fmt::format("{{\"sampler\":{},\"target\":{{\"node\":{},\"path\":\"{}\"}}}}",
                            d.sampler_count++, node, path));
}

// In glTF y points up.
Quat upright(const Vec3& gravity) {
  return gravity.norm() > 0 ? Quat::FromTwoVectors(-gravity, Vec3::UnitY()) : Quat::Identity();
}

std::string assemble(const Scene& scene, Document& d, const std::string& bodies) {
  Document::put(d.nodes, fmt::format("{{\"name\":{},\"rotation\":{}{}}}",
                                     json::json_string(scene.name.empty() ? "scene" : scene.name),
                                     quaternion(upright(scene.model->gravity)),
                                     bodies.empty() ? "" : ",\"children\":[" + bodies + "]"));
  std::string json = fmt::format(
      "{{\"asset\":{{\"version\":\"2.0\",\"generator\":\"cairn "
      "{}\"}},\"scene\":0,\"scenes\":[{{\"nodes\":"
      "[{}]}}],\"nodes\":[{}]",
      CAIRN_VERSION, d.node_count, d.nodes);
  const auto add = [&](const char* key, const std::string& items) {
    if (!items.empty()) json += fmt::format(",\"{}\":[{}]", key, items);
  };
  add("meshes", d.meshes);
  add("materials", d.materials);
  if (!d.channels.empty())
    add("animations", fmt::format("{{\"name\":\"run\",\"samplers\":[{}],\"channels\":[{}]}}",
                                  d.samplers, d.channels));
  add("accessors", d.accessors);
  add("bufferViews", d.views);
  if (!d.bytes.empty()) add("buffers", fmt::format("{{\"byteLength\":{}}}", d.bytes.size()));
  return json + "}";
}

void put_glb_chunk(std::string& out, const char* type, const std::string& data, char padding) {
  bytes::put_number(out, static_cast<std::uint32_t>((data.size() + 3) / 4 * 4));
  out.append(type, 4);
  out += data;
  out.append((4 - data.size() % 4) % 4, padding);
}

std::string container(const std::string& json, const std::string& bytes) {
  std::string body;
  put_glb_chunk(body, "JSON", json, ' ');
  if (!bytes.empty()) put_glb_chunk(body, "BIN\0", bytes, '\0');
  std::string out = "glTF";
  bytes::put_number(out, std::uint32_t{2});
  bytes::put_number(out, static_cast<std::uint32_t>(body.size() + 12));
  return out + body;
}

}  // namespace

Result<Exported> export_gltf(const std::string& trace, const std::string& path,
                             const ExportOptions& options) {
  const Result<TraceBounds> bounds = find_bounds(trace);
  if (!bounds) return tl::unexpected(bounds.error());
  Result<record::TraceWalk> walk = record::TraceWalk::open(trace);
  if (!walk) return tl::unexpected(walk.error());
  const Model& model = walk->model();
  const double bytes = 28.0 * static_cast<double>(model.bodies.size()) *
                       static_cast<double>(bounds->frames / options.every + 1);
  if (bytes > most_bytes) {
    Error error;
    error.kind = ErrorKind::limit;
    error.code = ErrorCode::too_large;
    error.file = path;
    error.what = "the file would be too large for glTF";
    error.got = fmt::format("{:.1f} GB", bytes / 1e9);
    error.allowed = fmt::format("at most {} GB", most_bytes / 1e9);
    error.fix = fmt::format("--every {:.0f}",
                            std::ceil(static_cast<double>(options.every) * bytes / most_bytes));
    return fail(error);
  }

  // Times are 32-bit numbers and must rise; frames closer than that are one.
  Exported done;
  std::vector<float> times;
  std::vector<Track> tracks(model.bodies.size());
  while (walk->next()) {
    const float t = narrow(walk->frame().state.t);
    if ((walk->frames() - 1) % options.every != 0 || (!times.empty() && t <= times.back()))
      continue;
    times.push_back(t);
    for (std::size_t i = 0; i < tracks.size(); ++i)
      tracks[i].add(walk->motion(static_cast<BodyId>(i)));
  }
  done.ending = walk->ending();
  done.frames = static_cast<std::int64_t>(times.size());

  const MeshSettings settings = mesh_settings(model, bounds->lo, bounds->hi);
  Document d;
  const Looks looks(walk->scene(), settings, options.contact_geometry);
  Parts parts(looks, d);
  std::string bodies;
  std::optional<std::size_t> time;
  for (std::size_t i = 0; i < tracks.size(); ++i) {
    const Track& track = tracks[i];
    const std::size_t node = add_body(model, static_cast<BodyId>(i), track, looks, parts, d);
    Document::put(bodies, fmt::format("{}", node));
    if (!track.moves && !track.rotates) continue;
    if (!time)
      time = d.add_accessor(times, type_float, "SCALAR", 1, 0,
                            fmt::format(",\"min\":[{}],\"max\":[{}]", times.front(), times.back()));
    if (track.moves)
      add_channel(*time, d.add_accessor(track.places, type_float, "VEC3", 3, 0, ""), node,
                  "translation", d);
    if (track.rotates)
      add_channel(*time, d.add_accessor(track.turns, type_float, "VEC4", 4, 0, ""), node,
                  "rotation", d);
  }
  const std::string json = assemble(walk->scene(), d, bodies);
  if (Result<void> written = record::write_file(path, container(json, d.bytes)); !written)
    return tl::unexpected(written.error());
  done.files = {path};
  return done;
}

}  // namespace cairn::exports
