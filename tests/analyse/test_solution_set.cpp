// Impulses that the velocities leave open (E105 to E110): rank, intervals, resultants, least norm.
#include <gtest/gtest.h>
#include <limits>

#include "analyse/supports.hpp"
#include "cairn/solution_set.hpp"
#include "problem/files/problem_file.hpp"
#include "problem/samples/sample_problems.hpp"

namespace cairn::test_solution_set {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

ImpulseIntervals intervals(const Problem& problem, const Solution& solution) {
  const Result<ImpulseIntervals> result = impulse_intervals(problem, solution.v, solution.lambda);
  EXPECT_TRUE(result);
  return *result;
}

//   1-----2      moments about the diagonals: l1 = l3, l2 = l4, and l1 + l2 = G/2
//   |  G  |
//   4-----3
TEST(Intervals, TableOnFourLegs) {
  const double G = 3;
  const Problem problem = make::plate({{1, 1}, {-1, 1}, {-1, -1}, {1, -1}}, G);
  const Solution solution = make::solved(problem);
  ASSERT_EQ(solution.status, SolveStatus::solved);
  const ImpulseIntervals found = intervals(problem, solution);
  EXPECT_EQ(found.rank.rows, 4);
  EXPECT_EQ(found.rank.rank, 3);
  EXPECT_FALSE(found.unique);
  for (const Interval& leg : found.rows) {
    EXPECT_NEAR(leg.lo, 0, 1e-13 * G);
    EXPECT_NEAR(leg.hi, G / 2, 1e-13 * G);
    EXPECT_EQ(leg.gap, 0);
    EXPECT_FALSE(leg.unique);
  }
  // What they add up to is the weight, in every solution.
  EXPECT_NEAR(found.resultant[0], G, 1e-14 * G);
  EXPECT_NEAR(found.resultant[1], 0, 1e-14 * G);
  ASSERT_EQ(found.pairs.size(), 1U);
  EXPECT_TRUE(found.pairs[0].unique);
  EXPECT_EQ(found.pairs[0].constraints, 4);
  EXPECT_NEAR(found.pairs[0].impulse[0], G, 1e-14 * G);

  // Equal legs share equally.
  const Result<LeastNorm> least = least_norm(problem, solution.v, solution.lambda);
  ASSERT_TRUE(least && least->reached);
  for (const double leg : least->lambda) EXPECT_NEAR(leg, G / 4, 1e-13 * G);
  EXPECT_LE(least->certificate.worst, std::max(solution.certificate.worst, 1e-14));
}

// Supports at -1, 0 and 2 under a weight at 0: l1 = 2 l3, l2 = G - 3 l3 >= 0. The shortest has
// 4 l3 + l3 = 3 (G - 3 l3), that is l3 = 3 G / 14.
TEST(Intervals, BeamOnThreeSupports) {
  const double G = 2;
  Problem problem;
  make::add_body(problem, {2, 1}, (VecX(2) << -G / 2, 0).finished());
  for (const double x : {-1.0, 0.0, 2.0}) {
    Constraint& c = make::add(problem, Law::nonnegative, 1, 0);
    c.J[0][0][0] = 1;
    c.J[0][0][1] = x;
  }
  const Solution solution = make::solved(problem);
  const ImpulseIntervals found = intervals(problem, solution);
  EXPECT_EQ(found.rank.degree(), 1);
  const double largest[] = {2 * G / 3, G, G / 3};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(found.rows[i].lo, 0, 1e-13);
    EXPECT_NEAR(found.rows[i].hi, largest[i], 1e-13);
  }
  const Result<LeastNorm> least = least_norm(problem, solution.v, solution.lambda);
  ASSERT_TRUE(least && least->reached);
  EXPECT_NEAR(least->lambda[0], 6 * G / 14, 1e-13);
  EXPECT_NEAR(least->lambda[1], 5 * G / 14, 1e-13);
  EXPECT_NEAR(least->lambda[2], 3 * G / 14, 1e-13);
}

// The disc rests on its normals with n0 = G / (2 sin). A stress along the chord through both
// contacts adds s (cos, +-sin) to each: n0 sin / (sin + mu cos) <= n <= n0 sin / (sin - mu cos),
// and no end above if mu >= tan(theta/2). The shortest carries no friction across the chord: n = n0
// sin^2, t = n0 sin cos.
TEST(Intervals, DiscInAGroove) {
  const double theta = 1.0, G = 2, s = std::sin(theta / 2), c = std::cos(theta / 2);
  const double n0 = G / (2 * s);
  for (const double mu : {0.1, 0.5, 1.5, 2.0}) {
    SCOPED_TRACE(mu);
    const Problem problem = make::groove(theta, mu, G);
    const Solution solution = make::solved(problem);
    ASSERT_EQ(solution.status, SolveStatus::solved);
    const ImpulseIntervals found = intervals(problem, solution);
    EXPECT_EQ(found.rank.rows, 4);
    EXPECT_EQ(found.rank.rank, 3);
    for (const std::size_t normal : {0U, 2U}) {
      EXPECT_NEAR(found.rows[normal].lo, n0 * s / (s + mu * c), 1e-12);
      if (mu < s / c)
        EXPECT_NEAR(found.rows[normal].hi, n0 * s / (s - mu * c), 1e-12 / (s - mu * c));
      else
        EXPECT_EQ(found.rows[normal].hi, infinity);
    }
    EXPECT_NEAR(found.resultant[1], G, 1e-13);
    const Result<LeastNorm> least = least_norm(problem, solution.v, solution.lambda);
    ASSERT_TRUE(least && least->reached);
    EXPECT_LE(least->certificate.worst, std::max(solution.certificate.worst, 1e-13));
    if (mu < c / s) continue;  // friction c / s of the normal: else on the cone's side
    EXPECT_NEAR(least->lambda[0], n0 * s * s, 1e-12);
    EXPECT_NEAR(std::abs(least->lambda[1]), n0 * s * c, 1e-12);
  }
}

// A point held between two plates by friction alone: |t1| + |t2| = G <= mu (n1 + n2), n1 = n2.
TEST(Intervals, PointBetweenPlatesNeedsItsFriction) {
  const double G = 1, mu = 0.4;
  for (const int facets : {0, 8}) {
    Problem problem;
    make::add_body(problem, {1, 1, 1}, Vec3(0, 0, 0));
    for (const double side : {1.0, -1.0}) {
      Constraint& c = make::add(problem, Law::coulomb, 3, 0);
      c.mu = mu;
      c.facets = facets;
      c.J[0][0][0] = side;
      c.J[0][1][1] = 1;
      c.J[0][2][2] = 1;
    }
    problem.k[1] = -G;
    // At rest under 3 G / mu, which is one of the solutions.
    const VecX v = VecX::Zero(3);
    const VecX lambda = (VecX(6) << 3 * G, G / 2, 0, 3 * G, G / 2, 0).finished();
    const Result<ImpulseIntervals> found = impulse_intervals(problem, v, lambda);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->rank.degree(), 3);
    for (const std::size_t normal : {0U, 3U}) {
      EXPECT_NEAR(found->rows[normal].lo, G / (2 * mu), 1e-10);
      EXPECT_EQ(found->rows[normal].hi, infinity);
    }
    const Result<LeastNorm> least = least_norm(problem, v, lambda);
    ASSERT_TRUE(least && least->reached);
    EXPECT_NEAR(least->lambda[0], G / (2 * mu), 1e-9);
    EXPECT_NEAR(least->lambda[1], G / 2, 1e-9);
    EXPECT_LE(least->certificate.worst, 1e-9);
  }
}

// Two brakes on one wheel that stands: l1 + l2 = g with |l1|, |l2| <= 1. On one that turns both are
// at their bounds.
TEST(Intervals, BoxesShareOrAreAtTheirBounds) {
  for (const double g : {1.5, 5.0}) {
    Problem problem;
    make::add_body(problem, {1}, (VecX(1) << -g).finished());
    for (int i = 0; i < 2; ++i) {
      Constraint& c = make::add(problem, Law::box, 1, 0);
      c.J[0][0][0] = 1;
      c.lo = -1;
      c.hi = 1;
    }
    const Solution solution = make::solved(problem);
    const ImpulseIntervals found = intervals(problem, solution);
    for (const Interval& brake : found.rows) {
      EXPECT_NEAR(brake.lo, g < 2 ? g - 1 : 1, 1e-13);
      EXPECT_NEAR(brake.hi, 1, 1e-13);
    }
    EXPECT_EQ(found.unique, g > 2);
    EXPECT_EQ(found.rank.activity[0], g < 2 ? Activity::sticks : Activity::at_bound);
    const Result<LeastNorm> least = least_norm(problem, solution.v, solution.lambda);
    ASSERT_TRUE(least && least->reached);
    EXPECT_NEAR(least->lambda[0], std::min(1.0, g / 2), 1e-13);
  }
}

// Planar and pyramid problems with solutions by construction: modes first, then b and k that go
// with them.
struct Made {
  Problem problem;
  VecX v, lambda;
  Eigen::MatrixXd rays;  // impulses of the generators that the modes allow, columns
};

Made random_problem(make::Random& random, int bodies, int contacts, int rows, int facets) {
  Made made;
  Problem& problem = made.problem;
  for (int i = 0; i < bodies; ++i)
    make::add_body(problem, make::random_spd(random, 3), make::random_vector(random, 3));
  std::vector<VecX> rays;
  made.v = make::random_vector(random, problem.velocities());
  made.lambda = VecX::Zero(rows * contacts);
  for (int i = 0; i < contacts; ++i) {
    const int a = make::pick(random, bodies), b = make::pick(random, bodies + 1) - 1;
    Constraint& c = make::add(problem, Law::coulomb, rows, a, b == a ? -1 : b);
    make::fill_random(random, problem, c);
    c.mu = make::uniform(random, 0.1, 1);
    c.facets = facets;
  }
  const make::Dense dense = make::dense(problem);
  const VecX Jv = dense.J * made.v;
  for (int i = 0; i < contacts; ++i) {
    Constraint& c = problem.constraints[base::at(i)];
    const int mode = make::pick(random, 4),
              first = problem.first_row[base::at(i)];  // 0 open, 1 slides
    std::vector<Vec3> all;
    if (rows == 2) all = {{1, c.mu, 0}, {1, -c.mu, 0}};
    for (int k = 0; rows == 3 && k < facets; ++k) {
      const double angle = 2 * std::numbers::pi * k / facets;
      all.emplace_back(1, c.mu * std::cos(angle), c.mu * std::sin(angle));
    }
    const Vec3 slip = mode == 1 ? Vec3(all[0] - Vec3(1, 0, 0)) / c.mu : Vec3(0, 0, 0);
    for (int r = 0; r < rows; ++r)
      c.b[r] = (r == 0 ? (mode == 0 ? 1.0 : 0.0) : -slip[r]) - Jv[first + r];
    if (mode == 0) continue;
    if (mode == 1) all.resize(1);
    for (const Vec3& g : all) {
      VecX ray = VecX::Zero(rows * contacts);
      ray.segment(first, rows) = g.head(rows);
      rays.push_back(ray);
      if (make::pick(random, 3) > 0) made.lambda += make::uniform(random, 0, 1) * ray;
    }
  }
  problem.k = dense.A * made.v - dense.J.transpose() * made.lambda;
  made.rays.resize(rows * contacts, static_cast<Eigen::Index>(rays.size()));
  for (std::size_t k = 0; k < rays.size(); ++k)
    made.rays.col(static_cast<Eigen::Index>(k)) = rays[k];
  return made;
}

// Every interval against all vertices, and the shortest impulses against all of them: it is the
// projection of zero if no vertex and no ray lies on its near side.
void compare_with_vertices(const Made& made, int& wide, int& unbounded) {
  const Problem& problem = made.problem;
  ASSERT_LE(certify(problem, made.v, made.lambda).worst, 1e-13);
  const make::Dense dense = make::dense(problem);
  const make::Polyhedron all =
      make::enumerate(dense.J.transpose() * made.rays, dense.J.transpose() * made.lambda);
  const Result<ImpulseIntervals> found = impulse_intervals(problem, made.v, made.lambda);
  ASSERT_TRUE(found);
  ASSERT_GT(all.vertices.cols(), 0);
  const Eigen::MatrixXd vertices = made.rays * all.vertices, rays = made.rays * all.rays;
  const double size = std::max(1.0, vertices.cwiseAbs().maxCoeff());
  for (int row = 0; row < problem.rows(); ++row) {
    const Interval& interval = found->rows[base::at(row)];
    const bool no_top = rays.cols() > 0 && rays.row(row).maxCoeff() > 1e-7;
    const bool no_bottom = rays.cols() > 0 && rays.row(row).minCoeff() < -1e-7;
    if (no_top)
      EXPECT_EQ(interval.hi, infinity) << row;
    else
      EXPECT_NEAR(interval.hi, vertices.row(row).maxCoeff(), 1e-8 * size) << row;
    if (no_bottom)
      EXPECT_EQ(interval.lo, -infinity) << row;
    else
      EXPECT_NEAR(interval.lo, vertices.row(row).minCoeff(), 1e-8 * size) << row;
    EXPECT_EQ(interval.gap, 0);
    wide += interval.unique ? 0 : 1;
    unbounded += no_top ? 1 : 0;
  }
  EXPECT_LT((found->resultant - dense.J.transpose() * made.lambda).norm(), 1e-12 * size);

  const Result<LeastNorm> least = least_norm(problem, made.v, made.lambda);
  ASSERT_TRUE(least);
  EXPECT_TRUE(least->reached);
  EXPECT_LE(least->certificate.worst, 1e-10);
  const VecX& x = least->lambda;
  EXPECT_LE(x.norm(), made.lambda.norm() * (1 + 1e-12));
  EXPECT_GE((x.transpose() * vertices).minCoeff(), x.squaredNorm() - 1e-9 * size * size);
  for (const double along : x.transpose() * rays) EXPECT_GE(along, -1e-9 * size);
}

TEST(Intervals, RandomPlanarProblemsAgainstAllVertices) {
  make::Random random(7);
  int wide = 0, unbounded = 0;
  for (int n = 0; n < 150; ++n) {
    SCOPED_TRACE(n);
    const int bodies = 1 + make::pick(random, 2);
    const Made made = random_problem(random, bodies, 2 + make::pick(random, 4), 2, 0);
    compare_with_vertices(made, wide, unbounded);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(wide, 100);
  EXPECT_GT(unbounded, 20);
}

TEST(Intervals, RandomPyramidsAgainstAllVertices) {
  make::Random random(8);
  int wide = 0, unbounded = 0;
  for (int n = 0; n < 60; ++n) {
    SCOPED_TRACE(n);
    const Made made = random_problem(random, 1, 2 + make::pick(random, 2), 3, 4 + n % 2);
    compare_with_vertices(made, wide, unbounded);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(wide, 50);
}

// Inscribed pyramids lie in the exact cone, and that in the pyramids with mu / cos(pi/k).
TEST(Intervals, ExactConesLieBetweenPyramids) {
  const double masses[] = {1, 2, 1};
  const Problem exact = problem::cube_stack(masses, {.mu = 0.5});
  const Solution solution = make::solved(exact);
  ASSERT_EQ(solution.status, SolveStatus::solved);
  Problem inner = exact, outer = exact;
  constexpr int facets = 32;
  for (std::size_t i = 0; i < exact.constraints.size(); ++i) {
    inner.constraints[i].facets = outer.constraints[i].facets = facets;
    outer.constraints[i].mu /= std::cos(std::numbers::pi / facets);
  }
  // Sticking contacts only: else the pyramids have other directions of slip.
  const Result<ActiveRank> rank = active_rank(exact, solution.v, solution.lambda);
  ASSERT_TRUE(rank);
  for (const Activity activity : rank->activity) ASSERT_EQ(activity, Activity::sticks);
  EXPECT_EQ(rank->rows, 36);
  EXPECT_EQ(rank->rank, 18);
  const Result<LeastNorm> least = least_norm(exact, solution.v, solution.lambda);
  ASSERT_TRUE(least && least->reached);
  EXPECT_LE(least->certificate.worst, std::max(solution.certificate.worst, 1e-12));

  const ImpulseIntervals middle = intervals(exact, solution);
  const Result<ImpulseIntervals> small = impulse_intervals(inner, solution.v, least->lambda),
                                 large = impulse_intervals(outer, solution.v, least->lambda);
  ASSERT_TRUE(small && large);
  double H = 0;  // of (E109), but for the scales of the rows, which are within a factor of two
  for (std::size_t k = 0; k < middle.rows.size(); k += 3) H += middle.rows[k].hi;
  for (std::size_t k = 0; k < middle.rows.size(); ++k) {
    const Interval& row = middle.rows[k];
    EXPECT_LE(row.gap, 4e-8 * H);
    EXPECT_LE(row.lo - row.gap, small->rows[k].lo + 1e-9);
    EXPECT_GE(row.hi + row.gap, small->rows[k].hi - 1e-9);
    EXPECT_GE(row.lo, large->rows[k].lo - 1e-9);
    EXPECT_LE(row.hi, large->rows[k].hi + 1e-9);
    EXPECT_LE(row.lo, solution.lambda[static_cast<Eigen::Index>(k)] + 1e-9);
    EXPECT_GE(row.hi, solution.lambda[static_cast<Eigen::Index>(k)] - 1e-9);
    EXPECT_LE(row.lo, least->lambda[static_cast<Eigen::Index>(k)] + 1e-9);
    EXPECT_GE(row.hi, least->lambda[static_cast<Eigen::Index>(k)] - 1e-9);
  }
  // A tower is determined between its floors: what goes through each is unique.
  ASSERT_EQ(middle.pairs.size(), 3U);
  for (const PairResultant& pair : middle.pairs) {
    EXPECT_TRUE(pair.unique);
    EXPECT_EQ(pair.constraints, 4);
  }
}

// Exact cones with solutions by construction: inside the cone, on its surface, at its tip, sliding
// and open.
Made random_cones(make::Random& random) {
  Made made;
  Problem& problem = made.problem;
  const int bodies = 1 + make::pick(random, 3), contacts = 2 + make::pick(random, 8);
  for (int i = 0; i < bodies; ++i)
    make::add_body(problem, make::random_spd(random, 6), make::random_vector(random, 6));
  for (int i = 0; i < contacts; ++i) {
    const int a = make::pick(random, bodies), b = make::pick(random, bodies + 1) - 1;
    Constraint& c = make::add(problem, Law::coulomb, 3, a, b == a ? -1 : b);
    make::fill_random(random, problem, c);
    c.mu = make::uniform(random, 0.05, 1.2);
  }
  made.v = make::random_vector(random, problem.velocities());
  made.lambda = VecX::Zero(problem.rows());
  const make::Dense dense = make::dense(problem);
  for (int i = 0; i < contacts; ++i) {
    Constraint& c = problem.constraints[base::at(i)];
    const int mode = make::pick(random, 5);
    const double angle = make::uniform(random, 0, 2 * std::numbers::pi);
    const Vec3 along(0, std::cos(angle), std::sin(angle)), n(1, 0, 0);
    Vec3 w = mode == 0 ? Vec3(n + along) : mode == 1 ? Vec3(-along) : Vec3(0, 0, 0);
    const double share = mode == 4 ? make::uniform(random, 0, 1) : 1;
    if (mode != 0 && mode != 3)
      made.lambda.segment<3>(3 * i) = make::uniform(random, 0.1, 1) * (n + share * c.mu * along);
    w -= (dense.J * made.v).segment<3>(3 * i);
    for (int r = 0; r < 3; ++r) c.b[r] = w[r];
  }
  problem.k = dense.A * made.v - dense.J.transpose() * made.lambda;
  return made;
}

// The solution lies in its intervals, an end that is not there is one that jamming explains, and
// the shortest impulses lie between the ends too.
TEST(Intervals, RandomExactCones) {
  make::Random random(2);
  int wide = 0, unbounded = 0, reached = 0;
  for (int n = 0; n < 400; ++n) {
    SCOPED_TRACE(n);
    const Made made = random_cones(random);
    if (made.lambda.isZero(0)) continue;  // nothing to scale residuals by
    const Result<ImpulseIntervals> found = impulse_intervals(made.problem, made.v, made.lambda);
    const Result<LeastNorm> least = least_norm(made.problem, made.v, made.lambda);
    const Result<Jamming> jamming = find_jamming(made.problem, made.v, made.lambda);
    ASSERT_TRUE(found && least && jamming);
    bool no_end = false;
    for (int k = 0; k < made.problem.rows(); ++k) {
      const Interval& row = found->rows[base::at(k)];
      EXPECT_LE(row.lo, made.lambda[k] + 1e-10);
      EXPECT_GE(row.hi, made.lambda[k] - 1e-10);
      EXPECT_LE(row.lo - 1e-6, least->lambda[k]);
      EXPECT_GE(row.hi + 1e-6, least->lambda[k]);
      no_end = no_end || std::isinf(row.hi) || std::isinf(row.lo);
      wide += row.unique ? 0 : 1;
    }
    if (no_end) {
      EXPECT_FALSE(jamming->pointed());
    }
    EXPECT_LE(least->certificate.worst, 1e-9);
    unbounded += no_end ? 1 : 0;
    reached += least->reached ? 1 : 0;
  }
  EXPECT_GT(wide, 200);
  EXPECT_GT(unbounded, 10);
  EXPECT_GT(reached, 380);
}

TEST(Intervals, UniqueProblemHasIntervalsOfNoWidth) {
  make::Random random(3);
  for (int n = 0; n < 20; ++n) {
    Problem problem;
    make::add_body(problem, make::random_spd(random, 3), make::random_vector(random, 3));
    for (int i = 0; i < 2; ++i) {
      Constraint& c = make::add(problem, i == 0 ? Law::coulomb : Law::nonnegative, 2 - i, 0);
      make::fill_random(random, problem, c);
      c.mu = 0.3;
    }
    const Solution solution = make::solved(problem);
    if (solution.status != SolveStatus::solved) continue;
    const ImpulseIntervals found = intervals(problem, solution);
    EXPECT_EQ(found.rank.degree(), 0);
    EXPECT_TRUE(found.unique);
    for (int k = 0; k < 3; ++k) {
      EXPECT_EQ(found.rows[base::at(k)].lo, found.rows[base::at(k)].hi);
      EXPECT_NEAR(found.rows[base::at(k)].lo, solution.lambda[k], 1e-11);
    }
  }
}

// Rank alone does not tell: a leg too many whose force the others do not let go of. Two legs under
// the weight's line carry it alone, whatever stands beside them.
TEST(Intervals, LawsPinDownWhatTheRankLeavesOpen) {
  const Problem problem = make::plate({{0, 1}, {0, -1}, {1, 0}, {2, 0}}, 2);
  const VecX v = VecX::Zero(3), lambda = (VecX(4) << 1, 1, 0, 0).finished();
  const Result<ImpulseIntervals> found = impulse_intervals(problem, v, lambda);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->rank.degree(), 1);
  EXPECT_TRUE(found->unique);
  for (int k = 0; k < 4; ++k) {
    EXPECT_NEAR(found->rows[base::at(k)].lo, lambda[k], 1e-13);
    EXPECT_NEAR(found->rows[base::at(k)].hi, lambda[k], 1e-13);
  }
}

TEST(Intervals, ReducedProblemSaysTheSame) {
  for (const double mu : {0.1, 1.5}) {
    const Problem problem = make::groove(1, mu, 2);
    const Solution solution = make::solved(problem);
    const ReducedProblem reduced = reduce(problem);
    const ImpulseIntervals full = intervals(problem, solution);
    const Result<ImpulseIntervals> found = impulse_intervals(reduced, solution.lambda);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->rank.rows, full.rank.rows);
    EXPECT_EQ(found->rank.rank, full.rank.rank);
    for (std::size_t k = 0; k < full.rows.size(); ++k) {
      const auto same = [](double x, double y) { return x == y || std::abs(x - y) <= 1e-11; };
      EXPECT_PRED2(same, found->rows[k].lo, full.rows[k].lo);
      EXPECT_PRED2(same, found->rows[k].hi, full.rows[k].hi);
    }
    const Result<LeastNorm> a = least_norm(problem, solution.v, solution.lambda),
                            b = least_norm(reduced, solution.lambda);
    ASSERT_TRUE(a && b);
    EXPECT_LT((a->lambda - b->lambda).norm(), 1e-11);
  }
}

// Masses times four: impulses times four, bit for bit.
TEST(Intervals, ScaleWithPowersOfTwo) {
  const double masses[] = {1, 3};
  const Problem small = problem::cube_stack(masses, {.mu = 0.5});
  Problem large = small;
  large.k *= 4;
  for (ProblemBody& body : large.bodies)
    for (auto& row : body.A)
      for (double& x : row) x *= 4;
  const Solution a = make::solved(small), b = make::solved(large);
  const ImpulseIntervals first = intervals(small, a), second = intervals(large, b);
  for (std::size_t k = 0; k < first.rows.size(); ++k) {
    EXPECT_EQ(4 * first.rows[k].lo, second.rows[k].lo);
    EXPECT_EQ(4 * first.rows[k].hi, second.rows[k].hi);
  }
  const Result<LeastNorm> c = least_norm(small, a.v, a.lambda),
                          d = least_norm(large, b.v, b.lambda);
  ASSERT_TRUE(c && d);
  for (Eigen::Index k = 0; k < c->lambda.size(); ++k) EXPECT_EQ(4 * c->lambda[k], d->lambda[k]);
}

// Problems whose solutions carry the solver's residual: what sticks is decided by it, so the
// shortest impulses are as good as the ones before.
TEST(Intervals, LeastNormKeepsTheCertificateOfPiles) {
  for (const char* file : {"settling-149", "settling-150", "rough-bouncing-5"}) {
    SCOPED_TRACE(file);
    const Result<Problem> problem = problem::read_problem(
        CAIRN_SOURCE_DIR "/tests/problems/cannonball66-" + std::string(file) + ".json");
    ASSERT_TRUE(problem);
    const Solution solution = make::solved(*problem);
    ASSERT_EQ(solution.status, SolveStatus::solved);
    const Result<LeastNorm> least = least_norm(*problem, solution.v, solution.lambda);
    ASSERT_TRUE(least && least->reached);
    EXPECT_LE(least->certificate.worst, std::max(1.5 * solution.certificate.worst, 1e-12));
    EXPECT_LE(least->norm, least->norm_before);
    const ImpulseIntervals found = intervals(*problem, solution);
    const double small = 1e-7 * solution.lambda.cwiseAbs().maxCoeff();
    for (int k = 0; k < problem->rows(); ++k) {
      EXPECT_LE(found.rows[base::at(k)].lo, least->lambda[k] + small);
      EXPECT_GE(found.rows[base::at(k)].hi, least->lambda[k] - small);
    }
  }
}

TEST(Intervals, TooManyRowsAreRefused) {
  std::vector<std::array<double, 2>> legs;
  for (int i = 0; i <= max_active_rows; ++i) legs.push_back({std::cos(0.1 * i), std::sin(0.1 * i)});
  const Problem problem = make::plate(legs, 1);
  const VecX v = VecX::Zero(3), lambda = VecX::Constant(max_active_rows + 1, 1e-3);
  const Result<ImpulseIntervals> found = impulse_intervals(problem, v, lambda);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().front().kind, ErrorKind::limit);
}

}  // namespace
}  // namespace cairn::test_solution_set
