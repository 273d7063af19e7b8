// What rests is found by one linear system, without any help from other methods.
#include <cmath>
#include <gtest/gtest.h>

#include "problem/samples/sample_problems.hpp"
#include "solver/direct/hold.hpp"

namespace cairn::test_hold {
namespace {

constexpr problem::SampleSettings rest{.kick = 0};

struct Held {
  solver::Island island;
  std::vector<double> r, v;
  solver::IterationResult result;
};

Held held(const Problem& problem) {
  Held answer;
  problem::Islands islands;
  problem::find_islands(problem, islands);
  EXPECT_EQ(islands.count, 1);
  solver::make_island(problem, islands, 0, answer.island);
  answer.r.assign(static_cast<std::size_t>(answer.island.rows), 0.0);
  solver::velocities_from_impulses(answer.island, answer.r, answer.v);
  solver::HoldBuffers buffers;
  answer.result = solver::hold(answer.island, buffers, answer.r, answer.v);
  EXPECT_EQ(answer.result.residual, solver::residual(answer.island, answer.r, answer.v));
  return answer;
}

double fastest(const Held& answer) {
  double most = 0;
  for (const double x : answer.v) most = std::max(most, std::abs(x));
  return most;
}

// Masses that grow a million times from the ground up: one factorisation, and another one where
// contacts hold up more than their own bodies (E313); nothing moves.
TEST(Hold, StacksOfAnyMassRatio) {
  for (const double ratio : {1.0, 1e3, 1e6}) {
    std::vector<double> masses;
    for (int i = 0; i < 10; ++i) masses.push_back(std::pow(ratio, i / 9.0));
    const Held answer = held(problem::cube_stack(masses, rest));
    EXPECT_LE(answer.result.iterations, ratio > 1 ? 2 : 1) << ratio;
    EXPECT_LE(answer.result.residual, 1e-12) << ratio;
    // The lowest, lightest cube stands between impulses of the whole load, rounded.
    EXPECT_LE(fastest(answer), 2e-15 * ratio) << ratio;
  }
}

// The shortest impulses that hold a pyramid are outside some cones; others are not.
TEST(Hold, SharesTheLoadInsideTheCones) {
  const Held answer = held(problem::cube_pyramid(8, rest));
  EXPECT_GT(answer.result.iterations, 1);
  EXPECT_LE(answer.result.residual, 1e-14);
  EXPECT_LE(fastest(answer), 1e-13);
}

// Where something slides it says so by leaving everything as it was.
TEST(Hold, LeavesWhatSlides) {
  const Held answer = held(problem::cube_stack(std::vector<double>{1, 1, 1}, {.kick = 5}));
  for (const double x : answer.r) EXPECT_EQ(x, 0);
  EXPECT_EQ(answer.v, answer.island.v_free);
}

}  // namespace
}  // namespace cairn::test_hold
