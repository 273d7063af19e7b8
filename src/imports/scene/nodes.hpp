// Values of the scene format as nodes with the place that they come from.
#pragma once

#include "base/json/document.hpp"
#include "imports/robot.hpp"

namespace cairn::imports {

inline json::Node placed(json::Node node, const Place& place) {
  if (place.file == 0) {
    node.line = place.line;
    node.column = place.column;
  }
  return node;
}

// Adds a member whose key and value have the place.
inline json::Node& put(json::Node& object, const char* key, json::Node value, const Place& place) {
  json::Node& node = object.set(key, placed(std::move(value), place));
  for (json::Key& k : object.keys)
    if (k.text == key && place.file == 0) {
      k.line = place.line;
      k.column = place.column;
    }
  return node;
}

inline json::Node vector_node(const Vec3& v, const Place& place) {
  json::Node list = json::Node::array();
  for (int i = 0; i < 3; ++i) list.items.push_back(placed(json::Node(v[i] + 0.0), place));
  return placed(std::move(list), place);
}

inline json::Node quat_node(const Quat& q, const Place& place) {
  json::Node list = json::Node::array();
  for (const double x : {q.w(), q.x(), q.y(), q.z()})
    list.items.push_back(placed(json::Node(x + 0.0), place));
  return placed(std::move(list), place);
}

inline json::Node matrix_node(const Mat3& m, const Place& place) {
  json::Node list = json::Node::array();
  for (int i = 0; i < 3; ++i) list.items.push_back(vector_node(m.row(i).transpose(), place));
  return placed(std::move(list), place);
}

// Adds position and orientation where they are not the identity.
inline void put_pose(json::Node& object, const Pose& X, const Place& place) {
  if (X.p != Vec3::Zero()) put(object, "position", vector_node(X.p, place), place);
  if (X.R.vec() != Vec3::Zero())
    put(object, "orientation", quat_node(X.R.normalized(), place), place);
}

}  // namespace cairn::imports
