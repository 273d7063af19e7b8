// check, rebuilding problems: a step of `hybrid` (E207 to E217): parts of steady contact and
// flight, and impacts whose impulses are given.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "record/check/check_parts.hpp"
#include "record/check/rebuild/contact_geometry.hpp"
#include "record/check/rebuild/rebuild.hpp"
#include "record/check/steps/first_order.hpp"

namespace cairn::record {
namespace {

class HybridCheck {
 public:
  HybridCheck(const Segment& segment, const Hybrid& options, SegmentOutcome& out)
      : s(segment), o(options), result(out) {
    euler = {.projection = o.projection,
             .gamma = o.gamma,
             .nonlinear = o.nonlinear,
             .facets = o.facets,
             .restitution = Restitution::delayed};
  }

  void run() {
    result.contacts_known = result.projected_known = true;
    for (std::size_t i = 0; i < s.solves.size(); ++i) {
      const Place place = place_of(s, s.solves[i]);
      if (i == 0 && (!begins_with_state(s, place)))
        s.say(0, FindingCode::parts, "it does not begin with the state before the step");
      if (s.solves[i].purpose == Purpose::impact)
        impact(i, place);
      else if (s.solves[i].purpose == Purpose::compression)
        together(i, place);
      else
        part(i, place);
    }
    impact_energies();
  }

 private:
  void fault(std::size_t i, const Contact& c, FindingCode code, const std::string& what) {
    if (!what.empty())
      s.say(i, code, fmt::format("contact {}: {}", contact_name(s.model, c.key), what));
  }

  // Flight: the free velocities follow from momentum and energy, which a turning body keeps (E208).
  void let_fly(const Problem& problem, const Place& place, Balance& balance) {
    std::vector<char> held(problem.bodies.size(), 0);
    for (const Constraint& c : problem.constraints)
      for (const int body : c.body)
        if (body >= 0) held[static_cast<std::size_t>(body)] = 1;
    flies.assign(s.model.bodies.size(), 0);
    for (std::size_t i = 0; i < problem.bodies.size(); ++i) {
      const ProblemBody& b = problem.bodies[i];
      const auto at = static_cast<std::size_t>(b.model_body);
      const Body& body = s.model.bodies[at];
      const auto id = static_cast<BodyId>(at);
      if (held[i] || pulled(id)) continue;
      flies[at] = 1;
      if (body.rotation != RotationKind::three) continue;
      const int first = b.size - 3;
      const UnitFactors f = unit_factors(body, problem.units);
      const Vec3 w = place.v.segment<3>(body.first_velocity + first);
      Vec3 L;
      for (int k = 0; k < 3; ++k) L[k] = problem.k[b.first + first + k] * f.momentum[first + k];
      const Vec3 w_end = body.inertia_B.ldlt().solve(L), L0 = body.inertia_B * w;
      const double energy = w.dot(L0);
      if (!(std::abs(L.norm() - L0.norm()) <= 1e-11 * L0.norm()) ||
          !(std::abs(w_end.dot(L) - energy) <= 1e-11 * energy))
        continue;
      for (int k = 0; k < 3; ++k)
        balance.gyroscopic[body.first_velocity + first + k] += L[k] - balance.k[i][first + k];
      balance.k[i].segment<3>(first) = L;
      balance.v_free.segment<3>(body.first_velocity + first) = w_end;
    }
  }

  // (E524): `hysteresis s h`, s the switch speed of E207 with the free acceleration of the part.
  void find_rooms(const Place& place, const MatchedRows& rows, const Balance& balance) {
    result.rooms.clear();
    if (!balance.known) return;
    for (const ContactRow& row : rows.contacts) {
      const Contact* c = place.again ? contact_with(place.before, row.contact->key) : row.contact;
      if (!c) continue;
      double gain = 0;
      for (const BodyId id : {c->key.body_a, c->key.body_b}) {
        const Body& body = s.model.body(id);
        const VecX change = balance.v_free - place.v;
        gain = std::max(gain, velocities_of_body(body, change).head(translations_of(body)).norm());
      }
      const double along = contact_rate(s.model, place.start, *c, balance.v_free)[0] -
                           contact_rate(s.model, place.start, *c, place.v)[0];
      const double speed = o.switch_speed >= 0 ? o.switch_speed
                                               : std::max(std::abs(along), 0x1p-10 * gain) *
                                                     s.nominal / place.length;
      result.rooms.emplace_back(c->key, o.hysteresis * speed * s.nominal);
    }
  }

  bool pulled(BodyId id) const {
    const auto has = [&](std::span<const BodyId> ids) {
      return std::find(ids.begin(), ids.end(), id) != ids.end();
    };
    return std::any_of(s.model.joints.begin(), s.model.joints.end(),
                       [&](const Joint& j) { return has(j.bodies); }) ||
           std::any_of(s.model.springs.begin(), s.model.springs.end(),
                       [&](const Spring& j) { return has(j.bodies); }) ||
           std::any_of(s.model.applied_forces.begin(), s.model.applied_forces.end(),
                       [&](const AppliedForce& f) { return f.body == id; });
  }

  // A contact of a part.
  struct PartRow {
    std::size_t solve;
    const ContactRow& row;
    const Place& place;
    const std::vector<Pose>& end;
    const VecX& led;
    bool again;
  };

  // Its terms for one way in which it may ride on a prescribed body; `size`: what b rounds with.
  NormalTerms terms_of(const PartRow& at, const Contact& start, bool held, bool kept,
                       const Balance& balance, double& size) const {
    const Contact& c = *at.row.contact;
    const Place& place = at.place;
    const SolveRecord& record = s.solves[at.solve];
    const double h = place.length, share = h / s.nominal;
    const StartTerms first =
        start_terms(s, euler, start, place.start, at.end, place.v, h, share, held);
    NormalTerms t;
    t.motion = first.motion;
    t.gap = first.gap_rate;
    t.closing = std::max(0.0, first.gap) / h;
    t.approach = first.approach;
    size = (c.p_WC.norm() + place.rows[index(c.key.body_a)].p.norm() +
            place.rows[index(c.key.body_b)].p.norm() + s.model.length_unit) /
           h;
    if (at.again && !kept) {
      t.motion = -contact_motion_apart(s, c, place.rows, place.start, h);
      const double rate = at.row.beginning ? contact_rate(s.model, place.start, start, at.led)[0]
                                           : contact_rate(s.model, place.columns, c, at.led)[0];
      t.gap = (c.gap - first.target) / h - rate - t.motion[0];
      size += std::abs(rate);
    }
    const double normal = record.solution.lambda[record.problem.first_row[at.row.constraint]];
    t.impact =
        normal > 0 && first.approach < -impact_threshold(s.model, place, balance, start, share);
    return t;
  }

  NormalTerms compare_contact(const PartRow& at, const Balance& balance) {
    const Contact& c = *at.row.contact;
    const Contact* start = at.again ? contact_with(at.place.before, c.key) : &c;
    if (!start) return {};
    const Problem& problem = s.solves[at.solve].problem;
    const Constraint& constraint = problem.constraints[at.row.constraint];
    const double b_n = constraint.b[0] * problem.units.speed();
    // The way that is nearest to what is recorded. A feature that is gone at the end of the part
    // keeps the row it had, that of the beginning unless the part was linearised several times.
    const bool gone = at.again && !geometry_fault(s.model, s.scheme, at.place.rows, c).empty();
    std::vector<bool> ways{true};
    if (at.again && !gone) ways = ways_of_keeping(s, at.row, *start);
    if (gone) ways = {false, true};
    NormalTerms t;
    double size = 0, least = std::numeric_limits<double>::infinity();
    for (const bool held : ways_of_riding(s, *start))
      for (const bool kept : ways) {
        double own = 0;
        const NormalTerms terms = terms_of(at, *start, held, kept, balance, own);
        double off = std::abs(b_n - terms.gap - terms.motion[0]);
        for (int k = 1; k < c.rows; ++k)
          off += std::abs(constraint.b[k] * problem.units.speed() - terms.motion[k]);
        if (!(off < least)) continue;
        least = off;
        t = terms;
        size = own;
      }
    for (int k = 0; k < c.rows && !gone; ++k)
      compare_b(s, at.solve, problem, at.row.constraint, k,
                k == 0 ? t.gap + t.motion[0] : t.motion[k],
                k == 0 ? size : motion_size(s.model, c, at.place.start, t.motion, at.place.length));
    // The velocities that led to the rows are known to the rounding of positions over the length
    // of the part; b itself is exact.
    if (at.again) t.gap = b_n - t.motion[0];
    return t;
  }

  void part(std::size_t i, const Place& place) {
    const SolveRecord& record = s.solves[i];
    const Problem& problem = record.problem;
    const double h = place.length, share = h / s.nominal;
    Balance balance = first_order_balance(s, place, problem, true);
    let_fly(problem, place, balance);
    balance = chosen_balance(s, place, record, balance);
    compare_balance(s, i, problem, balance);
    // Rows of the end of the part are taken where the solve before led, which is not recorded.
    const bool again = place.again && place.t_rows != place.t;
    for (const Contact& c : place.contacts) {
      std::string what = geometry_fault(s.model, s.scheme, place.rows, c);
      if (!what.empty() && again) {
        s.unverified.insert("rows of features that are gone at the end of a part");
        what = geometry_fault(s.model, s.scheme, place.start, c);
      }
      fault(i, c, FindingCode::contact, what);
      fault(i, c, FindingCode::law, material_fault(s.model, place.rows, c, false));
    }
    if (again)
      for (const Contact& c : place.before)
        fault(i, c, FindingCode::contact, geometry_fault(s.model, s.scheme, place.start, c));
    const MatchedRows rows =
        match_rows(s, i, record, place, {.law = Law::coulomb, .facets = o.facets});
    const VecX v = solved_velocities(s.model, record, place.v);
    const VecX led = again ? leading_velocities(s, place, v) : place.v;
    const std::vector<Pose> end = led_poses(s, place, place.v, h);
    const std::vector<JointRow> start_joints =
        again ? joint_rows_at(s, place, place.start) : std::vector<JointRow>();
    for (std::size_t r = 0; rows.good && r < rows.joints.size(); ++r) {
      const JointRow& j = rows.joints[r];
      double b = 0, size = j.size / h;
      if (j.beginning && again) {
        b = beginning_b(s, j, place, o.projection, o.gamma * share, led);
      } else if (again) {
        const double rate = joint_rate(s, j, place.columns, place, led);
        b = (j.error -
             (r < start_joints.size() ? (1 - o.gamma * share) * start_joints[r].error : 0)) /
                h -
            rate;
        size += std::abs(rate);
      } else {
        b = o.gamma * share * j.error / h +
            joint_motion(s.model, j, place.rows, end, h, o.projection);
      }
      compare_b(s, i, problem, j.constraint, j.row, b, size);
    }
    std::vector<NormalTerms> terms;
    for (const ContactRow& row : rows.contacts)
      terms.push_back(compare_contact({i, row, place, end, led, again}, balance));
    find_rooms(place, rows, balance);
    compare_discs(s, i, problem, place, rows, [&](const Contact& c) {
      const Contact* start = again ? contact_with(place.before, c.key) : &c;
      return contact_spin(s.model, start ? *start : c, place.start, end, h);
    });
    if (!rows.good) {
      result.energies_known = result.contacts_known = result.projected_known = false;
      return;
    }
    Place posed = place;
    posed.again = again;
    std::vector<Pose> moved = led_poses(s, place, v, h);
    const std::vector<Vec3> falls = falls_of(s.model, problem, h);
    for (std::size_t b = 0; b < moved.size(); ++b)
      if (!flies[b]) {
        moved[b].p += falls[b];
      } else {
        const Body& body = s.model.bodies[b];
        const Vec3 way =
            moved_by(body, place.start[b],
                     0.5 * (velocities_of_body(body, place.v) + velocities_of_body(body, v)), h)
                .p;
        moved[b] = {way, moved_by(body, place.start[b], velocities_of_body(body, place.v), h).R};
      }
    const Ledger flows = first_order_ledger(s, record, posed, balance, rows, terms, place.v, moved);
    add_to_flows(flows);
    const Continuation next = after_solve(s, i);
    const double closing = energy_of_closing(s.model, o.projection, moved, next.poses);
    const double projected = energy_of_projection(s, moved, v, next.poses, next.v) - closing;
    result.flows.integrator += closing;
    result.projected += projected;
    result.flows.stabilisation += projected;
    // Reported and remembered.
    std::vector<ContactReport> reports;
    for (std::size_t r = 0; r < rows.contacts.size(); ++r)
      reports.push_back(contact_report_of(s, record, place, rows.contacts[r], terms[r].motion));
    add_torques(record, rows.discs, s.model, reports);
    for (const ContactReport& r : reports) merge_report(r, result.contacts);
    result.memory = reports;
    result.memory_solve = i;
    result.memory_known = true;
  }

  void add_to_flows(const Ledger& flows) {
    Ledger& sum = result.flows;
    sum.work_applied += flows.work_applied;
    sum.work_motion += flows.work_motion;
    sum.friction += flows.friction;
    sum.impact += flows.impact;
    sum.stabilisation += flows.stabilisation;
    sum.integrator += flows.integrator;
    sum.solver += flows.solver;
    sum.passive += flows.passive;
  }

  // Joints keep their velocities in an impact.
  void compare_kept_joints(std::size_t i, const Place& place, const MatchedRows& rows) {
    for (const JointRow& j : rows.joints) {
      if (!rows.good) return;
      const double rate = joint_rate(s, j, place.rows, place, place.v);
      compare_b(s, i, s.solves[i].problem, j.constraint, j.row, -rate,
                std::abs(rate) + j.size / s.length);
    }
  }

  // The contact that stands for a face which is hit flat is at the mean of the corners' points.
  std::string face_fault(const std::vector<Pose>& poses, const Contact& c) const {
    const std::string what = geometry_fault(s.model, s.scheme, poses, c);
    if (what.empty() || what.find("point") == std::string::npos) return what;
    return {};
  }

  void impact(std::size_t i, const Place& place) {
    const SolveRecord& record = s.solves[i];
    const Problem& problem = record.problem;
    compare_balance(s, i, problem, instant_balance(s, place, problem));
    for (const Contact& c : place.contacts) {
      fault(i, c, FindingCode::contact, face_fault(place.start, c));
      fault(i, c, FindingCode::law, material_fault(s.model, place.start, c, true));
    }
    const MatchedRows rows = match_rows(s, i, record, place, {.given = true, .bouncing = true});
    compare_kept_joints(i, place, rows);
    for (const JointRow& j : rows.joints)
      result.flows.stabilisation -=
          problem.constraints[j.constraint].b[j.row] *
          record.solution.lambda[problem.first_row[j.constraint] + j.row] * problem.units.energy();
    const VecX v = solved_velocities(s.model, record, place.v);
    for (const ContactRow& row : rows.contacts) {
      const Contact& c = *row.contact;
      const Vec3 motion = motion_of_moment(s, place, c);
      Vec3 impulse = Vec3::Zero();
      for (int k = 0; k < c.rows; ++k) {
        const Constraint& given = problem.constraints[row.constraint + static_cast<std::size_t>(k)];
        impulse[k] =
            record.solution.lambda[problem.first_row[row.constraint] + k] * problem.units.impulse();
        if (given.lo != given.hi || given.b[0] != 0)
          s.say(i, FindingCode::row, "an impulse of an impact is not given");
      }
      if (!(impulse.tail<2>().norm() <= c.friction * impulse[0] * (1 + 1e-9)))
        fault(i, c, FindingCode::law, "its impulse is outside the friction cone of the scene");
      result.flows.work_motion -= impulse.dot(motion);
      ContactReport r;
      r.contact = c;
      const Vec3 rate = contact_rate(s.model, place.start, c, v) + motion;
      for (int k = 0; k < c.rows; ++k) r.velocity[k] = rate[k];
      r.impulse = impulse;
      r.colliding = true;
      r.mode = r.velocity.tail<2>().norm() > 1e-12 * problem.units.speed() ? ContactMode::slip
                                                                           : ContactMode::stick;
      r.impulse[2] *= c.stretch;
      r.velocity[2] /= c.stretch;
      merge_report(r, result.contacts);
    }
    if (!rows.good) result.contacts_known = result.energies_known = false;
    if (!rows.discs.empty()) {
      s.unverified.insert("torques of rolling and torsional friction in impacts");
      result.impulses_known = result.contacts_known = result.energies_known = false;
    }
    hits = true;
  }

  // (E214): everything that touches is stopped together.
  void together(std::size_t i, const Place& place) {
    const SolveRecord& record = s.solves[i];
    const Problem& problem = record.problem;
    compare_balance(s, i, problem, instant_balance(s, place, problem));
    const MatchedRows rows = match_rows(
        s, i, record, place, {.law = Law::coulomb, .facets = o.facets, .bouncing = true});
    compare_kept_joints(i, place, rows);
    for (const ContactRow& row : rows.contacts) {
      const Vec3 motion = motion_of_moment(s, place, *row.contact);
      for (int k = 0; k < row.contact->rows; ++k)
        compare_b(s, i, problem, row.constraint, k, motion[k],
                  motion.norm() + 1e-9 * problem.units.speed());
    }
    s.unverified.insert("energies of impacts that were stopped together");
    result.energies_known = false;
  }

  // Losses of impacts are those of their reports, whose sums are compared elsewhere (E228).
  void impact_energies() {
    if (!hits) return;
    if (s.length != s.nominal || !o.steady) {
      s.unverified.insert("energies of impacts in parts of a divided step");
      result.energies_known = false;
      return;
    }
    for (const ImpactReport& r : s.report.impacts) {
      if (r.put_in > 0 && r.lost_restitution == 0 && r.lost_friction == 0)
        result.energies_known = false;
      result.flows.friction += r.lost_friction;
      result.flows.impact += r.lost_restitution;
      if (r.put_in > 0)
        (r.lost_restitution > 0 ? result.flows.friction : result.flows.impact) -= r.put_in;
    }
  }

  const Segment& s;
  const Hybrid& o;
  SegmentOutcome& result;
  Euler euler;
  std::vector<char> flies;
  bool hits = false;
};

}  // namespace

void check_hybrid(const Segment& segment, const Hybrid& options, SegmentOutcome& out) {
  HybridCheck(segment, options, out).run();
}

}  // namespace cairn::record
