#include "solver/pivot/tableau.hpp"

#include <algorithm>
#include <cmath>

#include "base/index.hpp"

namespace cairn::solver {
namespace {

// splitmix64, mapped to [0, 1).
double random_unit(std::uint64_t& state) {
  std::uint64_t z = (state += 0x9e3779b97f4a7c15ULL);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1.0p-53;
}

// target += factor * row, compiled for the vector units at hand; element by element, so the bits
// are the same on all.
// The thread sanitizer would instrument the choice between both, which comes before it is ready.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_THREAD__)
__attribute__((target_clones("avx2", "default"), optimize("O3")))
#endif
void add_multiple(double factor, const double* row, int n, double* target) {
  for (int k = 0; k < n; ++k) target[k] += factor * row[k];
}

}  // namespace

void Tableau::fill(DenseProblem& dense, Form form) {
  form_ = form;
  n_ = 0;
  first_.assign(dense.members.size(), -1);
  free_.clear();
  const auto left = [&](int row) {
    return std::find(dense.left_rows.begin(), dense.left_rows.end(), row) != dense.left_rows.end();
  };
  for (std::size_t m = 0; m < dense.members.size(); ++m) {
    const auto& member = dense.members[m];
    const bool free = is_free(*member.law);
    if (free && dense.left_rows.empty()) continue;
    // Of a partly eliminated constraint all rows stay; those that are done have zero rows and
    // columns.
    bool any = !free;
    for (int r = 0; r < member.law->rows; ++r) any = any || left(member.row + r);
    for (int r = 0; r < member.law->rows; ++r)
      any = any || std::find(dense.left_columns.begin(), dense.left_columns.end(),
                             member.row + r) != dense.left_columns.end();
    if (!any) continue;
    first_[m] = n_;
    n_ += variables(*member.law, form_);
    free_.resize(base::at(n_), free);
  }
  tableau_.assign(base::at(n_) * base::at(n_ + 2), 0.0);
  row_.resize(base::at(n_ + 2));
  for (std::size_t m = 0; m < dense.members.size(); ++m)
    if (first_[m] >= 0) fill_member(dense, m);
  basic_.resize(base::at(n_));
  nonbasic_.resize(base::at(n_ + 1));
  for (int i = 0; i < n_; ++i) {
    basic_[base::at(i)] = i;
    nonbasic_[base::at(i)] = n_ + i;
  }
  nonbasic_[base::at(n_)] = 2 * n_;
  if (!dense.left_rows.empty()) enter_free_impulses();
}

void Tableau::fill_member(DenseProblem& dense, std::size_t m) {
  const auto& [law, source, row_of_law] = dense.members[m];
  const LocalConstraint& g = *law;
  const int first = first_[m];
  const auto contains = [](const std::vector<int>& list, int x) {
    return std::find(list.begin(), list.end(), x) != list.end();
  };
  for (int a = 0; a < variables(g, form_); ++a) {
    if (is_free(g) && !contains(dense.left_rows, row_of_law + a)) continue;
    const Pairing row = pairing(g, a, form_);
    double constant = 0;
    for (int r = 0; r < g.rows; ++r)
      constant += row.velocity[r] * dense.q[base::at(row_of_law + r)];
    for (std::size_t j = 0; j < dense.members.size(); ++j) {
      if (first_[j] < 0) continue;
      const LocalConstraint& h = *dense.members[j].law;
      for (int c = 0; c < variables(h, form_); ++c) {
        if (is_free(h) && !contains(dense.left_columns, dense.members[j].row + c)) continue;
        const Pairing column = pairing(h, c, form_);
        double sum = 0;
        for (int r = 0; r < g.rows; ++r)
          for (int s = 0; s < h.rows; ++s)
            sum += row.velocity[r] * dense.w(row_of_law + r, dense.members[j].row + s) *
                   column.impulse[s];
        T(first + a, first_[j] + c) = sum;
        if (h.set.law == Law::box && c == 0) constant += sum * column.impulse[0] * base_impulse(h);
      }
    }
    T(first + a, n_ + 1) = constant;
  }
  LcpTerms list;
  const int count = lcp_terms(g, form_, list);
  for (int k = 0; k < count; ++k)
    T(first + list[base::at(k)].row, first + list[base::at(k)].column) = list[base::at(k)].value;
  if (is_two_sided(g)) T(first + 1, n_ + 1) = g.set.hi - g.set.lo;
}

// Free impulses into the basis, zero velocities out of it. Elimination found no pivot between the
// two, so each pair takes a partner k: z_k for the zero velocity, then the free impulse for w_k.
// Rows of zeros depend on the others; their impulse stays zero.
void Tableau::enter_free_impulses() {
  double largest = 0;
  for (const double x : tableau_) largest = std::max(largest, std::abs(x));
  for (int e = 0; e < n_; ++e) {
    if (!free_[base::at(e)] || basic_[base::at(e)] != e) continue;
    int best_k = -1, best_f = -1;
    double best = 1e-10 * largest;
    for (int f = 0; f < n_; ++f) {
      if (nonbasic_[base::at(f)] < n_ || !free_[base::at(nonbasic_[base::at(f)] - n_)]) continue;
      if (std::abs(T(e, f)) > best) {
        best = std::abs(T(e, f));
        best_k = -1;
        best_f = f;
      }
      for (int k = 0; k < n_; ++k) {
        if (free_[base::at(k)] || basic_[base::at(k)] != k || nonbasic_[base::at(k)] != n_ + k)
          continue;
        const double size = std::min(std::abs(T(e, k)), std::abs(T(k, f)));
        if (!(size > best)) continue;
        best = size;
        best_k = k;
        best_f = f;
      }
    }
    if (best_f < 0) continue;
    if (best_k >= 0) {
      pivot(e, best_k);
      pivot(best_k, best_f);
    } else {
      pivot(e, best_f);
    }
  }
}

void Tableau::scatter(std::uint64_t& random) {
  for (int i = 0; i < n_; ++i) {
    if (random_unit(random) < 0.5 || free_[base::at(i)] || basic_[base::at(i)] != i ||
        nonbasic_[base::at(i)] != n_ + i)
      continue;
    double largest = 0;
    for (int k = 0; k < n_; ++k) largest = std::max(largest, std::abs(T(i, k)));
    if (std::abs(T(i, i)) > 1e-3 * largest) {
      pivot(i, i);
      continue;
    }
    // No pivot of its own: exchange a pair.
    const int start = static_cast<int>(random_unit(random) * n_);
    for (int k = 0; k < n_; ++k) {
      const int j = (start + k) % n_;
      if (j == i || free_[base::at(j)] || basic_[base::at(j)] != j ||
          nonbasic_[base::at(j)] != n_ + j)
        continue;
      const double size = std::abs(T(i, i) * T(j, j) - T(i, j) * T(j, i));
      if (!(std::abs(T(i, j)) > 1e-3 * largest) || !(size > 1e-3 * largest * std::abs(T(i, j))))
        continue;
      pivot(i, j);
      pivot(j, i);
      break;
    }
  }
}

void Tableau::pivot(int row, int column) {
  const int width = n_ + 2;
  const double p = 1 / T(row, column);
  for (int k = 0; k < width; ++k) row_[base::at(k)] = k == column ? p : -T(row, k) * p;
  for (int i = 0; i < n_; ++i) {
    if (i == row) continue;
    double* t = &T(i, 0);
    const double factor = t[column];
    if (factor == 0) continue;
    t[column] = 0;
    add_multiple(factor, row_.data(), width, t);
  }
  std::copy(row_.begin(), row_.begin() + width, &T(row, 0));
  std::swap(basic_[base::at(row)], nonbasic_[base::at(column)]);
}

// Free impulses have no bound that would make them leave; zero velocities that stayed depend on
// the other rows.
bool Tableau::exempt(int row) const {
  const int variable = basic_[base::at(row)];
  return variable < 2 * n_ && free_[base::at(variable % n_)];
}

// Minimum ratio; z0 leaves whenever it can. -1: a ray.
int Tableau::leaving_row(int column) {
  double largest = 0;
  for (int i = 0; i < n_; ++i) largest = std::max(largest, std::abs(T(i, column)));
  int best = -1;
  double best_ratio = 0;
  for (int i = 0; i < n_; ++i) {
    const double t = -T(i, column);
    if (!(t > 1e-11 * largest) || exempt(i)) continue;
    const double ratio = std::max(0.0, T(i, n_ + 1)) / t;
    const bool is_z0 = basic_[base::at(i)] == 2 * n_;
    if (best < 0 || ratio < best_ratio || (is_z0 && ratio <= best_ratio)) {
      best = i;
      best_ratio = ratio;
    }
  }
  return best;
}

Tableau::End Tableau::run(int max_pivots, const Interruptible& caller, std::uint64_t& random,
                          int& pivots) {
  for (int i = 0; i < n_; ++i) {
    T(i, n_) = 0.5 + random_unit(random);
    if (exempt(i)) T(i, n_) = 0;
  }
  int row = -1;
  double most = 0;
  for (int i = 0; i < n_; ++i) {
    if (exempt(i)) continue;
    const double need = -T(i, n_ + 1) / T(i, n_);
    if (need > most) {
      most = need;
      row = i;
    }
  }
  if (row < 0) return End::solved;   // q >= 0
  int column = n_, artificial = -1;  // row of z0
  for (int k = 0; k < max_pivots && !caller.interrupted(cost::dense * n_ * n_); ++k) {
    const int leaving = basic_[base::at(row)];
    pivot(row, column);
    ++pivots;
    if (k == 0) artificial = row;
    if (row == artificial && k > 0) return End::solved;  // z0 has left
    // On degenerate piles z0 often ends at rounding level without ever leaving: the answer is
    // there.
    if (T(artificial, n_ + 1) <= 1e-14 * most) return End::solved;
    const int entering = leaving < n_ ? leaving + n_ : leaving - n_;
    column = static_cast<int>(std::find(nonbasic_.begin(), nonbasic_.end(), entering) -
                              nonbasic_.begin());
    row = leaving_row(column);
    if (row < 0) return End::ray;
  }
  return End::limit;
}

void Tableau::impulses(const DenseProblem& dense, std::vector<double>& r) {
  z_.assign(base::at(n_), 0.0);
  for (int i = 0; i < n_; ++i)
    if (basic_[base::at(i)] >= n_ && basic_[base::at(i)] < 2 * n_) {
      const int k = basic_[base::at(i)] - n_;
      z_[base::at(k)] = free_[base::at(k)] ? T(i, n_ + 1) : std::max(0.0, T(i, n_ + 1));
    }
  r.assign(base::at(dense.n), 0.0);
  for (std::size_t m = 0; m < dense.members.size(); ++m) {
    if (first_[m] < 0) continue;
    const auto& [law, source, row] = dense.members[m];
    for (int k = 0; k < variables(*law, form_); ++k) {
      const Pairing column = pairing(*law, k, form_);
      for (int i = 0; i < law->rows; ++i)
        r[base::at(row + i)] += column.impulse[i] * z_[base::at(first_[m] + k)];
    }
    r[base::at(row)] += base_impulse(*law);
  }
  dense.restore_bilateral(r);
}

}  // namespace cairn::solver
