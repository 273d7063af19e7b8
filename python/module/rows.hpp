// Rows of the structured arrays that Python sees.
#pragma once

#include <cstdint>
#include <pybind11/numpy.h>

#include "cairn/simulator.hpp"

namespace cairn::python {

namespace py = pybind11;

struct ContactRow {
  std::int32_t body_a, body_b, shape_a, shape_b;
  std::uint32_t feature_a, feature_b;
  double position[3];
  double normal[3];
  double tangent1[3];
  double tangent2[3];
  double gap, friction, restitution;
  double impulse[3];
  double force[3];
  double velocity[3];
  double torque[3];
  std::uint8_t mode;
  bool colliding, limit;
};

struct EventRow {
  double time, speed;
  std::int32_t body_a, body_b;
  std::uint8_t kind;
};

struct ImpactRow {
  double time, approach, rebound, restitution, lost_restitution, lost_friction, put_in,
      kinetic_before, kinetic_after;
  std::int32_t body_a, body_b, group;
};

struct JointRow {
  double position, velocity;
  double force[3];
  double torque[3];
  double limit, drive, friction;
};

// Of the contact on its second body, in the world [N]; a limit gives none.
Vec3 force_of(const ContactReport& contact, double h);

ContactRow contact_row(const ContactReport& contact, double h);
JointRow joint_row(const JointReport& joint);
py::array contact_rows(const StepReport& report);

}  // namespace cairn::python
