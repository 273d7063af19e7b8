// check, rebuilding problems: a step of `penalty` (E251 to E255).
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "record/check/rebuild/contact_geometry.hpp"
#include "record/check/rebuild/rebuild.hpp"
#include "record/check/steps/first_order.hpp"

namespace cairn::record {

void check_penalty(const Segment& s, const Penalty& options, SegmentOutcome& out) {
  if (s.solves.size() != 1) {
    s.complain(FindingCode::parts, "a step of scheme penalty has one solve");
    out.energies_known = false;
    return;
  }
  const SolveRecord& record = s.solves[0];
  const Problem& problem = record.problem;
  const Place place = place_of(s, record);
  const double h = place.length;
  Balance balance = first_order_balance(s, place, problem, false);
  for (ElementRow& row : balance.springs) row.follows = false;  // as E360 has them
  compare_balance(s, 0, problem, balance);
  const VecX v = solved_velocities(s.model, record, place.v);
  const std::vector<Pose> end = led_poses(s, place, v, h);
  const bool implicit = options.form == PenaltyForm::implicit;
  if (implicit && place.again && !same_poses(s.model, end, place.rows))
    s.say(0, FindingCode::row, "its rows are not taken where its velocities lead");
  // Joints are taken at the beginning, springs of contacts where the form says.
  Place posed = place;
  posed.joints = &place.start;
  MatchedRows matched = match_rows(s, 0, record, posed, {.given = true});
  matched.contacts.clear();
  Place joints = place;
  joints.rows = place.start;
  joints.again = false;
  for (const JointRow& j : matched.joints)
    compare_b(s, 0, problem, j.constraint, j.row,
              s.share() * j.error / h + joint_motion(s.model, j, joints.rows, end, h), j.size / h);
  for (const Contact& c : place.contacts) {
    Contact framed = c;
    framed.rows = 1;
    framed.friction = 0;
    const std::string fault = geometry_fault(s.model, s.scheme, place.rows, framed);
    if (!fault.empty())
      s.say(0, FindingCode::contact,
            fmt::format("contact {}: {}", contact_name(s.model, c.key), fault));
  }
  // (2.2): impulse h gamma overlap^b.
  std::size_t next = matched.joints.empty() ? 0 : matched.joints.back().constraint + 1;
  Ledger springs;
  for (const Contact& c : place.contacts) {
    const Vec3 motion = place.again ? Vec3(-contact_motion(s.model, c, place.rows, place.start, h))
                                    : contact_motion(s.model, c, place.rows, end, h);
    const double along = contact_rate(s.model, place.columns, c, v)[0] + motion[0];
    const double gap = options.form == PenaltyForm::linearly_implicit ? c.gap + h * along : c.gap;
    const double overlap = std::max(0.0, -gap);
    const double impulse =
        overlap > 0 ? h * options.gamma * std::pow(overlap, options.exponent) : 0;
    const bool there =
        next < problem.constraints.size() && problem.constraints[next].key.contact == c.key;
    const double recorded = there ? problem.constraints[next].lo * problem.units.impulse() : 0;
    // The force follows the overlap, which rounds with the size of the positions.
    const double size = c.p_WC.norm() + s.model.length_unit;
    const double slope = h * options.gamma * options.exponent *
                         std::pow(overlap + 1e-12 * size, std::max(0.0, options.exponent - 1));
    if (!(std::abs(recorded - impulse) <= 1e-9 * impulse + slope * 1e-12 * size))
      s.say(
          0, FindingCode::row,
          fmt::format(
              "the spring between {} and {} pushes with {:.9g} N s, its overlap says {:.9g}",
              s.model.body(c.key.body_a).name, s.model.body(c.key.body_b).name, recorded, impulse));
    if (there) {
      compare_b(s, 0, problem, next, 0, motion[0], motion.norm());
      ++next;
    }
    springs.impact -= recorded * along;
    springs.work_motion -= recorded * motion[0];
    ContactReport& r = out.contacts.emplace_back();
    r.contact = c;
    r.contact.rows = 1;
    r.impulse[0] = recorded;
    r.velocity[0] = along;
    r.mode = recorded > 0 ? ContactMode::stick : ContactMode::open;
  }
  if (next != problem.constraints.size())
    s.say(0, FindingCode::row, "it has rows without a recorded contact");
  out.flows = first_order_ledger(s, record, joints, balance, matched, {}, place.v, end);
  out.flows.impact += springs.impact;
  out.flows.work_motion += springs.work_motion;
  out.contacts_known = out.memory_known = out.joints_kept = true;
  for (const ContactReport& r : out.contacts)
    if (r.impulse[0] > 0) out.memory.push_back(r);
}

}  // namespace cairn::record
