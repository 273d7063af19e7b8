// Ragdolls: bodies and joints of a scene.
#include "families/ragdoll.hpp"

#include <numbers>

namespace cairn::families {
namespace {

struct Part {
  const char* name;
  const char* parent;
  const char* joint;
  Vec3 position;  // in the frame of the ragdoll [m]
  Vec3 anchor;    // joint with the parent
  double mass;    // of a limb's
  double length;  // of a capsule along x; negative: along y; 0: a ball [m]
  double radius;  // [m]
};

const Part parts[] = {
    {"torso", "", "", {0, 0, 0}, {0, 0, 0}, 6, 0.3, 0.13},
    {"head", "torso", "ball", {0.44, 0, 0}, {0.32, 0, 0}, 1, 0, 0.11},
    {"arm_l", "torso", "ball", {0.2, 0.34, 0}, {0.2, 0.17, 0}, 1, -0.22, 0.05},
    {"arm_r", "torso", "ball", {0.2, -0.34, 0}, {0.2, -0.17, 0}, 1, -0.22, 0.05},
    {"hand_l", "arm_l", "revolute", {0.2, 0.68, 0}, {0.2, 0.51, 0}, 0.7, -0.22, 0.04},
    {"hand_r", "arm_r", "revolute", {0.2, -0.68, 0}, {0.2, -0.51, 0}, 0.7, -0.22, 0.04},
    {"thigh_l", "torso", "ball", {-0.5, 0.1, 0}, {-0.29, 0.1, 0}, 2, 0.28, 0.06},
    {"thigh_r", "torso", "ball", {-0.5, -0.1, 0}, {-0.29, -0.1, 0}, 2, 0.28, 0.06},
    {"shin_l", "thigh_l", "revolute", {-0.93, 0.1, 0}, {-0.71, 0.1, 0}, 1.5, 0.28, 0.05},
    {"shin_r", "thigh_r", "revolute", {-0.93, -0.1, 0}, {-0.71, -0.1, 0}, 1.5, 0.28, 0.05},
};

Quat orientation_of(const Part& part) {
  const Vec3 along = part.length < 0 ? Vec3::UnitY() : Vec3::UnitX();
  return Quat::FromTwoVectors(Vec3::UnitZ(), along);
}

}  // namespace

void add_ragdoll(Json& scene, const std::string& prefix, double mass, const Pose& X_WR,
                 Random& random) {
  const auto pose_of = [&](const Part& part) {
    return X_WR * Pose{part.position, orientation_of(part)};
  };
  for (const Part& part : parts) {
    const Pose X = pose_of(part);
    const Json shape = part.length == 0 ? sphere_shape(part.radius)
                                        : capsule_shape(part.radius, std::abs(part.length));
    const double share = part.mass * random.between(0.7, 1.4);
    scene["bodies"].push_back(free_body(prefix + part.name, shape, mass * share, X.p, X.R));
    for (const Part& parent : parts)
      if (std::string(parent.name) == part.parent) {
        const Vec3 point = X_WR * part.anchor;
        scene["joints"].push_back(joint(prefix + "j_" + part.name, part.joint,
                                        {prefix + parent.name, pose_of(parent), point},
                                        {prefix + part.name, X, point}, X_WR.R * Vec3::UnitZ()));
      }
  }
}

}  // namespace cairn::families
