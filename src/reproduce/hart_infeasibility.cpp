// Hart 2007: maximal and average infeasibility of polyhedra against the step, for gamma from 0 to
// beyond 1, on the scenes that bear the names of the paper's (E152 to E154). A single trajectory is
// erratic, so every figure is a mean over many phases of the steps against the impacts.
#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

#include "cairn/simulator.hpp"
#include "reproduce/experiment.hpp"

namespace cairn::reproduce {
namespace {

struct Trial {
  const char* name;
  const char* scene;
  const char* change;   // of the scene; empty: none
  double step;          // the longest; below it the maxima have settled to their order [s]
  double duration;      // [s]
  bool isolated;        // one impact, then flight: the average falls faster than the maximum (E154)
  bool fast;            // part of the fast setting
  const char* printed;  // of the average; empty: nothing
};
constexpr std::array trials = {
    Trial{"balance2", "balance2", "", 0.004, 0.78, false, true,
          "average infeasibility shows quadratic O(h^2) nature"},
    Trial{"balance2, first blow", "balance2",
          R"(bodies.box.orientation={"axis": [1, 2, 1.5], "angle_deg": 40})", 0.002, 0.3, true,
          true, ""},
    Trial{"pyramid1", "pyramid1", "", 0.001, 0.34, false, false,
          "quadratic convergence of average infeasibility"},
    Trial{"dice3", "dice3", "", 0.0005, 0.14, false, true,
          "average infeasibility demonstrates O(h^2) nature"},
    Trial{"setup6", "setup6", "", 0.008, 0.7, false, false,
          "once again, an indication of O(h^2) convergence"}};
constexpr std::array gammas = {0.0, 0.25, 0.5, 1.0, 1.5, 2.0};

struct Infeasibility {
  double maximum = 0;  // mean over the phases of the largest penetration of a run [m]
  double average = 0;  // and of its mean over the steps [m]
  int uncertified = 0;
  int steps = 0;
};

// One figure: the first step is a fraction of h, another one in each run (E153).
Infeasibility measure(const Trial& trial, double h, double gamma, const ReproduceSetting& setting) {
  const int phases = (setting.fast ? 6 : 16) * (trial.isolated ? 2 : 1);
  std::vector<std::string> assignments = {fmt::format("simulation.scheme.gamma={}", gamma)};
  if (*trial.change) assignments.push_back(trial.change);
  const Scene s = built_in_scene(trial.scene, assignments);
  Infeasibility figure;
  for (int phase = 0; phase < phases && !setting.stopped(); ++phase) {
    Simulator sim(s.model, *s.initial, s.simulation.scheme, s.simulation.solver, fixed_step);
    double largest = 0, sum = 0;
    int steps = 0;
    while (sim.state().t < trial.duration) {
      const StepReport& report = sim.step(steps == 0 ? h * (phase + 0.5) / phases : h);
      if (report.failed()) break;
      figure.uncertified += report.failed() || !report.verdict.solve.ok;
      largest = std::max(largest, report.penetration);
      sum += report.penetration;
      ++steps;
    }
    figure.steps += steps;
    figure.maximum += largest / phases;
    figure.average += sum / std::max(steps, 1) / phases;
  }
  return figure;
}

struct Course {
  double gamma = 0;
  std::vector<double> steps, maximum, average;
};

page::Curve curve(const Course& course, const std::vector<double>& values) {
  page::Curve c{fmt::format("{:g}", course.gamma), {}};
  for (std::size_t i = 0; i < values.size(); ++i)
    if (values[i] > 0) c.points.emplace_back(course.steps[i], values[i]);
  return c;
}

void draw_courses(const char* scene, const std::vector<Course>& courses, Reproduction& r) {
  std::vector<page::Curve> maxima, averages;
  for (const Course& c : courses) {
    maxima.push_back(curve(c, c.maximum));
    averages.push_back(curve(c, c.average));
  }
  r.draw(fmt::format("hart-infeasibility-{}-maximum.svg", scene),
         {.title = fmt::format("{}: largest infeasibility, by gamma", scene),
          .x = "h [s]",
          .y = "[m]",
          .log_x = true,
          .log_y = true,
          .dots = true},
         maxima);
  r.draw(fmt::format("hart-infeasibility-{}-average.svg", scene),
         {.title = fmt::format("{}: average infeasibility, by gamma", scene),
          .x = "h [s]",
          .y = "[m]",
          .log_x = true,
          .log_y = true,
          .dots = true},
         averages);
}

void judge(const Trial& trial, const std::vector<Course>& courses, Reproduction& r) {
  const char* scene = trial.name;
  const auto of = [&](double gamma) -> const Course& {
    return *std::find_if(courses.begin(), courses.end(),
                         [&](const Course& c) { return c.gamma == gamma; });
  };
  const Course &none = of(0), &full = of(1);
  r.printed_at_least("004, consequences of the theorem: O(h^2)",
                     fmt::format("{}: order of the largest infeasibility, gamma = 1 [-]", scene), 2,
                     fitted_slope(full.steps, full.maximum));
  const std::string average =
      fmt::format("{}: order of the average infeasibility, gamma = 1 [-]", scene);
  if (trial.isolated)
    r.closed_form("O(h^3), E154", average, 3, fitted_slope(full.steps, full.average), 0.25, 0.6);
  else
    r.printed_at_least(fmt::format("004, {}: \"{}\"", scene, trial.printed), average, 2,
                       fitted_slope(full.steps, full.average));
  // 004, Balance2: "constraint stabilization => smaller average infeasibility"
  r.at_most(fmt::format("{}: average infeasibility, gamma = 1 over gamma = 0, least h [-]", scene),
            1, full.average.back() / none.average.back(), 0);
  std::string line = fmt::format("{}: orders of maximum / average by gamma:", scene);
  for (const Course& c : courses)
    line += fmt::format("  {:g}: {:.2f} / {:.2f}", c.gamma, fitted_slope(c.steps, c.maximum),
                        fitted_slope(c.steps, c.average));
  r.notes.push_back(line);
  line = fmt::format("{}: maximum / average [m] at h = {:g} s by gamma:", scene, full.steps.back());
  for (const Course& c : courses)
    line += fmt::format("  {:g}: {:.2e} / {:.2e}", c.gamma, c.maximum.back(), c.average.back());
  r.notes.push_back(line);
}

}  // namespace

Reproduction hart_infeasibility(const ReproduceSetting& setting) {
  Reproduction r;
  int uncertified = 0, steps = 0;
  for (const Trial& trial : trials) {
    if (setting.fast && !trial.fast) continue;
    std::vector<Course> courses;
    for (const double gamma : gammas) {
      if (setting.fast && gamma != 0 && gamma != 1) continue;
      Course course{gamma, {}, {}, {}};
      for (int k = 0; k < (setting.fast ? 3 : 4); ++k) {
        const double h = std::ldexp(trial.step, -k);
        const Infeasibility figure = measure(trial, h, gamma, setting);
        course.steps.push_back(h);
        course.maximum.push_back(figure.maximum);
        course.average.push_back(figure.average);
        uncertified += figure.uncertified;
        steps += figure.steps;
      }
      courses.push_back(std::move(course));
    }
    judge(trial, courses, r);
    if (!trial.isolated) draw_courses(trial.scene, courses, r);
  }
  r.at_most("share of steps that were not certified at 1e-8 [-]", 0,
            static_cast<double>(uncertified) / std::max(steps, 1), 1e-2);
  for (const char* scene : {"balance2", "pyramid1", "dice3", "setup6"})
    r.play(scene, scene, {}, built_in_scene(scene).simulation.duration);
  return r;
}

}  // namespace cairn::reproduce
