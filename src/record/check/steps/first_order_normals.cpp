// check, rebuilding problems (E387): b of the contacts of a step of first order.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "record/check/rebuild/contact_geometry.hpp"
#include "record/check/steps/first_order_step.hpp"

namespace cairn::record {
namespace {

constexpr double slip_relative = 1e-9;  // of a slip that another solve has given [-]

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
      if (c.id.kind != ConstraintId::Kind::contact || c.id.part != 0 || c.id.contact != key ||
          c.rows < 2)
        continue;
      slips.push_back(slip_support(c, physical_row_of(record, i).w));
    }
  return slips;
}

bool keeps_start(const Segment& s, const ContactRow& row, const Contact& first,
                 const StartTerms& start, double recorded) {
  const Known rides = ride(s, first.key.body_a, first.key.body_b);
  if (rides != Known::unclear) return rides == Known::yes;
  return row.beginning && std::abs(recorded - start.motion[0] - start.gap_rate) <=
                              row_relative * (std::abs(recorded) + std::abs(start.gap_rate));
}

void StepCheck::compare_normals(std::size_t i, const Place& place, const MatchedRows& rows,
                                const VecX* led) {
  const Problem& problem = s.solves[i].problem;
  const Purpose purpose = s.solves[i].purpose;
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
    const double b_n = problem.constraints[row.constraint].b[0] * problem.units.speed();
    const StartTerms start =
        start_terms(s, options, *found, place.start, end, place.v, h, s.share(), b_n);
    NormalTerms& t = last_terms[r];
    t.motion = start.motion;
    t.gap = start.gap_rate;
    t.closing = std::max(0.0, found->gap) / h;
    double size = (c.p_WC.norm() + place.rows[index(c.key.body_a)].p.norm() +
                   place.rows[index(c.key.body_b)].p.norm() + s.model.length_unit) /
                  h;
    if (led && !keeps_start(s, row, *found, start, b_n)) {
      const Place before_it = i > 0 ? place_of(s, s.solves[i - 1]) : place;
      const Contact* kept = i > 0 ? contact_with(before_it.contacts, c.key) : nullptr;
      if (kept && kept->p_WC == c.p_WC && kept->gap == c.gap && kept->n_W == c.n_W &&
          !geometry_fault(s.model, s.scheme, place.rows, c).empty()) {
        t.known = false;  // its terms are those of the solve before
        s.unverified.insert("b of contacts whose features are gone at the end of the step");
        continue;
      }
      t.motion = -contact_motion_apart(s, c, place.rows, place.start, h);
      const double rate = row.beginning ? contact_rate(s.model, place.start, *found, *led)[0]
                                        : contact_rate(s.model, place.columns, c, *led)[0];
      t.gap = (c.gap - start.target) / h - rate - t.motion[0];
      size += std::abs(rate);
    }
    bool sure = true;
    t.impact = collides(*found, start, sure);
    const double recorded =
        problem.constraints[row.constraint].b[0] * problem.units.speed() - t.motion[0];
    // Candidates: the gap row with what delayed restitution adds, or the bounce in its place.
    const double allowed = row_relative * (std::abs(recorded) + size);
    const std::vector<double> slips = slips_of(c.key);
    double delayed = 0;
    if (options.restitution != Restitution::completed && c.restitution > 0 &&
        s.start.v_before.size() == s.model.velocities &&
        std::binary_search(s.start.pending.begin(), s.start.pending.end(), c.key)) {
      const bool corrected = options.restitution == Restitution::delayed;
      const double before =
          contact_rate(s.model, place.start, *found, corrected ? s.start.v_before : place.v)[0] +
          start.motion[0];
      if (before < -threshold_of(*found)) delayed = c.restitution * before;
    }
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
    double rebound = -c.restitution * start.approach;
    if (at_once) {
      const Contact* hit = contact_with(collided_at.contacts, c.key);
      const Contact& there = hit ? *hit : *found;
      const Vec3 motion =
          collided_at.again
              ? Vec3(-contact_motion_apart(s, there, collided_at.rows, collided_at.start, h))
              : start.motion;
      rebound =
          std::max(0.0, contact_rate(s.model, collided_at.columns, there, v_start)[0] + motion[0]);
    }
    const bool must = may_bounce && sure && purpose == Purpose::restitution &&
                      -rebound < std::min(0.0, t.gap) && std::abs(t.gap + rebound) > allowed;
    if (may_bounce && (!good || must)) {
      for (std::size_t k = 0; k < slips.size(); ++k) {
        const double bounce = recorded - slips[k];
        const double loose =
            allowed + (at_once ? slip_relative : row_relative) * (rebound + slips[k]);
        const bool full = std::abs(bounce + rebound) <= loose;
        const bool reduced =
            purpose != Purpose::restitution && bounce <= loose && bounce >= -rebound - loose;
        good = full || reduced;
        if (!good) continue;
        t.bounce = bounce;
        t.gap = t.closing = 0;
        t.slip = slips[k];
        break;
      }
    }
    if (!good) {
      s.say(i, FindingCode::row,
            fmt::format("b of {} recorded as {:.12g} m/s, rebuilt {:.12g}{}",
                        row_name(s, problem, row.constraint), recorded + t.motion[0],
                        t.gap + delayed + t.motion[0],
                        may_bounce
                            ? fmt::format(" or, with restitution, {:.12g}", t.motion[0] - rebound)
                            : ""));
      t.known = false;
    }
    for (int k = 1; k < c.rows; ++k)
      compare_b(s, i, problem, row.constraint, k, t.motion[k], t.motion.norm());
  }
}

StartTerms start_terms(const Segment& s, const Euler& options, const Contact& c,
                       const std::vector<Pose>& poses, const std::vector<Pose>& poses_end,
                       const VecX& v, double h, double share, double recorded) {
  StartTerms t;
  const Model& model = s.model;
  const Vec3 rate = contact_rate(model, poses, c, v);
  t.gap_rate = (c.gap > 0 ? 1 : options.gamma * share) * c.gap / h;
  if (c.gap < 0) {
    const double radius = model.smaller_radius(c.key.body_a, c.key.body_b),
                 g = model.gravity.norm();
    const double fastest = options.separation_speed >= 0 ? options.separation_speed
                           : g > 0                       ? std::sqrt(2 * g * radius)
                                                         : radius / 128 / (h / share);
    t.gap_rate = std::max(t.gap_rate, -fastest);
    if (share < 1) {  // (E309)
      const double ra = model.shapes[index(c.key.shape_a)].inner_radius,
                   rb = model.shapes[index(c.key.shape_b)].inner_radius;
      double r = ra > 0 && rb > 0 ? std::min(ra, rb) : std::max(ra, rb);
      if (!(r > 0) || !std::isfinite(r)) r = model.length_unit;
      const double allowed = 0.25 * s.allowed_overlap * r;
      double part = 0;
      if (-c.gap > allowed) {
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
        const Vec3 points = contact_rate(model, poses, all, v) +
                            contact_motion_with(s, all, poses, poses_end, h, 0);
        const double speed = std::max(centres.norm(), points.norm());
        part = std::max(options.gamma * (c.gap + allowed) / h, -speed / 32);
      }
      t.gap_rate = std::min(t.gap_rate, part);
    }
  }
  t.motion = contact_motion_with(s, c, poses, poses_end, h, recorded - t.gap_rate);
  if (const double e = c.restitution; e > 0) {
    // With restitution b = m + e (J v + m): which motion m it is may only show there.
    const double left = recorded - e * rate[0];
    const Vec3 bouncing = contact_motion_with(s, c, poses, poses_end, h, left / (1 + e));
    if (std::abs(left - (1 + e) * bouncing[0]) < std::abs(recorded - t.gap_rate - t.motion[0]))
      t.motion = bouncing;
  }
  t.approach = rate[0] + t.motion[0];
  t.target = std::min(0.0, c.gap - h * t.gap_rate);
  return t;
}

}  // namespace cairn::record
