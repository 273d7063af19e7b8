#include "record/check/rebuild/first_order.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "record/check/rebuild/contact_geometry.hpp"

namespace cairn::record {
namespace {

using Purpose = SolveRecord::Purpose;

constexpr double slip_relative = 1e-9;  // of a slip that another solve has given [-]

std::vector<Pose> end_poses(const Segment& s, const Place& place, const VecX& v) {
  return led_poses(s, place, v, place.length);
}

bool is_collision(Purpose p) {
  return p == Purpose::compression || p == Purpose::decompression || p == Purpose::impact;
}

bool bounces_in(Purpose p) {
  return p == Purpose::restitution || p == Purpose::guard;
}

// All that the solves of one step share.
struct StepCheck {
  const Segment& s;
  const Euler& options;
  Law law;
  Place beginning;
  Balance balance;
  VecX v_start;  // where the forces act from (E229)
  bool at_once = false;
  std::size_t plastic = 0;           // the solve that tells what collides
  std::vector<ContactKey> pressing;  // contacts that carry an impulse in it, sorted
  bool geometry_known = false;       // the reported contacts have been compared
  std::vector<NormalTerms> last_terms;
  MatchedRows last_rows;

  void run(SegmentOutcome& out);
  void report(SegmentOutcome& out) const;
  void solve(std::size_t i);
  void compare_contacts(std::size_t i, const Place& place);
  void compare_momentum(std::size_t i, const Place& place);
  void compare_joints(std::size_t i, const Place& place, const MatchedRows& rows, const VecX* led);
  void compare_normals(std::size_t i, const Place& place, const MatchedRows& rows, const VecX* led);
  void collision(std::size_t i, const Place& place, const MatchedRows& rows);
  bool collides(const Contact& c, const StartTerms& start, bool& sure) const;
  double threshold_of(const Contact& c) const;
  std::vector<double> slips_of(const ContactKey& key) const;
};

double StepCheck::threshold_of(const Contact& c) const {
  if (options.restitution_threshold >= 0) return options.restitution_threshold;
  const Model& model = s.model;
  double gain = 0;
  for (const BodyId id : {c.key.body_a, c.key.body_b}) {
    const Body& body = model.body(id);
    if (body.velocities == 0) continue;
    const Row6 change =
        velocities_of_body(body, balance.v_free) - velocities_of_body(body, beginning.v);
    gain = std::max(gain, change.head(translations_of(body)).norm());
  }
  const double along = contact_rate(model, beginning.start, c, balance.v_free)[0] -
                       contact_rate(model, beginning.start, c, beginning.v)[0];
  return std::max(2 * std::abs(along), 1e-3 * gain) / s.share();
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

void StepCheck::compare_contacts(std::size_t i, const Place& place) {
  const SolveRecord& record = s.solves[i];
  if (record.origin.empty()) {
    if (geometry_known) return;
    geometry_known = true;
  }
  const auto look = [&](std::span<const Contact> contacts, const std::vector<Pose>& poses,
                        bool again) {
    for (const Contact& c : contacts) {
      std::string fault = geometry_fault(s.model, s.scheme, poses, c);
      // A feature that is gone at the end of the step keeps its rows.
      if (!fault.empty() && again && i > 0) {
        const Place last = place_of(s, s.solves[i - 1]);
        const Contact* kept = contact_with(last.contacts, c.key);
        if (kept && kept->p_WC == c.p_WC && kept->n_W == c.n_W && kept->gap == c.gap) fault.clear();
      }
      if (fault.empty()) fault = material_fault(s.model, poses, c, false);
      if (!fault.empty())
        s.say(i,
              fault.find("friction") != std::string::npos ||
                      fault.find("restitution") != std::string::npos
                  ? FindingCode::law
                  : FindingCode::contact,
              fmt::format("contact {}-{}:{}: {}", s.model.body(c.key.body_a).name,
                          s.model.body(c.key.body_b).name, c.key.feature, fault));
    }
  };
  look(place.contacts, place.rows, place.again);
  if (place.again && !record.origin.before.empty()) look(place.before, place.start, false);
}

void StepCheck::compare_momentum(std::size_t i, const Place& place) {
  const SolveRecord& record = s.solves[i];
  if (is_collision(record.purpose)) {
    const Balance instant = instant_balance(s, place, record.problem);
    compare_balance(s, i, record.problem, instant, record.purpose != Purpose::compression);
    if (record.purpose != Purpose::compression)
      s.unverified.insert("momentum from which the impulses of restitution start");
    return;
  }
  const bool after = at_once && (bounces_in(record.purpose) || i > plastic);
  if (!after) return compare_balance(s, i, record.problem, balance);
  Balance shifted = balance;
  for (std::size_t b = 0; b < record.problem.bodies.size(); ++b) {
    const Body& body =
        s.model.bodies[static_cast<std::size_t>(record.problem.bodies[b].model_body)];
    const Block6 M = mass_of(body);
    const Row6 from = velocities_of_body(body, v_start);
    shifted.k[b] += M * (from - velocities_of_body(body, beginning.v));
    shifted.size[b] += M.cwiseAbs() * from.cwiseAbs();
  }
  compare_balance(s, i, record.problem, shifted);
}

void StepCheck::compare_joints(std::size_t i, const Place& place, const MatchedRows& rows,
                               const VecX* led) {
  if (rows.joints.empty() || !rows.good) return;
  const Problem& problem = s.solves[i].problem;
  const double h = place.length, part = options.gamma * s.share();
  const std::vector<Pose> end = end_poses(s, place, place.v);
  std::vector<JointRow> first;
  if (led) first = joint_rows_at(s, place, place.start);
  for (std::size_t r = 0; r < rows.joints.size(); ++r) {
    const JointRow& j = rows.joints[r];
    double b = 0, size = j.size / h;
    if (led) {
      const double target = r < first.size() ? (1 - part) * first[r].error : 0;
      const double rate = joint_rate(s, j, place.rows, place, *led);
      b = (j.error - target) / h - rate;
      size += std::abs(rate);
    } else {
      b = part * j.error / h + joint_motion(s.model, j, place.rows, end, h);
    }
    compare_b(s, i, problem, j.constraint, j.row, b, size);
  }
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
    const StartTerms start =
        start_terms(s, options, *found, place.start, end, place.v, h, s.share());
    NormalTerms& t = last_terms[r];
    t.motion = start.motion;
    t.gap = start.gap_rate;
    t.closing = std::max(0.0, found->gap) / h;
    double size = (c.p_WC.norm() + place.rows[index(c.key.body_a)].p.norm() +
                   place.rows[index(c.key.body_b)].p.norm() + s.model.length_unit) /
                  h;
    if (led) {
      const Place before_it = i > 0 ? place_of(s, s.solves[i - 1]) : place;
      const Contact* kept = i > 0 ? contact_with(before_it.contacts, c.key) : nullptr;
      if (kept && kept->p_WC == c.p_WC && kept->gap == c.gap && kept->n_W == c.n_W &&
          !geometry_fault(s.model, s.scheme, place.rows, c).empty()) {
        t.known = false;  // its terms are those of the solve before
        s.unverified.insert("b of contacts whose features are gone at the end of the step");
        continue;
      }
      t.motion = -contact_motion(s.model, c, place.rows, place.start, h);
      const double rate = contact_rate(s.model, place.rows, c, *led)[0];
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
    if (at_once)
      rebound =
          std::max(0.0, contact_rate(s.model, place.start, *found, v_start)[0] + start.motion[0]);
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

// Solves of an impact before the forces of the step (E229): rows at the beginning, b by the motion
// of prescribed bodies and, in the restitution, the speeds that are returned.
void StepCheck::collision(std::size_t i, const Place& place, const MatchedRows& rows) {
  const Problem& problem = s.solves[i].problem;
  const double h = place.length;
  const std::vector<Pose> end = end_poses(s, place, place.v);
  for (const ContactRow& row : rows.contacts) {
    const Contact& c = *row.contact;
    const Vec3 motion = place.again ? Vec3(-contact_motion(s.model, c, place.rows, place.start, h))
                                    : contact_motion(s.model, c, place.rows, end, h);
    const double recorded = problem.constraints[row.constraint].b[0] * problem.units.speed();
    if (s.solves[i].purpose == Purpose::compression)
      compare_b(s, i, problem, row.constraint, 0, motion[0], motion.norm());
    else if (recorded > motion[0] + row_relative * motion.norm())
      s.say(i, FindingCode::row, row_name(s, problem, row.constraint) + ": its restitution pulls");
    for (int k = 1; k < c.rows; ++k)
      compare_b(s, i, problem, row.constraint, k, motion[k], motion.norm());
  }
}

void StepCheck::solve(std::size_t i) {
  const SolveRecord& record = s.solves[i];
  const Place place = place_of(s, record);
  compare_contacts(i, place);
  compare_momentum(i, place);
  const bool impact = is_collision(record.purpose);
  RowRules rules{.law = law, .facets = options.facets};
  rules.any_law = impact;
  MatchedRows rows = match_rows(s, i, record, place, rules);
  VecX v_led;
  const VecX* led = nullptr;
  if (place.again && !impact) {
    // The solve that led to where the rows were taken: the one before, but for exchanges.
    for (std::size_t back = 0; back < s.solves.size() && !led; ++back) {
      const std::size_t k = back < i ? i - 1 - back : back;
      v_led = solved_velocities(s.model, s.solves[k], place.v);
      if (same_poses(s.model, end_poses(s, place, v_led), place.rows)) led = &v_led;
    }
    if (!led) {
      s.say(i, FindingCode::row, "its rows are taken where no solve of the step leads");
      return;
    }
  }
  if (impact) {
    collision(i, place, rows);
    return;
  }
  compare_joints(i, place, rows, led);
  compare_normals(i, place, rows, led);
  const std::vector<Pose> end = end_poses(s, place, place.v);
  compare_discs(s, i, record.problem, place, rows, [&](const Contact& c) {
    const Contact* first = led ? contact_with(place.before, c.key) : &c;
    return contact_spin(s.model, first ? *first : c, place.start, end, place.length);
  });
  last_rows = std::move(rows);
}

void StepCheck::run(SegmentOutcome& out) {
  const std::size_t n = s.solves.size();
  if (n == 0) return;
  beginning = place_of(s, s.solves[n - 1]);
  balance = first_order_balance(s, beginning, s.solves[n - 1].problem, false);
  if (!balance.known)
    s.unverified.insert("thresholds of impacts of more than 50 bodies on implicit springs");
  v_start = beginning.v;
  // What collides is read off the last solve before restitution.
  plastic = n - 1;
  for (std::size_t i = 0; i < n; ++i) {
    const Purpose p = s.solves[i].purpose;
    if (bounces_in(p) || is_collision(p)) {
      if (i > 0 && !bounces_in(s.solves[i - 1].purpose)) plastic = i - 1;
      break;
    }
    plastic = i;
  }
  const SolveRecord& told = s.solves[plastic];
  for (std::size_t i = 0; i < told.problem.constraints.size(); ++i) {
    const ConstraintId& id = told.problem.constraints[i].id;
    if (id.kind == ConstraintId::Kind::contact && id.part == 0 &&
        told.solution.lambda[told.problem.first_row[i]] > 0)
      pressing.push_back(id.contact);
  }
  std::sort(pressing.begin(), pressing.end());
  for (std::size_t i = 0; i < n; ++i)
    if (is_collision(s.solves[i].purpose)) {
      at_once = true;
      v_start = solved_velocities(s.model, s.solves[i], beginning.v);
    }
  for (std::size_t i = 0; i < n; ++i) solve(i);
  const bool known = last_rows.good && std::all_of(last_terms.begin(), last_terms.end(),
                                                   [](const NormalTerms& t) { return t.known; });
  out.energies_known = known && !at_once;
  if (at_once) s.unverified.insert("energies of impacts before the forces of a step");
  if (!known || last_rows.contacts.size() != last_terms.size()) return;
  const SolveRecord& record = s.solves[n - 1];
  const Place place = place_of(s, record);
  const VecX v = solved_velocities(s.model, record, place.v);
  out.flows = first_order_ledger(s, record, place, balance, last_rows, last_terms, v_start,
                                 end_poses(s, place, v));
  // What a projection did at the end.
  out.flows.stabilisation +=
      total_energy(s.model, s.end, s.v_end) - total_energy(s.model, end_poses(s, place, v), v);
  report(out);
}

void StepCheck::report(SegmentOutcome& out) const {
  const SolveRecord& record = s.solves.back();
  const Place place = place_of(s, record);
  for (std::size_t i = 0; i < last_rows.contacts.size(); ++i) {
    const NormalTerms& t = last_terms[i];
    out.contacts.push_back(contact_report_of(s, record, place, last_rows.contacts[i], t.motion));
    ContactReport& c = out.contacts.back();
    c.colliding = t.bounce < 0 && c.impulse[0] > 0;
    if (t.impact) out.collided.push_back(c.contact.key);
  }
  add_torques(record, last_rows.discs, s.model, place, out.contacts);
  out.contacts_known = true;
  out.impulses_known = !at_once;
  out.memory = out.contacts;
  out.memory_solve = s.solves.size() - 1;
  out.memory_known = true;
}

}  // namespace

StartTerms start_terms(const Segment& s, const Euler& options, const Contact& c,
                       const std::vector<Pose>& poses, const std::vector<Pose>& poses_end,
                       const VecX& v, double h, double share) {
  StartTerms t;
  const Model& model = s.model;
  t.motion = contact_motion(model, c, poses, poses_end, h);
  const Vec3 rate = contact_rate(model, poses, c, v);
  t.approach = rate[0] + t.motion[0];
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
        const Vec3 points =
            contact_rate(model, poses, all, v) + contact_motion(model, all, poses, poses_end, h);
        const double speed = std::max(centres.norm(), points.norm());
        part = std::max(options.gamma * (c.gap + allowed) / h, -speed / 32);
      }
      t.gap_rate = std::min(t.gap_rate, part);
    }
  }
  t.target = std::min(0.0, c.gap - h * t.gap_rate);
  return t;
}

void check_first_order(const Segment& segment, const Euler& options, Law law, SegmentOutcome& out) {
  StepCheck check{segment, options, law, {}, {}, {}, false, 0, {}, false, {}, {}};
  check.run(out);
}

}  // namespace cairn::record
