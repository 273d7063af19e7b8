// reduce(): W = J A^-1 J^T and q = J A^-1 k + b (E5), block by block. Reads a problem, writes its
// reduced form.
#include "cairn/reduced.hpp"

#include <algorithm>

#include "problem/blocks.hpp"

namespace cairn {
namespace {

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

// One side of a constraint, as seen from the body.
struct Touch {
  int constraint = 0, side = 0;
};

// B = A^-1 J^T of one side of a constraint.
void impulse_to_velocity(const ProblemBody& inverse, const Constraint& c, int side,
                         double B[max_velocities][max_rows]) {
  for (int k = 0; k < inverse.size; ++k)
    for (int r = 0; r < c.rows; ++r) {
      B[k][r] = 0;
      for (int l = 0; l < inverse.size; ++l) B[k][r] += inverse.A[k][l] * c.J[side][r][l];
    }
}

// Columns of row i in ascending order: itself and every constraint that shares a body with it.
std::vector<int> columns_of(const Problem& problem, const std::vector<std::vector<Touch>>& touches,
                            std::size_t i) {
  std::vector<int> columns = {static_cast<int>(i)};
  for (const int body : problem.constraints[i].body)
    if (body >= 0)
      for (const Touch& touch : touches[at(body)]) columns.push_back(touch.constraint);
  std::sort(columns.begin(), columns.end());
  columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
  return columns;
}

}  // namespace

ReducedProblem reduce(const Problem& problem) {
  ReducedProblem reduced;
  reduced.first_row = problem.first_row;
  if (reduced.first_row.empty()) reduced.first_row = {0};
  if (problem.names.size() == problem.constraints.size()) reduced.names = problem.names;

  // Free velocities A^-1 k; A^-1 in the form of a body.
  std::vector<ProblemBody> inverse = problem.bodies;
  VecX v_free = VecX::Zero(problem.velocities());
  for (std::size_t i = 0; i < problem.bodies.size(); ++i) {
    const ProblemBody& b = problem.bodies[i];
    CAIRN_CHECK(invert(b.A, b.size, inverse[i].A));
    for (int r = 0; r < b.size; ++r)
      for (int c = 0; c < b.size; ++c)
        v_free[b.first + r] += inverse[i].A[r][c] * problem.k[b.first + c];
  }
  std::vector<std::vector<Touch>> touches(problem.bodies.size());
  for (std::size_t i = 0; i < problem.constraints.size(); ++i)
    for (int side = 0; side < 2; ++side)
      if (const int body = problem.constraints[i].body[at(side)]; body >= 0)
        touches[at(body)].push_back({static_cast<int>(i), side});

  reduced.q.resize(problem.rows());
  reduced.first_block.push_back(0);
  for (std::size_t i = 0; i < problem.constraints.size(); ++i) {
    const Constraint& c = problem.constraints[i];
    reduced.constraints.push_back({c.law, c.rows, c.mu, c.facets, c.lo, c.hi});
    constraint_velocity(problem, c, v_free.data(), true, reduced.q.data() + problem.first_row[i]);
    const std::size_t first = reduced.blocks.size();
    for (const int column : columns_of(problem, touches, i))
      reduced.blocks.emplace_back().column = column;
    for (int side = 0; side < 2; ++side) {
      const int body = c.body[at(side)];
      if (body < 0) continue;
      for (const Touch& touch : touches[at(body)]) {
        double B[max_velocities][max_rows];
        const Constraint& other = problem.constraints[at(touch.constraint)];
        impulse_to_velocity(inverse[at(body)], other, touch.side, B);
        const auto block = std::lower_bound(
            reduced.blocks.begin() + static_cast<std::ptrdiff_t>(first), reduced.blocks.end(),
            touch.constraint,
            [](const ReducedProblem::Block& a, int column) { return a.column < column; });
        for (int r = 0; r < c.rows; ++r)
          for (int s = 0; s < other.rows; ++s)
            for (int k = 0; k < inverse[at(body)].size; ++k)
              block->value[r][s] += c.J[side][r][k] * B[k][s];
      }
    }
    reduced.first_block.push_back(static_cast<int>(reduced.blocks.size()));
  }
  return reduced;
}

}  // namespace cairn
