// Checks of single values with the words that go with them; gathers the errors and warnings of a
// build.
#pragma once

#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error_list.hpp"
#include "cairn/expression.hpp"
#include "cairn/math.hpp"

namespace cairn::model {

// Magnitudes of lengths, masses and rates that leave room for squares and products in double
// precision.
inline constexpr double smallest_magnitude = 1e-30;
inline constexpr double largest_magnitude = 1e30;

// Shapes thinner than this part of their extent are flat [-].
inline constexpr double least_thickness = 0x1p-26;

// With these the product of the squares of a mass, a length, a speed and an inertia lies between
// 1e-300 and 1e300. How far a body may move in a step, relative to its size, is known once the step
// is: scene/speed_checks.hpp.
inline constexpr double smallest_inertia = 1e-60;      // principal moment [kg m^2]
inline constexpr double largest_inertia = 1e60;        // [kg m^2]
inline constexpr double largest_speed = 1e15;          // [m/s]
inline constexpr double largest_angular_speed = 1e15;  // [rad/s]
inline constexpr double largest_gravity = 1e20;        // [m/s^2]
inline constexpr double largest_angle = 1e10;          // of a prescribed motion at the start [rad]

std::string to_text(double value);
std::string to_text(const Vec3& value);
std::string to_text(const Quat& value);  // [w, x, y, z]
std::string in_quotes(std::string_view text);

class Checks {
 public:
  void error(std::string path, ErrorCode code, std::string what, std::string got,
             std::string allowed, std::string fix);
  // More than the memory of a machine should be asked for.
  void limit(std::string path, ErrorCode code, std::string what, std::string got,
             std::string allowed, std::string fix);
  // Joints that no motion can close: the description is well-formed, the mechanism does not exist.
  void contradiction(std::string path, std::string what, std::string got, std::string allowed,
                     std::string fix);
  void warn(const std::string& path, const std::string& text) {
    warnings_.push_back(path + ": " + text);
  }

  // Each records an error and returns false where the value does not do.
  bool positive(double value, const std::string& path, const std::string& unit);
  bool nonnegative(double value, const std::string& path, const std::string& unit);
  bool magnitude(const Vec3& value, const std::string& path, const std::string& unit,
                 double most = largest_magnitude);
  bool finite_at_start(const TimeFunction& function, const std::string& path,
                       double most = std::numeric_limits<double>::max());

  // The unit vector or unit quaternion next to the value; z or identity after an error.
  Vec3 direction(const Vec3& value, const std::string& path);
  Quat rotation(const Quat& value, const std::string& path);

  // A name of a body, joint or material: neither empty nor long nor with control characters.
  bool name(const std::string& text, const std::string& path);

  bool ok() const { return errors_.empty(); }
  Errors take_errors() { return errors_.take(); }
  std::vector<std::string> take_warnings() { return std::move(warnings_); }

 private:
  base::ErrorList errors_;
  std::vector<std::string> warnings_;
};

}  // namespace cairn::model
