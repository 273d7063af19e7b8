// Files for tests of importers, and what their scenes have.
#pragma once

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <unistd.h>

#include "cairn/scene.hpp"
#include "imports/imports.hpp"

namespace cairn::test_imports {

// A folder of its own for each test program, emptied at its start.
inline std::filesystem::path scratch() {
  static const std::filesystem::path folder = [] {
    const auto path = std::filesystem::temp_directory_path() /
                      ("cairn_imports_" + std::to_string(static_cast<long>(::getpid())));
    std::filesystem::remove_all(path);
    std::filesystem::create_directories(path);
    return path;
  }();
  return folder;
}

inline std::string write(const std::string& name, const std::string& text) {
  const auto path = scratch() / name;
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path) << text;
  return path.string();
}

// The scene of a model given as text.
inline Result<Scene> scene_of(const std::string& text, const ImportOptions& options = {}) {
  return load_scene(write("model.xml", text), {}, options);
}

inline std::string errors_of(const Errors& errors) {
  std::string all;
  for (const Error& e : errors) all += e.text() + "\n";
  return all;
}

// Must succeed.
inline Scene must(Result<Scene> scene) {
  if (!scene) {
    ADD_FAILURE() << errors_of(scene.error());
    return {};
  }
  return std::move(*scene);
}

inline const BodyDescription& body(const Scene& scene, const std::string& name) {
  for (const BodyDescription& b : scene.description.bodies)
    if (b.name == name) return b;
  ADD_FAILURE() << "no body " << name;
  static const BodyDescription none;
  return none;
}

inline const JointDescription& joint(const Scene& scene, const std::string& name) {
  for (const JointDescription& j : scene.description.joints)
    if (j.name == name) return j;
  ADD_FAILURE() << "no joint " << name;
  static const JointDescription none;
  return none;
}

inline Pose pose(const Scene& scene, const std::string& name) {
  if (name == "world") return {};
  const BodyDescription& b = body(scene, name);
  return {b.position, b.orientation};
}

// Axis and point of a hinge or slide in the world.
inline Vec3 axis_of(const Scene& scene, const JointDescription& j) {
  const auto* hinge = std::get_if<RevoluteJoint>(&j.type);
  const auto* slide = std::get_if<PrismaticJoint>(&j.type);
  const Vec3 axis = hinge ? hinge->axis : slide ? slide->axis : Vec3::Zero();
  return pose(scene, j.bodies[0]).R * axis;
}
inline Vec3 point_of(const Scene& scene, const JointDescription& j) {
  return pose(scene, j.bodies[1]) * j.anchors[1];
}

// Notes of a model that hold a word.
inline int notes_with(const Scene& scene, const std::string& word) {
  int count = 0;
  for (const std::string& w : scene.warnings) count += w.find(word) != std::string::npos;
  return count;
}

}  // namespace cairn::test_imports
