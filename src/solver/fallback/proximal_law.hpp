// The laws of an island made a function of the velocities (E64): r = R(r0 - k u) with a centre r0
// and a stiffness k of each constraint's own. Where r = r0 they hold exactly.
//
// R is smooth but for its corners, between which every constraint is open, sticks or slides.
#pragma once

#include "solver/island/primal_matrix.hpp"

namespace cairn::solver {

class ProximalLaw {
 public:
  enum class Mode : char { open, stick, slide };

  // The next corner on a straight way.
  struct Corner {
    int group = -1;  // none
    Mode to = Mode::open;
    double at = 0;  // how far it is
  };

  // Exact round cones and laws without friction, on bodies whose mass is diagonal.
  static bool takes(const Island& island);

  void attach(const Island& island, const std::vector<double>& centre, double stiffness);
  void set_centre(const std::vector<double>& centre, double stiffness);
  void set_stiffness(double stiffness);
  void scale_growing(const std::vector<double>& from, double factor);  // k = factor k_from

  // Velocities and the mode of each constraint, at v.
  void look(const std::vector<double>& v);
  void find_modes();
  // F = A (v - v_free) - J^T R on the pieces that the modes name; looks at v.
  void balance(const std::vector<double>& v, std::vector<double>& F);
  // The matrix A + J^T N J of the piece, its product with x, and N of one group.
  void assemble(linear::BlockLU& lu) const;
  void multiply(const std::vector<double>& x, std::vector<double>& f) const;
  void derivative(std::size_t i, double N[max_rows][max_rows]) const;
  // -dF/dt where k = k_0 exp(t) of all that grow.
  void growth(std::vector<double>& f) const;

  // Along v + s dv, k exp(s dt), s < most. `last`: has just come from a corner and leaves it.
  Corner next_corner(const std::vector<double>& dv, double dt, double most, int last) const;
  // Where the constraints are, at the beginning of a step; and the first corner that one has passed
  // since, `at` a share of the step. None where all are in their pieces.
  void remember();
  Corner passed(int last) const;
  // How far the group is from the corner to `to`, and how that changes along dv and dt.
  double gap(int group, Mode to) const;
  double gap_change(int group, Mode to, const std::vector<double>& dv, double dt) const;
  // Whether dv and dt lead from the corner that the group is at into the piece it has come to, away
  // from the mode it had.
  bool leaves_corner(int group, Mode from, const std::vector<double>& dv, double dt) const;

  // Which constraints grow: none is stiffer than `most`, or than `spread` times the softest one.
  // Returns how many of those that push do, and the largest t before one is at its end.
  int choose_growing(double most, double spread, double& room);
  // The constraints that the motion dv stretches by at least `share` of the most, and `last`, are
  // softened ten times; v and r stay a solution (E66).
  void soften(const std::vector<double>& dv, double share, int last);
  void soften_all();

  const std::vector<double>& impulses() const { return r_; }
  const std::vector<double>& stiffness() const { return k_; }
  double stiffest() const;
  Mode mode(int group) const { return mode_[static_cast<std::size_t>(group)]; }
  void set_mode(int group, Mode mode) { mode_[static_cast<std::size_t>(group)] = mode; }
  double tiny() const { return 1e-9 * island_->scale; }  // distance from a corner [scaled impulse]

 private:
  struct Rate {
    double y[max_rows];
  };
  // How far inside the piece of its mode a constraint is, for each corner that it may come to.
  struct Place {
    int corners = 0;
    double left[2];
    Mode to[2];
  };

  Place place(std::size_t i) const;
  Rate rate(std::size_t i, const std::vector<double>& dv, double dt) const;
  void soften(std::size_t i);

  const Island* island_ = nullptr;
  std::vector<double> r0_, u_, y_, r_;  // per row
  std::vector<double> k_, stretch_;     // per group
  std::vector<Mode> mode_;
  std::vector<char> grows_;
  std::vector<Place> start_;
};

}  // namespace cairn::solver
