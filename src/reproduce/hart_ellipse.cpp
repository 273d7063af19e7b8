// Anitescu and Hart 2004: an elliptic body with semi-axes 8 and 4 and an angular velocity of 3 is
// dropped on a table; its infeasibility with and without stabilisation.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "cairn/simulator.hpp"
#include "reproduce/experiment.hpp"

namespace cairn::reproduce {
namespace {

struct EllipseCourse {
  double max = 0;    // penetration [m]
  double first = 0;  // end of the step with the first impulse [s]
  double rate = 0;   // of the gap before it [m/s]
  int uncertified = 0;
  page::Curve curve;
};

// Height of the ellipse's lowest point and its rate.
std::pair<double, double> gap(const BodyMotion& m) {
  const Mat3 R = m.orientation.toRotationMatrix();
  const double a = 8 * R(1, 0), b = 4 * R(1, 1), h = std::hypot(a, b);
  // d h / d phi with a' = 8 cos, b' = -4 sin of the same angle
  const double turned = (a * 8 * R(0, 0) + b * 4 * R(0, 1)) / h;
  return {m.position.y() - h, m.velocity.y() - turned * m.angular_velocity.z()};
}

EllipseCourse run_ellipse(const char* label, double h, double duration, int gamma) {
  const Scene s = built_in_scene("ellipse", {fmt::format("simulation.scheme.gamma={}", gamma)});
  Simulator sim(s.model, *s.initial, s.simulation.scheme, s.simulation.solver, fixed_step);
  const BodyId body = s.model->find_body("ellipse").value();
  EllipseCourse c;
  c.curve.label = label;
  for (long long i = 0; i < std::llround(duration / h); ++i) {
    const double rate = gap(body_motion(*s.model, sim.state(), body)).second;
    const StepReport& report = sim.step(h);
    c.uncertified += report.failed() || !report.verdict.solve.ok;
    c.max = std::max(c.max, report.penetration);
    if (c.first == 0 && report.active_contacts > 0) {
      c.first = report.t;
      c.rate = rate;
    }
    if (report.penetration > 1e-7) c.curve.points.emplace_back(report.t, report.penetration);
  }
  return c;
}

}  // namespace

Reproduction hart_ellipse(const ReproduceSetting& setting) {
  Reproduction r;
  const EllipseCourse original = run_ellipse("gamma = 0", 0.05, 20, 0),
                      corrected = run_ellipse("gamma = 1", 0.05, 20, 1);
  // The paper draws both curves; the numbers are of a computation of our own.
  r.at_most("penetration, stabilised, h = 0.05 [m]", 0.04, corrected.max, 0.01,
            "independent program");
  r.reference("independent program", "penetration, unstabilised, h = 0.05, 20 s [m]", 0.9,
              original.max, 0.05, 0.3);
  r.at_most("steps that were not certified", 0, original.uncertified + corrected.uncertified, 0);
  // The instant of the impact from the equations of the free fall; a step finds it to its length,
  // and the rate changes by its derivative, some 40 m/s^2, times that.
  const double h = setting.fast ? 1e-3 : 1e-4;
  const EllipseCourse fine = run_ellipse("", h, 0.4, 1);
  r.closed_form("root of the free flight", fmt::format("first contact, h = {} [s]", h), 0.365248713,
                fine.first, 2 * h, 20 * h);
  r.closed_form("root of the free flight",
                fmt::format("rate of the gap at first contact, h = {} [m/s]", h), -11.556542932,
                fine.rate, 80 * h, 800 * h);
  r.draw("hart-ellipse.svg",
         {.title = "Ellipse on a table, h = 0.05", .y = "penetration [m]", .log_y = true},
         {original.curve, corrected.curve});
  r.play("The elliptic body", "ellipse", {}, 20);
  return r;
}

}  // namespace cairn::reproduce
