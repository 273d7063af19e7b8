// Problems that were hard once: the falling pile of 66 discs, in which the first methods of auto
// were not enough, and boxes that slide on each other in space. The files are in tests/problems.
#include <filesystem>
#include <gtest/gtest.h>

#include "cairn/solver.hpp"
#include "problem/files/problem_file.hpp"

namespace cairn::test_kept_problems {
namespace {

std::vector<std::string> kept_problems(const std::string& folder = "") {
  std::vector<std::string> files;
  for (const auto& entry :
       std::filesystem::directory_iterator(CAIRN_SOURCE_DIR "/tests/problems" + folder))
    if (entry.path().extension() == ".json") files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  return files;
}

TEST(KeptProblems, AutoCertifiesEach) {
  const std::vector<std::string> files = kept_problems();
  EXPECT_GE(files.size(), 7u);
  SolverWorkspace workspace;
  for (const std::string& file : files) {
    SCOPED_TRACE(file);
    const Result<Problem> problem = problem::read_problem(file);
    ASSERT_TRUE(problem) << problem.error().front().text();
    Solution solution;
    solve(*problem, Auto{.tolerance = 1e-8}, workspace, solution);
    EXPECT_EQ(solution.status, SolveStatus::solved);
    EXPECT_LE(certify(*problem, solution.v, solution.lambda).worst, 1e-8);
  }
}

// Boxes that slide and turn on each other, with more contacts than their motion needs and exact
// cones: descent ends between two solutions, and pivoting on pyramids finds the way (E57, E58). Two
// of them are still open; whatever the answer, it is told as it is.
TEST(KeptProblems, SlidingStacksInSpace) {
  const std::vector<std::string> files = kept_problems("/space");
  EXPECT_GE(files.size(), 14u);
  SolverWorkspace workspace;
  int solved = 0;
  for (const std::string& file : files) {
    SCOPED_TRACE(file);
    const Result<Problem> problem = problem::read_problem(file);
    ASSERT_TRUE(problem) << problem.error().front().text();
    Solution solution;
    solve(*problem, Auto{.tolerance = 1e-8}, workspace, solution);
    const bool certified = certify(*problem, solution.v, solution.lambda).worst <= 1e-8;
    EXPECT_EQ(solution.status == SolveStatus::solved, certified);
    solved += certified ? 1 : 0;
  }
  EXPECT_GE(solved, static_cast<int>(files.size()) - 2);
}

// Coulomb's law in the plane is a linear complementarity problem: pivoting solves it to rounding,
// some hundred pivots of it.
TEST(KeptProblems, LemkeSolvesEachToRounding) {
  SolverWorkspace workspace;
  for (const std::string& file : kept_problems()) {
    SCOPED_TRACE(file);
    const Result<Problem> problem = problem::read_problem(file);
    ASSERT_TRUE(problem);
    ASSERT_TRUE(accepts(Lemke{}, *problem));
    Solution solution;
    solve(*problem, Lemke{.tolerance = 1e-11}, workspace, solution);
    EXPECT_EQ(solution.status, SolveStatus::solved) << solution.certificate.worst;
  }
}

// Contacts close and open from one iteration to the next, and the pattern of the matrix follows
// them: a block outside it ends the program. Four of these problems did so once.
TEST(KeptProblems, NewtonKeepsToThePatternOfItsMatrix) {
  SolverWorkspace workspace;
  for (const std::string& file : kept_problems()) {
    SCOPED_TRACE(file);
    const Result<Problem> problem = problem::read_problem(file);
    ASSERT_TRUE(problem);
    Solution solution;
    solve(*problem, Newton{}, workspace, solution);
    EXPECT_TRUE(solution.certificate.finite);
  }
}

}  // namespace
}  // namespace cairn::test_kept_problems
