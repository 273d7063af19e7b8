// Frictionless: each contact is open (lambda = 0) or closed (w = 0). With friction in the plane it
// is open, stuck, sliding to either side, or closed without friction. Each choice is a linear
// system; the ones whose solution meets the inequalities are the basic solutions, and one exists
// wherever there is a solution at all.
#include "solver/enumeration.hpp"

#include <Eigen/Dense>

namespace cairn {
namespace {

enum class Mode { open, stick, slide_plus, slide_minus, smooth };

// Solves the linear system of one choice of modes: rows of lambda that are given (S lambda = 0) and
// velocities that vanish. Returns nothing if the system is singular or an inequality fails.
class Enumeration {
 public:
  explicit Enumeration(const Problem& problem) : problem_(problem), d_(make::dense(problem)) {}

  // Velocities of all basic solutions, each once.
  std::vector<VecX> velocities() {
    modes_.assign(problem_.constraints.size(), Mode::open);
    choose(0);
    return found_;
  }

 private:
  void choose(std::size_t i) {
    if (i == modes_.size()) return test();
    const bool friction = problem_.constraints[i].law == Law::coulomb;
    for (const Mode mode :
         {Mode::open, Mode::stick, Mode::slide_plus, Mode::slide_minus, Mode::smooth}) {
      if (!friction && mode != Mode::open && mode != Mode::stick) continue;
      modes_[i] = mode;
      choose(i + 1);
    }
  }

  // Unknowns x of the modes, lambda = S x, and the rows of w that vanish with them.
  void test() {
    const int m = problem_.rows();
    std::vector<int> zero_rows;
    Eigen::MatrixXd S(m, m);
    S.setZero();
    for (std::size_t i = 0; i < modes_.size(); ++i) {
      const Constraint& c = problem_.constraints[i];
      const int row = problem_.first_row[i];
      if (modes_[i] == Mode::open) continue;
      const auto column = static_cast<Eigen::Index>(zero_rows.size());
      zero_rows.push_back(row);
      S(row, column) = 1;
      if (modes_[i] == Mode::slide_plus) S(row + 1, column) = -c.mu;  // w_t > 0
      if (modes_[i] == Mode::slide_minus) S(row + 1, column) = c.mu;
      if (modes_[i] == Mode::stick && c.rows == 2) {
        S(row + 1, column + 1) = 1;
        zero_rows.push_back(row + 1);
      }
    }
    const auto n = static_cast<Eigen::Index>(zero_rows.size());
    VecX lambda = VecX::Zero(m);
    if (n > 0) {
      const Eigen::MatrixXd basis = S.leftCols(n);
      const Eigen::MatrixXd WS = d_.W * basis;
      Eigen::MatrixXd system(n, n);
      VecX right(n);
      for (Eigen::Index r = 0; r < n; ++r) {
        system.row(r) = WS.row(zero_rows[static_cast<std::size_t>(r)]);
        right[r] = -d_.q[zero_rows[static_cast<std::size_t>(r)]];
      }
      const Eigen::FullPivLU<Eigen::MatrixXd> lu(system);
      const double least = std::abs(lu.matrixLU()(n - 1, n - 1));
      if (!(least > 1e-9 * lu.maxPivot())) return;
      lambda = basis * lu.solve(right);
    }
    const VecX w = d_.W * lambda + d_.q;
    const double eps = 1e-10 * (1 + d_.q.norm() + lambda.norm());
    for (std::size_t i = 0; i < modes_.size(); ++i) {
      const Constraint& c = problem_.constraints[i];
      const int row = problem_.first_row[i];
      if (w[row] < -eps || lambda[row] < -eps) return;
      if (c.rows == 1 || modes_[i] == Mode::open) continue;
      const double slip = w[row + 1], friction = lambda[row + 1];
      if (std::abs(friction) > c.mu * lambda[row] + eps) return;
      if (modes_[i] == Mode::slide_plus && slip < -eps) return;
      if (modes_[i] == Mode::slide_minus && slip > eps) return;
      if (modes_[i] == Mode::smooth && std::abs(slip) > eps) return;
    }
    const VecX v = d_.v_free + make::inverse(d_.A) * d_.J.transpose() * lambda;
    for (const VecX& other : found_)
      if ((other - v).norm() <= 1e-8 * (1 + v.norm())) return;
    found_.push_back(v);
  }

  const Problem& problem_;
  make::Dense d_;
  std::vector<Mode> modes_;
  std::vector<VecX> found_;
};

}  // namespace

std::vector<VecX> enumerate_velocities(const Problem& problem) {
  return Enumeration(problem).velocities();
}

}  // namespace cairn
