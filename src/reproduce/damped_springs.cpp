// Springs with damping and friction in place of contacts, as molecular dynamics has them, against
// hard contact: Anitescu 2003, Anitescu and Hart 2004, Hart 2007 compare with such models. A
// program of its own for discs, not a scheme of the library (E513 to E515).
#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <numbers>

#include "cairn/simulator.hpp"
#include "reproduce/experiment.hpp"

namespace cairn::reproduce {
namespace {

// Discs of mass 1 over the half-planes n.x >= offset.
struct SpringWorld {
  struct Disc {
    double x = 0, y = 0, vx = 0, vy = 0, w = 0;
    double fx = 0, fy = 0, torque = 0;
  };
  struct Wall {
    double nx = 0, ny = 1, offset = 0;
  };
  std::vector<Disc> discs;
  std::vector<Wall> walls;
  double radius = 1, gravity = 0, stiffness = 1, damping = 0, mu = 0;
  double creep = 1e-4;  // slip speed below which friction is viscous [m/s]
  double overlap = 0;   // largest so far [m]

  double inertia() const { return 0.5 * radius * radius; }

  // (E513): force on `d` along the normal (nx, ny) that points to it, at the gap `gap`.
  void push(Disc& d, Disc* other, double nx, double ny, double gap) {
    if (gap >= 0) return;
    overlap = std::max(overlap, -gap);
    const double ux = d.vx - (other ? other->vx : 0), uy = d.vy - (other ? other->vy : 0);
    const double rate = nx * ux + ny * uy;
    // Tangent (-ny, nx); the surface of a disc that spins with w moves by -w r along it.
    const double slip = -ny * ux + nx * uy - radius * (d.w + (other ? other->w : 0));
    const double normal = std::max(0.0, -stiffness * gap - damping * rate);
    const double friction = -mu * normal * slip / std::max(std::abs(slip), creep);
    const double fx = normal * nx - friction * ny, fy = normal * ny + friction * nx;
    d.fx += fx, d.fy += fy, d.torque -= radius * friction;
    if (other) other->fx -= fx, other->fy -= fy, other->torque -= radius * friction;
  }

  // Symplectic Euler.
  void step(double h) {
    for (Disc& d : discs) d.fx = 0, d.fy = -gravity, d.torque = 0;
    for (Disc& d : discs)
      for (const Wall& w : walls)
        push(d, nullptr, w.nx, w.ny, w.nx * d.x + w.ny * d.y - w.offset - radius);
    for (std::size_t i = 0; i < discs.size(); ++i)
      for (std::size_t k = i + 1; k < discs.size(); ++k) {
        Disc &a = discs[i], &b = discs[k];
        const double dx = a.x - b.x, dy = a.y - b.y, square = dx * dx + dy * dy;
        if (square >= 4 * radius * radius) continue;
        const double distance = std::sqrt(square);
        push(a, &b, dx / distance, dy / distance, distance - 2 * radius);
      }
    for (Disc& d : discs) {
      d.vx += h * d.fx, d.vy += h * d.fy, d.w += h * d.torque / inertia();
      d.x += h * d.vx, d.y += h * d.vy;
    }
  }
};

SpringWorld one_disc(double stiffness, double share, double mu) {
  SpringWorld w;
  w.stiffness = stiffness;
  w.damping = 2 * share * std::sqrt(stiffness);
  w.mu = mu;
  w.walls = {{}};
  w.discs.resize(1);
  return w;
}

// (E514): restitution of a damped spring that cannot pull.
double restitution_of(double share) {
  const double b = share, w = std::sqrt(1 - b * b);
  return std::exp(-b / w * (std::numbers::pi - std::atan2(2 * b * w, w * w - b * b)));
}

void judge_impacts(const ReproduceSetting& setting, Reproduction& r) {
  const double k = 1e6, h = (setting.fast ? 1e-3 : 2e-4) / std::sqrt(k);
  for (const double share : {0.0, 0.1, 0.3, 0.6}) {
    SpringWorld w = one_disc(k, share, 0);
    w.discs[0] = {.y = 1, .vy = -1};
    for (int i = 0; i < 100000 && (w.discs[0].y < 1 || w.discs[0].vy <= 0); ++i) w.step(h);
    r.closed_form("E514", fmt::format("disc: restitution, damping {} of critical [-]", share),
                  restitution_of(share), w.discs[0].vy, 1e-3, 1e-2);
  }
  // Slides during the whole impact: Newton's law with friction mu (1 + e) v_n, a rigid disc.
  const double share = 0.1, e = restitution_of(share), mu = 0.1;
  SpringWorld w = one_disc(k, share, mu);
  w.discs[0] = {.y = 1, .vx = 3, .vy = -2};
  for (int i = 0; i < 100000 && (w.discs[0].y < 1 || w.discs[0].vy <= 0); ++i) w.step(h);
  r.closed_form("v_x - mu (1 + e) v_n", "disc, oblique impact: tangential speed after it [m/s]",
                3 - mu * (1 + e) * 2, w.discs[0].vx, 2e-3, 2e-2);
}

// A disc that slides comes to roll at 2/3 v0 after v0/(3 mu g).
void judge_rolling(const ReproduceSetting& setting, Reproduction& r) {
  const double v0 = 3, mu = 0.2, g = 9.81, k = 1e6, end = 1;
  SpringWorld w = one_disc(k, 0.3, mu);
  w.gravity = g;
  w.discs[0] = {.y = 1 - g / k, .vx = v0};
  const double h = (setting.fast ? 0.05 : 0.02) / std::sqrt(k);
  for (int i = 0; i < static_cast<int>(end / h); ++i) w.step(h);
  const double rolls = v0 / (3 * mu * g),
               place = v0 * rolls - 0.5 * mu * g * rolls * rolls + 2 * v0 / 3 * (end - rolls);
  r.closed_form("2/3 v0", "disc on a plane: speed when it rolls [m/s]", 2 * v0 / 3, w.discs[0].vx,
                1e-4, 1e-2);
  r.closed_form("slides, then rolls", "disc on a plane: place after 1 s [m]", place, w.discs[0].x,
                1e-3, 1e-2);
}

struct Heap {
  double height = 0;  // mean of the centres at the end [m]
  double width = 0;   // standard deviation of the centres along x at the end [m]
  double overlap = 0;
};

Heap summary(std::span<const std::array<double, 2>> centres) {
  Heap heap;
  double mean = 0, square = 0;
  const auto n = static_cast<double>(centres.size());
  for (const auto& c : centres) heap.height += c[1] / n, mean += c[0] / n;
  for (const auto& c : centres) square += (c[0] - mean) * (c[0] - mean) / n;
  heap.width = std::sqrt(square);
  return heap;
}

// The 21 discs of Anitescu and Hart 2004 with hard contact at its step, and with springs.
void judge_heap(const ReproduceSetting& setting, Reproduction& r) {
  const Scene s = built_in_scene("cannonball21");
  const double end = setting.fast ? 1.5 : 4;
  Simulator sim(s.model, *s.initial, s.simulation.scheme, s.simulation.solver, fixed_step);
  for (long long i = 0; i < std::llround(end / s.simulation.step); ++i) sim.step(s.simulation.step);

  SpringWorld w;
  w.radius = 3;
  w.gravity = 9.81;
  w.mu = 0.3;
  w.stiffness = setting.fast ? 1e5 : 1e6;
  w.damping = 2 * 0.6 * std::sqrt(w.stiffness);
  std::vector<std::array<double, 2>> hard, soft;
  for (std::size_t b = 0; b < s.model->bodies.size(); ++b) {
    if (s.model->bodies[b].kind != BodyKind::dynamic) continue;
    const Vec3 start = s.initial->poses[b].p, ends = sim.state().poses[b].p;
    w.discs.push_back({.x = start.x(), .y = start.y()});
    hard.push_back({ends.x(), ends.y()});
  }
  for (const Shape& shape : s.model->shapes)
    if (const auto* wall = std::get_if<Halfspace>(&shape.geometry)) {
      const Pose X = s.initial->poses[index(shape.body)] * shape.X_CS;
      const Vec3 n = X.R * wall->normal;
      w.walls.push_back({n.x(), n.y(), n.dot(X.p)});
    }
  const double h = 0.02 / std::sqrt(w.stiffness);
  for (int i = 0; i < static_cast<int>(end / h) && !setting.stopped(); ++i) w.step(h);
  for (const SpringWorld::Disc& d : w.discs) soft.push_back({d.x, d.y});
  const Heap a = summary(hard), b = summary(soft);
  const char* place = "hard contact; 001 has \"the same order of magnitude as MD\"";
  r.about(place, "21 discs: mean height, springs over hard contact [-]", 1, b.height / a.height);
  r.about(place, "21 discs: width, springs over hard contact [-]", 1, b.width / a.width);
  r.notes.push_back(fmt::format(
      "21 discs after {} s: step of hard contact {} s, of the springs {:.1e} s, {:.0f} times "
      "shorter, at a largest overlap of {:.1e} m; the papers say four orders of magnitude",
      end, s.simulation.step, h, s.simulation.step / h, w.overlap));
}

}  // namespace

Reproduction damped_springs(const ReproduceSetting& setting) {
  Reproduction r;
  judge_impacts(setting, r);
  judge_rolling(setting, r);
  judge_heap(setting, r);
  return r;
}

}  // namespace cairn::reproduce
