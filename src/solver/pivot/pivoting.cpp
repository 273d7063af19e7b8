#include "solver/pivot/pivoting.hpp"

#include <algorithm>
#include <cmath>

#include "base/index.hpp"

namespace cairn::solver {
namespace {

// Of the largest entry of the direction: smaller ones are rounding, not pivots.
constexpr double smallest_pivot = 1e-10;
// Basic variables may be below zero by this part of the largest; the slack is used to prefer large
// pivots among nearly equal ratios (Harris).
constexpr double ratio_slack = 1e-13;

// splitmix64, mapped to [0.5, 1.5].
double random_cover(std::uint64_t& state) {
  std::uint64_t z = (state += 0x9e3779b97f4a7c15ULL);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return 0.5 + static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1.0p-53;
}

// Variables: x_i is i, w_j is free + j, z_j is free + pairs + j, the artificial one comes last.
class PivotPath {
 public:
  PivotPath(const PairedSystem& system, PathBuffers& buffers) : s_(system), b_(buffers) {}

  bool resolve();
  PathEnd follow(const std::vector<char>& start, std::uint64_t& random, int max_pivots,
                 int& pivots);

 private:
  int rows() const { return s_.free + s_.pairs; }
  int artificial() const { return s_.free + 2 * s_.pairs; }
  void sort_columns();
  bool factor();
  void add_column(int variable, double factor, std::vector<double>& a) const;
  int leaving_slot() const;
  void read_answer();

  const PairedSystem& s_;
  PathBuffers& b_;
};

void PivotPath::sort_columns() {
  b_.first.assign(base::at(rows() + 1), 0);
  for (const auto& e : s_.entries) ++b_.first[base::at(e.column + 1)];
  for (int c = 0; c < rows(); ++c) b_.first[base::at(c + 1)] += b_.first[base::at(c)];
  b_.sorted.resize(s_.entries.size());
  for (const auto& e : s_.entries) b_.sorted[base::at(b_.first[base::at(e.column)]++)] = e;
  for (int c = rows(); c > 0; --c) b_.first[base::at(c)] = b_.first[base::at(c - 1)];
  b_.first[0] = 0;
}

bool PivotPath::factor() {
  b_.lu.begin(rows());
  for (int slot = 0; slot < rows(); ++slot) {
    const int variable = b_.basis[base::at(slot)];
    if (variable == artificial()) {
      for (int r = 0; r < rows(); ++r) b_.lu.add(r, slot, b_.artificial[base::at(r)]);
    } else if (variable >= s_.free && variable < s_.free + s_.pairs) {
      b_.lu.add(variable, slot, 1);
    } else {
      const int c = variable < s_.free ? variable : variable - s_.pairs;
      for (int k = b_.first[base::at(c)]; k < b_.first[base::at(c + 1)]; ++k)
        b_.lu.add(b_.sorted[base::at(k)].row, slot, b_.sorted[base::at(k)].value);
    }
  }
  if (!b_.lu.factorize()) return false;
  b_.x = s_.rhs;
  b_.lu.solve(b_.x);
  return true;
}

// a += factor times the column of a member of a pair.
void PivotPath::add_column(int variable, double factor, std::vector<double>& a) const {
  if (variable < s_.free + s_.pairs) {
    a[base::at(variable)] += factor;
    return;
  }
  const int c = variable - s_.pairs;
  for (int k = b_.first[base::at(c)]; k < b_.first[base::at(c + 1)]; ++k)
    a[base::at(b_.sorted[base::at(k)].row)] += factor * b_.sorted[base::at(k)].value;
}

// The pair variable that reaches zero first as the entering one grows; the artificial one whenever
// it can. -1: a ray.
int PivotPath::leaving_slot() const {
  double largest = 0, size = 0;
  for (int i = s_.free; i < rows(); ++i) {
    largest = std::max(largest, std::abs(b_.y[base::at(i)]));
    size = std::max(size, b_.x[base::at(i)]);
  }
  const double least = smallest_pivot * largest, slack = ratio_slack * size;
  double limit = -1;
  for (int i = s_.free; i < rows(); ++i) {
    if (!(b_.y[base::at(i)] > least)) continue;
    const double ratio = (std::max(0.0, b_.x[base::at(i)]) + slack) / b_.y[base::at(i)];
    if (limit < 0 || ratio < limit) limit = ratio;
  }
  int best = -1;
  for (int i = s_.free; i < rows(); ++i) {
    if (!(b_.y[base::at(i)] > least) ||
        std::max(0.0, b_.x[base::at(i)]) > limit * b_.y[base::at(i)])
      continue;
    if (b_.basis[base::at(i)] == artificial()) return i;
    if (best < 0 || b_.y[base::at(i)] > b_.y[base::at(best)]) best = i;
  }
  return best;
}

bool PivotPath::resolve() {
  b_.x = s_.rhs;
  b_.lu.solve(b_.x);
  read_answer();
  double least = 0, size = 0;
  for (int i = s_.free; i < rows(); ++i) {
    least = std::min(least, b_.x[base::at(i)]);
    size = std::max(size, std::abs(b_.x[base::at(i)]));
  }
  return least >= -ratio_slack * size;
}

void PivotPath::read_answer() {
  b_.z.assign(base::at(s_.pairs), 0.0);
  for (int i = s_.free; i < rows(); ++i) {
    const int j = b_.basis[base::at(i)] - s_.free - s_.pairs;
    if (j >= 0 && j < s_.pairs) b_.z[base::at(j)] = std::max(0.0, b_.x[base::at(i)]);
  }
}

PathEnd PivotPath::follow(const std::vector<char>& start, std::uint64_t& random, int max_pivots,
                          int& pivots) {
  sort_columns();
  b_.z.assign(base::at(s_.pairs), 0.0);
  b_.basis.resize(base::at(rows()));
  for (int i = 0; i < s_.free; ++i) b_.basis[base::at(i)] = i;
  for (int j = 0; j < s_.pairs; ++j)
    b_.basis[base::at(s_.free + j)] = s_.free + j + (start[base::at(j)] ? s_.pairs : 0);
  if (!factor()) return PathEnd::singular;

  // The covering column is minus the basis times a positive vector: from any complementary basis a
  // large enough artificial variable makes all pairs nonnegative.
  b_.cover.assign(base::at(rows()), 0.0);
  int slot = -1;
  double most = 0;
  for (int i = s_.free; i < rows(); ++i) {
    b_.cover[base::at(i)] = random_cover(random);
    const double need = -b_.x[base::at(i)] / b_.cover[base::at(i)];
    if (need > most) {
      most = need;
      slot = i;
    }
  }
  double size = 0;
  for (const double x : b_.x) size = std::max(size, std::abs(x));
  if (slot < 0 || most <= ratio_slack * size) {
    read_answer();
    return PathEnd::solved;
  }
  b_.artificial.assign(base::at(rows()), 0.0);
  for (int i = s_.free; i < rows(); ++i)
    add_column(b_.basis[base::at(i)], -b_.cover[base::at(i)], b_.artificial);
  b_.y.assign(base::at(rows()), 0.0);
  for (int i = s_.free; i < rows(); ++i) b_.y[base::at(i)] = -b_.cover[base::at(i)];

  int entering = artificial(), at_artificial = slot;
  double step = most;
  PathEnd end = PathEnd::pivots;
  for (int k = 0; k < max_pivots && !s_.interrupted(cost::evaluation * rows() / 2); ++k) {
    for (int i = 0; i < rows(); ++i) b_.x[base::at(i)] -= step * b_.y[base::at(i)];
    b_.x[base::at(slot)] = step;
    const int leaving = b_.basis[base::at(slot)];
    b_.basis[base::at(slot)] = entering;
    ++pivots;
    if (!b_.lu.replace(slot, b_.y) || (b_.lu.worn() && !factor())) {
      end = PathEnd::singular;
      break;
    }
    // On degenerate piles the artificial variable often ends at rounding level without ever
    // leaving: the answer is there.
    if (leaving == artificial() || b_.x[base::at(at_artificial)] <= 1e-14 * most) {
      end = PathEnd::solved;
      break;
    }
    entering = leaving < s_.free + s_.pairs ? leaving + s_.pairs : leaving - s_.pairs;
    b_.y.assign(base::at(rows()), 0.0);
    add_column(entering, 1, b_.y);
    b_.lu.solve(b_.y);
    slot = leaving_slot();
    if (slot < 0) {
      end = PathEnd::ray;
      break;
    }
    step = std::max(0.0, b_.x[base::at(slot)]) / b_.y[base::at(slot)];
  }
  // Drift of the many updates goes with one solve.
  if (end != PathEnd::singular) {
    b_.x = s_.rhs;
    b_.lu.solve(b_.x);
  }
  read_answer();
  return end;
}

}  // namespace

void PairedSystem::begin(int free_count, int pair_count) {
  free = free_count;
  pairs = pair_count;
  entries.clear();
  rhs.assign(base::at(free + pairs), 0.0);
}

bool resolve(const PairedSystem& system, PathBuffers& buffers) {
  return PivotPath(system, buffers).resolve();
}

PathEnd follow_path(const PairedSystem& system, const std::vector<char>& start,
                    std::uint64_t& random, int max_pivots, PathBuffers& buffers, int& pivots) {
  return PivotPath(system, buffers).follow(start, random, max_pivots, pivots);
}

}  // namespace cairn::solver
