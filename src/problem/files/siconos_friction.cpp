// Frictional contact problems in Siconos' text format: local (W, q, mu) and global (M, H, q, b,
// mu).
#include <fmt/format.h>

#include "problem/files/siconos_text.hpp"

namespace cairn::problem {
namespace {

struct Header {
  int rows = 0, contacts = 0;
};

bool read_header(NumberScanner& s, Header& header) {
  return s.integer("dimension", 2, 3, header.rows) &&
         s.integer("number of contacts", 1, 1 << 22, header.contacts) &&
         s.room("that many contacts", header.contacts);
}

bool read_friction(NumberScanner& s, int count, VecX& mu) {
  if (!s.room("the friction coefficients", count)) return false;
  mu.resize(count);
  for (double& x : mu) {
    if (!s.number("friction coefficient", x)) return false;
    if (x < 0)
      return s.fault(ErrorCode::out_of_range, "negative friction coefficient", fmt::format("{}", x),
                     "a number >= 0");
  }
  return true;
}

bool sized(NumberScanner& s, const std::string& name, const SparseMatrix& matrix, int rows,
           int columns) {
  if (matrix.rows == rows && matrix.columns == columns) return s.ok();
  return s.fault(ErrorCode::wrong_size, "the matrix " + name + " has the wrong size",
                 fmt::format("{} x {}", matrix.rows, matrix.columns),
                 fmt::format("{} x {}", rows, columns));
}

}  // namespace

Result<ReducedProblem> parse_friction(std::string_view text, const std::string& file) {
  NumberScanner s(text, file);
  Header header;
  SparseMatrix W;
  VecX q, mu;
  if (!read_header(s, header)) return s.errors();
  const int rows = header.rows * header.contacts;
  if (!read_matrix(s, "W", W) || !sized(s, "W", W, rows, rows) || !s.numbers("q", rows, q) ||
      !read_friction(s, header.contacts, mu))
    return s.errors();
  return make_reduced(contacts(header.rows, mu), W, q);
}

// M v = q + H r, u = H^T v + b.
Result<ReducedProblem> parse_global_friction(std::string_view text, const std::string& file) {
  NumberScanner s(text, file);
  Header header;
  SparseMatrix M, H;
  VecX q, b, mu;
  if (!read_header(s, header)) return s.errors();
  const int rows = header.rows * header.contacts;
  if (!read_matrix(s, "M", M) || !sized(s, "M", M, M.rows, M.rows) || !read_matrix(s, "H", H) ||
      !sized(s, "H", H, M.rows, rows) || !s.numbers("q", M.rows, q) || !s.numbers("b", rows, b) ||
      !read_friction(s, header.contacts, mu))
    return s.errors();
  const Eliminated local = eliminate_velocities(M, H, q, b);
  if (!local.fault.empty()) {
    s.fault(ErrorCode::invalid_matrix, local.fault, "", "",
            "give the problem in its local form, W and q");
    return s.errors();
  }
  return make_reduced(contacts(header.rows, mu), local.W, local.q);
}

// The first numbers tell: `n storage n n`, `dimension contacts storage rows rows` with or without
// rows = dimension x contacts, `flag flag n m`.
SiconosKind siconos_kind(std::string_view text) {
  NumberScanner s(text, "");
  int t[6] = {-1, -1, -1, -1, -1, -1}, count = 0;
  while (count < 6 && s.integer("number", -1 << 30, 1 << 30, t[count])) ++count;
  if (count < 4) return SiconosKind::unknown;
  const auto storage = [](int x) { return x >= 0 && x <= 2; };
  const bool dimensions = (t[0] == 2 || t[0] == 3) && t[1] > 0 && storage(t[2]) && t[3] == t[4];
  const bool rows = t[3] == t[0] * t[1];
  // A sparse printout follows a local friction problem: "2 1 2 2 2" then is no LCP of size two.
  // A mixed problem of form 1 has the block boundary 0 where an LCP has its size again.
  const bool boundary = t[0] == 1 && t[4] == 0;
  if (storage(t[1]) && t[2] == t[0] && t[3] == t[0] && !boundary &&
      !(dimensions && rows && s.word() == "CSparse"))
    return SiconosKind::lcp;
  if (dimensions && count >= 5 && rows) {
    // Global if a second matrix follows the first; then its header is where q would be.
    NumberScanner again(text, "");
    Header header;
    SparseMatrix first, second;
    int storage_of_second = 0, size = 0;
    if (read_header(again, header) && read_matrix(again, "W", first) &&
        again.integer("storage", 0, 2, storage_of_second) &&
        again.integer("rows", t[3], t[3], size) && again.integer("columns", t[3], t[3], size))
      return SiconosKind::global_friction;
    return SiconosKind::friction;
  }
  if (dimensions && count >= 5) return SiconosKind::global_friction;
  if (t[0] >= 0 && t[0] <= 1 && t[1] >= 0 && t[1] <= 1 && t[0] + t[1] > 0 && t[2] >= 0 && t[3] >= 0)
    return SiconosKind::mlcp;
  return SiconosKind::unknown;
}

}  // namespace cairn::problem
