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
  d.ahead.poses = d.now.poses;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body& body = model.bodies[i];
    if (body.kind == BodyKind::prescribed) {
      d.half.poses[i] = dynamics::prescribed_pose(body, d.half.t);
      d.ahead.poses[i] = dynamics::prescribed_pose(body, d.now.t + length);
    } else if (body.velocities > 0) {
      d.half.poses[i] = dynamics::drift(body, d.now.poses[i], d.now.v.data() + body.first_velocity,
                                        length / 2, nullptr);
    }
  }
  dynamics::evaluate_loads(model, d.half, d.ahead.forces);
  dynamics::add_springs(model, d.now, length, d.ahead.forces);
  find_free_velocities(model, d.now, length, d.ahead.forces, d.ahead.free, d.ahead.v);
}

// From `now` over `length`. Overlaps and joint errors are corrected at the rate of the whole step,
// however short the part.
void HybridStep::take_part(double length) {
  book_pass();
  CAIRN_DCHECK(length > 0, length);
  CAIRN_DCHECK(d.marks.flies.size() == model.bodies.size(), d.marks.flies.size());
  evaluate(length);
  find_falling();
  d.euler.gamma = options.gamma;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body& body = model.bodies[i];
    if (!d.marks.flies[i]) continue;
    dynamics::fly(body, model.gravity, d.now.poses[i], d.now.v.data() + body.first_velocity, length,
                  d.ahead.v.data() + body.first_velocity);
    d.ahead.free.v_explicit.segment(body.first_velocity, body.velocities) =
        d.ahead.v.segment(body.first_velocity, body.velocities);
  }
  const SubStepInputs in{.start = d.now,
                         .length = length,
                         .ahead = d.ahead,
                         .contacts = d.held,
                         .flies = d.marks.flies,
                         .falls = d.marks.falls};
  part.emplace(model, d.euler, solver, data, in, d.part);
  stopped = part->solve(in);
}

// Contacts that the problem missed, of polyhedra and where events are no longer looked for. True:
// there were some, the part must be taken again.
bool HybridStep::verify_part() {
  d.deepest = find_overlaps(model, part->poses(), data.active);
  if (!limited) {
    // Bodies that fly are watched instead.
    std::erase_if(data.active.at_end, [&](const Contact& c) { return !is_steady(c.key); });
    if (d.held.empty()) return false;
  }
  if (!part->add_missed(d.held)) return false;
  for (const Contact& c : d.held) {
    make_steady(c.key);
    d.marks.flies[index(c.key.body_a)] = d.marks.flies[index(c.key.body_b)] = 0;
  }
  return true;
}

// The end of the part becomes the beginning of what follows.
void HybridStep::accept(double length) {
  CAIRN_DCHECK(length > 0, length);
  add_flows(part->finish(), report.ledger);
  for (const ContactReport& contact : d.part.contacts) add_contact(contact, report.contacts);
  report.projection = std::max(report.projection, d.part.projection);
  report.projection_angle = std::max(report.projection_angle, d.part.projection_angle);
  report.projection_slowing = std::min(report.projection_slowing, d.part.projection_slowing);
  report.projection_work += d.part.projection_work;
  report.nonlinear_iterations += d.part.nonlinear_iterations;
  report.nonlinear_residual = std::max(report.nonlinear_residual, d.part.nonlinear_residual);
  report.nonlinear_fallback = std::max(report.nonlinear_fallback, d.part.nonlinear_fallback);
  part->copy_record(report.solves.push(Purpose::step));
  record_path(length);

  if (!d.brief) release_opened(length);
  d.brief = false;
  d.now.poses = part->poses();
  d.now.v = part->v();
  d.now.impulses = part->impulses();
  d.now.contact_anchors = part->anchors();
  d.now.t += length;
}

// Bodies that fly or fall follow a curve, the others drift with the velocities of the solve.
void HybridStep::record_path(double length) {
  d.v_path = part->v_solved();
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
  part->record_path(d.v_path);
}

// Steady contacts that have opened farther than they would fall in a step are so no more.
void HybridStep::release_opened(double length) {
  d.next.clear();
  for (const Contact& old : part->contacts()) {
    const bool loaded = find(part->impulses(), contact_key(old.key)) != nullptr;
    Contact c;
    const bool there = data.active.finder.find_one(model, part->poses(), old.key, c);
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
