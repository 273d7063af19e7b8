// Errors that hulls, polygons and intersections of halfspaces share.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "cairn/error.hpp"
#include "cairn/math.hpp"

namespace cairn::model {

tl::unexpected<Errors> shape_error(std::string path, ErrorCode code, std::string what,
                                   std::string got, std::string allowed, std::string fix);

// The error of points that span no solid: they lie within `least` times their extent of one point,
// line or plane. Nothing where they do span one.
std::optional<tl::unexpected<Errors>> flatness(std::span<const Vec3> points, double extent,
                                               double least);

}  // namespace cairn::model
