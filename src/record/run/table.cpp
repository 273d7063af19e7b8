// Writes steps.csv.
#include "record/run/table.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <iterator>

namespace cairn::record {
namespace {

// What stands before the figures of a step, and after them.
constexpr const char* first_columns =
    "step,t [s],h [s],status,solves,iterations,found contacts,candidates,kinetic [J],potential "
    "[J],total [J],work applied [J],work motion [J],friction [J],impact [J],stabilisation "
    "[J],integrator [J],solver [J],passive [J],imbalance [J]";
constexpr const char* last_columns =
    ",verdict solve [-],verdict motion [-],verdict energy [-],overlap [-],swept overlap "
    "[-],verdict parts,detect [ms],solve [ms],cpu [ms]";

// An empty cell stands for what is beyond all numbers: no output holds one that is not finite.
struct Cells {
  fmt::memory_buffer& out;
  void operator()(const FigureText&, double x) const {
    out.push_back(',');
    if (std::isfinite(x)) fmt::format_to(std::back_inserter(out), "{}", x);
  }
  void operator()(const FigureText&, int n) const {
    fmt::format_to(std::back_inserter(out), ",{}", n);
  }
};

}  // namespace

const char* name(StepStatus status) {
  switch (status) {
    case StepStatus::certified:
      return "certified";
    case StepStatus::uncertified:
      return "uncertified";
    case StepStatus::stopped:
      return "stopped";
    case StepStatus::interrupted:
      return "interrupted";
    case StepStatus::internal_error:
      return "internal_error";
  }
  return "";
}

std::string step_table_header() {
  std::string header = first_columns;
  describe([&](const FigureText& text) {
    std::string name = text.key;
    std::replace(name.begin(), name.end(), '_', ' ');
    header += "," + name + (*text.unit ? fmt::format(" [{}]", text.unit) : "");
  });
  return header + last_columns;
}

void append_step_row(const StepReport& r, fmt::memory_buffer& out) {
  int iterations = 0;
  for (const SolveRecord& record : r.solved()) iterations += record.solution.iterations;
  const Ledger& l = r.ledger;
  fmt::format_to(std::back_inserter(out), "{},{},{},{},{},{},{},{}", r.step, r.t, r.h,
                 name(r.status), r.solves.size(), iterations,
                 r.candidate_count() + static_cast<std::size_t>(r.filtered_contacts),
                 r.candidate_count());
  const Cells cells{out};
  for (const double energy : {l.kinetic_end, l.potential_end, l.kinetic_end + l.potential_end,
                              l.work_applied, l.work_motion, l.friction, l.impact, l.stabilisation,
                              l.integrator, l.solver, l.passive, l.imbalance()})
    cells({}, energy);
  describe(cells, static_cast<const StepFigures&>(r));
  const Verdict& v = r.verdict;
  for (const double figure :
       {v.solve.worst, v.motion.worst, v.energy.worst, v.overlap, v.swept_overlap}) {
    out.push_back(',');
    if (std::isfinite(figure)) fmt::format_to(std::back_inserter(out), "{:.6g}", figure);
  }
  fmt::format_to(std::back_inserter(out), ",{},{:.6g},{:.6g},{:.6g}", v.parts,
                 1e3 * r.seconds.detect, 1e3 * r.seconds.solve, 1e3 * r.seconds.total);
}

Result<StepTable> StepTable::create(const std::string& path) {
  Result<PartFile> file = PartFile::create(path);
  if (!file) return tl::unexpected(file.error());
  file->put("{}\n", step_table_header());
  return StepTable(std::move(*file));
}

Result<void> StepTable::append(const StepReport& report) {
  append_step_row(report, file_.buffer());
  file_.buffer().push_back('\n');
  return file_.flush_if_full();
}

}  // namespace cairn::record
