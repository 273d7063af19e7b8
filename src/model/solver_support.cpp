// What a solver does not take of a model under a scheme: reads them with a state, writes errors
// with the paths of the scene.
#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <tuple>
#include <vector>

#include "cairn/simulator.hpp"
#include "model/checks.hpp"

namespace cairn {
namespace {

constexpr double aligned = 0x1p-40;  // directions [-] and lengths over the length unit below this
                                     // are rounding

using Axes = std::array<bool, 3>;  // world axes x, y, z

// What decides how many rows the contacts of a shape have.
struct Contactor {
  MaterialId material{};
  bool movable = false;
  int turns = -1;                      // about which world axis: 0 to 2; -1: none; 3: all
  Axes stays = {};                     // the body moves across this axis alone
  Axes upright = {};                   // every normal of the shape is across this axis
  Axes even = {};                      // mirrored across this axis the shape is the same
  std::array<double, 3> middle = {};   // where the mirror is, of even axes [m]
  std::array<int, 2> body = {-1, -1};  // two bodies with such a shape; -1: no other one

  auto key() const { return std::tie(material, movable, turns, stays, upright, even, middle); }
};

bool along(const Vec3& direction, int axis) {
  return std::abs(direction[(axis + 1) % 3]) <= aligned &&
         std::abs(direction[(axis + 2) % 3]) <= aligned;
}

Axes axes_of(const Body& body) {
  Axes stays = {};
  for (int k = 0; k < 3; ++k) {
    bool& stay = stays[static_cast<std::size_t>(k)];
    if (body.kind == BodyKind::dynamic)
      stay = !body.translations[static_cast<std::size_t>(k)] &&
             (body.rotation == RotationKind::none ||
              (body.rotation == RotationKind::one && along(body.axis_W, k)));
    else
      stay = !body.motion || (body.motion->position[static_cast<std::size_t>(k)].is_constant() &&
                              (body.motion->angle.is_constant() || along(body.motion->axis, k)));
  }
  return stays;
}

int turns_of(const Body& body) {
  if (body.kind != BodyKind::dynamic || body.rotation == RotationKind::none) return -1;
  for (int k = 0; k < 3; ++k)
    if (body.rotation == RotationKind::one && along(body.axis_W, k)) return k;
  return 3;
}

// Whether the mirror across axis k through the middle of the shape leaves it as it is.
bool is_even(const Geometry& geometry, const Mat3& R_WS, int k) {
  if (std::holds_alternative<Point>(geometry) || std::holds_alternative<Sphere>(geometry))
    return true;
  if (const auto* frustum = std::get_if<Frustum>(&geometry))
    return std::abs(R_WS(k, 2)) <= aligned || (frustum->is_cylinder() && along(R_WS.col(2), k));
  if (std::holds_alternative<Capsule>(geometry))
    return along(R_WS.col(2), k) || std::abs(R_WS(k, 2)) <= aligned;
  if (std::holds_alternative<Box>(geometry) || std::holds_alternative<Ellipsoid>(geometry))
    return along(R_WS.col(0), k) || along(R_WS.col(1), k) || along(R_WS.col(2), k);
  return false;
}

Contactor contactor(const Model& model, const State& state, const Shape& shape) {
  const Body& body = model.body(shape.body);
  const Pose X_WS = state.poses[index(shape.body)] * shape.X_CS;
  const Mat3 R_WS = X_WS.R.toRotationMatrix();
  Contactor c;
  c.material = shape.material;
  c.movable = body.velocities > 0;
  c.turns = turns_of(body);
  c.stays = axes_of(body);
  c.body[0] = static_cast<int>(index(shape.body));
  const auto* wall = std::get_if<Halfspace>(&shape.geometry);
  for (int k = 0; k < 3; ++k) {
    const auto i = static_cast<std::size_t>(k);
    if (!c.stays[i]) continue;
    c.upright[i] = wall ? std::abs((X_WS.R * wall->normal)[k]) <= aligned
                        : is_planar(shape.geometry) && along(R_WS.col(2), k);
    c.even[i] = !c.upright[i] && is_even(shape.geometry, R_WS, k);
    if (c.even[i]) c.middle[i] = X_WS.p[k];
  }
  return c;
}

// All that occur, each once.
std::vector<Contactor> contactors(const Model& model, const State& state) {
  std::vector<Contactor> all;
  for (const Shape& shape : model.shapes) all.push_back(contactor(model, state, shape));
  std::stable_sort(all.begin(), all.end(),
                   [](const Contactor& a, const Contactor& b) { return a.key() < b.key(); });
  std::vector<Contactor> once;
  for (const Contactor& c : all) {
    if (once.empty() || once.back().key() < c.key())
      once.push_back(c);
    else if (once.back().body[0] != c.body[0])
      once.back().body[1] = c.body[0];
  }
  return once;
}

// Two different bodies with shapes of the two kinds; -1 if there are none or none can move.
std::array<int, 2> bodies_that_meet(const Contactor& a, const Contactor& b) {
  if (a.movable || b.movable)
    for (const int i : a.body)
      for (const int j : b.body)
        if (i >= 0 && j >= 0 && i != j) return {i, j};
  return {-1, -1};
}

// Whether all contacts of the two slip along one line: both move across a common axis, and so do
// the normals, by the shape of one of them or since a mirror maps both onto themselves.
bool meet_in_plane(const Contactor& a, const Contactor& b, double unit) {
  for (std::size_t k = 0; k < 3; ++k) {
    if (!a.stays[k] || !b.stays[k]) continue;
    if (a.upright[k] || b.upright[k]) return true;
    if (a.even[k] && b.even[k] && std::abs(a.middle[k] - b.middle[k]) <= aligned * unit)
      return true;
  }
  return false;
}

bool roll_about_one_axis(const Contactor& a, const Contactor& b) {
  if (a.turns == 3 || b.turns == 3) return false;
  return a.turns < 0 || b.turns < 0 || a.turns == b.turns;
}

// Of the steps whose problems have contacts with friction; penalty has none.
int facets_of(const SchemeOptions& scheme) {
  if (const Euler* euler = euler_options(scheme)) return euler->facets;
  if (const auto* trapezoidal = std::get_if<Trapezoidal>(&scheme)) return trapezoidal->facets;
  if (const auto* hybrid = std::get_if<Hybrid>(&scheme)) return hybrid->facets;
  return 0;
}

// Pivoting needs laws that are piecewise linear: friction with one row or a polygon.
void check_lemke(int facets, const Model& model, const State& state, model::Checks& checks) {
  const std::vector<Contactor> all = contactors(model, state);
  bool round = false, rolls = false;
  const auto names = [&](const std::array<int, 2>& bodies) {
    return fmt::format("bodies '{}' and '{}'",
                       model.bodies[static_cast<std::size_t>(bodies[0])].name,
                       model.bodies[static_cast<std::size_t>(bodies[1])].name);
  };
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t j = i; j < all.size() && !(round && rolls); ++j) {
      const Contactor &a = all[i], &b = all[j];
      const std::array<int, 2> bodies = bodies_that_meet(a, b);
      if (bodies[0] < 0) continue;
      const ContactLaw law = model.pair(a.material, b.material);
      if (!round && facets == 0 && law.friction > 0 && !law.section &&
          !meet_in_plane(a, b, model.length_unit)) {
        round = true;
        checks.error("simulation.solver", ErrorCode::unsupported,
                     "solver lemke takes no exact friction cone in space, and " + names(bodies) +
                         " may touch with friction",
                     "\"lemke\" with facets 0", "facets 3 to 64, or motion in a plane",
                     "set \"facets\" of the scheme to 8 or 16, or use the solver auto");
      }
      if (!rolls && law.rolling_friction > 0 && !roll_about_one_axis(a, b)) {
        rolls = true;
        checks.error(
            "simulation.solver", ErrorCode::unsupported,
            "solver lemke takes no rolling friction in space, and " + names(bodies) +
                " may touch with it",
            fmt::format("\"lemke\" with rolling_friction {}", model::to_text(law.rolling_friction)),
            "rolling_friction 0, or rotation about one axis",
            "use the solver auto, or set rolling_friction to 0");
      }
    }
}

}  // namespace

Result<void> accepts(const SchemeOptions& scheme, const SolverOptions& solver, const Model& model,
                     const State& state) {
  if (Result<void> taken = accepts(scheme, model); !taken) return taken;
  if (!std::holds_alternative<Lemke>(solver)) return {};
  model::Checks checks;
  check_lemke(facets_of(scheme), model, state, checks);
  if (checks.ok()) return {};
  return tl::unexpected<Errors>(checks.take_errors());
}

}  // namespace cairn
