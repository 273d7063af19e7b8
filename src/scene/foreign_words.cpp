#include "scene/foreign_words.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace cairn::scene {
namespace {

struct ForeignKey {
  const char* words;  // separated by blanks, lower case without separators
  const char* needs;  // a key that the object must have
  const char* advice;
};

constexpr const char* motor_of_joint =
    "a motor is a key of a revolute or prismatic joint: \"motor\": {\"velocity\": 1, "
    "\"max_effort\": 10}";

// The first row that fits holds.
constexpr std::array foreign_keys = {
    // The scene.
    ForeignKey{"links link rigidbodies actors objects", "cairn", "write them under \"bodies\""},
    ForeignKey{"constraints constraint hinges", "cairn", "write them under \"joints\""},
    ForeignKey{"motor motors actuator actuators drives transmission", "cairn", motor_of_joint},
    ForeignKey{"contacts exclude excludes collisionpairs disablecollisions ignorecollisions",
               "cairn", "pairs that never touch are under \"no_contact\""},
    ForeignKey{"timestep dt stepsize endtime tend integrator", "cairn",
               "write \"simulation\": {\"step\": 0.01, \"duration\": 1}"},
    ForeignKey{"springs dampers actions loads", "cairn", "write them under \"forces\""},
    ForeignKey{"includes import imports model robot urdf mjcf worldbody", "cairn",
               "write \"include\": [{\"file\": \"robot.urdf\"}]"},
    ForeignKey{"ground plane floor", "cairn",
               "a floor is a body: {\"name\": \"floor\", \"fixed\": true, \"shapes\": [{\"type\": "
               "\"halfspace\"}]}"},
    // Bodies.
    ForeignKey{"masskg m", "dof", "write \"mass\", in kg"},
    ForeignKey{"static isstatic immovable immobile anchored lockedbody", "dof",
               "write \"fixed\": true"},
    ForeignKey{"kinematic iskinematic prescribed mocap animated", "dof",
               "a body that moves as prescribed has \"motion\": {\"position\": [x, y, z]}"},
    ForeignKey{"restitution restitutioncoefficient bounciness cor friction frictioncoefficient mu "
               "lateralfriction",
               "dof", "surfaces are under \"materials\"; shapes name theirs with \"material\""},
    ForeignKey{"geom geoms geometry collision collisions collider colliders shape fixtures", "dof",
               "write \"shapes\": [...]"},
    ForeignKey{"com cog cm centerofgravity centreofmass", "dof", "write \"center_of_mass\""},
    ForeignKey{"inertial momentofinertia inertiatensor diaginertia fullinertia", "dof",
               "write \"inertia\", about the centre of mass"},
    ForeignKey{"pos xyz origin translation location", "position", "write \"position\": [x, y, z]"},
    ForeignKey{"rot rotation quat quaternion rpy euler angle attitude", "orientation",
               "write \"orientation\": [w, x, y, z] or {\"axis\": [x, y, z], \"angle_deg\": 90}"},
    ForeignKey{"vel linearvelocity linvel v", "velocity", "write \"velocity\": [x, y, z]"},
    ForeignKey{"angvel omega spin rotationalvelocity", "angular_velocity",
               "write \"angular_velocity\": [x, y, z]"},
    ForeignKey{"joint joints freejoint", "dof", "joints are under \"joints\" of the scene"},
    // Joints.
    ForeignKey{"limits limit range limited angularlimits linearlimits", "lower",
               "write \"lower\" and \"upper\", counted from the start"},
    ForeignKey{"min minimum lowerlimit minangle lo", "lower",
               "write \"lower\", counted from the start"},
    ForeignKey{"max maximum upperlimit maxangle hi", "upper",
               "write \"upper\", counted from the start"},
    ForeignKey{
        "limits limit range limited", "anchors",
        "limits belong to coordinates: \"lower\" and \"upper\" of a revolute or prismatic joint, "
        "or below the name of the coordinate"},
    ForeignKey{"actuator actuators drive servo", "motor",
               "write \"motor\": {\"velocity\": 1, \"max_effort\": 10}"},
    ForeignKey{
        "motor actuator actuators drive servo", "anchors",
        "motors belong to coordinates: of a revolute or prismatic joint, or below the name of the "
        "coordinate"},
    ForeignKey{"frictionloss dryfriction jointfriction coulombfriction", "lower",
               "write \"friction\", a torque or a force"},
    ForeignKey{"parent child body1 body2 bodya bodyb a b links", "anchors",
               "write \"bodies\": [\"first\", \"second\"]"},
    ForeignKey{"anchor pivot pivots anchora anchorb pos origin", "anchors",
               "write \"anchors\": [[x, y, z], [x, y, z]], in the frames of the two bodies"},
    ForeignKey{"hingeaxis direction dir", "axis", "write \"axis\", in the frame of the first body"},
    // Motors.
    ForeignKey{"targetvelocity speed targetspeed desiredvelocity", "max_effort",
               "write \"velocity\""},
    ForeignKey{"targetposition target setpoint angle desiredposition", "max_effort",
               "write \"position\""},
    ForeignKey{"torque force ctrl value", "max_effort", "write \"effort\""},
    ForeignKey{"maxtorque maxforce torquelimit forcelimit effortlimit forcerange maxmotortorque",
               "max_effort", "write \"max_effort\""},
    // Shapes.
    ForeignKey{"halfextents halfsize halfsizes extents dimensions", "size",
               "write \"size\": full edge lengths, twice the half extents"},
    ForeignKey{"height halflength halfheight h", "length",
               "write \"length\": the whole length along z"},
    ForeignKey{"r rad diameter", "radius", "write \"radius\""},
    ForeignKey{"filename mesh uri path", "file", "write \"file\""},
    ForeignKey{"points", "vertices", "write \"vertices\""},
    ForeignKey{"mu friction restitution", "material",
               "surfaces are under \"materials\" of the scene; the shape names its \"material\""},
    // Materials.
    ForeignKey{"restitutioncoefficient coefficientofrestitution bounciness cor e",
               "restitution_law", "write \"restitution\", 0 to 1"},
    ForeignKey{
        "frictioncoefficient mu staticfriction dynamicfriction slidingfriction mu1 kineticfriction "
        "lateralfriction",
        "restitution_law", "write \"friction\""},
    ForeignKey{"spinningfriction torsionfriction", "torsional_friction",
               "write \"torsional_friction\", a length"},
    ForeignKey{"rollfriction rollingresistance", "rolling_friction",
               "write \"rolling_friction\", a length"},
    // The simulation.
    ForeignKey{"timestep dt stepsize h", "duration", "write \"step\", in seconds"},
    ForeignKey{"endtime tend time steps t", "duration", "write \"duration\", in seconds"},
    ForeignKey{"integrator method", "duration", "write \"scheme\""},
};

struct ForeignType {
  const char* words;
  const char* needs;  // a type that must be known
  const char* advice;
};

constexpr std::array foreign_types = {
    ForeignType{"hinge pin continuous rotational revolve rotary", "revolute",
                "a hinge is \"type\": \"revolute\""},
    ForeignType{"slide slider sliding linear translational", "prismatic",
                "a slide is \"type\": \"prismatic\""},
    ForeignType{"weld rigid lock glue", "fixed", "a weld is \"type\": \"fixed\""},
    ForeignType{"spherical ballsocket ballandsocket balljoint point2point p2p connect socket",
                "ball", "write \"type\": \"ball\""},
    ForeignType{"free floating freejoint 6dof", "ball",
                "bodies without a joint move freely: leave it out"},
    ForeignType{"hooke cardan ujoint gimbal", "universal", "write \"type\": \"universal\""},
    ForeignType{"rod bar strut", "distance", "write \"type\": \"distance\""},
    ForeignType{"cable string tendon tether spatial", "rope", "write \"type\": \"rope\""},
    ForeignType{"motor actuator servo drive", "revolute", motor_of_joint},
    ForeignType{"motor actuator servo drive", "spring", motor_of_joint},
    ForeignType{"mesh trimesh trianglemesh convexmesh convex polyhedron obj stl", "hull",
                "write \"type\": \"hull\" with \"file\" or \"vertices\""},
    ForeignType{
        "cylinder", "capsule",
        "take a \"capsule\", whose ends are round, or a \"hull\" of points on the two rims"},
    ForeignType{"plane ground floor", "halfspace", "a plane is \"type\": \"halfspace\""},
    ForeignType{"cube cuboid block rectangle", "box",
                "write \"type\": \"box\" with the edges as \"size\""},
    ForeignType{"ball", "sphere", "write \"type\": \"sphere\""},
    ForeignType{"circle", "disc", "write \"type\": \"disc\""},
    ForeignType{"tendon springdamper springdamping", "spring", "write \"type\": \"spring\""},
};

// Lower case without separators: MassKg, mass_kg and mass-kg are one word.
std::string plain(std::string_view word) {
  std::string out;
  for (const char c : word)
    if (std::isalnum(static_cast<unsigned char>(c)))
      out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

bool among(std::string_view list, std::string_view word) {
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(' '), list.size());
    if (list.substr(0, end) == word) return true;
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return false;
}

template <class Table>
std::string find_advice(const Table& table, std::string_view word,
                        const std::vector<std::string_view>& known) {
  const std::string own = plain(word);
  if (own.empty()) return {};
  for (const auto& row : table)
    if (among(row.words, own) &&
        std::find(known.begin(), known.end(), std::string_view(row.needs)) != known.end())
      return row.advice;
  return {};
}

}  // namespace

std::string advice_for_key(std::string_view word, const std::vector<std::string_view>& known) {
  return find_advice(foreign_keys, word, known);
}

std::string advice_for_type(std::string_view word, const std::vector<std::string_view>& known) {
  return find_advice(foreign_types, word, known);
}

}  // namespace cairn::scene
