// Joints of the scene format.
#pragma once

#include <map>

#include "imports/messages.hpp"
#include "imports/scene/assembly.hpp"
#include "imports/scene/nodes.hpp"

namespace cairn::imports {

// Where a joint of the file is in the scene.
struct SceneCoordinate {
  std::string joint, coordinate;  // name of the joint; key of the coordinate, empty: its only one
  double start = 0;               // what the file calls the coordinate at the start
};

struct SceneLinks {
  json::Node joints = json::Node::array(), forces = json::Node::array();
  json::Node gears = json::Node::array();
  json::Node bodies = json::Node::array();             // small ones between joints of one body
  std::map<std::string, SceneCoordinate> coordinates;  // by joint of the file
};

// Joints of body `i`, whose mass properties are `inertial`. `names` are those of the hosts in the
// scene.
void add_tree_joints(const Robot& robot, const std::vector<Assembled>& assembled, std::size_t i,
                     const std::vector<std::string>& names, const Inertial& inertial,
                     SceneLinks& out, Messages& messages);

void add_loops(const Robot& robot, const std::vector<Assembled>& assembled,
               const std::vector<std::string>& names, SceneLinks& out, Messages& messages);

void add_gears(const Robot& robot, SceneLinks& out, Messages& messages);

}  // namespace cairn::imports
