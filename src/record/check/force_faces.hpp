// Sets of impulses that a contact's velocity leaves (E105), as the second judge finds them.
#pragma once

#include <vector>

#include "record/check/judge_mass.hpp"

namespace cairn::record {

// A solve with what its faces need: velocities, scales, islands.
class ForceBench {
 public:
  explicit ForceBench(const SolveRecord& solve);

  const Problem& problem() const { return problem_; }
  const std::vector<int>& labels() const { return labels_; }  // of the bodies' islands
  int label(std::size_t constraint) const;                    // -1: it moves no body
  Few impulse(std::size_t i) const;                           // the solver's
  Few velocity(std::size_t i, const VecX& v) const;           // J v
  double zero(std::size_t i) const { return zero_[i]; }       // below it a velocity counts as none
  Few speed(std::size_t i) const { return w_[i]; }            // J v + b

 private:
  const Problem& problem_;
  const Solution& solution_;
  std::vector<int> labels_;
  std::vector<Few> w_;
  std::vector<double> zero_;
};

// Nothing (open), everything (held), the whole cone, or one or two rays of it.
struct ForceFace {
  enum class Kind { open, cone, rays } kind = Kind::open;
  int rows = 1;
  double mu = 0;
  FrictionPolygon corners;  // of the cone
  std::vector<Vec3> rays;

  Few nearest(const Few& z) const;
  // Columns that span the face.
  std::vector<Vec3> span() const;
};

// `factor`: of the threshold below which a velocity counts as none.
ForceFace force_face(const ForceBench& bench, std::size_t i, double factor);

bool is_shown(const Constraint& c);  // a contact that carries a force along its normal

}  // namespace cairn::record
