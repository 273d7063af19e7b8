// check: the reports of impacts and the events of collisions, from the velocities before and after
// the moments at which they happen (E710 to E712).
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "record/check/rebuild/rebuild.hpp"
#include "record/check/steps/first_order_step.hpp"

namespace cairn::record {
namespace {

constexpr double same_figure = 1e-9;  // two sums of the same terms [-]

// Solves of an impact at one moment.
struct Moment {
  const Segment& s;
  std::size_t first = 0, last = 0;
  double t = 0;  // at which it is reported
  Place place;
  VecX before, after;

  const SolveRecord& record() const { return s.solves[first]; }
  bool one_by_one() const { return std::holds_alternative<Hybrid>(s.scheme); }
};

std::vector<Moment> moments_of(const Segment& s) {
  std::vector<Moment> out;
  for (std::size_t i = 0; i < s.solves.size(); ++i) {
    const SolveRecord& record = s.solves[i];
    if (!is_collision(record.purpose)) continue;
    const Place place = place_of(s, record);
    // What hybrid stops together (E214) begins after the impacts one by one.
    const bool goes_on = !out.empty() && out.back().last + 1 == i &&
                         out.back().place.t == place.t && record.purpose != Purpose::compression &&
                         !out.back().one_by_one();
    if (!goes_on && std::holds_alternative<Hybrid>(s.scheme) && record.purpose != Purpose::impact)
      continue;
    // Impacts before the forces of a step (E229) count at its end.
    const double t = euler_options(s.scheme) ? s.start.t + s.length : place.t;
    if (!goes_on) out.push_back({s, i, i, t, place, place.v, {}});
    out.back().last = i;
  }
  for (Moment& m : out)
    m.after = std::holds_alternative<Trapezoidal>(s.scheme)
                  ? after_solve(s, m.last).v
                  : solved_velocities(s.model, s.solves[m.last], m.place.v);
  return out;
}

bool same_time(const Segment& s, double a, double b) {
  return std::abs(a - b) <=
         same_figure * s.length + 8 * std::numeric_limits<double>::epsilon() * std::abs(s.start.t);
}

constexpr double row_rounding = 32 * std::numeric_limits<double>::epsilon();  // (E980)

// Velocity along the normal row of a contact with the velocities v, motion included; the sum of the
// magnitudes of its terms; and the rounding of those terms (E980) [m/s].
struct Rate {
  double value = 0, size = 0, rounding = 0;
};
Rate rate_of(const Moment& m, std::size_t constraint, const VecX& v) {
  const Problem& p = m.record().problem;
  const Constraint& c = p.constraints[constraint];
  const Contact* contact = contact_with(m.place.contacts, c.key.contact);
  Rate out;
  // What balances the forces of a step leaves rounding of their speed.
  out.rounding = row_rounding * m.s.model.gravity.norm() * m.s.length;
  for (std::size_t side = 0; side < max_sides; ++side) {
    if (c.body[side] < 0) continue;
    const ProblemBody& b = p.bodies[static_cast<std::size_t>(c.body[side])];
    const Body& body = m.s.model.bodies[static_cast<std::size_t>(b.model_body)];
    const UnitFactors f = unit_factors(body, p.units);
    const Pose& X = m.place.rows[static_cast<std::size_t>(b.model_body)];
    const double arm = contact ? (contact->p_WC - X.p).norm() : body.radius;
    for (int k = 0; k < body.velocities; ++k)
      out.rounding += row_rounding * std::abs(v[body.first_velocity + k]) *
                      (k < translations_of(body) ? 1 : arm);
    for (int k = 0; k < b.size; ++k) {
      const double term =
          c.J[side][0][k] * v[body.first_velocity + k] / f.velocity[k] * p.units.speed();
      out.value += term;
      out.size += std::abs(term);
    }
  }
  double motion = c.b[0] * p.units.speed();
  if (m.one_by_one() && contact)  // the rows have given impulses, and b is zero
    motion = motion_of_moment(m.s, m.place, *contact)[0];
  out.value += motion;
  out.size += std::abs(motion);
  return out;
}

// Normal rows of a contact in the problem of the moment.
std::vector<std::size_t> rows_of(const Moment& m, const ContactKey& key) {
  std::vector<std::size_t> out;
  const auto& list = m.record().problem.constraints;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const bool own = pushes(list[i].key.role) && list[i].key.contact == key;
    const bool again = own && !out.empty() && i < out.back() + 3 && m.one_by_one();
    if (own && !again) out.push_back(i);
  }
  return out;
}

// Kinetic energy of the bodies of an island, or of all (island -1) [J].
double kinetic_of(const Model& model, const Problem& p, const std::vector<int>& islands, int island,
                  const VecX& v) {
  double sum = 0;
  for (std::size_t i = 0; i < p.bodies.size(); ++i) {
    if (island >= 0 && islands[i] != island) continue;
    const Body& body = model.bodies[static_cast<std::size_t>(p.bodies[i].model_body)];
    const Row6 of = velocities_of_body(body, v);
    sum += 0.5 * of.dot(mass_of(body) * of);
  }
  return sum;
}

class ImpactCheck {
 public:
  ImpactCheck(std::span<const Segment> segments, std::span<const SegmentOutcome> outcomes,
              const StepReport& report, const Complain& complain)
      : segments_(segments), outcomes_(outcomes), report_(report), complain_(complain) {
    for (const Segment& s : segments)
      for (Moment& m : moments_of(s)) moments_.push_back(std::move(m));
  }

  void run() {
    for (std::size_t i = 0; i < report_.impacts.size(); ++i) impact(i);
    for (const Moment& m : moments_)
      if (m.one_by_one()) chain(m);
    for (const StepEvent& e : report_.events)
      if (e.kind == StepEvent::Kind::collision) event(e);
  }

 private:
  const Model& model() const { return segments_.front().model; }

  std::string name_of(const ContactKey& key) const {
    return "contact " + contact_name(model(), key);
  }

  void compare(FindingCode code, const ContactKey& key, const char* what, double recorded,
               double ours, double size, double rounding = 0) const {
    if (std::abs(recorded - ours) <= same_figure * std::max(size, std::abs(ours)) + rounding)
      return;
    complain_(code, fmt::format("{} of {} recorded as {:.9g}, recomputed {:.9g}", what,
                                name_of(key), recorded, ours));
  }

  // The moment next to t: in a sequence of impacts that comes to rest several of them can be closer
  // to each other than times are compared. Of moments at the same t, all impacts of which are
  // solved one after the other, the one with the approach that is nearest to the recorded one
  // (E986).
  const Moment* moment_at(double t, const ContactKey& key, double approach) const {
    const Moment* best = nullptr;
    double off = 0;
    for (const Moment& m : moments_) {
      if (!same_time(m.s, m.t, t) || rows_of(m, key).empty()) continue;
      const double later = best ? std::abs(m.t - t) - std::abs(best->t - t) : -1;
      if (later > 0 || (later == 0 && m.one_by_one())) continue;
      const double own = std::abs(nearest(m, key, m.before, approach).value - approach);
      if (later == 0 && !(own < off)) continue;
      best = &m;
      off = own;
    }
    return best;
  }

  // Of several rows of a contact, one of which stands for a face, the nearest one counts.
  Rate nearest(const Moment& m, const ContactKey& key, const VecX& v, double recorded) const {
    Rate best{std::numeric_limits<double>::infinity(), 0, 0};
    for (const std::size_t row : rows_of(m, key)) {
      const Rate rate = rate_of(m, row, v);
      if (std::abs(rate.value - recorded) < std::abs(best.value - recorded)) best = rate;
    }
    return best;
  }

  // A part of first order that ends at the moment at which the next one begins may be nearer.
  bool is_of_a_part(const Moment& m, const ImpactReport& r) const {
    if (m.one_by_one()) return false;
    const double off = std::abs(nearest(m, r.contact, m.before, r.approach).value - r.approach);
    for (std::size_t k = 0; k < segments_.size(); ++k) {
      const Segment& s = segments_[k];
      if (!euler_options(s.scheme) || !same_time(s, s.start.t + s.length, r.t)) continue;
      for (const Collided& c : outcomes_[k].collisions)
        if (c.contact == r.contact && std::abs(c.approach - r.approach) < off) return true;
    }
    return false;
  }

  // (E710).
  void impact(std::size_t i) const {
    const ImpactReport& r = report_.impacts[i];
    if (const Moment* m = moment_at(r.t, r.contact, r.approach); m && !is_of_a_part(*m, r)) {
      if (m->one_by_one()) return;  // by the chain of all
      const Problem& p = m->record().problem;
      const Rate before = nearest(*m, r.contact, m->before, r.approach),
                 after = nearest(*m, r.contact, m->after, r.rebound);
      compare(FindingCode::impact, r.contact, "approach", r.approach, before.value, before.size,
              before.rounding);
      compare(FindingCode::impact, r.contact, "rebound", r.rebound, after.value,
              after.size + before.size, after.rounding + before.rounding);
      const std::vector<int> islands = islands_of(p);
      const Constraint& c = p.constraints[rows_of(*m, r.contact).front()];
      const int body = *std::max_element(c.body.begin(), c.body.end());
      if (body < 0) return;
      const int island = islands[static_cast<std::size_t>(body)];
      energies(r, kinetic_of(model(), p, islands, island, m->before),
               kinetic_of(model(), p, islands, island, m->after));
      return;
    }
    for (std::size_t k = 0; k < segments_.size(); ++k) {
      const Segment& s = segments_[k];
      if (!euler_options(s.scheme) || !same_time(s, s.start.t + s.length, r.t)) continue;
      const auto& list = outcomes_[k].collisions;
      const auto at = std::find_if(list.begin(), list.end(),
                                   [&](const Collided& c) { return c.contact == r.contact; });
      if (at == list.end()) {
        if (outcomes_[k].contacts_known) continue;
        return;  // its rows could not be matched
      }
      compare(FindingCode::impact, r.contact, "approach", r.approach, at->approach, at->size);
      compare(FindingCode::impact, r.contact, "rebound", r.rebound, at->rebound, at->size);
      energies(r, at->kinetic_before, at->kinetic_after);
      return;
    }
    complain_(FindingCode::impact,
              fmt::format("no solve is of the impact of {} at {:.17g} s", name_of(r.contact), r.t));
  }

  void energies(const ImpactReport& r, double before, double after) const {
    const double size = before + after;
    compare(FindingCode::impact, r.contact, "kinetic energy before the impact", r.kinetic_before,
            before, size);
    compare(FindingCode::impact, r.contact, "kinetic energy after the impact", r.kinetic_after,
            after, size);
  }

  // Impacts of a moment one after the other: each begins with the energy that the one before left.
  void chain(const Moment& m) const {
    std::vector<const ImpactReport*> hits;
    for (const ImpactReport& r : report_.impacts)
      if (same_time(m.s, m.t, r.t) && moment_at(r.t, r.contact, r.approach) == &m)
        hits.push_back(&r);
    if (hits.empty()) return;
    const Problem& p = m.record().problem;
    double now = kinetic_of(model(), p, {}, -1, m.before);
    const double last = kinetic_of(model(), p, {}, -1, m.after);
    for (std::size_t i = 0; i < hits.size(); ++i) {
      const bool ends = i + 1 == hits.size();
      energies(*hits[i], now, ends ? last : hits[i + 1]->kinetic_before);
      now = hits[i]->kinetic_after;
    }
    const ImpactReport &front = *hits.front(), &back = *hits.back();
    const Rate begin = nearest(m, front.contact, m.before, front.approach),
               end = nearest(m, back.contact, m.after, back.rebound);
    compare(FindingCode::impact, front.contact, "approach", front.approach, begin.value, begin.size,
            begin.rounding);
    compare(FindingCode::impact, back.contact, "rebound", back.rebound, end.value,
            end.size + begin.size, end.rounding + begin.rounding);
  }

  // (E711).
  void event(const StepEvent& e) const {
    if (const Moment* m = moment_at(e.t, e.contact, e.speed); m && !m->one_by_one()) {
      const Rate rate = nearest(*m, e.contact, m->before, e.speed);
      compare(FindingCode::event, e.contact, "speed of the collision", e.speed, rate.value,
              rate.size, rate.rounding);
      return;
    }
    // A face that lands flat is hit as one contact of the same bodies.
    bool any = false, known = true;
    double nearest_approach = std::numeric_limits<double>::infinity();
    for (const ImpactReport& r : report_.impacts) {
      if (r.contact.body_a != e.contact.body_a || r.contact.body_b != e.contact.body_b ||
          !same_time(segments_.front(), r.t, e.t))
        continue;
      any = true;
      if (std::abs(r.approach - e.speed) < std::abs(nearest_approach - e.speed))
        nearest_approach = r.approach;
    }
    for (const Segment& s : segments_)
      if (const auto* hybrid = std::get_if<Hybrid>(&s.scheme)) known = known && hybrid->steady;
    if (!any)
      complain_(FindingCode::event, fmt::format("no solve is of the collision of {} at {:.17g} s",
                                                name_of(e.contact), e.t));
    else if (known)
      compare(FindingCode::event, e.contact, "speed of the collision", e.speed, nearest_approach,
              std::abs(nearest_approach));
  }

  std::span<const Segment> segments_;
  std::span<const SegmentOutcome> outcomes_;
  const StepReport& report_;
  const Complain& complain_;
  std::vector<Moment> moments_;
};

}  // namespace

Vec3 motion_of_moment(const Segment& s, const Place& place, const Contact& c) {
  constexpr double window_of_step = 0x1p-11;  // for velocities of a moment [-]
  const double W = window_of_step * s.length;
  const auto at = [&](double dt) {
    std::vector<Pose> poses = place.start;
    for (std::size_t i = 0; i < poses.size(); ++i)
      if (s.model.bodies[i].kind == BodyKind::prescribed)
        poses[i] = prescribed_at(s.model.bodies[i], place.t + dt);
    return poses;
  };
  return contact_motion(s.model, c, place.start, at(W / 2), W) -
         contact_motion(s.model, c, place.start, at(-W / 2), W);
}

void compare_impacts(std::span<const Segment> segments, std::span<const SegmentOutcome> outcomes,
                     const StepReport& report, const Complain& complain) {
  if (!segments.empty()) ImpactCheck(segments, outcomes, report, complain).run();
}

}  // namespace cairn::record
