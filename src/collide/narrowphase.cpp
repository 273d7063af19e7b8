// The table of pair functions.
#include "collide/narrowphase.hpp"

#include <array>
#include <cstddef>
#include <variant>

#include "cairn/error.hpp"
#include "collide/pair_functions.hpp"

namespace cairn {
namespace {

constexpr std::size_t types = std::variant_size_v<Geometry>;
using PairTable = std::array<std::array<PairFunction, types>, types>;
extern const PairTable table;

// Appends the contacts of f with the shapes exchanged.
void flip(PairFunction f, const Geometry& a, const Pose& X_WA, const Geometry& b, const Pose& X_WB,
          std::vector<ShapeContact>& out) {
  const std::size_t before = out.size();
  f(b, X_WB, a, X_WA, out);
  for (std::size_t i = before; i < out.size(); ++i) out[i] = exchanged(out[i]);
}

// The function of the exchanged pair.
void turn(const Geometry& a, const Pose& X_WA, const Geometry& b, const Pose& X_WB,
          std::vector<ShapeContact>& out) {
  flip(table[b.index()][a.index()], a, X_WA, b, X_WB, out);
}

// Two of a type: calls f in an order that does not depend on which one is called A.
template <PairFunction f>
void twin(const Geometry& a, const Pose& X_WA, const Geometry& b, const Pose& X_WB,
          std::vector<ShapeContact>& out) {
  if (precedes(b, X_WB, a, X_WA))
    flip(f, a, X_WA, b, X_WB, out);
  else
    f(a, X_WA, b, X_WB, out);
}

constexpr PairFunction none = nullptr;
constexpr PairFunction round = collide_round, rounds = twin<collide_round>;
constexpr PairFunction plane = collide_planar, planes = twin<collide_planar>;
constexpr PairFunction box = collide_box_ball;
constexpr PairFunction wall = collide_halfspace;
constexpr PairFunction caps = collide_capsules;

// Row: type of A; column: type of B, both in the order of the variant.
// clang-format off
constexpr PairTable table = {{
    //               point  sphere  box   capsule ellips. halfsp. disc    ellipse
    /* point     */ {none,  round,  turn, round,  round,  turn,   plane,  plane},
    /* sphere    */ {turn,  rounds, turn, round,  round,  turn,   plane,  plane},
    /* box       */ {box,   box,    none, none,   none,   turn,   none,   none},
    /* capsule   */ {turn,  turn,   none, caps,   round,  turn,   plane,  plane},
    /* ellipsoid */ {turn,  turn,   none, turn,   rounds, turn,   none,   none},
    /* halfspace */ {wall,  wall,   wall, wall,   wall,   none,   wall,   wall},
    /* disc      */ {turn,  turn,   none, turn,   none,   turn,   planes, plane},
    /* ellipse   */ {turn,  turn,   none, turn,   none,   turn,   turn,   planes},
}};
// clang-format on

Vec3 lengths(const Geometry& geometry) {
  if (const auto* s = std::get_if<Sphere>(&geometry)) return {s->radius, 0, 0};
  if (const auto* s = std::get_if<Capsule>(&geometry)) return {s->radius, s->length, 0};
  if (const auto* s = std::get_if<Ellipsoid>(&geometry)) return s->radii;
  if (const auto* s = std::get_if<Disc>(&geometry)) return {s->radius, 0, 0};
  if (const auto* s = std::get_if<Ellipse>(&geometry)) return {s->radii.x(), s->radii.y(), 0};
  return Vec3::Zero();
}

}  // namespace

bool precedes(const Geometry& a, const Pose& X_WA, const Geometry& b, const Pose& X_WB) {
  const auto key = [](const Geometry& g, const Pose& X) {
    const Vec3 l = lengths(g);
    return std::array{X.p.x(), X.p.y(), X.p.z(), X.R.x(), X.R.y(),
                      X.R.z(), X.R.w(), l.x(),   l.y(),   l.z()};
  };
  return key(a, X_WA) < key(b, X_WB);
}

ShapeContact exchanged(const ShapeContact& c) {
  return {c.p_WB, c.p_WA, -c.n_W, c.gap, c.feature};
}

void collide_shapes(const Geometry& a, const Pose& X_WA, const Geometry& b, const Pose& X_WB,
                    std::vector<ShapeContact>& out) {
  const PairFunction collide = table[a.index()][b.index()];
  CAIRN_CHECK(collide != nullptr);
  collide(a, X_WA, b, X_WB, out);
}

bool can_collide(const Geometry& a, const Geometry& b) {
  return table[a.index()][b.index()] != nullptr;
}

bool never_touch(const Geometry& a, const Geometry& b) {
  return a.index() == b.index() &&
         (std::holds_alternative<Point>(a) || std::holds_alternative<Halfspace>(a));
}

}  // namespace cairn
