#include "record/trace/frame_attempts.hpp"

#include <array>
#include <cstring>
#include <string>

namespace cairn::record {
namespace {

constexpr std::size_t least_attempt_bytes = 8 + 2 * 4 + 3 * 8;

// Names of methods outlive every recording that names them.
constexpr std::array methods = {"warm",     "nsgs",         "hold",   "newton",       "lemke",
                                "pyramids", "admm",         "ipm",    "apgd",         "bb",
                                "spectral", "central path", "direct", "proximal path"};
const char* method_named(const std::string& name) {
  for (const char* method : methods)
    if (name == method) return method;
  return "other";
}

Solution& worst_of(StepReport& report) {
  return report.solves[static_cast<std::size_t>(report.worst_solve)].solution;
}
const Solution& worst_of(const StepReport& report) {
  return report.solves[static_cast<std::size_t>(report.worst_solve)].solution;
}

}  // namespace

bool has_attempts(const StepReport& report) {
  return report.status == StepStatus::uncertified && !report.solves.empty() &&
         !worst_of(report).attempts.empty();
}

void write_attempts(const StepReport& report, bytes::ByteWriter& out) {
  const Solution& solution = worst_of(report);
  out.u8(solution.out_of_budget ? 1 : 0);
  out.f64(solution.work);
  out.i32(solution.attempts_left_out);
  out.u64(solution.attempts.size());
  for (const SolveAttempt& a : solution.attempts) {
    out.text(a.method, std::strlen(a.method));
    out.i32(a.island);
    out.i32(a.iterations);
    for (const double x : {a.before, a.after, a.work}) out.f64(x);
  }
}

void clear_attempts(StepReport& report) {
  for (int i = 0; i < report.solves.size(); ++i) {
    Solution& solution = report.solves[static_cast<std::size_t>(i)].solution;
    solution.out_of_budget = false;
    solution.work = 0;
    solution.attempts_left_out = 0;
    solution.attempts.clear();
  }
}

void read_attempts(bytes::ByteReader& in, StepReport& report) {
  if (report.worst_solve < 0 || report.worst_solve >= report.solves.size()) return in.reject();
  Solution& solution = worst_of(report);
  solution.out_of_budget = in.u8() != 0;
  solution.work = in.f64();
  solution.attempts_left_out = in.i32();
  solution.attempts.resize(in.count(least_attempt_bytes));
  std::string name;
  for (SolveAttempt& a : solution.attempts) {
    in.text(name);
    a.method = method_named(name);
    a.island = in.i32();
    a.iterations = in.i32();
    a.before = in.f64();
    a.after = in.f64();
    a.work = in.f64();
  }
}

}  // namespace cairn::record
