// check, the verdict of a step (E702): the figures that decide whether it is accepted, from scene,
// states and ledger by formulas of its own.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "model/joint/joint_kind.hpp"
#include "record/check/check_parts.hpp"
#include "record/check/coordinates/drive_rows.hpp"
#include "record/check/rebuild/contact_geometry.hpp"
#include "record/check/rebuild/mechanics.hpp"
#include "record/check/verdict_figures.hpp"

namespace cairn::record {
namespace {

constexpr double figure_relative = 1e-6;  // two sums of the same terms [-]
constexpr double total_rounding = 1e-13;  // of the terms of a total energy (E390) [-]

// A figure of the verdict and what was found.
struct Compared {
  const char* what;
  double recorded, ours, allowed;
};

// Joint error over the size of the smaller body, and misalignment (E305).
struct JointFigures {
  double distance = 0, angle = 0;
};
JointFigures figure_of_joint(const Model& model, const State& state, const Joint& joint) {
  Pose X[2];
  Vec3 ends[2];
  double reach = 0, rounding = 0;
  for (std::size_t side = 0; side < 2; ++side) {
    const BodyId id = joint.bodies[side];
    if (id != BodyId::world) X[side] = state.poses[index(id)];
    ends[side] = X[side] * joint.anchors[side];
    rounding += 0x1p-48 * ends[side].norm();
    if (id == BodyId::world || model.body(id).velocities == 0) continue;
    const double own = std::max(model.body(id).radius, joint.anchors[side].norm());
    if (own > rounding) reach = reach > 0 ? std::min(reach, own) : own;
  }
  const Vec3 between = ends[1] - ends[0];
  double open = 0, angle = 0;
  const Vec3 axis_a = X[0].R * joint.axes[0];
  const model::JointKind kind = model::kind_of(joint.type);
  open = open_length(joint, axis_a, between);
  const Vec3 axis_b = X[1].R * joint.axes[1];
  if (kind.turns == model::HeldTurns::parallel) angle = axis_a.cross(axis_b).norm();
  if (kind.turns == model::HeldTurns::perpendicular)
    angle = std::abs(std::asin(std::clamp(axis_a.dot(axis_b), -1.0, 1.0)));
  if (kind.turns == model::HeldTurns::all) {
    const Quat q = X[1].R * (X[0].R * joint.R_AB).conjugate();
    angle = 2 * std::atan2(q.vec().norm(), std::abs(q.w()));
  }
  const double beyond = beyond_range(joint, X[0], X[1]);
  if (kind.coordinate && kind.coordinate != CoordinateKind::angle)
    open = std::max(open, beyond);
  else
    angle = std::max(angle, beyond);
  return {std::max(0.0, open - rounding) / (reach > 0 ? reach : model.length_unit), angle};
}

// How far bodies on ball and distance joints turn in the step, over the limit (E644).
double figure_of_tops(const Scene& scene, const State& before, double h) {
  const bool rule = std::holds_alternative<Trapezoidal>(scene.simulation.scheme);
  double most = 0;
  for (const Joint& joint : scene.model->joints) {
    const model::JointKind kind = model::kind_of(joint.type);
    if (kind.points == model::HeldPoints::none || kind.turns != model::HeldTurns::none) continue;
    for (const BodyId id : joint.bodies) {
      if (id == BodyId::world || scene.model->body(id).kind != BodyKind::dynamic) continue;
      const Body& body = scene.model->body(id);
      if (body.rotation == RotationKind::three)
        most = std::max(most, h * twist(body, before).angular_B.norm());
    }
  }
  return most / (rule ? 0.4 : 0.5);
}

// Root of the energy that the applied forces give a body in the time h, from rest (E306).
double load_root(const Model& model, const State& state, std::size_t i, double h) {
  const Body& body = model.bodies[i];
  Row6 f = Row6::Zero();
  for (const AppliedForce& a : model.applied_forces) {
    if (index(a.body) != i) continue;
    const auto at = [&](const std::array<TimeFunction, 3>& x) {
      return Vec3(x[0](state.t), x[1](state.t), x[2](state.t));
    };
    const Vec3 force = at(a.force), arm = state.poses[i].R * a.point;
    f += generalised(body, state.poses[i], force, at(a.torque) + arm.cross(force));
  }
  if (f.isZero(0)) return 0;
  const int n = body.velocities;
  const Eigen::MatrixXd M = mass_of(body).topLeftCorner(n, n);
  const VecX g = f.head(n);
  return h * std::sqrt(0.5 * std::max(0.0, g.dot(M.fullPivLu().solve(g))));
}

// S of (E306).
double moving_energy(const Model& model, const State& before, const StepReport& report,
                     const State& after) {
  const double fall = report.h * model.gravity.norm();
  double sums[2] = {0, 0};
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body& body = model.bodies[i];
    if (body.velocities == 0) continue;
    const double given = load_root(model, before, i, report.h);
    for (std::size_t end = 0; end < 2; ++end) {
      const Twist v = twist(body, end == 0 ? before : after);
      const double kinetic = 0.5 * body.mass * v.linear_W.squaredNorm() +
                             0.5 * v.angular_B.dot(body.inertia_B * v.angular_B);
      const double root = std::sqrt(kinetic) + std::sqrt(0.5 * body.mass) * fall + given;
      sums[end] += root * root;
    }
  }
  const Ledger& l = report.ledger;
  double elements = std::abs(l.work_applied) + std::abs(l.work_motion) + std::abs(l.passive);
  for (const Spring& spring : model.springs)
    elements += std::abs(stored_energy(spring, after) - stored_energy(spring, before));
  elements += std::abs(coordinate_energies(model, after).stored -
                       coordinate_energies(model, before).stored);
  return std::max(sums[0], sums[1]) + elements;
}

// The terms of the ledger over S, the largest of them over their limits (E306, E700).
struct EnergyFigures {
  double error = 0, integrator = 0, worst = 0;
  double rounding = 0;  // of the figures [-]
};
EnergyFigures figures_of_energy(const Scene& scene, const State& before, const TraceFrame& frame,
                                std::optional<double> projected) {
  const Model& model = *scene.model;
  const Ledger& l = frame.report.ledger;
  EnergyFigures out;
  const double S = moving_energy(model, before, frame.report, frame.state);
  double terms = std::abs(l.kinetic_start) + std::abs(l.kinetic_end) + std::abs(l.potential_start) +
                 std::abs(l.potential_end);
  for (std::size_t i = 0; i < model.bodies.size(); ++i)
    if (model.bodies[i].velocities > 0)
      terms += model.bodies[i].mass * std::abs(model.gravity.dot(frame.state.poses[i].p));
  const double noise = 0x1p-48 * terms;
  if (!(S > 0)) return out;
  const VerdictOptions& limits = scene.simulation.verdict;
  const double looser = std::max(limits.energy, 500 * tolerance(scene.simulation.solver));
  const auto take = [&](double joules, double limit) {
    const double figure = std::max(0.0, joules - noise) / S;
    out.error = std::max(out.error, figure);
    out.worst = std::max(out.worst, figure == 0 ? 0 : figure / limit);
  };
  const Euler* euler = euler_options(scene.simulation.scheme);
  const bool elastic = std::holds_alternative<Penalty>(scene.simulation.scheme) ||
                       (euler && euler->restitution != Restitution::completed);
  const double returned = elastic ? std::max(0.0, -l.impact) : 0;
  const bool divided = !frame.report.divided.empty();
  const double turned =
      divided ? std::clamp(l.stabilisation, 0.0, std::max(0.0, -l.integrator)) : 0;
  take(std::abs(l.solver), looser);
  if (projected) take(std::abs(*projected), limits.energy);
  take(std::abs(l.imbalance()), limits.energy);
  take(l.passive, limits.energy);
  take(l.rise() - l.integrator - returned - turned, looser);
  out.integrator = l.integrator / S;
  const double own = std::max(0.0, l.integrator - noise) / S;
  out.worst = std::max(out.worst, own == 0 ? 0 : own / limits.integrator);
  out.rounding = noise / S;
  if (projected) {  // a difference of total energies
    const double size = std::max(energies(model, before).size, energies(model, frame.state).size);
    out.rounding = std::max(out.rounding, total_rounding * size / S);
  }
  return out;
}

// A part of the verdict says of itself what its figure says. `counted`: no other figure counts.
void check_part(const char* name, const VerdictPart& part, bool counted, const Complain& complain) {
  if (!(part.worst >= 0) || (part.ok ? part.worst > 1 : counted && part.worst < 1))
    complain(FindingCode::verdict,
             fmt::format("{} recorded as {} with a figure of {:.6g} of its limit", name,
                         part.ok ? "ok" : "not ok", part.worst));
  if (part.ok != part.sentence.empty())
    complain(FindingCode::verdict,
             fmt::format("{} recorded as {} {} a sentence", name, part.ok ? "ok" : "not ok",
                         part.ok ? "with" : "without"));
}

}  // namespace

void check_verdict(const Scene& scene, const State& before, const TraceFrame& frame,
                   const MotionFigures& found, const Complain& complain) {
  const Model& model = *scene.model;
  const StepReport& r = frame.report;
  const Verdict& v = r.verdict;
  const VerdictOptions& limits = scene.simulation.verdict;
  const bool divided = !r.divided.empty();
  const auto equal = [&](const Compared& c) {
    if (!(std::abs(c.recorded - c.ours) <= c.allowed + figure_relative * std::abs(c.ours)))
      complain(FindingCode::verdict,
               fmt::format("{} recorded as {:.6g}, recomputed {:.6g}", c.what, c.recorded, c.ours));
  };
  const auto at_least = [&](const Compared& c) {
    if (!(c.recorded >= c.ours - c.allowed - figure_relative * std::abs(c.ours)))
      complain(FindingCode::verdict,
               fmt::format("{} recorded as {:.6g}, at least {:.6g}", c.what, c.recorded, c.ours));
  };
  // Projections of option project_contacts count without being in the certificate.
  check_part("the solve", v.solve, r.uncertified_projections == 0, complain);
  check_part("the motion", v.motion, true, complain);
  check_part("the energy", v.energy, true, complain);

  const double certificate = r.certificate / tolerance(scene.simulation.solver);
  if (r.contact_projections == 0) equal({"worst of the solve", v.solve.worst, certificate, 0});

  // The motion: figures of the end; of a divided step the worst one is that of any part.
  JointFigures joints;
  for (const Joint& joint : model.joints) {
    const JointFigures own = figure_of_joint(model, frame.state, joint);
    joints.distance = std::max(joints.distance, own.distance);
    joints.angle = std::max(joints.angle, own.angle);
  }
  for (const Gear& gear : model.gears) {
    const double error = std::abs(gear_error_of(model, frame.state.poses, gear).error);
    if (gear.angle)
      joints.angle = std::max(joints.angle, error);
    else
      joints.distance = std::max(joints.distance, error / model.length_unit);
  }
  equal({"misalignment of joints", r.joint_error_angle, joints.angle, 1e-12});
  equal({"joint error of the verdict", v.joint, joints.distance, 1e-11});
  equal({"misalignment of the verdict", v.joint_angle, joints.angle, 1e-12});
  if (found.overlaps_known) {
    equal({"overlap of the verdict", v.overlap, found.overlap, found.overlap_rounding});
    if (found.moved)
      at_least({"overlap on the way", v.swept_overlap, std::max(found.overlap, found.on_the_way),
                found.overlap_rounding});
  }
  const double momentum_rounding = 1e-13;
  if (!divided) {
    equal({"momentum of the verdict", v.momentum, found.momentum, momentum_rounding});
    equal({"momentum of islands that are not judged", v.momentum_others, found.momentum_others,
           momentum_rounding});
  } else {
    at_least({"momentum of the verdict", v.parts * v.momentum, found.momentum, momentum_rounding});
  }
  const double tops = figure_of_tops(scene, before, r.h);
  const double motion = std::max(
      {divided ? 0 : tops, v.overlap / limits.overlap, v.swept_overlap / limits.overlap,
       v.joint / limits.joint, v.joint_angle / limits.joint_angle, v.momentum / limits.momentum});
  if (divided)
    at_least({"worst of the motion", v.motion.worst, motion, 0});
  else
    equal({"worst of the motion", v.motion.worst, motion, 0});

  // The energy. Where it is not known what projections put in (E712) the figure may be larger.
  const EnergyFigures energy = figures_of_energy(scene, before, frame, found.projected);
  const double of_limit = energy.rounding / std::min(limits.energy, limits.integrator);
  equal({"integrator's share of the energy", v.integrator, energy.integrator, energy.rounding});
  const Compared error{"energy error", v.energy_error, energy.error, energy.rounding},
      worst{"worst of the energy", v.energy.worst, energy.worst, of_limit};
  if (!found.projected) {
    at_least(error);
    at_least(worst);
  } else {
    equal(error);
    equal(worst);
  }

  const int parts = divided ? r.parts : 1;
  if (v.parts != parts || v.attempts < v.parts)
    complain(FindingCode::count,
             fmt::format("verdict of {} parts and {} attempts recorded, the step has {} parts",
                         v.parts, v.attempts, parts));
}

}  // namespace cairn::record
