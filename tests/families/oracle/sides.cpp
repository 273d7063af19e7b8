// Crossings of plates, blades and bodies between two states.
#include "families/oracle/sides.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "families/limits.hpp"

namespace cairn::families {
namespace {

// Times at which the poses of both bodies are known, and samples between them.
std::vector<double> instants(const Path& a, const Path& b, int samples) {
  std::vector<double> times;
  for (const Path* path : {&a, &b})
    for (const Path::Node& node : path->nodes) times.push_back(node.t);
  const double t0 = a.nodes.front().t, t1 = a.nodes.back().t;
  for (int k = 1; k < samples; ++k) times.push_back(t0 + (t1 - t0) * k / samples);
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  return times;
}

// From one point to another in the frame of a plate; `beyond` is what a path may deviate sideways.
Crossing crossing(const Vec3& q0, const Vec3& q1, const PlateSides& plate, double beyond) {
  if (q0.z() * q1.z() >= 0) return Crossing::none;
  const Vec3 c = q0 + (q1 - q0) * (q0.z() / (q0.z() - q1.z()));
  const double sideways = std::hypot(q1.x() - q0.x(), q1.y() - q0.y());
  const double inside = std::min(plate.half_x - std::abs(c.x()), plate.half_y - std::abs(c.y()));
  return inside > sideways + beyond ? Crossing::through : Crossing::unclear;
}

}  // namespace

Crossing PlateSides::judge(const Moment& m) const {
  const std::size_t i = m.world.body(plate), j = m.world.body(body);
  const Path a = path_of(m.world, i, m.before, m.after, m.report);
  const Path b = path_of(m.world, j, m.before, m.after, m.report);
  constexpr double small_turn = 0.1;  // between samples [rad]
  const double turned = a.turned();
  const bool follow = a.prescribed || (exact_paths && m.known_path);
  const int samples = !follow ? 1 : a.prescribed ? 256 : 1 + static_cast<int>(turned / small_turn);
  const auto in_plate = [&](double t) -> Vec3 {
    return m.world.frame(i, a.at(t)).inverse() * b.at(t).p;
  };
  const std::vector<double> times = instants(a, b, samples);
  Crossing worst = Crossing::none;
  for (std::size_t k = 1; k < times.size(); ++k)
    worst = std::max(worst, crossing(in_plate(times[k - 1]), in_plate(times[k]), *this,
                                     margin < 0 ? m.world.outer[j] : margin));
  // A plate that turns far between states that are all one knows of it.
  if (worst == Crossing::through && !follow && turned > 5 * small_turn) worst = Crossing::unclear;
  return worst;
}

Crossing BladeSides::judge(const Moment& m) const {
  using std::numbers::pi;
  const std::size_t i = m.world.body(blade), j = m.world.body(body);
  const Path a = path_of(m.world, i, m.before, m.after, m.report);
  const Path b = path_of(m.world, j, m.before, m.after, m.report);
  const TimeFunction& angle = a.prescribed->motion->angle;
  const double size = m.world.outer[j];
  Crossing worst = Crossing::none;
  for (std::size_t k = 1; k < b.nodes.size(); ++k) {
    const double t0 = b.nodes[k - 1].t, t1 = b.nodes[k].t;
    const Pose hub = m.world.frame(i, a.at(t0));
    const Vec3 q0 = hub.inverse() * b.nodes[k - 1].X_WC.p, q1 = hub.inverse() * b.nodes[k].X_WC.p;
    const double r0 = std::hypot(q0.x(), q0.z()), r1 = std::hypot(q1.x(), q1.z());
    const double turned =
        std::atan2(q0.x() * -q1.z() + q0.z() * q1.x(), q0.x() * q1.x() + q0.z() * q1.z());
    // Of two arms, at polar angles 0 and pi.
    const double start = std::fmod(std::atan2(-q0.z(), q0.x()) + 2 * pi, pi);
    const double end = start + turned - (angle(t1) - angle(t0));
    if (end > 0 && end < pi) continue;
    const bool inside = std::max(r0, r1) < half_x - size &&
                        std::max(std::abs(q0.y()), std::abs(q1.y())) < half_y - size;
    const bool round_the_hub = (q1 - q0).norm() >= std::min(r0, r1);
    worst = std::max(worst, inside && !round_the_hub ? Crossing::through : Crossing::unclear);
  }
  return worst;
}

Crossing BallsApart::judge(const Moment& m) const {
  const std::size_t i = m.world.body(a), j = m.world.body(b);
  const Path path_a = path_of(m.world, i, m.before, m.after, m.report);
  const Path path_b = path_of(m.world, j, m.before, m.after, m.report);
  const double both = m.world.inner_ball(i) + m.world.inner_ball(j);
  const std::vector<double> times = instants(path_a, path_b, 1);
  for (std::size_t k = 1; k < times.size(); ++k) {
    const Vec3 d0 = path_b.at(times[k - 1]).p - path_a.at(times[k - 1]).p;
    const Vec3 d1 = path_b.at(times[k]).p - path_a.at(times[k]).p;
    const Vec3 e = d1 - d0;
    const double tau =
        e.squaredNorm() > 0 ? std::clamp(-d0.dot(e) / e.squaredNorm(), 0.0, 1.0) : 0.0;
    if ((d0 + tau * e).norm() < both * (1 - 2 * overlap_limit)) return Crossing::through;
  }
  return Crossing::none;
}

void note(Crossing crossing, Outcome& out) {
  out.passed = out.passed || crossing == Crossing::through;
  out.unclear = out.unclear || crossing == Crossing::unclear;
}

}  // namespace cairn::families
