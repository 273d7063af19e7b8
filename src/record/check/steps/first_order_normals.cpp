// check, rebuilding problems (E387): b of the contacts of a step of first order.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "record/check/rebuild/contact_geometry.hpp"
#include "record/check/steps/first_order_step.hpp"

namespace cairn::record {
namespace {

constexpr double slip_relative = 1e-9;  // of a slip that another solve has given [-]

// (E443): gaps that are rounding of the positions that they are differences of [m].
double gap_rounding(const Model& model, const std::vector<Pose>& poses, const Contact& c) {
  const double size = c.p_WC.cwiseAbs().maxCoeff() +
                      poses[index(c.key.body_a)].p.cwiseAbs().maxCoeff() +
                      poses[index(c.key.body_b)].p.cwiseAbs().maxCoeff() +
                      model.smaller_radius(c.key.body_a, c.key.body_b);
  return 4 * std::numeric_limits<double>::epsilon() * size;
}

}  // namespace

double impact_threshold(const Model& model, const Place& place, const Balance& balance,
                        const Contact& c, double share) {
  double gain = 0, speed = 0;
  for (const BodyId id : {c.key.body_a, c.key.body_b}) {
    const Body& body = model.body(id);
    if (body.velocities == 0) continue;
    speed += velocities_of_body(body, place.v).head(translations_of(body)).norm();
    const Row6 change =
        velocities_of_body(body, balance.v_free) - velocities_of_body(body, place.v);
    gain = std::max(gain, change.head(translations_of(body)).norm());
  }
  const double along = contact_rate(model, place.start, c, balance.v_free)[0] -
                       contact_rate(model, place.start, c, place.v)[0];
  return std::max({2 * std::abs(along) / share, 1e-3 * gain / share, 0x1p-46 * speed});
}

double StepCheck::threshold_of(const Contact& c) const {
  if (options.restitution_threshold >= 0) return options.restitution_threshold;
  return impact_threshold(s.model, beginning, balance, c, s.share());
}

// Closes faster than the threshold and carries an impulse in the plastic solve.
bool StepCheck::collides(const Contact& c, const StartTerms& start, bool& sure) const {
  sure = balance.known;
  const auto pressed = std::binary_search(pressing.begin(), pressing.end(), c.key);
  const double threshold = threshold_of(c);
  if (std::abs(start.approach + threshold) <= 1e-9 * (std::abs(start.approach) + threshold))
    sure = false;
  return pressed && start.approach < -threshold;
}

// Bounds on the slip of scheme relaxed that a solve may allow for: those of other solves.
std::vector<double> StepCheck::slips_of(const ContactKey& key) const {
  std::vector<double> slips = {0};
  const bool corrected = std::any_of(s.solves.begin(), s.solves.end(), [](const SolveRecord& r) {
    return r.purpose == Purpose::correction;
  });
  if (law != Law::coulomb_relaxed || (!corrected && !at_once)) return slips;
  for (const SolveRecord& record : s.solves)
    for (std::size_t i = 0; i < record.problem.constraints.size(); ++i) {
      const Constraint& c = record.problem.constraints[i];
      if (!pushes(c.key.role) || c.key.contact != key || c.rows < 2) continue;
      slips.push_back(slip_support(c, physical_row_of(record, i).w));
    }
  return slips;
}

std::vector<bool> ways_of_keeping(const Segment& s, const ContactRow& row, const Contact& first) {
  const Known rides = ride(s, first.key.body_a, first.key.body_b);
  if (rides != Known::unclear) return {rides == Known::yes};
  return row.beginning ? std::vector<bool>{false, true} : std::vector<bool>{false};
}

// What delayed restitution adds to the row (E34).
double StepCheck::delayed_bounce(const Contact& found, const Place& place,
                                 const StartTerms& start) const {
  if (options.restitution == Restitution::completed || !(found.restitution > 0) ||
      s.start.v_before.size() != s.model.velocities ||
      !std::binary_search(s.start.pending.begin(), s.start.pending.end(), found.key))
    return 0;
  const bool corrected = options.restitution == Restitution::delayed;
  const double before =
      contact_rate(s.model, place.start, found, corrected ? s.start.v_before : place.v)[0] +
      start.motion[0];
  return before < -threshold_of(found) ? found.restitution * before : 0;
}

// The speed that a contact which collides returns in full.
double StepCheck::rebound_of(const Contact& found, const StartTerms& start, double h) const {
  if (!at_once) return -found.restitution * start.approach;
  const Contact* hit = contact_with(collided_at.contacts, found.key);
  const Contact& there = hit ? *hit : found;
  const Vec3 motion =
      collided_at.again
          ? Vec3(-contact_motion_apart(s, there, collided_at.rows, collided_at.start, h))
          : start.motion;
  return std::max(0.0, contact_rate(s.model, collided_at.columns, there, v_start)[0] + motion[0]);
}

// b along the normal, and the terms that it is made of, for one way in which the contact may ride
// on a prescribed body. Returns what is wrong with it.
std::string StepCheck::find_terms(const NormalRow& at, bool held, bool kept, NormalTerms& t) const {
  const ContactRow& row = at.row;
  const Contact &c = *row.contact, &found = at.found;
  const Place& place = at.place;
  const Problem& problem = s.solves[at.solve].problem;
  const Purpose purpose = s.solves[at.solve].purpose;
  const double h = place.length;
  const double b_n = problem.constraints[row.constraint].b[0] * problem.units.speed();
  const StartTerms start =
      start_terms(s, options, found, place.start, at.end, place.v, h, s.share(), held);
  t = NormalTerms{};
  t.motion = start.motion;
  t.gap = start.gap_rate;
  t.closing = std::max(0.0, start.gap) / h;
  t.approach = start.approach;
  double size = (c.p_WC.norm() + place.rows[index(c.key.body_a)].p.norm() +
                 place.rows[index(c.key.body_b)].p.norm() + s.model.length_unit) /
                h;
  if (at.led && !kept) {
    t.motion = -contact_motion_apart(s, c, place.rows, place.start, h);
    const double rate = row.beginning ? contact_rate(s.model, place.start, found, *at.led)[0]
                                      : contact_rate(s.model, place.columns, c, *at.led)[0];
    t.gap = (c.gap - start.target) / h - rate - t.motion[0];
    size += std::abs(rate);
  }
  bool sure = true;
  t.impact = collides(found, start, sure);
  const double recorded = b_n - t.motion[0];
  // Candidates: the gap row with what delayed restitution adds, or the bounce in its place.
  const double allowed = row_relative * (std::abs(recorded) + size);
  const std::vector<double> slips = slips_of(c.key);
  const double delayed = delayed_bounce(found, place, start);
  bool good = false;
  for (std::size_t k = 0; k < slips.size() && !good; ++k) {
    const double loose = allowed + (k > 0 ? slip_relative * slips[k] : 0);
    if (std::abs(recorded - (t.gap + delayed + slips[k])) <= loose) {
      good = true;
      t.bounce = delayed;
      t.slip = k > 0 ? recorded - t.gap - delayed : 0;
    }
  }
  const bool may_bounce = options.restitution == Restitution::completed && c.restitution > 0 &&
                          (t.impact || !sure) && purpose != Purpose::step;
  const double rebound = may_bounce ? rebound_of(found, start, h) : 0;
  const bool must = may_bounce && sure && purpose == Purpose::restitution &&
                    -rebound < std::min(0.0, t.gap) && std::abs(t.gap + rebound) > allowed;
  if (may_bounce && (!good || must))
    good = find_bounce(recorded, rebound, allowed, slips, purpose, t);
  if (good) return {};
  t.known = false;
  return fmt::format(
      "b of {} recorded as {:.12g} m/s, rebuilt {:.12g}{}", row_name(s, problem, row.constraint),
      recorded + t.motion[0], t.gap + delayed + t.motion[0],
      may_bounce ? fmt::format(" or, with restitution, {:.12g}", t.motion[0] - rebound) : "");
}

// The bounce in place of the gap row: all of `rebound`, or less after the guard.
bool StepCheck::find_bounce(double recorded, double rebound, double allowed,
                            const std::vector<double>& slips, Purpose purpose,
                            NormalTerms& t) const {
  for (const double slip : slips) {
    const double bounce = recorded - slip;
    const double loose = allowed + (at_once ? slip_relative : row_relative) * (rebound + slip);
    const bool full = std::abs(bounce + rebound) <= loose;
    const bool reduced =
        purpose != Purpose::restitution && bounce <= loose && bounce >= -rebound - loose;
    if (!full && !reduced) continue;
    t.bounce = bounce;
    t.gap = t.closing = 0;
    t.slip = slip;
    return true;
  }
  return false;
}

void StepCheck::compare_normals(std::size_t i, const Place& place, const MatchedRows& rows,
                                const VecX* led) {
  const Problem& problem = s.solves[i].problem;
  const double h = place.length;
  const std::vector<Pose> end = end_poses(s, place, place.v);
  last_terms.assign(rows.contacts.size(), NormalTerms{});
  for (std::size_t r = 0; r < rows.contacts.size(); ++r) {
    const ContactRow& row = rows.contacts[r];
    const Contact& c = *row.contact;
    const Contact* found = led ? contact_with(place.before, c.key) : row.contact;
    if (!found) {
      s.say(i, FindingCode::row,
            row_name(s, problem, row.constraint) + " has no contact at the beginning");
      continue;
    }
    // The first way that fits, else the first of all.
    std::string fault;
    NormalTerms& t = last_terms[r];
    bool done = false;
    for (const bool held : ways_of_riding(s, *found))
      for (const bool kept : led ? ways_of_keeping(s, row, *found) : std::vector<bool>{true}) {
        if (done && fault.empty()) continue;
        NormalTerms terms;
        const std::string what = find_terms({i, row, *found, place, end, led}, held, kept, terms);
        if (done && !what.empty()) continue;
        fault = what;
        t = terms;
        done = true;
      }
    if (!fault.empty() && led && keeps_gone_feature(i, row, place)) {
      t.known = false;  // its terms are those of the solve before
      s.unverified.insert("b of contacts whose features are gone at the end of the step");
      continue;
    }
    if (!fault.empty()) s.say(i, FindingCode::row, fault);
    for (int k = 1; k < c.rows; ++k)
      compare_b(s, i, problem, row.constraint, k, t.motion[k],
                motion_size(s.model, c, place.start, t.motion, h));
  }
}

// A feature that is gone where the rows were taken keeps the row of the solve before.
bool StepCheck::keeps_gone_feature(std::size_t i, const ContactRow& row, const Place& place) const {
  if (i == 0) return false;
  const Contact& c = *row.contact;
  const Place before = place_of(s, s.solves[i - 1]);
  const Contact* kept = contact_with(before.contacts, c.key);
  return kept && kept->p_WC == c.p_WC && kept->gap == c.gap && kept->n_W == c.n_W &&
         !geometry_fault(s.model, s.scheme, place.rows, c).empty();
}

StartTerms start_terms(const Segment& s, const Euler& options, const Contact& c,
                       const std::vector<Pose>& poses, const std::vector<Pose>& poses_end,
                       const VecX& v, double h, double share, bool held) {
  const auto motion = [&](const Contact& of) {
    return held ? contact_motion_held(s, of, poses, poses_end, h)
                : contact_motion_apart(s, of, poses, poses_end, h);
  };
  StartTerms t;
  const Model& model = s.model;
  t.gap = std::abs(c.gap) > gap_rounding(model, poses, c) ? c.gap : 0;
  t.gap_rate = (t.gap > 0 ? 1 : options.gamma * share) * t.gap / h;
  if (t.gap < 0) {
    const double radius = model.smaller_radius(c.key.body_a, c.key.body_b),
                 g = model.gravity.norm();
    const double fastest = options.separation_speed >= 0 ? options.separation_speed
                           : g > 0                       ? std::sqrt(2 * g * radius)
                                                         : radius / 128 / (h / share);
    t.gap_rate = std::max(t.gap_rate, -fastest);
    if (share < 1) {  // (E309)
      double r = model.smaller_radius(c.key.body_a, c.key.body_b);
      if (!is_limit(c.key)) {
        const double ra = model.shapes[index(c.key.shape_a)].inner_radius,
                     rb = model.shapes[index(c.key.shape_b)].inner_radius;
        r = ra > 0 && rb > 0 ? std::min(ra, rb) : std::max(ra, rb);
      }
      if (!(r > 0) || !std::isfinite(r)) r = model.length_unit;
      const double allowed = 0.25 * s.allowed_overlap * r;
      double part = 0;
      if (-t.gap > allowed) {
        Vec3 centres = Vec3::Zero();
        for (const auto& [id, sign] :
             {std::pair(c.key.body_a, -1.0), std::pair(c.key.body_b, 1.0)}) {
          const Body& body = model.body(id);
          const Row6 of = velocities_of_body(body, v);
          int k = 0;
          for (int axis = 0; axis < 3 && body.velocities > 0; ++axis)
            if (body.translations[static_cast<std::size_t>(axis)]) centres[axis] += sign * of[k++];
        }
        // The velocity of the points that touch, along all directions, whatever rows there are.
        Contact all = c;
        all.stretch = 1;
        const Vec3 points = contact_rate(model, poses, all, v) + motion(all);
        const double speed = std::max(centres.norm(), points.norm());
        part = std::max(options.gamma * (t.gap + allowed) / h, -speed / 32);
      }
      t.gap_rate = std::min(t.gap_rate, part);
    }
  }
  t.motion = motion(c);
  t.approach = contact_rate(model, poses, c, v)[0] + t.motion[0];
  t.target = std::min(0.0, t.gap - h * t.gap_rate);
  return t;
}

}  // namespace cairn::record
