// check, rebuilding problems: a step of `trapezoidal`, part by part (E160 to E179).
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "record/check/rebuild/contact_geometry.hpp"
#include "record/check/rebuild/rebuild.hpp"
#include "record/check/steps/first_order_step.hpp"
#include "record/check/steps/trapezoidal_ledger.hpp"

namespace cairn::record {
namespace {

constexpr double shallow = 0x1p-20;       // overlap of the scheme's own making, of the radius [-]
constexpr double window_share = 0x1p-11;  // of the step: window for velocities of a moment [-]

class TrapezoidalCheck {
 public:
  TrapezoidalCheck(const Segment& segment, const Trapezoidal& options, SegmentOutcome& out)
      : s(segment), o(options), result(out) {}

  void run() {
    bool limited = false;
    result.projected_known = true;
    for (std::size_t i = 0; i < s.solves.size(); ++i) {
      const SolveRecord& record = s.solves[i];
      const Place place = place_of(s, record);
      if (i == 0) first(place);
      contacts(i, place);
      limited = limited || record.purpose == Purpose::limited;
      if (record.purpose == Purpose::step || record.purpose == Purpose::limited)
        smooth(i, place, record.purpose == Purpose::limited);
      else
        moment(i, place);
    }
    for (std::size_t i = 0; i < s.solves.size(); ++i)
      if (s.solves[i].purpose == Purpose::compression) check_impact(s, i, result);
    report();
    remember();
  }

 private:
  // The first problem begins where the segment does.
  void first(const Place& place) {
    if (!begins_with_state(s, place))
      s.say(0, FindingCode::parts, "it does not begin with the state before the step");
  }

  void contacts(std::size_t i, const Place& place) {
    const auto look = [&](std::span<const Contact> list, const std::vector<Pose>& poses,
                          bool again) {
      for (const Contact& c : list) {
        std::string fault = geometry_fault(s.model, s.scheme, poses, c);
        // A feature that is gone at half the step stays as it was at its beginning.
        if (!fault.empty() && again) {
          const Contact* kept = contact_with(place.before, c.key);
          if (kept && kept->p_WC == c.p_WC && kept->gap == c.gap && kept->n_W == c.n_W)
            fault.clear();
        }
        bool law = false;
        if (fault.empty()) {
          fault = material_fault(s.model, poses, c, false);
          law = true;
        }
        if (!fault.empty())
          s.say(i, law ? FindingCode::law : FindingCode::contact,
                fmt::format("contact {}: {}", contact_name(s.model, c.key), fault));
      }
    };
    look(place.contacts, place.rows, true);
    if (!s.solves[i].origin.before.empty()) look(place.before, place.start, false);
  }

  double correction_of(const Contact& start, double length) const {
    if (start.gap > 0) return start.gap / length;
    const double radius = s.model.smaller_radius(start.key.body_a, start.key.body_b),
                 g = s.model.gravity.norm();
    const double fastest = g > 0 ? std::sqrt(2 * g * radius) : radius / 128 / s.nominal;
    return std::max(o.gamma * start.gap / s.nominal, -fastest);
  }
  bool may_wait(const Contact& start) const {
    const double radius = s.model.smaller_radius(start.key.body_a, start.key.body_b);
    return start.gap <= 0 &&
           -start.gap <= shallow * (radius > 0 ? radius : s.model.length_unit) * (1 + 1e-12);
  }

  void smooth(std::size_t i, const Place& place, bool limited) {
    const SolveRecord& record = s.solves[i];
    const Problem& problem = record.problem;
    const double L = place.length, speed = problem.units.speed();
    if (record.length != L) s.say(i, FindingCode::parts, "its length is not that of its origin");
    const VecX solved = solved_velocities(s.model, record, place.v);
    Balance balance =
        trapezoidal_balance(s, place, problem, o.damp_stiff, limited, limited ? nullptr : &solved);
    if (!limited && !balance.dampers.empty() && !balance_agrees(s, problem, balance))
      balance = trapezoidal_balance(s, place, problem, o.damp_stiff, limited, nullptr);
    compare_balance(s, i, problem, balance);
    // At half the part, of a part without events at its beginning (E165, E177).
    const std::vector<Pose> taken = led_poses(s, place, place.v, limited ? 0 : L / 2);
    const auto [next, v_next] = led_freely(s, place, place.v, L);
    if (!same_poses(s.model, taken, place.rows))
      s.say(i, FindingCode::row,
            limited ? "its rows are not taken at its beginning"
                    : "its rows are not taken at half the step");
    const MatchedRows rows =
        match_rows(s, i, record, place, {.law = Law::coulomb, .facets = o.facets});
    const bool mean = !limited && o.form == TrapezoidalForm::mean;
    std::vector<TrapezoidalTerms> terms(static_cast<std::size_t>(problem.rows()));
    std::vector<JointRow> turned;
    if (!mean && !limited) turned = joint_rows_at(s, place, next);
    for (std::size_t r = 0; rows.good && r < rows.joints.size(); ++r) {
      const JointRow& j = rows.joints[r];
      const double late = joint_motion(s.model, j, place.rows, next, L),
                   early = joint_motion(s.model, j, place.rows, place.start, L);
      const double w = joint_rate(s, j, place.rows, place, balance.v_half);
      double b = mean ? w + 2 * (late - early) : 3 * late + early;
      if (!turned.empty() && r < turned.size())
        b += joint_rate(s, turned[r], next, place, v_next) - w;
      terms[static_cast<std::size_t>(problem.first_row[j.constraint] + j.row)] = {late - early, 0};
      compare_b(s, i, problem, j.constraint, j.row, b,
                std::abs(w) + rate_size(place, s.model.joints[index(j.joint)].bodies));
    }
    bool known = rows.good;
    for (std::size_t r = 0; r < rows.contacts.size(); ++r) {
      const ContactRow& row = rows.contacts[r];
      const Contact& c = *row.contact;
      const Contact* start =
          s.solves[i].origin.before.empty() ? nullptr : contact_with(place.before, c.key);
      const Vec3 late = contact_motion(s.model, c, place.rows, next, L),
                 early = contact_motion(s.model, c, place.rows, place.start, L);
      const Vec3 motion = late - early, end = limited ? motion : Vec3(3 * late + early);
      const Vec3 w = contact_rate(s.model, place.rows, c, balance.v_half);
      const double size = rate_size(place, {{c.key.body_a, c.key.body_b}}) +
                          (start ? (start->p_WC.norm() + s.model.length_unit) / L : 0);
      const double factor = mean ? 2 : 1;
      for (int k = 0; k < c.rows; ++k) {
        const double plain = mean ? w[k] + 2 * motion[k] : end[k];
        const double recorded = problem.constraints[row.constraint].b[k] * speed;
        TrapezoidalTerms& t =
            terms[static_cast<std::size_t>(problem.first_row[row.constraint] + k)];
        t.motion = motion[k];
        if (!mean && !limited) {
          s.unverified.insert("b of contacts in the form \"new\" of scheme trapezoidal");
          known = false;
          continue;
        }
        if (k > 0 || !start) {
          compare_b(s, i, problem, row.constraint, k, plain, size);
          continue;
        }
        const double push = correction_of(*start, L);
        const double allowed = row_relative * (std::abs(recorded) + size);
        const double used = (recorded - plain) / factor;
        // A shallow overlap waits until the motion can pay for it (E169).
        t.correction = may_wait(*start) && std::abs(used) < std::abs(used - push) ? 0 : push;
        if (!(std::abs(used - t.correction) * factor <= allowed))
          compare_b(s, i, problem, row.constraint, k, plain + factor * push, size);
      }
    }
    if (known)
      add_smooth_flows(s, o, i, place, balance, terms, mean, limited, result);
    else
      result.energies_known = result.projected_known = false;
    last_terms = terms;
    last_rows = rows;
    last_smooth = i;
  }

  double rate_size(const Place& place, const std::array<BodyId, 2>& ids) const {
    double size = 0;
    for (const BodyId id : ids) {
      if (id == BodyId::world) continue;
      const Body& body = s.model.body(id);
      const Row6 v = velocities_of_body(body, place.v);
      const double far = place.rows[index(id)].p.norm() + s.model.length_unit;
      for (int k = 0; k < body.velocities; ++k)
        size += std::abs(v[k]) * (k < translations_of(body) ? 1 : far);
      if (body.kind == BodyKind::prescribed)
        size += far / std::max(place.length, window_share * s.length);
    }
    return size;
  }

  // Problems of one moment: rows there, b by the motion of prescribed bodies.
  void moment(std::size_t i, const Place& place) {
    const SolveRecord& record = s.solves[i];
    const Problem& problem = record.problem;
    const bool held = record.purpose == Purpose::hold,
               compression = record.purpose == Purpose::compression;
    if (held && o.damp_stiff) {
      s.unverified.insert("dampers that are too stiff for the step at an impact");
      result.energies_known = false;
      return;
    }
    const Balance balance = instant_balance(s, place, problem);
    compare_balance(s, i, problem, balance, !held && !compression);
    if (!same_poses(s.model, place.start, place.rows))
      s.say(i, FindingCode::row, "its rows are not of its moment");
    RowRules rules{.law = Law::coulomb, .facets = o.facets};
    rules.may_hold = held;
    const MatchedRows rows = match_rows(s, i, record, place, rules);
    const double W = window_share * s.length;
    const std::vector<Pose> early = at(place, -W / 2), late = at(place, W / 2);
    for (const JointRow& j : rows.joints) {
      if (!rows.good) break;
      compare_b(s, i, problem, j.constraint, j.row,
                joint_motion(s.model, j, place.rows, late, W) -
                    joint_motion(s.model, j, place.rows, early, W),
                rate_size(place, s.model.joints[index(j.joint)].bodies));
    }
    std::vector<Vec3> motions;
    for (const ContactRow& row : rows.contacts) {
      const Contact& c = *row.contact;
      const Vec3 motion = contact_motion(s.model, c, place.rows, late, W) -
                          contact_motion(s.model, c, place.rows, early, W);
      motions.push_back(motion);
      const double size = rate_size(place, {{c.key.body_a, c.key.body_b}});
      for (int k = held || compression ? 0 : 1; k < c.rows; ++k)
        compare_b(s, i, problem, row.constraint, k, motion[k], size);
      if (held || compression) continue;
      const double recorded = problem.constraints[row.constraint].b[0] * problem.units.speed();
      const double approach = contact_rate(s.model, place.rows, c, place.v)[0] + motion[0];
      const double most = c.restitution_law == RestitutionLaw::newton
                              ? c.restitution * std::max(0.0, -approach)
                              : std::numeric_limits<double>::infinity();
      const double returned = motion[0] - recorded,
                   slack = row_relative * (size + std::abs(recorded));
      if (!(returned >= -slack && returned <= most + slack))
        s.say(i, FindingCode::row,
              fmt::format("{} returns {:.9g} m/s, the scene's restitution at most {:.9g}",
                          row_name(s, problem, row.constraint), returned, most));
    }
    if (!held) return;
    add_hold_flows(s, record, place, rows, motions, result);
  }

  std::vector<Pose> at(const Place& place, double dt) const {
    std::vector<Pose> poses = place.start;
    for (std::size_t i = 0; i < poses.size(); ++i)
      if (s.model.bodies[i].kind == BodyKind::prescribed)
        poses[i] = prescribed_after(s.model.bodies[i], place.t, dt, s.length);
    return poses;
  }

  // Contacts are reported from the last solve, if that is a smooth one.
  void report() {
    if (s.solves.empty() || last_smooth + 1 != s.solves.size() || !last_rows.good ||
        s.solves[last_smooth].taken != s.solves[last_smooth].length)
      return;
    const SolveRecord& record = s.solves.back();
    const Place place = place_of(s, record);
    for (const ContactRow& row : last_rows.contacts) {
      const Contact* c = contact_with(place.contacts, row.contact->key);
      if (!c) return;
      Vec3 motion = Vec3::Zero();
      for (int k = 0; k < c->rows; ++k)
        motion[k] =
            last_terms[static_cast<std::size_t>(record.problem.first_row[row.constraint] + k)]
                .motion;
      result.contacts.push_back(contact_report_of(s, record, place, {row.constraint, c}, motion));
      result.contacts.back().colliding = collided(c->key);
    }
    result.contacts_known = true;
  }

  // The part has a solve of the moment of a collision: one at its end or beginning may be of the
  // part beside it.
  bool collided(const ContactKey& key) const {
    const auto is_of = [&](const StepEvent& e, const SolveRecord& record) {
      const double slack =
          1e-9 * s.length + 8 * std::numeric_limits<double>::epsilon() * std::abs(s.start.t);
      return is_collision(record.purpose) && std::abs(record.origin.t - e.t) <= slack &&
             contact_with(record.origin.contacts, key);
    };
    return std::any_of(s.report.events.begin(), s.report.events.end(), [&](const StepEvent& e) {
      return e.kind == StepEvent::Kind::collision && e.contact == key &&
             std::any_of(s.solves.begin(), s.solves.end(),
                         [&](const SolveRecord& record) { return is_of(e, record); });
    });
  }

  // Impulses of the last part, as they would be over a whole step, are remembered; those of an
  // impact are chosen by what separates.
  void remember() {
    const std::size_t n = s.solves.size();
    if (n == 0 || last_smooth >= n || !last_rows.good) return;
    for (std::size_t i = last_smooth + 1; i < n; ++i)
      if (s.solves[i].purpose != Purpose::hold) return;
    const SolveRecord& record = s.solves[last_smooth];
    if (record.taken != record.length) return;
    const Place place = place_of(s, record);
    for (const ContactRow& row : last_rows.contacts) {
      const Contact* c = contact_with(place.contacts, row.contact->key);
      if (c)
        result.memory.push_back(
            contact_report_of(s, record, place, {row.constraint, c}, Vec3::Zero()));
    }
    result.memory_solve = last_smooth;
    // The scheme takes the length from the times at both ends.
    const double lasted = (place.t + record.length) - place.t;
    result.memory_factor = lasted > 0 ? s.length / lasted : 1;
    result.memory_known = true;
  }

  const Segment& s;
  const Trapezoidal& o;
  SegmentOutcome& result;
  std::vector<TrapezoidalTerms> last_terms;
  MatchedRows last_rows;
  std::size_t last_smooth = static_cast<std::size_t>(-2);
};

}  // namespace

void check_trapezoidal(const Segment& segment, const Trapezoidal& options, SegmentOutcome& out) {
  TrapezoidalCheck(segment, options, out).run();
}

}  // namespace cairn::record
