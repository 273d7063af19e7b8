#include "scene/foreign_words.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace cairn::scene {
namespace {

struct Word {
  const char* words;   // separated by blanks, lower case without separators
  const char* needs;   // a key that the object must have
  const char* advice;
};

constexpr const char* motor_of_joint =
    "a motor is a key of a revolute or prismatic joint: \"motor\": {\"velocity\": 1, "
    "\"max_effort\": 10}";

// The first row that fits holds.
constexpr std::array words = {
    // The scene.
    Word{"links link rigidbodies actors objects", "cairn", "write them under \"bodies\""},
    Word{"constraints constraint hinges", "cairn", "write them under \"joints\""},
    Word{"motor motors actuator actuators drives transmission", "cairn", motor_of_joint},
    Word{"contacts exclude excludes collisionpairs disablecollisions ignorecollisions", "cairn",
         "pairs that never touch are under \"no_contact\""},
    Word{"timestep dt stepsize endtime tend integrator", "cairn",
         "write \"simulation\": {\"step\": 0.01, \"duration\": 1}"},
    Word{"springs dampers actions loads", "cairn", "write them under \"forces\""},
    Word{"includes import imports model robot urdf mjcf worldbody", "cairn",
         "write \"include\": [{\"file\": \"robot.urdf\"}]"},
    Word{"ground plane floor", "cairn",
         "a floor is a body: {\"name\": \"floor\", \"fixed\": true, \"shapes\": [{\"type\": "
         "\"halfspace\"}]}"},
    // Bodies.
    Word{"masskg m", "dof", "write \"mass\", in kg"},
    Word{"static isstatic immovable immobile anchored lockedbody", "dof",
         "write \"fixed\": true"},
    Word{"kinematic iskinematic prescribed mocap animated", "dof",
         "a body that moves as prescribed has \"motion\": {\"position\": [x, y, z]}"},
    Word{"restitution restitutioncoefficient bounciness cor friction frictioncoefficient mu "
         "lateralfriction",
         "dof", "surfaces are under \"materials\"; shapes name theirs with \"material\""},
    Word{"geom geoms geometry collision collisions collider colliders shape fixtures", "dof",
         "write \"shapes\": [...]"},
    Word{"com cog cm centerofgravity centreofmass", "dof", "write \"center_of_mass\""},
    Word{"inertial momentofinertia inertiatensor diaginertia fullinertia", "dof",
         "write \"inertia\", about the centre of mass"},
    Word{"pos xyz origin translation location", "position", "write \"position\": [x, y, z]"},
    Word{"rot rotation quat quaternion rpy euler angle attitude", "orientation",
         "write \"orientation\": [w, x, y, z] or {\"axis\": [x, y, z], \"angle_deg\": 90}"},
    Word{"vel linearvelocity linvel v", "velocity", "write \"velocity\": [x, y, z]"},
    Word{"angvel omega spin rotationalvelocity", "angular_velocity",
         "write \"angular_velocity\": [x, y, z]"},
    Word{"joint joints freejoint", "dof", "joints are under \"joints\" of the scene"},
    // Joints.
    Word{"limits limit range limited angularlimits linearlimits", "lower",
         "write \"lower\" and \"upper\", counted from the start"},
    Word{"min minimum lowerlimit minangle lo", "lower", "write \"lower\", counted from the start"},
    Word{"max maximum upperlimit maxangle hi", "upper", "write \"upper\", counted from the start"},
    Word{"limits limit range limited", "anchors",
         "limits belong to coordinates: \"lower\" and \"upper\" of a revolute or prismatic joint, "
         "or below the name of the coordinate"},
    Word{"actuator actuators drive servo", "motor",
         "write \"motor\": {\"velocity\": 1, \"max_effort\": 10}"},
    Word{"motor actuator actuators drive servo", "anchors",
         "motors belong to coordinates: of a revolute or prismatic joint, or below the name of the "
         "coordinate"},
    Word{"frictionloss dryfriction jointfriction coulombfriction", "lower",
         "write \"friction\", a torque or a force"},
    Word{"parent child body1 body2 bodya bodyb a b links", "anchors",
         "write \"bodies\": [\"first\", \"second\"]"},
    Word{"anchor pivot pivots anchora anchorb pos origin", "anchors",
         "write \"anchors\": [[x, y, z], [x, y, z]], in the frames of the two bodies"},
    Word{"hingeaxis direction dir", "axis", "write \"axis\", in the frame of the first body"},
    // Motors.
    Word{"targetvelocity speed targetspeed desiredvelocity", "max_effort", "write \"velocity\""},
    Word{"targetposition target setpoint angle desiredposition", "max_effort",
         "write \"position\""},
    Word{"torque force ctrl value", "max_effort", "write \"effort\""},
    Word{"maxtorque maxforce torquelimit forcelimit effortlimit forcerange maxmotortorque",
         "max_effort", "write \"max_effort\""},
    // Shapes.
    Word{"halfextents halfsize halfsizes extents dimensions", "size",
         "write \"size\": full edge lengths, twice the half extents"},
    Word{"height halflength halfheight h", "length",
         "write \"length\": the whole length along z"},
    Word{"r rad diameter", "radius", "write \"radius\""},
    Word{"filename mesh uri path", "file", "write \"file\""},
    Word{"points", "vertices", "write \"vertices\""},
    Word{"mu friction restitution", "material",
         "surfaces are under \"materials\" of the scene; the shape names its \"material\""},
    // Materials.
    Word{"restitutioncoefficient coefficientofrestitution bounciness cor e", "restitution_law",
         "write \"restitution\", 0 to 1"},
    Word{"frictioncoefficient mu staticfriction dynamicfriction slidingfriction mu1 kineticfriction "
         "lateralfriction",
         "restitution_law", "write \"friction\""},
    Word{"spinningfriction torsionfriction", "torsional_friction",
         "write \"torsional_friction\", a length"},
    Word{"rollfriction rollingresistance", "rolling_friction",
         "write \"rolling_friction\", a length"},
    // The simulation.
    Word{"timestep dt stepsize h", "duration", "write \"step\", in seconds"},
    Word{"endtime tend time steps t", "duration", "write \"duration\", in seconds"},
    Word{"integrator method", "duration", "write \"scheme\""},
};

struct Type {
  const char* words;
  const char* needs;  // a type that must be known
  const char* advice;
};

constexpr std::array types = {
    Type{"hinge pin continuous rotational revolve rotary", "revolute",
         "a hinge is \"type\": \"revolute\""},
    Type{"slide slider sliding linear translational", "prismatic",
         "a slide is \"type\": \"prismatic\""},
    Type{"weld rigid lock glue", "fixed", "a weld is \"type\": \"fixed\""},
    Type{"spherical ballsocket ballandsocket balljoint point2point p2p connect socket", "ball",
         "write \"type\": \"ball\""},
    Type{"free floating freejoint 6dof", "ball", "bodies without a joint move freely: leave it out"},
    Type{"hooke cardan ujoint gimbal", "universal", "write \"type\": \"universal\""},
    Type{"rod bar strut", "distance", "write \"type\": \"distance\""},
    Type{"cable string tendon tether spatial", "rope", "write \"type\": \"rope\""},
    Type{"motor actuator servo drive", "revolute", motor_of_joint},
    Type{"motor actuator servo drive", "spring", motor_of_joint},
    Type{"mesh trimesh trianglemesh convexmesh convex polyhedron obj stl", "hull",
         "write \"type\": \"hull\" with \"file\" or \"vertices\""},
    Type{"cylinder", "capsule",
         "take a \"capsule\", whose ends are round, or a \"hull\" of points on the two rims"},
    Type{"plane ground floor", "halfspace", "a plane is \"type\": \"halfspace\""},
    Type{"cube cuboid block rectangle", "box", "write \"type\": \"box\" with the edges as \"size\""},
    Type{"ball", "sphere", "write \"type\": \"sphere\""},
    Type{"circle", "disc", "write \"type\": \"disc\""},
    Type{"tendon springdamper springdamping", "spring", "write \"type\": \"spring\""},
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
std::string find(const Table& table, std::string_view word,
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
  return find(words, word, known);
}

std::string advice_for_type(std::string_view word, const std::vector<std::string_view>& known) {
  return find(types, word, known);
}

}  // namespace cairn::scene
