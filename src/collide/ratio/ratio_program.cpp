#include "collide/ratio/ratio_program.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

namespace cairn::collide {
namespace {

using Mat4 = Eigen::Matrix4d;
using Vec4 = Eigen::Vector4d;

constexpr double rounding = 0x1p-49;    // of a value relative to its terms: what is not a violation
constexpr double negligible = 0x1p-40;  // multipliers and pivots relative to the largest
constexpr int scanned_faces = 24;       // smaller bodies are quicker to scan than to climb
constexpr int pivots_before_bland = 64;
constexpr int artificial_row = -1, plane_row = -2;  // in place of facets

// A row (p, -1) of the active set: p.x - t = cost.
struct Row {
  Vec3 p;
  double cost = 0;
  int facet = artificial_row;
  bool of_b = false;
};

class Program {
 public:
  Program(const RatioPair& pair, RatioSearch search) : pair_(pair), search_(search) {}

  bool start_from(const RatioBasis& basis);
  void start_cold();
  RatioOptimum run();

 private:
  struct Found {
    int facet = 0;
    double value = 0;  // p.x
  };

  Row row(bool of_b, int facet) const;
  Row outside(bool of_b, const Vec3& normal) const;
  Found best(const Polyhedron& body, const Vec3& x, int hint);
  bool factor();
  bool find_entering(Row& entering);
  bool find_first_violated(Row& entering);
  bool replace_by(const Row& entering);
  double noise(double value, double norm_p, double norm_x) const {
    return rounding * (std::abs(value) + norm_p * norm_x);
  }

  const RatioPair& pair_;
  RatioSearch search_;
  std::array<Row, 4> rows_;
  Mat4 inverse_;
  Vec3 x_ = Vec3::Zero();
  double t_ = 0;
  Vec4 u_ = Vec4::Zero();
  int hint_a_ = 0, hint_b_ = 0;
  int pivots_ = 0, evaluations_ = 0;
};

Row Program::row(bool of_b, int facet) const {
  const Polyhedron& body = of_b ? pair_.b : pair_.a;
  const Vec3 p = pair_.unit * body.polar[static_cast<std::size_t>(facet)];
  if (!of_b) return {p, 0, facet, false};
  const Vec3 q = pair_.R_AB * p;
  return {q, q.dot(pair_.u), facet, true};
}

// argmax p.x over the corners of the polar body. Climbing: a corner of a convex body none of whose
// neighbours is higher is the highest.
Program::Found Program::best(const Polyhedron& body, const Vec3& x, int hint) {
  const int faces = static_cast<int>(body.polar.size());
  const Vec3* polar = body.polar.data();
  if (search_ == RatioSearch::scan ||
      (search_ == RatioSearch::automatic && faces <= scanned_faces)) {
    Found top{0, polar[0].dot(x)};
    for (int f = 1; f < faces; ++f)
      if (const double value = polar[f].dot(x); value > top.value) top = {f, value};
    evaluations_ += faces;
    return {top.facet, pair_.unit * top.value};
  }
  Found top{hint, polar[hint].dot(x)};
  ++evaluations_;
  for (int from = -1; from != top.facet;) {
    from = top.facet;
    for (const int f : body.neighbors(from)) {
      ++evaluations_;
      if (const double value = polar[f].dot(x); value > top.value) top = {f, value};
    }
  }
  return {top.facet, pair_.unit * top.value};
}

// x, t and the multipliers of the active rows (E131).
bool Program::factor() {
  Mat4 m;
  Vec4 cost;
  for (int k = 0; k < 4; ++k) {
    const Row& each = rows_[static_cast<std::size_t>(k)];
    m.row(k) << each.p.transpose(), each.facet == plane_row ? 0 : -1;
    cost[k] = each.cost;
  }
  inverse_ = m.inverse();
  if (!std::isfinite(inverse_.sum())) return false;
  u_ = -inverse_.row(3).transpose();
  // The inverse comes from cofactors; a second step leaves residuals of rounding alone where facets
  // are nearly parallel. Otherwise active facets would seem violated.
  Vec4 z = inverse_ * cost;
  z += inverse_ * (cost - m * z);
  x_ = z.head<3>(), t_ = z[3];
  return true;
}

// A basis that was optimal nearby. A facet whose multiplier has become negative gives way to a
// plane outside its body on the other side, which turns the sign.
bool Program::start_from(const RatioBasis& basis) {
  if (basis.count != (pair_.a.planar ? 3 : 4)) return false;
  for (int k = 0; k < basis.count; ++k) {
    const auto i = static_cast<std::size_t>(k);
    const bool of_b = k >= basis.of_a;
    const int facet = basis.facets[i];
    const int faces = static_cast<int>((of_b ? pair_.b : pair_.a).faces.size());
    if (facet < 0 || facet >= faces) return false;
    (of_b ? hint_b_ : hint_a_) = facet;
    rows_[i] = row(of_b, facet);
  }
  if (basis.count == 3) rows_[3] = {Vec3::UnitZ(), 0, plane_row, false};
  if (!factor()) return false;
  const double least = -negligible * u_.cwiseAbs().maxCoeff();
  if (u_.minCoeff() >= least) return true;
  for (int k = 0; k < basis.count; ++k)
    if (u_[k] < least) {
      Row& each = rows_[static_cast<std::size_t>(k)];
      each = outside(each.of_b, -each.p.normalized());
    }
  return factor();
}

// A plane that lies outside the body and so is never active at the optimum.
Row Program::outside(bool of_b, const Vec3& normal) const {
  const Vec3 p = normal * (pair_.unit / (4 * (of_b ? pair_.b : pair_.a).outer_radius));
  return {p, of_b ? p.dot(pair_.u) : 0, artificial_row, of_b};
}

// The facets through which the line of centres leaves both bodies, held together sideways by planes
// outside A.
void Program::start_cold() {
  const Vec3& u = pair_.u;
  hint_a_ = best(pair_.a, u, hint_a_).facet;
  hint_b_ = best(pair_.b, -(pair_.R_AB.transpose() * u), hint_b_).facet;
  rows_[0] = row(false, hint_a_);
  rows_[1] = row(true, hint_b_);
  const double along_a = rows_[0].p.dot(u), along_b = -rows_[1].cost;
  // What the two planes must balance, both with positive multipliers.
  Vec3 w = -(along_b * rows_[0].p + along_a * rows_[1].p);
  w -= u * u.dot(w);
  if (pair_.a.planar) w.z() = 0;
  const double norm = w.norm();
  if (norm > 0)
    w = (w / norm - u * u.dot(w / norm)).normalized();
  else
    w = pair_.a.planar ? Vec3(-u.y(), u.x(), 0) : tangents(u).t1;
  if (pair_.a.planar) {
    rows_[2] = outside(false, w);
    rows_[3] = {Vec3::UnitZ(), 0, plane_row, false};
  } else {
    const Vec3 side = u.cross(w);
    rows_[2] = outside(false, w + side);
    rows_[3] = outside(false, w - side);
  }
  factor();
}

// The facet that (x, t) violates most, relative to the distance of its plane from the centre.
bool Program::find_entering(Row& entering) {
  const Vec3 x_B = pair_.R_AB.transpose() * (x_ - pair_.u);
  const Found a = best(pair_.a, x_, hint_a_), b = best(pair_.b, x_B, hint_b_);
  hint_a_ = a.facet, hint_b_ = b.facet;
  const auto violation = [&](const Polyhedron& body, const Found& found, double norm_x) {
    const double norm_p = pair_.unit * body.polar[static_cast<std::size_t>(found.facet)].norm();
    return found.value - t_ - noise(t_, norm_p, norm_x);
  };
  const double over_a = violation(pair_.a, a, x_.norm()),
               over_b = violation(pair_.b, b, x_.norm() + 1);
  if (!(std::max(over_a, over_b) > 0)) return false;
  entering = over_a >= over_b ? row(false, a.facet) : row(true, b.facet);
  return true;
}

// Bland's rule: the first one by index.
bool Program::find_first_violated(Row& entering) {
  for (const bool of_b : {false, true}) {
    const Polyhedron& body = of_b ? pair_.b : pair_.a;
    for (std::size_t f = 0; f < body.polar.size(); ++f) {
      const Row each = row(of_b, static_cast<int>(f));
      ++evaluations_;
      if (each.p.dot(x_) - each.cost - t_ > noise(t_, each.p.norm(), x_.norm() + of_b)) {
        entering = each;
        return true;
      }
    }
  }
  return false;
}

// The ratio test: the row whose multiplier reaches zero first leaves. Among equal ones an
// artificial row goes first, then (Bland) the lowest, else the one with the largest pivot.
bool Program::replace_by(const Row& entering) {
  const Vec4 alpha =
      inverse_.transpose() * Vec4(entering.p.x(), entering.p.y(), entering.p.z(), -1);
  const double least_pivot = negligible * alpha.cwiseAbs().maxCoeff();
  double least = std::numeric_limits<double>::infinity();
  for (int k = 0; k < 4; ++k)
    if (alpha[k] > least_pivot) least = std::min(least, std::max(u_[k], 0.0) / alpha[k]);
  int leaves = -1;
  const auto rank = [&](int k) {
    const Row& each = rows_[static_cast<std::size_t>(k)];
    const double order = pivots_ < pivots_before_bland ? -alpha[k] : 1e9 * each.of_b + each.facet;
    return std::pair(each.facet != artificial_row, order);
  };
  for (int k = 0; k < 4; ++k) {
    if (!(alpha[k] > least_pivot)) continue;
    if (std::max(u_[k], 0.0) / alpha[k] > least + negligible / alpha[k]) continue;
    if (leaves < 0 || rank(k) < rank(leaves)) leaves = k;
  }
  if (leaves < 0) return false;
  const std::array<Row, 4> before = rows_;
  rows_[static_cast<std::size_t>(leaves)] = entering;
  ++pivots_;
  if (factor()) return true;
  rows_ = before;
  factor();
  return false;
}

RatioOptimum Program::run() {
  // Rounding cannot cycle for ever: the bound is never met by Bland's rule in exact arithmetic.
  const int most =
      pivots_before_bland + 4 * static_cast<int>(pair_.a.faces.size() + pair_.b.faces.size());
  Row entering;
  while (pivots_ < most &&
         (pivots_ < pivots_before_bland ? find_entering(entering) : find_first_violated(entering)))
    if (!replace_by(entering)) break;

  RatioOptimum result{x_, t_, {}, {}, pivots_, evaluations_};
  for (const bool of_b : {false, true}) {
    for (int k = 0; k < 4; ++k) {
      const Row& each = rows_[static_cast<std::size_t>(k)];
      if (each.of_b != of_b || each.facet == plane_row) continue;
      const auto at = static_cast<std::size_t>(result.basis.count++);
      result.basis.facets[at] = each.facet;
      result.multipliers[at] = u_[k];
    }
    if (!of_b) result.basis.of_a = result.basis.count;
  }
  return result;
}

}  // namespace

RatioPair ratio_pair(const Polyhedron& a, const Pose& X_WA, const Polyhedron& b, const Pose& X_WB) {
  RatioPair pair{a, b, X_WA.R.toRotationMatrix(), Mat3::Identity(), {}, {}, {}, {}};
  const Mat3 R_WB = X_WB.R.toRotationMatrix();
  pair.R_AB.noalias() = pair.R_WA.transpose() * R_WB;
  pair.x_WA = X_WA.p + pair.R_WA * a.center;
  pair.x_WB = X_WB.p + R_WB * b.center;
  pair.d_A.noalias() = pair.R_WA.transpose() * (pair.x_WB - pair.x_WA);
  if (a.planar) {
    pair.out_of_plane = pair.d_A.z();
    pair.d_A.z() = 0;
    pair.R_AB.row(2).head<2>().setZero();
    pair.R_AB.col(2).head<2>().setZero();
  }
  pair.size = a.outer_radius + b.outer_radius;
  pair.unit = power_of_two(pair.size);
  // Squares of distances this small would be lost.
  pair.distance = pair.d_A.norm();
  if (pair.distance < 0x1p-400 * pair.unit) pair.distance = pair.d_A.stableNorm();
  if (pair.distance > 0) pair.u = (pair.d_A / pair.distance).normalized();
  return pair;
}

RatioOptimum solve_ratio_program(const RatioPair& pair, const RatioBasis* start,
                                 RatioSearch search) {
  Program program(pair, search);
  if (!start || !program.start_from(*start)) program.start_cold();
  return program.run();
}

}  // namespace cairn::collide
