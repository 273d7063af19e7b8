// Joints as rows of a problem (E32): errors, directions and axes at a configuration.
#pragma once

#include <span>

#include "constrain/rows.hpp"

namespace cairn::constrain {

// Rows of a joint that can move: along directions (points a and b held together) and about axes (no
// relative rotation).
struct JointRows {
  Vec3 a = Vec3::Zero(),
       b = Vec3::Zero();  // material points of the two bodies at which the directions act [m]
  int directions = 0;
  std::array<Vec3, 3> direction;
  std::array<double, 3> gap;  // error along the direction [m]
  int axes = 0;
  std::array<Vec3, 3> axis;
  std::array<double, 3> angle;  // error about the axis [rad]
};

JointRows joint_rows(std::span<const Pose> poses, const Joint& joint);

struct JointError {
  double distance = 0;  // [m]
  double angle = 0;     // [rad]
};
JointError joint_error(std::span<const Pose> poses, const Joint& joint);

// What a row of a joint brings into the problem, in metres: angles are multiplied by the model's
// length unit.
struct JointRowTerms {
  double error = 0;   // [m]
  double rate = 0;    // what b asks for beside the motion: gamma error / h [m/s]
  double motion = 0;  // velocity of the error by prescribed motion [m/s]
};

// Where the rows of two free bodies act: each at its own anchor, which is the derivative of the
// error; or both at the point halfway between, so that their impulses have no couple (E424).
enum class JointPoints : std::uint8_t { own, common };

// How a prescribed body moves the points of a joint: along the chords that its material points take
// in the step, or with the velocities of its screw motion, which all bodies that move with it can
// share (E600).
enum class PrescribedMotion : std::uint8_t { chord, screw };

// Velocity of a row by the prescribed motion of a body: its material point or its rotation over the
// step.
double prescribed_rate(std::span<const Pose> poses, std::span<const Pose> poses_end, BodyId id,
                       const Vec3& point, const Vec3& along, bool rotation, double h,
                       PrescribedMotion motion);

// Directions are unit vectors rounded to 1e-16. A row below this moves no body; kept, it would be
// rounding over rounding (a planar body whose frame is turned out of its plane has such rows) [-].
constexpr double still = 1e-12;

// Appends the rows of joint `id`; rows that move no body are left out. b = gamma error / h +
// motion.
void add_joint(const Model& model, std::span<const Pose> poses, std::span<const Pose> poses_end,
               const ProblemLayout& layout, JointId id, double gamma, double h, Problem& problem,
               std::vector<JointRowTerms>& terms, JointPoints points = JointPoints::own,
               PrescribedMotion motion = PrescribedMotion::chord);

// The same with the rows of `poses` and the errors of `poses_now`, along directions that turn with
// the first body (E424). No body of the joint is prescribed.
void add_joint_ahead(const Model& model, std::span<const Pose> poses,
                     std::span<const Pose> poses_now, const ProblemLayout& layout, JointId id,
                     double h, Problem& problem, std::vector<JointRowTerms>& terms);

}  // namespace cairn::constrain
