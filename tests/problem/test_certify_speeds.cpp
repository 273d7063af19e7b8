// The certificate as a measure of motion (E11, E310, E311): random problems whose solution is
// known, with masses over fifteen decades and speeds over eighteen, and errors of known size in
// them.
//
// A problem is made backwards: impulses lambda and velocities v that satisfy all laws, b = -J v
// (plus an opening velocity where a contact opens) and k = A v - J^T lambda, rounded once from long
// double. The pair (v, lambda) is then exact up to one rounding of b and k.
#include <Eigen/Dense>
#include <cmath>
#include <gtest/gtest.h>

#include "cairn/solution.hpp"
#include "problem/make_problem.hpp"

namespace cairn::test_certify_speeds {
namespace {

using make::Random;
using Real = long double;
using Wide = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;
using WideVec = Eigen::Matrix<Real, Eigen::Dynamic, 1>;

constexpr double tolerance = 1e-8;

enum class Kind { falling, resting, mixed };

struct Case {
  Problem problem;
  VecX v, lambda;
  std::vector<double> mass;  // of each body
  Certificate judged() const { return certify(problem, v, lambda); }
};

// A body of six velocities: mass, and inertia of a body up to the size of the length unit.
void add_random_body(Random& random, double mass, Case& c) {
  Eigen::MatrixXd A = mass * Eigen::MatrixXd::Identity(6, 6);
  const double gyration = std::exp(make::uniform(random, std::log(0.05), 0));
  for (int k = 3; k < 6; ++k) A(k, k) *= gyration * gyration * make::uniform(random, 0.5, 1);
  make::add_body(c.problem, A, VecX::Zero(6));
  c.mass.push_back(mass);
}

// Rows at a point of both bodies, no farther from the centres than the length unit.
void fill_rows(Random& random, Constraint& c) {
  const Eigen::Matrix3d frame =
      Eigen::Quaterniond(make::normal(random), make::normal(random), make::normal(random), 1)
          .normalized()
          .toRotationMatrix();
  for (int side = 0; side < 2; ++side) {
    const Vec3 arm = Vec3(make::uniform(random, -0.5, 0.5), make::uniform(random, -0.5, 0.5),
                          make::uniform(random, -0.5, 0.5));
    for (int r = 0; r < c.rows; ++r) {
      const Vec3 n = (side == 0 ? -1.0 : 1.0) * frame.col(r), turn = arm.cross(n);
      for (int k = 0; k < 3; ++k) {
        c.J[side][r][k] = n[k];
        c.J[side][r][3 + k] = turn[k];
      }
    }
  }
}

struct Matrices {
  Wide A, J;
  explicit Matrices(const Problem& problem) {
    const make::Dense d = make::dense(problem);
    A = d.A.cast<Real>();
    J = d.J.cast<Real>();
  }
  WideVec velocity_of(const WideVec& p) const {
    return A.diagonal().cwiseInverse().cwiseProduct(p);
  }
};

Case random_case(Random& random, Kind kind) {
  Case c;
  const int bodies = 1 + make::pick(random, 4);
  const double speed = std::pow(10, make::uniform(random, -12, 6));
  for (int i = 0; i < bodies; ++i)
    add_random_body(random, std::pow(10, make::uniform(random, -6, 9)), c);
  // A tree of constraints; the first body is held by the world unless everything falls.
  std::vector<double> impulses, openings;
  for (int i = kind == Kind::falling ? 1 : 0; i < bodies; ++i) {
    const bool contact = kind == Kind::resting || (kind == Kind::mixed && make::pick(random, 2));
    const int parent = i == 0 ? -1 : make::pick(random, i);
    Constraint& row = make::add(c.problem, contact ? Law::coulomb : Law::equality, 3, parent, i);
    row.mu = contact ? make::uniform(random, 0.1, 1) : 0;
    fill_rows(random, row);
    // An impulse between those that would move the lighter and the heavier body with `speed`.
    const double share = make::uniform(random, 0, 1), own = c.mass[base::at(i)],
                 other = parent < 0 ? own : c.mass[base::at(parent)];
    const double size = speed * std::pow(own, share) * std::pow(other, 1 - share);
    const bool open = contact && make::pick(random, 3) == 0;
    const double normal = open ? 0 : make::uniform(random, 0.5, 2) * size;
    const double angle = make::uniform(random, 0, 6.28), slope = 0.9 * (contact ? row.mu : 1);
    impulses.insert(impulses.end(),
                    {normal, slope * normal * std::cos(angle), slope * normal * std::sin(angle)});
    openings.push_back(open ? speed : 0);
  }
  c.lambda = Eigen::Map<VecX>(impulses.data(), static_cast<Eigen::Index>(impulses.size()));
  c.v = speed * make::random_vector(random, c.problem.velocities());
  const Matrices m(c.problem);
  const WideVec w = m.J * c.v.cast<Real>();
  for (std::size_t i = 0; i < c.problem.constraints.size(); ++i)
    for (int r = 0; r < 3; ++r)
      c.problem.constraints[i].b[r] =
          static_cast<double>((r == 0 ? openings[i] : 0) - w[c.problem.first_row[i] + r]);
  c.problem.k = (m.A * c.v.cast<Real>() - m.J.transpose() * c.lambda.cast<Real>()).cast<double>();
  return c;
}

// What the certificate should measure by, in long double. All bodies are one island here.
struct Gauge {
  Real V = 0, M = 0;
  std::vector<Real> kappa, d;  // of constraints
  std::vector<double> light;   // lightest mass of constraints
  explicit Gauge(const Case& c) {
    const Matrices m(c.problem);
    const WideVec v_free = m.velocity_of(c.problem.k.cast<Real>());
    for (std::size_t i = 0; i < c.mass.size(); ++i) {
      const auto part = v_free.segment(6 * static_cast<Eigen::Index>(i), 6);
      const auto A = m.A.diagonal().segment(6 * static_cast<Eigen::Index>(i), 6);
      V = std::max(V, std::sqrt(A.dot(part.cwiseAbs2()) / Real(c.mass[i])) / 1024);
      M += Real(c.mass[i]);
    }
    for (std::size_t i = 0; i < c.problem.constraints.size(); ++i) {
      const Constraint& row = c.problem.constraints[i];
      const auto J = m.J.middleRows(c.problem.first_row[i], 3);
      const Real W = (J * m.A.diagonal().cwiseInverse().asDiagonal() * J.transpose()).trace() / 3;
      d.push_back(Real(power_of_two(static_cast<double>(1.2L * std::sqrt(W)))));
      double lightest = c.mass[base::at(row.body[1])];
      if (row.body[0] >= 0) lightest = std::min(lightest, c.mass[base::at(row.body[0])]);
      light.push_back(lightest);
      kappa.push_back(std::min(d.back(), 1 / std::sqrt(Real(lightest))));
      WideVec w = J * v_free;
      for (int r = 0; r < 3; ++r) w[r] += Real(row.b[r]);
      if (row.law == Law::equality || w[0] < 0) V = std::max(V, kappa.back() * w.norm() / d.back());
    }
  }
  // An error that is above the tolerance whatever the terms of the floor are, mass m.
  double beyond(double m) const {
    const Real floor = std::min(Real(0x1p-10), Real(0x1p-38) * M / Real(m));
    return static_cast<double>((2 * tolerance + floor) * V);
  }
};

// A direction of unit root mean square speed.
VecX direction(Random& random, const Case& c, std::size_t body) {
  VecX x = make::random_vector(random, 6);
  double energy = 0;
  for (int k = 0; k < 6; ++k) energy += c.problem.bodies[body].A[k][k] * x[k] * x[k];
  return x * std::sqrt(c.mass[body] / energy);
}

template <class Test>
void for_random_cases(int trials, const Test& test) {
  Random random(20);
  for (const Kind kind : {Kind::falling, Kind::resting, Kind::mixed})
    for (int trial = 0; trial < trials; ++trial) {
      SCOPED_TRACE("kind " + std::to_string(static_cast<int>(kind)) + " trial " +
                   std::to_string(trial));
      test(random_case(random, kind), random);
    }
}

// The rounding of b and k is covered by the floors.
TEST(CertifySpeeds, KnownSolutionsAreCertified) {
  for_random_cases(200, [](const Case& c, Random&) {
    const Certificate x = c.judged();
    EXPECT_LE(x.worst, tolerance);
  });
}

// One body moves by `error` more than it should. Above the tolerance the momentum balance shows it;
// an error of a hundredth of the tolerance, which rows with levers see enlarged, passes.
TEST(CertifySpeeds, ErrorsOfVelocityAreSeen) {
  for_random_cases(200, [](const Case& exact, Random& random) {
    const Gauge gauge(exact);
    const std::size_t body =
        static_cast<std::size_t>(make::pick(random, static_cast<int>(exact.mass.size())));
    const VecX way = direction(random, exact, body);
    Case c = exact;
    c.v.segment(6 * static_cast<Eigen::Index>(body), 6) += gauge.beyond(exact.mass[body]) * way;
    EXPECT_GT(c.judged().momentum, tolerance);
    c.v = exact.v;
    c.v.segment(6 * static_cast<Eigen::Index>(body), 6) +=
        0.01 * tolerance * static_cast<double>(gauge.V) * way;
    EXPECT_LE(c.judged().worst, tolerance);
  });
}

// An impulse is wrong and the velocities are those that it gives: the momentum balance holds, the
// velocity of the row does not.
TEST(CertifySpeeds, ErrorsOfImpulsesAreSeen) {
  int seen = 0;
  for_random_cases(200, [&](const Case& exact, Random& random) {
    if (exact.problem.constraints.empty()) return;
    const Gauge gauge(exact);
    const Matrices m(exact.problem);
    const std::size_t i = static_cast<std::size_t>(
        make::pick(random, static_cast<int>(exact.problem.constraints.size())));
    const int first = exact.problem.first_row[i];
    if (exact.lambda[first] == 0) return;  // open
    // A pull along the first row, that is into the contact, with the speed `error`.
    const WideVec way = m.velocity_of(WideVec(m.J.row(first).transpose()));
    const Real w = m.J.row(first) * way, unit = gauge.d[i] / (gauge.kappa[i] * w);
    const auto disturbed = [&](double error) {
      Case c = exact;
      const Real change = Real(-error) * unit;
      c.lambda[first] = static_cast<double>(Real(exact.lambda[first]) + change);
      const Real taken = Real(c.lambda[first]) - Real(exact.lambda[first]);
      c.v = (exact.v.cast<Real>() + taken * way).cast<double>();
      return c;
    };
    const Certificate x = disturbed(gauge.beyond(gauge.light[i])).judged();
    const bool contact = exact.problem.constraints[i].law == Law::coulomb;
    EXPECT_GT(contact ? x.gap_velocity : x.equality, tolerance);
    EXPECT_LE(disturbed(1e-3 * tolerance * static_cast<double>(gauge.V)).judged().worst, tolerance);
    ++seen;
  });
  EXPECT_GT(seen, 300);
}

// The same constraint twice, with velocities that differ by `error`: there is no solution. Impulses
// of any size, with velocities half way between, are not certified.
TEST(CertifySpeeds, ContradictionsAreNotCertified) {
  for_random_cases(100, [](const Case& exact, Random& random) {
    if (exact.problem.constraints.empty() || exact.problem.constraints[0].law != Law::equality)
      return;
    const Gauge gauge(exact);
    Case c = exact;
    const Constraint first = exact.problem.constraints[0];
    Constraint& again = make::add(c.problem, Law::equality, 3, first.body[0], first.body[1]);
    again = first;
    const double error =
        4 * gauge.beyond(gauge.light[0]) * static_cast<double>(gauge.d[0] / gauge.kappa[0]);
    again.b[0] -= error;
    c.problem.constraints[0].b[0] += error;
    for (const double size : {0.0, 1.0, 1e6, 1e15, 1e30}) {
      c.lambda.conservativeResize(exact.lambda.size() + 3);
      c.lambda.head(exact.lambda.size()) = exact.lambda;
      c.lambda.tail(3).setZero();
      const double push = size * (std::abs(exact.lambda[0]) + make::uniform(random, 0, 1));
      c.lambda[0] += push;
      c.lambda[exact.lambda.size()] -= push;
      EXPECT_GT(c.judged().equality, tolerance) << size;
    }
  });
}

// Masses by 4^a, velocities by 2^e.
TEST(CertifySpeeds, ScalingByPowersOfTwoChangesNoBit) {
  for_random_cases(40, [](const Case& exact, Random& random) {
    Case c = exact;
    c.v += 1e-6 * make::random_vector(random, c.problem.velocities()).cwiseProduct(c.v);
    for (const int a : {-9, 4})
      for (const int e : {-20, 11}) {
        Case scaled = c;
        const double mass = std::ldexp(1, 2 * a), speed = std::ldexp(1, e);
        for (ProblemBody& body : scaled.problem.bodies)
          for (auto& row : body.A)
            for (double& x : row) x *= mass;
        scaled.problem.k *= mass * speed;
        for (Constraint& row : scaled.problem.constraints)
          for (double& x : row.b) x *= speed;
        scaled.v *= speed;
        scaled.lambda *= mass * speed;
        EXPECT_EQ(scaled.judged().worst, c.judged().worst);
        EXPECT_EQ(scaled.judged().momentum, c.judged().momentum);
        EXPECT_EQ(scaled.judged().natural_map, c.judged().natural_map);
        EXPECT_EQ(scaled.judged().complementarity, c.judged().complementarity);
      }
  });
}

}  // namespace
}  // namespace cairn::test_certify_speeds
