// Geometry of links.
#pragma once

#include <map>

#include "cairn/scene.hpp"
#include "imports/messages.hpp"
#include "imports/robot.hpp"

namespace cairn::imports {

class UrdfShapes {
 public:
  UrdfShapes(const Element& robot, std::string folder, const ImportOptions& options,
             Messages& messages);

  // <visual> or <collision>; nothing after an error or where it is not taken over.
  std::optional<ImportedShape> read(const Element& element, bool visual);
  Pose origin(const Element& parent);

 private:
  // What is only drawn is left out where it is at fault.
  void fault(const Element& e, bool visual, ErrorCode code, const std::string& path,
             const std::string& what, const std::string& got, const std::string& allowed,
             const std::string& fix);
  std::optional<ImportedShape> read_geometry(const Element& geometry, bool visual);
  void read_mesh_shape(const Element& element, bool visual, std::optional<ImportedShape>& out);
  std::optional<Vec3> read_color(const Element& visual);

  std::string folder_;
  const ImportOptions& options_;
  Messages& messages_;
  std::map<std::string, Vec3> colors_;  // by name of the material
  std::map<std::string, std::shared_ptr<const Mesh>> meshes_;
};

}  // namespace cairn::imports
