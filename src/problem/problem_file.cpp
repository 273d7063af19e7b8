// Reads problem files: JSON text to a checked Problem. The numbers stay in the units that the file
// names, since converting them would round.
#include "problem/problem_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <initializer_list>
#include <limits>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error_list.hpp"
#include "base/suggestion.hpp"
#include "scene/document.hpp"

namespace cairn {
namespace {

using Kind = Node::Kind;

constexpr DocumentLimits limits = {.bytes = largest_problem_file, .nodes = 40'000'000};
constexpr double infinity = std::numeric_limits<double>::infinity();

std::string joined(std::span<const std::string_view> names) {
  std::string list;
  for (const std::string_view name : names) list += (list.empty() ? "" : ", ") + std::string(name);
  return list;
}

// Walks through the document; every fault becomes an Error with its place.
class Reader {
 public:
  explicit Reader(std::string file) : file_(std::move(file)) {}

  void error(const Node& at, const std::string& path, const std::string& what,
             const std::string& got = "", const std::string& allowed = "",
             const std::string& fix = "") {
    errors_.add({ErrorKind::input, file_, at.line, at.column, path, what, got, allowed, fix});
  }
  bool failed() const { return !errors_.empty(); }
  tl::unexpected<Errors> errors() { return tl::unexpected(errors_.take()); }

  // An object with no keys but these.
  bool object(const Node& value, const std::string& path,
              std::initializer_list<std::string_view> keys) {
    if (!value.is(Kind::object)) {
      error(value, path, "expected an object", summary(value));
      return false;
    }
    const std::span known(keys.begin(), keys.size());
    for (const Key& key : value.keys) {
      if (std::find(keys.begin(), keys.end(), key.text) != keys.end()) continue;
      errors_.add({ErrorKind::input, file_, key.line, key.column, path, "unknown key",
                   to_json(Node(key.text)), joined(known), did_you_mean(key.text, known)});
    }
    return true;
  }

  // The member, or null with an error where it is missing.
  const Node* member(const Node& object, const std::string& path, const char* key) {
    const Node* found = object.find(key);
    if (!found) error(object, path, std::string("missing key \"") + key + "\"");
    return found;
  }

  bool number(const Node& value, const std::string& path, double& out) {
    if (!value.is(Kind::number)) {
      error(value, path, "expected a number", summary(value));
      return false;
    }
    out = value.number;
    return true;
  }

  bool integer(const Node& value, const std::string& path, int lo, int hi, int& out) {
    const std::string allowed = fmt::format("an integer from {} to {}", lo, hi);
    if (!value.is(Kind::number) || value.number != std::floor(value.number) || value.number < lo ||
        value.number > hi) {
      error(value, path, "not an allowed index or count", summary(value), allowed);
      return false;
    }
    out = static_cast<int>(value.number);
    return true;
  }

  // An array with a number of entries in [lo, hi]; -1 where it is not.
  int array(const Node& value, const std::string& path, int lo, int hi) {
    const std::string size = lo == hi ? fmt::format("{}", lo) : fmt::format("{} to {}", lo, hi);
    if (!value.is(Kind::array)) {
      error(value, path, "expected an array", summary(value), size + " entries");
      return -1;
    }
    if (value.items.size() < static_cast<std::size_t>(lo) ||
        value.items.size() > static_cast<std::size_t>(hi)) {
      error(value, path, "wrong number of entries", fmt::format("{}", value.items.size()), size);
      return -1;
    }
    return static_cast<int>(value.items.size());
  }

  bool numbers(const Node& value, const std::string& path, int size, double* out) {
    if (array(value, path, size, size) < 0) return false;
    bool good = true;
    for (int i = 0; i < size; ++i)
      good &=
          number(value.items[static_cast<std::size_t>(i)], fmt::format("{}[{}]", path, i), out[i]);
    return good;
  }

 private:
  std::string file_;
  ErrorList errors_;
};

// Symmetric to rounding and positive definite, by Cholesky's factorisation; says what is wrong or
// nothing.
std::string matrix_fault(const ProblemBody& body) {
  const auto& A = body.A;
  for (int i = 0; i < body.size; ++i) {
    if (!(A[i][i] > 0)) return fmt::format("A[{}][{}] = {} is not positive", i, i, A[i][i]);
    for (int j = 0; j < i; ++j) {
      if (std::abs(A[i][j] - A[j][i]) <= 1e-12 * std::sqrt(A[i][i]) * std::sqrt(A[j][j])) continue;
      return fmt::format("A[{}][{}] = {} but A[{}][{}] = {}", i, j, A[i][j], j, i, A[j][i]);
    }
  }
  double L[max_velocities][max_velocities] = {};
  for (int i = 0; i < body.size; ++i) {
    for (int j = 0; j <= i; ++j) {
      double sum = A[i][j];
      for (int m = 0; m < j; ++m) sum -= L[i][m] * L[j][m];
      if (j < i) {
        L[i][j] = sum / L[j][j];
      } else if (sum > 0) {
        L[i][i] = std::sqrt(sum);
      } else {
        return fmt::format("its leading {} x {} minor is not positive", i + 1, i + 1);
      }
    }
  }
  return "";
}

void read_units(const Node& document, Reader& reader, Units& units) {
  const Node* found = document.find("units");
  if (!found) return;  // SI
  if (!reader.object(*found, "units", {"mass", "length", "time"})) return;
  const auto read = [&](const char* key, double& unit) {
    const std::string path = std::string("units.") + key;
    const Node* value = reader.member(*found, "units", key);
    if (!value || !reader.number(*value, path, unit)) return;
    if (!(unit > 0))
      reader.error(*value, path, "not a unit", summary(*value), "a positive number of kg, m or s");
  };
  read("mass", units.mass);
  read("length", units.length);
  read("time", units.time);
}

void read_body(const Node& value, const std::string& path, Reader& reader, ProblemBody& body,
               std::vector<double>& k) {
  if (!reader.object(value, path, {"A", "k"})) return;
  const Node* matrix = reader.member(value, path, "A");
  const Node* right = reader.member(value, path, "k");
  if (!matrix || !right) return;
  body.size = std::max(0, reader.array(*matrix, path + ".A", 1, max_velocities));
  bool good = body.size > 0;
  for (int i = 0; i < body.size; ++i)
    good &= reader.numbers(matrix->items[static_cast<std::size_t>(i)],
                           fmt::format("{}.A[{}]", path, i), body.size, body.A[i]);
  if (!good) return;
  const std::string fault = matrix_fault(body);
  if (!fault.empty())
    reader.error(*matrix, path + ".A", "not symmetric positive definite: " + fault, "", "",
                 "give the mass matrix of the body's free velocities");
  body.first = static_cast<int>(k.size());
  k.resize(k.size() + static_cast<std::size_t>(body.size));
  reader.numbers(*right, path + ".k", body.size, k.data() + body.first);
}

// Rows that a law takes.
struct LawRule {
  Law law;
  int least_rows, most_rows;
};
constexpr LawRule law_rules[] = {{Law::equality, 1, 3},
                                 {Law::nonnegative, 1, 1},
                                 {Law::box, 1, 1},
                                 {Law::coulomb, 2, 3},
                                 {Law::coulomb_relaxed, 2, 3}};

const LawRule* read_law(const Node& value, const std::string& path, Reader& reader) {
  std::vector<std::string_view> known;
  for (const LawRule& rule : law_rules) {
    known.push_back(name(rule.law));
    if (value.is(Kind::string) && value.string == known.back()) return &rule;
  }
  reader.error(value, path, "unknown law", summary(value), joined(known),
               did_you_mean(value.string, known));
  return nullptr;
}

// Keys that belong to one law only.
void read_law_data(const Node& value, const std::string& path, Reader& reader, Constraint& c) {
  const auto only = [&](const char* key, bool allowed, const char* where) -> const Node* {
    const Node* found = value.find(key);
    if (!found || allowed) return found;
    reader.error(*found, path + "." + key, "has no meaning here", "", where, "remove it");
    return nullptr;
  };
  const bool cone = has_cone(c.law), box = c.law == Law::box;
  if (cone) reader.member(value, path, "mu");
  const Node* mu = only("mu", cone, "with law coulomb or coulomb_relaxed");
  if (mu && reader.number(*mu, path + ".mu", c.mu) && !(c.mu >= 0))
    reader.error(*mu, path + ".mu", "negative friction", summary(*mu), "a number >= 0");
  const Node* facets = only("facets", cone && c.rows == 3, "with a friction cone and three rows");
  if (facets && reader.integer(*facets, path + ".facets", 0, 64, c.facets) &&
      (c.facets == 1 || c.facets == 2))
    reader.error(*facets, path + ".facets", "no pyramid", summary(*facets),
                 "0 (exact cone) or 3 to 64");
  if (box) c.lo = -infinity, c.hi = infinity;  // a missing bound does not bind
  const Node* lo = only("lo", box, "with law box");
  const Node* hi = only("hi", box, "with law box");
  bool good = true;
  if (lo) good &= reader.number(*lo, path + ".lo", c.lo);
  if (hi) good &= reader.number(*hi, path + ".hi", c.hi);
  if (good && c.lo > c.hi)
    reader.error(value, path, "empty box", fmt::format("lo {} > hi {}", c.lo, c.hi), "lo <= hi");
}

// Bodies and their rows of J.
void read_rows(const Node& ids, const Node& J, const std::string& path, Reader& reader,
               const std::vector<ProblemBody>& bodies, Constraint& c) {
  if (reader.array(ids, path + ".bodies", 2, 2) < 0 || reader.array(J, path + ".J", 2, 2) < 0)
    return;
  const int last = static_cast<int>(bodies.size()) - 1;
  for (std::size_t side = 0; side < 2; ++side) {
    if (!reader.integer(ids.items[side], fmt::format("{}.bodies[{}]", path, side), -1, last,
                        c.body[side]))
      return;
    const Node& block = J.items[side];
    const std::string block_path = fmt::format("{}.J[{}]", path, side);
    const int rows = c.body[side] < 0 ? 0 : c.rows;
    if (reader.array(block, block_path, rows, rows) < 0) return;
    for (int r = 0; r < rows; ++r)
      reader.numbers(block.items[static_cast<std::size_t>(r)], fmt::format("{}[{}]", block_path, r),
                     bodies[static_cast<std::size_t>(c.body[side])].size, c.J[side][r]);
  }
  if (c.body[0] == c.body[1])
    reader.error(ids, path + ".bodies", "needs two different bodies, of which at most one is -1",
                 to_json(ids));
}

void read_constraint(const Node& value, const std::string& path, Reader& reader,
                     const std::vector<ProblemBody>& bodies, Constraint& c, std::string& name) {
  if (!reader.object(value, path, {"name", "law", "bodies", "J", "b", "mu", "facets", "lo", "hi"}))
    return;
  if (const Node* found = value.find("name")) {
    name = found->string;
    if (!found->is(Kind::string))
      reader.error(*found, path + ".name", "expected a string", summary(*found));
  }
  const Node* law = reader.member(value, path, "law");
  const Node* ids = reader.member(value, path, "bodies");
  const Node* J = reader.member(value, path, "J");
  const Node* b = reader.member(value, path, "b");
  const LawRule* rule = law ? read_law(*law, path + ".law", reader) : nullptr;
  if (!rule || !ids || !J || !b) return;
  c.law = rule->law;
  c.rows = reader.array(*b, path + ".b", rule->least_rows, rule->most_rows);
  if (c.rows < 0 || !reader.numbers(*b, path + ".b", c.rows, c.b)) return;
  read_law_data(value, path, reader, c);
  read_rows(*ids, *J, path, reader, bodies, c);
}

// The whole text of a regular file.
Result<std::string> read_text(const std::string& file) {
  const auto failure = [&](ErrorKind kind, const std::string& what) {
    Error error;
    error.kind = kind;
    error.file = file;
    error.what = what;
    return fail(error);
  };
  // O_NONBLOCK: opening a pipe must not wait for a writer.
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0)
    return failure(ErrorKind::input, std::string("cannot open: ") + std::strerror(errno));
  struct stat info {};
  const bool regular = ::fstat(descriptor, &info) == 0 && S_ISREG(info.st_mode);
  std::string text;
  std::size_t done = 0;
  int reason = 0;
  if (regular && info.st_size <= static_cast<off_t>(limits.bytes)) {
    text.resize(static_cast<std::size_t>(info.st_size));
    while (done < text.size()) {
      const ssize_t count = ::read(descriptor, text.data() + done, text.size() - done);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) reason = errno;
      if (count <= 0) break;
      done += static_cast<std::size_t>(count);
    }
  }
  ::close(descriptor);
  if (!regular) return failure(ErrorKind::input, "is not a regular file");
  if (info.st_size > static_cast<off_t>(limits.bytes))
    return failure(ErrorKind::limit, fmt::format("is larger than {} bytes", limits.bytes));
  if (reason != 0)
    return failure(ErrorKind::io, std::string("cannot read: ") + std::strerror(reason));
  text.resize(done);
  return text;
}

}  // namespace

bool is_problem_text(const std::string& text) {
  if (text.find("\"cairn_problem\"") == std::string::npos) return false;
  const Result<Node> document = parse_document(text, "", limits);
  if (!document) return true;
  return document->find("cairn_problem") != nullptr;
}

Result<Problem> parse_problem(const std::string& text, const std::string& file) {
  const Result<Node> document = parse_document(text, file, limits);
  if (!document) return tl::unexpected(document.error());
  Reader reader(file);
  if (!reader.object(*document, "", {"cairn_problem", "units", "bodies", "constraints"}))
    return reader.errors();
  Problem problem;
  int version = 0;
  if (const Node* value = reader.member(*document, "", "cairn_problem"))
    reader.integer(*value, "cairn_problem", 1, 1, version);
  read_units(*document, reader, problem.units);

  constexpr int most = 1 << 24;
  const Node* bodies = reader.member(*document, "", "bodies");
  const Node* constraints = reader.member(*document, "", "constraints");
  if (!bodies || !constraints || reader.array(*bodies, "bodies", 1, most) < 0 ||
      reader.array(*constraints, "constraints", 0, most) < 0)
    return reader.errors();
  problem.bodies.resize(bodies->items.size());
  std::vector<double> k;
  for (std::size_t i = 0; i < problem.bodies.size(); ++i)
    read_body(bodies->items[i], fmt::format("bodies[{}]", i), reader, problem.bodies[i], k);
  problem.k = VecX::Map(k.data(), static_cast<Eigen::Index>(k.size()));
  if (reader.failed()) return reader.errors();  // sizes of J depend on the bodies

  problem.constraints.resize(constraints->items.size());
  problem.names.resize(constraints->items.size());
  problem.first_row.push_back(0);
  for (std::size_t i = 0; i < problem.constraints.size(); ++i) {
    Constraint& c = problem.constraints[i];
    problem.names[i] = fmt::format("constraint {}", i);
    read_constraint(constraints->items[i], fmt::format("constraints[{}]", i), reader,
                    problem.bodies, c, problem.names[i]);
    c.id.number = static_cast<std::int32_t>(i);
    problem.first_row.push_back(problem.first_row.back() + c.rows);
  }
  if (reader.failed()) return reader.errors();
  return problem;
}

Result<Problem> read_problem(const std::string& file) {
  const Result<std::string> text = read_text(file);
  if (!text) return tl::unexpected(text.error());
  return parse_problem(*text, file);
}

}  // namespace cairn
