#include "cairn/math.hpp"

#include <bit>
#include <cmath>
#include <cstdint>

namespace cairn {

Quat exp_rotation(const Vec3& w) {
  const double angle = w.norm();
  if (angle == 0) return Quat::Identity();
  const Vec3 axis_sin = w * (std::sin(0.5 * angle) / angle);
  return {std::cos(0.5 * angle), axis_sin.x(), axis_sin.y(), axis_sin.z()};
}

Mat3 cross(const Vec3& a) {
  Mat3 matrix;
  matrix << 0, -a.z(), a.y(), a.z(), 0, -a.x(), -a.y(), a.x(), 0;
  return matrix;
}

Tangents tangents(const Vec3& n) {
  // Cross with the axis that n is farthest from; ties go to the later axis, so that a normal in the
  // x-y plane gives t2 = +-z and a vertical one gives axis-aligned tangents.
  const Vec3 size = n.cwiseAbs();
  Vec3 axis = Vec3::UnitZ();
  if (size.y() < size.z() && size.y() <= size.x())
    axis = Vec3::UnitY();
  else if (size.x() < size.z())
    axis = Vec3::UnitX();
  const Vec3 t1 = axis.cross(n).normalized();
  return {t1, n.cross(t1)};
}

double power_of_two(double x) {
  if (x == 0 || !std::isfinite(x)) return 1;
  if (std::isnormal(x))  // the exponent alone, which is what the rest does as well
    return std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) & 0x7ff0000000000000u);
  int exponent = 0;
  std::frexp(std::abs(x), &exponent);
  return std::ldexp(1.0, exponent - 1);
}

}  // namespace cairn
