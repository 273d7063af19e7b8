// Steady contact of scheme `hybrid` (E209): the step of `euler` without restitution, forces at half
// the step, over the part between two events; bodies that nothing holds fly (E208).
#include <algorithm>

#include "base/conventions.hpp"
#include "constrain/memory.hpp"
#include "dynamics/flight.hpp"
#include "dynamics/kinematics.hpp"
#include "linear/blocks.hpp"
#include "scheme/common/report.hpp"
#include "scheme/common/stop.hpp"
#include "scheme/hybrid/hybrid_step.hpp"

namespace cairn::scheme {

// (E209): v_free = v + h M^-1 k(t + h/2, q + h v/2, v), springs and dampers as in `euler` (E360).
// The mass matrix is constant in our velocities, the paper's M(q + h v) is M.
void HybridStep::evaluate(double length) {
  d.free_length = length;
  d.half.t = d.now.t + length / 2;
  d.half.v = d.now.v;
  d.half.poses = d.now.poses;
  data.poses.end = d.now.poses;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body& body = model.bodies[i];
    if (body.kind == BodyKind::prescribed) {
      d.half.poses[i] = dynamics::prescribed_pose(body, d.half.t);
      data.poses.end[i] = dynamics::prescribed_pose(body, d.now.t + length);
    } else if (body.velocities > 0) {
      d.half.poses[i] = dynamics::drift(body, d.now.poses[i], d.now.v.data() + body.first_velocity,
                                        length / 2, nullptr);
    }
  }
  dynamics::evaluate_loads(model, d.half, data.forces);
  dynamics::add_springs(model, d.now, length, data.forces);
  find_free_velocities(model, d.now, length, data.forces, data.free, data.v.free);
}

// From `now` over `length`: velocities in v_end, poses in poses_end. Overlaps and joint errors are
// corrected at the rate of the whole step, however short the part.
void HybridStep::take_part(double length) {
  book_pass();
  CAIRN_DCHECK(length > 0, length);
  CAIRN_DCHECK(d.marks.flies.size() == model.bodies.size(), d.marks.flies.size());
  evaluate(length);
  find_falling();
  d.euler.gamma = options.gamma;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body& body = model.bodies[i];
    if (d.marks.flies[i])
      dynamics::fly(body, model.gravity, d.now.poses[i], d.now.v.data() + body.first_velocity,
                    length, data.v.free.data() + body.first_velocity);
    if (d.marks.flies[i])
      data.free.v_explicit.segment(body.first_velocity, body.velocities) =
          data.v.free.segment(body.first_velocity, body.velocities);
  }
  data.v.free_plain = data.v.free;
  data.v.explicit_plain = data.free.v_explicit;
  // The two change places; neither may have less room than the other.
  data.contacts_start.reserve(data.contacts.capacity());
  data.contacts.reserve(data.contacts_start.capacity());
  data.contacts_start = data.contacts;
  data.impulses = d.now.impulses;
  clear(d.part, d.now, length);
  Step part{model, d.euler, {}, solver, length, data, d.now, d.part};
  part.find_velocities();
  data.contacts.swap(data.contacts_start);  // as they are at the beginning
  if (!data.v.end.allFinite()) {
    stopped = not_finite(model, data.v.end, "new velocity");
    return;
  }
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body& body = model.bodies[i];
    if (d.marks.flies[i])
      data.poses.end[i] = dynamics::fly(body, model.gravity, d.now.poses[i],
                                        d.now.v.data() + body.first_velocity, length, nullptr);
    if (d.marks.flies[i])
      data.v.moved.segment(body.first_velocity, body.velocities) =
          data.v.end.segment(body.first_velocity, body.velocities);
    if (d.marks.falls[i]) data.poses.end[i].p += drop(body, length, length);
  }
  if (!part.close_joints(data.contacts)) stopped = open_joints(model, d.now.poses, data.poses.end);
}

// (E408): how far the parabola is from the straight path after tau of a part.
Vec3 HybridStep::drop(const Body& body, double tau, double length) const {
  Vec3 shift = -0.5 * tau * (2 * length - tau) * model.gravity;
  for (std::size_t k = 0; k < 3; ++k)
    if (!body.translations[k]) shift[static_cast<Eigen::Index>(k)] = 0;
  return shift;
}

// Contacts that the problem missed, of polyhedra and where events are no longer looked for. True:
// there were some, the part must be taken again.
bool HybridStep::verify_part(double length) {
  d.deepest = find_overlaps(model, data.poses.end, data.active);
  Step part{model, d.euler, {}, solver, length, data, d.now, d.part};
  if (!limited) {
    // Bodies that fly are watched instead.
    std::erase_if(data.active.at_end, [&](const Contact& c) { return !is_steady(c.key); });
    if (data.contacts.empty()) return false;
  }
  data.contacts.swap(data.contacts_start);
  const bool more = part.add_missed_contacts();
  data.contacts.swap(data.contacts_start);
  if (!more) return false;
  for (const Contact& c : data.contacts) {
    make_steady(c.key);
    d.marks.flies[index(c.key.body_a)] = d.marks.flies[index(c.key.body_b)] = 0;
  }
  return true;
}

// The end of the part becomes the beginning of what follows.
void HybridStep::accept(double length) {
  CAIRN_DCHECK(length > 0, length);
  data.contacts.swap(data.contacts_start);  // as they were solved for
  Step part{model, d.euler, {}, solver, length, data, d.now, d.part};
  part.account_for_projection();
  part.report_contacts();
  for (const ContactReport& contact : d.part.contacts) add_contact(contact, report.contacts);
  add_flows(make_ledger(model, d.now, length, data, part.last()), report.ledger);
  report.projection = std::max(report.projection, d.part.projection);
  report.projection_angle = std::max(report.projection_angle, d.part.projection_angle);
  report.projection_slowing = std::min(report.projection_slowing, d.part.projection_slowing);
  report.projection_work += d.part.projection_work;
  report.nonlinear_iterations += d.part.nonlinear_iterations;
  report.nonlinear_residual = std::max(report.nonlinear_residual, d.part.nonlinear_residual);
  report.nonlinear_fallback = std::max(report.nonlinear_fallback, d.part.nonlinear_fallback);
  SolveRecord& record = report.solves.push(Purpose::step);
  record = part.last();
  keep_beginning(record.problem, d.now.poses, d.now.v, d.now.t, length, record.origin);
  keep_rows(record.problem, data.poses.linear, data.nonlinear.again ? d.now.t + length : d.now.t,
            data.nonlinear.again ? data.nonlinear.contacts : data.contacts, record.origin);
  record.origin.before.clear();
  if (data.nonlinear.again) record.origin.before = data.contacts_start;
  record_path(length);

  if (!d.brief) release_opened(length);
  d.brief = false;
  d.now.poses.swap(data.poses.end);
  d.now.v = data.v.end;
  d.now.impulses = data.impulses;
  d.now.contact_anchors = data.sticking.anchors;
  d.now.t += length;
}

// Bodies that fly or fall follow a curve, the others drift with the velocities of the solve.
void HybridStep::record_path(double length) {
  d.v_path = data.v.solved;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body& body = model.bodies[i];
    if (d.marks.flies[i] && body.velocities > 0)
      d.v_path.segment(body.first_velocity, body.velocities) =
          d.now.v.segment(body.first_velocity, body.velocities);
    if (!d.marks.falls[i]) continue;
    int k = body.first_velocity;
    for (std::size_t axis = 0; axis < 3; ++axis)
      if (body.translations[axis])
        d.v_path[k++] -= length * model.gravity[static_cast<Eigen::Index>(axis)];
  }
  const Step part{model, d.euler, {}, solver, length, data, d.now, d.part};
  part.record_path(d.v_path);
}

// Steady contacts that have opened farther than they would fall in a step are so no more.
void HybridStep::release_opened(double length) {
  d.next.clear();
  for (const Contact& old : data.contacts) {
    const bool loaded = find(data.impulses, contact_key(old.key)) != nullptr;
    Contact c;
    const bool there = data.active.finder.find_one(model, data.poses.end, old.key, c);
    const double room = options.hysteresis * switch_speed(old) * h / data.share(h);
    if (loaded || (there && (touches(c) || c.gap <= room)))
      d.next.push_back(old.key);
    else if (!polyhedra(old.key))
      event(StepEvent::Kind::take_off, d.now.t + length, old.key, 0);
  }
  std::sort(d.next.begin(), d.next.end());
  d.steady = d.next;
}

}  // namespace cairn::scheme
