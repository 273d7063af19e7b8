#include "problem/mass.hpp"

#include <algorithm>
#include <cmath>

#include "base/conventions.hpp"
#include "base/index.hpp"

namespace cairn::problem {
namespace {

constexpr double symmetry_tolerance = 1e-12;

void add_block(const linear::BodyBlock& A, int rows, int columns, const double* v, double* p) {
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < columns; ++c) p[r] += A[r][c] * v[c];
}

// The same for the block of one body; what is zero off the diagonal adds nothing.
void add_own_block(const linear::BodyBlock& A, bool diagonal, int size, const double* v,
                   double* p) {
  linear::with_size(size, [&](auto n) {
    if (diagonal)
      for (int r = 0; r < n; ++r) p[r] += A[r][r] * v[r];
    else
      for (int r = 0; r < n; ++r)
        for (int c = 0; c < n; ++c) p[r] += A[r][c] * v[c];
  });
}

// What elimination gives, without its work: most bodies are spheres or lie along their axes.
bool invert_diagonal(const linear::BodyBlock& A, int size, linear::BodyBlock& inverse) {
  return linear::with_size(size, [&](auto n) {
    bool good = true;
    for (int r = 0; r < n; ++r) {
      for (int c = 0; c < n; ++c) inverse[r][c] = 0;
      inverse[r][r] = 1 / A[r][r];
      good &= (A[r][r] != 0) & std::isfinite(A[r][r]);
    }
    return good;
  });
}

}  // namespace

bool is_diagonal(const linear::BodyBlock& A, int n) {
  CAIRN_DCHECK(n >= 1 && n <= max_velocities, n);
  return linear::with_size(n, [&](auto size) {
    bool found = false;
    for (int r = 0; r < size; ++r)
      for (int c = 0; c < size; ++c) found |= (r != c) & (A[r][c] != 0);
    return !found;
  });
}

bool is_symmetric(const linear::BodyBlock& A, int n) {
  CAIRN_DCHECK(n >= 1 && n <= max_velocities, n);
  for (int r = 0; r < n; ++r)
    for (int c = 0; c < r; ++c)
      if (A[r][c] != A[c][r] && std::abs(A[r][c] - A[c][r]) > symmetry_tolerance *
                                                                  std::sqrt(std::abs(A[r][r])) *
                                                                  std::sqrt(std::abs(A[c][c])))
        return false;
  return true;
}

bool has_positive_part(const ProblemBody& body) {
  linear::BodyBlock L = {};
  double pivots[max_velocities] = {};
  for (int c = 0; c < body.size; ++c) {
    for (int r = c; r < body.size; ++r) {
      double sum = 0.5 * body.A[r][c] + 0.5 * body.A[c][r];
      for (int k = 0; k < c; ++k) sum -= L[r][k] * L[c][k] * pivots[k];
      if (r == c) {
        if (!(sum > 0) || !std::isfinite(sum)) return false;
        pivots[c] = sum;
      } else {
        L[r][c] = sum * (1 / pivots[c]);
      }
    }
  }
  return true;
}

bool has_plain_mass(const Problem& problem) {
  return problem.couplings.empty() &&
         std::all_of(problem.bodies.begin(), problem.bodies.end(),
                     [](const ProblemBody& b) { return is_symmetric(b.A, b.size); });
}

void add_mass_product(const Problem& problem, const double* v, double* p) {
  for (const ProblemBody& b : problem.bodies)
    add_block(b.A, b.size, b.size, v + b.first, p + b.first);
  for (const BodyCoupling& c : problem.couplings) {
    const ProblemBody &a = problem.bodies[base::at(c.body[0])],
                      &b = problem.bodies[base::at(c.body[1])];
    add_block(c.A[0], a.size, b.size, v + b.first, p + a.first);
    add_block(c.A[1], b.size, a.size, v + a.first, p + b.first);
  }
}

bool MassInverse::factor(const Problem& problem) {
  for (const ProblemBody& b : problem.bodies)
    CAIRN_DCHECK(b.first >= 0 && b.first + b.size <= problem.velocities(), b.first, b.size);
  problem_ = &problem;
  coupled_ = !problem.couplings.empty();
  bodies_.resize(problem.bodies.size());
  diagonal_.assign(problem.bodies.size(), 0);
  if (coupled_) return factor_coupled();
  bool good = true;
  for (std::size_t i = 0; i < problem.bodies.size(); ++i) {
    const ProblemBody& b = problem.bodies[i];
    diagonal_[i] = problem::is_diagonal(b.A, b.size);
    good = (diagonal_[i] ? invert_diagonal(b.A, b.size, bodies_[i].value)
                         : linear::invert(b.A, b.size, bodies_[i].value)) &&
           good;
  }
  return good;
}

// The pattern holds the couplings, and the pairs of constraints inside one coupled part, since
// their W_ii has terms from A^-1 between the two bodies.
bool MassInverse::factor_coupled() {
  const Problem& problem = *problem_;
  sizes_.clear();
  offsets_.clear();
  for (const ProblemBody& b : problem.bodies) {
    sizes_.push_back(b.size);
    offsets_.push_back(b.first);
  }
  late_.assign(sizes_.size(), 0);
  components_.reset(sizes_.size());
  lu_.begin(sizes_, late_);
  for (const BodyCoupling& c : problem.couplings) {
    lu_.connect(c.body[0], c.body[1]);
    components_.join(c.body[0], c.body[1]);
  }
  for (const Constraint& c : problem.constraints)
    for (std::size_t i = 0; i < base::at(c.sides); ++i)
      for (std::size_t j = i + 1; j < base::at(c.sides); ++j)
        if (c.body[i] >= 0 && c.body[j] >= 0 &&
            components_.root(c.body[i]) == components_.root(c.body[j]))
          lu_.connect(c.body[i], c.body[j]);
  lu_.analyze();
  lu_.zero();
  const auto add = [](const linear::BodyBlock& from, int rows, int columns, linear::BodyBlock& to) {
    for (int r = 0; r < rows; ++r)
      for (int c = 0; c < columns; ++c) to[r][c] += from[r][c];
  };
  for (std::size_t i = 0; i < sizes_.size(); ++i)
    add(problem.bodies[i].A, sizes_[i], sizes_[i], lu_.diagonal(static_cast<int>(i)));
  for (const BodyCoupling& c : problem.couplings) {
    const int a = sizes_[base::at(c.body[0])], b = sizes_[base::at(c.body[1])];
    add(c.A[0], a, b, lu_.block(c.body[0], c.body[1]));
    add(c.A[1], b, a, lu_.block(c.body[1], c.body[0]));
  }
  if (!lu_.factorize()) return false;
  lu_.invert_pattern();
  bool finite = true;
  for (std::size_t i = 0; i < sizes_.size(); ++i) {
    const int body = static_cast<int>(i);
    const linear::BodyBlock& Z = *lu_.inverse(body, body);
    std::copy(&Z[0][0], &Z[0][0] + max_velocities * max_velocities, &bodies_[i].value[0][0]);
    for (int r = 0; r < sizes_[i]; ++r) finite = finite && std::isfinite(Z[r][r]);
  }
  return finite;
}

void MassInverse::solve(double* x) const {
  if (coupled_) return lu_.solve(offsets_, x);
  for (std::size_t i = 0; i < problem_->bodies.size(); ++i) {
    const ProblemBody& b = problem_->bodies[i];
    double y[max_velocities] = {};
    add_own_block(bodies_[i].value, diagonal_[i] != 0, b.size, x + b.first, y);
    std::copy(y, y + b.size, x + b.first);
  }
}

void MassInverse::add_mass_product(const double* v, double* p) const {
  if (coupled_) return problem::add_mass_product(*problem_, v, p);
  for (std::size_t i = 0; i < problem_->bodies.size(); ++i) {
    const ProblemBody& b = problem_->bodies[i];
    add_own_block(b.A, diagonal_[i] != 0, b.size, v + b.first, p + b.first);
  }
}

const linear::BodyBlock* MassInverse::block(int i, int j) const {
  CAIRN_DCHECK(base::is_index(i, bodies_.size()), i);
  CAIRN_DCHECK(base::is_index(j, bodies_.size()), j);
  if (i == j) return &block(i);
  return coupled_ ? lu_.inverse(i, j) : nullptr;
}

void own_response(const Problem& problem, const MassInverse& mass, const Constraint& c,
                  double (&W)[max_rows][max_rows]) {
  CAIRN_DCHECK(c.rows >= 1 && c.rows <= max_rows, c.rows);
  for (const int body : c.body)
    CAIRN_DCHECK(base::is_index_or_none(body, problem.bodies.size()), body);
  for (auto& row : W) std::fill(row, row + max_rows, 0.0);
  for (int r = 0; r < c.rows; ++r) W[r][r] = c.compliance[r];
  for (std::size_t side = 0; side < base::at(c.sides); ++side)
    for (std::size_t other = 0; other < base::at(c.sides); ++other) {
      if (c.body[side] < 0 || c.body[other] < 0) continue;
      const linear::BodyBlock* Z = mass.block(c.body[side], c.body[other]);
      if (!Z) continue;
      const int n = problem.bodies[base::at(c.body[side])].size,
                m = problem.bodies[base::at(c.body[other])].size;
      for (int r = 0; r < c.rows; ++r)
        for (int k = 0; k < n; ++k)
          for (int s = 0; s < c.rows; ++s)
            for (int l = 0; l < m; ++l) W[r][s] += c.J[side][r][k] * (*Z)[k][l] * c.J[other][s][l];
    }
}

}  // namespace cairn::problem
