// Mesh files: what is written is read to the bit, what is wrong is refused with its place.
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "mesh/files/read_mesh.hpp"
#include "mesh/sample_meshes.hpp"
#include "mesh/topology.hpp"

namespace cairn::test_readers {
namespace {

using namespace mesh_samples;
namespace fs = std::filesystem;

mesh::MeshFile read(const std::string& bytes, const std::string& name) {
  Result<mesh::MeshFile> file = mesh::parse_mesh(bytes, name);
  if (file) return std::move(*file);
  for (const Error& e : file.error()) ADD_FAILURE() << e.text();
  return {};
}

Error fault(const std::string& bytes, const std::string& name) {
  const Result<mesh::MeshFile> file = mesh::parse_mesh(bytes, name);
  EXPECT_FALSE(file.has_value()) << name << "\n" << bytes.substr(0, 200);
  if (file) return {};
  EXPECT_EQ(file.error()[0].file, name);
  EXPECT_FALSE(file.error()[0].fix.empty());
  return file.error()[0];
}

class Scratch {
 public:
  Scratch() : path_(fs::path(::testing::TempDir()) / "cairn_readers") {
    fs::remove_all(path_);
    fs::create_directories(path_);
  }
  ~Scratch() { fs::remove_all(path_); }
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }

 private:
  fs::path path_;
};

TEST(MeshReaders, DoublesAreReadToTheBit) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 20; ++i) {
    const TriangleMesh m =
        moved(torus(1, 0.3, 7, 5), random_rotation(random), random_vector(random, 10));
    for (const auto& [name, bytes] : {std::pair<std::string, std::string>("a.obj", obj_text(m)),
                                      {"a.ply", ply_text(m)},
                                      {"b.ply", ply_binary(m, false)},
                                      {"c.PLY", ply_binary(m, true)}}) {
      const mesh::MeshFile file = read(bytes, name);
      EXPECT_EQ(file.mesh.points, m.points) << file.format;
      EXPECT_EQ(file.mesh.triangles, m.triangles) << file.format;
    }
    // STL has no numbers of points: the corners are the same in the same order.
    const mesh::MeshFile text = read(stl_text(m), "a.stl"), binary = read(stl_binary(m), "b.STL");
    for (const mesh::MeshFile* file : {&text, &binary}) {
      ASSERT_EQ(file->mesh.triangles.size(), m.triangles.size());
      EXPECT_EQ(file->mesh.points.size(), m.points.size());
      const bool floats = file == &binary;
      for (std::size_t t = 0; t < m.triangles.size(); ++t)
        for (std::size_t k = 0; k < 3; ++k) {
          Vec3 p = m.corners(m.triangles[t])[k];
          if (floats) p = p.cast<float>().cast<double>();
          EXPECT_EQ(file->mesh.corners(file->mesh.triangles[t])[k], p);
        }
    }
    EXPECT_EQ(text.format, "STL, ASCII");
    EXPECT_EQ(binary.format, "STL, binary");
  }
}

// An L of area 3, a quad, a star around its middle: in each case the triangles have the area of the
// polygon and its sense.
TEST(MeshReaders, PolygonsBecomeTrianglesOfTheSameArea) {
  const std::string points = "v 0 0 0\nv 2 0 0\nv 2 1 0\nv 1 1 0\nv 1 2 0\nv 0 2 0\n";
  for (int first = 0; first < 6; ++first) {
    std::string face = "f";
    for (int k = 0; k < 6; ++k) face += fmt::format(" {}", (first + k) % 6 + 1);
    const mesh::TriangleMesh m = read(points + face + "\n", "l.obj").mesh;
    ASSERT_EQ(m.triangles.size(), 4u);
    double area = 0;
    for (const Triangle& t : m.triangles) {
      const auto [a, b, c] = m.corners(t);
      const double own = 0.5 * (b - a).cross(c - a).z();
      EXPECT_GE(own, 0);
      area += own;
    }
    EXPECT_EQ(area, 3);
  }
}

TEST(MeshReaders, GroupsOfObjFilesAreKept) {
  const std::string v = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
  const mesh::TriangleMesh m =
      read(v + "f 1 2 3\no empty\ng first\nf 1/1 2//1 -1\nf 3 2 1\no last part\nf 1 3 2\n", "a.obj")
          .mesh;
  ASSERT_EQ(m.groups.size(), 3u);
  EXPECT_EQ(m.groups[0].name, "");
  EXPECT_EQ(m.groups[1].name, "first");
  EXPECT_EQ(m.groups[1].first, 1);
  EXPECT_EQ(m.groups[2].name, "last");
  EXPECT_EQ(mesh::group_mesh(m, 1).triangles.size(), 2u);
  EXPECT_EQ(mesh::group_mesh(m, 2).triangles.size(), 1u);
}

TEST(MeshReaders, FaultsHaveALineOrAByte) {
  const std::string v = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
  struct Case {
    std::string name, bytes;
    ErrorCode code;
    int line;
  };
  const std::string ply =
      "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float "
      "y\nproperty float z\nelement face 1\nproperty list uchar int "
      "vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n";
  const std::vector<Case> cases = {
      {"a.obj", v + "f 0 1 2\n", ErrorCode::out_of_range, 4},
      {"a.obj", v + "f 1 2 4\n", ErrorCode::out_of_range, 4},
      {"a.obj", v + "f -4 1 2\n", ErrorCode::out_of_range, 4},
      {"a.obj", v + "f 1 2 99999999999999999999\n", ErrorCode::syntax, 4},
      {"a.obj", "v 0 0 0\nv 1 nan 0\n", ErrorCode::syntax, 2},
      {"a.obj", "v 0 0 1e31\n", ErrorCode::syntax, 1},
      {"a.obj", "v 0 0\n", ErrorCode::wrong_size, 1},
      {"a.obj", v + "f 1 2\n", ErrorCode::wrong_size, 4},
      {"a.obj", "", ErrorCode::empty, 0},
      {"a.stl", "", ErrorCode::damaged, 0},
      {"a.stl", "solid x\nendsolid x\n", ErrorCode::empty, 0},
      {"a.stl", "solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 zero\n",
       ErrorCode::syntax, 5},
      {"a.stl", "solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\n",
       ErrorCode::damaged, 6},
      {"a.stl", "solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 inf\n", ErrorCode::syntax, 4},
      {"a.ply", "plz\n", ErrorCode::syntax, 1},
      {"a.ply", "ply\nformat ascii 2.0\n", ErrorCode::syntax, 2},
      {"a.ply", ply + "3 0 1 3\n", ErrorCode::out_of_range, 13},
      {"a.ply", ply + "3 0 1 -1\n", ErrorCode::out_of_range, 13},
      {"a.ply", ply + "2 0 1\n", ErrorCode::wrong_size, 13},
      {"a.ply", ply + "3 0 1 2\n5 5", ErrorCode::wrong_size, 14},
      {"a.ply", ply + "3 0 1", ErrorCode::damaged, 13},
      {"a.xyz", v, ErrorCode::wrong_format, 0},
  };
  for (const Case& c : cases) {
    const Error error = fault(c.bytes, c.name);
    EXPECT_EQ(error.code, c.code) << c.bytes << "\n" << error.text();
    EXPECT_EQ(error.line, c.line) << c.bytes << "\n" << error.text();
  }
}

TEST(MeshReaders, WrongCountsAllocateNothing) {
  const TriangleMesh m = box(Vec3::Zero(), Vec3::Ones());
  std::string stl = stl_binary(m);
  const std::uint32_t billion = 1'000'000'000;
  std::memcpy(stl.data() + 80, &billion, 4);
  rusage before{}, after{};
  getrusage(RUSAGE_SELF, &before);
  Error e = fault(stl, "a.stl");
  EXPECT_EQ(e.code, ErrorCode::damaged);
  EXPECT_NE(e.what.find("1000000000"), std::string::npos) << e.text();
  // Cut short anywhere.
  const std::string whole = stl_binary(m);
  for (std::size_t n = 0; n < whole.size(); ++n)
    EXPECT_EQ(fault(whole.substr(0, n), "a.stl").code, ErrorCode::damaged) << n;
  for (const bool big : {false, true}) {
    const std::string ply = ply_binary(m, big);
    for (std::size_t n = 0; n < ply.size(); ++n) fault(ply.substr(0, n), "a.ply");
    for (const char* element : {"face 12", "vertex 8"}) {
      std::string lie = ply;
      const std::size_t at = lie.find(element) + std::string(element).find(' ') + 1;
      lie.replace(at, std::string(element).size() - std::string(element).find(' ') - 1,
                  "1000000000");
      e = fault(lie, "a.ply");
      EXPECT_EQ(e.code, ErrorCode::damaged) << e.text();
      EXPECT_GT(e.line, 0);
    }
  }
  e = fault("ply\nformat ascii 1.0\nelement thing 18446744073709551615\nend_header\n", "a.ply");
  EXPECT_EQ(e.code, ErrorCode::syntax);
  getrusage(RUSAGE_SELF, &after);
  EXPECT_LT(after.ru_maxrss - before.ru_maxrss, 64 << 10);  // kilobytes
}

TEST(MeshReaders, OnlyRegularFilesOfBoundedSizeAreRead) {
  const Scratch folder;
  const auto code = [&](const std::string& file) {
    const Result<mesh::MeshFile> read = mesh::read_mesh(file);
    EXPECT_FALSE(read.has_value()) << file;
    return read ? ErrorCode::none : read.error()[0].code;
  };
  ASSERT_EQ(mkfifo((folder / "pipe.stl").c_str(), 0600), 0);
  EXPECT_EQ(code(folder / "pipe.stl"), ErrorCode::not_a_file);
  fs::create_directory(folder / "folder.obj");
  EXPECT_EQ(code(folder / "folder.obj"), ErrorCode::not_a_file);
  fs::create_symlink("/dev/zero", folder / "device.ply");
  EXPECT_EQ(code(folder / "device.ply"), ErrorCode::not_a_file);
  EXPECT_EQ(code(folder / "none.stl"), ErrorCode::not_found);
  // A file with a hole: 1 GB that take no room on the disk.
  std::ofstream(folder / "huge.stl") << "solid";
  fs::resize_file(folder / "huge.stl", std::uintmax_t{1} << 30);
  EXPECT_EQ(code(folder / "huge.stl"), ErrorCode::too_large);
}

// A million triangles; how long that takes is in docs/meshes.md.
TEST(MeshReaders, LargeMeshesAreRead) {
  const TriangleMesh m = torus(1, 0.3, 1000, 500);
  ASSERT_EQ(m.triangles.size(), 1'000'000u);
  const mesh::TriangleMesh stl = read(stl_binary(m), "a.stl").mesh;
  EXPECT_EQ(stl.triangles.size(), m.triangles.size());
  EXPECT_EQ(stl.points.size(), m.points.size());
  // Past the limit: refused on the header's word, which the file's size confirms.
  std::string too_many = fmt::format(
      "ply\nformat binary_little_endian 1.0\nelement vertex 0\nproperty float x\nproperty float "
      "y\nproperty float z\nelement face {}\nproperty list uchar uchar "
      "vertex_indices\nend_header\n",
      10'000'000);
  too_many.append(40'000'000, '\0');
  EXPECT_EQ(fault(too_many, "a.ply").code, ErrorCode::too_many);
}

// Damaged files of all formats: an error or a mesh whose numbers are sound, never a crash.
TEST(MeshReaders, DamagedFilesDoNoHarm) {
  std::mt19937_64 random(7);
  const TriangleMesh m = torus(1, 0.25, 4, 3);
  const std::vector<std::pair<std::string, std::string>> files = {
      {"a.obj", obj_text(m)}, {"a.stl", stl_text(m)},          {"b.stl", stl_binary(m)},
      {"a.ply", ply_text(m)}, {"b.ply", ply_binary(m, false)}, {"c.ply", ply_binary(m, true)}};
  const std::vector<std::string> words = {
      "-1", "0",  "nan", "inf", "1e400", "4294967296", "-",
      "f",  "\n", " ",   "\0x", "solid", "list",       "99999999999999999999"};
  int good = 0, bad = 0;
  for (int i = 0; i < 12000; ++i) {
    const auto& [name, sound] = files[static_cast<std::size_t>(i) % files.size()];
    std::string bytes = sound;
    const int edits = 1 + static_cast<int>(random() % 4);
    for (int k = 0; k < edits && !bytes.empty(); ++k) {
      const std::size_t at = random() % bytes.size(), length = random() % 12;
      switch (random() % 5) {
        case 0:
          bytes[at] = static_cast<char>(random());
          break;
        case 1:
          bytes.erase(at, length);
          break;
        case 2:
          bytes.insert(at, words[random() % words.size()]);
          break;
        case 3:
          bytes.insert(at, bytes.substr(random() % bytes.size(), 40 * length));
          break;
        default:
          bytes.resize(at);
      }
    }
    const Result<mesh::MeshFile> read = mesh::parse_mesh(bytes, name);
    if (!read) {
      ++bad;
      ASSERT_FALSE(read.error().empty());
      ASSERT_NE(read.error()[0].code, ErrorCode::none);
      continue;
    }
    ++good;
    const auto count = static_cast<std::int32_t>(read->mesh.points.size());
    for (const Vec3& p : read->mesh.points) ASSERT_TRUE(p.cwiseAbs().maxCoeff() <= 1e30);
    for (const Triangle& t : read->mesh.triangles)
      for (const std::int32_t k : t) ASSERT_TRUE(k >= 0 && k < count);
    mesh::topology_of(read->mesh);
  }
  EXPECT_GT(good, 500);
  EXPECT_GT(bad, 5000);
}

}  // namespace
}  // namespace cairn::test_readers
