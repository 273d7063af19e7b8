// Shots: a body in flight against a plate, a blade or another body, without gravity.
#include <cmath>
#include <fmt/format.h>
#include <numbers>

#include "families/generators.hpp"
#include "families/limits.hpp"
#include "families/oracle/sides.hpp"

namespace cairn::families {
namespace {

constexpr const char* shapes[] = {"box", "hull", "capsule", "ellipsoid", "sphere", "rod"};

// The body in flight and what it is aimed at, in the frame of the target.
struct Shot {
  Random& random;
  Trial& trial;
  double h = 0;
  double size = 0;               // of the body [m]
  double outer = 0;              // bound of the distance of its points from the centre [m]
  double speed = 0;              // [m/s]
  double thickness = 0;          // of a plate [m]
  Pose X_WT = {};                // of the target's frame
  Vec3 position = Vec3::Zero();  // of the body, in the target's frame [m]
  Vec3 velocity = Vec3::Zero();  // likewise [m/s]
  double fastest = 0;            // relative speed that the scene can bring about [m/s]
};

// The centre of mass of a hull of random points is anywhere in it.
double outer_bound(const std::string& shape, double size) {
  return shape == "hull" ? size : 0.5001 * size;
}

// Up to some turns in a step; rods always spin.
Vec3 random_spin(Shot& s, const std::string& shape) {
  if (shape != "rod" && s.random.chance(0.3)) return Vec3::Zero();
  const double least = shape == "rod" ? 0.5 : 0.01;
  return s.random.direction() * (s.random.log_between(least, 4 * std::numbers::pi) / s.h);
}

void add_projectile(Shot& s) {
  Json body =
      free_body("body", random_shape(s.trial.shape, s.size, s.random),
                s.random.log_between(0.01, 10), s.X_WT * s.position, s.random.orientation());
  body["velocity"] = to_json(Vec3(s.X_WT.R * s.velocity));
  body["angular_velocity"] = to_json(random_spin(s, s.trial.shape));
  s.trial.scene["bodies"].push_back(body);
}

// Towards a point of the plate z = 0, up to 60 degrees from its normal, so that the body arrives
// within some steps; `closing` is a speed of the plate towards the body.
void aim(Shot& s, const Vec3& point, double closing) {
  const double slant = s.random.between(0, std::numbers::pi / 3);
  const double phi = s.random.between(0, 2 * std::numbers::pi);
  const Vec3 d(std::sin(slant) * std::cos(phi), std::sin(slant) * std::sin(phi), -std::cos(slant));
  const double approach = s.speed * std::cos(slant) + closing;
  const double before = s.random.between(0.02, 2.5);  // steps until the bounding ball arrives
  const double height = s.outer + s.thickness / 2 + approach * s.h * before;
  s.velocity = s.speed * d;
  s.position = point - d * (s.speed * before * s.h);
  s.position.z() = height;
  s.trial.steps = static_cast<int>(std::ceil(before + s.outer / (approach * s.h)));
  s.trial.steps = std::min(s.trial.steps, 200) + s.random.whole(3, 10);
  s.fastest = s.speed + closing;
}

// Half the sides of a plate: large, so that no flight gets round it, or of ordinary size.
Vec3 plate_half(Shot& s, bool large) {
  const double flight = s.fastest * s.h * s.trial.steps + s.size;
  const double x = large ? 8 * flight : s.size * s.random.log_between(3, 30);
  const double y = large ? 8 * flight : s.size * s.random.log_between(3, 30);
  return Vec3(x, y, s.thickness / 2);
}

void judge_plate(Shot& s, const Vec3& half) {
  const PlateSides sides{"plate", "body", half.x(), half.y(), s.trial.exact_paths};
  s.trial.judge = [sides](const Moment& m, Outcome& out) { note(sides.judge(m), out); };
}

void at_fixed_plate(Shot& s) {
  aim(s, Vec3::Zero(), 0);
  const Vec3 half = plate_half(s, s.random.chance(0.5));
  s.position += s.random.in_box(Vec3(0.5 * half.x(), 0.5 * half.y(), 0));
  s.trial.scene["bodies"].push_back(fixed_body("plate", box_shape(2 * half), s.X_WT.p, s.X_WT.R));
  judge_plate(s, half);
}

void at_free_plate(Shot& s) {
  const double closing = s.random.chance(0.5) ? 0 : s.speed * s.random.between(0, 0.5);
  aim(s, Vec3::Zero(), closing);
  const Vec3 half = plate_half(s, s.random.chance(0.5));
  s.position += s.random.in_box(Vec3(0.4 * half.x(), 0.4 * half.y(), 0));
  Json plate =
      free_body("plate", box_shape(2 * half), s.random.log_between(0.01, 100), s.X_WT.p, s.X_WT.R);
  plate["velocity"] = to_json(Vec3(s.X_WT.R * Vec3(0, 0, closing)));
  s.trial.scene["bodies"].push_back(plate);
  judge_plate(s, half);
}

// With a prescribed velocity, towards the body and sideways.
void at_moving_plate(Shot& s) {
  const double closing = s.random.log_between(0.1, 300);
  aim(s, Vec3::Zero(), closing);
  s.fastest += closing;
  const Vec3 half = plate_half(s, true);
  const Vec3 v = s.X_WT.R * Vec3(closing * s.random.between(-1, 1), 0, closing);
  Json position = Json::array();
  for (int i = 0; i < 3; ++i) position.push_back(linear_in_time(s.X_WT.p[i], v[i]));
  s.trial.scene["bodies"].push_back({{"name", "plate"},
                                     {"orientation", to_json(s.X_WT.R)},
                                     {"motion", {{"position", position}}},
                                     {"shapes", Json::array({box_shape(2 * half)})}});
  judge_plate(s, half);
}

// At the same place at both ends of every step, and into the body in between.
void at_shaking_plate(Shot& s) {
  const int periods = s.random.whole(1, 3);
  const double fastest = s.random.log_between(1, 1000);
  const double amplitude = fastest * s.h / (2 * std::numbers::pi * periods);
  const bool at_rest = s.random.chance(0.5);
  if (at_rest) s.speed = 0;
  s.velocity = Vec3(0, 0, -s.speed);
  s.position = Vec3(0, 0, s.outer + s.thickness / 2 + s.random.between(0.01, 0.9) * amplitude);
  s.trial.steps = s.random.whole(3, 10);
  s.fastest = s.speed + fastest;
  const Vec3 half = plate_half(s, true), n = s.X_WT.R * Vec3::UnitZ();
  Json position = Json::array();
  for (int i = 0; i < 3; ++i)
    position.push_back(fmt::format("{:.17g} + ({:.17g})*sin({:.17g}*t)", s.X_WT.p[i],
                                   amplitude * n[i], 2 * std::numbers::pi * periods / s.h));
  s.trial.scene["bodies"].push_back({{"name", "plate"},
                                     {"orientation", to_json(s.X_WT.R)},
                                     {"motion", {{"position", position}}},
                                     {"shapes", Json::array({box_shape(2 * half)})}});
  judge_plate(s, half);
}

// Turns about y of its frame, from x to -z; half of them by full turns a step.
void at_blade(Shot& s) {
  using std::numbers::pi;
  // So long that the body fits between the two arms.
  const double beside = s.outer + s.thickness / 2;
  const double length = std::max(s.size * s.random.log_between(6, 20), 3 * beside);
  const bool periodic = s.random.chance(0.5);
  const double rate =
      periodic ? 2 * pi * s.random.whole(1, 3) / s.h : s.random.log_between(1, 1000) / length;
  const double radius = length * s.random.between(0.4, 0.7);
  const double clear = std::asin(beside / radius);
  const double ahead = clear + rate * s.h * s.random.between(0.02, 2.5);
  const double phi = std::min({ahead, s.random.between(0.6, 0.75) * pi, pi - 1.001 * clear});
  s.position = radius * Vec3(std::cos(phi), 0, -std::sin(phi));
  s.speed = s.random.chance(0.5) ? 0 : std::min(s.speed, radius / s.h / 8);
  s.velocity = Vec3(0, 0, s.speed);
  s.fastest = s.speed + rate * length;
  s.trial.steps = s.random.whole(4, 12);
  const Vec3 half(length, 4 * s.size + s.speed * s.h, s.thickness / 2);
  const Vec3 axis = s.X_WT.R * Vec3::UnitY();
  s.trial.scene["bodies"].push_back({{"name", "blade"},
                                     {"orientation", to_json(s.X_WT.R)},
                                     {"motion",
                                      {{"position", to_json(s.X_WT.p)},
                                       {"axis", to_json(axis)},
                                       {"angle", fmt::format("{:.17g}*t", rate)}}},
                                     {"shapes", Json::array({box_shape(2 * half)})}});
  const BladeSides sides{"blade", "body", half.x(), half.y()};
  s.trial.judge = [sides](const Moment& m, Outcome& out) { note(sides.judge(m), out); };
}

// The other body comes the other way, so near to the line of flight that the balls inside them
// would meet.
void at_body(Shot& s) {
  const double other = s.size * s.random.log_between(0.3, 3);
  const double closing = s.speed * s.random.between(0.01, 1);
  const std::string shape = shapes[s.random.whole(0, 5)];
  const double reach = outer_bound(shape, other);
  const double before = s.random.between(0.02, 2.5);
  s.velocity = Vec3(0, 0, -s.speed);
  s.position = Vec3(0, 0, s.outer + reach + (s.speed + closing) * s.h * before);
  s.trial.steps =
      static_cast<int>(std::ceil(before + (s.outer + reach) / ((s.speed + closing) * s.h)));
  s.trial.steps = std::min(s.trial.steps, 200) + s.random.whole(3, 10);
  s.fastest = s.speed + closing;
  Json target = free_body("other", random_shape(shape, other, s.random),
                          s.random.log_between(0.01, 10), s.X_WT.p, s.random.orientation());
  target["velocity"] = to_json(Vec3(s.X_WT.R * Vec3(0, 0, closing)));
  target["angular_velocity"] = to_json(random_spin(s, shape));
  s.trial.scene["bodies"].push_back(target);
  const BallsApart sides{"body", "other"};
  s.trial.judge = [sides](const Moment& m, Outcome& out) { note(sides.judge(m), out); };
}

struct Target {
  const char* name;
  double share;
  void (*place)(Shot&);
};
constexpr Target targets[] = {
    {"fixed plate", 0.30, at_fixed_plate},
    {"free plate", 0.25, at_free_plate},
    {"body", 0.15, at_body},
    {"moving plate", 0.10, at_moving_plate},
    {"shaking plate", 0.08, at_shaking_plate},
    {"blade", 0.12, at_blade},
};

const Target& pick_target(Random& random) {
  double left = random.unit();
  for (const Target& target : targets)
    if ((left -= target.share) < 0) return target;
  return targets[0];
}

}  // namespace

Trial make_shot(const Family& family, const Settings& settings, std::int64_t number) {
  const Turn turn = turn_of(family, settings, number);
  Random random(settings.seed, 1, static_cast<std::uint64_t>(number));
  Trial trial;
  trial.name = fmt::format("shot-{}-{}", settings.seed, number);
  trial.scheme = turn.scheme;
  trial.h = turn.h;
  trial.shape = shapes[turn.round % 6];
  trial.exact_paths = turn.scheme == "euler" || turn.scheme == "relaxed";
  trial.scene =
      empty_scene(trial.name, Vec3::Zero(), random.between(0, 0.8), random.between(0, 0.9));
  Shot shot{.random = random, .trial = trial, .h = turn.h};
  shot.size = random.log_between(0.02, 0.5);
  shot.outer = outer_bound(trial.shape, shot.size);
  shot.speed = random.log_between(1, 1000);
  shot.thickness = random.log_between(0.001, 0.1);
  shot.X_WT = {random.in_box(Vec3::Constant(1)), random.orientation()};
  const Target& target = pick_target(random);
  trial.target = target.name;
  target.place(shot);
  add_projectile(shot);
  trial.moderate = shot.fastest * turn.h <= moderate_sizes * shot.size;
  trial.must_accept = trial.moderate;
  set_simulation(trial.scene, turn.scheme, turn.h, trial.steps);
  return trial;
}

}  // namespace cairn::families
