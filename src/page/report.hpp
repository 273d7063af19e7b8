// report.html: one page about one run that needs no network. The verdict comes first; the player is
// its only script.
#pragma once

#include <span>
#include <string>

#include "play/player.hpp"
#include "record/run/run.hpp"
#include "record/run/summary.hpp"
#include "record/run/totals.hpp"

namespace cairn::page {

struct ReportInput {
  const Scene& scene;
  const record::RunTotals& totals;
  const State& state;  // the last one
  std::span<const record::ExpectationResult> expect;
  std::string command;     // how to repeat the run; empty: cairn run FILE
  const play::Clip& clip;  // for the player
};

std::string report_html(const ReportInput& input);

// The report of a run that is being recorded, for record::RunFiles; `scene` must outlive it.
record::RunPage run_page(const Scene& scene, const std::string& command);

}  // namespace cairn::page
