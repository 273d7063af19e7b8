// Looks at every id of a frame before anything is looked up by it.
#include "record/trace/fits.hpp"

#include <algorithm>

namespace cairn::record {
namespace {

template <class Id>
bool in(Id id, std::size_t count) {
  const auto number = static_cast<std::int64_t>(id);
  return number >= 0 && static_cast<std::size_t>(number) < count;
}

bool key_exists(const Model& model, const ContactKey& key) {
  if (is_limit(key))
    return in(key.body_a, model.bodies.size()) && in(key.body_b, model.bodies.size()) &&
           key.shape_b == ShapeId::none && in(key.feature.a, model.joints.size()) &&
           model.joints[key.feature.a].limits.any() &&
           in(key.feature.b, static_cast<std::size_t>(LimitSide::upper) + 1);
  return in(key.body_a, model.bodies.size()) && in(key.body_b, model.bodies.size()) &&
         in(key.shape_a, model.shapes.size()) && in(key.shape_b, model.shapes.size());
}

bool keys_exist(const Model& model, const std::vector<Contact>& contacts) {
  return std::all_of(contacts.begin(), contacts.end(),
                     [&](const Contact& c) { return key_exists(model, c.key); });
}

bool key_exists(const Model& model, const Problem& problem, const ConstraintKey& id) {
  switch (id.role) {
    case Role::limit:
    case Role::contact:
    case Role::torsion:
    case Role::rolling:
      return key_exists(model, id.contact);
    case Role::joint:
    case Role::drive:
    case Role::friction:
    case Role::spring:
    case Role::rotor:
      return in(id.element, model.joints.size());
    case Role::gear:
      return in(id.element, model.gears.size());
    case Role::given:
      return in(id.element, problem.names.size());
  }
  return false;
}

bool ids_exist(const Model& model, const Problem& problem) {
  const auto body_exists = [&](const ProblemBody& b) {
    return in(b.model_body, model.bodies.size()) &&
           model.bodies[static_cast<std::size_t>(b.model_body)].velocities == b.size;
  };
  const auto constraint_exists = [&](const Constraint& c) {
    return key_exists(model, problem, c.key);
  };
  return std::all_of(problem.bodies.begin(), problem.bodies.end(), body_exists) &&
         std::all_of(problem.constraints.begin(), problem.constraints.end(), constraint_exists);
}

}  // namespace

bool state_fits(const Model& model, const State& state) {
  return state.poses.size() == model.bodies.size() && state.v.size() == model.velocities &&
         std::all_of(state.impulses.begin(), state.impulses.end(),
                     [&](const ImpulseMemory& m) { return key_exists(model, {}, m.key); }) &&
         std::all_of(state.contact_anchors.begin(), state.contact_anchors.end(),
                     [&](const ContactAnchor& a) { return key_exists(model, a.key); });
}

static bool controls_exist(const Model& model, const Controls& controls) {
  return std::all_of(controls.forces.begin(), controls.forces.end(),
                     [&](const ExternalForce& f) { return in(f.body, model.bodies.size()); }) &&
         std::all_of(controls.motors.begin(), controls.motors.end(), [&](const MotorTarget& m) {
           return in(m.joint, model.joints.size()) && model.joints[index(m.joint)].motor;
         });
}

bool ids_exist(const Model& model, const StepReport& report) {
  const auto solves = report.solved();
  return controls_exist(model, report.controls) &&
         std::all_of(solves.begin(), solves.end(),
                     [&](const SolveRecord& record) {
                       return ids_exist(model, record.problem) &&
                              keys_exist(model, record.origin.contacts) &&
                              keys_exist(model, record.origin.before);
                     }) &&
         std::all_of(report.contacts.begin(), report.contacts.end(),
                     [&](const ContactReport& c) { return key_exists(model, c.contact.key); }) &&
         std::all_of(report.events.begin(), report.events.end(),
                     [&](const StepEvent& e) { return key_exists(model, e.contact); }) &&
         std::all_of(report.impacts.begin(), report.impacts.end(),
                     [&](const ImpactReport& i) { return key_exists(model, i.contact); });
}

}  // namespace cairn::record
