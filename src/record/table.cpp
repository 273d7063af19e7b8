// Writes steps.csv through one buffer.
#include "record/table.hpp"

#include <cmath>
#include <fcntl.h>
#include <iterator>
#include <unistd.h>
#include <utility>

#include "record/files.hpp"

namespace cairn {
namespace {

constexpr std::size_t flush_at = 1 << 16;  // [bytes]

constexpr const char* columns =
    "step,t [s],h [s],status,certificate [-],solves,iterations,found contacts,candidates,active "
    "contacts,"
    "collisions,added pairs,guard factor [-],kinetic [J],potential [J],total [J],"
    "work applied [J],work motion [J],friction [J],impact [J],stabilisation [J],integrator [J],"
    "solver [J],imbalance [J],penetration [m],joint error [m],coulomb residual [-],detect "
    "[ms],solve [ms],cpu [ms]";

}  // namespace

const char* name(StepStatus status) {
  switch (status) {
    case StepStatus::certified:
      return "certified";
    case StepStatus::uncertified:
      return "uncertified";
    case StepStatus::stopped:
      return "stopped";
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
                 r.contacts.size() + static_cast<std::size_t>(r.filtered_contacts),
                 r.contacts.size(), r.active_contacts, r.collisions, r.added_pairs, r.guard_factor);
  fmt::format_to(std::back_inserter(out), ",{},{},{},{},{},{},{},{},{},{},{}", l.kinetic_end,
                 l.potential_end, l.kinetic_end + l.potential_end, l.work_applied, l.work_motion,
                 l.friction, l.impact, l.stabilisation, l.integrator, l.solver, l.imbalance());
  fmt::format_to(std::back_inserter(out), ",{},{},{},{:.6g},{:.6g},{:.6g}", r.penetration,
                 r.joint_error, r.coulomb_residual, 1e3 * r.seconds.detect, 1e3 * r.seconds.solve,
                 1e3 * r.seconds.total);
}

StepTable::~StepTable() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

StepTable::StepTable(StepTable&& other) noexcept
    : path_(std::move(other.path_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      buffer_(std::move(other.buffer_)) {}

StepTable& StepTable::operator=(StepTable&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(descriptor_, other.descriptor_);
  std::swap(buffer_, other.buffer_);
  return *this;
}

Result<StepTable> StepTable::create(const std::string& path) {
  StepTable table;
  table.path_ = path;
  const std::string part = path + ".part";
  table.descriptor_ = ::open(part.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (table.descriptor_ < 0) return io_failure(part, "create");
  fmt::format_to(std::back_inserter(table.buffer_), "{}\n", columns);
  return table;
}

Result<void> StepTable::append(const StepReport& report) {
  append_step_row(report, buffer_);
  buffer_.push_back('\n');
  return buffer_.size() >= flush_at ? flush() : Result<void>{};
}

Result<void> StepTable::flush() {
  const auto* data = reinterpret_cast<const std::uint8_t*>(buffer_.data());
  Result<void> done = write_all(descriptor_, {data, buffer_.size()}, path_ + ".part");
  buffer_.clear();
  return done;
}

Result<void> StepTable::finish() {
  if (Result<void> done = flush(); !done) return done;
  if (::fsync(descriptor_) != 0) return io_failure(path_ + ".part", "write");
  const int closed = ::close(std::exchange(descriptor_, -1));
  if (closed != 0) return io_failure(path_ + ".part", "close");
  return rename_file(path_ + ".part", path_);
}

}  // namespace cairn
