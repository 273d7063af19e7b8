// Packing of the state at the end of a step and at the ends of its parts.
#pragma once

#include "record/trace/packed/solve_packer.hpp"

namespace cairn::record {

template <class Pack, class Report, class StateOf>
class StatePacker : protected SolvePacker<Pack, Report> {
  using Solves = SolvePacker<Pack, Report>;

 protected:
  StatePacker(Pack& pack, PackMemory& memory, Report& report, StateOf& state)
      : Solves(pack, memory, report), state_(state) {}
  using Solves::base_at;
  using Solves::before_;
  using Solves::in_si;
  using Solves::key_among;
  using Solves::memory_;
  using Solves::numbers;
  using Solves::p;
  using Solves::pose;
  using Solves::pose_before;
  using Solves::report_;
  using Solves::scratch_;
  using Solves::vec3;
  static constexpr bool reading = Pack::reading;

  // A body of the model in a solve, or null.
  const ProblemBody* body_in(const SolveRecord& solve, std::int64_t model) const {
    for (const ProblemBody& b : solve.problem.bodies)
      if (b.model_body == model) return &b;
    return nullptr;
  }

  void parts() {
    p.count(report_.divided, 0);
    for (auto& part : report_.divided) {
      p.number(part.t, before_.t);
      p.number(part.length, report_.h);
      p.integer(part.first_solve, 0);
      p.integer(part.solves, 1);
      p.integer(part.first_order, 0);
      if (part.first_solve < 0 || part.solves < 0 ||
          part.first_solve > report_.solves.size() - part.solves)
        return p.reject();
      p.count(part.bodies, 1);
      if constexpr (reading) part.poses.resize(part.bodies.size());
      std::int64_t next = 0;
      const SolveRecord* solve =
          part.solves > 0 ? &report_.solves[base_at(part.first_solve + part.solves - 1)] : nullptr;
      std::vector<double>& v = scratch_.numbers;
      v.clear();
      for (std::size_t i = 0; i < part.bodies.size() && p.ok(); ++i) {
        p.integer(part.bodies[i], next);
        next = static_cast<std::int64_t>(part.bodies[i]) + 1;
        const ProblemBody* body = solve ? body_in(*solve, next - 1) : nullptr;
        Pose guess = pose_before(next - 1);
        if (body) {
          const std::size_t from = v.size();
          for (int k = 0; k < body->size; ++k)
            v.push_back(in_si(solve->problem, *body, k, at(solve->solution.v, body->first + k)));
          guess =
              guess::moved(guess, v.data() + from, body->size, part.t + part.length - before_.t);
        }
        pose(part.poses[i], guess);
      }
      p.count(part.v, static_cast<std::int64_t>(v.size()));
      v.resize(static_cast<std::size_t>(part.v.size()));
      for (std::size_t i = 0; i < v.size() && p.ok(); ++i)
        p.number(part.v[static_cast<Eigen::Index>(i)], v[i]);
    }
  }

  void state() {
    p.number(state_.t, before_.t + report_.h);
    p.integer(state_.step, before_.step + 1);
    state_velocities();
    poses();
    impulses();
    numbers(state_.v_before, before_.v_before.size() > 0 ? before_.v : before_.v_before);
    keys(state_.pending);
    anchors();
  }

  const SolveRecord* last_solve() const {
    return report_.solves.empty() ? nullptr : &report_.solves.back();
  }

  // Those of the last solve if it was of all bodies.
  void state_velocities() {
    VecX& guess = scratch_.velocities;
    guess = before_.v;
    const SolveRecord* solve = last_solve();
    if (solve && solve->problem.k.size() == before_.v.size())
      for (const ProblemBody& b : solve->problem.bodies)
        for (int i = 0; i < b.size; ++i)
          guess[b.first + i] = in_si(solve->problem, b, i, solve->solution.v[b.first + i]);
    for (const auto& part : report_.divided) {
      Eigen::Index from = 0;
      for (const BodyId id : part.bodies) {
        const ProblemBody* b = body_in(memory_.solve, static_cast<std::int64_t>(id));
        if (!b || b->first + b->size > guess.size() || from + b->size > part.v.size()) break;
        for (int i = 0; i < b->size; ++i) guess[b->first + i] = part.v[from + i];
        from += b->size;
      }
    }
    numbers(state_.v, guess);
  }

  void poses() {
    p.count(state_.poses, static_cast<std::int64_t>(before_.poses.size()));
    std::vector<Pose>& guess = scratch_.poses;
    guess.resize(state_.poses.size());
    for (std::size_t i = 0; i < guess.size(); ++i)
      guess[i] = pose_before(static_cast<std::int64_t>(i));
    const SolveRecord* solve = last_solve();
    if (solve && report_.divided.empty() && solve->problem.k.size() == state_.v.size())
      for (const ProblemBody& b : solve->problem.bodies) {
        const auto body = static_cast<std::size_t>(b.model_body);
        if (b.model_body >= 0 && body < guess.size())
          guess[body] = guess::moved(guess[body], state_.v.data() + b.first, b.size, report_.h);
      }
    for (const auto& part : report_.divided)
      for (std::size_t i = 0; i < part.bodies.size(); ++i)
        if (static_cast<std::size_t>(part.bodies[i]) < guess.size())
          guess[static_cast<std::size_t>(part.bodies[i])] = part.poses[i];
    for (std::size_t i = 0; i < guess.size() && p.ok(); ++i) pose(state_.poses[i], guess[i]);
  }

  // Joints: the rows of the last solve. Contacts: what they report along their axes, in the world.
  void impulses() {
    p.count(state_.impulses, static_cast<std::int64_t>(before_.impulses.size()));
    std::int64_t last = -1;
    int next = 0;
    Role role = Role::joint;
    for (auto& memory : state_.impulses) {
      p.integer(memory.key.role, static_cast<std::int64_t>(role));
      if (memory.key.role >= Role::given) return p.reject();
      if (memory.key.role != role) last = -1;
      role = memory.key.role;
      if (is_of_contact(role)) {
        of_contact(memory, key_among(memory.key.contact, report_.contacts, last));
      } else {
        of_joint(memory, next);
        if constexpr (reading) memory.key.contact = {};
      }
      if (!p.ok()) return;
    }
  }

  template <class Memory>
  void of_contact(Memory& memory, std::int64_t contact) {
    if constexpr (reading) {
      memory.key.element = 0;
      memory.key.coordinate = 0;
    }
    Vec3 guess = Vec3::Zero();
    if (contact >= 0) {
      const ContactReport& c = report_.contacts[static_cast<std::size_t>(contact)];
      const Role role = memory.key.role;
      if (pushes(role))
        for (int i = 0; i < 3; ++i)
          guess[i] = c.impulse[0] * c.contact.n_W[i] + c.impulse[1] * c.contact.t1_W[i] +
                     c.impulse[2] * c.contact.t2_W[i];
      else
        for (int i = 0; i < 3; ++i)
          guess[i] = role == Role::torsion
                         ? c.torque[0] * c.contact.n_W[i]
                         : c.torque[1] * c.contact.t1_W[i] + c.torque[2] * c.contact.t2_W[i];
    }
    vec3(memory.impulse, guess);
  }

  // `next`: the constraint of the last solve that is tried first.
  template <class Memory>
  void of_joint(Memory& memory, int& next) {
    const SolveRecord* solve = last_solve();
    const int count = solve ? static_cast<int>(solve->problem.constraints.size()) : 0;
    const Constraint none;
    const Constraint& c = next < count ? solve->problem.constraints[base_at(next)] : none;
    p.integer(memory.key.element, c.key.element);
    p.integer(memory.key.coordinate, c.key.coordinate);
    Vec3 guess = Vec3::Zero();
    if (next < count)
      for (int k = 0; k < c.rows; ++k)
        guess[k] = at(solve->solution.lambda, solve->problem.first_row[base_at(next)] + k) *
                   solve->problem.units.impulse();
    vec3(memory.impulse, guess);
    ++next;
  }

  template <class Keys>
  void keys(Keys& keys) {
    p.count(keys, 0);
    std::int64_t last = -1;
    for (auto& key : keys) {
      key_among(key, report_.contacts, last);
      if (!p.ok()) return;
    }
  }

  void anchors() {
    p.count(state_.contact_anchors, static_cast<std::int64_t>(before_.contact_anchors.size()));
    std::int64_t last = -1;
    for (auto& anchor : state_.contact_anchors) {
      key_among(anchor.key, report_.contacts, last);
      const auto old = std::lower_bound(
          before_.contact_anchors.begin(), before_.contact_anchors.end(), anchor.key,
          [](const ContactAnchor& a, const ContactKey& key) { return a.key < key; });
      const bool there = old != before_.contact_anchors.end() && old->key == anchor.key;
      vec3(anchor.p_A, there ? old->p_A : Vec3(Vec3::Zero()));
      vec3(anchor.p_B, there ? old->p_B : Vec3(Vec3::Zero()));
      if (!p.ok()) return;
    }
  }

  StateOf& state_;
};

}  // namespace cairn::record
