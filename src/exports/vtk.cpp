// A recording for ParaView: in each frame the meshes of all bodies and the contacts with their
// forces as VTK PolyData (.vtp), and two lists of the frames with their times (.pvd).
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <map>

#include "bytes/byte_planes.hpp"
#include "bytes/text_form.hpp"
#include "exports/export.hpp"
#include "exports/looks.hpp"
#include "exports/mesh.hpp"
#include "record/run/files.hpp"

namespace cairn::exports {
namespace {

template <class T>
constexpr const char* type_of();
template <>
constexpr const char* type_of<float>() {
  return "Float32";
}
template <>
constexpr const char* type_of<double>() {
  return "Float64";
}
template <>
constexpr const char* type_of<std::int32_t>() {
  return "Int32";
}
template <>
constexpr const char* type_of<std::int64_t>() {
  return "Int64";
}

// An array as VTK's zlib compressor writes it: the numbers of blocks and bytes, then the block,
// each as base64.
template <class T>
std::string data_array(const char* name, std::size_t components, const std::vector<T>& values) {
  const std::string raw(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
  std::string header, packed;
  bytes::put_number(header, std::uint64_t{raw.empty() ? 0u : 1u});
  bytes::put_number(header, std::uint64_t{raw.size()});
  bytes::put_number(header, std::uint64_t{0});  // the last block is whole
  if (!raw.empty()) {
    packed = bytes::deflated(raw);
    bytes::put_number(header, std::uint64_t{packed.size()});
  }
  return fmt::format(
      "<DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\" "
      "format=\"binary\">{}{}</DataArray>\n",
      type_of<T>(), name, components, bytes::base64(header), bytes::base64(packed));
}

struct PolyData {
  std::vector<float> points;
  std::vector<std::int64_t> connectivity, offsets;
  std::string cells;  // "Polys" or "Verts"
  std::string point_data, cell_data;

  std::string file() const {
    const std::size_t count = offsets.size();
    return fmt::format(
               "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" "
               "byte_order=\"LittleEndian\" header_type=\"UInt64\" "
               "compressor=\"vtkZLibDataCompressor\">\n<PolyData>\n<Piece NumberOfPoints=\"{}\" "
               "NumberOfVerts=\"{}\" NumberOfLines=\"0\" NumberOfStrips=\"0\" "
               "NumberOfPolys=\"{}\">\n",
               points.size() / 3, cells == "Verts" ? count : 0, cells == "Polys" ? count : 0) +
           "<PointData>\n" + point_data + "</PointData>\n<CellData>\n" + cell_data +
           "</CellData>\n<Points>\n" + data_array("Points", 3, points) + "</Points>\n<" + cells +
           ">\n" + data_array("connectivity", 1, connectivity) + data_array("offsets", 1, offsets) +
           "</" + cells + ">\n</Piece>\n</PolyData>\n</VTKFile>\n";
  }
};

void put_vector(std::vector<float>& list, const Vec3& v) {
  for (const double x : v) list.push_back(static_cast<float>(x));
}

// The bodies' meshes, stretched and in their body frames, once for all frames.
struct Figures {
  struct Part {
    BodyId body{};
    std::vector<Vec3> points;
    std::vector<std::array<std::uint32_t, 3>> triangles;
  };
  std::vector<Part> parts;

  Figures(const record::TraceWalk& walk, const Looks& looks) {
    const Model& model = walk.model();
    std::map<std::string, Mesh> meshes;
    for (std::size_t i = 0; i < model.bodies.size(); ++i) {
      const auto id = static_cast<BodyId>(i);
      const BodyMotion m = walk.motion(id);
      for (const ShapeMesh& shape : looks.parts(id, {m.position, m.orientation})) {
        if (!meshes.contains(shape.key)) meshes[shape.key] = looks.mesh(shape.key);
        const Mesh& mesh = meshes[shape.key];
        Part part{id, {}, mesh.triangles};
        for (const Vec3& p : mesh.points)
          part.points.push_back(shape.X_BS * Vec3(shape.scale.cwiseProduct(p)));
        parts.push_back(std::move(part));
      }
    }
  }
};

std::string bodies_file(const record::TraceWalk& walk, const Figures& figures) {
  PolyData data;
  data.cells = "Polys";
  std::vector<float> velocity;
  std::vector<std::int32_t> body;
  for (const Figures::Part& part : figures.parts) {
    const BodyMotion m = walk.motion(part.body);
    const auto first = static_cast<std::int64_t>(data.points.size() / 3);
    for (const Vec3& p_B : part.points) {
      const Vec3 r = m.orientation * p_B;
      put_vector(data.points, m.position + r);
      put_vector(velocity, m.velocity + m.angular_velocity.cross(r));
    }
    for (const auto& t : part.triangles) {
      for (const std::uint32_t corner : t) data.connectivity.push_back(first + corner);
      data.offsets.push_back(static_cast<std::int64_t>(data.connectivity.size()));
      body.push_back(static_cast<std::int32_t>(part.body));
    }
  }
  data.point_data = data_array("velocity", 3, velocity);
  data.cell_data = data_array("body", 1, body);
  return data.file();
}

std::string contacts_file(const record::TraceWalk& walk) {
  const StepReport& r = walk.frame().report;
  PolyData data;
  data.cells = "Verts";
  std::vector<double> force, normal, gap;
  std::vector<std::int32_t> mode, kind, bodies;
  for (std::size_t i = 0; i < r.contacts.size(); ++i) {
    const ContactReport& c = r.contacts[i];
    if (is_limit(c.contact.key)) continue;
    put_vector(data.points, c.contact.p_WC);
    data.connectivity.push_back(static_cast<std::int64_t>(data.connectivity.size()));
    data.offsets.push_back(static_cast<std::int64_t>(data.connectivity.size()));
    for (const double x : contact_force(walk, i)) force.push_back(x);
    for (const double x : c.contact.n_W) normal.push_back(x);
    gap.push_back(c.contact.gap);
    mode.push_back(static_cast<std::int32_t>(c.mode));
    kind.push_back(static_cast<std::int32_t>(walk.forces().kind(i)));
    bodies.push_back(static_cast<std::int32_t>(c.contact.key.body_a));
    bodies.push_back(static_cast<std::int32_t>(c.contact.key.body_b));
  }
  data.point_data = data_array("force", 3, force) + data_array("normal", 3, normal) +
                    data_array("gap", 1, gap) + data_array("mode", 1, mode) +
                    data_array("force_kind", 1, kind) + data_array("bodies", 2, bodies);
  return data.file();
}

std::string collection(const std::string& entries) {
  return "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" "
         "byte_order=\"LittleEndian\">\n<Collection>\n" +
         entries + "</Collection>\n</VTKFile>\n";
}

}  // namespace

Result<Exported> export_vtk(const std::string& trace, const std::string& folder,
                            const ExportOptions& options) {
  const Result<TraceBounds> bounds = find_bounds(trace);
  if (!bounds) return tl::unexpected(bounds.error());
  Result<record::TraceWalk> walk = record::TraceWalk::open(trace);
  if (!walk) return tl::unexpected(walk.error());
  if (Result<void> made = record::make_folder(folder + "/frames"); !made)
    return tl::unexpected(made.error());
  MeshSettings settings = mesh_settings(walk->model(), bounds->lo, bounds->hi);
  settings.detail = std::min(settings.detail, 3);  // every frame holds every corner
  Exported done;
  std::vector<std::string> files;  // written so far; an export that fails leaves none of them
  const auto write = [&](const std::string& file, const std::string& text) {
    Result<void> written = record::check_input_is_kept(trace, file, "trace");
    if (written) written = record::write_file(file, text);
    if (written) files.push_back(file);
    std::error_code ignored;
    if (!written)
      for (const std::string& each : files) std::filesystem::remove(each, ignored);
    return written;
  };
  std::optional<Figures> figures;
  std::string bodies, contacts;
  const auto entry = [&](const char* kind, std::string& list, const std::string& text) {
    const std::string file = fmt::format("frames/{}_{:06}.vtp", kind, walk->frame().state.step);
    list += fmt::format("<DataSet timestep=\"{}\" part=\"0\" file=\"{}\"/>\n",
                        walk->frame().state.t, file);
    return write(folder + "/" + file, text);
  };
  while (walk->next()) {
    if ((walk->frames() - 1) % options.every != 0) continue;
    if (walk->frame().report.status == StepStatus::stopped) continue;  // the state before it again
    if (!figures) figures.emplace(*walk, Looks(walk->scene(), settings, options.contact_geometry));
    ++done.frames;
    Result<void> written = entry("bodies", bodies, bodies_file(*walk, *figures));
    if (written) written = entry("contacts", contacts, contacts_file(*walk));
    if (!written) return tl::unexpected(written.error());
  }
  done.ending = walk->ending();
  done.files = {folder + "/bodies.pvd", folder + "/contacts.pvd"};
  Result<void> written = write(done.files[0], collection(bodies));
  if (written) written = write(done.files[1], collection(contacts));
  if (!written) return tl::unexpected(written.error());
  return done;
}

}  // namespace cairn::exports
