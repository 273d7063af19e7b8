// Linear and mixed linear complementarity problems in Siconos' text format.
#include <fmt/format.h>

#include "problem/files/siconos_text.hpp"

namespace cairn::problem {
namespace {

bool square(NumberScanner& s, const SparseMatrix& matrix, int size) {
  if (!s.ok() || (matrix.rows == size && matrix.columns == size)) return s.ok();
  return s.fault(ErrorCode::wrong_size, "the matrix M has the wrong size",
                 fmt::format("{} x {}", matrix.rows, matrix.columns),
                 fmt::format("{} x {}", size, size),
                 "only square problems can be solved; see docs/problem-files.md");
}

// Form 1: block boundaries, a flag per block, M and q.
bool read_whole(NumberScanner& s, int size, std::vector<Law>& laws, SparseMatrix& M, VecX& q) {
  std::vector<int> ends(1);
  if (!s.integer("first block boundary", 0, 0, ends[0])) return false;
  while (ends.back() < size) {
    int next = 0;
    if (!s.integer("block boundary", ends.back() + 1, size, next)) return false;
    ends.push_back(next);
  }
  for (std::size_t i = 0; i + 1 < ends.size(); ++i) {
    int complementary = 0;
    if (!s.integer("flag of a block (1 complementarity, 0 equality)", 0, 1, complementary))
      return false;
    for (int k = ends[i]; k < ends[i + 1]; ++k)
      laws[static_cast<std::size_t>(k)] = complementary ? Law::nonnegative : Law::equality;
  }
  return read_matrix(s, "M", M) && square(s, M, size) && s.numbers("q", size, q);
}

// A block of M by rows, at (row, column).
bool read_part(NumberScanner& s, const std::string& name, int row, int rows, int column,
               int columns, SparseMatrix& M) {
  if (!s.room("the entries of " + name, static_cast<double>(rows) * columns)) return false;
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < columns; ++c) {
      double value = 0;
      if (!s.number("entry of " + name, value)) return false;
      if (value != 0) M.entries.push_back({row + r, column + c, value});
    }
  return true;
}

// Form 2: A u + C v + a = 0, 0 <= D u + B v + b _|_ v >= 0.
bool read_parts(NumberScanner& s, int n, int m, SparseMatrix& M, VecX& q) {
  M.rows = M.columns = n + m;
  VecX a, b;
  if (!read_part(s, "A", 0, n, 0, n, M) || !read_part(s, "B", n, m, n, m, M) ||
      !read_part(s, "C", 0, n, n, m, M) || !read_part(s, "D", n, m, 0, n, M) ||
      !s.numbers("a", n, a) || !s.numbers("b", m, b))
    return false;
  q.resize(n + m);
  q << a, b;
  return true;
}

}  // namespace

Result<ReducedProblem> parse_lcp(std::string_view text, const std::string& file) {
  NumberScanner s(text, file);
  int n = 0;
  SparseMatrix M;
  VecX q;
  if (!s.integer("size of the problem", 1, most_rows, n) || !read_matrix(s, "M", M) ||
      !square(s, M, n) || !s.numbers("q", n, q))
    return s.errors();
  return make_reduced({static_cast<std::size_t>(n), {.law = Law::nonnegative}}, M, q);
}

Result<ReducedProblem> parse_mlcp(std::string_view text, const std::string& file) {
  NumberScanner s(text, file);
  int whole = 0, parts = 0, n = 0, m = 0;
  if (!s.integer("flag of the form with M", 0, 1, whole) ||
      !s.integer("flag of the form with A, B, C, D", 0, 1, parts) ||
      !s.integer("number of equalities", 0, most_rows, n) ||
      !s.integer("number of complementarities", 0, most_rows, m))
    return s.errors();
  if (!whole && !parts) s.fault(ErrorCode::incomplete, "the file has neither M nor A, B, C, D");
  if (n + m == 0) s.fault(ErrorCode::empty, "the problem has no rows");
  if (!s.room("a problem of that size", n + m)) return s.errors();

  // Where both forms are given they say the same; the first one is taken.
  std::vector<Law> laws(static_cast<std::size_t>(n + m), Law::nonnegative);
  std::fill(laws.begin(), laws.begin() + n, Law::equality);
  SparseMatrix M;
  VecX q;
  if (!(whole ? read_whole(s, n + m, laws, M, q) : read_parts(s, n, m, M, q))) return s.errors();
  if (whole && parts) {
    SparseMatrix again;
    VecX q_again;
    if (!read_parts(s, n, m, again, q_again)) return s.errors();
  }
  std::vector<ReducedConstraint> constraints;
  for (const Law law : laws) constraints.push_back({.law = law});
  return make_reduced(std::move(constraints), M, q);
}

}  // namespace cairn::problem
