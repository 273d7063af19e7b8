// Constraints as the rows and columns of a linear complementarity problem (E43): which variables a
// law has, and the dense u = W r + q over the constraints that take part, bilateral rows
// eliminated.
#pragma once

#include <array>
#include <vector>

#include "solver/island/local_law.hpp"

namespace cairn::solver {

// Two ways to write a planar contact: (r_n, beta_1, beta_2, lambda) as in (4.11), whose matrix is
// copositive, and (r_n, mu r_n + r_t, [u_t]_-), a quarter smaller, which is tried first.
enum class Form { compact, full };

// Can the law be written as a linear complementarity problem? (exact spatial cones cannot)
bool is_linear(const LocalConstraint& g);

bool has_friction(const LocalConstraint& g);

// The relaxed law on a polyhedral cone: r = sum of beta_i (1, mu d_i), beta_i opposite to the
// velocity along its generator, nothing else.
bool has_generators(const LocalConstraint& g);

// No complementarity at all: the impulse is a free variable.
bool is_free(const LocalConstraint& g);

// A box with two finite bounds.
bool is_two_sided(const LocalConstraint& g);

bool is_compact(const LocalConstraint& g, Form form);

// Facets of the friction section: two directions in the plane.
int directions(const LocalConstraint& g);

// Variables of a constraint: of friction as above, (r) of a normal row, (r - lo, y), (r - lo) or
// (hi - r) of a box, the impulses themselves where they are free.
int variables(const LocalConstraint& g, Form form);

// Impulse at zero of all variables: the bound from which a box is counted.
double base_impulse(const LocalConstraint& g);

// Impulse of a unit of variable i, and the velocity that stands opposite to it.
struct Pairing {
  double impulse[max_rows] = {}, velocity[max_rows] = {};
};
Pairing pairing(const LocalConstraint& g, int i, Form form);

// Terms of the matrix that couple the variables of one constraint among each other. The second
// variable of a two-sided box has the constant hi - lo as well.
struct LcpTerm {
  int row, column;
  double value;
};
using LcpTerms = std::array<LcpTerm, 129>;                           // room for 64 facets
int lcp_terms(const LocalConstraint& g, Form form, LcpTerms& list);  // returns how many

// The dense problem. Whoever fills it sets members, then resize(), then W and q.
struct DenseProblem {
  struct Member {
    const LocalConstraint* law = nullptr;
    int source = 0;  // group of the island
    int row = 0;     // first dense row
  };
  std::vector<Member> members;
  int n = 0;
  std::vector<double> W, q;

  double& w(int i, int j) {
    return W[static_cast<std::size_t>(i) * static_cast<std::size_t>(n) +
             static_cast<std::size_t>(j)];
  }
  void clear();
  void add(const LocalConstraint& law, int source);
  void resize();

  // Gaussian elimination of free impulses, largest pivot first. What is left over has no pivot
  // among the free impulses: a row that depends on the others, or one that needs an impulse of
  // another law.
  void eliminate_bilateral();
  void restore_bilateral(std::vector<double>& r) const;
  std::vector<int> left_rows, left_columns;

 private:
  std::vector<int> rows_, columns_;  // pivots in their order
  std::vector<double> eliminated_;   // their rows and right-hand sides
};

}  // namespace cairn::solver
