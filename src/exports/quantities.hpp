// Quantities of a recording that can be plotted over time, by name: energies, errors, contacts, and
// the coordinates and velocities of bodies.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "page/picture.hpp"
#include "record/run/series.hpp"
#include "record/trace/trace_walk.hpp"

namespace cairn::exports {

struct QuantityName {
  const char* name;
  const char* text;
  const char* unit;
};

// Of the whole scene, such as "kinetic"; of a body, behind body:NAME. such as "x"; of a joint,
// behind joint:NAME. such as "force"; of the contacts of two bodies, behind contact:A-B.
std::span<const QuantityName> scene_quantities();
std::span<const QuantityName> body_quantities();
std::span<const QuantityName> joint_quantities();
std::span<const QuantityName> contact_quantities();

struct PlottedCurve {
  std::string label, unit;
  bool logarithmic = false;
  bool from_zero = false;
  record::Series series;
};

struct TracePlot {
  std::vector<PlottedCurve> curves;  // "energy" gives three
  std::string name;                  // of the scene
  double tolerance = 0;              // of the certificate [-]
  std::int64_t frames = 0;
  record::TraceWalk::Ending ending;
};

// Reads the whole trace. Errors of kind usage name what is allowed and what is nearest.
Result<TracePlot> read_quantities(const std::string& trace, std::span<const std::string> names);

// One picture for each unit, in the order in which the units appear; width and height of each [px].
std::vector<page::Picture> draw_quantities(const TracePlot& plot, double width, double height);

}  // namespace cairn::exports
