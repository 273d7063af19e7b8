// One matrix of a Siconos text file, in any of its three storages.
#include <charconv>
#include <fmt/format.h>

#include "problem/files/siconos_text.hpp"

namespace cairn::problem {
namespace {

bool add(NumberScanner& s, const std::string& name, int row, int column, SparseMatrix& matrix) {
  double value = 0;
  if (!s.number("entry of " + name, value)) return false;
  if (value != 0) matrix.entries.push_back({row, column, value});
  return true;
}

bool read_dense(NumberScanner& s, const std::string& name, SparseMatrix& matrix) {
  int rows = 0, columns = 0;
  if (!s.integer("rows of " + name, 0, most_rows, rows) ||
      !s.integer("columns of " + name, 0, most_rows, columns))
    return false;
  if (rows != matrix.rows || columns != matrix.columns)
    return s.fault(ErrorCode::wrong_size, "the sizes of " + name + " disagree",
                   fmt::format("{} x {}", rows, columns),
                   fmt::format("{} x {}", matrix.rows, matrix.columns));
  if (!s.room("the entries of " + name, static_cast<double>(rows) * columns)) return false;
  for (int c = 0; c < columns; ++c)
    for (int r = 0; r < rows; ++r)
      if (!add(s, name, r, c, matrix)) return false;
  return true;
}

// Cumulated block sizes: ascending, the last is the size of the matrix.
bool read_boundaries(NumberScanner& s, const std::string& what, int count, int size,
                     std::vector<int>& ends) {
  if (!s.room(what, count)) return false;
  ends.assign(static_cast<std::size_t>(count) + 1, 0);
  for (std::size_t i = 1; i < ends.size(); ++i)
    if (!s.integer(what, ends[i - 1] + 1, size, ends[i])) return false;
  if (ends.back() != size)
    return s.fault(ErrorCode::wrong_size, what + " do not add up", fmt::format("{}", ends.back()),
                   fmt::format("{}", size));
  return true;
}

bool read_block_matrix(NumberScanner& s, const std::string& name, SparseMatrix& matrix) {
  int blocks = 0, block_rows = 0, block_columns = 0, starts = 0, filled = 0;
  std::vector<int> row_ends, column_ends;
  if (!s.integer("number of blocks of " + name, 0, most_rows, blocks) ||
      !s.integer("block rows of " + name, 0, most_rows, block_rows) ||
      !s.integer("block columns of " + name, 0, most_rows, block_columns) ||
      !read_boundaries(s, "block row sizes of " + name, block_rows, matrix.rows, row_ends) ||
      !read_boundaries(s, "block column sizes of " + name, block_columns, matrix.columns,
                       column_ends) ||
      !s.integer("number of row starts of " + name, 1, block_rows + 1, starts) ||
      !s.integer("number of block columns of " + name, blocks, blocks, filled) ||
      !s.room("the blocks of " + name, 3.0 * blocks + starts))
    return false;
  std::vector<int> first(static_cast<std::size_t>(starts)),
      column(static_cast<std::size_t>(blocks));
  int last = 0;
  for (int& x : first) {
    if (!s.integer("row start of " + name, last, blocks, x)) return false;
    last = x;
  }
  if (first.front() != 0 || first.back() != blocks)
    return s.fault(ErrorCode::wrong_size, "the row starts of " + name + " do not cover its blocks");
  if (!s.integers("block column of " + name, 0, block_columns - 1, column)) return false;
  std::size_t row = 0;
  for (int b = 0; b < blocks; ++b) {
    while (first[row + 1] <= b) ++row;
    int number = 0;
    if (!s.integer("number of a block of " + name, b, b, number)) return false;
    const auto c = static_cast<std::size_t>(column[static_cast<std::size_t>(b)]);
    for (int j = column_ends[c]; j < column_ends[c + 1]; ++j)
      for (int i = row_ends[row]; i < row_ends[row + 1]; ++i)
        if (!add(s, name, i, j, matrix)) return false;
  }
  return true;
}

// "1334-by-1334," -> both sizes.
bool sizes(std::string_view word, int& rows, int& columns) {
  const std::size_t middle = word.find("-by-");
  if (middle == std::string_view::npos) return false;
  const char* const begin = word.data();
  const char* const second = begin + middle + 4;
  return std::from_chars(begin, begin + middle, rows).ptr == begin + middle &&
         std::from_chars(second, begin + word.size(), columns).ptr != second;
}

// The printout of CSparse: a line of copyright, "[triplet: ]R-by-C, nzmax: K nnz: N[, 1-norm: X]",
// then for each column "col j : locations a to b" and its "i : x", or lines "i j : x".
bool read_printout(NumberScanner& s, const std::string& name, SparseMatrix& matrix) {
  int origin = 0;
  if (!s.integer("kind of the sparse matrix " + name, 0, 16, origin) || !s.expect("CSparse"))
    return false;
  s.skip_line();
  std::string_view word = s.word();
  const bool triplet = word == "triplet:";
  if (triplet) word = s.word();
  int rows = 0, columns = 0, from = 0, to = 0;
  if (!sizes(word, rows, columns) || rows != matrix.rows || columns != matrix.columns)
    return s.fault(ErrorCode::syntax, "bad sizes of the sparse matrix " + name, std::string(word),
                   fmt::format("{}-by-{},", matrix.rows, matrix.columns));
  double most_entries = 0, entries = 0;
  if (!s.expect("nzmax:") || !s.number("nzmax of " + name, most_entries) || !s.expect("nnz:"))
    return false;
  // "nnz: 3822," where a norm follows.
  word = s.word();
  const auto end = std::from_chars(word.data(), word.data() + word.size(), entries).ptr;
  if (end == word.data() || !(entries >= 0) || !s.room("the entries of " + name, 2 * entries))
    return s.fault(ErrorCode::syntax, "bad number of entries of " + name, std::string(word),
                   "a count");
  s.skip_line();
  if (triplet) {
    for (double k = 0; k < entries; ++k) {
      int row = 0, column = 0;
      if (!s.integer("row of " + name, 0, rows - 1, row) ||
          !s.integer("column of " + name, 0, columns - 1, column) || !s.expect(":") ||
          !add(s, name, row, column, matrix))
        return false;
    }
    return true;
  }
  for (int c = 0; c < columns; ++c) {
    const int start = c == 0 ? 0 : to + 1, last = static_cast<int>(entries) - 1;
    if (!s.expect("col") || !s.integer("column of " + name, c, c, from) || !s.expect(":") ||
        !s.expect("locations") || !s.integer("location in " + name, start, start, from) ||
        !s.expect("to") || !s.integer("location in " + name, from - 1, last, to))
      return false;
    for (int k = from; k <= to; ++k) {
      int row = 0;
      if (!s.integer("row of " + name, 0, rows - 1, row) || !s.expect(":") ||
          !add(s, name, row, c, matrix))
        return false;
    }
  }
  return to + 1 == static_cast<int>(entries) ||
         s.fault(ErrorCode::wrong_size,
                 "the number of entries of " + name + " disagrees with its columns");
}

}  // namespace

bool read_matrix(NumberScanner& s, const std::string& name, SparseMatrix& matrix) {
  int storage = 0;
  matrix.entries.clear();
  if (!s.integer("storage of " + name + " (0 dense, 1 sparse blocks, 2 sparse)", 0, 2, storage) ||
      !s.integer("rows of " + name, 0, most_rows, matrix.rows) ||
      !s.integer("columns of " + name, 0, most_rows, matrix.columns))
    return false;
  if (storage == 0) return read_dense(s, name, matrix);
  if (storage == 1) return read_block_matrix(s, name, matrix);
  return read_printout(s, name, matrix);
}

}  // namespace cairn::problem
