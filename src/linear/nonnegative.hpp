// Small problems x >= 0, W x + r >= 0, x . (W x + r) = 0 with a symmetric positive semidefinite W:
// the impulses of contacts that do not open. By the active set method of Lawson and Hanson.
#pragma once

#include <span>
#include <vector>

namespace cairn::linear {

class NonnegativeProblem {
 public:
  // All entries are zero.
  void begin(std::size_t n);
  std::size_t size() const { return r.size(); }
  double& W(std::size_t i, std::size_t k) { return W_[i * size() + k]; }
  double W(std::size_t i, std::size_t k) const { return W_[i * size() + k]; }

  // x, from zero. Unknowns whose W_ii is zero stay zero. False if it does not come to an end.
  bool solve();

  std::vector<double> r, x;

 private:
  double slack(std::size_t i) const;  // (W x + r)_i
  bool solve_active();                // W z = -r on the active set
  bool step_towards_z();

  std::vector<double> W_, factor_, z_;
  std::vector<std::size_t> active_;
  std::vector<char> blocked_;
};

}  // namespace cairn::linear
