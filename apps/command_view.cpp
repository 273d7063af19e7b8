// cairn view: one page that plays a recording.
#include <filesystem>
#include <fmt/format.h>
#include <limits>

#include "commands.hpp"
#include "find_trace.hpp"
#include "json.hpp"
#include "record/files.hpp"
#include "record/trace_page.hpp"
#include "terminal.hpp"

namespace cairn::app {
namespace {

namespace fs = std::filesystem;

std::string default_name(const std::string& trace) {
  return (fs::path(trace).parent_path() / "view.html").string();
}

Json as_json(const std::string& trace, const std::string& out, const TracePage& page) {
  return {{"trace", trace},
          {"page", out},
          {"bytes", page.html.size()},
          {"frames", page.frames},
          {"steps", page.steps},
          {"complete", page.end == TraceEvent::end},
          {"error",
           {{"position", page.errors.position},
            {"angle", page.errors.angle},
            {"contact", page.errors.contact}}},
          {"contacts_left_out", page.contacts_left_out}};
}

std::string as_text(const std::string& out, const TracePage& page) {
  std::string text = fmt::format("page         {}\n", printable(out));
  text += fmt::format("size         {:.2f} MB\n", static_cast<double>(page.html.size()) / 1e6);
  text += page.frames == static_cast<std::size_t>(page.steps) + 1
              ? fmt::format("frames       {}, every step\n", page.frames)
              : fmt::format("frames       {} of {} steps; plots and marks cover all of them\n",
                            page.frames, page.steps);
  text += fmt::format("rounding     at most {:.1e} m, {:.1e} rad\n", page.errors.position,
                      page.errors.angle);
  if (page.contacts_left_out > 0)
    text += fmt::format("contacts     the {} strongest of each frame\n", page.contact_limit);
  return text;
}

}  // namespace

int view(const ViewOptions& options) {
  if (options.serve) return serve(options);
  const Result<std::string> trace = find_trace(options.input);
  if (!trace) return report(trace.error());
  ClipLimits limits;
  if (options.frames > 0)
    limits = {.frames = static_cast<std::size_t>(options.frames),
              .body_bytes = std::numeric_limits<std::size_t>::max(),
              .contact_bytes = limits.contact_bytes};
  const Result<TracePage> page = trace_page(*trace, limits);
  if (!page) return report(page.error());
  const std::string out = options.out.empty() ? default_name(*trace) : options.out;
  std::error_code ignored;
  if (fs::equivalent(*trace, out, ignored)) {
    Error error;
    error.kind = ErrorKind::usage;
    error.code = ErrorCode::overwrites_input;
    error.file = out;
    error.what = "the page would be written over the trace";
    error.fix = "choose another name with -o";
    return report({error});
  }
  const Result<void> written = write_file(out, page->html);
  if (!written) return report(written.error());
  if (page->end == TraceEvent::truncated)
    warn(
        fmt::format("warning: {}: the recording stops early; {} bytes after its last complete "
                    "frame are lost",
                    printable(*trace), page->dropped_bytes));
  print(options.json ? text(as_json(*trace, out, *page)) : as_text(out, *page));
  if (page->end != TraceEvent::corrupt) return exit_ok;
  warn(
      fmt::format("error: {}: damaged {}; the page shows the frames before; fix: run the scene "
                  "again",
                  printable(*trace), printable(page->reason)));
  return exit_input;
}

}  // namespace cairn::app
