// What follows the bodies in an MJCF file: equality, tendon, contact, actuator, keyframe.
#pragma once

#include "cairn/scene.hpp"
#include "imports/mjcf/names.hpp"

namespace cairn::imports {

class MjcfLinks {
 public:
  MjcfLinks(const MjcfSettings& settings, const MjcfDefaults& defaults, const MjcfNames& names,
            const ImportOptions& options, Robot& robot, Messages& messages);

  void read(const Element& root);

 private:
  void read_tendons(const Element& section);
  void read_spatial(const Element& e, int number);
  void read_equalities(const Element& section);
  void read_equality(const Element& own, int number);
  void read_ends(const Element& e, Loop& loop);
  void read_coupling(const Element& e, const std::string& name, bool tendons);
  void read_contacts(const Element& section);
  void read_actuators(const Element& section);
  void read_actuator(const Element& own, double control);
  void read_keyframes(const Element& section);
  const TreeJoint* outside_of_range() const;
  void use_keyframe(const Element& key);

  const int* find_body(const Element& e, const char* key);
  void not_taken(const Element& e, const std::string& why);
  void unknown(const Element& e, const char* key, const char* what);
  TreeJoint* find_joint(const std::string& name);

  const MjcfSettings& settings_;
  const MjcfDefaults& defaults_;
  const MjcfNames& names_;
  const ImportOptions& options_;
  Robot& robot_;
  Messages& messages_;
  std::map<std::string, std::vector<std::pair<std::string, double>>> fixed_tendons_;
  std::vector<double> controls_;
  bool keyframe_used_ = false;
};

}  // namespace cairn::imports
