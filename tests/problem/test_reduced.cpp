// Reduced problems: elimination of the velocities, and a judge that agrees with the full one and
// with a second judge written from the definitions.
#include <gtest/gtest.h>

#include "problem/make_problem.hpp"
#include "problem/reduced_judge.hpp"
#include "problem/sparse.hpp"

namespace cairn::test_reduced {
namespace {

using make::Random;

// Bodies in two clusters with random constraints of every law; b = 0.
Problem random_problem(Random& random) {
  Problem problem;
  const int bodies = 2 + make::pick(random, 4);
  for (int i = 0; i < bodies; ++i) {
    const int size = 1 + make::pick(random, 6);
    make::add_body(problem, std::exp2(make::pick(random, 9) - 4) * make::random_spd(random, size),
                   make::random_vector(random, size));
  }
  const int count = 1 + make::pick(random, 6);
  for (int i = 0; i < count; ++i) {
    const Law law = static_cast<Law>(make::pick(random, 4));
    const int rows = law == Law::equality  ? 1 + make::pick(random, 3)
                     : law == Law::coulomb ? 2 + make::pick(random, 2)
                                           : 1;
    const int a = make::pick(random, bodies);
    int b = make::pick(random, bodies + 1) - 1;
    if (b == a) b = -1;
    Constraint& c = make::add(problem, law, rows, a, b);
    make::fill_random(random, problem, c);
    if (law == Law::coulomb) c.mu = make::uniform(random, 0, 1.5);
    if (law == Law::coulomb && rows == 3 && make::pick(random, 2))
      c.facets = 3 + make::pick(random, 6);
    if (law == Law::coulomb && rows == 3 && c.facets == 0 && make::pick(random, 2))
      c.section = make::random_polygon(random, 3 + make::pick(random, 6));
    if (law == Law::box) c.lo = make::uniform(random, -2, 0), c.hi = make::uniform(random, 0, 2);
  }
  return problem;
}

TEST(Reduced, IsTheSchurComplementOfTheProblem) {
  Random random(1);
  for (int trial = 0; trial < 200; ++trial) {
    Problem problem = random_problem(random);
    for (Constraint& c : problem.constraints)
      for (int r = 0; r < c.rows; ++r) c.b[r] = make::normal(random);
    const make::Dense d = make::dense(problem);
    const ReducedProblem reduced = reduce(problem);
    EXPECT_LE((make::dense_W(reduced) - d.W).norm(), 1e-12 * (1 + d.W.norm()));
    EXPECT_LE((reduced.q - d.q).norm(), 1e-12 * (1 + d.q.norm()));
    for (std::size_t i = 0; i + 1 < reduced.first_block.size(); ++i)
      for (int k = reduced.first_block[i] + 1; k < reduced.first_block[i + 1]; ++k)
        EXPECT_LT(reduced.blocks[base::at(k - 1)].column, reduced.blocks[base::at(k)].column);
  }
}

// The two judges see the same problem, with scales of their own (E17): what they say in physical
// units is the same.
TEST(Reduced, JudgeAgreesWithTheJudgeOfTheFullProblem) {
  Random random(2);
  for (int trial = 0; trial < 1000; ++trial) {
    const Problem problem = random_problem(random);
    const make::Dense d = make::dense(problem);
    const VecX lambda = make::random_vector(random, problem.rows());
    const VecX v = d.v_free + make::inverse(d.A) * (d.J.transpose() * lambda);
    const Certificate full = certify(problem, v, lambda), own = certify(reduce(problem), lambda);
    const auto same = [](double a, double b) {
      return std::abs(a - b) <= 1e-10 * (1 + std::abs(a));
    };
    EXPECT_PRED2(same, full.equality_velocity, own.equality_velocity);
    EXPECT_PRED2(same, full.least_gap_velocity, own.least_gap_velocity);
    EXPECT_PRED2(same, full.least_normal_impulse, own.least_normal_impulse);
    EXPECT_PRED2(same, full.complementarity_energy, own.complementarity_energy);
    EXPECT_EQ(own.momentum, 0);
  }
}

// Any W: unsymmetric, zero or negative on the diagonal, in several islands.
TEST(Reduced, JudgeAgreesWithTheDefinitions) {
  Random random(3);
  for (int trial = 0; trial < 2000; ++trial) {
    std::vector<ReducedConstraint> list;
    const int count = 1 + make::pick(random, 5);
    int rows = 0;
    for (int i = 0; i < count; ++i) {
      ReducedConstraint c;
      c.law = static_cast<Law>(make::pick(random, 5));
      if (c.law == Law::coulomb || c.law == Law::coulomb_relaxed) {
        c.rows = 2 + make::pick(random, 2);
        c.mu = make::pick(random, 4) ? make::uniform(random, 0, 2) : 0;
        if (c.rows == 3 && make::pick(random, 2)) c.facets = 3 + make::pick(random, 6);
        if (c.rows == 3 && c.facets == 0 && make::pick(random, 2))
          c.section = make::random_polygon(random, 3 + make::pick(random, 6));
      } else if (c.law == Law::equality) {
        c.rows = 1 + make::pick(random, 3);
      } else if (c.law == Law::box) {
        c.lo = -1;
        c.hi = 0.5;
      }
      rows += c.rows;
      list.push_back(c);
    }
    problem::SparseMatrix W{rows, rows, {}};
    for (int r = 0; r < rows; ++r)
      for (int c = 0; c < rows; ++c)
        if (make::pick(random, 3)) W.entries.push_back({r, c, make::normal(random)});
    const ReducedProblem problem =
        problem::make_reduced(list, W, make::random_vector(random, rows));
    VecX lambda = make::random_vector(random, rows);
    if (make::pick(random, 5) == 0) lambda.setZero();
    const Certificate own = certify(problem, lambda);
    const make::Judgement other = make::judge(problem, lambda);
    // A relaxed contact that slides off without an impulse has a residual and nothing to scale it
    // by: both judges call that infinite.
    const double eps = 1e-10 * (1 + own.worst);
    const auto expect_equal = [eps](double x, double y) {
      if (x != y) {
        EXPECT_NEAR(x, y, eps);
      }
    };
    expect_equal(own.natural_map, other.natural_map);
    expect_equal(own.complementarity, other.complementarity);
    expect_equal(own.cone, other.cone);
    expect_equal(own.equality, other.equality);
    expect_equal(own.gap_velocity, other.gap);
    expect_equal(own.normal_impulse, other.pull);
    expect_equal(own.worst, other.worst());
  }
}

TEST(Reduced, NumbersThatAreNotFiniteAreNeverCertified) {
  problem::SparseMatrix W{1, 1, {{0, 0, 1}}};
  const ReducedProblem problem =
      problem::make_reduced({{.law = Law::nonnegative}}, W, VecX::Constant(1, -1));
  EXPECT_TRUE(certify(problem, VecX::Constant(1, 1)).within(1e-15));
  EXPECT_FALSE(certify(problem, VecX::Constant(1, std::nan(""))).within(1));
  EXPECT_FALSE(certify(problem, VecX::Constant(1, 1e308 * 10)).within(1));
}

// A global problem of bodies is the reduced problem of the same bodies.
TEST(Reduced, EliminationOfAGlobalProblemIsReduce) {
  Random random(4);
  for (int trial = 0; trial < 50; ++trial) {
    const Problem problem = random_problem(random);
    const make::Dense d = make::dense(problem);
    problem::SparseMatrix M{problem.velocities(), problem.velocities(), {}},
        H{problem.velocities(), problem.rows(), {}};
    for (int r = 0; r < M.rows; ++r) {
      for (int c = 0; c < M.columns; ++c)
        if (d.A(r, c) != 0) M.entries.push_back({r, c, d.A(r, c)});
      for (int c = 0; c < H.columns; ++c)
        if (d.J(c, r) != 0) H.entries.push_back({r, c, d.J(c, r)});
    }
    const problem::Eliminated local = problem::eliminate_velocities(M, H, problem.k, d.b);
    ASSERT_EQ(local.fault, "");
    const ReducedProblem reduced = reduce(problem);
    const ReducedProblem again = problem::make_reduced(reduced.constraints, local.W, local.q);
    EXPECT_LE((make::dense_W(reduced) - make::dense_W(again)).norm(), 1e-11 * (1 + d.W.norm()));
    EXPECT_LE((reduced.q - again.q).norm(), 1e-11 * (1 + d.q.norm()));
    M.entries.clear();
    EXPECT_FALSE(problem::eliminate_velocities(M, H, problem.k, d.b).fault.empty());
  }
}

}  // namespace
}  // namespace cairn::test_reduced
