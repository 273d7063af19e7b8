// What touches at a moment of scheme `hybrid` (E211): its rows with the friction of bouncing
// contacts, which of it is hit next, and faces that land flat as one contact.
#include <algorithm>
#include <cmath>

#include "constrain/joints.hpp"
#include "dynamics/kinematics.hpp"
#include "linear/blocks.hpp"
#include "problem/mass.hpp"
#include "scheme/hybrid/hybrid_step.hpp"

namespace cairn::scheme {
namespace {

constexpr double alike = 0x1p-26;  // approaches that are the same [-]

ContactLaw contact_law(const Model& model, const ContactKey& key) {
  return model.pair(model.shapes[index(key.shape_a)].material,
                    model.shapes[index(key.shape_b)].material);
}

}  // namespace

// Every candidate that touches at `now`, with the friction of bouncing contacts; joints keep the
// velocities they have.
void HybridStep::gather_touching(Problem& problem) {
  constrain::assemble_bodies(model, d.now.v, h, d.impact.layout, problem);
  const Units& units = problem.units;
  d.impact.mass.factor(problem);
  d.impact.v = problem.k;
  d.impact.mass.solve(d.impact.v.data());
  d.impact.v_before = d.impact.v;
  d.impact.joint_terms.clear();
  for (std::size_t i = 0; i < model.joints.size(); ++i)
    constrain::add_joint(model, d.now.poses, d.window[1], d.impact.layout, static_cast<JointId>(i),
                         0, h, problem, d.impact.joint_terms, constrain::JointPoints::common);
  d.impact.joints = problem;
  for (Constraint& c : d.impact.joints.constraints) std::fill(c.b, c.b + max_rows, 0.0);
  for (Constraint& c : problem.constraints) {
    double w[max_rows] = {};
    linear::constraint_velocity(problem, c, d.impact.v.data(), false, w);
    for (int r = 0; r < c.rows; ++r) c.b[r] = -w[r];
  }
  d.impact.joint_impulses.setZero(problem.rows());
  d.impact.touching.clear();
  d.impact.responses = 0;
  for (const Contact& candidate : d.candidates) {
    if (!touches(candidate)) continue;
    Touch touch;
    touch.contact = candidate;
    const ContactLaw pair = contact_law(model, candidate.key);
    touch.contact.friction = pair.bounce_mu();
    touch.contact.rows = 3;
    constrain::orient(model, d.now.poses, touch.contact);
    // An ellipse of bouncing contacts has the axes of the other one in proportion.
    if (pair.anisotropic() && touch.contact.rows > 1)
      touch.contact.friction *= pair.bounce_mu() / pair.friction;
    if (touch.contact.rows == 0) continue;
    constrain::add_contact(model, d.now.poses, d.impact.layout, touch.contact, 0, Vec3::Zero(),
                           d.impact.joints);
    touch.row = d.impact.joints.constraints.back();
    d.impact.joints.constraints.pop_back();
    d.impact.joints.first_row.pop_back();
    const Vec3 motion = motion_of(touch.contact);
    touch.motion[0] = touch.contact.n_W.dot(motion) / units.speed();
    if (touch.contact.rows > 1) touch.motion[1] = touch.contact.t1_W.dot(motion) / units.speed();
    if (touch.contact.rows > 2)
      touch.motion[2] = touch.contact.stretch * touch.contact.t2_W.dot(motion) / units.speed();
    if (candidate.torsion > 0 || candidate.rolling > 0) add_spins(touch);
    touch.threshold = switch_speed(candidate) / units.speed();
    touch.steady = is_steady(candidate.key);
    d.impact.touching.push_back(touch);
  }
}

// Rows of friction about a contact, with the units of d.impact.joints.
void HybridStep::add_spins(Touch& touch) {
  const std::size_t first = d.impact.joints.constraints.size();
  d.impact.spins.clear();
  for (const Role role : {Role::torsion, Role::rolling})
    constrain::add_spin_friction(model, d.now.poses, d.impact.layout, touch.contact, role, 0, 0,
                                 spin_of(touch.contact), d.impact.joints, d.impact.spins);
  touch.spin_count = d.impact.spins.size();
  for (std::size_t i = 0; i < d.impact.spins.size(); ++i)
    touch.spins[i] = {d.impact.joints.constraints[first + i], d.impact.spins[i]};
  d.impact.joints.constraints.resize(first);
  d.impact.joints.first_row.resize(first + 1);
}

// The contact that approaches fastest, and those of the same two bodies that approach alike along
// the same normal: a face that lands flat. False if none approaches.
bool HybridStep::pick(const Problem& problem) {
  d.impact.struck.clear();
  double fastest = -d.impact.still;
  for (std::size_t i = 0; i < d.impact.touching.size(); ++i) {
    const double rate = velocity(d.impact.touching[i], problem)[0];
    if (!(rate < fastest)) continue;
    if (!(rate < -still_speed(d.impact.touching[i].contact) / problem.units.speed())) continue;
    fastest = rate;
    d.impact.struck.assign(1, i);
  }
  if (d.impact.struck.empty()) return false;
  const std::size_t first = d.impact.struck[0];
  const Contact& c = d.impact.touching[first].contact;
  for (std::size_t i = 0; i < d.impact.touching.size(); ++i) {
    const Contact& o = d.impact.touching[i].contact;
    if (i == first || o.key.body_a != c.key.body_a || o.key.body_b != c.key.body_b) continue;
    if (o.friction != c.friction || o.stretch != c.stretch || o.torsion != c.torsion ||
        o.rolling != c.rolling || o.restitution != c.restitution)
      continue;
    if (!((o.n_W - c.n_W).squaredNorm() <= alike * alike)) continue;
    const double rate = velocity(d.impact.touching[i], problem)[0];
    if (std::abs(rate - fastest) <= alike * std::abs(fastest)) d.impact.struck.push_back(i);
  }
  return true;
}

// Contacts that are hit together act as one at their mean point.
Touch& HybridStep::merge(const Problem& problem) {
  Touch& first = d.impact.touching[d.impact.struck[0]];
  if (d.impact.struck.size() == 1) {
    measure(first, problem);
    return first;
  }
  d.impact.merged = first;
  Vec3 mean = Vec3::Zero();
  for (const std::size_t i : d.impact.struck) mean += d.impact.touching[i].contact.p_WC;
  d.impact.merged.contact.p_WC = mean / static_cast<double>(d.impact.struck.size());
  d.impact.merged.measured = false;
  constrain::add_contact(model, d.now.poses, d.impact.layout, d.impact.merged.contact, 0,
                         Vec3::Zero(), d.impact.joints);
  d.impact.merged.row = d.impact.joints.constraints.back();
  d.impact.joints.constraints.pop_back();
  d.impact.joints.first_row.pop_back();
  measure(d.impact.merged, problem);
  return d.impact.merged;
}

}  // namespace cairn::scheme
