// Anitescu 2003, section II: the stiff limits of penalty schemes. For a fixed step and gamma to
// infinity the linearly implicit one tends to the linearised complementarity scheme (2.9), the
// fully implicit one to the nonlinear scheme (2.6); for curved gaps these differ.
#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

#include "cairn/simulator.hpp"
#include "reproduce/experiment.hpp"

namespace cairn::reproduce {
namespace {

constexpr const char* overlap_order = "-1/b, overlap (F/gamma)^(1/b)";
constexpr const char* own_limit = "each form has its own limit, 000, II";

struct PenaltyCourse {
  std::vector<Vec3> positions;  // of all bodies, step by step [m]
  int uncertified = 0;
  bool stopped = false;
  double fastest_up = 0;  // of the first body in the order of names that moves [m/s]
};

PenaltyCourse run_penalty(const char* name, const std::vector<std::string>& assignments) {
  const Scene s = built_in_scene(name, assignments);
  Simulator sim(s.model, *s.initial, s.simulation.scheme, s.simulation.solver, fixed_step);
  PenaltyCourse course;
  const Vec3 up = -s.model->gravity.normalized();
  for (long long i = 0; i < std::llround(s.simulation.duration / s.simulation.step); ++i) {
    const StepReport& report = sim.step(s.simulation.step);
    course.uncertified += report.failed() || !report.verdict.solve.ok;
    course.stopped = report.failed();
    if (course.stopped) break;
    for (const Pose& pose : sim.state().poses) course.positions.push_back(pose.p);
    for (std::size_t b = 0; b < s.model->bodies.size(); ++b)
      if (s.model->bodies[b].velocities > 0)
        course.fastest_up =
            std::max(course.fastest_up,
                     up.dot(body_motion(*s.model, sim.state(), static_cast<BodyId>(b)).velocity));
  }
  return course;
}

// Largest distance between the same bodies at the same times [m].
double distance(const PenaltyCourse& a, const PenaltyCourse& b) {
  double largest = 0;
  for (std::size_t i = 0; i < std::min(a.positions.size(), b.positions.size()); ++i)
    largest = std::max(largest, (a.positions[i] - b.positions[i]).norm());
  return largest;
}

std::vector<std::string> penalty(const char* form, double gamma) {
  return {fmt::format(R"(simulation.scheme={{"type": "penalty", "form": "{}", "gamma": {}}})", form,
                      gamma)};
}

std::vector<std::string> limit(bool nonlinear) {
  return {fmt::format(
      R"(simulation.scheme={{"type": "euler", "nonlinear": {}, "separation_speed": 1e9}})",
      nonlinear)};
}

// One scene under both implicit forms against both limits.
void study(const char* scene, const char* title, bool curved, std::span<const double> gammas,
           const ReproduceSetting& setting, Reproduction& r) {
  const PenaltyCourse linear = run_penalty(scene, limit(false)),
                      nonlinear = run_penalty(scene, limit(true));
  const double apart = distance(linear, nonlinear);
  std::array<page::Curve, 4> curves;
  const std::array labels = {"2.8 to 2.9", "2.4 to 2.6", "2.8 to 2.6", "2.4 to 2.9"};
  std::array<std::vector<double>, 4> distances;
  int uncertified = linear.uncertified + nonlinear.uncertified;
  for (const double gamma : gammas) {
    if (setting.stopped()) return;
    const PenaltyCourse a = run_penalty(scene, penalty("linearly_implicit", gamma)),
                        b = run_penalty(scene, penalty("implicit", gamma));
    uncertified += a.uncertified + b.uncertified;
    const std::array<double, 4> found = {distance(a, linear), distance(b, nonlinear),
                                         distance(a, nonlinear), distance(b, linear)};
    for (std::size_t k = 0; k < 4; ++k) {
      curves[k].label = labels[k];
      curves[k].points.emplace_back(gamma, found[k]);
      distances[k].push_back(found[k]);
    }
  }
  r.closed_form(overlap_order, fmt::format("{}: order in gamma, linearly implicit to (2.9)", title),
                -2.0 / 3, fitted_slope(gammas, distances[0]), 0.05, 0.2);
  r.closed_form(overlap_order, fmt::format("{}: order in gamma, implicit to (2.6)", title),
                -2.0 / 3, fitted_slope(gammas, distances[1]), 0.05, 0.2);
  if (curved) {
    r.closed_form(
        own_limit,
        fmt::format("{}: linearly implicit at the largest gamma from (2.6), over that of (2.9)",
                    title),
        1, distances[2].back() / apart, 0.05, 0.2);
    r.closed_form(
        own_limit,
        fmt::format("{}: implicit at the largest gamma from (2.9), over that of (2.6)", title), 1,
        distances[3].back() / apart, 0.05, 0.2);
  } else {
    r.closed_form("one limit",
                  fmt::format("{}: distance of the limits, whose gap is straight [m]", title), 0,
                  apart, 1e-12, 1e-9);
  }
  r.at_most(fmt::format("{}: steps that were not certified", title), 0, uncertified, 0);
  r.draw(fmt::format("anitescu-penalty-{}.svg", scene + std::string_view("penalty_").size()),
         {.title = fmt::format("{}: distance to the stiff limits", title),
          .x = "gamma [N/m^1.5]",
          .y = "distance [m]",
          .log_x = true,
          .log_y = true,
          .dots = true},
         {curves.begin(), curves.end()});
}

}  // namespace

Reproduction anitescu_penalty(const ReproduceSetting& setting) {
  Reproduction r;
  std::vector<double> gammas;
  for (int k = 6; k <= 10; ++k) {
    gammas.push_back(std::pow(10.0, k));
    if (!setting.fast && k < 10) gammas.push_back(std::pow(10.0, k + 0.5));
  }
  study("penalty_ball", "Ball on a plane", false, gammas, setting, r);
  study("penalty_discs", "Three discs", true, gammas, setting, r);
  study("penalty_ellipse", "Ellipse", true, gammas, setting, r);

  // The springs return what they take where the step resolves them, and nothing in the limit.
  const double impact = std::sqrt(2 * 9.81 * 0.5);
  const double h = setting.fast ? 2e-5 : 1e-5;
  const auto small = [&](const char* form) {
    std::vector<std::string> a = penalty(form, 1e6);
    a.push_back(fmt::format("simulation.step={}", h));
    a.push_back("simulation.duration=0.4");
    return a;
  };
  r.closed_form("springs keep energy", fmt::format("Ball: rebound, explicit, h = {} [-]", h), 1,
                run_penalty("penalty_ball", small("explicit")).fastest_up / impact, 5e-3, 5e-2);
  r.closed_form(
      "limit (2.6) has no restitution", "Ball: rebound, implicit, h = 0.02, gamma = 1e10 [-]", 0,
      run_penalty("penalty_ball", penalty("implicit", 1e10)).fastest_up / impact, 1e-3, 1e-2);
  // At rest h^2 theta'/m = 1.5 h^2 gamma^(2/3) (m g)^(1/3) / m is at most 4 up to this gamma.
  const double most = std::pow(8 / (3 * 0.02 * 0.02), 1.5) / std::sqrt(9.81);
  r.at_least(fmt::format("Ball: explicit, h = 0.02, stops for gamma = {:.3g} [1: yes]", most), 1,
             run_penalty("penalty_ball", penalty("explicit", most)).stopped ? 1 : 0, 0);
  r.notes.push_back(
      "The paper has no figures here; the order -2/3 is that of the overlap (F/gamma)^(1/b), b = "
      "3/2. Distances are the largest of any body at any step.");
  r.play("Three discs with springs", "penalty_discs", {}, 0.5);
  return r;
}

}  // namespace cairn::reproduce
