// Reads problem files: JSON text to a checked Problem. The numbers stay in the units that the file
// names, since converting them would round.
#include "problem/files/problem_file.hpp"

#include <Eigen/SparseCholesky>
#include <algorithm>
#include <cmath>

#include "base/input_file.hpp"
#include "problem/files/json_reader.hpp"
#include "problem/files/text_file.hpp"

namespace cairn::problem {
namespace {

// The symmetric part is positive definite, by Cholesky's factorisation; says what is wrong or
// nothing.
std::string matrix_fault(const ProblemBody& body) {
  const auto& A = body.A;
  for (int i = 0; i < body.size; ++i)
    if (!(A[i][i] > 0)) return fmt::format("A[{}][{}] = {} is not positive", i, i, A[i][i]);
  double L[max_velocities][max_velocities] = {};
  for (int i = 0; i < body.size; ++i) {
    for (int j = 0; j <= i; ++j) {
      double sum = 0.5 * A[i][j] + 0.5 * A[j][i];
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

// The same for A with its couplings.
bool is_positive(const Problem& problem) {
  std::vector<Eigen::Triplet<double>> entries;
  const auto add = [&](int row, int column, double value) {
    entries.emplace_back(row, column, 0.5 * value);
    entries.emplace_back(column, row, 0.5 * value);
  };
  for (const ProblemBody& body : problem.bodies)
    for (int r = 0; r < body.size; ++r)
      for (int c = 0; c < body.size; ++c) add(body.first + r, body.first + c, body.A[r][c]);
  for (const BodyCoupling& coupling : problem.couplings) {
    const ProblemBody &a = problem.bodies[static_cast<std::size_t>(coupling.body[0])],
                      &b = problem.bodies[static_cast<std::size_t>(coupling.body[1])];
    for (int r = 0; r < a.size; ++r)
      for (int c = 0; c < b.size; ++c) {
        add(a.first + r, b.first + c, coupling.A[0][r][c]);
        add(b.first + c, a.first + r, coupling.A[1][c][r]);
      }
  }
  Eigen::SparseMatrix<double> A(problem.velocities(), problem.velocities());
  A.setFromTriplets(entries.begin(), entries.end());
  const Eigen::SimplicialLLT<Eigen::SparseMatrix<double>> factor(A);
  return factor.info() == Eigen::Success;
}

void read_units(const json::Node& document, JsonReader& reader, Units& units) {
  const json::Node* found = document.find("units");
  if (!found) return;  // SI
  if (!reader.object(*found, "units", {"mass", "length", "time"})) return;
  const auto read = [&](const char* key, double& unit) {
    const std::string path = std::string("units.") + key;
    const json::Node* value = reader.member(*found, "units", key);
    if (!value || !reader.number(*value, path, unit)) return;
    if (!(unit > 0))
      reader.error(*value, path, ErrorCode::out_of_range, "not a unit", json::summary(*value),
                   "a positive number of kg, m or s");
  };
  read("mass", units.mass);
  read("length", units.length);
  read("time", units.time);
}

void read_body(const json::Node& value, const std::string& path, JsonReader& reader,
               ProblemBody& body, std::vector<double>& k) {
  if (!reader.object(value, path, {"A", "k"})) return;
  const json::Node* matrix = reader.member(value, path, "A");
  const json::Node* right = reader.member(value, path, "k");
  if (!matrix || !right) return;
  body.size = std::max(0, reader.array(*matrix, path + ".A", 1, max_velocities));
  bool good = body.size > 0;
  for (int i = 0; i < body.size; ++i)
    good &= reader.numbers(matrix->items[static_cast<std::size_t>(i)],
                           fmt::format("{}.A[{}]", path, i), body.size, body.A[i]);
  if (!good) return;
  const std::string fault = matrix_fault(body);
  if (!fault.empty())
    reader.error(*matrix, path + ".A", ErrorCode::invalid_matrix,
                 "symmetric part not positive definite: " + fault, "", "",
                 "give the mass matrix of the body's free velocities");
  body.first = static_cast<int>(k.size());
  k.resize(k.size() + static_cast<std::size_t>(body.size));
  reader.numbers(*right, path + ".k", body.size, k.data() + body.first);
}

// Bodies and their rows of J.
void read_rows(const json::Node& ids, const json::Node& J, const std::string& path,
               JsonReader& reader, const std::vector<ProblemBody>& bodies, Constraint& c) {
  const int most = has_cone(c.law) || c.law == Law::disc ? 2 : max_sides;
  c.sides = reader.array(ids, path + ".bodies", 2, most);
  if (c.sides < 0 || reader.array(J, path + ".J", c.sides, c.sides) < 0) return;
  const int last = static_cast<int>(bodies.size()) - 1;
  for (std::size_t side = 0; side < static_cast<std::size_t>(c.sides); ++side) {
    if (!reader.integer(ids.items[side], fmt::format("{}.bodies[{}]", path, side), -1, last,
                        c.body[side]))
      return;
    const json::Node& block = J.items[side];
    const std::string block_path = fmt::format("{}.J[{}]", path, side);
    const int rows = c.body[side] < 0 ? 0 : c.rows;
    if (reader.array(block, block_path, rows, rows) < 0) return;
    for (int r = 0; r < rows; ++r)
      reader.numbers(block.items[static_cast<std::size_t>(r)], fmt::format("{}[{}]", block_path, r),
                     bodies[static_cast<std::size_t>(c.body[side])].size, c.J[side][r]);
  }
  const auto used = c.body.begin() + c.sides;
  const bool moves = std::any_of(c.body.begin(), used, [](int body) { return body >= 0; });
  for (auto body = c.body.begin(); body != used; ++body)
    if (!moves || (*body >= 0 && std::find(c.body.begin(), body, *body) != body))
      return reader.error(ids, path + ".bodies", ErrorCode::conflict,
                          "needs different bodies, of which at least one is not -1",
                          json::to_json(ids));
}

// Optional: the diagonal of C.
void read_compliance(const json::Node& value, const std::string& path, JsonReader& reader,
                     Constraint& c) {
  if (has_cone(c.law) || c.law == Law::disc)
    return reader.error(value, path, ErrorCode::conflict, "has no meaning here", "",
                        "with law equality, nonnegative or box", "remove it");
  if (reader.array(value, path, c.rows, c.rows) < 0 ||
      !reader.numbers(value, path, c.rows, c.compliance))
    return;
  for (int r = 0; r < c.rows; ++r)
    if (!(c.compliance[r] >= 0))
      reader.error(value, path, ErrorCode::out_of_range, "negative compliance",
                   json::to_json(value), "numbers of at least 0");
}

void read_coupling(const json::Node& value, const std::string& path, JsonReader& reader,
                   const std::vector<ProblemBody>& bodies, BodyCoupling& coupling) {
  if (!reader.object(value, path, {"bodies", "A"})) return;
  const json::Node* ids = reader.member(value, path, "bodies");
  const json::Node* A = reader.member(value, path, "A");
  if (!ids || !A || reader.array(*ids, path + ".bodies", 2, 2) < 0 ||
      reader.array(*A, path + ".A", 2, 2) < 0)
    return;
  const int last = static_cast<int>(bodies.size()) - 1;
  for (std::size_t side = 0; side < 2; ++side)
    if (!reader.integer(ids->items[side], fmt::format("{}.bodies[{}]", path, side), 0, last,
                        coupling.body[side]))
      return;
  if (coupling.body[0] == coupling.body[1])
    reader.error(*ids, path + ".bodies", ErrorCode::conflict, "needs two different bodies",
                 json::to_json(*ids), "", "a body's own block is bodies[i].A");
  for (std::size_t side = 0; side < 2; ++side) {
    const int rows = bodies[static_cast<std::size_t>(coupling.body[side])].size,
              columns = bodies[static_cast<std::size_t>(coupling.body[1 - side])].size;
    const std::string block_path = fmt::format("{}.A[{}]", path, side);
    if (reader.array(A->items[side], block_path, rows, rows) < 0) return;
    for (int r = 0; r < rows; ++r)
      reader.numbers(A->items[side].items[static_cast<std::size_t>(r)],
                     fmt::format("{}[{}]", block_path, r), columns, coupling.A[side][r]);
  }
}

// Optional: blocks of A between bodies.
void read_couplings(const json::Node& document, JsonReader& reader, Problem& problem) {
  const json::Node* found = document.find("couplings");
  if (!found || reader.array(*found, "couplings", 0, most_items) < 0) return;
  problem.couplings.resize(found->items.size());
  for (std::size_t i = 0; i < problem.couplings.size(); ++i)
    read_coupling(found->items[i], fmt::format("couplings[{}]", i), reader, problem.bodies,
                  problem.couplings[i]);
  if (reader.failed() || problem.couplings.empty() || is_positive(problem)) return;
  reader.error(*found, "couplings", ErrorCode::invalid_matrix,
               "with them the symmetric part of A is not positive definite", "", "",
               "a spring adds as much to the blocks of its bodies as it takes here");
}

void read_constraint(const json::Node& value, const std::string& path, JsonReader& reader,
                     const std::vector<ProblemBody>& bodies, Constraint& c, std::string& name) {
  if (!reader.object(value, path,
                     {"name", "law", "bodies", "J", "b", "mu", "facets", "polygon", "lo", "hi",
                      "tie", "compliance"}))
    return;
  read_name(value, path, reader, name);
  const json::Node* law = reader.member(value, path, "law");
  const json::Node* ids = reader.member(value, path, "bodies");
  const json::Node* J = reader.member(value, path, "J");
  const json::Node* b = reader.member(value, path, "b");
  const LawRule* rule = law ? read_law(*law, path + ".law", reader) : nullptr;
  if (!rule || !ids || !J || !b) return;
  c.law = rule->law;
  c.rows = reader.array(*b, path + ".b", rule->least_rows, rule->most_rows);
  if (c.rows < 0 || !reader.numbers(*b, path + ".b", c.rows, c.b)) return;
  ReducedConstraint set{.law = c.law, .rows = c.rows};
  read_law_data(value, path, reader, set);
  c.mu = set.mu;
  c.facets = set.facets;
  c.section = set.section;
  c.lo = set.lo;
  c.hi = set.hi;
  read_rows(*ids, *J, path, reader, bodies, c);
  if (const json::Node* found = value.find("compliance"))
    read_compliance(*found, path + ".compliance", reader, c);
}

// Normal impulses that discs are tied to; after all constraints, which may come in any order.
void read_tie(const json::Node& value, const std::string& path, JsonReader& reader,
              std::vector<Constraint>& constraints, Constraint& c) {
  const json::Node* tie = value.find("tie");
  if (c.law != Law::disc) {
    if (tie)
      reader.error(*tie, path + ".tie", ErrorCode::conflict, "has no meaning here", "",
                   "with law disc", "remove it");
    return;
  }
  tie = reader.member(value, path, "tie");
  if (!tie ||
      !reader.integer(*tie, path + ".tie", 0, static_cast<int>(constraints.size()) - 1, c.tie))
    return;
  const Constraint& normal = constraints[static_cast<std::size_t>(c.tie)];
  if (!is_unilateral(normal.law))
    reader.error(*tie, path + ".tie", ErrorCode::unknown_name,
                 "names a constraint without a normal impulse",
                 fmt::format("{}, law {}", c.tie, name(normal.law)),
                 "a constraint with law nonnegative, coulomb or coulomb_relaxed");
  else if (normal.body != c.body)
    reader.error(*tie, path + ".tie", ErrorCode::mismatch, "names a constraint of other bodies",
                 fmt::format("{}, bodies [{}, {}]", c.tie, normal.body[0], normal.body[1]),
                 fmt::format("bodies [{}, {}]", c.body[0], c.body[1]));
}

}  // namespace

bool is_problem_text(const std::string& text) {
  if (text.find("\"cairn_problem\"") == std::string::npos) return false;
  const Result<json::Node> document = json::parse_document(text, "", problem_limits);
  if (!document) return true;
  return document->find("cairn_problem") != nullptr;
}

Result<Problem> parse_problem(const std::string& text, const std::string& file) {
  const Result<json::Node> document = json::parse_document(text, file, problem_limits);
  if (!document) return tl::unexpected(document.error());
  JsonReader reader(file);
  if (!reader.object(*document, "",
                     {"cairn_problem", "units", "bodies", "couplings", "constraints", "attempts"}))
    return reader.errors();
  Problem problem;
  int version = 0;
  if (const json::Node* value = reader.member(*document, "", "cairn_problem"))
    reader.integer(*value, "cairn_problem", 1, 1, version);
  read_units(*document, reader, problem.units);

  const json::Node* bodies = reader.member(*document, "", "bodies");
  const json::Node* constraints = reader.member(*document, "", "constraints");
  if (!bodies || !constraints || reader.array(*bodies, "bodies", 1, most_items) < 0 ||
      reader.array(*constraints, "constraints", 0, most_items) < 0)
    return reader.errors();
  problem.bodies.resize(bodies->items.size());
  std::vector<double> k;
  for (std::size_t i = 0; i < problem.bodies.size(); ++i)
    read_body(bodies->items[i], fmt::format("bodies[{}]", i), reader, problem.bodies[i], k);
  problem.k = VecX::Map(k.data(), static_cast<Eigen::Index>(k.size()));
  if (reader.failed()) return reader.errors();  // sizes of J depend on the bodies
  read_couplings(*document, reader, problem);

  problem.constraints.resize(constraints->items.size());
  problem.names.resize(constraints->items.size());
  problem.first_row.push_back(0);
  for (std::size_t i = 0; i < problem.constraints.size(); ++i) {
    Constraint& c = problem.constraints[i];
    problem.names[i] = fmt::format("constraint {}", i);
    read_constraint(constraints->items[i], fmt::format("constraints[{}]", i), reader,
                    problem.bodies, c, problem.names[i]);
    c.key.element = static_cast<std::int32_t>(i);
    problem.first_row.push_back(problem.first_row.back() + c.rows);
  }
  if (reader.failed()) return reader.errors();
  for (std::size_t i = 0; i < problem.constraints.size(); ++i)
    read_tie(constraints->items[i], fmt::format("constraints[{}]", i), reader, problem.constraints,
             problem.constraints[i]);
  if (reader.failed()) return reader.errors();
  return problem;
}

Result<Problem> read_problem(const std::string& file) {
  const Result<std::string> text = base::read_input(file, problem_limits.bytes);
  if (!text) return tl::unexpected(text.error());
  return parse_problem(*text, file);
}

}  // namespace cairn::problem
