// The text formats of Siconos' problem files (docs/problem-files.md): linear complementarity
// problems, mixed ones, frictional contact in the plane and in space, local and global.
#pragma once

#include <string>
#include <string_view>

#include "cairn/error.hpp"
#include "problem/files/number_scanner.hpp"
#include "problem/sparse.hpp"

namespace cairn::problem {

// What a file can really hold is checked against its length.
inline constexpr int most_rows = 1 << 24;

// One matrix: `storage rows columns` and its numbers; dense by columns, sparse blocks, or the
// printout of CSparse. `name` is for messages.
bool read_matrix(NumberScanner& scanner, const std::string& name, SparseMatrix& matrix);

enum class SiconosKind { unknown, lcp, mlcp, friction, global_friction };

// Which of the formats the first numbers of the text fit.
SiconosKind siconos_kind(std::string_view text);

Result<ReducedProblem> parse_lcp(std::string_view text, const std::string& file);
Result<ReducedProblem> parse_mlcp(std::string_view text, const std::string& file);
Result<ReducedProblem> parse_friction(std::string_view text, const std::string& file);
Result<ReducedProblem> parse_global_friction(std::string_view text, const std::string& file);

}  // namespace cairn::problem
