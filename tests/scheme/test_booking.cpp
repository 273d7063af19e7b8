// The ledger by rows (E970 to E972): what is booked of a row adds up to the work of its impulse.
#include <gtest/gtest.h>
#include <limits>
#include <random>

#include "cairn/check.hpp"
#include "scheme/rows/booking.hpp"

namespace cairn {
namespace {

// A dozen sums and products of numbers below 7.
constexpr double rounding = 16 * 7 * std::numeric_limits<double>::epsilon();

double sum_of(const Ledger& l) {
  return l.work_applied + l.work_motion - l.friction - l.impact + l.stabilisation + l.integrator +
         l.solver + l.passive;
}

struct RandomRow {
  explicit RandomRow(std::uint64_t seed) : engine(seed) {}
  double operator()() { return std::uniform_real_distribution<double>(-1, 1)(engine); }
  std::mt19937_64 engine;
};

// lambda . J v with w = J v + b: every part of b is somebody's, whatever the role.
TEST(Booking, PartsOfARowAddUpToItsWorkOnTheBodies) {
  RandomRow random(1);
  for (const Role role : {Role::joint, Role::gear, Role::drive, Role::friction, Role::spring,
                          Role::rotor, Role::limit, Role::contact, Role::torsion, Role::rolling})
    for (const Law law : {Law::equality, Law::nonnegative, Law::coulomb, Law::coulomb_relaxed})
      for (int row = 0; row < 2; ++row)
        for (int i = 0; i < 50; ++i) {
          Constraint c;
          c.key.role = role;
          c.law = law;
          const bool along = acts_on_coordinate(role), bound = !along && !scheme::rubs(c, row);
          scheme::RowTerms t;
          t.motion = random();
          if (bound) t.correction = random();
          if (bound && pushes(role)) {
            t.closing = std::abs(random());
            t.bounce = -std::abs(random());
            t.slip = law == Law::coulomb_relaxed ? std::abs(random()) : 0;
          }
          if (along) t.target = random();
          if (role == Role::spring) t.drag = std::abs(random());
          const double rate_of_bodies = random(), impulse = random();
          const double w = rate_of_bodies + t.sum(1);
          scheme::RowRates rates{w + t.target, w};
          if (bound && law == Law::coulomb_relaxed) rates.opening = std::abs(random());
          Ledger ledger;
          scheme::book(c, row, t, rates, impulse, ledger);
          EXPECT_NEAR(sum_of(ledger), impulse * rate_of_bodies, rounding)
              << name(role) << " " << name(law) << " " << row;
        }
}

TEST(Booking, AnImpactBooksItsWorkAndThatOfPrescribedMotion) {
  RandomRow random(2);
  for (const Role role : {Role::joint, Role::contact, Role::torsion})
    for (const bool keep : {false, true}) {
      Constraint c;
      c.key.role = role;
      c.law = role == Role::contact ? Law::coulomb : Law::equality;
      for (int row = 0; row < 2; ++row) {
        const double motion = random(), impulse = random(), rate = random();
        Ledger ledger;
        scheme::book_impact(
            c, row,
            {.motion = motion, .impulse = impulse, .work = impulse * rate, .joints_keep = keep},
            ledger);
        EXPECT_NEAR(sum_of(ledger), impulse * (rate - motion), rounding);
        EXPECT_EQ(ledger.stabilisation != 0, keep && role == Role::joint);
        EXPECT_EQ(ledger.friction != 0, scheme::rubs(c, row));
      }
    }
}

#ifdef CAIRN_DCHECKS
// One row whose constant part is not what its terms say.
TEST(StepProblem, ComparesTheTermsWithTheProblem) {
  Problem problem;
  problem.units.length = 4;
  problem.units.time = 0.5;
  Constraint& c = problem.constraints.emplace_back();
  c.key.role = Role::contact;
  problem.first_row = {0, 1};
  scheme::StepProblem posed;
  posed.begin({});
  posed.add_contact(problem);
  posed.add({.motion = 2, .correction = -0.5, .bounce = -0.25});
  c.b[0] = 1.25 / 8;
  EXPECT_NO_THROW(posed.dcheck(problem));
  EXPECT_EQ(posed.constraint_of(0), 0u);
  c.b[0] *= 1 + 1e-12;
  EXPECT_THROW(posed.dcheck(problem), InternalError);
  c.b[0] = 1.25 / 8;
  problem.first_row = {0, 2};
  EXPECT_THROW(posed.dcheck(problem), InternalError);
}
#endif

}  // namespace
}  // namespace cairn
