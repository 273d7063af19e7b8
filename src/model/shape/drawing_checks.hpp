// Checks of what a body looks like.
#pragma once

#include <string>

#include "cairn/model.hpp"
#include "model/checks.hpp"
#include "model/shape/polyhedron_table.hpp"

namespace cairn::model {

// Colours, sizes of drawn shapes, names and scales of drawn meshes. `drawn` belongs to drawn shapes
// alone: what is drawn takes no place among the polyhedra of the model.
void check_drawing(const BodyDescription& body, const ModelDescription& model,
                   const std::string& path, PolyhedronTable& drawn, Checks& checks);

// Points and triangles of drawn meshes.
void check_drawn_meshes(const ModelDescription& model, Checks& checks);

}  // namespace cairn::model
