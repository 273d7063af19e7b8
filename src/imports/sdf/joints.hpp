// Joints of SDFormat and what acts along their axes.
#pragma once

#include "imports/sdf/frames.hpp"
#include "imports/sdf/values.hpp"

namespace cairn::imports {

struct SdfJoint {
  const Element* element = nullptr;
  std::string name, type;  // name with the prefix of its scope
  int scope = SdfFrames::world;
  int parent = world_body, child = world_body;  // numbers of links
  Pose X_WJ;
  std::vector<TreeJoint> parts;  // the first one is next to the parent; axes in the child
};

class SdfJoints {
 public:
  // `versions` of the files by their numbers: 1.7 is 107.
  SdfJoints(SdfFrames& frames, Messages& messages, std::map<int, int> versions)
      : frames_(frames), messages_(messages), values_(messages), versions_(std::move(versions)) {}

  // Type, ends and frame of a joint; X_WL are the poses of all links.
  SdfJoint read(const Element& e, int scope, const std::vector<Pose>& X_WL);
  // Couplings of coordinates that its joints ask for.
  std::vector<Gear> gears(const std::vector<SdfJoint>& joints, const std::vector<Pose>& X_WL);

 private:
  int end(const Element& e, const char* key, int scope);
  TreeJoint axis(const Element& joint, const char* key, const SdfJoint& out, const Pose& X_WC);
  void add_limits(const Element& axis, bool turns_on, TreeJoint& out);
  void add_dynamics(const Element& axis, TreeJoint& out);
  void add_screw(const Element& e, SdfJoint& out);
  std::optional<Gear> gearbox(const SdfJoint& box, const std::vector<SdfJoint>& joints,
                              const std::vector<Pose>& X_WL);

  SdfFrames& frames_;
  Messages& messages_;
  SdfValues values_;
  std::map<int, int> versions_;
  std::vector<Gear> gears_;
};

}  // namespace cairn::imports
