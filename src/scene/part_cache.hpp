// Convex parts of meshes, kept in a folder under the hash of the mesh and the options.
#pragma once

#include <optional>
#include <string>

#include "mesh/decompose/decompose.hpp"

namespace cairn::scene {

// The name of the file for a mesh: 32 hexadecimal digits of a hash of its bits and the options.
std::string part_key(const mesh::TriangleMesh& mesh, const mesh::DecomposeOptions& options);

// Nothing if the folder is empty text, the file is not there, or damaged.
std::optional<mesh::Decomposition> kept_parts(const std::string& folder, const std::string& key);

// False if the file cannot be written.
bool keep_parts(const std::string& folder, const std::string& key,
                const mesh::Decomposition& parts);

}  // namespace cairn::scene
