// cairn check: judges a recording from the file alone.
#include <fmt/format.h>

#include "cairn/trace.hpp"
#include "commands/commands.hpp"
#include "runs/find_trace.hpp"
#include "terminal/json.hpp"
#include "terminal/terminal.hpp"

namespace cairn::app {
namespace {

Json check_json(const std::string& file, const CheckReport& check) {
  Json json;
  json["trace"] = file;
  json["ok"] = check.ok;
  json["complete"] = check.complete;
  json["frames"] = check.frames;
  json["left_out"] = check.left_out;
  json["solves"] = check.solves;
  json["dropped_bytes"] = check.dropped_bytes;
  json["penetrations_checked"] = check.penetrations_checked;
  json["unjudged_projections"] = check.projections;
  json["certificate"] = {
      {"worst", check.worst}, {"step", check.worst_step}, {"row", check.worst_row}};
  json["not_verified"] = check.unverified;
  json["finding_count"] = check.finding_count;
  Json& findings = json["findings"] = Json::array();
  for (const CheckFinding& finding : check.findings)
    findings.push_back(
        {{"step", finding.step}, {"code", name(finding.code)}, {"what", finding.what}});
  return json;
}

std::string check_text(const CheckReport& check) {
  std::string text = fmt::format("{}: {} frames, {} solves judged", check.ok ? "ok" : "NOT OK",
                                 check.frames, check.solves);
  if (check.left_out > 0)
    text += fmt::format(" ({} frames without contacts and problems)", check.left_out);
  if (check.solves > 0)
    text += fmt::format(", worst residual {:.2e} in step {} at {}", check.worst, check.worst_step,
                        printable(check.worst_row));
  text += "\n";
  if (!check.complete)
    text +=
        fmt::format("the recording stops early; {} bytes after the last complete frame are lost\n",
                    check.dropped_bytes);
  if (!check.penetrations_checked) text += "penetrations not compared: too many shapes\n";
  if (check.projections > 0)
    text += fmt::format(
        "{} solves that pushed bodies out of overlaps are not in the file: their residuals are "
        "taken as recorded\n",
        check.projections);
  for (const std::string& what : check.unverified) text += fmt::format("not verified: {}\n", what);
  for (const CheckFinding& finding : check.findings)
    text += fmt::format("step {}: {}\n", finding.step, printable(finding.what));
  const std::int64_t more = check.finding_count - static_cast<std::int64_t>(check.findings.size());
  if (more > 0) text += fmt::format("and {} more\n", more);
  return text;
}

}  // namespace

int check(const FileOptions& options) {
  const Result<std::string> trace = find_trace(options.file);
  if (!trace) return report(trace.error());
  const Result<CheckReport> check = check_trace(*trace, {.replay = options.replay});
  if (!check) return report(check.error());
  print(options.json ? text(check_json(*trace, *check)) : check_text(*check));
  return check->ok ? exit_ok : exit_failed;
}

}  // namespace cairn::app
