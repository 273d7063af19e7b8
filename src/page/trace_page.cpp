// Reads a trace frame by frame into a clip.
#include "page/trace_page.hpp"

#include "record/trace/trace_walk.hpp"

namespace cairn::page {

Result<TracePage> trace_page(const std::string& path, const play::ClipLimits& limits) {
  Result<record::TraceWalk> walk = record::TraceWalk::open(path);
  if (!walk) return tl::unexpected(walk.error());
  play::Clip clip(walk->scene(), limits);
  TracePage page;
  while (walk->next()) {
    page.t_last = walk->frame().state.t;
    if (walk->frames() == 1) page.t_first = page.t_last;
    if (walk->frames() == 1)
      clip.add_initial(walk->frame().state);
    else
      clip.add(walk->frame().report, walk->frame().state, walk->forces());
  }
  const play::PlayerParts parts = play::player_parts(clip);
  if (parts.frames == 0) return record::no_frames(path, walk->ending());
  page.end = walk->ending().event;
  page.dropped_bytes = walk->ending().dropped_bytes;
  page.reason = walk->ending().reason;
  page.html = play::player_page(parts);
  page.name = walk->scene().name;
  page.errors = parts.errors;
  page.frames = parts.frames;
  page.steps = clip.steps();
  page.contacts_left_out = clip.contacts_left_out();
  page.contact_limit = clip.contact_limit();
  return page;
}

}  // namespace cairn::page
