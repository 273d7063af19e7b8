// Masses and islands of a problem as the second judge sees them: dense blocks of Eigen in place of
// the engine's own.
#pragma once

#include <memory>
#include <vector>

#include "cairn/problem.hpp"

namespace cairn::record {

using Block = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor, max_velocities,
                            max_velocities>;
using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor, max_rows,
                           max_velocities>;
using Few = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, max_velocities, 1>;

Block mass(const ProblemBody& body);
Rows jacobian(const Constraint& c, int side, int size);

// Label of each body's island, a body of it.
std::vector<int> components(const Problem& problem);

// Solves with A: body by body where its blocks are symmetric and nothing couples bodies, else as
// one sparse matrix.
class Mass {
 public:
  explicit Mass(const Problem& problem);
  ~Mass();
  VecX solve(const VecX& p) const;
  // sqrt(p^T Z p) of an impulse on body j alone, Z the diagonal block of A^-1.
  double norm(std::size_t j, const Few& p) const;
  // sqrt(t^T |Z| t), no less than the norm of any impulse with |p_i| <= t_i.
  double norm_of_magnitudes(std::size_t j, const Few& t) const;
  // Trace of J Z J^T of one side of a constraint.
  double side_trace(const Constraint& c, int side) const;
  // Trace of J A^-1 J^T.
  double trace(const Constraint& c) const;

 private:
  void factor_whole();

  struct Factors;  // decompositions stay out of headers
  const Problem& problem_;
  bool simple_ = true;
  std::unique_ptr<Factors> factors_;
};

}  // namespace cairn::record
