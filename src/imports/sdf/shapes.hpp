// Geometry and surfaces of links.
#pragma once

#include <map>
#include <memory>

#include "imports/robot.hpp"
#include "imports/sdf/values.hpp"

namespace cairn::imports {

class SdfShapes {
 public:
  SdfShapes(const ImportOptions& options, Messages& messages)
      : options_(options), messages_(messages), values_(messages) {}

  // <visual> or <collision> of a file in `folder`, without its pose; nothing after an error or
  // where it is not taken over.
  std::optional<ImportedShape> read(const Element& element, bool visual, const std::string& folder);
  Surface surface(const Element& collision, ImportedShape& shape);

 private:
  unsigned read_mask(const Element& e);
  bool read_size(const Element& e, ImportedShape& shape);
  bool read_mesh_shape(const Element& e, bool visual, const std::string& folder,
                       ImportedShape& shape);

  const ImportOptions& options_;
  Messages& messages_;
  SdfValues values_;
  std::map<std::string, std::shared_ptr<const Mesh>> meshes_;
};

}  // namespace cairn::imports
