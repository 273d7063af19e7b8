#include "record/check/check_parts.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace cairn::record {
namespace {

constexpr double time_relative = 1e-12;  // sums of a few lengths [-]

Mat3 skew(const Vec3& x) {
  Mat3 K;
  K << 0, -x[2], x[1], x[2], 0, -x[0], -x[1], x[0], 0;
  return K;
}

// phi' of R(t) = R(0) exp(phi(t)) for the angular velocity w in the body: the inverse of the right
// Jacobian, phi' = w + phi x w / 2 + (1/12 + ...) phi x (phi x w).
Vec3 rotation_rate(const Vec3& phi, const Vec3& w) {
  const double x = phi.norm();
  const double c = x < 1e-2 ? 1.0 / 12 + x * x / 720 + x * x * x * x / 30240
                            : 1 / (x * x) - (1 + std::cos(x)) / (2 * x * std::sin(x));
  const Mat3 K = skew(phi);
  return w + 0.5 * K * w + c * K * (K * w);
}

// Value at s in [0, 1] of the cubic from 0 to `end` with the given changes per whole length.
Vec3 cubic(const Vec3& end, const Vec3& rate0, const Vec3& rate1, double s) {
  const Vec3 c = 3 * end - 2 * rate0 - rate1, a = rate0 + rate1 - 2 * end;
  return s * (rate0 + s * (c + s * a));
}

// One part: the mean velocity over its length, or the cubic up to the collision in it.
void move(const Body& body, const State& from, const State& to, const SolveRecord& solve,
          std::size_t i, StepPath& path) {
  const Twist a = twist(body, from), b = twist(body, to);
  const double L = solve.length;
  const bool limited = solve.purpose == SolveRecord::Purpose::limited;
  const Vec3 step = limited ? Vec3(L * b.linear_W) : Vec3(0.5 * L * (a.linear_W + b.linear_W));
  const Vec3 turn = limited ? Vec3(L * b.angular_B) : Vec3(0.5 * L * (a.angular_B + b.angular_B));
  Pose& X = path.end.poses[i];
  if (path.slowed[i]) {
    path.way[i] += L * (a.linear_W.norm() + b.linear_W.norm());
    path.turn[i] += L * (a.angular_B.norm() + b.angular_B.norm());
  }
  if (solve.taken == L) {
    X = {X.p + step, X.R * exp_rotation(turn)};
    return;
  }
  const double s = solve.taken / L;
  X.p += cubic(step, L * a.linear_W, L * b.linear_W, s);
  X.R = X.R * exp_rotation(cubic(turn, L * a.angular_B, L * rotation_rate(turn, b.angular_B), s));
}

// After a part its constrained bodies may have paid for a projection; what an impact gives is given
// in full.
void mark_slowed(const SolveRecord& solve, std::vector<char>& slowed) {
  std::fill(slowed.begin(), slowed.end(), 0);
  if (!(solve.length > 0)) return;
  for (const Constraint& c : solve.problem.constraints)
    for (const int body : c.body)
      if (body >= 0)
        slowed[static_cast<std::size_t>(
            solve.problem.bodies[static_cast<std::size_t>(body)].model_body)] = 1;
}

}  // namespace

Twist twist(const Body& body, const State& state) {
  Twist result;
  int i = body.first_velocity;
  for (int axis = 0; axis < 3; ++axis)
    if (body.translations[static_cast<std::size_t>(axis)]) result.linear_W[axis] = state.v[i++];
  if (body.rotation == RotationKind::one)
    result.angular_B = state.v[i] * (body.R_WB0.conjugate() * body.axis_W);
  if (body.rotation == RotationKind::three) result.angular_B = state.v.segment<3>(i);
  return result;
}

void set_solved_velocities(const Model& model, const SolveRecord& solve, State& state) {
  const Units& units = solve.problem.units;
  for (const ProblemBody& b : solve.problem.bodies) {
    const Body& body = model.bodies[static_cast<std::size_t>(b.model_body)];
    for (int i = 0; i < b.size; ++i)
      state.v[body.first_velocity + i] =
          solve.solution.v[b.first + i] *
          (i < model::translation_count(body) ? units.speed() : 1 / units.time);
  }
}

// Impacts change velocities and no poses; the lengths that were taken add up to the step.
StepPath follow_parts(const Model& model, const State& before, const TraceFrame& frame,
                      const Complain& complain) {
  StepPath path;
  path.end = before;
  path.way.assign(model.bodies.size(), 0);
  path.turn.assign(model.bodies.size(), 0);
  path.slowed.assign(model.bodies.size(), 0);
  double time = 0;
  std::vector<double> ends = {0};
  for (const SolveRecord& solve : frame.report.solved()) {
    State next = path.end;
    set_solved_velocities(model, solve, next);
    if (solve.length > 0) {
      if (!(solve.taken >= 0 && solve.taken <= solve.length))
        complain(FindingCode::parts, fmt::format("a part of {:.17g} s was taken for {:.17g} s",
                                                 solve.length, solve.taken));
      for (std::size_t i = 0; i < model.bodies.size(); ++i)
        if (model.bodies[i].kind == BodyKind::dynamic)
          move(model.bodies[i], path.end, next, solve, i, path);
      time += solve.taken;
      ends.push_back(time);
      ++path.parts;
    }
    path.end.v = next.v;
    mark_slowed(solve, path.slowed);
  }
  const double h = frame.report.h, rounding = time_relative * (std::abs(before.t) + h);
  if (!(std::abs(time - h) <= rounding))
    complain(FindingCode::parts,
             fmt::format("the parts of the step take {:.17g} s, the step {:.17g} s", time, h));
  for (const StepEvent& event : frame.report.events) {
    const bool collision = event.kind == StepEvent::Kind::collision;
    if (collision && std::none_of(ends.begin(), ends.end(), [&](double t) {
          return std::abs(before.t + t - event.t) <= rounding;
        }))
      complain(FindingCode::event,
               fmt::format("a collision at {:.17g} s is at no end of a part", event.t));
  }
  return path;
}

}  // namespace cairn::record
