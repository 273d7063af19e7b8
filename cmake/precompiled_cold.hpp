// Headers of the parts that no step runs: setup, files, tools and the program (cmake/fast_build.cmake).
#pragma once

#include <nlohmann/json.hpp>

#include "precompiled.hpp"
