// check, a step that was divided: each part is followed as a step of its own (E307, E308).
#include <algorithm>
#include <fmt/format.h>

#include "record/check/check_parts.hpp"

namespace cairn::record {
namespace {

// Prescribed bodies to where they are at the time of the state.
void prescribe(const Model& model, State& state) {
  for (std::size_t i = 0; i < model.bodies.size(); ++i)
    if (model.bodies[i].kind == BodyKind::prescribed) {
      const Motion& motion = *model.bodies[i].motion;
      const Quat R = exp_rotation(motion.angle(state.t) * motion.axis) * model.bodies[i].R_WB0;
      const Vec3 origin(motion.position[0](state.t), motion.position[1](state.t),
                        motion.position[2](state.t));
      state.poses[i] = {origin + R * model.bodies[i].p_Bcm, R};
    }
}

// The state at the end of a part: its bodies where it left them, all others at rest where they are.
State end_of(const Model& model, const State& before, const StepPart& part) {
  State state = before;
  state.t = part.t + part.length;
  state.v.setZero();
  Eigen::Index next = 0;
  for (std::size_t i = 0; i < part.bodies.size(); ++i) {
    const Body& body = model.body(part.bodies[i]);
    state.poses[index(part.bodies[i])] = part.poses[i];
    state.v.segment(body.first_velocity, body.velocities) = part.v.segment(next, body.velocities);
    next += body.velocities;
  }
  prescribe(model, state);
  return state;
}

bool fits(const Model& model, const StepPart& part) {
  Eigen::Index velocities = 0;
  for (const BodyId id : part.bodies) {
    if (id < BodyId{0} || index(id) >= model.bodies.size()) return false;
    velocities += model.body(id).velocities;
  }
  return velocities == part.v.size() && part.poses.size() == part.bodies.size();
}

// What the frame holds of one part, as a frame of its own.
void take_part(const TraceFrame& frame, const StepPart& part, const State& end, TraceFrame& out) {
  out.state = end;
  out.report.h = part.length;
  out.report.projection = frame.report.projection;
  out.report.projection_angle = frame.report.projection_angle;
  out.report.projection_slowing = frame.report.projection_slowing;
  out.report.parts = 1;
  out.report.solves = SolveLog(frame.report.solved().subspan(
      static_cast<std::size_t>(part.first_solve), static_cast<std::size_t>(part.solves)));
  out.report.events.clear();
  const double slack = 1e-9 * part.length;
  // Another group may have an event at the same time.
  const auto own = [&](const StepEvent& event) {
    const auto inside = [&](BodyId id) {
      return std::binary_search(part.bodies.begin(), part.bodies.end(), id);
    };
    return inside(event.contact.body_a) || inside(event.contact.body_b);
  };
  for (const StepEvent& event : frame.report.events)
    if (event.t >= part.t - slack && event.t <= part.t + part.length + slack && own(event))
      out.report.events.push_back(event);
}

// Only the bodies of the part move; velocities of others are nothing that it knows.
void rest_others(const Model& model, const StepPart& part, State& state) {
  VecX v = VecX::Zero(state.v.size());
  for (const BodyId id : part.bodies) {
    const Body& body = model.body(id);
    v.segment(body.first_velocity, body.velocities) =
        state.v.segment(body.first_velocity, body.velocities);
  }
  state.v = v;
}

}  // namespace

void check_divided(const Model& model, const SchemeOptions& scheme, const State& before,
                   const TraceFrame& frame, const Complain& complain) {
  State here = before;  // where the bodies of the groups are
  std::vector<char> ended(model.bodies.size(), 0);
  TraceFrame part_frame;
  double t = before.t;
  for (const StepPart& part : frame.report.divided) {
    if (!fits(model, part)) {
      complain(FindingCode::parts, "a part of the step has bodies that the scene does not have");
      return;
    }
    if (!part.bodies.empty() && ended[index(part.bodies.front())]) {
      complain(FindingCode::parts, "parts of a group of bodies go on after the end of the step");
      return;
    }
    // A group begins where the step begins.
    const bool first = t >= before.t + frame.report.h * (1 - 1e-9);
    if (first) t = before.t;
    if (!(std::abs(part.t - t) <= 1e-9 * frame.report.h))
      complain(
          FindingCode::parts,
          fmt::format("a part begins at {:.17g} s, the one before ends at {:.17g} s", part.t, t));
    State start = here;
    start.t = part.t;
    prescribe(model, start);
    rest_others(model, part, start);
    const State end = end_of(model, start, part);
    take_part(frame, part, end, part_frame);
    check_motion(model, part.first_order ? SchemeOptions{Euler{}} : scheme, start, part_frame,
                 complain);
    for (std::size_t i = 0; i < part.bodies.size(); ++i) {
      const Body& body = model.body(part.bodies[i]);
      here.poses[index(part.bodies[i])] = end.poses[index(part.bodies[i])];
      here.v.segment(body.first_velocity, body.velocities) =
          end.v.segment(body.first_velocity, body.velocities);
    }
    t = part.t + part.length;
    if (t >= before.t + frame.report.h * (1 - 1e-9))
      for (const BodyId id : part.bodies) ended[index(id)] = 1;
  }
  State led = before;
  led.t = frame.state.t;
  prescribe(model, led);
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body& body = model.bodies[i];
    if (body.velocities == 0) {
      // Fixed and prescribed bodies are in no part.
      const Pose &X = frame.state.poses[i], &expected = led.poses[i];
      const double size = std::max({before.poses[i].p.norm(), X.p.norm(), body.p_Bcm.norm()});
      if (!((X.p - expected.p).norm() <= motion_relative * size))
        complain(FindingCode::position,
                 fmt::format("{} is not where its motion takes it", body.name));
      if (!((X.R.conjugate() * expected.R).vec().norm() <= motion_relative))
        complain(FindingCode::orientation,
                 fmt::format("{} is not turned as its motion turns it", body.name));
      continue;
    }
    if (!ended[i])
      complain(FindingCode::parts,
               fmt::format("no part takes {} to the end of the step", body.name));
    if (!(here.poses[i] == frame.state.poses[i]) ||
        here.v.segment(body.first_velocity, body.velocities) !=
            frame.state.v.segment(body.first_velocity, body.velocities))
      complain(FindingCode::parts,
               fmt::format("{} is not where the last part of the step left it", body.name));
  }
}

}  // namespace cairn::record
