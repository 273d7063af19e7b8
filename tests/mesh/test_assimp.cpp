// COLLADA and glTF: read by assimp where it is built in, else refused with what is missing.
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

#include "mesh/files/read_mesh.hpp"
#include "mesh/topology.hpp"

namespace cairn::test_assimp {
namespace {

// A tetrahedron of 100, 200 and 300 cm along the axes, moved by 10 cm.
std::string collada(const std::string& up) {
  return R"(<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit name="cm" meter="0.01"/><up_axis>)" +
         up + R"(</up_axis></asset>
<library_geometries><geometry id="g" name="g"><mesh>
<source id="p"><float_array id="pa" count="12">0 0 0 100 0 0 0 200 0 0 0 300</float_array>
<technique_common><accessor source="#pa" count="4" stride="3"><param name="X" type="float"/>
<param name="Y" type="float"/><param name="Z" type="float"/></accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<triangles count="4"><input semantic="VERTEX" source="#v" offset="0"/>
<p>0 2 1 0 1 3 0 3 2 1 2 3</p></triangles></mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="s"><node id="n" name="n"><translate>10 0 0</translate>
<instance_geometry url="#g"/></node></visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#s"/></scene></COLLADA>
)";
}

class ColladaFile {
 public:
  explicit ColladaFile(const std::string& text)
      : path_((std::filesystem::path(::testing::TempDir()) / "cairn_unit.dae").string()) {
    std::ofstream(path_) << text;
  }
  ~ColladaFile() { std::filesystem::remove(path_); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

#ifdef CAIRN_HAS_ASSIMP
TEST(Assimp, UnitAndUpAxisAreApplied) {
  for (const std::string& up : {std::string("Z_UP"), std::string("Y_UP"), std::string("X_UP")}) {
    const ColladaFile file(collada(up));
    const Result<mesh::MeshFile> read = mesh::read_mesh(file.path());
    ASSERT_TRUE(read.has_value()) << read.error()[0].text();
    EXPECT_NE(read->notes.find("floats"), std::string::npos);
    EXPECT_NE(read->notes.find(up), std::string::npos);
    EXPECT_NEAR(mesh::mass_of(read->mesh, 1).mass, 1, 1e-6);
    const mesh::Bounds box = mesh::bounds_of(read->mesh.points);
    const double height = up == "Z_UP" ? 3 : up == "Y_UP" ? 2 : 1;
    EXPECT_NEAR(box.hi.z() - box.lo.z(), height, 1e-6);
    EXPECT_NEAR(up == "X_UP" ? box.lo.z() : box.lo.x(), 0.1, 1e-6);
  }
  const ColladaFile cut(collada("Z_UP").substr(0, 700));
  const Result<mesh::MeshFile> read = mesh::read_mesh(cut.path());
  ASSERT_FALSE(read.has_value());
  EXPECT_EQ(read.error()[0].file, cut.path());
}
#else
TEST(Assimp, WithoutItTheErrorSaysWhatIsMissing) {
  const ColladaFile file(collada("Z_UP"));
  const Result<mesh::MeshFile> read = mesh::read_mesh(file.path());
  ASSERT_FALSE(read.has_value());
  EXPECT_EQ(read.error()[0].code, ErrorCode::unsupported);
  EXPECT_NE(read.error()[0].fix.find("CAIRN_ASSIMP"), std::string::npos);
}
#endif

}  // namespace
}  // namespace cairn::test_assimp
