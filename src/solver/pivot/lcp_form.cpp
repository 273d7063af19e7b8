#include "solver/pivot/lcp_form.hpp"

#include <algorithm>
#include <cmath>

#include "base/index.hpp"

namespace cairn::solver {
namespace {

void direction(const LocalConstraint& g, int i, double* d) {
  if (g.rows == 2) {
    d[0] = i == 0 ? 1 : -1;
    return;
  }
  const Corner& corner = g.set.corners[static_cast<std::size_t>(i)];
  d[0] = corner[0];
  d[1] = corner[1];
}

}  // namespace

bool has_friction(const LocalConstraint& g) {
  return has_cone(g.set.law) && g.rows > 1 && g.set.mu > 0;
}

bool has_generators(const LocalConstraint& g) {
  return has_friction(g) && g.set.law == Law::coulomb_relaxed;
}

bool is_free(const LocalConstraint& g) {
  return g.set.law == Law::equality ||
         (g.set.law == Law::box && std::isinf(g.set.lo) && std::isinf(g.set.hi));
}

bool is_two_sided(const LocalConstraint& g) {
  return g.set.law == Law::box && std::isfinite(g.set.lo) && std::isfinite(g.set.hi);
}

int directions(const LocalConstraint& g) {
  return g.rows == 2 ? 2 : static_cast<int>(g.set.corners.size());
}

bool is_compact(const LocalConstraint& g, Form form) {
  return form == Form::compact && g.rows == 2 && has_friction(g) && !has_generators(g);
}

bool is_linear(const LocalConstraint& g) {
  return !has_friction(g) || g.rows == 2 || !g.set.corners.empty();
}

int variables(const LocalConstraint& g, Form form) {
  if (is_free(g)) return g.rows;
  if (is_compact(g, form)) return 3;
  if (has_generators(g)) return directions(g);
  if (has_friction(g)) return 2 + directions(g);
  return is_two_sided(g) ? 2 : 1;
}

double base_impulse(const LocalConstraint& g) {
  if (g.set.law != Law::box || is_free(g)) return 0;
  return std::isfinite(g.set.lo) ? g.set.lo : g.set.hi;
}

Pairing pairing(const LocalConstraint& g, int i, Form form) {
  Pairing p;
  if (is_free(g)) {
    p.impulse[i] = p.velocity[i] = 1;
  } else if (has_generators(g)) {
    direction(g, i, p.impulse + 1);
    p.impulse[0] = 1;
    for (int k = 1; k < g.rows; ++k) p.impulse[k] *= g.set.mu;
    std::copy(p.impulse, p.impulse + max_rows, p.velocity);
  } else if (i == 0) {
    const bool downwards = g.set.law == Law::box && std::isinf(g.set.lo);
    p.impulse[0] = p.velocity[0] = downwards ? -1 : 1;
    if (is_compact(g, form)) p.impulse[1] = -g.set.mu;
  } else if (is_compact(g, form)) {
    if (i == 1) p.impulse[1] = p.velocity[1] = 1;
  } else if (has_friction(g) && i <= directions(g)) {
    direction(g, i - 1, p.impulse + 1);
    std::copy(p.impulse, p.impulse + max_rows, p.velocity);
  }
  return p;
}

int lcp_terms(const LocalConstraint& g, Form form, LcpTerms& list) {
  int count = 0;
  const auto add = [&](int row, int column, double value) {
    list[base::at(count++)] = {row, column, value};
  };
  if (is_compact(g, form)) {
    add(1, 2, 1);
    add(2, 0, 2 * g.set.mu);
    add(2, 1, -1);
  } else if (has_friction(g) && !has_generators(g)) {
    const int lambda = 1 + directions(g);
    for (int k = 1; k <= directions(g); ++k) {
      add(k, lambda, 1);
      add(lambda, k, -1);
    }
    add(lambda, 0, g.set.mu);
  } else if (is_two_sided(g)) {
    add(0, 1, 1);
    add(1, 0, -1);
  }
  return count;
}

void DenseProblem::clear() {
  members.clear();
  n = 0;
}

void DenseProblem::add(const LocalConstraint& law, int source) {
  members.push_back({&law, source, n});
  n += law.rows;
}

void DenseProblem::resize() {
  W.assign(base::at(n) * base::at(n), 0.0);
  q.assign(base::at(n), 0.0);
}

void DenseProblem::eliminate_bilateral() {
  left_rows.clear();
  rows_.clear();
  columns_.clear();
  eliminated_.clear();
  for (const Member& member : members)
    for (int r = 0; r < member.law->rows && is_free(*member.law); ++r)
      left_rows.push_back(member.row + r);
  left_columns = left_rows;
  double largest = 0;
  for (const int i : left_rows)
    for (const int j : left_columns) largest = std::max(largest, std::abs(w(i, j)));
  while (!left_rows.empty()) {
    // A diagonal pivot where there is a good one: in a symmetric positive matrix it is the largest.
    std::size_t row = 0, column = 0;
    double best = -1, best_any = -1;
    std::size_t any_row = 0, any_column = 0;
    for (std::size_t i = 0; i < left_rows.size(); ++i)
      for (std::size_t j = 0; j < left_columns.size(); ++j) {
        const double size = std::abs(w(left_rows[i], left_columns[j]));
        if (left_rows[i] == left_columns[j] && size > best) {
          best = size;
          row = i;
          column = j;
        }
        if (size > best_any) {
          best_any = size;
          any_row = i;
          any_column = j;
        }
      }
    if (best_any > 2 * best) {
      best = best_any;
      row = any_row;
      column = any_column;
    }
    if (!(best > 1e-12 * largest)) break;
    const int e = left_rows[row], f = left_columns[column];
    left_rows.erase(left_rows.begin() + static_cast<std::ptrdiff_t>(row));
    left_columns.erase(left_columns.begin() + static_cast<std::ptrdiff_t>(column));
    rows_.push_back(e);
    columns_.push_back(f);
    for (int j = 0; j < n; ++j) eliminated_.push_back(w(e, j));
    eliminated_.push_back(q[base::at(e)]);
    for (int i = 0; i < n; ++i) {
      const double factor = w(i, f) / w(e, f);
      if (i == e || factor == 0) continue;
      for (int j = 0; j < n; ++j) w(i, j) -= factor * w(e, j);
      q[base::at(i)] -= factor * q[base::at(e)];
    }
  }
}

void DenseProblem::restore_bilateral(std::vector<double>& r) const {
  for (std::size_t k = rows_.size(); k-- > 0;) {
    const double* row = &eliminated_[k * (base::at(n) + 1)];
    const int f = columns_[k];
    double sum = row[n];
    for (int j = 0; j < n; ++j)
      if (j != f) sum += row[j] * r[base::at(j)];
    r[base::at(f)] = -sum / row[f];
  }
}

}  // namespace cairn::solver
