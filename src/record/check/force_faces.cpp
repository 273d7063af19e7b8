#include "record/check/force_faces.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/index.hpp"
#include "record/check/judge.hpp"

namespace cairn::record {
namespace {

FrictionPolygon face_corners(const Constraint& c) {
  return c.mu == 0 ? FrictionPolygon{} : section_of(c);
}

// The largest power of friction against the slip, for a normal impulse of one.
double friction_support(const Constraint& c, const FrictionPolygon& corners, const Few& w) {
  if (c.rows == 1) return 0;
  if (c.rows == 2) return c.mu * std::abs(w[1]);
  if (corners.empty()) return c.mu * std::hypot(w[1], w[2]);
  double most = 0;
  for (const auto& [x, y] : corners) most = std::max(most, -(x * w[1] + y * w[2]));
  return c.mu * most;
}

constexpr double zero_factor = 1.5, least_zero = 1e-12, most_zero = 1e-3;  // (E105)

}  // namespace

bool is_shown(const Constraint& c) {
  return c.key.role == Role::contact && is_unilateral(c.law);
}

ForceBench::ForceBench(const SolveRecord& solve)
    : problem_(solve.problem), solution_(solve.solution), labels_(components(solve.problem)) {
  const Mass inertia(problem_);
  const VecX v_free = inertia.solve(problem_.k);
  const double tolerance =
      std::clamp(zero_factor * solution_.certificate.worst, least_zero, most_zero);
  std::vector<double> scale(problem_.bodies.size(), 0.0), d;
  for (std::size_t i = 0; i < problem_.constraints.size(); ++i) {
    const Constraint& c = problem_.constraints[i];
    d.push_back(power_of_two(1.2 * std::sqrt(inertia.trace(c) / c.rows)));
    const Few b = Eigen::Map<const Few>(c.b, c.rows), free = velocity(i, v_free);
    w_.push_back(velocity(i, solution_.v) + b);
    if (label(i) < 0) continue;
    const double size = impulse(i).norm();
    if (is_unilateral(c.law) && size == 0 && free[0] + b[0] >= 0) continue;
    double& largest = scale[base::at(label(i))];
    largest = std::max({largest, d[i] * size, free.norm() / d[i]});
  }
  for (std::size_t i = 0; i < problem_.constraints.size(); ++i)
    zero_.push_back(label(i) < 0 ? 0 : tolerance * scale[base::at(label(i))] * d[i]);
}

int ForceBench::label(std::size_t constraint) const {
  for (const int body : problem_.constraints[constraint].body)
    if (body >= 0) return labels_[base::at(body)];
  return -1;
}

Few ForceBench::impulse(std::size_t i) const {
  return solution_.lambda.segment(problem_.first_row[i], problem_.constraints[i].rows);
}

Few ForceBench::velocity(std::size_t i, const VecX& v) const {
  const Constraint& c = problem_.constraints[i];
  Few w = Few::Zero(c.rows);
  for (int side = 0; side < max_sides; ++side) {
    if (c.body[base::at(side)] < 0) continue;
    const ProblemBody& b = problem_.bodies[base::at(c.body[base::at(side)])];
    w += jacobian(c, side, b.size) * v.segment(b.first, b.size);
  }
  return w;
}

Few ForceFace::nearest(const Few& z) const {
  Vec3 full = Vec3::Zero();
  full.head(rows) = z;
  if (kind == Kind::open) return Few::Zero(rows);
  if (kind == Kind::cone) return nearest_in_cone(full, rows, mu, corners).head(rows);
  // One ray, two rays or both: the nearest of the three that is a sum of nonnegative multiples.
  Vec3 best = Vec3::Zero();
  for (const Vec3& ray : rays) {
    const Vec3 p = std::max(0.0, ray.dot(full) / ray.squaredNorm()) * ray;
    if ((full - p).squaredNorm() < (full - best).squaredNorm()) best = p;
  }
  if (rays.size() == 2) {
    Eigen::Matrix<double, 3, 2> both;
    both << rays[0], rays[1];
    const Eigen::Vector2d x = both.colPivHouseholderQr().solve(full);
    if (x.minCoeff() >= 0) best = both * x;
  }
  return best.head(rows);
}

std::vector<Vec3> ForceFace::span() const {
  if (kind == Kind::open) return {};
  if (kind == Kind::rays) return rays;
  std::vector<Vec3> unit;
  for (int k = 0; k < rows; ++k) unit.push_back(Vec3::Unit(k));
  return unit;
}

ForceFace force_face(const ForceBench& bench, std::size_t i, double factor) {
  const Constraint& c = bench.problem().constraints[i];
  const double zero = factor * bench.zero(i);
  const Few w = bench.speed(i);
  ForceFace face;
  face.rows = c.rows;
  face.mu = has_cone(c.law) ? c.mu : 0;
  face.corners = face_corners(c);
  const double opening =
      w[0] - (c.law == Law::coulomb_relaxed ? friction_support(c, face.corners, w) : 0);
  if (opening > zero) return face;
  face.kind = ForceFace::Kind::rays;
  if (face.mu == 0 || c.rows == 1) {
    face.rays = {Vec3::UnitX()};
    return face;
  }
  const Vec3 slip(0, w[1], c.rows > 2 ? w[2] : 0);
  face.kind = ForceFace::Kind::cone;
  if (slip.norm() <= zero) return face;
  if (face.corners.empty()) {
    face.kind = ForceFace::Kind::rays;
    face.rays = {Vec3::UnitX() - face.mu * slip.normalized()};
    return face;
  }
  double best = 0;
  for (const auto& [x, y] : face.corners) best = std::max(best, -(x * slip[1] + y * slip[2]));
  for (const auto& [x, y] : face.corners)
    if (best + x * slip[1] + y * slip[2] <= zero)
      face.rays.emplace_back(1, face.mu * x, face.mu * y);
  if (face.rays.size() <= 2) face.kind = ForceFace::Kind::rays;
  return face;
}

}  // namespace cairn::record
