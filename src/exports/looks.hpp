// What bodies look like in exports: their visual shapes and meshes, or their contact geometry.
#pragma once

#include <map>

#include "cairn/scene.hpp"
#include "exports/mesh.hpp"

namespace cairn::exports {

class Looks {
 public:
  // The scene must outlive it. `contact_geometry`: what touches, whatever is drawn elsewhere.
  Looks(const Scene& scene, const MeshSettings& settings, bool contact_geometry);

  // Parts of a body, as body_meshes(). `X_WB`: its body frame at the start.
  std::vector<ShapeMesh> parts(BodyId body, const Pose& X_WB) const;
  // The mesh behind a key of parts().
  Mesh mesh(const std::string& key) const;
  const Colour& colour(BodyId body) const { return colours_[static_cast<std::size_t>(body)]; }

 private:
  const Scene& scene_;
  MeshSettings settings_;
  bool contact_geometry_ = false;
  std::vector<const BodyDescription*> bodies_;  // by id; null: the frame of the world
  std::vector<Colour> colours_;
};

}  // namespace cairn::exports
