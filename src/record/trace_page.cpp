// Reads a trace frame by frame into a clip.
#include "record/trace_page.hpp"

#include <fmt/format.h>

#include "record/fits.hpp"

namespace cairn {
namespace {

tl::unexpected<Errors> no_frames(const std::string& path, const std::string& why) {
  Error error;
  error.file = path;
  error.what = "the trace holds no frame" + why;
  error.fix = "run the scene again";
  return fail(error);
}

}  // namespace

Result<TracePage> trace_page(const std::string& path, const ClipLimits& limits) {
  Result<TraceReader> reader = TraceReader::open(path);
  if (!reader) return tl::unexpected(reader.error());
  Result<Scene> scene = parse_scene(reader->header().scene, path);
  if (!scene) return tl::unexpected(scene.error());

  Clip clip(*scene, limits);
  TracePage page;
  TraceFrame frame;
  page.end = reader->next(frame);
  for (bool first = true; page.end == TraceEvent::frame; first = false) {
    if (!state_fits(*scene->model, frame.state) || !ids_exist(*scene->model, frame.report)) {
      page.end = TraceEvent::corrupt;
      page.reason = fmt::format("frame {} does not fit the scene", reader->frames() - 1);
      break;
    }
    if (first)
      clip.add_initial(frame.state);
    else
      clip.add(frame.report, frame.state);
    page.end = reader->next(frame);
  }
  if (page.end == TraceEvent::truncated) page.dropped_bytes = reader->dropped_bytes();
  if (page.end == TraceEvent::corrupt && page.reason.empty())
    page.reason = fmt::format("at byte {}: {}", reader->offset(), reader->reason());

  const PlayerParts parts = player_parts(clip);
  if (parts.frames == 0) return no_frames(path, page.reason.empty() ? "" : ": " + page.reason);
  page.html = player_page(parts);
  page.name = scene->name;
  page.errors = parts.errors;
  page.frames = parts.frames;
  page.steps = clip.steps();
  page.contacts_left_out = clip.contacts_left_out();
  page.contact_limit = clip.contact_limit();
  return page;
}

}  // namespace cairn
