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

std::string oracle(const std::string& files, const std::string& format = "urdf") {
  return output_of("python3 " CAIRN_SOURCE_DIR "/tests/imports/" + format + "_oracle.py " + files);
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

// Compares the public models of a format and returns their number.
int compare_public_models(const std::string& format) {
  const std::filesystem::path folder =
      std::filesystem::path(CAIRN_SOURCE_DIR) / "../shared/data/models" / format;
  if (!std::filesystem::is_directory(folder) || !has_python()) return 0;
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != "." + format) continue;
    ++files;
    std::istringstream lines(oracle(entry.path().string(), format));
    std::string first;
    std::getline(lines, first);
    EXPECT_EQ(first, "file " + entry.path().string());
    compare(must(load_scene(entry.path().string())), lines, entry.path().filename().string());
  }
  return files;
}

TEST(UrdfOracle, PublicModelsAreReadAsAnIndependentReaderReadsThem) {
  const int files = compare_public_models("urdf");
  if (files == 0) GTEST_SKIP() << "needs ../shared/data/models and python3";
  EXPECT_EQ(files, 6);
}

TEST(SdfOracle, PublicModelsAreReadAsAnIndependentReaderReadsThem) {
  const int files = compare_public_models("sdf");
  if (files == 0) GTEST_SKIP() << "needs ../shared/data/models and python3";
  EXPECT_EQ(files, 4);
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

// Writes models of SDFormat whose elements are placed relative to each other in every way.
class RandomSdf {
 public:
  explicit RandomSdf(std::mt19937& random) : random_(random) {}

  std::string model(const std::string& name, int depth) {
    std::vector<std::string> frames{"__model__"}, links;
    std::string text = fmt::format("<model name=\"{}\">{}", name, pose({}));
    const int n = 2 + static_cast<int>(random_() % 5);
    for (int i = 0; i < n; ++i) {
      const std::string link = fmt::format("l{}", i);
      text += fmt::format("<link name=\"{}\">{}{}</link>\n", link, pose(frames), inertial());
      links.push_back(link);
      frames.push_back(link);
      if (random_() % 2 == 0) {
        const std::string frame = fmt::format("f{}", i);
        text += fmt::format("<frame name=\"{}\" attached_to=\"{}\">{}</frame>\n", frame, link,
                            pose(frames));
        frames.push_back(frame);
        links.push_back(frame);
      }
    }
    // Every link but the first is the child of one joint.
    for (int i = 1; i < n; ++i)
      text += joint(fmt::format("j{}", i), parent(links, i), fmt::format("l{}", i), frames);
    for (int k = 0; k < depth; ++k) {
      const std::string inner = fmt::format("m{}", k);
      text += model(inner, depth - 1);
      text += joint(fmt::format("i{}", k), "l0", inner + "::l0", frames);
      frames.push_back(inner);
      frames.push_back(inner + "::l1");
    }
    return text + "</model>\n";
  }

 private:
  // A link or frame of a link before number i.
  std::string parent(const std::vector<std::string>& links, int i) {
    while (true) {
      const std::string& name = links[random_() % links.size()];
      if (std::stoi(name.substr(1)) < i) return name;
    }
  }

  std::string pose(const std::vector<std::string>& frames) {
    const std::size_t k = frames.empty() ? 0 : random_() % (2 * frames.size());
    if (frames.empty() || k >= frames.size())
      return fmt::format("<pose>{} {}</pose>", numbers(random_, 3, 1), numbers(random_, 3, 3));
    return fmt::format("<pose relative_to=\"{}\">{} {}</pose>", frames[k], numbers(random_, 3, 1),
                       numbers(random_, 3, 3));
  }

  std::string inertial() {
    std::uniform_real_distribution<double> positive(0.1, 2.0);
    const double m = positive(random_), x = positive(random_), y = positive(random_),
                 z = positive(random_);
    return fmt::format(
        "<inertial>{}<mass>{}</mass><inertia><ixx>{}</ixx><iyy>{}</iyy><izz>{}</izz></inertia>"
        "</inertial>",
        pose({}), m, m / 12 * (y * y + z * z), m / 12 * (x * x + z * z), m / 12 * (x * x + y * y));
  }

  std::string joint(const std::string& name, const std::string& parent_name,
                    const std::string& child, std::vector<std::string>& frames) {
    static constexpr const char* types[] = {"fixed", "revolute", "continuous", "prismatic"};
    std::uniform_real_distribution<double> bound(0, 3);
    const std::string inside =
        random_() % 2 == 0 ? ""
                           : fmt::format(" expressed_in=\"{}\"", frames[random_() % frames.size()]);
    const std::string text = fmt::format(
        "<joint name=\"{}\" type=\"{}\">{}<parent>{}</parent><child>{}</child><axis><xyz{}>{}</xyz>"
        "<limit><lower>{}</lower><upper>{}</upper></limit></axis></joint>\n",
        name, types[random_() % 4], pose(frames), parent_name, child, inside,
        numbers(random_, 3, 1), -bound(random_), bound(random_));
    frames.push_back(name);
    return text;
  }

  std::mt19937& random_;
};

TEST(SdfOracle, RandomModelsAreReadAsAnIndependentReaderReadsThem) {
  if (!has_python()) GTEST_SKIP() << "needs python3";
  std::mt19937 random(11);
  std::vector<std::string> files;
  std::string list;
  for (int i = 0; i < 400; ++i) {
    const std::string model = RandomSdf(random).model("robot", static_cast<int>(random() % 3));
    files.push_back(
        write("random/" + std::to_string(i) + ".sdf", "<sdf version=\"1.9\">" + model + "</sdf>"));
    list += files.back() + " ";
  }
  std::istringstream lines(oracle(list, "sdf"));
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
