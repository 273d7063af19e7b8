#include <algorithm>
#include <fmt/format.h>

#include "record/check/coordinates/drive_rows.hpp"
#include "record/check/rebuild/contact_geometry.hpp"
#include "record/check/steps/first_order_step.hpp"

namespace cairn::record {

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
              fmt::format("contact {}: {}", contact_name(s.model, c.key), fault));
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
    return;
  }
  const bool after = at_once && (bounces_in(record.purpose) || i > plastic);
  if (!after) {
    last_balance = chosen_balance(s, place, record, balance);
    return compare_balance(s, i, record.problem, last_balance);
  }
  Balance shifted = balance;
  for (std::size_t b = 0; b < record.problem.bodies.size(); ++b) {
    const Body& body =
        s.model.bodies[static_cast<std::size_t>(record.problem.bodies[b].model_body)];
    const Block6 M = mass_of(body);
    const Row6 from = velocities_of_body(body, v_start);
    shifted.k[b] += M * (from - velocities_of_body(body, beginning.v));
    shifted.size[b] += M.cwiseAbs() * from.cwiseAbs();
  }
  last_balance = chosen_balance(s, place, record, shifted);
  compare_balance(s, i, record.problem, last_balance);
}

void StepCheck::compare_joints(std::size_t i, const Place& place, const MatchedRows& rows,
                               const VecX* led) {
  if ((rows.joints.empty() && rows.gears.empty()) || !rows.good) return;
  const Problem& problem = s.solves[i].problem;
  const double h = place.length, part = options.gamma * s.share();
  const std::vector<Pose> end = end_poses(s, place, place.v);
  const std::vector<GearRow> gears = gear_rows_at(s, place, place.start);
  for (std::size_t k = 0; k < rows.gears.size(); ++k) {
    const GearRow& row = rows.gears[k];
    double b = 0, size = row.size / h;
    if (led) {
      const double target = k < gears.size() ? (1 - part) * gears[k].error : 0;
      const double rate = row.j.dot(*led);
      b = (row.error - target) / h - rate;
      size += std::abs(rate);
    } else {
      b = part * row.error / h +
          gear_motion(s.model, s.model.gears[row.gear], place.rows, end, h, projects(s));
    }
    compare_b(s, i, problem, row.constraint, 0, b, size);
  }
  std::vector<JointRow> first;
  if (led) first = joint_rows_at(s, place, place.start);
  for (std::size_t r = 0; r < rows.joints.size(); ++r) {
    const JointRow& j = rows.joints[r];
    double b = 0, size = j.size / h;
    if (j.beginning && led) {
      b = beginning_b(s, j, place, options.projection, part, *led);
      size += j.size / h;
    } else if (led) {
      const double target = r < first.size() ? (1 - part) * first[r].error : 0;
      const double rate = joint_rate(s, j, place.columns, place, *led);
      b = (j.error - target) / h - rate;
      size += std::abs(rate);
    } else {
      b = part * j.error / h + joint_motion(s.model, j, place.rows, end, h, projects(s));
    }
    compare_b(s, i, problem, j.constraint, j.row, b, size);
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
    const double recorded = problem.constraints[row.constraint].b[0] * problem.units.speed();
    const Contact* first = place.again ? contact_with(place.before, c.key) : &c;
    const bool kept =
        place.again && first && row.beginning && ride(s, c.key.body_a, c.key.body_b) != Known::no;
    const Vec3 motion =
        place.again && !kept
            ? Vec3(-contact_motion_apart(s, c, place.rows, place.start, h))
            : contact_motion_with(s, first ? *first : c, place.start, end, h, recorded);
    const double size = motion_size(s.model, c, place.start, motion, h);
    if (s.solves[i].purpose == Purpose::compression)
      compare_b(s, i, problem, row.constraint, 0, motion[0], size);
    else if (recorded > motion[0] + row_relative * size)
      s.say(i, FindingCode::row, row_name(s, problem, row.constraint) + ": its restitution pulls");
    for (int k = 1; k < c.rows; ++k) compare_b(s, i, problem, row.constraint, k, motion[k], size);
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
  const SolveRecord& plastic_solve = s.solves[plastic];
  for (std::size_t i = 0; i < plastic_solve.problem.constraints.size(); ++i) {
    const ConstraintKey& id = plastic_solve.problem.constraints[i].key;
    if (pushes(id.role) && plastic_solve.solution.lambda[plastic_solve.problem.first_row[i]] > 0)
      pressing.push_back(id.contact);
  }
  std::sort(pressing.begin(), pressing.end());
  for (std::size_t i = 0; i < n; ++i)
    if (is_collision(s.solves[i].purpose)) {
      at_once = true;
      collided_at = place_of(s, s.solves[i]);
      v_start = solved_velocities(s.model, s.solves[i], beginning.v);
    }
  for (std::size_t i = 0; i < n; ++i) solve(i);
  const bool known = last_rows.good && std::all_of(last_terms.begin(), last_terms.end(),
                                                   [](const NormalTerms& t) { return t.known; });
  out.energies_known = known;
  // Which of the solves that were linearised again decides on an impact is not recorded.
  const bool bounces = std::any_of(s.solves.begin(), s.solves.end(),
                                   [](const SolveRecord& r) { return bounces_in(r.purpose); });
  if (options.nonlinear && bounces) {
    out.impacts_known = false;
  }
  if (!known || last_rows.contacts.size() != last_terms.size()) return;
  const SolveRecord& record = s.solves[n - 1];
  const Place place = place_of(s, record);
  const VecX v = solved_velocities(s.model, record, place.v);
  out.flows = first_order_ledger(s, record, place, last_balance, last_rows, last_terms, v_start,
                                 end_poses(s, place, v));
  if (at_once && !add_impact_losses(out)) {
    s.unverified.insert("energies of impacts with bodies that move as prescribed");
    out.energies_known = false;
  }
  // What a projection did at the end; springs follow it.
  const std::vector<Pose> moved = end_poses(s, place, v);
  const double closing = energy_of_closing(s.model, projects(s), moved, s.end);
  out.flows.integrator += closing;
  out.projected = energy_of_projection(s, moved, v, s.end, s.v_end) - closing;
  out.projected_known = !options.project_contacts;
  out.flows.stabilisation += out.projected;
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
  report_collisions(record, place, out);
  add_torques(record, last_rows.discs, s.model, out.contacts);
  out.contacts_known = true;
  out.impulses_known = !at_once && out.energies_known && out.impacts_known;
  out.impulses_balanced = at_once && impact_balances();
  if (at_once && !out.impulses_balanced)
    s.unverified.insert("momentum from which the impulses of restitution start");
  out.memory = out.contacts;
  out.memory_solve = s.solves.size() - 1;
  out.memory_known = true;
}

// (E710): masses alone, in the islands of rows and springs.
void StepCheck::report_collisions(const SolveRecord& record, const Place& place,
                                  SegmentOutcome& out) const {
  if (at_once) return;
  const Problem& problem = record.problem;
  const std::vector<int> islands = islands_of(problem);
  const VecX v = solved_velocities(s.model, record, place.v);
  const auto kinetic = [&](int island, const VecX& of) {
    double sum = 0;
    for (std::size_t b = 0; b < problem.bodies.size(); ++b) {
      if (islands[b] != island) continue;
      const Body& body = s.model.bodies[static_cast<std::size_t>(problem.bodies[b].model_body)];
      const Row6 u = velocities_of_body(body, of);
      sum += 0.5 * u.dot(mass_of(body) * u);
    }
    return sum;
  };
  for (std::size_t i = 0; i < last_rows.contacts.size(); ++i) {
    const Constraint& c = problem.constraints[last_rows.contacts[i].constraint];
    const int body = *std::max_element(c.body.begin(), c.body.end());
    if (body < 0) continue;
    const int island = islands[static_cast<std::size_t>(body)];
    const NormalTerms& t = last_terms[i];
    double size = t.motion.norm();
    for (const BodyId id : {c.key.contact.body_a, c.key.contact.body_b}) {
      const Body& of = s.model.body(id);
      for (int k = 0; k < of.velocities; ++k)
        size += (std::abs(v[of.first_velocity + k]) + std::abs(v_start[of.first_velocity + k])) *
                (k < translations_of(of) ? 1 : of.radius);
    }
    out.collisions.push_back({c.key.contact, t.approach, out.contacts[i].velocity[0], size,
                              kinetic(island, v_start), kinetic(island, v)});
  }
}

void check_first_order(const Segment& segment, const Euler& options, Law law, SegmentOutcome& out) {
  StepCheck check{segment, options, law, {}, {}, {}, false, {}, 0, {}, false, {}, {}, {}};
  check.run(out);
}

}  // namespace cairn::record
