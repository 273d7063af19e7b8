// check, rebuilding problems (E385): a contact against the shapes of the scene.
#pragma once

#include "record/check/rebuild/place.hpp"

namespace cairn::record {

// What is wrong with point, normal, gap, tangents or number of rows of a contact between bodies at
// `poses`; empty: nothing.
std::string geometry_fault(const Model& model, const SchemeOptions& scheme,
                           const std::vector<Pose>& poses, const Contact& c);

// The coordinate of a revolute or prismatic joint (E760), by a direction across the axis, and how
// far it is beyond its range, >= 0 [rad], [m].
double coordinate_of(const Joint& joint, const Pose& A, const Pose& B);
double beyond_range(const Joint& joint, const Pose& A, const Pose& B);

// How far the anchors are from where the joint holds them: `between` leads from the first to the
// second one, `axis` is that of the first body [m].
double open_length(const Joint& joint, const Vec3& axis, const Vec3& between);

// What is wrong with friction, restitution and torque lengths of a contact. `bouncing`: friction of
// bouncing contacts (scheme hybrid).
std::string material_fault(const Model& model, const std::vector<Pose>& poses, const Contact& c,
                           bool bouncing);

}  // namespace cairn::record
