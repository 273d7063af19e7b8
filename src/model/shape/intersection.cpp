// Reads halfspaces, writes the vertices of their intersection: Chebyshev's centre by a linear
// programme (E121), then the hull of the polar points about it (E122).
#include <Eigen/LU>
#include <Eigen/QR>
#include <array>
#include <cmath>
#include <fmt/format.h>

#include "base/boundary.hpp"
#include "cairn/polyhedron.hpp"
#include "model/checks.hpp"
#include "model/shape/hull_errors.hpp"

namespace cairn {
namespace {

constexpr double rounding = 0x1p-40;  // relative, of the programme [-]

struct Plane {
  Vec3 a = Vec3::Zero();  // unit length [-]
  double b = 0;           // a.x <= b [1, in units of the largest |b|]
};

struct Ball {
  Vec3 center = Vec3::Zero();
  double radius = 0;
  bool bounded = false;  // false: balls of any size fit
};

// Largest ball inside, by the simplex method on the dual of (E121):
//   min b.y   with   sum y_i a_i = 0,  sum y_i = 1,  y >= 0.
// A basis is four columns (a_i, 1); negative numbers stand for artificial ones, which cost 1 and
// all else nothing until they are gone. Bland's rule: least index in, least index out; it cannot
// cycle.
class Programme {
 public:
  explicit Programme(std::span<const Plane> planes) : planes_(planes) {}

  Ball solve() {
    if (!run(true)) return {};
    for (int k = 0; k < 4; ++k)
      if (basis_[static_cast<std::size_t>(k)] < 0 && y_[k] > rounding) return {};
    if (!run(false)) return {};
    const Eigen::Vector4d x = prices(false);
    return {x.head<3>(), x[3], true};
  }

 private:
  Eigen::Vector4d column(int i) const {
    if (i < 0) return Eigen::Vector4d::Unit(-i - 1);
    const Vec3& a = planes_[static_cast<std::size_t>(i)].a;
    return {a.x(), a.y(), a.z(), 1};
  }
  double cost(int i, bool feasibility) const {
    if (i < 0) return feasibility ? 1 : 0;
    return feasibility ? 0 : planes_[static_cast<std::size_t>(i)].b;
  }
  Eigen::Matrix4d matrix() const {
    Eigen::Matrix4d B;
    for (int k = 0; k < 4; ++k) B.col(k) = column(basis_[static_cast<std::size_t>(k)]);
    return B;
  }
  Eigen::Vector4d prices(bool feasibility) const {
    Eigen::Vector4d c;
    for (int k = 0; k < 4; ++k) c[k] = cost(basis_[static_cast<std::size_t>(k)], feasibility);
    return matrix().transpose().fullPivLu().solve(c);
  }

  // Pivots until no column helps. False: too many pivots, which rounding alone can cause.
  bool run(bool feasibility) {
    const int n = static_cast<int>(planes_.size());
    for (int pivots = 0; pivots < 1000 + 50 * n; ++pivots) {
      const auto lu = matrix().fullPivLu();
      y_ = lu.solve(Eigen::Vector4d::UnitW());
      const Eigen::Vector4d price = prices(feasibility);
      int in = 0;
      while (in < n && cost(in, feasibility) - price.dot(column(in)) >= -rounding) ++in;
      if (in == n) return true;
      const Eigen::Vector4d fall = lu.solve(column(in));
      int out = -1;
      double least = 0;
      for (int k = 0; k < 4; ++k) {
        const auto kk = static_cast<std::size_t>(k);
        // An artificial column that stays at zero must not rise again.
        const bool stuck = !feasibility && basis_[kk] < 0;
        if (!(stuck ? std::abs(fall[k]) > rounding : fall[k] > rounding)) continue;
        const double ratio = stuck ? 0 : std::max(0.0, y_[k]) / fall[k];
        if (out < 0 || ratio < least ||
            (ratio == least && basis_[kk] < basis_[static_cast<std::size_t>(out)]))
          out = k, least = ratio;
      }
      if (out < 0) return false;  // sum y = 1 bounds the programme
      basis_[static_cast<std::size_t>(out)] = in;
    }
    return false;
  }

  std::span<const Plane> planes_;
  std::array<int, 4> basis_ = {-1, -2, -3, -4};
  Eigen::Vector4d y_ = Eigen::Vector4d::UnitW();
};

tl::unexpected<Errors> unbounded() {
  return model::shape_error("A", ErrorCode::unbounded, "the intersection is not bounded", "",
                            "normals that point all ways", "add rows that close the open sides");
}

// Where the planes of one polar face meet, by least squares.
Vec3 meeting_point(std::span<const int> rows, const std::vector<Plane>& planes) {
  const auto n = static_cast<Eigen::Index>(rows.size());
  Eigen::Matrix<double, Eigen::Dynamic, 3> A(n, 3);
  VecX b(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const Plane& plane = planes[static_cast<std::size_t>(rows[static_cast<std::size_t>(i)])];
    A.row(i) = plane.a.transpose();
    b[i] = plane.b;
  }
  return A.colPivHouseholderQr().solve(b);
}

// The rows with unit normals; `size` is the largest |b|, as a power of two.
Result<std::vector<Plane>> normalised(std::span<const Vec3> A, std::span<const double> b,
                                      double& size) {
  if (A.size() != b.size())
    return model::shape_error(
        "b", ErrorCode::wrong_size, "A and b differ in length", fmt::format("{}", b.size()),
        fmt::format("{}, one number for each row of A", A.size()), "give one number for each row");
  std::vector<Plane> planes;
  for (std::size_t i = 0; i < A.size(); ++i) {
    const double largest = A[i].cwiseAbs().maxCoeff();
    if (!A[i].allFinite() || !(largest > 0) || largest > model::largest_magnitude)
      return model::shape_error(fmt::format("A[{}]", i), ErrorCode::zero_vector,
                                "is not a direction", model::to_text(A[i]),
                                "any finite vector but zero", "give the outward normal of a face");
    if (!(std::abs(b[i]) <= model::largest_magnitude))
      return model::shape_error(fmt::format("b[{}]", i), ErrorCode::out_of_range,
                                "number is not finite or out of range", model::to_text(b[i]),
                                fmt::format("-{0} to {0}", model::largest_magnitude),
                                "give a finite number");
    const double unit = power_of_two(largest);
    const double norm = (A[i] / unit).norm();
    planes.push_back({(A[i] / unit) / norm, (b[i] / unit) / norm});
    size = std::max(size, std::abs(planes.back().b));
  }
  size = size > 0 ? power_of_two(size) : 1;
  for (Plane& plane : planes) plane.b /= size;
  return planes;
}

}  // namespace

Result<std::vector<Vec3>> intersection_vertices(std::span<const Vec3> A,
                                                std::span<const double> b) try {
  double size = 0;
  const Result<std::vector<Plane>> planes = normalised(A, b, size);
  if (!planes) return tl::unexpected<Errors>(planes.error());
  const Ball ball = Programme(*planes).solve();
  if (!ball.bounded) return unbounded();
  if (ball.radius < -model::least_thickness)
    return model::shape_error(
        "b", ErrorCode::no_interior, "no point fulfils all rows",
        fmt::format("rows that miss each other by {:.3g} m", -ball.radius * size),
        "rows with a common point", "check the signs: the solid is A x <= b");
  if (ball.radius <= model::least_thickness)
    return model::shape_error(
        "b", ErrorCode::no_interior, "the intersection has no interior",
        fmt::format("no ball above {:.3g} m fits", std::max(0.0, ball.radius * size)),
        fmt::format("a ball above {:.2g} of the largest distance", model::least_thickness),
        "move planes apart");

  // Polar points a / (b - a.c): their hull has a face for each vertex, and holds the centre inside
  // just where the intersection is bounded.
  std::vector<Vec3> polar;
  for (const Plane& plane : *planes)
    polar.push_back(plane.a * (ball.radius / (plane.b - plane.a.dot(ball.center))));
  const Result<Polyhedron> dual = polar.size() < 4 ? unbounded() : hull_polyhedron(polar);
  if (!dual) return unbounded();
  std::vector<Vec3> vertices;
  for (std::size_t f = 0; f < dual->faces.size(); ++f) {
    if (!(dual->faces[f].offset > model::least_thickness)) return unbounded();
    std::vector<int> rows;
    for (const int v : dual->loop(static_cast<int>(f))) {
      // The first row with this polar point: equal rows are one.
      const Vec3& p = dual->vertices[static_cast<std::size_t>(v)];
      rows.push_back(static_cast<int>(std::find(polar.begin(), polar.end(), p) - polar.begin()));
    }
    vertices.push_back(size * meeting_point(rows, *planes));
  }
  Result<Polyhedron> hull = hull_polyhedron(vertices);
  if (!hull) return tl::unexpected<Errors>(hull.error());
  return std::move(hull->vertices);
} catch (...) {
  return fail(base::caught_error());
}

}  // namespace cairn
