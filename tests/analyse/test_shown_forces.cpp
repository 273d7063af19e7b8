// Contact forces that are shown (E620 to E625): closed forms of the least-norm distribution, an
// independent oracle on random stacks, and what does not change.
#include <Eigen/QR>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <random>

#include "cairn/scene.hpp"
#include "cairn/solution_set.hpp"

namespace cairn::test_shown_forces {
namespace {

constexpr double g = 9.81;

struct Shown {
  Scene scene;
  StepReport report;
  ShownForces forces;

  Vec3 force(std::size_t i) const { return forces.impulse(report, i) / report.h; }
  // On the second body in the world.
  Vec3 world(std::size_t i, const Vec3& impulse) const {
    const Contact& c = report.contacts[i].contact;
    return c.n_W * impulse[0] + c.t1_W * impulse[1] + c.t2_W * impulse[2];
  }
};

Shown run(const std::string& text, int steps, const std::vector<std::string>& set = {}) {
  const Result<Scene> scene = parse_scene(text, "shown.json", set);
  EXPECT_TRUE(scene) << (scene ? "" : scene.error().front().text());
  Simulator sim(scene->model, *scene->initial, scene->simulation.scheme, scene->simulation.solver,
                scene->simulation.verdict);
  ForceDisplay display(scene->simulation.forces);
  for (int i = 0; i < steps; ++i) sim.step(scene->simulation.step);
  return {*scene, sim.report(), display.of(sim.report())};
}

// A plate on four slender legs at (+-0.5, +-0.3), mass `table`, with a ball of mass `load` on it.
std::string table(double table_mass, double load, double a, double b) {
  std::string legs;
  for (const double x : {-0.5, 0.5})
    for (const double y : {-0.3, 0.3})
      legs += fmt::format(R"(,{{"type": "sphere", "radius": 0.05, "position": [{}, {}, -0.45]}})",
                          x, y);
  return fmt::format(
      R"({{"cairn": 1, "name": "table", "gravity": [0, 0, -9.81],
  "materials": {{"default": {{"friction": 0.5}}}},
  "bodies": [
    {{"name": "floor", "fixed": true, "shapes": [{{"type": "halfspace", "normal": [0, 0, 1]}}]}},
    {{"name": "table", "mass": {}, "position": [0, 0, 0.5],
     "shapes": [{{"type": "box", "size": [1.2, 0.8, 0.1], "position": [0, 0, 0.45]}}{}]}},
    {{"name": "load", "mass": {}, "position": [{}, {}, 1.1],
     "shapes": [{{"type": "sphere", "radius": 0.1}}]}}],
  "simulation": {{"scheme": "euler", "step": 0.01, "duration": 1}}}})",
      table_mass, legs, load, a, b);
}

// Normal forces of the legs by their place, and the kinds of all contacts with the floor.
std::vector<std::pair<Vec3, double>> legs(const Shown& shown) {
  std::vector<std::pair<Vec3, double>> all;
  const BodyId floor = shown.scene.model->find_body("floor").value();
  for (std::size_t i = 0; i < shown.report.contacts.size(); ++i) {
    const Contact& c = shown.report.contacts[i].contact;
    if (c.key.body_a != floor && c.key.body_b != floor) continue;
    EXPECT_EQ(shown.forces.kind(i), ForceKind::least_norm);
    // Friction balances nothing but what the solver's tolerance, 1e-8, leaves of the weight.
    EXPECT_NEAR(shown.force(i).tail<2>().norm(), 0, 1e-8 * g * 10);
    all.emplace_back(c.p_WC, shown.force(i)[0]);
  }
  EXPECT_EQ(all.size(), 4u);
  return all;
}

//   m g / 4 each, whatever the solver found
TEST(ShownForces, SymmetricTableHasFourEqualLegs) {
  for (const char* solver : {"auto", "nsgs", "newton"}) {
    const Shown shown = run(table(8, 2, 0, 0), 3, {fmt::format("simulation.solver={}", solver)});
    for (const auto& [p, force] : legs(shown)) EXPECT_NEAR(force, 10 * g / 4, 1e-8 * 10 * g);
  }
}

// Of all normal forces with sum G and moments G a, G b the shortest are linear in the place,
// f = G/4 (1 + a' x/X^2 + b' y/Y^2), (a', b') the common centre of mass, as long as none pulls.
TEST(ShownForces, LoadOffTheCentreIsSharedLinearly) {
  const double X = 0.5, Y = 0.3, M = 8, m = 4;
  std::mt19937 random(7);
  std::uniform_real_distribution<double> share(-1, 1);
  for (int n = 0; n < 20; ++n) {
    const double a = 0.4 * share(random), b = 0.25 * share(random), G = (M + m) * g;
    const double ax = a * m / (M + m), by = b * m / (M + m);
    const Shown shown = run(table(M, m, a, b), 1);
    for (const auto& [p, force] : legs(shown)) {
      const double linear = G / 4 * (1 + ax * p.x() / (X * X) + by * p.y() / (Y * Y));
      EXPECT_NEAR(force, linear, 1e-9 * G) << n;
    }
  }
}

// A heavy load near a corner: with a'/X + b'/Y > 1 the linear law would have the opposite leg pull.
// It carries nothing, and the other three are determined: moments about the lines through them.
TEST(ShownForces, LegThatWouldPullCarriesNothing) {
  const double X = 0.5, Y = 0.3, M = 1, m = 40, a = 0.4, b = 0.24, G = (M + m) * g;
  const double ax = a * m / (M + m) / X, by = b * m / (M + m) / Y;
  ASSERT_GT(ax + by, 1);
  const Shown shown = run(table(M, m, a, b), 1);
  for (std::size_t i = 0; i < shown.report.contacts.size(); ++i) {
    const Vec3& p = shown.report.contacts[i].contact.p_WC;
    if (p.z() > 0.5) continue;
    double expected = 0;
    if (p.x() > 0 && p.y() > 0) expected = G * (ax + by) / 2;
    if (p.x() > 0 && p.y() < 0) expected = G * (1 - by) / 2;
    if (p.x() < 0 && p.y() > 0) expected = G * (1 - ax) / 2;
    EXPECT_NEAR(shown.force(i)[0], expected, 1e-9 * G);
  }
}

// A plank in the plane on supports at -1, 0, 2 (closed form in test_solution_set): weight at 0,
// f3 = 3 G/14, f1 = 2 f3, f2 = G - 3 f3.
TEST(ShownForces, PlanarPlankOnThreeSupports) {
  const std::string text = R"({"cairn": 1, "name": "plank", "gravity": [0, -9.81, 0],
  "materials": {"default": {"friction": 0.4}},
  "bodies": [
    {"name": "floor", "fixed": true, "shapes": [{"type": "halfspace", "normal": [0, 1, 0]}]},
    {"name": "plank", "mass": 2, "position": [0, 0.5, 0], "dof": "x y rz",
     "center_of_mass": [0, 0, 0], "inertia": [1, 1, 1], "shapes": [
      {"type": "disc", "radius": 0.1, "position": [-1, -0.4, 0]},
      {"type": "disc", "radius": 0.1, "position": [0, -0.4, 0]},
      {"type": "disc", "radius": 0.1, "position": [2, -0.4, 0]}]}],
  "simulation": {"scheme": {"type": "euler", "contact_filter": false}, "step": 0.01, "duration": 1}})";
  // The filter would leave the support in the middle out.
  const Shown shown = run(text, 2);
  const double G = 2 * g;
  ASSERT_EQ(shown.report.contacts.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    const double x = shown.report.contacts[i].contact.p_WC.x();
    const double f3 = 3 * G / 14, expected = x < -0.5 ? 2 * f3 : x < 1 ? G - 3 * f3 : f3;
    EXPECT_EQ(shown.forces.kind(i), ForceKind::least_norm);
    EXPECT_NEAR(shown.force(i)[0], expected, 1e-10 * G);
    EXPECT_NEAR(shown.force(i)[1], 0, 1e-10 * G);
  }
}

std::string boxes(std::mt19937& random, int count, double tilt) {
  std::uniform_real_distribution<double> share(0, 1);
  std::string bodies;
  double z = 0;
  for (int i = 0; i < count; ++i) {
    const double a = 0.6 + 0.4 * share(random), b = 0.6 + 0.4 * share(random),
                 h = 0.1 + 0.3 * share(random);
    bodies += fmt::format(
        R"(,{{"name": "box{}", "mass": {}, "position": [{}, {}, {}], "shapes": [{{"type": "box", "size": [{}, {}, {}]}}]}})",
        i, std::pow(10, 2 * share(random)), 0.1 * share(random), 0.1 * share(random), z + h / 2, a,
        b, h);
    z += h;
  }
  return fmt::format(
      R"({{"cairn": 1, "name": "stack", "gravity": [{}, 0, {}],
  "materials": {{"default": {{"friction": 0.5}}}},
  "bodies": [{{"name": "floor", "fixed": true, "shapes": [{{"type": "halfspace", "normal": [0, 0, 1]}}]}}{}],
  "simulation": {{"scheme": "euler", "step": 0.01, "duration": 1}}}})",
      g * std::sin(tilt), -g * std::cos(tilt), bodies);
}

// Dykstra's alternating projections of the origin onto cones and motion: the shortest impulses of
// the last solve, all of whose contacts stick. Dense, without a dual, its own cone projection.
VecX oracle(const SolveRecord& solve) {
  const Problem& p = solve.problem;
  Eigen::MatrixXd J = Eigen::MatrixXd::Zero(p.rows(), p.velocities());
  for (std::size_t i = 0; i < p.constraints.size(); ++i)
    for (std::size_t side = 0; side < 2; ++side) {
      const Constraint& c = p.constraints[i];
      if (c.body[side] < 0) continue;
      const ProblemBody& b = p.bodies[static_cast<std::size_t>(c.body[side])];
      for (int r = 0; r < c.rows; ++r)
        for (int k = 0; k < b.size; ++k) J(p.first_row[i] + r, b.first + k) += c.J[side][r][k];
    }
  const Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> motion(J.transpose());
  const VecX target = J.transpose() * solve.solution.lambda;
  VecX x = VecX::Zero(p.rows()), q = x, r = x;
  for (int n = 0; n < 200000; ++n) {
    const VecX before = x, a = x + r;
    const VecX y = a - motion.solve(J.transpose() * a - target);
    r = a - y;
    const VecX b = y + q;
    x = b;
    for (std::size_t i = 0; i < p.constraints.size(); ++i) {
      const double mu = p.constraints[i].mu;
      double* z = x.data() + p.first_row[i];
      const double t = std::hypot(z[1], z[2]);
      if (t <= mu * z[0]) continue;
      const double normal = std::max(0.0, (z[0] + mu * t) / (1 + mu * mu));
      z[0] = normal;
      z[1] *= mu * normal / t;
      z[2] *= mu * normal / t;
    }
    q = b - x;
    if ((x - before).norm() <= 1e-13 * x.norm() && (y - x).norm() <= 1e-12 * x.norm()) break;
  }
  return x;
}

TEST(ShownForces, RandomStacksAgreeWithAlternatingProjections) {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> slope(0.3, 0.46);  // mu = 0.5 holds up to 0.463
  int shorter = 0, at_cones = 0;
  for (int n = 0; n < 24; ++n) {
    const int count = 1 + n % 4;
    const Shown shown = run(boxes(random, count, n % 2 == 0 ? 0 : slope(random)), 2);
    const SolveRecord& solve = shown.report.solved().back();
    const double unit = solve.problem.units.impulse();
    ASSERT_EQ(shown.forces.count(ForceKind::not_minimised), 0) << n;
    const VecX expected = unit * oracle(solve);
    double most = 0, error = 0, norm = 0, before = 0;
    for (std::size_t i = 0; i < shown.report.contacts.size(); ++i) {
      const Vec3 own = shown.forces.impulse(shown.report, i);
      const Vec3 other = expected.segment<3>(solve.problem.first_row[i]);
      most = std::max(most, other.norm());
      error = std::max(error, (own - other).norm());
      norm += own.squaredNorm();
      before += shown.report.contacts[i].impulse.squaredNorm();
      at_cones += own[0] > 0 && own.tail<2>().norm() > (0.5 - 1e-9) * own[0] ? 1 : 0;
    }
    EXPECT_LE(error, 1e-7 * most) << n;
    EXPECT_LE(norm, before * (1 + 1e-12)) << n;
    shorter += norm < before * (1 - 1e-9) ? 1 : 0;
  }
  EXPECT_GT(shorter, 0);   // the solver's own are not the shortest everywhere
  EXPECT_GT(at_cones, 0);  // and cones bound some of them
}

// The resultant on every body, and the certificate, are those of the solver.
TEST(ShownForces, MotionAndLawsStay) {
  std::mt19937 random(3);
  for (int n = 0; n < 12; ++n) {
    // Beyond the friction angle, 0.46, all slide.
    const Shown shown = run(boxes(random, 3, n % 3 == 2 ? 0.6 : 0.2), 2);
    const SolveRecord& solve = shown.report.solved().back();
    for (const ShortestIsland& island : shown.forces.islands) {
      VecX lambda = solve.solution.lambda;
      Eigen::Index at = 0;
      for (const int i : island.constraints) {
        const int rows = solve.problem.constraints[static_cast<std::size_t>(i)].rows;
        lambda.segment(solve.problem.first_row[static_cast<std::size_t>(i)], rows) =
            island.lambda.segment(at, rows);
        at += rows;
      }
      const Certificate c = certify(solve.problem, solve.solution.v, lambda);
      EXPECT_LE(c.worst, std::max(4 * solve.solution.certificate.worst, 1e-13)) << n;
    }
    Vec3 sum = Vec3::Zero(), sum_solver = Vec3::Zero();
    double size = 0;
    for (std::size_t i = 0; i < shown.report.contacts.size(); ++i) {
      sum += shown.world(i, shown.forces.impulse(shown.report, i));
      sum_solver += shown.world(i, shown.report.contacts[i].impulse);
      size += shown.report.contacts[i].impulse.norm();
    }
    EXPECT_LE((sum - sum_solver).norm(), 1e-14 * size * 8) << n;
  }
}

// One ball on a floor: nothing to choose. Without the option nothing is computed.
TEST(ShownForces, UniqueForcesKeepTheirBits) {
  const std::string ball = R"({"cairn": 1, "name": "ball", "gravity": [0, 0, -9.81],
  "bodies": [
    {"name": "floor", "fixed": true, "shapes": [{"type": "halfspace", "normal": [0, 0, 1]}]},
    {"name": "ball", "mass": 2, "position": [0, 0, 0.5], "shapes": [{"type": "sphere", "radius": 0.5}]}],
  "simulation": {"scheme": "euler", "step": 0.01, "duration": 1}})";
  const Shown one = run(ball, 2);
  ASSERT_EQ(one.forces.kinds.size(), 1u);
  EXPECT_EQ(one.forces.kind(0), ForceKind::unique);
  EXPECT_EQ(one.forces.impulse(one.report, 0), one.report.contacts[0].impulse);
  EXPECT_TRUE(one.forces.islands.empty());
  const Shown off = run(table(8, 2, 0, 0), 1, {"simulation.forces.least_norm=false"});
  EXPECT_TRUE(off.forces.empty());
  EXPECT_EQ(off.forces.impulse(off.report, 0), off.report.contacts[0].impulse);
}

// A function of the report alone: a fresh one, and one that has seen other steps, agree bit by bit.
TEST(ShownForces, DoNotDependOnWhatWasShownBefore) {
  std::mt19937 random(5);
  const Shown a = run(boxes(random, 3, 0.1), 2), b = run(boxes(random, 2, 0.2), 2);
  ForceDisplay used;
  used.of(b.report);
  const ShownForces again = used.of(a.report);
  EXPECT_EQ(again.impulses, a.forces.impulses);
  EXPECT_EQ(used.of(a.report).impulses, a.forces.impulses);
  used.of(b.report);
  EXPECT_EQ(used.of(a.report).impulses, a.forces.impulses);
}

}  // namespace
}  // namespace cairn::test_shown_forces
