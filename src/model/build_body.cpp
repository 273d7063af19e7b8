// Reads the description of one body, writes the body, its shapes and its initial motion.
#include "model/build_body.hpp"

#include <cmath>

#include "base/suggestion.hpp"
#include "model/body_mass.hpp"
#include "model/dof.hpp"
#include "model/shape/mass_properties.hpp"
#include "model/shape/shape_checks.hpp"

namespace cairn::model {
namespace {

// Relative rounding of v + w x r, below which a locked velocity counts as zero.
constexpr double velocity_rounding = 1e-14;

BodyKind body_kind(const BodyDescription& d) {
  return d.fixed ? BodyKind::fixed : (d.motion ? BodyKind::prescribed : BodyKind::dynamic);
}

// A body that takes no force has neither mass nor free directions nor a velocity of its own.
void check_contradictions(const BodyDescription& d, const std::string& path, Checks& checks) {
  if (d.fixed && d.motion)
    checks.error(path + ".motion", ErrorCode::conflict, "a fixed body cannot have a motion", "both",
                 "one of them", "drop \"fixed\" or \"motion\"");
  const BodyKind kind = body_kind(d);
  if (kind == BodyKind::dynamic) return;
  const std::string who =
      kind == BodyKind::fixed ? "a fixed body" : "a body with a prescribed motion";
  const std::string toggle = kind == BodyKind::fixed ? "\"fixed\"" : "\"motion\"";
  const auto refuse = [&](const char* key, const std::string& got) {
    checks.error(path + "." + key, ErrorCode::conflict, who + " takes no " + key, got, "",
                 "drop \"" + std::string(key) + "\" or " + toggle);
  };
  if (d.dof != BodyDescription{}.dof) refuse("dof", in_quotes(d.dof));
  if (d.mass) refuse("mass", to_text(*d.mass));
  if (d.density) refuse("density", to_text(*d.density));
  if (d.inertia) refuse("inertia", "a matrix");
  if (d.center_of_mass) refuse("center_of_mass", to_text(*d.center_of_mass));
  if (d.velocity != Vec3::Zero()) refuse("velocity", to_text(d.velocity));
  if (d.angular_velocity != Vec3::Zero()) refuse("angular_velocity", to_text(d.angular_velocity));
  if (kind == BodyKind::prescribed && d.position != Vec3::Zero())
    refuse("position", to_text(d.position));
}

Motion checked_motion(const Motion& motion, const std::string& path, Checks& checks) {
  Motion checked = motion;
  checked.axis = checks.direction(motion.axis, path + ".axis");
  for (std::size_t i = 0; i < 3; ++i)
    checks.finite_at_start(motion.position[i], path + ".position[" + std::to_string(i) + "]",
                           largest_magnitude);
  checks.finite_at_start(motion.angle, path + ".angle", largest_angle);
  return checked;
}

// What the centre of mass of a body is a sum of: it rounds with the farthest of its shapes, however
// close it lies to the origin of the body [m].
double reach(const BodyDescription& d, const Vec3& center) {
  double most = center.cwiseAbs().maxCoeff();
  for (const ShapeDescription& s : d.shapes)
    if (!std::holds_alternative<Halfspace>(s.geometry))
      most = std::max(most, farthest_point(s.geometry, s.X_BS));
  return most;
}

// Velocity of the centre of mass along free world axes, then the rates of rotation.
VecX initial_velocity(const BodyDescription& d, const FreeDirections& dof, const Vec3& r_W,
                      const Quat& R_WB, const std::string& path, Checks& checks) {
  const Vec3 w = d.angular_velocity;
  const Vec3 v_cm = d.velocity + w.cross(r_W);
  const double scale = d.velocity.cwiseAbs().maxCoeff() + w.cwiseAbs().maxCoeff() * reach(d, r_W);
  VecX v = VecX::Zero(dof.count());
  int row = 0;
  for (int k = 0; k < 3; ++k) {
    if (dof.translations[static_cast<std::size_t>(k)]) {
      v[row++] = v_cm[k];
    } else if (std::abs(v_cm[k]) > velocity_rounding * scale) {
      checks.error(path + ".velocity", ErrorCode::locked_direction,
                   "centre of mass moves along a locked direction",
                   to_text(v_cm) + " m/s at the centre of mass",
                   "zero along directions that dof \"" + d.dof + "\" leaves out",
                   "free the direction, or change velocity and angular_velocity");
    }
  }
  // Of the rotation that is asked for; without a free axis nothing of it is rounding.
  const double turning = dof.rotation == RotationKind::one ? std::abs(w[dof.axis]) : 0;
  const auto locked = [&](const Vec3& rest) {
    if (!(rest.cwiseAbs().maxCoeff() > velocity_rounding * turning)) return;
    checks.error(path + ".angular_velocity", ErrorCode::locked_direction,
                 "body turns about a locked axis", to_text(w) + " rad/s",
                 "zero about axes that dof \"" + d.dof + "\" leaves out",
                 "free the rotation or set it to zero");
  };
  if (dof.rotation == RotationKind::none) {
    locked(w);
  } else if (dof.rotation == RotationKind::one) {
    v[row] = w[dof.axis];
    locked(w - w[dof.axis] * Vec3::Unit(dof.axis));
  } else {
    v.segment<3>(row) = R_WB.conjugate() * w;
  }
  return v;
}

MaterialId material_id(const std::string& name, const MaterialTable& materials,
                       const std::string& path, Checks& checks) {
  if (const auto id = materials.find(name)) return *id;
  const std::vector<std::string_view> known(materials.names.begin(), materials.names.end());
  checks.error(path + ".material", ErrorCode::unknown_name, "unknown material", in_quotes(name),
               "a material of \"materials\", or \"default\"",
               base::did_you_mean(name, known, "declare it in \"materials\""));
  return MaterialId{};
}

// Twice the radius about the shape's origin; of hulls and polygons, whose origin may lie far away,
// about their centre.
double extent(const Geometry& geometry, PolyhedronTable& polyhedra) {
  const bool has_center =
      std::holds_alternative<Hull>(geometry) || std::holds_alternative<Polygon>(geometry);
  if (!has_center) return 2 * bounding_radius(geometry);
  const auto polyhedron = polyhedra.find(geometry);
  return polyhedron ? 2 * (*polyhedron)->outer_radius : 0;
}

}  // namespace

BodyParts build_body(const BodyDescription& given, const std::string& path,
                     const MaterialTable& materials, PolyhedronTable& polyhedra, Checks& checks) {
  BodyDescription d = given;
  check_contradictions(d, path, checks);
  checks.magnitude(d.position, path + ".position", "m");
  checks.magnitude(d.velocity, path + ".velocity", "m/s", largest_speed);
  checks.magnitude(d.angular_velocity, path + ".angular_velocity", "rad/s", largest_angular_speed);
  d.orientation = checks.rotation(d.orientation, path + ".orientation");

  BodyParts parts;
  Body& body = parts.body;
  body.name = d.name;
  body.kind = body_kind(d);
  body.R_WB0 = d.orientation;

  // Without knowing the free directions, shapes and mass are judged as those of a fixed body: later
  // faults would only follow from the first one.
  FreeDirections dof{{false, false, false}, RotationKind::none, 2};
  bool sound = true;
  if (body.kind == BodyKind::dynamic) {
    const auto parsed = parse_dof(d.dof, path + ".dof", checks);
    sound = parsed.has_value();
    if (parsed) dof = *parsed;
    body.velocities = dof.count();
  }
  const BodyKind judged_as = sound ? body.kind : BodyKind::fixed;
  body.translations = dof.translations;
  body.rotation = dof.rotation;
  body.axis_W = Vec3::Unit(dof.axis);

  for (std::size_t i = 0; i < d.shapes.size(); ++i)
    sound &= check_shape(d.shapes[i], path + ".shapes[" + std::to_string(i) + "]", judged_as, dof,
                         d.orientation, polyhedra, checks);

  Pose X_WB{d.position, d.orientation};
  if (body.kind == BodyKind::dynamic && sound) {
    const MassProperties m = body_mass(d, dof.rotation, path, polyhedra, checks);
    body.mass = m.mass;
    body.inertia_B = m.inertia;
    body.p_Bcm = m.center;
    parts.v = initial_velocity(d, dof, X_WB.R * m.center, X_WB.R, path, checks);
  } else if (d.motion) {
    body.motion = checked_motion(*d.motion, path + ".motion", checks);
    const Motion& motion = *body.motion;
    X_WB.p = Vec3(motion.position[0](0), motion.position[1](0), motion.position[2](0));
    X_WB.R = exp_rotation(motion.axis * motion.angle(0)) * d.orientation;
  }
  parts.X_WC = {X_WB * body.p_Bcm, X_WB.R};

  for (std::size_t i = 0; i < d.shapes.size(); ++i) {
    const ShapeDescription& s = d.shapes[i];
    const Pose X_CS{s.X_BS.p - body.p_Bcm, s.X_BS.R};
    const MaterialId material =
        material_id(s.material, materials, path + ".shapes[" + std::to_string(i) + "]", checks);
    parts.shapes.push_back({s.geometry, BodyId{}, X_CS, material, -1});
    if (std::holds_alternative<Halfspace>(s.geometry)) continue;
    body.radius = std::max(body.radius, farthest_point(s.geometry, X_CS));
    parts.extent = std::max(parts.extent, extent(s.geometry, polyhedra));
  }
  body.shapes = static_cast<int>(parts.shapes.size());
  return parts;
}

}  // namespace cairn::model
