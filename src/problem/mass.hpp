// A of a problem and its inverse. Reads blocks and couplings; where bodies are coupled a sparse
// block LU takes the place of one small inverse per body (E52).
#pragma once

#include "base/union_find.hpp"
#include "linear/block_lu.hpp"

namespace cairn::problem {

bool is_diagonal(const linear::BodyBlock& A, int n);

// Up to rounding: 1e-12 of the diagonal.
bool is_symmetric(const linear::BodyBlock& A, int n);

// The symmetric part of a body's block is positive definite, by the pivots that the solvers take.
bool has_positive_part(const ProblemBody& body);

// A is symmetric and couples no bodies.
bool has_plain_mass(const Problem& problem);

// p += A v.
void add_mass_product(const Problem& problem, const double* v, double* p);

class MassInverse {
 public:
  // The problem must outlive its use; false if A is singular or not finite. All memory is kept.
  bool factor(const Problem& problem);
  // x <- A^-1 x, all velocities.
  void solve(double* x) const;
  // p += A v, all velocities.
  void add_mass_product(const double* v, double* p) const;
  // Diagonal block of A^-1.
  const linear::BodyBlock& block(int i) const { return bodies_[static_cast<std::size_t>(i)].value; }
  // That block is diagonal, which the masses of nearly all bodies are.
  bool is_diagonal(int i) const { return diagonal_[static_cast<std::size_t>(i)] != 0; }
  // Rows of body i, columns of body j; null where they are not coupled. Known where a constraint
  // or a coupling stands between the two.
  const linear::BodyBlock* block(int i, int j) const;

 private:
  bool factor_coupled();

  const Problem* problem_ = nullptr;
  bool coupled_ = false;
  std::vector<linear::BlockLU::Block> bodies_;
  base::UnionFind components_;
  std::vector<int> sizes_, offsets_;
  std::vector<char> late_, diagonal_;
  linear::BlockLU lu_;
};

// W_ii = J A^-1 J^T of a constraint, rows x rows.
void own_response(const Problem& problem, const MassInverse& mass, const Constraint& c,
                  double (&W)[max_rows][max_rows]);

}  // namespace cairn::problem
