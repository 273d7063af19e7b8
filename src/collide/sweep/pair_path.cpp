#include "collide/sweep/pair_path.hpp"

#include <algorithm>
#include <limits>

#include "base/conventions.hpp"
#include "base/infinity.hpp"

namespace cairn::collide {
namespace {

constexpr double position_rounding = 16 * std::numeric_limits<double>::epsilon();
constexpr double along_plane = 0x1p-26;  // sine up to which a wall does not bound planar motion

// Speed of the points of the core relative to their centre of mass, per unit of tau [m].
double spin(const SweptShape& s) {
  return s.angle * s.arm;
}

}  // namespace

PairPath::PairPath(const SweptShape& first, const SweptShape& second)
    : a(second.solid.kind == Solid::Kind::wall ? second : first),
      b(second.solid.kind == Solid::Kind::wall ? first : second) {
  bend_ = (a.bend + b.bend) + position_rounding * (a.far + b.far);
  if (a.solid.kind != Solid::Kind::wall) return;
  const Vec3 from = b.start.x_W - a.start.x_W, to = b.end.x_W - a.end.x_W;
  span_ = std::max(from.norm(), to.norm()) + b.reach;
  bend_ += a.sway * span_;
  if (!b.solid.planar) return;
  // The sine changes no faster than the wall turns about axes in the plane.
  const Vec3 n = a.start.R_WS * a.solid.size, z = b.start.R_WS.col(2);
  const double sine = n.cross(z).norm(), change = a.angle * a.axis_W.cross(z).norm();
  never_meet_ = sine + change <= along_plane;
  stretch_ = 1 / std::max(sine - change, along_plane);
}

double PairPath::separation_from_wall(const Moment& at) const {
  const Vec3 n = at.a->R_WS * a.solid.size;
  return n.dot(at.b->x_W - at.a->X_WS.p) - height(b.solid, *at.b, -n);
}

double PairPath::separation(const Vec3& n, const Moment& at) const {
  if (turning_wall()) return stretch_ * (separation_from_wall(at) - bend_);
  const double h = height(a.solid, *at.a, n) + height(b.solid, *at.b, -n);
  return stretch_ * (n.dot(at.b->x_W - at.a->x_W) - h - bend_);
}

double PairPath::lower_bound(const Vec3& n, const Moment& from, const Moment& to) const {
  CAIRN_DCHECK(from.tau <= to.tau, from.tau, to.tau);
  const double length = to.tau - from.tau;
  if (turning_wall()) {
    // (E341): acceleration of a point of B in the frame of the wall, along its normal.
    const Vec3 normal = a.start.R_WS * a.solid.size;
    const double tilt = a.angle * normal.cross(a.axis_W).norm();
    const double speed = (b.shift_W - a.shift_W).norm() + spin(b);
    const double acceleration = tilt * (a.angle * span_ + 2 * speed) + b.angle * spin(b);
    const double low = std::min(separation_from_wall(from), separation_from_wall(to));
    return stretch_ * (low - 0.125 * acceleration * length * length - bend_);
  }
  const Heights ha = heights(a, n, *from.a, *to.a, length);
  const Heights hb = heights(b, -n, *from.b, *to.b, length);
  const double low = std::min(n.dot(from.b->x_W - from.a->x_W) - (ha.from + hb.from),
                              n.dot(to.b->x_W - to.a->x_W) - (ha.to + hb.to));
  return stretch_ * (low - (ha.above + hb.above) - bend_);
}

double PairPath::lower_bound_from(const Vec3& n, double separation_known, const Moment& known,
                                  const Moment& other) const {
  const double length = std::abs(other.tau - known.tau);
  if (turning_wall() || goes_round(a, length) || goes_round(b, length))
    return known.tau <= other.tau ? lower_bound(n, known, other) : lower_bound(n, other, known);
  const double low = std::min(separation_known, separation(n, other));
  return low - stretch_ * (height_above_chord(a, n, length) + height_above_chord(b, n, length));
}

bool PairPath::central_balls() const {
  const auto central = [](const SweptShape& s) {
    return s.solid.kind == Solid::Kind::ball && !s.solid.planar && s.start.X_WS.p == s.start.x_W;
  };
  return central(a) && central(b) && a.start.x_W != b.start.x_W && a.end.x_W != b.end.x_W;
}

bool PairPath::balls_stay_apart() const {
  if (a.solid.kind == Solid::Kind::wall) return false;
  const double near = (a.reach + b.reach) + bend_ + (b.shift_W - a.shift_W).norm();
  return (b.start.x_W - a.start.x_W).squaredNorm() > near * near;
}

double PairPath::closing_speed(const Vec3& n) const {
  const Vec3 shift = b.shift_W - a.shift_W;
  if (turning_wall()) {
    const Vec3 normal = a.start.R_WS * a.solid.size;
    const double tilt = a.angle * normal.cross(a.axis_W).norm();
    return stretch_ * (tilt * span_ + shift.norm() + spin(b));
  }
  return stretch_ * std::max(0.0, (turning_speed(a, n) + turning_speed(b, n)) - n.dot(shift));
}

double PairPath::deepest_possible() const {
  if (a.solid.kind == Solid::Kind::wall) return base::infinity;
  return std::min(a.solid.inner + b.solid.outer, b.solid.inner + a.solid.outer);
}

}  // namespace cairn::collide
