// When bodies of scheme `hybrid` meet within a part of the step (E210).
#include <algorithm>
#include <cmath>

#include "collide/pairs/separating_axes.hpp"
#include "dynamics/flight.hpp"
#include "dynamics/kinematics.hpp"
#include "scheme/common/root.hpp"
#include "scheme/hybrid/hybrid_step.hpp"

namespace cairn::scheme {
namespace {

constexpr double turn_of_piece = 0.5;  // [rad]
constexpr double way_of_piece = 0.5;   // of the smaller radius [-]
constexpr int max_pieces = 64;
constexpr double brief_part = 0x1p-18;  // of the step [-]
constexpr int max_meetings = 12;  // solves that find when a body that does not fly meets another

// Of a gap: of two polyhedra, and of all other shapes, in products of 6 x 6 blocks (E314).
constexpr double work_of_depth = 120, work_of_gap = 30;

// Turning does not change where it is.
bool is_round(const Model& model, const Body& body) {
  for (int i = 0; i < body.shapes; ++i) {
    const Shape& shape = model.shapes[static_cast<std::size_t>(body.first_shape + i)];
    const bool ball = std::holds_alternative<Sphere>(shape.geometry) ||
                      std::holds_alternative<Disc>(shape.geometry);
    if (!ball || shape.X_CS.p != Vec3::Zero()) return false;
  }
  return true;
}

}  // namespace

// The body after tau of a part of the given length, among the trial poses.
void HybridStep::place(BodyId id, double tau, double length) {
  const std::size_t i = index(id);
  const Body& body = model.bodies[i];
  if (body.kind == BodyKind::prescribed) {
    d.trial[i] = dynamics::prescribed_pose(body, d.now.t + tau);
  } else if (body.velocities > 0 && d.marks.flies[i]) {
    d.trial[i] = dynamics::fly(body, model.gravity, d.now.poses[i],
                               d.now.v.data() + body.first_velocity, tau, nullptr);
  } else if (body.velocities > 0) {
    d.trial[i] = tau >= length
                     ? part->poses()[i]
                     : dynamics::drift(body, d.now.poses[i], part->v().data() + body.first_velocity,
                                       tau, nullptr);
    if (d.marks.falls[i] && tau < length) d.trial[i].p += drop(model, body, tau, length);
  }
}

double HybridStep::gap_at(const Watch& watch, double tau, double length) {
  book(watch.polyhedra ? work_of_depth : work_of_gap);
  place(watch.key.body_a, tau, length);
  place(watch.key.body_b, tau, length);
  if (!watch.polyhedra) {
    Contact c;
    return data.active.finder.find_one(model, d.trial, watch.key, c) ? c.gap : never;
  }
  auto placed = [&](ShapeId id) {
    const Shape& shape = model.shapes[index(id)];
    return collide::Placed(model.polyhedra[static_cast<std::size_t>(shape.polyhedron)],
                           d.trial[index(shape.body)] * shape.X_CS);
  };
  return collide::overlap_or_gap(placed(watch.key.shape_a), placed(watch.key.shape_b), 0, d.basis);
}

// Pieces of the part in which the gap has at most one dip.
int HybridStep::pieces(const Watch& watch, double length) const {
  double turn = 0, way = 0;
  for (const BodyId id : {watch.key.body_a, watch.key.body_b}) {
    const Body& body = model.body(id);
    if (body.velocities == 0) {
      way += (part->poses()[index(id)].p - d.now.poses[index(id)].p).norm();
      turn += d.now.poses[index(id)].R.angularDistance(part->poses()[index(id)].R);
      continue;
    }
    const double* v = d.now.v.data() + body.first_velocity;
    way += length *
           std::max(dynamics::linear_velocity(body, v).norm(),
                    dynamics::linear_velocity(body, part->v().data() + body.first_velocity).norm());
    if (!is_round(model, body))
      turn += length * dynamics::angular_velocity(body, d.now.poses[index(id)], v).norm();
  }
  const double radius = model.smaller_radius(watch.key.body_a, watch.key.body_b);
  const double count = std::max(turn / turn_of_piece, way / (way_of_piece * radius));
  return count < max_pieces ? std::max(1, static_cast<int>(std::ceil(count))) : max_pieces;
}

// The first zero between two times, the gap at the earlier one not being negative beyond rounding.
double HybridStep::crossing(const Watch& watch, double lo, double gap_lo, double hi, double gap_hi,
                            double length) {
  const double floor = std::min(0.0, watch.gap);  // (E1000)
  auto gap = [&](double tau) { return gap_at(watch, tau, length) - floor; };
  gap_lo -= floor;
  gap_hi -= floor;
  if (gap_hi >= 0) {
    // Open at both ends: closed in between where the cubic of gaps and rates dips below zero.
    const double small = (hi - lo) * 0x1p-12;
    if (!(gap_lo > 0)) return never;
    const double rate_lo = (gap(lo + small) - gap_lo) / small,
                 rate_hi = (gap_hi - gap(hi - small)) / small;
    if (!(rate_lo < 0 && rate_hi > 0)) return never;
    const double slope = (gap_hi - gap_lo) / (hi - lo);
    const double a = 3 * (rate_lo + rate_hi - 2 * slope),
                 b = 2 * (3 * slope - 2 * rate_lo - rate_hi), root = b * b - 4 * a * rate_lo;
    if (root < 0) return never;
    const double dip = lo + (hi - lo) * (2 * -rate_lo) / (b + std::sqrt(root));
    if (!(dip > lo && dip < hi)) return never;
    hi = dip;
    gap_hi = gap(dip);
    if (gap_hi >= 0) return never;
  }
  // A contact that opens from zero closes at the later of its two roots.
  double from = lo, gap_from = gap_lo;
  for (int i = 0; i < 60 && !(gap_from > 0); ++i) {
    from = lo + (hi - lo) * std::ldexp(1.0, -1 - i);
    gap_from = gap(from);
  }
  if (!(gap_from > 0)) return gap_hi < gap_lo ? lo : never;
  return brent_root(from, gap_from, hi, gap_hi, 0, gap);
}

double HybridStep::collision_time(const Watch& watch, double length) {
  const int count = pieces(watch, length);
  double lo = 0, gap_lo = watch.gap;
  for (int i = 1; i <= count; ++i) {
    const double hi = i == count ? length : length * i / count;
    const double gap_hi = gap_at(watch, hi, length);
    if (gap_hi == never) return never;
    const double tau = crossing(watch, lo, gap_lo, hi, gap_hi, length);
    if (tau < never) return tau;
    lo = hi;
    gap_lo = gap_hi;
  }
  return never;
}

// The earliest collision of a contact that is not steady. Pairs that overlap at the end although
// they were no candidates are watched as well.
double HybridStep::first_collision(double length) {
  d.trial = d.now.poses;
  d.watched.clear();
  auto watch = [&](const Contact& c) {
    Watch w{c.key, polyhedra(c.key), c.gap};
    if (is_steady(c.key)) return;
    if (!w.polyhedra) return d.watched.push_back(w);
    const bool known = !d.watched.empty() && d.watched.back().key.shape_a == c.key.shape_a &&
                       d.watched.back().key.shape_b == c.key.shape_b;
    if (known) return;
    w.gap = gap_at(w, 0, length);
    d.watched.push_back(w);
  };
  for (const Contact& c : d.candidates) watch(c);
  const auto candidates = static_cast<std::ptrdiff_t>(d.watched.size());
  d.deepest = find_overlaps(model, part->poses(), data.active);
  auto by_key = [](const Watch& a, const Watch& b) { return a.key < b.key; };
  for (const Contact& end : data.active.at_end) {
    const bool pair = end.key.feature == collide::ContactFinder::along_axis;
    const bool known =
        std::any_of(d.watched.begin(), d.watched.begin() + candidates, [&](const Watch& w) {
          return pair ? w.key.shape_a == end.key.shape_a && w.key.shape_b == end.key.shape_b
                      : w.key == end.key;
        });
    if (known || is_steady(end.key)) continue;
    Contact start;
    if (pair)
      start = end;
    else if (!data.active.finder.find_one(model, d.now.poses, end.key, start))
      continue;
    watch(start);
    ++report.added_pairs;
  }
  std::sort(d.watched.begin(), d.watched.end(), by_key);
  double first = never;
  d.due.clear();
  for (const Watch& w : d.watched) {
    const double tau = collision_time(w, length);
    if (!(tau <= first)) continue;
    if (tau < first) d.due.clear();
    first = tau;
    d.due.push_back(w.key);
  }
  return first;
}

// (E480): contacts that touch and open, and that the solve of the part closes at once, take part in
// it. True: there are such contacts, and the part is taken again.
bool HybridStep::hold_closed(double tau) {
  if (!options.steady || tau >= brief_part * h) return false;
  bool held = false;
  for (const Watch& w : d.watched) {
    const bool due = std::find(d.due.begin(), d.due.end(), w.key) != d.due.end();
    if (!due || is_steady(w.key) || !touches(w.gap)) continue;
    make_steady(w.key);
    held = true;
  }
  return held;
}

// Bodies that do not fly move by a solve whose length is part of the answer: solved again until
// they meet at its end.
double HybridStep::meet(double tau, double left) {
  const bool held = std::any_of(d.due.begin(), d.due.end(), [&](const ContactKey& key) {
    auto solved = [&](BodyId id) {
      return model.body(id).velocities > 0 && !d.marks.flies[index(id)];
    };
    return solved(key.body_a) || solved(key.body_b);
  });
  if (tau < brief_part * h) {
    // Too short to tell the forces from the rounding of velocities: nothing is held meanwhile.
    d.brief = true;
    d.held.clear();
    for (std::size_t i = 0; i < model.bodies.size(); ++i)
      d.marks.flies[i] = model.bodies[i].velocities > 0 && !d.marks.bound[i] ? 1 : 0;
    take_part(tau);
    return tau;
  }
  take_part(tau);
  for (int i = 0; held && i < max_meetings && stopped.empty(); ++i) {
    // The gap at the end of this part, and how fast it closes there, give the next length.
    d.trial = d.now.poses;
    double next = never;
    for (const Watch& w : d.watched) {
      if (std::find(d.due.begin(), d.due.end(), w.key) == d.due.end()) continue;
      const double small = tau * 0x1p-12;
      const double rate = (gap_at(w, tau - small, tau) - gap_at(w, tau - 2 * small, tau)) / small;
      const double end = gap_at(w, tau, tau) - std::min(0.0, w.gap);
      if (rate < 0) next = std::min(next, tau - end / rate);
    }
    if (next == never) break;
    next = std::min(std::clamp(next, 0.5 * tau, 2 * tau), left);
    if (std::abs(next - tau) <= 0x1p-46 * tau) break;
    tau = next;
    take_part(tau);
  }
  return tau;
}

}  // namespace cairn::scheme
