// Points of Wavefront OBJ files.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cairn/error.hpp"
#include "cairn/math.hpp"

namespace cairn {

// The vertices (lines "v x y z", with a weight or a colour behind) of a file; all other lines are
// passed over. Errors name the file and the line.
Result<std::vector<Vec3>> read_obj_points(const std::string& file);
Result<std::vector<Vec3>> parse_obj_points(std::string_view text, const std::string& file);

}  // namespace cairn
