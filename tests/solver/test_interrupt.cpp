// A solve that is asked to end: it does so soon, with the best impulses so far and a certificate
// that says what they are.
#include <atomic>
#include <gtest/gtest.h>
#include <limits>
#include <thread>

#include "cairn/solver.hpp"
#include "problem/reduced_view.hpp"
#include "problem/samples/sample_problems.hpp"

namespace cairn::test_interrupt {
namespace {

// Says yes when asked for the n-th time.
struct Countdown {
  int left = std::numeric_limits<int>::max(), asked = 0;
  Interrupt interrupt() {
    return {.asked =
                [](void* context) {
                  auto& self = *static_cast<Countdown*>(context);
                  return ++self.asked >= self.left;
                },
            .context = this};
  }
};

constexpr double unreachable = 1e-30;

const SolverOptions patient[] = {Auto{.tolerance = unreachable},   Nsgs{.tolerance = unreachable},
                                 Newton{.tolerance = unreachable}, Lemke{.tolerance = unreachable},
                                 Admm{.tolerance = unreachable},   Ipm{.tolerance = unreachable},
                                 Apgd{.tolerance = unreachable},   Bb{.tolerance = unreachable}};

// Each solver asks on its way, and not once more after it was told to end. What it leaves is no
// worse than no impulses at all, which it began with.
TEST(Interrupted, EverySolverEndsAtOnceWithTheBestSoFar) {
  const Problem problem = problem::cube_pyramid(4, {.facets = 4, .kick = 0.5});
  const Certificate nothing = [&] {
    SolverWorkspace workspace;
    Solution free;
    Countdown at_once{.left = 1};
    workspace.set_interrupt(at_once.interrupt());
    solve(problem, Nsgs{}, workspace, free);
    return free.certificate;
  }();
  for (const SolverOptions& options : patient)
    for (const int n : {1, 2, 5}) {
      SolverWorkspace workspace;
      Countdown countdown{.left = n};
      workspace.set_interrupt(countdown.interrupt());
      Solution solution;
      solve(problem, options, workspace, solution);
      EXPECT_EQ(countdown.asked, n) << name(options);
      EXPECT_EQ(solution.status, SolveStatus::interrupted) << name(options) << " " << n;
      const Certificate judged = certify(problem, solution.v, solution.lambda);
      EXPECT_EQ(judged.worst, solution.certificate.worst) << name(options);
      EXPECT_LE(judged.worst, nothing.worst) << name(options) << " " << n;
    }
}

// A pyramid that is never done, and a cube beside it, which comes after it in the problem and
// before it in the solve: whoever gives up waiting has at least the cube.
TEST(Interrupted, SmallIslandsAreDoneByThen) {
  Problem problem = problem::cube_pyramid(6, {.mu = 0.3, .kick = 0.5});
  const double mass[] = {1};
  const Problem cube = problem::cube_stack(mass, {.kick = 0});
  const int bodies = static_cast<int>(problem.bodies.size()), velocities = problem.velocities();
  const int rows = problem.rows();
  problem.bodies.push_back(cube.bodies[0]);
  problem.bodies.back().first = velocities;
  problem.k.conservativeResize(velocities + cube.velocities());
  problem.k.tail(cube.velocities()) = cube.k;
  problem.first_row.pop_back();
  for (std::size_t i = 0; i < cube.constraints.size(); ++i) {
    problem.constraints.push_back(cube.constraints[i]);
    for (int& body : problem.constraints.back().body)
      if (body >= 0) body += bodies;
    problem.first_row.push_back(rows + cube.first_row[i]);
  }
  problem.first_row.push_back(rows + cube.rows());
  SolverWorkspace workspace;
  Countdown countdown{.left = 40};
  workspace.set_interrupt(countdown.interrupt());
  Solution solution;
  solve(problem, Nsgs{.tolerance = 1e-10}, workspace, solution);
  EXPECT_EQ(solution.status, SolveStatus::interrupted);
  EXPECT_EQ(solution.islands, 2);
  EXPECT_LE(
      certify(cube, solution.v.tail(cube.velocities()), solution.lambda.tail(cube.rows())).worst,
      1e-10);
}

// Who is only asked, and says no, changes no bit; and a workspace that was interrupted solves the
// next problem as a fresh one does.
TEST(Interrupted, LeavesNoTrace) {
  const Problem problem = problem::cube_pyramid(4, {});
  for (const SolverOptions& options :
       {SolverOptions(Auto{}), SolverOptions(Nsgs{}), SolverOptions(Bb{.tolerance = 1e-4})}) {
    SolverWorkspace fresh, used;
    Solution expected, solution;
    solve(problem, options, fresh, expected);
    ASSERT_EQ(expected.status, SolveStatus::solved);
    Countdown soon{.left = 3}, never;
    used.set_interrupt(soon.interrupt());
    solve(problem, options, used, solution);
    used.set_interrupt(never.interrupt());
    solution = {};
    solve(problem, options, used, solution);
    EXPECT_GT(never.asked, 0);
    EXPECT_EQ(solution.status, SolveStatus::solved);
    EXPECT_TRUE(solution.lambda == expected.lambda && solution.v == expected.v) << name(options);
  }
}

// Another thread ends a solve that would go on for years.
TEST(Interrupted, ByAnotherThread) {
  struct Flags {
    std::atomic<bool> begun = false, end = false;
  } flags;
  std::thread other([&] {
    while (!flags.begun) std::this_thread::yield();
    flags.end = true;
  });
  SolverWorkspace workspace;
  workspace.set_interrupt({.asked =
                               [](void* context) {
                                 auto& both = *static_cast<Flags*>(context);
                                 both.begun = true;
                                 return both.end.load();
                               },
                           .context = &flags});
  Solution solution;
  solve(problem::cube_pyramid(8, {.kick = 0.5}),
        Nsgs{.tolerance = unreachable, .max_sweeps = std::numeric_limits<int>::max()}, workspace,
        solution);
  other.join();
  EXPECT_EQ(solution.status, SolveStatus::interrupted);
}

// What is certified already is no less so for being interrupted.
TEST(Interrupted, AfterTheAnswerItIsSolved) {
  const Problem problem = problem::cube_pyramid(3, {});
  SolverWorkspace workspace;
  Solution solution;
  solve(problem, Auto{}, workspace, solution);
  ASSERT_EQ(solution.status, SolveStatus::solved);
  Countdown at_once{.left = 1};
  workspace.set_interrupt(at_once.interrupt());
  solve(problem, Auto{}, workspace, solution);  // from the answer
  EXPECT_EQ(solution.status, SolveStatus::solved);
}

TEST(Interrupted, ReducedProblemsAsWell) {
  const Problem full = problem::cube_pyramid(2, {.facets = 4});
  const ReducedProblem problem = reduce(full);
  for (const SolverOptions& options : patient)
    for (const int n : {1, 3}) {
      Countdown countdown{.left = n};
      ReducedSolution solution;
      solve(problem, options, solution, countdown.interrupt());
      EXPECT_EQ(countdown.asked, n) << name(options);
      EXPECT_EQ(solution.status, SolveStatus::interrupted) << name(options);
      EXPECT_EQ(certify(problem, solution.lambda).worst, solution.certificate.worst);
    }
}

}  // namespace
}  // namespace cairn::test_interrupt
