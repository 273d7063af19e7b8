// The tables of docs/scene-format.md, made from the same descriptions that the reader uses.
#pragma once

#include <string>

namespace cairn::scene {

// Options of schemes and solvers, from describe().
std::string option_table();

// Fields of every object of the format.
std::string field_table();

}  // namespace cairn::scene
