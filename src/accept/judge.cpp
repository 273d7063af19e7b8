#include "accept/judge.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "accept/lap.hpp"
#include "accept/segment.hpp"
#include "accept/verdict_part.hpp"
#include "base/conventions.hpp"
#include "constrain/joints.hpp"
#include "model/joint/joint_coordinate.hpp"

namespace cairn::accept {
namespace {

// How far prescribed bodies may leave their chord in a piece of the path, of the limit [-].
constexpr double straight = 0.2;

// Of the swept test: a pair or a shape, and a placement of a pair that is searched, in products of
// 6 x 6 blocks (E314).
constexpr double work_of_pair = 4, work_of_look = 25;

// Lengths in messages.
std::string length_text(double metres) {
  if (metres >= 1) return fmt::format("{:.3g} m", metres);
  if (metres >= 1e-3) return fmt::format("{:.3g} mm", 1e3 * metres);
  if (metres >= 1e-6) return fmt::format("{:.3g} um", 1e6 * metres);
  return fmt::format("{:.3g} m", metres);
}

const Body& body_of(const Model& model, ShapeId shape) {
  return model.body(model.shapes[index(shape)].body);
}

// Half the least thickness of the thinner of two shapes, which is the first or the second.
struct Thinner {
  double radius = 0;
  const Body* body = nullptr;
  const Body* other = nullptr;
};
Thinner thinner(const Model& model, ShapeId a, ShapeId b) {
  const double r_a = model.shapes[index(a)].inner_radius, r_b = model.shapes[index(b)].inner_radius;
  const bool first = r_b == 0 || (r_a != 0 && r_a <= r_b);
  const ShapeId thin = first ? a : b, thick = first ? b : a;
  const double radius = first ? r_a : r_b;
  return {radius > 0 ? radius : model.length_unit, &body_of(model, thin), &body_of(model, thick)};
}

// The subject of the sentence is what moves; of two moving bodies the thicker one.
std::string overlap_text(const Thinner& pair, double depth, const char* when) {
  const bool thin_moves = pair.other->velocities == 0;
  const Body &subject = thin_moves ? *pair.body : *pair.other,
             &object = thin_moves ? *pair.other : *pair.body;
  return fmt::format("body '{}' went {} into '{}' {} ({:.3g} % of the thickness of '{}')",
                     subject.name, length_text(depth), object.name, when, 50 * depth / pair.radius,
                     pair.body->name);
}

// What a joint error is measured by: the smaller of its bodies, each as large as its shapes or as
// far as the anchor is from its centre of mass.
struct JointSize {
  double reach = 0;     // [m]
  double rounding = 0;  // of the positions of its anchors [m]
};
JointSize joint_size(const Model& model, const State& state, const Joint& joint) {
  JointSize size;
  for (std::size_t side = 0; side < 2; ++side) {
    const BodyId id = joint.bodies[side];
    const Vec3 anchor =
        id == BodyId::world ? joint.anchors[side] : state.poses[index(id)] * joint.anchors[side];
    size.rounding += 0x1p-48 * anchor.norm();
    if (id == BodyId::world || model.body(id).velocities == 0) continue;
    const double reach = std::max(model.body(id).radius, joint.anchors[side].norm());
    if (reach > size.rounding) size.reach = size.reach > 0 ? std::min(size.reach, reach) : reach;
  }
  if (!(size.reach > 0)) size.reach = model.length_unit;
  return size;
}

}  // namespace

Judge::Judge(const Model& model, const SolverOptions& solver, const VerdictOptions& limits)
    : solver_(solver), limits_(limits), sweeper_(model), finder_(model), momentum_(model) {
  thinnest_ = std::numeric_limits<double>::infinity();
  for (const Shape& shape : model.shapes)
    if (shape.inner_radius > 0) thinnest_ = std::min(thinnest_, shape.inner_radius);
  for (const Body& body : model.bodies)
    moves_by_itself_ = moves_by_itself_ || body.kind == BodyKind::prescribed;
}

// The worst row is in the report.
void Judge::judge_solve(const Taken& taken, Judgement& out) const {
  VerdictPart& part = out.verdict.solve;
  part.worst = taken.report.certificate / tolerance(solver_);
  part.ok = taken.report.status != StepStatus::uncertified;
  if (part.ok) return;
  bool budget = false;
  for (const SolveRecord& record : taken.report.solved())
    budget = budget || record.solution.out_of_budget;
  part.sentence = fmt::format("residual {:.2g} exceeds the tolerance {:.0e}{}",
                              taken.report.certificate, tolerance(solver_),
                              budget ? " after the work budget (simulation.verdict.work)" : "");
}

// (E301), of pairs that the swept test does not prove to be apart (E402).
void Judge::judge_overlaps(const Taken& taken, Judgement& out) {
  if (!(taken.report.penetration > 0)) return;
  if (swept_)
    finder_.find_depths(taken.model, taken.after.poses, sweeper_.touching(), depths_);
  else
    find_all_depths(taken.model, taken.after.poses);
  for (const auto& [a, b, depth] : depths_) {
    const Thinner pair = thinner(taken.model, a, b);
    out.verdict.overlap = std::max(out.verdict.overlap, depth / pair.radius);
    take(depth / pair.radius, limits_.overlap, out.verdict.motion,
         [&] { return overlap_text(pair, depth, "at the end of the step"); });
    const double limit = limits_.overlap * pair.radius;
    if (depth > limit) began_so(taken, a, b, limit, depth, out);
  }
}

// Of all pairs, one entry for each contact that overlaps.
void Judge::find_all_depths(const Model& model, std::span<const Pose> poses) {
  finder_.find_overlaps(model, poses, overlaps_);
  depths_.clear();
  for (const Contact& c : overlaps_)
    if (c.gap < 0) depths_.push_back({c.key.shape_a, c.key.shape_b, -c.gap});
}

// The depth of a pair at the beginning if that exceeds the limit, else zero [m].
double Judge::excess_before(const Taken& taken, ShapeId a, ShapeId b, double limit) {
  if (!knows_before_) {
    depths_before_.swap(depths_);
    find_all_depths(taken.model, taken.before.poses);
    depths_before_.swap(depths_);
    knows_before_ = true;
  }
  double deepest = 0;
  for (const auto& d : depths_before_)
    if (d.a == a && d.b == b) deepest = std::max(deepest, d.depth);
  return deepest > limit ? deepest : 0;
}

// (E731), of a pair beyond its limit: was it so at the beginning? Else it is a culprit.
bool Judge::began_so(const Taken& taken, ShapeId a, ShapeId b, double limit, double depth,
                     Judgement& out) {
  const double before = excess_before(taken, a, b, limit);
  const bool so = before > 0 && depth <= before + limit;
  out.started_so = out.started_so || so;
  out.fails_anew = out.fails_anew || !so;
  if (!so)
    out.culprits.emplace_back(taken.model.shapes[index(a)].body, taken.model.shapes[index(b)].body);
  return so;
}

// (E302) to (E304). A piece of a stretch in which prescribed bodies move nearly straight.
void Judge::judge_piece(const Taken& taken, const collide::PathSegment& piece, Judgement& out) {
  const collide::SweepSummary swept =
      sweeper_.check(taken.model, piece.bodies, limits_.overlap, findings_);
  out.work += work_of_pair * static_cast<double>(taken.model.shapes.size()) +
              work_of_pair * swept.pairs + work_of_look * swept.looks;
  out.verdict.swept_overlap = std::max(out.verdict.swept_overlap, swept.worst);
  take(std::min(swept.worst, limits_.overlap), limits_.overlap, out.verdict.motion,
       [] { return std::string(); });
  for (const collide::SweepFinding& f : findings_) {
    const Thinner pair = thinner(taken.model, f.a, f.b);
    take(f.depth / pair.radius, limits_.overlap, out.verdict.motion,
         [&] { return overlap_text(pair, f.depth, "within the step"); });
    if (began_so(taken, f.a, f.b, f.limit, f.depth, out)) continue;
    if (!(f.depth < pair.radius)) out.passes = true;
    if (excess_before(taken, f.a, f.b, f.limit) > 0) continue;
    const double t = piece.t - taken.before.t + f.tau * piece.length;
    const double easy = piece.t - taken.before.t + f.easy * piece.length;
    out.certified = std::min(out.certified, (easy > 0 ? easy : t) / taken.length);
  }
}

// Where a body moves by itself a stretch is cut into pieces in which it moves nearly straight.
void Judge::judge_stretch(const Taken& taken, Judgement& out) {
  Lap lap(taken.clock);
  if (!moves_by_itself_ || segment_.length == 0) {
    judge_piece(taken, segment_, out);
    return lap.end(out.seconds.sweep);
  }
  const int n = pieces_of(taken.model, segment_, straight * limits_.overlap * thinnest_);
  for (int k = 0; k < n; ++k) {
    make_piece(taken.model, segment_, k, n, piece_);
    lap.end(out.seconds.prescribed);
    judge_piece(taken, piece_, out);
    lap.end(out.seconds.sweep);
  }
}

void Judge::judge_path(const Taken& taken, Judgement& out) {
  const scheme::StepPath& path = taken.path;
  swept_ = false;
  for (std::size_t i = 0; i + 1 < path.size(); ++i) {
    if (path[i].t == path[i + 1].t && path[i].poses == path[i + 1].poses) continue;
    Lap lap(taken.clock);
    make_segment(taken.model, path[i], path[i + 1], segment_);
    lap.end(out.seconds.sweep);
    judge_stretch(taken, out);
    swept_ = true;
  }
  // (E402): what the last stretch proves holds for the end of the step if it leads there.
  swept_ = swept_ && path[path.size() - 1].poses == taken.after.poses;
}

// (E305).
void Judge::judge_joints(const Taken& taken, Judgement& out) const {
  for (const Joint& joint : taken.model.joints) {
    const constrain::JointError error = constrain::joint_error(taken.after.poses, joint);
    const JointSize size = joint_size(taken.model, taken.after, joint);
    const double beyond = model::limit_excess(taken.after.poses, joint);
    const double excess =
        model::is_angle(joint) ? beyond : std::max(0.0, beyond - size.rounding) / size.reach;
    const double distance = std::max(0.0, error.distance - size.rounding) / size.reach;
    out.verdict.joint = std::max(out.verdict.joint, distance);
    out.verdict.joint_angle = std::max(out.verdict.joint_angle, error.angle);
    take(distance, limits_.joint, out.verdict.motion, [&] {
      return fmt::format("joint '{}' is open by {}", joint.name, length_text(error.distance));
    });
    take(error.angle, limits_.joint_angle, out.verdict.motion, [&] {
      return fmt::format("joint '{}' is misaligned by {:.3g} rad", joint.name, error.angle);
    });
    const double most = model::is_angle(joint) ? limits_.joint_angle : limits_.joint;
    double& figure = model::is_angle(joint) ? out.verdict.joint_angle : out.verdict.joint;
    figure = std::max(figure, excess);
    take(excess, most, out.verdict.motion, [&] {
      return fmt::format("joint '{}' is beyond its range by {:.3g} {}", joint.name, beyond,
                         model::is_angle(joint) ? "rad" : "m");
    });
    if (excess > most || distance > limits_.joint || error.angle > limits_.joint_angle)
      out.culprits.emplace_back(joint.bodies[0], joint.bodies[1]);
    judge_tops(taken, joint, out);
  }
  for (const Gear& gear : taken.model.gears) judge_gear(taken, gear, out);
}

void Judge::judge_gear(const Taken& taken, const Gear& gear, Judgement& out) const {
  const double error = std::abs(model::gear_error(taken.model, taken.after.poses, gear)),
               figure = gear.angle ? error : error / taken.model.length_unit;
  double& largest = gear.angle ? out.verdict.joint_angle : out.verdict.joint;
  largest = std::max(largest, figure);
  const double most = gear.angle ? limits_.joint_angle : limits_.joint;
  take(figure, most, out.verdict.motion, [&] {
    return fmt::format("gear '{}' is off by {:.3g} {}", gear.name, error, gear.angle ? "rad" : "m");
  });
  if (figure > most)
    for (const BodyId id : gear.bodies)
      if (id != BodyId::world) out.culprits.emplace_back(gear.bodies[0], id);
}

// (E644): a top that turns farther in a step precesses at a wrong rate.
void Judge::judge_tops(const Taken& taken, const Joint& joint, Judgement& out) const {
  constexpr double safe = 0.9;  // of the limit, for the part that is tried next [-]
  const model::JointKind kind = model::kind_of(joint.type);
  if (kind.points == model::HeldPoints::none || kind.turns != model::HeldTurns::none) return;
  for (const BodyId id : joint.bodies) {
    if (id == BodyId::world) continue;
    const Body& body = taken.model.body(id);
    if (body.velocities == 0 || body.rotation != RotationKind::three) continue;
    const double rate = taken.before.v.segment<3>(body.first_velocity + body.velocities - 3).norm();
    const double turn = taken.length * rate;
    take(turn, taken.most_turn, out.verdict.motion, [&] {
      return fmt::format(
          "body '{}' turns by {:.3g} rad in a step on joint '{}'; {:.2g} rad are "
          "followed to 1 %, take a step of at most {:.2g} s",
          body.name, turn, joint.name, taken.most_turn, taken.most_turn / rate);
    });
    if (turn <= taken.most_turn) continue;
    out.culprits.emplace_back(joint.bodies[0], joint.bodies[1]);
    out.certified = std::min(out.certified, safe * taken.most_turn / turn);
  }
}

void Judge::judge_momentum(const Taken& taken, Judgement& out) {
  const MomentumError error = momentum_.measure(taken.model, taken.before, taken.after,
                                                taken.report, taken.external, taken.length);
  out.verdict.momentum = error.judged;
  out.verdict.momentum_others = error.reported;
  if (error.judged > limits_.momentum) out.culprits.emplace_back(error.body, error.body);
  take(error.judged, limits_.momentum, out.verdict.motion, [&] {
    return fmt::format(
        "the momentum of the bodies around '{}' changed by {:.2g} of itself without a force",
        taken.model.body(error.body).name, error.judged);
  });
}

Judgement Judge::operator()(const Taken& taken) {
  CAIRN_DCHECK(taken.length > 0 && taken.nominal >= taken.length, taken.length, taken.nominal);
  Judgement out;
  knows_before_ = false;
  judge_solve(taken, out);
  judge_path(taken, out);
  Lap lap(taken.clock);
  judge_overlaps(taken, out);
  lap.end(out.seconds.overlap);
  judge_joints(taken, out);
  lap.end(out.seconds.joints);
  judge_momentum(taken, out);
  lap.end(out.seconds.momentum);
  judge_energy(taken, out.verdict);
  lap.end(out.seconds.energy);
  return out;
}

namespace {

void add(const VerdictPart& part, VerdictPart& whole) {
  if (!part.ok && (whole.ok || !(part.worst <= whole.worst))) whole.sentence = part.sentence;
  whole.ok = whole.ok && part.ok;
  if (!(part.worst <= whole.worst)) whole.worst = part.worst;
}

}  // namespace

void add_part(const Verdict& part, Verdict& whole) {
  add(part.solve, whole.solve);
  add(part.motion, whole.motion);
  add(part.energy, whole.energy);
  whole.swept_overlap = std::max(whole.swept_overlap, part.swept_overlap);
  whole.overlap = part.overlap;  // of the end
  whole.joint = part.joint;
  whole.joint_angle = part.joint_angle;
  whole.momentum = std::max(whole.momentum, part.momentum);
  whole.momentum_others = std::max(whole.momentum_others, part.momentum_others);
  whole.energy_error = std::max(whole.energy_error, part.energy_error);
  whole.integrator += part.integrator;
}

}  // namespace cairn::accept
