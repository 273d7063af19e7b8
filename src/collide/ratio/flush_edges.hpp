// Edges of a body's shapes across which another shape of the body, of the same material, continues
// the face: the body is flat there, so that nothing can catch on them. Reads the model.
#pragma once

#include <vector>

#include "cairn/model.hpp"

namespace cairn::collide {

// For each shape one entry per edge of its polyhedron, 1: flush; empty for shapes without any.
std::vector<std::vector<char>> flush_edges(const Model& model);

}  // namespace cairn::collide
