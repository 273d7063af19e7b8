// Which bodies of a tree are one body of the scene, and where they start.
#pragma once

#include "imports/messages.hpp"
#include "imports/robot.hpp"

namespace cairn::imports {

// A body of the tree in the scene.
struct Assembled {
  int host = world_body;  // body of the tree that stands for it; world_body: the world itself
  Pose X_HB;              // in the frame of its host
  Pose X_WB;              // at the start
  Vec3 velocity = Vec3::Zero(), angular_velocity = Vec3::Zero();  // at the start, of its origin
  bool is_static = false;
  std::vector<Pose> behind;  // frames behind each joint at the start, in the world
};

// Moves starts of joints into their ranges first, with a note.
std::vector<Assembled> assemble(Robot& robot, Messages& messages);

// The pose that a joint adds when it moves by q from its reference.
Pose displacement(const TreeJoint& joint, double q);

}  // namespace cairn::imports
