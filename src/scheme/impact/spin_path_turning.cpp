// Pieces of an impact in which slip or rolling turns its direction (E262): extrapolated implicit
// steps.
#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "scheme/common/root.hpp"
#include "scheme/impact/spin_path_state.hpp"

namespace cairn::scheme::spin {
namespace {

constexpr std::array<int, 7> parts = {2,  6,  10, 14,
                                      22, 34, 50};  // of a step, columns of its extrapolation

}  // namespace

Vec5 SpinPath::friction(const Vec6& y) const {
  Vec5 moving = lambda;
  for (std::size_t e = 0; e < 3; ++e) {
    auto part = moving.segment(elements[e].first, elements[e].size);
    if (mode[e] == Mode::held) part.setZero();
    if (turns(e)) part = -bound[e] * of(y, e).normalized();
  }
  return holding(moving);
}

Point SpinPath::after(const Vec7& z) const {
  Point p{at.y + W * (z - at.z).head<6>(), z};
  for (std::size_t e = 0; e < 3; ++e)
    if (mode[e] == Mode::held) p.y.segment(1 + elements[e].first, elements[e].size).setZero();
  return p;
}

// z' by the normal impulse.
Vec7 SpinPath::slope(const Vec7& z) const {
  const Vec6 y = after(z).y;
  return (Vec7() << 1, friction(y), y[0]).finished();
}

Mat7 SpinPath::jacobian() const {
  Mat5 turning = Mat5::Zero();
  for (std::size_t e = 0; e < 3; ++e) {
    if (!turns(e)) continue;
    const Vec2 s = of(direction, e);
    turning.block<2, 2>(elements[e].first, elements[e].first) =
        -bound[e] / of(at.y, e).norm() * (Eigen::Matrix2d::Identity() - s * s.transpose());
  }
  Mat7 J = Mat7::Zero();
  J.block<5, 6>(1, 0) =
      (Mat5::Identity() - hold * W.bottomRightCorner<5, 5>()) * turning * W.bottomRows<5>();
  J.block<1, 6>(6, 0) = W.row(0);
  return J;
}

// The linearly implicit midpoint rule of Bader and Deuflhard, extrapolated until two columns agree
// to rounding. False: they do not. It is implicit since a slow slip turns fast.
bool SpinPath::advance(double H, Point& end) const {
  std::array<Vec7, parts.size()> row;
  const Mat7 J = jacobian();
  const Vec7 first = slope(at.z);
  for (std::size_t j = 0; j < parts.size(); ++j) {
    const int n = parts[j];
    const double h = H / n;
    const Eigen::PartialPivLU<Mat7> implicit(Mat7::Identity() - h * J);
    Vec7 step = implicit.solve(h * first), value = at.z + step;
    for (int i = 1; i < n; ++i) {
      step += 2 * implicit.solve(h * slope(value) - step);
      value += step;
    }
    value += implicit.solve(h * slope(value) - step);
    for (std::size_t k = 0; k < j; ++k) {
      const double ratio = static_cast<double>(n) / parts[j - 1 - k];
      const Vec7 difference = value - row[k];
      row[k] = value;
      value += difference / (ratio * ratio - 1);
    }
    row[j] = value;
    end = after(value);
    if (j < 2) continue;
    const Vec6 off = W * (value - row[j - 1]).head<6>();
    double error = std::abs(off[0]) / -in.u[0];
    for (std::size_t e = 0; e < 3; ++e)
      if (bound[e] > 0 && mode[e] != Mode::held)
        error = std::max(error, of(off, e).norm() / size[e]);
    if (error <= 64 * eps) return true;
  }
  return false;
}

// Of a function that is `start` < 0 now and `end` at H.
double SpinPath::first_zero(double H, double start, double end, const auto& f) const {
  if (!(end >= 0)) return never;
  if (start >= 0) return 0;
  return brent_root(0, start, H, end, 0, [&](double t) {
    Point p;
    advance(t, p);
    return f(p);
  });
}

// (E262): a step in which slip or rolling turns; each ends before such a motion has halved, so that
// its stop, where its direction is no smooth function, comes at the end of a geometric sequence.
bool SpinPath::curve(const Vec6& dy) {
  double H = length > 0 ? 4 * length : never;
  for (std::size_t e = 0; e < 3; ++e) {
    if (!turns(e)) continue;
    const double r = of(at.y, e).norm(), f = of(direction, e).dot(of(dy, e));
    if (f < 0) H = std::min(H, 0.5 * r / -f);
    if (length == 0) H = std::min(H, r / rate[e]);
  }
  H = std::min(H, impulse);
  Point end;
  // Where the bodies begin to part a step ends before they may close again.
  const auto dips = [&] {
    return !phases.compressing && at.y[0] == 0 && dy[0] > 0 && end.y[0] < 0;
  };
  for (int i = 0; i < 60 && (!advance(H, end) || dips()); ++i) H /= 2;
  length = H;

  const auto opens = [](const Point& p) { return p.y[0]; };
  const auto closes = [](const Point& p) { return -p.y[0]; };
  const auto beyond = [&](const Point& p) {
    return phases.beyond(p.y[0], phases.p_d + p.z[0] - at.z[0], phases.w_d + p.z[6] - at.z[6]);
  };
  double over = never, again = never, stop = never, breaks = never;
  if (phases.compressing) {
    over = first_zero(H, opens(at), opens(end), opens);
  } else {
    over = first_zero(H, beyond(at), beyond(end), beyond);
    if (end.y[0] < 0) again = first_zero(H, closes(at), closes(end), closes);
  }
  std::size_t stopping = 3;
  for (std::size_t e = 0; e < 3; ++e) {
    const auto slows = [&](const Point& p) { return -of(direction, e).dot(of(p.y, e)); };
    const auto slips = [&](const Point& p) { return of(friction(p.y), e).norm() - bound[e]; };
    if (mode[e] == Mode::moves && !turns(e))
      if (const double t = first_zero(H, slows(at), slows(end), slows); t < stop)
        stop = t, stopping = e;
    if (mode[e] == Mode::held)
      breaks = std::min(breaks, first_zero(H, slips(at), slips(end), slips));
  }
  // A friction that reaches its bound is beyond it a little later.
  if (breaks < never) breaks += nudge;
  const double t = std::min({H, over, again, stop, breaks});
  if (t < H) advance(t, end);
  if (t == stop) end.y.segment(1 + elements[stopping].first, elements[stopping].size).setZero();
  return arrive(end, t == over, t == again);
}

}  // namespace cairn::scheme::spin
