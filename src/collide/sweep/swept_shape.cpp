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

// A sum is finite only if all of its terms are.
bool is_finite(const BodyPath& path) {
  const double sum = path.start.p.cwiseAbs().sum() + path.start.R.coeffs().cwiseAbs().sum() +
                     path.shift_W.cwiseAbs().sum() + path.turn_B.cwiseAbs().sum() +
                     (path.bend + path.sway);
  return sum < base::infinity;
}

// X_WC X_CS; most shapes are in the frame of their body.
Pose pose_of(const Pose& X_WC, const Pose& X_CS) {
  const bool same = X_CS.R.w() == 1 && X_CS.p.isZero(0);
  return same ? X_WC : X_WC * X_CS;
}

// Contains a placed shape; that of boxes and balls without another rotation matrix.
Aabb box_at(const Solid& solid, const Placement& at) {
  if (solid.kind == Solid::Kind::box) {
    const Vec3 half = at.R_WS.cwiseAbs() * solid.size;
    return {at.X_WS.p - half, at.X_WS.p + half};
  }
  if (solid.kind == Solid::Kind::ball && !solid.planar) {
    const Vec3 half = Vec3::Constant(solid.radius);
    return {at.X_WS.p - half, at.X_WS.p + half};
  }
  return bounds(*solid.geometry, at.X_WS);
}

}  // namespace

bool goes_round(const SweptShape& s, double length) {
  return s.angle * length > far_turn;
}

double height_above_chord(const SweptShape& s, const Vec3& n, double length) {
  const double turn = s.angle * length;
  return turn == 0 ? 0 : s.arm * n.cross(s.axis_W).norm() * sagitta(turn);
}

Placement place(const SweptShape& s, double tau) {
  Placement p = s.start;
  p.x_W += tau * s.shift_W;
  if (s.angle == 0) {
    p.X_WS.p += tau * s.shift_W;
    return p;
  }
  const Quat turn = exp_rotation((tau * s.angle) * s.axis_W);
  p.X_WS.R = (turn * s.start.X_WS.R).normalized();
  const Vec3 offset = s.start.X_WS.p - s.start.x_W;
  p.X_WS.p = offset.isZero(0) ? p.x_W : Vec3(p.x_W + turn * offset);
  p.R_WS = p.X_WS.R.toRotationMatrix();
  return p;
}

void follow(const Solid& solid, const Pose& X_CS, const BodyPath& path, SweptShape& out) {
  const bool finite = is_finite(path);
  const Pose X_WC = finite ? path.start : Pose{};
  const bool wall = solid.kind == Solid::Kind::wall;
  out.solid = solid;
  out.start.X_WS = pose_of(X_WC, X_CS);
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
    } else if (!wall && goes_round(out, 1)) {
      out.axial_hi = height(solid, out.start, out.axis_W) - solid.round;
      out.axial_lo = solid.round - height(solid, out.start, -out.axis_W);
    }
  }
  out.end = place(out, 1);
  const bool centred = offset.isZero(0) && solid.middle_S.isZero(0);
  out.reach = solid.outer;
  if (wall)
    out.reach = offset.norm();
  else if (!centred)
    out.reach = (offset + out.start.R_WS * solid.middle_S).norm() + solid.outer;
  out.far = out.start.x_W.cwiseAbs().maxCoeff() + out.shift_W.cwiseAbs().maxCoeff() + out.reach;
  out.bend = finite ? path.bend + (wall ? 0 : path.sway * out.reach) : base::infinity;
  out.sway = finite && wall ? path.sway : 0;
}

Aabb swept_box(const SweptShape& s) {
  Aabb box = box_at(s.solid, s.start);
  Vec3 grow = Vec3::Constant(s.bend);
  if (s.angle == 0) {
    box.lo += s.shift_W.cwiseMin(0);
    box.hi += s.shift_W.cwiseMax(0);
  } else if (s.solid.kind == Solid::Kind::wall) {
    grow.setConstant(base::infinity);
  } else {
    const Aabb end = box_at(s.solid, s.end);
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
  h.above = height_above_chord(s, n, length);
  if (goes_round(s, length)) {
    const double along = n.dot(s.axis_W), across = n.cross(s.axis_W).norm();
    const double revolved =
        along * (along > 0 ? s.axial_hi : s.axial_lo) + s.arm * across + s.solid.round;
    if (revolved < std::max(h.from, h.to) + h.above) return {revolved, revolved, 0};
  }
  return h;
}

}  // namespace cairn::collide
