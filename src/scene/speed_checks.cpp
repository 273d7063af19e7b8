#include "scene/speed_checks.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

namespace cairn::scene {
namespace {

// A double resolves 2^-53 of a distance, or 1e-16: after a way of 1e10 times its size a body is
// known to 1e-6 of its size.
constexpr double farthest = 1e10;    // in a step, over the radius of the body [-]
constexpr double most_turns = 1e10;  // in a step, known to 1e-6 rad [rad]

constexpr double point_size = 1e-12;  // radius over distance below which it may be rounding [-]

}  // namespace

void check_speeds(const Model& model, double step, const std::vector<BodyDescription>& bodies,
                  model::Checks& checks) {
  const double added = model.gravity.norm() * step;
  bool too_heavy = false;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const BodyDescription& d = bodies[i];
    const std::string path = fmt::format("bodies[{}]", i);
    const std::optional<BodyId> id = model.find_body(d.name);
    if (!id) continue;
    const Body& body = model.body(*id);
    if (body.kind != BodyKind::dynamic) continue;
    const double turning = d.angular_velocity.norm();
    if (turning * step > most_turns)
      checks.error(path + ".angular_velocity", ErrorCode::out_of_range,
                   "body turns too far in a step", fmt::format("{:.6g} rad", turning * step),
                   fmt::format("at most {:g} rad in a step of {} s", most_turns, step),
                   "check the unit, or use a smaller step");
    // A point has no size to resolve; a tiny radius is that of one beside its centre of mass.
    const double size = body.radius;
    if (!(size > point_size * std::max(body.p_Bcm.norm(), d.position.norm()))) continue;
    const double most = farthest * size / step;
    const double speed = d.velocity.norm() + turning * body.radius;
    if (speed > most)
      checks.error(path + ".velocity", ErrorCode::out_of_range,
                   "body moves too far in a step for its size",
                   fmt::format("{:.6g} m/s with its rotation", speed),
                   fmt::format("at most {:.6g} m/s: {:g} times its radius of {:.6g} m in a step of "
                               "{} s",
                               most, farthest, size, step),
                   "check the units, or use a smaller step");
    else if (speed + added > most && !too_heavy) {
      too_heavy = true;
      checks.error("gravity", ErrorCode::out_of_range,
                   "gravity moves bodies too far in a step for their size",
                   model::to_text(model.gravity) + " m/s^2",
                   fmt::format("at most {:.6g} m/s^2 with body '{}'", most / step, d.name),
                   "check the units, or use a smaller step");
    }
  }
}

}  // namespace cairn::scene
