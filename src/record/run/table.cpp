// Writes steps.csv.
#include "record/run/table.hpp"

#include <cmath>
#include <iterator>

namespace cairn::record {
namespace {

constexpr const char* columns =
    "step,t [s],h [s],status,certificate [-],solves,iterations,found contacts,candidates,active "
    "contacts,"
    "collisions,added pairs,guard factor [-],kinetic [J],potential [J],total [J],"
    "work applied [J],work motion [J],friction [J],impact [J],stabilisation [J],integrator [J],"
    "solver [J],passive [J],imbalance [J],penetration [m],joint error [m],coulomb residual "
    "[-],verdict solve [-],verdict motion [-],verdict energy [-],overlap [-],swept overlap "
    "[-],parts,detect [ms],solve [ms],cpu [ms]";

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
  return columns;
}

void append_step_row(const StepReport& r, fmt::memory_buffer& out) {
  int iterations = 0;
  for (const SolveRecord& record : r.solved()) iterations += record.solution.iterations;
  const Ledger& l = r.ledger;
  fmt::format_to(std::back_inserter(out), "{},{},{},{},", r.step, r.t, r.h, name(r.status));
  // A residual beyond all numbers is an empty cell: no output holds one that is not finite.
  if (std::isfinite(r.certificate)) fmt::format_to(std::back_inserter(out), "{}", r.certificate);
  fmt::format_to(std::back_inserter(out), ",{},{},{},{},{},{},{},{}", r.solve_count, iterations,
                 r.candidate_count() + static_cast<std::size_t>(r.filtered_contacts),
                 r.candidate_count(), r.active_contacts, r.collisions, r.added_pairs,
                 r.guard_factor);
  fmt::format_to(std::back_inserter(out), ",{},{},{},{},{},{},{},{},{},{},{},{}", l.kinetic_end,
                 l.potential_end, l.kinetic_end + l.potential_end, l.work_applied, l.work_motion,
                 l.friction, l.impact, l.stabilisation, l.integrator, l.solver, l.passive,
                 l.imbalance());
  fmt::format_to(std::back_inserter(out), ",{},{},{}", r.penetration, r.joint_error,
                 r.coulomb_residual);
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
  file->put("{}\n", columns);
  return StepTable(std::move(*file));
}

Result<void> StepTable::append(const StepReport& report) {
  append_step_row(report, file_.buffer());
  file_.buffer().push_back('\n');
  return file_.flush_if_full();
}

}  // namespace cairn::record
