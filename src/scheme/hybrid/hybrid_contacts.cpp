// Which contacts of scheme `hybrid` bounce and which are steady (E207), and which bodies fly.
#include <algorithm>
#include <cmath>

#include "base/conventions.hpp"
#include "dynamics/kinematics.hpp"
#include "scheme/hybrid/hybrid_step.hpp"

namespace cairn::scheme {
namespace {

constexpr double touching = 0x1p-40;     // of the model's size [-]
constexpr double still_share = 0x1p-44;  // of the speeds at hand: neither closing nor opening [-]
constexpr double across = 0x1p-10;       // of the gain of speed, where it is not along the normal

}  // namespace

// Bodies on which more than gravity acts.
void HybridStep::find_bound_bodies() {
  d.marks.bound.assign(model.bodies.size(), 0);
  d.marks.jointed.assign(model.bodies.size(), 0);
  auto mark = [](std::vector<char>& flags, BodyId id) {
    if (id != BodyId::world) flags[index(id)] = 1;
  };
  for (const Joint& joint : model.joints)
    for (const BodyId id : joint.bodies) mark(d.marks.bound, id), mark(d.marks.jointed, id);
  for (const Spring& spring : model.springs)
    for (const BodyId id : spring.bodies) mark(d.marks.bound, id);
  for (const AppliedForce& force : model.applied_forces) mark(d.marks.bound, force.body);
  for (const ExternalForce& force : d.ahead.forces.external) mark(d.marks.bound, force.body);
}

void HybridStep::set_window(double t) {
  scheme::set_window(model, d.now.poses, t, h, d.window);
}

// Relative velocity and angular velocity at the contact that prescribed bodies have at this moment.
Vec3 HybridStep::motion_of(const Contact& c) const {
  return motion_velocity(model, d.now.poses, d.window, c, h);
}
Vec3 HybridStep::spin_of(const Contact& c) const {
  return motion_spin(model, d.now.poses, d.window, c, h);
}

double HybridStep::normal_rate(const Contact& c) const {
  return relative_velocity(model, d.now.poses, c, c.n_W, d.now.v) + c.n_W.dot(motion_of(c));
}

// The speed below which rounding decides whether a contact opens or closes.
double HybridStep::still_speed(const Contact& c) const {
  return still_share * std::max(motion_of(c).norm(),
                                speed_at_hand(model, d.now.poses, c, {&d.now.v, &d.ahead.v}));
}

// The rebound that is none any more: given, or what a body gains in a step along the normal;
// between bodies that fall alike a share of what they gain in any direction.
double HybridStep::switch_speed(const Contact& c) const {
  if (options.switch_speed >= 0) return options.switch_speed;
  const double gain = velocity_gain(model, c, d.now.v, d.ahead.v);
  const double along = relative_velocity(model, d.now.poses, c, c.n_W, d.ahead.v) -
                       relative_velocity(model, d.now.poses, c, c.n_W, d.now.v);
  return std::max(std::abs(along), across * gain) * (h / data.share(h) / d.free_length);
}

bool HybridStep::touches(double gap) const {
  return gap <= touching * model.length_unit;
}

bool HybridStep::polyhedra(const ContactKey& key) const {
  return collide::both_polyhedra(model, model.shapes[index(key.shape_a)],
                                 model.shapes[index(key.shape_b)]);
}

// Polyhedra are steady as a pair: which of their features carry the load changes all the time.
bool HybridStep::is_steady(const ContactKey& key) const {
  if (!polyhedra(key)) return std::binary_search(d.steady.begin(), d.steady.end(), key);
  ContactKey first = key;
  first.feature = {};
  const auto found = std::lower_bound(d.steady.begin(), d.steady.end(), first);
  return found != d.steady.end() && found->shape_a == key.shape_a && found->shape_b == key.shape_b;
}

void HybridStep::make_steady(const ContactKey& key) {
  const auto at = std::lower_bound(d.steady.begin(), d.steady.end(), key);
  if (at == d.steady.end() || *at != key) d.steady.insert(at, key);
}

// (E604): relative normal velocity that a step adds because prescribed bodies turn. A point that
// moves with u on a body that turns with w has the acceleration w x u.
double HybridStep::curve_gain(const Contact& c) const {
  const Vec3 w = spin_of(c), u = motion_of(c);
  if (h * w.norm() > 0.25) return 0;
  const double sign = dynamics::is_prescribed(model, c.key.body_a) ? -1 : 1;
  return sign * h / data.share(h) * c.n_W.dot(w.cross(u));
}

// All pairs that can meet within `length`.
void HybridStep::find_contacts(double length) {
  CAIRN_DCHECK(length > 0, length);
  evaluate(length);
  find_candidates(model, d.now, d.ahead.v, d.ahead.poses, d.euler, length, data.active,
                  d.candidates);
  set_window(d.now.t);
}

// (E207). True: bodies touch that approach too fast to be steady.
bool HybridStep::choose_steady() {
  CAIRN_DCHECK(base::is_strictly_sorted(d.steady));
  CAIRN_DCHECK(base::is_strictly_sorted(d.candidates, [](const Contact& c) { return c.key; }));
  bool impact = false;
  for (const Contact& c : d.candidates) {
    if (limited) {
      make_steady(c.key);
      continue;
    }
    if (!touches(c)) continue;
    const double rate = normal_rate(c), slow = still_speed(c);
    const bool due = std::find(d.due.begin(), d.due.end(), c.key) != d.due.end();
    if (is_steady(c.key)) {
      const double lag = std::max(0.0, -curve_gain(c));
      if (rate < -std::max(slow, options.hysteresis * switch_speed(c)) - 2 * lag) impact = true;
      continue;
    }
    const double gain = relative_velocity(model, d.now.poses, c, c.n_W, d.ahead.v) -
                        relative_velocity(model, d.now.poses, c, c.n_W, d.now.v) + curve_gain(c);
    const bool closes = rate < -slow, rests = rate <= slow && (due || gain < -slow);
    if (!closes && !rests) continue;
    if (!options.steady || rate < -std::max(slow, switch_speed(c))) {
      impact = true;
      continue;
    }
    if (closes) event(StepEvent::Kind::steady, d.now.t, c.key, rate);
    make_steady(c.key);
  }
  // Two polyhedra met without any of their features touching to rounding: their contacts decide.
  if (options.steady && !impact && !limited)
    for (const Contact& c : d.candidates)
      if (polyhedra(c.key) && std::any_of(d.due.begin(), d.due.end(), [&](const ContactKey& key) {
            return key.shape_a == c.key.shape_a && key.shape_b == c.key.shape_b;
          }))
        make_steady(c.key);
  d.due.clear();
  if (!impact) spread_steady();
  return impact;
}

// What rests on bodies that do not fall rests on them steadily: a stack has no relative
// acceleration inside.
void HybridStep::spread_steady() {
  find_flying();
  if (!options.steady || limited) return;
  for (bool again = true; again;) {
    again = false;
    for (const Contact& c : d.candidates) {
      if (!touches(c) || is_steady(c.key)) continue;
      auto held = [&](BodyId id) {
        return model.body(id).velocities > 0 && !d.marks.flies[index(id)];
      };
      if (!held(c.key.body_a) && !held(c.key.body_b)) continue;
      if (std::abs(normal_rate(c)) > still_speed(c)) continue;
      make_steady(c.key);
      again = true;
    }
    if (again) find_flying();
  }
}

// (E208): nothing but gravity acts on these.
void HybridStep::find_flying() {
  d.marks.flies.assign(model.bodies.size(), 0);
  for (std::size_t i = 0; i < model.bodies.size(); ++i)
    d.marks.flies[i] = model.bodies[i].velocities > 0 && !d.marks.bound[i] ? 1 : 0;
  d.held.clear();
  for (const Contact& c : d.candidates) {
    if (!is_steady(c.key)) continue;
    d.held.push_back(c);
    d.marks.flies[index(c.key.body_a)] = d.marks.flies[index(c.key.body_b)] = 0;
  }
}

// (E408): islands that nothing holds, all of whose bodies gravity moves along the same axes.
void HybridStep::find_falling() {
  d.marks.falls.assign(model.bodies.size(), 0);
  d.marks.unlike.assign(model.bodies.size(), 0);
  d.marks.islands.begin(model);
  for (const Contact& c : d.held) d.marks.islands.join(model, c.key.body_a, c.key.body_b);
  d.marks.islands.spread();
  for (std::size_t i = 0; i < model.bodies.size(); ++i)
    if (const std::size_t first = d.marks.islands.first(i);
        model.bodies[i].translations != model.bodies[first].translations)
      d.marks.unlike[first] = 1;
  for (std::size_t i = 0; i < model.bodies.size(); ++i)
    d.marks.falls[i] = model.bodies[i].velocities > 0 && !d.marks.flies[i] &&
                       !d.marks.islands.held(i) && !d.marks.unlike[d.marks.islands.first(i)];
}

}  // namespace cairn::scheme
