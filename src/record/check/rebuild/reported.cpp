// check: what a frame reports about its contacts and what it remembers of their impulses, from its
// solves (E391, E392).
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numbers>

#include "record/check/rebuild/rebuild.hpp"
#include "record/check/steps/first_order.hpp"

namespace cairn::record {
namespace {

constexpr double impulse_relative = 1e-12;   // a change of frame and a factor [-]
constexpr double velocity_relative = 1e-11;  // of the velocities of both bodies [-]

Vec3 in_world(const Contact& c, const Vec3& x) {
  return x[0] * c.n_W + x[1] * c.t1_W + x[2] * c.t2_W;
}
Vec3 in_frame(const Contact& c, const Vec3& x) {
  return {c.n_W.dot(x), c.t1_W.dot(x), c.t2_W.dot(x)};
}

bool by_key(const ContactReport& a, const ContactReport& b) {
  return a.contact.key < b.contact.key;
}

bool same_geometry(const Contact& a, const Contact& b) {
  return a.p_WC == b.p_WC && a.n_W == b.n_W && a.t1_W == b.t1_W && a.t2_W == b.t2_W &&
         a.rows == b.rows && a.gap == b.gap && a.friction == b.friction && a.stretch == b.stretch &&
         a.torsion == b.torsion && a.rolling == b.rolling && a.restitution == b.restitution &&
         a.restitution_law == b.restitution_law;
}

const char* name_of(ContactMode mode) {
  static constexpr const char* names[] = {"open", "stick", "slip"};
  return names[static_cast<std::size_t>(mode)];
}

// The least factor by which the friction section must grow to hold the tangential impulse.
double section_gauge(const Constraint& c, const Vec3& impulse) {
  if (c.rows < 3 || (!c.section && c.facets == 0)) return impulse.tail<2>().norm();
  const int n = c.section ? static_cast<int>(c.section->size()) : c.facets;
  const auto corner = [&](int k) -> Eigen::Vector2d {
    if (c.section) {
      const Corner& at = (*c.section)[static_cast<std::size_t>(k % n)];
      return {at[0], at[1]};
    }
    const double angle = 2 * std::numbers::pi * (k % n) / n;
    return {std::cos(angle), std::sin(angle)};
  };
  double most = 0;
  for (int k = 0; k < n; ++k) {
    const Eigen::Vector2d a = corner(k), e = corner(k + 1) - a, out(e.y(), -e.x());
    most = std::max(most, out.dot(impulse.tail<2>()) / out.dot(a));
  }
  return most;
}

double speed_of(const Model& model, const Contact& c, const State& state) {
  double speed = 0;
  for (const BodyId id : {c.key.body_a, c.key.body_b}) {
    const Body& body = model.body(id);
    const Row6 v = velocities_of_body(body, state.v);
    const double arm = (c.p_WC - state.poses[index(id)].p).norm();
    for (int k = 0; k < body.velocities; ++k)
      speed += std::abs(v[k]) * (k < translations_of(body) ? 1 : arm);
  }
  return speed;
}

}  // namespace

// Impulses of the parts of a step add up; the rest is that of the last part.
void merge_report(const ContactReport& next, std::vector<ContactReport>& all) {
  const auto at = std::lower_bound(all.begin(), all.end(), next, by_key);
  if (at == all.end() || at->contact.key != next.contact.key) {
    all.insert(at, next);
    return;
  }
  const Vec3 impulse = in_world(at->contact, at->impulse),
             torque = in_world(at->contact, at->torque);
  const ContactMode mode = next.mode == ContactMode::open ? at->mode : next.mode;
  const bool colliding = at->colliding || next.colliding;
  *at = next;
  at->impulse += in_frame(next.contact, impulse);
  at->torque += in_frame(next.contact, torque);
  at->mode = mode;
  at->colliding = colliding;
}

ContactReport contact_report_of(const Segment& s, const SolveRecord& record, const Place& place,
                                const ContactRow& row, const Vec3& motion) {
  const Contact& c = *row.contact;
  const Constraint& constraint = record.problem.constraints[row.constraint];
  ContactReport out;
  const VecX v = solved_velocities(s.model, record, place.v);
  const Contact* first = row.beginning ? contact_with(place.before, c.key) : nullptr;
  out.contact = first ? *first : c;
  const Vec3 rate =
      contact_rate(s.model, first ? place.start : place.columns, first ? *first : c, v) + motion;
  const Vec3 impulse = physical_row_of(record, row.constraint).impulse;
  for (int k = 0; k < constraint.rows; ++k) {
    out.impulse[k] = impulse[k];
    out.velocity[k] = rate[k];
  }
  const double slip = out.velocity.tail<2>().norm();
  // Schemes of first order call a contact sliding by the round cone, trapezoidal by its own
  // section.
  const double gauge = std::holds_alternative<Trapezoidal>(s.scheme)
                           ? section_gauge(constraint, out.impulse)
                           : out.impulse.tail<2>().norm();
  const bool on_cone = gauge >= (1 - 1e-9) * constraint.mu * out.impulse[0];
  if (out.impulse[0] > 0)
    out.mode = on_cone && slip > 1e-12 * record.problem.units.speed() ? ContactMode::slip
                                                                      : ContactMode::stick;
  out.impulse[2] *= c.stretch;
  out.velocity[2] /= c.stretch;
  return out;
}

void add_torques(const SolveRecord& record, std::span<const std::size_t> discs, const Model& model,
                 std::vector<ContactReport>& contacts) {
  for (const std::size_t i : discs) {
    const Constraint& row = record.problem.constraints[i];
    ContactReport key;
    key.contact.key = row.key.contact;
    const auto at = std::lower_bound(contacts.begin(), contacts.end(), key, by_key);
    if (at == contacts.end() || at->contact.key != row.key.contact) continue;
    const Contact& c = at->contact;
    for (int k = 0; k < row.rows; ++k) {
      // The axis of the row, from its part on a body that turns.
      Vec3 axis = row.key.role == Role::torsion ? c.n_W : (k == 0 ? c.t1_W : c.t2_W);
      if (row.key.role == Role::rolling && row.rows == 1)
        for (std::size_t side = 0; side < 2; ++side) {
          const BodyId id = side == 0 ? c.key.body_a : c.key.body_b;
          if (row.body[side] < 0 || model.body(id).rotation != RotationKind::one) continue;
          const double sign = (side == 0 ? -1 : 1) * row.J[side][0][model.body(id).velocities - 1];
          axis = (sign < 0 ? -1 : 1) * model.body(id).axis_W;
        }
      const double torque = record.solution.lambda[record.problem.first_row[i] + k] *
                            record.problem.units.impulse() * record.problem.units.length;
      at->torque += in_frame(c, torque * axis);
    }
  }
}

void compare_reported(std::span<const Segment> segments, std::span<const SegmentOutcome> outcomes,
                      const TraceFrame& frame, const Complain& complain, Unverified& unverified) {
  std::vector<ContactReport> expected;
  bool impulses = true, balanced = true;
  for (const SegmentOutcome& out : outcomes) {
    if (!out.contacts_known) {
      if (!out.energies_known) unverified.insert("reported contacts of some steps");
      return;
    }
    impulses = impulses && out.impulses_known;
    balanced = balanced && (out.impulses_known || out.impulses_balanced);
    for (const ContactReport& c : out.contacts) merge_report(c, expected);
  }
  if (!balanced)
    unverified.insert("reported impulses of contacts that collide before the forces of a step");
  const std::vector<ContactReport>& reported = frame.report.contacts;
  if (reported.size() != expected.size()) {
    complain(FindingCode::reported, fmt::format("{} contacts are reported, the last solve has {}",
                                                reported.size(), expected.size()));
    return;
  }
  double largest = 0;
  for (const ContactReport& c : expected) largest = std::max(largest, c.impulse.norm());
  const Model& model = segments.front().model;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const ContactReport &r = reported[i], &e = expected[i];
    const auto wrong = [&](const char* what, const std::string& values) {
      complain(FindingCode::reported, fmt::format("{} of reported contact {} {}", what,
                                                  contact_name(model, r.contact.key), values));
    };
    if (r.contact.key != e.contact.key) {
      wrong("key", "is not that of the last solve");
      continue;
    }
    if (!same_geometry(r.contact, e.contact))
      wrong("point, normal, gap or material", "differ from the last solve");
    if (impulses &&
        !((r.impulse - e.impulse).norm() <= impulse_relative * (e.impulse.norm() + 1e-3 * largest)))
      wrong(
          "impulse",
          fmt::format(
              "recorded as ({:.9g}, {:.9g}, {:.9g}) N s, the solve gave ({:.9g}, {:.9g}, {:.9g})",
              r.impulse[0], r.impulse[1], r.impulse[2], e.impulse[0], e.impulse[1], e.impulse[2]));
    const double speed = speed_of(model, r.contact, frame.state) + e.velocity.norm();
    // What forces add and contacts take away in the step rounds, also where nothing moves at its
    // end.
    const double rounding = 0x1p-48 * model.gravity.norm() * frame.report.h;
    if (!((r.velocity - e.velocity).norm() <= velocity_relative * speed + rounding))
      wrong("velocity",
            fmt::format(
                "recorded as ({:.9g}, {:.9g}, {:.9g}) m/s, the solve gave ({:.9g}, {:.9g}, {:.9g})",
                r.velocity[0], r.velocity[1], r.velocity[2], e.velocity[0], e.velocity[1],
                e.velocity[2]));
    if (!((r.torque - e.torque).norm() <= 1e-9 * e.torque.norm()))
      wrong("torque", "differs from the last solve");
    // At the line between two modes rounding decides.
    const double slip = e.velocity.tail<2>().norm();
    const bool sure =
        slip > 1e-9 * speed || e.mode == ContactMode::open || r.mode == ContactMode::open;
    if (impulses && r.mode != e.mode && (sure || e.impulse[0] <= 0))
      wrong("mode",
            fmt::format("recorded as {}, the solve gave {}", name_of(r.mode), name_of(e.mode)));
    if (impulses && r.colliding != e.colliding)
      wrong("collision", fmt::format("recorded as {}, rebuilt {}", r.colliding, e.colliding));
  }
}

namespace {

// Impulses as the state after a segment remembers them, from its solve `record`.
struct Memory {
  std::vector<ImpulseMemory> contacts, torques, joints;
};

void add_memory(const SegmentOutcome& out, const SolveRecord& record, double factor,
                Memory& memory) {
  for (const ContactReport& c : out.memory) {
    const ContactKey& key = c.contact.key;
    if (c.impulse[0] != 0)
      memory.contacts.push_back({contact_key(key), factor * in_world(c.contact, c.impulse)});
  }
  const Problem& p = record.problem;
  for (std::size_t i = 0; i < p.constraints.size(); ++i) {
    const Constraint& c = p.constraints[i];
    const auto lambda = record.solution.lambda.segment(p.first_row[i], c.rows);
    ImpulseMemory m{c.key, Vec3::Zero()};
    if (c.key.role == Role::torsion || c.key.role == Role::rolling) {
      const auto about = std::lower_bound(
          out.memory.begin(), out.memory.end(), c.key.contact,
          [](const ContactReport& r, const ContactKey& key) { return r.contact.key < key; });
      if (about == out.memory.end() || about->contact.key != c.key.contact || lambda.isZero(0))
        continue;
      Vec3 torque = about->torque;
      torque[0] = c.key.role == Role::torsion ? torque[0] : 0;
      if (c.key.role == Role::torsion) torque.tail<2>().setZero();
      m.impulse = factor * in_world(about->contact, torque);
      memory.torques.push_back(m);
    } else if (c.key.role < Role::limit && !out.joints_kept) {
      m.impulse.head(c.rows) = factor * p.units.impulse() * lambda;
      memory.joints.push_back(m);
    }
  }
}

// `floor`: of the largest impulse, below which differences are rounding.
bool same_memory(std::vector<ImpulseMemory>& expected, std::span<const ImpulseMemory> recorded,
                 double tolerance, double floor) {
  std::sort(expected.begin(), expected.end(),
            [](const ImpulseMemory& a, const ImpulseMemory& b) { return a.key < b.key; });
  if (expected.size() != recorded.size()) return false;
  double largest = 0;
  for (const ImpulseMemory& m : expected) largest = std::max(largest, m.impulse.norm());
  for (std::size_t i = 0; i < expected.size(); ++i)
    if (expected[i].key != recorded[i].key ||
        !((expected[i].impulse - recorded[i].impulse).norm() <=
          tolerance * (expected[i].impulse.norm() + floor * largest)))
      return false;
  return true;
}

}  // namespace

void compare_memory(std::span<const Segment> segments, std::span<const SegmentOutcome> outcomes,
                    const State& before, const State& followed, const TraceFrame& frame,
                    const Complain& complain, Unverified& unverified) {
  Memory expected;
  const State& state = frame.state;
  bool delayed = false, kept = false;
  const bool steady = std::any_of(segments.begin(), segments.end(), [](const Segment& s) {
    return std::holds_alternative<Hybrid>(s.scheme);
  });
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const Segment& s = segments[i];
    const Euler* euler = euler_options(s.scheme);
    const bool last = std::abs(s.start.t + s.length - before.t - s.nominal) <= 1e-9 * s.nominal;
    if (!last) continue;
    if (!outcomes[i].memory_known || s.solves.empty()) {
      unverified.insert("remembered impulses of some steps");
      return;
    }
    delayed = euler && euler->restitution != Restitution::completed;
    kept = kept || outcomes[i].joints_kept;
    add_memory(outcomes[i], s.solves[outcomes[i].memory_solve],
               outcomes[i].memory_factor * (s.nominal / s.length), expected);
  }
  const double tolerance = impulse_relative;
  const std::span<const ImpulseMemory> recorded = state.impulses;
  // Roles of joints come before those of contacts.
  const auto first_contact =
      std::find_if(recorded.begin(), recorded.end(),
                   [](const ImpulseMemory& m) { return m.key.role >= Role::limit; });
  const std::span<const ImpulseMemory> joints =
      recorded.first(static_cast<std::size_t>(first_contact - recorded.begin()));
  const std::span<const ImpulseMemory> contacts =
      recorded.subspan(joints.size(), of_role(recorded, Role::limit).size() +
                                          of_role(recorded, Role::contact).size());
  const std::span<const ImpulseMemory> torques =
      recorded.subspan(std::min(joints.size() + contacts.size(), recorded.size()));
  if (!same_memory(expected.contacts, contacts, tolerance, 1e-3))
    complain(FindingCode::warm_start,
             "remembered impulses of contacts are not those of the last solve");
  if (!same_memory(expected.torques, torques, 1e-9, 1e-3))
    complain(FindingCode::warm_start,
             "remembered torques of contacts are not those of the last solve");
  if (kept && expected.joints.empty()) {
    const auto before_joints = of_role(before.impulses, Role::joint);
    expected.joints.assign(before_joints.begin(), before_joints.end());
  }
  if (!same_memory(expected.joints, joints, tolerance, 0))
    complain(FindingCode::warm_start,
             "remembered impulses of joints are not those of the last solve");
  if (steady) {
    compare_steady(segments, outcomes, before, state, complain, unverified);
    return;
  }
  if (!delayed) {
    if (state.pending != before.pending || state.v_before.size() != before.v_before.size())
      complain(FindingCode::warm_start, "pending restitution changed without delayed restitution");
    return;
  }
  if (segments.size() > 1) {
    if (followed.pending != state.pending || followed.v_before != state.v_before)
      complain(FindingCode::warm_start,
               "pending restitution does not follow from the parts of the step");
    return;
  }
  std::vector<ContactKey> pending;
  for (const ContactKey& key : outcomes[0].collided)
    if (!std::binary_search(before.pending.begin(), before.pending.end(), key))
      pending.push_back(key);
  if (pending != state.pending)
    complain(FindingCode::warm_start,
             "contacts with pending restitution are not those that collided");
  if (state.v_before.size() != before.v.size() || !(state.v_before == before.v))
    complain(FindingCode::warm_start, "velocities one step ago are not those of the state before");
}

}  // namespace cairn::record
