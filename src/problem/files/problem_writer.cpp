// Writes problem files: a Problem to JSON text, each number with the shortest digits that read back
// to the same bits.
#include <cmath>
#include <fmt/format.h>

#include "base/infinity.hpp"
#include "base/json/json_text.hpp"
#include "problem/files/problem_file.hpp"
#include "problem/files/text_file.hpp"

namespace cairn::problem {
namespace {

std::string row_text(const double* values, int size) {
  std::string text = "[";
  for (int i = 0; i < size; ++i) text += (i > 0 ? ", " : "") + json::digits(values[i]);
  return text + "]";
}

std::string block_text(const double (*rows)[max_velocities], int count, int size) {
  std::string text = "[";
  for (int r = 0; r < count; ++r) text += (r > 0 ? ", " : "") + row_text(rows[r], size);
  return text + "]";
}

std::string coupling_text(const Problem& problem, const BodyCoupling& c) {
  const int a = problem.bodies[static_cast<std::size_t>(c.body[0])].size,
            b = problem.bodies[static_cast<std::size_t>(c.body[1])].size;
  return fmt::format("{{\"bodies\": [{}, {}], \"A\": [{}, {}]}}", c.body[0], c.body[1],
                     block_text(c.A[0], a, b), block_text(c.A[1], b, a));
}

std::string constraint_text(const Problem& problem, const Constraint& c, const std::string& name) {
  std::string text =
      fmt::format("{{\"name\": {}, \"law\": \"{}\", \"bodies\": [{}]", json::json_string(name),
                  cairn::name(c.law), fmt::join(c.body.begin(), c.body.begin() + c.sides, ", "));
  if (has_cone(c.law) || c.law == Law::disc) text += ", \"mu\": " + json::digits(c.mu);
  if (c.law == Law::disc) text += fmt::format(", \"tie\": {}", c.tie);
  if (has_cone(c.law) && c.rows == 3) text += json::section_text(c.facets, c.section.get());
  if (c.law == Law::box && c.lo != -base::infinity) text += ", \"lo\": " + json::digits(c.lo);
  if (c.law == Law::box && c.hi != base::infinity) text += ", \"hi\": " + json::digits(c.hi);
  text += ",\n     \"J\": [";
  for (std::size_t side = 0; side < static_cast<std::size_t>(c.sides); ++side) {
    const int body = c.body[side];
    const int size = body < 0 ? 0 : problem.bodies[static_cast<std::size_t>(body)].size;
    text += (side > 0 ? ", " : "") + block_text(c.J[side], body < 0 ? 0 : c.rows, size);
  }
  text += "], \"b\": " + row_text(c.b, c.rows);
  if (c.compliant()) text += ", \"compliance\": " + row_text(c.compliance, c.rows);
  return text + "}";
}

// A start that was not judged has no estimate.
std::string attempt_text(const SolveAttempt& a) {
  const auto estimate = [](const char* key, double x) {
    return std::isfinite(x) ? fmt::format(", \"{}\": {}", key, json::digits(x)) : std::string();
  };
  return fmt::format("{{\"method\": {}, \"island\": {}, \"iterations\": {}{}{}, \"work\": {}}}",
                     json::json_string(a.method), a.island, a.iterations,
                     estimate("before", a.before), estimate("after", a.after),
                     json::digits(a.work));
}

}  // namespace

std::string problem_text(const Problem& problem, std::span<const std::string> names,
                         std::span<const SolveAttempt> attempts) {
  CAIRN_CHECK(names.size() == problem.constraints.size());
  const Units& u = problem.units;
  std::string text = fmt::format(
      "{{\n  \"cairn_problem\": 1,\n  \"units\": {{\"mass\": {}, \"length\": {}, \"time\": {}}},\n"
      "  \"bodies\": [",
      json::digits(u.mass), json::digits(u.length), json::digits(u.time));
  for (std::size_t i = 0; i < problem.bodies.size(); ++i) {
    const ProblemBody& body = problem.bodies[i];
    text += fmt::format("{}\n    {{\"A\": {}, \"k\": {}}}", i > 0 ? "," : "",
                        block_text(body.A, body.size, body.size),
                        row_text(problem.k.data() + body.first, body.size));
  }
  if (!problem.couplings.empty()) text += "\n  ],\n  \"couplings\": [";
  for (std::size_t i = 0; i < problem.couplings.size(); ++i)
    text += (i > 0 ? ",\n    " : "\n    ") + coupling_text(problem, problem.couplings[i]);
  text += "\n  ],\n  \"constraints\": [";
  for (std::size_t i = 0; i < names.size(); ++i)
    text +=
        (i > 0 ? ",\n    " : "\n    ") + constraint_text(problem, problem.constraints[i], names[i]);
  if (!attempts.empty()) text += "\n  ],\n  \"attempts\": [";
  for (std::size_t i = 0; i < attempts.size(); ++i)
    text += (i > 0 ? ",\n    " : "\n    ") + attempt_text(attempts[i]);
  return text + "\n  ]\n}\n";
}

Result<void> write_problem(const Problem& problem, std::span<const std::string> names,
                           const std::string& file, std::span<const SolveAttempt> attempts) {
  return write_text(problem_text(problem, names, attempts), file);
}

}  // namespace cairn::problem
