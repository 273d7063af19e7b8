// LU factorisation of a sparse unsymmetric matrix with pivoting; the file that uses Eigen's.
#pragma once

#include <memory>
#include <vector>

namespace cairn::linear {

class PivotedLU {
 public:
  PivotedLU();
  ~PivotedLU();
  PivotedLU(PivotedLU&&) noexcept;
  PivotedLU& operator=(PivotedLU&&) noexcept;

  void begin(int size);
  void add(int row, int column, double value);  // entries of one place add up
  bool factorize();                             // false: singular
  void solve(std::vector<double>& x) const;     // in: right-hand side, out: solution

 private:
  struct Factor;
  std::unique_ptr<Factor> factor_;
};

}  // namespace cairn::linear
