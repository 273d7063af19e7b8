#include "model/joint/coordinate_checks.hpp"

#include <cmath>

namespace cairn::model {
namespace {

// A hinge that turns farther than this would have to count its turns [rad].
constexpr double widest_range = 6.2;

// Whether the range of a coordinate makes sense.
bool check_limits(const JointLimits& l, CoordinateKind kind, double start, const std::string& path,
                  Checks& checks) {
  const bool hinge = kind == CoordinateKind::angle;
  const std::string range = "[" + to_text(l.lower) + ", " + to_text(l.upper) + "] " + unit_of(kind);
  if (!(l.restitution >= 0 && l.restitution <= 1)) {
    checks.error(path + ".restitution", ErrorCode::out_of_range,
                 "restitution at a limit is out of range", to_text(l.restitution), "0 to 1",
                 "choose a value between 0 and 1");
    return false;
  }
  if (!(l.lower < l.upper) || !(l.lower <= start) || !(l.upper >= start)) {
    const std::string zero = to_text(start);
    checks.error(path + (l.lower <= start ? ".upper" : ".lower"), ErrorCode::out_of_range,
                 "the range of a joint does not hold its start", range,
                 "lower <= " + zero + " <= upper and lower < upper: the coordinate is " + zero +
                     " at the start",
                 kind == CoordinateKind::distance ? "choose a wider range, or move a body"
                                                  : "give both relative to the initial "
                                                    "configuration");
    return false;
  }
  if (hinge && !(l.upper - l.lower <= widest_range)) {
    checks.error(path + (std::isfinite(l.upper) ? ".lower" : ".upper"), ErrorCode::unsupported,
                 "the range of a hinge is more than a turn", range,
                 "upper - lower at most " + to_text(widest_range) + " rad",
                 "give both ends, less than a turn apart, or none");
    return false;
  }
  return true;
}

// Whether a motor makes sense.
bool check_motor(const JointMotor& motor, const std::string& effort, const std::string& unit,
                 const std::string& path, Checks& checks) {
  if (motor.velocity && motor.position && !motor.has_gains()) {
    checks.error(path, ErrorCode::conflict, "a motor without gains keeps a velocity or a position",
                 "both", "one of them", "drop one of them, or give stiffness and damping");
    return false;
  }
  bool good = checks.nonnegative(motor.stiffness, path + ".stiffness", effort + "/" + unit) &&
              checks.nonnegative(motor.damping, path + ".damping", effort + " s/" + unit);
  if (!motor.keeps()) {
    if (!motor.has_gains()) return checks.finite_at_start(motor.effort, path + ".effort") && good;
    checks.error(path, ErrorCode::conflict, "a motor with gains has no target", "none",
                 "position, velocity or both", "give its position or velocity");
    return false;
  }
  if (motor.position && motor.has_gains() && !(motor.stiffness > 0)) {
    checks.error(path + ".stiffness", ErrorCode::conflict,
                 "a motor with damping alone does not follow its position", "0",
                 "a positive number", "give stiffness, or drop position");
    return false;
  }
  if (motor.velocity) good &= checks.finite_at_start(*motor.velocity, path + ".velocity");
  if (motor.position) good &= checks.finite_at_start(*motor.position, path + ".position");
  if (!motor.has_gains() || std::isfinite(motor.max_effort))
    good &= checks.positive(motor.max_effort, path + ".max_effort", effort);
  if (motor.max_velocity > 0) return good;
  checks.error(path + ".max_velocity", ErrorCode::out_of_range,
               "the largest rate towards a position is not positive", to_text(motor.max_velocity),
               "a positive number", "choose a larger one");
  return false;
}

}  // namespace

bool check_carried(const Carried& carried, CoordinateKind kind, double start,
                   const std::string& path, Checks& checks) {
  if (carried.limits.any() && !check_limits(carried.limits, kind, start, path, checks))
    return false;
  const std::string effort = kind == CoordinateKind::angle ? "N m" : "N", unit = unit_of(kind);
  bool good = checks.nonnegative(carried.friction, path + ".friction", effort);
  good &= checks.nonnegative(carried.spring.stiffness, path + ".stiffness", effort + "/" + unit);
  good &= checks.nonnegative(carried.spring.damping, path + ".damping", effort + " s/" + unit);
  if (!std::isfinite(carried.spring.rest)) {
    checks.error(path + ".rest", ErrorCode::out_of_range, "not a finite number",
                 to_text(carried.spring.rest), "a finite number of " + unit, "give another one");
    good = false;
  }
  good &= checks.nonnegative(carried.armature, path + ".armature",
                             kind == CoordinateKind::angle ? "kg m^2" : "kg");
  return (!carried.motor || check_motor(*carried.motor, effort, unit, path + ".motor", checks)) &&
         good;
}

bool check_carries_nothing(const Carried& carried, const std::string& type,
                           const std::string& remedy, const std::string& path, Checks& checks) {
  if (!carried.any()) return true;
  const char* key = carried.limits.any()    ? ".lower"
                    : carried.motor         ? ".motor"
                    : carried.spring.any()  ? ".stiffness"
                    : carried.armature != 0 ? ".armature"
                                            : ".friction";
  checks.error(path + key, ErrorCode::unsupported,
               "a joint of type " + type + " has no coordinate of its own",
               carried.limits.any()    ? "limits"
               : carried.motor         ? "a motor"
               : carried.spring.any()  ? "a spring"
               : carried.armature != 0 ? to_text(carried.armature)
                                       : to_text(carried.friction),
               "limits, motors, friction, springs and rotors of coordinates", remedy);
  return false;
}

}  // namespace cairn::model
