// Checks of single values with the words that go with them; gathers the errors and warnings of a
// build.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error_list.hpp"
#include "cairn/expression.hpp"
#include "cairn/math.hpp"

namespace cairn {

// Magnitudes of lengths, masses and rates that leave room for squares and products in double
// precision.
inline constexpr double smallest_magnitude = 1e-30;
inline constexpr double largest_magnitude = 1e30;

// Shapes thinner than this part of their extent are flat [-].
inline constexpr double least_thickness = 0x1p-26;

std::string to_text(double value);
std::string to_text(const Vec3& value);
std::string to_text(const Quat& value);  // [w, x, y, z]
std::string quoted(std::string_view text);

class Checks {
 public:
  void error(std::string path, std::string what, std::string got, std::string allowed,
             std::string fix);
  // Joints that no motion can close: the description is well-formed, the mechanism does not exist.
  void contradiction(std::string path, std::string what, std::string got, std::string allowed,
                     std::string fix);
  void warn(const std::string& path, const std::string& text) {
    warnings_.push_back(path + ": " + text);
  }

  // Each records an error and returns false where the value does not do.
  bool positive(double value, const std::string& path, const std::string& unit);
  bool nonnegative(double value, const std::string& path, const std::string& unit);
  bool magnitude(const Vec3& value, const std::string& path, const std::string& unit);
  bool finite_at_start(const TimeFunction& function, const std::string& path);

  // The unit vector or unit quaternion next to the value; z or identity after an error.
  Vec3 direction(const Vec3& value, const std::string& path);
  Quat rotation(const Quat& value, const std::string& path);

  // A name of a body, joint or material: neither empty nor long nor with control characters.
  bool name(const std::string& text, const std::string& path);

  bool ok() const { return errors_.empty(); }
  Errors take_errors() { return errors_.take(); }
  std::vector<std::string> take_warnings() { return std::move(warnings_); }

 private:
  ErrorList errors_;
  std::vector<std::string> warnings_;
};

}  // namespace cairn
