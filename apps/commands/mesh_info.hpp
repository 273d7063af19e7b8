// What `cairn info` says of a mesh file.
#pragma once

#include <string>

#include "cairn/error.hpp"
#include "terminal/json.hpp"

namespace cairn::app {

// Contents, faults with their places, volume, centre and inertia.
Result<Json> mesh_json(const std::string& file);

}  // namespace cairn::app
