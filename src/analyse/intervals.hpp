// Least and largest values of linear functions over the impulses of one group of faces (E108).
#pragma once

#include "analyse/active_faces.hpp"
#include "analyse/simplex.hpp"

namespace cairn::analyse {

class FaceProgram {
 public:
  // `group` and `rank` must outlive the program.
  FaceProgram(const FaceGroup& group, const GroupRank& rank);

  // [min, max] of c . r over the group, r scaled impulses. `excess` is the largest amount by which
  // the dual misses its cones, for the gap (E109).
  struct Range {
    double lo = 0, hi = 0, excess = 0;
  };
  Range range(const VecX& c);

  int pivots() const { return pivots_ + simplex_.pivots(); }

 private:
  struct Column {
    int face;
    Ray direction;
  };
  void add(int face, const Ray& direction, double upper, bool free);
  double least(const VecX& c, double& excess);
  double add_violated(const VecX& c, double enough, bool& added);
  void restart();
  VecX costs(const VecX& c) const;

  const FaceGroup& group_;
  const Eigen::MatrixXd& A_;
  double size_ = 1;  // the largest impulse: inside they are of order one
  VecX offset_;      // of boxes, in units of size_
  VecX g_;
  Simplex simplex_;
  int pivots_ = 0;  // of those before
  std::vector<Column> columns_;
  int fixed_columns_ = 0;
  bool ready_ = false;
};

}  // namespace cairn::analyse
