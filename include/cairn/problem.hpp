// The one mathematical object of Cairn (docs/equations.md, E1 to E4): every scheme fills it, every
// solver solves it, certify() judges the answer.
//
//   A v = k + J^T lambda,   w = J v + b + C lambda,   and a law between w and lambda for each
//   constraint; C is diagonal, zero for rigid rows.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cairn/constraint_key.hpp"
#include "cairn/math.hpp"

namespace cairn {

enum class Law : std::uint8_t {
  equality,     // w = 0, lambda free
  nonnegative,  // 0 <= lambda _|_ w >= 0, one row
  box,          // lo <= lambda <= hi, -w in the normal cone, one row
  coulomb,      // lambda in K_mu, w + s(w_T) e_n in K_mu*, orthogonal; rows (n, t1) or (n, t1, t2)
  coulomb_relaxed,  // the convex relaxation: lambda in K_mu, w in K_mu*, orthogonal; rows as above
  disc,  // |lambda| <= mu times the normal impulse of constraint `tie`, or without a tie `hi`, -w
         // in the normal cone; one or two rows: rolling and torsional friction (E240), friction of
         // an impulse that is given (E680)
};
const char* name(Law law);

// Impulses in a friction cone.
constexpr bool has_cone(Law law) {
  return law == Law::coulomb || law == Law::coulomb_relaxed;
}
// Impulses that only push along the first row.
constexpr bool is_unilateral(Law law) {
  return law == Law::nonnegative || has_cone(law);
}

constexpr int max_rows = 3;        // of a constraint
constexpr int max_velocities = 6;  // of a body
constexpr int max_sides = 4;       // bodies of a constraint

// Indices of bodies of a problem; -1: not free to move, or not used.
struct ConstraintBodies : std::array<int, max_sides> {
  constexpr ConstraintBodies(int a = -1, int b = -1, int c = -1, int d = -1)
      : std::array<int, max_sides>{a, b, c, d} {}
  constexpr ConstraintBodies(const std::array<int, 2>& pair) : ConstraintBodies(pair[0], pair[1]) {}
};

// A group of one to three rows under one law between at most max_sides bodies.
struct Constraint {
  Law law = Law::equality;
  int rows = 1;
  int sides = 2;  // entries of body and J that are used; more than two only under the laws
                  // equality, nonnegative and box
  ConstraintBodies body;
  double mu = 0;   // laws with a cone and disc [-]
  int facets = 0;  // of a cone with three rows: 0 exact, else sides of the inscribed pyramid, first
                   // along t1
  std::shared_ptr<const FrictionPolygon> section;  // of a cone with three rows: over mu, instead of
                                                   // facets (E247)
  double lo = 0, hi = 0;                           // box; hi: disc without a tie [N s]
  int tie = -1;  // disc: the unilateral constraint, between the same bodies, whose normal impulse
                 // bounds this one; -1: none does
  double J[max_sides][max_rows][max_velocities] = {};  // rows of J, for each body
  double b[max_rows] = {};                             // [m/s, rad/s]
  double compliance[max_rows] = {};  // diagonal of C, at least 0; not with a cone [1/kg]

  bool compliant() const { return compliance[0] > 0 || compliance[1] > 0 || compliance[2] > 0; }
  ConstraintKey key;
};

// Masses, lengths and times are measured in these units, powers of two: in them all numbers are
// near one and scaling a scene by powers of two changes no bit of the problem.
struct Units {
  double mass = 1, length = 1, time = 1;                                  // [kg], [m], [s]
  double speed() const { return length / time; }                          // [m/s]
  double impulse() const { return mass * length / time; }                 // [N s]
  double energy() const { return mass * length / time * length / time; }  // [J]
};

// Velocities of body i: v[first .. first + size), with the diagonal block of A. The symmetric part
// of A as a whole is positive definite; the rest may be anything (gyroscopic terms).
struct ProblemBody {
  int first = 0;
  int size = 0;                                   // 1 to 6
  double A[max_velocities][max_velocities] = {};  // mass-like matrix
  std::int32_t model_body = -1;  // index into Model::bodies; -1 in problems read from files
};

// Blocks of A between two different bodies, as a spring between them makes them in an implicit
// scheme. Several couplings of the same bodies add up.
struct BodyCoupling {
  std::array<int, 2> body = {-1, -1};
  double A[2][max_velocities][max_velocities] = {};  // A[0]: rows of body[0], columns of body[1];
                                                     // A[1]: rows of body[1], columns of body[0]
};

struct Problem {
  Units units;
  std::vector<ProblemBody> bodies;
  std::vector<BodyCoupling> couplings;
  VecX k;                               // right-hand side of the momentum balance: A v_free = k
  std::vector<Constraint> constraints;  // in the order of their keys; lambda and w likewise
  std::vector<int> first_row;           // constraints + 1 entries: rows of constraint i start here
  std::vector<std::string> names;       // of constraints of role given

  int velocities() const { return static_cast<int>(k.size()); }
  int rows() const { return first_row.empty() ? 0 : first_row.back(); }
};

}  // namespace cairn
