// The primal simplex method with an explicit inverse for small dense linear programs that share
// their constraints: min c . x, A x = g, 0 <= x <= upper (or x free), many c one after the other,
// columns added on the way. Dantzig's rule, Bland's where the vertex is degenerate (Bland 1977).
#pragma once

#include <vector>

#include "cairn/math.hpp"

namespace cairn::analyse {

class Simplex {
 public:
  enum class Status : std::uint8_t { optimal, unbounded, failed };

  // g: right-hand side, of order one; A must have full row rank over the columns that are added.
  explicit Simplex(const VecX& g);

  // Returns the column's number. `upper` may be infinite; a free column has neither bound.
  int add(const VecX& column, double upper, bool free);

  // Finds a first vertex; failed: there is none, or the pivots ran out.
  Status start();

  // From the present vertex, with one cost per column.
  Status minimise(const VecX& costs);

  VecX values() const;                     // x of every column
  const VecX& dual() const { return y_; }  // y of the last minimise: c - A^T y >= 0 at lower bounds
  int columns() const { return static_cast<int>(upper_.size()) - artificials_; }
  int pivots() const { return pivots_; }

  // Forgets all columns from `first` on that are at zero; the new number of each column, or -1.
  std::vector<int> drop_idle(int first);

 private:
  // Columns 0 to rows-1 are artificial, those of the caller follow.
  Status iterate(const VecX& costs);
  bool enter(int column, double direction);
  void refactor();
  void find_values();
  int entering(const VecX& costs, double& direction) const;
  double dot(int column, const VecX& y) const;
  void subtract(int column, double factor, VecX& rest) const;

  int artificials_ = 0;
  // Columns, sparse: contacts act on two bodies.
  std::vector<int> start_ = {0}, row_;
  std::vector<double> value_;
  VecX g_, y_, x_;  // x_: of the basis
  std::vector<double> upper_;
  std::vector<char> free_, at_upper_, basic_;
  std::vector<int> basis_;
  Eigen::MatrixXd inverse_;
  VecX reduced_, alpha_;
  int pivots_ = 0, since_factor_ = 0, stalled_ = 0;
};

}  // namespace cairn::analyse
