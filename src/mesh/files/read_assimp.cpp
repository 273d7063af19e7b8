// Without assimp; CAIRN_ASSIMP compiles it in.
#include "mesh/files/read_assimp.hpp"

#include "mesh/files/text.hpp"

namespace cairn::mesh {

Result<MeshFile> parse_by_assimp(std::string_view, const std::string& file) {
  return fail(mesh_error(file, 0, ErrorCode::unsupported,
                         "this program was built without the reader of COLLADA and glTF", "",
                         ".obj, .stl, .ply",
                         "build it with -DCAIRN_ASSIMP=ON (package libassimp-dev), or convert the "
                         "mesh"));
}

std::string_view assimp_endings() {
  return "";
}

}  // namespace cairn::mesh
