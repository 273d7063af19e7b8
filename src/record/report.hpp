// report.html: one page about one run that needs no network. The verdict comes first; the player is
// its only script.
#pragma once

#include <span>
#include <string>

#include "play/player.hpp"
#include "record/summary.hpp"
#include "record/totals.hpp"

namespace cairn {

struct ReportInput {
  const Scene& scene;
  const RunTotals& totals;
  const State& state;  // the last one
  std::span<const ExpectationResult> expect;
  std::string command;  // how to repeat the run; empty: cairn run FILE
  const Clip& clip;     // for the player
};

std::string report_html(const ReportInput& input);

}  // namespace cairn
