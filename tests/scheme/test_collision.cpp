// Impacts at one moment (E220 to E228) on random bodies and contacts: energy, certificates,
// balance.
#include <cmath>
#include <gtest/gtest.h>
#include <random>

#include "linear/blocks.hpp"
#include "scheme/impact/collision.hpp"
#include "scheme/impact/impact_path.hpp"

namespace cairn::test_collision {
namespace {

constexpr RestitutionLaw laws[] = {RestitutionLaw::newton, RestitutionLaw::poisson,
                                   RestitutionLaw::stronge};

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  double uniform(double lo, double hi) {
    return lo + (hi - lo) * static_cast<double>(engine_() >> 11) * 0x1p-53;
  }
  Vec3 vector() {
    const double x = uniform(-1, 1), y = uniform(-1, 1);
    return {x, y, uniform(-1, 1)};
  }

 private:
  std::mt19937_64 engine_;
};

// A body of mass 1 and random inertia with contacts at random places, in units of one.
void make_body(Random& random, std::size_t contacts, double mu, double e, RestitutionLaw law,
               scheme::CollisionData& d) {
  d.base = {};
  ProblemBody body;
  body.size = 6;
  body.model_body = 0;
  for (int i = 0; i < 6; ++i) body.A[i][i] = i < 3 ? 1 : random.uniform(0.05, 1);
  d.base.bodies = {body};
  d.base.first_row = {0};
  d.colliders.clear();
  d.v_before.resize(6);
  for (int i = 0; i < 6; ++i) d.v_before[i] = random.uniform(-2, 2);
  while (d.colliders.size() < contacts) {
    const Vec3 r = random.vector();
    Vec3 frame[3];
    frame[0] = random.vector().normalized();
    frame[1] = frame[0].cross(random.vector()).normalized();
    frame[2] = frame[0].cross(frame[1]);
    Constraint c;
    c.law = Law::coulomb;
    c.rows = 3;
    c.mu = mu;
    c.body = {0, -1};
    c.key.role = Role::contact;
    for (int k = 0; k < 3; ++k)
      for (int i = 0; i < 3; ++i) {
        c.J[0][k][i] = frame[k][i];
        c.J[0][k][3 + i] = r.cross(frame[k])[i];
      }
    double w[max_rows] = {};
    linear::constraint_velocity(d.base, c, d.v_before.data(), false, w);
    if (w[0] > -0.05) continue;
    d.base.constraints.push_back(c);
    d.base.first_row.push_back(d.base.first_row.back() + 3);
    d.colliders.push_back({{}, e, law, w[0], 0});
  }
  d.base.k.setZero(6);
  problem::add_mass_product(d.base, d.v_before.data(), d.base.k.data());
  d.warm.setZero(d.base.rows());
}

double kinetic(const Problem& problem, const VecX& v) {
  double sum = 0;
  for (int i = 0; i < 6; ++i) sum += 0.5 * problem.bodies[0].A[i][i] * v[i] * v[i];
  return sum;
}

// Along the path Stronge's law takes (1 - e^2) of what the compression stored, and friction takes
// more: a hundred thousand random inverse masses and velocities.
TEST(ImpactEnergy, StrongeNeverGains) {
  Random random(3);
  double worst = -1;
  for (int i = 0; i < 100000; ++i) {
    scheme::ImpactInput in;
    Mat3 half;
    for (int k = 0; k < 3; ++k) half.col(k) = random.vector();
    in.W = half * half.transpose() + 0.01 * Mat3::Identity();
    in.u = 2 * random.vector();
    in.u[0] = -random.uniform(0.01, 2);
    in.mu = random.uniform(0, 3);
    in.e = random.uniform(0, 1);
    const scheme::ImpactOutcome out = scheme::impact_path(in);
    const double gain = 0.5 * (in.u + out.u).dot(out.impulse),
                 size = 0.5 * in.u.dot(in.W.inverse() * in.u);
    worst = std::max(worst, gain / size);
    ASSERT_LE(gain, 1e-12 * size) << i;
    ASSERT_NEAR(out.work_decompression, -in.e * in.e * out.work_compression, 1e-11 * size) << i;
    ASSERT_NEAR((in.W * out.impulse - (out.u - in.u)).norm(), 0, 1e-11 * in.u.norm()) << i;
  }
  EXPECT_LE(worst, 1e-12);
}

// All laws, friction bounds, orders and numbers of contacts, under the guard.
TEST(ImpactEnergy, GuardLetsNoLawGain) {
  Random random(17);
  scheme::CollisionData d;
  SolverWorkspace workspace;
  StepReport report;
  const SolverOptions solver = Auto{};
  int corrections = 0, uncertified = 0;
  for (int i = 0; i < 100000; ++i) {
    const scheme::CollisionRules rules = {
        static_cast<RestitutionFriction>(i / 3 % 3),
        i / 9 % 2 ? Propagation::sequential : Propagation::simultaneous};
    make_body(random, i % 16 == 15 ? 2 : 1, random.uniform(0, 1.5), random.uniform(0, 1),
              laws[i % 3], d);
    report.solves.clear();
    report.guard_corrections = 0;
    report.guard_factor = 1;
    report.impacts.clear();
    scheme::resolve_impact(rules, solver, workspace, d, report);
    bool solved = true;
    double residual = 0;
    for (const SolveRecord& record : report.solved()) {
      solved = solved && record.solution.status == SolveStatus::solved;
      residual = std::max(residual, record.solution.certificate.worst);
    }
    uncertified += !solved;
    const double before = kinetic(d.base, d.v_before), after = kinetic(d.base, d.v_after);
    ASSERT_LE(after - before, 1e-11 * before) << i;
    corrections += report.guard_corrections;
    // No contact closes any more, and the works add up to the change of energy, as far as the
    // solves keep the momentum.
    double sum = 0;
    for (std::size_t c = 0; c < d.base.constraints.size(); ++c) {
      double w[max_rows] = {};
      linear::constraint_velocity(d.base, d.base.constraints[c], d.v_after.data(), false, w);
      ASSERT_TRUE(w[0] >= -1e-7 || !solved) << i << ' ' << w[0];
    }
    for (int r = 0; r < d.base.rows(); ++r) sum += d.work[r];
    ASSERT_NEAR(after - before, sum, (1e-10 + 100 * residual) * before) << i;
  }
  EXPECT_GT(corrections, 0);
  EXPECT_EQ(uncertified, 0);
  RecordProperty("guard_corrections", corrections);
}

// The residual of E174 at a contact: lambda_n = wanted and w_n > 0, or more and w_n = 0; friction
// of up to mu lambda_n opposite to the slip, for round cones and along the sides of a polygon.
double poisson_residual(const Constraint& c, const double* w, const double* lambda, double wanted) {
  const double normal = std::min(lambda[0] - wanted, w[0]);
  double worst = std::abs(normal), power = 0;
  std::vector<Eigen::Vector2d> corners;
  for (int k = 0; k < (c.facets > 0 ? c.facets : 4096); ++k) {
    const double angle = 2 * std::acos(-1.0) * k / (c.facets > 0 ? c.facets : 4096);
    corners.emplace_back(std::cos(angle), c.rows > 2 ? std::sin(angle) : 0);
  }
  const Eigen::Vector2d slip(w[1], c.rows > 2 ? w[2] : 0),
      force(lambda[1], c.rows > 2 ? lambda[2] : 0);
  for (std::size_t k = 0; k < corners.size(); ++k) {
    const Eigen::Vector2d &a = corners[k], &b = corners[(k + 1) % corners.size()];
    power = std::max(power, -c.mu * lambda[0] * a.dot(slip));
    const Eigen::Vector2d out = c.rows > 2
                                    ? Eigen::Vector2d(b.y() - a.y(), a.x() - b.x()).normalized()
                                    : Eigen::Vector2d(k % 2 ? -1 : 1, 0);
    const double bound = c.rows > 2 ? c.mu * lambda[0] * out.dot(a) : c.mu * lambda[0];
    worst = std::max(worst, out.dot(force) - bound);
  }
  return std::max(worst, power + slip.dot(force));  // friction dissipates all it can
}

// (E680), with as many contacts as make the impulses of the compression redundant.
TEST(Poisson, EveryContactReturnsItsShare) {
  Random random(29);
  scheme::CollisionData d;
  SolverWorkspace workspace;
  StepReport report;
  const SolverOptions solver = Auto{};
  int returned = 0, redundant = 0, unsolved = 0;
  for (int i = 0; i < 600; ++i) {
    const std::size_t contacts = 2 + static_cast<std::size_t>(i % 5);
    make_body(random, contacts, random.uniform(0.05, 0.8), random.uniform(0.1, 1),
              RestitutionLaw::poisson, d);
    for (Constraint& c : d.base.constraints) {
      c.facets = i % 3 == 0 ? 4 : i % 3 == 1 ? 8 : 0;
      c.law = Law::coulomb;
    }
    report.solves.clear();
    report.impacts.clear();
    scheme::resolve_impact({.guard = false}, solver, workspace, d, report);
    if (d.of_island.mode[0] != scheme::CollisionIslands::Mode::returned) continue;
    ++returned;
    redundant += contacts > 2 ? 1 : 0;
    // There is always a solution, also for normals that span space and cannot all open (E722).
    unsolved += d.search.speeds_found ? 0 : 1;
    if (!d.search.speeds_found) continue;
    const Solution& solution = report.solves.back().solution;
    ASSERT_EQ(solution.status, SolveStatus::solved) << i;
    for (std::size_t c = 0; c < contacts; ++c) {
      double w[max_rows] = {};
      linear::constraint_velocity(d.base, d.base.constraints[c], d.v_after.data(), false, w);
      ASSERT_LE(poisson_residual(d.base.constraints[c], w,
                                 solution.lambda.data() + d.base.first_row[c], d.search.wanted[c]),
                d.base.constraints[c].facets > 0 ? 1e-7 : 1e-5)
          << i << ' ' << c;
    }
  }
  EXPECT_GT(returned, 400);
  EXPECT_GT(redundant, 200);
  EXPECT_EQ(unsolved, 0);
}

// Several contacts at once under Stronge's law: together they return e^2 of what they stored.
TEST(ImpactEnergy, SeveralContactsReturnTheSquareOfE) {
  Random random(23);
  scheme::CollisionData d;
  SolverWorkspace workspace;
  StepReport report;
  const SolverOptions solver = Auto{};
  int several = 0;
  for (int i = 0; i < 2000; ++i) {
    const double e = random.uniform(0, 1);
    make_body(random, 2, i % 2 ? random.uniform(0, 0.5) : 0, e, RestitutionLaw::stronge, d);
    report.solves.clear();
    report.impacts.clear();
    scheme::resolve_impact({.guard = false}, solver, workspace, d, report);
    if (d.of_island.mode[0] != scheme::CollisionIslands::Mode::returned) continue;
    ++several;
    double stored = 0, work = 0;
    for (std::size_t c = 0; c < 2; ++c) {
      stored -= d.search.compression_work[c];
      work += d.work[d.base.first_row[c]];
    }
    ASSERT_NEAR(work, -(1 - e * e) * stored, 1e-11 * stored) << i;
  }
  EXPECT_GT(several, 500);
}

}  // namespace
}  // namespace cairn::test_collision
