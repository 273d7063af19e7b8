#include "solve/lemke.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace cairn {
namespace {

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

bool has_friction(const Group& g) {
  return has_cone(g.set.law) && g.rows > 1 && g.set.mu > 0;
}

// The relaxed law on a polyhedral cone: r = sum of beta_i (1, mu d_i), beta_i opposite to the
// velocity along its generator, nothing else.
bool has_generators(const Group& g) {
  return has_friction(g) && g.set.law == Law::coulomb_relaxed;
}

// Facets of the friction section: two directions in the plane.
int directions(const Group& g) {
  return g.rows == 2 ? 2 : g.set.facets;
}

// Two ways to write a planar contact (E43): (r_n, beta_1, beta_2, lambda) as in (4.11), whose
// matrix is copositive, and (r_n, mu r_n + r_t, [u_t]_-), a quarter smaller, which is tried first.
enum class Form { compact, full };

bool is_compact(const Group& g, Form form) {
  return form == Form::compact && g.rows == 2 && has_friction(g) && !has_generators(g);
}

// Variables of a group: of friction as above, (r) of a normal row, (r - lo, y) of a box.
int variables(const Group& g, Form form) {
  if (is_compact(g, form)) return 3;
  if (has_generators(g)) return directions(g);
  if (has_friction(g)) return 2 + directions(g);
  return g.set.law == Law::box ? 2 : 1;
}

void direction(const Group& g, int i, double* d) {
  if (g.rows == 2) {
    d[0] = i == 0 ? 1 : -1;
    return;
  }
  const double angle = 2 * std::numbers::pi * i / g.set.facets;
  d[0] = std::cos(angle);
  d[1] = std::sin(angle);
}

// Impulse of a unit of variable i, and the velocity that stands opposite to it.
struct Pairing {
  double impulse[max_rows] = {}, velocity[max_rows] = {};
};

Pairing pairing(const Group& g, int i, Form form) {
  Pairing p;
  if (has_generators(g)) {
    direction(g, i, p.impulse + 1);
    p.impulse[0] = 1;
    for (int k = 1; k < g.rows; ++k) p.impulse[k] *= g.set.mu;
    std::copy(p.impulse, p.impulse + max_rows, p.velocity);
  } else if (i == 0) {
    p.impulse[0] = p.velocity[0] = 1;
    if (is_compact(g, form)) p.impulse[1] = -g.set.mu;
  } else if (is_compact(g, form)) {
    if (i == 1) p.impulse[1] = p.velocity[1] = 1;
  } else if (has_friction(g) && i <= directions(g)) {
    direction(g, i - 1, p.impulse + 1);
    std::copy(p.impulse, p.impulse + max_rows, p.velocity);
  }
  return p;
}

// The dense problem u = W r + q over the included groups, bilateral rows eliminated.
class Dense {
 public:
  Dense(const Island& island, LemkeBuffers& buffers) : island_(island), b_(buffers) {}

  void build();
  void eliminate_bilateral();
  void restore_bilateral(std::vector<double>& r) const;

  double& W(int i, int j) { return b_.W[at(i) * at(n_) + at(j)]; }
  double& q(int i) { return b_.q[at(i)]; }
  int row(std::size_t group) const {
    return b_.rows[group];
  }  // first dense row of a group; -1: left out
  int size() const { return n_; }

 private:
  const Island& island_;
  LemkeBuffers& b_;
  int n_ = 0;
};

void Dense::build() {
  n_ = 0;
  b_.rows.assign(island_.groups.size(), -1);
  for (std::size_t i = 0; i < island_.groups.size(); ++i)
    if (b_.included[i]) {
      b_.rows[i] = n_;
      n_ += island_.groups[i].rows;
    }
  b_.W.assign(at(n_) * at(n_), 0.0);
  b_.q.assign(at(n_), 0.0);
  for (std::size_t i = 0; i < island_.groups.size(); ++i) {
    if (b_.rows[i] < 0) continue;
    const Group& g = island_.groups[i];
    group_velocity(island_, g, island_.v_free.data(), &b_.q[at(b_.rows[i])]);
    for (std::size_t j = 0; j < island_.groups.size(); ++j) {
      if (b_.rows[j] < 0) continue;
      const Group& h = island_.groups[j];
      for (int side = 0; side < 2; ++side)
        for (int other = 0; other < 2; ++other) {
          if (g.body[side] < 0 || g.body[side] != h.body[other]) continue;
          const int size = island_.bodies[at(g.body[side])].size;
          for (int r = 0; r < g.rows; ++r)
            for (int c = 0; c < h.rows; ++c)
              for (int k = 0; k < size; ++k)
                W(b_.rows[i] + r, b_.rows[j] + c) += g.J[side][r][k] * h.B[other][k][c];
        }
    }
  }
}

// Gaussian elimination of free impulses, largest pivot first; a row without a pivot depends on the
// others and keeps impulse zero.
void Dense::eliminate_bilateral() {
  b_.bilateral.clear();
  b_.order.clear();
  b_.eliminated.clear();
  double largest = 0;
  for (std::size_t i = 0; i < island_.groups.size(); ++i) {
    if (b_.rows[i] < 0 || island_.groups[i].set.law != Law::equality) continue;
    for (int r = 0; r < island_.groups[i].rows; ++r) {
      b_.bilateral.push_back(b_.rows[i] + r);
      largest = std::max(largest, W(b_.rows[i] + r, b_.rows[i] + r));
    }
  }
  while (!b_.bilateral.empty()) {
    auto best = std::max_element(b_.bilateral.begin(), b_.bilateral.end(),
                                 [&](int i, int j) { return W(i, i) < W(j, j); });
    const int e = *best;
    b_.bilateral.erase(best);
    if (!(W(e, e) > 1e-12 * largest)) break;
    b_.order.push_back(e);
    for (int j = 0; j < n_; ++j) b_.eliminated.push_back(W(e, j));
    b_.eliminated.push_back(q(e));
    for (int i = 0; i < n_; ++i) {
      const double factor = W(i, e) / W(e, e);
      if (i == e || factor == 0) continue;
      for (int j = 0; j < n_; ++j) W(i, j) -= factor * W(e, j);
      q(i) -= factor * q(e);
    }
  }
}

void Dense::restore_bilateral(std::vector<double>& r) const {
  for (std::size_t k = b_.order.size(); k-- > 0;) {
    const double* row = &b_.eliminated[k * (at(n_) + 1)];
    const int e = b_.order[k];
    double sum = row[n_];
    for (int j = 0; j < n_; ++j)
      if (j != e) sum += row[j] * r[at(j)];
    r[at(e)] = -sum / row[e];
  }
}

// splitmix64, mapped to [0.5, 1.5].
double random_cover(std::uint64_t& state) {
  std::uint64_t z = (state += 0x9e3779b97f4a7c15ULL);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return 0.5 + static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1.0p-53;
}

// target += factor * row, compiled for the vector units at hand; element by element, so the bits
// are the same on all.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
__attribute__((target_clones("avx2", "default"), optimize("O3")))
#endif
void add_multiple(double factor, const double* row, int n, double* target) {
  for (int k = 0; k < n; ++k) target[k] += factor * row[k];
}

// The condensed tableau: basic_i = sum_j T_ij nonbasic_j + T_i,n z0 + T_i,n+1. Variables: w_i is i,
// z_i is n + i, z0 is 2n.
class Tableau {
 public:
  Tableau(const Island& island, LemkeBuffers& buffers, Form form)
      : island_(island), b_(buffers), form_(form) {}

  void fill(Dense& dense, std::uint64_t& random);
  void run(int max_pivots, int& pivots);
  void impulses(Dense& dense, std::vector<double>& r) const;
  int size() const { return n_; }

 private:
  double& T(int i, int j) { return b_.tableau[at(i) * at(n_ + 2) + at(j)]; }
  void fill_group(Dense& dense, std::size_t i);
  void pivot(int row, int column);
  int leaving_row(int column);

  const Island& island_;
  LemkeBuffers& b_;
  Form form_;
  int n_ = 0;
};

void Tableau::fill(Dense& dense, std::uint64_t& random) {
  n_ = 0;
  b_.first_variable.assign(island_.groups.size(), -1);
  for (std::size_t i = 0; i < island_.groups.size(); ++i) {
    if (dense.row(i) < 0 || island_.groups[i].set.law == Law::equality) continue;
    b_.first_variable[i] = n_;
    n_ += variables(island_.groups[i], form_);
  }
  b_.tableau.assign(at(n_) * at(n_ + 2), 0.0);
  b_.row.resize(at(n_ + 2));
  for (std::size_t i = 0; i < island_.groups.size(); ++i)
    if (b_.first_variable[i] >= 0) fill_group(dense, i);

  b_.basic.resize(at(n_));
  b_.nonbasic.resize(at(n_ + 1));
  for (int i = 0; i < n_; ++i) {
    b_.basic[at(i)] = i;
    b_.nonbasic[at(i)] = n_ + i;
    T(i, n_) = random_cover(random);
  }
  b_.nonbasic[at(n_)] = 2 * n_;
}

void Tableau::fill_group(Dense& dense, std::size_t i) {
  const Group& g = island_.groups[i];
  const int first = b_.first_variable[i];
  for (int a = 0; a < variables(g, form_); ++a) {
    const Pairing row = pairing(g, a, form_);
    double constant = 0;
    for (int r = 0; r < g.rows; ++r) constant += row.velocity[r] * dense.q(dense.row(i) + r);
    for (std::size_t j = 0; j < island_.groups.size(); ++j) {
      if (b_.first_variable[j] < 0) continue;
      const Group& h = island_.groups[j];
      for (int c = 0; c < variables(h, form_); ++c) {
        const Pairing column = pairing(h, c, form_);
        double sum = 0;
        for (int r = 0; r < g.rows; ++r)
          for (int s = 0; s < h.rows; ++s)
            sum +=
                row.velocity[r] * dense.W(dense.row(i) + r, dense.row(j) + s) * column.impulse[s];
        T(first + a, b_.first_variable[j] + c) = sum;
        if (h.set.law == Law::box && c == 0) constant += sum * h.set.lo;
      }
    }
    T(first + a, n_ + 1) = constant;
  }
  // Rows that couple the variables of one group.
  if (is_compact(g, form_)) {
    T(first + 1, first + 2) = 1;
    T(first + 2, first) = 2 * g.set.mu;
    T(first + 2, first + 1) = -1;
  } else if (has_friction(g) && !has_generators(g)) {
    const int lambda = first + 1 + directions(g);
    for (int k = 1; k <= directions(g); ++k) {
      T(first + k, lambda) = 1;
      T(lambda, first + k) = -1;
    }
    T(lambda, first) = g.set.mu;
  } else if (g.set.law == Law::box) {
    T(first, first + 1) = 1;
    T(first + 1, first) = -1;
    T(first + 1, n_ + 1) = g.set.hi - g.set.lo;
  }
}

void Tableau::pivot(int row, int column) {
  const int width = n_ + 2;
  const double p = 1 / T(row, column);
  for (int k = 0; k < width; ++k) b_.row[at(k)] = k == column ? p : -T(row, k) * p;
  for (int i = 0; i < n_; ++i) {
    if (i == row) continue;
    double* t = &T(i, 0);
    const double factor = t[column];
    if (factor == 0) continue;
    t[column] = 0;
    add_multiple(factor, b_.row.data(), width, t);
  }
  std::copy(b_.row.begin(), b_.row.begin() + width, &T(row, 0));
  std::swap(b_.basic[at(row)], b_.nonbasic[at(column)]);
}

// Minimum ratio; z0 leaves whenever it can. -1: a ray.
int Tableau::leaving_row(int column) {
  double largest = 0;
  for (int i = 0; i < n_; ++i) largest = std::max(largest, std::abs(T(i, column)));
  int best = -1;
  double best_ratio = 0;
  for (int i = 0; i < n_; ++i) {
    const double t = -T(i, column);
    if (!(t > 1e-11 * largest)) continue;
    const double ratio = std::max(0.0, T(i, n_ + 1)) / t;
    const bool is_z0 = b_.basic[at(i)] == 2 * n_;
    if (best < 0 || ratio < best_ratio || (is_z0 && ratio <= best_ratio)) {
      best = i;
      best_ratio = ratio;
    }
  }
  return best;
}

void Tableau::run(int max_pivots, int& pivots) {
  int row = -1;
  double most = 0;
  for (int i = 0; i < n_; ++i) {
    const double need = -T(i, n_ + 1) / T(i, n_);
    if (need > most) {
      most = need;
      row = i;
    }
  }
  if (row < 0) return;               // q >= 0
  int column = n_, artificial = -1;  // row of z0
  for (int k = 0; k < max_pivots; ++k) {
    const int leaving = b_.basic[at(row)];
    pivot(row, column);
    ++pivots;
    if (k == 0) artificial = row;
    if (row == artificial && k > 0) return;  // z0 has left
    // On degenerate piles z0 often ends at rounding level without ever leaving: the answer is
    // there.
    if (T(artificial, n_ + 1) <= 1e-14 * most) return;
    const int entering = leaving < n_ ? leaving + n_ : leaving - n_;
    column = static_cast<int>(std::find(b_.nonbasic.begin(), b_.nonbasic.end(), entering) -
                              b_.nonbasic.begin());
    row = leaving_row(column);
    if (row < 0) return;
  }
}

void Tableau::impulses(Dense& dense, std::vector<double>& r) const {
  auto& z = b_.row;
  std::fill(z.begin(), z.end(), 0.0);
  for (int i = 0; i < n_; ++i)
    if (b_.basic[at(i)] >= n_ && b_.basic[at(i)] < 2 * n_)
      z[at(b_.basic[at(i)] - n_)] = std::max(0.0, b_.tableau[at(i) * at(n_ + 2) + at(n_ + 1)]);
  b_.r_c.assign(at(dense.size()), 0.0);
  for (std::size_t i = 0; i < island_.groups.size(); ++i) {
    if (b_.first_variable[i] < 0) continue;
    const Group& g = island_.groups[i];
    const double* x = &z[at(b_.first_variable[i])];
    double* target = &b_.r_c[at(dense.row(i))];
    for (int k = 0; k < variables(g, form_); ++k) {
      const Pairing column = pairing(g, k, form_);
      for (int row = 0; row < g.rows; ++row) target[row] += column.impulse[row] * x[k];
    }
    if (g.set.law == Law::box) target[0] += g.set.lo;
  }
  dense.restore_bilateral(b_.r_c);
  for (std::size_t i = 0; i < island_.groups.size(); ++i) {
    const Group& g = island_.groups[i];
    for (int row = 0; row < g.rows; ++row)
      r[at(g.first + row)] = dense.row(i) < 0 ? 0 : b_.r_c[at(dense.row(i) + row)];
  }
}

// Contacts that are far from closing at the present estimate stay out; returns how many variables
// are in.
int choose_included(const Island& island, const std::vector<double>& r,
                    const std::vector<double>& v, std::vector<char>& included) {
  double scale = island.scale;
  for (const double x : r) scale = std::max(scale, std::abs(x));
  int count = 0;
  for (std::size_t i = 0; i < island.groups.size(); ++i) {
    const Group& g = island.groups[i];
    double u[max_rows];
    group_velocity(island, g, v.data(), u);
    included[i] = included[i] || !is_unilateral(g.set.law) || r[at(g.first)] > 0 ||
                  opening_speed(g.set, u) <= 0.1 * scale;
    if (included[i]) count += variables(g, Form::full);
  }
  return count;
}

bool closing(const Island& island, const std::vector<double>& v, double tolerance,
             std::vector<char>& included) {
  bool any = false;
  for (std::size_t i = 0; i < island.groups.size(); ++i) {
    const Group& g = island.groups[i];
    double u[max_rows];
    group_velocity(island, g, v.data(), u);
    if (included[i] || opening_speed(g.set, u) >= -tolerance * island.scale) continue;
    included[i] = any = true;
  }
  return any;
}

}  // namespace

bool lemke_takes(const Group& g) {
  return !has_friction(g) || g.rows == 2 || g.set.facets > 0;
}

IterationResult lemke(const Island& island, const LemkeLimits& limits, LemkeBuffers& buffers,
                      std::vector<double>& r, std::vector<double>& v) {
  velocities_from_impulses(island, r, v);
  IterationResult result{0, residual(island, r, v)};
  buffers.included.assign(island.groups.size(), 0);
  std::uint64_t random = limits.seed;
  std::vector<double>& trial = buffers.trial;
  for (int draw = 0; draw < limits.draws && !(result.residual <= limits.tolerance); ++draw) {
    if (choose_included(island, r, v, buffers.included) > limits.variables) break;
    Dense dense(island, buffers);
    dense.build();
    dense.eliminate_bilateral();
    Tableau tableau(island, buffers, draw < 2 ? Form::compact : Form::full);
    tableau.fill(dense, random);
    tableau.run(std::min(limits.pivots, 4 * tableau.size()),
                result.iterations);  // even a ray may end near the answer: the residual decides
    trial.assign(r.size(), 0.0);
    tableau.impulses(dense, trial);
    velocities_from_impulses(island, trial, v);
    const double now = residual(island, trial, v);
    if (now < result.residual) {
      result.residual = now;
      r = trial;
    }
    if (closing(island, v, 1e-3 * limits.tolerance, buffers.included)) continue;
  }
  velocities_from_impulses(island, r, v);
  return result;
}

}  // namespace cairn
