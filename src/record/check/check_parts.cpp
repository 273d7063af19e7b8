#include "record/check/check_parts.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <numbers>

#include "record/check/rebuild/free_turn.hpp"

namespace cairn::record {
namespace {

constexpr double time_relative = 1e-12;  // sums of a few lengths [-]
constexpr double no_kick = 0x1p-44;      // change of an angular momentum that is rounding
constexpr double undecided_kick = 4;     // factor about it: roundings of the drift itself [-]

double apart(const Quat& a, const Quat& b) {
  return std::min((a.coeffs() - b.coeffs()).norm(), (a.coeffs() + b.coeffs()).norm());
}

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

bool equal_moments(const Body& body) {
  const Mat3& I = body.inertia_B;
  return (I - I(0, 0) * Mat3::Identity()).cwiseAbs().maxCoeff() <=
         4 * std::numeric_limits<double>::epsilon() * I.cwiseAbs().maxCoeff();
}

// The rotation vector from one rotation to another next to `expected`.
Vec3 turn_between(const Quat& from, const Quat& to, const Vec3& expected) {
  Quat q = from.conjugate() * to;
  if (q.w() < 0) q.coeffs() = -q.coeffs();
  const double sine = q.vec().norm();
  if (!(sine > 0)) return Vec3::Zero();
  const Vec3 axis = q.vec() / sine;
  const double angle = 2 * std::atan2(sine, q.w()), full = 2 * std::numbers::pi;
  return axis * (angle + full * std::round((axis.dot(expected) - angle) / full));
}

// One part: the mean velocity over its length, or the cubic up to the collision in it. `next`: the
// rotation that the recording has there.
void move(const Body& body, const State& from, const State& to, const SolveRecord& solve,
          std::size_t i, const Quat& next, StepPath& path) {
  const Twist a = twist(body, from), b = twist(body, to);
  const double L = solve.length;
  const bool limited = solve.purpose == SolveRecord::Purpose::limited;
  const Vec3 step = limited ? Vec3(L * b.linear_W) : Vec3(0.5 * L * (a.linear_W + b.linear_W));
  Pose& X = path.end.poses[i];
  if (path.slowed[i]) {
    path.way[i] += L * (a.linear_W.norm() + b.linear_W.norm());
    path.turn[i] += L * (a.angular_B.norm() + b.angular_B.norm());
  }
  const double s = solve.taken / L;
  X.p += solve.taken == L ? step : cubic(step, L * a.linear_W, L * b.linear_W, s);
  const Vec3 mean = limited ? b.angular_B : Vec3(0.5 * (a.angular_B + b.angular_B));
  KickedTurn kicked{a.angular_B, {X.R * exp_rotation(L * mean), b.angular_B}};
  if (body.rotation == RotationKind::three)
    kicked = kicked_turn(body, X.R, a.angular_B, b.angular_B, L, limited);
  if (solve.taken == L) {
    X.R = kicked.end.R;
    return;
  }
  const Vec3 turn = turn_between(X.R, kicked.end.R, L * mean);
  const Quat led =
      X.R * exp_rotation(cubic(turn, L * a.angular_B, L * rotation_rate(turn, kicked.end.w), s));
  // A body without torque turns freely (E423). What the kick is of the angular momentum after half
  // of the drift rounds with that: near the limit both are possible.
  if (body.rotation == RotationKind::three && !equal_moments(body)) {
    const double kick = (body.inertia_B * (b.angular_B - kicked.w_half)).norm(),
                 limit = no_kick * (body.inertia_B * kicked.w_half).norm();
    const Quat free = free_turn(body, X.R, a.angular_B, solve.taken).R;
    const bool nearer = apart(free, next) < apart(led, next);
    if (kick <= limit / undecided_kick || (kick <= limit * undecided_kick && nearer)) {
      X.R = free;
      return;
    }
  }
  X.R = led;
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

// Velocities at the beginning of a part are recorded. They are those at the end of the part before,
// except for what a projection or a cubic up to a collision did.
void begin_part(const Model& model, const SolveRecord& solve, const StepReport& report, State& here,
                const Complain& complain) {
  if (!(solve.length > 0) || solve.origin.start.empty()) return;
  const bool exact = report.projection == 0 && report.projection_angle == 0 &&
                     report.projection_slowing == 1 &&
                     std::all_of(report.solved().begin(), report.solved().end(),
                                 [](const SolveRecord& r) { return r.taken == r.length; });
  for (const ProblemBody& b : solve.problem.bodies) {
    const Body& body = model.bodies[static_cast<std::size_t>(b.model_body)];
    auto now = here.v.segment(body.first_velocity, b.size);
    const auto recorded = solve.origin.v.segment(b.first, b.size);
    if (exact &&
        !((now - recorded).norm() <= motion_relative * spin_rounding(body) * recorded.norm()))
      complain(FindingCode::velocity,
               fmt::format("{} begins a part with other velocities than it ended the last with",
                           body.name));
    now = recorded;
  }
}

// After a part: spins of its end (E423).
void drift_velocities(const Model& model, const SolveRecord& solve, VecX& v) {
  const bool limited = solve.purpose == SolveRecord::Purpose::limited;
  for (std::size_t i = 0; i < solve.problem.bodies.size(); ++i) {
    const ProblemBody& b = solve.problem.bodies[i];
    const Body& body = model.bodies[static_cast<std::size_t>(b.model_body)];
    if (body.rotation != RotationKind::three || solve.origin.start.size() <= i) continue;
    const int k = body.first_velocity + b.size - 3;
    v.segment<3>(k) =
        kicked_turn(body, solve.origin.start[i].R, solve.origin.v.segment<3>(b.first + b.size - 3),
                    v.segment<3>(k), solve.length, limited)
            .end.w;
  }
}

}  // namespace

double stored_energy(const Spring& spring, const State& state) {
  Vec3 ends[2];
  for (std::size_t side = 0; side < 2; ++side)
    ends[side] = spring.bodies[side] == BodyId::world
                     ? spring.anchors[side]
                     : state.poses[index(spring.bodies[side])] * spring.anchors[side];
  const double stretch = (ends[1] - ends[0]).norm() - spring.rest_length;
  return 0.5 * spring.stiffness * stretch * stretch;
}

double spin_rounding(const Body& body) {
  if (body.rotation != RotationKind::three) return 1;
  const Vec3 moments = Eigen::SelfAdjointEigenSolver<Mat3>(body.inertia_B).eigenvalues();
  constexpr double roundings = 64 * std::numeric_limits<double>::epsilon();
  return std::max(1.0, roundings / motion_relative * moments[2] / moments[0]);
}

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

// Poses at the beginning of the next solve, those of the end where there is none.
static std::vector<Pose> recorded_after(std::span<const SolveRecord> solves,
                                        std::vector<Pose> poses) {
  if (solves.empty() || solves.front().origin.start.empty()) return poses;
  const SolveRecord& next = solves.front();
  for (std::size_t i = 0; i < next.problem.bodies.size(); ++i)
    poses[static_cast<std::size_t>(next.problem.bodies[i].model_body)] = next.origin.start[i];
  return poses;
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
  const auto solves = frame.report.solved();
  for (std::size_t at = 0; at < solves.size(); ++at) {
    const SolveRecord& solve = solves[at];
    const std::vector<Pose> next_poses = recorded_after(solves.subspan(at + 1), frame.state.poses);
    begin_part(model, solve, frame.report, path.end, complain);
    State next = path.end;
    set_solved_velocities(model, solve, next);
    if (solve.length > 0) {
      if (!(solve.taken >= 0 && solve.taken <= solve.length))
        complain(FindingCode::parts, fmt::format("a part of {:.17g} s was taken for {:.17g} s",
                                                 solve.length, solve.taken));
      for (std::size_t i = 0; i < model.bodies.size(); ++i)
        if (model.bodies[i].kind == BodyKind::dynamic)
          move(model.bodies[i], path.end, next, solve, i, next_poses[i].R, path);
      time += solve.taken;
      ends.push_back(time);
      ++path.parts;
    }
    path.end.v = next.v;
    if (solve.length > 0 && solve.taken == solve.length) drift_velocities(model, solve, path.end.v);
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
