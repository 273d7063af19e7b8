// Which contacts of a small island with joints are unique (E624, E982), by the rank of the rows.
// Reads rows and faces of ShortestImpulses.
#include <Eigen/QR>
#include <algorithm>

#include "analyse/shortest.hpp"
#include "base/index.hpp"

namespace cairn::analyse {
namespace {

constexpr int most_columns = 200;      // beyond it the sparse factor decides
constexpr double undetermined = 1e-8;  // (E982): the tolerance of a solve [-]

}  // namespace

bool ShortestImpulses::rank_unique() {
  struct Column {
    const Link* link;
    Ray direction;
    int contact;  // -1: of an equality
  };
  std::vector<Column> columns;
  for (std::size_t i = 0; i < faces_.size(); ++i)
    for (const Ray& ray : span_of(faces_[i]))
      columns.push_back({&contacts_[i], ray, static_cast<int>(i)});
  for (const Link& l : equalities_)
    for (int r = 0; r < l.rows; ++r) {
      columns.push_back({&l, {0, 0, 0}, -1});
      columns.back().direction[base::at(r)] = 1;
    }
  const auto count = static_cast<Eigen::Index>(columns.size());
  if (equalities_.empty() || count > most_columns) return false;
  Eigen::MatrixXd B = Eigen::MatrixXd::Zero(velocities_, count);
  for (Eigen::Index k = 0; k < count; ++k) {
    const auto& [l, direction, contact] = columns[static_cast<std::size_t>(k)];
    for (std::size_t side = 0; side < max_sides; ++side)
      for (int c = 0; c < l->size[side]; ++c)
        for (int r = 0; r < l->rows; ++r)
          B(l->at[side] + c, k) += l->J[side][r][c] * direction[base::at(r)];
    if (const double size = B.col(k).norm(); size > 0) B.col(k) /= size;
  }
  if (!B.allFinite()) return false;
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> factor(B.rows(), count);
  factor.setThreshold(undetermined);
  factor.compute(B);
  const Eigen::Index rank = factor.rank();
  if (rank == count) return true;
  const Eigen::MatrixXd null =
      factor.colsPermutation() * factor.matrixZ().transpose().rightCols(count - rank).eval();
  for (Eigen::Index k = 0; k < count; ++k)
    if (const int i = columns[static_cast<std::size_t>(k)].contact; i >= 0)
      unique_[base::at(i)] = unique_[base::at(i)] && null.row(k).norm() <= unique_share;
  return true;
}

}  // namespace cairn::analyse
