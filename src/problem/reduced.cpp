// reduce(): W = J A^-1 J^T and q = J A^-1 k + b (E5), block by block. Reads a problem, writes its
// reduced form.
#include "cairn/reduced.hpp"

#include <algorithm>

#include "base/index.hpp"
#include "cairn/error.hpp"
#include "problem/conventions.hpp"
#include "problem/mass.hpp"

namespace cairn {
namespace {

// One side of a constraint, as seen from the body.
struct Touch {
  int constraint = 0, side = 0;
};

// B = A^-1 J^T of one side of a constraint, velocities of its own body.
void impulse_to_velocity(const linear::BodyBlock& inverse, int size, const Constraint& c, int side,
                         double B[max_velocities][max_rows]) {
  for (int k = 0; k < size; ++k)
    for (int r = 0; r < c.rows; ++r) {
      B[k][r] = 0;
      for (int l = 0; l < size; ++l) B[k][r] += inverse[k][l] * c.J[side][r][l];
    }
}

// Columns of row i in ascending order: itself and every constraint that shares a body with it.
std::vector<int> columns_of(const Problem& problem, const std::vector<std::vector<Touch>>& touches,
                            std::size_t i) {
  std::vector<int> columns = {static_cast<int>(i)};
  for (const int body : problem.constraints[i].body)
    if (body >= 0)
      for (const Touch& touch : touches[base::at(body)]) columns.push_back(touch.constraint);
  std::sort(columns.begin(), columns.end());
  columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
  return columns;
}

// Rows of W through the bodies that a constraint and its neighbours share.
void add_sparse_rows(const Problem& problem, const problem::MassInverse& mass,
                     ReducedProblem& reduced) {
  std::vector<std::vector<Touch>> touches(problem.bodies.size());
  for (std::size_t i = 0; i < problem.constraints.size(); ++i)
    for (int side = 0; side < problem.constraints[i].sides; ++side)
      if (const int body = problem.constraints[i].body[base::at(side)]; body >= 0)
        touches[base::at(body)].push_back({static_cast<int>(i), side});
  for (std::size_t i = 0; i < problem.constraints.size(); ++i) {
    const Constraint& c = problem.constraints[i];
    const std::size_t first = reduced.blocks.size();
    for (const int column : columns_of(problem, touches, i))
      reduced.blocks.emplace_back().column = column;
    for (int side = 0; side < c.sides; ++side) {
      const int body = c.body[base::at(side)];
      if (body < 0) continue;
      const int size = problem.bodies[base::at(body)].size;
      for (const Touch& touch : touches[base::at(body)]) {
        double B[max_velocities][max_rows];
        const Constraint& other = problem.constraints[base::at(touch.constraint)];
        impulse_to_velocity(mass.block(body), size, other, touch.side, B);
        const auto block = std::lower_bound(
            reduced.blocks.begin() + static_cast<std::ptrdiff_t>(first), reduced.blocks.end(),
            touch.constraint,
            [](const ReducedProblem::Block& a, int column) { return a.column < column; });
        for (int r = 0; r < c.rows; ++r)
          for (int s = 0; s < other.rows; ++s)
            for (int k = 0; k < size; ++k) block->value[r][s] += c.J[side][r][k] * B[k][s];
      }
    }
    for (std::size_t k = first; k < reduced.blocks.size(); ++k)
      if (reduced.blocks[k].column == static_cast<int>(i))
        for (int r = 0; r < c.rows; ++r) reduced.blocks[k].value[r][r] += c.compliance[r];
    reduced.first_block.push_back(static_cast<int>(reduced.blocks.size()));
  }
}

// Coupled bodies: one solve with A per column; every block that is not zero.
void add_dense_rows(const Problem& problem, const problem::MassInverse& mass,
                    ReducedProblem& reduced) {
  std::vector<std::vector<ReducedProblem::Block>> rows(problem.constraints.size());
  VecX response[max_rows];
  for (std::size_t j = 0; j < problem.constraints.size(); ++j) {
    const Constraint& c = problem.constraints[j];
    for (int s = 0; s < c.rows; ++s) {
      response[s] = VecX::Zero(problem.velocities());
      double unit[max_rows] = {};
      unit[s] = 1;
      for (int side = 0; side < c.sides; ++side)
        if (const int body = c.body[base::at(side)]; body >= 0)
          linear::add_transposed(c.J[side], c.rows, problem.bodies[base::at(body)].size, unit,
                                 response[s].data() + problem.bodies[base::at(body)].first);
      mass.solve(response[s].data());
    }
    for (std::size_t i = 0; i < problem.constraints.size(); ++i) {
      ReducedProblem::Block block;
      block.column = static_cast<int>(j);
      bool zero = i != j;
      for (int s = 0; s < c.rows; ++s) {
        double w[max_rows];
        linear::constraint_velocity(problem, problem.constraints[i], response[s].data(), false, w);
        if (i == j) w[s] += c.compliance[s];
        for (int r = 0; r < problem.constraints[i].rows; ++r) {
          block.value[r][s] = w[r];
          zero = zero && w[r] == 0;
        }
      }
      if (!zero) rows[i].push_back(block);
    }
  }
  for (const auto& row : rows) {
    reduced.blocks.insert(reduced.blocks.end(), row.begin(), row.end());
    reduced.first_block.push_back(static_cast<int>(reduced.blocks.size()));
  }
}

}  // namespace

ReducedProblem reduce(const Problem& problem) {
  problem::dcheck_problem(problem);
  ReducedProblem reduced;
  reduced.first_row = problem.first_row;
  if (reduced.first_row.empty()) reduced.first_row = {0};
  if (problem.names.size() == problem.constraints.size()) reduced.names = problem.names;

  problem::MassInverse mass;
  CAIRN_CHECK(mass.factor(problem));
  VecX v_free = problem.k;
  mass.solve(v_free.data());
  reduced.q.resize(problem.rows());
  for (std::size_t i = 0; i < problem.constraints.size(); ++i) {
    const Constraint& c = problem.constraints[i];
    reduced.constraints.push_back({c.law, c.rows, c.mu, c.facets, c.lo, c.hi, c.section});
    linear::constraint_velocity(problem, c, v_free.data(), true,
                                reduced.q.data() + problem.first_row[i]);
  }
  reduced.first_block.push_back(0);
  if (problem.couplings.empty())
    add_sparse_rows(problem, mass, reduced);
  else
    add_dense_rows(problem, mass, reduced);
  return reduced;
}

}  // namespace cairn
