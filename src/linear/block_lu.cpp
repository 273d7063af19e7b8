#include "linear/block_lu.hpp"

#include <algorithm>
#include <cmath>

#include "base/index.hpp"
#include "cairn/error.hpp"
#include "linear/number_pair.hpp"

namespace cairn::linear {
namespace {

// Calls f(m, k, n) with constants where all three are those of bodies in the plane or in space.
template <class F>
void with_three_sizes(int m, int k, int n, const F& f) {
  if (m == k && k == n)
    with_size(n, [&](auto size) { f(size, size, size); });
  else
    f(m, k, n);
}

// C -= A B of bodies in space, two numbers and two rows at a time; every sum in the order of the
// plain loops.
void subtract_product(const BodyBlock& A, const BodyBlock& B, BodyBlock& C) {
  constexpr int rows = 2, pairs = max_velocities / 2;
  for (int i = 0; i < max_velocities; i += rows) {
    NumberPair sum[rows][pairs];
    for (int r = 0; r < rows; ++r)
      for (int p = 0; p < pairs; ++p) sum[r][p] = load_pair(&C[i + r][2 * p]);
    for (int l = 0; l < max_velocities; ++l)
      for (int r = 0; r < rows; ++r) {
        const NumberPair a = both(A[i + r][l]);
        for (int p = 0; p < pairs; ++p) sum[r][p] -= a * load_pair(&B[l][2 * p]);
      }
    for (int r = 0; r < rows; ++r)
      for (int p = 0; p < pairs; ++p) store_pair(sum[r][p], &C[i + r][2 * p]);
  }
}

// The same of any, A m x k, B k x n.
void subtract_product(const BodyBlock& A, const BodyBlock& B, int m, int k, int n, BodyBlock& C) {
  if (m == max_velocities && k == max_velocities && n == max_velocities)
    return subtract_product(A, B, C);
  with_three_sizes(m, k, n, [&](auto m_, auto k_, auto n_) {
    for (int i = 0; i < m_; ++i)
      for (int l = 0; l < k_; ++l)
        for (int j = 0; j < n_; ++j) C[i][j] -= A[i][l] * B[l][j];
  });
}

// A <- A B, A m x k, B k x k.
void multiply_right(const BodyBlock& B, int m, int k, BodyBlock& A) {
  with_three_sizes(m, k, k, [&](auto m_, auto k_, auto n_) {
    for (int i = 0; i < m_; ++i) {
      double row[max_velocities] = {};
      for (int l = 0; l < k_; ++l)
        for (int j = 0; j < n_; ++j) row[j] += A[i][l] * B[l][j];
      std::copy(row, row + n_, A[i]);
    }
  });
}

// y -= A x, A m x n.
void subtract_image(const BodyBlock& A, int m, int n, const double* x, double* y) {
  with_three_sizes(m, n, n, [&](auto m_, auto n_, auto) {
    for (int r = 0; r < m_; ++r) y[r] -= row_product(A[r], n_, x);
  });
}

// Sign of the determinant of a block with n rows, by elimination with row pivots.
int determinant_sign_of(const BodyBlock& A, int n) {
  BodyBlock work;
  std::copy(&A[0][0], &A[0][0] + max_velocities * max_velocities, &work[0][0]);
  int sign = 1;
  for (int p = 0; p < n; ++p) {
    int pivot = p;
    for (int r = p + 1; r < n; ++r)
      if (std::abs(work[r][p]) > std::abs(work[pivot][p])) pivot = r;
    if (pivot != p) {
      std::swap_ranges(work[p], work[p] + n, work[pivot]);
      sign = -sign;
    }
    if (work[p][p] < 0) sign = -sign;
    if (work[p][p] == 0) continue;
    for (int r = p + 1; r < n; ++r) {
      const double share = work[r][p] / work[p][p];
      for (int c = p; c < n; ++c) work[r][c] -= share * work[p][c];
    }
  }
  return sign;
}

void clear(std::vector<BlockLU::Block>& blocks) {
  for (BlockLU::Block& b : blocks)
    std::fill(&b.value[0][0], &b.value[0][0] + max_velocities * max_velocities, 0.0);
}

}  // namespace

void BlockLU::begin(std::span<const int> sizes, std::span<const char> late) {
  graph_.size.assign(sizes.begin(), sizes.end());
  graph_.late.assign(late.begin(), late.end());
  graph_.edges.clear();
}

void BlockLU::connect(int i, int j) {
  const std::pair<int, int> edge = std::minmax(i, j);
  if (graph_.edges.empty() || graph_.edges.back() != edge) graph_.edges.push_back(edge);
}

// Minimum degree with explicit cliques: exact degrees, small graphs. Ties go to the lower node, so
// that the order depends on the pattern alone.
void BlockLU::eliminate_symbolically() {
  if (neighbours_.size() < base::at(n_)) neighbours_.resize(base::at(n_));
  for (int i = 0; i < n_; ++i) neighbours_[base::at(i)].clear();
  edges_.clear();
  for (const auto& [i, j] : graph_.edges) {
    edges_.emplace_back(i, j);
    edges_.emplace_back(j, i);
  }
  std::sort(edges_.begin(), edges_.end());
  edges_.erase(std::unique(edges_.begin(), edges_.end()), edges_.end());
  for (const auto& [i, j] : edges_) neighbours_[base::at(i)].push_back(j);

  place_.assign(base::at(n_), -1);
  node_.resize(base::at(n_));
  mark_.assign(base::at(n_), -1);
  pool_.clear();
  first_.assign(1, 0);
  // A heap of (degree, node) with outdated entries, which are skipped when they come up; late nodes
  // enter once a neighbour is gone.
  auto later = [](const std::pair<int, int>& a, const std::pair<int, int>& b) { return b < a; };
  heap_.clear();
  auto offer = [&](int i) {
    heap_.emplace_back(static_cast<int>(neighbours_[base::at(i)].size()), i);
    std::push_heap(heap_.begin(), heap_.end(), later);
  };
  for (int i = 0; i < n_; ++i)
    if (late_[base::at(i)] != 1) offer(i);
  for (int position = 0; position < n_; ++position) {
    int best = -1;
    while (best < 0 && !heap_.empty()) {
      std::pop_heap(heap_.begin(), heap_.end(), later);
      const auto [degree, i] = heap_.back();
      heap_.pop_back();
      if (place_[base::at(i)] < 0 && degree == static_cast<int>(neighbours_[base::at(i)].size()))
        best = i;
    }
    if (best < 0)  // only late nodes without eliminated neighbours are left
      for (int i = 0; i < n_ && best < 0; ++i)
        if (place_[base::at(i)] < 0) best = i;
    place_[base::at(best)] = position;
    node_[base::at(position)] = best;

    // The neighbours of the eliminated node become a clique.
    auto& clique = neighbours_[base::at(best)];
    for (const int i : clique) {
      auto& of_i = neighbours_[base::at(i)];
      late_[base::at(i)] = late_[base::at(i)] == 1 ? 2 : late_[base::at(i)];
      for (const int k : of_i) mark_[base::at(k)] = i;
      mark_[base::at(i)] = i;
      for (const int k : clique)
        if (mark_[base::at(k)] != i) of_i.push_back(k);
      of_i.erase(std::find(of_i.begin(), of_i.end(), best));
      for (const int k : of_i) mark_[base::at(k)] = -1;
      mark_[base::at(i)] = -1;
      mark_[base::at(best)] = -1;
      if (late_[base::at(i)] != 1) offer(i);
    }
    pool_.insert(pool_.end(), clique.begin(), clique.end());
    first_.push_back(static_cast<int>(pool_.size()));
  }
}

void BlockLU::analyze() {
  if (graph_ == analysed_) return;
  n_ = static_cast<int>(graph_.size.size());
  size_ = graph_.size;
  late_ = graph_.late;
  eliminate_symbolically();
  for (int p = 0; p < n_; ++p) {
    const auto begin = pool_.begin() + first_[base::at(p)],
               end = pool_.begin() + first_[base::at(p + 1)];
    for (auto it = begin; it != end; ++it) *it = place_[base::at(*it)];
    std::sort(begin, end);
  }
  diagonal_.resize(base::at(n_));
  lower_.resize(pool_.size());
  upper_.resize(pool_.size());
  analysed_ = graph_;
}

void BlockLU::zero() {
  clear(diagonal_);
  clear(lower_);
  clear(upper_);
}

std::size_t BlockLU::find(int p, int q) const {
  const int column = std::min(p, q), row = std::max(p, q);
  const auto begin = pool_.begin() + first_[base::at(column)],
             end = pool_.begin() + first_[base::at(column + 1)];
  const auto it = std::lower_bound(begin, end, row);
  return it != end && *it == row ? static_cast<std::size_t>(it - pool_.begin()) : pool_.size();
}

bool BlockLU::has(int i, int j) const {
  return find(place_[base::at(i)], place_[base::at(j)]) < pool_.size();
}

BodyBlock& BlockLU::block(int i, int j) {
  const int p = place_[base::at(i)], q = place_[base::at(j)];
  const std::size_t k = find(p, q);
  CAIRN_CHECK(k < pool_.size());  // always: it would write elsewhere
  return p > q ? lower_[k].value : upper_[k].value;
}

// Right-looking: after column p is done, its outer product is subtracted from the columns of its
// rows.
bool BlockLU::factorize(bool symmetric) {
  for (int p = 0; p < n_; ++p) {
    const int size = size_[base::at(node_[base::at(p)])];
    BodyBlock inverse;
    for (int r = 0; r < size && symmetric; ++r)
      for (int c = 0; c < r; ++c)
        diagonal_[base::at(p)].value[c][r] = diagonal_[base::at(p)].value[r][c];
    if (!invert(diagonal_[base::at(p)].value, size, inverse)) return false;
    std::copy(&inverse[0][0], &inverse[0][0] + max_velocities * max_velocities,
              &diagonal_[base::at(p)].value[0][0]);
    for (int k = first_[base::at(p)]; k < first_[base::at(p + 1)]; ++k) {
      const int rows = size_[base::at(node_[base::at(pool_[base::at(k)])])];
      if (symmetric)
        for (int r = 0; r < rows; ++r)
          for (int c = 0; c < size; ++c)
            upper_[base::at(k)].value[c][r] = lower_[base::at(k)].value[r][c];
      multiply_right(inverse, rows, size, lower_[base::at(k)].value);
    }
    for (int k = first_[base::at(p)]; k < first_[base::at(p + 1)]; ++k) {
      // Column c = pool_[k] of the trailing matrix; its rows contain the rest of this column's
      // rows, both sorted.
      const int c = pool_[base::at(k)], columns = size_[base::at(node_[base::at(c)])];
      subtract_product(lower_[base::at(k)].value, upper_[base::at(k)].value, columns, size, columns,
                       diagonal_[base::at(c)].value);
      int target = first_[base::at(c)];
      for (int l = k + 1; l < first_[base::at(p + 1)]; ++l) {
        const int row = pool_[base::at(l)], rows = size_[base::at(node_[base::at(row)])];
        while (pool_[base::at(target)] != row) ++target;
        subtract_product(lower_[base::at(l)].value, upper_[base::at(k)].value, rows, size, columns,
                         lower_[base::at(target)].value);
        if (!symmetric)
          subtract_product(lower_[base::at(k)].value, upper_[base::at(l)].value, columns, size,
                           rows, upper_[base::at(target)].value);
      }
    }
  }
  return true;
}

// With A = L U, L of unit diagonal, and Z = A^-1: Z L is upper triangular and U Z lower triangular,
// so that column and row p of Z follow from those behind it, all of which are in the pattern.
void BlockLU::invert_pattern() {
  inverse_diagonal_ = diagonal_;
  inverse_lower_.resize(pool_.size());
  inverse_upper_.resize(pool_.size());
  clear(inverse_lower_);
  clear(inverse_upper_);
  const auto behind = [&](int j, int k) -> const BodyBlock& {
    if (j == k) return inverse_diagonal_[base::at(j)].value;
    const std::size_t place = find(j, k);
    return j > k ? inverse_lower_[place].value : inverse_upper_[place].value;
  };
  const auto size = [&](int p) { return size_[base::at(node_[base::at(p)])]; };
  for (int p = n_ - 1; p >= 0; --p)
    for (int a = first_[base::at(p)]; a < first_[base::at(p + 1)]; ++a) {
      const int j = pool_[base::at(a)];
      BodyBlock row = {};
      for (int b = first_[base::at(p)]; b < first_[base::at(p + 1)]; ++b) {
        const int k = pool_[base::at(b)];
        subtract_product(behind(j, k), lower_[base::at(b)].value, size(j), size(k), size(p),
                         inverse_lower_[base::at(a)].value);
        subtract_product(upper_[base::at(b)].value, behind(k, j), size(p), size(k), size(j), row);
      }
      const BodyBlock& D = diagonal_[base::at(p)].value;
      BodyBlock& right = inverse_upper_[base::at(a)].value;
      for (int r = 0; r < size(p); ++r)
        for (int l = 0; l < size(p); ++l)
          for (int c = 0; c < size(j); ++c) right[r][c] += D[r][l] * row[l][c];
      subtract_product(right, lower_[base::at(a)].value, size(p), size(j), size(p),
                       inverse_diagonal_[base::at(p)].value);
    }
}

const BodyBlock* BlockLU::inverse(int i, int j) const {
  const int p = place_[base::at(i)], q = place_[base::at(j)];
  if (p == q) return &inverse_diagonal_[base::at(p)].value;
  const std::size_t k = find(p, q);
  if (k == pool_.size()) return nullptr;
  return p > q ? &inverse_lower_[k].value : &inverse_upper_[k].value;
}

void BlockLU::solve(std::span<const int> offsets, double* x) const {
  for (int p = 0; p < n_; ++p) {
    const double* x_p = x + offsets[base::at(node_[base::at(p)])];
    const int size = size_[base::at(node_[base::at(p)])];
    for (int k = first_[base::at(p)]; k < first_[base::at(p + 1)]; ++k) {
      const int node = node_[base::at(pool_[base::at(k)])];
      subtract_image(lower_[base::at(k)].value, size_[base::at(node)], size, x_p,
                     x + offsets[base::at(node)]);
    }
  }
  for (int p = n_ - 1; p >= 0; --p) {
    double* x_p = x + offsets[base::at(node_[base::at(p)])];
    const int size = size_[base::at(node_[base::at(p)])];
    double y[max_velocities];
    std::copy(x_p, x_p + size, y);
    for (int k = first_[base::at(p)]; k < first_[base::at(p + 1)]; ++k) {
      const int node = node_[base::at(pool_[base::at(k)])];
      subtract_image(upper_[base::at(k)].value, size, size_[base::at(node)],
                     x + offsets[base::at(node)], y);
    }
    for (int r = 0; r < size; ++r) {
      x_p[r] = 0;
      for (int c = 0; c < size; ++c) x_p[r] += diagonal_[base::at(p)].value[r][c] * y[c];
    }
  }
}

double BlockLU::products() const {
  double sum = 0;
  for (int p = 0; p < n_; ++p) {
    const double below = first_[base::at(p + 1)] - first_[base::at(p)];
    sum += below * (below + 1);
  }
  return sum;
}

// The diagonal holds the inverses of the pivots, whose determinants have the same signs.
int BlockLU::determinant_sign() const {
  int sign = 1;
  for (int p = 0; p < n_; ++p)
    sign *= determinant_sign_of(diagonal_[base::at(p)].value, size_[base::at(node_[base::at(p)])]);
  return sign;
}

}  // namespace cairn::linear
