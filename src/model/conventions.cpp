#include "model/conventions.hpp"

namespace cairn::model {

#ifdef CAIRN_DCHECKS

namespace {

int rotations(const Body& body) {
  return body.rotation == RotationKind::none ? 0 : body.rotation == RotationKind::one ? 1 : 3;
}

void dcheck_body(const Body& body) {
  const auto translations =
      static_cast<int>(std::count(body.translations.begin(), body.translations.end(), true));
  CAIRN_DCHECK(!body.name.empty());
  if (body.kind == BodyKind::dynamic)
    CAIRN_DCHECK(body.velocities == translations + rotations(body), body.name, body.velocities);
  else
    CAIRN_DCHECK(body.velocities == 0, body.name, body.velocities);
  CAIRN_DCHECK(body.mass >= 0 && std::isfinite(body.mass), body.name, body.mass);
  CAIRN_DCHECK(body.velocities == 0 || translations == 0 || body.mass > 0, body.name, body.mass);
  CAIRN_DCHECK(body.inertia_B.allFinite(), body.name);
  CAIRN_DCHECK(body.inertia_B.diagonal().minCoeff() >= 0, body.name);
  CAIRN_DCHECK((body.inertia_B - body.inertia_B.transpose()).norm() <=
                   base::convention_tolerance * body.inertia_B.norm(),
               body.name);
  CAIRN_DCHECK(body.p_Bcm.allFinite(), body.name);
  CAIRN_DCHECK(body.radius >= 0, body.name, body.radius);
  CAIRN_DCHECK(body.shapes >= 0, body.name, body.shapes);
  CAIRN_DCHECK(base::is_direction(body.axis_W), body.name);
  CAIRN_DCHECK(base::is_rotation(body.R_WB0), body.name);
  CAIRN_DCHECK(body.motion.has_value() == (body.kind == BodyKind::prescribed), body.name);
}

void dcheck_polyhedron(const Polyhedron& p) {
  CAIRN_DCHECK(!p.vertices.empty() && !p.faces.empty());
  CAIRN_DCHECK(p.polar.size() == p.faces.size(), p.polar.size(), p.faces.size());
  CAIRN_DCHECK(p.across.size() == p.face_vertices.size(), p.across.size(), p.face_vertices.size());
  CAIRN_DCHECK(p.inner_radius > 0, p.inner_radius);
  CAIRN_DCHECK(p.outer_radius >= p.inner_radius, p.outer_radius, p.inner_radius);
  CAIRN_DCHECK(!p.planar || p.edges.empty(), p.edges.size());
  CAIRN_DCHECK(
      base::is_strictly_sorted(p.edges, [](const auto& e) { return std::pair(e.tail, e.head); }));
  for (const Polyhedron::Edge& edge : p.edges) {
    CAIRN_DCHECK(edge.tail < edge.head, edge.tail, edge.head);
    CAIRN_DCHECK(base::is_index(edge.tail, p.vertices.size()), edge.tail);
    CAIRN_DCHECK(base::is_index(edge.head, p.vertices.size()), edge.head);
    CAIRN_DCHECK(base::is_index(edge.left, p.faces.size()), edge.left);
    CAIRN_DCHECK(base::is_index(edge.right, p.faces.size()), edge.right);
    CAIRN_DCHECK(edge.left != edge.right, edge.left);
  }
  int next = 0;
  for (const Polyhedron::Face& face : p.faces) {
    CAIRN_DCHECK(base::is_direction(face.normal));
    CAIRN_DCHECK(face.first == next, face.first, next);
    CAIRN_DCHECK(face.count >= 2, face.count);
    next += face.count;
  }
  CAIRN_DCHECK(base::is_index_or_none(next - 1, p.face_vertices.size()), next);
  for (const int vertex : p.face_vertices)
    CAIRN_DCHECK(base::is_index(vertex, p.vertices.size()), vertex);
  for (const int face : p.across) CAIRN_DCHECK(base::is_index(face, p.faces.size()), face);
}

void dcheck_end(const Model& model, BodyId body) {
  CAIRN_DCHECK(base::is_index_or_none(static_cast<int>(body), model.bodies.size()), body);
}

void dcheck_links(const Model& model) {
  for (const Joint& joint : model.joints) {
    for (const BodyId body : joint.bodies) dcheck_end(model, body);
    CAIRN_DCHECK(joint.bodies[0] != joint.bodies[1], joint.name);
    for (const Vec3& anchor : joint.anchors) CAIRN_DCHECK(anchor.allFinite(), joint.name);
    for (const Vec3& axis : joint.axes) CAIRN_DCHECK(base::is_direction(axis), joint.name);
    CAIRN_DCHECK(base::is_rotation(joint.R_AB), joint.name);
    if (const auto* rod = std::get_if<DistanceJoint>(&joint.type))
      CAIRN_DCHECK(rod->length >= 0, joint.name, rod->length);
  }
  for (const Spring& spring : model.springs) {
    for (const BodyId body : spring.bodies) dcheck_end(model, body);
    CAIRN_DCHECK(spring.stiffness >= 0, spring.stiffness);
    CAIRN_DCHECK(spring.damping >= 0, spring.damping);
    CAIRN_DCHECK(spring.rest_length >= 0, spring.rest_length);
  }
  for (const AppliedForce& force : model.applied_forces)
    CAIRN_DCHECK(base::is_index(static_cast<int>(force.body), model.bodies.size()), force.body);
  CAIRN_DCHECK(base::is_strictly_sorted(model.no_contact));
  for (const auto& [a, b] : model.no_contact) {
    CAIRN_DCHECK(a < b);
    CAIRN_DCHECK(base::is_index(static_cast<int>(a), model.bodies.size()));
    CAIRN_DCHECK(base::is_index(static_cast<int>(b), model.bodies.size()));
  }
}

void dcheck_key(const Model& model, const ContactKey& key) {
  CAIRN_DCHECK(key.body_a < key.body_b, key.body_a, key.body_b);
  CAIRN_DCHECK(base::is_index(static_cast<int>(key.body_a), model.bodies.size()), key.body_a);
  CAIRN_DCHECK(base::is_index(static_cast<int>(key.body_b), model.bodies.size()), key.body_b);
  if (is_limit(key)) {
    const auto joint = static_cast<std::size_t>(limited_joint(key));
    CAIRN_DCHECK(joint < model.joints.size(), joint);
    CAIRN_DCHECK(model.joints[joint].limits.any(), joint);
    CAIRN_DCHECK(key.feature.b <= static_cast<std::uint32_t>(LimitSide::upper), key.feature.b);
    return;
  }
  CAIRN_DCHECK(base::is_index(static_cast<int>(key.shape_a), model.shapes.size()), key.shape_a);
  CAIRN_DCHECK(base::is_index(static_cast<int>(key.shape_b), model.shapes.size()), key.shape_b);
  CAIRN_DCHECK(model.shapes[index(key.shape_a)].body == key.body_a, key.shape_a, key.body_a);
  CAIRN_DCHECK(model.shapes[index(key.shape_b)].body == key.body_b, key.shape_b, key.body_b);
}

}  // namespace

void dcheck_model(const Model& model) {
  CAIRN_DCHECK(base::is_strictly_sorted(model.bodies, [](const Body& b) { return b.name; }));
  CAIRN_DCHECK(base::is_strictly_sorted(model.joints, [](const Joint& j) { return j.name; }));
  CAIRN_DCHECK(model.gravity.allFinite());
  CAIRN_DCHECK(base::is_power_of_two(model.mass_unit), model.mass_unit);
  CAIRN_DCHECK(base::is_power_of_two(model.length_unit), model.length_unit);
  int velocities = 0, shapes = 0;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body& body = model.bodies[i];
    dcheck_body(body);
    CAIRN_DCHECK(body.first_velocity == velocities, body.name, body.first_velocity, velocities);
    CAIRN_DCHECK(body.first_shape == shapes, body.name, body.first_shape, shapes);
    velocities += body.velocities;
    for (const int end = shapes + body.shapes; shapes < end; ++shapes) {
      CAIRN_DCHECK(base::is_index(shapes, model.shapes.size()), body.name, shapes);
      CAIRN_DCHECK(index(model.shapes[static_cast<std::size_t>(shapes)].body) == i, body.name);
    }
  }
  CAIRN_DCHECK(velocities == model.velocities, velocities, model.velocities);
  CAIRN_DCHECK(static_cast<std::size_t>(shapes) == model.shapes.size(), shapes);
  for (const Shape& shape : model.shapes) {
    CAIRN_DCHECK(base::is_rotation(shape.X_CS.R));
    CAIRN_DCHECK(shape.X_CS.p.allFinite());
    CAIRN_DCHECK(shape.inner_radius >= 0, shape.inner_radius);
    CAIRN_DCHECK(base::is_index(static_cast<int>(shape.material), model.material_names.size()),
                 shape.material);
    CAIRN_DCHECK(base::is_index_or_none(shape.polyhedron, model.polyhedra.size()),
                 shape.polyhedron);
  }
  for (const Polyhedron& polyhedron : model.polyhedra) dcheck_polyhedron(polyhedron);
  dcheck_links(model);
}

void dcheck_state(const Model& model, const State& state) {
  CAIRN_DCHECK(state.poses.size() == model.bodies.size(), state.poses.size(), model.bodies.size());
  CAIRN_DCHECK(state.v.size() == model.velocities, state.v.size(), model.velocities);
  CAIRN_DCHECK(state.v_before.size() == 0 || state.v_before.size() == model.velocities,
               state.v_before.size());
  CAIRN_DCHECK(state.step >= 0, state.step);
  CAIRN_DCHECK(base::are_rotations(state.poses));
  CAIRN_DCHECK(base::is_strictly_sorted(
      state.impulses, [](const ImpulseMemory& m) -> const ConstraintKey& { return m.key; }));
  CAIRN_DCHECK(base::is_strictly_sorted(state.pending));
  CAIRN_DCHECK(base::is_strictly_sorted(
      state.contact_anchors, [](const ContactAnchor& a) -> const ContactKey& { return a.key; }));
  for (const ImpulseMemory& m : state.impulses) {
    if (is_of_contact(m.key.role)) dcheck_key(model, m.key.contact);
    if (is_of_joint(m.key.role))
      CAIRN_DCHECK(base::is_index(m.key.element, model.joints.size()), m.key.element);
    if (m.key.role == Role::gear)
      CAIRN_DCHECK(base::is_index(m.key.element, model.gears.size()), m.key.element);
  }
  for (const ContactKey& k : state.pending) dcheck_key(model, k);
  for (const ContactAnchor& a : state.contact_anchors) dcheck_key(model, a.key);
}

void dcheck_contact(const Model& model, const Contact& c) {
  dcheck_key(model, c.key);
  CAIRN_DCHECK(base::is_direction(c.n_W), c.n_W.norm());
  CAIRN_DCHECK(base::is_direction(c.t1_W), c.t1_W.norm());
  CAIRN_DCHECK(base::are_orthogonal(c.n_W, c.t1_W), c.n_W.dot(c.t1_W));
  // With two rows t1 is the one direction of slip, and t2 means nothing.
  if (c.rows == 3) {
    CAIRN_DCHECK(base::is_direction(c.t2_W), c.t2_W.norm());
    CAIRN_DCHECK(base::are_orthogonal(c.n_W, c.t2_W), c.n_W.dot(c.t2_W));
    CAIRN_DCHECK(base::are_orthogonal(c.t1_W, c.t2_W), c.t1_W.dot(c.t2_W));
  }
  CAIRN_DCHECK(c.rows >= 0 && c.rows <= 3, c.rows);
  CAIRN_DCHECK(c.friction >= 0, c.friction);
  CAIRN_DCHECK(c.stretch > 0, c.stretch);
  CAIRN_DCHECK(c.torsion >= 0, c.torsion);
  CAIRN_DCHECK(c.rolling >= 0, c.rolling);
  CAIRN_DCHECK(c.restitution >= 0 && c.restitution <= 1, c.restitution);
  CAIRN_DCHECK(!std::isnan(c.gap));
}

void dcheck_contacts(const Model& model, std::span<const Contact> contacts) {
  CAIRN_DCHECK(base::is_strictly_sorted(contacts, [](const Contact& c) { return c.key; }));
  for (const Contact& c : contacts) dcheck_contact(model, c);
}

#endif

}  // namespace cairn::model
