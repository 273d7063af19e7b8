// Contacts that are held like joints: one linear system over the bodies, bordered by the joints
// (E60). What a cold start (hold.cpp) and a warm one (hold_on.cpp) have in common.
#pragma once

#include "solver/island/primal_matrix.hpp"
#include "solver/sweep/nsgs.hpp"

namespace cairn::solver {

struct HeldBuffers : PrimalNodes {
  linear::BlockLU lu;
  std::vector<int> held;          // per group: how many of its rows, from the first
  std::vector<double> x;          // per unknown of the factor
  std::vector<double> u;          // per row
  std::vector<double> stiffness;  // per group
};

class HeldSystem {
 public:
  HeldSystem(const Island& island, HeldBuffers& buffers);

  // Estimate of the certificate for the impulses r that refine() left, whose velocities are known.
  double judge(const std::vector<double>& r) const;
  int factorisations() const { return factorisations_; }

 protected:
  static constexpr double hold_stiffness = 1e9;   // rho in scaled space, where W_ii is near one [-]
  static constexpr double most_stiffness = 1e13;  // of a contact that holds up heavy bodies (E313)
  static constexpr int refinements = 6;           // solves with one factor

  static bool is_joint(const Group& g) { return g.set.law == Law::equality; }
  double* border(std::size_t i, std::vector<double>& x) const;
  void take_hold(std::size_t i);

  // The pattern of the matrix, with the contacts that are held now.
  void analyze();

  // inertia A + J^T N J with the joints as a border. False: it is singular, or an interrupt.
  template <class Weigh>
  bool factorize(double inertia, const Weigh& weigh) {
    ++factorisations_;
    if (island_.interrupted(h_.lu.products() + refinements * h_.lu.solve_products())) return false;
    begin_matrix(inertia);
    for (std::size_t i = 0; i < island_.groups.size(); ++i) {
      const Group& g = island_.groups[i];
      if (is_joint(g)) {
        add_border(island_, g, h_.node_of_group[i], h_.lu);
      } else if (h_.held[i] > 0) {
        double N[max_rows][max_rows] = {};
        weigh(i, N);
        add_rows(island_, g, N, symmetric_, h_.lu);
      }
    }
    return h_.lu.factorize(symmetric_);
  }
  // The same with the stiffness of each contact.
  bool stiffen();

  // (A + rho J^T J) dv = -rho J^T u into x, with the impulses of joints in its border. Returns the
  // largest velocity that was to be zero.
  double solve_held();
  // dr = -rho (u + J dv) on the held rows: of u the share that impulses can change goes down to
  // 1/rho of it, that of joints to rounding. u are the velocities of r, before and after.
  double refine(std::vector<double>& r, std::vector<double>& v);

  void measure(const std::vector<double>& v);  // u of the velocities v
  void add_force(const Group& g, const double* r, std::vector<double>& f) const;
  void add_velocity(const Group& g, const std::vector<double>& v, double* u) const;

  const Island& island_;
  HeldBuffers& h_;
  int unknowns_ = 0;
  bool symmetric_ = false;

 private:
  void begin_matrix(double inertia);

  int factorisations_ = 0;
};

}  // namespace cairn::solver
