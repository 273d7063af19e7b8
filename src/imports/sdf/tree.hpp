// From links and joints of SDFormat, which may form any graph, to a tree and the joints that close
// its loops.
#pragma once

#include "cairn/scene.hpp"
#include "imports/sdf/joints.hpp"

namespace cairn::imports {

struct SdfLink {
  const Element* element = nullptr;
  TreeBody body;  // without its place in the tree
  int scope = SdfFrames::world;
  bool is_static = false, touches_own = false;
  int above = -1;          // number of the joint that carries it
  std::vector<int> below;  // numbers of the joints that it carries
};

// Names of links and joints: with all models that hold them, or without the only model of a file.
enum class SdfNames { whole, without_model };

struct SdfContext {
  SdfNames names;
  const SdfFrames& frames;
  const std::vector<Pose>& X_WL;  // of all links
  const ImportOptions& options;
};

// Adds bodies, loops, gears with the names of the scene, and the pairs that do not touch.
void add_tree(const SdfContext& context, std::vector<SdfLink>& links, std::vector<SdfJoint>& joints,
              Robot& robot, Messages& messages);

}  // namespace cairn::imports
