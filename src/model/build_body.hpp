// One body of a description, checked and resolved.
#pragma once

#include <string>
#include <vector>

#include "cairn/model.hpp"
#include "model/checks.hpp"
#include "model/materials.hpp"
#include "model/shape/polyhedron_table.hpp"

namespace cairn::model {

struct BodyParts {
  Body body;  // without first_velocity and first_shape, which depend on the other bodies
  std::vector<Shape> shapes;  // without the body's id
  Pose X_WC;                  // initial pose of the frame at the centre of mass
  VecX v;                     // initial free velocities [m/s, rad/s]
  double extent = 0;          // of the largest bounded shape, twice its bounding radius [m]
};

BodyParts build_body(const BodyDescription& description, const std::string& path,
                     const MaterialTable& materials, PolyhedronTable& polyhedra, Checks& checks);

}  // namespace cairn::model
