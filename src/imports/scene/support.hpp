// What the scene format takes of what robot files say. An importer writes a key only where its
// switch here is true; otherwise the value is listed as not taken over.
//
// To switch a feature on once the scene reader takes it: set the constant to true and run
// `test_imports`. The keys themselves are written in shapes.cpp and joints.cpp of this folder
// and nowhere else.
#pragma once

namespace cairn::imports {

struct SceneSupport {
  // Shapes.
  bool cylinder = true;  // {"type": "cylinder", "radius": r, "length": l}; else a prism
  bool mesh =
      true;  // {"type": "mesh", "file": f, "scale": s, "as": "hull"}; else a hull's vertices
  bool visual = true;  // body key "visual": [shapes]
  bool color = true;   // body key "color": [r, g, b]

  // Coordinates of joints.
  bool damping = true;         // "damping": c
  bool stiffness = true;       // "stiffness": k, "rest": q0
  bool armature = true;        // "armature": I
  bool position_gains = true;  // "motor": {"position": p, "stiffness": kp, "damping": kd}
  bool velocity_gains = true;  // "motor": {"velocity": v, "damping": kv}

  // Joints.
  bool gear = true;  // "gears": [{"name", "joints": [{"joint", "coordinate", "ratio"}, ...]}]
  double widest_angle_range = 6.2;  // largest upper - lower of an angle [rad]
};

inline constexpr SceneSupport scene_support = {};

}  // namespace cairn::imports
