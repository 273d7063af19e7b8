// Compliant rows and rows over three and four bodies (E870): against dense elimination, and against
// the same problem with a body of mass 1/C in place of each compliance.
#include <Eigen/Dense>
#include <gtest/gtest.h>

#include "cairn/reduced.hpp"
#include "cairn/solver.hpp"
#include "problem/files/problem_file.hpp"
#include "problem/make_problem.hpp"
#include "record/check/judge.hpp"

namespace cairn::test_compliance {
namespace {

using make::Random;

// Different bodies in random order, `count` of them.
std::vector<int> some_bodies(Random& random, int bodies, int count) {
  std::vector<int> all;
  for (int i = 0; i < bodies; ++i) all.push_back(i);
  for (int i = 0; i < count; ++i)
    std::swap(all[base::at(i)], all[base::at(i + make::pick(random, bodies - i))]);
  all.resize(base::at(count));
  return all;
}

Constraint& add_wide(Random& random, Problem& problem, Law law, int rows) {
  const int bodies = static_cast<int>(problem.bodies.size());
  const int sides = 1 + make::pick(random, std::min(max_sides, bodies));
  Constraint& c = make::add(problem, law, rows, -1);
  c.sides = std::max(2, sides);
  const std::vector<int> chosen = some_bodies(random, bodies, sides);
  std::copy(chosen.begin(), chosen.end(), c.body.begin());
  make::fill_random(random, problem, c);
  for (int r = 0; r < rows; ++r) c.b[r] = 0.3 * make::normal(random);
  return c;
}

void soften(Random& random, Constraint& c) {
  for (int r = 0; r < c.rows; ++r)
    if (make::pick(random, 3) > 0) c.compliance[r] = std::exp2(make::uniform(random, -20, 8));
}

Solution answer(const Problem& problem, const SolverOptions& solver) {
  Solution solution;
  SolverWorkspace workspace;
  solution.lambda.setZero(problem.rows());
  solve(problem, solver, workspace, solution);
  return solution;
}

bool good(const Solution& solution) {
  return solution.status == SolveStatus::solved;
}

Problem random_bodies(Random& random, int count) {
  Problem problem;
  for (int i = 0; i < count; ++i) {
    const int size = 1 + make::pick(random, max_velocities);
    make::add_body(problem, std::exp2(make::pick(random, 7) - 3) * make::random_spd(random, size),
                   make::random_vector(random, size));
  }
  return problem;
}

// Rigid equalities that say the same thing twice, or contradict each other, have no place here.
bool equalities_are_independent(const Problem& problem) {
  const make::Dense d = make::dense(problem);
  std::vector<int> rows;
  for (std::size_t i = 0; i < problem.constraints.size(); ++i)
    if (problem.constraints[i].law == Law::equality)
      for (int r = 0; r < problem.constraints[i].rows; ++r)
        rows.push_back(problem.first_row[i] + r);
  if (rows.empty()) return true;
  const VecX values = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(d.W(rows, rows)).eigenvalues();
  return values.minCoeff() > 1e-7 * values.maxCoeff();
}

// Equalities that do not say the same thing twice, motors, stops and contacts.
Problem random_problem(Random& random) {
  Problem problem = random_bodies(random, 2 + make::pick(random, 5));
  int room = problem.velocities() / 3;
  for (int i = make::pick(random, 3); i > 0 && room > 0; --i) {
    const int rows = std::min(room, 1 + make::pick(random, 2));
    room -= rows;
    Constraint& c = add_wide(random, problem, Law::equality, rows);
    if (make::pick(random, 2) == 0) soften(random, c);
  }
  for (int i = make::pick(random, 4); i > 0; --i) {
    Constraint& c = add_wide(random, problem, Law::box, 1);
    c.lo = -make::uniform(random, 0, 1);
    c.hi = make::uniform(random, 0, 1);
    soften(random, c);
  }
  for (int i = make::pick(random, 3); i > 0; --i) {
    Constraint& c = add_wide(random, problem, Law::nonnegative, 1);
    if (make::pick(random, 2) == 0) soften(random, c);
  }
  for (int i = make::pick(random, 3); i > 0; --i) {
    Constraint& c = make::add(problem, Law::coulomb, 2,
                              make::pick(random, static_cast<int>(problem.bodies.size())));
    c.mu = make::uniform(random, 0, 0.5);
    make::fill_random(random, problem, c);
  }
  return problem;
}

// The same with a body of mass 1/C for each compliant row. Rows of one constraint get bodies of one
// velocity each, so that constraints of more than one compliant row are left out of the family.
std::optional<Problem> with_bodies(const Problem& problem) {
  Problem lifted = problem;
  for (Constraint& c : lifted.constraints) {
    int compliant = 0;
    for (const double C : c.compliance) compliant += C > 0 ? 1 : 0;
    if (compliant == 0) continue;
    if (compliant > 1 || c.sides == max_sides) return std::nullopt;
    for (int r = 0; r < c.rows; ++r) {
      if (!(c.compliance[r] > 0)) continue;
      const int body = make::add_body(lifted, {1 / c.compliance[r]}, VecX::Zero(1));
      // A side that is not used: the second one of a constraint with one body, or another one.
      int side = c.sides == 2 && c.body[1] < 0 ? 1 : c.sides++;
      c.body[base::at(side)] = body;
      for (auto& row : c.J[side]) std::fill(row, row + max_velocities, 0.0);
      c.J[side][r][0] = 1;
      c.compliance[r] = 0;
    }
  }
  return lifted;
}

TEST(Compliance, EqualitiesAgainstDenseElimination) {
  Random random(7);
  int compared = 0;
  for (int k = 0; k < 2000; ++k) {
    Problem problem = random_bodies(random, 2 + make::pick(random, 5));
    int room = problem.velocities() / 2;
    for (int i = 1 + make::pick(random, 3); i > 0 && room > 0; --i) {
      const int rows = std::min(room, 1 + make::pick(random, 3));
      room -= rows;
      soften(random, add_wide(random, problem, Law::equality, rows));
    }
    if (!equalities_are_independent(problem)) continue;
    ++compared;
    const make::Dense d = make::dense(problem);
    const VecX lambda = d.W.fullPivLu().solve(-d.q);
    const VecX v = d.v_free + make::inverse(d.A) * d.J.transpose() * lambda;
    const Solution solution = answer(problem, Auto{.tolerance = 1e-12});
    ASSERT_TRUE(good(solution)) << k;
    const double condition = d.W.norm() * make::inverse(d.W).norm();
    const double allowed = 1e-13 * (1 + condition);
    EXPECT_LE((solution.v - v).norm(), allowed * (1 + v.norm())) << k;
    EXPECT_LE((solution.lambda - lambda).norm(), allowed * (1 + lambda.norm())) << k;
  }
  EXPECT_GT(compared, 1000);
}

TEST(Compliance, IsABodyOfItsInverseMass) {
  Random random(3);
  int compared = 0, solved = 0, different = 0;
  for (int k = 0; k < 3000; ++k) {
    const Problem problem = random_problem(random);
    if (problem.rows() == 0 || !equalities_are_independent(problem)) continue;
    const std::optional<Problem> lifted = with_bodies(problem);
    if (!lifted) continue;
    ++compared;
    const Solution a = answer(problem, Auto{.tolerance = 1e-11}),
                   b = answer(*lifted, Auto{.tolerance = 1e-11});
    // Rigid rows may contradict each other: then neither form has a solution.
    different += good(a) != good(b) ? 1 : 0;
    if (!good(a) || !good(b)) continue;
    ++solved;
    // Without friction v is unique; with it the answers may differ.
    bool unique = true;
    for (const Constraint& c : problem.constraints) unique = unique && c.law != Law::coulomb;
    if (unique) {
      EXPECT_LE((a.v - b.v.head(a.v.size())).norm(), 1e-7 * (1 + a.v.norm())) << k;
    }
    // The answer of the one, with the deformations it means, satisfies the other.
    VecX v = b.v;
    v.head(a.v.size()) = a.v;
    Eigen::Index body = a.v.size();
    for (std::size_t i = 0; i < problem.constraints.size(); ++i)
      for (int r = 0; r < problem.constraints[i].rows; ++r)
        if (const double C = problem.constraints[i].compliance[r]; C > 0)
          v[body++] = C * a.lambda[problem.first_row[i] + r];
    EXPECT_LE(certify(*lifted, v, a.lambda).worst, 1e-6) << k;
  }
  EXPECT_GT(compared, 1500);
  EXPECT_GE(solved, compared * 95 / 100);
  EXPECT_LE(different, compared / 200);
}

// Both judges call the same answers good, and both see an impulse that is off.
TEST(Compliance, BothJudgesReadIt) {
  Random random(11);
  int judged = 0;
  for (int k = 0; k < 500; ++k) {
    const Problem problem = random_problem(random);
    if (problem.rows() == 0) continue;
    const Solution solution = answer(problem, Auto{.tolerance = 1e-10});
    if (!good(solution)) continue;
    ++judged;
    EXPECT_LE(record::judge(problem, solution.v, solution.lambda).worst(), 1e-9) << k;
    VecX lambda = solution.lambda;
    const Eigen::Index row = make::pick(random, problem.rows());
    lambda[row] += 1e-3 * (1 + lambda.norm());
    const double ours = certify(problem, solution.v, lambda).worst,
                 other = record::judge(problem, solution.v, lambda).worst();
    EXPECT_GT(ours, 1e-9) << k;
    EXPECT_NEAR(other, ours, 1e-6 * ours) << k;
  }
  EXPECT_GT(judged, 400);
}

// Each method that takes the problem satisfies its tolerance.
TEST(Compliance, AllSolvers) {
  Random random(5);
  const std::vector<SolverOptions> solvers = {Nsgs{}, Newton{}, Lemke{}, Admm{}, Ipm{}};
  std::vector<int> solved(solvers.size(), 0);
  constexpr int cases = 200;
  for (int k = 0; k < cases; ++k) {
    const Problem problem = random_problem(random);
    for (std::size_t i = 0; i < solvers.size(); ++i)
      solved[i] += problem.rows() == 0 || good(answer(problem, solvers[i])) ? 1 : 0;
  }
  for (std::size_t i = 0; i < solvers.size(); ++i)
    EXPECT_GE(solved[i], cases * 9 / 10) << name(solvers[i]);
}

TEST(Compliance, ReducedProblemsHaveItInTheirDiagonal) {
  Random random(2);
  for (int k = 0; k < 200; ++k) {
    const Problem problem = random_problem(random);
    const make::Dense d = make::dense(problem);
    const ReducedProblem reduced = reduce(problem);
    Eigen::MatrixXd W = Eigen::MatrixXd::Zero(problem.rows(), problem.rows());
    for (std::size_t i = 0; i < reduced.constraints.size(); ++i)
      for (int b = reduced.first_block[i]; b < reduced.first_block[i + 1]; ++b) {
        const ReducedProblem::Block& block = reduced.blocks[base::at(b)];
        for (int r = 0; r < reduced.constraints[i].rows; ++r)
          for (int c = 0; c < reduced.constraints[base::at(block.column)].rows; ++c)
            W(reduced.first_row[i] + r, reduced.first_row[base::at(block.column)] + c) =
                block.value[r][c];
      }
    EXPECT_LE((W - d.W).norm(), 1e-12 * (1 + d.W.norm())) << k;
  }
}

TEST(Compliance, FilesKeepEveryBit) {
  Random random(9);
  for (int k = 0; k < 100; ++k) {
    const Problem problem = random_problem(random);
    if (problem.rows() == 0) continue;
    const Result<Problem> again =
        problem::parse_problem(problem::problem_text(problem, problem.names, {}), "p.json");
    ASSERT_TRUE(again) << k;
    for (std::size_t i = 0; i < problem.constraints.size(); ++i) {
      const Constraint &a = problem.constraints[i], &b = again->constraints[i];
      EXPECT_EQ(a.sides, b.sides);
      EXPECT_EQ(a.body, b.body);
      for (int r = 0; r < a.rows; ++r) EXPECT_EQ(a.compliance[r], b.compliance[r]);
      for (int side = 0; side < a.sides; ++side)
        for (int r = 0; r < a.rows && a.body[base::at(side)] >= 0; ++r)
          for (int n = 0; n < problem.bodies[base::at(a.body[base::at(side)])].size; ++n)
            EXPECT_EQ(a.J[side][r][n], b.J[side][r][n]);
    }
  }
}

}  // namespace
}  // namespace cairn::test_compliance
