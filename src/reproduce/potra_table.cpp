// Potra et al. 2006, 10.2: the block on a rough table, Tables II and III and Figure 4.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "cairn/simulator.hpp"
#include "reproduce/experiment.hpp"

namespace cairn::reproduce {
namespace {

constexpr double stop_time = 0.338608184672, stop_place = 3.004348569727,
                 slide_time = 2.946346791224;

struct TableOutcome {
  double error = 0, velocity = 0;  // at the end [m], [m/s]
  double stop = 0;                 // time at which it stops [s]
  double slide = 0;                // time at which it begins to slide [s]
  page::Curve place, speed;
};

TableOutcome run_table(const char* form, bool all_events, double h, double duration) {
  const Scene s = built_in_scene("rough_table", {fmt::format("simulation.scheme.form={}", form),
                                                 fmt::format("simulation.scheme.events={}",
                                                             all_events ? "all" : "collisions")});
  Simulator sim(s.model, *s.initial, s.simulation.scheme, s.simulation.solver, fixed_step);
  const BodyId block = s.model->find_body("block").value();
  TableOutcome out;
  const auto steps = std::llround(duration / h);
  for (long long i = 0; i < steps; ++i) {
    const StepReport& report = sim.step(h);
    for (const StepEvent& e : report.events) {
      if (out.stop == 0 && e.kind == StepEvent::Kind::stick) out.stop = e.t;
      if (out.slide == 0 && e.kind == StepEvent::Kind::slip) out.slide = e.t;
    }
    const BodyMotion motion = body_motion(*s.model, sim.state(), block);
    out.velocity = motion.velocity.x();
    out.place.points.emplace_back(sim.state().t, motion.position.x());
    out.speed.points.emplace_back(sim.state().t, out.velocity);
  }
  out.error = std::abs(body_motion(*s.model, sim.state(), block).position.x() - stop_place);
  return out;
}

void compare(const char* place, const char* form, std::span<const double> printed,
             Reproduction& r) {
  for (std::size_t i = 0; i < printed.size(); ++i) {
    const int k = 5 + static_cast<int>(i);
    const double ours = run_table(form, false, std::ldexp(1, -k), 2).error;
    const double digit = std::pow(10, std::floor(std::log10(printed[i])) - 3);
    r.printed(place, fmt::format("E_h, h = 2^-{} [m]", k), printed[i], digit, ours);
  }
}

// When the block begins to slide again. Its force does not depend on its motion, so that the time
// is known up to what counts as no motion (E185), whatever the step.
void add_slide_time(const char* form, Reproduction& r) {
  double worst = 0;
  for (int k = 5; k <= 10; ++k)
    worst =
        std::max(worst, std::abs(run_table(form, true, std::ldexp(1, -k), 3.2).slide - slide_time));
  r.closed_form("8 sin t = mu m g t", "error of the time at which it begins to slide [s]", 0, worst,
                1e-7, 1e-6);
}

}  // namespace

Reproduction potra_table2(const ReproduceSetting&) {
  Reproduction r;
  const double printed[] = {5.197e-5, 1.025e-5, 2.555e-6, 6.551e-7, 1.549e-7, 3.959e-8};
  compare("003, Table II", "new", printed, r);
  // With a restart where the block stops.
  std::vector<double> h, time;
  for (int k = 5; k <= 10; ++k) {
    const TableOutcome o = run_table("new", true, std::ldexp(1, -k), 2);
    h.push_back(std::ldexp(1, -k));
    time.push_back(std::abs(o.stop - stop_time));
    if (k < 10) continue;
    r.reference("independent program", "E_h / h^2 with restart, h = 2^-10 [m/s^2]", 0.0757,
                o.error * std::ldexp(1, 2 * k), 1e-4, 1e-3);
    r.closed_form("sticks", "velocity while stuck [m/s]", 0, o.velocity, 1e-17, 1e-16);
  }
  r.closed_form("second order", "order of the time at which it stops [-]", 2, fitted_slope(h, time),
                0.05, 0.1);
  add_slide_time("new", r);
  r.notes.push_back(
      "The table is the plain scheme without restart. At h = 2^-10 it gives 4.409e-8; the paper "
      "prints 3.959e-8.");
  return r;
}

Reproduction potra_table3(const ReproduceSetting&) {
  Reproduction r;
  const double printed[] = {8.023e-5, 2.310e-5, 5.619e-6, 1.395e-6, 3.652e-7, 8.246e-8};
  compare("003, Table III", "mean", printed, r);
  const TableOutcome restarted = run_table("mean", true, 0x1p-10, 2);
  r.closed_form("sticks", "velocity while stuck, with restart [m/s]", 0, restarted.velocity, 1e-17,
                1e-16);
  add_slide_time("mean", r);
  std::vector<page::Curve> places, speeds;
  for (const auto& [form, all, label] : {std::tuple("new", false, "(70)"),
                                         {"mean", false, "(68)"},
                                         {"mean", true, "(68) with restart"}}) {
    const TableOutcome o = run_table(form, all, 0.01, 10);
    places.push_back(o.place);
    speeds.push_back(o.speed);
    places.back().label = speeds.back().label = label;
  }
  r.draw("potra-table3-position.svg",
         {.title = "Block on a rough table, h = 0.01, Figure 4: position", .y = "x [m]"}, places);
  r.draw("potra-table3-velocity.svg",
         {.title = "Block on a rough table, h = 0.01, Figure 4: velocity", .y = "v [m/s]"}, speeds);
  r.notes.push_back(
      "Without restart the velocity of (68) flips its sign in every step while the block sticks.");
  return r;
}

}  // namespace cairn::reproduce
