// Reads a session, writes messages.
#include "serve/live_bytes.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "base/json/json_text.hpp"
#include "bytes/byte_planes.hpp"
#include "cairn/options.hpp"
#include "play/frame_of.hpp"
#include "play/pack.hpp"

namespace cairn::serve {
namespace {

constexpr std::uint32_t frame_version = 1;

float narrow(double x) {
  constexpr double most = std::numeric_limits<float>::max();
  return static_cast<float>(std::clamp(std::isnan(x) ? 0 : x, -most, most));
}

// A file name that every system takes.
std::string file_name(const std::string& name) {
  std::string result;
  for (const char c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '_';
    if (result.size() < 60) result += plain ? c : '_';
  }
  return (result.empty() ? "scene" : result) + "_live.json";
}

}  // namespace

std::string hello_text(const Scene& scene, bool passive) {
  std::string names, moving;
  for (const char* name : play::ClipFigures::names())
    names += fmt::format("{}{}", names.empty() ? "" : ",", json::json_string(name));
  for (const BodyId id : play::moving_bodies(*scene.model))
    moving += fmt::format("{}{}", moving.empty() ? "" : ",", static_cast<std::int32_t>(id));
  return fmt::format(
      "{{\"hello\":{{\"version\":{},\"program\":{},\"title\":{},\"tolerance\":{},\"contact_limit\":"
      "{},\"passive\":{},\"figures\":[{}],\"moving\":[{}],\"bodies\":{},\"scene\":{}}}}}",
      frame_version, json::json_string(CAIRN_VERSION), json::json_string(scene.name),
      json::digits(tolerance(scene.simulation.solver)), Session::contact_limit, passive, names,
      moving, play::bodies_json(*scene.model), scene.resolved);
}

std::string status_text(const Session& session, const Pace& pace) {
  return fmt::format(
      "{{\"status\":{{\"running\":{},\"message\":{},\"speed\":{},\"settings\":{}}}}}",
      session.running(), json::json_string(session.message()), json::digits(pace.speed),
      session.settings_json());
}

std::string followed_status_text(const Pace& pace) {
  return fmt::format("{{\"status\":{{\"running\":true,\"message\":\"\",\"speed\":{}}}}}",
                     json::digits(pace.speed));
}

std::string error_text(const Errors& errors) {
  return fmt::format("{{\"error\":{}}}",
                     json::json_string(errors.empty() ? "" : errors.front().text()));
}

std::string scene_text(const Scene& scene) {
  return fmt::format("{{\"scene\":{{\"file\":{},\"text\":{}}}}}",
                     json::json_string(file_name(scene.name)), json::json_string(scene.resolved));
}

std::string frame_bytes(const play::ClipFrame& frame, const Session& session, const Pace& pace) {
  return frame_bytes(
      frame, FrameHead{.run = session.run(), .h = session.h(), .totals = session.totals()}, pace);
}

std::string frame_bytes(const play::ClipFrame& frame, const FrameHead& head, const Pace& pace) {
  const LiveTotals& totals = head.totals;
  std::string out;
  out.reserve(96 + 8 * play::ClipFigures::count + 52 * frame.bodies.size() +
              48 * frame.contacts.size());
  bytes::put_number(out, frame_version);
  bytes::put_number(out, head.run);
  bytes::put_number(out, static_cast<std::uint32_t>(frame.bodies.size()));
  bytes::put_number(out, static_cast<std::uint32_t>(frame.contacts.size()));
  for (const double x :
       {frame.t, static_cast<double>(frame.step), head.h, pace.factor, totals.worst,
        static_cast<double>(totals.steps), static_cast<double>(totals.rejected)})
    bytes::put_number(out, x);
  for (const double x : frame.figures.list()) bytes::put_number(out, x);
  for (const play::ClipBody& body : frame.bodies) {
    for (const double x : body.position) bytes::put_number(out, narrow(x));
    for (const float x : body.orientation) bytes::put_number(out, x);
    for (const float x : body.velocity) bytes::put_number(out, x);
    for (const float x : body.angular_velocity) bytes::put_number(out, x);
  }
  for (const play::ClipContact& c : frame.contacts) {
    bytes::put_number(out, c.body_a);
    bytes::put_number(out, c.body_b);
    bytes::put_number(out,
                      static_cast<std::uint32_t>(static_cast<int>(c.mode) + (c.colliding ? 4 : 0) +
                                                 8 * static_cast<int>(c.kind)));
    for (const double x : c.point) bytes::put_number(out, narrow(x));
    for (const float x : c.normal) bytes::put_number(out, x);
    for (const float x : c.force) bytes::put_number(out, x);
  }
  return out;
}

}  // namespace cairn::serve
