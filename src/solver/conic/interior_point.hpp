// The interior point method of E48 on its way: sets and a start in ipm_start.cpp, iterations in
// ipm.cpp.
//
// Legend: r impulses in the interior of their sets, x = F r - c slacks, y multipliers,
// F^T y = u + sigma e_n at the solution; Theta = F^T V^-2 F; tau = d sigma / d u.
#pragma once

#include "solver/conic/ipm.hpp"

namespace cairn::solver {

class InteriorPoint {
 public:
  using Shape = IpmBuffers::Shape;
  using Kind = Shape::Kind;

  InteriorPoint(Coupling& coupling, IpmBuffers& buffers) : coupling_(coupling), b_(buffers) {}

  // Shapes, facets and a centred start of the size of the closing velocities; false if none close.
  bool start();
  bool iterate();  // false if it broke down
  double residual();

 private:
  void add_facets(const problem::LawSet& set, Shape& shape);
  void add_facet(const double* normal, double bound, int rows);
  double start_size() const;
  void slacks();
  void smooth_slip(std::size_t i, double eps);
  void scale_cone(std::size_t i);
  bool form_theta();
  void right_hand_side(double centring, bool corrector);
  void solve_refined();
  void directions(double centring, bool corrector);
  void target(std::size_t i, double centring, bool corrector, double* t) const;
  double longest_step() const;

  const Coupling::Part& part(std::size_t i) const { return coupling_.parts()[i]; }
  double* row(std::vector<double>& values, std::size_t i) {
    return &values[static_cast<std::size_t>(part(i).first)];
  }

  Coupling& coupling_;
  IpmBuffers& b_;
  double gap_ = 0;
  int degree_ = 0;
};

}  // namespace cairn::solver
