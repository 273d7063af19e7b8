// cairn view: one page that plays a recording.
#include <filesystem>
#include <fmt/format.h>
#include <limits>

#include "commands/commands.hpp"
#include "page/trace_page.hpp"
#include "record/run/files.hpp"
#include "runs/find_trace.hpp"
#include "terminal/json.hpp"
#include "terminal/terminal.hpp"

namespace cairn::app {
namespace {

namespace fs = std::filesystem;

std::string default_name(const std::string& trace) {
  return (fs::path(trace).parent_path() / "view.html").string();
}

Json page_json(const std::string& trace, const std::string& out, const page::TracePage& page) {
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

std::string page_text(const std::string& out, const page::TracePage& page) {
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
  play::ClipLimits limits;
  if (options.frames > 0)
    limits = {.frames = static_cast<std::size_t>(options.frames),
              .body_bytes = std::numeric_limits<std::size_t>::max(),
              .contact_bytes = limits.contact_bytes};
  const std::string out = options.out.empty() ? default_name(*trace) : options.out;
  if (const Result<void> kept = record::check_input_is_kept(*trace, out, "trace"); !kept)
    return report(kept.error());
  const Result<page::TracePage> page = page::trace_page(*trace, limits);
  if (!page) return report(page.error());
  const Result<void> written = record::write_file(out, page->html);
  if (!written) return report(written.error());
  if (page->end == TraceEvent::truncated)
    warn(
        fmt::format("warning: {}: the recording stops early; {} bytes after its last complete "
                    "frame are lost",
                    printable(*trace), page->dropped_bytes));
  print(options.json ? text(page_json(*trace, out, *page)) : page_text(out, *page));
  if (page->end != TraceEvent::corrupt) return exit_ok;
  warn(
      fmt::format("error: {}: damaged {}; the page shows the frames before; fix: run the scene "
                  "again",
                  printable(*trace), printable(page->reason)));
  return exit_input;
}

}  // namespace cairn::app
