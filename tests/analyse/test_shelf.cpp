// The whole shelf of solvers on every law: random problems, stacks, mass ratios, redundancy,
// chains. The certificate decides; where the velocity is unique the solvers must agree on it.
#include <Eigen/Dense>
#include <array>
#include <gtest/gtest.h>

#include "cairn/solver.hpp"
#include "problem/make_problem.hpp"
#include "problem/samples/sample_problems.hpp"

namespace cairn::test_shelf {
namespace {

using make::Random;

constexpr std::size_t solver_count = std::variant_size_v<SolverOptions>;

std::array<SolverOptions, solver_count> shelf(double tolerance) {
  return {Auto{.tolerance = tolerance},   Nsgs{.tolerance = tolerance},
          Newton{.tolerance = tolerance}, Lemke{.tolerance = tolerance},
          Admm{.tolerance = tolerance},   Ipm{.tolerance = tolerance},
          Apgd{.tolerance = tolerance},   Bb{.tolerance = tolerance}};
}

// How often each solver was asked, and succeeded.
struct Tally {
  std::array<int, solver_count> asked = {}, solved = {};

  void expect(const char* solver, double share) const {
    const auto all = shelf(1e-8);
    for (std::size_t i = 0; i < all.size(); ++i)
      if (std::string(name(all[i])) == solver) {
        EXPECT_GE(solved[i], share * asked[i]) << solver << " of " << asked[i];
      }
  }
};

// Solves with all that accept; every success is judged again. Returns the velocities of those that
// succeeded.
std::vector<std::pair<const char*, VecX>> solve_all(const Problem& problem, double tolerance,
                                                    Tally& tally) {
  std::vector<std::pair<const char*, VecX>> answers;
  const auto all = shelf(tolerance);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!accepts(all[i], problem)) continue;
    ++tally.asked[i];
    SolverWorkspace workspace;
    Solution solution;
    solve(problem, all[i], workspace, solution);
    EXPECT_TRUE(solution.v.allFinite() && solution.lambda.allFinite()) << name(all[i]);
    const Certificate judged = certify(problem, solution.v, solution.lambda);
    EXPECT_EQ(judged.within(tolerance), solution.status == SolveStatus::solved) << name(all[i]);
    if (solution.status != SolveStatus::solved) continue;
    ++tally.solved[i];
    answers.emplace_back(name(all[i]), solution.v);
  }
  return answers;
}

enum class Contact { planar, cone, pyramid, polygon };

// Bodies with contacts of one kind, a joint and a motor between them. b_n >= 0 lets v = 0 meet
// every row.
Problem random_problem(Random& random, Law law, Contact contact, int contacts) {
  Problem problem;
  const int bodies = 2 + make::pick(random, 3), size = contact == Contact::planar ? 3 : 6;
  for (int i = 0; i < bodies; ++i)
    make::add_body(problem, std::exp2(make::pick(random, 7) - 3) * make::random_spd(random, size),
                   make::random_vector(random, size));
  const auto pair = [&](Law each, int rows) -> Constraint& {
    const int a = make::pick(random, bodies), b = make::pick(random, bodies);
    Constraint& c = make::add(problem, each, rows, a, a == b ? -1 : b);
    make::fill_random(random, problem, c);
    return c;
  };
  pair(Law::equality, 1);
  Constraint& motor = pair(Law::box, 1);
  motor.lo = -0.2;
  motor.hi = 0.1;
  for (int i = 0; i < contacts; ++i) {
    Constraint& c = pair(law, contact == Contact::planar ? 2 : 3);
    c.mu = i % 5 == 4 ? 0 : make::uniform(random, 0.05, 0.5);
    if (contact == Contact::pyramid) c.facets = 3 + make::pick(random, 6);
    if (contact == Contact::polygon) c.section = make::random_polygon(random, 3 + i % 6);
    if (make::pick(random, 2) == 0) c.b[0] = make::uniform(random, 0, 0.5);
  }
  pair(Law::nonnegative, 1);
  return problem;
}

// The relaxed law is a convex problem: the velocity is its unique minimiser, so all must agree. A
// residual of 1e-10 becomes an error of v through the condition of the active rows.
TEST(Shelf, RelaxedLawHasOneVelocity) {
  for (const Contact contact :
       {Contact::planar, Contact::cone, Contact::pyramid, Contact::polygon}) {
    Random random(1);
    Tally tally;
    for (int trial = 0; trial < 100; ++trial) {
      const Problem problem =
          random_problem(random, Law::coulomb_relaxed, contact, 1 + make::pick(random, 5));
      const auto answers = solve_all(problem, 1e-10, tally);
      for (const auto& [solver, v] : answers)
        EXPECT_LE((v - answers.front().second).norm(), 1e-6 * (1 + v.norm()))
            << solver << " trial " << trial;
    }
    tally.expect("auto", 1);
    if (contact != Contact::cone) tally.expect("lemke", 1);
    tally.expect("ipm", 0.97);
    tally.expect("nsgs", 0.95);
    for (const char* solver : {"newton", "admm", "apgd", "bb"}) tally.expect(solver, 0.9);
  }
}

// Coulomb's law need not have one solution; every success is certified, and successes are the rule.
TEST(Shelf, CoulombLaw) {
  for (const Contact contact :
       {Contact::planar, Contact::cone, Contact::pyramid, Contact::polygon}) {
    Random random(2);
    Tally tally;
    for (int trial = 0; trial < 100; ++trial)
      solve_all(random_problem(random, Law::coulomb, contact, 1 + make::pick(random, 5)), 1e-10,
                tally);
    tally.expect("auto", 1);
    if (contact != Contact::cone) tally.expect("lemke", 1);
    for (const char* solver : {"nsgs", "ipm"}) tally.expect(solver, 0.95);
    for (const char* solver : {"newton", "admm", "apgd", "bb"}) tally.expect(solver, 0.85);
  }
}

// The relaxed law differs from Coulomb's by the lift mu |w_T| of sliding contacts: a body that
// slides on a floor leaves it.
TEST(Shelf, RelaxedSlidingLifts) {
  const double mu = 0.25, speed = 2, fall = 0.125;
  for (const Law law : {Law::coulomb, Law::coulomb_relaxed}) {
    Problem problem;
    make::add_body(problem, {1, 1, 1}, Vec3(-fall, speed, 0));
    Constraint& c = make::add(problem, law, 3, 0);
    c.mu = mu;
    for (int i = 0; i < 3; ++i) c.J[0][i][i] = 1;
    // Coulomb: lambda_n = fall. Relaxed: the least of |v - v_free|^2 with v_n >= mu v_T.
    const double lambda = law == Law::coulomb ? fall : (mu * speed + fall) / (1 + mu * mu);
    Tally tally;
    for (const auto& [solver, v] : solve_all(problem, 1e-10, tally)) {
      EXPECT_NEAR(v[0], lambda - fall, 1e-9) << solver;
      EXPECT_NEAR(v[1], speed - mu * lambda, 1e-9) << solver;
      EXPECT_NEAR(v[2], 0, 1e-9) << solver;
    }
    for (const char* solver : {"auto", "nsgs", "newton", "admm", "ipm", "apgd", "bb"})
      tally.expect(solver, 1);
  }
}

std::vector<double> masses(int count, double ratio) {
  std::vector<double> result;
  for (int i = 0; i < count; ++i)
    result.push_back(std::pow(ratio, static_cast<double>(i) / (count - 1)));
  return result;
}

// Redundant by nature: four corners below each cube. The methods that factor solve them whatever
// the mass ratio.
TEST(Shelf, StacksOfCubesAtAnyMassRatio) {
  for (const Law law : {Law::coulomb, Law::coulomb_relaxed})
    for (const double ratio : {1.0, 1e3, 1e6}) {
      Tally tally;
      const Problem problem = problem::cube_stack(masses(10, ratio), {.law = law});
      const auto answers = solve_all(problem, 1e-8, tally);
      for (const char* solver : {"auto", "newton"}) tally.expect(solver, 1);
      if (ratio < 1e6 || law == Law::coulomb_relaxed) tally.expect("ipm", 1);
      if (ratio == 1) tally.expect("admm", 1);
      // Convex, so |v - v'|_A^2 is at most the sum of what complementarity and natural map leave
      // open, some 1e-8 s^2 for each of the 40 contacts and either answer. s = largest d lambda,
      // and no contact carries more than twice the weight of all.
      const make::Dense d = make::dense(problem);
      double weight = 0;
      for (const double mass : masses(10, ratio)) weight += 0.0981 * mass;
      const double s = 2 * weight * std::sqrt(d.W.diagonal().maxCoeff());
      const double bound = std::sqrt(40 * 8 * 1e-8) * s;
      for (const auto& [solver, v] : answers) {
        if (law != Law::coulomb_relaxed) continue;
        const VecX error = v - answers.front().second;
        EXPECT_LE(std::sqrt(error.dot(d.A * error)), bound) << solver << " ratio " << ratio;
      }
    }
}

TEST(Shelf, PyramidsAndChains) {
  Tally wall, chain, hanging;
  solve_all(problem::cube_pyramid(5, {}), 1e-6, wall);
  for (const char* solver : {"auto", "admm", "ipm", "bb"}) wall.expect(solver, 1);
  solve_all(problem::link_chain(20, true, {}), 1e-6, chain);
  for (const char* solver : {"auto", "nsgs", "newton"}) chain.expect(solver, 1);
  const auto answers = solve_all(problem::link_chain(20, false, {}), 1e-8, hanging);
  for (const char* solver : {"auto", "newton", "admm", "ipm"}) hanging.expect(solver, 1);
  for (const auto& [solver, v] : answers)  // linear: one answer
    EXPECT_LE((v - answers.front().second).norm(), 1e-4) << solver;
}

// The same bits from a used workspace, for every solver.
TEST(Shelf, UsedWorkspacesGiveTheSameBits) {
  Random random(3);
  SolverWorkspace used;
  for (int trial = 0; trial < 40; ++trial) {
    const Law law = trial % 2 == 0 ? Law::coulomb : Law::coulomb_relaxed;
    const Problem problem = random_problem(random, law, Contact::planar, 1 + trial % 7);
    for (const SolverOptions& options : shelf(1e-8)) {
      SolverWorkspace fresh;
      Solution a, b;
      solve(problem, options, used, a);
      solve(problem, options, fresh, b);
      EXPECT_TRUE(a.v == b.v && a.lambda == b.lambda) << name(options);
      EXPECT_EQ(a.iterations, b.iterations) << name(options);
    }
  }
}

}  // namespace
}  // namespace cairn::test_shelf
