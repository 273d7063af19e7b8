// Packing of contacts: geometry of the beginning of a step, impulses and velocities of its end.
#pragma once

#include "record/trace/packed/frame_tools.hpp"

namespace cairn::record {

template <class Pack, class Report>
class ContactPacker : protected FrameTools<Pack, Report> {
  using Tools = FrameTools<Pack, Report>;

 protected:
  using Tools::base_at;
  using Tools::before_;
  using Tools::key_among;
  using Tools::memory_;
  using Tools::nearest;
  using Tools::p;
  using Tools::pose_before;
  using Tools::report_;
  using Tools::scratch_;
  using Tools::Tools;
  using Tools::vec3;

  // `like`: the same contact elsewhere, at `poses`; null: none. `constants`: the contact before it,
  // which has the same normal where two faces meet.
  template <class ContactOf>
  void contact_geometry(ContactOf& c, const Contact* like, const std::vector<Pose>* poses,
                        const Contact& constants) {
    const Contact& k = like ? *like : constants;
    p.integer(c.rows, k.rows);
    if (c.rows < 1 || c.rows > max_rows) p.reject();
    p.number(c.friction, k.friction);
    p.number(c.stretch, k.stretch);
    p.number(c.torsion, k.torsion);
    p.number(c.rolling, k.rolling);
    p.number(c.restitution, k.restitution);
    p.integer(c.restitution_law, static_cast<std::int64_t>(k.restitution_law));
    p.number(c.lever, k.lever);
    const bool same_pair =
        constants.key.body_a == c.key.body_a && constants.key.body_b == c.key.body_b;
    const Contact* neighbour = same_pair ? &constants : nullptr;
    if (like && poses)
      moved_contact(c, *like, *poses, neighbour);
    else
      new_contact(c, like, neighbour);
  }

  // The contact of the frame before, carried along by its bodies: vertices by their own, normals of
  // faces by the other one.
  template <class ContactOf>
  void moved_contact(ContactOf& c, const Contact& old, const std::vector<Pose>& poses,
                     const Contact* neighbour) {
    const auto a = static_cast<std::size_t>(c.key.body_a),
               b = static_cast<std::size_t>(c.key.body_b);
    const bool there = std::max(a, b) < std::min(poses.size(), before_.poses.size());
    if (!there) return new_contact(c, &old, neighbour);
    const Pose &A = poses[a], &B = poses[b], &A_now = before_.poses[a], &B_now = before_.poses[b];
    Vec3 on_a, on_b;
    for (int i = 0; i < 3; ++i) {
      on_a[i] = old.p_WC[i] - old.n_W[i] * (old.gap / 2);
      on_b[i] = old.p_WC[i] + old.n_W[i] * (old.gap / 2);
    }
    on_a = guess::carried_point(A, A_now, on_a);
    on_b = guess::carried_point(B, B_now, on_b);
    std::array<int, 2> edges = {};
    constexpr int of_edges = 4;
    const bool crossing = guess::edges_of(A, B, old.n_W, edges);
    guess::EdgeMeeting meeting = {old.n_W, on_a, on_b};
    if (crossing) meeting = guess::edges_meet(A_now, B_now, edges, old.n_W, on_a, on_b);
    const int chosen = nearest(
        c.n_W,
        std::array{neighbour ? neighbour->n_W : old.n_W, guess::carried_axis(A, A_now, old.n_W),
                   guess::carried_axis(B, B_now, old.n_W), old.n_W, meeting.n_W},
        crossing ? of_edges : 0);
    if (chosen == of_edges) {
      on_a = meeting.on_a;
      on_b = meeting.on_b;
    }
    p.number(c.gap, guess::dot(c.n_W, Vec3(on_b - on_a)));
    for (int i = 0; i < 3; ++i) {
      on_a[i] += c.n_W[i] * (c.gap / 2);
      on_b[i] -= c.n_W[i] * (c.gap / 2);
    }
    nearest(c.p_WC, std::array{on_a, on_b});
    nearest(c.t1_W, std::array{guess::tangent(c.n_W), guess::carried_direction(A, A_now, old.t1_W),
                               guess::carried_direction(B, B_now, old.t1_W)});
    vec3(c.t2_W, guess::cross(c.n_W, c.t1_W));
  }

  template <class ContactOf>
  void new_contact(ContactOf& c, const Contact* like, const Contact* neighbour) {
    vec3(c.n_W, like ? like->n_W : neighbour ? neighbour->n_W : Vec3(0, 0, 1));
    p.number(c.gap, like ? like->gap : 0);
    vec3(c.p_WC, like ? like->p_WC : pose_before(static_cast<std::int64_t>(c.key.body_b)).p);
    nearest(c.t1_W, std::array{guess::tangent(c.n_W), like ? like->t1_W : Vec3(1, 0, 0)});
    vec3(c.t2_W, guess::cross(c.n_W, c.t1_W));
  }

  void geometry() {
    p.count(report_.contacts, static_cast<std::int64_t>(memory_.contacts.size()));
    std::int64_t last = -1;
    Contact constants;
    scratch_.old.clear();
    for (auto& c : report_.contacts) {
      const std::int64_t old = key_among(c.contact.key, memory_.contacts, last);
      scratch_.old.push_back(old);
      const Contact* like =
          old < 0 ? nullptr : &memory_.contacts[static_cast<std::size_t>(old)].contact;
      contact_geometry(c.contact, like, &memory_.poses, constants);
      constants = c.contact;
      if (!p.ok()) return;
    }
  }

  // Impulses, velocities and modes, which follow from the last solve.
  void outcomes() {
    const SolveRecord* solve = report_.solves.empty() ? nullptr : &report_.solves.back();
    scratch_.of_contact.assign(report_.contacts.size(), -1);
    if (solve) {
      std::int64_t last = -1;
      for (std::size_t i = 0; i < solve->problem.constraints.size(); ++i) {
        const ConstraintKey& id = solve->problem.constraints[i].key;
        if (!pushes(id.role)) continue;
        const auto next = static_cast<std::size_t>(last + 1);
        const std::int64_t index =
            next < report_.contacts.size() && report_.contacts[next].contact.key == id.contact
                ? last + 1
                : find(report_.contacts, id.contact);
        if (index < 0) continue;
        scratch_.of_contact[static_cast<std::size_t>(index)] = static_cast<int>(i);
        last = index;
      }
    }
    for (std::size_t i = 0; i < report_.contacts.size() && p.ok(); ++i) outcome(i, solve);
  }

  // The figures of an impact in the last solve, if that has the contact.
  bool impact(std::int64_t contact, ImpactReport& out) const {
    if (contact < 0 || report_.solves.empty()) return false;
    const int i = scratch_.of_contact[static_cast<std::size_t>(contact)];
    const SolveRecord& solve = report_.solves.back();
    const Problem& problem = solve.problem;
    if (i < 0 || scratch_.begin.size() != problem.k.size()) return false;
    const Constraint& row = problem.constraints[base_at(i)];
    double from[max_rows] = {}, to[max_rows] = {}, work[2] = {};
    guess::constraint_velocity(problem, row, scratch_.begin, from);
    guess::constraint_velocity(problem, row, solve.solution.v, to);
    for (int k = 0; k < row.rows; ++k)
      work[k > 0 ? 1 : 0] += solve.solution.lambda[problem.first_row[base_at(i)] + k] *
                             problem.units.energy() * (0.5 * (from[k] + to[k]));
    out.approach = from[0] * problem.units.speed();
    out.rebound = to[0] * problem.units.speed();
    out.lost_restitution = std::max(0.0, -work[0]);
    out.lost_friction = std::max(0.0, -work[1]);
    out.put_in = std::max(0.0, work[0]) + std::max(0.0, work[1]);
    return true;
  }

  void outcome(std::size_t i, const SolveRecord* solve) {
    auto& c = report_.contacts[i];
    Vec3 impulse = Vec3::Zero(), velocity = Vec3::Zero();
    if (solve && scratch_.of_contact[i] >= 0) {
      const Problem& problem = solve->problem;
      const Constraint& row = problem.constraints[base_at(scratch_.of_contact[i])];
      const int first = problem.first_row[base_at(scratch_.of_contact[i])];
      double w[max_rows] = {};
      guess::constraint_velocity(problem, row, solve->solution.v, w);
      for (int k = 0; k < row.rows; ++k) {
        impulse[k] = solve->solution.lambda[first + k] * problem.units.impulse();
        velocity[k] = w[k] * problem.units.speed();
      }
      impulse[2] *= c.contact.stretch;
      velocity[2] /= c.contact.stretch;
    }
    vec3(c.impulse, impulse);
    vec3(c.velocity, velocity);
    vec3(c.torque, Vec3::Zero());
    const std::int64_t old = scratch_.old[i];
    p.integer(c.mode, old < 0 ? 0
                              : static_cast<std::int64_t>(
                                    memory_.contacts[static_cast<std::size_t>(old)].mode));
    p.integer(c.colliding, 0);
  }
};

}  // namespace cairn::record
