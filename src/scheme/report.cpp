#include "scheme/report.hpp"

namespace cairn {

void clear(StepReport& report, const State& state, double h) {
  report.seconds = {};
  report.step = state.step + 1;
  report.t = state.t;
  report.h = h;
  report.message.clear();
  report.events.clear();
  report.impacts.clear();
  report.sequential_impacts = report.unfinished_sequences = 0;
  report.contacts.clear();
  report.ledger = {};
  report.solve_count = report.added_pairs = report.revised_pairs = report.discarded_solves = 0;
  report.filtered_contacts = report.collisions = report.guard_corrections = 0;
  report.guard_factor = report.projection_slowing = 1;
  report.nonlinear_iterations = report.nonlinear_fallback = report.corrections = 0;
  report.nonlinear_residual = report.coulomb_residual = 0;
  report.contact_projections = report.uncertified_projections = 0;
  report.contact_projection_certificate = 0;
  report.projection = report.projection_angle = report.error_estimate = 0;
  report.active_contacts = 0;
  report.parts = 1;
}

void judge(StepReport& report) {
  report.certificate = 0;
  report.worst_solve = 0;
  report.status = StepStatus::certified;
  for (int i = 0; i < report.solve_count; ++i) {
    const Solution& s = report.solves[static_cast<std::size_t>(i)].solution;
    if (!(s.certificate.worst <= report.certificate)) {
      report.certificate = s.certificate.worst;
      report.worst_solve = i;
    }
    if (s.status != SolveStatus::solved) report.status = StepStatus::uncertified;
  }
  if (report.uncertified_projections > 0) report.status = StepStatus::uncertified;
}

}  // namespace cairn
