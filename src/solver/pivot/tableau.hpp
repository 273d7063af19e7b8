// Lemke's complementary pivoting on the condensed tableau (E43):
//   basic_i = sum_j T_ij nonbasic_j + T_i,n z0 + T_i,n+1.
// Variables: w_i is i, z_i is n + i, z0 is 2n.
#pragma once

#include <cstdint>

#include "solver/interruptible.hpp"
#include "solver/pivot/lcp_form.hpp"

namespace cairn::solver {

class Tableau {
 public:
  enum class End { solved, ray, limit };

  // The problem in its LCP form. Bilateral rows that elimination left over are pivoted in with a
  // partner of another law.
  void fill(DenseProblem& dense, Form form);
  // Starts from a random complementary basis instead of w: other starts end in other places.
  void scatter(std::uint64_t& random);
  // A random covering vector in [0.5, 1.5], then pivots until z0 leaves.
  End run(int max_pivots, const Interruptible& caller, std::uint64_t& random, int& pivots);
  // Impulses of the dense rows, bilateral ones restored.
  void impulses(const DenseProblem& dense, std::vector<double>& r_dense);

  int size() const { return n_; }

 private:
  double& T(int i, int j) {
    return tableau_[static_cast<std::size_t>(i) * static_cast<std::size_t>(n_ + 2) +
                    static_cast<std::size_t>(j)];
  }
  void fill_member(DenseProblem& dense, std::size_t m);
  void enter_free_impulses();
  void pivot(int row, int column);
  int leaving_row(int column);
  bool exempt(int row) const;

  Form form_ = Form::full;
  int n_ = 0;
  std::vector<double> tableau_, row_, z_;
  std::vector<int> basic_, nonbasic_, first_;  // first_: first variable of each member, or -1
  std::vector<char> free_;                     // pairs of a free impulse and a zero velocity
};

}  // namespace cairn::solver
