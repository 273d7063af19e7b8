#include "simulate/joint_report.hpp"

#include <algorithm>

#include "base/conventions.hpp"
#include "base/index.hpp"
#include "model/dof.hpp"
#include "model/joint/joint_coordinate.hpp"
#include "simulate/step_motion.hpp"

namespace cairn {

double joint_position(const Model& model, const State& state, JointId id) {
  const Joint& joint = model.joints[index(id)];
  return model::has_coordinate(joint) ? model::joint_coordinate(state.poses, joint).value : 0;
}

namespace {

BodyMotion motion_of(const Model& model, const State& state, BodyId id) {
  return id == BodyId::world
             ? BodyMotion{Vec3::Zero(), Quat::Identity(), Vec3::Zero(), Vec3::Zero()}
             : body_motion(model, state, id);
}

double rate(const Joint& joint, const model::JointCoordinate& q, const BodyMotion& a,
            const BodyMotion& b) {
  if (model::is_angle(joint)) return q.axis_W.dot(b.angular_velocity - a.angular_velocity);
  const auto point = [&](const BodyMotion& m) {
    return Vec3(m.velocity + m.angular_velocity.cross(q.point_W - m.position));
  };
  return q.axis_W.dot(point(b) - point(a));
}

}  // namespace

double joint_velocity(const Model& model, const State& state, JointId id) {
  const Joint& joint = model.joints[index(id)];
  if (!model::has_coordinate(joint)) return 0;
  return rate(joint, model::joint_coordinate(state.poses, joint),
              motion_of(model, state, joint.bodies[0]), motion_of(model, state, joint.bodies[1]));
}

namespace simulate {
namespace {

bool is_instant(const SolveRecord& record) {
  using Purpose = SolveRecord::Purpose;
  return record.purpose == Purpose::compression || record.purpose == Purpose::decompression ||
         record.purpose == Purpose::impact;
}

// Consecutive solves of one group of bodies.
struct Solves {
  std::span<const SolveRecord> records;
  double length = 0;  // of the part of the step [s]
};

class JointReporter {
 public:
  JointReporter(const Model& model, std::span<const Pose> start, const StepReport& report,
                std::vector<JointReport>& out)
      : model_(model), start_(start), report_(report), out_(out) {}

  void run() {
    if (report_.divided.empty()) return add({report_.solved(), report_.h});
    // Later parts of a group replace earlier ones.
    for (const StepPart& part : report_.divided)
      if (part.first_solve >= 0 && part.solves > 0 &&
          part.first_solve + part.solves <= report_.solves.size())
        add({report_.solved().subspan(base::at(part.first_solve), base::at(part.solves)),
             part.length});
  }

 private:
  void add(const Solves& solves) {
    const auto last = std::find_if(solves.records.rbegin(), solves.records.rend(),
                                   [](const SolveRecord& r) { return !is_instant(r); });
    if (last == solves.records.rend()) return;
    const SolveRecord& record = *last;
    const double length = record.length > 0 ? record.length : solves.length;
    if (!(length > 0) || record.solution.lambda.size() != record.problem.rows()) return;
    reset(record.problem);
    for (std::size_t i = 0; i < record.problem.constraints.size(); ++i) {
      const Constraint& c = record.problem.constraints[i];
      const double* lambda = record.solution.lambda.data() + record.problem.first_row[i];
      if (c.key.role == Role::joint) add_reaction(record, c, lambda, length);
      if (acts_on_coordinate(c.key.role) && c.key.role != Role::rotor)
        add_drive(record.problem, c, lambda[0] / length);
      if (c.key.role == Role::limit) add_limit(record.problem, c, lambda[0] / length);
    }
  }

  // Clears the entries of the joints that the problem contains.
  void reset(const Problem& problem) {
    for (const Constraint& c : problem.constraints)
      if (c.key.role == Role::joint)
        out_[base::at(c.key.element)].force = out_[base::at(c.key.element)].torque = Vec3::Zero();
      else if (acts_on_coordinate(c.key.role) && c.key.role != Role::rotor)
        effort_of(c) = 0;
      else if (c.key.role == Role::limit)
        out_[index(limited_joint(c.key.contact))].limit = 0;
  }

  void add_reaction(const SolveRecord& record, const Constraint& c, const double* lambda,
                    double length) {
    const Problem& problem = record.problem;
    const std::size_t side = c.body[1] >= 0 ? 1 : 0;
    if (c.body[side] < 0) return;
    const ProblemBody& b = problem.bodies[base::at(c.body[side])];
    if (b.model_body < 0) return;
    const Body& body = model_.bodies[base::at(b.model_body)];
    double f[max_velocities] = {};
    for (int r = 0; r < c.rows; ++r)
      for (int k = 0; k < b.size; ++k) f[k] += c.J[side][r][k] * lambda[r];
    JointReport& out = out_[base::at(c.key.element)];
    const double unit = (side == 1 ? 1 : -1) * problem.units.impulse() / length;
    if (c.key.coordinate == 0) {
      int k = 0;
      for (int axis = 0; axis < 3; ++axis)
        if (body.translations[base::at(axis)]) out.force[axis] += unit * f[k++];
      return;
    }
    const double* turn = f + model::translation_count(body);
    const double torque = unit * problem.units.length;
    if (body.rotation == RotationKind::one)
      out.torque += torque * turn[0] * body.axis_W;
    else if (body.rotation == RotationKind::three)
      out.torque += start_of(record, c.body[side]).R * (torque * Vec3(turn[0], turn[1], turn[2]));
  }

  // Where a body of a problem was when its part began: its columns are in this frame (E406).
  const Pose& start_of(const SolveRecord& record, int body) const {
    if (base::at(body) < record.origin.start.size()) return record.origin.start[base::at(body)];
    return start_[base::at(record.problem.bodies[base::at(body)].model_body)];
  }

  double& effort_of(const Constraint& c) {
    JointReport& out = out_[base::at(c.key.element)];
    return c.key.role == Role::drive      ? out.drive
           : c.key.role == Role::friction ? out.friction
                                          : out.spring;
  }

  void add_drive(const Problem& problem, const Constraint& c, double push) {
    const double lever =
        model::is_angle(model_.joints[base::at(c.key.element)]) ? problem.units.length : 1;
    effort_of(c) += push * problem.units.impulse() * lever;
  }

  void add_limit(const Problem& problem, const Constraint& c, double push) {
    const Joint& joint = model_.joints[index(limited_joint(c.key.contact))];
    const double lever = model::is_angle(joint) ? problem.units.length : 1;
    const double sense = limit_side(c.key.contact) == LimitSide::lower ? 1 : -1;
    out_[index(limited_joint(c.key.contact))].limit +=
        sense * push * problem.units.impulse() * lever;
  }

  const Model& model_;
  std::span<const Pose> start_;
  const StepReport& report_;
  std::vector<JointReport>& out_;
};

}  // namespace

void report_joints(const Model& model, std::span<const Pose> start, const State& end,
                   const StepReport& report, std::vector<JointReport>& out) {
  out.assign(model.joints.size(), {});
  if (model.joints.empty()) return;
  CAIRN_DCHECK(start.size() == model.bodies.size(), start.size());
  const auto motion = [&](BodyId id) {
    return id == BodyId::world ? motion_of(model, end, id)
                               : step_motion(model, end, id, start[index(id)], report.h);
  };
  for (std::size_t i = 0; i < model.joints.size(); ++i) {
    const Joint& joint = model.joints[i];
    if (!model::has_coordinate(joint)) continue;
    const model::JointCoordinate q = model::joint_coordinate(end.poses, joint);
    out[i].position = q.value;
    out[i].velocity = rate(joint, q, motion(joint.bodies[0]), motion(joint.bodies[1]));
  }
  JointReporter(model, start, report, out).run();
}

}  // namespace simulate
}  // namespace cairn
