// How fast an overlap may open (E31). Reads the model and one contact.
#pragma once

#include "cairn/contact.hpp"
#include "cairn/model.hpp"
#include "cairn/scheme.hpp"

namespace cairn::scheme {

// The largest relative normal speed [m/s] that stabilisation may ask of the contact; `given`
// decides where it is not negative.
double separation_speed(const Model& model, const Contact& c, double given, double h);
inline double separation_speed(const Model& model, const Contact& c, const Euler& options,
                               double h) {
  return separation_speed(model, c, options.separation_speed, h);
}
inline double separation_speed(const Model& model, const Contact& c, const Relaxed& options,
                               double h) {
  return separation_speed(model, c, options.step, h);
}
inline double separation_speed(const Model& model, const Contact& c, const Trapezoidal&, double h) {
  return separation_speed(model, c, -1.0, h);
}
inline double separation_speed(const Model& model, const Contact& c, const Hybrid&, double h) {
  return separation_speed(model, c, Euler{}, h);
}

}  // namespace cairn::scheme
