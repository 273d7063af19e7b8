// Reads a session, writes messages.
#include "serve/live_bytes.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "cairn/options.hpp"
#include "play/byte_planes.hpp"
#include "play/frame_of.hpp"
#include "play/pack.hpp"
#include "problem/json_text.hpp"

namespace cairn {
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

std::string hello_text(const Session& session) {
  const Scene& scene = session.scene();
  std::string names, moving;
  for (const char* name : ClipFigures::names())
    names += fmt::format("{}{}", names.empty() ? "" : ",", quoted(name));
  for (const BodyId id : moving_bodies(*scene.model))
    moving += fmt::format("{}{}", moving.empty() ? "" : ",", static_cast<std::int32_t>(id));
  return fmt::format(
      "{{\"hello\":{{\"version\":{},\"program\":{},\"title\":{},\"tolerance\":{},\"contact_limit\":"
      "{},\"figures\":[{}],\"moving\":[{}],\"bodies\":{},\"scene\":{}}}}}",
      frame_version, quoted(CAIRN_VERSION), quoted(scene.name),
      digits(tolerance(scene.simulation.solver)), Session::contact_limit, names, moving,
      bodies_json(*scene.model), scene.resolved);
}

std::string status_text(const Session& session, const Pace& pace) {
  return fmt::format(
      "{{\"status\":{{\"running\":{},\"message\":{},\"speed\":{},\"settings\":{}}}}}",
      session.running(), quoted(session.message()), digits(pace.speed), session.settings_json());
}

std::string error_text(const Errors& errors) {
  return fmt::format("{{\"error\":{}}}", quoted(errors.empty() ? "" : errors.front().text()));
}

std::string scene_text(const Session& session) {
  return fmt::format("{{\"scene\":{{\"file\":{},\"text\":{}}}}}",
                     quoted(file_name(session.scene().name)), quoted(session.scene().resolved));
}

std::string frame_bytes(const ClipFrame& frame, const Session& session, const Pace& pace) {
  const LiveTotals& totals = session.totals();
  std::string out;
  out.reserve(96 + 8 * ClipFigures::count + 52 * frame.bodies.size() + 48 * frame.contacts.size());
  put_number(out, frame_version);
  put_number(out, session.run());
  put_number(out, static_cast<std::uint32_t>(frame.bodies.size()));
  put_number(out, static_cast<std::uint32_t>(frame.contacts.size()));
  for (const double x :
       {frame.t, static_cast<double>(frame.step), session.h(), pace.factor, totals.worst,
        static_cast<double>(totals.steps), static_cast<double>(totals.uncertified)})
    put_number(out, x);
  for (const double x : frame.figures.list()) put_number(out, x);
  for (const ClipBody& body : frame.bodies) {
    for (const double x : body.position) put_number(out, narrow(x));
    for (const float x : body.orientation) put_number(out, x);
    for (const float x : body.velocity) put_number(out, x);
    for (const float x : body.angular_velocity) put_number(out, x);
  }
  for (const ClipContact& c : frame.contacts) {
    put_number(out, c.body_a);
    put_number(out, c.body_b);
    put_number(out, static_cast<std::uint32_t>(static_cast<int>(c.mode) + (c.colliding ? 4 : 0)));
    for (const double x : c.point) put_number(out, narrow(x));
    for (const float x : c.normal) put_number(out, x);
    for (const float x : c.force) put_number(out, x);
  }
  return out;
}

}  // namespace cairn
