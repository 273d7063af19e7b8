// Still pictures of a state as SVG, to scale: planar scenes in their plane, spatial ones in an
// orthographic view.
#pragma once

#include <span>
#include <string>

#include "cairn/model.hpp"
#include "record/series.hpp"

namespace cairn {

// Where the viewer stands and how much is seen; one view for all pictures of a run, so that they
// can be compared.
struct View {
  Vec3 right = Vec3::UnitX(), up = Vec3::UnitY(),
       toward = Vec3::UnitZ();  // axes of the picture in the world
  bool planar = true;
  double x0 = 0, y0 = 0, x1 = 1, y1 = 1;  // what is seen, along right and up [m]
  Vec3 center = Vec3::Zero();             // of the moving bodies [m]
  double reach = 1;                       // radius about it [m]
  double width = 260, height = 260;       // of the picture [px]
  double largest_force = 0;               // of all pictures [N]

  double scale() const { return width / (x1 - x0); }  // [px/m]
};

View make_view(const Model& model, std::span<const Still* const> stills);

// One <svg> element; `number` makes its ids unique in the page.
std::string draw_still(const Model& model, const View& view, const Still& still, int number);

}  // namespace cairn
