// The distance of two bodies with witness points and gradients.
#include "cairn/distance.hpp"

#include <fmt/format.h>

#include "module/arrays.hpp"
#include "module/errors.hpp"
#include "module/problems/problem.hpp"
#include "module/scene.hpp"

namespace cairn::python {
namespace {

// (2, 6): of bodies a and b, by translation and rotation.
py::array gradient(const PairGradient& g) {
  std::vector<double> out;
  for (const PoseGradient* pose : {&g.a, &g.b})
    for (const Vec3* part : {&pose->translation, &pose->rotation})
      out.insert(out.end(), part->data(), part->data() + 3);
  return moved(std::move(out), {2, 6});
}

}  // namespace

void bind_distance(py::module_& m) {
  py::class_<RatioMetric>(
      m, "RatioMetric",
      "The least factor by which two polyhedra, scaled about their centres, meet.")
      .def_readonly("r", &RatioMetric::r, "> 1 apart, 1 touching, < 1 overlapping.")
      .def_readonly("rho", &RatioMetric::rho, "(r - 1) / r")
      .def_readonly("separation", &RatioMetric::separation, "Of the features that decide [m].")
      .def_property_readonly("normal", [](const RatioMetric& r) { return copied(r.normal_W); })
      .def_property_readonly(
          "point", [](const RatioMetric& r) { return copied(r.point_W); }, "[m]")
      .def_property_readonly("r_gradient",
                             [](const RatioMetric& r) { return gradient(r.r_gradient); })
      .def("__repr__",
           [](const RatioMetric& r) { return fmt::format("<cairn.RatioMetric r = {:.6g}>", r.r); });
  py::class_<Distance>(m, "Distance", "How far two bodies are apart. Arrays are copies.")
      .def_readonly("gap", &Distance::gap,
                    "> 0: Euclidean distance; < 0: minus the penetration depth [m].")
      .def_readonly("shape_a", &Distance::shape_a, "Number of the closest shape within its body.")
      .def_readonly("shape_b", &Distance::shape_b)
      .def_property_readonly(
          "normal", [](const Distance& d) { return copied(d.normal_W); },
          "From a to b, in the world, (3,).")
      .def_property_readonly(
          "point_a", [](const Distance& d) { return copied(d.p_WA); },
          "Witness point of a, (3,) [m].")
      .def_property_readonly(
          "point_b", [](const Distance& d) { return copied(d.p_WB); },
          "Witness point of b, (3,) [m].")
      .def_property_readonly(
          "gradient", [](const Distance& d) { return gradient(d.gap_gradient); },
          "Of the gap, (2, 6): by translations [-] and rotations about the centre of mass [m/rad] "
          "of a and b.")
      .def_property_readonly(
          "ratio",
          [](const Distance& d) -> py::object {
            if (!d.ratio) return py::none();
            return py::cast(*d.ratio);
          },
          "Of two polyhedra or two polygons the ratio metric, else None.")
      .def("__repr__",
           [](const Distance& d) { return fmt::format("<cairn.Distance {:.6g} m>", d.gap); });
  m.def("_distance", [](const ModelOfScene& model, const State& state, const py::object& a,
                        const py::object& b, int shape_a, int shape_b) {
    if (state.poses.size() != model.get().bodies.size())
      throw py::value_error("the state is not one of this model");
    return value_of(measure_distance(model.get(), state, {find_body(model.get(), a), shape_a},
                                     {find_body(model.get(), b), shape_b}));
  });
}

}  // namespace cairn::python
