// The contacts of a packing laid out for passes over all of them at once (E61), for the methods
// that see only gradients.
//
// Scaled once more, along the normal and across it each by its own part of W_ii: x = e r, g = u / e
// with e_n^2 = W_nn, e_t^2 = trace(W_TT) / 2. A round cone stays round, with mu e_t / e_n in place
// of mu. For spheres, where W_tt = 3.5 W_nn, that halves the number of steps to take.
#pragma once

#include "linear/number_pair.hpp"
#include "solver/island/island.hpp"

namespace cairn::solver {

// J of a contact. The centres of both bodies feel opposite forces, so that one row is
// (l0 l1) (l2 m0) (m1 m2) on the first body, -(l0 l1) (-l2 n0) (n1 n2) on the second.
struct PackedRows {
  linear::NumberPair J[3][5];
  double b[3];
  int velocity[2];  // of the two bodies; one that cannot move is the body after the last
};

// Numbers of all contacts, row by row; rounded up to an even number of contacts, the last of which
// then is empty.
struct PackedVector {
  std::vector<double> row[3];
  void resize(std::size_t size) {
    for (auto& each : row) each.resize(size);
  }
};

class PackedContacts : public Interruptible {
 public:
  // Whether each constraint is a contact in space with a round cone between rigid bodies, and the
  // mass is diagonal. All memory is kept between islands.
  bool attach(const Island& island);

  std::size_t size() const { return mu_.size(); }  // contacts, rounded up
  void load(const std::vector<double>& r, PackedVector& x) const;
  void store(const PackedVector& x, std::vector<double>& r) const;

  // g = J v + b with the velocities that x makes: W x + q.
  void multiply(const PackedVector& x, PackedVector& g);

  // x = P(y - step (g + sigma e_n)), (E4).
  void project(const PackedVector& y, const PackedVector& g, const std::vector<double>& sigma,
               double step, PackedVector& x) const;
  void slip_bounds(const PackedVector& g, std::vector<double>& sigma) const;

  // The solvers' estimate of the certificate.
  double residual(const PackedVector& x, const PackedVector& g) const;

 private:
  bool pack(const Island& island, const Group& g);

  std::vector<PackedRows> rows_;
  std::vector<double> mu_, shrink_;  // of the scaled cones, and 1 / (1 + mu^2)
  std::vector<double> slip_;         // the same where friction is exact, zero with the relaxed law
  std::vector<double> normal_, tangential_;   // e
  std::vector<double> v_free_, inverse_, v_;  // six a body, and of one more that stays at rest
  std::vector<double> kappa_;                 // (E310)
  std::vector<double> hidden_;                // (E311)
  double speed_ = 0, tolerance_ = 0;          // V of (E11), tolerance of the certificate
};

}  // namespace cairn::solver
