// Contacts of polyhedra and polygons A with round shapes B, from the best normal of the pair.
#include <cmath>
#include <optional>

#include "base/infinity.hpp"
#include "collide/pairs/pair_functions.hpp"
#include "collide/pairs/polyhedron_normals.hpp"
#include "collide/pairs/round_shapes.hpp"
#include "model/shape/polyhedron_table.hpp"

namespace cairn::collide {
namespace {

// A pair in A's frame.
struct Meeting {
  const Polyhedron& a;
  const Round<3>& b;
  const Vec3& c;  // centre of B [m]
};

// The part of the axis that lies over a face: lo < hi, or nothing.
std::optional<std::pair<double, double>> over_face(const Meeting& s, int face) {
  double lo = -1, hi = 1;
  // Keeps t with inward.(c + t half - p) >= 0.
  const auto cut = [&](const Vec3& p, const Vec3& inward) {
    const double at_center = inward.dot(s.c - p), slope = inward.dot(s.b.half);
    if (slope > 0)
      lo = std::max(lo, -at_center / slope);
    else if (slope < 0)
      hi = std::min(hi, -at_center / slope);
    else if (at_center < 0)
      hi = lo;
  };
  const std::span<const int> loop = s.a.loop(face);
  const Vec3& normal = s.a.faces[static_cast<std::size_t>(face)].normal;
  for (std::size_t i = 0; i < loop.size(); ++i) {
    const Vec3& p = s.a.vertices[static_cast<std::size_t>(loop[i])];
    const Vec3 along = s.a.vertices[static_cast<std::size_t>(loop[(i + 1) % loop.size()])] - p;
    cut(p, s.a.planar ? along : Vec3(normal.cross(along)));
  }
  if (!(lo < hi)) return std::nullopt;
  return std::pair(lo, hi);
}

// The face whose normal is next to n.
int face_along(const Polyhedron& a, const BestNormal& found) {
  if (found.face >= 0) return found.face;
  int best = 0;
  double most = -base::infinity;
  for (std::size_t f = 0; f < a.faces.size(); ++f)
    if (const double along = a.faces[f].normal.dot(found.n); along > most)
      most = along, best = static_cast<int>(f);
  return best;
}

}  // namespace

void collide_polyhedron_round(const PlacedShape& A, const PlacedShape& B,
                              std::vector<ShapeContact>& out) {
  std::optional<Polyhedron> made;
  if (!A.polyhedron) {
    Result<Polyhedron> result = model::polyhedron_of(A.geometry);
    CAIRN_CHECK(result.has_value());
    made = std::move(*result);
  }
  const Polyhedron& a = made ? *made : *A.polyhedron;

  // B in A's frame; of polygons in their plane.
  const Pose X_AB = A.X_W.inverse() * B.X_W;
  const Vec3 d_W = B.X_W.p - A.X_W.p;
  Vec3 c = A.X_W.R.conjugate() * d_W;
  Round<3> round;
  Vec3 shift_W = Vec3::Zero();  // of the contact points out of the plane, from B's centre
  if (a.planar) {
    const Round<2> flat = planar_round(B.geometry, X_AB, PlaneBasis::Identity());
    round.radius = flat.radius;
    round.half.head<2>() = flat.half;
    round.L.topLeftCorner<2, 2>() = flat.L;
    round.least_curvature_radius = flat.least_curvature_radius;
    round.has_ellipsoid = flat.has_ellipsoid;
    if (is_planar(B.geometry)) shift_W = A.X_W.R * Vec3(0, 0, -0.5 * c.z());
    c.z() = 0;
  } else {
    round = spatial_round(B.geometry, X_AB);
  }

  BestNormal best = best_normal(a, round, c);
  const auto append = [&](const Vec3& lowest, const Vec3& n, double gap, std::uint32_t feature) {
    const Vec3 n_W = A.X_W.R * n, p_WB = B.X_W.p + A.X_W.R * lowest + shift_W;
    out.push_back({p_WB - gap * n_W, p_WB, n_W, gap, {0, feature}});
  };
  if (!round.has_segment()) return append(lowest_point(round, best), best.n, best.gap, 0);

  // A capsule that lies along a face, by the cosine and sine of 14 degrees, touches at both ends of
  // the part over it: the best contact is at one end, the other one gets the face's normal; it is
  // never deeper than the shortest way out.
  const int face = face_along(a, best);
  const Polyhedron::Face& side = a.faces[static_cast<std::size_t>(face)];
  const auto part = over_face({a, round, c}, face);
  const bool along = side.normal.dot(best.n) >= 1 - 0x1p-5 &&
                     std::abs(side.normal.dot(round.half)) <= 0.25 * round.half.norm();
  if (part && best.face == face) best.t = std::clamp(best.t, part->first, part->second);
  if (!part || !along) return append(lowest_point(round, best), best.n, best.gap, 0);
  const bool at_upper = best.t > 0.5 * (part->first + part->second);
  for (const bool upper : {false, true}) {
    if (upper == at_upper) {
      append(lowest_point(round, best), best.n, best.gap, upper ? 2u : 1u);
    } else {
      const Vec3 lowest =
          (upper ? part->second : part->first) * round.half - round.radius * side.normal;
      const double gap = side.normal.dot(c + lowest) - side.offset;
      append(lowest, side.normal, std::max(gap, best.gap), upper ? 2u : 1u);
    }
  }
}

}  // namespace cairn::collide
