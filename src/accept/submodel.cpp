#include "accept/submodel.hpp"

#include <algorithm>

#include "base/conventions.hpp"
#include "base/index.hpp"

namespace cairn::accept {
namespace {

template <class Id>
Id mapped(const std::vector<int>& to, Id id) {
  return static_cast<Id>(to[base::at(static_cast<int>(id))]);
}
BodyId mapped_body(const std::vector<int>& to, BodyId id) {
  return id == BodyId::world ? id : mapped(to, id);
}

// Whether all bodies that an element acts on are in the part, one of them as a dynamic body.
bool belongs(const Model& model, const std::vector<int>& body_in, std::span<const BodyId> bodies) {
  bool moves = false;
  for (const BodyId id : bodies) {
    if (id == BodyId::world) continue;
    if (body_in[index(id)] < 0) return false;
    moves = moves || model.body(id).velocities > 0;
  }
  return moves;
}

}  // namespace

SubModel::SubModel(const Model& model, std::span<const char> member)
    : whole_(&model),
      body_in_(model.bodies.size(), -1),
      shape_in_(model.shapes.size(), -1),
      joint_in_(model.joints.size(), -1) {
  CAIRN_DCHECK(member.size() == model.bodies.size(), member.size());
  model_.name = model.name;
  model_.gravity = model.gravity;
  model_.material_names = model.material_names;
  model_.materials = model.materials;
  model_.pairs = model.pairs;
  model_.polyhedra = model.polyhedra;
  model_.mass_unit = model.mass_unit;
  model_.length_unit = model.length_unit;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    if (model.bodies[i].velocities > 0 && !member[i]) continue;
    body_in_[i] = static_cast<int>(bodies_.size());
    bodies_.push_back(static_cast<int>(i));
    Body body = model.bodies[i];
    for (int k = 0; k < body.shapes; ++k) {
      const int shape = body.first_shape + k;
      shape_in_[base::at(shape)] = static_cast<int>(shapes_.size());
      shapes_.push_back(shape);
      model_.shapes.push_back(model.shapes[base::at(shape)]);
      model_.shapes.back().body = static_cast<BodyId>(body_in_[i]);
    }
    body.first_shape = static_cast<int>(model_.shapes.size()) - body.shapes;
    body.first_velocity = model_.velocities;
    model_.velocities += body.velocities;
    model_.bodies.push_back(std::move(body));
  }
  for (std::size_t i = 0; i < model.joints.size(); ++i) {
    if (!belongs(model, body_in_, model.joints[i].bodies)) continue;
    joint_in_[i] = static_cast<int>(joints_.size());
    joints_.push_back(static_cast<int>(i));
    model_.joints.push_back(model.joints[i]);
    for (BodyId& id : model_.joints.back().bodies) id = mapped_body(body_in_, id);
  }
  gear_in_.assign(model.gears.size(), -1);
  for (std::size_t i = 0; i < model.gears.size(); ++i) {
    if (!belongs(model, body_in_, model.gears[i].bodies)) continue;
    gear_in_[i] = static_cast<int>(gears_.size());
    gears_.push_back(static_cast<int>(i));
    Gear& gear = model_.gears.emplace_back(model.gears[i]);
    for (BodyId& id : gear.bodies) id = mapped_body(body_in_, id);
    for (GearTerm& term : gear.terms)
      term.joint = static_cast<JointId>(joint_in_[index(term.joint)]);
  }
  for (const Spring& spring : model.springs) {
    if (!belongs(model, body_in_, spring.bodies)) continue;
    model_.springs.push_back(spring);
    for (BodyId& id : model_.springs.back().bodies) id = mapped_body(body_in_, id);
  }
  for (const AppliedForce& force : model.applied_forces) {
    if (body_in_[index(force.body)] < 0) continue;
    model_.applied_forces.push_back(force);
    model_.applied_forces.back().body = mapped(body_in_, force.body);
  }
  for (const auto& [a, b] : model.no_contact)
    if (body_in_[index(a)] >= 0 && body_in_[index(b)] >= 0)
      model_.no_contact.push_back({mapped(body_in_, a), mapped(body_in_, b)});
}

State SubModel::extract(const State& whole) const {
  State part;
  part.t = whole.t;
  part.step = whole.step;
  part.v.resize(model_.velocities);
  const bool before = whole.v_before.size() == whole.v.size();
  if (before) part.v_before.resize(model_.velocities);
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    const Body &from = whole_->bodies[base::at(bodies_[i])], &to = model_.bodies[i];
    part.poses.push_back(whole.poses[base::at(bodies_[i])]);
    part.v.segment(to.first_velocity, to.velocities) =
        whole.v.segment(from.first_velocity, from.velocities);
    if (before)
      part.v_before.segment(to.first_velocity, to.velocities) =
          whole.v_before.segment(from.first_velocity, from.velocities);
  }
  auto inside = [&](const ContactKey& key) {
    return body_in_[index(key.body_a)] >= 0 && body_in_[index(key.body_b)] >= 0;
  };
  auto own = [&](const ContactKey& key) {
    if (is_limit(key))
      return limit_key(mapped(body_in_, key.body_a), mapped(body_in_, key.body_b),
                       static_cast<JointId>(joint_in_[index(limited_joint(key))]), limit_side(key));
    return ContactKey{mapped(body_in_, key.body_a), mapped(body_in_, key.body_b),
                      mapped(shape_in_, key.shape_a), mapped(shape_in_, key.shape_b), key.feature};
  };
  for (const ImpulseMemory& m : whole.impulses) {
    ConstraintKey key = m.key;
    if (is_of_joint(key.role) || key.role == Role::gear) {
      key.element = (key.role == Role::gear ? gear_in_ : joint_in_)[base::at(key.element)];
      if (key.element < 0) continue;
    } else {
      if (!inside(key.contact)) continue;
      key.contact = own(key.contact);
    }
    part.impulses.push_back({key, m.impulse});
  }
  for (const ContactAnchor& a : whole.contact_anchors)
    if (inside(a.key)) part.contact_anchors.push_back({own(a.key), a.p_A, a.p_B});
  for (const ContactKey& key : whole.pending)
    if (inside(key)) part.pending.push_back(own(key));
  return part;
}

std::vector<ExternalForce> SubModel::extract(std::span<const ExternalForce> forces) const {
  std::vector<ExternalForce> own;
  for (const ExternalForce& force : forces)
    if (body_in_[index(force.body)] >= 0) {
      own.push_back(force);
      own.back().body = mapped(body_in_, force.body);
    }
  return own;
}

std::vector<MotorTarget> SubModel::extract(std::span<const MotorTarget> targets) const {
  std::vector<MotorTarget> own;
  for (const MotorTarget& target : targets)
    if (const int joint = joint_in_[index(target.joint)]; joint >= 0)
      own.push_back({static_cast<JointId>(joint), target.value});
  return own;
}

void SubModel::put_back(const State& part, State& whole) const {
  const bool before = part.v_before.size() == part.v.size() && part.v.size() > 0;
  if (before && whole.v_before.size() != whole.v.size()) whole.v_before.setZero(whole.v.size());
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    const Body &to = whole_->bodies[base::at(bodies_[i])], &from = model_.bodies[i];
    whole.poses[base::at(bodies_[i])] = part.poses[i];
    whole.v.segment(to.first_velocity, to.velocities) =
        part.v.segment(from.first_velocity, from.velocities);
    if (before)
      whole.v_before.segment(to.first_velocity, to.velocities) =
          part.v_before.segment(from.first_velocity, from.velocities);
  }
}

ContactKey SubModel::renamed(const ContactKey& key) const {
  if (is_limit(key))
    return limit_key(mapped(bodies_, key.body_a), mapped(bodies_, key.body_b),
                     static_cast<JointId>(joints_[index(limited_joint(key))]), limit_side(key));
  return {mapped(bodies_, key.body_a), mapped(bodies_, key.body_b), mapped(shapes_, key.shape_a),
          mapped(shapes_, key.shape_b), key.feature};
}

ConstraintKey SubModel::renamed(ConstraintKey key) const {
  if (is_of_joint(key.role)) key.element = joints_[base::at(key.element)];
  if (key.role == Role::gear) key.element = gears_[base::at(key.element)];
  if (is_of_contact(key.role)) key.contact = renamed(key.contact);
  return key;
}

void SubModel::rename(State& part) const {
  for (ImpulseMemory& m : part.impulses) m.key = renamed(m.key);
  for (ContactAnchor& a : part.contact_anchors) a.key = renamed(a.key);
  for (ContactKey& key : part.pending) key = renamed(key);
}

void SubModel::rename(StepReport& report) const {
  for (ContactReport& c : report.contacts) c.contact.key = renamed(c.contact.key);
  for (StepEvent& e : report.events)
    if (e.contact.body_a != e.contact.body_b) e.contact = renamed(e.contact);
  for (ImpactReport& i : report.impacts) i.contact = renamed(i.contact);
  for (StepPart& part : report.divided)
    for (BodyId& id : part.bodies) id = mapped(bodies_, id);
  for (SolveRecord& solve : report.solves) {
    Problem& problem = solve.problem;
    for (ProblemBody& body : problem.bodies)
      if (body.model_body >= 0) body.model_body = bodies_[base::at(body.model_body)];
    for (Constraint& c : problem.constraints) c.key = renamed(c.key);
    SolveOrigin& origin = solve.origin;
    for (Contact& c : origin.contacts) c.key = renamed(c.key);
    for (Contact& c : origin.before) c.key = renamed(c.key);
  }
}

}  // namespace cairn::accept
