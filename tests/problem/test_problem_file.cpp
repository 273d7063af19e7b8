// Problem files: writing and reading gives the same bits; every fault of a file is told with its
// place.
#include <cstdio>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <sys/stat.h>
#include <unistd.h>

#include "problem/files/problem_file.hpp"

namespace cairn::test_problem_file {
namespace {

// Random symmetric positive definite A = B B^T + I, random J and b over many magnitudes: any double
// may occur in a file.
Problem random_problem(unsigned seed) {
  std::mt19937_64 random(seed);
  const auto number = [&] {
    const double mantissa = static_cast<double>(random() >> 11) * 0x1p-53 - 0.5;
    return std::ldexp(mantissa, static_cast<int>(random() % 80) - 40);
  };
  const auto near_one = [&] { return static_cast<double>(random() >> 11) * 0x1p-53 - 0.5; };

  Problem problem;
  problem.units = {0x1p-7, 0x1p3, 0x1p-11};
  const std::vector<int> sizes = {1, 3, 6, 2};
  for (const int size : sizes) {
    ProblemBody body;
    body.first =
        problem.bodies.empty() ? 0 : problem.bodies.back().first + problem.bodies.back().size;
    body.size = size;
    double B[6][6];
    for (auto& row : B)
      for (double& value : row) value = near_one();
    for (int i = 0; i < size; ++i)
      for (int j = 0; j <= i; ++j) {
        double sum = i == j ? 1 : 0;
        for (int m = 0; m < 6; ++m) sum += B[i][m] * B[j][m];
        body.A[i][j] = body.A[j][i] = sum;
      }
    problem.bodies.push_back(body);
  }
  // Blocks of A between bodies, small enough to keep it positive definite, not symmetric.
  for (const std::array<int, 2> bodies : {std::array{0, 2}, std::array{3, 1}}) {
    BodyCoupling& coupling = problem.couplings.emplace_back();
    coupling.body = bodies;
    for (std::size_t side = 0; side < 2; ++side)
      for (int i = 0; i < sizes[static_cast<std::size_t>(bodies[side])]; ++i)
        for (int j = 0; j < sizes[static_cast<std::size_t>(bodies[1 - side])]; ++j)
          coupling.A[side][i][j] = 0x1p-6 * near_one();
  }
  problem.bodies[1].A[0][1] += 0.25;  // gyroscopic
  problem.bodies[1].A[1][0] -= 0.25;
  problem.k.resize(12);
  for (double& value : problem.k) value = number();

  const auto add = [&](Law law, int rows, std::array<int, 2> bodies) -> Constraint& {
    Constraint c;
    c.law = law;
    c.rows = rows;
    c.body = bodies;
    for (std::size_t side = 0; side < 2; ++side)
      for (int r = 0; r < rows && bodies[side] >= 0; ++r)
        for (int j = 0; j < sizes[static_cast<std::size_t>(bodies[side])]; ++j)
          c.J[side][r][j] = number();
    for (int r = 0; r < rows; ++r) c.b[r] = number();
    c.key.element = static_cast<std::int32_t>(problem.constraints.size());
    problem.constraints.push_back(c);
    return problem.constraints.back();
  };
  add(Law::equality, 3, {0, 2});
  add(Law::equality, 1, {-1, 1});
  add(Law::nonnegative, 1, {1, 3}).b[0] = -0.0;
  add(Law::coulomb, 2, {1, 3}).mu = 0.1;
  Constraint& pyramid = add(Law::coulomb, 3, {2, -1});
  pyramid.mu = 1.0 / 3;
  pyramid.facets = 7;
  pyramid.b[1] = std::numeric_limits<double>::denorm_min();
  add(Law::coulomb_relaxed, 2, {0, 3}).mu = 0.7;
  Constraint& relaxed = add(Law::coulomb_relaxed, 3, {0, -1});
  relaxed.mu = 0.3;
  relaxed.facets = 4;
  Constraint& fur = add(Law::coulomb, 3, {1, 2});
  fur.mu = 0.6;
  fur.section = std::make_shared<const FrictionPolygon>(
      FrictionPolygon{{-1, -1.0 / 3}, {0.1, -0.7}, {0.5, 0.1}, {-0.2, 0.3}});
  Constraint& box = add(Law::box, 1, {3, 0});
  box.lo = -number();
  box.hi = std::numeric_limits<double>::infinity();
  if (box.lo > 0) box.lo = -box.lo;
  Constraint& rolling = add(Law::disc, 2, {0, -1});
  rolling.mu = 0.02;
  rolling.tie = static_cast<int>(problem.constraints.size()) - 4;  // the relaxed contact

  problem.names = {"joint a", "plain",  "contact \"b\"\\\n", "2-D", "d\xc3\xa9", "r", "s", "fur",
                   "",        "rolling"};
  problem.first_row = {0};
  for (const Constraint& c : problem.constraints)
    problem.first_row.push_back(problem.first_row.back() + c.rows);
  return problem;
}

template <class T>
bool same_bits(const T& a, const T& b) {
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

void expect_same_bits(const Problem& a, const Problem& b) {
  EXPECT_TRUE(same_bits(a.units, b.units));
  ASSERT_EQ(a.bodies.size(), b.bodies.size());
  for (std::size_t i = 0; i < a.bodies.size(); ++i) {
    EXPECT_EQ(a.bodies[i].first, b.bodies[i].first);
    EXPECT_EQ(a.bodies[i].size, b.bodies[i].size);
    EXPECT_TRUE(same_bits(a.bodies[i].A, b.bodies[i].A)) << "body " << i;
  }
  ASSERT_EQ(a.k.size(), b.k.size());
  EXPECT_EQ(
      std::memcmp(a.k.data(), b.k.data(), sizeof(double) * static_cast<std::size_t>(a.k.size())),
      0);
  ASSERT_EQ(a.couplings.size(), b.couplings.size());
  for (std::size_t i = 0; i < a.couplings.size(); ++i) {
    EXPECT_EQ(a.couplings[i].body, b.couplings[i].body);
    EXPECT_TRUE(same_bits(a.couplings[i].A, b.couplings[i].A)) << "coupling " << i;
  }
  ASSERT_EQ(a.constraints.size(), b.constraints.size());
  for (std::size_t i = 0; i < a.constraints.size(); ++i) {
    const Constraint &c = a.constraints[i], &d = b.constraints[i];
    EXPECT_EQ(c.law, d.law);
    EXPECT_EQ(c.rows, d.rows);
    EXPECT_EQ(c.body, d.body);
    EXPECT_EQ(c.facets, d.facets);
    ASSERT_EQ(!c.section, !d.section);
    if (c.section) {
      EXPECT_EQ(*c.section, *d.section);
    }
    EXPECT_EQ(c.tie, d.tie);
    EXPECT_TRUE(same_bits(c.mu, d.mu) && same_bits(c.lo, d.lo) && same_bits(c.hi, d.hi));
    EXPECT_TRUE(same_bits(c.J, d.J) && same_bits(c.b, d.b)) << "constraint " << i;
    EXPECT_EQ(d.key.role, Role::given);
    EXPECT_EQ(d.key.element, static_cast<std::int32_t>(i));
  }
  EXPECT_EQ(a.first_row, b.first_row);
  EXPECT_EQ(a.names, b.names);
}

TEST(ProblemFile, RoundTripKeepsEveryBit) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    const Problem problem = random_problem(seed);
    const Result<Problem> again =
        problem::parse_problem(problem::problem_text(problem, problem.names), "text");
    ASSERT_TRUE(again) << again.error().front().text();
    expect_same_bits(problem, *again);
  }
}

class ProblemFileOnDisk : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "cairn_problem_XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override {
    for (const char* name : {"/a.json", "/pipe"}) ::unlink((folder_ + name).c_str());
    EXPECT_EQ(::rmdir(folder_.c_str()), 0) << "something was left behind in " << folder_;
  }
  std::string folder_;
};

TEST_F(ProblemFileOnDisk, WritesAndReadsBackAndLeavesNoOtherFile) {
  const Problem problem = random_problem(7);
  const std::string file = folder_ + "/a.json";
  for (int twice = 0; twice < 2; ++twice)
    ASSERT_TRUE(problem::write_problem(problem, problem.names, file));
  const Result<Problem> again = problem::read_problem(file);
  ASSERT_TRUE(again);
  expect_same_bits(problem, *again);
}

TEST_F(ProblemFileOnDisk, FilesThatCannotBeReadOrWrittenAreErrorsOfTheRightKind) {
  const Problem problem = random_problem(1);
  const Result<void> written =
      problem::write_problem(problem, problem.names, folder_ + "/none/a.json");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().front().kind, ErrorKind::io);
  ASSERT_EQ(::mkfifo((folder_ + "/pipe").c_str(), 0600), 0);
  for (const std::string& file : {folder_ + "/none.json", folder_, folder_ + "/pipe"}) {
    const Result<Problem> read = problem::read_problem(file);  // the pipe must not block
    ASSERT_FALSE(read) << file;
    EXPECT_EQ(read.error().front().kind, ErrorKind::input);
    EXPECT_EQ(read.error().front().code,
              file.ends_with(".json") ? ErrorCode::not_found : ErrorCode::not_a_file);
    EXPECT_EQ(read.error().front().file, file);
  }
}

// One disc on a plank, correct; the tests below break it in one place each.
const std::string good = R"({"cairn_problem": 1,
  "units": {"mass": 1, "length": 1, "time": 0.5},
  "bodies": [{"A": [[2, 0], [0, 2]], "k": [0, -1]}],
  "constraints": [{"name": "c", "law": "coulomb", "bodies": [-1, 0], "mu": 0.5,
                   "J": [[], [[0, 1], [1, 0]]], "b": [0, 0]}]})";

std::string with(const std::string& old_text, const std::string& new_text) {
  std::string text = good;
  const std::size_t at = text.find(old_text);
  EXPECT_NE(at, std::string::npos) << old_text;
  return text.replace(at, old_text.size(), new_text);
}

TEST(ProblemFile, ReadsWhatAPersonWrites) {
  const Result<Problem> problem = problem::parse_problem(
      R"(// a point mass, SI units, no name
      {"cairn_problem": 1, "bodies": [{"A": [[2]], "k": [-1]}],
       "constraints": [{"law": "nonnegative", "bodies": [0, -1], "J": [[[1]], []], "b": [0]}]})",
      "text");
  ASSERT_TRUE(problem) << problem.error().front().text();
  EXPECT_EQ(problem->units.mass, 1);
  EXPECT_EQ(problem->names.front(), "constraint 0");
  EXPECT_EQ(problem->rows(), 1);
  EXPECT_EQ(problem->velocities(), 1);
  ASSERT_TRUE(problem::parse_problem(good, "text"));
}

struct Fault {
  const char* old_text;
  const char* new_text;
  const char* path;  // where it must be told
  ErrorCode code;
  const char* datum = "";  // a name or a value that the message shows
};

TEST(ProblemFile, EveryFaultIsToldWithItsPlace) {
  const Fault faults[] = {
      {"\"cairn_problem\": 1", "\"cairn_problem\": 2", "cairn_problem", ErrorCode::out_of_range,
       "2"},
      {"\"cairn_problem\": 1,", "", "", ErrorCode::missing_key, "cairn_problem"},
      {"0.5},", "0},", "units.time", ErrorCode::out_of_range},
      {"0.5},", "\"s\"},", "units.time", ErrorCode::wrong_type},
      {"\"time\": 0.5", "\"tyme\": 0.5", "units", ErrorCode::unknown_key, "tyme"},
      {"[[2, 0], [0, 2]]", "[[2, 0]]", "bodies[0].A[0]", ErrorCode::wrong_size},
      {"[[2, 0], [0, 2]]", "[[2, 9], [0, 2]]", "bodies[0].A", ErrorCode::invalid_matrix},
      {"[[2, 0], [0, 2]]", "[[2, 3], [3, 2]]", "bodies[0].A", ErrorCode::invalid_matrix},
      {"[[2, 0], [0, 2]]", "[[2, 0], [0, 0]]", "bodies[0].A", ErrorCode::invalid_matrix},
      {"[[2, 0], [0, 2]]", "[]", "bodies[0].A", ErrorCode::wrong_size, "1 to 6"},
      {"\"k\": [0, -1]", "\"k\": [0]", "bodies[0].k", ErrorCode::wrong_size},
      {"\"k\": [0, -1]", "\"k\": [0, null]", "bodies[0].k[1]", ErrorCode::wrong_type},
      {"\"k\": [0, -1]", "\"g\": [0, -1]", "bodies[0]", ErrorCode::unknown_key, "\"g\""},
      {"\"coulomb\"", "\"columb\"", "constraints[0].law", ErrorCode::unknown_choice, "coulomb"},
      {"[-1, 0], \"mu\"", "[-1, 1], \"mu\"", "constraints[0].bodies[1]", ErrorCode::out_of_range,
       "-1 to 0"},
      {"[-1, 0], \"mu\"", "[-1, 0.5], \"mu\"", "constraints[0].bodies[1]", ErrorCode::out_of_range},
      {"[-1, 0], \"mu\"", "[-1, -2], \"mu\"", "constraints[0].bodies[1]", ErrorCode::out_of_range,
       "-2"},
      {"\"mu\": 0.5,", "", "constraints[0]", ErrorCode::missing_key, "mu"},
      {"\"mu\": 0.5,", "\"mu\": -0.5,", "constraints[0].mu", ErrorCode::out_of_range, "-0.5"},
      {"\"mu\": 0.5,", "\"mu\": 0.5, \"facets\": 8,", "constraints[0].facets", ErrorCode::conflict},
      {"\"mu\": 0.5,", "\"mu\": 0.5, \"lo\": 0,", "constraints[0].lo", ErrorCode::conflict},
      {"[[], [[0, 1], [1, 0]]]", "[[[0, 1], [1, 0]], []]", "constraints[0].J[0]",
       ErrorCode::wrong_size},
      {"[[], [[0, 1], [1, 0]]]", "[[], [[0, 1]]]", "constraints[0].J[1]", ErrorCode::wrong_size},
      {"[[], [[0, 1], [1, 0]]]", "[[], [[0, 1], [1]]]", "constraints[0].J[1][1]",
       ErrorCode::wrong_size},
      {"\"b\": [0, 0]", "\"b\": [0]", "constraints[0].b", ErrorCode::wrong_size, "2 to 3"},
      {"\"b\": [0, 0]", "\"b\": [0, true]", "constraints[0].b[1]", ErrorCode::wrong_type, "true"},
      {"\"b\": [0, 0]", "\"B\": [0, 0]", "constraints[0]", ErrorCode::unknown_key, "\"B\""},
      {"\"name\": \"c\"", "\"name\": 3", "constraints[0].name", ErrorCode::wrong_type},
      {"\"name\": \"c\"", "\"name\": \"c\", \"name\": \"d\"", "", ErrorCode::duplicate_key, "name"},
  };
  for (const Fault& fault : faults) {
    const Result<Problem> read =
        problem::parse_problem(with(fault.old_text, fault.new_text), "p.json");
    ASSERT_FALSE(read) << fault.new_text;
    const Error& error = read.error().front();
    EXPECT_EQ(error.kind, ErrorKind::input);
    EXPECT_EQ(error.file, "p.json");
    EXPECT_GE(error.line, 1) << error.text();
    EXPECT_EQ(error.path, fault.path) << error.text();
    EXPECT_EQ(error.code, fault.code) << error.text();
    EXPECT_NE(error.text().find(fault.datum), std::string::npos) << error.text();
  }
}

// A spring of stiffness c between masses of one and two velocities: A = (1 + c, -c; -c, 1 + c) with
// the third velocity by itself.
TEST(ProblemFile, CouplingsAreChecked) {
  const auto read = [](const std::string& couplings) {
    return problem::parse_problem(R"({"cairn_problem": 1, "bodies": [{"A": [[3]], "k": [0]},
      {"A": [[3, 0], [0, 1]], "k": [0, 0]}], "couplings": )" +
                                      couplings + R"(, "constraints": []})",
                                  "t");
  };
  EXPECT_TRUE(read(R"([{"bodies": [0, 1], "A": [[[-2, 0]], [[-2], [0]]]}])"));
  const auto told = [&](const std::string& couplings, ErrorCode code, const std::string& path) {
    const Result<Problem> problem = read(couplings);
    ASSERT_FALSE(problem) << couplings;
    EXPECT_EQ(problem.error().front().code, code) << problem.error().front().text();
    EXPECT_EQ(problem.error().front().path, path) << problem.error().front().text();
  };
  told(R"([{"bodies": [0, 1], "A": [[[-4, 0]], [[-4], [0]]]}])", ErrorCode::invalid_matrix,
       "couplings");
  told(R"([{"bodies": [0, 0], "A": [[[1]], [[1]]]}])", ErrorCode::conflict, "couplings[0].bodies");
  told(R"([{"bodies": [0, 2], "A": [[[1]], [[1]]]}])", ErrorCode::out_of_range,
       "couplings[0].bodies[1]");
  told(R"([{"bodies": [0, 1], "A": [[[-2]], [[-2], [0]]]}])", ErrorCode::wrong_size,
       "couplings[0].A[0][0]");
  told(R"([{"bodies": [0, 1], "A": [[[-2, 0]]]}])", ErrorCode::wrong_size, "couplings[0].A");
  told(R"([{"bodies": [0, 1]}])", ErrorCode::missing_key, "couplings[0]");
  told(R"({})", ErrorCode::wrong_type, "couplings");
}

TEST(ProblemFile, LawsOfContactsAndBoxesAreChecked) {
  const auto read = [](const std::string& constraint) {
    return problem::parse_problem(R"({"cairn_problem": 1,
      "bodies": [{"A": [[1]], "k": [0]}, {"A": [[1]], "k": [0]}], "constraints": [)" +
                                      constraint + "]}",
                                  "t");
  };
  const std::string rows3 =
      R"("bodies": [0, 1], "J": [[[1], [0], [0]], [[1], [0], [0]]], "b": [0, 0, 0]})";
  const std::string rows1 = R"("bodies": [0, 1], "J": [[[1]], [[1]]], "b": [0]})";
  for (const char* facets : {"0", "3", "64"})
    EXPECT_TRUE(
        read(R"({"law": "coulomb", "mu": 0, "facets": )" + std::string(facets) + "," + rows3));
  for (const char* facets : {"1", "2", "65", "-1", "4.5"})
    EXPECT_FALSE(
        read(R"({"law": "coulomb", "mu": 0, "facets": )" + std::string(facets) + "," + rows3));
  EXPECT_TRUE(read(R"({"law": "box", "lo": -1, "hi": -1,)" + rows1));
  EXPECT_TRUE(read(R"({"law": "box", "hi": 1,)" + rows1));
  EXPECT_FALSE(read(R"({"law": "box", "lo": 1, "hi": 0.5,)" + rows1));
  EXPECT_FALSE(read(R"({"law": "nonnegative",)" + rows3));
  EXPECT_FALSE(read(R"({"law": "equality", "bodies": [1, 1], "J": [[[1]], [[1]]], "b": [0]})"));
  EXPECT_FALSE(read(R"({"law": "equality", "bodies": [-1, -1], "J": [[], []], "b": [0]})"));
}

TEST(ProblemFile, AllFaultsOfAFileAreToldAtOnceButAtMostTwenty) {
  std::string text = R"({"cairn_problem": 1, "bodies": [{"A": [[1]], "k": [0]}], "constraints": [)";
  for (int i = 0; i < 30; ++i)
    text += std::string(i > 0 ? "," : "") + R"({"law": 1, "bodies": [0, -1], "J": [], "b": []})";
  const Result<Problem> read = problem::parse_problem(text + "]}", "t");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().size(), 20u);
}

TEST(ProblemFile, NumbersThatAreNotFiniteAreRefused) {
  for (const char* value : {"1e999", "-1e999", "NaN", "Infinity"})
    EXPECT_FALSE(problem::parse_problem(with("\"mu\": 0.5", std::string("\"mu\": ") + value), "t"))
        << value;
}

TEST(ProblemFile, ACutFileIsNeverAProblemAndSyntaxErrorsHaveLineAndColumn) {
  for (std::size_t size = 0; size < good.size(); ++size) {
    const Result<Problem> read = problem::parse_problem(good.substr(0, size), "t");
    ASSERT_FALSE(read) << size;
    EXPECT_GE(read.error().front().line, 1) << size;
  }
  const Result<Problem> read = problem::parse_problem("{\n  \"cairn_problem\" 1}", "t");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().front().line, 2);
  EXPECT_EQ(read.error().front().column, 19);
  EXPECT_FALSE(problem::parse_problem(good + good, "t"));
  EXPECT_FALSE(problem::parse_problem(std::string(100000, '['), "t"));
}

TEST(ProblemFile, IsToldApartFromAScene) {
  EXPECT_TRUE(problem::is_problem_text(good));
  EXPECT_TRUE(problem::is_problem_text(good.substr(0, 60)));
  EXPECT_FALSE(problem::is_problem_text(R"({"cairn": 1, "name": "cairn_problem"})"));
  EXPECT_FALSE(problem::is_problem_text(""));
}

}  // namespace
}  // namespace cairn::test_problem_file
