// Elimination of the velocities of a global problem (E5), part by part of its mass matrix.
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

#include "base/index.hpp"
#include "base/union_find.hpp"
#include "problem/sparse.hpp"

namespace cairn::problem {
namespace {

constexpr Eigen::Index most_velocities = 8000;  // of one part: its matrix is dense

// Velocities of one part of M, and what of M and H belongs to them.
struct Part {
  std::vector<int> velocities;
  std::vector<SparseMatrix::Entry> M, H;  // rows (and columns of M) counted within the part
};

std::vector<Part> parts_of(const SparseMatrix& M, const SparseMatrix& H) {
  std::vector<int> part(base::at(M.rows)), local(base::at(M.rows));
  base::UnionFind sets;
  sets.reset(base::at(M.rows));
  for (const auto& e : M.entries) sets.join(e.row, e.column);
  std::vector<Part> parts;
  for (int i = 0; i < M.rows; ++i) {
    const int r = sets.root(i);
    if (r == i) {
      part[base::at(i)] = static_cast<int>(parts.size());
      parts.emplace_back();
    }
    part[base::at(i)] = part[base::at(r)];
    auto& members = parts[base::at(part[base::at(i)])].velocities;
    local[base::at(i)] = static_cast<int>(members.size());
    members.push_back(i);
  }
  for (const auto& e : M.entries)
    parts[base::at(part[base::at(e.row)])].M.push_back(
        {local[base::at(e.row)], local[base::at(e.column)], e.value});
  for (const auto& e : H.entries)
    parts[base::at(part[base::at(e.row)])].H.push_back({local[base::at(e.row)], e.column, e.value});
  return parts;
}

}  // namespace

Eliminated eliminate_velocities(const SparseMatrix& M, const SparseMatrix& H, const VecX& k,
                                const VecX& b) {
  Eliminated result;
  result.W.rows = result.W.columns = H.columns;
  result.q = b;
  for (const Part& part : parts_of(M, H)) {
    const auto n = static_cast<Eigen::Index>(part.velocities.size());
    if (n > most_velocities) {
      result.fault = fmt::format("M couples {} velocities, more than the {} that are eliminated", n,
                                 most_velocities);
      return result;
    }
    Eigen::MatrixXd mass = Eigen::MatrixXd::Zero(n, n);
    for (const auto& e : part.M) mass(e.row, e.column) += e.value;
    std::map<int, Eigen::Index> columns;  // of H that touch the part, in ascending order
    for (const auto& e : part.H) columns.emplace(e.column, 0);
    Eigen::Index count = 0;
    for (auto& [column, place] : columns) place = count++;
    Eigen::MatrixXd J = Eigen::MatrixXd::Zero(count, n);  // rows of H^T
    for (const auto& e : part.H) J(columns[e.column], e.row) += e.value;
    VecX force(n);
    for (Eigen::Index i = 0; i < n; ++i) force[i] = k[part.velocities[static_cast<std::size_t>(i)]];

    const Eigen::PartialPivLU<Eigen::MatrixXd> lu(mass);
    const VecX pivots = lu.matrixLU().diagonal().cwiseAbs();
    if (!(pivots.minCoeff() > 1e-14 * pivots.maxCoeff())) {
      result.fault =
          fmt::format("M is singular, in the part of velocity {}", part.velocities.front());
      return result;
    }
    if (columns.empty()) continue;  // no contact moves this part
    const Eigen::MatrixXd W = J * lu.solve(J.transpose());
    const VecX q = J * lu.solve(force);
    for (const auto& [row, i] : columns) {
      result.q[row] += q[i];
      for (const auto& [column, j] : columns)
        if (W(i, j) != 0) result.W.entries.push_back({row, column, W(i, j)});
    }
  }
  return result;
}

}  // namespace cairn::problem
