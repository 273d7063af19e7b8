// Jamming (E111), Anitescu and Hart 2004: is there an impulse inside the friction cones, not zero,
// without a resultant on any body? Wolfe's method (1976) finds the point of the convex hull of all
// unit contact impulses' resultants that is nearest to zero. Reads a problem and its solution.
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>

#include "analyse/active_faces.hpp"
#include "base/boundary.hpp"
#include "base/index.hpp"

namespace cairn {
namespace {

// Resultants of unit impulses are of order one; a sum below this is none.
constexpr double no_resultant = 1e-9;
constexpr int most_nearest_steps = 5000;

// Of the largest share: less is rounding, not a part of the stress.
constexpr double least_stress_share = 1e-7;

// One unit impulse and its resultant.
struct StressCorner {
  int face = 0;
  analyse::Ray ray = {};
  VecX point;
};

class NearestPoint {
 public:
  // E: resultants, with what equalities can take up projected out.
  NearestPoint(const analyse::FaceGroup& group, const Eigen::MatrixXd& E) : group_(group), E_(E) {}

  // |x| of the nearest point; its corners and their weights stay.
  double find() {
    VecX x = VecX::Zero(E_.rows());
    if (!add_lowest(x)) return std::numeric_limits<double>::infinity();
    weights_ = VecX::Ones(1);
    x = corners_[0].point;
    for (int i = 0; i < most_nearest_steps && x.norm() > no_resultant; ++i) {
      // Nothing lies nearer if no corner is on this side of the plane through x.
      add_lowest(x);
      const double gain = x.squaredNorm() - corners_.back().point.dot(x);
      if (gain <= 1e-13 * std::max(1.0, x.norm())) {
        corners_.pop_back();
        break;
      }
      weights_.conservativeResize(weights_.size() + 1);
      weights_.tail(1).setZero();
      reduce();
      const double before = x.norm();
      x = sum();
      if (!(x.norm() < before)) break;  // rounding
    }
    return x.norm();
  }

  const std::vector<StressCorner>& corners() const { return corners_; }
  const VecX& weights() const { return weights_; }

 private:
  // Adds the unit impulse whose resultant has the least product with x, for x = 0 the shortest one.
  bool add_lowest(const VecX& x) {
    const VecX z = E_.transpose() * x;
    const bool first = x.isZero(0);
    double least = std::numeric_limits<double>::infinity();
    StressCorner best;
    const auto offer = [&](int i, const analyse::Ray& ray) {
      const analyse::Face& face = group_.faces[base::at(i)];
      const Eigen::Map<const VecX> g(ray.data(), face.rows);
      const double value = first ? (E_.middleCols(face.first, face.rows) * g).norm()
                                 : z.segment(face.first, face.rows).dot(g);
      if (value >= least) return;
      least = value;
      best.face = i;
      best.ray = ray;
    };
    for (int i = 0; i < static_cast<int>(group_.faces.size()); ++i) {
      const analyse::Face& face = group_.faces[base::at(i)];
      if (face.kind == analyse::Face::Kind::cone)
        offer(i, analyse::steepest_ray(face.mu, z.data() + face.first));
      for (const analyse::Ray& ray : face.rays) offer(i, ray);
    }
    if (std::isinf(least)) return false;
    const analyse::Face& face = group_.faces[base::at(best.face)];
    best.point =
        E_.middleCols(face.first, face.rows) * Eigen::Map<const VecX>(best.ray.data(), face.rows);
    corners_.push_back(std::move(best));
    return true;
  }

  // Weights of the point nearest to zero on the corners' plane.
  VecX on_plane() const {
    const auto n = static_cast<Eigen::Index>(corners_.size());
    VecX result = VecX::Ones(n);
    if (n == 1) return result;
    Eigen::MatrixXd D(E_.rows(), n - 1);
    for (Eigen::Index k = 1; k < n; ++k)
      D.col(k - 1) = corners_[static_cast<std::size_t>(k)].point - corners_[0].point;
    result.tail(n - 1) = D.colPivHouseholderQr().solve(-corners_[0].point);
    result[0] = 1 - result.tail(n - 1).sum();
    return result;
  }

  // Moves towards that point; where a weight would turn negative its corner leaves.
  void reduce() {
    while (true) {
      const VecX target = on_plane();
      if (target.minCoeff() > 0) {
        weights_ = target;
        return;
      }
      double share = 1;
      Eigen::Index leaves = 0;
      for (Eigen::Index k = 0; k < target.size(); ++k) {
        if (target[k] > 0) continue;
        const double until = weights_[k] / (weights_[k] - target[k]);
        if (until < share || (until == share && target[k] < target[leaves])) {
          share = until;
          leaves = k;
        }
      }
      if (corners_.size() == 1) return;
      weights_ += share * (target - weights_);
      corners_.erase(corners_.begin() + leaves);
      for (Eigen::Index k = leaves; k + 1 < weights_.size(); ++k) weights_[k] = weights_[k + 1];
      weights_.conservativeResize(weights_.size() - 1);
      weights_ = weights_.cwiseMax(0) / weights_.cwiseMax(0).sum();
    }
  }

  VecX sum() const {
    VecX x = VecX::Zero(E_.rows());
    for (std::size_t k = 0; k < corners_.size(); ++k)
      x += weights_[static_cast<Eigen::Index>(k)] * corners_[k].point;
    return x;
  }

  const analyse::FaceGroup& group_;
  const Eigen::MatrixXd& E_;
  std::vector<StressCorner> corners_;
  VecX weights_;
};

// Columns of the group that are free: equalities and boxes without bounds.
std::vector<int> free_columns(const analyse::FaceGroup& group) {
  std::vector<int> columns;
  for (const analyse::Face& face : group.faces)
    for (int k = 0; k < face.rows && face.kind == analyse::Face::Kind::free; ++k)
      columns.push_back(face.first + k);
  return columns;
}

// The stress of the corners, unscaled; free impulses balance what contacts leave.
SelfStress stress_of(const analyse::ImpulseView& view, const analyse::FaceGroup& group,
                     const NearestPoint& nearest, const Eigen::MatrixXd& free,
                     const std::vector<int>& columns) {
  VecX r = VecX::Zero(static_cast<Eigen::Index>(group.row.size()));
  for (std::size_t k = 0; k < nearest.corners().size(); ++k) {
    const StressCorner& corner = nearest.corners()[k];
    const analyse::Face& face = group.faces[base::at(corner.face)];
    r.segment(face.first, face.rows) += nearest.weights()[static_cast<Eigen::Index>(k)] *
                                        Eigen::Map<const VecX>(corner.ray.data(), face.rows);
  }
  if (!columns.empty()) {
    const VecX balance = free.completeOrthogonalDecomposition().solve(-group.E * r);
    for (std::size_t k = 0; k < columns.size(); ++k)
      r[columns[k]] = balance[static_cast<Eigen::Index>(k)];
  }
  SelfStress stress;
  stress.lambda = VecX::Zero(view.r.size());
  const double largest = r.cwiseAbs().maxCoeff();
  for (const analyse::Face& face : group.faces) {
    const auto part = r.segment(face.first, face.rows);
    if (part.cwiseAbs().maxCoeff() <= least_stress_share * largest) continue;
    stress.constraints.push_back(face.constraint);
    stress.lambda.segment(view.first_row[base::at(face.constraint)], face.rows) =
        part / view.d[base::at(face.constraint)];
  }
  return stress;
}

Result<Jamming> jamming_of(const analyse::ImpulseView& view) {
  const Result<analyse::ActiveFaces> touching = analyse::touching_cones(view);
  if (!touching) return tl::unexpected(touching.error());
  Jamming result;
  result.margin = std::numeric_limits<double>::infinity();
  for (const analyse::FaceGroup& group : touching->groups) {
    // A contact between bodies that cannot move holds anything and means nothing.
    if (group.E.rows() == 0) continue;
    const std::vector<int> columns = free_columns(group);
    Eigen::MatrixXd E = group.E, free(group.E.rows(), static_cast<Eigen::Index>(columns.size()));
    for (std::size_t k = 0; k < columns.size(); ++k)
      free.col(static_cast<Eigen::Index>(k)) = group.E.col(columns[k]);
    if (!columns.empty()) {
      Eigen::ColPivHouseholderQR<Eigen::MatrixXd> factor(free.rows(), free.cols());
      factor.setThreshold(view.rank_tolerance);
      factor.compute(free);
      const Eigen::Index rank = factor.rank();
      result.redundant_rows += static_cast<int>(free.cols() - rank);
      Eigen::MatrixXd rest = factor.householderQ().adjoint() * E;
      E = rest.bottomRows(rest.rows() - rank);
    }
    NearestPoint nearest(group, E);
    const double distance = nearest.find();
    if (distance > no_resultant)
      result.margin = std::min(result.margin, distance);
    else
      result.stresses.push_back(stress_of(view, group, nearest, free, columns));
  }
  return result;
}

}  // namespace

Result<Jamming> find_jamming(const Problem& problem, const VecX& v, const VecX& lambda) try {
  Result<Jamming> result = jamming_of(analyse::impulse_view(problem, v, lambda));
  if (!result) return result;
  for (SelfStress& stress : result->stresses) {
    for (const int i : stress.constraints)
      for (const int body : problem.constraints[base::at(i)].body)
        if (body >= 0) stress.bodies.push_back(body);
    std::sort(stress.bodies.begin(), stress.bodies.end());
    stress.bodies.erase(std::unique(stress.bodies.begin(), stress.bodies.end()),
                        stress.bodies.end());
  }
  return result;
} catch (...) {
  return fail(base::caught_error());
}

Result<Jamming> find_jamming(const ReducedProblem& problem, const VecX& lambda) try {
  return jamming_of(analyse::impulse_view(problem, lambda));
} catch (...) {
  return fail(base::caught_error());
}

}  // namespace cairn
