// Reads drawn shapes and meshes, records errors.
#include "model/shape/drawing_checks.hpp"

#include <algorithm>

#include "model/shape/shape_checks.hpp"

namespace cairn::model {
namespace {

void check_colour(const std::optional<Colour>& colour, const std::string& path, Checks& checks) {
  if (!colour ||
      std::all_of(colour->begin(), colour->end(), [](double x) { return x >= 0 && x <= 1; }))
    return;
  checks.error(path + ".color", ErrorCode::out_of_range, "part of a colour is out of range",
               to_text(Vec3((*colour)[0], (*colour)[1], (*colour)[2])), "0 to 1",
               "give red, green and blue");
}

}  // namespace

void check_drawing(const BodyDescription& body, const ModelDescription& model,
                   const std::string& path, PolyhedronTable& drawn, Checks& checks) {
  check_colour(body.colour, path, checks);
  for (std::size_t i = 0; i < body.visual.size(); ++i) {
    const DrawnShape& shape = body.visual[i];
    const std::string at = path + ".visual[" + std::to_string(i) + "]";
    check_colour(shape.colour, at, checks);
    ShapeDescription copy;
    if (shape.mesh.empty()) copy.geometry = shape.geometry;
    copy.X_BS = shape.X_BS;
    // As on a fixed body: what is drawn may be flat, infinite or turned as it likes.
    const FreeDirections none{{false, false, false}, RotationKind::none, 2};
    check_shape(copy, at, BodyKind::fixed, none, Quat::Identity(), drawn, checks);
    if (shape.mesh.empty()) continue;
    if (std::none_of(model.meshes.begin(), model.meshes.end(),
                     [&](const auto& mesh) { return mesh && mesh->name == shape.mesh; }))
      checks.error(at + ".mesh", ErrorCode::unknown_name, "no mesh has this name",
                   in_quotes(shape.mesh), "a name out of \"meshes\"", "name a mesh by \"file\"");
    if (!((shape.scale.array() > 0).all() && shape.scale.maxCoeff() <= largest_magnitude))
      checks.error(at + ".scale", ErrorCode::out_of_range, "scale of a drawn mesh",
                   to_text(shape.scale), "positive numbers", "mirror the mesh itself");
  }
}

void check_drawn_meshes(const ModelDescription& model, Checks& checks) {
  for (std::size_t i = 0; i < model.meshes.size(); ++i) {
    const std::string path = "meshes[" + std::to_string(i) + "]";
    const std::shared_ptr<const DrawnMesh>& mesh = model.meshes[i];
    const auto count = mesh ? static_cast<std::int32_t>(mesh->points.size()) : 0;
    const bool sound =
        mesh &&
        std::all_of(mesh->points.begin(), mesh->points.end(),
                    [](const Vec3& p) { return p.allFinite(); }) &&
        std::all_of(mesh->triangles.begin(), mesh->triangles.end(), [&](const auto& t) {
          return std::all_of(t.begin(), t.end(),
                             [&](std::int32_t k) { return k >= 0 && k < count; });
        });
    if (!sound)
      checks.error(path, ErrorCode::out_of_range,
                   "drawn mesh has points that are not finite or triangles without points", "",
                   "finite points, corners from 0 to the number of points - 1", "make it again");
    for (std::size_t k = 0; k < i && mesh; ++k)
      if (model.meshes[k] && model.meshes[k]->name == mesh->name)
        checks.error(path, ErrorCode::duplicate_name, "two meshes have the same name",
                     in_quotes(mesh->name), "unique names", "rename one of them");
  }
}

}  // namespace cairn::model
