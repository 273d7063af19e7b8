// The ledger by rows (E971 to E973): what the impulse of a row did is booked by the role of its
// constraint and by the terms of its constant part. All schemes book their rows here; what is left
// to them is their integrator's own term.
#pragma once

#include "cairn/simulator.hpp"
#include "scheme/rows/step_problem.hpp"

namespace cairn::scheme {

// How fast the bodies move along a row whose impulse is booked [m/s].
struct RowRates {
  double rate = 0;      // at which the impulse acts, with prescribed motion
  double residual = 0;  // w, which the law makes zero but for `opening`
  double opening = 0;   // w_n that a relaxed contact asks for (E91)
};

// Friction of a contact or about it: along row `row` of the constraint energy is dissipated.
inline bool rubs(const Constraint& c, int row) {
  return c.key.role == Role::torsion || c.key.role == Role::rolling || (row > 0 && has_cone(c.law));
}

// What an impulse [N s] did over a part of the time (E971).
void book(const Constraint& c, int row, const RowTerms& terms, const RowRates& rates,
          double impulse, Ledger& ledger);

// What the impulse of a row did at one moment.
struct RowImpact {
  double motion = 0;         // prescribed, along the row [m/s]
  double impulse = 0;        // [N s]
  double work = 0;           // of it, prescribed motion included [J]
  bool joints_keep = false;  // joints keep the velocities that they had, errors included (E211)
};
void book_impact(const Constraint& c, int row, const RowImpact& impact, Ledger& ledger);

}  // namespace cairn::scheme
