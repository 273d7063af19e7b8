// Masses, inertias, axes, limits and poses against an independent reader in Python: public models
// where they are there, and random trees.
#include <array>
#include <cmath>
#include <cstdio>
#include <fmt/format.h>
#include <random>
#include <sstream>

#include "import_helpers.hpp"

namespace cairn::test_models_against_oracle {
namespace {

using namespace test_imports;

std::string output_of(const std::string& command) {
  std::string text;
  std::FILE* pipe = ::popen(command.c_str(), "r");
  if (!pipe) return text;
  std::array<char, 4096> buffer;
  while (const std::size_t n = std::fread(buffer.data(), 1, buffer.size(), pipe))
    text.append(buffer.data(), n);
  ::pclose(pipe);
  return text;
}

bool has_python() {
  return !output_of("python3 -c 'print(1)' 2>/dev/null").empty();
}

std::string oracle(const std::string& files) {
  return output_of("python3 " CAIRN_SOURCE_DIR "/tests/imports/urdf_oracle.py " + files);
}

double relative(double a, double b, double scale) {
  return std::abs(a - b) / std::max(scale, 1.0);
}

// The lines of the oracle for one file against the scene; both compute with products of a few
// dozen rotations at the most, each rounded to 1e-16.
void compare(const Scene& scene, std::istream& lines, const std::string& file) {
  constexpr double tolerance = 1e-11;
  std::string kind, name, word;
  int bodies = 0, joints = 0;
  for (std::string line; lines.peek() != 'f' && std::getline(lines, line);) {
    std::istringstream in(line);
    in >> kind >> name >> word;
    std::vector<double> x;
    for (std::string number; in >> number;) x.push_back(std::stod(number));
    if (kind == "body") {
      ++bodies;
      const BodyDescription& b = body(scene, name);
      if (b.fixed) continue;
      EXPECT_LT(relative(*b.mass, x[0], x[0]), tolerance) << file << " " << name;
      const Pose X = pose(scene, name);
      const Vec3 com = X * *b.center_of_mass;
      EXPECT_LT((com - Vec3(x[1], x[2], x[3])).norm(), tolerance) << file << " " << name;
      const Mat3 R = X.R.toRotationMatrix(), I = R * *b.inertia * R.transpose();
      const Mat3 expected =
          (Mat3() << x[4], x[7], x[8], x[7], x[5], x[9], x[8], x[9], x[6]).finished();
      EXPECT_LT((I - expected).norm(), tolerance * expected.norm()) << file << " " << name;
    } else {
      ++joints;
      const JointDescription& j = joint(scene, name);
      EXPECT_LT((axis_of(scene, j) - Vec3(x[0], x[1], x[2])).norm(), tolerance)
          << file << " " << name;
      EXPECT_LT((point_of(scene, j) - Vec3(x[3], x[4], x[5])).norm(), tolerance)
          << file << " " << name;
      if (std::isnan(x[6])) {
        EXPECT_FALSE(j.limits.any()) << file << " " << name;
      } else {
        EXPECT_NEAR(j.limits.lower, x[6], 1e-12) << file << " " << name;
        EXPECT_NEAR(j.limits.upper, x[7], 1e-12) << file << " " << name;
      }
    }
  }
  EXPECT_GT(bodies, 0) << file;
  EXPECT_EQ(joints, static_cast<int>(scene.description.joints.size())) << file;
}

TEST(UrdfOracle, PublicModelsAreReadAsAnIndependentReaderReadsThem) {
  const std::filesystem::path folder =
      std::filesystem::path(CAIRN_SOURCE_DIR) / "../shared/data/models/urdf";
  if (!std::filesystem::is_directory(folder) || !has_python())
    GTEST_SKIP() << "needs ../shared/data/models and python3";
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".urdf") continue;
    ++files;
    std::istringstream lines(oracle(entry.path().string()));
    std::string first;
    std::getline(lines, first);
    ASSERT_EQ(first, "file " + entry.path().string());
    compare(must(load_scene(entry.path().string())), lines, entry.path().filename().string());
  }
  EXPECT_EQ(files, 6);
}

std::string numbers(std::mt19937& random, int n, double size) {
  std::uniform_real_distribution<double> draw(-size, size);
  std::string text;
  for (int i = 0; i < n; ++i) text += fmt::format("{}{}", i > 0 ? " " : "", draw(random));
  return text;
}

// A tree with links, of which the first has a mass, and joints of four types. Axes are nowhere
// zero, inertias are those of boxes.
std::string random_robot(std::mt19937& random) {
  std::uniform_real_distribution<double> positive(0.1, 2.0);
  const int n = 2 + static_cast<int>(random() % 12);
  std::string text = "<robot name=\"r\">\n";
  for (int i = 0; i < n; ++i) {
    const double m = positive(random), x = positive(random), y = positive(random),
                 z = positive(random);
    text += fmt::format(
        "<link name=\"l{}\"><inertial><origin xyz=\"{}\" rpy=\"{}\"/><mass value=\"{}\"/><inertia "
        "ixx=\"{}\" iyy=\"{}\" izz=\"{}\"/></inertial></link>\n",
        i, numbers(random, 3, 1), numbers(random, 3, 3), m, m / 12 * (y * y + z * z),
        m / 12 * (x * x + z * z), m / 12 * (x * x + y * y));
  }
  for (int i = 1; i < n; ++i) {
    static constexpr const char* types[] = {"fixed", "revolute", "continuous", "prismatic"};
    const char* type = types[random() % 4];
    std::uniform_real_distribution<double> angle(-3, 3);
    const double a = angle(random), b = angle(random);
    text += fmt::format(
        "<joint name=\"j{}\" type=\"{}\"><parent link=\"l{}\"/><child link=\"l{}\"/><origin "
        "xyz=\"{}\" rpy=\"{}\"/><axis xyz=\"{}\"/><limit lower=\"{}\" upper=\"{}\" effort=\"1\" "
        "velocity=\"1\"/></joint>\n",
        i, type, static_cast<int>(random() % static_cast<unsigned>(i)), i, numbers(random, 3, 1),
        numbers(random, 3, 3), numbers(random, 3, 1), std::min(a, b), std::max(a, b));
  }
  return text + "</robot>\n";
}

TEST(UrdfOracle, RandomTreesAreReadAsAnIndependentReaderReadsThem) {
  if (!has_python()) GTEST_SKIP() << "needs python3";
  std::mt19937 random(7);
  std::vector<std::string> files;
  std::string list;
  for (int i = 0; i < 400; ++i) {
    files.push_back(write("random/" + std::to_string(i) + ".urdf", random_robot(random)));
    list += files.back() + " ";
  }
  std::istringstream lines(oracle(list));
  std::string first;
  for (const std::string& file : files) {
    std::getline(lines, first);
    ASSERT_EQ(first, "file " + file);
    compare(must(load_scene(file)), lines, file);
    if (testing::Test::HasFailure()) break;
  }
}

}  // namespace
}  // namespace cairn::test_models_against_oracle
