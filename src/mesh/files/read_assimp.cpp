// The only file that includes assimp; without CAIRN_ASSIMP it says what is missing.
#include "mesh/files/read_assimp.hpp"

#include "mesh/files/text.hpp"

#ifdef CAIRN_HAS_ASSIMP
#include <array>
#include <assimp/Importer.hpp>
#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <functional>
#include <optional>
#endif

namespace cairn::mesh {

#ifdef CAIRN_HAS_ASSIMP

namespace {

struct Gathered {
  TriangleMesh mesh;
  bool too_large = false, finite = true;
};

Mat3 linear(const aiMatrix4x4& m) {
  Mat3 out;
  out << m.a1, m.a2, m.a3, m.b1, m.b2, m.b3, m.c1, m.c2, m.c3;
  return out;
}

// Each mesh of a node becomes a group, placed by the transforms of all nodes above it.
void gather(const aiScene& scene, const aiNode& node, const Mat3& above, const Vec3& shift,
            Gathered& out) {
  const aiMatrix4x4& m = node.mTransformation;
  const Mat3 A = above * linear(m);
  const Vec3 b = shift + above * Vec3(m.a4, m.b4, m.c4);
  for (unsigned i = 0; i < node.mNumMeshes; ++i) {
    const aiMesh& part = *scene.mMeshes[node.mMeshes[i]];
    const auto first = static_cast<std::int32_t>(out.mesh.points.size());
    if (out.mesh.points.size() + part.mNumVertices > most_points ||
        out.mesh.triangles.size() + part.mNumFaces > most_triangles) {
      out.too_large = true;
      return;
    }
    const std::size_t triangles = out.mesh.triangles.size();
    for (unsigned k = 0; k < part.mNumVertices; ++k) {
      const aiVector3D& v = part.mVertices[k];
      out.mesh.points.push_back(A * Vec3(v.x, v.y, v.z) + b);
      out.finite &= out.mesh.points.back().cwiseAbs().maxCoeff() <= largest_coordinate;
    }
    for (unsigned k = 0; k < part.mNumFaces; ++k) {
      const aiFace& face = part.mFaces[k];
      if (face.mNumIndices != 3) continue;  // points and lines
      Triangle t{};
      for (unsigned c = 0; c < 3; ++c) t[c] = first + static_cast<std::int32_t>(face.mIndices[c]);
      if (A.determinant() < 0) std::swap(t[1], t[2]);
      out.mesh.triangles.push_back(t);
    }
    if (out.mesh.triangles.size() > triangles)
      out.mesh.groups.push_back({node.mName.C_Str(), static_cast<std::int32_t>(triangles)});
  }
  for (unsigned i = 0; i < node.mNumChildren && !out.too_large; ++i)
    gather(scene, *node.mChildren[i], A, b, out);
}

// What an attribute of the first element <NAME ...> of an XML text says; empty: nothing.
std::string attribute(std::string_view xml, std::string_view element, std::string_view name) {
  const std::size_t at = xml.find(element);
  if (at == std::string_view::npos) return "";
  const std::string_view tag = xml.substr(at, xml.find('>', at) - at);
  const std::size_t key = tag.find(std::string(name) + "=\"");
  if (key == std::string_view::npos) return "";
  const std::size_t begin = key + name.size() + 2;
  return std::string(tag.substr(begin, tag.find('"', begin) - begin));
}

}  // namespace

Result<MeshFile> parse_by_assimp(std::string_view bytes, const std::string& file) {
  const std::string ending = file.substr(file.rfind('.') + 1);
  const bool collada = ending == "dae" || ending == "DAE";
  Assimp::Importer importer;
  // The file's unit and up-axis are applied here, so that nothing is done twice.
  importer.SetPropertyBool(AI_CONFIG_IMPORT_COLLADA_IGNORE_UP_DIRECTION, true);
  const aiScene* scene = importer.ReadFileFromMemory(bytes.data(), bytes.size(),
                                                     aiProcess_Triangulate, ending.c_str());
  if (!scene || !scene->mRootNode)
    return fail(mesh_error(file, 0, ErrorCode::syntax,
                           "assimp cannot read the file: " + std::string(importer.GetErrorString()),
                           "", "a file in one piece, without other files beside it",
                           "export the mesh again, or as OBJ, STL or PLY"));
  double unit = 1;
  std::string up = "Y_UP";
  if (collada) {
    const std::string meter = attribute(bytes, "<unit", "meter");
    if (!meter.empty() && (!read_finite(meter, unit) || !(unit > 0)))
      return fail(mesh_error(file, 0, ErrorCode::out_of_range, "unit of the file", shown(meter),
                             "a positive number of metres", "export the mesh again"));
    const std::size_t at = bytes.find("<up_axis>");
    if (at != std::string_view::npos) up = std::string(bytes.substr(at + 9, 4));
  }
  // x, y, z of the file to axes with z up.
  Mat3 upright = Mat3::Identity();
  if (up == "Y_UP") upright << 1, 0, 0, 0, 0, -1, 0, 1, 0;
  if (up == "X_UP") upright << 0, -1, 0, 0, 0, -1, 1, 0, 0;
  // assimp scales the root node of COLLADA files by their unit: nothing is left to do for it.
  Gathered out;
  gather(*scene, *scene->mRootNode, upright, Vec3::Zero(), out);
  if (out.too_large) {
    Error error =
        mesh_error(file, 0, ErrorCode::too_many, "mesh is too large", "more",
                   fmt::format("at most {} triangles", most_triangles), "simplify the mesh");
    error.kind = ErrorKind::limit;
    return fail(std::move(error));
  }
  if (!out.finite)
    return fail(mesh_error(file, 0, ErrorCode::not_finite, "coordinate is not finite or too large",
                           "", "finite numbers up to 1e30", "export the mesh again"));
  if (out.mesh.triangles.empty())
    return fail(mesh_error(file, 0, ErrorCode::empty, "file has no triangles", "", "",
                           "name a file with a mesh"));
  return MeshFile{
      std::move(out.mesh), collada ? "COLLADA, by assimp" : "glTF, by assimp",
      fmt::format("read by assimp as 32-bit floats, unit {} m, {} turned to z up", unit, up)};
}

std::string_view assimp_endings() {
  return ", .dae, .gltf, .glb";
}

#else

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

#endif

}  // namespace cairn::mesh
