// COLLADA and glTF by the library assimp, an optional part of the program (CAIRN_ASSIMP).
#pragma once

#include <string>
#include <string_view>

#include "mesh/files/read_mesh.hpp"

namespace cairn::mesh {

// All meshes of the file in one, in metres with z up: transforms of the file's nodes, its unit and
// its up-axis are applied, and `notes` says which. assimp stores coordinates as floats. Without the
// library: an error that says how to get it.
Result<MeshFile> parse_by_assimp(std::string_view bytes, const std::string& file);

// Further endings for messages; empty without the library.
std::string_view assimp_endings();

}  // namespace cairn::mesh
