// Turns efforts into external forces.
#include "module/efforts.hpp"

#include <cmath>
#include <fmt/format.h>
#include <pybind11/pybind11.h>

#include "model/joint/joint_coordinate.hpp"

namespace cairn::python {

void add_efforts(const Model& model, const State& state, std::span<const double> efforts,
                 std::vector<ExternalForce>& forces) {
  for (std::size_t i = 0; i < efforts.size(); ++i) {
    if (efforts[i] == 0) continue;
    const Joint& joint = model.joints[i];
    if (!std::isfinite(efforts[i]))
      throw pybind11::value_error(
          fmt::format("joint_efforts: that of joint '{}' is not finite", joint.name));
    if (!model::has_coordinate(joint))
      throw pybind11::value_error(
          fmt::format("joint_efforts: joint '{}' is of type {}, which has no coordinate that an "
                      "effort could act along",
                      joint.name, type_name(joint.type)));
    const model::JointCoordinate q = model::joint_coordinate(state.poses, joint);
    for (std::size_t side = 0; side < 2; ++side) {
      if (joint.bodies[side] == BodyId::world) continue;
      const Vec3 along = (side == 1 ? efforts[i] : -efforts[i]) * q.axis_W;
      ExternalForce force{.body = joint.bodies[side]};
      if (model::is_angle(joint)) {
        force.torque = along;
      } else {
        // At one point of the world, so that the two are one line of action.
        force.force = along;
        force.point = state.poses[index(force.body)].inverse() * q.point_W;
      }
      forces.push_back(force);
    }
  }
}

}  // namespace cairn::python
