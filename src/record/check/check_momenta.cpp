// check, momenta of islands that nothing from outside holds (E305), from states and masses.
#include <algorithm>
#include <cmath>

#include "base/index.hpp"
#include "base/union_find.hpp"
#include "record/check/check_parts.hpp"
#include "record/check/verdict_figures.hpp"

namespace cairn::record {
namespace {

constexpr double sum_rounding = 0x1p-48;  // of sums of products [-]

struct Sums {
  bool held = false, judged = true, turns = true;
  Vec3 free = Vec3::Ones();
  double mass = 0, size = 0, spin_size = 0;  // sizes: sums without cancellation
  double lost = 0, spin_lost = 0;            // sum_rounding
  Vec3 center[2] = {Vec3::Zero(), Vec3::Zero()}, P[2] = {Vec3::Zero(), Vec3::Zero()},
       L[2] = {Vec3::Zero(), Vec3::Zero()};
  Vec3 impulse = Vec3::Zero(), torque = Vec3::Zero();
};

// Torques about every axis turn it, or it moves in a plane and turns in it.
bool turns_freely(const Body& body) {
  if (body.rotation != RotationKind::one) return body.rotation == RotationKind::three;
  int locked = 0, axis = -1;
  for (int k = 0; k < 3; ++k)
    if (!body.translations[static_cast<std::size_t>(k)]) ++locked, axis = k;
  return locked == 1 && body.axis_W.cross(Vec3::Unit(axis)).isZero(0);
}

class Islands {
 public:
  Islands(const Model& model, const State& before, const TraceFrame& frame)
      : model_(model), frame_(frame), states_{&before, &frame.state}, sums_(model.bodies.size()) {
    sets_.reset(model.bodies.size());
    link();
    const double h = frame.report.h;
    each([&](std::size_t i, Sums& s) { add_body(model_.bodies[i], i, h, s); });
    each([&](std::size_t i, Sums& s) { add_spin(model_.bodies[i], i, s); });
    add_loads(h);
    add_rounding();
  }

  void measure(MotionFigures& out) const {
    for (const Sums& s : sums_) {
      if (!(s.mass > 0) || s.held) continue;
      Vec3 axes = Vec3::Ones();
      for (int k = 0; k < 3; ++k)
        if (s.free[k] == 0) axes = axes.cwiseProduct(Vec3::Unit(k));
      const double missing = (s.P[1] - s.P[0] - s.impulse).cwiseProduct(s.free).norm() - s.lost,
                   turned = (s.L[1] - s.L[0] - s.torque).cwiseProduct(axes).norm() - s.spin_lost;
      double error = missing > 0 ? missing / s.size : 0;
      if (s.turns && turned > 0) error = std::max(error, turned / s.spin_size);
      double& place = s.judged ? out.momentum : out.momentum_others;
      place = std::max(place, error);
    }
  }

 private:
  bool is_free(BodyId id) const { return id != BodyId::world && model_.body(id).velocities > 0; }
  Sums& sums_of(std::size_t body) { return sums_[base::at(sets_.root(static_cast<int>(body)))]; }

  template <class Visit>
  void each(Visit visit) {
    for (std::size_t i = 0; i < model_.bodies.size(); ++i)
      if (model_.bodies[i].velocities > 0) visit(i, sums_of(i));
  }

  // Contacts with impulses, collisions, joints and springs.
  void link() {
    std::vector<std::array<BodyId, 2>> links, springs;
    for (const SolveRecord& solve : frame_.report.solved())
      for (std::size_t i = 0; i < solve.problem.constraints.size(); ++i) {
        const ConstraintKey& id = solve.problem.constraints[i].key;
        const int first = solve.problem.first_row[i], rows = solve.problem.first_row[i + 1] - first;
        if (is_of_contact(id.role) && !solve.solution.lambda.segment(first, rows).isZero(0))
          links.push_back({id.contact.body_a, id.contact.body_b});
      }
    for (const ImpactReport& i : frame_.report.impacts)
      links.push_back({i.contact.body_a, i.contact.body_b});
    for (const StepEvent& e : frame_.report.events)
      if (e.contact.body_a != e.contact.body_b)
        links.push_back({e.contact.body_a, e.contact.body_b});
    for (const Joint& joint : model_.joints) links.push_back(joint.bodies);
    for (const Spring& spring : model_.springs) springs.push_back(spring.bodies);
    links.insert(links.end(), springs.begin(), springs.end());
    for (const auto& [a, b] : links)
      if (is_free(a) && is_free(b)) sets_.join(static_cast<int>(a), static_cast<int>(b));
    for (const auto& [a, b] : links)
      if (is_free(a) != is_free(b)) sums_of(index(is_free(a) ? a : b)).held = true;
    for (const auto& [a, b] : springs)
      if (is_free(a) && is_free(b)) sums_of(index(a)).judged = false;
    for (const ExternalForce& force : frame_.report.controls.forces)
      if (is_free(force.body)) sums_of(index(force.body)).held = true;
  }

  void add_body(const Body& body, std::size_t i, double h, Sums& s) {
    for (int k = 0; k < 3; ++k)
      if (!body.translations[static_cast<std::size_t>(k)]) s.free[k] = 0;
    s.turns = s.turns && turns_freely(body);
    s.mass += body.mass;
    for (std::size_t end = 0; end < 2; ++end) {
      const Vec3 v = twist(body, *states_[end]).linear_W;
      s.center[end] += body.mass * states_[end]->poses[i].p;
      s.P[end] += body.mass * v;
      s.size += body.mass * v.norm();
    }
    s.impulse += h * body.mass * model_.gravity;
    s.size += h * body.mass * model_.gravity.norm();
  }

  void add_spin(const Body& body, std::size_t i, Sums& s) {
    for (std::size_t end = 0; end < 2; ++end) {
      const Pose& X = states_[end]->poses[i];
      const Twist v = twist(body, *states_[end]);
      const Vec3 u = v.linear_W - s.P[end] / s.mass, arm = X.p - s.center[end] / s.mass;
      const Vec3 orbit = body.mass * arm.cross(u), spin = X.R * (body.inertia_B * v.angular_B);
      s.L[end] += orbit + spin;
      s.spin_size += orbit.norm() + spin.norm();
      s.spin_lost +=
          sum_rounding * body.mass * (arm.norm() * v.linear_W.norm() + X.p.norm() * u.norm());
    }
  }

  // Constant forces at centres of mass are part of the balance; islands with others are reported.
  void add_loads(double h) {
    const double t = states_[0]->t;
    for (const AppliedForce& a : model_.applied_forces) {
      if (!is_free(a.body)) continue;
      Sums& s = sums_of(index(a.body));
      const auto at = [](const std::array<TimeFunction, 3>& x, double time) {
        return Vec3(x[0](time), x[1](time), x[2](time));
      };
      const Vec3 force = at(a.force, t), torque = at(a.torque, t);
      if (force != at(a.force, t + h) || torque != Vec3::Zero() || a.point != Vec3::Zero())
        s.judged = false;
      const Vec3 arm = states_[0]->poses[index(a.body)].p - s.center[0] / s.mass;
      s.impulse += h * force;
      s.size += h * force.norm();
      s.torque += h * (arm.cross(force) + torque);
      s.spin_size += h * arm.cross(force).norm();
    }
  }

  void add_rounding() {
    for (const SolveRecord& solve : frame_.report.solved())
      for (std::size_t i = 0; i < solve.problem.constraints.size(); ++i) {
        const Problem& p = solve.problem;
        const double impulse =
            p.units.impulse() *
            solve.solution.lambda.segment(p.first_row[i], p.constraints[i].rows).lpNorm<1>();
        for (const int side : p.constraints[i].body) {
          if (side < 0) continue;
          const auto body = static_cast<std::size_t>(p.bodies[base::at(side)].model_body);
          Sums& s = sums_of(body);
          s.lost += sum_rounding * impulse;
          s.spin_lost +=
              sum_rounding * impulse * (p.units.length + states_[0]->poses[body].p.norm());
        }
      }
  }

  const Model& model_;
  const TraceFrame& frame_;
  const State* states_[2];
  base::UnionFind sets_;
  std::vector<Sums> sums_;  // by the root of the set
};

}  // namespace

void measure_momenta(const Model& model, const State& before, const TraceFrame& frame,
                     MotionFigures& out) {
  Islands(model, before, frame).measure(out);
}

}  // namespace cairn::record
