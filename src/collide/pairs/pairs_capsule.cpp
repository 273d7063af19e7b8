// Contacts of two capsules: the closest points of their axes, or both ends of the overlap of
// parallel axes.
#include <algorithm>
#include <cmath>

#include "collide/pairs/pair_functions.hpp"
#include "collide/pairs/round.hpp"

namespace cairn::collide {
namespace {

// A segment p + t half, |t| <= 1.
struct Axis {
  Vec3 p, half;
  double radius;
  double length2 = half.squaredNorm();

  explicit Axis(const PlacedShape& s)
      : p(s.X_W.p),
        half(s.X_W.R * Vec3(0, 0, 0.5 * std::get<Capsule>(s.geometry).length)),
        radius(std::get<Capsule>(s.geometry).radius) {}
  Vec3 at(double t) const { return p + t * half; }
  double project(const Vec3& x) const { return length2 > 0 ? (x - p).dot(half) / length2 : 0; }
  double closest(const Vec3& x) const { return std::clamp(project(x), -1.0, 1.0); }
};

// `across`: the normal where the axes meet, so that d has no direction; zero at their ends, where d
// may point anywhere.
ShapeContact contact(const Axis& a, double s, const Axis& b, double t, const Vec3& across,
                     std::uint32_t feature) {
  const Vec3 d = (b.p - a.p) + (t * b.half - s * a.half);
  // 2^-52: d has lost half of its digits.
  const bool meeting =
      (across.array() != 0).any() && d.squaredNorm() <= 0x1p-52 * (a.length2 + b.length2);
  Vec3 n = direction<3>(meeting ? across : d, a.length2 > 0 ? a.half : b.half);
  if (meeting && n.dot(d) < 0) n = -n;
  return {a.at(s) + a.radius * n,
          b.at(t) - b.radius * n,
          n,
          n.dot(d) - (a.radius + b.radius),
          {feature, feature}};
}

// s of the closest points of the two lines, clamped; then the closest t, then the closest s to a
// clamped t. Each projection is exact to rounding, so that the error of the first one, which is
// ill-conditioned for small angles, moves both points along the axes only.
ShapeContact closest(const Axis& a, const Axis& b, const Vec3& across, bool parallel) {
  double s = 0;
  if (!parallel)
    s = std::clamp((b.p - a.p).cross(b.half).dot(across) / across.squaredNorm(), -1.0, 1.0);
  const double t = b.closest(a.at(s));
  if (parallel || t == -1 || t == 1) s = a.closest(b.at(t));
  const bool crossing = !parallel && std::abs(s) < 1 && std::abs(t) < 1;
  return contact(a, s, b, t, crossing ? across : Vec3(Vec3::Zero()), 0);
}

}  // namespace

void collide_capsules(const PlacedShape& a, const PlacedShape& b, std::vector<ShapeContact>& out) {
  // Computed in an order of their own, so that exchanging A and B changes no bit; numbered along
  // A's axis.
  const bool turned = precedes(b, a);
  const Axis first(turned ? b : a), second(turned ? a : b);
  const auto append = [&](const ShapeContact& c) { out.push_back(turned ? exchanged(c) : c); };

  // 2^-46 = (1.2e-7 rad)^2: below it the closest point between the ends is no closer than rounding
  // tells.
  const Vec3 across = first.half.cross(second.half);
  const bool parallel = across.squaredNorm() <= 0x1p-46 * (first.length2 * second.length2);
  if (parallel && first.length2 > 0 && second.length2 > 0) {
    const double e0 = first.project(second.at(-1)), e1 = first.project(second.at(1));
    const double lo = std::max(-1.0, std::min(e0, e1)), hi = std::min(1.0, std::max(e0, e1));
    if (lo < hi) {
      const Vec3 beside = tangents(first.half.normalized()).t1;
      const bool opposite = turned && first.half.dot(second.half) < 0;
      for (const bool upper : {opposite, !opposite}) {
        const double s = upper ? hi : lo;
        append(contact(first, s, second, second.closest(first.at(s)), beside,
                       upper != opposite ? 2 : 1));
      }
      return;
    }
  }
  append(closest(first, second, across, parallel));
}

}  // namespace cairn::collide
