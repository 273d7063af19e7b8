// The table of pair functions.
#include "collide/narrowphase.hpp"

#include <array>
#include <cstddef>
#include <type_traits>
#include <variant>

#include "base/conventions.hpp"
#include "cairn/error.hpp"
#include "collide/pairs/pair_functions.hpp"

namespace cairn::collide {
namespace {

constexpr std::size_t types = std::variant_size_v<Geometry>;
using PairTable = std::array<std::array<PairFunction, types>, types>;
extern const PairTable table;

// Appends the contacts of f with the shapes exchanged.
void flip(PairFunction f, const PlacedShape& a, const PlacedShape& b,
          std::vector<ShapeContact>& out) {
  const std::size_t before = out.size();
  f(b, a, out);
  for (std::size_t i = before; i < out.size(); ++i) out[i] = exchanged(out[i]);
}

// The function of the exchanged pair.
void turn(const PlacedShape& a, const PlacedShape& b, std::vector<ShapeContact>& out) {
  flip(table[b.geometry.index()][a.geometry.index()], a, b, out);
}

// Two of a type: calls f in an order that does not depend on which one is called A.
template <PairFunction f>
void twin(const PlacedShape& a, const PlacedShape& b, std::vector<ShapeContact>& out) {
  if (precedes(b, a))
    flip(f, a, b, out);
  else
    f(a, b, out);
}

// Entries of the table.
namespace entries {
constexpr PairFunction none = nullptr;
constexpr PairFunction round = collide_round, rounds = twin<collide_round>;
constexpr PairFunction plane = collide_planar, planes = twin<collide_planar>;
constexpr PairFunction box = collide_box_ball;
constexpr PairFunction poly = collide_polyhedron_round;
constexpr PairFunction wall = collide_halfspace;
constexpr PairFunction caps = collide_capsules;
constexpr PairFunction any = collide_convex, both = twin<collide_convex>;
}  // namespace entries

// Row: type of A; column: type of B, both in the order of the variant. Two shapes with polyhedra
// have no function here: their contacts come from the faces and edges of both.
// clang-format off
constexpr PairTable make_table() {
  using namespace entries;
  return {{
      //               point  sphere  box   capsule ellips. halfsp. disc    ellipse hull  polygon frustum
      /* point     */ {none,  round,  turn, round,  round,  turn,   plane,  plane,  turn, turn,   turn},
      /* sphere    */ {turn,  rounds, turn, round,  round,  turn,   plane,  plane,  turn, turn,   turn},
      /* box       */ {box,   box,    none, poly,   poly,   turn,   none,   none,   none, none,   turn},
      /* capsule   */ {turn,  turn,   turn, caps,   round,  turn,   plane,  plane,  turn, turn,   turn},
      /* ellipsoid */ {turn,  turn,   turn, turn,   rounds, turn,   none,   none,   turn, none,   turn},
      /* halfspace */ {wall,  wall,   wall, wall,   wall,   none,   wall,   wall,   wall, wall,   wall},
      /* disc      */ {turn,  turn,   none, turn,   none,   turn,   planes, plane,  none, turn,   none},
      /* ellipse   */ {turn,  turn,   none, turn,   none,   turn,   turn,   planes, none, turn,   none},
      /* hull      */ {poly,  poly,   none, poly,   poly,   turn,   none,   none,   none, none,   turn},
      /* polygon   */ {poly,  poly,   none, poly,   none,   turn,   poly,   poly,   none, none,   none},
      /* frustum   */ {any,   any,    any,  any,    any,    turn,   none,   none,   any,  none,   both},
  }};
}
// clang-format on

constexpr PairTable table = make_table();

template <class Shape, std::size_t i = 0>
constexpr std::size_t place() {
  if constexpr (std::is_same_v<std::variant_alternative_t<i, Geometry>, Shape>)
    return i;
  else
    return place<Shape, i + 1>();
}
template <class... Shapes>
constexpr bool is_one_of(std::size_t i) {
  return ((i == place<Shapes>()) || ...);
}

// Pairs without a function: polyhedra, which meet by faces and edges; two points, two half-spaces;
// a planar shape and a spatial one that has no section in its plane.
constexpr bool needs_none(std::size_t i, std::size_t j) {
  const auto flat = [](std::size_t k) { return is_one_of<Disc, Ellipse, Polygon>(k); };
  const auto solid = [](std::size_t k) { return is_one_of<Box, Ellipsoid, Hull, Frustum>(k); };
  const auto polyhedral = [](std::size_t k) { return is_one_of<Box, Hull, Polygon>(k); };
  return (polyhedral(i) && polyhedral(j)) || (i == j && is_one_of<Point, Halfspace>(i)) ||
         (flat(i) && solid(j)) || (solid(i) && flat(j));
}

[[maybe_unused]] constexpr bool is_complete(const PairTable& pairs) {
  for (std::size_t i = 0; i < types; ++i)
    for (std::size_t j = 0; j < types; ++j)
      if ((pairs[i][j] == nullptr) != needs_none(i, j)) return false;
  return true;
}
// Under its sanitizers g++ does not compare functions with null at compile time.
#ifndef __SANITIZE_ADDRESS__
static_assert(is_complete(table), "a pair of shapes has no function");
#endif

Vec3 lengths(const Geometry& geometry) {
  if (const auto* s = std::get_if<Sphere>(&geometry)) return {s->radius, 0, 0};
  if (const auto* s = std::get_if<Capsule>(&geometry)) return {s->radius, s->length, 0};
  if (const auto* s = std::get_if<Ellipsoid>(&geometry)) return s->radii;
  if (const auto* s = std::get_if<Frustum>(&geometry)) return {s->radius, s->top_radius, s->length};
  if (const auto* s = std::get_if<Disc>(&geometry)) return {s->radius, 0, 0};
  if (const auto* s = std::get_if<Ellipse>(&geometry)) return {s->radii.x(), s->radii.y(), 0};
  return Vec3::Zero();
}

}  // namespace

bool precedes(const PlacedShape& a, const PlacedShape& b) {
  const auto key = [](const PlacedShape& s) {
    const Vec3 l = lengths(s.geometry);
    const Pose& X = s.X_W;
    return std::array{X.p.x(), X.p.y(), X.p.z(), X.R.x(), X.R.y(),
                      X.R.z(), X.R.w(), l.x(),   l.y(),   l.z()};
  };
  return key(a) < key(b);
}

ShapeContact exchanged(const ShapeContact& c) {
  CAIRN_DCHECK(base::is_direction(c.n_W));
  return {c.p_WB, c.p_WA, -c.n_W, c.gap, {c.feature.b, c.feature.a}};
}

void collide_shapes(const Geometry& a, const Pose& X_WA, const Geometry& b, const Pose& X_WB,
                    std::vector<ShapeContact>& out, const Polyhedron* polyhedron_a,
                    const Polyhedron* polyhedron_b) {
  CAIRN_DCHECK(base::is_rotation(X_WA.R));
  CAIRN_DCHECK(base::is_rotation(X_WB.R));
  const PairFunction collide = table[a.index()][b.index()];
  CAIRN_CHECK(collide != nullptr);
  collide({a, X_WA, polyhedron_a}, {b, X_WB, polyhedron_b}, out);
}

// The one place that decides which pairs have contacts.
bool can_collide(const Geometry& a, const Geometry& b) {
  return table[a.index()][b.index()] != nullptr;
}

bool never_touch(const Geometry& a, const Geometry& b) {
  return a.index() == b.index() &&
         (std::holds_alternative<Point>(a) || std::holds_alternative<Halfspace>(a));
}

}  // namespace cairn::collide
