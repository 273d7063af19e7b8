// Problems that were hard once: the falling pile of 66 discs, in which the first methods of auto
// were not enough. The files are in tests/problems.
#include <filesystem>
#include <gtest/gtest.h>

#include "cairn/solver.hpp"
#include "problem/problem_file.hpp"

namespace cairn {
namespace {

std::vector<std::string> kept_problems() {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(CAIRN_SOURCE_DIR "/tests/problems"))
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
    const Result<Problem> problem = read_problem(file);
    ASSERT_TRUE(problem) << problem.error().front().text();
    Solution solution;
    solve(*problem, Auto{.tolerance = 1e-8}, workspace, solution);
    EXPECT_EQ(solution.status, SolveStatus::solved);
    EXPECT_LE(certify(*problem, solution.v, solution.lambda).worst, 1e-8);
  }
}

// Coulomb's law in the plane is a linear complementarity problem: pivoting solves it to rounding,
// some hundred pivots of it.
TEST(KeptProblems, LemkeSolvesEachToRounding) {
  SolverWorkspace workspace;
  for (const std::string& file : kept_problems()) {
    SCOPED_TRACE(file);
    const Result<Problem> problem = read_problem(file);
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
    const Result<Problem> problem = read_problem(file);
    ASSERT_TRUE(problem);
    Solution solution;
    solve(*problem, Newton{}, workspace, solution);
    EXPECT_TRUE(solution.certificate.finite);
  }
}

}  // namespace
}  // namespace cairn
