// Problem files of other programs, recognised by content; broken ones are told with their line.
#include <cmath>
#include <cstdio>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <unistd.h>

#include "problem/files/fclib_file.hpp"
#include "problem/files/problem_formats.hpp"
#include "problem/files/reduced_file.hpp"
#include "problem/make_problem.hpp"
#include "problem/reduced_judge.hpp"
#include "problem/sparse.hpp"

namespace cairn::test_problem_formats {
namespace {

// M = [1 2; 3 4] by columns.
const char* const lcp = "2\n0\n2\n2\n2 2\n1 3\n2 4\n-1 -2\nsome words at the end\n";
const char* const mlcp = R"(1 1 1 2
0 1 3
0 1
0 3 3
3 3
1 0 0
2 1 0
0 1.5 1
-1 1 -3
1
1 1.5 0 1
2 0
0 0
-1
1 -3
)";
const char* const mlcp_parts = "0 1 1 2\n1\n1 1.5\n0 1\n2 0\n0 0\n-1\n1 -3\n";
const char* const friction = "2\n1\n0\n2\n2\n2 2\n5 1\n2 4\n-1 0.5\n0.3\n1\n";
const char* const blocks = R"(2
2
1
4 4
3
2 2
2 4
2 4
3
3
0 2 3
0 1 1
0 1 2 3 4
1 5 6 7 8
2 9 10 11 12
-1 0 -2 0
0.1 0.2
)";
const char* const printout = R"(2
1
2
2
2
2
CSparse Version 3.1.9, May 4, 2016.  Copyright (c) Timothy A. Davis, 2006-2016
2-by-2, nzmax: 3 nnz: 3, 1-norm: 5
    col 0 : locations 0 to 1
      0 : 4
      1 : 1
    col 1 : locations 2 to 2
      1 : 3
-1 0.25
0.5
)";
// M = diag(2, 4), H = [1 0; 0 2]: W = diag(1/2, 1), q = H^T M^-1 (2, 4) + b.
const char* const global = R"(2
1
0 2 2
2 2
2 0 0 4
0 2 2
2 2
1 0 0 2
2 4
-3 1
0.5
)";

ReducedProblem parsed(const char* text) {
  const Result<problem::ProblemFile> file = problem::parse_any_problem(text, "text");
  EXPECT_TRUE(file) << (file ? "" : file.error().front().text());
  return file ? std::get<ReducedProblem>(file->problem) : ReducedProblem{};
}

TEST(ProblemFormats, LinearComplementarityProblem) {
  const ReducedProblem p = parsed(lcp);
  EXPECT_EQ(make::dense_W(p), (Eigen::MatrixXd(2, 2) << 1, 2, 3, 4).finished());
  EXPECT_EQ(p.q, (VecX(2) << -1, -2).finished());
  for (const ReducedConstraint& c : p.constraints) EXPECT_EQ(c.law, Law::nonnegative);
}

TEST(ProblemFormats, BothFormsOfAMixedProblemAreTheSame) {
  const Eigen::MatrixXd M = (Eigen::MatrixXd(3, 3) << 1, 2, 0, 0, 1, 1.5, 0, 0, 1).finished();
  for (const char* text : {mlcp, mlcp_parts}) {
    const ReducedProblem p = parsed(text);
    EXPECT_EQ(make::dense_W(p), M);
    EXPECT_EQ(p.q, (VecX(3) << -1, 1, -3).finished());
    ASSERT_EQ(p.constraints.size(), 3u);
    EXPECT_EQ(p.constraints[0].law, Law::equality);
    EXPECT_EQ(p.constraints[1].law, Law::nonnegative);
    EXPECT_EQ(p.constraints[2].law, Law::nonnegative);
  }
}

TEST(ProblemFormats, FrictionDenseBlocksAndPrintout) {
  ReducedProblem p = parsed(friction);
  EXPECT_EQ(make::dense_W(p), (Eigen::MatrixXd(2, 2) << 5, 2, 1, 4).finished());
  ASSERT_EQ(p.constraints.size(), 1u);
  EXPECT_EQ(p.constraints[0].law, Law::coulomb);
  EXPECT_EQ(p.constraints[0].rows, 2);
  EXPECT_EQ(p.constraints[0].mu, 0.3);

  p = parsed(blocks);
  EXPECT_EQ(
      make::dense_W(p),
      (Eigen::MatrixXd(4, 4) << 1, 3, 5, 7, 2, 4, 6, 8, 0, 0, 9, 11, 0, 0, 10, 12).finished());
  EXPECT_EQ(p.constraints[1].mu, 0.2);

  p = parsed(printout);
  EXPECT_EQ(make::dense_W(p), (Eigen::MatrixXd(2, 2) << 4, 0, 1, 3).finished());
  EXPECT_EQ(p.q, (VecX(2) << -1, 0.25).finished());
}

TEST(ProblemFormats, GlobalProblemLosesItsVelocities) {
  const ReducedProblem p = parsed(global);
  EXPECT_EQ(make::dense_W(p), (Eigen::MatrixXd(2, 2) << 0.5, 0, 0, 1).finished());
  EXPECT_EQ(p.q, (VecX(2) << -2, 3).finished());
}

// Cut anywhere: an error, or (behind the last number that counts) the same problem.
TEST(ProblemFormats, TextCutAnywhereIsAnErrorOrComplete) {
  for (const std::string text : {lcp, mlcp, mlcp_parts, friction, blocks, printout, global}) {
    const ReducedProblem whole = parsed(text.c_str());
    for (std::size_t length = 0; length < text.size(); ++length) {
      const Result<problem::ProblemFile> file =
          problem::parse_any_problem(text.substr(0, length), "text");
      if (!file) {
        EXPECT_FALSE(file.error().front().what.empty());
        EXPECT_FALSE(file.error().front().fix.empty() && file.error().front().allowed.empty());
        continue;
      }
      // The last number may have lost digits or the sign of its exponent, nothing else.
      const ReducedProblem p = std::get<ReducedProblem>(file->problem);
      EXPECT_EQ(make::dense_W(p), make::dense_W(whole)) << text.substr(0, length);
    }
  }
}

struct Fault {
  const char* text;
  int line;
  ErrorCode code;
  const char* datum = "";  // a name or a value that the message shows
};

TEST(ProblemFormats, FaultsAreToldWithTheirLine) {
  const Fault faults[] = {
      {"2\n0\n2\n2\n2 2\n1 nan\n2 4\n-1 -2\n", 6, ErrorCode::syntax, "nan"},
      {"2\n0\n2\n2\n2 2\n1 3\n2 x4\n-1 -2\n", 7, ErrorCode::syntax, "x4"},
      {"2\n0\n2\n2\n2 3\n1 3\n2 4\n-1 -2\n", 5, ErrorCode::wrong_size, "2 x 3"},
      {"2\n1\n0\n2\n2\n2 2\n5 1\n2 4\n-1 0.5\n-0.3\n", 10, ErrorCode::out_of_range, "-0.3"},
      {"2\n1\n0\n2\n2\n2 2\n5 1\n2 4\n-1 inf\n0.3\n", 9, ErrorCode::syntax, "inf"},
      {"16000000\n0\n16000000\n16000000\n16000000 16000000\n1 2 3\n", 5, ErrorCode::wrong_size},
      {"3 4000000 1 12000000 12000000 16000000 4000000 4000000 3 6 9\n", 1, ErrorCode::wrong_size},
      {"hello\n", 1, ErrorCode::wrong_format},
      {"", 1, ErrorCode::wrong_format},
      {"1 1 1 2\n0 2 1\n", 2, ErrorCode::out_of_range},
  };
  for (const Fault& fault : faults) {
    const Result<problem::ProblemFile> file = problem::parse_any_problem(fault.text, "text");
    ASSERT_FALSE(file) << fault.text;
    const Error& error = file.error().front();
    EXPECT_EQ(error.line, fault.line) << error.text();
    EXPECT_EQ(error.code, fault.code) << error.text();
    EXPECT_NE(error.text().find(fault.datum), std::string::npos) << error.text();
  }
}

ReducedProblem random_contacts(make::Random& random, int rows, int count) {
  std::vector<ReducedConstraint> list;
  problem::SparseMatrix W{rows * count, rows * count, {}};
  for (int i = 0; i < count; ++i)
    list.push_back({.law = Law::coulomb, .rows = rows, .mu = make::uniform(random, 0, 1)});
  for (int r = 0; r < W.rows; ++r)
    for (int c = 0; c < W.columns; ++c)
      if (make::pick(random, 2)) W.entries.push_back({r, c, make::normal(random) * 1e-3});
  return problem::make_reduced(list, W, make::random_vector(random, rows * count));
}

void expect_same(const ReducedProblem& a, const ReducedProblem& b) {
  EXPECT_EQ(make::dense_W(a), make::dense_W(b));
  EXPECT_EQ(a.q, b.q);
  ASSERT_EQ(a.constraints.size(), b.constraints.size());
  for (std::size_t i = 0; i < a.constraints.size(); ++i) {
    EXPECT_EQ(a.constraints[i].law, b.constraints[i].law);
    EXPECT_EQ(a.constraints[i].rows, b.constraints[i].rows);
    EXPECT_EQ(a.constraints[i].mu, b.constraints[i].mu);
    EXPECT_EQ(a.constraints[i].facets, b.constraints[i].facets);
    EXPECT_EQ(a.constraints[i].lo, b.constraints[i].lo);
    EXPECT_EQ(a.constraints[i].hi, b.constraints[i].hi);
  }
}

TEST(ProblemFormats, ReducedJsonKeepsEveryBit) {
  make::Random random(5);
  for (int trial = 0; trial < 20; ++trial) {
    ReducedProblem p = random_contacts(random, 3, 1 + trial % 4);
    p.constraints[0].facets = trial % 2 ? 8 : 0;
    const Result<ReducedProblem> again = problem::parse_reduced(problem::reduced_text(p), "text");
    ASSERT_TRUE(again) << again.error().front().text();
    expect_same(p, *again);
  }
  problem::SparseMatrix W{2, 2, {{0, 0, 0.1}, {1, 1, -0.0}}};
  const double infinity = std::numeric_limits<double>::infinity();
  const ReducedProblem mixed = problem::make_reduced(
      {{.law = Law::box, .lo = -infinity, .hi = 2}, {.law = Law::equality}}, W, VecX::Ones(2));
  const Result<ReducedProblem> again = problem::parse_reduced(problem::reduced_text(mixed), "text");
  ASSERT_TRUE(again) << again.error().front().text();
  expect_same(mixed, *again);
}

TEST(ProblemFormats, FaultyReducedJsonIsToldWithItsPlace) {
  const Fault faults[] = {
      {"{\"cairn_reduced\": 2, \"constraints\": []}", 1, ErrorCode::out_of_range, "cairn_reduced"},
      {"{\"cairn_reduced\": 1}", 1, ErrorCode::missing_key, "constraints"},
      {"{\"cairn_reduced\": 1, \"constraints\": [\n{\"law\": \"coulomb\", \"q\": [1, 2], \"mu\": "
       "-1, "
       "\"columns\": [], \"W\": []}]}",
       2, ErrorCode::out_of_range, "mu"},
      {"{\"cairn_reduced\": 1, \"constraints\": [\n{\"law\": \"nonnegative\", \"q\": [1], "
       "\"columns\": [1],\n\"W\": [[[1]]]}]}",
       2, ErrorCode::out_of_range, "columns[0]"},
      {"{\"cairn_reduced\": 1, \"constraints\": [\n{\"law\": \"nonnegative\", \"q\": [1], "
       "\"columns\": [0],\n\"W\": [[[1, 2]]]}]}",
       3, ErrorCode::wrong_size, "W[0][0]"},
  };
  for (const Fault& fault : faults) {
    const Result<problem::ProblemFile> file = problem::parse_any_problem(fault.text, "text");
    ASSERT_FALSE(file) << fault.text;
    EXPECT_EQ(file.error().front().line, fault.line) << file.error().front().text();
    EXPECT_EQ(file.error().front().code, fault.code) << file.error().front().text();
    EXPECT_NE(file.error().front().text().find(fault.datum), std::string::npos)
        << file.error().front().text();
  }
}

class Fclib : public testing::Test {
 protected:
  void SetUp() override {
    file_ = testing::TempDir() + "cairn_fclib_" + std::to_string(::getpid()) + ".hdf5";
  }
  void TearDown() override { std::remove(file_.c_str()); }
  std::string file_;
};

TEST_F(Fclib, KeepsEveryBit) {
  make::Random random(6);
  for (const int rows : {2, 3}) {
    const ReducedProblem p = random_contacts(random, rows, 5);
    ASSERT_TRUE(problem::write_any_problem(p, file_));
    const Result<problem::ProblemFile> again = problem::read_any_problem(file_);
    ASSERT_TRUE(again) << again.error().front().text();
    expect_same(p, std::get<ReducedProblem>(again->problem));
  }
}

TEST_F(Fclib, RefusesWhatTheLayoutCannotHold) {
  problem::SparseMatrix W{1, 1, {{0, 0, 1}}};
  const Result<void> written = problem::write_any_problem(
      problem::make_reduced({{.law = Law::nonnegative}}, W, VecX::Ones(1)), file_);
  ASSERT_FALSE(written);
  EXPECT_NE(written.error().front().fix.find(".json"), std::string::npos);
}

TEST_F(Fclib, DamagedFilesAreErrors) {
  make::Random random(7);
  ASSERT_TRUE(problem::write_any_problem(random_contacts(random, 3, 3), file_));
  std::ifstream in(file_, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  for (std::size_t length = 8; length < bytes.size(); length += bytes.size() / 23) {
    std::ofstream(file_, std::ios::binary | std::ios::trunc) << bytes.substr(0, length);
    const Result<problem::ProblemFile> cut = problem::read_any_problem(file_);
    EXPECT_FALSE(cut) << length;
    EXPECT_TRUE(cut || !cut.error().front().what.empty());
  }
}

TEST(ProblemFormats, ASceneIsToldFromAProblem) {
  const Result<problem::ProblemFile> read =
      problem::parse_any_problem("{\"cairn\": 1, \"bodies\": []}", "scene.json");
  ASSERT_FALSE(read.has_value());
  ASSERT_EQ(read.error().size(), 1u);
  EXPECT_EQ(read.error()[0].code, ErrorCode::wrong_format);
  EXPECT_NE(read.error()[0].fix.find("cairn run"), std::string::npos);
}

}  // namespace
}  // namespace cairn::test_problem_formats
