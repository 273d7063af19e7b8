// The tables themselves; units are SI, [-] where there is none.
#include "scene/format/tables.hpp"

#include <initializer_list>

namespace cairn::scene {
namespace {

using T = FieldType;
constexpr const char* required = nullptr;

FieldTable typed(const char* type, std::initializer_list<Field> own,
                 const std::vector<Field>& common) {
  FieldTable table{type, {{"type", T::text, "", required, type}}};
  table.fields.insert(table.fields.end(), own.begin(), own.end());
  table.fields.insert(table.fields.end(), common.begin(), common.end());
  return table;
}

// Ends of a joint or a spring.
constexpr Field bodies_field = {"bodies", T::body_pair, "", required,
                                "names of two bodies; `world` is the fixed frame"};
constexpr Field anchors_field = {"anchors", T::anchors, "m", "[[0,0,0],[0,0,0]]",
                                 "ends in the frames of the two bodies"};
constexpr Field collide_field = {"collide", T::boolean, "", "false",
                                 "may the two bodies touch each other?"};
constexpr Field length_field = {
    "length", T::number, "m", "initial distance",
    "of the massless rod between the anchors, which start that far apart"};

}  // namespace

const Field* FieldTable::find(std::string_view key) const {
  for (const Field& field : fields)
    if (key == field.key) return &field;
  return nullptr;
}

const FieldTable& scene_fields() {
  static const FieldTable table{
      "scene",
      {{"cairn", T::integer, "", required, "version of the format, 1"},
       {"name", T::text, "", "file name", "of the scene"},
       {"gravity", T::vector3, "m/s^2", "[0,0,-9.81]", "acceleration of free fall"},
       {"materials", T::materials, "", "{}",
        "friction and restitution by name, of pairs under `a|b`"},
       {"meshes", T::drawn_meshes, "", "{}",
        "meshes by name that `visual` shapes show, as resolved scenes hold them"},
       {"bodies", T::bodies, "", "[]", "list of bodies"},
       {"joints", T::joints, "", "[]", "list of joints"},
       {"gears", T::gears, "", "[]", "list of gears, which couple coordinates of joints"},
       {"forces", T::forces, "", "[]", "list of springs, dampers, forces and torques"},
       {"no_contact", T::body_pairs, "", "[]",
        "pairs of bodies that never touch, `[[\"a\", \"b\"], ...]`"},
       {"generate", T::generators, "", "[]", "list of generators that add bodies and joints"},
       {"include", T::includes, "", "[]", "list of scenes and models of robots that are added"},
       {"simulation", T::simulation, "", "{}", "scheme, solver, step and duration"},
       {"expect", T::expectations, "", "[]", "facts that hold at the end of the run"}}};
  return table;
}

const FieldTable& include_fields() {
  static const FieldTable table{
      "include",
      {{"file", T::text, "", required,
        "scene, URDF, MJCF or SDFormat file, relative to the folder of the scene"},
       {"prefix", T::text, "", "\"\"", "of all its names"},
       {"position", T::vector3, "m", "[0,0,0]", "of its origin"},
       {"orientation", T::orientation, "-", "[1,0,0,0]", "of its axes"},
       {"base", T::text, "", "\"file\"", "of a robot: `free`, `fixed`, or as its `file` says"},
       {"keyframe", T::text, "", "none", "of an MJCF file: name or number of where it starts"}}};
  return table;
}

const FieldTable& material_fields() {
  static const FieldTable table{
      "material",
      {{"friction", T::number, "-", "0", "Coulomb's coefficient, >= 0; in a pair: geometric mean"},
       {"restitution", T::number, "-", "0",
        "what an impact returns, 0 to 1; in a pair: the larger one"},
       {"restitution_law", T::restitution_law, "", "\"newton\"",
        "what `restitution` is a ratio of: `newton` normal speeds, `poisson` normal impulses, "
        "`stronge` square root of works; in a pair: the later one of this list"},
       {"bounce_friction", T::number, "-", "that of `friction`",
        "Coulomb's coefficient of bouncing contacts, scheme `hybrid`, >= 0; in a pair: geometric "
        "mean"},
       {"rolling_friction", T::number, "m", "0",
        "torque about the tangents per normal force, >= 0; in a pair: the larger one"},
       {"torsional_friction", T::number, "m", "0",
        "torque about the normal per normal force, >= 0; in a pair: the larger one"},
       {"friction_across", T::number, "-", "friction",
        "coefficient across `friction_direction`, > 0; in a pair: geometric mean"},
       {"friction_polygon", T::points2, "-", "none",
        "instead of `friction`: 3 to 64 corners of the section of the friction cone, along "
        "`friction_direction` and across; convex, around the origin; forces on what touches the "
        "body; in a pair: scaled to the geometric mean of the largest coefficients"},
       {"friction_direction", T::vector3, "-", "[1,0,0]",
        "along which `friction` holds, in the frame of the body; in a pair `a|b` of that with "
        "material `a`"}}};
  return table;
}

const FieldTable& body_fields() {
  static const FieldTable table{
      "body",
      {{"name", T::text, "", required, "unique, at most 256 bytes, not `world`"},
       {"fixed", T::boolean, "", "false", "true: the body never moves"},
       {"dof", T::text, "", "\"x y z rx ry rz\"",
        "free world directions; rotations: none, one or all three"},
       {"mass", T::number, "kg", "from density", "> 0"},
       {"density", T::number, "kg/m^3", "none", "of every shape, > 0; of planar shapes kg/m^2"},
       {"inertia", T::inertia, "kg m^2", "from the shapes",
        "about the centre of mass in the body frame"},
       {"center_of_mass", T::vector3, "m", "from the shapes",
        "in the body frame; needs `inertia` if the body rotates"},
       {"position", T::vector3, "m", "[0,0,0]", "of the body frame's origin in the world"},
       {"orientation", T::orientation, "-", "[1,0,0,0]", "of the body frame"},
       {"velocity", T::vector3, "m/s", "[0,0,0]", "of the body frame's origin in the world"},
       {"angular_velocity", T::vector3, "rad/s", "[0,0,0]", "in the world frame"},
       {"shapes", T::shapes, "", "[]", "contact geometry"},
       {"visual", T::visuals, "", "[]",
        "shapes that are drawn in place of `shapes` and never touch"},
       {"color", T::vector3, "-", "chosen", "red, green, blue of sRGB, each 0 to 1"},
       {"motion", T::motion, "", "none",
        "present: the body moves as prescribed and takes no force"}}};
  return table;
}

const FieldTable& template_fields() {
  static const FieldTable table = [] {
    FieldTable copy{"template", {}};
    for (const Field& field : body_fields().fields) {
      const std::string_view key = field.key;
      if (key != "name" && key != "position" && key != "motion") copy.fields.push_back(field);
    }
    return copy;
  }();
  return table;
}

const FieldTable& motion_fields() {
  static const FieldTable table{
      "motion",
      {{"position", T::expressions, "m", "[0,0,0]",
        "of the body frame's origin in the world, functions of t"},
       {"axis", T::vector3, "-", "[0,0,1]", "of the rotation, in the world"},
       {"angle", T::expression, "rad", "0",
        "about the axis, applied to `orientation`, function of t"}}};
  return table;
}

const FieldTable& motor_fields() {
  static const FieldTable table{
      "motor",
      {{"velocity", T::expression, "rad/s, m/s", "none",
        "of the coordinate, which the motor keeps; needs `max_effort`"},
       {"position", T::expression, "rad, m", "none",
        "of the coordinate, which the motor keeps; needs `max_effort`"},
       {"max_effort", T::number, "N m, N", "none",
        "largest effort that keeping `velocity` or `position` takes; with gains: no limit"},
       {"max_velocity", T::number, "rad/s, m/s", "none", "largest rate towards `position`"},
       {"effort", T::expression, "N m, N", "none",
        "torque about the axis or force along it, instead of `velocity` or `position`"},
       {"stiffness", T::number, "N m/rad, N/m", "0",
        "gain: effort per difference to `position` at the end of the step, >= 0"},
       {"damping", T::number, "N m s/rad, N s/m", "0",
        "gain: effort per difference to `velocity`, 0 if that is missing, at the end of the step, "
        ">= 0"}}};
  return table;
}

const FieldTable& gear_fields() {
  static const FieldTable table{
      "gear",
      {{"name", T::text, "", "gear<index>", "unique"},
       {"joints", T::gear_terms, "", required,
        "coordinates whose sum, each times its ratio, stays what it is at the start"}}};
  return table;
}

const FieldTable& gear_term_fields() {
  static const FieldTable table{
      "gear_term",
      {{"joint", T::text, "", required, "name of the joint"},
       {"coordinate", T::text, "", "none", "its coordinate, if it has several"},
       {"ratio", T::number, "-, m/rad", "1", "not 0"}}};
  return table;
}

const TypedTables& shape_tables() {
  static const std::vector<Field> common = {
      {"position", T::vector3, "m", "[0,0,0]", "in the body frame"},
      {"orientation", T::orientation, "-", "[1,0,0,0]", "in the body frame"},
      {"material", T::text, "", "\"default\"", "name out of `materials`"}};
  static const TypedTables tables = {
      typed("point", {}, common),
      typed("sphere", {{"radius", T::number, "m", required, "> 0"}}, common),
      typed("box", {{"size", T::vector3, "m", required, "full edge lengths along x, y, z"}},
            common),
      typed("capsule",
            {{"radius", T::number, "m", required, "> 0"},
             {"length", T::number, "m", required, "between the centres of the caps, along z, > 0"}},
            common),
      typed("cylinder",
            {{"radius", T::number, "m", required, "> 0"},
             {"length", T::number, "m", required, "along z, centred, > 0"}},
            common),
      typed("cone",
            {{"radius", T::number, "m", required, "at z = -`length` / 2, >= 0"},
             {"top_radius", T::number, "m", "0", "at z = +`length` / 2, >= 0; one of both is > 0"},
             {"length", T::number, "m", required, "along z, centred, > 0"}},
            common),
      typed("ellipsoid", {{"radii", T::vector3, "m", required, "semi-axes along x, y, z"}}, common),
      typed("halfspace",
            {{"normal", T::vector3, "-", "[0,0,1]",
              "outward, the solid is on the other side of the plane through `position`"}},
            common),
      typed("disc", {{"radius", T::number, "m", required, "> 0"}}, common),
      typed("ellipse", {{"radii", T::vector2, "m", required, "semi-axes along x, y"}}, common),
      typed("hull",
            {{"vertices", T::points3, "m", "none", "points whose convex hull is the shape"},
             {"file", T::text, "", "none",
              "OBJ, STL or PLY file with a convex mesh, relative to the folder of the scene"},
             {"convex_hull", T::boolean, "", "false",
              "with `file`: take the convex hull of a mesh that is not convex"},
             {"A", T::points3, "-", "none", "rows of A x <= b, outward normals of any length"},
             {"b", T::numbers, "m", "none", "right sides of A x <= b, one for each row"}},
            common),
      typed("polygon",
            {{"vertices", T::points2, "m", required,
              "corners of a convex polygon in their order, in either sense"}},
            common),
      typed("mesh",
            {{"file", T::text, "", required,
              "OBJ, STL or PLY file, relative to the folder of the scene"},
             {"scale", T::number_or_vector3, "-", "1", "of all coordinates, or of x, y, z"},
             {"as", T::text, "", "convex",
              "what touches: `hull`, the convex hull; `decompose`, convex parts; without it the "
              "mesh must be convex"},
             {"repair", T::boolean, "", "false",
              "weld equal points, drop collapsed and doubled faces, turn faces outwards"},
             {"max_volume_error", T::number, "-", "0.02",
              "of `decompose`: volume of the parts beyond that of the mesh"},
             {"max_distance", T::number, "-", "0.01",
              "of `decompose`: of the parts from the mesh, by the diagonal of its box"},
             {"max_parts", T::integer, "", "512", "of `decompose`: 1 to 4096"}},
            common)};
  return tables;
}

const TypedTables& visual_tables() {
  static const TypedTables tables = [] {
    constexpr Field colour = {"color", T::vector3, "-", "of the body",
                              "red, green, blue of sRGB, each 0 to 1"};
    TypedTables copy;
    for (const FieldTable& shape : shape_tables()) {
      FieldTable& table = copy.emplace_back(FieldTable{shape.name, {}});
      if (std::string_view(shape.name) == "mesh") {
        table.fields = {
            {"type", T::text, "", required, "mesh"},
            {"file", T::text, "", "none",
             "OBJ, STL or PLY file, relative to the folder of the scene"},
            {"mesh", T::text, "", "none", "name out of `meshes`, instead of `file`"},
            {"scale", T::number_or_vector3, "-", "1", "of all coordinates, or of x, y, z"},
            {"position", T::vector3, "m", "[0,0,0]", "in the body frame"},
            {"orientation", T::orientation, "-", "[1,0,0,0]", "in the body frame"}};
      } else {
        for (const Field& field : shape.fields)
          if (std::string_view(field.key) != "material") table.fields.push_back(field);
      }
      table.fields.push_back(colour);
    }
    return copy;
  }();
  return tables;
}

const FieldTable& drawn_mesh_fields() {
  static const FieldTable table{
      "drawn mesh",
      {{"points", T::integer, "", required, "number of corners"},
       {"triangles", T::integer, "", required, "number of triangles"},
       {"low", T::vector3, "m", required, "least coordinates"},
       {"high", T::vector3, "m", required, "largest coordinates"},
       {"data", T::texts, "", required, "corners and triangles, packed"}}};
  return table;
}

namespace {

constexpr Field limit_restitution = {"restitution", T::number, "-", "0",
                                     "of impacts at the ends of the range"};
constexpr Field motor_field = {"motor", T::motor, "", "none", "drives the coordinate"};

const std::vector<Field>& angle_list() {
  static const std::vector<Field> list = {
      {"lower", T::number, "rad", "none", "least angle from the start, at most 0; needs upper"},
      {"upper", T::number, "rad", "none", "largest angle from the start, at least 0; needs lower"},
      limit_restitution,
      {"friction", T::number, "N m", "0", "largest torque of dry friction"},
      {"stiffness", T::number, "N m/rad", "0", "of a spring: torque per angle from `rest`, >= 0"},
      {"rest", T::number, "rad", "0", "angle without torque of the spring"},
      {"damping", T::number, "N m s/rad", "0", "torque per rate of the angle, >= 0"},
      {"armature", T::number, "kg m^2", "0", "inertia of a rotor that turns with the angle, >= 0"},
      motor_field};
  return list;
}

const std::vector<Field>& displacement_list() {
  static const std::vector<Field> list = {
      {"lower", T::number, "m", "none", "least displacement from the start, at most 0"},
      {"upper", T::number, "m", "none", "largest displacement from the start, at least 0"},
      limit_restitution,
      {"friction", T::number, "N", "0", "largest force of dry friction"},
      {"stiffness", T::number, "N/m", "0", "of a spring: force per displacement from `rest`, >= 0"},
      {"rest", T::number, "m", "0", "displacement without force of the spring"},
      {"damping", T::number, "N s/m", "0", "force per rate of the displacement, >= 0"},
      {"armature", T::number, "kg", "0",
       "inertia of a rotor that moves with the displacement, >= 0"},
      motor_field};
  return list;
}

// A type of joint with its own fields, what acts along its coordinate, and the common fields.
FieldTable moving(const char* type, std::initializer_list<Field> own,
                  const std::vector<Field>& coordinate, const std::vector<Field>& common) {
  FieldTable table = typed(type, own, coordinate);
  table.fields.insert(table.fields.end(), common.begin(), common.end());
  return table;
}

constexpr Field turns_about(const char* key, const char* text) {
  return {key, T::angle_coordinate, "", "none", text};
}
constexpr Field slides_along(const char* key, const char* text) {
  return {key, T::displacement_coordinate, "", "none", text};
}

// The types of joints with their own fields, each followed by `common`.
TypedTables joints_with(const std::vector<Field>& common) {
  const auto axis = [](const char* key, const char* standard, const char* text) {
    return Field{key, T::vector3, "-", standard, text};
  };
  const Field along = slides_along("translation", "along `axis`"),
              about = turns_about("rotation", "about `axis`"),
              x = slides_along("x", "along the first tangent of the plane"),
              y = slides_along("y", "along the second tangent of the plane");
  std::vector<Field> without_collide;
  for (const Field& field : common)
    if (std::string_view(field.key) != "collide") without_collide.push_back(field);
  return {
      typed("distance", {length_field}, common),
      typed("ball", {}, common),
      moving("revolute", {axis("axis", "[0,0,1]", "of the hinge, in the first body's frame")},
             angle_list(), common),
      moving(
          "prismatic",
          {axis("axis", "[1,0,0]", "of sliding, in the first body's frame; no relative rotation")},
          displacement_list(), common),
      typed("fixed", {}, common),
      typed("cylindrical",
            {axis("axis", "[0,0,1]", "of sliding and turning, in the first body's frame"), along,
             about},
            common),
      typed("screw",
            {axis("axis", "[0,0,1]", "of sliding and turning, in the first body's frame"),
             {"pitch", T::number, "m", required,
              "displacement per turn, > 0 for a right-handed thread, not 0"},
             along,
             about},
            common),
      typed("universal",
            {axis("axis", "[1,0,0]", "fixed in the first body, in its frame"),
             axis("second_axis", "[0,1,0]",
                  "fixed in the second body, at the start in the first body's frame; perpendicular "
                  "to `axis`"),
             turns_about("first", "about `axis`"), turns_about("second", "about `second_axis`")},
            common),
      typed("planar",
            {axis("normal", "[0,0,1]", "of the plane, in the first body's frame"), x, y,
             turns_about("rotation", "about `normal`")},
            common),
      typed("point_on_line",
            {axis("axis", "[1,0,0]", "of the line, in the first body's frame"), along}, common),
      typed("point_on_plane",
            {axis("normal", "[0,0,1]", "of the plane, in the first body's frame"), x, y}, common),
      typed("rope",
            {{"length", T::number, "m", "initial distance",
              "largest distance of the anchors; the bodies may touch"},
             {"restitution", T::number, "-", "0", "of the impact when the rope becomes taut"}},
            without_collide)};
}

}  // namespace

const FieldTable& angle_fields() {
  static const FieldTable table{"angle", angle_list()};
  return table;
}
const FieldTable& displacement_fields() {
  static const FieldTable table{"displacement", displacement_list()};
  return table;
}

const TypedTables& joint_tables() {
  static const TypedTables tables = joints_with({{"name", T::text, "", "joint<index>", "unique"},
                                                 bodies_field,
                                                 anchors_field,
                                                 collide_field});
  return tables;
}

const TypedTables& force_tables() {
  static const Field damping = {"damping", T::number, "N s/m", required,
                                "force per speed of lengthening"};
  static const TypedTables tables = {
      typed("spring",
            {bodies_field,
             anchors_field,
             {"stiffness", T::number, "N/m", required, "force per lengthening"},
             {"rest_length", T::number, "m", "0", "length without force"},
             {"damping", T::number, "N s/m", "0", "force per speed of lengthening"}},
            {}),
      typed("damper", {bodies_field, anchors_field, damping}, {}),
      typed(
          "force",
          {{"body", T::text, "", required, "name of the body"},
           {"value", T::expressions, "N", required, "in the world, functions of t"},
           {"point", T::vector3, "m", "centre of mass", "where the force acts, in the body frame"}},
          {}),
      typed("torque",
            {{"body", T::text, "", required, "name of the body"},
             {"value", T::expressions, "N m", required, "in the world, functions of t"}},
            {})};
  return tables;
}

const TypedTables& chain_joint_tables() {
  static const TypedTables tables = joints_with({anchors_field, collide_field});
  return tables;
}

const TypedTables& generator_tables() {
  static const std::vector<Field> common = {
      {"name", T::text, "", required,
       "prefix of the names; numbers from 1, padded with zeros, follow"},
      {"of", T::body_template, "", required, "a body without name, position and motion"},
      {"origin", T::vector3, "m", "[0,0,0]", "position of the first body"}};
  static const Field count = {"count", T::integer, "-", required, "number of bodies, >= 1"};
  static const Field spacing = {"spacing", T::number, "m", required, "between neighbours, > 0"};
  static const Field direction = {"direction", T::vector3, "-", "[1,0,0]",
                                  "from one body to the next"};
  static const TypedTables tables = {
      typed("row", {count, spacing, direction}, common),
      typed("chain",
            {count,
             spacing,
             direction,
             {"joint", T::chain_joint, "", "none", "joins each body with the next"}},
            common),
      typed("triangle",
            {{"base", T::integer, "-", required,
              "bodies in the lowest row; each row has one less, down to 1"},
             spacing,
             {"row_height", T::number, "m", "spacing sqrt(3)/2", "distance of the rows, > 0"},
             {"right", T::vector3, "-", "[1,0,0]", "along a row"},
             {"up", T::vector3, "-", "[0,1,0]", "from row to row"}},
            common),
      typed(
          "lattice",
          {{"count", T::counts, "-", required, "bodies along x, y, z; x runs fastest"},
           {"spacing", T::number_or_vector3, "m", required, "along x, y, z, > 0"},
           {"jitter", T::number_or_vector3, "m", "0", "largest random displacement along x, y, z"},
           {"seed", T::integer, "-", "1", "of the random displacements and orientations"},
           {"turn", T::boolean, "-", "false", "true: each body gets a random orientation"}},
          common)};
  return tables;
}

const FieldTable& simulation_fields() {
  static const FieldTable table{
      "simulation",
      {{"scheme", T::options, "", "\"euler\"", "time-stepping scheme with its options"},
       {"solver", T::options, "", "\"auto\"", "solver with its options"},
       {"verdict", T::plain_options, "", "{}",
        "limits within which the motion of a step is accepted, and how a step is divided"},
       {"forces", T::plain_options, "", "{}", "which contact forces are shown"},
       {"record", T::plain_options, "", "{}", "what a recording holds"},
       {"step", T::number, "s", "0.01", "length of a step, above 1e-12, at most 1e3"},
       {"duration", T::number, "s", "1", "of the run; at most 1e9 steps"}}};
  return table;
}

const FieldTable& expectation_fields() {
  static const FieldTable table{
      "expectation",
      {{"quantity", T::text, "", required,
        "path into summary.json, such as `penetration.max` or `bodies.ball.position[1]`"},
       {"at_most", T::number, "", "none", "upper bound"},
       {"at_least", T::number, "", "none", "lower bound"},
       {"equals", T::number, "", "none", "value"},
       {"tolerance", T::number, "", "0", "of `equals`"}}};
  return table;
}

}  // namespace cairn::scene
