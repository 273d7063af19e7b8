// A robot as all formats describe it: a tree of bodies with their joints, and what closes loops.
#pragma once

#include <array>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cairn/math.hpp"
#include "imports/xml.hpp"

namespace cairn::imports {

constexpr double unbounded = std::numeric_limits<double>::infinity();
constexpr int world_body = -1;

struct Inertial {
  double mass = 0;              // [kg]
  Vec3 com = Vec3::Zero();      // in the frame of the body [m]
  Mat3 inertia = Mat3::Zero();  // about the centre of mass, along the axes of the body [kg m^2]
};

// How the inertia of a mesh is found: of the solid that its triangles enclose; as MuJoCo does
// unless told otherwise, with every tetrahedron counted as positive; of the hull of its points.
enum class MeshInertia { exact, legacy, convex };

struct Mesh {
  std::string file;  // path of the file; empty: given in the text
  Vec3 scale = Vec3::Ones();
  std::vector<Vec3> points;  // scaled [m]
  std::vector<std::array<int, 3>> triangles;
  MeshInertia inertia = MeshInertia::exact;
};

enum class ShapeKind { sphere, box, capsule, cylinder, ellipsoid, halfspace, mesh };

struct ImportedShape {
  ShapeKind kind = ShapeKind::sphere;
  // sphere: radius; box: edges; capsule and cylinder: radius, length; ellipsoid: semi-axes [m]
  Vec3 size = Vec3::Zero();
  std::shared_ptr<const Mesh> mesh;
  Pose X_BS;        // in the frame of its body
  int surface = 0;  // number in Robot::surfaces
  std::optional<Vec3> color;
  unsigned type_mask = 1, touch_mask = 1;  // a touches b: type of one and touch of the other
  Place place;
};

// What a contact needs to know of a surface.
struct Surface {
  double friction = 0, torsional = 0, rolling = 0, restitution = 0;
  int priority = 0;
  int dimension = 6;  // MJCF: 1 no friction, 3 sliding, 4 and torsional, 6 and rolling
  bool operator==(const Surface&) const = default;
};

enum class MotorKind { effort, velocity, position };

struct ImportedMotor {
  MotorKind kind = MotorKind::effort;
  double target = 0;  // effort, velocity or position at the start, of the file's coordinate
  double stiffness = 0, damping = 0;
  double max_effort = unbounded;
  Place place;
};

enum class TreeJointKind { hinge, slide, ball };

// One of the joints between a body and its parent.
struct TreeJoint {
  std::string name;
  TreeJointKind kind = TreeJointKind::hinge;
  Vec3 anchor = Vec3::Zero();      // in the frame of the body [m]
  Vec3 axis = Vec3::UnitX();       // unit length, in the frame of the body
  double reference = 0;            // coordinate of the pose that the file gives [rad, m]
  double start = 0;                // coordinate at which the scene starts
  Quat turned = Quat::Identity();  // of a ball: rotation at the start
  double velocity = 0;             // at the start
  double lower = -unbounded, upper = unbounded;  // as the file counts
  double friction = 0, damping = 0, stiffness = 0, rest = 0, armature = 0;
  std::optional<ImportedMotor> motor;
  Place place;
};

struct TreeBody {
  std::string name;
  int parent = world_body;  // an earlier body
  Pose X_PB;                // in the parent, where all joints have their references
  bool free = false;        // six degrees of freedom; no joints then
  std::optional<Inertial> inertial;
  std::vector<ImportedShape> shapes, visuals;
  std::vector<TreeJoint> joints;  // the first one is next to the parent
  std::optional<Pose> start;      // of a free body in the world
  Vec3 velocity = Vec3::Zero(), angular_velocity = Vec3::Zero();  // of a free body, in the world
  Place place;
};

// A point fixed in a body.
struct Attachment {
  int body = world_body;
  Pose X_BF;
};

// coordinate: a hinge or slide with what acts along it.
enum class LoopKind { ball, fixed, rope, spring, coordinate };

struct Loop {
  LoopKind kind = LoopKind::ball;
  std::string name;
  Attachment a, b;
  double length = 0, stiffness = 0, damping = 0;
  bool at_start = false;  // rope, spring: the initial distance instead of `length`
  TreeJoint joint;        // coordinate: of the second body, axis and anchor in it
  Place place;
};

// ratio_a q_a + ratio_b q_b = offset, in the coordinates of the file.
struct Gear {
  std::string name;
  std::array<std::string, 2> joints;
  std::array<double, 2> ratios = {1, -1};
  double offset = 0;
  Place place;
};

struct Robot {
  std::string name;
  std::optional<Vec3> gravity;
  std::optional<double> step;
  std::vector<TreeBody> bodies;  // parents first
  std::vector<ImportedShape> world_shapes;
  std::vector<Surface> surfaces;
  // MJCF: friction of a pair is the larger one, bodies without joints keep their names where they
  // hang on the world, and what hangs on them may touch them.
  bool as_mujoco = false;
  std::vector<Loop> loops;
  std::vector<Gear> gears;
  std::vector<std::array<int, 2>> no_contact;  // bodies of the tree
  std::string base;                            // how the base was chosen
  // What the file itself asks for, beside the options.
  bool balance_inertia = false;
  double bound_mass = 0, bound_inertia = 0;
};

}  // namespace cairn::imports
