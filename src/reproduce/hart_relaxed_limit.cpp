// Anitescu and Hart (2004) ask for the convergence of the relaxation as h goes to zero. A block on
// a plane, whose motion under Coulomb's law has a closed form, from rest and already sliding (E510,
// E511).
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "cairn/simulator.hpp"
#include "reproduce/experiment.hpp"

namespace cairn::reproduce {
namespace {

constexpr double block_mu = 0.3, block_g = 9.81, block_v0 = 3;

struct BlockCourse {
  double x = 0;        // at the end [m]
  double lift = 0;     // at the end [m]
  double highest = 0;  // lift at any time [m]
  double off = 0;      // largest distance from the motion under Coulomb's law at any time [m]
  int uncertified = 0;
};

struct Study {
  const char* name;
  Vec3 gravity;
  double v0, a;  // initial velocity, acceleration under Coulomb's law until it stops
  bool raised;   // starts at the gap h mu v0 that the relaxation keeps
  SchemeOptions scheme;
  double duration;  // [s]

  double place(double t) const {
    if (a < 0) t = std::min(t, -v0 / a);
    return v0 * t + 0.5 * a * t * t;
  }
};

// A block that does not turn, on the plane z = 0, sliding along x.
BlockCourse slide_block(const Study& study, double h) {
  const double v0 = study.v0, gap = study.raised ? h * block_mu * v0 : 0;
  ModelDescription d;
  d.gravity = study.gravity;
  d.materials = {{"default", {.friction = block_mu}}};
  BodyDescription floor, block;
  floor.name = "floor";
  floor.fixed = true;
  floor.shapes = {{Halfspace{Vec3::UnitZ()}, Pose{}, "default"}};
  block.name = "block";
  block.dof = "x z";
  block.mass = 1;
  block.position = Vec3(0, 0, 0.5 + gap);
  block.velocity = Vec3(v0, 0, 0);
  block.shapes = {{Box{Vec3(1, 1, 1)}, Pose{}, "default"}};
  d.bodies = {floor, block};
  const Result<BuiltModel> built = build(d);
  Simulator sim(built.value().model, *built.value().initial, study.scheme, Auto{}, fixed_step);
  const BodyId id = sim.model().find_body("block").value();
  BlockCourse course;
  for (long long i = 0; i < std::llround(study.duration / h); ++i) {
    const StepReport& report = sim.step(h);
    course.uncertified += report.failed() || !report.verdict.solve.ok;
    const Vec3 p = sim.state().poses[index(id)].p;
    course.x = p.x();
    course.lift = p.z() - 0.5;
    course.highest = std::max(course.highest, course.lift);
    course.off = std::max(course.off, std::hypot(p.x() - study.place(sim.state().t), course.lift));
  }
  return course;
}

}  // namespace

Reproduction hart_relaxed_limit(const ReproduceSetting& setting) {
  Reproduction r;
  const double slope = 0.5235987755982988;  // 30 degrees
  const Vec3 level(0, 0, -block_g), tilted = block_g * Vec3(std::sin(slope), 0, -std::cos(slope));
  const double a = block_g * (std::sin(slope) - block_mu * std::cos(slope)),
               brake = -block_mu * block_g;
  const Study from_rest{"from rest, 30 degrees", tilted, 0, a, false, Relaxed{}, 1},
      sliding{"sliding in contact", level, block_v0, brake, false, Relaxed{}, 1.5},
      raised{"sliding at the gap h mu v", level, block_v0, brake, true, Relaxed{}, 1.5},
      corrected{"sliding in contact, corrected",
                level,
                block_v0,
                brake,
                false,
                Relaxed{.corrections = 60, .correction_tolerance = 1e-10},
                1.5};
  std::vector<page::Curve> curves;
  int uncertified = 0;
  BlockCourse last;
  double h = 0;
  std::vector<double> steps, places;  // of the last study: h [s], errors at the end [m]
  const auto measure = [&](const Study& study) {
    std::vector<double> errors;
    steps.clear(), places.clear();
    page::Curve curve{study.name, {}};
    for (int k = 0; k < (setting.fast ? 4 : 7) && !setting.stopped(); ++k) {
      h = std::ldexp(0.02, -k);
      last = slide_block(study, h);
      uncertified += last.uncertified;
      steps.push_back(h);
      errors.push_back(last.off);
      places.push_back(std::abs(last.x - study.place(study.duration)));
      if (errors.back() > 0) curve.points.emplace_back(h, errors.back());
    }
    curves.push_back(curve);
    return fitted_slope(steps, errors);
  };
  const auto label = [](const Study& study, const char* what) {
    return fmt::format("{}: {}", study.name, what);
  };
  const char* order = "order in h of the largest distance from Coulomb's motion [-]";
  r.closed_form("first order, E510", label(from_rest, order), 1, measure(from_rest), 0.1, 0.3);
  r.closed_form("E510", label(from_rest, "lift at the end over h mu v [-]"), 1,
                last.lift / (h * block_mu * a), 0.05, 0.2);
  r.closed_form("first order, E510", label(raised, order), 1, measure(raised), 0.15, 0.4);
  r.closed_form("first order, E92", label(corrected, order), 1, measure(corrected), 0.15, 0.4);
  // The first step throws it up at mu v0/(1 + mu^2), whatever the step: no convergence.
  r.closed_form("no convergence, E511", label(sliding, order), 0, measure(sliding), 0.1, 0.3);
  r.closed_form("first order, E511", label(sliding, "order in h of where it comes to rest [-]"), 1,
                fitted_slope(steps, places), 0.15, 0.4);
  const double up = block_mu * block_v0 / (1 + block_mu * block_mu),
               height = up * up / (2 * block_g);
  r.closed_form("v_n^2/(2 g), v_n = mu v0/(1 + mu^2), E511",
                label(sliding, "highest lift, least h [m]"), height, last.highest, 0.02 * height,
                0.1 * height);
  r.at_most("steps not certified", 0, uncertified, 0);
  r.notes.push_back(
      "The paper leaves the limit open. Where sliding begins at rest the relaxation is of first "
      "order. Where a body touches and slides at once, by its initial velocity or an impact, it is "
      "thrown up at up to mu v for every h; fixed-point corrections (E92) restore the limit. Where "
      "the thrown block comes to rest is right to first order all the same: the error there is "
      "that of the momentum, and friction gets mu times the whole normal impulse.");
  r.draw("hart-relaxed-limit.svg",
         {.title = "Block on a plane: largest distance from Coulomb's motion",
          .x = "h [s]",
          .y = "[m]",
          .log_x = true,
          .log_y = true,
          .dots = true},
         curves);
  return r;
}

}  // namespace cairn::reproduce
