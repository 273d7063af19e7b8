// Penetration depths by libccd, to measure against; empty where the program was built without it.
#pragma once

#include <vector>

#include "bench/distance.hpp"

namespace cairn::app {

std::vector<bench::DistanceRival> ccd_rivals();

}  // namespace cairn::app
