#include "problem/sparse.hpp"

#include <algorithm>
#include <tuple>

#include "base/index.hpp"
#include "cairn/error.hpp"

namespace cairn::problem {
std::vector<ReducedConstraint> contacts(int rows, const VecX& mu) {
  std::vector<ReducedConstraint> list;
  for (const double friction : mu)
    list.push_back({.law = Law::coulomb, .rows = rows, .mu = friction});
  return list;
}

ReducedProblem make_reduced(std::vector<ReducedConstraint> constraints, const SparseMatrix& W,
                            const VecX& q) {
  ReducedProblem problem;
  problem.q = q;
  std::vector<int> owner;  // row -> constraint
  problem.first_row.push_back(0);
  for (std::size_t i = 0; i < constraints.size(); ++i) {
    owner.insert(owner.end(), base::at(constraints[i].rows), static_cast<int>(i));
    problem.first_row.push_back(static_cast<int>(owner.size()));
  }
  CAIRN_CHECK(W.rows == problem.rows() && W.columns == problem.rows() && q.size() == W.rows);

  // Entries by block row, then block column; every row has its diagonal block.
  struct Place {
    int row, column;  // of the block
    int entry;        // -1: the block alone
  };
  std::vector<Place> places;
  places.reserve(W.entries.size() + constraints.size());
  for (std::size_t k = 0; k < W.entries.size(); ++k)
    places.push_back({owner[base::at(W.entries[k].row)], owner[base::at(W.entries[k].column)],
                      static_cast<int>(k)});
  for (int i = 0; i < static_cast<int>(constraints.size()); ++i) places.push_back({i, i, -1});
  std::sort(places.begin(), places.end(), [](const Place& a, const Place& b) {
    return std::tie(a.row, a.column, a.entry) < std::tie(b.row, b.column, b.entry);
  });

  problem.first_block.assign(constraints.size() + 1, 0);
  int row = -1, column = -1;
  for (const Place& place : places) {
    if (place.row != row || place.column != column) {
      row = place.row;
      column = place.column;
      problem.blocks.emplace_back().column = column;
      ++problem.first_block[base::at(row) + 1];
    }
    if (place.entry < 0) continue;
    const SparseMatrix::Entry& e = W.entries[base::at(place.entry)];
    problem.blocks.back().value[e.row - problem.first_row[base::at(row)]]
                               [e.column - problem.first_row[base::at(column)]] += e.value;
  }
  for (std::size_t i = 0; i < constraints.size(); ++i)
    problem.first_block[i + 1] += problem.first_block[i];
  problem.constraints = std::move(constraints);
  return problem;
}

}  // namespace cairn::problem
