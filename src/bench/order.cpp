#include "bench/order.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <stdexcept>
#include <variant>

namespace cairn::bench {
namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

// Largest difference of the times of two runs' events, if they are of the same kinds and contacts.
double event_difference(const std::vector<StepEvent>& a, const std::vector<StepEvent>& b) {
  if (a.empty() || a.size() != b.size()) return none;
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i].kind != b[i].kind || a[i].contact != b[i].contact) return none;
    most = std::max(most, std::abs(a[i].t - b[i].t));
  }
  return most;
}

OrderRow difference(const Model& model, const OrderRun& a, const OrderRun& b) {
  OrderRow row;
  row.h = a.h;
  for (std::size_t i = 0; i < a.state.poses.size(); ++i) {
    const Pose &x = a.state.poses[i], &y = b.state.poses[i];
    const double shift = (x.p - y.p).norm(), turn = x.R.angularDistance(y.R);
    const Body& body = model.bodies[i];
    const double radius = body.radius > 0 ? body.radius : model.length_unit;
    row.position = std::max(row.position, shift);
    row.orientation = std::max(row.orientation, turn);
    row.place = std::max(row.place, shift + radius * turn);
  }
  row.velocity = (a.state.v - b.state.v).norm();
  row.joint = a.joint_error;
  row.event = event_difference(a.events, b.events);
  return row;
}

double ratio(double coarse, double fine) {
  return coarse > 0 && fine > 0 ? std::log2(coarse / fine) : none;
}

}  // namespace

OrderRun order_run(const Scene& scene, double h, int (*interrupted)()) {
  // An order is that of the scheme, not of divided steps.
  const VerdictOptions fixed_step = {.split = false};
  Simulator sim(scene.model, *scene.initial, scene.simulation.scheme, scene.simulation.solver,
                fixed_step);
  OrderRun run;
  run.h = h;
  const double duration = scene.simulation.duration;
  const auto whole = static_cast<std::int64_t>(std::floor(duration / h * (1 + 1e-12) + 1e-9));
  const double rest = duration - static_cast<double>(whole) * h;
  const std::int64_t steps = whole + (rest > 1e-6 * h ? 1 : 0);
  for (std::int64_t i = 0; i < steps; ++i) {
    if (interrupted && interrupted() != 0) break;
    const StepReport& report = sim.step(i < whole ? h : rest);
    if (report.status == StepStatus::internal_error)
      throw std::logic_error(
          fmt::format("{}, h = {}, step {}: {}", scene.file, h, report.step, report.message));
    if (report.failed()) {
      run.message = report.message;
      break;
    }
    if (!report.verdict.solve.ok) ++run.uncertified;
    run.joint_error = std::max(
        {run.joint_error, report.joint_error, report.joint_error_angle * scene.model->length_unit});
    for (const StepEvent& event : report.events)
      if (event.kind != StepEvent::Kind::limit) run.events.push_back(event);
  }
  run.state = sim.state();
  return run;
}

int order_of(const SchemeOptions& scheme) {
  return std::holds_alternative<Trapezoidal>(scheme) ? 2 : 1;
}

double error_at_end(const std::vector<OrderRow>& rows, int order) {
  constexpr double least_order = 0.5;  // where the differences do not fall as they should
  if (rows.size() < 2) return none;
  const double coarse = rows[rows.size() - 2].place, fine = rows.back().place;
  if (fine == 0) return 0;
  const double seen = coarse > 0 ? std::log2(coarse / fine) : least_order;
  const double p = std::clamp(seen, least_order, static_cast<double>(order));
  return fine / (std::exp2(p) - 1);
}

std::vector<OrderRow> order_table(const Model& model, const std::vector<OrderRun>& runs) {
  std::vector<OrderRow> rows;
  for (std::size_t i = 0; i + 1 < runs.size(); ++i)
    rows.push_back(difference(model, runs[i], runs[i + 1]));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    OrderRow& row = rows[i];
    row.position_order = row.orientation_order = row.velocity_order = row.joint_order =
        row.event_order = none;
    if (i + 1 == rows.size()) continue;
    const OrderRow& next = rows[i + 1];
    row.position_order = ratio(row.position, next.position);
    row.orientation_order = ratio(row.orientation, next.orientation);
    row.velocity_order = ratio(row.velocity, next.velocity);
    row.joint_order = ratio(row.joint, next.joint);
    row.event_order = ratio(row.event, next.event);
  }
  return rows;
}

}  // namespace cairn::bench
