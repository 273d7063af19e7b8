// Requested against measured restitution: ball, box, rod, chain and a two-sided impact, for every
// law and every scheme that takes it (E220 to E229). The figures are closed forms; of the rod
// Routh's process, re-computed independently.
#include <array>
#include <cmath>
#include <fmt/format.h>

#include "cairn/options.hpp"
#include "cairn/simulator.hpp"
#include "reproduce/experiment.hpp"

namespace cairn::reproduce {
namespace {

constexpr double short_step = 1e-3;  // [s]
constexpr std::array laws = {RestitutionLaw::newton, RestitutionLaw::poisson,
                             RestitutionLaw::stronge};
constexpr std::array restitutions = {0.0, 0.25, 0.5, 0.75, 1.0};

struct Way {
  const char* name;
  bool by_path;  // always along the path and one contact after the other, with the energy guard
  SchemeOptions (*options)(RestitutionFriction, Propagation);
};

// Newton's law gives the rod energy when e is near 1; the figures are of the law itself.
EnergyGuard guard_of(RestitutionFriction friction) {
  return friction == RestitutionFriction::path ? EnergyGuard::off : EnergyGuard::impact;
}

SchemeOptions euler(RestitutionFriction friction, Propagation propagation) {
  Euler o;
  o.energy_guard = guard_of(friction);
  o.restitution_friction = friction;
  o.propagation = propagation;
  return o;
}
SchemeOptions relaxed(RestitutionFriction friction, Propagation propagation) {
  return Relaxed{.step = std::get<Euler>(euler(friction, propagation))};
}
SchemeOptions trapezoidal(RestitutionFriction friction, Propagation propagation) {
  Trapezoidal o;
  o.energy_guard = guard_of(friction);
  o.restitution_friction = friction;
  o.propagation = propagation;
  return o;
}
SchemeOptions hybrid(RestitutionFriction, Propagation) {
  return Hybrid{};
}
constexpr std::array ways = {Way{"euler", false, euler}, Way{"relaxed", false, relaxed},
                             Way{"trapezoidal", false, trapezoidal}, Way{"hybrid", true, hybrid}};

ModelDescription world(RestitutionLaw law, double friction, double e) {
  ModelDescription d;
  d.gravity = Vec3::Zero();
  d.materials = {{"default", {.friction = friction, .restitution = e, .restitution_law = law}}};
  return d;
}

BodyDescription body(std::string name, const Geometry& geometry, const Vec3& position,
                     const Vec3& velocity) {
  BodyDescription b;
  b.name = std::move(name);
  b.mass = 1;
  b.position = position;
  b.velocity = velocity;
  b.shapes = {{geometry, Pose{}, "default"}};
  return b;
}

BodyDescription halfspace(const Vec3& normal, const Vec3& point) {
  BodyDescription b;
  b.name = "wall";
  b.fixed = true;
  b.position = point;
  b.shapes = {{Halfspace{normal}, Pose{}, "default"}};
  return b;
}

// Velocity of a body after the first steps.
BodyMotion after(const ModelDescription& d, const SchemeOptions& scheme, const char* name,
                 int steps = 2) {
  const Result<BuiltModel> built = build(d);
  Simulator sim(built.value().model, *built.value().initial, scheme, Auto{}, fixed_step);
  for (int i = 0; i < steps; ++i) sim.step(short_step);
  return body_motion(sim.model(), sim.state(), sim.model().find_body(name).value());
}

double ball(RestitutionLaw law, double e, const SchemeOptions& scheme) {
  ModelDescription d = world(law, 0, e);
  d.bodies = {body("ball", Sphere{0.5}, Vec3(0, 0.5 + 1.3 * short_step, 0), Vec3(0, -1, 0)),
              halfspace(Vec3::UnitY(), Vec3::Zero())};
  return after(d, scheme, "ball", 4).velocity.y();
}

double box(RestitutionLaw law, double e, const SchemeOptions& scheme) {
  ModelDescription d = world(law, 0.3, e);
  d.bodies = {body("box", Box{Vec3(1, 0.5, 0.8)}, Vec3(0, 0.25, 0), Vec3(0, -1, 0)),
              halfspace(Vec3::UnitY(), Vec3::Zero())};
  return after(d, scheme, "box").velocity.y();
}

// Half length 1, 45 degrees, contact velocity (0.4, -1), mu 0.5: normal velocity of the tip.
double rod(RestitutionLaw law, double e, const SchemeOptions& scheme) {
  ModelDescription d = world(law, 0.5, e);
  const Vec3 tip = -Vec3(1, 1, 0) / std::sqrt(2.0);
  BodyDescription b = body("rod", Point{}, -tip, Vec3(0.4, -1, 0));
  b.dof = "x y rz";
  b.inertia = Mat3(Vec3(1, 1, 1.0 / 3).asDiagonal());
  b.center_of_mass = Vec3::Zero();
  b.shapes[0].X_BS.p = tip;
  d.bodies = {b, halfspace(Vec3::UnitY(), Vec3::Zero())};
  const BodyMotion m = after(d, scheme, "rod", 1);
  return (m.velocity + m.angular_velocity.cross(tip)).y();
}

// The first of n balls strikes the others, which touch: velocity of the last.
double chain(int n, RestitutionLaw law, double e, const SchemeOptions& scheme) {
  ModelDescription d = world(law, 0, e);
  for (int i = 0; i < n; ++i)
    d.bodies.push_back(
        body(fmt::format("ball{}", i), Sphere{0.5}, Vec3(i, 0, 0), Vec3(i == 0 ? 1 : 0, 0, 0)));
  return after(d, scheme, fmt::format("ball{}", n - 1).c_str()).velocity.x();
}

// A ball strikes another that touches a wall: velocity of the first.
double two_sided(RestitutionLaw law, double e, const SchemeOptions& scheme) {
  ModelDescription d = world(law, 0, e);
  d.bodies = {body("ball0", Sphere{0.5}, Vec3(0, 0, 0), Vec3(1, 0, 0)),
              body("ball1", Sphere{0.5}, Vec3(1, 0, 0), Vec3::Zero()),
              halfspace(-Vec3::UnitX(), Vec3(1.5, 0, 0))};
  return after(d, scheme, "ball0").velocity.x();
}

// Exchange of the pair that approaches fastest until none does; the last of `v` may be a wall.
void exchange(double e, bool wall, std::vector<double>& v) {
  for (;;) {
    std::size_t at = v.size();
    double fastest = 1e-14;
    for (std::size_t i = 0; i + 1 < v.size(); ++i)
      if (v[i] - v[i + 1] > fastest) at = i, fastest = v[i] - v[i + 1];
    if (at == v.size()) return;
    const bool last = wall && at + 2 == v.size();
    v[at] -= (last ? 1 : 0.5) * (1 + e) * fastest;
    if (!last) v[at + 1] += 0.5 * (1 + e) * fastest;
  }
}

// Every piece of Routh's diagram of the rod is straight, see the docs: W_nn = W_tt = 5/2, W_nt =
// -3/2; it slides at first, stops, and slides back (|W_nt| > mu W_tt).
struct Routh {
  static constexpr double mu = 0.5, slides = 2.5 + 1.5 * mu, slows = 1.5 + 2.5 * mu,
                          back = 2.5 - 1.5 * mu, stop = 0.4 / slows, at_stop = -1 + slides * stop,
                          p_c = stop + -at_stop / back,
                          stored = -(stop * (-1 + at_stop) / 2 + (p_c - stop) * at_stop / 2);

  // Newton's law would give the rod energy: the work of its rebound is more than what was stored
  // and what friction takes.
  static bool newton_gains(double e) {
    const double slid = p_c + e / back - stop;
    const double friction = mu * (0.4 * stop + (1.5 - 2.5 * mu) * slid * slid) / 2;
    return e * e / (2 * back) > stored + friction;
  }
  static double rebound(RestitutionLaw law, double e) {
    if (law == RestitutionLaw::newton) return e;
    if (law == RestitutionLaw::poisson) return back * e * p_c;
    return e * std::sqrt(2 * back * stored);
  }
};

// With the guard a law that gains is Stronge's (E212).
double routh_rod(RestitutionLaw law, double e, bool guarded) {
  const bool replaced = guarded && law == RestitutionLaw::newton && Routh::newton_gains(e);
  return Routh::rebound(replaced ? RestitutionLaw::stronge : law, e);
}

void measure_restitution(const char* what, RestitutionLaw law, double e, const Way& way,
                         double expected, double ours, Reproduction& r) {
  r.closed_form("E220 to E229",
                fmt::format("{}, {}, {}, e = {}", what,
                            restitution_law_names[static_cast<std::size_t>(law)], way.name, e),
                expected, ours, 1e-12, 1e-6);
}

}  // namespace

Reproduction restitution(const ReproduceSetting& setting) {
  Reproduction r;
  std::vector<page::Curve> curves;
  for (const RestitutionLaw law : laws) {
    const char* law_name = restitution_law_names[static_cast<std::size_t>(law)];
    for (const Way& way : ways) {
      const SchemeOptions total =
                              way.options(RestitutionFriction::total, Propagation::simultaneous),
                          path = way.options(RestitutionFriction::path, Propagation::simultaneous),
                          sequential =
                              way.options(RestitutionFriction::total, Propagation::sequential);
      for (const double e : restitutions) {
        if (setting.stopped()) return r;
        if (setting.fast && e != 0.5 && e != 1) continue;
        measure_restitution("ball", law, e, way, e, ball(law, e, total), r);
        measure_restitution("box, flat", law, e, way, e, box(law, e, total), r);
        measure_restitution("rod, along the path", law, e, way, routh_rod(law, e, way.by_path),
                            rod(law, e, path), r);
        if (!way.by_path) {
          measure_restitution("chain of 5, simultaneous", law, e, way, (1 + e) / 5,
                              chain(5, law, e, total), r);
          measure_restitution("two-sided, simultaneous", law, e, way, -e, two_sided(law, e, total),
                              r);
        }
        std::vector<double> v = {1, 0, 0, 0, 0}, between = {1, 0, 0};
        if (e > 0) {
          exchange(e, false, v);
          exchange(e, true, between);
          measure_restitution("chain of 5, sequential", law, e, way, v.back(),
                              chain(5, law, e, sequential), r);
          measure_restitution("two-sided, sequential", law, e, way, between[0],
                              two_sided(law, e, sequential), r);
        }
      }
    }
    page::Curve curve;
    curve.label = law_name;
    for (int i = 1; i <= 20; ++i) {
      const double e = 0.05 * i;
      curve.points.emplace_back(
          e, rod(law, e, trapezoidal(RestitutionFriction::path, Propagation::simultaneous)));
    }
    curves.push_back(curve);
  }
  r.draw("restitution-rod.svg",
         {.title = "Rebound of a rod that slips back",
          .x = "requested e [-]",
          .y = "rebound",
          .log_y = true},
         curves);
  std::vector<page::Curve> cradle;
  for (const Propagation propagation : {Propagation::simultaneous, Propagation::sequential}) {
    page::Curve curve;
    curve.label = propagation_names[static_cast<std::size_t>(propagation)];
    for (int i = 1; i <= 20; ++i) {
      const double e = 0.05 * i;
      curve.points.emplace_back(e, chain(5, RestitutionLaw::newton, e,
                                         trapezoidal(RestitutionFriction::total, propagation)));
    }
    cradle.push_back(curve);
  }
  r.draw("restitution-chain.svg",
         {.title = "Speed of the last of five balls",
          .x = "requested e [-]",
          .y = "speed",
          .log_y = true},
         cradle);
  r.notes.push_back(
      "Every expected figure is a closed form: e for ball and box, Routh's process for the rod, "
      "the "
      "rule of the chain. Under `total` the rod's friction is algebraic and differs (docs, "
      "restitution).");
  r.play("Newton's cradle, one after the other", "cradle", {}, 4);
  r.play("A rod under Stronge's law", "rod_impact", {}, 2);
  return r;
}

}  // namespace cairn::reproduce
