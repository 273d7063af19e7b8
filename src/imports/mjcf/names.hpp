// What of an MJCF file is known by name.
#pragma once

#include <map>

#include "imports/mjcf/settings.hpp"

namespace cairn::imports {

// Number of a body and of a joint in Robot::bodies, in the order of qpos.
struct JointPlace {
  int body = 0;
  int joint = -1;  // -1: free
};

struct MjcfNames {
  std::map<std::string, int> bodies;
  std::map<std::string, Attachment> sites;
  std::map<std::string, JointPlace> joints;  // by name
  std::vector<JointPlace> order;             // of qpos and qvel
};

}  // namespace cairn::imports
