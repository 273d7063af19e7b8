// Points and triangles of mesh files: OBJ, and STL as text or binary.
#pragma once

#include <string>

#include "cairn/error.hpp"
#include "imports/robot.hpp"

namespace cairn::imports {

// Scaled by `scale`. Errors without place: the caller knows who names the file.
Result<Mesh> read_mesh(const std::string& file, const Vec3& scale);

// Whether the ending of a file says that read_mesh knows its format.
bool is_known_mesh(const std::string& file);

}  // namespace cairn::imports
