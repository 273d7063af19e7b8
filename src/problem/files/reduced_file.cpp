// Reduced problems to JSON text and back.
#include "problem/files/reduced_file.hpp"

#include "base/infinity.hpp"
#include "base/json/json_text.hpp"
#include "problem/files/json_reader.hpp"
#include "problem/reduced_view.hpp"

namespace cairn::problem {
namespace {

// Laws and q come first: the sizes of the blocks of W depend on them.
void read_reduced_constraint(const json::Node& value, const std::string& path, JsonReader& reader,
                             ReducedConstraint& c, std::vector<double>& q, std::string& name) {
  if (!reader.object(value, path,
                     {"name", "law", "q", "mu", "facets", "polygon", "lo", "hi", "columns", "W"}))
    return;
  read_name(value, path, reader, name);
  const json::Node* law = reader.member(value, path, "law");
  const json::Node* right = reader.member(value, path, "q");
  const LawRule* rule = law ? read_law(*law, path + ".law", reader) : nullptr;
  if (!rule || !right) return;
  if (rule->law == Law::disc)
    return reader.error(*law, path + ".law", ErrorCode::unsupported,
                        "a reduced problem has no ties between constraints", "disc", "another law",
                        "give the problem with its bodies");
  c.law = rule->law;
  double values[max_rows];
  c.rows = reader.array(*right, path + ".q", rule->least_rows, rule->most_rows);
  if (c.rows < 0 || !reader.numbers(*right, path + ".q", c.rows, values)) return;
  q.insert(q.end(), values, values + c.rows);
  read_law_data(value, path, reader, c);
}

void read_blocks(const json::Node& value, const std::string& path, JsonReader& reader, int row,
                 ReducedProblem& problem) {
  const json::Node* columns = reader.member(value, path, "columns");
  const json::Node* W = reader.member(value, path, "W");
  const int last = static_cast<int>(problem.constraints.size()) - 1;
  const int count = columns ? reader.array(*columns, path + ".columns", 0, last + 1) : -1;
  if (count < 0 || !W || reader.array(*W, path + ".W", count, count) < 0) return;
  int column = -1;
  for (int i = 0; i < count; ++i) {
    const auto k = static_cast<std::size_t>(i);
    ReducedProblem::Block block;
    if (!reader.integer(columns->items[k], fmt::format("{}.columns[{}]", path, i), column + 1, last,
                        block.column))
      return;
    column = block.column;
    const int rows = problem.constraints[static_cast<std::size_t>(row)].rows;
    const std::string block_path = fmt::format("{}.W[{}]", path, i);
    if (reader.array(W->items[k], block_path, rows, rows) < 0) return;
    for (int r = 0; r < rows; ++r)
      reader.numbers(W->items[k].items[static_cast<std::size_t>(r)],
                     fmt::format("{}[{}]", block_path, r),
                     problem.constraints[static_cast<std::size_t>(column)].rows, block.value[r]);
    problem.blocks.push_back(block);
  }
}

std::string numbers(const double* values, int count) {
  std::string text = "[";
  for (int i = 0; i < count; ++i) text += (i > 0 ? ", " : "") + json::digits(values[i]);
  return text + "]";
}

}  // namespace

Result<ReducedProblem> parse_reduced(const std::string& text, const std::string& file) {
  const Result<json::Node> document = json::parse_document(text, file, problem_limits);
  if (!document) return tl::unexpected(document.error());
  JsonReader reader(file);
  if (!reader.object(*document, "", {"cairn_reduced", "constraints"})) return reader.errors();
  int version = 0;
  if (const json::Node* value = reader.member(*document, "", "cairn_reduced"))
    reader.integer(*value, "cairn_reduced", 1, 1, version);
  const json::Node* constraints = reader.member(*document, "", "constraints");
  if (!constraints || reader.array(*constraints, "constraints", 0, most_items) < 0)
    return reader.errors();

  ReducedProblem problem;
  problem.constraints.resize(constraints->items.size());
  problem.names.resize(constraints->items.size());
  problem.first_row = problem.first_block = {0};
  std::vector<double> q;
  for (std::size_t i = 0; i < problem.constraints.size(); ++i) {
    problem.names[i] = fmt::format("constraint {}", i);
    read_reduced_constraint(constraints->items[i], fmt::format("constraints[{}]", i), reader,
                            problem.constraints[i], q, problem.names[i]);
    problem.first_row.push_back(problem.first_row.back() + problem.constraints[i].rows);
  }
  if (reader.failed()) return reader.errors();
  problem.q = VecX::Map(q.data(), static_cast<Eigen::Index>(q.size()));
  for (std::size_t i = 0; i < problem.constraints.size(); ++i) {
    read_blocks(constraints->items[i], fmt::format("constraints[{}]", i), reader,
                static_cast<int>(i), problem);
    problem.first_block.push_back(static_cast<int>(problem.blocks.size()));
  }
  if (reader.failed()) return reader.errors();
  return problem;
}

std::string reduced_text(const ReducedProblem& problem) {
  std::string text = "{\n  \"cairn_reduced\": 1,\n  \"constraints\": [";
  for (std::size_t i = 0; i < problem.constraints.size(); ++i) {
    const ReducedConstraint& c = problem.constraints[i];
    text +=
        fmt::format("{}\n    {{\"name\": {}, \"law\": \"{}\"", i > 0 ? "," : "",
                    json::json_string(constraint_name(problem, static_cast<int>(i))), name(c.law));
    if (has_cone(c.law)) text += ", \"mu\": " + json::digits(c.mu);
    if (has_cone(c.law) && c.rows == 3) text += json::section_text(c.facets, c.section.get());
    if (c.law == Law::box && c.lo != -base::infinity) text += ", \"lo\": " + json::digits(c.lo);
    if (c.law == Law::box && c.hi != base::infinity) text += ", \"hi\": " + json::digits(c.hi);
    text += ", \"q\": " + numbers(problem.q.data() + problem.first_row[i], c.rows);
    std::string columns, blocks;
    for (int k = problem.first_block[i]; k < problem.first_block[i + 1]; ++k) {
      const ReducedProblem::Block& block = problem.blocks[static_cast<std::size_t>(k)];
      const int size = problem.constraints[static_cast<std::size_t>(block.column)].rows;
      const char* const comma = k > problem.first_block[i] ? ", " : "";
      columns += fmt::format("{}{}", comma, block.column);
      blocks += std::string(comma) + "[";
      for (int r = 0; r < c.rows; ++r)
        blocks += (r > 0 ? ", " : "") + numbers(block.value[r], size);
      blocks += "]";
    }
    text += fmt::format(",\n     \"columns\": [{}],\n     \"W\": [{}]}}", columns, blocks);
  }
  return text + "\n  ]\n}\n";
}

}  // namespace cairn::problem
