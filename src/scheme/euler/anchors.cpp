// Contacts that stick hold positions: their anchors (E441), and which of them are projected (E442).
#include <algorithm>
#include <cmath>

#include "constrain/carried.hpp"
#include "dynamics/kinematics.hpp"
#include "linear/blocks.hpp"
#include "scheme/euler/step.hpp"

namespace cairn::scheme {
namespace {

constexpr double well_inside = 1 - 1e-9;    // of the friction limit [-]
constexpr double slow_slip = 1e-6;          // strictly inside a round cone, of a unit speed [-]
constexpr double no_slip = 1e-12;           // likewise of other sections, as in reports [-]
constexpr double slow_turn = 1e-9;          // of the two bodies about each other in a step [rad]
constexpr double most_together = 0.1;       // of the two with each other in a step [rad]
constexpr double travelled = 1e-6;          // of the smaller body's radius: it has a new anchor [-]
constexpr double anchor_open = 1e-10;       // of the size of positions: it is given up [-]
constexpr double pressed_rounding = 1e-12;  // of the size of positions: other contacts press [-]
constexpr double anchor_rounding = 1e-14;   // of the size of positions [-]

}  // namespace

// Groups of bodies that joints, the anchors of the beginning and the contacts that carried impulses
// connect. Those with an anchor are marked at their root, with the prescribed body that it is on.
void Step::find_riders() {
  if (state.contact_anchors.empty()) return;
  data.sticking.anchor_groups.reset(model.bodies.size());
  data.sticking.anchor_moves.assign(model.bodies.size(), 0);
  data.sticking.rides_on.assign(model.bodies.size(), StickingData::rides_on_none);
  auto free = [&](BodyId id) { return id != BodyId::world && model.body(id).velocities > 0; };
  auto join = [&](BodyId a, BodyId b) {
    if (free(a) && free(b))
      data.sticking.anchor_groups.join(static_cast<int>(a), static_cast<int>(b));
  };
  for (const ContactAnchor& a : state.contact_anchors) join(a.key.body_a, a.key.body_b);
  for (const ImpulseMemory& m : of_role(state.impulses, Role::contact))
    join(m.key.contact.body_a, m.key.contact.body_b);
  for (const Joint& joint : model.joints) join(joint.bodies[0], joint.bodies[1]);
  for (const ContactAnchor& a : state.contact_anchors)
    for (const auto& [id, other] :
         {std::pair(a.key.body_a, a.key.body_b), std::pair(a.key.body_b, a.key.body_a)}) {
      if (!free(id)) continue;
      const std::size_t root = base::at(data.sticking.anchor_groups.root(static_cast<int>(id)));
      data.sticking.anchor_moves[root] = 1;
      if (!dynamics::is_prescribed(model, other)) continue;
      int& on = data.sticking.rides_on[root];
      on = on == StickingData::rides_on_none || on == static_cast<int>(other)
               ? static_cast<int>(other)
               : StickingData::rides_on_several;
    }
}

// One of the two bodies is in a group that anchors hold to the other one, which is prescribed.
bool Step::rides(const ContactKey& key) const {
  if (state.contact_anchors.empty()) return false;
  for (const auto& [id, on] :
       {std::pair(key.body_a, key.body_b), std::pair(key.body_b, key.body_a)}) {
    if (!dynamics::is_prescribed(model, on) || model.body(id).velocities == 0) continue;
    const int held =
        data.sticking.rides_on[base::at(data.sticking.anchor_groups.root(static_cast<int>(id)))];
    if (held == static_cast<int>(on) || held == StickingData::rides_on_several) return true;
  }
  return false;
}

// Of bodies that anchors hold the projection meets gaps and joints at the end of the step: their
// rows stay those of the beginning, which all of them can meet (E601).
bool Step::keeps_start(BodyId a, BodyId b) const {
  if (!options.nonlinear || !options.projection || state.contact_anchors.empty()) return false;
  for (const BodyId id : {a, b})
    if (id != BodyId::world && model.body(id).velocities > 0 &&
        data.sticking
            .anchor_moves[base::at(data.sticking.anchor_groups.root(static_cast<int>(id)))])
      return true;
  return false;
}

// The contact carries an impulse strictly inside its cone, without restitution in this step.
bool Step::sticks(std::size_t contact) const {
  const SolveRecord& record = last();
  const std::size_t number = data.rows.posed.constraint_of(contact);
  const Constraint& c = record.problem.constraints[number];
  const double* r = record.solution.lambda.data() + record.problem.first_row[number];
  const ContactTerms& terms = data.rows.terms[contact];
  if (c.rows < 2 || !(r[0] > 0) || terms.bounce != 0 || terms.slip != 0 || !terms.impulse.isZero(0))
    return false;
  // A plastic impact ends in sticking; of round bodies not yet, they may start to roll.
  if (terms.impact && !constrain::is_flat_contact(model, data.contacts[contact].key)) return false;
  double w[max_rows] = {};
  linear::constraint_velocity(record.problem, c, record.solution.v.data(), true, w);
  const double slip = std::hypot(w[1], c.rows > 2 ? w[2] : 0);
  const bool round = c.facets == 0 && !c.section;
  if (std::hypot(r[1], c.rows > 2 ? r[2] : 0) < well_inside * c.mu * r[0])
    return slip <= (round ? slow_slip : no_slip);
  return slip <= (round ? std::min(slow_slip, tolerance(solver)) : no_slip);
}

// The two bodies do not turn about each other: then the contact point does not travel. Bodies that
// turn together by an angle do so up to its third power.
bool Step::moves_as_one(const Contact& c, const Vec3& prescribed_spin) const {
  Vec3 spin = prescribed_spin;
  double turn = most_together;  // of the slower one, in the step
  for (const auto& [id, sign] : {std::pair(c.key.body_a, -1.0), std::pair(c.key.body_b, 1.0)}) {
    Vec3 own = dynamics::is_prescribed(model, id) ? prescribed_spin : Vec3::Zero();
    if (const Body& body = model.body(id); body.velocities > 0) {
      own = dynamics::angular_velocity(body, state.poses[index(id)],
                                       data.v.end.data() + body.first_velocity);
      spin += sign * own;
    }
    turn = std::min(turn, h * own.norm());
  }
  const double order = constrain::is_flat_contact(model, c.key) ? 2 : 3;
  return h * spin.norm() <= std::max(slow_turn, std::pow(turn, order));
}

// (E441). `beginning`: the contacts as they were at the beginning of the step.
void Step::find_anchors(std::span<const Contact> beginning) {
  data.sticking.anchors.clear();
  data.sticking.anchor_rows.clear();
  CAIRN_DCHECK(beginning.size() == data.rows.terms.size(), beginning.size(),
               data.rows.terms.size());
  auto known = state.contact_anchors.begin();
  for (std::size_t i = 0; i < beginning.size(); ++i) {
    const Contact& c = beginning[i];
    if (!sticks(i) || !moves_as_one(c, data.rows.terms[i].spin)) continue;
    const Vec3 half = 0.5 * c.gap * c.n_W;
    ContactAnchor now{c.key, state.poses[index(c.key.body_a)].inverse() * (c.p_WC - half),
                      state.poses[index(c.key.body_b)].inverse() * (c.p_WC + half)};
    known =
        std::lower_bound(known, state.contact_anchors.end(), c.key,
                         [](const ContactAnchor& a, const ContactKey& key) { return a.key < key; });
    if (known != state.contact_anchors.end() && known->key == c.key) {
      const double room = travelled * model.smaller_radius(c.key.body_a, c.key.body_b);
      if ((known->p_A - now.p_A).norm() <= room && (known->p_B - now.p_B).norm() <= room)
        now = *known;
    }
    data.sticking.anchors.push_back(now);
    data.sticking.anchor_rows.push_back({c, now.p_A, now.p_B, data.rows.terms[i].target});
  }
}

// Anchors are projected in groups that have some of them, or joints, apart by more than rounding.
void Step::select_anchors() {
  data.positions.projection.anchors.clear();
  const double noise = anchor_rounding * constrain::extent(model, data.poses.end);
  if (data.sticking.anchors.empty() ||
      (model.joints.empty() &&
       !(constrain::anchor_error(data.sticking.anchor_rows, data.poses.end) > noise)))
    return;
  auto free = [&](BodyId id) { return id != BodyId::world && model.body(id).velocities > 0; };
  auto join = [&](BodyId a, BodyId b) {
    if (free(a) && free(b))
      data.sticking.anchor_groups.join(static_cast<int>(a), static_cast<int>(b));
  };
  auto root = [&](BodyId id) {
    return base::at(data.sticking.anchor_groups.root(static_cast<int>(id)));
  };
  data.sticking.anchor_groups.reset(model.bodies.size());
  for (const ContactAnchor& a : data.sticking.anchors) join(a.key.body_a, a.key.body_b);
  for (const Joint& joint : model.joints) join(joint.bodies[0], joint.bodies[1]);
  data.sticking.anchor_moves.assign(model.bodies.size(), 0);
  for (const constrain::AnchorRows& a : data.sticking.anchor_rows)
    if (constrain::anchor_error(a, data.poses.end) > noise)
      for (const BodyId id : {a.contact.key.body_a, a.contact.key.body_b})
        if (free(id)) data.sticking.anchor_moves[root(id)] = 1;
  for (const Joint& joint : model.joints)
    for (const BodyId id : joint.bodies)
      if (free(id)) data.sticking.anchor_moves[root(id)] = 1;
  for (const constrain::AnchorRows& a : data.sticking.anchor_rows) {
    const ContactKey& key = a.contact.key;
    if (data.sticking.anchor_moves[root(free(key.body_a) ? key.body_a : key.body_b)])
      data.positions.projection.anchors.push_back(a);
  }
}

// How far the projection has pushed a contact beyond where its velocity leads [m].
double Step::pressed_by(std::size_t contact, const Contact& c) const {
  const SolveRecord& record = last();
  double w[max_rows] = {};
  linear::constraint_velocity(record.problem,
                              record.problem.constraints[data.rows.posed.constraint_of(contact)],
                              record.solution.v.data(), true, w);
  const double gap = data.rows.terms[contact].target + h * w[0] * record.problem.units.speed();
  if (is_limit(c.key)) return 0;
  double closed = 0;
  for (const auto& [id, sign] : {std::pair(c.key.body_a, 1.0), std::pair(c.key.body_b, -1.0)}) {
    const Vec3 p = state.poses[index(id)].inverse() * c.p_WC;
    closed += sign * c.n_W.dot(data.poses.end[index(id)] * p - data.poses.moved[index(id)] * p);
  }
  return std::min(closed, closed - gap);
}

// The projection has made a contact without an anchor deeper than it was at the beginning and than
// its velocity leaves it.
bool Step::is_pressed(std::size_t contact, const Contact& start) {
  const double noise = pressed_noise();
  if (!(pressed_by(contact, start) > noise)) return false;
  Contact moved, end;
  if (!data.active.finder.find_one(model, data.poses.end, start.key, end)) return false;
  if (!(end.gap < -noise)) return false;
  const bool there = data.active.finder.find_one(model, data.poses.moved, start.key, moved);
  return end.gap < std::max(start.gap, there ? moved.gap : 0.0) - noise;
}

double Step::pressed_noise() const {
  return pressed_rounding * constrain::extent(model, data.poses.end);
}

bool Step::presses_others(std::span<const Contact> beginning) {
  auto anchor = data.sticking.anchors.begin();
  for (std::size_t i = 0; i < beginning.size(); ++i) {
    while (anchor != data.sticking.anchors.end() && anchor->key < beginning[i].key) ++anchor;
    const bool anchored = anchor != data.sticking.anchors.end() && anchor->key == beginning[i].key;
    if (!anchored && is_pressed(i, beginning[i])) return true;
  }
  return false;
}

// Groups whose projection pushes other contacts together, whatever is done about it, are not
// projected: their contacts have new anchors in the next step. True: there are some.
bool Step::release_anchors(std::span<const Contact> beginning) {
  auto free = [&](BodyId id) { return id != BodyId::world && model.body(id).velocities > 0; };
  auto root = [&](BodyId id) {
    return base::at(data.sticking.anchor_groups.root(static_cast<int>(id)));
  };
  data.sticking.anchor_moves.assign(model.bodies.size(), 0);
  auto anchor = data.sticking.anchors.begin();
  for (std::size_t i = 0; i < beginning.size(); ++i) {
    const ContactKey& key = beginning[i].key;
    while (anchor != data.sticking.anchors.end() && anchor->key < key) ++anchor;
    if (anchor != data.sticking.anchors.end() && anchor->key == key) continue;
    if (!is_pressed(i, beginning[i])) continue;
    for (const BodyId id : {key.body_a, key.body_b})
      if (free(id)) data.sticking.anchor_moves[root(id)] = 1;
  }
  const auto released = [&](const ContactKey& key) {
    return data.sticking.anchor_moves[root(free(key.body_a) ? key.body_a : key.body_b)] != 0;
  };
  const std::size_t before = data.positions.projection.anchors.size();
  std::erase_if(data.positions.projection.anchors,
                [&](const constrain::AnchorRows& a) { return released(a.contact.key); });
  std::erase_if(data.sticking.anchors, [&](const ContactAnchor& a) { return released(a.key); });
  std::erase_if(data.sticking.anchor_rows,
                [&](const constrain::AnchorRows& a) { return released(a.contact.key); });
  return data.positions.projection.anchors.size() < before;
}

// Bodies with anchors take the straight path to where the projection puts them (E603).
void Step::follow_anchors(VecX& v, std::vector<Pose>& poses) const {
  for (const ContactAnchor& anchor : data.sticking.anchors)
    for (const BodyId id : {anchor.key.body_a, anchor.key.body_b}) {
      const Body& body = model.body(id);
      if (body.velocities == 0) continue;
      poses[index(id)] = data.poses.end[index(id)];
      dynamics::mean_velocity(body, state.poses[index(id)], poses[index(id)], h,
                              v.data() + body.first_velocity);
    }
}

void Step::give_up_anchors() {
  data.positions.projection.anchors.clear();
  data.sticking.anchors.clear();
  data.sticking.anchor_rows.clear();
}

// Anchors that the projection could not bring together are given up; the contact has new ones in
// the next step.
void Step::drop_open_anchors() {
  const double most = anchor_open * constrain::extent(model, data.poses.end);
  CAIRN_DCHECK(data.sticking.anchors.size() == data.sticking.anchor_rows.size(),
               data.sticking.anchors.size());
  for (constrain::AnchorRows& row : data.sticking.anchor_rows)
    row.normal = row.contact.n_W.dot(data.poses.end[index(row.contact.key.body_b)] * row.p_B -
                                     data.poses.end[index(row.contact.key.body_a)] * row.p_A);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < data.sticking.anchors.size(); ++i)
    if (constrain::anchor_error(data.sticking.anchor_rows[i], data.poses.end) <= most)
      data.sticking.anchors[kept++] = data.sticking.anchors[i];
  data.sticking.anchors.resize(kept);
}

}  // namespace cairn::scheme
