// A body on two or three points of nearly one height (E540): turning, it moves the points along
// the line between them by a speed that no impulse can change, so that one of them slides and the
// others press against it with all the friction there is.
#include <gtest/gtest.h>
#include <random>

#include "cairn/solver.hpp"
#include "solver/one_island.hpp"
#include "solver/sweep/nsgs.hpp"

namespace cairn::test_strides {
namespace {

constexpr double size = 0.3;  // distance of the points from the centre of mass at the most [m]

class Sample {
 public:
  explicit Sample(unsigned seed) : random_(seed) {}

  // Unequal heights below `height` times the size.
  Problem problem(int points, double height) {
    Problem problem;
    problem.bodies.resize(1);
    ProblemBody& body = problem.bodies[0];
    body.size = 6;
    for (int i = 0; i < 3; ++i) body.A[i][i] = 1;
    for (int i = 3; i < 6; ++i) body.A[i][i] = uniform(0.002, 0.02);
    problem.k.setZero(6);
    problem.k[2] = uniform(-2, -1);
    for (int i = 3; i < 5; ++i) problem.k[i] = body.A[i][i] * uniform(-0.1, 0.1);
    problem.first_row = {0};
    const double mu = uniform(0.2, 0.8), turn = uniform(0, 6.28);
    for (int i = 0; i < points; ++i) {
      const double angle = turn + 6.283185307179586 * i / points;
      add_contact(Vec3(size * std::cos(angle), size * std::sin(angle),
                       -0.5 * size + height * size * uniform(-1, 1)),
                  mu, problem);
    }
    return problem;
  }

 private:
  double uniform(double lo, double hi) {
    return std::uniform_real_distribution<double>(lo, hi)(random_);
  }

  void add_contact(const Vec3& r, double mu, Problem& problem) {
    Constraint c;
    c.law = Law::coulomb;
    c.rows = 3;
    c.body = {0, -1};
    c.mu = mu;
    const Vec3 along[3] = {Vec3::UnitZ(), Vec3::UnitX(), Vec3::UnitY()};
    for (int k = 0; k < 3; ++k) {
      const Vec3 about = r.cross(along[k]);
      for (int i = 0; i < 3; ++i) {
        c.J[0][k][i] = along[k][i];
        c.J[0][k][3 + i] = about[i];
      }
    }
    c.b[0] = uniform(-0.05, 0.05);
    problem.constraints.push_back(c);
    problem.first_row.push_back(problem.first_row.back() + 3);
  }

  std::mt19937 random_;
};

TEST(Strides, BodiesOnPointsOfNearlyOneHeightAreSolved) {
  SolverWorkspace workspace;
  int needed = 0;
  for (unsigned seed = 0; seed < 600; ++seed) {
    const double height = std::pow(10.0, -1.0 - seed % 9);
    const Problem problem = Sample(seed).problem(2 + static_cast<int>(seed / 9 % 2), height);
    Solution solution;
    solve(problem, Auto{.tolerance = 1e-8}, workspace, solution);
    EXPECT_EQ(solution.status, SolveStatus::solved) << seed << ", height " << height;
    EXPECT_LE(certify(problem, solution.v, solution.lambda).worst, 1e-8) << seed;
    for (const SolveAttempt& attempt : solution.attempts)
      needed += std::string_view(attempt.method) == "strides" ? 1 : 0;
  }
  EXPECT_GT(needed, 10);
}

// Sweeps alone move the impulses by about the same change each time.
TEST(Strides, GoOnWhereSweepsStall) {
  int stalled = 0, helped = 0;
  for (unsigned seed = 0; seed < 300; ++seed) {
    const Problem problem = Sample(seed).problem(2, std::pow(10.0, -3.0 - seed % 4));
    const solver::Island island = island_of(problem);
    solver::NsgsBuffers buffers;
    std::vector<double> r(6, 0.0), v(6, 0.0);
    const solver::NsgsLimits limits{.tolerance = 1e-12, .sweeps = 2000};
    const double swept = solver::nsgs(island, limits, buffers, r, v).residual;
    if (!(swept > 1e-8)) continue;
    ++stalled;
    const double strode = solver::strides(island, limits, buffers, r, v).residual;
    EXPECT_LE(strode, swept) << seed;
    helped += strode <= 1e-8 ? 1 : 0;
  }
  EXPECT_GT(stalled, 30);
  EXPECT_GE(helped, 9 * stalled / 10);
}

}  // namespace
}  // namespace cairn::test_strides
