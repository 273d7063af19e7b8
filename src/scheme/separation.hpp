// How fast an overlap may open (E31). Reads the model and one contact.
#pragma once

#include "cairn/contact.hpp"
#include "cairn/model.hpp"
#include "cairn/scheme.hpp"

namespace cairn {

// Radius of the smaller body of the two [m]. Points and bodies without bound have none; between two
// of them the length unit of the model stands in.
double smaller_radius(const Model& model, const Contact& c);

// The largest relative normal speed [m/s] that stabilisation may ask of the contact.
double separation_speed(const Model& model, const Contact& c, const Euler& options, double h);
inline double separation_speed(const Model& model, const Contact& c, const Relaxed& options,
                               double h) {
  return separation_speed(model, c, options.step, h);
}
inline double separation_speed(const Model& model, const Contact& c, const Trapezoidal&, double h) {
  return separation_speed(model, c, Euler{}, h);
}

}  // namespace cairn
