// Geoms, meshes and materials.
#pragma once

#include <map>

#include "cairn/scene.hpp"
#include "imports/mjcf/settings.hpp"

namespace cairn::imports {

struct Geom {
  ImportedShape shape;
  bool collides = true;
  std::optional<Inertial> inertial;  // in the frame of its body
};

class MjcfGeoms {
 public:
  MjcfGeoms(const MjcfSettings& settings, const MjcfDefaults& defaults, std::string folder,
            const ImportOptions& options, Robot& robot, Messages& messages);

  void read_assets(const Element& asset);
  std::optional<Geom> read(const Element& geom, const std::string& childclass);

 private:
  struct MeshAsset {
    std::string file;
    Vec3 scale = Vec3::Ones();
    MeshInertia inertia = MeshInertia::legacy;
    std::shared_ptr<const Mesh> mesh;  // when it was read
    const Element* element = nullptr;
  };

  void read_mesh_asset(const Element& e);
  std::shared_ptr<const Mesh> find_mesh(const std::string& name, const Element& geom);
  bool read_size(const Element& e, ImportedShape& shape, Pose& X);
  bool read_fromto(const Element& e, ImportedShape& shape, Pose& X, std::vector<double>& size);
  int surface_of(const Element& e);

  const MjcfSettings& settings_;
  const MjcfDefaults& defaults_;
  std::string folder_;
  const ImportOptions& options_;
  Robot& robot_;
  Messages& messages_;
  std::map<std::string, MeshAsset> meshes_;
  std::map<std::string, Vec3> colors_;
};

}  // namespace cairn::imports
