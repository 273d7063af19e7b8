// Restitution with several contacts: boxes with balls, cubes or planks under every law, and
// rebounds of one to four balls against closed forms.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "families/generators.hpp"
#include "families/limits.hpp"
#include "families/oracle/energy.hpp"

namespace cairn::families {
namespace {

constexpr double gravity = 9.81;  // [m/s^2]

constexpr const char* laws[] = {"newton", "poisson", "stronge"};
constexpr double restitutions[] = {0, 0.5, 0.9};

// The law and e of a round; what is left of its number.
struct Impact {
  std::string law;
  double e = 0;
  std::int64_t rest = 0;
};
Impact impact_of(std::int64_t round) {
  return {laws[round % 3], restitutions[round / 3 % 3], round / 9};
}

// Schemes take laws other than Newton's at the moment of the impact.
void set_bouncing(Json& scene, const Turn& turn, int steps, const Impact& impact) {
  set_simulation(scene, turn.scheme, turn.h, steps);
  scene["materials"]["default"]["restitution_law"] = impact.law;
  if (turn.scheme == "relaxed")
    scene["simulation"]["scheme"] = {{"type", "relaxed"}, {"restitution", "completed"}};
}

// The shape and its bounding radius.
struct Bouncer {
  Json shape;
  double outer = 0;  // [m]
};
Bouncer bouncer(const std::string& kind, Random& random) {
  if (kind == "balls") {
    const double r = random.between(0.03, 0.06);
    return {sphere_shape(r), r};
  }
  const Vec3 size = kind == "cubes" ? Vec3(Vec3::Constant(random.between(0.05, 0.1)))
                                    : Vec3(random.between(0.15, 0.25), random.between(0.04, 0.08),
                                           random.between(0.02, 0.04));
  return {box_shape(size), size.norm() / 2};
}

}  // namespace

Trial make_box_of_bouncers(const Family& family, const Settings& settings, std::int64_t number) {
  const Turn turn = turn_of(family, settings, number);
  Random random(settings.seed, 6, static_cast<std::uint64_t>(number));
  const Impact impact = impact_of(turn.round);
  static constexpr const char* kinds[] = {"balls", "cubes", "planks"};
  static constexpr int counts[] = {8, 20, 40, 100};
  const std::string kind = kinds[impact.rest % 3];
  const int count = counts[impact.rest / 3 % 4];
  Trial trial;
  trial.name = fmt::format("bouncers-{}-{}", settings.seed, number);
  trial.scheme = turn.scheme;
  trial.h = turn.h;
  trial.shape = fmt::format("{:3} {}", count, kind);
  trial.target = fmt::format("{} e={}", impact.law, impact.e);
  const double duration = settings.duration > 0 ? settings.duration : 0.6;
  trial.steps = static_cast<int>(std::ceil(duration / turn.h));
  trial.scene = empty_scene(trial.name, Vec3(0, 0, -gravity), random.between(0, 0.8), impact.e);
  const int side = count <= 8 ? 2 : count <= 40 ? 3 : 4;
  const double cell = kind == "planks" ? 0.28 : kind == "cubes" ? 0.18 : 0.125;
  trial.scene["bodies"].push_back(bin(side * cell / 2));
  for (int i = 0; i < count; ++i) {
    const Bouncer b = bouncer(kind, random);
    const Vec3 place((i % side + 0.5) * cell - side * cell / 2,
                     (i / side % side + 0.5) * cell - side * cell / 2,
                     (i / (side * side) + 0.6) * cell);
    Json body = free_body(fmt::format("b{:03}", i), b.shape, 1, place, random.orientation());
    body.erase("mass");
    body["density"] = random.log_between(300, 3000);
    body["velocity"] = to_json(Vec3(random.in_box(Vec3::Constant(1))));
    trial.scene["bodies"].push_back(body);
  }
  auto watch = std::make_shared<EnergyWatch>();
  trial.judge = [watch](const Moment& m, Outcome& out) { (*watch)(m, out); };
  trial.finish = [](Outcome& out) {
    if (out.figure("gain") > gain_limit) out.fault("gains energy");
  };
  set_bouncing(trial.scene, turn, trial.steps, impact);
  return trial;
}

namespace {

// What balls do after the impact, along the line on which they move.
struct Expected {
  std::vector<double> speed;  // of each ball over that of the first before the impact [-]
};

// A ball of the row that is hit: simultaneous impacts of n equal balls, any law (E223 to E225).
Expected row_of(int n, double e) {
  Expected all;
  for (int i = 0; i < n; ++i) all.speed.push_back((1 + e) / n - (i == 0 ? e : 0));
  return all;
}

// Balls fall side by side, or as a column whose balls touch. Every ball rises to e^2 of its fall: a
// column has compression impulses n m v, ..., m v from the bottom up, and each returns e of its
// own.
void add_fall(Trial& trial, const Impact& impact, int count, bool column, Random& random) {
  const double radius = random.between(0.05, 0.2), height = random.between(0.3, 1);
  Json& bodies = trial.scene["bodies"];
  bodies.push_back(
      fixed_body("floor", {{"type", "halfspace"}, {"normal", {0, 0, 1}}}, Vec3::Zero()));
  for (int i = 0; i < count; ++i) {
    const Vec3 place = column ? Vec3(0, 0, height + (2 * i + 1) * radius)
                              : Vec3(3 * i * radius, 0, height + radius);
    bodies.push_back(free_body(fmt::format("ball{}", i), sphere_shape(radius), 1, place));
  }
  const double v = std::sqrt(2 * gravity * height), e = impact.e, h = trial.h;
  trial.steps = static_cast<int>(std::ceil((1 + 0.5 * e) * v / gravity / h)) + 4;
  // Without events the impact is in the step before it, at up to h v above the floor, with a speed
  // that is known to g h.
  const bool events = trial.scheme != "euler";
  const double allowed =
      events ? rebound_error : (2 * (1 + e) * h * v + 2 * gravity * h * h) / height;
  enum Stage : char { falls, fast, bounced };
  auto done = std::make_shared<std::vector<Stage>>(static_cast<std::size_t>(count), falls);
  trial.judge = [=](const Moment& m, Outcome& out) {
    for (int i = 0; i < count; ++i) {
      const std::size_t body = m.world.body(fmt::format("ball{}", i));
      const Body& b = m.world.model().bodies[body];
      const double z = m.after.v[b.first_velocity + 2];
      Stage& stage = (*done)[static_cast<std::size_t>(i)];
      if (stage == falls && z < -0.5 * v) stage = fast;
      // After the impact; without restitution the ball rests from then on. A step without events
      // may end on the floor with any speed.
      if (stage != fast || !(z > -0.01 * v)) continue;
      stage = bounced;
      const double low = column ? (2 * i + 1) * radius : radius;
      const double rise = m.after.poses[body].p.z() - low + (z > 0 ? z * z / (2 * gravity) : 0);
      const double error = std::abs(rise - e * e * height) / height;
      out.raise("height", error / allowed);
      if (!(error <= allowed)) out.fault("bounces to another height");
    }
  };
  trial.finish = [done](Outcome& out) {
    for (const Stage stage : *done)
      if (stage != bounced) out.fault("does not bounce");
  };
}

void add_row(Trial& trial, const Impact& impact, int count, Random& random) {
  trial.scene["gravity"] = {0, 0, 0};
  const double radius = random.between(0.05, 0.2), v = random.between(1, 5);
  const Vec3 along = random.direction();
  for (int i = 0; i < count; ++i) {
    const double gap = i == 0 ? 0.1 * radius : 0;
    Json ball = free_body(fmt::format("ball{}", i), sphere_shape(radius), 1,
                          Vec3((2 * i * radius - gap) * along));
    if (i == 0) ball["velocity"] = to_json(Vec3(v * along));
    trial.scene["bodies"].push_back(ball);
  }
  trial.steps = static_cast<int>(std::ceil(0.2 * radius / v / trial.h)) + 4;
  const Expected expected = row_of(count, impact.e);
  const int steps = trial.steps;
  auto taken = std::make_shared<int>(0);
  trial.judge = [=](const Moment& m, Outcome& out) {
    if (++*taken < steps) return;
    for (int i = 0; i < count; ++i) {
      const Body& b = m.world.model().bodies[m.world.body(fmt::format("ball{}", i))];
      const Vec3 is = m.after.v.segment<3>(b.first_velocity);
      const double error =
          (is - expected.speed[static_cast<std::size_t>(i)] * v * along).norm() / v;
      out.raise("height", error / rebound_error);
      if (!(error <= rebound_error)) out.fault("leaves with another velocity");
    }
  };
}

}  // namespace

Trial make_rebound(const Family& family, const Settings& settings, std::int64_t number) {
  const Turn turn = turn_of(family, settings, number);
  Random random(settings.seed, 7, static_cast<std::uint64_t>(number));
  const Impact impact = impact_of(turn.round);
  const int count = 1 + static_cast<int>(impact.rest % 4);
  // Scheme hybrid takes impacts one after the other: rows and columns have other closed forms.
  const bool alone = turn.scheme == "hybrid" || count == 1;
  const int arrangement = alone ? 0 : static_cast<int>(impact.rest / 4 % 3);
  static constexpr const char* arrangements[] = {"side by side", "column", "row"};
  Trial trial;
  trial.name = fmt::format("rebound-{}-{}", settings.seed, number);
  trial.scheme = turn.scheme;
  trial.h = turn.h;
  trial.shape = fmt::format("{} balls, {}", count, arrangements[arrangement]);
  trial.target = fmt::format("{} e={}", impact.law, impact.e);
  trial.scene = empty_scene(trial.name, Vec3(0, 0, -gravity), random.between(0, 0.8), impact.e);
  if (arrangement == 2)
    add_row(trial, impact, count, random);
  else
    add_fall(trial, impact, count, arrangement == 1, random);
  set_bouncing(trial.scene, turn, trial.steps, impact);
  return trial;
}

}  // namespace cairn::families
