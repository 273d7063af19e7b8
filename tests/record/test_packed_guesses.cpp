// Guesses of packed recordings (E1040, E1041): exact where they claim to be. Readers compute the
// forces that a recording does not hold.
#include <cmath>
#include <gtest/gtest.h>
#include <random>

#include "cairn/math.hpp"
#include "record/sample.hpp"
#include "record/trace/packed/frame_guess.hpp"
#include "record/trace/trace_walk.hpp"

namespace cairn::test_packed_guesses {
namespace {

namespace guess = record::guess;
using sample::Folder;

class Random {
 public:
  explicit Random(unsigned seed) : source_(seed) {}
  double number() { return uniform_(source_); }  // -1 to 1
  Vec3 vector() { return {number(), number(), number()}; }
  Pose near(const Pose& X, double turn) {
    Pose out = X;
    out.p += turn * vector();
    out.R = (exp_rotation(turn * vector()) * X.R).normalized();
    return out;
  }

 private:
  std::mt19937_64 source_;
  std::uniform_real_distribution<double> uniform_{-1, 1};
};

Vec3 edge(const Pose& X, int axis) {
  return X.R * Vec3(Vec3::Unit(axis));
}

//       b
//       |
//   a --+--    two edges of boxes that cross, before and after both bodies have moved
//       |
TEST(CrossingEdges, NormalAndNearestPointsFollowTheBodies) {
  Random random(3);
  int crossings = 0;
  for (int n = 0; n < 2000; ++n) {
    const Pose A = random.near({}, 3), B = random.near({}, 3);
    const int i = n % 3, k = n / 3 % 3;
    const Vec3 across = edge(A, i).cross(edge(B, k));
    if (across.norm() < 0.1) continue;
    std::array<int, 2> edges = {};
    ASSERT_TRUE(guess::edges_of(A, B, across.normalized(), edges));
    const Pose A_now = random.near(A, 0.05), B_now = random.near(B, 0.05);
    const Vec3 p_A = random.vector(), p_B = random.vector();
    const auto now = guess::edges_meet(A_now, B_now, edges, across.normalized(), p_A, p_B);
    const Vec3 a = edge(A_now, edges[0]), b = edge(B_now, edges[1]);
    // Rounding of a few products of numbers of order one, over the sine of the angle squared.
    const double rounding = 1e-14 / a.cross(b).squaredNorm();
    const Vec3 gap = now.on_b - now.on_a;
    EXPECT_NEAR(now.n_W.norm(), 1, rounding);
    EXPECT_NEAR(now.n_W.dot(a), 0, rounding);
    EXPECT_NEAR(now.n_W.dot(b), 0, rounding);
    EXPECT_GT(now.n_W.dot(across), 0);
    EXPECT_LE(gap.cross(now.n_W).norm(), 10 * rounding);         // along the normal
    EXPECT_LE((now.on_a - p_A).cross(a).norm(), 10 * rounding);  // on the lines
    EXPECT_LE((now.on_b - p_B).cross(b).norm(), 10 * rounding);
    ++crossings;
  }
  EXPECT_GT(crossings, 1500);
}

TEST(CrossingEdges, NormalsOfOtherFeaturesAreNoCrossing) {
  Random random(4);
  for (int n = 0; n < 200; ++n) {
    const Pose A = random.near({}, 3), B = random.near({}, 3);
    std::array<int, 2> edges = {};
    EXPECT_FALSE(guess::edges_of(A, B, random.vector().normalized(), edges));
  }
}

TEST(BalancedVelocities, BalanceTheMomentum) {
  Random random(5);
  for (int n = 0; n < 100; ++n) {
    Problem problem;
    for (int i = 0; i < 3; ++i) {
      ProblemBody& body = problem.bodies.emplace_back();
      body.model_body = i;
      body.first = 6 * i;
      body.size = 6;
      Eigen::Matrix<double, 6, 6> L;
      for (double& x : L.reshaped()) x = random.number();
      const Eigen::Matrix<double, 6, 6> A =
          L * L.transpose() + Eigen::Matrix<double, 6, 6>::Identity();
      for (int r = 0; r < 6; ++r)
        for (int c = 0; c < 6; ++c) body.A[r][c] = A(r, c);
    }
    problem.k = VecX::NullaryExpr(18, [&] { return random.number(); });
    problem.first_row = {0};
    for (const auto& bodies : {std::array{0, 1}, std::array{1, 2}, std::array{-1, 0}}) {
      Constraint& c = problem.constraints.emplace_back();
      c.rows = 3;
      c.body = {bodies[0], bodies[1], -1, -1};
      for (auto& side : c.J)
        for (auto& row : side)
          for (double& x : row) x = random.number();
      problem.first_row.push_back(problem.first_row.back() + 3);
    }
    const VecX lambda = VecX::NullaryExpr(9, [&] { return random.number(); });
    VecX v;
    guess::balanced_velocities(problem, lambda, v);
    VecX rest = problem.k;
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t side = 0; side < 2; ++side) {
        const Constraint& c = problem.constraints[i];
        if (c.body[side] < 0) continue;
        for (int r = 0; r < 3; ++r)
          for (int k = 0; k < 6; ++k)
            rest[6 * c.body[side] + k] += c.J[side][r][k] * lambda[3 * static_cast<int>(i) + r];
      }
    for (const ProblemBody& body : problem.bodies)
      for (int r = 0; r < 6; ++r)
        for (int c = 0; c < 6; ++c) rest[body.first + r] -= body.A[r][c] * v[body.first + c];
    EXPECT_LE(rest.norm(), 1e-13);  // of numbers up to 20, A >= 1
  }
}

TEST(SlidingImpulse, IsOnTheCone) {
  const double lambda[3] = {2, 0.3, 0};
  const double t = guess::on_cone(0.5, lambda, -0.9);
  EXPECT_LT(t, 0);
  EXPECT_NEAR(std::hypot(lambda[1], t), 0.5 * lambda[0], 1e-15);
  EXPECT_EQ(guess::on_cone(0.5, lambda, 0.1), 0.1);  // sticks
  const double open[3] = {0, 0, 0};
  EXPECT_EQ(guess::on_cone(0.5, open, 0.1), 0.1);
}

// Four legs under a block: which forces they have is open, and the recording does not say.
TEST(ShownByReaders, AreThoseOfTheRunBitForBit) {
  Folder folder;
  const std::string file = folder.file("trace.cairn");
  const Result<Scene> scene = load_scene(std::string(CAIRN_SOURCE_DIR) + "/scenes/tower10.json",
                                         {"simulation.record.level=contacts"});
  ASSERT_TRUE(scene) << scene.error().front().text();
  const SimulationSettings& s = scene->simulation;
  Simulator simulator(scene->model, *scene->initial, s.scheme, s.solver, s.verdict);
  TraceWriter writer = TraceWriter::create(file, scene->resolved, s.record).value();
  ASSERT_TRUE(writer.append_initial(*scene->initial));
  ForceDisplay display(s.forces);
  std::vector<ShownForces> shown;
  for (int i = 0; i < 20; ++i) {
    const StepReport& report = simulator.step(s.step);
    shown.push_back(display.of(report));
    ASSERT_TRUE(writer.append(report, simulator.state()));
  }
  ASSERT_TRUE(writer.finish());
  Result<record::TraceWalk> walk = record::TraceWalk::open(file);
  ASSERT_TRUE(walk);
  ASSERT_TRUE(walk->next());
  int open = 0;
  for (const ShownForces& forces : shown) {
    ASSERT_TRUE(walk->next());
    EXPECT_TRUE(walk->frame().forces.empty());
    EXPECT_EQ(walk->forces().kinds, forces.kinds);
    EXPECT_EQ(walk->forces().impulses, forces.impulses);
    open += walk->forces().count(ForceKind::least_norm);
  }
  EXPECT_GT(open, 0);
}

}  // namespace
}  // namespace cairn::test_packed_guesses
