// Scenes and models as Python sees them: both hold the scene, which never changes.
#pragma once

#include <memory>
#include <pybind11/pybind11.h>

#include "cairn/scene.hpp"

namespace cairn::python {

namespace py = pybind11;

using SharedScene = std::shared_ptr<Scene>;

struct ModelOfScene {
  SharedScene scene;

  const Model& get() const { return *scene->model; }
};

void bind_model(py::module_& m);
void bind_scene(py::module_& m);
void bind_options(py::module_& m);

}  // namespace cairn::python
