// Guesses for packed frames: where bodies, contacts and rows are likely to be. A recording can only
// be unpacked by the guesses that packed it, so that these functions share nothing with the engine,
// change with the version of the trace alone, and use scalar arithmetic in a fixed order.
#pragma once

#include <array>

#include "cairn/problem.hpp"
#include "cairn/state.hpp"

namespace cairn::record::guess {

double dot(const Vec3& a, const Vec3& b);
Vec3 cross(const Vec3& a, const Vec3& b);
Vec3 rotated(const Quat& R, const Vec3& v);    // R v
Vec3 unrotated(const Quat& R, const Vec3& v);  // R^-1 v

// A point or a direction that moves with a body.
Vec3 carried_point(const Pose& from, const Pose& to, const Vec3& p_W);
Vec3 carried_direction(const Pose& from, const Pose& to, const Vec3& d_W);

// After a time h with the velocities v of a body with `size` of them, seen from the centre of mass
// as in E37; bodies with other than three or six stay where they are.
Pose moved(const Pose& X, const double* v, int size, double h);

// The first tangent of a contact with normal n, where only n decides.
Vec3 tangent(const Vec3& n);

// Entry `column` of the row of a contact for a body with `size` velocities, in the units of a
// problem with unit of length `length`.
void contact_row(const Pose& X, const Vec3& p_W, const Vec3& d_W, double sign, double length,
                 int size, double* row);

// A direction that moves with a body; within rounding of an axis of the body it is that axis.
Vec3 carried_axis(const Pose& from, const Pose& to, const Vec3& d_W);

// Edges of boxes: the axes of two bodies whose cross product is n. False: there are none.
bool edges_of(const Pose& A, const Pose& B, const Vec3& n_W, std::array<int, 2>& edges);

// The common normal, on the side of `like`, and the nearest points of two lines along such axes
// through p_A and p_B.
struct EdgeMeeting {
  Vec3 n_W, on_a, on_b;
};
EdgeMeeting edges_meet(const Pose& A, const Pose& B, const std::array<int, 2>& edges,
                       const Vec3& like, const Vec3& p_A, const Vec3& p_B);

// The second tangential impulse of a contact that slides, from the other two, on the side of
// `like`; `like` where that is closer to sticking.
double on_cone(double mu, const double* lambda, double like);

// v with A v = k + J^T lambda, without couplings.
void balanced_velocities(const Problem& problem, const VecX& lambda, VecX& v);

// w = J v of a constraint.
void constraint_velocity(const Problem& problem, const Constraint& c, const VecX& v, double* w);

}  // namespace cairn::record::guess
