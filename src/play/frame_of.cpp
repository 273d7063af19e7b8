// Reads reports and states, writes frames.
#include "play/frame_of.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "simulate/step_motion.hpp"

namespace cairn::play {
namespace {

std::array<double, 3> triple(const Vec3& v) {
  return {v[0], v[1], v[2]};
}

// Beyond the range of float there is nothing to see.
float narrow(double x) {
  constexpr double most = std::numeric_limits<float>::max();
  return static_cast<float>(std::clamp(std::isnan(x) ? 0 : x, -most, most));
}
std::array<float, 3> narrow(const Vec3& v) {
  return {narrow(v[0]), narrow(v[1]), narrow(v[2])};
}

// It carries a force, and a forged trace has put no infinity into it.
bool can_be_shown(const ContactReport& r, const Vec3& impulse) {
  return !is_limit(r.contact.key) && impulse != Vec3::Zero() && impulse.allFinite() &&
         r.contact.p_WC.allFinite() && r.contact.n_W.allFinite() && r.contact.t1_W.allFinite() &&
         r.contact.t2_W.allFinite();
}

ClipContact contact(const ContactReport& report, const Vec3& l, ForceKind kind, double h) {
  const Contact& c = report.contact;
  const Vec3 force = (c.n_W * l[0] + c.t1_W * l[1] + c.t2_W * l[2]) / h;
  return {.body_a = static_cast<std::int32_t>(c.key.body_a),
          .body_b = static_cast<std::int32_t>(c.key.body_b),
          .mode = report.mode,
          .colliding = report.colliding,
          .kind = kind,
          .point = triple(c.p_WC),
          .normal = narrow(c.n_W),
          .force = narrow(force)};
}

}  // namespace

std::array<double, ClipFigures::count> ClipFigures::list() const {
  return {kinetic,  potential,    penetration,   joint_error,   joint_angle, certificate,
          coulomb,  candidates,   active,        collisions,    guard,       events,
          rejected, failed_solve, failed_motion, failed_energy, divided,     stopped,
          overlap,  cpu_ms,       impacts,       impact_loss,   impact_gain};
}

const std::array<const char*, ClipFigures::count>& ClipFigures::names() {
  static constexpr std::array<const char*, count> all = {
      "kinetic",  "potential",    "penetration",   "joint_error",   "joint_angle", "certificate",
      "coulomb",  "candidates",   "active",        "collisions",    "guard",       "events",
      "rejected", "failed_solve", "failed_motion", "failed_energy", "divided",     "stopped",
      "overlap",  "cpu_ms",       "impacts",       "impact_loss",   "impact_gain"};
  return all;
}

ClipFigures join(const ClipFigures& older, const ClipFigures& newer) {
  ClipFigures all = newer;
  all.penetration = std::max(older.penetration, newer.penetration);
  all.joint_error = std::max(older.joint_error, newer.joint_error);
  all.joint_angle = std::max(older.joint_angle, newer.joint_angle);
  all.certificate = std::max(older.certificate, newer.certificate);
  all.coulomb = std::max(older.coulomb, newer.coulomb);
  all.collisions += older.collisions;
  all.guard += older.guard;
  all.events += older.events;
  all.rejected += older.rejected;
  all.failed_solve += older.failed_solve;
  all.failed_motion += older.failed_motion;
  all.failed_energy += older.failed_energy;
  all.divided += older.divided;
  all.overlap = std::max(older.overlap, newer.overlap);
  all.stopped += older.stopped;
  all.cpu_ms += older.cpu_ms;
  all.impacts += older.impacts;
  all.impact_loss += older.impact_loss;
  all.impact_gain += older.impact_gain;
  return all;
}

ClipFigures figures_of(const StepReport& r) {
  const bool stopped = r.failed();
  const auto events = std::count_if(r.events.begin(), r.events.end(), [](const StepEvent& event) {
    return event.kind != StepEvent::Kind::collision;
  });
  // A report without a verdict of its own has that of its status.
  const bool unjudged = r.status == StepStatus::uncertified && r.verdict.accepted();
  double loss = 0, gain = 0;
  for (const ImpactReport& impact : r.impacts) {
    loss += impact.lost_restitution + impact.lost_friction;
    gain += impact.put_in;
  }
  return {.kinetic = r.ledger.kinetic_end,
          .potential = r.ledger.potential_end,
          .penetration = r.penetration,
          .joint_error = r.joint_error,
          .joint_angle = r.joint_error_angle,
          .certificate = r.certificate,
          .coulomb = r.coulomb_residual,
          .candidates = static_cast<double>(r.contacts.size()),
          .active = static_cast<double>(r.active_contacts),
          .collisions = static_cast<double>(r.collisions),
          .guard = static_cast<double>(r.guard_corrections),
          .events = static_cast<double>(events),
          .rejected = r.accepted() ? 0.0 : 1.0,
          .failed_solve = !stopped && (!r.verdict.solve.ok || unjudged) ? 1.0 : 0.0,
          .failed_motion = !stopped && !r.verdict.motion.ok ? 1.0 : 0.0,
          .failed_energy = !stopped && !r.verdict.energy.ok ? 1.0 : 0.0,
          .divided = r.verdict.parts > 1 ? 1.0 : 0.0,
          .stopped = stopped ? 1.0 : 0.0,
          .overlap = r.verdict.overlap,
          .cpu_ms = 1000 * r.seconds.total,
          .impacts = static_cast<double>(r.impacts.size()),
          .impact_loss = loss,
          .impact_gain = gain};
}

std::vector<BodyId> moving_bodies(const Model& model) {
  std::vector<BodyId> moving;
  for (std::size_t i = 0; i < model.bodies.size(); ++i)
    if (model.bodies[i].kind != BodyKind::fixed) moving.push_back(static_cast<BodyId>(i));
  return moving;
}

void fill_bodies(const Model& model, const State& state, double h, std::span<const BodyId> moving,
                 std::vector<Pose>& before, ClipFrame& frame) {
  frame.t = state.t;
  frame.step = state.step;
  frame.bodies.resize(moving.size());
  if (before.empty()) before = state.poses;
  for (std::size_t i = 0; i < moving.size(); ++i) {
    const BodyMotion m =
        simulate::step_motion(model, state, moving[i], before[index(moving[i])], h);
    const Quat& R = m.orientation;
    frame.bodies[i] = {.position = triple(m.position),
                       .orientation = {narrow(R.w()), narrow(R.x()), narrow(R.y()), narrow(R.z())},
                       .velocity = narrow(m.velocity),
                       .angular_velocity = narrow(m.angular_velocity)};
  }
  before = state.poses;
}

std::int64_t take_contacts(const StepReport& report, const ShownForces& forces, std::size_t limit,
                           std::vector<std::int32_t>& order, std::vector<ClipContact>& contacts) {
  contacts.clear();
  if (report.failed() || !(report.h > 0)) return 0;
  order.clear();
  for (std::size_t i = 0; i < report.contacts.size(); ++i)
    if (can_be_shown(report.contacts[i], forces.impulse(report, i)))
      order.push_back(static_cast<std::int32_t>(i));
  const auto impulse = [&](std::int32_t i) -> const Vec3& {
    return forces.impulse(report, static_cast<std::size_t>(i));
  };
  std::int64_t left_out = 0;
  if (order.size() > limit) {
    const auto stronger = [&](std::int32_t i, std::int32_t k) {
      const double x = impulse(i).squaredNorm(), y = impulse(k).squaredNorm();
      return x > y || (x == y && i < k);
    };
    left_out = static_cast<std::int64_t>(order.size() - limit);
    std::nth_element(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(limit), order.end(),
                     stronger);
    order.resize(limit);
    std::sort(order.begin(), order.end());
  }
  for (const std::int32_t i : order) {
    const auto at = static_cast<std::size_t>(i);
    contacts.push_back(contact(report.contacts[at], impulse(i), forces.kind(at), report.h));
  }
  return left_out;
}

}  // namespace cairn::play
