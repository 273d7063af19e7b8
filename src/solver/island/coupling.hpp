// The constraints of an island as one linear operator: u = W r + q and solves with W + Theta (E44).
// Solvers that need no more than this run on an island of bodies and on a stored W alike.
//
// Everything is scaled by d (E10). Virtual, because which of the two it is becomes known at run
// time; a call does the work of a whole product.
#pragma once

#include <span>
#include <vector>

#include "problem/cone.hpp"
#include "solver/interruptible.hpp"

namespace cairn::solver {

// A block of Theta on one constraint, with its inverse: which of the two is stable to form only the
// method knows. Neither need be symmetric. On equality rows Theta is zero and the operator puts in
// a pivot of its own.
struct ThetaBlock {
  double value[max_rows][max_rows] = {};
  double inverse[max_rows][max_rows] = {};
};

// theta.inverse from theta.value by elimination with pivoting; false if singular.
bool invert(ThetaBlock& theta, int rows);

class Coupling : public Interruptible {
 public:
  struct Part {           // one constraint
    problem::LawSet set;  // with lo and hi scaled
    int first = 0;        // impulses r[first .. first + set.rows)
  };

  virtual ~Coupling() = default;
  virtual void multiply(const std::vector<double>& r, std::vector<double>& u) = 0;  // u = W r + q
  // W + Theta, one block per part; false if it is singular.
  virtual bool factor(std::span<const ThetaBlock> theta) = 0;
  virtual void solve(std::vector<double>& x) = 0;  // x <- (W + Theta)^-1 x
  // What factor() and solve() take, in products of 6 x 6 blocks (E314); zero before the first
  // factor().
  virtual double factor_work() const = 0;
  virtual double solve_work() const = 0;

  std::span<const Part> parts() const { return parts_; }
  std::size_t rows() const { return q_.size(); }
  const std::vector<double>& q() const { return q_; }
  double scale() const { return scale_; }  // largest scaled velocity of rows that act

  // The estimate of the certificate at r with u = W r + q.
  virtual double residual(const std::vector<double>& r, const std::vector<double>& u) const = 0;

 protected:
  std::vector<Part> parts_;
  std::vector<double> q_;
  double scale_ = 0;
};

}  // namespace cairn::solver
