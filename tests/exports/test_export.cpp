// Exports read back: CSV and HDF5 are the trace bit for bit, glTF and VTK are sound files with its
// motion in them.
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <gtest/gtest.h>
#include <hdf5.h>
#include <nlohmann/json.hpp>
#include <sstream>
#include <zlib.h>

#include "exports/export.hpp"
#include "exports/recorded.hpp"

namespace cairn::test_export {
namespace {

using Json = nlohmann::json;

std::string read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

// Frames of the trace as the reader of the library gives them.
struct Frames {
  Scene scene;
  std::vector<TraceFrame> all;
  explicit Frames(const std::string& path) {
    TraceReader reader = TraceReader::open(path).value();
    scene = parse_scene(reader.header().scene, path).value();
    for (TraceFrame frame; reader.next(frame) == TraceEvent::frame;) all.push_back(frame);
  }
};

// Fields of a line; quotes as in RFC 4180.
std::vector<std::string> fields(const std::string& line) {
  std::vector<std::string> all(1);
  bool inside = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"' && inside && i + 1 < line.size() && line[i + 1] == '"')
      all.back() += line[++i];
    else if (line[i] == '"')
      inside = !inside;
    else if (line[i] == ',' && !inside)
      all.emplace_back();
    else
      all.back() += line[i];
  }
  return all;
}

bool same_bits(double a, double b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}

std::vector<double> numbers(const BodyMotion& m) {
  const Quat& q = m.orientation;
  return {m.position.x(),
          m.position.y(),
          m.position.z(),
          q.w(),
          q.x(),
          q.y(),
          q.z(),
          m.velocity.x(),
          m.velocity.y(),
          m.velocity.z(),
          m.angular_velocity.x(),
          m.angular_velocity.y(),
          m.angular_velocity.z()};
}

TEST(ExportCsv, IsTheTraceBitForBit) {
  const Recording recording(every_shape);
  const Frames frames(recording.trace());
  const Result<exports::Exported> done =
      exports::export_csv(recording.trace(), recording.path("csv"));
  ASSERT_TRUE(done.has_value()) << done.error().front().text();
  EXPECT_EQ(done->frames, 31);
  std::istringstream bodies(read(recording.path("csv/bodies.csv")));
  std::string line;
  std::getline(bodies, line);
  for (const TraceFrame& frame : frames.all)
    for (std::size_t i = 0; i < frames.scene.model->bodies.size(); ++i) {
      ASSERT_TRUE(std::getline(bodies, line));
      const std::vector<std::string> f = fields(line);
      ASSERT_EQ(f.size(), 16u);
      EXPECT_EQ(f[0], std::to_string(frame.state.step));
      EXPECT_TRUE(same_bits(std::strtod(f[1].c_str(), nullptr), frame.state.t));
      EXPECT_EQ(f[2], frames.scene.model->bodies[i].name);
      const auto m = numbers(body_motion(*frames.scene.model, frame.state, static_cast<BodyId>(i)));
      for (std::size_t k = 0; k < m.size(); ++k)
        EXPECT_TRUE(same_bits(std::strtod(f[3 + k].c_str(), nullptr), m[k])) << line;
    }
  EXPECT_FALSE(std::getline(bodies, line));
  std::istringstream contacts(read(recording.path("csv/contacts.csv")));
  std::getline(contacts, line);
  std::size_t rows = 0, expected = 0;
  for (const TraceFrame& frame : frames.all) expected += frame.report.contacts.size();
  while (std::getline(contacts, line)) ++rows;
  EXPECT_EQ(rows, expected);
  EXPECT_GT(rows, 100u);
}

std::vector<double> dataset(hid_t file, const char* path) {
  const hid_t data = H5Dopen2(file, path, H5P_DEFAULT), space = H5Dget_space(data);
  std::vector<double> values(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)));
  EXPECT_GE(H5Dread(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0)
      << path;
  H5Sclose(space);
  H5Dclose(data);
  return values;
}

TEST(ExportHdf5, IsTheTraceBitForBit) {
  const Recording recording(every_shape);
  const Frames frames(recording.trace());
  const std::string path = recording.path("run.h5");
  ASSERT_TRUE(exports::export_hdf5(recording.trace(), path));
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  ASSERT_GE(file, 0);
  const auto time = dataset(file, "/frames/time"), pose = dataset(file, "/state/pose"),
             v = dataset(file, "/state/v"), position = dataset(file, "/bodies/position"),
             first = dataset(file, "/contacts/first"), impulse = dataset(file, "/contacts/impulse"),
             kinetic = dataset(file, "/frames/kinetic");
  H5Fclose(file);
  const std::size_t bodies = frames.scene.model->bodies.size(), n = frames.all.size();
  ASSERT_EQ(time.size(), n);
  ASSERT_EQ(pose.size(), n * bodies * 7);
  ASSERT_EQ(first.size(), n + 1);
  ForceDisplay display(frames.scene.simulation.forces);
  for (std::size_t f = 0; f < n; ++f) {
    const TraceFrame& frame = frames.all[f];
    const ShownForces& shown = display.of(frame.report);
    EXPECT_TRUE(same_bits(time[f], frame.state.t));
    EXPECT_TRUE(same_bits(kinetic[f], frame.report.ledger.kinetic_end));
    for (std::size_t b = 0; b < bodies; ++b) {
      const Pose& X = frame.state.poses[b];
      const double values[] = {X.p.x(), X.p.y(), X.p.z(), X.R.w(), X.R.x(), X.R.y(), X.R.z()};
      EXPECT_EQ(std::memcmp(values, &pose[(f * bodies + b) * 7], sizeof values), 0);
      const Vec3 p = body_motion(*frames.scene.model, frame.state, static_cast<BodyId>(b)).position;
      EXPECT_EQ(std::memcmp(p.data(), &position[(f * bodies + b) * 3], 3 * sizeof(double)), 0);
    }
    const auto size = static_cast<std::size_t>(frame.state.v.size());
    EXPECT_EQ(std::memcmp(frame.state.v.data(), &v[f * size], size * sizeof(double)), 0);
    const auto at = static_cast<std::size_t>(first[f]);
    ASSERT_EQ(first[f + 1] - first[f], static_cast<double>(frame.report.contacts.size()));
    for (std::size_t c = 0; c < frame.report.contacts.size(); ++c)
      EXPECT_EQ(std::memcmp(shown.impulse(frame.report, c).data(), &impulse[3 * (at + c)], 24), 0);
  }
}

int shell(const std::string& command) {
  const int status = std::system(command.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// The tables as a script reads them: Python's csv and h5py.
TEST(ExportTables, AScriptReadsTheSameBitsFromBoth) {
  std::string python;
  for (const char* name : {"python3", "/usr/bin/python3"})
    if (python.empty() && shell(std::string(name) + " -c 'import h5py' 2>/dev/null") == 0)
      python = name;
  if (python.empty()) GTEST_SKIP() << "no Python with h5py here";
  const Recording recording(every_shape);
  ASSERT_TRUE(exports::export_csv(recording.trace(), recording.path("csv")));
  ASSERT_TRUE(exports::export_hdf5(recording.trace(), recording.path("run.h5")));
  EXPECT_EQ(shell(python + " " CAIRN_SOURCE_DIR "/tests/exports/compare_tables.py " +
                  recording.path("csv") + " " + recording.path("run.h5") + " >" +
                  recording.path("said") + " 2>&1"),
            0)
      << read(recording.path("said"));
}

struct Glb {
  Json json;
  std::string bytes;
  explicit Glb(const std::string& path) {
    const std::string file = read(path);
    EXPECT_EQ(file.substr(0, 4), "glTF");
    EXPECT_EQ(word(file, 4), 2u);
    EXPECT_EQ(word(file, 8), file.size());
    const std::uint32_t size = word(file, 12);
    EXPECT_EQ(file.substr(16, 4), "JSON");
    json = Json::parse(file.substr(20, size));
    const std::size_t at = 20 + size;
    EXPECT_EQ(file.substr(at + 4, 3), "BIN");
    EXPECT_EQ(at + 8 + word(file, at), file.size());
    bytes = file.substr(at + 8);
    EXPECT_GE(bytes.size(), json["buffers"][0]["byteLength"].get<std::size_t>());
  }
  static std::uint32_t word(const std::string& file, std::size_t at) {
    std::uint32_t x = 0;
    std::memcpy(&x, file.data() + at, 4);
    return x;
  }
  template <class T>
  std::vector<T> values(std::size_t accessor) const {
    const Json& a = json["accessors"].at(accessor);
    const Json& view = json["bufferViews"].at(a["bufferView"].get<std::size_t>());
    const std::size_t size = view["byteLength"], width = a["type"] == "SCALAR" ? 1
                                                         : a["type"] == "VEC3" ? 3
                                                                               : 4;
    EXPECT_EQ(size, a["count"].get<std::size_t>() * width * sizeof(T));
    EXPECT_LE(view["byteOffset"].get<std::size_t>() + size, bytes.size());
    std::vector<T> all(size / sizeof(T));
    std::memcpy(all.data(), bytes.data() + view["byteOffset"].get<std::size_t>(), size);
    return all;
  }
};

TEST(ExportGltf, HoldsEveryShapeAndTheMotion) {
  const Recording recording(every_shape);
  const Frames frames(recording.trace());
  ASSERT_TRUE(exports::export_gltf(recording.trace(), recording.path("run.glb")));
  const Glb glb(recording.path("run.glb"));
  for (const Json& mesh : glb.json["meshes"]) {
    const Json& part = mesh["primitives"][0];
    const auto points = glb.values<float>(part["attributes"]["POSITION"]);
    EXPECT_EQ(glb.values<float>(part["attributes"]["NORMAL"]).size(), points.size());
    for (const std::uint32_t i : glb.values<std::uint32_t>(part["indices"]))
      ASSERT_LT(3 * i, points.size());
    EXPECT_LT(part["material"], glb.json["materials"].size());
  }
  const Json& animation = glb.json["animations"].at(0);
  std::size_t moving = 0;
  for (const Json& channel : animation["channels"]) {
    const Json& sampler = animation["samplers"].at(channel["sampler"].get<std::size_t>());
    const auto times = glb.values<float>(sampler["input"]);
    ASSERT_EQ(times.size(), frames.all.size());
    for (std::size_t f = 1; f < times.size(); ++f) EXPECT_GT(times[f], times[f - 1]);
    const auto values = glb.values<float>(sampler["output"]);
    const Json& node = glb.json["nodes"].at(channel["target"]["node"].get<std::size_t>());
    const BodyId body = frames.scene.model->find_body(node["name"]).value();
    const bool turns = channel["target"]["path"] == "rotation";
    for (std::size_t f = 0; f < times.size(); ++f) {
      const BodyMotion m = body_motion(*frames.scene.model, frames.all[f].state, body);
      EXPECT_EQ(times[f], static_cast<float>(frames.all[f].state.t));
      if (turns) {
        const Eigen::Map<const Eigen::Vector4f> q(&values[4 * f]);
        EXPECT_NEAR(q.norm(), 1, 1e-6);
        EXPECT_NEAR(std::abs(q.cast<double>().dot(m.orientation.coeffs())), 1, 1e-6);
        const Eigen::Map<const Eigen::Vector4f> before(&values[4 * (f == 0 ? 0 : f - 1)]);
        EXPECT_GE(q.dot(before), 0);
      } else {
        for (int k = 0; k < 3; ++k)
          EXPECT_EQ(values[3 * f + static_cast<std::size_t>(k)], static_cast<float>(m.position[k]));
      }
    }
    moving += !turns;
  }
  EXPECT_GE(moving, 4u);  // the egg rests
  // Gravity along -z: the root turns z up, which is y in glTF.
  const Json& root = glb.json["nodes"].at(glb.json["scenes"][0]["nodes"][0].get<std::size_t>());
  const auto q = root["rotation"].get<std::vector<double>>();
  const Vec3 up = Quat(q[3], q[0], q[1], q[2]) * Vec3::UnitZ();
  EXPECT_LT((up - Vec3::UnitY()).norm(), 1e-6);
}

TEST(ExportGltf, PassesTheKhronosValidator) {
  if (shell("node --version >/dev/null 2>&1") != 0 ||
      !std::filesystem::exists(CAIRN_SOURCE_DIR "/viewer/node_modules/gltf-validator"))
    GTEST_SKIP() << "no validator here: npm ci in viewer/";
  for (const char* scene : {every_shape, shaken, falling_ball}) {
    const Recording recording(scene);
    ASSERT_TRUE(exports::export_gltf(recording.trace(), recording.path("run.glb")));
    ASSERT_EQ(shell("node " CAIRN_SOURCE_DIR "/tests/exports/validate_gltf.mjs " +
                    recording.path("run.glb") + " >" + recording.path("said")),
              0);
    const Json said = Json::parse(read(recording.path("said")));
    EXPECT_EQ(said["errors"], 0) << said;
    EXPECT_EQ(said["warnings"], 0) << said;
    EXPECT_EQ(said["animations"], 1);
  }
}

std::string decoded(const std::string& text) {
  static const std::string digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    const std::size_t digit = digits.find(c);
    if (digit == std::string::npos) break;
    bits = bits << 6 | static_cast<std::uint32_t>(digit);
    if ((count += 6) >= 8) bytes.push_back(static_cast<char>(bits >> (count -= 8) & 0xFF));
  }
  return bytes;
}

// An array of a .vtp: header and block are base64 of their own.
template <class T>
std::vector<T> vtk_array(const std::string& file, const std::string& name) {
  std::size_t at = file.find("Name=\"" + name + "\"");
  EXPECT_NE(at, std::string::npos) << name;
  at = file.find('>', at) + 1;
  std::string text = file.substr(at, file.find('<', at) - at);
  const std::string count = decoded(text.substr(0, 12));
  if (count[0] == 0) return {};
  const std::string header = decoded(text.substr(0, 44));
  std::uint64_t words[4];
  std::memcpy(words, header.data(), sizeof words);
  EXPECT_EQ(words[0], 1u);
  const std::string packed = decoded(text.substr(44));
  EXPECT_EQ(packed.size(), words[3]);
  std::vector<T> values(words[1] / sizeof(T));
  uLongf size = words[1];
  EXPECT_EQ(::uncompress(reinterpret_cast<Bytef*>(values.data()), &size,
                         reinterpret_cast<const Bytef*>(packed.data()), packed.size()),
            Z_OK);
  return values;
}

TEST(ExportVtk, HoldsBodiesAndForces) {
  const Recording recording(every_shape);
  const Frames frames(recording.trace());
  const Result<exports::Exported> done =
      exports::export_vtk(recording.trace(), recording.path("vtk"), {.every = 10});
  ASSERT_TRUE(done.has_value());
  EXPECT_EQ(done->frames, 4);
  const std::string list = read(recording.path("vtk/bodies.pvd"));
  for (const char* name : {"frames/bodies_000000.vtp", "frames/bodies_000030.vtp"})
    EXPECT_NE(list.find(name), std::string::npos);
  const TraceFrame& frame = frames.all.at(20);
  const std::string bodies = read(recording.path("vtk/frames/bodies_000020.vtp"));
  const auto points = vtk_array<float>(bodies, "Points"),
             speed = vtk_array<float>(bodies, "velocity");
  const auto corners = vtk_array<std::int64_t>(bodies, "connectivity");
  const auto body = vtk_array<std::int32_t>(bodies, "body");
  ASSERT_EQ(corners.size(), 3 * body.size());
  ASSERT_EQ(points.size(), speed.size());
  // Corners of the ball lie on the sphere and move as it does.
  const BodyId ball = frames.scene.model->find_body("ball").value();
  const BodyMotion m = body_motion(*frames.scene.model, frame.state, ball);
  int seen = 0;
  for (std::size_t i = 0; i < corners.size(); ++i) {
    if (body[i / 3] != static_cast<std::int32_t>(ball)) continue;
    const auto at = static_cast<std::size_t>(3 * corners[i]);
    const Vec3 r = Eigen::Map<const Eigen::Vector3f>(&points.at(at)).cast<double>() - m.position;
    const Vec3 u = Eigen::Map<const Eigen::Vector3f>(&speed.at(at)).cast<double>();
    EXPECT_NEAR(r.norm(), 0.5, 1e-6);
    EXPECT_LT((u - m.velocity - m.angular_velocity.cross(r)).norm(), 1e-5);
    ++seen;
  }
  EXPECT_GT(seen, 300);
  const std::string contacts = read(recording.path("vtk/frames/contacts_000020.vtp"));
  const auto force = vtk_array<double>(contacts, "force");
  ASSERT_EQ(force.size(), 3 * frame.report.contacts.size());
  Result<record::TraceWalk> walk = record::TraceWalk::open(recording.trace());
  ASSERT_TRUE(walk);
  while (walk->frames() <= 20) ASSERT_TRUE(walk->next());
  for (std::size_t i = 0; i < frame.report.contacts.size(); ++i) {
    const Vec3 f = exports::contact_force(*walk, i);
    EXPECT_EQ(std::memcmp(f.data(), &force[3 * i], 24), 0);
  }
  // The first frame has no contacts: arrays without blocks.
  EXPECT_TRUE(
      vtk_array<double>(read(recording.path("vtk/frames/contacts_000000.vtp")), "force").empty());
}

TEST(Export, EveryFormatTellsOfMissingFilesAndFolders) {
  const Recording recording(falling_ball);
  for (const auto& run :
       {exports::export_csv, exports::export_gltf, exports::export_vtk, exports::export_hdf5}) {
    EXPECT_FALSE(run(recording.path("none.cairn"), recording.path("out"), {}));
    const Result<exports::Exported> done = run(recording.trace(), recording.trace() + "/x/y", {});
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().front().kind, ErrorKind::io) << done.error().front().text();
  }
}

}  // namespace
}  // namespace cairn::test_export
