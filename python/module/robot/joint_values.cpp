// Sets coordinates as users of reduced coordinates expect it: what is not named stays.
#include "module/robot/joint_values.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <utility>

#include "base/union_find.hpp"
#include "cairn/joints.hpp"
#include "model/joint/joint_coordinate.hpp"
#include "module/arrays.hpp"
#include "module/errors.hpp"
#include "module/state.hpp"

namespace cairn::python {
namespace {

constexpr int most_velocities = 3000;  // of a model whose matrices are dense: 0.07 GB each
constexpr double locked = 1e-9;        // motion that is rounding, of the model's size [-]

bool names(const std::vector<JointValue>& values, JointId id) {
  return std::any_of(values.begin(), values.end(),
                     [&](const JointValue& v) { return v.joint == id; });
}

// Whether all named coordinates are independent.
bool are_columns(const JointSpace& space, const std::vector<JointValue>& values) {
  return std::all_of(values.begin(), values.end(), [&](const JointValue& v) {
    return std::find(space.coordinates.begin(), space.coordinates.end(), v.joint) !=
           space.coordinates.end();
  });
}

// The named values, and of a mechanism whose named coordinates are independent of the others these
// with the values that they have.
std::vector<JointValue> with_others(const Model& model, const State& state, const JointSpace& space,
                                    std::vector<JointValue> values) {
  if (!are_columns(space, values)) return values;
  const std::vector<JointValue> named = values;
  for (const JointId id : space.coordinates) {
    if (names(named, id)) continue;
    const JointLimits& limits = model.joints[index(id)].limits;
    values.push_back(
        {id, std::clamp(joint_position(model, state, id), limits.lower, limits.upper)});
  }
  return values;
}

// Whether a body is free to move from one pose to the other, locked directions to rounding.
bool may_move(const Body& body, const Pose& from, const Pose& to, double size) {
  const Vec3 way = to.p - from.p;
  for (std::size_t i = 0; i < 3; ++i)
    if (!body.translations[i] && std::abs(way[static_cast<Eigen::Index>(i)]) > locked * size)
      return false;
  Vec3 turn = (to.R * from.R.conjugate()).vec();
  if (body.rotation == RotationKind::three) return true;
  if (body.rotation == RotationKind::one) turn -= turn.dot(body.axis_W) * body.axis_W;
  return turn.norm() <= locked;
}

// Mechanisms that nothing holds are put back as wholes, so that their first bodies keep their
// poses, where the bodies are free to.
void put_back(const Model& model, const State& before, const JointSpace& space, State& state) {
  base::UnionFind parts;
  parts.reset(model.bodies.size());
  for (const Joint& joint : model.joints)
    if (joint.bodies[0] != BodyId::world && joint.bodies[1] != BodyId::world)
      parts.join(static_cast<int>(joint.bodies[0]), static_cast<int>(joint.bodies[1]));
  std::vector<int> done;
  for (const BodyId first : space.floating) {
    const int part = parts.root(static_cast<int>(first));
    if (std::find(done.begin(), done.end(), part) != done.end()) continue;
    done.push_back(part);
    const Pose X = before.poses[index(first)] * state.poses[index(first)].inverse();
    std::vector<std::pair<std::size_t, Pose>> moved;
    bool allowed = true;
    for (std::size_t i = 0; i < model.bodies.size(); ++i) {
      if (parts.root(static_cast<int>(i)) != part) continue;
      moved.emplace_back(i, X * state.poses[i]);
      moved.back().second.R.normalize();
      allowed = allowed &&
                may_move(model.bodies[i], state.poses[i], moved.back().second, model.length_unit);
    }
    if (!allowed) continue;
    for (const auto& [i, pose] : moved) state.poses[i] = pose;
    state.poses[index(first)] = before.poses[index(first)];
  }
}

}  // namespace

std::vector<JointValue> joint_values(const Model& model, const py::handle& given,
                                     const char* what) {
  std::vector<JointValue> values;
  if (given.is_none()) return values;
  if (py::isinstance<py::dict>(given)) {
    for (const auto& [name, value] : py::reinterpret_borrow<py::dict>(given)) {
      const JointId id = find_joint(model, name);
      const std::string& text = model.joints[index(id)].name;
      if (!model::has_coordinate(model.joints[index(id)]))
        throw py::value_error(fmt::format("{}: joint '{}' is of type {}, which has no coordinate",
                                          what, text, type_name(model.joints[index(id)].type)));
      if (names(values, id))
        throw py::value_error(fmt::format("{}: joint '{}' is named twice", what, text));
      values.push_back({id, number(value, fmt::format("{}: joint '{}'", what, text))});
    }
    return values;
  }
  const Doubles array = numbers(given, what, {static_cast<py::ssize_t>(model.joints.size())});
  for (std::size_t i = 0; i < model.joints.size(); ++i)
    if (model::has_coordinate(model.joints[i]))
      values.push_back({static_cast<JointId>(i), array.data()[i]});
  return values;
}

void require_small(const Model& model) {
  if (model.velocities > most_velocities)
    raise({.kind = ErrorKind::limit,
           .code = ErrorCode::too_large,
           .what = "the model has too many velocities for dense matrices",
           .got = std::to_string(model.velocities),
           .allowed = fmt::format("at most {}", most_velocities),
           .fix = "load the mechanism alone"});
}

void require_usable(const Model& model, const State& state) {
  if (state.poses.size() != model.bodies.size() || state.v.size() != model.velocities)
    throw py::value_error("the state is not one of this model");
  const bool finite = std::isfinite(state.t) && state.v.allFinite() &&
                      std::all_of(state.poses.begin(), state.poses.end(), [](const Pose& X) {
                        return X.p.allFinite() && X.R.coeffs().allFinite();
                      });
  if (!finite) throw py::value_error("the state has numbers that are not finite");
}

void set_joints(const Model& model, const std::vector<JointValue>& positions,
                const std::vector<JointValue>& velocities, State& state) {
  require_usable(model, state);
  require_small(model);
  if (positions.empty() && velocities.empty()) return;
  const Result<JointSpace> space = joint_space(model, state);
  if (!positions.empty()) {
    const State before = state;
    Result<State> moved = with_joint_positions(
        model, state, space ? with_others(model, state, *space, positions) : positions);
    if (!moved)
      for (Error& error : moved.error())
        error.path = "positions";  // others than the given ones too
    state = value_of(std::move(moved));
    if (space) {
      put_back(model, before, *space, state);
      const Result<JointSpace> after = joint_space(model, state);
      if (after && after->coordinates == space->coordinates && after->floating == space->floating)
        state.v = after->S * joint_rates(*space, before);
    }
    for (std::size_t i = 0; i < model.bodies.size(); ++i)
      if (!(state.poses[i] == before.poses[i])) forget_contacts(static_cast<BodyId>(i), state);
  }
  if (!velocities.empty()) state = value_of(with_joint_velocities(model, state, velocities));
  for (std::size_t i = 0; i < model.bodies.size(); ++i)
    forget_impacts(model.bodies[i], static_cast<BodyId>(i), state);
}

}  // namespace cairn::python
