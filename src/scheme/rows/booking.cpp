#include "scheme/rows/booking.hpp"

#include <algorithm>

namespace cairn::scheme {
namespace {

// A row that pushes, or one that holds bodies together. What closes a gap acts while the bodies
// still approach: loss. What opens an overlap puts energy in. A relaxed contact closes its gap as
// far as it does not open by its law (E91).
void book_bound(const RowTerms& t, const RowRates& rates, double impulse, Ledger& ledger) {
  const double lift = rates.opening - t.slip;
  const double closing = lift > 0 ? std::max(0.0, t.closing - lift) : t.closing;
  ledger.solver += impulse * (rates.residual - rates.opening);
  ledger.stabilisation -= impulse * (t.correction + t.closing - lift - closing);
  ledger.impact += impulse * closing;
  ledger.impact += impulse * t.bounce;
}

}  // namespace

void book(const Constraint& c, int row, const RowTerms& t, const RowRates& rates, double impulse,
          Ledger& ledger) {
  ledger.work_motion -= impulse * t.motion;
  switch (c.key.role) {
    case Role::drive:
      ledger.work_applied += impulse * rates.rate;
      return;
    case Role::friction:
      ledger.friction -= impulse * rates.rate;
      return;
    case Role::spring:
      // The potential of the spring is followed with the others; the damper takes its share.
      ledger.passive -= t.drag * rates.rate * rates.rate;
      ledger.integrator += (impulse + t.drag * rates.rate) * rates.rate;
      return;
    case Role::rotor:
      ledger.integrator += impulse * rates.rate;
      return;
    default:
      break;
  }
  if (rubs(c, row))
    ledger.friction -= impulse * rates.rate;
  else if (pushes(c.key.role) && c.law == Law::box)  // a spring, whose impulse is given (E255)
    ledger.impact -= impulse * rates.rate;
  else
    book_bound(t, rates, impulse, ledger);
}

void book_impact(const Constraint& c, int row, const RowImpact& impact, Ledger& ledger) {
  ledger.work_motion -= impact.impulse * impact.motion;
  if (impact.joints_keep && !is_of_contact(c.key.role))
    ledger.stabilisation += impact.work;
  else
    (rubs(c, row) ? ledger.friction : ledger.impact) -= impact.work;
}

}  // namespace cairn::scheme
