#include "scheme/impact/spin_path.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "scheme/impact/spin_path_state.hpp"

namespace cairn::scheme {
namespace {

constexpr int max_sweeps = 20000;  // over elements that start together
// Of the impulse that stops the approach: its square is rounding [-].
constexpr double nudge_share = 0x1p-26;

}  // namespace

namespace spin {

SpinPath::SpinPath(const ImpactInput& input)
    : in(input),
      bound{input.mu, input.torsion, input.rolling},
      impulse(-input.u[0] / input.W(0, 0)),
      phases{.law = input.law, .e = input.e, .approach = input.u[0]},
      nudge(nudge_share * impulse) {
  W << in.W, in.W_mixed, in.W_mixed.transpose(), in.W_spin;
  at = {Vec6::Zero(), Vec7::Zero()};
  at.y << in.u, in.spin;
  for (std::size_t e = 0; e < 3; ++e) {
    const auto rows = W.middleRows(1 + elements[e].first, elements[e].size);
    rate[e] = rows.col(0).norm();
    for (std::size_t o = 0; o < 3; ++o)
      rate[e] += bound[o] * rows.middleCols(1 + elements[o].first, elements[o].size).norm();
    size[e] = of(at.y, e).norm() + rate[e] * impulse;
  }
}

// Over rows of unit diagonal, so that slip and turning are of one size; directions in which nothing
// moves are left out.
void SpinPath::invert_held() {
  Vec5 scale = Vec5::Zero();
  for (std::size_t e = 0; e < 3; ++e)
    for (Eigen::Index i = 0; mode[e] == Mode::held && i < elements[e].size; ++i)
      if (const double d = W(1 + elements[e].first + i, 1 + elements[e].first + i); d > 0)
        scale[elements[e].first + i] = 1 / std::sqrt(d);
  const Mat5 scaled = scale.asDiagonal() * W.bottomRightCorner<5, 5>() * scale.asDiagonal();
  const Eigen::SelfAdjointEigenSolver<Mat5> eigen(scaled);
  Vec5 inverse = eigen.eigenvalues();
  for (double& x : inverse) x = x > 64 * eps ? 1 / x : 0;
  hold = scale.asDiagonal() * eigen.eigenvectors() * inverse.asDiagonal() *
         eigen.eigenvectors().transpose() * scale.asDiagonal();
}

// Friction that keeps the held elements at rest, added to that of the moving ones.
Vec5 SpinPath::holding(const Vec5& moving) const {
  Vec5 x = moving;
  for (int i = 0; i < 2; ++i)  // the second time for what rounding left
    x -= hold * (W.col(0).tail<5>() + W.bottomRightCorner<5, 5>() * x);
  return x;
}

// Which elements move; those that rest are held, or start where their friction cannot hold them.
void SpinPath::find_modes() {
  lambda.setZero();
  direction.setZero();
  for (std::size_t e = 0; e < 3; ++e) {
    mode[e] = Mode::none;
    auto y = at.y.segment(1 + elements[e].first, elements[e].size);
    if (bound[e] == 0) continue;
    const double r = y.norm();
    mode[e] = r <= 0.25 * eps * size[e] ? Mode::held : Mode::moves;
    if (mode[e] == Mode::held) {
      y.setZero();
      continue;
    }
    direction.segment(elements[e].first, elements[e].size) = y / r;
    lambda.segment(elements[e].first, elements[e].size) = -bound[e] / r * y;
  }
  invert_held();
  const Vec5 all = holding(lambda);
  bool holds = true;
  for (std::size_t e = 0; e < 3; ++e)
    holds = holds && (mode[e] != Mode::held || of(all, e).norm() <= bound[e]);
  if (!holds) find_starts();
  lambda = holds ? all : holding(lambda);
}

// (E261): the friction of elements at rest that takes most power from what they would gain, one
// element after the other until it stays.
void SpinPath::find_starts() {
  Vec5 x = lambda;
  std::array<bool, 3> starts = {};
  for (int sweep = 0; sweep < max_sweeps; ++sweep) {
    double change = 0;
    for (std::size_t e = 0; e < 3; ++e) {
      if (mode[e] != Mode::held) continue;
      const auto [first, rows] = elements[e];
      Eigen::Matrix2d A = Eigen::Matrix2d::Zero();
      Vec2 a = Vec2::Zero();
      A.topLeftCorner(rows, rows) = W.block(1 + first, 1 + first, rows, rows);
      Vec5 others = x;
      others.segment(first, rows).setZero();
      a.head(rows) = W.block(1 + first, 0, rows, 1) + W.block(1 + first, 1, rows, 5) * others;
      const HeldSlip held = hold_slip(A, a, bound[e]);
      starts[e] = !held.holds;
      change =
          std::max(change, (x.segment(first, rows) - held.friction.head(rows)).norm() / bound[e]);
      x.segment(first, rows) = held.friction.head(rows);
    }
    if (change <= eps) break;
  }
  for (std::size_t e = 0; e < 3; ++e) {
    if (mode[e] != Mode::held || !starts[e]) continue;
    mode[e] = Mode::starts;
    lambda.segment(elements[e].first, elements[e].size) = of(x, e);
    direction.segment(elements[e].first, elements[e].size) = -of(x, e) / bound[e];
  }
  invert_held();
}

Vec6 SpinPath::rates() const {
  Vec6 per_impulse;
  per_impulse << 1, lambda;
  Vec6 dy = W * per_impulse;
  if (std::abs(dy[0]) <= 64 * eps * W(0, 0)) dy[0] = 0;
  for (std::size_t e = 0; e < 3; ++e)
    if (mode[e] == Mode::held) dy.segment(1 + elements[e].first, elements[e].size).setZero();
  return dy;
}

// No element that moves turns its direction.
bool SpinPath::is_straight(const Vec6& dy) const {
  for (std::size_t e = 0; e < 3; ++e)
    if (turns(e)) {
      const Vec2 s = of(direction, e), v = of(dy, e);
      if (std::abs(s[0] * v[1] - s[1] * v[0]) > 32 * eps * rate[e]) return false;
    }
  return true;
}

// True: the impact is over.
bool SpinPath::arrive(const Point& end, bool phase_ends, bool closes_again) {
  phases.add(end.z[0] - at.z[0], end.z[6] - at.z[6]);
  at = end;
  if (phase_ends && !phases.compressing) return true;
  if (phase_ends || closes_again) {
    at.y[0] = 0;
    phases.compressing = closes_again;
  }
  return phase_ends && in.e == 0;
}

// (E262): all friction keeps its direction, up to the first that stops or to the end of a phase.
bool SpinPath::straight(const Vec6& dy, double limit) {
  std::array<double, 3> stop = {never, never, never};
  for (std::size_t e = 0; e < 3; ++e)
    if (mode[e] == Mode::moves)
      if (const double f = of(direction, e).dot(of(dy, e)); f < 0)
        stop[e] = of(at.y, e).norm() / -f;
  const double over = phases.left(at.y[0], dy[0]);
  const double again = !phases.compressing && dy[0] < 0 ? -at.y[0] / dy[0] : never;
  const double p = std::min({limit, over, again, stop[0], stop[1], stop[2]});
  if (p == never) return true;  // locked
  Point end = at;
  end.z[0] += p;
  end.z.segment<5>(1) += p * lambda;
  end.z[6] += p * (at.y[0] + 0.5 * p * dy[0]);
  end.y += p * dy;
  for (std::size_t e = 0; e < 3; ++e)
    if (p == stop[e]) end.y.segment(1 + elements[e].first, elements[e].size).setZero();
  return arrive(end, p == over, p == again);
}

// True: the impact is over.
bool SpinPath::step() {
  find_modes();
  Vec6 dy = rates();
  // A turning motion that stops within the rounding of the impulse stops here.
  bool stops = false;
  for (std::size_t e = 0; e < 3; ++e) {
    if (!turns(e)) continue;
    const double r = of(at.y, e).norm(), f = of(direction, e).dot(of(dy, e));
    if (!(f < 0 && r <= -f * 64 * eps * std::max(impulse, at.z[0]))) continue;
    at.y.segment(1 + elements[e].first, elements[e].size).setZero();
    stops = true;
  }
  if (stops) {
    find_modes();
    dy = rates();
  }
  if (phases.compressing && dy[0] < 0) out.jammed = true;
  if (is_straight(dy)) return straight(dy, never);
  if (std::find(mode.begin(), mode.end(), Mode::starts) != mode.end()) {
    nudge *= 2;  // one that starts and stops again
    length = 0;
    return straight(dy, nudge);
  }
  nudge = nudge_share * impulse;
  return curve(dy);
}

}  // namespace spin

// In units that are powers of two near the inverse mass and the speed of approach.
ImpactOutcome spin_path(const ImpactInput& given) {
  const double mobility = power_of_two(given.W(0, 0)), speed = power_of_two(given.u[0]);
  ImpactInput in = given;
  for (Mat3* W : {&in.W, &in.W_spin, &in.W_mixed}) *W /= mobility;
  for (Vec3* u : {&in.u, &in.spin}) *u /= speed;
  spin::SpinPath path(in);
  ImpactOutcome& out = path.out;
  for (int i = 0; i < max_path_steps; ++i) {
    const bool rested = out.stuck, over = path.step();
    out.stuck = path.mode[0] == spin::Mode::held;
    if (i == 0 || out.stuck != rested) ++out.phases;
    if (rested && !out.stuck) out.reversed = true;
    if (over) break;
  }
  out.impulse = path.at.z.head<3>();
  out.torque = path.at.z.segment<3>(3);
  out.u = path.at.y.head<3>();
  out.spin = path.at.y.tail<3>();
  if (out.u.tail<2>().dot(in.u.tail<2>()) < 0) out.reversed = true;
  out.compression_impulse = path.phases.p_c;
  out.work_compression = path.phases.w_c;
  out.work_decompression = path.phases.w_d;
  out.work_friction =
      0.5 * ((in.u + out.u).dot(out.impulse) + (in.spin + out.spin).dot(out.torque)) -
      path.phases.w_c - path.phases.w_d;
  for (Vec3* u : {&out.u, &out.spin}) *u *= speed;
  for (Vec3* impulse : {&out.impulse, &out.torque}) *impulse *= speed / mobility;
  out.compression_impulse *= speed / mobility;
  for (double* work : {&out.work_compression, &out.work_decompression, &out.work_friction})
    *work *= speed / mobility * speed;
  return out;
}

}  // namespace cairn::scheme
