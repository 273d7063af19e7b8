// Son, Trinkle and Amato 2004, section 5 and Figure 4: a ball thrown along a floor, with Mirtich's
// impulses alone and with the hybrid scheme; what the figure shows, and the closed forms behind it.
#include <cmath>
#include <fmt/format.h>

#include "cairn/simulator.hpp"
#include "reproduce/experiment.hpp"

namespace cairn::reproduce {
namespace {

constexpr double ball_gravity = 9.81, mu = 0.1, v0 = 7, threshold = 0.05;
constexpr double landing = 4.4294469180700204;  // sqrt(2 gravity), from 1 m

struct BallOutcome {
  page::Curve height, impulse;
  double worst_apex = 0;         // largest error of the heights e^2, e^4, ... [m]
  double steady = 0, rolls = 0;  // when the contact becomes steady, when it rolls [s]
  double speed = 0, spin = 0;    // at the end
  double stops = 0;              // when it does not move any more [s]
  double late = 0;               // highest in the last second [m]
  int bounces = 0, late_collisions = 0;
  int uncertified = 0;
};

BallOutcome run_ball(double e, bool hybrid, double duration, double rolling = 0) {
  const Scene s = built_in_scene(
      "son_ball", {fmt::format("materials.default.restitution={}", e),
                   fmt::format("materials.default.friction={}", mu),
                   fmt::format("materials.default.rolling_friction={}", rolling),
                   fmt::format("simulation.scheme.steady={}", hybrid),
                   fmt::format("simulation.scheme.switch_speed={}", hybrid ? threshold : -1)});
  const double h = s.simulation.step;
  Simulator sim(s.model, *s.initial, s.simulation.scheme, s.simulation.solver, fixed_step);
  const BodyId ball = s.model->find_body("ball").value();
  BallOutcome out;
  out.height.label = out.impulse.label = fmt::format("e = {}", e);
  const auto steps = std::llround(duration / h);
  for (long long i = 0; i < steps; ++i) {
    const StepReport& report = sim.step(h);
    const BodyMotion m = body_motion(*s.model, sim.state(), ball);
    const double z = m.position.z() - 0.5, t = sim.state().t;
    const bool last = i >= steps - std::llround(1 / h);
    double impulse = 0;
    for (const ContactReport& c : report.contacts) impulse += c.impulse[0];
    for (const StepEvent& event : report.events) {
      if (event.kind == StepEvent::Kind::collision) ++out.bounces, out.late_collisions += last;
      if (event.kind == StepEvent::Kind::steady) out.steady = event.t;
    }
    if (report.events.empty() && out.steady == 0 && std::pow(e, out.bounces) * landing > threshold)
      out.worst_apex = std::max(out.worst_apex,
                                std::abs(z + m.velocity.z() * m.velocity.z() / (2 * ball_gravity) -
                                         std::pow(e, 2 * out.bounces)));
    if (out.rolls == 0 && std::abs(m.velocity.x() - 0.5 * m.angular_velocity.y()) < 1e-12 * v0)
      out.rolls = t;
    if (last) out.late = std::max(out.late, z);
    out.uncertified += report.failed() || !report.verdict.solve.ok ? 1 : 0;
    out.height.points.emplace_back(t, std::max(0.0, z));
    out.impulse.points.emplace_back(t, impulse);
    if (m.velocity.norm() > 1e-12 * v0) out.stops = t + h;
    out.speed = m.velocity.x();
    out.spin = m.angular_velocity.y();
  }
  return out;
}

// When the closed forms say that the ball is steady, and that it rolls.
struct ClosedForm {
  double steady = landing / ball_gravity, rolls = 0;
  explicit ClosedForm(double e) {
    double taken = 0;  // speed that friction has taken; it rolls when that is 2/7 v0
    double approach = landing;
    for (;; approach *= e) {
      const bool bounces = e * approach > threshold;
      taken += mu * (bounces ? 1 + e : 1) * approach;
      if (rolls == 0 && taken >= 2 * v0 / 7) rolls = steady;
      if (!bounces) break;
      steady += 2 * e * approach / ball_gravity;
    }
    if (rolls == 0) rolls = steady + (2 * v0 / 7 - taken) / (mu * ball_gravity);
  }
};

// (E264): with rolling friction.
void add_rolling(Reproduction& r) {
  const double rho = 0.02, radius = 0.5, e = 0.5, early = 6;
  const BallOutcome rolls = run_ball(e, true, early, rho), rests = run_ball(e, true, 20, rho);
  r.closed_form("(v0 - rho g t / r) / 1.4, E264", "rolling friction 0.02 m: speed after 6 s [m/s]",
                (v0 - rho * ball_gravity * early / radius) / 1.4, rolls.speed, 1e-9, 0);
  r.closed_form("r v0 / (rho g), E264", "rolling friction 0.02 m: rests from [s]",
                radius * v0 / (rho * ball_gravity), rests.stops, 0.011, 0);
  r.at_most("rolling friction 0.02 m: final speed [m/s]", 1e-12, std::abs(rests.speed), 0);
  r.at_most("rolling friction 0.02 m: steps not certified", 0, rests.uncertified, 0);
}

}  // namespace

Reproduction son_ball(const ReproduceSetting& setting) {
  Reproduction r;
  std::vector<page::Curve> heights[2], impulses[2];
  for (const double e : {0.9, 0.7, 0.5, 0.3, 0.1}) {
    if (setting.stopped()) return r;
    const double duration = 11;
    const BallOutcome mirtich = run_ball(e, false, duration), hybrid = run_ball(e, true, duration);
    const ClosedForm exact(e);
    auto label = [&](const char* what) { return fmt::format("{}, e = {}", what, e); };
    r.closed_form("e^2, e^4, ...", label("heights e^2, e^4, ... : largest error [m]"), 0,
                  hybrid.worst_apex, 1e-9, 0);
    r.closed_form("sum of the flights", label("contact becomes steady [s]"), exact.steady,
                  hybrid.steady, 1e-9, 0);
    r.closed_form("friction takes 2/7 v0", label("rolls from [s]"), exact.rolls, hybrid.rolls, 0.03,
                  0);
    r.closed_form("5/7 v0", label("final speed [m/s]"), 5 * v0 / 7, hybrid.speed, 1e-9, 0);
    r.closed_form("5/7 v0 / r", label("final spin [rad/s]"), 10 * v0 / 7, hybrid.spin, 1e-9, 0);
    r.at_most(label("hybrid: impacts in the last second"), 0, hybrid.late_collisions, 0);
    r.at_least(label("Mirtich alone: impacts in the last second"), 1, mirtich.late_collisions, 0);
    r.at_most(label("steps not certified, both"), 0, hybrid.uncertified + mirtich.uncertified, 0);
    for (const bool both : {false, true}) {
      heights[both].push_back((both ? hybrid : mirtich).height);
      impulses[both].push_back((both ? hybrid : mirtich).impulse);
    }
  }
  add_rolling(r);
  for (const bool hybrid : {false, true}) {
    const char* part = hybrid ? "b" : "a";
    const char* method = hybrid ? "hybrid" : "Mirtich alone";
    r.draw(fmt::format("son-ball-4{}-height.svg", part),
           {.title = fmt::format("Height of the ball, {}", method), .y = "[m]"}, heights[hybrid]);
    r.draw(fmt::format("son-ball-4{}-impulse.svg", part),
           {.title = fmt::format("Normal impulse per step, {}", method), .y = "[N s]"},
           impulses[hybrid]);
  }
  r.play("The ball, e = 0.7", "son_ball", {"materials.default.restitution=0.7"}, 5);
  r.notes.push_back(
      "The paper draws Figure 4 and prints no figures; those above are closed forms. Mass 1 kg, "
      "radius 0.5 m, mu 0.1, bottom 1 m above the floor, 7 m/s, h = 0.01 s, threshold 0.05 m/s. "
      "Mirtich's method alone cannot rest: micro-collisions at h times gravity keep the ball "
      "bouncing by 0.5 mm.");
  return r;
}

}  // namespace cairn::reproduce
