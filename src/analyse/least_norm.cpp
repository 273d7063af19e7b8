// The shortest impulses with given velocities (E107), by Newton's method on the dual: with
// z = A^T y the impulses are the projection of z onto their faces, and y minimises a convex
// function whose gradient is the missing resultant. Reads a problem and its solution.
#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "analyse/active_faces.hpp"
#include "base/boundary.hpp"

namespace cairn {
namespace {

constexpr int most_dual_steps = 300;
constexpr double reached = 1e-11;  // |A lambda - g| over the largest impulse [-]

// One group in unscaled impulses over the largest one, and rows of A of order one.
class DualNewton {
 public:
  DualNewton(const analyse::ImpulseView& view, const analyse::FaceGroup& group,
             const analyse::GroupRank& rank)
      : faces_(group.faces), A_(rank.A), lambda_(group.r) {
    for (analyse::Face& face : faces_) {
      const double d = view.d[static_cast<std::size_t>(face.constraint)];
      A_.middleCols(face.first, face.rows) *= d;
      lambda_.segment(face.first, face.rows) /= d;
      face.lo /= d;
      face.hi /= d;
    }
    size_ = lambda_.size() > 0 ? lambda_.cwiseAbs().maxCoeff() : 0;
    if (size_ > 0) {
      lambda_ /= size_;
      for (analyse::Face& face : faces_) {
        face.lo /= size_;
        face.hi /= size_;
      }
    }
    if (A_.size() > 0) A_ /= A_.colwise().norm().maxCoeff();
    g_ = A_ * lambda_;
  }

  // False: the impulses stay the ones of the solution.
  bool run(int& iterations) {
    if (size_ == 0 || A_.rows() == 0) return true;
    VecX y = VecX(Eigen::MatrixXd(A_ * A_.transpose()).ldlt().solve(g_)), trial;
    double value = evaluate(y);
    const double aim = 0x1p-52 * std::sqrt(static_cast<double>(A_.size()));  // rounding of A lambda
    for (int i = 0; i < most_dual_steps && rest_.norm() > aim; ++i) {
      ++iterations;
      const double missing = rest_.norm();
      const VecX step = newton_step(missing), before = y, p_before = p_, rest_before = rest_;
      const double slope = rest_.dot(step);
      bool better = false;
      for (double t = 1; t > 1e-12 && !better; t /= 2) {
        y = before + t * step;
        const double now = evaluate(y);
        // Where the function has no digits left its gradient still has.
        better = now <= value + 1e-4 * t * slope ||
                 (missing < 1e-5 && t == 1 && rest_.norm() <= 0.5 * missing);
        if (better) value = now;
      }
      if (better) continue;
      p_ = p_before;
      rest_ = rest_before;
      break;
    }
    if (!(rest_.norm() <= reached)) return false;
    lambda_ = p_;
    return true;
  }

  VecX impulses() const { return size_ > 0 ? VecX(size_ * lambda_) : lambda_; }

 private:
  // theta(y) = sum z . p - |p|^2 / 2 - g . y with p = P(z), its gradient A p - g into rest_.
  double evaluate(const VecX& y) {
    z_ = A_.transpose() * y;
    p_.resize(z_.size());
    for (const analyse::Face& face : faces_)
      analyse::project(face, z_.data() + face.first, p_.data() + face.first);
    rest_ = A_ * p_ - g_;
    return z_.dot(p_) - 0.5 * p_.squaredNorm() - g_.dot(y);
  }

  // -(A D A^T + delta)^-1 rest. delta is for faces that do not span all rows.
  VecX newton_step(double missing) const {
    Eigen::MatrixXd DA(A_.cols(), A_.rows());
    for (const analyse::Face& face : faces_) {
      double D[max_rows][max_rows];
      analyse::project_derivative(face, z_.data() + face.first, D);
      Eigen::MatrixXd block(face.rows, face.rows);
      for (int i = 0; i < face.rows; ++i)
        for (int k = 0; k < face.rows; ++k) block(i, k) = D[i][k];
      DA.middleRows(face.first, face.rows) =
          block * A_.middleCols(face.first, face.rows).transpose();
    }
    Eigen::MatrixXd H = A_ * DA;
    H.diagonal().array() += 1e-13 + std::min(1e-3, 0.1 * missing);
    return -H.llt().solve(rest_);
  }

  std::vector<analyse::Face> faces_;
  Eigen::MatrixXd A_;
  VecX lambda_, g_, z_, p_, rest_;
  double size_ = 0;
};

Result<LeastNorm> shortest(const analyse::ImpulseView& view, const VecX& lambda) {
  const Result<analyse::ActiveFaces> active = analyse::active_faces(view);
  if (!active) return tl::unexpected(active.error());
  LeastNorm result;
  result.reached = true;
  result.norm_before = lambda.norm();
  result.lambda = active->r;
  for (std::size_t i = 0; i < view.constraints(); ++i)
    result.lambda.segment(view.first_row[i], view.sets[i].rows) /= view.d[i];
  for (const analyse::FaceGroup& group : active->groups) {
    const analyse::GroupRank rank = analyse::group_rank(group, view.rank_tolerance);
    if (rank.rows == rank.rank) continue;  // unique
    DualNewton method(view, group, rank);
    if (!method.run(result.iterations)) {
      result.reached = false;
      continue;
    }
    const VecX best = method.impulses();
    for (std::size_t k = 0; k < group.row.size(); ++k)
      result.lambda[group.row[k]] = best[static_cast<Eigen::Index>(k)];
  }
  result.norm = result.lambda.norm();
  return result;
}

}  // namespace

Result<LeastNorm> least_norm(const Problem& problem, const VecX& v, const VecX& lambda) try {
  Result<LeastNorm> result = shortest(analyse::impulse_view(problem, v, lambda), lambda);
  if (result) result->certificate = certify(problem, v, result->lambda);
  return result;
} catch (...) {
  return fail(base::caught_error());
}

Result<LeastNorm> least_norm(const ReducedProblem& problem, const VecX& lambda) try {
  Result<LeastNorm> result = shortest(analyse::impulse_view(problem, lambda), lambda);
  if (result) result->certificate = certify(problem, result->lambda);
  return result;
} catch (...) {
  return fail(base::caught_error());
}

}  // namespace cairn
