#include "collide/convex/manifold.hpp"

#include <algorithm>
#include <cmath>

#include "base/infinity.hpp"
#include "collide/convex/rim.hpp"

namespace cairn::collide {
namespace {

constexpr double facing_cosine = 1 - 0x1p-5;   // 14 degrees: a face that a normal belongs to [-]
constexpr double same_direction = 1 - 0x1p-9;  // of the best normal and that of a patch [-]
constexpr double near_end = 1e-6;              // of a line: a cut keeps the number of its end [-]
constexpr double settled = 1e-13;              // change of a unit vector [-]
constexpr double flush = 1e-13;                // of the size: outlines that coincide [-]
constexpr double no_deeper = 1e-9;  // of the size: contacts of a region against the best one [-]
constexpr double no_deeper_side = 1e-7;  // likewise of ends on a side [-]
constexpr double as_deep = 1e-11;        // of the size: one of them stands for the best one [-]

// Numbers of features beside points on rims (rim.hpp).
constexpr std::uint32_t rim_crossing = 0x40;
constexpr std::uint32_t corner_number = 0x01000000, edge_number = 0x02000000,
                        face_number = 0x03000000, end_number = 0x04000000, side_number = 0x05000000,
                        cap_number = 0x06000000;

std::uint32_t numbered(std::uint32_t kind, int i) {
  return kind | static_cast<std::uint32_t>(i);
}

// What of a shape faces the other one: a flat region, a line or a point.
struct Facet {
  enum class Kind { point, line, polygon, disc } kind = Kind::point;
  Vec3 normal = Vec3::Zero();  // outward, of regions [-]
  int number = 0;              // of the face or end
};

struct PatchSide {
  const Convex& shape;
  double out;  // +1: the normal leads out of it, -1: into it
  Facet facet;
};

Rim rim_of(const Convex& s, int end) {
  Rim rim(*s.frustum, end, s.R);
  rim.center += s.origin;
  return rim;
}

// Point of the plane through p with normal m on the line x + t n.
Vec3 projected(const Vec3& x, const Vec3& n, const Vec3& p, const Vec3& m) {
  return x + (m.dot(p - x) / m.dot(n)) * n;
}

Facet facet_of(const Convex& s, const Vec3& n) {
  Facet f;
  switch (s.kind) {
    case Convex::Kind::corners: {
      const Vec3 n_S = s.R.transpose() * n;
      double most = facing_cosine;
      for (std::size_t i = 0; i < s.polyhedron->faces.size(); ++i)
        if (const double along = s.polyhedron->faces[i].normal.dot(n_S); along > most) {
          most = along;
          f = {Facet::Kind::polygon, s.R * s.polyhedron->faces[i].normal, static_cast<int>(i)};
        }
      return f;
    }
    case Convex::Kind::circles: {
      for (const int end : {0, 1})
        if (const Rim rim = rim_of(s, end); rim.radius > 0 && rim.u.dot(n) > facing_cosine)
          return {Facet::Kind::disc, rim.u, end};
      const double taper = s.frustum->radius - s.frustum->top_radius,
                   slant = std::hypot(s.frustum->length, taper);
      const double along = s.u.dot(n), across = (n - along * s.u).norm();
      if ((s.frustum->length * across + taper * along) / slant > facing_cosine)
        f.kind = Facet::Kind::line;
      return f;
    }
    case Convex::Kind::segment:
      if (s.half.norm() > 0 && std::abs(s.half.dot(n)) <= end_facing * s.half.norm())
        f.kind = Facet::Kind::line;
      return f;
    case Convex::Kind::ellipsoid:
      break;
  }
  return f;
}

class Patch {
 public:
  Patch(const Convex& a, const Convex& b, const Meeting& best, const Vec3& common,
        std::vector<ShapeContact>& out)
      : a_{a, 1, facet_of(a, best.n)},
        b_{b, -1, facet_of(b, -best.n)},
        best_(best),
        common_(common),
        size_((b.origin - a.origin).norm() + a.outer + b.outer),
        out_(out) {}

  void append() {
    const bool region_a = is_region(a_), region_b = is_region(b_);
    if ((region_a && b_.facet.kind != Facet::Kind::point) ||
        (region_b && a_.facet.kind != Facet::Kind::point))
      choose_normal(region_a, region_b);
    if (!(n_.dot(best_.n) > same_direction)) {
      if (a_.facet.kind == Facet::Kind::line && b_.facet.kind == Facet::Kind::line) lines();
    } else if (region_a && region_b) {
      regions();
    } else if (region_a) {
      line_on_region(b_, a_);
    } else {
      line_on_region(a_, b_);
    }
    if (least_ <= best_.gap + as_deep * size_) return;
    out_.push_back({common_ + best_.a, common_ + best_.b, best_.n, best_.gap, {0, 0}});
  }

 private:
  static bool is_region(const PatchSide& s) {
    return s.facet.kind == Facet::Kind::polygon || s.facet.kind == Facet::Kind::disc;
  }

  // That of the region closer to the best one.
  void choose_normal(bool region_a, bool region_b) {
    const double of_a = region_a ? a_.facet.normal.dot(best_.n) : -base::infinity,
                 of_b = region_b ? -b_.facet.normal.dot(best_.n) : -base::infinity;
    n_ = of_a >= of_b ? a_.facet.normal : Vec3(-b_.facet.normal);
  }

  // `x`, `y`: points of the two, in either order, on one line along n from A to B.
  void put(const PatchSide& of_x, const Vec3& x, std::uint32_t number_x, const Vec3& y,
           std::uint32_t number_y, const Vec3& n, double slack = no_deeper) {
    const bool first = &of_x == &a_;
    const Vec3 &p_a = first ? x : y, &p_b = first ? y : x;
    const double gap = n.dot(p_b - p_a);
    if (!(gap >= best_.gap - slack * size_)) return;
    least_ = std::min(least_, gap);
    out_.push_back({common_ + (p_b - gap * n),
                    common_ + p_b,
                    n,
                    gap,
                    {first ? number_x : number_y, first ? number_y : number_x}});
  }

  // ---- regions

  Vec3 region_point(const PatchSide& s) const {
    if (s.facet.kind == Facet::Kind::disc) return rim_of(s.shape, s.facet.number).center;
    return s.shape.corner(s.shape.polyhedron->loop(s.facet.number)[0]);
  }
  std::uint32_t region_number(const PatchSide& s) const {
    return numbered(s.facet.kind == Facet::Kind::disc ? cap_number : face_number, s.facet.number);
  }
  bool inside(const PatchSide& s, const Vec3& x) const {
    if (s.facet.kind == Facet::Kind::disc) {
      const Rim rim = rim_of(s.shape, s.facet.number);
      return (x - rim.center).norm() <= rim.radius + flush * size_;
    }
    const auto loop = s.shape.polyhedron->loop(s.facet.number);
    for (std::size_t i = 0; i < loop.size(); ++i) {
      const Vec3 p = s.shape.corner(loop[i]), e = s.shape.corner(loop[(i + 1) % loop.size()]) - p;
      if (s.facet.normal.dot(e.cross(x - p)) < -flush * size_ * e.norm()) return false;
    }
    return true;
  }

  // The points of a rim over the other region.
  void rim_points(const PatchSide& disc, const PatchSide& other) {
    const Rim rim = rim_of(disc.shape, disc.facet.number);
    const Vec3 on_other = region_point(other);
    each_rim_point(rim, disc.out * n_, [&](const Vec3& x, std::uint32_t number) {
      const Vec3 y = projected(x, n_, on_other, other.facet.normal);
      if (inside(other, y)) put(disc, x, number, y, region_number(other), n_);
    });
  }

  void regions() {
    if (a_.facet.kind == Facet::Kind::disc) rim_points(a_, b_);
    if (b_.facet.kind == Facet::Kind::disc) rim_points(b_, a_);
    if (a_.facet.kind == Facet::Kind::polygon)
      corners_and_edges(a_, b_);
    else if (b_.facet.kind == Facet::Kind::polygon)
      corners_and_edges(b_, a_);
    else
      rim_crossings();
  }

  // Corners of a polygon over a disc, and where its edges cross the rim.
  void corners_and_edges(const PatchSide& polygon, const PatchSide& disc) {
    const Rim rim = rim_of(disc.shape, disc.facet.number);
    const auto loop = polygon.shape.polyhedron->loop(polygon.facet.number);
    const double r2 = rim.radius * rim.radius;
    for (std::size_t i = 0; i < loop.size(); ++i) {
      const int from = loop[i], to = loop[(i + 1) % loop.size()];
      const Vec3 p = polygon.shape.corner(from), q = polygon.shape.corner(to);
      const Vec3 x = projected(p, n_, rim.center, rim.u) - rim.center,
                 e = projected(q, n_, rim.center, rim.u) - rim.center - x;
      if (x.squaredNorm() <= r2)
        put(polygon, p, numbered(corner_number, from), x + rim.center,
            numbered(cap_number, rim.end), n_);
      // |x + t e| = r
      const double ee = e.squaredNorm(), xe = x.dot(e),
                   rest = xe * xe - ee * (x.squaredNorm() - r2);
      if (!(ee > 0) || !(rest > 0)) continue;
      const double root = std::sqrt(rest);
      for (const int k : {0, 1}) {
        const double t = (-xe + (k == 0 ? -root : root)) / ee;
        if (!(t > 0 && t < 1)) continue;
        const Vec3 on_rim = rim.center + (rim.radius * (x + t * e).normalized());
        put(disc, on_rim, rim_number(rim.end, static_cast<int>(rim_crossing) + k),
            projected(on_rim, n_, p, polygon.facet.normal), numbered(edge_number, from), n_);
      }
    }
  }

  // Where the rims of two ends cross, seen along n: from the crossings of circles across n, by
  // Newton's method for the angle on A's.
  void rim_crossings() {
    const Rim ra = rim_of(a_.shape, a_.facet.number), rb = rim_of(b_.shape, b_.facet.number);
    Vec3 d = projected(rb.center, n_, ra.center, ra.u) - ra.center;
    const double length = d.norm();
    if (!(length > 1e-9 * std::min(ra.radius, rb.radius)) || length >= ra.radius + rb.radius ||
        length <= std::abs(ra.radius - rb.radius))
      return;
    const double cosine =
        std::clamp((length * length + ra.radius * ra.radius - rb.radius * rb.radius) /
                       (2 * length * ra.radius),
                   -1.0, 1.0);
    const Vec3 e = d / length, f = ra.u.cross(e);
    for (const int k : {0, 1}) {
      double angle = (k == 0 ? 1 : -1) * std::acos(cosine), miss = 0;
      Vec3 x, y;
      for (int i = 0; i < 12; ++i) {
        x = ra.center + ra.radius * (std::cos(angle) * e + std::sin(angle) * f);
        y = projected(x, n_, rb.center, rb.u);
        const Vec3 along = ra.radius * (std::cos(angle) * f - std::sin(angle) * e);
        const Vec3 moved = along - (rb.u.dot(along) / rb.u.dot(n_)) * n_;
        miss = (y - rb.center).squaredNorm() - rb.radius * rb.radius;
        const double slope = 2 * (y - rb.center).dot(moved);
        if (!(std::abs(slope) > 1e-12 * rb.radius * rb.radius)) break;
        const double step = miss / slope;
        angle -= std::clamp(step, -0.1, 0.1);
        if (std::abs(step) < 1e-15) break;
      }
      if (!(std::abs(miss) <= 1e-14 * size_ * rb.radius)) continue;
      const auto number = static_cast<int>(rim_crossing) + k;
      put(a_, x, rim_number(ra.end, number), y, rim_number(rb.end, number), n_);
    }
  }

  // ---- lines

  // An end of the line of a shape that faces along `out`, without the ball.
  Vec3 line_end(const Convex& s, int end, const Vec3& out) const {
    if (s.kind == Convex::Kind::circles) return piece_point(s, end, out);
    return end == 0 ? Vec3(s.origin - s.half) : Vec3(s.origin + s.half);
  }
  std::uint32_t line_end_number(const Convex& s, int end) const {
    return s.kind == Convex::Kind::circles ? rim_number(end, 0) : numbered(end_number, end);
  }

  // Both ends of the part of a line that lies over a region.
  void line_on_region(const PatchSide& line, const PatchSide& region) {
    const Vec3 out = line.out * n_;
    const Vec3 on_region = region_point(region);
    const Vec3 p = line_end(line.shape, 0, out), q = line_end(line.shape, 1, out);
    const Vec3 x = projected(p, n_, on_region, region.facet.normal),
               e = projected(q, n_, on_region, region.facet.normal) - x;
    double from = 0, to = 1;
    if (region.facet.kind == Facet::Kind::disc) {
      const Rim rim = rim_of(region.shape, region.facet.number);
      const Vec3 c = x - rim.center;
      const double ee = e.squaredNorm(), ce = c.dot(e),
                   rest = ce * ce - ee * (c.squaredNorm() - rim.radius * rim.radius);
      if (!(rest > 0)) return;
      const double root = std::sqrt(rest);
      from = std::max(from, (-ce - root) / ee);
      to = std::min(to, (-ce + root) / ee);
    } else {
      const auto loop = region.shape.polyhedron->loop(region.facet.number);
      for (std::size_t i = 0; i < loop.size(); ++i) {
        const Vec3 corner = region.shape.corner(loop[i]),
                   edge = region.shape.corner(loop[(i + 1) % loop.size()]) - corner;
        const Vec3 inward = region.facet.normal.cross(edge).normalized();
        const double at_x = inward.dot(x - corner), change = inward.dot(e);
        if (std::abs(change) <= 1e-15 * size_) {
          if (at_x < -flush * size_) return;
        } else if (change > 0) {
          from = std::max(from, -at_x / change);
        } else {
          to = std::min(to, -at_x / change);
        }
      }
    }
    if (!(from <= to)) return;
    for (const int k : {0, 1}) {
      const double t = k == 0 ? from : to;
      const bool whole = std::abs(t - k) <= near_end;
      if (k == 1 && !(to > from)) return;
      const Vec3 at = p + t * (q - p) + line.shape.radius * out;
      put(line, at, whole ? line_end_number(line.shape, k) : numbered(side_number, k),
          projected(at, n_, on_region, region.facet.normal), region_number(region), n_);
    }
  }

  // Normal of the side of a frustum along which the point lies, outward; zero on its axis.
  static Vec3 side_normal(const Convex& s, const Vec3& x) {
    const Vec3 d = x - s.origin;
    const Vec3 across = d - s.u.dot(d) * s.u;
    const double distance = across.norm();
    if (!(distance > 1e-9 * s.outer)) return Vec3::Zero();
    return (s.frustum->length * (across / distance) +
            (s.frustum->radius - s.frustum->top_radius) * s.u)
        .normalized();
  }

  // The ends of the line of `of` over the side of the frustum `side`, each with a normal of its
  // own.
  void ends_on_side(const PatchSide& of, const PatchSide& side) {
    if (side.shape.kind != Convex::Kind::circles) return;
    for (const int end : {0, 1}) {
      Vec3 out = of.out * best_.n, n = Vec3::Zero(), x;
      double change = 0;
      for (int i = 0; i < 40; ++i) {
        x = line_end(of.shape, end, out);
        n = side_normal(side.shape, x);
        if (n.isZero(0)) return;
        change = (n + out).norm();
        out = -n;
        if (of.shape.kind != Convex::Kind::circles) change = 0;
        if (change <= settled) break;
      }
      if (change > settled) continue;  // no line along the side
      if (!((side.out * n).dot(best_.n) > same_direction)) continue;
      const Vec3 foot = piece_point(side.shape, 0, n);
      const double gap = n.dot(x - foot);
      const Vec3 y = x - gap * n;
      const double height = side.shape.u.dot(y - side.shape.origin);
      if (!(std::abs(height) <= 0.5 * side.shape.frustum->length + flush * size_)) continue;
      put(of, x + of.shape.radius * out, line_end_number(of.shape, end), y,
          numbered(side_number, 0), side.out * n, no_deeper_side);
    }
  }

  void lines() {
    ends_on_side(a_, b_);
    ends_on_side(b_, a_);
  }

  const PatchSide a_, b_;
  const Meeting& best_;
  const Vec3& common_;
  const double size_;
  std::vector<ShapeContact>& out_;
  Vec3 n_ = Vec3::Zero();  // of the patch, from A to B [-]
  double least_ = base::infinity;
};

}  // namespace

void append_manifold(const Convex& a, const Convex& b, const Meeting& best, const Vec3& common,
                     std::vector<ShapeContact>& out) {
  Patch(a, b, best, common, out).append();
}

}  // namespace cairn::collide
