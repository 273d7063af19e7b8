// The immutable description of a mechanical system: what the user says (descriptions), what the
// engine reads (Model).
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "cairn/contact.hpp"
#include "cairn/error.hpp"
#include "cairn/expression.hpp"
#include "cairn/ids.hpp"
#include "cairn/math.hpp"
#include "cairn/polyhedron.hpp"
#include "cairn/shape.hpp"

namespace cairn {

// ---- What the user says
// -------------------------------------------------------------------------------------------

// Motion of a body prescribed in time. The pose of the body frame is (position(t), exp(axis
// angle(t)) orientation).
struct Motion {
  std::array<TimeFunction, 3> position;  // of the body frame's origin in the world [m]
  Vec3 axis = Vec3::UnitZ();  // of the rotation, in the world, normalised by the builder [-]
  TimeFunction angle;         // [rad]
};

// Triangles that are drawn and never touch, stored once for all bodies that show them.
struct DrawnMesh {
  std::string name;                                    // unique
  std::vector<Vec3> points;                            // [m]
  std::vector<std::array<std::int32_t, 3>> triangles;  // counterclockwise seen from outside
};

using Colour = std::array<double, 3>;  // red, green, blue of sRGB, 0 to 1 [-]

// A part of what a body looks like; it never touches.
struct DrawnShape {
  Geometry geometry = Point{};   // unless `mesh` names one
  std::string mesh;              // of ModelDescription::meshes; empty: `geometry`
  Vec3 scale = Vec3::Ones();     // of the mesh along x, y, z of S, positive [-]
  Pose X_BS;                     // pose in the body frame
  std::optional<Colour> colour;  // default: that of the body
};

struct BodyDescription {
  std::string name;    // unique; the canonical order of bodies is the order of names
  bool fixed = false;  // true: never moves
  std::string dof = "x y z rx ry rz";    // free directions; rotations: none, one or three
  std::optional<double> mass;            // [kg]
  std::optional<double> density;         // of every shape [kg/m^3], planar shapes [kg/m^2]
  std::optional<Mat3> inertia;           // about the centre of mass, in the body frame [kg m^2]
  std::optional<Vec3> center_of_mass;    // in the body frame [m]; default: from the shapes
  Vec3 position = Vec3::Zero();          // of the body frame's origin in the world [m]
  Quat orientation = Quat::Identity();   // of the body frame [-]
  Vec3 velocity = Vec3::Zero();          // of the body frame's origin in the world [m/s]
  Vec3 angular_velocity = Vec3::Zero();  // in the world [rad/s]
  std::vector<ShapeDescription> shapes;
  std::optional<Motion> motion;    // present: the body is moved by hand and takes no force
  std::vector<DrawnShape> visual;  // drawn in place of the shapes; empty: the shapes are drawn
  std::optional<Colour> colour;    // default: chosen by whoever draws
};

struct DistanceJoint {
  double length =
      -1;  // of the massless rod between the anchors [m]; negative: the initial distance
};
struct BallJoint {};  // the anchors coincide
struct RevoluteJoint {
  Vec3 axis = Vec3::UnitZ();  // hinge, in the frame of the first body at the start [-]
};
struct PrismaticJoint {
  Vec3 axis =
      Vec3::UnitX();  // of sliding, in the frame of the first body; no relative rotation [-]
};
struct FixedJoint {};  // the anchors coincide, no relative rotation

// Axes are in the frame of the first body, for the configuration at the start [-].
struct CylindricalJoint {  // slides along `axis` and turns about it
  Vec3 axis = Vec3::UnitZ();
};
struct UniversalJoint {       // Cardan joint: the anchors coincide, the two axes stay perpendicular
  Vec3 axis = Vec3::UnitX();  // fixed in the first body
  Vec3 second_axis = Vec3::UnitY();  // fixed in the second body, perpendicular to `axis`
};
struct PlanarJoint {  // moves in a plane of the first body, no rotation out of it
  Vec3 normal = Vec3::UnitZ();
};
struct PointOnLineJoint {  // the second anchor stays on a line through the first one
  Vec3 axis = Vec3::UnitX();
};
struct PointOnPlaneJoint {  // the second anchor stays on a plane through the first one
  Vec3 normal = Vec3::UnitZ();
};
struct ScrewJoint {  // slides along `axis` by `pitch` a turn; the builder makes it of a cylindrical
                     // joint and a gear NAME.pitch
  Vec3 axis = Vec3::UnitZ();
  double pitch = 0;  // displacement per turn about `axis`, right-handed if positive [m]
};
struct RopeJoint {         // the anchors are no farther apart than `length`; holds nothing else
  double length = -1;      // [m]; negative: the initial distance
  double restitution = 0;  // e of the impact when it becomes taut, by Newton's law [-]
};
// One coordinate of a joint that has several. It holds nothing; it carries limits, friction and a
// motor. The builder makes it, named JOINT.COORDINATE.
enum class CoordinateKind : std::uint8_t {
  angle,         // about `axis`, fixed in the first body [rad]
  displacement,  // of the second anchor along `axis`, fixed in the first body [m]
  distance,      // of the anchors [m]
};
struct JointCoordinateAxis {
  CoordinateKind kind = CoordinateKind::angle;
  Vec3 axis = Vec3::UnitZ();
};

using JointType = std::variant<DistanceJoint, BallJoint, RevoluteJoint, PrismaticJoint, FixedJoint,
                               CylindricalJoint, UniversalJoint, PlanarJoint, PointOnLineJoint,
                               PointOnPlaneJoint, RopeJoint, ScrewJoint, JointCoordinateAxis>;
const char* type_name(const JointType& type);  // the "type" of the scene format
// Of revolute, prismatic joints, ropes and the coordinates of others.
std::optional<CoordinateKind> coordinate_kind(const JointType& type);

// The range of the coordinate of a revolute joint, an angle about its axis [rad], or of a prismatic
// one, the way along its axis [m]. Both are 0 at the start.
struct JointLimits {
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
  double restitution = 0;  // e of the impact at either end, by Newton's law [-]

  bool any() const { return std::isfinite(lower) || std::isfinite(upper); }
};

// Drives the coordinate of a joint. An effort is a torque about its axis [N m] or a force along it
// [N].
struct JointMotor {
  // What it keeps while that takes no more than max_effort; neither: it gives `effort`. With gains
  // it gives stiffness (position - q) + damping (velocity - q'), at the end of each step; it then
  // may have both targets, and one that is missing is 0.
  std::optional<TimeFunction> velocity;  // [rad/s], [m/s]
  std::optional<TimeFunction> position;  // of the coordinate [rad], [m]
  double max_effort = 0;
  double max_velocity = std::numeric_limits<double>::infinity();  // towards the position
  TimeFunction effort;
  double stiffness = 0;  // [N m/rad], [N/m]
  double damping = 0;    // [N m s/rad], [N s/m]

  bool keeps() const { return velocity || position; }
  bool has_gains() const { return stiffness > 0 || damping > 0; }
  const TimeFunction& what() const { return velocity ? *velocity : position ? *position : effort; }
};

// A spring and damper along the coordinate q of a joint: effort -stiffness (q - rest) - damping q'
// (E872). Angles count from `rest`, within half a turn.
struct JointSpring {
  double stiffness = 0;  // [N m/rad], [N/m]
  double rest = 0;       // [rad], [m]
  double damping = 0;    // [N m s/rad], [N s/m]

  bool any() const { return stiffness > 0 || damping > 0; }
};

// What acts along one coordinate of a joint that has several.
struct CoordinateDescription {
  std::string name;  // of the coordinate: translation, rotation, x, y, first, second
  JointLimits limits = {};
  double friction = 0;  // as that of a joint
  std::optional<JointMotor> motor = {};
  JointSpring spring = {};
  double armature = 0;  // as that of a joint
};

struct JointDescription {
  std::string name;  // default joint<index>
  JointType type;
  std::array<std::string, 2> bodies = {"world", ""};           // "world" is the fixed frame
  std::array<Vec3, 2> anchors = {Vec3::Zero(), Vec3::Zero()};  // in the body frames [m]
  bool collide = false;  // may the two bodies touch each other?
  // Of revolute and prismatic joints:
  JointLimits limits = {};
  double friction = 0;  // largest effort of dry friction along the coordinate [N m], [N]
  std::optional<JointMotor> motor = {};
  JointSpring spring = {};
  double armature = 0;  // inertia of a rotor that moves with the coordinate [kg m^2], [kg]
  // Of cylindrical, universal, planar joints and points on a line or a plane; coordinates without
  // an entry move freely.
  std::vector<CoordinateDescription> coordinates = {};
};

// Couples coordinates of joints (E871): the sum of ratio times coordinate stays what it is at the
// start.
struct GearTermDescription {
  std::string joint;       // its name
  std::string coordinate;  // of a joint that has several; empty: the one of the joint
  double ratio = 1;        // not 0 [-], or [m/rad] where angles and displacements are coupled
};
struct GearDescription {
  std::string name;  // default gear<index>
  std::vector<GearTermDescription> terms;
};

// Force of a spring and damper along the line between two anchors: stiffness (d - rest_length) +
// damping d'.
struct SpringDescription {
  std::array<std::string, 2> bodies = {"world", ""};
  std::array<Vec3, 2> anchors = {Vec3::Zero(), Vec3::Zero()};  // in the body frames [m]
  double stiffness = 0;                                        // [N/m]
  double rest_length = 0;                                      // [m]
  double damping = 0;                                          // [N s/m]
};

// A force or torque as a function of time, in the world frame.
struct AppliedForceDescription {
  std::string body;
  std::array<TimeFunction, 3> force;   // [N]
  std::array<TimeFunction, 3> torque;  // about the centre of mass [N m]
  Vec3 point = Vec3::Zero();           // where the force acts, in the body frame [m]
  bool at_center_of_mass = true;       // false: at `point`
};

using ForceDescription = std::variant<SpringDescription, AppliedForceDescription>;

// What an impact gives back (E203, E220): the normal velocity, the normal impulse or the work of
// the normal impulse.
enum class RestitutionLaw : std::uint8_t { newton, poisson, stronge };

struct Material {
  double friction = 0;     // mu, Coulomb's coefficient; of anisotropic friction that along
                           // friction_direction [-]
  double restitution = 0;  // e, 0 to 1, as restitution_law says [-]
  RestitutionLaw restitution_law = RestitutionLaw::newton;
  double bounce_friction = -1;    // mu of bouncing contacts, scheme hybrid; negative: friction [-]
  double rolling_friction = 0;    // torque about the tangents per normal force [m]
  double torsional_friction = 0;  // torque about the normal per normal force [m]
  double friction_across = -1;  // mu across friction_direction; negative: the same as along it [-]
  Vec3 friction_direction = Vec3::UnitX();  // in the frame of the body that has the material; in a
                                            // pair "a|b" of that with material a [-]
  FrictionPolygon friction_polygon = {};    // the section of the cone if it is no ellipse (E247):
                                          // forces on what touches the body that has the material,
                                          // per normal force, along friction_direction and across;
                                          // friction is then the largest of its radii [-]
  int direction_of = 0;  // of a pair: whose frame that is, 0 or 1; -1: both materials have a
                         // direction and nothing says which one counts

  bool operator==(const Material&) const = default;
  bool elliptic() const {
    return friction_polygon.empty() && friction_across >= 0 && friction_across != friction;
  }
  bool anisotropic() const { return elliptic() || !friction_polygon.empty(); }
  double bounce_mu() const { return bounce_friction < 0 ? friction : bounce_friction; }
};

struct ModelDescription {
  std::string name;
  Vec3 gravity = Vec3(0, 0, -9.81);  // [m/s^2]
  std::vector<std::pair<std::string, Material>>
      materials;  // of one material, or of a pair under the name "a|b"
  std::vector<BodyDescription> bodies;
  std::vector<JointDescription> joints;
  std::vector<GearDescription> gears;
  std::vector<ForceDescription> forces;
  std::vector<std::array<std::string, 2>> no_contact;    // pairs of bodies that never touch
  std::vector<std::shared_ptr<const DrawnMesh>> meshes;  // that DrawnShape::mesh names
};

// ---- What the engine reads
// ----------------------------------------------------------------------------------------

enum class BodyKind : std::uint8_t { dynamic, fixed, prescribed };
enum class RotationKind : std::uint8_t { none, one, three };

// Velocities of a dynamic body: the free ones of the centre of mass along world axes, then the
// angular velocity: nothing, the rate about `axis_W`, or the three components in the body frame.
struct Body {
  std::string name;
  BodyKind kind = BodyKind::dynamic;
  std::array<bool, 3> translations = {true, true, true};
  RotationKind rotation = RotationKind::three;
  Vec3 axis_W = Vec3::UnitZ();  // rotation axis where rotation == one; constant in the world and in
                                // the body [-]
  int first_velocity = 0;       // index into State::v
  int velocities = 0;           // number of free velocities, 0 for fixed and prescribed bodies
  double mass = 0;              // [kg]
  Mat3 inertia_B = Mat3::Zero();  // about the centre of mass, in the body frame [kg m^2]
  Vec3 p_Bcm = Vec3::Zero();      // centre of mass in the body frame [m]
  double radius =
      0;  // largest distance of a point of its bounded shapes from the centre of mass [m]
  int first_shape = 0;
  int shapes = 0;
  std::optional<Motion> motion;
  Quat R_WB0 =
      Quat::Identity();  // initial orientation, to which a prescribed rotation is applied [-]
};

struct Shape {
  Geometry geometry;
  BodyId body{};
  Pose X_CS;  // pose relative to the frame at the centre of mass with the body's axes
  MaterialId material{};
  int polyhedron = -1;  // index into Model::polyhedra of boxes and other flat-faced shapes, else -1
  double inner_radius = 0;  // half of the least thickness (E301); point: 0, halfspace: infinite [m]
};

struct Joint {
  std::string name;
  JointType type;  // DistanceJoint::length is resolved
  std::array<BodyId, 2> bodies = {BodyId::world, BodyId::world};
  std::array<Vec3, 2> anchors = {Vec3::Zero(),
                                 Vec3::Zero()};  // from the centre of mass, in the body frames [m]
  std::array<Vec3, 2> axes = {Vec3::UnitZ(),
                              Vec3::UnitZ()};  // revolute, prismatic: in the body frames [-]
  Quat R_AB = Quat::Identity();  // relative rotation of the second body at the start [-]
  JointLimits limits;            // of a joint to the world bodies[0] is then the fixed body "world"
  double friction = 0;           // [N m], [N]
  std::optional<JointMotor> motor;
  JointSpring spring;
  double armature = 0;  // [kg m^2], [kg]
};

struct GearTerm {
  JointId joint{};  // one with a coordinate
  double ratio = 1;
};
struct Gear {
  std::string name;
  std::vector<GearTerm> terms;
  std::array<BodyId, 4> bodies = {BodyId::world, BodyId::world, BodyId::world,
                                  BodyId::world};  // free or prescribed ones of its joints, each
                                                   // once, the free ones first
  bool angle = true;  // all terms are angles: the sum is one [rad], else a length [m]
  double sum = 0;     // of the terms at the start
  double period = 0;  // whole turns of unlimited angles add multiples of it to the sum; 0: there
                      // are none
};

struct Spring {
  std::array<BodyId, 2> bodies = {BodyId::world, BodyId::world};
  std::array<Vec3, 2> anchors = {Vec3::Zero(),
                                 Vec3::Zero()};  // from the centre of mass, in the body frames [m]
  double stiffness = 0, rest_length = 0, damping = 0;  // [N/m], [m], [N s/m]
};

struct AppliedForce {
  BodyId body{};
  std::array<TimeFunction, 3> force;   // [N]
  std::array<TimeFunction, 3> torque;  // [N m]
  Vec3 point = Vec3::Zero();           // from the centre of mass, in the body frame [m]
};

// What holds between two materials: a Material without the corners of its polygon.
struct ContactLaw {
  double friction = 0;
  double restitution = 0;
  RestitutionLaw restitution_law = RestitutionLaw::newton;
  double bounce_friction = -1;
  double rolling_friction = 0;
  double torsional_friction = 0;
  double friction_across = -1;
  Vec3 friction_direction = Vec3::UnitX();
  int direction_of = 0;
  const FrictionPolygon* section = nullptr;  // over friction, seen along the normal of a contact
                                             // from a to b (E247); null: round or elliptic

  ContactLaw() = default;
  explicit ContactLaw(const Material& m);  // without section

  bool operator==(const ContactLaw& other) const;  // polygons by their corners
  bool elliptic() const { return !section && friction_across >= 0 && friction_across != friction; }
  bool anisotropic() const { return elliptic() || section; }
  double bounce_mu() const { return bounce_friction < 0 ? friction : bounce_friction; }
};

// A pair of materials, in the order a, b, whose law is not that of mixed(a, b).
struct MaterialPair {
  MaterialId a{}, b{};
  ContactLaw law;
  std::shared_ptr<const FrictionPolygon> section;  // what law.section points to

  bool operator==(const MaterialPair& p) const { return a == p.a && b == p.b && law == p.law; }
};

struct Model {
  std::string name;
  Vec3 gravity = Vec3::Zero();        // [m/s^2]
  std::vector<Body> bodies;           // sorted by name
  std::vector<Shape> shapes;          // grouped by body
  std::vector<Polyhedron> polyhedra;  // equal shapes share one
  std::vector<Joint> joints;          // sorted by name
  std::vector<Gear> gears;            // in the order of the description
  std::vector<Spring> springs;
  std::vector<AppliedForce> applied_forces;
  std::vector<std::string> material_names;  // sorted
  std::vector<Material> materials;          // beside their names
  std::vector<MaterialPair> pairs;  // sorted by a, then b, each pair in both orders: listed ones
                                    // and those with a polygon; all others are mixed when asked for
  std::vector<std::array<BodyId, 2>> no_contact;  // sorted, a < b
  int velocities = 0;                             // length of State::v
  double mass_unit =
      1;  // powers of two near the largest mass [kg] and size [m]: problems are assembled in them
  double length_unit = 1;

  const Body& body(BodyId id) const { return bodies[index(id)]; }
  ContactLaw pair(MaterialId a, MaterialId b) const;  // allocates nothing
  // Null: the friction is round or elliptic.
  const std::shared_ptr<const FrictionPolygon>& section(const ContactKey& contact) const;
  // Radius of the smaller of two bodies [m]. Points and bodies without bound have none; between two
  // of them the length unit stands in.
  double smaller_radius(BodyId a, BodyId b) const;
  std::optional<BodyId> find_body(const std::string& body_name) const;
  std::optional<JointId> find_joint(const std::string& joint_name) const;
};

// A force from outside the model, such as that of a hand.
struct ExternalForce {
  BodyId body{};               // a dynamic body; on others it does nothing
  Vec3 force = Vec3::Zero();   // in the world, constant within a step [N]
  Vec3 torque = Vec3::Zero();  // about the centre of mass, in the world [N m]
  Vec3 point = Vec3::Zero();   // where the force acts: from the centre of mass, in the body frame,
                               // at the beginning of the step [m]
};

// What a motor keeps or gives in a step, in place of its function of time: a velocity [rad/s],
// [m/s], a position [rad], [m] or an effort [N m], [N], as the motor is.
struct MotorTarget {
  JointId joint{};
  double value = 0;

  bool operator==(const MotorTarget&) const = default;
};

// What acts on a step beside the model: no part of the state.
struct Controls {
  std::vector<ExternalForce> forces;
  std::vector<MotorTarget> motors;  // at most one a joint

  bool empty() const { return forces.empty() && motors.empty(); }
};

struct State;

struct BuiltModel {
  std::shared_ptr<const Model> model;
  std::shared_ptr<const State> initial;
  std::vector<std::string> warnings;
};

// Validates everything a user can get wrong. Errors carry paths such as bodies[2].mass that refer
// to `description`'s order, so that a file reader can add line and column.
Result<BuiltModel> build(const ModelDescription& description);

}  // namespace cairn
