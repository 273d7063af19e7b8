// Mesh files: Wavefront OBJ, STL (ASCII and binary), PLY (ASCII and binary). Numbers are read in
// double precision; binary STL and most PLY files hold floats.
#pragma once

#include <string>
#include <string_view>

#include "cairn/error.hpp"
#include "mesh/triangle_mesh.hpp"

namespace cairn::mesh {

inline constexpr std::size_t most_mesh_bytes = std::size_t{256} << 20;
inline constexpr std::size_t most_triangles = 5'000'000, most_points = 15'000'000;

struct MeshFile {
  TriangleMesh mesh;
  std::string format;  // "OBJ", "STL, ASCII", "PLY, binary, little-endian", ...
  std::string notes;   // what a library did to the contents; empty: nothing
};

// By the ending of the name. Folders, pipes, devices and files beyond the limits are refused before
// they are read; memory grows with what the file holds and never with what it declares. Errors
// name the file and the line, or the byte.
Result<MeshFile> read_mesh(const std::string& file);

// The same of a text in memory; `file` is for messages.
Result<MeshFile> parse_mesh(std::string_view bytes, const std::string& file);

// Whether the name ends like that of a mesh file.
bool is_mesh_name(const std::string& file);

Result<MeshFile> parse_obj(std::string_view text, const std::string& file);
Result<MeshFile> parse_stl(std::string_view bytes, const std::string& file);
Result<MeshFile> parse_ply(std::string_view bytes, const std::string& file);

}  // namespace cairn::mesh
