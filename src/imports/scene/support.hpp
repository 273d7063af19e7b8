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
  bool cylinder = false;  // {"type": "cylinder", "radius": r, "length": l}; else a prism
  bool mesh =
      false;  // {"type": "mesh", "file": f, "scale": s, "as": "hull"}; else a hull's vertices
  bool visual = false;  // body key "visual": [shapes]
  bool color = false;   // body key "color": [r, g, b]

  // Coordinates of joints.
  bool damping = false;         // "damping": c
  bool stiffness = false;       // "stiffness": k, "rest": q0
  bool armature = false;        // "armature": I
  bool position_gains = false;  // "motor": {"position": p, "stiffness": kp, "damping": kd}
  bool velocity_gains = false;  // "motor": {"velocity": v, "damping": kv}

  // Joints.
  bool gear =
      false;  // {"type": "gear", "joints": [{"joint", "coordinate", "ratio"}, ...], "offset"}
  double widest_angle_range = 6.2;  // largest upper - lower of an angle [rad]
};

inline constexpr SceneSupport scene_support = {};

}  // namespace cairn::imports
