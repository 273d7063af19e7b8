// A page that is being written, and the parts of report.html that are tables.
#pragma once

#include <fmt/format.h>
#include <iterator>
#include <string>
#include <utility>

#include "cairn/options.hpp"
#include "page/report.hpp"

namespace cairn::page {

struct ReportPage {
  const ReportInput& in;
  std::string html = {};

  template <class... Args>
  void put(fmt::format_string<Args...> text, Args&&... args) {
    fmt::format_to(std::back_inserter(html), text, std::forward<Args>(args)...);
  }
  double limit() const { return tolerance(in.scene.simulation.solver); }
};

void put_ledger(ReportPage& page);
void put_worst_steps(ReportPage& page);
void put_contacts(ReportPage& page);
void put_impacts(ReportPage& page);
void put_timings(ReportPage& page);
void put_jamming(ReportPage& page);
void put_forces(ReportPage& page);
void put_method(ReportPage& page);
void put_repeat(ReportPage& page);

}  // namespace cairn::page
