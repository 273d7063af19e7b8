// Reads points, writes errors about what they lack.
#include "model/shape/hull_errors.hpp"

#include <fmt/format.h>

#include "model/checks.hpp"

namespace cairn::model {

tl::unexpected<Errors> shape_error(std::string path, ErrorCode code, std::string what,
                                   std::string got, std::string allowed, std::string fix) {
  return fail({.code = code,
               .path = std::move(path),
               .what = std::move(what),
               .got = std::move(got),
               .allowed = std::move(allowed),
               .fix = std::move(fix)});
}

// The point farthest from the first one, then from the line through both, then from the plane.
std::optional<tl::unexpected<Errors>> flatness(std::span<const Vec3> points, double extent,
                                               double least) {
  if (!(extent >= smallest_magnitude))
    return shape_error("", ErrorCode::degenerate, "all points are one",
                       fmt::format("extent {} m", extent),
                       fmt::format("an extent of {} m or more", smallest_magnitude),
                       "give the corners of a solid");
  const auto farthest = [&](auto distance) {
    double most = 0;
    Vec3 found = points[0];
    for (const Vec3& p : points)
      if (const double d = distance(Vec3(p - points[0])); d > most) most = d, found = p;
    return std::pair<double, Vec3>(most, found - points[0]);
  };
  const auto flat = [&](const char* what, double thickness) {
    return shape_error("", ErrorCode::degenerate, what,
                       fmt::format("{:.3g} m thick, {:.3g} m long", thickness, extent),
                       fmt::format("thickness above {:.2g} of the length", least),
                       "add points off it, or use a polygon on a body that moves in a plane");
  };
  const auto [length, along] = farthest([](const Vec3& d) { return d.norm(); });
  const Vec3 u = along / length;
  const auto [width, aside] = farthest([&](const Vec3& d) { return u.cross(d).norm(); });
  if (!(width > least * extent)) return flat("points lie on one line", width);
  const Vec3 n = u.cross(aside).normalized();
  const auto [above, top] = farthest([&](const Vec3& d) { return n.dot(d); });
  const auto [below, bottom] = farthest([&](const Vec3& d) { return -n.dot(d); });
  if (!(above + below > least * extent)) return flat("points lie in one plane", above + below);
  return std::nullopt;
}

}  // namespace cairn::model
