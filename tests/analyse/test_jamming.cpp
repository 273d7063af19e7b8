// Jamming (E111): whether the friction cone is pointed, and the stress it can hold if it is not.
#include <gtest/gtest.h>

#include "analyse/supports.hpp"
#include "cairn/solution_set.hpp"
#include "problem/cone.hpp"
#include "problem/samples/sample_problems.hpp"

namespace cairn::test_jamming {
namespace {

Jamming at_rest(const Problem& problem) {
  const Result<Jamming> result =
      find_jamming(problem, VecX::Zero(problem.velocities()), VecX::Zero(problem.rows()));
  EXPECT_TRUE(result);
  return *result;
}

// The stress is one: inside the cones, not zero, no resultant.
void expect_stress(const Problem& problem, const SelfStress& stress) {
  const double size = stress.lambda.cwiseAbs().maxCoeff();
  EXPECT_GT(size, 0);
  EXPECT_LT((make::dense(problem).J.transpose() * stress.lambda).norm(), 1e-8 * size);
  for (std::size_t i = 0; i < problem.constraints.size(); ++i) {
    double p[max_rows];
    const double* r = stress.lambda.data() + problem.first_row[i];
    problem::project(problem::law_set(problem.constraints[i]), r, p);
    for (int k = 0; k < problem.constraints[i].rows; ++k) EXPECT_NEAR(p[k], r[k], 1e-12 * size);
  }
}

// The chord through both contacts meets each normal under theta/2.
TEST(Jamming, DiscInAGrooveJamsAboveTheTangentOfHalfItsAngle) {
  for (const double theta : {0.2, 1.0, 2.0})
    for (const double share : {0.0, 0.5, 0.999, 1.001, 2.0}) {
      SCOPED_TRACE(testing::Message() << theta << " " << share);
      const Problem problem = make::groove(theta, share * std::tan(theta / 2), 1);
      const Jamming jamming = at_rest(problem);
      EXPECT_EQ(jamming.pointed(), share < 1);
      if (share < 1) {
        EXPECT_GT(jamming.margin, 0);
        continue;
      }
      ASSERT_EQ(jamming.stresses.size(), 1U);
      expect_stress(problem, jamming.stresses[0]);
      EXPECT_EQ(jamming.stresses[0].constraints, (std::vector{0, 1}));
      EXPECT_EQ(jamming.stresses[0].bodies, std::vector{0});
    }
}

TEST(Jamming, BallInAGrooveJamsAtTheSameAngle) {
  for (const int facets : {0, 4})  // four sides: the chord's plane holds a vertex of each
    for (const double share : {0.99, 1.01}) {
      SCOPED_TRACE(testing::Message() << facets << " " << share);
      const double theta = 1.2;
      const Problem problem = make::ball_in_groove(theta, share * std::tan(theta / 2), 1, facets);
      const Jamming jamming = at_rest(problem);
      EXPECT_EQ(jamming.pointed(), share < 1);
      for (const SelfStress& stress : jamming.stresses) expect_stress(problem, stress);
    }
}

TEST(Jamming, ParallelWallsHoldAStressWithAnyFriction) {
  for (const double mu : {0.0, 1e-3, 10.0}) {
    const Problem problem = make::groove(0, mu, 1);
    const Jamming jamming = at_rest(problem);
    ASSERT_EQ(jamming.stresses.size(), 1U) << mu;
    expect_stress(problem, jamming.stresses[0]);
  }
}

TEST(Jamming, BlockOnTheFloorIsFreeWithAnyFriction) {
  const double masses[] = {1, 1, 1};
  for (const double mu : {0.0, 0.5, 1e3})
    for (const int facets : {0, 8}) {
      const Problem problem = problem::cube_stack(masses, {.mu = mu, .facets = facets});
      EXPECT_TRUE(at_rest(problem).pointed()) << mu;
    }
}

// One wall alone holds nothing.
TEST(Jamming, OpenContactsDoNotCount) {
  Problem problem = make::groove(0, 0.5, 1);
  problem.constraints[1].b[0] = 0.1;  // the second wall stands off
  EXPECT_TRUE(at_rest(problem).pointed());
}

// Two rods say the same: a stress of joints alone. With a contact against a rod the joint takes
// part.
TEST(Jamming, JointsTakePart) {
  Problem problem;
  make::add_body(problem, {1, 1}, VecX::Zero(2));
  for (int i = 0; i < 2; ++i) make::add(problem, Law::equality, 1, 0).J[0][0][0] = 1;
  Jamming jamming = at_rest(problem);
  EXPECT_EQ(jamming.redundant_rows, 1);
  EXPECT_TRUE(jamming.stresses.empty());
  EXPECT_FALSE(jamming.pointed());

  problem.constraints.pop_back();
  problem.first_row.pop_back();
  EXPECT_TRUE(at_rest(problem).pointed());
  make::add(problem, Law::nonnegative, 1, 0).J[0][0][0] = 1;
  jamming = at_rest(problem);
  ASSERT_EQ(jamming.stresses.size(), 1U);
  expect_stress(problem, jamming.stresses[0]);
  EXPECT_EQ(jamming.stresses[0].constraints, (std::vector{0, 1}));
}

// Where the cone is pointed the set of solutions is bounded, and the other way round.
TEST(Jamming, GoesWithUnboundedIntervals) {
  make::Random random(5);
  int jammed = 0;
  for (int n = 0; n < 100; ++n) {
    Problem problem;
    make::add_body(problem, make::random_spd(random, 3), VecX::Zero(3));
    for (int i = 0; i < 3; ++i) {
      Constraint& c = make::add(problem, Law::coulomb, 2, 0);
      make::fill_random(random, problem, c);
      c.mu = make::uniform(random, 0, 0.5);
    }
    const VecX v = VecX::Zero(3);
    VecX lambda = VecX::Zero(6);
    for (int i = 0; i < 3; ++i) lambda[2 * i] = 1;
    problem.k = -make::dense(problem).J.transpose() * lambda;
    const Result<ImpulseIntervals> intervals = impulse_intervals(problem, v, lambda);
    const Result<Jamming> jamming = find_jamming(problem, v, lambda);
    ASSERT_TRUE(intervals && jamming);
    const bool unbounded = std::any_of(intervals->rows.begin(), intervals->rows.end(),
                                       [](const Interval& row) { return std::isinf(row.hi); });
    EXPECT_EQ(unbounded, !jamming->pointed()) << n;
    for (const SelfStress& stress : jamming->stresses) expect_stress(problem, stress);
    jammed += unbounded ? 1 : 0;
  }
  EXPECT_GT(jammed, 10);
  EXPECT_LT(jammed, 90);
}

}  // namespace
}  // namespace cairn::test_jamming
