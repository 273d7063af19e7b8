// Contact problems of which W alone is known: unsymmetric, redundant, of every law, and the files
// of another program's test suite.
#include <algorithm>
#include <filesystem>
#include <gtest/gtest.h>
#include <limits>

#include "cairn/solver.hpp"
#include "problem/files/problem_formats.hpp"
#include "problem/make_problem.hpp"
#include "problem/reduced_judge.hpp"
#include "problem/sparse.hpp"

namespace cairn::test_reduced_solvers {
namespace {

using make::Random;

ReducedSolution solved(const ReducedProblem& problem, const SolverOptions& options) {
  ReducedSolution solution;
  solve(problem, options, solution);
  if (solution.status == SolveStatus::solved && problem.rows() < 400) {
    EXPECT_LE(make::judge(problem, solution.lambda).worst(), 1.01 * tolerance(options))
        << name(options);
  }
  return solution;
}

// A stack of cubes on the ground with four contacts each: hyperstatic, W of 12 n rows has rank 6 n.
// The top one is pushed sideways.
Problem stack(int cubes, double ratio, double mu, double push) {
  Problem problem;
  for (int i = 0; i < cubes; ++i) {
    const double m = i + 1 == cubes ? ratio : 1;
    VecX v = VecX::Zero(6);
    v[2] = -1;
    if (i + 1 == cubes) v[0] = push;
    make::add_body(problem, {m, m, m, m / 6, m / 6, m / 6}, v);
  }
  for (int i = 0; i < cubes; ++i)
    for (int corner = 0; corner < 4; ++corner) {
      Constraint& c = make::add(problem, Law::coulomb, 3, i, i - 1);
      c.mu = mu;
      const Vec3 directions[3] = {Vec3::UnitZ(), Vec3::UnitX(), Vec3::UnitY()};
      for (int side = 0; side < (i > 0 ? 2 : 1); ++side) {
        const Vec3 arm(corner & 1 ? 0.5 : -0.5, corner & 2 ? 0.5 : -0.5, side == 0 ? -0.5 : 0.5);
        for (int r = 0; r < 3; ++r) {
          const Vec3 d = side == 0 ? directions[r] : Vec3(-directions[r]), turn = arm.cross(d);
          for (int k = 0; k < 3; ++k) {
            c.J[side][r][k] = d[k];
            c.J[side][r][3 + k] = turn[k];
          }
        }
      }
    }
  return problem;
}

// A skew part of A, as gyroscopic forces give it: W is then unsymmetric, but still monotone.
void skew(Random& random, double size, Problem& problem) {
  for (ProblemBody& body : problem.bodies)
    for (int i = 0; i < body.size; ++i)
      for (int j = 0; j < i; ++j) {
        const double x = size * std::sqrt(body.A[i][i] * body.A[j][j]) * make::normal(random);
        body.A[i][j] += x;
        body.A[j][i] -= x;
      }
}

TEST(ReducedSolvers, HyperstaticStacks) {
  for (const int cubes : {1, 3, 10})
    for (const double ratio : {1.0, 30.0, 1e3})
      for (const double push : {0.0, 0.05, 2.0})
        for (const double noise : {0.0, 1e-3}) {
          Random random(static_cast<std::uint64_t>(cubes));
          Problem full = stack(cubes, ratio, 0.4, push);
          skew(random, noise, full);
          const ReducedProblem problem = reduce(full);
          for (const SolverOptions& options : {SolverOptions(Auto{}), SolverOptions(Newton{})}) {
            const ReducedSolution solution = solved(problem, options);
            EXPECT_EQ(solution.status, SolveStatus::solved)
                << name(options) << " cubes " << cubes << " ratio " << ratio << " push " << push
                << " noise " << noise << " residual " << solution.certificate.worst;
          }
        }
}

// Random bodies with more contacts than velocities.
Problem random_contacts(Random& random, int rows) {
  Problem problem;
  const int bodies = 1 + make::pick(random, 6), size = rows == 2 ? 3 : 6;
  for (int i = 0; i < bodies; ++i)
    make::add_body(problem, std::exp2(make::pick(random, 7) - 3) * make::random_spd(random, size),
                   make::random_vector(random, size));
  const int count = 1 + make::pick(random, 5 * bodies);
  for (int i = 0; i < count; ++i) {
    const int a = make::pick(random, bodies);
    int b = make::pick(random, bodies + 1) - 1;
    if (b == a) b = -1;
    Constraint& c = make::add(problem, Law::coulomb, rows, a, b);
    make::fill_random(random, problem, c);
    c.mu = make::uniform(random, 0, 1.2);
    if (i > 2 && make::pick(random, 4) == 0) {  // a repeated one
      const Constraint& old = problem.constraints[base::at(make::pick(random, i))];
      const ConstraintKey id = c.key;
      c = old;
      c.key = id;
    }
  }
  return problem;
}

TEST(ReducedSolvers, RandomContactsInThePlaneAndInSpace) {
  Random random(22);
  for (const int rows : {2, 3}) {
    int missed = 0;
    for (int trial = 0; trial < 600; ++trial) {
      Problem full = random_contacts(random, rows);
      if (trial % 3 == 1) skew(random, 1e-3, full);
      if (trial % 3 == 2) skew(random, 0.3, full);
      const ReducedProblem problem = reduce(full);
      const ReducedSolution solution = solved(problem, Auto{});
      missed += solution.status == SolveStatus::solved ? 0 : 1;
      if (trial % 3 == 0) {
        EXPECT_EQ(solution.status, SolveStatus::solved)
            << rows << " rows, trial " << trial << ", residual " << solution.certificate.worst;
      }
    }
    EXPECT_LE(missed, 3) << rows;
  }
}

// The relaxed law is convex: its velocity is unique, and every solver finds it.
TEST(ReducedSolvers, RelaxedConesByEverySolver) {
  for (const int facets : {0, 8})
    for (const double push : {0.05, 2.0}) {
      Problem full = stack(2, 4, 0.5, push);
      for (Constraint& c : full.constraints) {
        c.law = Law::coulomb_relaxed;
        c.facets = facets;
      }
      const ReducedProblem problem = reduce(full);
      VecX first;
      for (const SolverOptions& options :
           {SolverOptions(Auto{}), SolverOptions(Nsgs{}), SolverOptions(Newton{}),
            SolverOptions(Lemke{}), SolverOptions(Admm{}), SolverOptions(Ipm{}),
            SolverOptions(Apgd{.max_iterations = 100000}),
            SolverOptions(Bb{.max_iterations = 100000})}) {
        if (!accepts(options, problem)) continue;
        const ReducedSolution solution = solved(problem, options);
        EXPECT_EQ(solution.status, SolveStatus::solved)
            << name(options) << " facets " << facets << " push " << push << " residual "
            << solution.certificate.worst;
        if (first.size() == 0) first = solution.w;
        // Energies are known to the square of the residual's size, velocities to its root.
        EXPECT_LE((solution.w - first).norm(), 1e-4 * (1 + first.norm())) << name(options);
      }
    }
}

// Pyramids and boxes: solvers that can take them agree in the certificate.
TEST(ReducedSolvers, PyramidsByEverySolver) {
  Random random(23);
  for (int trial = 0; trial < 60; ++trial) {
    Problem full = stack(1 + trial % 3, std::exp2(trial % 5), 0.5, 0.1 * (trial % 7));
    for (Constraint& c : full.constraints) c.facets = 4 + 2 * (trial % 3);
    const ReducedProblem problem = reduce(full);
    for (const SolverOptions& options : {SolverOptions(Auto{}), SolverOptions(Lemke{})})
      EXPECT_EQ(solved(problem, options).status, SolveStatus::solved) << trial << name(options);
  }
}

// W = I + 1 1^T / 4 is positive definite, the answer unique: r with w = (0, 0, -2, 2), which push r
// against no bound, no bound, the upper and the lower one.
TEST(ReducedSolvers, LemkeTakesBoxesWithoutBounds) {
  constexpr double none = std::numeric_limits<double>::infinity();
  problem::SparseMatrix W{4, 4, {}};
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) W.entries.push_back({i, j, i == j ? 1.25 : 0.25});
  VecX q(4);
  q << 3.25, -1.75, 6.25, 2.25;
  const ReducedProblem problem = problem::make_reduced({{.law = Law::box, .lo = -none, .hi = none},
                                                        {.law = Law::box, .lo = 1, .hi = none},
                                                        {.law = Law::box, .lo = -none, .hi = -7},
                                                        {.law = Law::box, .lo = 1, .hi = 2}},
                                                       W, q);
  const ReducedSolution solution = solved(problem, Lemke{});
  EXPECT_EQ(solution.status, SolveStatus::solved);
  const double expected[] = {-2, 3, -7, 1};
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(solution.lambda[i], expected[i], 1e-12) << i;
}

TEST(ReducedSolvers, RefusalAndRay) {
  const ReducedProblem cone = reduce(stack(1, 1, 0.5, 0));
  EXPECT_TRUE(accepts(Auto{}, cone));
  ASSERT_FALSE(accepts(Lemke{}, cone));
  EXPECT_NE(accepts(Lemke{}, cone).error().front().fix.find("facets"), std::string::npos);
  // w = -z - 1 has no solution.
  const ReducedProblem none = problem::make_reduced(
      {{.law = Law::nonnegative}}, problem::SparseMatrix{1, 1, {{0, 0, -1}}}, -VecX::Ones(1));
  for (const SolverOptions& options : {SolverOptions(Auto{}), SolverOptions(Lemke{})})
    EXPECT_EQ(solved(none, options).status, SolveStatus::ray) << name(options);
  EXPECT_EQ(solved(none, Nsgs{.max_sweeps = 100}).status, SolveStatus::not_certified);
}

TEST(ReducedSolvers, WarmStartAtTheSolutionStaysThere) {
  const ReducedProblem problem = reduce(stack(4, 10, 0.4, 0.3));
  ReducedSolution solution = solved(problem, Auto{});
  ASSERT_EQ(solution.status, SolveStatus::solved);
  const int cold = solution.iterations;
  solve(problem, Auto{}, solution);
  EXPECT_EQ(solution.status, SolveStatus::solved);
  EXPECT_LE(solution.iterations, cold);
}

// Real problems of a peer's test suite, where they are at hand beside the source tree.
TEST(ReducedSolvers, FilesOfAPeersTestSuite) {
  namespace fs = std::filesystem;
  const fs::path folder =
      fs::path(CAIRN_SOURCE_DIR).parent_path() / "shared" / "data" / "siconos-problems";
  if (!fs::is_directory(folder)) GTEST_SKIP() << "no problem files at " << folder;
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.path().extension() == ".dat" || entry.path().extension() == ".hdf5")
      files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  EXPECT_FALSE(files.empty());
  for (const fs::path& file : files) {
    const Result<problem::ProblemFile> read = problem::read_any_problem(file.string());
    ASSERT_TRUE(read) << read.error().front().text();
    const auto& problem = std::get<ReducedProblem>(read->problem);
    const ReducedSolution solution = solved(problem, Auto{});
    EXPECT_EQ(solution.status, SolveStatus::solved)
        << file.filename() << " " << name(solution.status) << " " << solution.certificate.worst;
  }
}

}  // namespace
}  // namespace cairn::test_reduced_solvers
