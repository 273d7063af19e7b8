// Chooses the reader by the ending of the name.
#include "mesh/files/read_mesh.hpp"

#include <algorithm>

#include "base/input_file.hpp"
#include "mesh/files/read_assimp.hpp"
#include "mesh/files/text.hpp"

namespace cairn::mesh {
namespace {

// In lower case, with its point; empty: none.
std::string ending(const std::string& file) {
  const std::size_t point = file.rfind('.');
  if (point == std::string::npos || file.find('/', point) != std::string::npos) return "";
  std::string end = file.substr(point);
  for (char& c : end)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return end;
}

tl::unexpected<Errors> unknown_format(const std::string& file) {
  return fail(mesh_error(file, 0, ErrorCode::wrong_format, "unknown kind of mesh file",
                         shown(ending(file)), ".obj, .stl, .ply" + std::string(assimp_endings()),
                         "convert the mesh to one of them"));
}

}  // namespace

bool is_mesh_name(const std::string& file) {
  const std::string end = ending(file);
  return end == ".obj" || end == ".stl" || end == ".ply" || end == ".dae" || end == ".gltf" ||
         end == ".glb";
}

Result<MeshFile> parse_mesh(std::string_view bytes, const std::string& file) {
  const std::string end = ending(file);
  if (end == ".obj") return parse_obj(bytes, file);
  if (end == ".stl") return parse_stl(bytes, file);
  if (end == ".ply") return parse_ply(bytes, file);
  return unknown_format(file);
}

Result<MeshFile> read_mesh(const std::string& file) {
  const std::string end = ending(file);
  const bool foreign = end == ".dae" || end == ".gltf" || end == ".glb";
  if (!is_mesh_name(file)) {
    // What is no file at all is said first; nothing is read.
    const Result<std::string> looked_at = base::read_input(file, 0);
    if (!looked_at && looked_at.error()[0].code != ErrorCode::too_large)
      return tl::unexpected<Errors>(looked_at.error());
    return unknown_format(file);
  }
  const Result<std::string> bytes = base::read_input(file, most_mesh_bytes);
  if (!bytes) return tl::unexpected<Errors>(bytes.error());
  return foreign ? parse_by_assimp(*bytes, file) : parse_mesh(*bytes, file);
}

}  // namespace cairn::mesh
