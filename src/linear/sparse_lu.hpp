// Sparse LU of a square matrix without structure: Markowitz counts choose the pivot among entries
// that are not small in their row, columns can be replaced one by one afterwards (product form).
// For the bases of complementary pivoting, which change by a column at a time.
//
// Use: begin(n), add(row, column, value) ..., factorize(); then solve() and replace().
// All memory is kept between uses.
#pragma once

#include <span>
#include <vector>

namespace cairn::linear {

class SparseLU {
 public:
  void begin(int n);
  // At most once per place.
  void add(int row, int column, double value);
  bool factorize();  // false: singular to working precision

  // x in: right-hand side by rows; out: solution by columns.
  void solve(std::vector<double>& x);

  // Puts a new column in the place of `column`; y = B^-1 times the new column. False: y[column] is
  // too small.
  bool replace(int column, std::span<const double> y);
  // So many columns were replaced that a new factor is cheaper, or more exact.
  bool worn() const;
  int fill() const { return static_cast<int>(lower_.size() + upper_.size()); }

 private:
  struct Entry {
    int index;
    double value;
  };
  struct Step {  // of the elimination: pivot, its multipliers and the rest of its row
    int row, column;
    double pivot;
    int lower_end, upper_end;
  };
  struct Eta {
    int column;
    double pivot;
    int end;
  };
  // Rows or columns by their number of entries, as doubly linked lists.
  struct Counts {
    std::vector<int> head, next, last, count;
    void begin(int n);
    void insert(int i, int entries);
    void remove(int i);
  };

  bool choose(int& row, int& column) const;
  const Entry* acceptable(int row, int column) const;
  void eliminate(int row, int column);

  int n_ = 0, done_ = 0;
  double tiny_ = 0;                        // below this an entry is no pivot
  std::vector<std::vector<Entry>> rows_;   // not yet eliminated
  std::vector<std::vector<int>> columns_;  // their pattern
  Counts row_counts_, column_counts_;
  std::vector<int> place_;  // scratch: column -> place in a row, -1
  std::vector<Step> steps_;
  std::vector<Entry> lower_, upper_, eta_entries_;
  std::vector<Eta> etas_;
  std::vector<double> work_;
};

}  // namespace cairn::linear
