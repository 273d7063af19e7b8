// Mechanisms under loads: plank bridges on ball joints, rope ladders, ragdolls on the floor.
#include <cmath>
#include <fmt/format.h>
#include <numbers>

#include "families/generators.hpp"
#include "families/limits.hpp"
#include "families/oracle/energy.hpp"
#include "families/oracle/sides.hpp"
#include "families/ragdoll.hpp"

namespace cairn::families {
namespace {

const Vec3 gravity(0, 0, -9.81);

struct Build {
  Random& random;
  Json& scene;
  Json& bodies() { return scene["bodies"]; }
  Json& joints() { return scene["joints"]; }
};

Anchor at(const std::string& body, const Vec3& position, const Vec3& point) {
  return {body, {position, Quat::Identity()}, point};
}

Anchor in_world(const Vec3& point) {
  return {"world", {}, point};
}

// Boxes and balls that together weigh `total`, each over a place of its own.
void add_loads(Build& b, double total, int count, double z, const Vec3& first, const Vec3& last) {
  // No load begins inside its neighbour.
  const double widest = count > 1 ? 0.95 * std::abs((last - first).x()) / count : 0.3;
  for (int i = 0; i < count; ++i) {
    const double size = std::min(b.random.between(0.15, 0.3), widest);
    const bool ball = b.random.chance(0.3);
    const Vec3 where = first + (last - first) * ((i + 0.5) / count) +
                       Vec3(0, 0, z + size / 2 + b.random.log_between(1e-4, 0.1));
    const Json shape =
        ball ? sphere_shape(size / 2) : box_shape(size * Vec3(1, b.random.between(0.6, 1), 1));
    b.bodies().push_back(free_body(fmt::format("load{}", i), shape, total / count, where));
  }
}

// Planks in a row, hinged by two ball joints each; the far end hangs on two ropes.
void add_bridge(Build& b, int planks) {
  const double pitch = b.random.between(0.25, 0.4), thick = b.random.between(0.02, 0.06);
  const double mass = b.random.between(1, 10);
  const Vec3 size(0.93 * pitch, 1, thick);
  std::string last = "world";
  Vec3 last_position = Vec3::Zero();
  for (int i = 0; i < planks; ++i) {
    const std::string name = fmt::format("plank{:02}", i);
    const Vec3 position((i + 0.5) * pitch, 0, 0);
    b.bodies().push_back(free_body(name, box_shape(size), mass, position));
    for (const double y : {-0.4, 0.4}) {
      const Vec3 hinge(i * pitch, y, 0);
      const Anchor a = last == "world" ? in_world(hinge) : at(last, last_position, hinge);
      b.joints().push_back(joint(fmt::format("hinge{:02}{}", i, y < 0 ? 'a' : 'b'), "ball", a,
                                 at(name, position, hinge)));
    }
    last = name;
    last_position = position;
  }
  // Two ropes of different heights would hold the end in one place, and the bridge, which begins
  // straight, could not move at all.
  const double end = planks * pitch, height = b.random.between(0.2, 0.8);
  for (const double y : {-0.4, 0.4})
    b.joints().push_back(joint(y < 0 ? "ropea" : "ropeb", "distance",
                               in_world(Vec3(end + 0.5, y, height)),
                               at(last, last_position, Vec3(end, y, 0))));
  const int loads = b.random.whole(1, std::min(planks, 4));
  add_loads(b, mass * b.random.log_between(5, 500), loads, thick / 2, Vec3::Zero(),
            Vec3(end, 0, 0));
}

// Rungs on two ropes of distance joints, a heavy box on the lowest one, all of it swinging at a
// wall.
void add_ladder(Build& b, int rungs) {
  const double pitch = b.random.between(0.25, 0.4), mass = b.random.between(0.5, 3);
  const Quat along_y = Quat(Eigen::AngleAxisd(std::numbers::pi / 2, Vec3::UnitX()));
  const double speed = b.random.between(0.2, 2);
  std::string last = "world";
  Pose last_pose;
  const auto tie = [&](int i, const std::string& name, const Pose& X, double drop) {
    for (const double y : {-0.25, 0.25}) {
      const Vec3 low(0, y, X.p.z() + drop), high(0, y, X.p.z() + pitch);
      b.joints().push_back(joint(fmt::format("rope{:02}{}", i, y < 0 ? 'a' : 'b'), "distance",
                                 {last, last_pose, last == "world" ? Vec3(0, y, 0) : high},
                                 {name, X, low}));
    }
  };
  const double length = (rungs + 1) * pitch;
  for (int i = 0; i < rungs; ++i) {
    const std::string name = fmt::format("rung{:02}", i);
    const Pose X{Vec3(0, 0, -(i + 1) * pitch), along_y};
    Json rung = free_body(name, capsule_shape(0.02, 0.5), mass, X.p, X.R);
    rung["velocity"] = to_json(Vec3(speed * (i + 1) * pitch / length, 0, 0));
    b.bodies().push_back(rung);
    tie(i, name, X, 0);
    last = name;
    last_pose = X;
  }
  const Pose X{Vec3(0, 0, -(rungs + 1) * pitch), Quat::Identity()};
  Json load =
      free_body("load", box_shape(Vec3(0.3, 0.6, 0.2)), mass * b.random.log_between(5, 500), X.p);
  load["velocity"] = to_json(Vec3(speed, 0, 0));
  b.bodies().push_back(load);
  tie(rungs, "load", X, 0.1);
  b.bodies().push_back(fixed_body("wall", box_shape(Vec3(0.1, 4, 3 * length)),
                                  Vec3(b.random.between(0.3, 0.6), 0, -length / 2)));
}

// A ragdoll on the floor with boxes above it.
void add_loaded_ragdoll(Build& b) {
  b.bodies().push_back(
      fixed_body("floor", {{"type", "halfspace"}, {"normal", {0, 0, 1}}}, Vec3::Zero()));
  const double mass = b.random.between(2, 5);
  add_ragdoll(b.scene, "", mass, {Vec3(0, 0, 0.16), Quat::Identity()}, b.random);
  add_loads(b, mass * b.random.log_between(5, 500), b.random.whole(1, 3), 0.32,
            Vec3(0, 0, b.random.between(0, 0.3)), Vec3(0.6, 0, 0.1));
}

// No load goes through a plank: its centre never crosses the middle of one inside the outline.
std::vector<PlateSides> planks_and_loads(const Json& scene) {
  std::vector<PlateSides> sides;
  for (const Json& plank : scene["bodies"])
    for (const Json& load : scene["bodies"]) {
      const std::string a = plank["name"], b = load["name"];
      if (!a.starts_with("plank") || !b.starts_with("load")) continue;
      const Json& size = plank["shapes"][0]["size"];
      sides.push_back({.plate = a,
                       .body = b,
                       .half_x = size[0].get<double>() / 2,
                       .half_y = size[1].get<double>() / 2,
                       .margin = 0});
    }
  return sides;
}

void judge_mechanism(Trial& trial) {
  auto watch = std::make_shared<EnergyWatch>();
  const std::vector<PlateSides> sides = planks_and_loads(trial.scene);
  trial.judge = [watch, sides](const Moment& m, Outcome& out) {
    (*watch)(m, out);
    out.raise("joint", joint_error(m.world, m.after.poses));
    for (const PlateSides& s : sides)
      if (s.judge(m) == Crossing::through) out.passed = true;
  };
  trial.finish = [](Outcome& out) {
    if (out.figure("gain") > gain_limit) out.fault("gains energy");
    if (out.figure("joint") > joint_limit) out.fault("open joints");
  };
}

}  // namespace

Trial make_bridge(const Family& family, const Settings& settings, std::int64_t number) {
  const Turn turn = turn_of(family, settings, number);
  Random random(settings.seed, 2, static_cast<std::uint64_t>(number));
  Trial trial;
  trial.name = fmt::format("bridge-{}-{}", settings.seed, number);
  trial.scheme = turn.scheme;
  trial.h = turn.h;
  const double duration = settings.duration > 0 ? settings.duration : 10;
  trial.steps = static_cast<int>(std::ceil(duration / turn.h));
  trial.scene = empty_scene(trial.name, gravity, random.between(0.3, 0.8), 0);
  trial.scene["joints"] = Json::array();
  Build build{random, trial.scene};
  switch (turn.round % 4) {
    case 2:
      trial.shape = "ladder";
      add_ladder(build, static_cast<int>(random.log_between(2, 13)));
      break;
    case 3:
      trial.shape = "ragdoll";
      add_loaded_ragdoll(build);
      break;
    default: {
      const int planks = static_cast<int>(random.log_between(2, 41));
      trial.shape = planks < 10 ? "bridge 2-9" : "bridge 10-40";
      add_bridge(build, planks);
    }
  }
  judge_mechanism(trial);
  set_simulation(trial.scene, turn.scheme, turn.h, trial.steps);
  return trial;
}

}  // namespace cairn::families
