#include "scheme/common/active_set.hpp"

#include <algorithm>

#include "constrain/rows.hpp"
#include "dynamics/kinematics.hpp"
#include "model/conventions.hpp"

namespace cairn::scheme {
namespace {

// No point of a dynamic body moves farther than h (|v| + |w| radius) with the old or the free
// velocities; how far prescribed bodies move is known.
collide::Reach reach_of(const Body& body, const Pose& start, const Pose& end, const double* v,
                        const double* v_free, double h) {
  CAIRN_DCHECK(h > 0, h);
  CAIRN_DCHECK(body.radius >= 0, body.name, body.radius);
  if (body.kind == BodyKind::fixed) return {};
  if (body.kind == BodyKind::prescribed) {
    const double turn = start.R.angularDistance(end.R);
    return {(end.p - start.p).norm() + turn * body.radius, turn};
  }
  const double speed = std::max(dynamics::linear_velocity(body, v).norm(),
                                dynamics::linear_velocity(body, v_free).norm());
  const double spin = std::max(dynamics::angular_velocity(body, start, v).norm(),
                               dynamics::angular_velocity(body, start, v_free).norm());
  return {h * (speed + spin * body.radius), 0};
}

}  // namespace

void find_candidates(const Model& model, const State& state, const VecX& v_free,
                     std::span<const Pose> poses_end, const ActiveSetRule& rule, double h,
                     ActiveSetBuffers& buffers, std::vector<Contact>& candidates) {
  CAIRN_DCHECK(h > 0, h);
  CAIRN_DCHECK(v_free.size() == model.velocities, v_free.size());
  CAIRN_DCHECK(poses_end.size() == model.bodies.size(), poses_end.size());
  buffers.reach.clear();
  double fastest = 0;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body& body = model.bodies[i];
    buffers.reach.push_back(reach_of(body, state.poses[i], poses_end[i],
                                     state.v.data() + body.first_velocity,
                                     v_free.data() + body.first_velocity, h));
    if (body.velocities > 0) buffers.reach.back().shift += rule.margin;
    if (body.velocities > 0)
      fastest = std::max(
          fastest, dynamics::linear_velocity(body, state.v.data() + body.first_velocity).norm());
  }
  double limit = std::numeric_limits<double>::infinity();
  if (rule.active_set != ActiveSet::complete) {
    limit = rule.active_set == ActiveSet::distance ? rule.active_distance
                                                   : rule.active_factor * h * fastest;
    for (collide::Reach& reach : buffers.reach) reach = {limit, 0};
  }
  buffers.finder.events = rule.events;
  buffers.ahead.assign(poses_end.begin(), poses_end.end());
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body& body = model.bodies[i];
    if (body.velocities > 0)
      buffers.ahead[i] =
          dynamics::advanced(body, state.poses[i], state.v.data() + body.first_velocity, h);
  }
  buffers.finder.find(model, state.poses, buffers.ahead, buffers.reach,
                      of_role(state.impulses, Role::contact), candidates);
  for (Contact& c : candidates) constrain::orient(model, state.poses, c);
  std::erase_if(candidates, [&](const Contact& c) { return c.rows == 0 || c.gap > limit; });
  model::dcheck_contacts(model, candidates);
}

double find_overlaps(const Model& model, std::span<const Pose> poses_end,
                     ActiveSetBuffers& buffers) {
  buffers.finder.find_overlaps(model, poses_end, buffers.at_end);
  double deepest = 0;
  for (const Contact& c : buffers.at_end) deepest = std::max(deepest, -c.gap);
  return deepest;
}

int add_missed(const Model& model, const State& state, ActiveSetBuffers& buffers,
               std::vector<Contact>& candidates) {
  CAIRN_DCHECK(base::is_strictly_sorted(candidates, [](const Contact& c) { return c.key; }));
  const double rounding = 1e-13 * model.length_unit;
  const auto known = static_cast<std::ptrdiff_t>(candidates.size());
  int added = 0;
  for (const Contact& end : buffers.at_end) {
    if (!(end.gap < -rounding) || end.key.feature == collide::ContactFinder::along_axis) continue;
    if (std::binary_search(candidates.begin(), candidates.begin() + known, end, by_key)) continue;
    Contact start;
    if (!buffers.finder.find_one(model, state.poses, end.key, start)) continue;
    constrain::orient(model, state.poses, start);
    if (start.rows == 0) continue;
    candidates.push_back(start);
    ++added;
  }
  std::sort(candidates.begin(), candidates.end(), by_key);
  model::dcheck_contacts(model, candidates);
  return added;
}

}  // namespace cairn::scheme
