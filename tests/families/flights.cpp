// Flights: chains, ragdolls and carts that are dropped or thrown, near the origin and far from it.
// Nothing touches anything, so that centre of mass and angular momentum are known.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "families/generators.hpp"
#include "families/limits.hpp"
#include "families/oracle/energy.hpp"
#include "families/ragdoll.hpp"

namespace cairn::families {
namespace {

constexpr const char* types[] = {"distance", "ball", "revolute", "prismatic", "fixed"};

// A body of a tree with the motion that its joints allow it.
struct Link {
  std::string name;
  Pose X_WB;
  Vec3 v = Vec3::Zero(), w = Vec3::Zero();  // at its origin, in the world
};

Vec3 velocity_at(const Link& link, const Vec3& point_W) {
  return link.v + link.w.cross(point_W - link.X_WB.p);
}

Json random_body(const Link& link, double size, Random& random) {
  static constexpr const char* shapes[] = {"box", "capsule", "sphere", "ellipsoid"};
  Json body = free_body(link.name, random_shape(shapes[random.whole(0, 3)], size, random),
                        random.log_between(0.3, 30), link.X_WB.p, link.X_WB.R);
  body["velocity"] = to_json(link.v);
  body["angular_velocity"] = to_json(link.w);
  return body;
}

// A child behind the parent, with relative motion along the free directions of the joint.
Link add_child(const Link& parent, const std::string& type, double pitch, double rate, int number,
               Json& scene, Random& random) {
  Link child{fmt::format("b{:02}", number), {}, Vec3::Zero(), parent.w};
  const Vec3 way = pitch * random.direction(), axis = random.direction();
  child.X_WB = {parent.X_WB.p + way, random.orientation()};
  const bool rod = type == "distance", slides = type == "prismatic";
  const Vec3 a = parent.X_WB.p + (rod ? 0.25 : 0.5) * way;
  const Vec3 b = rod ? Vec3(parent.X_WB.p + 0.75 * way) : a;
  Vec3 at_b = velocity_at(parent, a);
  if (rod) at_b += rate * (b - a).cross(random.direction());
  if (rod || type == "ball") child.w += rate * random.direction();
  if (type == "revolute") child.w += rate * axis;
  // Two points of the axis stay in touch: the child slides along with the parent.
  if (slides) at_b += rate * pitch * 0.3 * axis;
  child.v = at_b + child.w.cross(child.X_WB.p - b);
  scene["joints"].push_back(joint(fmt::format("j{:02}", number), type,
                                  {parent.name, parent.X_WB, a}, {child.name, child.X_WB, b},
                                  axis));
  return child;
}

// Chains hang on the last body, carts (a frame with wheels and arms) on the first one.
void add_tree(Json& scene, const Pose& X_WR, const Vec3& v, const Vec3& w, int count, bool cart,
              const std::string& type, double rate, Random& random) {
  const double pitch = random.between(0.2, 0.6);
  std::vector<Link> links = {{"b00", X_WR, v, w}};
  scene["bodies"].push_back(random_body(links[0], 0.5 * pitch, random));
  for (int i = 1; i < count; ++i) {
    const Link& parent =
        cart ? links[static_cast<std::size_t>(i % 5 == 0 ? i - 5 : i - i % 5)] : links.back();
    const std::string chosen = type == "mixed" ? types[random.whole(0, 4)] : type;
    const Link child = add_child(parent, chosen, pitch, rate, i, scene, random);
    scene["bodies"].push_back(random_body(child, 0.5 * pitch, random));
    links.push_back(child);
  }
}

void touch_nothing(Json& scene) {
  Json pairs = Json::array();
  const Json& bodies = scene["bodies"];
  for (std::size_t i = 0; i < bodies.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      pairs.push_back(Json::array({bodies[i]["name"], bodies[j]["name"]}));
  scene["no_contact"] = pairs;
}

// Where the centre of mass is after n steps: exactly, or by the sum of the Euler steps.
struct Parabola {
  Vec3 x0, v0, g;
  Vec3 exact(double t) const { return x0 + t * v0 + 0.5 * t * t * g; }
  Vec3 euler(double h, int n) const { return exact(n * h) + 0.5 * h * h * n * g; }
};

struct FlightWatch {
  Momenta start;
  Parabola path;
  int steps = 0;

  void operator()(const Moment& m, Outcome& out) {
    if (m.first) {
      start = momenta_of(m.world, m.before);
      path = {start.center, start.velocity, m.world.model().gravity};
    }
    ++steps;
    const Momenta now = momenta_of(m.world, m.after);
    const double off = std::min((now.center - path.exact(steps * m.h)).norm(),
                                (now.center - path.euler(m.h, steps)).norm());
    const double lengths = start.center.norm() + now.center.norm() + start.velocity.norm() * m.h;
    out.raise("centre m", off);
    out.raise("centre", off / (lengths * steps * 0x1p-52));
    out.raise("L", (now.angular - start.angular).norm() /
                       std::max(start.angular_scale, now.angular_scale));
    out.raise("joint", joint_error(m.world, m.after.poses));
  }
};

}  // namespace

Trial make_flight(const Family& family, const Settings& settings, std::int64_t number) {
  const Turn turn = turn_of(family, settings, number);
  Random random(settings.seed, 4, static_cast<std::uint64_t>(number));
  Trial trial;
  trial.name = fmt::format("flight-{}-{}", settings.seed, number);
  trial.scheme = turn.scheme;
  trial.h = turn.h;
  const double duration = settings.duration > 0 ? settings.duration : 0.5;
  trial.steps = static_cast<int>(std::ceil(duration / turn.h));
  trial.scene = empty_scene(trial.name, Vec3(0, 0, -9.81), 0.5, 0);
  trial.scene["joints"] = Json::array();
  const bool far = random.chance(0.5), thrown = random.chance(0.6);
  const Pose X_WR{far ? Vec3(1e3 * random.direction()) : Vec3::Zero(), random.orientation()};
  const Vec3 v = thrown ? Vec3(random.log_between(0.1, 30) * random.direction()) : Vec3::Zero();
  const Vec3 w = thrown ? Vec3(random.log_between(0.1, 10) * random.direction()) : Vec3::Zero();
  const double rate = thrown ? random.log_between(0.01, 5) : 0;
  const int count = static_cast<int>(random.log_between(2, 41));
  static constexpr const char* kinds[] = {"distance", "ball",  "revolute", "prismatic",
                                          "fixed",    "mixed", "cart",     "ragdoll"};
  trial.shape = kinds[turn.round % 8];
  trial.target = fmt::format("{} {}", thrown ? "thrown" : "dropped", far ? "far" : "near");
  if (trial.shape == "ragdoll")
    add_ragdoll(trial.scene, "", random.between(1, 5), X_WR, random);
  else
    add_tree(trial.scene, X_WR, v, w, count, trial.shape == "cart",
             trial.shape == "cart" ? "mixed" : trial.shape, rate, random);
  if (trial.shape == "ragdoll")
    for (Json& body : trial.scene["bodies"]) body["velocity"] = to_json(v);
  touch_nothing(trial.scene);
  auto watch = std::make_shared<FlightWatch>();
  trial.judge = [watch](const Moment& m, Outcome& out) { (*watch)(m, out); };
  trial.finish = [](Outcome& out) {
    if (out.figure("centre") > roundings_per_step) out.fault("centre of mass off its parabola");
    if (out.figure("joint") > joint_limit) out.fault("open joints");
    if (out.figure("L") > momentum_limit) out.fault("angular momentum changes");
  };
  set_simulation(trial.scene, turn.scheme, turn.h, trial.steps);
  return trial;
}

}  // namespace cairn::families
