#include "collide/sweep/swept_shape.hpp"

#include <algorithm>

#include "base/conventions.hpp"
#include "base/infinity.hpp"

namespace cairn::collide {
namespace {

// Angle from which the solid of revolution may be the better bound [rad].
constexpr double far_turn = 1;

// Largest distance of a point on an arc from its chord, over the radius [-]; no two points of a
// circle are farther apart than 2.
double sagitta(double turn) {
  return std::min(0.125 * turn * turn, 2.0);
}

bool is_finite(const BodyPath& path) {
  return path.start.p.allFinite() && path.start.R.coeffs().allFinite() &&
         path.shift_W.allFinite() && path.turn_B.allFinite() && path.bend < base::infinity &&
         path.sway < base::infinity;
}

}  // namespace

Placement place(const SweptShape& s, double tau) {
  Placement p = s.start;
  p.x_W += tau * s.shift_W;
  if (s.angle == 0) {
    p.X_WS.p += tau * s.shift_W;
    return p;
  }
  const Quat turn = exp_rotation((tau * s.angle) * s.axis_W);
  p.X_WS.R = (turn * s.start.X_WS.R).normalized();
  p.X_WS.p = p.x_W + turn * (s.start.X_WS.p - s.start.x_W);
  p.R_WS = p.X_WS.R.toRotationMatrix();
  return p;
}

void follow(const Solid& solid, const Pose& X_CS, const BodyPath& path, SweptShape& out) {
  const bool finite = is_finite(path);
  const Pose X_WC = finite ? path.start : Pose{};
  const bool wall = solid.kind == Solid::Kind::wall;
  out.solid = solid;
  out.start.X_WS = X_WC * X_CS;
  out.start.R_WS = out.start.X_WS.R.toRotationMatrix();
  out.start.x_W = X_WC.p;
  out.shift_W = finite ? path.shift_W : Vec3::Zero();
  const Vec3 offset = out.start.X_WS.p - X_WC.p;
  // A ball about the centre of mass looks the same however it turns.
  const bool turns = solid.kind != Solid::Kind::ball || solid.planar || !offset.isZero(0);
  out.angle = finite && turns ? path.turn_B.norm() : 0;
  out.arm = out.axial_lo = out.axial_hi = 0;
  if (out.angle > 0) {
    out.axis_W = X_WC.R * (path.turn_B / out.angle);
    if (!wall) out.arm = axis_distance(solid, offset, out.start.R_WS, out.axis_W);
    if (solid.planar) {
      out.axial_lo = out.axial_hi = out.axis_W.dot(offset);
    } else if (!wall) {
      out.axial_hi = height(solid, out.start, out.axis_W) - solid.round;
      out.axial_lo = solid.round - height(solid, out.start, -out.axis_W);
    }
  }
  out.end = place(out, 1);
  out.reach =
      wall ? offset.norm() : (offset + out.start.R_WS * solid.middle_S).norm() + solid.outer;
  out.far = out.start.x_W.cwiseAbs().maxCoeff() + out.shift_W.cwiseAbs().maxCoeff() + out.reach;
  out.bend = finite ? path.bend + (wall ? 0 : path.sway * out.reach) : base::infinity;
  out.sway = finite && wall ? path.sway : 0;
}

Aabb swept_box(const SweptShape& s) {
  Aabb box = bounds(*s.solid.geometry, s.start.X_WS);
  Vec3 grow = Vec3::Constant(s.bend);
  if (s.angle == 0) {
    box.lo += s.shift_W.cwiseMin(0);
    box.hi += s.shift_W.cwiseMax(0);
  } else if (s.solid.kind == Solid::Kind::wall) {
    grow.setConstant(base::infinity);
  } else {
    const Aabb end = bounds(*s.solid.geometry, s.end.X_WS);
    box.lo = box.lo.cwiseMin(end.lo);
    box.hi = box.hi.cwiseMax(end.hi);
    const Vec3 across = (1 - s.axis_W.array().square()).cwiseMax(0).sqrt();
    if (s.angle > far_turn && !s.solid.planar) {
      // The solid of revolution about the axis, carried along.
      const Vec3 flat = s.arm * across + Vec3::Constant(s.solid.round);
      const Vec3 lo = s.axial_lo * s.axis_W, hi = s.axial_hi * s.axis_W;
      const Vec3 above = lo.cwiseMax(hi) + flat, below = lo.cwiseMin(hi) - flat;
      const Aabb revolved{s.start.x_W.cwiseMin(s.end.x_W) + below,
                          s.start.x_W.cwiseMax(s.end.x_W) + above};
      const Vec3 dip = (s.arm * sagitta(s.angle)) * across;
      box.lo = (box.lo - dip).cwiseMax(revolved.lo);
      box.hi = (box.hi + dip).cwiseMin(revolved.hi);
    } else {
      grow += (s.arm * sagitta(s.angle)) * across;
    }
  }
  if (s.sway > 0) grow.setConstant(base::infinity);
  box.lo -= grow;
  box.hi += grow;
  return box;
}

Heights heights(const SweptShape& s, const Vec3& n, const Placement& p, const Placement& q,
                double length) {
  Heights h{height(s.solid, p, n), height(s.solid, q, n), 0};
  const double turn = s.angle * length;
  if (turn == 0) return h;
  CAIRN_DCHECK(s.solid.kind != Solid::Kind::wall);
  const double across = n.cross(s.axis_W).norm();
  h.above = s.arm * across * sagitta(turn);
  if (turn > far_turn) {
    const double along = n.dot(s.axis_W);
    const double revolved =
        along * (along > 0 ? s.axial_hi : s.axial_lo) + s.arm * across + s.solid.round;
    if (revolved < std::max(h.from, h.to) + h.above) return {revolved, revolved, 0};
  }
  return h;
}

}  // namespace cairn::collide
