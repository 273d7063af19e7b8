// steps.csv: one row a step, units in the header, numbers with all their digits.
#pragma once

#include <fmt/format.h>
#include <string>

#include "cairn/error.hpp"
#include "cairn/simulator.hpp"
#include "record/run/part_file.hpp"

namespace cairn::record {

class StepTable {
 public:
  static Result<StepTable> create(const std::string& path);  // written as path.part until finish()

  Result<void> append(const StepReport& report);
  Result<void> finish() { return file_.finish(); }

 private:
  explicit StepTable(PartFile file) : file_(std::move(file)) {}
  PartFile file_;
};

const char* name(StepStatus status);

// The header line and one row, without line ends.
std::string step_table_header();
void append_step_row(const StepReport& report, fmt::memory_buffer& out);

}  // namespace cairn::record
