#include "record/check/rebuild/place.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numbers>

#include "record/check/check_parts.hpp"
#include "record/check/coordinates/drive_rows.hpp"
#include "record/check/rebuild/free_turn.hpp"
#include "record/check/rebuild/mechanics.hpp"

namespace cairn::record {

void Segment::say(std::size_t solve, FindingCode code, const std::string& what) const {
  complain(code, fmt::format("solve {}: {}", first_solve + static_cast<int>(solve), what));
}

Place place_of(const Segment& segment, const SolveRecord& record) {
  const Model& model = segment.model;
  const SolveOrigin& origin = record.origin;
  const Problem& problem = record.problem;
  Place place;
  place.t = origin.start.empty() ? segment.start.t : origin.t;
  place.length = origin.start.empty() ? segment.length : origin.length;
  place.v = segment.start.v;
  place.start = segment.start.poses;
  place.layout.assign(model.bodies.size(), -1);
  for (std::size_t i = 0; i < problem.bodies.size(); ++i) {
    const ProblemBody& b = problem.bodies[i];
    const auto at = static_cast<std::size_t>(b.model_body);
    place.layout[at] = static_cast<int>(i);
    if (origin.start.empty()) continue;
    place.start[at] = origin.start[i];
    place.v.segment(model.bodies[at].first_velocity, b.size) = origin.v.segment(b.first, b.size);
  }
  const auto prescribe = [&](std::vector<Pose>& poses, double t) {
    for (std::size_t i = 0; i < model.bodies.size(); ++i)
      if (model.bodies[i].kind == BodyKind::prescribed)
        poses[i] = prescribed_at(model.bodies[i], t);
  };
  if (!origin.start.empty()) prescribe(place.start, place.t);
  place.again = !origin.rows.empty();
  place.rows = place.start;
  place.t_rows = place.again ? origin.t_rows : place.t;
  if (place.again) {
    for (std::size_t i = 0; i < problem.bodies.size(); ++i)
      place.rows[static_cast<std::size_t>(problem.bodies[i].model_body)] = origin.rows[i];
    prescribe(place.rows, place.t_rows);
  }
  place.columns = place.rows;
  if (!std::holds_alternative<Trapezoidal>(segment.scheme))
    for (std::size_t i = 0; i < model.bodies.size(); ++i)
      if (model.bodies[i].velocities > 0) place.columns[i].R = place.start[i].R;
  place.contacts = origin.empty() ? std::span<const Contact>(segment.reported)
                                  : std::span<const Contact>(origin.contacts);
  place.before = origin.before.empty() ? place.contacts : std::span<const Contact>(origin.before);
  return place;
}

bool begins_with_state(const Segment& s, const Place& place) {
  for (std::size_t i = 0; i < place.start.size(); ++i)
    if (place.layout[i] >= 0 && !(place.start[i] == s.start.poses[i])) return false;
  return place.v == s.start.v && place.t == s.start.t;
}

const Contact* contact_with(std::span<const Contact> contacts, const ContactKey& key) {
  const auto before = [](const Contact& c, const ContactKey& k) { return c.key < k; };
  const auto at = std::lower_bound(contacts.begin(), contacts.end(), key, before);
  if (at != contacts.end() && at->key == key) return &*at;
  // The contacts that were hit at one moment stand in the order of the impacts; they are few.
  const auto found = std::find_if(contacts.begin(), contacts.end(),
                                  [&](const Contact& c) { return c.key == key; });
  return found == contacts.end() ? nullptr : &*found;
}

std::string row_name(const Segment& segment, const Problem& problem, std::size_t constraint) {
  return constraint_name(segment.model, problem, static_cast<int>(constraint));
}

Continuation after_solve(const Segment& s, std::size_t solve) {
  if (solve + 1 == s.solves.size()) return {s.end, s.v_end};
  const Place next = place_of(s, s.solves[solve + 1]);
  return {next.start, next.v};
}

double energy_of_closing(const Model& model, bool projects, const std::vector<Pose>& moved,
                         const std::vector<Pose>& closed) {
  if (!projects || model.joints.empty()) return 0;
  State before, after;
  before.poses = moved;
  after.poses = closed;
  double sum = 0;
  for (const Spring& spring : model.springs)
    sum += stored_energy(spring, after) - stored_energy(spring, before);
  return sum;
}

double total_energy(const Model& model, const std::vector<Pose>& poses, const VecX& v) {
  State state;
  state.poses = poses;
  state.v = v;
  const Energies e = energies(model, state);
  return e.kinetic + e.potential - coordinate_energies(model, state).turning;
}

bool says_projected(const StepReport& r) {
  return r.projection != 0 || r.projection_angle != 0 || r.contact_projections > 0;
}

double energy_of_projection(const Segment& s, const std::vector<Pose>& moved, const VecX& v,
                            const std::vector<Pose>& end, const VecX& v_end) {
  if (says_projected(s.report))
    return total_energy(s.model, end, v_end) - total_energy(s.model, moved, v);
  const auto kinetic = [&](const VecX& of) {
    State state;
    state.poses = end;
    state.v = of;
    return energies(s.model, state).kinetic - coordinate_energies(s.model, state).turning;
  };
  return kinetic(v_end) - kinetic(v);
}

bool same_poses(const Model& model, const std::vector<Pose>& a, const std::vector<Pose>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double turn = std::min((a[i].R.coeffs() - b[i].R.coeffs()).norm(),
                                 (a[i].R.coeffs() + b[i].R.coeffs()).norm());
    const double size = model.length_unit + a[i].p.norm() + b[i].p.norm();
    if (!((a[i].p - b[i].p).norm() <= 1e-12 * size) || !(turn <= 1e-12)) return false;
  }
  return true;
}

Continuation led_freely(const Segment& s, const Place& place, const VecX& v, double h) {
  Continuation end{place.start, v};
  for (std::size_t i = 0; i < end.poses.size(); ++i) {
    const Body& body = s.model.bodies[i];
    if (body.kind == BodyKind::prescribed) {
      end.poses[i] = prescribed_at(body, place.t + h);
    } else if (place.layout[i] >= 0) {
      Row6 v_end;
      end.poses[i] = moved_by(body, end.poses[i], velocities_of_body(body, v), h, &v_end);
      end.v.segment(body.first_velocity, body.velocities) = v_end.head(body.velocities);
    }
  }
  return end;
}

std::vector<Pose> led_poses(const Segment& s, const Place& place, const VecX& v, double h) {
  return led_freely(s, place, v, h).poses;
}

Continuation led_by_rule(const Segment& s, const Place& place, const VecX& after, bool limited) {
  const double h = place.length;
  const VecX mean = limited ? after : VecX(0.5 * (place.v + after));
  Continuation end{led_poses(s, place, mean, h), after};
  for (std::size_t i = 0; i < end.poses.size(); ++i) {
    const Body& body = s.model.bodies[i];
    if (place.layout[i] < 0 || body.rotation != RotationKind::three) continue;
    const int k = body.first_velocity + translations_of(body);
    const KickedTurn turn =
        kicked_turn(body, place.start[i].R, place.v.segment<3>(k), after.segment<3>(k), h, limited);
    end.poses[i].R = turn.end.R;
    end.v.segment<3>(k) = turn.end.w;
  }
  return end;
}

VecX leading_velocities(const Segment& s, const Place& place, const VecX& near) {
  VecX v = near;
  const double h = place.length;
  for (std::size_t i = 0; i < place.start.size(); ++i) {
    const Body& body = s.model.bodies[i];
    if (place.layout[i] < 0) continue;
    const Vec3 way = (place.rows[i].p - place.start[i].p) / h;
    int k = body.first_velocity;
    for (int axis = 0; axis < 3; ++axis)
      if (body.translations[static_cast<std::size_t>(axis)]) v[k++] = way[axis];
    if (body.rotation == RotationKind::none) continue;
    if (body.rotation == RotationKind::three) {
      v.segment<3>(k) =
          leading_spin(body, place.start[i].R, place.rows[i].R, near.segment<3>(k), h);
      continue;
    }
    Quat q = place.start[i].R.conjugate() * place.rows[i].R;
    if (q.w() < 0) q.coeffs() = -q.coeffs();
    const double sine = q.vec().norm();
    Vec3 turn = (sine > 0 ? 2 * std::atan2(sine, q.w()) / sine : 2) * q.vec();
    const Vec3 expected = h * near[k] * (place.start[i].R.conjugate() * body.axis_W);
    if (sine > 1e-8) {
      const Vec3 axis = turn.normalized();
      turn += axis * (2 * std::numbers::pi *
                      std::round((expected.dot(axis) - turn.norm()) / (2 * std::numbers::pi)));
    }
    v[k] = (place.start[i].R * turn).dot(body.axis_W) / h;
  }
  return v;
}

VecX solved_velocities(const Model& model, const SolveRecord& record, const VecX& other) {
  VecX v = other;
  for (const ProblemBody& b : record.problem.bodies) {
    const Body& body = model.bodies[static_cast<std::size_t>(b.model_body)];
    const UnitFactors f = unit_factors(body, record.problem.units);
    for (int k = 0; k < b.size; ++k)
      v[body.first_velocity + k] = record.solution.v[b.first + k] * f.velocity[k];
  }
  return v;
}

}  // namespace cairn::record
