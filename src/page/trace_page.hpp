// A page with the player, made from a trace.
#pragma once

#include <string>

#include "cairn/trace.hpp"
#include "play/player.hpp"

namespace cairn::page {

struct TracePage {
  std::string html;
  std::string name;                // of the scene
  play::PackErrors errors;         // of rounding
  std::size_t frames = 0;          // in the page
  std::int64_t steps = 0;          // in the trace
  double t_first = 0, t_last = 0;  // of the frames [s]
  std::int64_t contacts_left_out = 0;
  std::size_t contact_limit = 0;     // of a frame
  TraceEvent end = TraceEvent::end;  // how the trace ends
  std::uint64_t dropped_bytes = 0;   // truncated
  std::string reason;                // corrupt: where and what
};

// Fails if the file is no trace or holds no frame.
Result<TracePage> trace_page(const std::string& path, const play::ClipLimits& limits = {});

}  // namespace cairn::page
