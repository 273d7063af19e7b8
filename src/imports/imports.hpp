// From a file of another program to a document of the scene format.
#pragma once

#include "base/json/document.hpp"
#include "cairn/scene.hpp"

namespace cairn::imports {

struct Imported {
  std::string format, name, base;
  json::Node scene;  // nodes have the places of the model file
  std::vector<ImportNote> notes;
  std::vector<std::string> folders;  // of the files that were found in packages
};

// `text` is that of `file`, XML with the root <robot>, <mujoco> or <sdf>.
Result<Imported> import_text(const std::string& text, const std::string& file,
                             const ImportOptions& options);

}  // namespace cairn::imports
